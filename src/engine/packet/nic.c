/* nic.c - the limits and the counters of a NIC, and the responses to its requests.
 *
 * With `hardware.window` above 0 every request packet is answered by a small response packet on a
 * lane of its own (so that responses never wait behind requests: no deadlock between the two), and
 * a NIC has at most `window` requests without response, or as many bytes in packets that are larger
 * than the machine's: 1,024 on Aries (Alverson, Froese, Kaplan, Roweth, "Cray XC Series Network",
 * Cray 2012). A PUT of 64 B is one header flit and four data flits there, its response one flit.
 * LIMITATIONS: a response is made where the data ends, at the destination's memory, and ends at the
 * source's: with GPUs behind the NIC it crosses their links, too. Reads (GET) are sends of the
 * other side. */
#include "engine/packet/nic.h"

#include "engine/packet/packet_aggregation.h"
#include "engine/packet/congestion_control.h"

/* A message's first packet at the NIC: not sooner than the message rate allows. */
gint64 dn_nic_message_start(DnPart *part, DnVertexState *v)
{
    const DnPacketEngine *e = part->engine;
    DnNic *nic = &e->net.nics[v->nic];
    gint64 start = MAX(part->now_ps, nic->next_message_ps);
    nic->next_message_ps = start + e->net.message_gap_ps;
    return start;
}

gboolean dn_nic_may_send(const DnPart *part, const DnVertexState *v)
{
    const DnPacketEngine *e = part->engine;
    if (e->net.nic_window == 0 || e->net.nics[v->nic].unanswered < e->net.nic_window)
        return TRUE;
    /* responses of this NIC pass in any case */
    const DnPort *port = dn_port(e, v->first_port + e->net.uplink_of[v->nic]);
    guint32 mask = e->features.trains == NULL
                       ? port->mask
                       : port->mask & ((1u << e->features.train_lane * e->net.channels) - 1);
    return mask >> (e->net.request_lanes * e->net.channels) != 0;
}

void dn_nic_sends(DnPart *part, DnVertexState *v, DnPort *uplink, DnPacket *packet)
{
    const DnPacketEngine *e = part->engine;
    DnNic *nic = &e->net.nics[v->nic];
    if (packet->response)
        return;
    guint32 parts = dn_parts(e, packet), payload = dn_payload(e, packet);
    guint32 flits = payload == e->net.packet_bytes ? e->net.packet_flits
                                                   : dn_nic_data_flits(e, payload);
    packet->birth_ps = MAX(packet->birth_ps, part->now_ps + dn_train_ps(e, uplink, packet));
    nic->counters.request_packets += parts;
    nic->counters.request_flits += parts * e->net.hardware->header_flits + flits;
    if (e->net.nic_window > 0)
        nic->unanswered += parts;
}

void dn_nic_response_passes(DnPart *part, DnVertexState *v, const DnPacket *packet)
{
    const DnPacketEngine *e = part->engine;
    DnNic *nic = &e->net.nics[v->nic];
    guint32 parts = dn_parts(e, packet);
    g_assert(nic->unanswered >= parts);
    nic->unanswered -= parts;
    nic->counters.responses += parts;
    nic->counters.latency_ps_sum += parts * (part->now_ps - packet->birth_ps);
    guint32 uplink = e->net.uplink_of[v->nic];
    DnPort *port = dn_port(e, v->first_port + uplink);
    if (port->mask != 0 && !port->wake_set)
        dn_port_try(part, v, uplink);
}

/* The answer to a request that has arrived at @v. */
void dn_respond(DnPart *part, DnVertexState *v, const DnPacket *request)
{
    DnPacketEngine *e = part->engine;
    const DnFlight *flight = dn_flight(e, request->message);
    guint32 id = dn_pool_take(&e->net.packets, &part->free_packets);
    if (G_UNLIKELY(id == 0)) {
        e->end.out_of = "responses";
        return;
    }
    DnRouteState route;
    dn_route_init_rail(e->router, v->vertex, flight->source, e->router->mode, flight->rail, &route);
    guint lane = part->lane = e->net.request_lanes + flight->m.lane;
    DnHop hop = dn_route_next(e->router, v->vertex, &route, &part->load, dn_vertex_draw(v));
    *dn_packet(e, id) = (DnPacket){
        .wire_bytes = (guint32)e->net.hardware->response_bytes * dn_parts(e, request),
        .message = request->message,
        .birth_ps = request->birth_ps,
        .crowding = request->crowding,
        .route = route,
        .in_port = DN_NONE,
        .out_port = (guint16)hop.port,
        .response = 1,
        .coarse = request->coarse,
        .out_queue = (guint8)(lane * e->net.channels + hop.channel),
    };
    part->totals.responses_made++;
    dn_port_enqueue(part, v, hop.port, id);
}

/* The message goes on, or is over with its last response. */
static void count_response(DnPart *part, DnVertexState *v, guint32 id)
{
    DnFlight *flight = dn_flight(part->engine, id);
    flight->unanswered--;
    if (flight->waits) {
        flight->waits = 0;
        dn_inject_message(part, v, id);
    } else if (flight->left_bytes == 0 && flight->unanswered == 0) {
        dn_pool_give(&part->engine->net.flights, &part->free_flights, id);
    }
}

void dn_response_arrives(DnPart *part, DnVertexState *v, guint32 id)
{
    DnPacketEngine *e = part->engine;
    DnPacket packet = *dn_packet(e, id);
    part->totals.responses_delivered++;
    dn_pool_give(&e->net.packets, &part->free_packets, id);
    if (v->nic != DN_NONE)
        dn_nic_response_passes(part, v, &packet);
    if (e->features.control != NULL && e->features.control->answer != NULL)
        e->features.control->answer(part, v, dn_flight(e, packet.message), packet.crowding);
    count_response(part, v, packet.message);
}
