/* port.c - An output port has queues, credits, and the packet on the wire.
 *
 * Virtual cut-through (Kermani & Kleinrock, Computer Networks 3, 1979): a packet leaves when the
 * link is free and the far buffer has space for all of it; its head is at the next vertex one
 * latency later. Credits return over the wire when the packet's tail has left the buffer. */
#include "engine/packet/hooks.h"
#include "engine/packet/inject.h"
#include "engine/packet/larger_packets.h"
#include "engine/packet/nic.h"
#include "engine/packet/port_mode.h"
#include "engine/packet/queue.h"
#include "engine/packet/shared_buffer.h"
#include "routing/settled.h"

static void set_wake(DnPartition *partition, DnPort *port, guint32 index, gint64 when_ps)
{
    if (port->wake_set)
        return;
    port->wake_set = 1;
    dn_emit_self(partition, when_ps, dn_event_own(DN_EVENT_WAKE, index));
}

static inline void take_credit(DnPort *port, guint q, const DnPacket *packet)
{
    guint32 bytes = packet->wire_bytes & (port->ejection - 1u); /* no branch to guess */
    port->credit_bytes[q] -= (gint32)bytes;
    port->unacked_bytes += bytes;
}

/* @mode: as transmit() has it. */
static inline __attribute__((always_inline)) void take_packet(DnPacketEngine *e, DnPort *port,
                                                              guint q, guint32 id, DnPortMode mode)
{
    const DnPacket *packet = dn_packet(e, id);
    gboolean first = mode == DN_PORT_LEAN || dn_port_queues(e, port)[q].head == id;
    if (first && mode == DN_PORT_HOOKED && e->features.aggregate_lane > 0)
        dn_queue_drop_head(e, port, q);
    else if (first)
        dn_queue_drop_single(e, port, q);
    else
        dn_queue_take(e, port, q, id);
    take_credit(port, q, packet);
    dn_port_queued_take(e, port, packet->wire_bytes);
    port->queued--;
    port->own -= dn_port_own(port, packet);
}

/* Sends upstream the credit for the space in queue @q that the packet left at @tail_ps. */
static inline void return_credit(DnPartition *partition, const DnPacket *packet, guint q,
                                 gint64 tail_ps)
{
    const DnPacketEngine *e = partition->engine;
    const DnPort *back = dn_port(e, packet->in_port);
    dn_emit(partition, back->peer_domain,
            tail_ps + e->net.link_timings[back->timing].credit_latency_ps,
            dn_event(DN_EVENT_CREDIT, q, back->peer_slot, packet->wire_bytes, back->peer_port));
}

static void leave_source(DnPartition *partition, DnPacket *packet, gint64 start_ps,
                         gint64 aggregate_ps, gint64 tail_ps)
{
    if (packet->response)
        return;
    packet->birth_ps = start_ps + aggregate_ps;
    if (packet->in_queue == 0) /* without reading the message, a likely cache miss */
        return;
    const DnMessageState *msg = dn_message_state(partition->engine, packet->message);
    dn_emit_self(partition, tail_ps, dn_event_cookie(DN_EVENT_SENT, msg->m.cookie));
}

/* Updates the arbitration of a port where local messages wait, as @packet leaves (inject.c). */
static void count_input(DnPacketEngine *e, const DnVertexState *v, guint32 index,
                        const DnPacket *packet)
{
    guint32 *local_served = &e->net.cold[v->first_port + index].local_served;
    if (packet->in_port != DN_NONE)
        *local_served |= dn_input_bit(v, packet);
    else if (!packet->response)
        *local_served = 0;
}

/* Sends the packet over the wire now, and its credit upstream. @serial_ps: its time on the link.
 * Constants at each call: @queued, it was in a queue, so that messages may wait here for injection;
 * @mode, what the run asks of ports. */
