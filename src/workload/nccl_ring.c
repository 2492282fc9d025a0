/* nccl_ring.c - Rounds shared by the rings of NCCL's collectives; see collective.h. */
#include "workload/collective.h"

guint32 dn_nccl_ring_streams(const DnCollCall *call)
{
    return MAX(call->channels, call->n_rings);
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
    DnSpan part = dn_piece(call, total, dn_nccl_ring_streams(call), stream);
    guint64 loops = dn_segments(part.bytes, call->segment * (gint64)chunks);
    if (n == 1 || k >= steps * loops)
        return FALSE;
    out->loop = k / steps;
    out->step = k % steps;
    out->part = dn_piece(call, part.bytes, loops, out->loop);
    out->part.offset += part.offset;
    return TRUE;
}
