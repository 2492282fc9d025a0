/* allgather_bruck.c - ceil(log2 n) exchanges; blocks stand rotated, own first, and are put in place
 * at the end. */
#include "workload/collective.h"

/* The rotated blocks @first .. @first + @count - 1 of rank @me: those of ranks me + first on. */
static DnSpan bruck_blocks(const DnCollCall *call, guint32 me, guint64 first, guint64 count)
{
    if (!call->starts)
        return dn_blocks(call, DN_AREA_SCRATCH, first, count);
    const gint64 *starts = call->starts;
    guint64 n = call->n, to = me + first + count;
    gint64 ends[2] = {0};
    for (guint i = 0; i < 2; i++) {
        guint64 at = i == 0 ? me + first : to;
        ends[i] = at < n ? starts[at] : starts[n] + starts[at - n];
    }
    return dn_scratch(ends[0] - starts[me], ends[1] - ends[0]);
}

static gboolean bruck_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                            DnRound *r)
{
    guint64 n = call->n, phases = dn_log2_ceil(call->n);
    if (k > phases + 2)
        return FALSE;
    if (k == 0) {
        dn_round_copy(r, bruck_blocks(call, me, 0, 1), dn_blocks(call, DN_AREA_DATA, me, 1));
    } else if (k <= phases) {
        guint64 there = (guint64)1 << (k - 1), count = MIN(there, n - there);
        dn_round_exchange(r, (guint32)((me + n - there) % n), bruck_blocks(call, me, 0, count),
                          (guint32)((me + there) % n), bruck_blocks(call, me, there, count),
                          (guint32)k);
    } else if (k == phases + 1) {
        dn_round_copy(r, dn_blocks(call, DN_AREA_DATA, me, n - me),
                      bruck_blocks(call, me, 0, n - me));
    } else if (me > 0) {
        dn_round_copy(r, dn_blocks(call, DN_AREA_DATA, 0, me), bruck_blocks(call, me, n - me, me));
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_allgather_bruck = {
    .kind = DN_COLL_ALLGATHER,
    .name = "bruck",
    .limits = "of unequal blocks Open MPI packs from their places, without a copy at the end",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997; MPICH allgather_intra_brucks.c, "
              "allgatherv_intra_brucks.c",
    .round = bruck_round,
};
