/* allgather_nccl_ring.c - each channel takes its part of the blocks around the ring in chunks.
 *
 * As allreduce_nccl_ring.c, of which it is the second half: n - 1 steps a loop over a chunk of
 * every rank's block, the last of them copied out of the buffer it came to. */
#include "workload/nccl_ring.h"

static gboolean nccl_ring_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                DnRound *r)
{
    guint32 n = call->n;
    DnNcclRing ring;
    if (!dn_nccl_ring(call, me, stream, k, (guint64)n - 1, call->bytes, 1, &ring))
        return FALSE;
    dn_round_own_tags(r, stream);
    guint32 step = (guint32)ring.step;
    DnSpan out = ring.part, in = ring.part;
    out.offset += call->bytes * dn_nccl_ring_rank(&ring, (ring.at + n - step) % n);
    in.offset += call->bytes * dn_nccl_ring_rank(&ring, (ring.at + 2 * n - step - 1) % n);
    dn_nccl_ring_exchange(r, &ring, out, in);
    if (step + 2 == n)
        dn_round_copy(r, in, in);
    return TRUE;
}

const DnCollAlgorithm dn_coll_allgather_nccl_ring = {
    .kind = DN_COLL_ALLGATHER,
    .name = "nccl_ring",
    .limits =
        "a chunk is sent whole; the own block's copy to its place is not here (sent from there)",
    .source = "NCCL, src/device/all_gather.h, runRing",
    .streams = dn_nccl_ring_streams,
    .round = nccl_ring_round,
    .segment = 2 << 20, /* as allreduce */
    .equal_blocks = TRUE,
    .nccl = DN_NCCL_RING,
};