static inline __attribute__((always_inline)) void transmit(DnPartition *partition, DnVertexState *v,
                                                           guint32 index, guint q, guint32 id,
                                                           gint64 start_ps, gint64 serial_ps,
                                                           gboolean queued, DnPortMode mode)
{
    DnPacketEngine *e = partition->engine;
    DnPort *port = dn_port(e, v->first_port + index);
    DnPacket *packet = dn_packet(e, id);
    const gboolean featured = mode >= DN_PORT_CONTROLLED, hooked = mode == DN_PORT_HOOKED;
    const DnLinkTiming *timing = &e->net.link_timings[port->timing];
    gint64 tail = port->free_ps = start_ps + serial_ps, aggregate_ps = 0;
    const gboolean larger = featured && dn_larger_shares(e, port, packet);
    DnLargerShare share;
    if (larger) {
        share = dn_larger_share(e, port, packet, tail);
        tail = dn_larger_share_tail_ps(&share);
        aggregate_ps = dn_larger_span_ps(e, port, packet);
    } else if (hooked && e->features.aggregates != NULL) {
        tail = e->features.aggregation->tail_ps(e, port, packet, tail);
        aggregate_ps = e->features.aggregation->span_ps(e, port, packet);
    }
    if (G_UNLIKELY((port->bytes += packet->wire_bytes) < packet->wire_bytes))
        e->net.cold[v->first_port + index].byte_wraps++;
    if (G_UNLIKELY(++port->packets == 0))
        e->net.cold[v->first_port + index].packet_wraps++;
    if (queued && port->inject_tail != 0 && !port->uplink)
        count_input(e, v, index, packet);
    if (packet->in_port == DN_NONE)
        leave_source(partition, packet, start_ps, aggregate_ps, tail);
    else
        return_credit(partition, packet,
                      hooked ? dn_queue_for(e, packet, packet->in_queue) : packet->in_queue,
                      tail - aggregate_ps / 2 +
                          (hooked && dn_is_hooked(e, DN_HOOKED_CREDIT)
                               ? dn_hooks_credit_delay_ps(partition, v, index, packet)
                               : 0) +
                          (larger ? dn_larger_credit_delay_ps(e, port, packet, &share) : 0));
    if (hooked && dn_is_hooked(e, DN_HOOKED_LEAVE))
        dn_hooks_leave(partition, v, index, q, id, start_ps);
    if (featured)
        port->alone = 0;
    if (larger)
        dn_larger_leave(e, port, packet, &share, start_ps);
    if (featured && !port->uplink && dn_control_counts(e, port, packet))
        e->features.control->leave(partition, v, v->first_port + index, packet);
    if (port->uplink)
        dn_nic_sends(partition, v, port, packet);
    packet->tail_ps = tail + timing->latency_ps;
    packet->in_port = port->peer_port;
    packet->in_queue = (hooked ? dn_queue_bit(e, q) : q) & 31;
    gboolean ends = dn_route_ends(&packet->route, port->peer);
    gint64 when = ends ? packet->tail_ps : start_ps + timing->latency_ps;
    if (ends) { /* memory takes it when whole; its buffer is free then, and the credit known now */
        gint64 credit_ps = packet->tail_ps + timing->credit_latency_ps;
        if (port->ejection)
            partition->totals.ejected_ps = MAX(partition->totals.ejected_ps, credit_ps);
        else
            dn_emit_self(
                partition, credit_ps,
                dn_event(DN_EVENT_CREDIT, q, 0, packet->wire_bytes, v->first_port + index));
    }
    dn_emit(partition, port->peer_domain, when,
            dn_event(DN_EVENT_ARRIVE, ends & 1, port->peer_slot, id, port->peer_port));
}

static void note_stall(DnPartition *partition, DnPort *port, guint32 index, gboolean stalled)
{
    DnPortCold *cold = &partition->engine->net.cold[index];
    port->stalled = stalled & 1;
    if (stalled)
        cold->stalled_since_ps = partition->now_ps;
    else
        cold->stalled_ps += partition->now_ps - cold->stalled_since_ps;
    if (!stalled && dn_is_hooked(partition->engine, DN_HOOKED_STALLED))
        dn_hooks_stalled(partition, index, cold->stalled_since_ps);
}

