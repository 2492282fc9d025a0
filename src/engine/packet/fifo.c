/* fifo.c - see fifo.h. */
#include "engine/packet/fifo.h"

#include "engine/packet/hooks.h"
#include "engine/packet/queue.h"

/* Packet @id arrives at a switch's FIFO; FALSE: it waits there behind others. */
static gboolean fifo_arrive(DnPartition *partition, DnVertexState *v, guint32 id)
{
    const DnPacketEngine *e = partition->engine;
    if (v->vertex >= e->graph->size.switches)
        return TRUE;
    DnPacket *packet = dn_packet(e, id);
    struct DnFifo *fifo = &e->features.fifos[(gsize)packet->in_port * e->net.queues +
                                             dn_queue_for(e, packet, packet->in_queue)];
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

/* Packet @id, the first of its FIFO, leaves at @start_ps: the next one becomes the first then. */
static void fifo_leave(DnPartition *partition, DnVertexState *v, guint32 index, guint q, guint32 id,
                       gint64 start_ps)
{
    const DnPacketEngine *e = partition->engine;
    const DnPacket *first = dn_packet(e, id);
    if (first->in_port == DN_NONE || v->vertex >= e->graph->size.switches)
        return;
    struct DnFifo *fifo = &e->features.fifos[(gsize)first->in_port * e->net.queues +
                                             dn_queue_for(e, first, first->in_queue)];
    guint32 next = fifo->head;
    if (next == 0) {
        fifo->taken = 0;
        return;
    }
    fifo->head = dn_packet(e, next)->next;
    dn_emit_self(partition, start_ps, dn_event_own(DN_EVENT_FIRST, next));
}

const struct DnPortHooks dn_hooks_fifo = {.arrive = fifo_arrive, .leave = fifo_leave};
