/* allreduce_nccl_ring.c - each channel takes its part of the buffer around the ring in chunks.
 *
 * A channel repeats the ring over n chunks of `segment` (the last loop has smaller ones) until its
 * part is done. One stream a channel (a CTA), on the ring of rank order or on one of `rings` in
 * turn. Steps in between combine and send on in one pass; the last chunk of a loop is copied out of
 * the buffer of the one before (runRing's final directRecv). */
#include "workload/nccl_ring.h"

static gboolean nccl_ring_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                DnRound *r)
{
    guint32 n = call->n;
    DnNcclRing ring;
    if (!dn_nccl_ring(call, me, stream, k, 2 * ((guint64)n - 1), call->bytes, n, &ring))
        return FALSE;
    dn_round_own_tags(r, stream);
    gboolean gather = ring.step >= n - 1;
    guint64 done = gather ? ring.step - (n - 1) : ring.step;
    guint64 out = ((guint64)ring.at + n - done + gather) % n;
    DnSpan send = dn_nccl_ring_chunk(call, &ring, call->bytes, n, out);
    DnSpan target = dn_nccl_ring_chunk(call, &ring, call->bytes, n, (out + n - 1) % n);
    DnSpan here = gather ? target : dn_scratch((gint64)stream * call->bytes, target.bytes);
    dn_nccl_ring_exchange(r, &ring, send, here);
    if (!gather)
        dn_round_reduce(r, target, here);
    if (ring.step + 1 == 2 * ((guint64)n - 1))
        dn_round_copy(r, target, target);
    return TRUE;
}

const DnCollAlgorithm dn_coll_allreduce_nccl_ring = {
    .kind = DN_COLL_ALLREDUCE,
    .name = "nccl_ring",
    .limits =
        "a chunk is sent whole; NCCL cuts it into slices so that a step's copy and send overlap",
    .source = "NCCL, src/device/all_reduce.h, runRing; Hu et al., Demystifying NCCL, 2025",
    .streams = dn_nccl_ring_streams,
    .round = nccl_ring_round,
    .segment = 2 << 20, /* NCCL_BUFFSIZE 4 MiB of 8 steps, 4 of them a chunk */
    .nccl = DN_NCCL_RING,
};
