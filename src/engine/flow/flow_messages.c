/* flow_messages.c - a message of the flow engine from where it is sent to where its last byte has
 * left: the window of its source, the message rate of its NIC, its paths, its transfer. */
#include <math.h>

#include "engine/flow/flow.h"

guint32 dn_flow_message_take(DnFlow *flow)
{
    guint32 id = flow->free_message;
    if (id != 0) {
        flow->free_message = flow->messages[id].next;
        return id;
    }
    if (flow->n_messages == flow->messages_capacity) {
        guint32 n = flow->messages_capacity;
        flow->messages_capacity = 2 * n + 64;
        flow->messages = g_renew(DnFlowMessage, flow->messages, flow->messages_capacity);
        memset(flow->messages + n, 0, (flow->messages_capacity - n) * sizeof *flow->messages);
    }
    return flow->n_messages++;
}

void dn_flow_message_give(DnFlow *flow, guint32 id)
{
    flow->messages[id].next = flow->free_message;
    flow->free_message = id;
}

static double wire_bytes(const DnFlow *flow, const DnFlowMessage *message)
{
    gint64 header = flow->run->router->machine->hardware.header_bytes;
    return (double)message->m.bytes + (double)message->packets * (double)header;
}

/* Returns when its bytes may go on the wires: not before the NIC's message rate allows, and, with a
 * resolution, together with others. */
static gint64 start_time(DnFlow *flow, const DnFlowMessage *message)
{
    gint64 start = flow->now_ps;
    guint32 uplink = DN_NONE;
    if (flow->message_gap_ps > 0)
        uplink = flow->alone ? dn_flow_alone_uplink(flow, message) : dn_flow_uplink(flow, message);
    if (uplink != DN_NONE) {
        start = MAX(start, flow->first[uplink].next_start_ps);
        flow->first[uplink].next_start_ps = MIN(start + flow->message_gap_ps, 2 * DN_RUN_MOST_PS);
    }
    if (flow->grain.resolution_ps > 0 && start != flow->grain.ended_ps)
        start = (start + flow->grain.resolution_ps - 1) / flow->grain.resolution_ps *
                flow->grain.resolution_ps;
    return start;
}

/* Notifies the sender, at @when_ps, that it may go on. */
static void sender_notify(DnFlow *flow, const DnMessage *m, gint64 when_ps)
{
    if (m->cookie != DN_NO_COOKIE)
        dn_flow_events_add(&flow->events, when_ps, DN_FLOW_SENT, m->src, m->cookie);
}

static void message_post(DnFlow *flow, guint32 id, double bytes)
{
    const DnFlowMessage *message = &flow->messages[id];
    double cap = (double)message->m.rate_bps * bytes / (8e6 * (double)MAX(1, message->m.bytes));
    double window = dn_flow_window_cap(flow, message);
    const guint32 *links = message->links;
    guint32 n = message->n_links, last_weight = 1;
    if (window > 0.0) {
        cap = cap > 0.0 ? MIN(cap, window) : window;
        links = (const guint32 *)(const void *)flow->nic_window.posted->data;
        n = flow->nic_window.posted->len;
        last_weight = flow->nic_window.weight;
    }
    dn_flow_transfer_post(flow, id, bytes * DN_FLOW_PARTS / flow->paths,
                          cap * DN_FLOW_PARTS / flow->paths, links, n, last_weight);
}

/* Adds a message to the transfers under way of its source. */
static void transfers_add(DnFlow *flow, guint32 id)
{
    DnFlowMessage *message = &flow->messages[id];
    guint32 *first = &flow->sources[message->m.src].first;
    message->next = *first;
    message->before = 0;
    if (*first != 0)
        flow->messages[*first].before = id;
    *first = id;
}

static void transfers_remove(DnFlow *flow, const DnFlowMessage *message)
{
    if (message->before != 0)
        flow->messages[message->before].next = message->next;
    else
        flow->sources[message->m.src].first = message->next;
    if (message->next != 0)
        flow->messages[message->next].before = message->before;
}

