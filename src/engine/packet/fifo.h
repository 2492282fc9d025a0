/* fifo.h - input buffers that packets leave in order: `hardware.input_buffers: fifo`.
 *
 * A switch with virtual output queues lets every packet of an input buffer compete for its own
 * output. A simple input-queued one looks at the first packet of each (port, lane, channel) only,
 * routes it when it becomes first, and holds up all behind it: head-of-line blocking (Karol,
 * Hluchyj, Morgan, "Input Versus Output Queueing on a Space-Division Packet Switch", IEEE Trans.
 * Commun. 35(12), 1987). BookSim 2's input-queued router is of this kind. */
#pragma once
#include "engine/packet/core.h"

/* The packets behind the first, which is at its output. */
struct DnFifo {
    guint32 head, tail;
    guint32 taken; /* there is a first one */
};

/* FALSE: it waits behind others. */
static inline gboolean dn_fifo_is_first(const DnPacketEngine *e, const DnVertexState *v, guint32 id)
{
    if (v->vertex >= e->graph->size.switches)
        return TRUE;
    DnPacket *packet = dn_packet(e, id);
    struct DnFifo *fifo =
        &e->features.fifos[(gsize)packet->in_port * e->net.queues + packet->in_queue];
    if (!fifo->taken) {
        fifo->taken = 1;
        return TRUE;
    }
    packet->next = 0;
    if (fifo->head == 0)
        fifo->head = id;
    else
        dn_packet(e, fifo->tail)->next = id;
    fifo->tail = id;
    return FALSE;
}

/* The first of the buffer leaves it at @when_ps: the next is first then. */
static inline void dn_fifo_leave(DnPart *part, const DnVertexState *v, const DnPacket *first,
                                 gint64 when_ps)
{
    const DnPacketEngine *e = part->engine;
    if (v->vertex >= e->graph->size.switches)
        return;
    struct DnFifo *fifo =
        &e->features.fifos[(gsize)first->in_port * e->net.queues + first->in_queue];
    guint32 id = fifo->head;
    if (id == 0) {
        fifo->taken = 0;
        return;
    }
    fifo->head = dn_packet(e, id)->next;
    dn_emit_self(part, when_ps, dn_event_own(DN_EVENT_FIRST, id));
}