/* Queue @q sends: round robin goes on with the lane after its own. */
static inline void note_turn(const DnPacketEngine *e, DnPort *port, guint q)
{
    guint32 next_lane = dn_lane_of(e, q) + 1;
    port->next_lane = (next_lane == e->net.lanes ? 0 : next_lane) & 31;
}

/* Does what dn_arbitrate() does in the common case: one queue has packets, and nothing but credits
 * can hold it. */
static inline guint only_queue(const DnPacketEngine *e, DnPort *port, guint32 *id)
{
    guint q = (guint)__builtin_ctz(port->mask);
    const DnQueue *queue = &dn_port_queues(e, port)[q];
    *id = queue->head;
    if (port->credit_bytes[q] < queue->head_bytes)
        return G_MAXUINT;
    note_turn(e, port, q);
    return q;
}

/* Updates shared buffers, the counters of lanes and the busy times of a limited crossbar. */
static inline void port_account(DnPartition *partition, guint32 index, guint q,
                                const DnPacket *packet, DnPortMode mode)
{
    DnPacketEngine *e = partition->engine;
    guint32 lane = dn_lane_of(e, q);
    if (lane > 0) /* what lane 0 sends is the rest of the port's bytes */
        e->net.lane_bytes[(gsize)index * e->net.lanes + lane] += packet->wire_bytes;
    if (mode != DN_PORT_CONTROLLED && e->features.shared_buffers != NULL)
        dn_shared_buffer_take(e, index, q, (gint32)packet->wire_bytes);
    if (e->net.hardware->speedup != 0 && packet->in_port != DN_NONE)
        dn_crossbar_take(partition, packet);
}

static inline __attribute__((always_inline)) void port_send(DnPartition *partition,
                                                            DnVertexState *v, guint32 index,
                                                            guint q, guint32 id, DnPortMode mode)
{
    DnPacketEngine *e = partition->engine;
    DnPort *port = dn_port(e, v->first_port + index);
    take_packet(e, port, q, id, mode);
    if (mode >= DN_PORT_CONTROLLED && e->features.larger != NULL)
        dn_larger_queued(e, port, dn_packet(e, id), -1);
    if (mode != DN_PORT_LEAN && !e->net.plain)
        port_account(partition, v->first_port + index, q, dn_packet(e, id), mode);
    gint64 serial_ps = dn_port_serial_ps(e, port, dn_packet(e, id)->wire_bytes);
    transmit(partition, v, index, q, id, partition->now_ps, serial_ps, TRUE, mode);
}

DN_PORT_MODES(port_send,
              (DnPartition * partition, DnVertexState *v, guint32 index, guint q, guint32 id),
              partition, v, index, q, id)

void dn_port_send(DnPartition *partition, DnVertexState *v, guint32 index, guint q, guint32 id)
{
    port_send_by_mode(partition, v, index, q, id);
}

/* Packets may wait for @port, whose link is busy. */
static inline void note_waiting(DnPartition *partition, DnVertexState *v, guint32 index,
                                const DnPort *port, DnPortMode mode)
{
    if (port->alone && !port->interleave_set)
        dn_larger_wait(partition, v, index);
    if (mode == DN_PORT_HOOKED && dn_is_hooked(partition->engine, DN_HOOKED_WAIT))
        dn_hooks_wait(partition, v, index);
}

