/* inject.c - Messages become packets at their source, one at a time and only when a port accepts
 * them.
 *
 * Messages that share a port are served packet by packet, round robin. At most INJECT_AHEAD packets
 * of the vertex's own wait in a port, so memory follows the buffers of the network, not the load
 * offered to it, and a packet's path is chosen when it leaves, from the queues of that moment.
 *
 * At a vertex that forwards packets of others, such as a GPU, local packets are one more input of a
 * crossbar, besides those of the links: a local packet leaves when each of these inputs was served
 * once. Arbitration by age does not work here: it serves a source in proportion to its packets in
 * flight (Little's law), and a local source has none in flight yet, so it would wait until the
 * others are done.
 * LIMITATION: the inputs served are recorded only while local messages wait, and only the oldest
 * packet of each queue is considered. */
#include "base/rate.h"
#include "engine/packet/packet_aggregation.h"
#include "engine/packet/congestion_control.h"
#include "engine/packet/nic.h"

#define INJECT_AHEAD 2
#define HEAD_START_PS (G_GINT64_CONSTANT(1000000000000)) /* 1 s: before all that pass */

static guint32 input_bit(const DnVertexState *v, const DnPacket *packet)
{
    return 1u << (packet->in_port - v->first_port) % 32;
}

void dn_inject_arbitrate(DnPacketEngine *e, const DnVertexState *v, guint32 index,
                         const DnPacket *packet)
{
    guint32 *local_served = &e->net.cold[v->first_port + index].local_served;
    if (packet->in_port != DN_NONE)
        *local_served |= input_bit(v, packet);
    else if (!packet->response)
        *local_served = 0;
}

/* TRUE when the port accepts one more local packet of @lane over @channel: each input with a packet
 * that can leave was served, or no other packet can leave. */
static gboolean has_queue_space(const DnPacketEngine *e, const DnVertexState *v, guint32 index,
                                guint lane, guint channel)
{
    DnPort *port = dn_port(e, v->first_port + index);
    gint32 most = (gint32)dn_most_of_lane(e, lane);
    gboolean other_can = FALSE;
    if (port->uplink || port->queued == port->own)
        return port->queued < INJECT_AHEAD;
    if (port->own > 0)
        return FALSE;
    for (guint q = lane * e->net.channels; q < (lane + 1) * e->net.channels; q++) {
        const DnQueue *queue = &dn_port_queues(e, port)[q];
        if (!(port->mask >> q & 1) || port->credit_bytes[q] < queue->head_bytes)
            continue;
        if (!(e->net.cold[v->first_port + index].local_served &
              input_bit(v, dn_packet(e, queue->head))))
            return FALSE;
        other_can = TRUE;
    }
    return other_can || port->credit_bytes[lane * e->net.channels + channel] >= most;
}

static void ring_push(DnPacketEngine *e, DnPort *port, guint32 id, gboolean front)
{
    DnMessageState *msg = dn_message_state(e, id);
    if (port->inject_tail == 0) {
        msg->next = id;
        port->inject_tail = id;
        return;
    }
    DnMessageState *tail = dn_message_state(e, port->inject_tail);
    msg->next = tail->next;
    tail->next = id;
    if (!front)
        port->inject_tail = id;
}

static guint32 ring_pop(DnPacketEngine *e, DnPort *port)
{
    DnMessageState *tail = dn_message_state(e, port->inject_tail);
    guint32 id = tail->next;
    if (id == port->inject_tail)
        port->inject_tail = 0;
    else
        tail->next = dn_message_state(e, id)->next;
    return id;
}

/* Returns the time that a message's rate cap takes for its next packet's bytes: a packet leaves
 * with its last byte, so that the packet size does not affect a capped message's time. */
static gint64 capped_ps(const DnPacketEngine *e, const DnMessageState *msg)
{
    gint64 payload = MIN(msg->left_bytes, dn_most_payload(e, msg));
    return dn_rate_time_ps((double)payload, (double)msg->m.rate_bps);
}

