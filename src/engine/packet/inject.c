/* inject.c - messages become packets at their source, one at a time and only when a port has room.
 *
 * Messages that share a port take turns packet by packet. At most INJECT_AHEAD packets of the
 * vertex's own wait in a port, so memory follows the buffers of the network, not the load offered
 * to it, and a packet's way is chosen when it leaves, on the queues of that moment.
 *
 * Where packets of others pass, as through a GPU that forwards, its own ones are one input of a
 * crossbar beside the links': they go when each of those has had a turn. Age could not decide:
 * served by age, a source has what it has under way over the time that takes (Little's law), and
 * what begins here has nothing under way yet, so that it would wait until the others are done.
 * LIMITATION: whose turn it was is noted while own messages wait, by the oldest packets alone. */
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

void dn_inject_turn(DnPacketEngine *e, const DnVertexState *v, guint32 index,
                    const DnPacket *packet)
{
    guint32 *went = &e->net.cold[v->first_port + index].went;
    if (packet->in_port != DN_NONE)
        *went |= input_bit(v, packet);
    else if (!packet->response)
        *went = 0;
}

/* For one more packet of the vertex's own, of @lane and over @channel: when each input with a
 * packet that can go has had its turn, or none can go but this. */
static gboolean has_room(const DnPacketEngine *e, const DnVertexState *v, guint32 index, guint lane,
                         guint channel)
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
        if (!(e->net.cold[v->first_port + index].went & input_bit(v, dn_packet(e, queue->head))))
            return FALSE;
        other_can = TRUE;
    }
    return other_can || port->credit_bytes[lane * e->net.channels + channel] >= most;
}

static void ring_push(DnPacketEngine *e, DnPort *port, guint32 id, gboolean front)
{
    DnFlight *flight = dn_flight(e, id);
    if (port->inject_tail == 0) {
        flight->next = id;
        port->inject_tail = id;
        return;
    }
    DnFlight *tail = dn_flight(e, port->inject_tail);
    flight->next = tail->next;
    tail->next = id;
    if (!front)
        port->inject_tail = id;
}

static guint32 ring_pop(DnPacketEngine *e, DnPort *port)
{
    DnFlight *tail = dn_flight(e, port->inject_tail);
    guint32 id = tail->next;
    if (id == port->inject_tail)
        port->inject_tail = 0;
    else
        tail->next = dn_flight(e, id)->next;
    return id;
}

/* How long a message's rate cap takes to bring forth its next packet's bytes: a packet leaves when
 * it has its last, so that the size of packets does not show in a capped message's time. */
static gint64 capped_ps(const DnPacketEngine *e, const DnFlight *flight)
{
    gint64 payload = MIN(flight->left_bytes, dn_most_payload(e, flight));
    return dn_rate_time_ps((double)payload, (double)flight->m.rate_bps);
}

/* Its next packet ends it. */
static gboolean is_last(const DnPacketEngine *e, guint32 flight_id)
{
    const DnFlight *flight = dn_flight(e, flight_id);
    return flight->left_bytes <= dn_most_payload(e, flight);
}

static guint32 lane_of(const DnPacketEngine *e, const DnFlight *flight, gint64 payload)
{
    return flight->m.lane + (dn_parts_of(e, flight, payload) > 1 ? e->features.train_lane : 0);
}

/* @payload bytes of a message on part->lane; @left after them. */
static void make_packet(DnPart *part, DnVertexState *v, guint32 flight_id, const DnHop *hop,
                        const DnRouteState *route, gint64 payload, gint64 left)
{
    DnPacketEngine *e = part->engine;
    const DnFlight *flight = dn_flight(e, flight_id);
    guint32 id = dn_pool_take(&e->net.packets, &part->free_packets);
    if (G_UNLIKELY(id == 0)) {
        e->end.out_of = "packets";
        return;
    }
    guint32 parts = dn_parts_of(e, flight, payload);
    DnPacket *packet = dn_packet(e, id);
    *packet = (DnPacket){
        .birth_ps = part->now_ps - HEAD_START_PS, /* until it leaves */
        .wire_bytes = (guint32)payload + parts * e->net.header_bytes,
        .message = flight_id,
        .route = *route,
        .in_port = DN_NONE,
        .first = left + payload == flight->m.bytes,
        .last = left == 0,
        .coarse = parts > 1,
        .out_port = (guint16)hop->port,
        .out_queue = (part->lane * e->net.channels + hop->channel) & 31,
    };
    part->totals.packets_made++;
    gint64 start = part->now_ps;
    if (e->net.message_gap_ps > 0 && packet->first && dn_port(e, v->first_port + hop->port)->uplink)
        start = dn_nic_message_start(part, v);
    if (start > part->now_ps)
        dn_emit_self(part, start, dn_event_own(DN_EVENT_READY, id));
    else
        dn_port_enqueue(part, v, hop->port, id);
}

