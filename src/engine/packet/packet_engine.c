/* packet_engine.c - the packet engine: windows in order, vertices in a window in any order.
 *
 * LIMITATIONS: without `speedup` the crossbar has no contention of its own (every input can feed
 * every output at once); packets of a message may overtake each other on different paths, and
 * the message is done when all have arrived; "sent" is when its last packet has left its source. */
#include "engine/packet/hooks.h"
#include "engine/packet/packet_aggregation.h"
#include "base/cpu_clock.h"
#include "engine/packet/delay_attribution.h"
#include "engine/packet/domains.h"
#include "engine/packet/nic.h"
#include "engine/packet/remote.h"
#include "engine/packet/shared_buffer.h"

static gint64 context_now(const DnContext *context)
{
    return context->partition->now_ps;
}

static void context_timer(DnContext *context, gint64 when, guint64 cookie)
{
    DnPartition *partition = context->partition;
    g_assert(when >= partition->now_ps);
    dn_emit_self(partition, when, dn_event_cookie(DN_EVENT_TIMER, cookie));
}

/* The endpoint is of the same domain as all of its node, and that is served in order of time. */
static void context_node_timer(DnContext *context, guint32 endpoint, gint64 when, guint64 cookie)
{
    DnPartition *partition = context->partition;
    const DnPacketEngine *e = partition->engine;
    DnVertexState *served = partition->state;
    g_assert(partition->sort.of_vertex == NULL);
    partition->state = &e->net.states[e->net.state_of[dn_endpoint_vertex(e->graph, endpoint)]];
    context_timer(context, when, cookie);
    partition->state = served;
}

/* Delivers a message to the sender itself at once, after the event being served: it crosses no
 * wire. */
static void send_local(DnPartition *partition, guint32 id, const DnMessage *message)
{
    if (partition->remote != NULL)
        dn_remote_begin(partition, dn_message_state(partition->engine, id));
    if (message->cookie != DN_NO_COOKIE)
        dn_emit_self(partition, partition->now_ps, dn_event_cookie(DN_EVENT_SENT, message->cookie));
    dn_emit_self(partition, partition->now_ps, dn_event_own(DN_EVENT_LOCAL, id));
}

static void context_send(DnContext *context, const DnMessage *message)
{
    DnPartition *partition = context->partition;
    DnPacketEngine *e = partition->engine;
    g_assert(message->bytes >= 0 && message->src == context->endpoint);
    dn_route_prefetch(e->router, dn_endpoint_vertex(e->graph, message->dst));
    guint32 id = dn_pool_take(&e->net.message_states, &partition->free_message_states);
    if (G_UNLIKELY(id == 0)) {
        __atomic_store_n(&e->end.out_of, "messages", __ATOMIC_RELAXED);
        return;
    }
    DnMessageState *msg = dn_message_state(e, id);
    msg->m = *message;
    msg->m.lane = MIN(message->lane, e->net.request_lanes - 1) & 127;
    msg->born_ps = partition->now_ps;
    guint32 rail = dn_engine_choose_rail(e->router, message, &partition->state->next_rail);
    partition->totals.messages_made++;
    if (G_UNLIKELY(dn_is_hooked(e, DN_HOOKED_MESSAGES)))
        dn_hooks_born(partition, message);
    if (message->src == message->dst)
        send_local(partition, id, message);
    else
        dn_source_start(partition, partition->state, id, rail);
}

static DnNicCounters counters_of(const DnPacketEngine *e, guint32 t)
{
    const DnVertexState *nic = &e->net.states[e->net.state_of[e->graph->terminals[t]]];
    DnNicCounters counters = e->net.nics[t].counters;
    counters.request_packets = nic->request_packets;
    counters.request_flits = nic->request_flits;
    return counters;
}

/* The NIC is of the endpoint's node, and so of its domain. */
static gboolean context_nic(const DnContext *context, DnNicCounters *counters)
{
    const DnPartition *partition = context->partition;
    const DnPacketEngine *e = partition->engine;
    const DnGraph *g = e->graph;
    guint32 t = g->endpoint_terminal[context->endpoint];
    if (t == DN_NONE || g->terminal_switch[t] == DN_NONE)
        return FALSE;
    const DnVertexState *nic = &e->net.states[e->net.state_of[g->terminals[t]]];
    guint32 uplink = nic->first_port + e->net.uplink_of[t];
    g_assert(partition->sort.of_vertex == NULL); /* both are at the same time */
    *counters = counters_of(e, t);
    counters->stalled_ps += e->net.cold[uplink].stalled_ps;
    if (dn_port(e, uplink)->stalled)
        counters->stalled_ps += partition->now_ps - e->net.cold[uplink].stalled_since_ps;
    counters->stalled_ps -= dn_nic_response_stalled_ps(&e->net.nics[t], partition->now_ps);
    return TRUE;
}

