/* bcast_knomial.c - broadcast down a k-nomial tree of `radix`, in pieces of `segment`. */
#include "workload/collective.h"

static gboolean knomial_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                              DnRound *r)
{
    DnTree tree;
    dn_tree_knomial(call->n, call->root, call->radix, me, &tree);
    return dn_tree_down(&tree, dn_whole(call), call->segment, k, 0, DN_ANY, r);
}

const DnCollAlgorithm dn_coll_bcast_knomial = {
    .kind = DN_COLL_BCAST,
    .name = "knomial",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_bcast.c, intra_knomial",
    .round = knomial_round,
};
