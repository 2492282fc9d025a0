/* shared_buffer_test.c - Tests of input buffers that the channels of a port share. */
#include "engine/packet/packet_bench.h"

#define MIB (1 << 20)

/* Two switches, four terminals each; a wire of 1 us. A packet's credit is back after 2252.4 ns
 * (packet_test.c). */
#define PAIR(buffer_) BUFFERS("80 Gb/s", buffer_)
#define SLOW(buffer_) BUFFERS("20 Gb/s", buffer_)
#define BUFFERS(terminal_, buffer_)                                                                \
    "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 4\n"                       \
    "  links:\n    terminal: {bandwidth: " terminal_ ", latency: 10 ns, buffer: 1 MiB}\n"          \
    "    link: {bandwidth: 80 Gb/s, latency: 1 us, " buffer_ "}\n"                                 \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {lanes: 2, arbitration: strict, packet: 1 KiB, header: 0 B}\n"

static gint64 time_of(const char *machine, const DnMessage *messages, guint n, guint which)
{
    Bench b;
    bench_open(&b, machine, NULL);
    bench_run(&b, messages, n, FALSE, 1024);
    gint64 time_ps = packet_bench_at(&b, which);
    bench_close(&b);
    return time_ps;
}

/* One stream alone has its own bytes and all shared ones: as fast as with as many of its own, and
 * by twelve packets a round trip where there are twelve. */
static void test_one_stream(void)
{
    DnMessage m = {.src = 0, .dst = 4, .bytes = MIB};
    gint64 shared = time_of(PAIR("buffer: 1 KiB, shared_buffer: 11 KiB"), &m, 1, 0);
    g_assert_cmpint(shared, ==, time_of(PAIR("buffer: 12 KiB"), &m, 1, 0));
    g_assert_cmpint(shared, <, time_of(PAIR("buffer: 1 KiB"), &m, 1, 0) / 10);
    double expected_ps = MIB / (12 * 1024.0) * 2252400;
    g_assert_cmpfloat_with_epsilon((double)shared, expected_ps, 0.02 * expected_ps);
}

/* Two sources fill lane 1, which goes first, faster than terminal 4 takes it: 2.5 B/ns. With
 * buffers of its own lane 0 is not disturbed: a terminal's rate. Where as many bytes in all are
 * shared, lane 1 takes every shared byte that comes free, and lane 0 has its reserve: a packet a
 * round trip, which takes 307.2 ns more than above, since it leaves for a slower link. */
static void test_others_take_it(void)
{
    DnMessage m[3] = {{.src = 0, .dst = 4, .bytes = 4 * MIB, .lane = 1},
                      {.src = 1, .dst = 4, .bytes = 4 * MIB, .lane = 1},
                      {.src = 2, .dst = 6, .bytes = MIB / 2}};
    gint64 own = time_of(SLOW("buffer: 32 KiB"), m, 3, 2);
    gint64 shared = time_of(SLOW("buffer: 1 KiB, shared_buffer: 62 KiB"), m, 3, 2);
    double reserve_ps = 512 * (2252400.0 + 307200.0);
    g_assert_cmpfloat_with_epsilon((double)own, 524288 * 400.0, 4e6);
    g_assert_cmpint(shared, >, 5 * own);
    g_assert_cmpfloat((double)shared, <=, reserve_ps); /* the first 60 KiB are faster */
}

#define DRAGONFLY                                                                                  \
    "fabric:\n  type: dragonfly\n  groups: 5\n  switches_per_group: 4\n  terminals_per_switch: "   \
    "2\n"                                                                                          \
    "  global_links_per_switch: 1\n"                                                               \
    "  links:\n"                                                                                   \
    "    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 536 B, shared_buffer: 1 KiB}\n"    \
    "    local: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 536 B, shared_buffer: 1 KiB}\n"       \
    "    global: {bandwidth: 80 Gb/s, latency: 70 ns, buffer: 536 B, shared_buffer: 1 KiB}\n"      \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {lanes: 1, packet: 512 B, header: 24 B, window: 64, input_buffers: fifo, "          \
    "speedup: 1.25}\n"

/* A reserve of one packet is enough: random messages by way of third groups, a third of them to one
 * terminal, with responses and aggregated packets, all arrive, every credit is back (the engine
 * asserts it at the end), and any number of threads gives the same times. */
static void test_no_deadlock(void)
{
    static const guint8 aggregation[8] = {1, 4, 1, 1, 1, 1, 1, 1};
    enum { N = 600 };
    g_autofree DnMessage *m = g_new0(DnMessage, N);
    gint64 first[N];
    Bench b;
    bench_open(&b, DRAGONFLY, "{algorithm: valiant}");
    guint64 key = dn_draw_key(1, DN_DRAW_TEST, 3);
    for (guint i = 0; i < N; i++)
        m[i] = (DnMessage){.src = dn_draw_below(dn_draw(key, 3 * i), 40),
                           .dst = i % 3 == 0 ? 0 : dn_draw_below(dn_draw(key, 3 * i + 1), 40),
                           .bytes = dn_draw_below(dn_draw(key, 3 * i + 2), 20000),
                           .job = i % 2};
    for (guint round = 0; round < 2; round++) {
        b.aggregation = round == 0 ? NULL : aggregation;
        for (b.threads = 1; b.threads <= 3; b.threads++) {
            bench_run(&b, m, N, FALSE, 512);
            if (b.threads == 1)
                memcpy(first, b.script.delivered_ps->data, sizeof first);
            g_assert_cmpmem(first, sizeof first, b.script.delivered_ps->data, sizeof first);
        }
    }
    bench_close(&b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/shared-buffer/one-stream", test_one_stream);
    g_test_add_func("/shared-buffer/others-take-it", test_others_take_it);
    g_test_add_func("/shared-buffer/no-deadlock", test_no_deadlock);
    return g_test_run();
}
