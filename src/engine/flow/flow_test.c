/* flow_test.c - the flow engine against sums and shares that can be done by hand, and its child's
 * deaths against errors. */
#include "engine/flow/solver.h"
#include "engine/packet/packet_bench.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* 80 Gb/s: 100 ps a byte. Wires 10, 20 and 70 ns, switches 100 ns. */
#define DRAGONFLY                                                                                  \
    "fabric:\n"                                                                                    \
    "  type: dragonfly\n  groups: 5\n  switches_per_group: 4\n  terminals_per_switch: 2\n"         \
    "  global_links_per_switch: 1\n"                                                               \
    "  links:\n"                                                                                   \
    "    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 8 KiB}\n"                          \
    "    local: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 8 KiB}\n"                             \
    "    global: {bandwidth: 80 Gb/s, latency: 70 ns, buffer: 8 KiB}\n"                            \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {lanes: 1, packet: 1 KiB, header: 24 B%s}\n"
#define SAME_SWITCH_PS (2 * 10000 + 100000)
#define SAME_GROUP_PS (2 * 10000 + 20000 + 2 * 100000)
#define UNIT (1024 * 1024)                             /* bytes: 1,024 packets */
#define UNIT_PS (G_GINT64_CONSTANT(1024) * 1048 * 100) /* on the wire, alone */

static const DnClient *client = &script_client;

static const char *engine = "flow";

