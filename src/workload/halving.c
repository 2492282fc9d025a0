/* halving.c - reduce-scatter by recursive halving as the libraries do it; see collective.h.
 *
 * R. Rabenseifner, "Optimization of Collective Reduction Operations", ICCS 2004. Open MPI
 * (coll_base_allreduce.c, intra_redscat_allgather; coll_base_reduce.c, intra_redscat_gather) and
 * MPICH (allreduce_intra_reduce_scatter_allgather.c, reduce_intra_reduce_scatter_gather.c). */
#include "workload/collective.h"

#define TAG_FOLD 1000000u

DnHalving dn_halving(const DnCollCall *call, guint32 me, gboolean odd_rests)
{
    DnHalving h = {.log = dn_log2_floor(call->n), .odd_rests = odd_rests};
    h.rem = call->n - (1u << h.log);
    h.halves = call->style == DN_STYLE_OMPI && h.rem > 0;
    h.odd_rests |= call->style == DN_STYLE_OMPI;
    h.folds = h.halves ? 2 : 1;
    h.in_pair = me < 2 * h.rem;
    h.rests = h.in_pair && (me % 2 == 1) == h.odd_rests;
    h.me = h.in_pair ? me / 2 : me - h.rem;
    return h;
}

guint32 dn_halving_rank(const DnHalving *h, guint32 i)
{
    return i < h->rem ? 2 * i + (h->odd_rests ? 0 : 1) : i + h->rem;
}

/* The upper or lower half of what stands between @from and @to: Open MPI cuts the window, the
 * others count equal pieces, 2^log of the buffer. */
static void halving_narrow(const DnCollCall *call, guint64 *from, guint64 *to, gboolean upper)
{
    guint64 half = (*to - *from) / 2;
    if (upper)
        *from += half;
    else
        *to = *from + half;
}

DnSpan dn_halving_part(const DnCollCall *call, const DnHalving *h, guint32 i, guint32 steps)
{
    gboolean windows = call->style == DN_STYLE_OMPI;
    gint64 element = MAX(1, call->element);
    guint64 all = windows ? (guint64)(call->bytes / element) : (guint64)1 << h->log;
    guint64 from = 0, to = all;
    for (guint32 j = 0; j < steps; j++)
        halving_narrow(call, &from, &to, i >> j & 1);
    if (!windows)
        return dn_pieces(call, call->bytes, all, from, to);
    gint64 end = to == all ? call->bytes : (gint64)to * element;
    return (DnSpan){DN_AREA_DATA, (gint64)from * element, end - (gint64)from * element};
}

/* Open MPI: each of a pair combines half of the buffer; the odd rank then hands over its own. */
static void fold_halves(const DnCollCall *call, guint32 me, guint64 k, DnRound *round)
{
    gint64 element = MAX(1, call->element), cut = call->bytes / element / 2 * element;
    DnSpan low = {DN_AREA_DATA, 0, cut}, high = {DN_AREA_DATA, cut, call->bytes - cut};
    gboolean odd = me % 2 == 1;
    guint32 peer = odd ? me - 1 : me + 1;
    DnSpan mine = odd ? high : low, theirs = odd ? low : high;
    if (k == 0) {
        dn_round_exchange(round, peer, theirs, peer, dn_scratch(0, mine.bytes), TAG_FOLD);
        dn_round_reduce(round, mine, dn_scratch(0, mine.bytes));
        return;
    }
    if (odd)
        dn_round_send(round, peer, TAG_FOLD + 1, 0, high);
    else
        dn_round_recv(round, peer, TAG_FOLD + 1, 0, high);
    dn_round_wait(round, DN_ANY);
}

static void fold_whole(const DnCollCall *call, const DnHalving *h, guint32 me, DnRound *round)
{
    DnSpan whole = dn_whole(call), in = dn_scratch(0, call->bytes);
    guint32 peer = me % 2 == 1 ? me - 1 : me + 1;
    if (h->rests)
        dn_round_send(round, peer, TAG_FOLD, 0, whole);
    else
        dn_round_recv(round, peer, TAG_FOLD, 0, in);
    dn_round_wait(round, DN_ANY);
    if (!h->rests)
        dn_round_reduce(round, whole, in);
}

void dn_halving_round(const DnCollCall *call, const DnHalving *h, guint32 me, guint64 k,
                      DnRound *round)
{
    if (k < h->folds) {
        if (h->in_pair && h->halves)
            fold_halves(call, me, k, round);
        else if (h->in_pair)
            fold_whole(call, h, me, round);
        return;
    }
    if (h->rests)
        return;
    guint32 j = (guint32)(k - h->folds), other = h->me ^ 1u << j;
    guint32 peer = dn_halving_rank(h, other);
    DnSpan mine = dn_halving_part(call, h, h->me, j + 1);
    DnSpan theirs = dn_halving_part(call, h, other, j + 1);
    dn_round_exchange(round, peer, theirs, peer, dn_scratch(0, mine.bytes), (guint32)k);
    dn_round_reduce(round, mine, dn_scratch(0, mine.bytes));
}
