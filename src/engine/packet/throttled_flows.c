/* throttled_flows.c - Throttled flows, shared by the kinds of congestion control: notifications
 * from a switch to the source of a packet, and the list of flows that a source throttles. */
#include "engine/packet/congestion_control.h"

void dn_control_notify(DnPartition *partition, const DnPacket *packet, gint64 from_ps, guint32 word)
{
    const DnPacketEngine *e = partition->engine;
    const DnMessageState *msg = dn_message_state(e, packet->message);
    guint32 state = e->net.state_of[msg->source];
    guint32 domain = dn_domain_of(e, state); /* of this process or another one */
    gint64 hops = packet->route.hops + 2;
    dn_emit(partition, domain, from_ps + hops * e->net.slowest_hop_ps,
            dn_event(DN_EVENT_NOTIFICATION, 0, (guint16)(state - e->net.domain_first[domain]),
                     msg->m.dst, word));
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

void dn_throttled_flow_wait(const DnPacketEngine *e, DnVertexState *v, guint32 id)
{
    DnMessageState *msg = dn_message_state(e, id);
    DnThrottledFlow *flow = dn_throttled_flow_find(v, msg->m.dst);
    g_assert(flow != NULL); /* only a throttled one tells its messages to wait */
    msg->next = 0;
    if (flow->first_waiting == 0)
        flow->first_waiting = id;
    else
        dn_message_state(e, flow->last_waiting)->next = id;
    flow->last_waiting = id;
}
