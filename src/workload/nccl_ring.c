/* nccl_ring.c - Rounds shared by the rings of NCCL's collectives; see collective.h. */
#include "workload/collective.h"

guint32 dn_nccl_ring_streams(const DnCollCall *call)
{
    return MAX(call->channels, call->n_rings);
}

/* Bytes @from .. @from + @bytes - 1 of @total, as far as there are so many. */
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
    *out = (DnNcclRing){.at = me};
    if (call->n_rings > 0) {
        out->order = call->rings + (gsize)(stream % call->n_rings) * n;
        out->at = call->places[(gsize)(stream % call->n_rings) * n + me];
    }
    out->next = dn_nccl_ring_rank(out, (out->at + 1) % n);
    out->previous = dn_nccl_ring_rank(out, (out->at + n - 1) % n);
    if (n == 1)
        return FALSE;
    out->loop = k / steps;
    out->step = k % steps;
    if (call->style == DN_STYLE_NCCL)
        return k < steps * ring_cut_by_element(call, stream, total, chunks, out);
    DnSpan part = dn_piece(call, total, dn_nccl_ring_streams(call), stream);
    guint64 loops = dn_segments(part.bytes, call->segment * (gint64)chunks);
    if (k >= steps * loops)
        return FALSE;
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