const DnContextOps dn_packet_context = {.now = context_now,
                                        .send = context_send,
                                        .timer = context_timer,
                                        .node_timer = context_node_timer,
                                        .nic = context_nic};

/* Records that are neither free nor spare. */
static guint32 packet_engine_taken(const DnPacketEngine *e, const DnPool *pool, gsize list)
{
    guint32 n = pool->used - 1 - pool->n_spare;
    for (guint i = 0; i < e->threads.n_partitions; i++)
        n -= G_STRUCT_MEMBER(DnFreeList, &e->threads.partitions[i], list).n;
    return n;
}

/* Injected = delivered, every credit is home and every record free: holds at the end of every
 * complete run. */
static gboolean packet_engine_conserved(const DnPacketEngine *e, const DnTotals *t)
{
    if (t->packets_made != t->packets_delivered || t->messages_made != t->messages_delivered ||
        t->responses_made != t->responses_delivered ||
        packet_engine_taken(e, &e->net.packets, G_STRUCT_OFFSET(DnPartition, free_packets)) != 0 ||
        packet_engine_taken(e, &e->net.message_states,
                            G_STRUCT_OFFSET(DnPartition, free_message_states)) != 0)
        return FALSE;
    for (guint32 i = 0; i < e->graph->size.links; i++)
        for (guint32 q = 0; dn_is_own_port(e, i) && q < e->net.queues; q++)
            if (dn_port(e, i)->credit_bytes[q] !=
                dn_aggregation_credit(e, q, e->net.cold[i].full_credit_bytes) +
                    dn_shared_buffer_bytes(e, i))
                return FALSE;
    return TRUE;
}

/* Returns how long the link of @port was sending until @end_ps: @bytes include packets that are
 * on the wire then, or sent ahead. */
static gint64 busy_ps(const DnPacketEngine *e, const DnPort *port, guint64 bytes, gint64 end_ps)
{
    __extension__ typedef unsigned __int128 Wide;
    Wide fp = (Wide)bytes * e->net.link_timings[port->timing].ps_per_byte_fp;
    gint64 ps = (gint64)(fp >> 20) - MAX(0, port->free_ps - end_ps);
    return CLAMP(ps, 0, end_ps); /* larger packets that share a link end later than it is free */
}

/* Returns the bytes that port @i has sent. */
static guint64 sent_bytes(const DnPacketEngine *e, guint32 i)
{
    return ((guint64)e->net.cold[i].byte_wraps << 32) + dn_port(e, i)->bytes;
}

static void fill_lanes(const DnPacketEngine *e, DnEngineResult *result)
{
    guint32 lanes = e->features.aggregates == NULL ? e->net.lanes : e->features.aggregate_lane;
    result->lanes = lanes;
    if (lanes == 1)
        return;
    result->lane_bytes = g_new0(guint64, (gsize)e->graph->size.links * lanes + 1);
    for (guint32 i = 0; i < e->graph->size.links; i++) {
        if (!dn_is_own_port(e, i))
            continue;
        guint64 *by_lane = &result->lane_bytes[(gsize)e->net.link_of[i] * lanes];
        by_lane[0] = sent_bytes(e, i);
        for (guint32 lane = 1; lane < e->net.lanes; lane++) {
            guint64 bytes = e->net.lane_bytes[(gsize)i * e->net.lanes + lane];
            by_lane[0] -= bytes;
            by_lane[lane % lanes] += bytes;
        }
    }
}

/* After fill_links: a NIC's stalled time is its uplink's, while no response waits. */
static void fill_nics(const DnPacketEngine *e, gint64 end_ps, DnEngineResult *result)
{
    const DnGraph *g = e->graph;
    result->nics = g_new0(DnNicCounters, g->size.terminals + 1);
    for (guint32 t = 0; t < g->size.terminals; t++) {
        result->nics[t] = counters_of(e, t);
        if (g->terminal_switch[t] == DN_NONE)
            continue;
        guint32 l = g->ports[g->port_first[g->terminals[t]] + e->net.uplink_of[t]];
        result->nics[t].stalled_ps += result->links[l].stalled_ps -
                                      dn_nic_response_stalled_ps(&e->net.nics[t], end_ps);
    }
}

