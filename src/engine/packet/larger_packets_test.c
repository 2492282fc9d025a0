/* larger_packets_test.c - packets that stand for several of the machine's end when those do. */
#include "engine/packet/packet_bench.h"

/* 80 Gb/s: 100 ps a byte; two switches, four terminals each, and @link between them; wires 10 and
 * 50 ns, switches 100 ns; a packet of 1 KiB takes 102.4 ns and the path without it 270 ns. */
#define PAIR(link)                                                                                 \
    "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 4\n"                       \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 32 KiB}\n"               \
    "    link: {bandwidth: " link ", latency: 50 ns, buffer: 32 KiB}\n"                            \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {packet: 1 KiB, header: 24 B}\n"
#define PATH_PS 270000
#define PART_PS 104800 /* with its header */
#define KIB 1024
#define LARGE (512 * KIB) /* in packets of up to 8 KiB: a 64th */

/* Alone, over links of one speed and over one that is faster between slower ones, a message takes
 * as long in either packets, has as many bytes on the wire, and is fewer packets. */
static void test_alone(void)
{
    static const char *const machines[] = {PAIR("80 Gb/s"), PAIR("160 Gb/s")};
    for (guint i = 0; i < G_N_ELEMENTS(machines); i++) {
        Bench b;
        bench_open(&b, machines[i], NULL);
        DnMessage m = {.src = 0, .dst = 4, .bytes = LARGE};
        bench_run(&b, &m, 1, FALSE, KIB);
        gint64 own_ps = packet_bench_at(&b, 0);
        g_assert_cmpuint(b.result.packets, ==, 512);
        bench_run(&b, &m, 1, FALSE, 8 * KIB);
        g_assert_cmpint(packet_bench_at(&b, 0), ==, own_ps);
        g_assert_cmpuint(packet_bench_bytes_sent(&b), ==, 3 * (LARGE + 512 * 24));
        g_assert_cmpuint(b.result.packets, >=, 64);
        g_assert_cmpuint(b.result.packets, <, 100);
        bench_close(&b);
    }
}

/* A message of 1 B (25 B: 2.5 ns) meets larger packets on the link between the switches, or leaves
 * by the same source: it waits for one packet of the machine's size, at its source for those
 * that are ready or take a turn, and not for larger ones. */
static void test_short_message(void)
{
    for (guint32 src = 0; src < 2; src++) {
        Bench b;
        bench_open(&b, PAIR("80 Gb/s"), NULL);
        DnMessage m[2] = {{.src = 0, .dst = 4, .bytes = LARGE}, {.src = src, .dst = 5, .bytes = 1}};
        for (guint k = 0; k < 2; k++) {
            bench_run(&b, m, 2, FALSE, k == 0 ? KIB : 8 * KIB);
            g_assert_cmpint(packet_bench_at(&b, 1), >=, PATH_PS + 2500);
            g_assert_cmpint(packet_bench_at(&b, 1), <=,
                            PATH_PS + 2500 + (src == 0 ? 5 : 1) * PART_PS);
            g_assert_cmpint(packet_bench_at(&b, 0), <=, PATH_PS + 512 * PART_PS + 2500);
        }
        bench_close(&b);
    }
}

/* Two messages that fill a link of twice their speed share it: either takes at most one
 * packet longer than alone. A
 * third makes all of them take half as long again. */
static void test_share_link(void)
{
    Bench b;
    bench_open(&b, PAIR("160 Gb/s"), NULL);
    DnMessage m[3] = {{.src = 0, .dst = 4, .bytes = LARGE},
                      {.src = 1, .dst = 5, .bytes = LARGE},
                      {.src = 2, .dst = 6, .bytes = LARGE}};
    bench_run(&b, m, 2, FALSE, 8 * KIB);
    for (guint i = 0; i < 2; i++) {
        g_assert_cmpint(packet_bench_at(&b, i), >=, PATH_PS + 512 * PART_PS);
        g_assert_cmpint(packet_bench_at(&b, i), <=, PATH_PS + 520 * PART_PS);
    }
    bench_run(&b, m, 3, FALSE, 8 * KIB);
    gint64 last_ps =
        MAX(packet_bench_at(&b, 0), MAX(packet_bench_at(&b, 1), packet_bench_at(&b, 2)));
    g_assert_cmpfloat((double)last_ps, >, 1.49 * 512 * PART_PS);
    g_assert_cmpfloat((double)last_ps, <, 1.53 * 512 * PART_PS);
    bench_close(&b);
}

