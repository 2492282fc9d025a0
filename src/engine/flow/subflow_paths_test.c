/* subflow_paths_test.c - The paths of messages that are alone, or with others of their source: the
 * shortest ones while these are as fast as the source, further ones where they are slower. */
#include "engine/flow/flow_test.h"

#define OTHER_GROUP (2 * 4 * 2) /* an endpoint there, on BENCH_DRAGONFLY */

/* On an idle network several paths take no longer than one, the shortest, and as in the packet
 * engine: no walk of a message sends the next one on a detour. */
static void test_idle(void)
{
    static const gint64 kib[] = {1, 2, 8, 64, 1024};
    Bench b;
    bench_open(&b, BENCH_DRAGONFLY(""), "{algorithm: ugal_l}");
    for (guint i = 0; i < G_N_ELEMENTS(kib); i++) {
        DnMessage m = {.src = 0, .dst = OTHER_GROUP, .bytes = kib[i] * 1024};
        flow_run(&b, &m, 1, "{subflows: 1}");
        gint64 one_ps = packet_bench_at(&b, 0);
        flow_run(&b, &m, 1, "{subflows: 8}");
        assert_near(packet_bench_at(&b, 0), one_ps);
        engine = "packet";
        flow_run(&b, &m, 1, NULL);
        g_assert_cmpfloat_with_epsilon((double)packet_bench_at(&b, 0) / (double)one_ps, 1.0, 0.01);
        engine = "flow";
    }
    bench_close(&b);
}

/* Two messages of one source that share all of their path: together they are no faster than their
 * source, so nothing queues for the links behind it. */
static void test_siblings(void)
{
    Bench b;
    bench_open(&b, BENCH_DRAGONFLY(""), "{algorithm: ugal_l}");
    DnMessage m[2] = {{.src = 0, .dst = OTHER_GROUP, .bytes = 64 * 1024},
                      {.src = 0, .dst = OTHER_GROUP, .bytes = 2 * 1024}};
    gint64 one_ps[2];
    flow_run(&b, m, 2, "{subflows: 1}");
    for (guint i = 0; i < 2; i++)
        one_ps[i] = packet_bench_at(&b, i);
    flow_run(&b, m, 2, "{subflows: 8}");
    for (guint i = 0; i < 2; i++)
        assert_near(packet_bench_at(&b, i), one_ps[i]);
    bench_close(&b);
}

/* Two sources of one switch send to another group at once. Short messages share the one link there,
 * and each takes the time of both: what is merely under way is no load, unless the algorithm counts
 * it. Of long ones the second takes a detour, and each has links of its own. */
static void test_two_sources(void)
{
    static const gint64 sizes[] = {64, 1024, 2048, UNIT};
    for (guint i = 0; i < 2 * G_N_ELEMENTS(sizes); i++) {
        const char *options = i % 2 == 0 ? "{subflows: 1}" : "{subflows: 8}";
        gint64 bytes = sizes[i / 2], wire_ps = (bytes + (bytes + 1023) / 1024 * 24) * 100;
        gint64 one_ps[2], both_ps = bytes < UNIT ? wire_ps : 0;
        DnMessage m[2] = {{.src = 0, .dst = OTHER_GROUP, .bytes = bytes},
                          {.src = 1, .dst = OTHER_GROUP + 1, .bytes = bytes}};
        if (bytes == UNIT && i % 2 == 1)
            continue; /* some paths of one cross some of the other */
        Bench b;
        bench_open(&b, BENCH_DRAGONFLY(""), "{algorithm: ugal_l}");
        for (guint k = 0; k < 2; k++) {
            flow_run(&b, &m[k], 1, options);
            one_ps[k] = packet_bench_at(&b, 0);
        }
        flow_run(&b, m, 2, options);
        assert_near(packet_bench_at(&b, 0), one_ps[0] + both_ps);
        if (bytes < UNIT)
            assert_near(packet_bench_at(&b, 1), one_ps[1] + both_ps);
        else
            g_assert_cmpint(packet_bench_at(&b, 1), >, one_ps[1]);
        bench_close(&b);
        bench_open(&b, BENCH_DRAGONFLY(""), "{algorithm: ugal_l, in_flight: counted}");
        flow_run(&b, m, 2, options);
        assert_near(packet_bench_at(&b, 0), one_ps[0]);
        g_assert_cmpint(packet_bench_at(&b, 1), >, one_ps[1]);
        bench_close(&b);
    }
}

/* A source twice as fast as the one link to its target's switch: the queue for that grows above any
 * threshold, and half of the bytes go around, as packets do. */
static void test_narrow(void)
{
    Bench b;
    bench_open(&b,
               "fabric:\n  type: full_mesh\n  switches: 4\n  terminals_per_switch: 1\n"
               "  links:\n    terminal: {bandwidth: 160 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"
               "    link: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 64 KiB}\n"
               "  switch: {latency: 100 ns}\n"
               "hardware: {lanes: 1, packet: 1 KiB, header: 24 B}\n",
               "{algorithm: ugal_l, threshold: 4 KiB}");
    DnMessage m = {.src = 0, .dst = 1, .bytes = UNIT};
    const gint64 around = 2 * 10000 + 2 * 20000 + 3 * 100000;
    flow_run(&b, &m, 1, "{subflows: 8}");
    assert_near(packet_bench_at(&b, 0), around + UNIT_PS / 2);
    engine = "packet";
    flow_run(&b, &m, 1, NULL);
    g_test_message("packets: %.3f units", (double)packet_bench_at(&b, 0) / (double)UNIT_PS);
    g_assert_cmpfloat((double)packet_bench_at(&b, 0), <, 0.55 * (double)UNIT_PS);
    engine = "flow";
    bench_close(&b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/subflow-paths/one-flow", test_one_flow);
    g_test_add_func("/subflow-paths/idle", test_idle);
    g_test_add_func("/subflow-paths/siblings", test_siblings);
    g_test_add_func("/subflow-paths/two-sources", test_two_sources);
    g_test_add_func("/subflow-paths/narrow", test_narrow);
    return g_test_run();
}
