/* bcast_split_binary_tree.c - half of the buffer down each side of the root, then pairs exchange
 * halves.
 *
 * Ranks relative to the root: odd ones are the left binary tree, even ones the right. 2i + 1 and
 * 2i + 2 exchange; with an even number of ranks the last has no partner and gets its other half
 * from the root. In pieces of `segment`; the root has a stream for each side. */
#include "workload/collective.h"

static guint32 split_binary_tree_streams(const DnCollCall *call)
{
    return 2;
}

/* The tree of @side among ranks v = 2i + 1 + side, i = 0 .. : heap order below the root. */
static void side_tree(const DnCollCall *call, guint32 v, guint32 side, DnTree *tree)
{
    guint32 n = call->n;
    *tree = (DnTree){.parent = DN_ANY, .blocking = TRUE};
    if (v == 0) {
        if (1 + side < n)
            tree->child[tree->n_children++] = (call->root + 1 + side) % n;
        return;
    }
    guint32 i = (v - 1 - side) / 2;
    guint32 parent = i == 0 ? 0 : 2 * ((i - 1) / 2) + 1 + side;
    tree->parent = (call->root + parent) % n;
    for (guint32 c = 2 * i + 1; c <= 2 * i + 2; c++)
        if (2 * c + 1 + side < n)
            tree->child[tree->n_children++] = (call->root + 2 * c + 1 + side) % n;
}

static gboolean split_binary_tree_round(const DnCollCall *call, guint32 me, guint32 stream,
                                        guint64 k, DnRound *r)
{
    guint32 n = call->n, v = (me + n - call->root) % n;
    guint32 side = v == 0 ? stream : (v + 1) % 2;
    DnSpan half = dn_piece(call, call->bytes, 2, side),
           other = dn_piece(call, call->bytes, 2, 1 - side);
    guint64 rounds = dn_segments(half.bytes, call->segment) + 1;
    if (n == 1 || (v > 0 && stream > 0))
        return FALSE;
    if (k < rounds) {
        DnTree tree;
        side_tree(call, v, side, &tree);
        return dn_tree_down(&tree, half, call->segment, k, side, DN_ANY, r);
    }
    if (k > rounds || (v == 0 && (side == 0 || n % 2 == 1)))
        return FALSE;
    if (v == 0) {
        dn_round_send(r, (call->root + n - 1) % n, 2, 0, half);
    } else if (v == n - 1 && n % 2 == 0) {
        dn_round_recv(r, call->root, 2, 0, other);
    } else {
        guint32 peer = ((side == 0 ? v + 1 : v - 1) + call->root) % n;
        dn_round_recv(r, peer, 2, 0, other);
        dn_round_send(r, peer, 2, 0, half);
    }
    dn_round_wait(r, DN_ANY);
    return TRUE;
}

const DnCollAlgorithm dn_coll_bcast_split_binary_tree = {
    .kind = DN_COLL_BCAST,
    .name = "split_binary_tree",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_bcast.c, intra_split_bintree",
    .streams = split_binary_tree_streams,
    .round = split_binary_tree_round,
    .segment = 64 << 10, /* assumed: between Open MPI's 8 and 128 KiB */
};
