/* congestion_control.c - what the kinds of congestion control share. */
#include "engine/packet/congestion_control.h"

#include "engine/packet/hooks.h"

void dn_control_notify(DnPartition *partition, const DnPacket *packet, gint64 from_ps, guint32 word)
{
    const DnPacketEngine *e = partition->engine;
    const DnMessageState *msg = dn_message_state(e, packet->message);
    guint32 state = e->net.state_of[msg->source];
    gint64 hops = packet->route.hops + 2;
    dn_emit(partition, dn_domain_of(e, state), from_ps + hops * e->net.slowest_hop_ps,
            dn_event(DN_EVENT_NOTIFICATION, 0, e->net.states[state].slot, msg->m.dst, word));
}

DnThrottledFlow *dn_throttled_flow_add(DnVertexState *v, guint32 destination)
{
    if (v->throttled == NULL)
        v->throttled = g_new0(struct DnThrottledFlows, 1);
    struct DnThrottledFlows *list = v->throttled;
    if (list->n == list->capacity) {
        list->capacity = MAX(4, 2 * list->capacity);
        list->flows = g_renew(DnThrottledFlow, list->flows, list->capacity);
    }
    list->flows[list->n] = (DnThrottledFlow){.destination = destination, .sent_ps = G_MININT64 / 2};
    return &list->flows[list->n++];
}

/* Of the fastest terminal link. */
static gint64 packet_ps(const DnPacketEngine *e)
{
    gint64 serial = G_MAXINT64;
    for (guint32 t = 0; t < e->graph->size.terminals; t++) {
        const DnVertexState *v = &e->net.states[e->net.state_of[e->graph->terminals[t]]];
        const DnPort *port = dn_port(e, v->first_port + e->net.uplink_of[t]);
        serial = MIN(serial, dn_port_serial_ps(e, port, e->net.packet_bytes + e->net.header_bytes));
    }
    return MAX(1, serial);
}

void dn_control_init(DnPacketEngine *e)
{
    static const struct DnControl *const controls[] = {
        [DN_CONGESTION_NONE] = NULL,
        [DN_CONGESTION_ENDPOINT_THROTTLE] = &dn_control_throttle,
        [DN_CONGESTION_INFINIBAND] = &dn_control_infiniband,
    };
    e->features.control = e->graph->size.terminals == 0 ? NULL
                                                        : controls[e->net.hardware->congestion];
    if (e->features.control == NULL)
        return;
    e->features.packet_ps = packet_ps(e);
    e->features.control->init(e);
}

void dn_control_clear(DnPacketEngine *e)
{
    if (e->features.control == NULL)
        return;
    e->features.control->clear(e);
    for (guint32 s = 0; s < e->graph->n_vertices; s++) {
        if (e->net.states[s].throttled != NULL)
            g_free(e->net.states[s].throttled->flows);
        g_free(e->net.states[s].throttled);
    }
}

static void control_join(DnPartition *partition, DnVertexState *v, guint32 index, DnPacket *packet)
{
    if (!packet->response)
        partition->engine->features.control->join(partition, v, v->first_port + index, packet);
}

/* Where the fabric begins the NIC counts; from there on the queue left behind tells of crowds. */
static void control_leave(DnPartition *partition, DnVertexState *v, guint32 index, guint q,
                          guint32 id, gint64 start_ps)
{
    const DnPacketEngine *e = partition->engine;
    DnPacket *packet = dn_packet(e, id);
    if (!packet->response && !dn_port(e, v->first_port + index)->uplink)
        e->features.control->leave(partition, v, v->first_port + index, packet);
}

const struct DnPortHooks dn_hooks_control = {.join = control_join, .leave = control_leave};
