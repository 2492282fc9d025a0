/* packet_engine.c - the packet engine: windows in order, vertices in a window in any order.
 *
 * LIMITATIONS: one crossbar without contention of its own (every input can feed every output at
 * once); packets of one message may overtake each other on different paths and the message is done
 * when all are there; "sent" is when the packet made last has left its source. */
#include "engine/packet/core.h"

#include <time.h>

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

gint64 dn_context_now(const DnContext *context)
{
    return context->part->now_ps;
}

void dn_context_timer(DnContext *context, gint64 when, guint64 cookie)
{
    DnPart *part = context->part;
    g_assert(when >= part->now_ps);
    dn_emit_self(part, when, (DnEvent){.kind = DN_EVENT_TIMER, .a = (guint32)cookie,
                                       .b = (guint32)(cookie >> 32)});
}

/* To oneself nothing crosses a wire: delivered at once, after what is being served. */
static void send_local(DnPart *part, guint32 id, const DnMessage *message)
{
    if (message->cookie != DN_NO_COOKIE)
        dn_emit_self(part, part->now_ps,
                     (DnEvent){.kind = DN_EVENT_SENT, .a = (guint32)message->cookie,
                               .b = (guint32)(message->cookie >> 32)});
    dn_emit_self(part, part->now_ps, (DnEvent){.kind = DN_EVENT_LOCAL, .a = id});
}

void dn_context_send(DnContext *context, const DnMessage *message)
{
    DnPart *part = context->part;
    DnPacketEngine *e = part->engine;
    g_assert(message->bytes >= 0 && message->src == context->endpoint);
    guint32 id = dn_pool_take(&e->flights, &part->free_flights);
    if (G_UNLIKELY(id == 0)) {
        e->out_of = "messages";
        return;
    }
    *dn_flight(e, id) = (DnFlight){
        .m = *message,
        .left_bytes = message->bytes,
        .born_ps = part->now_ps,
        .target = e->graph->endpoints[message->dst],
    };
    DnFlight *flight = dn_flight(e, id);
    flight->m.lane = (guint8)MIN(message->lane, e->lanes - 1);
    part->messages_made++;
    if (message->src == message->dst)
        send_local(part, id, message);
    else
        dn_inject_message(part, part->state, id);
}

static void start_endpoints(DnPacketEngine *e)
{
    DnPart *part = &e->part;
    for (guint32 i = 0; i < e->run->n_active; i++) {
        guint32 endpoint = e->run->active[i];
        guint32 state = e->state_of[e->graph->endpoints[endpoint]];
        part->state = &e->states[state];
        part->domain = dn_domain_of(e, state);
        DnContext context = {part, endpoint};
        e->run->client->start(e->run->client_data, &context, endpoint);
    }
}

/* FALSE: the observer wants to stop. */
static gboolean beat(DnPacketEngine *e)
{
    const DnObserver *observer = &e->run->observer;
    if (observer->beat == NULL)
        return TRUE;
    gint64 us = g_get_monotonic_time();
    if (us - e->last_beat_us < 200000)
        return TRUE;
    e->last_beat_us = us;
    return observer->beat(observer->data, e->part.now_ps, e->part.events, e->part.hops);
}

static gboolean run_windows(DnPacketEngine *e, GError **error)
{
    DnPart *part = &e->part;
    DnWheel *wheel = &part->wheel;
    gint64 until = e->run->until_ps > 0 ? e->run->until_ps : G_MAXINT64;
    guint64 limit = e->run->max_events > 0 ? e->run->max_events : G_MAXUINT64;
    for (guint turn = 0; dn_wheel_advance(wheel); turn++) {
        part->window_start_ps = wheel->window << wheel->shift;
        part->window_end_ps = part->window_start_ps + (G_GINT64_CONSTANT(1) << wheel->shift);
        if (part->window_start_ps >= until)
            break;
        dn_window_serve(part);
        if (e->out_of != NULL) {
            g_set_error(error, DN_ERROR, DN_ERROR_MEMORY,
                        "more %s in flight than memory holds: the load is above what the network "
                        "takes; lower it or bound the run",
                        e->out_of);
            return FALSE;
        }
        if (e->time_stands_still || part->events > limit) {
            dn_watchdog_report(e, error);
            return FALSE;
        }
        if (turn % 16 == 0 && !beat(e)) {
            g_set_error(error, DN_ERROR, DN_ERROR_INTERRUPTED, "interrupted");
            return FALSE;
        }
    }
    return TRUE;
}

