/* allgather_bruck.c - ceil(log2 n) exchanges; blocks stand rotated, own first, and are put in place
 * at the end. */
#include "workload/collective.h"

static gboolean bruck_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                            DnRound *r)
{
    guint64 n = call->n, phases = dn_log2_ceil(call->n);
    if (k > phases + 2)
        return FALSE;
    if (k == 0) {
        dn_round_copy(r, dn_blocks(call, DN_AREA_SCRATCH, 0, 1),
                      dn_blocks(call, DN_AREA_DATA, me, 1));
    } else if (k <= phases) {
        guint64 there = (guint64)1 << (k - 1), count = MIN(there, n - there);
        dn_round_exchange(r, (guint32)((me + n - there) % n),
                          dn_blocks(call, DN_AREA_SCRATCH, 0, count), (guint32)((me + there) % n),
                          dn_blocks(call, DN_AREA_SCRATCH, there, count), (guint32)k);
    } else if (k == phases + 1) {
        dn_round_copy(r, dn_blocks(call, DN_AREA_DATA, me, n - me),
                      dn_blocks(call, DN_AREA_SCRATCH, 0, n - me));
    } else if (me > 0) {
        dn_round_copy(r, dn_blocks(call, DN_AREA_DATA, 0, me),
                      dn_blocks(call, DN_AREA_SCRATCH, n - me, me));
    }
    return TRUE;
}

const DnCollAlgorithm dn_coll_allgather_bruck = {
    .kind = DN_COLL_ALLGATHER,
    .name = "bruck",
    .source = "Bruck et al., IEEE TPDS 8(11), 1997; MPICH allgather_intra_brucks.c",
    .round = bruck_round,
    .equal_blocks = TRUE,
};