/* Three messages of one source end within a packet of each other. */
static void test_end_together(void)
{
    Bench b;
    bench_open(&b, PAIR("80 Gb/s"), NULL);
    DnMessage m[3] = {{.src = 0, .dst = 4, .bytes = LARGE},
                      {.src = 0, .dst = 5, .bytes = LARGE},
                      {.src = 0, .dst = 6, .bytes = LARGE}};
    bench_run(&b, m, 3, FALSE, 8 * KIB);
    for (guint i = 0; i < 3; i++) {
        g_assert_cmpint(packet_bench_at(&b, i), >=, PATH_PS + (3 * 512 - 8) * PART_PS);
        g_assert_cmpint(packet_bench_at(&b, i), <=, PATH_PS + 3 * 512 * PART_PS);
    }
    bench_close(&b);
}

/* Four messages to one terminal where packets are answered and sources are throttled: each has all
 * its bytes on the wire, the window of requests counts parts, and the last ends within 1 %
 * of the time with the machine's packets. With messages of 64 parts the packets are the machine's,
 * and so are the times, those of short messages too. */
static void test_answered(void)
{
    static const char throttled[] =
        "hardware: {packet: 1 KiB, header: 24 B, lanes: 1, window: 64, response: 16 B, "
        "congestion_control: endpoint_throttle, throttle_target: 2 us}\n";
    static const gint64 sizes[] = {64 * KIB, LARGE};
    g_auto(GStrv) parts = g_strsplit(PAIR("80 Gb/s"), "hardware:", 2);
    g_autofree char *machine = g_strconcat(parts[0], throttled, NULL);
    for (guint k = 0; k < G_N_ELEMENTS(sizes); k++) {
        Bench b;
        bench_open(&b, machine, NULL);
        DnMessage m[6] = {{.src = 4, .dst = 1, .bytes = 1}, {.src = 1, .dst = 4, .bytes = 1}};
        gint64 own_ps[6] = {0}, last_ps[2] = {0, 0};
        for (guint i = 2; i < 6; i++)
            m[i] = (DnMessage){.src = i - 2, .dst = 4, .bytes = sizes[k]};
        for (guint larger = 0; larger < 2; larger++) {
            bench_run(&b, m, 6, FALSE, larger ? 8 * KIB : KIB);
            for (guint i = 0; i < 6; i++) {
                if (k == 0 && larger)
                    g_assert_cmpint(packet_bench_at(&b, i), ==, own_ps[i]);
                own_ps[i] = packet_bench_at(&b, i);
                last_ps[larger] = MAX(last_ps[larger], own_ps[i]);
            }
            guint64 own = 4 * (guint64)(sizes[k] / KIB) + 2;
            g_assert_true(larger && k > 0 ? b.result.packets < own : b.result.packets == own);
        }
        g_assert_cmpfloat_with_epsilon((double)last_ps[1] / (double)last_ps[0], 1.0, 0.01);
        bench_close(&b);
    }
}

/* Two messages to one terminal: packets of 64 KiB are those of 8 KiB, a quarter of a buffer; they
 * end within 1 % of the time of the machine's own. */
static void test_part_of_buffer(void)
{
    Bench b;
    bench_open(&b, PAIR("80 Gb/s"), NULL);
    DnMessage m[2] = {{.src = 0, .dst = 4, .bytes = 8 * LARGE},
                      {.src = 1, .dst = 4, .bytes = 8 * LARGE}};
    bench_run(&b, m, 2, FALSE, KIB);
    double own_ps = (double)MAX(packet_bench_at(&b, 0), packet_bench_at(&b, 1));
    bench_run(&b, m, 2, FALSE, 8 * KIB);
    guint64 packets = b.result.packets;
    gint64 at_ps[2] = {packet_bench_at(&b, 0), packet_bench_at(&b, 1)};
    bench_run(&b, m, 2, FALSE, 64 * KIB);
    g_assert_cmpuint(b.result.packets, ==, packets);
    g_assert_cmpuint(packets, <, 2 * 8 * 80);
    for (guint i = 0; i < 2; i++)
        g_assert_cmpint(packet_bench_at(&b, i), ==, at_ps[i]);
    g_assert_cmpfloat_with_epsilon((double)MAX(at_ps[0], at_ps[1]) / own_ps, 1.0, 0.01);
    bench_close(&b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/larger-packets/alone", test_alone);
    g_test_add_func("/larger-packets/short-message", test_short_message);
    g_test_add_func("/larger-packets/share-link", test_share_link);
    g_test_add_func("/larger-packets/end-together", test_end_together);
    g_test_add_func("/larger-packets/answered", test_answered);
    g_test_add_func("/larger-packets/part-of-buffer", test_part_of_buffer);
    return g_test_run();
}
