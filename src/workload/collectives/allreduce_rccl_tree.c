/* allreduce_rccl_tree.c - each channel takes its part up one of NCCL's two trees in chunks, and a
 * rank takes the first sum from above only when it has sent its last chunk up.
 *
 * One stream a channel: RCCL's blocks do both with all their threads, one after the other
 * (runTreeUpDown), where those of NCCL do both at a time (allreduce_nccl_tree.c). */
#include "workload/collective.h"

static guint32 rccl_tree_streams(const DnCollCall *call)
{
    return call->channels;
}

static gboolean rccl_tree_round(const DnCollCall *call, guint32 me, guint32 channel, guint64 k,
                                DnRound *r)
{
    DnTree tree;
    dn_round_own_tags(r, channel);
    dn_tree_of_channel(call, channel, me, &tree);
    DnSpan part = dn_piece(call, call->bytes, call->channels, channel);
    return dn_tree_up_down(&tree, part, call->segment, (gint64)channel * 8 * call->bytes, k, r);
}

const DnCollAlgorithm dn_coll_allreduce_rccl_tree = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "rccl_tree",
    .source = "RCCL 2.12 (ROCm 5.2.3), src/collectives/device/all_reduce.h, runTreeUpDown of both "
              "protocols; src/graph/trees.cc",
    .needs = dn_tree_of_channel_needs,
    .streams = rccl_tree_streams,
    .round = rccl_tree_round,
    .segment = 512 << 10, /* NCCL_BUFFSIZE 4 MiB of 8 steps */
    .nccl = DN_NCCL_TREE,
};
