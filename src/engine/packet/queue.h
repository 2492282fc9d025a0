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

/* The credits with which @packet may leave: of one that stands for several (larger_packets.h) the
 * first needs space, and the others may exceed the buffer. */
static inline gint32 dn_credit_to_leave(const DnPacketEngine *e, const DnPacket *packet)
{
    guint32 first = e->net.sizes.first_wire_bytes, bytes = packet->wire_bytes;
    return (gint32)MIN(bytes, first);
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

/* The first queue of aggregated packets; 0: there are none. */
static inline guint32 dn_aggregate_queue(const DnPacketEngine *e)
{
    return e->features.aggregate_lane * e->net.channels;
}

/* The queue that @packet waits in, or its buffer, where @queue is that of single packets. */
static inline guint32 dn_queue_for(const DnPacketEngine *e, const DnPacket *packet, guint32 queue)
{
    return packet->aggregated && !packet->response ? queue + dn_aggregate_queue(e) : queue;
}
/* TRUE: queue @q holds packets. The queues of aggregated packets come after all others and share
 * the bits of those of single packets of the same lane and channel: a bit then tells that one of
 * the two holds packets, and an empty one has no head. */
static inline gboolean dn_queue_holds(const DnPacketEngine *e, DnPort *port, guint q)
{
    return G_LIKELY(e->features.aggregate_lane == 0) ? (port->mask >> q & 1) != 0
                                                     : dn_port_queues(e, port)[q].head != 0;
}

/* Returns the other one of the two; @q itself: there is none. */
static inline guint dn_queue_twin(const DnPacketEngine *e, guint q)
{
    guint first = dn_aggregate_queue(e);
    if (q >= first)
        return q - first;
    return q < e->net.request_lanes * e->net.channels ? q + first : q;
}

/* Returns the bit of @q in its port's mask: that of single packets' queue. */
static inline guint dn_queue_bit(const DnPacketEngine *e, guint q)
{
    guint first = dn_aggregate_queue(e);
    return first > 0 && q >= first ? q - first : q;
}

/* @shared, a constant: there may be aggregated packets. */
static inline __attribute__((always_inline)) void queue_put(const DnPacketEngine *e, DnPort *port,
                                                            guint q, guint32 id, gboolean shared)
{
    DnQueue *queue = &dn_port_queues(e, port)[q];
    DnPacket *packet = dn_packet(e, id);
    packet->child = packet->next = 0;
    gboolean waits = shared ? dn_queue_holds(e, port, q) : (port->mask >> q & 1) != 0;
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
    port->mask |= 1u << (shared ? dn_queue_bit(e, q) : q);
    *queue = (DnQueue){packet->birth_ps, id, dn_credit_to_leave(e, packet), child};
}

static inline void dn_queue_add(const DnPacketEngine *e, DnPort *port, guint q, guint32 id)
{
    queue_put(e, port, q, id, TRUE);
}

/* Where there are no aggregated packets. */
static inline void dn_queue_add_single(const DnPacketEngine *e, DnPort *port, guint q, guint32 id)
{
    queue_put(e, port, q, id, FALSE);
}

/* Nothing is left in queue @q. */
static inline void queue_empty(const DnPacketEngine *e, DnPort *port, guint q, gboolean shared)
{
    if (shared && e->features.aggregate_lane > 0) {
        guint twin = dn_queue_twin(e, q);
        dn_port_queues(e, port)[q].head = 0;
        if (dn_port_queues(e, port)[twin].head != 0)
            return;
        q = dn_queue_bit(e, q);
    }
    port->mask &= ~(1u << q);
}

static inline __attribute__((always_inline)) void queue_drop(const DnPacketEngine *e, DnPort *port,
                                                             guint q, gboolean shared)
{
    DnQueue *queue = &dn_port_queues(e, port)[q];
    guint32 id = queue->child;
    if (id == 0) {
        queue_empty(e, port, q, shared);
        return;
    }
    if (dn_packet(e, id)->next != 0)
        id = dn_queue_join_all(e, id);
    const DnPacket *packet = dn_packet(e, id);
    *queue = (DnQueue){packet->birth_ps, id, dn_credit_to_leave(e, packet), packet->child};
}

/* The oldest leaves. */
static inline void dn_queue_drop_head(const DnPacketEngine *e, DnPort *port, guint q)
{
    queue_drop(e, port, q, TRUE);
}

static inline void dn_queue_drop_single(const DnPacketEngine *e, DnPort *port, guint q)
{
    queue_drop(e, port, q, FALSE);
}

/* arbiter.c: removes packet @id from its queue; a few older ones may stand before it. */
void dn_queue_take(const DnPacketEngine *e, DnPort *port, guint q, guint32 id);
