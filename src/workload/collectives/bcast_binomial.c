/* bcast_binomial.c - broadcast down a binomial tree, in pieces of `segment` if given. */
#include "workload/collective.h"

static gboolean round_(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    DnTree tree;
    dn_tree_binomial(call->n, call->root, me, &tree);
    return dn_tree_down(&tree, dn_whole(call), call->segment, k, 0, DN_ANY, r);
}

const DnCollAlgorithm dn_coll_bcast_binomial = {
    .kind = DN_COLL_BCAST,
    .name = "binomial",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_bcast.c, intra_binomial",
    .round = round_,
};