/* @options: of `flow:`, or NULL. */
static gboolean flow_try(Bench *b, const DnMessage *messages, guint n, gboolean chained,
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

static void flow_run(Bench *b, const DnMessage *messages, guint n, const char *options)
{
    GError *error = NULL;
    gboolean ok = flow_try(b, messages, n, FALSE, options, (DnObserver){0}, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    g_assert_cmpuint(b->script.n_delivered, ==, n);
}

static void open_dragonfly(Bench *b, const char *hardware)
{
    g_autofree char *yaml = g_strdup_printf(DRAGONFLY, hardware);
    bench_open(b, yaml, NULL);
}

/* Dates come from SimGrid in us with a tolerance of 1 ps. */
static void assert_near(gint64 value, gint64 expected)
{
    if (llabs(value - expected) > 2)
        g_error("%" G_GINT64_FORMAT " ps, expected %" G_GINT64_FORMAT, value, expected);
}

/* As in the packet engine: wires and switches once, then n payload and 24 header bytes. */
static void test_zero_load(void)
{
    static const gint64 sizes[] = {0, 1, 1000, 1024};
    Bench b;
    open_dragonfly(&b, "");
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        DnMessage same = {.src = 0, .dst = 1, .bytes = sizes[i]};
        flow_run(&b, &same, 1, NULL);
        assert_near(packet_bench_at(&b, 0), SAME_SWITCH_PS + (sizes[i] + 24) * 100);
        DnMessage local = {.src = 0, .dst = 2, .bytes = sizes[i]};
        flow_run(&b, &local, 1, NULL);
        assert_near(packet_bench_at(&b, 0), SAME_GROUP_PS + (sizes[i] + 24) * 100);
    }
    DnMessage self = {.src = 3, .dst = 3, .bytes = 1000};
    flow_run(&b, &self, 1, NULL);
    g_assert_cmpint(packet_bench_at(&b, 0), ==, 0);
    bench_close(&b);
}

/* 1,024 packets of 1,048 B. The source is free a latency before the end. */
static void test_one_flow(void)
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

/* One unit and two units share the source's link: both at half rate until the first ends at 2, then
 * the second has one unit left and the link alone: 3. */
static void test_two_share(void)
{
    Bench b;
    open_dragonfly(&b, "");
    DnMessage m[2] = {{.src = 0, .dst = 1, .bytes = UNIT}, {.src = 0, .dst = 2, .bytes = 2 * UNIT}};
    flow_run(&b, m, 2, NULL);
    assert_near(packet_bench_at(&b, 0), SAME_SWITCH_PS + 2 * UNIT_PS);
    assert_near(packet_bench_at(&b, 1), SAME_GROUP_PS + 3 * UNIT_PS);
    bench_close(&b);
}

/* k into one: all end at latency + k units. Max-min: a flow beside them from one of the sources
 * gets what the incast leaves of that source's link: 1 - 1/3 = 2/3 until it ends at 1.5 units. */
static void test_incast(void)
{
    Bench b;
    open_dragonfly(&b, "");
    DnMessage m[4];
    for (guint i = 0; i < 3; i++)
        m[i] = (DnMessage){.src = 2 + 2 * i, .dst = 0, .bytes = UNIT};
    m[3] = (DnMessage){.src = 2, .dst = 3, .bytes = UNIT};
    flow_run(&b, m, 4, NULL);
    for (guint i = 0; i < 3; i++)
        assert_near(packet_bench_at(&b, i), SAME_GROUP_PS + 3 * UNIT_PS);
    assert_near(packet_bench_at(&b, 3), SAME_SWITCH_PS + UNIT_PS * 3 / 2);
    bench_close(&b);
}

static void test_chained(void)
{
    Bench b;
    GError *error = NULL;
    open_dragonfly(&b, "");
    DnMessage m[10];
    for (guint i = 0; i < 10; i++)
        m[i] = (DnMessage){.src = i % 2, .dst = 1 - i % 2, .bytes = 76};
    gboolean ok = flow_try(&b, m, 10, TRUE, NULL, (DnObserver){0}, &error);
    g_assert_true(ok);
    g_assert_no_error(error);
    for (guint i = 0; i < 10; i++)
        g_assert_cmpint(llabs(packet_bench_at(&b, i) - (i + 1) * (SAME_SWITCH_PS + 10000)), <=,
                        2 * (i + 1));
    bench_close(&b);
}

/* A cap of 20 Gb/s of payload: 400 ps a byte. Its neighbour takes the rest of the link: of 80 Gb/s
 * wire rate the capped one uses 20 * 1048/1024. */
static void test_rate_cap(void)
{
    Bench b;
    open_dragonfly(&b, "");
    const gint64 cap = G_GINT64_CONSTANT(20000000000);
    DnMessage m[2] = {{.src = 0, .dst = 1, .bytes = UNIT, .rate_bps = cap},
                      {.src = 0, .dst = 2, .bytes = UNIT}};
    flow_run(&b, m, 2, NULL);
    assert_near(packet_bench_at(&b, 0), SAME_SWITCH_PS + G_GINT64_CONSTANT(400) * UNIT);
    double rest = 80.0 - 20.0 * 1048 / 1024;
    assert_near(packet_bench_at(&b, 1), SAME_GROUP_PS + llround((double)UNIT_PS * 80.0 / rest));
    bench_close(&b);
}

/* One at a time: each alone on the link, one after another. */
static void test_window(void)
{
    Bench b;
    open_dragonfly(&b, "");
    DnMessage m[3];
    for (guint i = 0; i < 3; i++)
        m[i] = (DnMessage){.src = 0, .dst = 1, .bytes = UNIT};
    flow_run(&b, m, 3, "{window: 1}");
    for (guint i = 0; i < 3; i++)
        assert_near(packet_bench_at(&b, i), SAME_SWITCH_PS + (i + 1) * UNIT_PS);
    flow_run(&b, m, 3, "{window: 0}");
    for (guint i = 0; i < 3; i++)
        assert_near(packet_bench_at(&b, i), SAME_SWITCH_PS + 3 * UNIT_PS);
    bench_close(&b);
}

/* One packet a round trip: two wires and a switch each way, 1,048 B there and 48 B back. Two
 * messages of one NIC have the one window together. The packet engine says the same within 1 %: its
 * packets wait for the wire whole, ours are drops. */
static void test_nic_window(void)
{
    Bench b;
    open_dragonfly(&b, ", window: 1, response: 48 B");
    DnMessage m[2] = {{.src = 0, .dst = 1, .bytes = UNIT}, {.src = 0, .dst = 1, .bytes = UNIT}};
    gint64 trip = 2 * SAME_SWITCH_PS + (1048 + 48) * 100;
    flow_run(&b, m, 1, NULL);
    assert_near(packet_bench_at(&b, 0) / 1024, (SAME_SWITCH_PS + 1024 * trip) / 1024);
    engine = "packet";
    flow_run(&b, m, 1, NULL);
    g_assert_cmpfloat_with_epsilon((double)packet_bench_at(&b, 0), 1024.0 * (double)trip,
                                   0.01 * 1024 * (double)trip);
    engine = "flow";
    flow_run(&b, m, 2, NULL);
    gint64 both = 2 * 1024 * trip;
    g_assert_cmpint(packet_bench_at(&b, 1), >, both - both / 32); /* weights are rounded */
    g_assert_cmpint(packet_bench_at(&b, 1), <, both + both / 32);
    bench_close(&b);
    open_dragonfly(&b, ", window: 16, response: 48 B"); /* more than a round trip holds */
    flow_run(&b, m, 1, NULL);
    assert_near(packet_bench_at(&b, 0), SAME_SWITCH_PS + UNIT_PS);
    bench_close(&b);
}

/* A group of eight to the next, over the one link between the two: eight units by minimal routing.
 * The other three links out of the group lead there by a third group: over all four, none crossed
 * by more than its share, two units. UGAL sees the loads of the moment at which each starts, and
 * takes the links in turn: so two, or three where a way inside a group is shared. */
static void test_adaptive(void)
{
    static const struct {
        const char *routing;
        double least, most; /* units */
    } cases[] = {{"{algorithm: minimal}", 8.0, 8.0},
                 {"{algorithm: valiant}", 2.0, 8.0},
                 {"{algorithm: ugal_g}", 2.0, 4.0}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        Bench b;
        g_autofree char *yaml = g_strdup_printf(DRAGONFLY, "");
        bench_open(&b, yaml, cases[i].routing);
        DnMessage m[8];
        gint64 last = 0;
        for (guint k = 0; k < 8; k++)
            m[k] = (DnMessage){.src = k, .dst = 8 + k, .bytes = UNIT};
        flow_run(&b, m, 8, "{subflows: 1}");
        for (guint k = 0; k < 8; k++)
            last = MAX(last, packet_bench_at(&b, k));
        g_test_message("%s: %.2f units", cases[i].routing, (double)last / (double)UNIT_PS);
        g_assert_cmpfloat((double)last, >, cases[i].least * 0.99 * (double)UNIT_PS);
        g_assert_cmpfloat((double)last, <, cases[i].most * 1.01 * (double)UNIT_PS);
        bench_close(&b);
    }
}

/* Nodes of two NICs, each on its own rail: two messages of one GPU leave by both in turn, so they
 * take the time of one. With its own NIC alone they take two. */
static void test_rails(void)
{
    static const char *const rails[] = {"own", "round_robin"};
    for (guint i = 0; i < G_N_ELEMENTS(rails); i++) {
        Bench b;
        g_autofree char *yaml = g_strdup_printf(
            "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 2\n"
            "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}\n"
            "    link: {bandwidth: 800 Gb/s, latency: 20 ns, buffer: 16 KiB}\n"
            "  switch: {latency: 100 ns}\n"
            "node:\n  vertices:\n    - {name: gpu, kind: gpu, count: 2}\n    - {name: nic, kind: "
            "nic, count: "
            "2}\n"
            "  links:\n    pcie: {bandwidth: 800 Gb/s, latency: 10 ns, buffer: 16 KiB}\n"
            "  edges:\n    - {each: [gpu, nic], class: pcie}\n"
            "  nics:\n    - {nic: nic0, serves: [gpu0]}\n    - {nic: nic1, serves: [gpu1]}\n"
            "nodes: 2\nendpoints: gpu\n"
            "hardware: {lanes: 1, packet: 1 KiB, header: 24 B, rails: %s}\n",
            rails[i]);
        bench_open(&b, yaml, NULL);
        DnMessage m[2] = {{.src = 0, .dst = 2, .bytes = UNIT}, {.src = 0, .dst = 2, .bytes = UNIT}};
        flow_run(&b, m, 2, NULL);
        double units = (double)packet_bench_at(&b, 1) / (double)UNIT_PS;
        g_assert_cmpfloat_with_epsilon(units, i == 0 ? 2.0 : 1.0, 0.01);
        bench_close(&b);
    }
}

/* 1 M messages/s: they start 1 us apart, far longer than 124 B take. */
static void test_message_rate(void)
{
    Bench b;
    open_dragonfly(&b, ", message_rate: 1 M/s");
    DnMessage m[3];
    for (guint i = 0; i < 3; i++)
        m[i] = (DnMessage){.src = 0, .dst = 1, .bytes = 100};
    flow_run(&b, m, 3, NULL);
    for (guint i = 0; i < 3; i++)
        assert_near(packet_bench_at(&b, i),
                    SAME_SWITCH_PS + 12400 + i * G_GINT64_CONSTANT(1000000));
    bench_close(&b);
}

/* Leaves of one terminal at 160 Gb/s and two spines at 80: one way carries half of what two do. */
static void test_subflow_paths(void)
{
    Bench b;
    bench_open(&b,
               "fabric:\n  type: dragonfly_plus\n  groups: 2\n  leaves_per_group: 2\n"
               "  spines_per_group: 2\n  terminals_per_leaf: 1\n  global_links_per_spine: 1\n"
               "  links:\n    terminal: {bandwidth: 160 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"
               "    local: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 64 KiB}\n"
               "    global: {bandwidth: 80 Gb/s, latency: 70 ns, buffer: 64 KiB}\n"
               "  switch: {latency: 100 ns}\n"
               "hardware: {lanes: 1, packet: 1 KiB, header: 24 B}\n",
               NULL);
    DnMessage m = {.src = 0, .dst = 1, .bytes = UNIT};
    const gint64 latency = 2 * 10000 + 2 * 20000 + 3 * 100000;
    flow_run(&b, &m, 1, "{subflows: 1}");
    assert_near(packet_bench_at(&b, 0), latency + UNIT_PS);
    flow_run(&b, &m, 1, "{subflows: 2}");
    assert_near(packet_bench_at(&b, 0), latency + UNIT_PS / 2);
    flow_run(&b, &m, 1, NULL); /* as many as routing has: two */
    assert_near(packet_bench_at(&b, 0), latency + UNIT_PS / 2);
    bench_close(&b);
    /* Halfway round a ring of four: both directions are as short. */
    bench_open(&b,
               "fabric:\n  type: torus\n  dims: [4]\n"
               "  links:\n    terminal: {bandwidth: 160 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"
               "    link: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 64 KiB}\n"
               "  switch: {latency: 100 ns}\n"
               "hardware: {lanes: 1, packet: 1 KiB, header: 24 B}\n",
               NULL);
    m.dst = 2;
    flow_run(&b, &m, 1, NULL);
    assert_near(packet_bench_at(&b, 0), latency + UNIT_PS / 2);
    m.bytes = 1000; /* one packet has one way; it is as fast as the narrowest link */
    flow_run(&b, &m, 1, "{subflows: 2}");
    assert_near(packet_bench_at(&b, 0), latency + 102400);
    bench_close(&b);
}

/* One unit and two from one source, to different ends: each arrives as if alone, but the source's
 * link needs three units of time in all. */
static void test_bound(void)
{
    Bench b;
    open_dragonfly(&b, "");
    engine = "bound";
    DnMessage m[2] = {{.src = 0, .dst = 1, .bytes = UNIT}, {.src = 0, .dst = 2, .bytes = 2 * UNIT}};
    flow_run(&b, m, 2, NULL);
    assert_near(packet_bench_at(&b, 0), SAME_SWITCH_PS + UNIT_PS);
    assert_near(packet_bench_at(&b, 1), SAME_GROUP_PS + 2 * UNIT_PS);
    assert_near(b.result.end_ps, 3 * UNIT_PS);
    flow_run(&b, m, 1, NULL); /* one: its latency counts as well */
    assert_near(b.result.end_ps, SAME_SWITCH_PS + UNIT_PS);
    DnMessage capped = m[0];
    capped.rate_bps = G_GINT64_CONSTANT(20000000000);
    flow_run(&b, &capped, 1, NULL);
    assert_near(packet_bench_at(&b, 0), SAME_SWITCH_PS + G_GINT64_CONSTANT(400) * UNIT);
    engine = "flow";
    bench_close(&b);
}

/* Any messages at all: flow no sooner than bound, and the packet engine neither. */
static void test_no_better_than_bound(void)
{
    Bench b;
    guint64 key = dn_draw_key(1, DN_DRAW_TEST, 0), n = 0;
    open_dragonfly(&b, "");
    for (guint trial = 0; trial < 30; trial++) {
        DnMessage m[24];
        for (guint i = 0; i < G_N_ELEMENTS(m); i++) {
            guint32 src = dn_draw_below(dn_draw(key, n++), 40);
            m[i] = (DnMessage){.src = src,
                               .dst = (src + 1 + dn_draw_below(dn_draw(key, n++), 39)) % 40,
                               .bytes = dn_draw_below(dn_draw(key, n++), 1 << 18)};
        }
        engine = "bound";
        flow_run(&b, m, G_N_ELEMENTS(m), NULL);
        gint64 alone[G_N_ELEMENTS(m)], end = b.result.end_ps;
        for (guint i = 0; i < G_N_ELEMENTS(m); i++)
            alone[i] = packet_bench_at(&b, i);
        engine = trial % 2 == 0 ? "packet" : "flow";
        flow_run(&b, m, G_N_ELEMENTS(m), NULL);
        for (guint i = 0; i < G_N_ELEMENTS(m); i++)
            g_assert_cmpint(packet_bench_at(&b, i), >=, alone[i] - 2);
        g_assert_cmpint(b.result.end_ps, >=, end - 2);
    }
    engine = "flow";
    bench_close(&b);
}

/* ---- what goes wrong ---- */

/* A run of one kind of misfortune in the child. */
typedef struct {
    DnSolver *solver;
    void (*misfortune)(DnSolver *solver);
    guint64 count;
} Unlucky;

static gboolean unlucky_go_on(void *data, gint64 *until_ps)
{
    Unlucky *unlucky = data;
    const guint32 link = 0;
    if (unlucky->misfortune != NULL)
        unlucky->misfortune(unlucky->solver);
    dn_solver_post(unlucky->solver, 0, 1, 1000, 0, &link, 1);
    *until_ps = G_MAXINT64;
    return TRUE;
}

static void unlucky_absorb(void *data, gint64 now_ps, const guint32 *ended, guint32 n)
{
}

static gboolean no_patience(void *data)
{
    return FALSE;
}

/* The error of a child with @misfortune over one link of @capacity. */
static void unlucky_run(void (*misfortune)(DnSolver *solver), double capacity, gint64 memory,
                        DnError code, const char *words)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) ended = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(DnSolver) solver = dn_solver_new();
    Unlucky unlucky = {solver, misfortune, 0};
    DnSolverRun run = {&unlucky, unlucky_go_on, unlucky_absorb, &unlucky.count};
    gint64 now_ps;
    g_assert_true(dn_solver_start(solver, &capacity, 1, memory, &run, &error));
    g_assert_no_error(error);
    DnSolverPatience patience = code == DN_ERROR_INTERRUPTED ? no_patience : NULL;
    g_assert_false(dn_solver_follow(solver, &now_ps, ended, patience, NULL, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    if (strstr(error->message, words) == NULL)
        g_error("wanted '%s', said: %s", words, error->message);
    if (code == DN_ERROR_INTERRUPTED)
        return;
    g_clear_error(&error); /* and once more: it stays gone, and says so */
    g_assert_false(dn_solver_follow(solver, &now_ps, ended, NULL, NULL, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
}

static void say_and_fail(DnSolver *solver)
{
    fputs("out of luck\n", stderr);
    _exit(7);
}

static void be_killed(DnSolver *solver)
{
    raise(SIGKILL);
}

static void flow_hang(DnSolver *solver)
{
    for (;;)
        pause();
}

#if !defined(__SANITIZE_ADDRESS__)
static void post_many(DnSolver *solver)
{
    const guint32 link = 0;
    for (guint32 i = 2; i < 400000; i++) /* about 1 KB each */
        dn_solver_post(solver, 0, i, 1000, 0, &link, 1);
}

static void take_memory(DnSolver *solver)
{
    g_autofree char *much = g_malloc((gsize)1 << 30);
    memset(much, 1, 1 << 20);
}
#endif

static void test_solver_aborts(void)
{
    unlucky_run(NULL, -1.0, 0, DN_ERROR_STALLED, /* SimGrid refuses such a link */
                "the flow solver gave up (signal 6");
    unlucky_run(say_and_fail, 1000.0, 0, DN_ERROR_STALLED,
                "the flow solver gave up (exit status 7): out of luck");
    unlucky_run(be_killed, 1000.0, 0, DN_ERROR_STALLED,
                "the flow solver gave up (signal 9, Killed)");
    unlucky_run(flow_hang, 1000.0, 0, DN_ERROR_INTERRUPTED, "interrupted");
}

static void test_solver_memory(void)
{
#if defined(__SANITIZE_ADDRESS__)
    g_test_skip("AddressSanitizer's own memory exceeds any limit");
#else
    unlucky_run(post_many, 1000.0, 128 << 20, DN_ERROR_MEMORY, /* SimGrid's */
                "the flow solver ran out of memory");
    unlucky_run(take_memory, 1000.0, 128 << 20, DN_ERROR_MEMORY, /* our own */
                "the flow solver ran out of memory");
#endif
}

/* Both processes read a file through one open descriptor: each at its own pace. */
static int shared_file;

static void read_on(DnSolver *solver)
{
    char c = '?';
    ssize_t n = read(shared_file, &c, 1);
    g_printerr("read %zd %c\n", n, c);
    _exit(7);
}

static void test_files(void)
{
    g_autofree char *name = NULL;
    guint8 c = '?';
    int made = g_file_open_tmp("darner-XXXXXX", &name, NULL);
    g_assert_cmpint(made, >=, 0);
    g_assert_cmpint(write(made, "abcd", 4), ==, 4);
    close(made);
    shared_file = open(name, O_RDONLY);
    g_assert_cmpint(read(shared_file, &c, 1), ==, 1);
    g_assert_cmpint(c, ==, 'a');
    unlucky_run(read_on, 1000.0, 0, DN_ERROR_STALLED, "): read 1 b");
    g_assert_cmpint(read(shared_file, &c, 1), ==, 1);
    g_assert_cmpint(c, ==, 'b');
    close(shared_file);
    g_assert_cmpint(unlink(name), ==, 0);
}

/* A second run in the same process is as the first, whatever happened to other children. */
static void test_after_abort(void)
{
    test_solver_aborts();
    test_one_flow();
    test_one_flow();
}

static gboolean stop_at_once(void *data, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    return FALSE;
}

static void flow_tick(void *data, DnContext *context, guint32 endpoint, guint64 cookie)
{
    dn_context_timer(context, dn_context_now(context) + 1000000, 0);
}

static void start_ticking(void *data, DnContext *context, guint32 endpoint)
{
    flow_tick(data, context, endpoint, 0);
}

static guint one_blocked(void *data, GString *account, guint max_lines)
{
    g_string_append(account, "rank 0 waits for rank 1");
    return 1;
}

/* Timers without end: only the observer stops them, and `until`. */
static void test_interrupt(void)
{
    Bench b;
    g_autoptr(GError) error = NULL;
    const DnClient ticking = {start_ticking, script_sent, script_delivered, flow_tick, NULL, NULL};
    open_dragonfly(&b, "");
    client = &ticking;
    DnObserver observer = {.progress = stop_at_once};
    g_assert_false(flow_try(&b, NULL, 0, FALSE, NULL, observer, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_INTERRUPTED);
    client = &script_client;
    bench_close(&b);
}

static void test_deadlock(void)
{
    Bench b;
    g_autoptr(GError) error = NULL;
    const DnClient waiting = {script_start, script_sent, script_delivered,
                              script_timer, one_blocked, NULL};
    open_dragonfly(&b, "");
    client = &waiting;
    DnMessage m = {.src = 0, .dst = 1, .bytes = 1000};
    g_assert_false(flow_try(&b, &m, 1, FALSE, NULL, (DnObserver){0}, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_STALLED);
    g_assert_nonnull(strstr(error->message, "rank 0 waits for rank 1"));
    client = &script_client;
    bench_close(&b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/flow/zero_load", test_zero_load);
    g_test_add_func("/flow/one_flow", test_one_flow);
    g_test_add_func("/flow/two_share", test_two_share);
    g_test_add_func("/flow/incast", test_incast);
    g_test_add_func("/flow/chained", test_chained);
    g_test_add_func("/flow/rate_cap", test_rate_cap);
    g_test_add_func("/flow/window", test_window);
    g_test_add_func("/flow/nic_window", test_nic_window);
    g_test_add_func("/flow/adaptive", test_adaptive);
    g_test_add_func("/flow/rails", test_rails);
    g_test_add_func("/flow/message_rate", test_message_rate);
    g_test_add_func("/flow/ways", test_subflow_paths);
    g_test_add_func("/flow/bound", test_bound);
    g_test_add_func("/flow/no_better_than_bound", test_no_better_than_bound);
    g_test_add_func("/flow/solver_aborts", test_solver_aborts);
    g_test_add_func("/flow/solver_memory", test_solver_memory);
    g_test_add_func("/flow/files", test_files);
    g_test_add_func("/flow/after_abort", test_after_abort);
    g_test_add_func("/flow/interrupt", test_interrupt);
    g_test_add_func("/flow/deadlock", test_deadlock);
    return g_test_run();
}