/* Its next packet ends it. */
static gboolean is_last(const DnPacketEngine *e, guint32 message_id)
{
    const DnMessageState *msg = dn_message_state(e, message_id);
    return msg->left_bytes <= dn_most_payload(e, msg);
}

static guint32 lane_of(const DnPacketEngine *e, const DnMessageState *msg, gint64 payload)
{
    return msg->m.lane +
           (dn_packets_in_payload(e, msg, payload) > 1 ? e->features.aggregate_lane : 0);
}

/* @payload bytes of a message on part->lane; @left after them. */
static void make_packet(DnPartition *partition, DnVertexState *v, guint32 message_id,
                        const DnHop *hop, const DnRouteState *route, gint64 payload, gint64 left)
{
    DnPacketEngine *e = partition->engine;
    const DnMessageState *msg = dn_message_state(e, message_id);
    guint32 id = dn_pool_take(&e->net.packets, &partition->free_packets);
    if (G_UNLIKELY(id == 0)) {
        e->end.out_of = "packets";
        return;
    }
    guint32 count = dn_packets_in_payload(e, msg, payload);
    DnPacket *packet = dn_packet(e, id);
    *packet = (DnPacket){
        .birth_ps = partition->now_ps - HEAD_START_PS, /* until it leaves */
        .wire_bytes = (guint32)payload + count * e->net.header_bytes,
        .message = message_id,
        .route = *route,
        .in_port = DN_NONE,
        .first = left + payload == msg->m.bytes,
        .last = left == 0,
        .aggregated = count > 1,
        .out_port = (guint16)hop->port,
        .out_queue = (partition->lane * e->net.channels + hop->channel) & 31,
    };
    partition->totals.packets_made++;
    gint64 start = partition->now_ps;
    if (e->net.message_gap_ps > 0 && packet->first && dn_port(e, v->first_port + hop->port)->uplink)
        start = dn_nic_message_start(partition, v);
    if (start > partition->now_ps)
        dn_emit_self(partition, start, dn_event_own(DN_EVENT_READY, id));
    else
        dn_port_enqueue(partition, v, hop->port, id);
}

/* By congestion control: a timer or a response will bring it back. */
static gboolean held_back(DnPartition *partition, DnVertexState *v, guint32 id)
{
    DnMessageState *msg = dn_message_state(partition->engine, id);
    gint64 release = partition->engine->features.control->release(partition, v, msg);
    if (release <= partition->now_ps)
        return FALSE;
    if (release == G_MAXINT64)
        msg->awaits_response = 1;
    else
        dn_emit_self(partition, release, dn_event_own(DN_EVENT_INJECT, id));
    return TRUE;
}

typedef enum { SENT_ONE, PORT_FULL, PARKED } InjectOutcome;

/* Injects one packet of a message, if the port it would take accepts it. */
static InjectOutcome inject_one(DnPartition *partition, DnVertexState *v, guint32 id, guint32 *port)
{
    DnPacketEngine *e = partition->engine;
    DnMessageState *msg = dn_message_state(e, id);
    if (msg->next_ps > partition->now_ps) {
        dn_emit_self(partition, msg->next_ps, dn_event_own(DN_EVENT_INJECT, id));
        return PARKED;
    }
    if (G_UNLIKELY(e->features.control != NULL) && held_back(partition, v, id))
        return PARKED;
    DnRouteState route;
    dn_route_init_rail(e->router, v->vertex, msg->target, msg->m.mode, msg->rail, &route);
    partition->lane = lane_of(e, msg, MIN(msg->left_bytes, dn_most_payload(e, msg)));
    DnHop hop = dn_route_next(e->router, v->vertex, &route, &partition->load, dn_vertex_draw(v));
    *port = hop.port;
    if (!has_queue_space(e, v, hop.port, partition->lane, hop.channel))
        return PORT_FULL;
    gint64 payload = MIN(msg->left_bytes, dn_most_payload(e, msg));
    msg->left_bytes -= payload;
    if (msg->m.rate_bps > 0)
        msg->next_ps = MAX(msg->next_ps, partition->now_ps) + capped_ps(e, msg);
    msg->unanswered += dn_is_answered(e, &route);
    if (G_UNLIKELY(v->throttled != NULL))
        e->features.control->sent(partition, v, msg, payload);
    make_packet(partition, v, id, &hop, &route, payload, msg->left_bytes);
    return SENT_ONE;
}

