/* queue.h - packets waiting for one (output, lane, channel), the oldest first.
 *
 * A pairing heap (Fredman, Sedgewick, Sleator, Tarjan, "The Pairing Heap", Algorithmica 1, 1986)
 * by birth, linked through the packets: adding costs one comparison, taking the oldest O(log n)
 * amortised, and packets that come in the order of their birth are compared once or twice. The
 * queue holds a copy of what is asked of its oldest packet, and that packet's link: a younger
 * packet joins, and a lone one follows, without a look at the oldest, whose cache line may be far.
 * Which of two equally old goes first follows from the order of calls alone, never from ids. */
#pragma once
#include "engine/packet/core.h"

/* 1: of a message that begins at this vertex, where others pass too. */
static inline guint8 dn_port_own(const DnPort *port, const DnPacket *packet)
{
    gboolean begins = packet->in_port == DN_NONE; /* no branch to guess */
    return begins & !packet->response & !port->uplink;
}

/* The credits with which @packet may leave. Of one that stands for several (larger_packets.h) the
 * first needs space, and the others may exceed the buffer by their bytes. */
static inline gint32 dn_credit_to_leave(const DnPacketEngine *e, const DnPacket *packet)
{
    guint32 first = e->net.sizes.first_wire_bytes, bytes = packet->wire_bytes;
    return G_LIKELY(bytes <= first) ? (gint32)bytes : 2 * (gint32)first - (gint32)bytes;
}

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
    gboolean waits = port->mask >> q & 1;
    if (waits && packet->birth_ps >= queue->birth_ps) {
        packet->next = queue->child;
        queue->child = id;
        return;
    }
    guint32 child = 0;
    if (waits) {
        child = queue->head;
        dn_packet(e, child)->child = queue->child;
        dn_packet(e, child)->next = 0;
    }
    port->mask |= 1u << q;
    *queue = (DnQueue){packet->birth_ps, id, dn_credit_to_leave(e, packet), child};
}

/* The oldest leaves. */
static inline void dn_queue_drop_head(const DnPacketEngine *e, DnPort *port, guint q)
{
    DnQueue *queue = &dn_port_queues(e, port)[q];
    guint32 id = queue->child;
    if (id == 0) {
        port->mask &= ~(1u << q);
        return;
    }
    if (dn_packet(e, id)->next != 0)
        id = dn_queue_join_all(e, id);
    const DnPacket *packet = dn_packet(e, id);
    *queue = (DnQueue){packet->birth_ps, id, dn_credit_to_leave(e, packet), packet->child};
}

/* arbiter.c: removes packet @id from its queue; a few older ones may stand before it. */
void dn_queue_take(const DnPacketEngine *e, DnPort *port, guint q, guint32 id);