/* The link of @port is free, and packets wait. */
static inline __attribute__((always_inline)) void
send_next(DnPartition *partition, DnVertexState *v, guint32 index, DnPortMode mode)
{
    DnPacketEngine *e = partition->engine;
    DnPort *port = dn_port(e, v->first_port + index);
    const gboolean nic = mode != DN_PORT_LEAN && port->uplink;
    if (G_UNLIKELY(nic) && !dn_nic_may_send(partition, v))
        return; /* a response will try again */
    guint32 id = 0;
    gint64 retry_ps = G_MAXINT64;
    gboolean simple = (port->mask & (port->mask - 1)) == 0 &&
                      (mode == DN_PORT_LEAN || e->net.no_contest);
    guint q = simple ? only_queue(e, port, &id)
                     : dn_arbitrate(partition, port, v->first_port + index, &id, &retry_ps);
    if (q == G_MAXUINT && retry_ps != G_MAXINT64) {
        set_wake(partition, port, index, retry_ps);
        return;
    }
    gboolean stalled = q == G_MAXUINT;
    if (G_UNLIKELY(nic))
        dn_nic_note_stall(partition, v, port, stalled);
    if (stalled != port->stalled)
        note_stall(partition, port, v->first_port + index, stalled);
    if (stalled) {
        if (port->inject_tail != 0 && !port->uplink)
            dn_port_pull(partition, v, index); /* the winner of arbitration has no credits */
        return;
    }
    port_send(partition, v, index, q, id, mode);
    if (port->inject_tail != 0)
        dn_port_pull(partition, v, index);
    if (port->mask != 0)
        set_wake(partition, port, index, port->free_ps);
    if (mode >= DN_PORT_CONTROLLED)
        note_waiting(partition, v, index, port, mode);
}

DN_PORT_MODES(send_next, (DnPartition * partition, DnVertexState *v, guint32 index), partition, v,
              index)

void dn_port_try(DnPartition *partition, DnVertexState *v, guint32 index)
{
    DnPacketEngine *e = partition->engine;
    DnPort *port = dn_port(e, v->first_port + index);
    if (port->mask == 0)
        return;
    if (port->free_ps > partition->now_ps)
        set_wake(partition, port, index, port->free_ps);
    else
        send_next_by_mode(partition, v, index);
}

/* The fast path: no packet waits, the credits suffice, and the link is busy for at most one packet
 * time. The packet is then next, so its departure is known now, without a queue or a wake-up of the
 * port. (An older packet that arrives meanwhile leaves after this one.) */
static inline gboolean goes_next(const DnPartition *partition, const DnPort *port, guint q,
                                 guint32 bytes, gint64 serial_ps)
{
    return (port->mask | port->inject_tail) == 0 && !port->stalled &&
           port->credit_bytes[q] >= (gint32)bytes && port->free_ps - partition->now_ps <= serial_ps;
}

/* Returns TRUE, where departures are not known ahead, when @packet would leave its queue as soon as
 * it had joined. */
static inline gboolean goes_at_once(const DnPartition *partition, const DnVertexState *v,
                                    const DnPort *port, const DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    return !e->net.plain && e->net.no_contest && (port->mask | port->inject_tail) == 0 &&
           !port->stalled && port->free_ps <= partition->now_ps &&
           port->credit_bytes[packet->out_queue] >= dn_credit_to_leave(e, packet) &&
           (!port->uplink || dn_nic_may_send(partition, v));
}

/* Sends the packet with the effects, on features too, of joining and leaving its queue. */
static inline __attribute__((always_inline)) void
pass_queue(DnPartition *partition, DnVertexState *v, guint32 index, guint32 id, DnPortMode mode)
{
    DnPacketEngine *e = partition->engine;
    DnPort *port = dn_port(e, v->first_port + index);
    DnPacket *packet = dn_packet(e, id);
    port->queued_bytes += packet->wire_bytes;
    dn_hooks_joined(partition, v, index, packet, mode == DN_PORT_HOOKED);
    port->queued_bytes -= packet->wire_bytes;
    if (port->uplink)
        dn_nic_note_stall(partition, v, port, FALSE);
    note_turn(e, port, packet->out_queue);
    take_credit(port, packet->out_queue, packet);
    port_account(partition, v->first_port + index, packet->out_queue, packet, mode);
    transmit(partition, v, index, packet->out_queue, id, partition->now_ps,
             dn_port_serial_ps(e, port, packet->wire_bytes), FALSE, mode);
}

DN_PORT_MODES(pass_queue, (DnPartition * partition, DnVertexState *v, guint32 index, guint32 id),
              partition, v, index, id)

