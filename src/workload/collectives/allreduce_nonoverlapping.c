/* allreduce_nonoverlapping.c - binomial reduce to rank 0, then binomial broadcast.
 *
 * Both in pieces of `segment`, if given. */
#include "workload/collective.h"

static gboolean round_(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    DnTree tree;
    dn_tree_binomial(call->n, 0, me, &tree);
    return dn_tree_up_down(&tree, dn_whole(call), call->segment, 0, k, r);
}

const DnCollAlgorithm dn_coll_allreduce_nonoverlapping = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "nonoverlapping",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_allreduce.c, intra_nonoverlapping",
    .round = round_,
};
