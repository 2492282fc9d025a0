/* watchdog.c - The watchdog's report lists the packets and messages that are stuck, and the
 * resource each lacks. */
#include "base/units.h"
#include "engine/packet/congestion_control.h"
#include "engine/packet/queue.h"

#define MAX_LINES 12

/* Reports the message of the first packet of a queue, and the credits it lacks. */
static void report_queue(const DnPacketEngine *e, DnPort *port, guint32 q, GString *text)
{
    const DnPacket *packet = dn_packet(e, dn_port_queues(e, port)[q].head);
    const DnMessageState *msg = dn_message_state(e, packet->message);
    const guint32 *endpoints = e->graph->endpoints;
    char bytes[DN_UNIT_BUF], from[64], to[64];
    g_string_append_printf(
        text, "; lane %u channel %u: needs %u B of credit, has %d (first: %s%s from %s to %s)",
        q / e->net.channels, q % e->net.channels, packet->wire_bytes, port->credit_bytes[q],
        packet->response ? "response to " : "", dn_format_bytes(msg->m.bytes, bytes),
        dn_vertex_name(e->graph, endpoints[msg->m.src], from),
        dn_vertex_name(e->graph, endpoints[msg->m.dst], to));
}

static guint report_ports(const DnPacketEngine *e, GString *text)
{
    guint lines = 0;
    for (guint32 i = 0; i < e->graph->size.links; i++) {
        DnPort *port = dn_port(e, i);
        if (port->mask == 0 && port->inject_tail == 0)
            continue;
        if (lines++ >= MAX_LINES)
            continue;
        char name[160];
        guint32 l = e->net.link_of[i];
        g_string_append_printf(text, "\n  %s: %u packets (%" G_GINT64_FORMAT " B) wait",
                               dn_link_name(e->graph, l, name), dn_queue_count(e, port),
                               dn_port_queued(e, port));
        for (guint32 q = 0; q < e->net.queues; q++)
            if (dn_queue_holds(e, port, q))
                report_queue(e, port, q, text);
    }
    if (lines > MAX_LINES)
        g_string_append_printf(text, "\n  ... and %u links more", lines - MAX_LINES);
    return lines;
}

/* Reports the flows that congestion control throttles. */
static void report_throttled(const DnPacketEngine *e, gint64 now_ps, GString *text)
{
    guint lines = 0;
    for (guint32 s = 0; s < e->graph->n_vertices; s++) {
        const struct DnThrottledFlows *list = e->net.states[s].throttled;
        for (guint i = 0; list != NULL && i < list->n; i++) {
            g_autoptr(GString) how = g_string_new(NULL);
            char from[64], to[64];
            if (!e->features.control->describe(e, &list->flows[i], now_ps, how) ||
                lines++ >= MAX_LINES)
                continue;
            g_string_append_printf(
                text, "\n  %s is held back from %s by congestion control: %s",
                dn_vertex_name(e->graph, e->net.states[s].vertex, from),
                dn_vertex_name(e->graph, e->graph->endpoints[list->flows[i].destination], to),
                how->str);
        }
    }
    if (lines > MAX_LINES)
        g_string_append_printf(text, "\n  ... and %u more are", lines - MAX_LINES);
}

void dn_watchdog_report(DnPacketEngine *e, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    DnTotals t = dn_totals(e);
    guint64 stuck = t.messages_made - t.messages_delivered;
    const DnProcesses *processes = e->run->processes;
    char now[DN_UNIT_BUF];
    g_string_append_printf(
        text,
        "%s at %s: ", e->end.time_stands_still ? "simulated time stands still" : "nothing moves",
        dn_format_time(t.last_ps, now));
    if (processes == NULL)
        g_string_append_printf(
            text, "%" G_GUINT64_FORMAT " messages and %" G_GUINT64_FORMAT " packets under way",
            stuck, t.packets_made - t.packets_delivered);
    else
        g_string_append_printf(text, "as seen by process %u of %u, which has a part of the machine",
                               processes->rank, processes->n);
    report_ports(e, text);
    report_throttled(e, t.last_ps, text);
    if (e->run->client->blocked != NULL) {
        g_autoptr(GString) ranks = g_string_new(NULL);
        guint n = e->run->client->blocked(e->run->client_data, ranks, MAX_LINES);
        if (n > 0)
            g_string_append_printf(text, "\n%u ranks are blocked:\n%s", n, ranks->str);
    }
    g_set_error_literal(error, DN_ERROR, DN_ERROR_STALLED, text->str);
}