/* @packet waits in a queue, unless it may leave at once. */
static inline __attribute__((always_inline)) void
wait_in_queue(DnPartition *partition, DnVertexState *v, guint32 index, guint32 id, DnPortMode mode)
{
    DnPacketEngine *e = partition->engine;
    DnPort *port = dn_port(e, v->first_port + index);
    DnPacket *packet = dn_packet(e, id);
    const gboolean featured = mode >= DN_PORT_CONTROLLED;
    if (mode != DN_PORT_LEAN && goes_at_once(partition, v, port, packet)) {
        DN_PORT_CALL(pass_queue, mode, partition, v, index, id);
        return;
    }
    dn_port_queued_add(e, port, packet->wire_bytes);
    port->queued++;
    port->own += dn_port_own(port, packet);
    if (featured && e->features.larger != NULL)
        dn_larger_queued(e, port, packet, 1);
    if (mode == DN_PORT_HOOKED && e->features.aggregate_lane > 0)
        dn_queue_add(e, port, dn_queue_for(e, packet, packet->out_queue), id);
    else
        dn_queue_add_single(e, port, packet->out_queue, id);
    if (featured)
        dn_hooks_joined(partition, v, index, packet, mode == DN_PORT_HOOKED);
    if (port->free_ps <= partition->now_ps)
        DN_PORT_CALL(send_next, mode, partition, v, index);
    else
        set_wake(partition, port, index, port->free_ps);
    if (featured)
        note_waiting(partition, v, index, port, mode);
}

DN_PORT_MODES(wait_in_queue, (DnPartition * partition, DnVertexState *v, guint32 index, guint32 id),
              partition, v, index, id)

static inline void set_output(DnPacket *packet, guint32 port, guint q)
{
    packet->out_port = (guint16)port;
    packet->out_queue = q & 31;
}

/* @packet takes @serial_ps on the link of port @index of @v, over which it leaves by queue @q. */
static inline __attribute__((always_inline)) void port_enqueue(DnPartition *partition,
                                                               DnVertexState *v, guint32 index,
                                                               guint q, guint32 id,
                                                               gint64 serial_ps, DnPortMode mode)
{
    DnPacketEngine *e = partition->engine;
    DnPort *port = dn_port(e, v->first_port + index);
    DnPacket *packet = dn_packet(e, id);
    if ((mode != DN_PORT_LEAN && !e->net.plain) ||
        !goes_next(partition, port, q, packet->wire_bytes, serial_ps)) {
        set_output(packet, index, q);
        DN_PORT_CALL(wait_in_queue, mode, partition, v, index, id);
        return;
    }
    take_credit(port, q, packet);
    transmit(partition, v, index, q, id, MAX(port->free_ps, partition->now_ps), serial_ps, FALSE,
             mode);
}

static inline __attribute__((always_inline)) void
port_join(DnPartition *partition, DnVertexState *v, guint32 index, guint32 id, DnPortMode mode)
{
    const DnPacketEngine *e = partition->engine;
    const DnPacket *packet = dn_packet(e, id);
    gint64 serial_ps = dn_port_serial_ps(e, dn_port(e, v->first_port + index), packet->wire_bytes);
    port_enqueue(partition, v, index, packet->out_queue, id, serial_ps, mode);
}

DN_PORT_MODES(port_join, (DnPartition * partition, DnVertexState *v, guint32 index, guint32 id),
              partition, v, index, id)

void dn_port_enqueue(DnPartition *partition, DnVertexState *v, guint32 index, guint32 id)
{
    port_join_by_mode(partition, v, index, id);
}

