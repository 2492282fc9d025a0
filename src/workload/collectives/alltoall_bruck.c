/* alltoall_bruck.c - log2 n exchanges of half of all blocks; for short blocks.
 *
 * Blocks are rotated so that block i goes i ranks up; phase p moves those whose index has bit p by
 * 2^p ranks; rotated back at the end. Scratch: n blocks at work, then those packed, then those that
 * came. Rounds: n copies, per phase n packing, one exchange, n unpacking, then n copies. Neighbours
 * are copied together, as the libraries' datatypes do: at first two runs, in phase p runs of 2^p,
 * all in one call; at the end, where the order turns round, one by one. */
#include "workload/collective.h"

static DnSpan block_run(const DnCollCall *call, guint64 first, guint64 n)
{
    return dn_blocks(call, DN_AREA_SCRATCH, first, n);
}

/* Returns how many indices below @i have bit @p. */
static guint64 packed_before(guint64 i, guint64 p)
{
    guint64 whole = i >> (p + 1) << p, rest = i & (((guint64)2 << p) - 1);
    return whole + (rest > (guint64)1 << p ? rest - ((guint64)1 << p) : 0);
}

static gboolean bruck_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                            DnRound *r)
{
    guint64 n = call->n, phases = dn_log2_ceil(call->n), phase_rounds = 2 * n + 1;
    if (k < n) {
        if (k == 0)
            dn_round_copy(r, block_run(call, 0, n - me),
                          dn_blocks(call, DN_AREA_INPUT, me, n - me));
        else if (k == n - me)
            dn_round_copy(r, block_run(call, k, me), dn_blocks(call, DN_AREA_INPUT, 0, me));
        return TRUE;
    }
    k -= n;
    if (k >= phases * phase_rounds) {
        k -= phases * phase_rounds;
        if (k < n)
            dn_round_copy(r, dn_blocks(call, DN_AREA_DATA, (me + n - k) % n, 1),
                          block_run(call, k, 1));
        return k < n;
    }
    guint64 p = k / phase_rounds, part = k % phase_rounds, distance = (guint64)1 << p;
    guint64 packed = packed_before(n, p);
    if (part == n) {
        dn_round_exchange(r, (guint32)((me + distance) % n), block_run(call, n, packed),
                          (guint32)((me + n - distance) % n), block_run(call, 2 * n, packed),
                          (guint32)p);
        return TRUE;
    }
    guint64 i = part < n ? part : part - n - 1, run = MIN(distance, n - i);
    if (i % (2 * distance) != distance)
        return TRUE;
    void (*copy)(DnRound *, DnSpan, DnSpan) = i == distance ? dn_round_copy : dn_round_copy_on;
    if (part < n)
        copy(r, block_run(call, n + packed_before(i, p), run), block_run(call, i, run));
    else
        copy(r, block_run(call, i, run), block_run(call, 2 * n + packed_before(i, p), run));
    return TRUE;
}

const DnCollAlgorithm dn_coll_alltoall_bruck = {
    .kind = DN_COLL_ALLTOALL,
    .name = "bruck",
    .source = "Bruck et al., Efficient Algorithms for All-to-All Communications in Multiport "
              "Message-Passing Systems, IEEE TPDS 8(11), 1997",
    .round = bruck_round,
    .equal_blocks = TRUE,
};
