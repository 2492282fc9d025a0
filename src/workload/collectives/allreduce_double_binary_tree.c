/* allreduce_double_binary_tree.c - half of the buffer through each of two trees, whose inner ranks
 * are the other's leaves; up, then down, each pipelined by `segment`.
 *
 * One stream a tree. */
#include "workload/collective.h"

static guint32 double_binary_tree_streams(const DnCollCall *call)
{
    return 2;
}

static gboolean double_binary_tree_round(const DnCollCall *call, guint32 me, guint32 stream,
                                         guint64 k, DnRound *r)
{
    DnTree tree;
    dn_round_own_tags(r, stream);
    dn_tree_double(call->n, stream, me, &tree);
    DnSpan half = dn_piece(call, call->bytes, 2, stream);
    return dn_tree_up_down(&tree, half, call->segment, stream * 4 * call->bytes, k, r);
}

const DnCollAlgorithm dn_coll_allreduce_double_binary_tree = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "double_binary_tree",
    .source = "Sanders, Speck, Traff, Two-tree algorithms for full bandwidth broadcast, reduction "
              "and scan, Parallel Computing 35(12), 2009",
    .streams = double_binary_tree_streams,
    .round = double_binary_tree_round,
    .segment = 64 << 10, /* assumed: between Open MPI's 8 and 128 KiB */
};
