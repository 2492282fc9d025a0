/* reduce_binomial.c - reduction up a binomial tree, in pieces of `segment` if given. */
#include "workload/collective.h"

static gboolean binomial_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                               DnRound *r)
{
    DnTree tree;
    dn_tree_binomial(call->n, call->root, me, &tree);
    return dn_tree_up(&tree, dn_whole(call), call->segment, 0, k, 0, DN_ANY, r);
}

const DnCollAlgorithm dn_coll_reduce_binomial = {
    .kind = DN_COLL_REDUCE,
    .name = "binomial",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_reduce.c, intra_binomial",
    .round = binomial_round,
};
