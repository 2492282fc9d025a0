/* responses.c - Every request packet is answered by a small response packet on a lane of its own,
 * so that responses never wait behind requests: no deadlock between the two.
 *
 * LIMITATIONS: DN_RESPONSE_LIMITS (nic.h). */
#include "engine/packet/congestion_control.h"
#include "engine/packet/hooks.h"
#include "engine/packet/nic.h"
#include "engine/packet/packet_aggregation.h"

void dn_response_passes(DnPartition *partition, DnVertexState *v, const DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    DnNic *nic = &e->net.nics[v->nic];
    guint32 count = dn_packets_represented(e, packet);
    g_assert(nic->unanswered >= count);
    nic->unanswered -= count;
    nic->counters.responses += count;
    nic->counters.latency_ps_sum += count * (partition->now_ps - packet->birth_ps);
    guint32 uplink = e->net.uplink_of[v->nic];
    DnPort *port = dn_port(e, v->first_port + uplink);
    if (port->mask != 0 && !port->wake_set)
        dn_port_try(partition, v, uplink);
}

/* Returns the bytes that the response to @packet of a read brings: only the last has fewer than a
 * whole packet's. */
static guint32 read_payload(const DnPacketEngine *e, const DnPacket *packet)
{
    gint64 bytes = dn_message_state(e, packet->message)->m.bytes, most = e->net.sizes.own_bytes;
    return (guint32)(packet->last && (bytes == 0 || bytes % most != 0) ? bytes % most : most);
}

/* Sends the response to a request that has arrived at @v. */
void dn_respond(DnPartition *partition, DnVertexState *v, const DnPacket *request)
{
    DnPacketEngine *e = partition->engine;
    const DnMessageState *msg = dn_message_state(e, request->message);
    guint32 id = dn_pool_take(&e->net.packets, &partition->free_packets);
    if (G_UNLIKELY(id == 0)) {
        __atomic_store_n(&e->end.out_of, "responses", __ATOMIC_RELAXED);
        return;
    }
    DnRouteState route;
    guint8 mode = request->read ? msg->m.mode : e->router->mode;
    dn_route_init_rail(e->router, v->vertex, msg->source, mode,
                       dn_route_answer_rail(e->router, v->vertex, msg->rail), &route);
    guint lane = partition->lane = e->net.request_lanes + msg->m.lane;
    DnHop hop = dn_route_next(e->router, v->vertex, &route, &partition->load, dn_vertex_draw(v));
    *dn_packet(e, id) = (DnPacket){
        .wire_bytes = request->read ? read_payload(e, request) + e->net.header_bytes
                                    : (guint32)e->net.hardware->response_bytes *
                                          dn_packets_represented(e, request),
        .message = request->message,
        .birth_ps = request->birth_ps,
        .feedback = request->feedback,
        .route = route,
        .in_port = DN_NONE,
        .out_port = (guint16)hop.port,
        .last = request->last,
        .response = 1,
        .read = request->read,
        .aggregated = request->aggregated && e->features.aggregates != NULL,
        .out_queue = (guint8)(lane * e->net.channels + hop.channel),
    };
    partition->totals.responses_made++;
    dn_port_enqueue(partition, v, hop.port, id);
}

/* Counts @count responses of message @id, which continues if it waited for one, or is over with the
 * last; TRUE: it is a read, to be delivered. */
static gboolean count_response(DnPartition *partition, DnVertexState *v, guint32 id, guint32 count)
{
    DnMessageState *msg = dn_message_state(partition->engine, id);
    msg->unanswered -= count;
    if (msg->awaits_response) {
        msg->awaits_response = 0;
        dn_source_continue(partition, v, id);
    } else if (msg->left_bytes == 0 && msg->unanswered == 0) {
        if (msg->m.read)
            return TRUE;
        dn_pool_give(&partition->engine->net.message_states, &partition->free_message_states, id);
    }
    return FALSE;
}

gboolean dn_response_arrives(DnPartition *partition, DnVertexState *v, guint32 id)
{
    DnPacketEngine *e = partition->engine;
    DnPacket packet = *dn_packet(e, id);
    partition->totals.responses_delivered++;
    dn_pool_give(&e->net.packets, &partition->free_packets, id);
    if (v->nic != DN_NONE)
        dn_response_passes(partition, v, &packet);
    DnMessageState *msg = dn_message_state(e, packet.message);
    guint32 count = e->features.larger != NULL ? dn_packets_represented(e, &packet) : 1;
    if (e->features.control != NULL && e->features.control->answer != NULL)
        e->features.control->answer(partition, v, msg, packet.feedback,
                                    count * dn_aggregation_of(e, msg));
    return count_response(partition, v, packet.message, count);
}
