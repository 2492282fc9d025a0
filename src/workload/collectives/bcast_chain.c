/* bcast_chain.c - broadcast down `radix` chains that meet in the root, in pieces of `segment`. */
#include "workload/collective.h"

static gboolean chain_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                            DnRound *r)
{
    DnTree tree;
    dn_tree_chain(call->n, call->root, call->radix, me, &tree);
    return dn_tree_down(&tree, dn_whole(call), call->segment, k, 0, DN_ANY, r);
}

const DnCollAlgorithm dn_coll_bcast_chain = {
    .kind = DN_COLL_BCAST,
    .name = "chain",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_bcast.c, intra_chain",
    .round = chain_round,
    .segment = 64 << 10, /* assumed: between Open MPI's 8 and 128 KiB */
};
