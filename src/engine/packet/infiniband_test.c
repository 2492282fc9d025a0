/* infiniband_test.c - congestion control by marks and tables: who is marked, how long a source then
 * pauses, and when it is let go. */
#include "engine/packet/infiniband.h"
#include "engine/packet/packet_bench.h"

#define KIB 1024
#define MIB (1 << 20)
#define NS 1000
#define PACKET_PS (1024 * 100) /* 1 KiB at 80 Gb/s */

/* A pause of p packets is kept as p * 2^shift times, the shift the largest of 0 to 3 with which
 * they fit 14 bits: an eighth of a packet is (3, 1), 2,047 packets are (3, 16,376), 2,048 would be
 * 16,384 and so (2, 8,192); 16,383 is the longest there is. */
static void test_entries(void)
{
    g_assert_cmpuint(dn_cct_entry(0), ==, 3 << 14);
    g_assert_cmpuint(dn_cct_entry(0.125), ==, 3 << 14 | 1);
    g_assert_cmpuint(dn_cct_entry(2047), ==, 3 << 14 | 16376);
    g_assert_cmpuint(dn_cct_entry(2048), ==, 2 << 14 | 8192);
    g_assert_cmpuint(dn_cct_entry(16383), ==, 16383);
    g_assert_cmpuint(dn_cct_entry(20000), ==, 16383);
    static const double packets[] = {0, 0.125, 1, 3, 24.5, 2047, 2048, 5000, 16383};
    for (guint i = 0; i < G_N_ELEMENTS(packets); i++)
        g_assert_cmpint(dn_cct_pause_ps(dn_cct_entry(packets[i]), 8000), ==,
                        (gint64)(packets[i] * 8000));
}

/* Eleven terminals on one switch, whose input buffers hold sixteen packets. */
#define STAR_OF(hardware)                                                                          \
    "fabric:\n  type: full_mesh\n  switches: 1\n  terminals_per_switch: 11\n"                      \
    "  links: {terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}}\n"                  \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {packet: 1 KiB, header: 0 B, " hardware "}\n"
#define STAR(more) STAR_OF("congestion_control: infiniband" more)

/* Index 0 or 1, and a pause of nine packets at 1: a tenth of the link; until the timer says. */
#define TENTH ", ccti_limit: 1, cct_longest: 9, ccti_timer: "

/* When both of two messages to one terminal are there, of @bytes each; alone they take 2 * bytes
 * * 100 ps but for wires. */
static gint64 two_to_one(const char *yaml, gint64 bytes, gint64 *first)
{
    Bench b;
    bench_open(&b, yaml, NULL);
    DnMessage m[2] = {{.src = 1, .dst = 0, .bytes = bytes}, {.src = 2, .dst = 0, .bytes = bytes}};
    bench_run(&b, m, 2, FALSE, KIB);
    gint64 last = MAX(packet_bench_at(&b, 0), packet_bench_at(&b, 1));
    if (first != NULL)
        *first = MIN(packet_bench_at(&b, 0), packet_bench_at(&b, 1));
    bench_close(&b);
    return last;
}

/* Marked once, and no timer for a second: every packet but the first few is followed by a pause of
 * nine. Those first ones leave at the link's rate until the mark is back. Queued behind each other
 * they pass half a buffer, 8 packets, when 16 of both have come, 0.8 us; the mark of the next is
 * back 3 hops of 110 ns later. So at most 16 of 1,024 are sooner than every ten packet times. */
static void test_pause(void)
{
    gint64 first, last = two_to_one(STAR(TENTH "1 s"), MIB, &first);
    const gint64 paced = (gint64)10 * PACKET_PS;
    g_assert_cmpint(last, <=, 1024 * paced);
    g_assert_cmpint(first, >=, (1024 - 16) * paced);
}

/* The timers tick at 300, 600, ... us. Both are at a tenth from the first few packets on, and at
 * the first tick have sent 300 / 1.024 = 293 of their 1,024; then both go at full rate until they
 * are marked again, which takes 16 packets of each at most. So each period lets through 293 to
 * 309, and 1,024 are done in the fourth: after 3 periods 97 to 145 are left, at a tenth of the
 * link but for the 16: 83 to 149 us more. */
static void test_timer(void)
{
    gint64 first, last = two_to_one(STAR(TENTH "300 us"), MIB, &first);
    g_assert_cmpint(first, >=, (gint64)(900 + 80) * 1000 * NS);
    g_assert_cmpint(last, <=, (gint64)(900 + 149) * 1000 * NS);
}

/* A flow without marked packets is not throttled: a Threshold of 0, packets smaller than
 * Packet_Size, a Marking_Rate at which one of 65,536 is (there are 2,048; none with this seed), and
 * a queue that stays below the Threshold: of 14 packets of each sender at most 14 wait, where 1
 * allows fifteen sixteenths of 16 KiB and 15 allows one. */
