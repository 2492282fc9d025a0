/* allreduce_nccl_ring.c - each channel takes its part of the buffer around the ring in chunks.
 *
 * A channel repeats the ring over n chunks of `segment` (the last loop has smaller ones) until its
 * part is done. One stream a channel (a CTA).
 * LIMITATIONS: a chunk is sent whole; NCCL cuts it into slices so that a step's copy and send
 * overlap. All channels use the ring of rank order. */
#include "workload/collective.h"

static guint32 streams(const DnCollCall *call)
{
    return call->channels;
}

static gboolean round_(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, DnRound *r)
{
    guint64 n = call->n, steps = 2 * (n - 1);
    DnSpan part = dn_piece(call->bytes, call->channels, stream);
    guint64 loops = dn_segments(part.bytes, call->segment * (gint64)n);
    if (n == 1 || k >= steps * loops)
        return FALSE;
    DnSpan now = dn_piece(part.bytes, loops, k / steps);
    now.offset += part.offset;
    dn_round_own_tags(r, stream);
    dn_ring_step(call->n, me, (guint32)((me + 1) % n), (guint32)((me + n - 1) % n), now, k % steps,
                 (gint64)stream * call->bytes, r);
    return TRUE;
}

const DnCollAlgorithm dn_coll_allreduce_nccl_ring = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "nccl_ring",
    .source = "NCCL, src/device/all_reduce.h, runRing; Hu et al., Demystifying NCCL, 2025",
    .streams = streams,
    .round = round_,
    .segment = 512 << 10, /* NCCL_BUFFSIZE 4 MiB of 8 steps */
};