void dn_inject_pull(DnPartition *partition, DnVertexState *v, guint32 index)
{
    DnPacketEngine *e = partition->engine;
    DnPort *port = dn_port(e, v->first_port + index);
    while (port->inject_tail != 0 && e->end.out_of == NULL) {
        if (v->degree == 1 && port->queued >= INJECT_AHEAD)
            return;
        guint32 id = ring_pop(e, port), chosen = index;
        gboolean last = is_last(e, id);
        switch (inject_one(partition, v, id, &chosen)) {
        case SENT_ONE:
            if (!last)
                ring_push(e, port, id, FALSE);
            break;
        case PORT_FULL:
            ring_push(e, dn_port(e, v->first_port + chosen), id, chosen == index);
            if (chosen == index)
                return;
            break;
        case PARKED:
            break;
        }
    }
}

void dn_inject_message(DnPartition *partition, DnVertexState *v, guint32 id)
{
    DnPacketEngine *e = partition->engine;
    gboolean last = is_last(e, id);
    guint32 port = 0;
    switch (inject_one(partition, v, id, &port)) {
    case SENT_ONE:
        if (last)
            return;
        ring_push(e, dn_port(e, v->first_port + port), id, FALSE);
        dn_inject_pull(partition, v, port);
        break;
    case PORT_FULL:
        ring_push(e, dn_port(e, v->first_port + port), id, FALSE);
        break;
    case PARKED:
        break;
    }
}

/* Fills in the source's state of a message. */
static void inject_keep(DnPartition *partition, const DnVertexState *v, DnMessageState *msg,
                        guint32 target, guint32 rail)
{
    msg->received_bytes = 0;
    msg->left_bytes = msg->m.bytes;
    msg->next_ps = msg->m.rate_bps > 0 ? partition->now_ps + capped_ps(partition->engine, msg) : 0;
    msg->target = target;
    msg->next = 0;
    msg->source = v->vertex;
    msg->unanswered = msg->awaits_response = 0;
    msg->rail = rail;
    msg->window = partition->engine->features.first_window;
}

void dn_inject_new(DnPartition *partition, DnVertexState *v, guint32 id, guint32 rail)
{
    DnPacketEngine *e = partition->engine;
    DnMessageState *msg = dn_message_state(e, id);
    guint32 target = e->graph->endpoints[msg->m.dst];
    gboolean single = msg->m.bytes <= dn_most_payload(e, msg) && msg->m.rate_bps == 0;
    if (!single || e->net.answers || e->features.control != NULL) {
        inject_keep(partition, v, msg, target, rail);
        dn_inject_message(partition, v, id);
        return;
    }
    DnRouteState route;
    dn_route_init_rail(e->router, v->vertex, target, msg->m.mode, rail, &route);
    partition->lane = lane_of(e, msg, msg->m.bytes);
    DnHop hop = dn_route_next(e->router, v->vertex, &route, &partition->load, dn_vertex_draw(v));
    DnPort *port = dn_port(e, v->first_port + hop.port);
    if (has_queue_space(e, v, hop.port, partition->lane, hop.channel)) {
        make_packet(partition, v, id, &hop, &route, msg->m.bytes, 0);
        return;
    }
    inject_keep(partition, v, msg, target, rail);
    ring_push(e, port, id, FALSE);
}
