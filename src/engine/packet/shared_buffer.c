/* shared_buffer.c - see shared_buffer.h. */
#include "engine/packet/shared_buffer.h"

#include "base/sparse_array.h"
#include "engine/packet/packet_aggregation.h"

void dn_shared_buffers_init(DnPacketEngine *e)
{
    const DnGraph *g = e->graph;
    gboolean shared = FALSE;
    for (guint32 c = 0; c < g->n_classes; c++)
        shared |= g->classes[c].shared_buffer_bytes > 0;
    if (!shared)
        return;
    e->net.plain = FALSE; /* the fast path takes credits of one queue alone */
    e->features.shared_buffers = dn_sparse_of(struct DnSharedBuffer, g->size.links + 1);
    e->features.shared_used = dn_sparse_of(gint32, (gsize)g->size.links * e->net.queues + 1);
}

void dn_shared_buffers_clear(DnPacketEngine *e)
{
    dn_sparse_free(e->features.shared_buffers);
    dn_sparse_free(e->features.shared_used);
}

void dn_shared_buffer_open(DnPacketEngine *e, guint32 index, gint32 shared_bytes)
{
    e->features.shared_buffers[index] = (struct DnSharedBuffer){shared_bytes, shared_bytes};
    for (guint32 q = 0; q < e->net.queues; q++)
        dn_port(e, index)->credit_bytes[q] += shared_bytes;
}

void dn_shared_buffer_take(DnPacketEngine *e, guint32 index, guint q, gint32 bytes)
{
    struct DnSharedBuffer *buffer = &e->features.shared_buffers[index];
    DnPort *port = dn_port(e, index);
    if (buffer->full_bytes == 0 || port->ejection)
        return;
    gint32 own = dn_aggregation_credit(e, q, e->net.cold[index].full_credit_bytes);
    gint32 *used = &e->features.shared_used[(gsize)index * e->net.queues + q];
    gint32 before = MAX(*used - own, 0);
    *used += bytes;
    gint32 taken = MAX(*used - own, 0) - before;
    buffer->free_bytes -= taken;
    for (guint32 i = 0; taken != 0 && i < e->net.queues; i++)
        port->credit_bytes[i] -= taken;
    port->credit_bytes[q] = MAX(own - *used, 0) + buffer->free_bytes;
}
