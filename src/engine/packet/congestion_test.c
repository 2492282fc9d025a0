/* congestion_test.c - Tests of behaviour that nobody scripts: phantom congestion, congestion trees,
 * victims. They follow from finite buffers, and from credits that take the wire's time to come
 * back. */
#include "engine/packet/packet_bench.h"

#define MIB (1 << 20)

/* 9 groups of 4 switches with 2 terminals each; switch 2 of group 0 leads to group 5. */
#define LONG_GLOBAL(latency)                                                                       \
    "fabric:\n  type: dragonfly\n  groups: 9\n  switches_per_group: 4\n  terminals_per_switch: "   \
    "2\n"                                                                                          \
    "  global_links_per_switch: 2\n  arrangement: absolute\n"                                      \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 128 KiB}\n"              \
    "    local: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 128 KiB}\n"                           \
    "    global: {bandwidth: 80 Gb/s, latency: " latency ", buffer: 128 KiB}\n"                    \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {packet: 1 KiB, header: 0 B}\n"
#define AT_GATEWAY (2 * 2)
#define IN_GROUP_5 ((5 * 4 + 1) * 2)

/* Share of the packets of one stream at a tenth of the link's rate, alone on the network, that took
 * a detour. */
static double detours_when_idle(const char *machine, const char *routing)
{
    Bench b;
    bench_open(&b, machine, routing);
    DnMessage m = {.src = AT_GATEWAY,
                   .dst = IN_GROUP_5,
                   .bytes = 2 * MIB,
                   .rate_bps = 8000000000,
                   .mode = b.router->mode};
    bench_run(&b, &m, 1, FALSE, 1024);
    DnJobPackets packets = b.result.job_packets[0];
    bench_close(&b);
    g_assert_cmpuint(packets.minimal + packets.non_minimal, ==, 2048);
    return (double)packets.non_minimal / 2048;
}

/* Phantom congestion (Won, Kim, Kim, Jiang, Parker, Scott, "Overcoming Far-End Congestion in
 * Large-Scale Networks", HPCA 2015): nothing queues anywhere, for a packet leaves every 1,024 ns
 * and takes 102.4 ns on a wire. With 10 ns of global wire its credit is back after 10 + 100 +
 * 102 + 10 + 50 ns, before the next: all go minimally. With 5 us ten are always without credit,
 * and UGAL-L that takes them for a queue (`in_flight: counted`) sends packets away; one that leaves
 * out what a credit round trip holds, or that knows the queues themselves, does not. Nor does a
 * threshold above ten packets times three hops, the longest minimal path. */
static void test_phantom(void)
{
    g_assert_cmpfloat(detours_when_idle(LONG_GLOBAL("10 ns"), "{algorithm: ugal_l}"), ==, 0);
    g_assert_cmpfloat(
        detours_when_idle(LONG_GLOBAL("5 us"), "{algorithm: ugal_l, in_flight: counted}"), >, 0.4);
    g_assert_cmpfloat(detours_when_idle(LONG_GLOBAL("5 us"), "{algorithm: ugal_l}"), ==, 0);
    g_assert_cmpfloat(detours_when_idle(LONG_GLOBAL("5 us"), "{algorithm: ugal_l, level: switch}"),
                      ==, 0);
    g_assert_cmpfloat(detours_when_idle(LONG_GLOBAL("5 us"), "{algorithm: ugal_g}"), ==, 0);
    g_assert_cmpfloat(
        detours_when_idle(LONG_GLOBAL("5 us"),
                          "{algorithm: ugal_l, in_flight: counted, threshold: 36 KiB}"),
        ==, 0);
}

/* The same under the names of Aries: without a bias nearly all set out on a detour (and come back
 * to the one global link at the next switch, so that it keeps looking full); ten packets are less
 * than a bias of 16 KiB. */
static void test_phantom_bias(void)
{
    static const char *const modes[] = {"ADAPTIVE_0", "ADAPTIVE_3", "MIN_HASH"};
    for (guint k = 0; k < G_N_ELEMENTS(modes); k++) {
        g_autofree char *routing =
            g_strdup_printf("{algorithm: aries, mode: %s, bias_high: 16 KiB}", modes[k]);
        double share = detours_when_idle(LONG_GLOBAL("5 us"), routing);
        if (k == 0)
            g_assert_cmpfloat(share, >, 0.5);
        else
            g_assert_cmpfloat(share, ==, 0);
    }
}

