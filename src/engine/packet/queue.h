/* queue.h - The queue of packets that wait for one (output, lane, channel), the oldest first.
 *
 * A pairing heap (Fredman, Sedgewick, Sleator, Tarjan, "The Pairing Heap", Algorithmica 1, 1986)
 * by birth, linked through the packets: adding costs one comparison, taking the oldest O(log n)
 * amortised, and packets that arrive in the order of their birth are compared once or twice. The
 * queue holds a copy of its oldest packet's birth, credits and heap link, so that a younger packet
 * joins without an access to the oldest, whose cache line is often not loaded. Which of two equally
 * old packets goes first depends on the order of calls alone, never on ids.
 * In a long queue each packet read is a cache miss: in an incast ten for each packet that leaves. A
 * packet knows its next two siblings, so that two of these misses go on at a time. */
#pragma once
#include "base/expensive.h"
#include "engine/packet/core.h"

static inline DnPortCold *dn_port_cold(const DnPacketEngine *e, const DnPort *port)
{
    return &e->net.cold[dn_port_index(e, port)];
}

/* Returns the bytes queued at @port: more than 32 bits count where several inputs have buffers of
 * GiB. */
static inline gint64 dn_port_queued(const DnPacketEngine *e, const DnPort *port)
{
    gint64 bytes = port->queued_bytes;
    return G_UNLIKELY(port->many) ? bytes + ((gint64)dn_port_cold(e, port)->queued_wraps << 32)
                                  : bytes;
}

/* A packet of @bytes joins a queue of @port, or (below) leaves it. */
static inline void dn_port_queued_add(const DnPacketEngine *e, DnPort *port, guint32 bytes)
{
    if (G_UNLIKELY(__builtin_add_overflow(port->queued_bytes, bytes, &port->queued_bytes))) {
        dn_port_cold(e, port)->queued_wraps++;
        port->many = TRUE;
    }
}

static inline void dn_port_queued_take(const DnPacketEngine *e, DnPort *port, guint32 bytes)
{
    if (G_UNLIKELY(__builtin_sub_overflow(port->queued_bytes, bytes, &port->queued_bytes)))
        port->many = --dn_port_cold(e, port)->queued_wraps > 0;
}

/* Returns 1 for a packet of a message that begins at this vertex, on a port that other packets
 * use, too; else 0. */
static inline guint8 dn_port_own(const DnPort *port, const DnPacket *packet)
{
    gboolean begins = packet->in_port == DN_NONE; /* & instead of &&: no branch to predict */
    return begins & !packet->response & !port->uplink;
}

/* Returns the credits that @packet needs to leave, in bytes. One that stands for several packets
 * (larger_packets.h) needs those of the first; the others may exceed the buffer. */
static inline gint32 dn_credit_to_leave(const DnPacketEngine *e, const DnPacket *packet)
{
    guint32 first = e->net.sizes.first_wire_bytes, bytes = packet->wire_bytes;
    return (gint32)MIN(bytes, first);
}

/* Where a packet that waits below another keeps the packet after `next`: in `after`, where
 * congestion control does not keep its feedback; else in place of the time of its tail, where no
 * feature reads that of a packet that waits; nowhere. */
typedef enum { DN_AFTER_APART, DN_AFTER_IN_TAIL, DN_AFTER_NOWHERE } DnHeapAfter;

/* Puts @packet, whose id is @id, before its siblings, the first of which is *@first. @after: of the
 * run. */
static inline void dn_heap_put_first(const DnPacketEngine *e, DnPacket *packet, guint32 id,
                                     guint32 *first, DnHeapAfter after)
{
    packet->next = *first;
    if (after == DN_AFTER_APART)
        packet->after = dn_packet(e, *first)->next;
    else if (after == DN_AFTER_IN_TAIL)
        packet->after_in_tail = dn_packet(e, *first)->next;
    *first = id;
}

/* Joins two heaps: returns the older root, below which the other one then is; @a when both are
 * equally old. */
static inline guint32 dn_queue_join(const DnPacketEngine *e, guint32 a, guint32 b,
                                    DnHeapAfter after)
{
    DnPacket *pa = dn_packet(e, a), *pb = dn_packet(e, b);
    if (pb->birth_ps < pa->birth_ps) {
        dn_heap_put_first(e, pa, a, &pb->child, after);
        return b;
    }
    dn_heap_put_first(e, pb, b, &pa->child, after);
    return a;
}

