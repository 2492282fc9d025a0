/* bcast_scatter_doubling.c - binomial scatter of n pieces, then an allgather by recursive doubling.
 *
 * Pieces of equal size from the first on, so that the last may be short or empty; numbered relative
 * to the root. With other numbers of ranks than a power of two, a rank whose partner is missing
 * gets what that would have had down a tree among its half of the ranks: at most log2 n more
 * messages. */
#include "workload/collective.h"

static guint32 scatter_doubling_absolute(const DnCollCall *call, guint32 v)
{
    return (guint32)(((guint64)v + call->root) % call->n);
}

static void scatter_doubling_scatter(const DnCollCall *call, guint32 v, guint64 k, guint32 steps,
                                     DnRound *r)
{
    guint32 n = call->n, low = v & (~v + 1);
    if (k == 0) {
        DnSpan part = dn_equal_pieces(call, v, MIN(v + low, n));
        if (v == 0 || part.bytes == 0)
            return;
        dn_round_recv(r, scatter_doubling_absolute(call, v - low), 0, 0, part);
        dn_round_wait(r, DN_ANY);
        return;
    }
    guint32 distance = 1u << (steps - k), to = v + distance;
    if (v % (2 * distance) != 0 || to >= n)
        return;
    DnSpan part = dn_equal_pieces(call, to, MIN(to + distance, n));
    if (part.bytes == 0)
        return;
    dn_round_send(r, scatter_doubling_absolute(call, to), 0, 0,
                  part); /* blocks in both libraries */
    dn_round_wait(r, DN_ANY);
}

/* Step @j of the tree among the 2^(i + 1) ranks with rank @v after exchange @i: those that have all
 * pieces hand the pieces of the other half on. */
static void scatter_doubling_complete(const DnCollCall *call, guint32 v, guint32 i, guint32 j,
                                      DnRound *r)
{
    guint32 n = call->n, root = v >> (i + 1) << (i + 1), peer = v ^ 1u << j;
    guint32 middle = root + (1u << i); /* ranks from here to n have all: who met a partner */
    guint32 full = n - middle, tree = v >> (j + 1) << (j + 1);
    if (root + (2u << i) <= n || middle >= n || peer >= middle || v >= middle)
        return;
    DnSpan rest = dn_equal_pieces(call, middle, MIN(root + (2u << i), n));
    if (peer > v && v < tree + full && peer >= tree + full)
        dn_round_send(r, scatter_doubling_absolute(call, peer), 100 + i, 0, rest);
    else if (peer < v && peer < tree + full && v >= tree + full)
        dn_round_recv(r, scatter_doubling_absolute(call, peer), 100 + i, 0, rest);
    dn_round_wait(r, DN_ANY);
}

static gboolean scatter_doubling_round(const DnCollCall *call, guint32 me, guint32 stream,
                                       guint64 k, DnRound *r)
{
    guint32 n = call->n, v = (me + n - call->root) % n, steps = dn_log2_ceil(n);
    if (k <= steps) {
        scatter_doubling_scatter(call, v, k, steps, r);
        return TRUE;
    }
    k -= steps + 1;
    guint32 i = (guint32)(k / (steps + 1)), j = (guint32)(k % (steps + 1));
    if (i >= steps)
        return FALSE;
    guint32 other = v ^ 1u << i, lo = v >> i << i, other_lo = other >> i << i;
    if (j == 0 && other < n)
        dn_round_exchange(r, scatter_doubling_absolute(call, other),
                          dn_equal_pieces(call, lo, MIN(lo + (1u << i), n)),
                          scatter_doubling_absolute(call, other),
                          dn_equal_pieces(call, other_lo, MIN(other_lo + (1u << i), n)), 1 + i);
    else if (j > 0 && j <= i)
        scatter_doubling_complete(call, v, i, i - j, r);
    return TRUE;
}

const DnCollAlgorithm dn_coll_bcast_scatter_doubling = {
    .kind = DN_COLL_BCAST,
    .name = "scatter_doubling",
    .source =
        "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in "
        "MPICH, IJHPCA 19(1), 2005, 4.2; Open MPI, coll_base_bcast.c, intra_scatter_allgather",
    .round = scatter_doubling_round,
};
