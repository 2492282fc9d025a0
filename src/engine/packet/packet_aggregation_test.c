/* packet_aggregation_test.c - packets that stand for several arrive when those would; others pass
 * between. */
#include "engine/packet/packet_bench.h"

/* 80 Gb/s: 100 ps a byte; two switches, four terminals each, wires 10 and 50 ns, switches
 * 100 ns; a packet takes 102.4 ns and the path without it 270 ns. */
#define PAIR(more)                                                                                 \
    "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 4\n"                       \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}\n"               \
    "    link: {bandwidth: 80 Gb/s, latency: 50 ns, buffer: 16 KiB}\n"                             \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {packet: 1 KiB, header: 24 B" more "}\n"
#define PATH_PS 270000
#define PART_PS 104800 /* with its header */
#define KIB 1024

static const guint8 EIGHT[8] = {8, 1, 1, 1, 1, 1, 1, 1}; /* job 0; job 1 is the one looked at */

/* Without other traffic 20 packets over three links, single or as two aggregated packets of eight
 * and one of four, arrive after 20 packet times and the path's latency; their headers are sent and
 * counted, and fewer packets are made. */
static void test_alone(void)
{
    Bench b;
    bench_open(&b, PAIR(""), NULL);
    DnMessage m = {.src = 0, .dst = 4, .bytes = 20 * KIB};
    for (guint k = 0; k < 2; k++) {
        b.aggregation = k == 1 ? EIGHT : NULL;
        bench_run(&b, &m, 1, FALSE, KIB);
        g_assert_cmpint(packet_bench_at(&b, 0), ==, 20 * PART_PS + PATH_PS);
        g_assert_cmpuint(packet_bench_bytes_sent(&b), ==, 3 * 20 * (KIB + 24));
        g_assert_cmpuint(b.result.payload_bytes, ==, 20 * KIB);
        g_assert_cmpuint(b.result.packets, ==, k == 1 ? 3 : 20);
    }
    bench_close(&b);
}

/* A packet of 1 B (25 B: 2.5 ns) meets the aggregated packet of eight on the link between the
 * switches, which has been there since 110 + 77.5 ns (port logic: a quarter of 100 ns each): it
 * waits for the next packet boundary at most, on the same lane and on another. It waits no longer
 * behind single packets. */
static void test_passes(void)
{
    for (guint lane = 0; lane < 2; lane++) {
        Bench b;
        bench_open(&b, PAIR(", lanes: 2"), NULL);
        DnMessage m[2] = {{.src = 0, .dst = 4, .bytes = 8 * KIB, .job = 0},
                          {.src = 1, .dst = 5, .bytes = 1, .job = 1, .lane = (guint8)lane}};
        for (guint k = 0; k < 2; k++) {
            b.aggregation = k == 1 ? EIGHT : NULL;
            bench_run(&b, m, 2, FALSE, KIB);
            g_assert_cmpint(packet_bench_at(&b, 1), >, PATH_PS + 2500);
            g_assert_cmpint(packet_bench_at(&b, 1), <=, PATH_PS + 2500 + PART_PS);
            g_assert_cmpint(packet_bench_at(&b, 0), <=, PATH_PS + 8 * PART_PS + 2500);
        }
        bench_close(&b);
    }
}

/* Two aggregated packets arrive at once for one link of their own speed: half of the second is
 * excess load. A single packet that arrives with them, older than their last packets, waits only
 * for the work that arrived before it; one that leaves its source after the last packet waits for
 * all the rest. */
static void test_waits_behind(void)
{
    Bench b;
    bench_open(&b, PAIR(""), NULL);
    b.aggregation = EIGHT;
    DnMessage m[4] = {{.src = 0, .dst = 4, .bytes = 8 * KIB},
                      {.src = 1, .dst = 5, .bytes = 8 * KIB},
                      {.src = 2, .dst = 6, .bytes = 1, .job = 1},
                      {.src = 3, .dst = 7, .bytes = 8 * KIB, .job = 1}};
    bench_run(&b, m, 4, FALSE, KIB);
    g_assert_cmpint(packet_bench_at(&b, 2), <=, PATH_PS + 2500 + 2 * PART_PS);
    /* 24 packets for one link: those of job 1 have a third of it until the end; an aggregated
     * packet on the link is not delayed by interleaved ones, so it may seem to end sooner */
    g_assert_cmpint(packet_bench_at(&b, 3), >=, PATH_PS + 16 * PART_PS);
    g_assert_cmpint(packet_bench_at(&b, 3), <=, PATH_PS + 24 * PART_PS + 2500 + 2 * PART_PS);
    g_assert_cmpint(MAX(packet_bench_at(&b, 0), packet_bench_at(&b, 1)), >=,
                    PATH_PS + 16 * PART_PS);
    g_assert_cmpint(MAX(packet_bench_at(&b, 0), packet_bench_at(&b, 1)), <=,
                    PATH_PS + 24 * PART_PS + 2500);
    bench_close(&b);
}