/* queue.c: joins a list of heaps, the newest first; returns the root. */
guint32 dn_queue_join_all(const DnPacketEngine *e, guint32 list);

/* The first queue of aggregated packets; 0: there are none. */
static inline guint32 dn_aggregate_queue(const DnPacketEngine *e)
{
    return e->features.aggregate_lane * e->net.channels;
}

/* Returns the queue that @packet waits in, or fills a buffer of; @queue: the queue that it would
 * have as a single packet. */
static inline guint32 dn_queue_for(const DnPacketEngine *e, const DnPacket *packet, guint32 queue)
{
    return packet->aggregated && !packet->response ? queue + dn_aggregate_queue(e) : queue;
}

/* Returns TRUE when queue @q holds packets. The queues of aggregated packets come after all others;
 * each shares its bit in the port's mask with the queue of single packets of the same lane and
 * channel. A set bit then means that at least one of the two holds packets; an empty one has no
 * head. */
static inline gboolean dn_queue_holds(const DnPacketEngine *e, DnPort *port, guint q)
{
    return G_LIKELY(e->features.aggregate_lane == 0) ? (port->mask >> q & 1) != 0
                                                     : dn_port_queues(e, port)[q].head != 0;
}

/* Returns the queue that shares the bit of @q; @q itself: there is none. */
static inline guint dn_queue_twin(const DnPacketEngine *e, guint q)
{
    guint first = dn_aggregate_queue(e);
    if (q >= first)
        return q - first;
    return q < e->net.request_lanes * e->net.channels ? q + first : q;
}

/* Returns the number of the bit of queue @q in its port's mask. */
static inline guint dn_queue_bit(const DnPacketEngine *e, guint q)
{
    guint first = dn_aggregate_queue(e);
    return first > 0 && q >= first ? q - first : q;
}

/* Adds packet @id to queue @q. @shared, a constant: queues may share bits of the mask. */
static inline __attribute__((always_inline)) void queue_put(const DnPacketEngine *e, DnPort *port,
                                                            guint q, guint32 id, gboolean shared)
{
    DnQueue *queue = &dn_port_queues(e, port)[q];
    DnPacket *packet = dn_packet(e, id);
    packet->child = packet->next = 0;
    gboolean waits = shared ? dn_queue_holds(e, port, q) : (port->mask >> q & 1) != 0;
    if (waits && packet->birth_ps >= queue->birth_ps) {
        dn_heap_put_first(e, packet, id, &queue->child, (DnHeapAfter)e->features.heap_after);
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

/* Does the same in a run without aggregated packets. */
static inline void dn_queue_add_single(const DnPacketEngine *e, DnPort *port, guint q, guint32 id)
{
    queue_put(e, port, q, id, FALSE);
}

/* Marks queue @q as empty. */
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

/* queue.c: returns how many packets wait at @port, by looking at each. */
guint32 dn_queue_count(const DnPacketEngine *e, DnPort *port);
/* queue.c: TRUE when no packet right below the oldest of @queue is older. */
gboolean dn_queue_is_ordered(const DnPacketEngine *e, const DnQueue *queue);

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
    dn_check(packet->birth_ps >= queue->birth_ps);
    *queue = (DnQueue){packet->birth_ps, id, dn_credit_to_leave(e, packet), packet->child};
    dn_check(dn_queue_is_ordered(e, queue));
}

/* Removes the oldest packet of queue @q; and the same in a run without aggregated packets. */
static inline void dn_queue_drop_head(const DnPacketEngine *e, DnPort *port, guint q)
{
    queue_drop(e, port, q, TRUE);
}

static inline void dn_queue_drop_single(const DnPacketEngine *e, DnPort *port, guint q)
{
    queue_drop(e, port, q, FALSE);
}

/* arbiter.c: the input that @packet came by feeds its output through a limited crossbar. */
void dn_crossbar_take(DnPartition *partition, const DnPacket *packet);
/* arbiter.c: removes packet @id from its queue, in which a few older ones may be before it. */
void dn_queue_take(const DnPacketEngine *e, DnPort *port, guint q, guint32 id);
