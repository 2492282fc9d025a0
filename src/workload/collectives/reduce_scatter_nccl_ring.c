/* reduce_scatter_nccl_ring.c - each channel takes its part of the pieces around the ring in chunks.
 *
 * As allreduce_nccl_ring.c, of which it is the first half: n - 1 steps a loop over a chunk of every
 * rank's piece. Steps in between combine and send on in one pass; the last, which sends nothing on,
 * takes as long as a copy. */
#include "workload/nccl_ring.h"

static gboolean nccl_ring_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                DnRound *r)
{
    guint32 n = call->n;
    gint64 block = (call->bytes + n - 1) / n; /* the longest piece; the channels share this */
    DnNcclRing ring;
    if (!dn_nccl_ring(call, me, stream, k, (guint64)n - 1, block, 1, &ring))
        return FALSE;
    dn_round_own_tags(r, stream);
    guint32 step = (guint32)ring.step;
    DnSpan span[2];
    for (guint i = 0; i < 2; i++) { /* out, in */
        guint32 place = (ring.at + 2 * n - step - 1 - i) % n;
        DnSpan piece = dn_piece(call, call->bytes, n, dn_nccl_ring_rank(&ring, place));
        gint64 from = MIN(ring.part.offset, piece.bytes);
        gint64 to = MIN(ring.part.offset + ring.part.bytes, piece.bytes);
        span[i] = (DnSpan){DN_AREA_DATA, piece.offset + from, to - from};
    }
    DnSpan here = dn_scratch((gint64)stream * block, span[1].bytes);
    dn_nccl_ring_exchange(r, &ring, span[0], here);
    dn_round_reduce(r, span[1], here);
    if (step + 2 == n)
        dn_round_copy(r, span[1], span[1]);
    return TRUE;
}

const DnCollAlgorithm dn_coll_reduce_scatter_nccl_ring = {
    .kind = DN_COLL_REDUCE_SCATTER,
    .name = "nccl_ring",
    .source = "NCCL, src/device/reduce_scatter.h, runRing",
    .streams = dn_nccl_ring_streams,
    .round = nccl_ring_round,
    .segment = 2 << 20, /* as allreduce */
    .equal_blocks = TRUE,
    .nccl = DN_NCCL_RING,
};
