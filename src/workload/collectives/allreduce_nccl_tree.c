/* allreduce_nccl_tree.c - each channel takes its part up and down one of NCCL's two trees in
 * chunks.
 *
 * Over nodes of `group` ranks these are trees of nodes with a chain in each, so that one node is a
 * chain; else of all ranks.
 * Even channels use the first tree, odd ones the second; with `rings` the first so many channels
 * have the first tree, the next ones the second (src/graph/connect.cc, connectTrees, channel1).
 * Two streams a channel: chunks go down while others come up, as the two warp groups of
 * runTreeSplit do. */
#include "workload/collective.h"

#define NCCL_STEPS 8 /* of a buffer: chunks under way to a peer */

static gboolean of_nodes(const DnCollCall *call)
{
    return call->group > 0 && call->n >= call->group && call->n % call->group == 0;
}

static const char *nccl_tree_needs(const DnCollCall *call)
{
    return of_nodes(call) && !dn_rings_go_by_node(call) ? "rings that go node by node" : NULL;
}

static guint32 nccl_tree_streams(const DnCollCall *call)
{
    return 2 * call->channels;
}

static gboolean nccl_tree_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                DnRound *r)
{
    DnTree tree;
    guint32 channel = stream / 2;
    if (of_nodes(call))
        dn_tree_of_nodes(call, channel, me, &tree);
    else
        dn_tree_double(call->n, channel, me, &tree);
    tree.slots = NCCL_STEPS;
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
    .needs = nccl_tree_needs,
    .streams = nccl_tree_streams,
    .round = nccl_tree_round,
    .segment = 512 << 10, /* NCCL_BUFFSIZE 4 MiB of 8 steps */
    .nccl = DN_NCCL_TREE,
};
