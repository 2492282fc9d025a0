/* reduce_scatter_butterfly.c - log2 n exchanges at distances 1, 2, 4, ..., each of half of what is
 * still to combine; then everyone sends its pieces to whose they are, the rank with the bits
 * mirrored.
 *
 * Keeps the order of operands. Other numbers of ranks fold first: even ranks of the first pairs
 * rest. The whole buffer is copied first, in place or not, as Open MPI does
 * (coll_base_reduce_scatter.c, reduce_scatter_intra_butterfly). On a power of two of ranks Open
 * MPI's reduce_scatter_block (coll_base_reduce_scatter_block.c, butterfly_pof2) and MPICH's
 * algorithm for operations that do not commute (reduce_scatter_intra_noncommutative.c) sort the
 * blocks, of equal size, by their mirrored numbers before, so that everyone ends with its own. */
#include "workload/collective.h"

/* First piece of block @i of 2^log: a folded rank's block has two. */
static guint32 first_of(const DnFold *fold, guint32 i)
{
    return i < fold->rem ? 2 * i : i + fold->rem;
}

static guint32 butterfly_mirrored(guint32 v, guint32 bits)
{
    guint32 out = 0;
    for (guint32 i = 0; i < bits; i++)
        out |= (v >> i & 1) << (bits - 1 - i);
    return out;
}

static DnSpan butterfly_blocks(const DnCollCall *call, const DnFold *f, guint32 from, guint32 n)
{
    return dn_shares(call, first_of(f, from), first_of(f, from + n));
}

static void butterfly_exchange(const DnCollCall *call, const DnFold *f, guint64 k, DnRound *r)
{
    guint32 step = (guint32)k - 1, n = 1u << (f->log - 1 - step), base = 0;
    guint32 other = f->me ^ 1u << step, peer = dn_unfold(f, other);
    for (guint32 j = 0; j < step; j++)
        base += (f->me >> j & 1) << (f->log - 1 - j);
    gboolean upper = f->me >> step & 1;
    DnSpan mine = butterfly_blocks(call, f, base + (upper ? n : 0), n);
    DnSpan theirs = butterfly_blocks(call, f, base + (upper ? 0 : n), n);
    dn_round_exchange(r, peer, theirs, peer, dn_scratch(0, mine.bytes), (guint32)k);
    dn_round_reduce(r, mine, dn_scratch(0, mine.bytes));
}

/* Sends block butterfly_mirrored(me), with which this rank ends, to the rank or the pair of ranks
 * whose block it is. */
static void butterfly_deliver(const DnCollCall *call, const DnFold *f, guint32 me, DnRound *r)
{
    if (f->rests) {
        dn_round_recv(r, dn_unfold(f, butterfly_mirrored(f->me, f->log)), 2000, 0,
                      dn_share(call, me));
        dn_round_wait(r, DN_ANY);
        return;
    }
    guint32 to = butterfly_mirrored(f->me, f->log), peer = dn_unfold(f, to),
            piece = first_of(f, to);
    if (to < f->rem) {
        dn_round_send(r, peer - 1, 2000, 0, dn_share(call, piece));
        dn_round_wait(r, DN_ANY);
        piece++;
    }
    if (to == f->me) {
        dn_round_copy(r, dn_share(call, me), dn_share(call, me));
        return;
    }
    dn_round_exchange(r, peer, dn_share(call, piece), peer, dn_share(call, me), 2001);
}

static gboolean butterfly_sorts(const DnCollCall *call)
{
    gboolean theirs = (call->one_count && call->style == DN_STYLE_OMPI) ||
                      (call->form & DN_COLL_ORDERED && dn_coll_is_mpich(call));
    return theirs && dn_is_power_of_two(call->n);
}

/* The sorted blocks are in scratch space, what comes in behind them: n copies, log2 n exchanges,
 * the own block's copy. */
static gboolean butterfly_sorted_round(const DnCollCall *call, guint32 me, guint64 k, DnRound *r)
{
    guint32 log = dn_log2_floor(call->n);
    gint64 block = call->bytes / call->n;
    if (k < call->n) {
        gint64 to = butterfly_mirrored((guint32)k, log) * block;
        dn_round_copy(r, dn_scratch(to, block), dn_share(call, k));
        return TRUE;
    }
    if (k == call->n + log) {
        gint64 from = butterfly_mirrored(me, log) * block;
        dn_round_copy(r, dn_share(call, me), dn_scratch(from, block));
        return TRUE;
    }
    if (k > call->n + log)
        return FALSE;
    guint32 step = (guint32)k - call->n, peer = me ^ 1u << step;
    gint64 half = call->bytes >> (step + 1), base = 0;
    for (guint32 j = 0; j < step; j++)
        base += (me >> j & 1) ? call->bytes >> (j + 1) : 0;
    gboolean upper = me >> step & 1;
    DnSpan mine = dn_scratch(base + (upper ? half : 0), half);
    DnSpan theirs = dn_scratch(base + (upper ? 0 : half), half);
    DnSpan in = dn_scratch(call->bytes, half);
    dn_round_exchange(r, peer, theirs, peer, in, (guint32)k);
    dn_round_reduce(r, mine, in);
    return TRUE;
}

static gboolean butterfly_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                DnRound *r)
{
    if (butterfly_sorts(call))
        return butterfly_sorted_round(call, me, k, r);
    DnFold f = dn_fold(call->n, me);
    if (k > f.log + 1)
        return FALSE;
    if (k == 0) {
        dn_round_copy(r, dn_whole(call), dn_whole(call));
        dn_fold_round(&f, me, dn_whole(call), r);
    } else if (k == f.log + 1)
        butterfly_deliver(call, &f, me, r);
    else if (!f.rests)
        butterfly_exchange(call, &f, k, r);
    return TRUE;
}

const DnCollAlgorithm dn_coll_reduce_scatter_butterfly = {
    .kind = DN_COLL_REDUCE_SCATTER,
    .name = "butterfly",
    .source = "J. L. Traff, An improved algorithm for (non-commutative) reduce-scatter with an "
              "application, EuroPVM/MPI 2005",
    .round = butterfly_round,
    .ordered = TRUE,
};
