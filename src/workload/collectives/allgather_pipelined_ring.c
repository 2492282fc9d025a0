/* allgather_pipelined_ring.c - A step of the ring passes on at most `segment` of the block that is
 * leaving, and takes as much of the one that is coming.
 *
 * Blocks leave in the order own, previous rank's, ...; the next rank's does not. They come in the
 * same order from the previous rank's on, whose block may be longer: so the two are at different
 * places. A block of no bytes takes a step in which nothing of it is sent. */
#include "workload/collective.h"

typedef struct {
    DnSpan span;
    gboolean over;
} RingPart;

/* Returns the part of the n - 1 blocks of rank @first and those before it that passes in step
 * @k. */
static RingPart ring_part(const DnCollCall *call, guint32 first, guint64 k)
{
    guint64 n = call->n, i = 0;
    if (call->segment == 0) {
        i = k;
        k = 0;
    }
    for (; i + 1 < n; i++) {
        DnSpan block = dn_blocks(call, DN_AREA_DATA, (first + n - i) % n, 1);
        guint64 steps = dn_segments(block.bytes, call->segment);
        if (k >= steps) {
            k -= steps;
            continue;
        }
        gint64 done = (gint64)k * call->segment;
        block.offset += done;
        block.bytes -= done;
        if (call->segment > 0)
            block.bytes = MIN(call->segment, block.bytes);
        return (RingPart){block, FALSE};
    }
    return (RingPart){{0}, TRUE};
}

static gboolean pipelined_ring_round(const DnCollCall *call, guint32 me, guint32 stream, guint64 k,
                                     DnRound *r)
{
    guint32 n = call->n, next = (me + 1) % n, previous = (me + n - 1) % n;
    RingPart out = ring_part(call, me, k), in = ring_part(call, previous, k);
    if (n == 1 || (out.over && in.over))
        return FALSE;
    dn_round_exchange_some(r, next, out.span, previous, in.span, 0);
    return TRUE;
}

const DnCollAlgorithm dn_coll_allgather_pipelined_ring = {
    .kind = DN_COLL_ALLGATHER,
    .name = "pipelined_ring",
    .source = "MPICH, src/mpi/coll/allgatherv/allgatherv_intra_ring.c",
    .round = pipelined_ring_round,
    .copy_first = DN_COLL_COPY_BLOCK,
    .segment = 32 << 10, /* MPIR_CVAR_ALLGATHERV_PIPELINE_MSG_SIZE */
};
