/* bcast_nccl_ring.c - broadcast along the ring from the root in chunks of `segment`, a step each.
 *
 * A rank in between receives a chunk, then copies it to the user's buffer and sends it on in one
 * pass, then receives the next: runRing's recvCopySend is the loop of one thread block. So a rank
 * does not receive a chunk while it sends the one before; only between nodes a proxy thread sends
 * while the block continues. The last rank copies chunks from the receive buffer. */
#include "workload/nccl_ring.h"

static gboolean nccl_ring_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                DnRound *r)
{
    DnNcclRing ring;
    if (!dn_nccl_ring(call, me, stream, k, 1, call->bytes, 1, &ring))
        return FALSE;
    dn_round_own_tags(r, stream);
    if (me != call->root) {
        dn_round_recv(r, ring.previous, 0, 0, ring.part);
        dn_round_wait(r, 0);
    }
    if (ring.next == call->root) {
        dn_round_copy(r, ring.part, ring.part);
        return TRUE;
    }
    dn_nccl_ring_forward(r, &ring, ring.part);
    return TRUE;
}

const DnCollAlgorithm dn_coll_bcast_nccl_ring = {
    .kind = DN_COLL_BCAST,
    .name = "nccl_ring",
    .source = "NCCL, src/device/broadcast.h, runRing",
    .streams = dn_nccl_ring_streams,
    .round = nccl_ring_round,
    .segment = 512 << 10, /* NCCL_BUFFSIZE 4 MiB of 8 steps */
    .nccl = DN_NCCL_RING,
};
