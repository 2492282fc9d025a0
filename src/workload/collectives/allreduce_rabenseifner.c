/* allreduce_rabenseifner.c - reduce-scatter by recursive halving, allgather by recursive doubling.
 *
 * Other numbers of ranks fold first. For long buffers: 2 log2 n steps and 2 (n - 1) / n of the
 * buffer from each rank (powers of two). */
#include "workload/collective.h"

/* Pieces [*lo, *hi) that rank @me of 2^log still combines after @steps halvings: its bit j says
 * which half it keeps in step j. */
static void range_after(const DnFold *f, guint32 me, guint32 steps, guint32 *lo, guint32 *hi)
{
    *lo = 0;
    *hi = 1u << f->log;
    for (guint32 j = 0; j < steps; j++) {
        guint32 half = (*hi - *lo) / 2;
        if (me >> j & 1)
            *lo += half;
        else
            *hi -= half;
    }
}

static gboolean round_(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    DnFold f = dn_fold(call->n, me);
    DnSpan all = dn_whole(call);
    guint32 lo, hi, peer_lo, peer_hi, parts = 1u << f.log;
    if (k > 2 * f.log + 1)
        return FALSE;
    if (k == 0) {
        dn_fold_round(&f, me, all, r);
        return TRUE;
    }
    if (k == 2 * f.log + 1) {
        dn_unfold_round(&f, me, all, r);
        return TRUE;
    }
    if (f.rests)
        return TRUE;
    gboolean halving = k <= f.log;
    guint32 j = halving ? (guint32)k - 1 : 2 * f.log - (guint32)k;
    guint32 other = f.me ^ 1u << j, peer = dn_unfold(&f, other);
    range_after(&f, f.me, j + 1, &lo, &hi);
    range_after(&f, other, j + 1, &peer_lo, &peer_hi);
    DnSpan mine = dn_pieces(call->bytes, parts, lo, hi);
    DnSpan theirs = dn_pieces(call->bytes, parts, peer_lo, peer_hi);
    if (halving) {
        dn_round_exchange(r, peer, theirs, peer, dn_scratch(0, mine.bytes), (guint32)k);
        dn_round_reduce(r, mine, dn_scratch(0, mine.bytes));
    } else {
        dn_round_exchange(r, peer, mine, peer, theirs, (guint32)k);
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_allreduce_rabenseifner = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "rabenseifner",
    .source = "R. Rabenseifner, Optimization of Collective Reduction Operations, ICCS 2004",
    .round = round_,
};