void dn_flow_message_start(DnFlow *flow, guint32 id)
{
    DnFlowMessage *message = &flow->messages[id];
    if (!flow->alone)
        dn_flow_choose_paths(flow, message);
    gint64 start = message->admitted ? flow->now_ps : start_time(flow, message);
    message->admitted = TRUE;
    if (start > flow->now_ps) { /* by the shares of that moment */
        dn_flow_leave_paths(flow, message);
        dn_flow_events_add(&flow->events, start, DN_FLOW_START, 0, id);
        return;
    }
    double bytes = wire_bytes(flow, message);
    if (flow->alone) {
        gint64 left_ps = flow->now_ps + dn_flow_alone_left_ps(flow, message, bytes);
        dn_flow_events_add(&flow->events, left_ps, DN_FLOW_LEFT, 0, id);
        return;
    }
    transfers_add(flow, id);
    if (bytes <= 0.0) {
        dn_flow_events_add(&flow->events, flow->now_ps, DN_FLOW_LEFT, 0, id);
        return;
    }
    message->begun_ps = flow->now_ps;
    gint64 sent_ps = dn_flow_first_take(flow, message, bytes);
    if (message->passed)
        sender_notify(flow, &message->m, sent_ps);
    flow->result->peak_packets =
        MAX(flow->result->peak_packets, (guint64)dn_flow_transfers_in_flight(flow) + 1);
    message_post(flow, id, bytes);
}

void dn_flow_message_open(DnFlow *flow, guint32 id)
{
    DnFlowSource *source = &flow->sources[flow->messages[id].m.src];
    if (flow->window == 0 || source->open < flow->window) {
        source->open++;
        dn_flow_message_start(flow, id);
        return;
    }
    flow->result->waited++;
    flow->messages[id].next = 0;
    if (source->head == 0)
        source->head = id;
    else
        flow->messages[source->tail].next = id;
    source->tail = id;
}

static void count_links(DnFlow *flow, const DnFlowMessage *message)
{
    if (message->n_links == 0)
        return;
    double bytes = wire_bytes(flow, message) / flow->paths;
    for (guint32 i = 0; i < message->n_links; i++) {
        guint32 l = message->links[i];
        DnLinkCounters *out = &flow->result->links[l];
        out->bytes += (guint64)llround(bytes);
        out->packets += (message->packets + flow->paths - 1) / flow->paths;
        out->busy_ps += llround(bytes / flow->capacity[l] * 1e6);
    }
    flow->result->packet_hops += (guint64)message->packets * message->n_links / flow->paths;
}

/* The transfer ended: sent() now, if not before, delivered() a path latency later; the source goes
 * on. */
void dn_flow_message_left(DnFlow *flow, guint32 id)
{
    DnFlowMessage *message = &flow->messages[id];
    DnFlowSource *source = &flow->sources[message->m.src];
    dn_flow_leave_paths(flow, message);
    count_links(flow, message);
    if (!message->passed)
        sender_notify(flow, &message->m, flow->now_ps);
    dn_flow_events_add(&flow->events, flow->now_ps + message->latency_ps, DN_FLOW_DELIVERED,
                       message->m.dst, id);
    source->open--;
    if (message->n_links > 0)
        dn_flow_first_give(flow, message, wire_bytes(flow, message));
    if (!flow->alone)
        transfers_remove(flow, message);
    guint32 next = source->head;
    if (next == 0)
        return;
    source->head = flow->messages[next].next;
    source->open++;
    dn_flow_message_start(flow, next);
}

/* Delivers a message to the sender itself at once, after the event being served: it crosses no
 * wire. */
void dn_flow_message_send_local(DnFlow *flow, guint32 id, const DnMessage *m)
{
    sender_notify(flow, m, flow->now_ps);
    dn_flow_events_add(&flow->events, flow->now_ps, DN_FLOW_DELIVERED, m->dst, id);
}