/* Aggregated packets that fill the buffers of the path to a congested terminal delay traffic to
 * other terminals, as single packets do: terminals 0 and 1 and two more at the far switch send to
 * 4, and 2 to 6 over the link that 0 and 1 fill. */
static void test_victim(void)
{
    gint64 ends[3];
    for (guint k = 0; k < 3; k++) { /* alone, with single packets, with aggregated packets */
        Bench b;
        bench_open(&b, PAIR(""), NULL);
        b.aggregation = k == 2 ? EIGHT : NULL;
        DnMessage m[5] = {{.src = 2, .dst = 6, .bytes = 64 * KIB, .job = 1},
                          {.src = 0, .dst = 4, .bytes = 256 * KIB},
                          {.src = 1, .dst = 4, .bytes = 256 * KIB},
                          {.src = 5, .dst = 4, .bytes = 256 * KIB},
                          {.src = 7, .dst = 4, .bytes = 256 * KIB}};
        bench_run(&b, m, k == 0 ? 1 : 5, FALSE, KIB);
        ends[k] = packet_bench_at(&b, 0);
        bench_close(&b);
    }
    g_assert_cmpint(ends[0], ==, PATH_PS + 64 * PART_PS);
    g_assert_cmpfloat((double)ends[1], >, 1.5 * (double)ends[0]);
    g_assert_cmpfloat((double)ends[2], >, 1.5 * (double)ends[0]);
}

/* A job that sends nothing hardly changes anything, also where its packets would stand for more
 * than those of others: single packets of job 1 leave their NIC, whose credits are scarce, between
 * packets of four of job 0. */
static void test_silent(void)
{
    static const guint8 alone[8] = {4, 1, 1, 1, 1, 1, 1, 1}, silent[8] = {4, 1, 16, 1, 1, 1, 1, 1};
    gint64 ends[2];
    for (guint k = 0; k < 2; k++) {
        Bench b;
        bench_open(&b, PAIR(""), NULL);
        b.aggregation = k == 1 ? silent : alone;
        DnMessage m[4] = {{.src = 0, .dst = 6, .bytes = 16 * KIB, .job = 1},
                          {.src = 0, .dst = 4, .bytes = 256 * KIB},
                          {.src = 1, .dst = 5, .bytes = 256 * KIB},
                          {.src = 2, .dst = 7, .bytes = 256 * KIB}};
        bench_run(&b, m, 4, FALSE, KIB);
        ends[k] = packet_bench_at(&b, 0);
        bench_close(&b);
    }
    g_test_message("without it %.1f us, with it %.1f us", (double)ends[0] * 1e-6,
                   (double)ends[1] * 1e-6);
    g_assert_cmpfloat((double)ends[1], <, 1.2 * (double)ends[0]);
}

/* The NIC's window and counters count single packets: a window of two aggregated packets of eight,
 * and never more without a response. */
static void test_counters(void)
{
    Bench b;
    bench_open(&b, PAIR(", window: 16, response: 16 B"), NULL);
    DnMessage m = {.src = 0, .dst = 4, .bytes = 64 * KIB};
    for (guint k = 0; k < 2; k++) {
        b.aggregation = k == 1 ? EIGHT : NULL;
        bench_run(&b, &m, 1, FALSE, KIB);
        g_assert_cmpuint(b.result.nics[0].request_packets, ==, 64);
        g_assert_cmpuint(b.result.nics[0].responses, ==, 64);
        g_assert_cmpuint(packet_bench_bytes_sent(&b), ==, 3 * 64 * (KIB + 24 + 16));
    }
    bench_close(&b);
}

