/* barrier_tree.c - up a binomial tree, then down it. */
#include "workload/collective.h"

static gboolean tree_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                           DnRound *r)
{
    DnTree tree;
    dn_tree_binomial(call->n, 0, me, &tree);
    return dn_tree_up_down(&tree, dn_scratch(0, 0), 0, 0, k, r);
}

const DnCollAlgorithm dn_coll_barrier_tree = {
    .kind = DN_COLL_BARRIER,
    .name = "tree",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_barrier.c, intra_tree",
    .round = tree_round,
};