void dn_port_pull(DnPartition *partition, DnVertexState *v, guint32 index)
{
    DnPacketEngine *e = partition->engine;
    DnPort *port = dn_port(e, v->first_port + index);
    while (port->inject_tail != 0 && __atomic_load_n(&e->end.out_of, __ATOMIC_RELAXED) == NULL) {
        if (v->degree == 1 ? dn_inject_is_ahead(e, port)
                           : dn_inject_is_refused(partition, v, index))
            return;
        guint32 id = dn_inject_pop(partition, v, port);
        if (G_UNLIKELY(id == 0))
            return;
        DnInjected injected = {0};
        switch (dn_inject_one(partition, v, id, &injected)) {
        case DN_INJECT_SENT:
            if (injected.packet != 0)
                dn_port_enqueue(partition, v, injected.port, injected.packet);
            if (!injected.last)
                dn_inject_push(partition, port, id, FALSE);
            break;
        case DN_INJECT_PORT_FULL:
            dn_inject_push(partition, dn_port(e, v->first_port + injected.port), id,
                           injected.port == index);
            if (injected.port == index)
                return;
            break;
        case DN_INJECT_PARKED:
            break;
        }
    }
}

static inline __attribute__((always_inline)) void
port_onward(DnPartition *partition, DnVertexState *v, guint32 id, DnPortMode mode)
{
    DnPacketEngine *e = partition->engine;
    DnPacket *packet = dn_packet(e, id);
    DnHop hop;
    if (dn_route_settled(e->router, v->vertex, &packet->route, &hop)) {
        v->draws++;
    } else {
        partition->lane = e->net.lane_of_queue[2 * DN_MAX_QUEUES + (packet->in_bits & 63)];
        hop = dn_route_next(e->router, v->vertex, &packet->route, &partition->load,
                            dn_vertex_draw(v));
        packet->detour |= dn_route_detours(&packet->route);
    }
    guint q = hop.channel;
    if (mode != DN_PORT_LEAN) { /* there one lane, and only a packet that waits needs its output */
        q += dn_lane_of(e, packet->in_queue) * e->net.channels;
        set_output(packet, hop.port, q);
    }
    const DnPort *port = dn_port(e, v->first_port + hop.port);
    gint64 serial_ps = dn_port_serial_ps(e, port, packet->wire_bytes);
    /* On a faster link the packet starts late enough that its bytes arrive in time. */
    gint64 ready = packet->tail_ps - serial_ps;
    if (mode == DN_PORT_CONTROLLED)
        ready = dn_larger_ready_ps(partition, packet, ready);
    if (mode == DN_PORT_HOOKED && e->features.aggregation != NULL)
        ready = e->features.aggregation->ready_ps(partition, packet, ready);
    if (G_UNLIKELY(port->uplink) && packet->first && e->net.nic.message_gap_ps > 0) {
        gint64 start = dn_nic_message_start(partition, v);
        ready = MAX(ready, start);
    }
    if (ready > partition->now_ps) {
        set_output(packet, hop.port, q);
        dn_emit_self(partition, ready, dn_event_own(DN_EVENT_READY, id));
    } else {
        port_enqueue(partition, v, hop.port, q, id, serial_ps, mode);
    }
}

static inline __attribute__((always_inline)) void
port_arrive(DnPartition *partition, DnVertexState *v, guint32 id, DnPortMode mode)
{
    const DnPacketEngine *e = partition->engine;
    const DnPacket *packet = dn_packet(e, id);
    partition->hops++;
    if (mode != DN_PORT_LEAN && G_UNLIKELY(packet->response) && v->nic != DN_NONE &&
        packet->in_port == v->first_port + e->net.uplink_of[v->nic])
        dn_response_passes(partition, v, packet);
    if (mode != DN_PORT_HOOKED || !dn_is_hooked(e, DN_HOOKED_ARRIVE) ||
        dn_hooks_arrive(partition, v, id))
        port_onward(partition, v, id, mode);
}

DN_PORT_MODES(port_arrive, (DnPartition * partition, DnVertexState *v, guint32 id), partition, v,
              id)

void dn_port_arrive(DnPartition *partition, DnVertexState *v, guint32 id)
{
    port_arrive_by_mode(partition, v, id);
}

void dn_port_onward(DnPartition *partition, DnVertexState *v, guint32 id)
{
    port_onward(partition, v, id, DN_PORT_HOOKED);
}
