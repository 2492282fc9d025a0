/* allreduce_segmented_ring.c - the ring with its first half in phases of segments.
 *
 * Every piece is cut into as many segments as the largest needs; a phase reduces one segment of
 * each piece around the ring. The allgather moves whole pieces. */
#include "workload/collective.h"

static gboolean segmented_ring_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                     DnRound *r)
{
    guint64 n = call->n, steps = n - 1;
    guint64 phases = dn_segments(dn_piece(call, call->bytes, n, n - 1).bytes, call->segment);
    if (k >= steps * (phases + 1))
        return FALSE;
    if (k >= steps * phases) {
        dn_ring_step(call->n, me, (guint32)((me + 1) % n), (guint32)((me + n - 1) % n),
                     dn_whole(call), steps + k - steps * phases, 0, r);
        return TRUE;
    }
    DnSpan out = dn_piece(call, call->bytes, n, (me + n - k % steps) % n);
    DnSpan in = dn_piece(call, call->bytes, n, (me + 2 * n - k % steps - 1) % n);
    DnSpan out_part = dn_piece(call, out.bytes, phases, k / steps);
    DnSpan in_part = dn_piece(call, in.bytes, phases, k / steps);
    out_part.offset += out.offset;
    in_part.offset += in.offset;
    dn_round_exchange(r, (guint32)((me + 1) % n), out_part, (guint32)((me + n - 1) % n),
                      dn_scratch(0, in_part.bytes), (guint32)(k % steps));
    dn_round_reduce(r, in_part, dn_scratch(0, in_part.bytes));
    return TRUE;
}

const DnCollAlgorithm dn_coll_allreduce_segmented_ring = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "segmented_ring",
    .source = "Open MPI, ompi/mca/coll/base/coll_base_allreduce.c, intra_ring_segmented",
    .round = segmented_ring_round,
    .copy_first = DN_COLL_COPY_BUFFER,
    .segment = 1 << 20, /* coll_tuned_decision_fixed.c: 1 MiB */
};
