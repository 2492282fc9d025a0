/* bcast_pipeline.c - broadcast down one chain of all ranks, in pieces of `segment`. */
#include "workload/collective.h"

static gboolean pipeline_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                               DnRound *r)
{
    DnTree tree;
    dn_tree_chain(call->n, call->root, 1, me, &tree);
    return dn_tree_down(&tree, dn_whole(call), call->segment, k, 0, DN_ANY, r);
}

const DnCollAlgorithm dn_coll_bcast_pipeline = {
    .kind = DN_COLL_BCAST,
    .name = "pipeline",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_bcast.c, intra_pipeline",
    .round = pipeline_round,
    .segment = 64 << 10, /* assumed: between Open MPI's 8 and 128 KiB */
};