/* Injected = delivered, and every credit is home: holds at the end of every complete run. */
static gboolean conserved(const DnPacketEngine *e)
{
    const DnPart *part = &e->part;
    if (part->packets_made != part->packets_delivered ||
        part->messages_made != part->messages_delivered)
        return FALSE;
    for (guint32 i = 0; i < e->graph->size.links; i++)
        for (guint32 q = 0; q < e->queues; q++)
            if (dn_port_queues(dn_port(e, i))[q].credit_bytes != e->cold[i].full_credit_bytes)
                return FALSE;
    return TRUE;
}

static gint64 port_busy_ps(const DnPacketEngine *e, const DnPort *port)
{
    __extension__ typedef unsigned __int128 Wide;
    Wide fp = (Wide)port->bytes * e->speeds[port->speed].ps_per_byte_fp;
    return (gint64)(fp >> 20);
}

static void fill_result(const DnPacketEngine *e, DnEngineResult *result)
{
    const DnPart *part = &e->part;
    result->end_ps = part->last_ps;
    result->events = part->events;
    result->packet_hops = part->hops;
    result->packets = part->packets_delivered;
    result->messages = part->messages_delivered;
    result->payload_bytes = part->payload_bytes;
    result->peak_packets = e->packets.used - 1;
    result->packet_latency_ps_sum = part->packet_latency_ps_sum;
    result->links = g_new0(DnLinkCounters, e->graph->size.links + 1);
    for (guint32 i = 0; i < e->graph->size.links; i++) {
        const DnPort *port = dn_port(e, i);
        const DnPortCold *cold = &e->cold[i];
        DnLinkCounters *out = &result->links[e->link_of[i]];
        out->bytes = port->bytes;
        out->packets = ((guint64)cold->order_wraps << 32) + port->order - port->queued;
        out->busy_ps = port_busy_ps(e, port);
        out->stalled_ps = cold->stalled_ps;
        if (port->stalled)
            out->stalled_ps += MAX(0, part->last_ps - cold->stalled_since_ps);
    }
}

static gboolean packet_run(const DnEngineRun *run, DnEngineResult *result, GError **error)
{
    DnPacketEngine engine;
    *result = (DnEngineResult){0};
    double cpu = cpu_seconds();
    gboolean ok = dn_packet_engine_init(&engine, run, error);
    if (ok) {
        start_endpoints(&engine);
        ok = run_windows(&engine, error);
    }
    gboolean whole = ok && run->until_ps == 0;
    if (whole && run->client->blocked != NULL) {
        g_autoptr(GString) account = g_string_new(NULL);
        whole = run->client->blocked(run->client_data, account, 0) == 0;
        ok = whole;
    }
    if (ok && run->until_ps == 0)
        ok = conserved(&engine);
    if (!ok && error != NULL && *error == NULL)
        dn_watchdog_report(&engine, error);
    if (ok) {
        fill_result(&engine, result);
        result->cpu_s = cpu_seconds() - cpu;
    }
    dn_packet_engine_clear(&engine);
    return ok;
}

extern const DnEngineType dn_engine_packet;
const DnEngineType dn_engine_packet = {
    .name = "packet",
    .limits = "switch crossbars without contention of their own; packets larger than the "
              "machine's blur queueing below their own length",
    .run = packet_run,
};
