/* nccl_ring.c - Rounds shared by the rings of NCCL's collectives; see nccl_ring.h. */
#include "workload/nccl_ring.h"

guint32 dn_nccl_ring_streams(const DnCollCall *call)
{
    return MAX(call->channels, call->n_rings);
}

guint32 dn_coll_ring_rank(const DnCollCall *call, guint32 ring, guint32 place)
{
    if (call->n_rings == 0)
        return place;
    ring %= call->n_rings;
    if (call->rings != NULL)
        return call->rings[(gsize)ring * call->n + place];
    guint32 size = dn_coll_node_size(call), at = place % size;
    guint32 member = call->ring_orders.by_node != NULL
                         ? call->ring_orders.by_node[ring * size + at]
                         : (at + ring * call->ring_orders.turn) % size;
    return place - at + member;
}

guint32 dn_coll_ring_place(const DnCollCall *call, guint32 ring, guint32 rank)
{
    if (call->n_rings == 0)
        return rank;
    ring %= call->n_rings;
    if (call->rings != NULL)
        return call->ring_orders.places[(gsize)ring * call->n + rank];
    guint32 first = rank - rank % dn_coll_node_size(call), at = 0;
    while (dn_coll_ring_rank(call, ring, first + at) != rank)
        at++;
    return first + at;
}

/* NCCL sends the chunks of a connection one after another; in the engine, messages in flight at
 * once share the adapter packet by packet. So only as many chunks are in flight as are needed to
 * hide latency: the bytes that 25 GB/s carry in 10 us (assumed: the order of a step between
 * nodes). */
#define ENOUGH_IN_FLIGHT (256 << 10)

static guint32 chunks_in_flight(const DnCollCall *call, gint64 total, guint64 chunks)
{
    gint64 chunk = total / (gint64)(dn_nccl_ring_streams(call) * chunks) + 1;
    if (call->segment > 0)
        chunk = MIN(chunk, call->segment);
    return (guint32)CLAMP(ENOUGH_IN_FLIGHT / chunk, 1, MAX(1, call->ring_orders.in_flight));
}

/* Returns bytes @from .. @from + @bytes - 1, or fewer where @total ends. */
static DnSpan span_within(gint64 total, gint64 from, gint64 bytes)
{
    gint64 first = MIN(from, total);
    return (DnSpan){DN_AREA_DATA, first, MIN(first + bytes, total) - first};
}

/* NCCL 2.18, RCCL 2.12, src/collectives/device/all_reduce.h, runRing, realChunkSize: what is left
 * for a loop is cut into chunks of whole multiples of `element`; chunk 0 of each channel comes
 * first, then chunk 1 of each. So the last chunks of a loop, and a last channel, may be empty. */
static guint64 ring_cut_by_element(const DnCollCall *call, guint32 stream, gint64 total,
                                   guint64 chunks, DnNcclRing *out)
{
    gint64 channels = dn_nccl_ring_streams(call), element = MAX(1, call->element);
    gint64 at_once = channels * (gint64)chunks;
    guint64 loops = dn_segments(total, call->segment * at_once);
    gint64 begin = (gint64)out->loop * call->segment * at_once;
    gint64 each = (gint64)dn_segments(total - begin, at_once * element) * element;
    if (call->segment > 0)
        each = MIN(each, call->segment);
    out->stride = channels * each;
    out->part = span_within(total, begin + stream * each, each);
    return loops;
}

gboolean dn_nccl_ring(const DnCollCall *call, guint32 me, guint32 stream, guint64 k, guint64 steps,
                      gint64 total, guint64 chunks, DnNcclRing *out)
{
    guint32 n = call->n;
    *out = (DnNcclRing){.call = call, .ring = stream, .round = k};
    out->at = dn_coll_ring_place(call, stream, me);
    out->next = dn_nccl_ring_rank(out, (out->at + 1) % n);
    out->previous = dn_nccl_ring_rank(out, (out->at + n - 1) % n);
    out->leaves = dn_coll_node(call, me) != dn_coll_node(call, out->next);
    if (n == 1)
        return FALSE;
    out->in_flight = chunks_in_flight(call, total, chunks);
    out->loop = k / steps;
    out->step = k % steps;
    if (call->style == DN_STYLE_NCCL) {
        guint64 rounds = steps * ring_cut_by_element(call, stream, total, chunks, out);
        out->last = k + 1 == rounds;
        return k < rounds;
    }
    DnSpan part = dn_piece(call, total, dn_nccl_ring_streams(call), stream);
    guint64 loops = dn_segments(part.bytes, call->segment * (gint64)chunks);
    if (k >= steps * loops)
        return FALSE;
    out->last = k + 1 == steps * loops;
    out->part = dn_piece(call, part.bytes, loops, out->loop);
    out->part.offset += part.offset;
    return TRUE;
}

DnSpan dn_nccl_ring_chunk(const DnCollCall *call, const DnNcclRing *ring, gint64 total,
                          guint64 chunks, guint64 i)
{
    if (ring->stride > 0)
        return span_within(total, ring->part.offset + (gint64)i * ring->stride,
                           ring->stride / dn_nccl_ring_streams(call));
    DnSpan chunk = dn_piece(call, ring->part.bytes, chunks, i);
    chunk.offset += ring->part.offset;
    return chunk;
}

/* Requests: 0 for receives and sends inside the node, 1 .. in_flight for sends that leave it. */
void dn_nccl_ring_forward(DnRound *r, const DnNcclRing *ring, DnSpan out)
{
    guint32 slots = ring->in_flight;
    guint32 request = ring->leaves ? 1 + (guint32)(ring->round % slots) : 0;
    if (ring->leaves && ring->round >= slots)
        dn_round_wait(r, request);
    dn_round_send(r, ring->next, (guint32)ring->step, request, out);
    dn_round_wait(r, ring->leaves && !ring->last ? 0 : DN_ANY);
}

void dn_nccl_ring_exchange(DnRound *r, const DnNcclRing *ring, DnSpan out, DnSpan in)
{
    dn_round_recv(r, ring->previous, (guint32)ring->step, 0, in);
    dn_nccl_ring_forward(r, ring, out);
}