static void test_unmarked(void)
{
    gint64 both = 2 * (gint64)MIB * 100 + 20 * NS + 100 * NS;
    g_assert_cmpint(two_to_one(STAR(TENTH "1 s, cc_threshold: 0"), MIB, NULL), ==, both);
    g_assert_cmpint(two_to_one(STAR(TENTH "1 s, cc_packet: 1025 B"), MIB, NULL), ==, both);
    g_assert_cmpint(two_to_one(STAR(TENTH "1 s, cc_marking_rate: 65535"), MIB, NULL), ==, both);
    gint64 few = 28 * PACKET_PS + 120 * NS;
    g_assert_cmpint(two_to_one(STAR(TENTH "1 s, cc_threshold: 1"), 14 * KIB, NULL), ==, few);
    g_assert_cmpint(two_to_one(STAR(TENTH "1 s, cc_threshold: 15"), 14 * KIB, NULL), >,
                    few + 10 * PACKET_PS);
    g_assert_cmpint(two_to_one(STAR(TENTH "1 s"), MIB, NULL), >, 2 * both);
}

/* Ten send 4 MiB each to one: 40 MiB at 100 ps a byte, the link busy 95 % of the time. Each has a
 * tenth of it within a tenth, so that the first ends no sooner than at 0.9 of that time. */
static void test_incast(void)
{
    Bench b;
    bench_open(&b, STAR(", cct_longest: 32"), NULL);
    DnMessage m[10];
    for (guint i = 0; i < 10; i++)
        m[i] = (DnMessage){.src = i + 1, .dst = 0, .bytes = 4 * MIB};
    bench_run(&b, m, 10, FALSE, KIB);
    gint64 first = G_MAXINT64, last = 0;
    for (guint i = 0; i < 10; i++) {
        first = MIN(first, packet_bench_at(&b, i));
        last = MAX(last, packet_bench_at(&b, i));
    }
    gint64 all = (gint64)40 * MIB * 100;
    g_test_message("first %.3f, last %.3f of the link's time", (double)first / (double)all,
                   (double)last / (double)all);
    g_assert_cmpint(last, <=, all / 95 * 100);
    g_assert_cmpint(first, >=, all / 10 * 9);
    bench_close(&b);
}

/* A line of six switches, two terminals each, as in congestion_test.c. */
#define LINE(rate, control)                                                                        \
    "fabric:\n  type: torus\n  dims: [6]\n  wrap: [false]\n  terminals_per_switch: 2\n"            \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}\n"               \
    "    link: {bandwidth: " rate ", latency: 20 ns, buffer: 16 KiB}\n"                            \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {packet: 1 KiB, header: 0 B, congestion_control: " control "}\n"

/* Returns when the victim's message arrives: terminal 0 sends 4 MiB to 3, alone there; terminal 1
 * next to it is one of three sources of an incast to terminal 10 over the same links, with 16 MiB
 * each in messages of @message_bytes. */
static gint64 victim_ps(const char *yaml, gint64 message_bytes, gint64 *incast_ps)
{
    static const guint32 sources[] = {1, 7, 9};
    Bench b;
    bench_open(&b, yaml, NULL);
    guint each = (guint)(16 * MIB / message_bytes), n = 3 * each + 1;
    g_autofree DnMessage *m = g_new0(DnMessage, n);
    m[0] = (DnMessage){.src = 0, .dst = 3, .bytes = 4 * MIB};
    for (guint i = 1; i < n; i++)
        m[i] = (DnMessage){.src = sources[i % 3], .dst = 10, .bytes = message_bytes};
    bench_run(&b, m, n, FALSE, KIB);
    gint64 victim = packet_bench_at(&b, 0);
    *incast_ps = 0;
    for (guint i = 1; i < n; i++)
        *incast_ps = MAX(*incast_ps, packet_bench_at(&b, i));
    bench_close(&b);
    return victim;
}

/* Each source of the incast gets a third of the link; the victim's share of the link that it shares
 * with one of them is two thirds, 1.5 times its time alone. Without control it waits in buffers
 * that the incast has filled, and takes more than 1.8 times. With control it gets its share, and
 * the incast's link is still busy nine tenths of the time. */
static void test_victim(void)
{
    const double alone = 4.0 * MIB * 100;
    gint64 incast[2];
    double none = (double)victim_ps(LINE("80 Gb/s", "none"), 16 * MIB, &incast[0]) / alone;
    double held =
        (double)victim_ps(LINE("80 Gb/s", "infiniband, cct_longest: 8"), 16 * MIB, &incast[1]) /
        alone;
    g_test_message("victim %.3f and %.3f, aggressor %.3f", none, held,
                   (double)incast[1] / (double)incast[0]);
    g_assert_cmpfloat(none, >, 1.8);
    g_assert_cmpfloat(held, <, 1.55);
    g_assert_cmpfloat((double)incast[1], <, (double)incast[0] / 0.9);
}