/* A line of six switches, two terminals each: terminal 2 s and 2 s + 1 on switch s. */
#define LINE                                                                                       \
    "fabric:\n  type: torus\n  dims: [6]\n  wrap: [false]\n  terminals_per_switch: 2\n"            \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}\n"               \
    "    link: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 16 KiB}\n"                             \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {packet: 1 KiB, header: 0 B}\n"

static double stalled_share(const Bench *b, guint32 from, guint32 to)
{
    const DnGraph *g = b->machine->graph;
    for (guint32 l = 0; l < g->size.links; l++)
        if (g->links[l].src == from && g->links[l].dst == to)
            return (double)b->result.links[l].stalled_ps / (double)b->result.end_ps;
    g_assert_not_reached();
}

/* Everyone on switches 0 to 3 sends to terminal 10, on switch 5. Its own link is busy, never
 * without credit: it is the root. The tree grows from there: every link on the way towards it
 * waits for credit most of the time, the nearest one serves one link's rate and so fills; no
 * link the other way ever waits. */
static void test_congestion_tree(void)
{
    Bench b;
    bench_open(&b, LINE, NULL);
    DnMessage m[8];
    for (guint i = 0; i < 8; i++)
        m[i] = (DnMessage){.src = i, .dst = 10, .bytes = MIB};
    bench_run(&b, m, 8, FALSE, 1024);
    const DnGraph *g = b.machine->graph;
    g_assert_cmpfloat(stalled_share(&b, 5, g->terminals[10]), ==, 0);
    for (guint32 s = 0; s < 3; s++) { /* switch 3 is where all are together: one link's rate */
        g_assert_cmpfloat(stalled_share(&b, s, s + 1), >, 0.05);
        g_assert_cmpfloat(stalled_share(&b, s + 1, s), ==, 0);
    }
    for (guint32 t = 0; t < 8; t++) /* down to the sources: an eighth each, minus the ends */
        g_assert_cmpfloat(stalled_share(&b, g->terminals[t], t / 2), >, 0.5);
    bench_close(&b);
}

/* A victim of the tree: terminal 0 sends to terminal 3, on switch 1, and nobody else does. Terminal
 * 1 beside it sends with two others to terminal 10 and so gets a third of a link; two thirds of the
 * link they share are left, 1.5 times as long as alone. But the buffer at its end is full of
 * packets that cannot go on, and the victim waits with them. */
static void test_victim(void)
{
    gint64 time[2];
    for (guint incast = 0; incast < 2; incast++) {
        Bench b;
        bench_open(&b, LINE, NULL);
        DnMessage m[4] = {{.src = 0, .dst = 3, .bytes = MIB},
                          {.src = 1, .dst = 10, .bytes = 4 * MIB},
                          {.src = 7, .dst = 10, .bytes = 4 * MIB},
                          {.src = 9, .dst = 10, .bytes = 4 * MIB}};
        bench_run(&b, m, incast ? 4 : 1, FALSE, 1024);
        time[incast] = packet_bench_at(&b, 0);
        bench_close(&b);
    }
    /* 1,024 packets of 102.4 ns, two switches, three wires */
    g_assert_cmpint(time[0], ==, (gint64)MIB * 100 + 2 * 10000 + 20000 + 2 * 100000);
    g_assert_cmpfloat((double)time[1], >, 1.8 * (double)time[0]);
}

/* Cut-through: the size of packets does not show in what a large message gets, within 2 %. */
static void test_packet_sizes(void)
{
    gint64 fastest = G_MAXINT64, slowest = 0;
    for (gint64 size = 64; size <= 65536; size *= 4) {
        Bench b;
        bench_open(&b, LONG_GLOBAL("200 ns"), NULL);
        DnMessage m = {.src = 0, .dst = IN_GROUP_5, .bytes = 16 * MIB};
        bench_run(&b, &m, 1, FALSE, size);
        fastest = MIN(fastest, packet_bench_at(&b, 0));
        slowest = MAX(slowest, packet_bench_at(&b, 0));
        bench_close(&b);
    }
    g_assert_cmpint(fastest, >=, (gint64)16 * MIB * 100);
    g_assert_cmpint(slowest, <=, fastest + fastest / 50);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/congestion/phantom", test_phantom);
    g_test_add_func("/congestion/phantom-bias", test_phantom_bias);
    g_test_add_func("/congestion/tree", test_congestion_tree);
    g_test_add_func("/congestion/victim", test_victim);
    g_test_add_func("/congestion/packet-sizes", test_packet_sizes);
    return g_test_run();
}
