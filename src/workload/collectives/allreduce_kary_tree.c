/* allreduce_kary_tree.c - up and down one k-ary tree, pipelined: segments go down while others come
 * up.
 *
 * Stream 0 combines upward, stream 1 sends down what the root has complete. */
#include "workload/collective.h"

static guint32 kary_tree_streams(const DnCollCall *call)
{
    return 2;
}

static gboolean kary_tree_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                DnRound *r)
{
    DnTree tree;
    dn_tree_kary(call->n, 0, call->radix, me, &tree);
    if (stream == 0)
        return dn_tree_up(&tree, dn_whole(call), call->segment, 0, k, 0, 0, r);
    return dn_tree_down(&tree, dn_whole(call), call->segment, k, 1, 0, r);
}

const DnCollAlgorithm dn_coll_allreduce_kary_tree = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "kary_tree",
    .source = "P. Sanders, J. Speck, J. L. Traff, Two-tree algorithms for full bandwidth "
              "broadcast, reduction and scan, Parallel Computing 35(12), 2009, section 2",
    .streams = kary_tree_streams,
    .round = kary_tree_round,
    .segment = 64 << 10, /* assumed: between Open MPI's 8 and 128 KiB */
};