static void fill_jobs(const DnPacketEngine *e, DnEngineResult *result)
{
    result->job_packets = g_new0(DnJobPackets, e->run->n_jobs + 1);
    for (guint i = 0; i < e->threads.n_partitions; i++)
        for (guint j = 0; j < e->run->n_jobs; j++) {
            result->job_packets[j].minimal += e->threads.partitions[i].job_packets[j].minimal;
            result->job_packets[j].non_minimal +=
                e->threads.partitions[i].job_packets[j].non_minimal;
        }
}

static void fill_result(const DnPacketEngine *e, const DnTotals *totals, gboolean to_the_end,
                        DnEngineResult *result)
{
    DnTotals t = *totals;
    if (to_the_end)
        t.last_ps = MAX(t.last_ps, t.ejected_ps);
    result->end_ps = t.last_ps;
    result->events = dn_count_events(e, &result->packet_hops);
    result->domains = e->net.n_domains;
    result->exchanges = e->threads.exchanges;
    for (guint i = 0; i < e->threads.n_partitions; i++)
        result->busiest_events = MAX(result->busiest_events, e->threads.partitions[i].events);
    result->packets = t.packets_delivered;
    result->messages = t.messages_delivered;
    result->payload_bytes = t.payload_bytes;
    result->peak_packets = e->net.packets.used - 1;
    result->packet_latency_ps_sum = t.packet_latency_ps_sum;
    result->links = g_new0(DnLinkCounters, e->graph->size.links + 1);
    for (guint32 i = 0; i < e->graph->size.links; i++) {
        if (!dn_is_own_port(e, i))
            continue;
        const DnPort *port = dn_port(e, i);
        const DnPortCold *cold = &e->net.cold[i];
        DnLinkCounters *out = &result->links[e->net.link_of[i]];
        out->bytes = sent_bytes(e, i);
        out->packets = ((guint64)cold->packet_wraps << 16) + port->packets;
        out->busy_ps = busy_ps(e, port, out->bytes, t.last_ps);
        out->stalled_ps = cold->stalled_ps;
        if (port->stalled)
            out->stalled_ps += MAX(0, t.last_ps - cold->stalled_since_ps);
    }
    fill_lanes(e, result);
    fill_nics(e, t.last_ps, result);
    fill_jobs(e, result);
}

/* TRUE when no rank waits, and after all of the simulation nothing is in flight. */
static gboolean packet_engine_complete(DnPacketEngine *e, const DnTotals *totals,
                                       gboolean to_the_end)
{
    gint64 blocked = 0;
    if (to_the_end && e->run->client->blocked != NULL) {
        g_autoptr(GString) account = g_string_new(NULL);
        blocked = e->run->client->blocked(e->run->client_data, account, 0);
    }
    return blocked == 0 && (!to_the_end || packet_engine_conserved(e, totals));
}

/* Called by all processes: an error of one becomes the error of all. */
static gboolean packet_engine_agree(const DnPacketEngine *e, GError **problem)
{
    const DnProcesses *processes = e->run->processes;
    return processes == NULL ? *problem == NULL : dn_processes_agree(processes, problem);
}

static gboolean packet_run(const DnEngineRun *run, DnEngineResult *result, GError **error)
{
    DnPacketEngine engine;
    GError *problem = NULL;
    *result = (DnEngineResult){0};
    double cpu = dn_cpu_clock_s();
    dn_packet_engine_init(&engine, run, &problem);
    gboolean ok = packet_engine_agree(&engine, &problem);
    if (ok) {
        dn_lookahead_windows_run(&engine, &problem);
        gboolean to_the_end = run->until_ps == 0 && !engine.end.finished;
        DnTotals totals = dn_totals(&engine);
        if (run->processes != NULL)
            dn_totals_combine(&engine, &totals);
        if (problem == NULL && !engine.end.stop &&
            !packet_engine_complete(&engine, &totals, to_the_end))
            dn_watchdog_report(&engine, &problem);
        ok = packet_engine_agree(&engine, &problem);
        if (ok)
            fill_result(&engine, &totals, to_the_end, result);
    }
    result->cpu_s = dn_cpu_clock_s() - cpu;
    dn_packet_engine_clear(&engine);
    if (ok && run->processes != NULL)
        dn_result_combine(run, result);
    if (problem != NULL)
        g_propagate_error(error, problem);
    return ok;
}

extern const DnEngineType dn_engine_packet;
const DnEngineType dn_engine_packet = {
    .name = "packet",
    .help = "by discrete events, packet by packet",
    .reads = TRUE,
    .queues = TRUE,
    .divides = TRUE,
    .least_latency_ps = 1000,
    .limits = "switch crossbars have no contention of their own; packets larger than the "
              "machine's blur queueing below their own length",
    .memory_bytes = dn_packet_engine_memory_bytes,
    .run = packet_run,
};
