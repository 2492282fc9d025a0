/* partition_test.c - Tests of which domains run together. */
#include "engine/packet/domains.h"
#include "engine/packet/packet_bench.h"

static void no_start(void *data, DnContext *context, guint32 endpoint)
{
}

static const DnClient idle_client = {.start = no_start};

/* Active endpoints of each of two threads; those of the first @n_active take part. */
static void active_of_threads(guint n_active, guint16 jobs, guint counts[2])
{
    Bench b;
    DnPacketEngine e;
    GError *error = NULL;
    guint32 active[40];
    guint16 active_jobs[40];
    bench_open(&b, BENCH_DRAGONFLY(""), NULL);
    for (guint32 i = 0; i < n_active; i++) {
        active[i] = i;
        active_jobs[i] = (guint16)(i * jobs / n_active);
    }
    DnEngineRun run = {.router = b.router,
                       .packet_bytes = 1024,
                       .threads = 2,
                       .active = active,
                       .active_jobs = active_jobs,
                       .n_active = n_active,
                       .n_jobs = jobs,
                       .client = &idle_client};
    dn_packet_engine_init(&e, &run, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(e.threads.n_partitions, ==, 2);
    counts[0] = counts[1] = 0;
    for (guint i = 0; i < n_active; i++) {
        guint32 state = e.net.state_of[b.machine->graph->endpoints[i]];
        counts[e.threads.partition_of[dn_domain_of(&e, state)]]++;
    }
    dn_packet_engine_clear(&e);
    bench_close(&b);
}

/* A job on the first 16 of 40 endpoints is shared, not given to one thread with its ports. */
static void test_load_is_shared(void)
{
    guint counts[2];
    active_of_threads(16, 1, counts);
    g_assert_cmpuint(MIN(counts[0], counts[1]), >=, 4);
    active_of_threads(40, 1, counts);
    g_assert_cmpuint(MIN(counts[0], counts[1]), >=, 14);
}

/* Two jobs that do not talk to each other: each runs mostly in a thread of its own. */
static void test_jobs_stay_together(void)
{
    guint counts[2];
    active_of_threads(40, 2, counts);
    g_assert_cmpuint(MIN(counts[0], counts[1]), >=, 14);
}

/* 20 groups of two switches. */
#define MANY_GROUPS                                                                                \
    "fabric:\n"                                                                                    \
    "  type: dragonfly\n  groups: 20\n  switches_per_group: 2\n  terminals_per_switch: 1\n"        \
    "  global_links_per_switch: 10\n"                                                              \
    "  links:\n"                                                                                   \
    "    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 8 KiB}\n"                          \
    "    local: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 8 KiB}\n"                             \
    "    global: {bandwidth: 80 Gb/s, latency: 70 ns, buffer: 8 KiB}\n"                            \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {lanes: 1, packet: 1 KiB, header: 24 B}\n"

/* 20 groups of 16 switches. */
#define LARGE_GROUPS                                                                               \
    "fabric:\n"                                                                                    \
    "  type: dragonfly\n  groups: 20\n  switches_per_group: 16\n  terminals_per_switch: 8\n"       \
    "  global_links_per_switch: 20\n"                                                              \
    "  links:\n"                                                                                   \
    "    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 8 KiB}\n"                          \
    "    local: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 8 KiB}\n"                             \
    "    global: {bandwidth: 80 Gb/s, latency: 700 ns, buffer: 8 KiB}\n"                           \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {lanes: 1, packet: 1 KiB, header: 24 B}\n"

/* Domains become smaller where many threads share them, down to a group; windows stay as long. */
static void test_domains_by_threads(void)
{
    static const guint32 domains[] = {10, 10, 20, 20};
    Bench b;
    guint32 window = 0;
    bench_open(&b, MANY_GROUPS, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(domains); i++) {
        DnPacketEngine e;
        GError *error = NULL;
        const guint32 active[] = {0};
        DnEngineRun run = {.router = b.router,
                           .packet_bytes = 1024,
                           .threads = 1u << i,
                           .active = active,
                           .n_active = 1,
                           .client = &idle_client};
        dn_packet_engine_init(&e, &run, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(e.net.n_domains, ==, domains[i]);
        g_assert_true(i == 0 || e.threads.lookahead_slots == window);
        window = e.threads.lookahead_slots;
        dn_packet_engine_clear(&e);
    }
    bench_close(&b);
}

/* A thread alone serves domains that its cache takes: fewer switches where ports have more queues;
 * windows are as long as those of two threads. */
static void test_domains_of_one_thread(void)
{
    static const struct {
        const char *lanes;
        guint32 alone, step; /* domains of one thread; slots of a step */
    } cases[] = {{"lanes: 1", 20, 22}, {"lanes: 16", 107, 2}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        Bench b;
        g_autoptr(GString) yaml = g_string_new(LARGE_GROUPS);
        g_string_replace(yaml, "lanes: 1", cases[i].lanes, 1);
        bench_open(&b, yaml->str, NULL);
        for (guint threads = 2; threads > 0; threads--) {
            DnPacketEngine e;
            GError *error = NULL;
            const guint32 active[] = {0};
            DnEngineRun run = {.router = b.router,
                               .packet_bytes = 1024,
                               .threads = threads,
                               .active = active,
                               .n_active = 1,
                               .client = &idle_client};
            dn_packet_engine_init(&e, &run, &error);
            g_assert_no_error(error);
            g_assert_cmpuint(e.net.n_domains, ==, threads == 1 ? cases[i].alone : 20);
            g_assert_cmpuint(e.threads.step_slots, ==, threads == 1 ? cases[i].step : 22);
            g_assert_cmpuint(e.threads.lookahead_slots, ==, 22);
            dn_packet_engine_clear(&e);
        }
        bench_close(&b);
    }
}

/* A domain is more than the one switch that routing wants where a port could not name all. */
static void test_domains_at_most(void)
{
    static const guint32 switches[] = {DN_MAX_DOMAINS, DN_MAX_DOMAINS + 1};
    static const guint32 domains[] = {DN_MAX_DOMAINS, (DN_MAX_DOMAINS + 1) / 2};
    const DnRoutingType type = {.omniscient = TRUE};
    const DnRouter router = {.type = &type};
    const DnEngineRun run = {.router = &router, .threads = 1};
    for (guint i = 0; i < G_N_ELEMENTS(switches); i++) {
        g_autofree DnVertex *vertices = g_new0(DnVertex, switches[i]);
        const DnGraph g = {
            .vertices = vertices, .n_vertices = switches[i], .size.switches = switches[i]};
        DnPacketEngine e = {.run = &run, .router = &router, .graph = &g};
        dn_domains_init(&e);
        g_assert_cmpuint(e.net.n_domains, ==, domains[i]);
        g_assert_cmpuint(e.net.domain_first[domains[i]], ==, switches[i]);
        g_free(e.net.domain_first);
        g_free(e.net.state_of);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/partition/load-is-shared", test_load_is_shared);
    g_test_add_func("/partition/jobs-stay-together", test_jobs_stay_together);
    g_test_add_func("/partition/domains-by-threads", test_domains_by_threads);
    g_test_add_func("/partition/domains-of-one-thread", test_domains_of_one_thread);
    g_test_add_func("/partition/domains-at-most", test_domains_at_most);
    return g_test_run();
}
