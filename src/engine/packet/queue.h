/* queue.h - packets waiting for one (output, lane, channel), the oldest first.
 *
 * A pairing heap (Fredman, Sedgewick, Sleator, Tarjan, "The Pairing Heap", Algorithmica 1, 1986)
 * by birth, linked through the packets: adding costs one comparison, taking the oldest O(log n)
 * amortised, and packets that come in the order of their birth are compared once or twice. Which
 * of two equally old goes first follows from the order of calls alone, never from ids. */
#pragma once
#include "engine/packet/core.h"

/* The older of two roots, with the other below it; @a when both are as old. */
static inline guint32 dn_queue_join(const DnPacketEngine *e, guint32 a, guint32 b)
{
    DnPacket *pa = dn_packet(e, a), *pb = dn_packet(e, b);
    if (pb->birth_ps < pa->birth_ps) {
        pa->next = pb->child;
        pb->child = a;
        return b;
    }
    pb->next = pa->child;
    pa->child = b;
    return a;
}

/* queue.c: the same of a list of roots, newest first. */
guint32 dn_queue_join_all(const DnPacketEngine *e, guint32 list);

static inline void dn_queue_add(const DnPacketEngine *e, DnPort *port, guint q, guint32 id)
{
    DnQueue *queue = &dn_port_queues(e, port)[q];
    DnPacket *packet = dn_packet(e, id);
    packet->child = packet->next = 0;
    if (port->mask >> q & 1 && dn_queue_join(e, queue->head, id) != id)
        return;
    port->mask |= 1u << q;
    queue->head = id;
    queue->head_bytes = (gint32)packet->wire_bytes;
}

/* The oldest leaves. */
static inline void dn_queue_drop_head(const DnPacketEngine *e, DnPort *port, guint q)
{
    DnQueue *queue = &dn_port_queues(e, port)[q];
    guint32 id = dn_packet(e, queue->head)->child;
    if (id != 0 && dn_packet(e, id)->next != 0)
        id = dn_queue_join_all(e, id);
    queue->head = id;
    if (id == 0)
        port->mask &= ~(1u << q);
    else
        queue->head_bytes = (gint32)dn_packet(e, id)->wire_bytes;
}

/* arbiter.c: removes packet @id from its queue; a few older ones may stand before it. */
void dn_queue_take(const DnPacketEngine *e, DnPort *port, guint q, guint32 id);
