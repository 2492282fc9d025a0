/* scan_recursive_doubling.c - step k: the sum over the last 2^k ranks goes 2^k ranks up.
 *
 * Ranks only ever take sums of lower ranks, so result and running sum are the same buffer. */
#include "workload/collective.h"

/* MPICH's: pairs exchange what they have combined, as of an allreduce, and the upper one keeps what
 * came from below for its result too. */
static gboolean recursive_doubling_exchanged(const DnCollCall *call, guint32 me, guint64 k,
                                             DnRound *r)
{
    DnSpan partial = dn_scratch(0, call->bytes), in = dn_scratch(call->bytes, call->bytes);
    if (k > dn_log2_ceil(call->n))
        return FALSE;
    if (k == 0) {
        dn_round_copy(r, partial, dn_whole(call));
        return TRUE;
    }
    guint32 peer = me ^ 1u << (k - 1);
    if (peer >= call->n)
        return TRUE;
    dn_round_exchange(r, peer, partial, peer, in, (guint32)k);
    dn_round_reduce(r, partial, in);
    if (me > peer)
        dn_round_reduce(r, dn_whole(call), in);
    return TRUE;
}

static gboolean recursive_doubling_round(const DnCollCall *call, guint32 me, guint32 stream,
                                         guint64 k, DnRound *r)
{
    if (dn_coll_is_mpich(call))
        return recursive_doubling_exchanged(call, me, k, r);
    guint64 distance = (guint64)1 << k;
    if (k >= dn_log2_ceil(call->n))
        return FALSE;
    DnSpan in = dn_scratch(0, call->bytes);
    if (me >= distance)
        dn_round_recv(r, (guint32)(me - distance), (guint32)k, 0, in);
    if (me + distance < call->n)
        dn_round_send(r, (guint32)(me + distance), (guint32)k, 0, dn_whole(call));
    dn_round_wait(r, DN_ANY);
    if (me >= distance)
        dn_round_reduce(r, dn_whole(call), in);
    return TRUE;
}

const DnCollAlgorithm dn_coll_scan_recursive_doubling = {
    .kind = DN_COLL_SCAN,
    .name = "recursive_doubling",
    .source = "W. D. Hillis, G. L. Steele, Data parallel algorithms, CACM 29(12), 1986",
    .round = recursive_doubling_round,
    .copy_first = DN_COLL_COPY_BUFFER,
    .ordered = TRUE,
};
