/* allreduce_nccl_tree.c - each channel takes its part up and down one of NCCL's two trees in
 * chunks.
 *
 * Two streams a channel: chunks go down while others come up, as the two warp groups of
 * runTreeSplit do. */
#include "workload/collective.h"

static guint32 nccl_tree_streams(const DnCollCall *call)
{
    return 2 * call->channels;
}

static gboolean nccl_tree_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                DnRound *r)
{
    DnTree tree;
    guint32 channel = stream / 2;
    dn_tree_of_channel(call, channel, me, &tree);
    DnSpan part = dn_piece(call, call->bytes, call->channels, channel);
    if (stream % 2 == 0)
        return dn_tree_up(&tree, part, call->segment, (gint64)channel * 8 * call->bytes, k,
                          2 * channel, channel, r);
    return dn_tree_down(&tree, part, call->segment, k, 2 * channel + 1, channel, r);
}

const DnCollAlgorithm dn_coll_allreduce_nccl_tree = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "nccl_tree",
    .source = "NCCL, src/device/all_reduce.h, runTreeSplit; src/graph/trees.cc",
    .needs = dn_tree_of_channel_needs,
    .streams = nccl_tree_streams,
    .round = nccl_tree_round,
    .segment = 512 << 10, /* NCCL_BUFFSIZE 4 MiB of 8 steps */
    .nccl = DN_NCCL_TREE,
};
