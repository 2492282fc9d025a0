/* packet_bench.h - A test bench of the packet engine: a machine from YAML, a list of messages, and
 * when each arrived. */
#pragma once
#include "engine/packet/core.h"

#include <string.h>

/* 80 Gb/s: 100 ps a byte. Wires 10, 20 and 70 ns, switches 100 ns. @hardware_: more of `hardware:`,
 * such as ", arbitration: strict". */
#define BENCH_DRAGONFLY(hardware_)                                                                 \
    "fabric:\n"                                                                                    \
    "  type: dragonfly\n  groups: 5\n  switches_per_group: 4\n  terminals_per_switch: 2\n"         \
    "  global_links_per_switch: 1\n"                                                               \
    "  links:\n"                                                                                   \
    "    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 8 KiB}\n"                          \
    "    local: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 8 KiB}\n"                             \
    "    global: {bandwidth: 80 Gb/s, latency: 70 ns, buffer: 8 KiB}\n"                            \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {lanes: 1, packet: 1 KiB, header: 24 B" hardware_ "}\n"

/* Every endpoint sends the messages listed for it at t = 0, or one after another (chained). */
typedef struct {
    const DnMessage *messages;
    guint n;
    gboolean chained;          /* message i + 1 is sent when i was delivered */
    GArray *delivered_ps;      /* gint64 per message, in list order */
    guint n_delivered, n_sent; /* atomic: several threads */
    gint64 sent_ps[64];
} Script;

static void script_send(Script *s, DnContext *context, guint i)
{
    DnMessage m = s->messages[i];
    m.tag = i;
    m.cookie = i;
    dn_context_send(context, &m);
}

static void script_start(void *client, DnContext *context, guint32 endpoint)
{
    Script *s = client;
    for (guint i = 0; i < (s->chained ? 1 : s->n); i++)
        if (s->messages[i].src == endpoint)
            script_send(s, context, i);
}

static void script_sent(void *client, DnContext *context, guint32 endpoint, guint64 cookie)
{
    Script *s = client;
    if (cookie < G_N_ELEMENTS(s->sent_ps))
        s->sent_ps[cookie] = dn_context_now(context);
    g_atomic_int_inc(&s->n_sent);
}

static void script_delivered(void *client, DnContext *context, guint32 endpoint,
                             const DnMessage *message)
{
    Script *s = client;
    g_array_index(s->delivered_ps, gint64, message->tag) = dn_context_now(context);
    g_atomic_int_inc(&s->n_delivered);
    if (s->chained && message->tag + 1 < s->n)
        script_send(s, context, (guint)message->tag + 1); /* the list alternates the two ends */
}

static void script_timer(void *client, DnContext *context, guint32 endpoint, guint64 cookie)
{
}

static const DnClient script_client = {.start = script_start,
                                       .sent = script_sent,
                                       .delivered = script_delivered,
                                       .timer = script_timer};

typedef struct {
    DnMachine *machine;
    DnRouter *router;
    DnEngineResult result;
    Script script;
    guint threads;
    guint32 pack_from; /* of DnEngineRun */
    guint64 max_memory_bytes;
    gint64 until_ps; /* of DnEngineRun; 0: to the end */
    DnObserver observer;
    const guint8 *aggregation; /* [8] of the jobs; or NULL */
    const DnClient *client;    /* NULL: script_client */
    const char *engine;        /* NULL: packet */
} Bench;

static inline void bench_open(Bench *b, const char *machine_yaml, const char *routing_yaml)
{
    GError *error = NULL;
    memset(b, 0, sizeof *b);
    g_autoptr(DnConfigNode) node = dn_config_parse(machine_yaml, "machine", &error);
    g_assert_no_error(error);
    b->machine = dn_machine_load(node, 0, &error);
    g_assert_no_error(error);
    g_autoptr(DnConfigNode)
        routing = routing_yaml != NULL ? dn_config_parse(routing_yaml, "routing", &error) : NULL;
    g_assert_no_error(error);
    b->router = dn_router_new(b->machine, routing, &error);
    g_assert_no_error(error);
    g_assert_true(dn_deadlock_check(b->router, &error));
    b->script.delivered_ps = g_array_new(FALSE, TRUE, sizeof(gint64));
}

static inline gboolean bench_try(Bench *b, const DnMessage *messages, guint n, gboolean chained,
                                 gint64 packet_bytes, GError **error)
{
    guint32 endpoints = b->machine->graph->size.endpoints;
    g_autofree guint32 *active = g_new(guint32, endpoints);
    for (guint32 i = 0; i < endpoints; i++)
        active[i] = i;
    b->script.messages = messages;
    b->script.n = n;
    b->script.chained = chained;
    b->script.n_delivered = b->script.n_sent = 0;
    g_array_set_size(b->script.delivered_ps, 0);
    g_array_set_size(b->script.delivered_ps, n);
    DnEngineRun run = {.router = b->router,
                       .packet_bytes = packet_bytes,
                       .seed = 7,
                       .threads = MAX(1, b->threads),
                       .pack_from = b->pack_from,
                       .max_memory_bytes = b->max_memory_bytes,
                       .until_ps = b->until_ps,
                       .active = active,
                       .n_active = endpoints,
                       .n_jobs = 8,
                       .aggregation = b->aggregation,
                       .client = b->client != NULL ? b->client : &script_client,
                       .client_data = &b->script,
                       .observer = b->observer};
    dn_engine_result_clear(&b->result);
    const char *engine = b->engine != NULL ? b->engine : "packet";
    return dn_engine_find(engine)->run(&run, &b->result, error);
}

static inline void bench_run(Bench *b, const DnMessage *messages, guint n, gboolean chained,
                             gint64 packet_bytes)
{
    GError *error = NULL;
    gboolean ok = bench_try(b, messages, n, chained, packet_bytes, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    g_assert_cmpuint(b->script.n_delivered, ==, n);
}

static inline gint64 packet_bench_at(const Bench *b, guint i)
{
    return g_array_index(b->script.delivered_ps, gint64, i);
}

/* The bytes on the wire, of all links together. */
static inline guint64 packet_bench_bytes_sent(const Bench *b)
{
    guint64 sum = 0;
    for (guint32 l = 0; l < b->machine->graph->size.links; l++)
        sum += b->result.links[l].bytes;
    return sum;
}

static inline void bench_close(Bench *b)
{
    dn_engine_result_clear(&b->result);
    g_array_unref(b->script.delivered_ps);
    dn_router_free(b->router);
    dn_machine_free(b->machine);
}