/* An incast without throttled flows, since its packets are smaller than Packet_Size, and links that
 * carry the full rate of two terminals. So only the congestion tree of the incast fills the queue
 * at switch 0, to beyond the Threshold, and that port is never the root: it lacks credits. The
 * victim is not marked there: it arrives at the time of a run without marking. (One mark would
 * throttle it to a tenth for good.) */
static void test_root(void)
{
    gint64 incast[2];
    gint64 never = victim_ps(LINE("160 Gb/s", "infiniband, cc_threshold: 0"), 512, &incast[0]);
    gint64 root =
        victim_ps(LINE("160 Gb/s", "infiniband, cc_packet: 513 B" TENTH "1 s"), 512, &incast[1]);
    g_test_message("victim %.3f of its time alone", (double)never / (4.0 * MIB * 100));
    g_assert_cmpfloat((double)never, >, 1.3 * 4.0 * MIB * 100);
    g_assert_cmpint(root, ==, never);
    g_assert_cmpint(incast[1], ==, incast[0]);
}

/* A flow has one source and one destination: terminal 1, a source of an incast, has the rest of its
 * link for another message, whose 1,024 packets take 1.05 to 1.2 times as long as alone. */
static void test_flows_apart(void)
{
    Bench b;
    bench_open(&b, STAR(TENTH "1 s"), NULL);
    DnMessage m[3] = {{.src = 1, .dst = 0, .bytes = 2 * MIB},
                      {.src = 2, .dst = 0, .bytes = 2 * MIB},
                      {.src = 1, .dst = 3, .bytes = MIB}};
    bench_run(&b, m, 3, FALSE, KIB);
    g_assert_cmpint(packet_bench_at(&b, 2), >=, (gint64)MIB * 105);
    g_assert_cmpint(packet_bench_at(&b, 2), <=, (gint64)MIB * 120);
    g_assert_cmpint(packet_bench_at(&b, 0), >=, (gint64)(2048 - 32) * 10 * PACKET_PS);
    bench_close(&b);
}

static guint one_blocked(void *client, GString *account, guint max_lines)
{
    return 1;
}

/* The watchdog's report of a run that is stuck lists the throttled flows, of either kind of
 * control. */
static void test_watchdog(void)
{
    static const char *const machines[] = {STAR(TENTH "1 s"),
                                           STAR_OF("window: 64, throttle_target: 200 ns, "
                                                   "congestion_control: endpoint_throttle")};
    static const char *const notified[] = {"by congestion control: index 1 of 1",
                                           "by congestion control: one of 2 sources, "};
    for (guint k = 0; k < 2; k++) {
        Bench b;
        g_autoptr(GError) error = NULL;
        bench_open(&b, machines[k], NULL);
        DnMessage m[2] = {{.src = 1, .dst = 0, .bytes = MIB}, {.src = 2, .dst = 0, .bytes = MIB}};
        DnClient client = script_client;
        client.blocked = one_blocked;
        b.client = &client;
        g_assert_false(bench_try(&b, m, 2, FALSE, KIB, &error));
        g_assert_error(error, DN_ERROR, DN_ERROR_STALLED);
        g_test_message("%s", error->message);
        g_assert_nonnull(strstr(error->message, " is held back from node 0"));
        g_assert_nonnull(strstr(error->message, notified[k]));
        bench_close(&b);
    }
}

/* Six senders into buffers of 1 GiB leave more than 2^32 B at the switch; they are counted. */
static void test_many_bytes(void)
{
    Bench b;
    DnMessage m[6];
    bench_open(&b,
               "fabric:\n  type: full_mesh\n  switches: 1\n  terminals_per_switch: 7\n"
               "  links:\n    terminal: {bandwidth: 100 Gb/s, latency: 100 ns, buffer: 1 GiB}\n"
               "  switch: {latency: 100 ns}\n"
               "hardware: {packet: 64 KiB, header: 0 B, congestion_control: infiniband, "
               "cc_threshold: 0}\n",
               NULL);
    for (guint i = 0; i < 6; i++)
        m[i] = (DnMessage){.src = i + 1, .dst = 0, .bytes = 1 << 30};
    bench_run(&b, m, 6, FALSE, 64 << 10);
    g_assert_cmpint(b.result.end_ps, >=, 6 * (gint64)(1 << 30) * 80);
    bench_close(&b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/infiniband/entries", test_entries);
    g_test_add_func("/infiniband/pause", test_pause);
    g_test_add_func("/infiniband/timer", test_timer);
    g_test_add_func("/infiniband/unmarked", test_unmarked);
    g_test_add_func("/infiniband/incast", test_incast);
    g_test_add_func("/infiniband/victim", test_victim);
    g_test_add_func("/infiniband/root", test_root);
    g_test_add_func("/infiniband/many-bytes", test_many_bytes);
    g_test_add_func("/infiniband/watchdog", test_watchdog);
    g_test_add_func("/infiniband/flows-apart", test_flows_apart);
    return g_test_run();
}
