/* reduce_nccl_ring.c - Reduction along the ring to the root, in chunks of `segment` bytes.
 *
 * The rank after the root sends first. Each rank in between reduces a received chunk with its own
 * and sends the result on in one pass, as in bcast_nccl_ring.c. The root sends nothing on; its pass
 * takes the time of a copy. */
#include "workload/nccl_ring.h"

static gboolean nccl_ring_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                DnRound *r)
{
    DnNcclRing ring;
    if (!dn_nccl_ring(call, me, stream, k, 1, call->bytes, 1, &ring))
        return FALSE;
    dn_round_own_tags(r, stream);
    if (ring.previous != call->root) {
        DnSpan here = dn_scratch((gint64)stream * call->bytes, ring.part.bytes);
        dn_round_recv(r, ring.previous, 0, 0, here);
        dn_round_wait(r, 0);
        dn_round_reduce(r, ring.part, here);
    }
    if (me == call->root) {
        dn_round_copy(r, ring.part, ring.part);
        return TRUE;
    }
    dn_nccl_ring_forward(r, &ring, ring.part);
    return TRUE;
}

const DnCollAlgorithm dn_coll_reduce_nccl_ring = {
    .kind = DN_COLL_REDUCE,
    .name = "nccl_ring",
    .source = "NCCL, src/device/reduce.h, runRing",
    .streams = dn_nccl_ring_streams,
    .round = nccl_ring_round,
    .segment = 512 << 10, /* NCCL_BUFFSIZE 4 MiB of 8 steps */
    .nccl = DN_NCCL_RING,
};