/* Everyone to everyone with @lanes lanes, of which two are used, adaptive routing, congestion
 * control and responses, in five groups: fills in when each message ended. */
static void run_all_to_all(const char *control, guint lanes, guint threads, gint64 ends[20 * 19])
{
    g_autofree char *machine = g_strdup_printf(
        "fabric:\n  type: dragonfly\n  groups: 5\n  switches_per_group: 2\n"
        "  terminals_per_switch: 2\n  global_links_per_switch: 2\n"
        "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}\n"
        "    local: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 16 KiB}\n"
        "    global: {bandwidth: 80 Gb/s, latency: 90 ns, buffer: 16 KiB}\n"
        "  switch: {latency: 100 ns}\n"
        "hardware: {packet: 1 KiB, header: 24 B, lanes: %u, speedup: 1.5, window: 64,\n"
        "           congestion_control: %s}\n",
        lanes, control);
    DnMessage m[20 * 19];
    guint n = 0;
    for (guint32 i = 0; i < 20; i++)
        for (guint32 k = 1; k < 20; k++)
            m[n++] = (DnMessage){.src = i,
                                 .dst = k < 8 ? 0 == i ? k : 0 : (i + k) % 20,
                                 .bytes = 20 * KIB,
                                 .job = k % 2,
                                 .lane = k % 3 == 0};
    Bench b;
    bench_open(&b, machine, "{algorithm: ugal_l}");
    b.threads = threads;
    b.aggregation = EIGHT;
    bench_run(&b, m, n, FALSE, KIB);
    g_assert_cmpuint(b.result.lanes, ==, 2 * lanes); /* of requests and of responses */
    for (guint i = 0; i < n; i++)
        ends[i] = packet_bench_at(&b, i);
    bench_close(&b);
}

/* Packets and credits are kept (the engine checks), and two threads make the same. */
static void test_threads(gconstpointer control)
{
    gint64 ends[2][20 * 19];
    for (guint threads = 1; threads <= 2; threads++)
        run_all_to_all(control, 2, threads, ends[threads - 1]);
    g_assert_cmpmem(ends[0], sizeof ends[0], ends[1], sizeof ends[1]);
}

/* Lanes that nothing uses change nothing: with two lanes a port has 18 queues, with five 45, more
 * than a mask of 32 bits has. */
static void test_many_queues(gconstpointer control)
{
    gint64 ends[2][20 * 19];
    run_all_to_all(control, 2, 1, ends[0]);
    run_all_to_all(control, 5, 1, ends[1]);
    g_assert_cmpmem(ends[0], sizeof ends[0], ends[1], sizeof ends[1]);
}

/* 16 lanes of requests and as many of responses have all the queues that a port's mask tells apart;
 * those of aggregated packets come beside. */
static void test_lanes(void)
{
    Bench b;
    bench_open(&b, PAIR(", lanes: 16, window: 64"), NULL);
    b.aggregation = EIGHT;
    DnMessage m = {.src = 0, .dst = 4, .bytes = 20 * KIB, .lane = 15};
    bench_run(&b, &m, 1, FALSE, KIB);
    g_assert_cmpuint(b.result.lanes, ==, 32);
    g_assert_cmpint(packet_bench_at(&b, 0), ==, 20 * PART_PS + PATH_PS);
    bench_close(&b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/packet-aggregation/alone", test_alone);
    g_test_add_func("/packet-aggregation/passes", test_passes);
    g_test_add_func("/packet-aggregation/waits-behind", test_waits_behind);
    g_test_add_func("/packet-aggregation/victim", test_victim);
    g_test_add_func("/packet-aggregation/silent", test_silent);
    g_test_add_func("/packet-aggregation/counters", test_counters);
    g_test_add_data_func("/packet-aggregation/threads/throttle", "endpoint_throttle", test_threads);
    g_test_add_data_func("/packet-aggregation/threads/infiniband", "infiniband", test_threads);
    g_test_add_data_func("/packet-aggregation/queues/throttle", "endpoint_throttle",
                         test_many_queues);
    g_test_add_data_func("/packet-aggregation/queues/infiniband", "infiniband", test_many_queues);
    g_test_add_func("/packet-aggregation/lanes", test_lanes);
    return g_test_run();
}
