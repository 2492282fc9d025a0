/* flow_test.h - Fabrics and runs of the flow engine's tests. */
#pragma once
#include "engine/flow/solver.h"
#include "engine/packet/packet_bench.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* On BENCH_DRAGONFLY. */
#define SAME_SWITCH_PS (2 * 10000 + 100000)
#define SAME_GROUP_PS (2 * 10000 + 20000 + 2 * 100000)
#define UNIT (1024 * 1024)                             /* bytes: 1,024 packets */
#define UNIT_PS (G_GINT64_CONSTANT(1024) * 1048 * 100) /* on the wire, alone */

static const DnClient *client = &script_client;

static const char *engine = "flow";

/* @options: of `flow:`, or NULL. */
static inline gboolean flow_try(Bench *b, const DnMessage *messages, guint n, gboolean chained,
                                const char *options, DnObserver observer, GError **error)
{
    guint32 endpoints = b->machine->graph->size.endpoints;
    const DnEngineType *type = dn_engine_find(engine);
    g_autofree guint32 *active = g_new(guint32, endpoints);
    g_autoptr(DnConfigNode) node = dn_config_parse(options ? options : "{}", "run", error);
    g_autoptr(DnParams) params = type->params ? dn_params_read(node, type->params, NULL, error)
                                              : NULL;
    g_assert_no_error(*error);
    for (guint32 i = 0; i < endpoints; i++)
        active[i] = i;
    b->script.messages = messages;
    b->script.n = n;
    b->script.chained = chained;
    b->script.n_delivered = b->script.n_sent = 0;
    g_array_set_size(b->script.delivered_ps, 0);
    g_array_set_size(b->script.delivered_ps, n);
    DnEngineRun run = {.router = b->router,
                       .packet_bytes = 1024,
                       .seed = 7,
                       .threads = 1,
                       .active = active,
                       .n_active = endpoints,
                       .client = client,
                       .client_data = &b->script,
                       .observer = observer,
                       .options = params};
    dn_engine_result_clear(&b->result);
    return type->run(&run, &b->result, error);
}

static inline void flow_run(Bench *b, const DnMessage *messages, guint n, const char *options)
{
    GError *error = NULL;
    gboolean ok = flow_try(b, messages, n, FALSE, options, (DnObserver){0}, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    g_assert_cmpuint(b->script.n_delivered, ==, n);
}

static inline void open_dragonfly(Bench *b, const char *hardware)
{
    g_autofree char *yaml = g_strdup_printf(BENCH_DRAGONFLY("%s"), hardware);
    bench_open(b, yaml, NULL);
}

/* Dates come from SimGrid in us with a tolerance of 1 ps. */
static inline void assert_near(gint64 value, gint64 expected)
{
    if (llabs(value - expected) > 2)
        g_error("%" G_GINT64_FORMAT " ps, expected %" G_GINT64_FORMAT, value, expected);
}

/* 1,024 packets of 1,048 B. The source is free a latency before the end. */
static inline void test_one_flow(void)
{
    Bench b;
    open_dragonfly(&b, "");
    DnMessage m = {.src = 0, .dst = 2, .bytes = UNIT};
    flow_run(&b, &m, 1, NULL);
    assert_near(packet_bench_at(&b, 0), SAME_GROUP_PS + UNIT_PS);
    assert_near(b.script.sent_ps[0], UNIT_PS);
    g_assert_cmpuint(b.result.messages, ==, 1);
    g_assert_cmpuint(b.result.packets, ==, 1024);
    g_assert_cmpuint(b.result.payload_bytes, ==, UNIT);
    g_assert_cmpuint(b.result.packet_hops, ==, 3 * 1024);
    guint used = 0;
    for (guint32 l = 0; l < b.machine->graph->size.links; l++)
        if (b.result.links[l].bytes > 0) {
            g_assert_cmpuint(b.result.links[l].bytes, ==, 1024 * 1048);
            g_assert_cmpuint(b.result.links[l].packets, ==, 1024);
            assert_near(b.result.links[l].busy_ps, UNIT_PS);
            used++;
        }
    g_assert_cmpuint(used, ==, 3);
    bench_close(&b);
}

/* Two nodes of two GPUs and two NICs each. */
static inline void open_two_nics(Bench *b, const char *rails)
{
    g_autofree char *yaml = g_strdup_printf(
        "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 2\n"
        "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}\n"
        "    link: {bandwidth: 800 Gb/s, latency: 20 ns, buffer: 16 KiB}\n"
        "  switch: {latency: 100 ns}\n"
        "node:\n  vertices:\n    - {name: gpu, kind: gpu, count: 2}\n"
        "    - {name: nic, kind: nic, count: 2}\n"
        "  links:\n    pcie: {bandwidth: 800 Gb/s, latency: 10 ns, buffer: 16 KiB}\n"
        "  edges:\n    - {each: [gpu, nic], class: pcie}\n"
        "  nics:\n    - {nic: nic0, serves: [gpu0]}\n    - {nic: nic1, serves: [gpu1]}\n"
        "nodes: 2\nendpoints: gpu\n"
        "hardware: {lanes: 1, packet: 1 KiB, header: 24 B, rails: %s}\n",
        rails);
    bench_open(b, yaml, NULL);
}
