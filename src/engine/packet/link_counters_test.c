/* link_counters_test.c - The packet engine's counters of links where a run stops with packets on
 * the wires. */
#include "engine/packet/packet_bench.h"

/* A message crosses three links, one after another, and the run stops after 1.5 of its packets of
 * 64 KiB: each link was busy from its first byte to the end, and no longer. */
static void test_busy_until_the_end(void)
{
    const gint64 packet_ps = 65536 * 100;
    Bench b;
    bench_open(&b,
               "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 2\n"
               "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 MiB}\n"
               "    link: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 16 MiB}\n"
               "hardware: {lanes: 1, packet: 64 KiB, header: 0 B}\n",
               NULL);
    DnMessage m = {.src = 0, .dst = 2, .bytes = 8 * 65536};
    GError *error = NULL;
    gint64 most_ps = 0;
    b.until_ps = 3 * packet_ps / 2;
    gboolean ok = bench_try(&b, &m, 1, FALSE, 64 << 10, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    g_assert_cmpint(b.result.end_ps, >=, packet_ps);
    g_assert_cmpint(b.result.end_ps, <=, b.until_ps);
    for (guint32 l = 0; l < b.machine->graph->size.links; l++) {
        const DnLinkCounters *c = &b.result.links[l];
        g_assert_cmpint(c->busy_ps, <=, b.result.end_ps);
        if (c->packets > 0)
            g_assert_cmpint(c->busy_ps, >=, b.result.end_ps - 300 * 1000); /* on a later hop */
        most_ps = MAX(most_ps, c->busy_ps);
    }
    g_assert_cmpint(most_ps, ==, b.result.end_ps); /* the source's uplink */
    bench_close(&b);
}

/* Eight senders of 64-byte packets to one, cut short when more than 2^16 wait for the last link: it
 * counts the packets that crossed it, no more. */
static void test_long_queue(void)
{
    Bench b;
    DnMessage m[8];
    GError *error = NULL;
    bench_open(&b,
               "fabric:\n  type: full_mesh\n  switches: 1\n  terminals_per_switch: 9\n"
               "  links:\n    terminal: {bandwidth: 100 Gb/s, latency: 100 ns, buffer: 100 MiB}\n"
               "  switch: {latency: 100 ns}\nhardware: {packet: 64 B, header: 0 B}\n",
               NULL);
    for (guint i = 0; i < 8; i++)
        m[i] = (DnMessage){.src = i + 1, .dst = 0, .bytes = 1 << 20};
    b.until_ps = 50000000;
    gboolean ok = bench_try(&b, m, 8, FALSE, 64, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    guint64 sent = 0, received = 0;
    for (guint32 l = 0; l < b.machine->graph->size.links; l++) {
        const DnLinkCounters *c = &b.result.links[l];
        gboolean up = b.machine->graph->vertices[b.machine->graph->links[l].dst].kind ==
                      DN_VERTEX_SWITCH;
        g_assert_cmpuint(c->bytes, ==, 64 * c->packets);
        *(up ? &sent : &received) += c->packets;
    }
    g_assert_cmpuint(sent, >, received + (1 << 16) + 1000);
    bench_close(&b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/link-counters/busy-until-the-end", test_busy_until_the_end);
    g_test_add_func("/link-counters/long-queue", test_long_queue);
    return g_test_run();
}