/* By congestion control: a timer or a response will bring it back. */
static gboolean held_back(DnPart *part, DnVertexState *v, guint32 id)
{
    DnFlight *flight = dn_flight(part->engine, id);
    gint64 release = part->engine->features.control->release(part, v, flight);
    if (release <= part->now_ps)
        return FALSE;
    if (release == G_MAXINT64)
        flight->waits = 1;
    else
        dn_emit_self(part, release, dn_event_own(DN_EVENT_INJECT, id));
    return TRUE;
}

typedef enum { SENT_ONE, PORT_FULL, PARKED } InjectOutcome;

/* One packet of a message, if the port it would take has room. */
static InjectOutcome inject_one(DnPart *part, DnVertexState *v, guint32 id, guint32 *port)
{
    DnPacketEngine *e = part->engine;
    DnFlight *flight = dn_flight(e, id);
    if (flight->next_ps > part->now_ps) {
        dn_emit_self(part, flight->next_ps, dn_event_own(DN_EVENT_INJECT, id));
        return PARKED;
    }
    if (G_UNLIKELY(e->features.control != NULL) && held_back(part, v, id))
        return PARKED;
    DnRouteState route;
    dn_route_init_rail(e->router, v->vertex, flight->target, flight->m.mode, flight->rail, &route);
    part->lane = lane_of(e, flight, MIN(flight->left_bytes, dn_most_payload(e, flight)));
    DnHop hop = dn_route_next(e->router, v->vertex, &route, &part->load, dn_vertex_draw(v));
    *port = hop.port;
    if (!has_room(e, v, hop.port, part->lane, hop.channel))
        return PORT_FULL;
    gint64 payload = MIN(flight->left_bytes, dn_most_payload(e, flight));
    flight->left_bytes -= payload;
    if (flight->m.rate_bps > 0)
        flight->next_ps = MAX(flight->next_ps, part->now_ps) + capped_ps(e, flight);
    flight->unanswered += dn_is_answered(e, &route);
    if (G_UNLIKELY(v->held != NULL))
        e->features.control->sent(part, v, flight, payload);
    make_packet(part, v, id, &hop, &route, payload, flight->left_bytes);
    return SENT_ONE;
}

void dn_inject_pull(DnPart *part, DnVertexState *v, guint32 index)
{
    DnPacketEngine *e = part->engine;
    DnPort *port = dn_port(e, v->first_port + index);
    while (port->inject_tail != 0 && e->end.out_of == NULL) {
        if (v->degree == 1 && port->queued >= INJECT_AHEAD)
            return;
        guint32 id = ring_pop(e, port), chosen = index;
        gboolean last = is_last(e, id);
        switch (inject_one(part, v, id, &chosen)) {
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

void dn_inject_message(DnPart *part, DnVertexState *v, guint32 id)
{
    DnPacketEngine *e = part->engine;
    gboolean last = is_last(e, id);
    guint32 port = 0;
    switch (inject_one(part, v, id, &port)) {
    case SENT_ONE:
        if (last)
            return;
        ring_push(e, dn_port(e, v->first_port + port), id, FALSE);
        dn_inject_pull(part, v, port);
        break;
    case PORT_FULL:
        ring_push(e, dn_port(e, v->first_port + port), id, FALSE);
        break;
    case PARKED:
        break;
    }
}

/* What a source keeps of a message. */
static void keep(DnPart *part, const DnVertexState *v, DnFlight *flight, guint32 target,
                 guint32 rail)
{
    flight->received_bytes = 0;
    flight->left_bytes = flight->m.bytes;
    flight->next_ps = flight->m.rate_bps > 0 ? part->now_ps + capped_ps(part->engine, flight) : 0;
    flight->target = target;
    flight->next = 0;
    flight->source = v->vertex;
    flight->unanswered = flight->waits = 0;
    flight->rail = rail;
    flight->window = part->engine->features.first_window;
}

void dn_inject_new(DnPart *part, DnVertexState *v, guint32 id, guint32 rail)
{
    DnPacketEngine *e = part->engine;
    DnFlight *flight = dn_flight(e, id);
    guint32 target = e->graph->endpoints[flight->m.dst];
    gboolean single = flight->m.bytes <= dn_most_payload(e, flight) && flight->m.rate_bps == 0;
    if (!single || e->net.answers || e->features.control != NULL) {
        keep(part, v, flight, target, rail);
        dn_inject_message(part, v, id);
        return;
    }
    DnRouteState route;
    dn_route_init_rail(e->router, v->vertex, target, flight->m.mode, rail, &route);
    part->lane = lane_of(e, flight, flight->m.bytes);
    DnHop hop = dn_route_next(e->router, v->vertex, &route, &part->load, dn_vertex_draw(v));
    DnPort *port = dn_port(e, v->first_port + hop.port);
    if (has_room(e, v, hop.port, part->lane, hop.channel)) {
        make_packet(part, v, id, &hop, &route, flight->m.bytes, 0);
        return;
    }
    keep(part, v, flight, target, rail);
    ring_push(e, port, id, FALSE);
}
