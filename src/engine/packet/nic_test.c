/* nic_test.c - lanes, arbitration, the NIC's limits and counters, and the endpoint throttle. */
#include "engine/packet/packet_bench.h"

/* 80 Gb/s: 100 ps a byte; two switches, four terminals each, wires 10 and 50 ns, switches
 * 100 ns. */
#define PAIR(hardware)                                                                             \
    "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 4\n"                       \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}\n"               \
    "    link: {bandwidth: 80 Gb/s, latency: 50 ns, buffer: 16 KiB}\n"                             \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {packet: 1 KiB, header: 0 B" hardware "}\n"

#define MIB (1 << 20)

/* The conservation check at a run's end compares sums over all parts: responses among them. */
static void test_totals(void)
{
    DnPartition partitions[2] = {{.totals = {.packets_made = 5, .responses_made = 3}},
                                 {.totals = {.packets_delivered = 5, .responses_delivered = 2}}};
    DnPacketEngine e = {.threads = {.partitions = partitions, .n_partitions = 2}};
    DnTotals t = dn_totals(&e);
    g_assert_cmpuint(t.packets_made, ==, t.packets_delivered);
    g_assert_cmpuint(t.responses_made, ==, 3);
    g_assert_cmpuint(t.responses_delivered, ==, 2);
}

/* Two flows over the one link between the switches, on lanes 0 and 1, equal bytes. When the
 * favoured one is done, it has had share s of the link: it ends at bytes / (s * rate). */
static void share_test(const char *yaml, double share)
{
    Bench b;
    bench_open(&b, yaml, NULL);
    DnMessage m[2] = {{.src = 0, .dst = 4, .bytes = MIB, .lane = 0},
                      {.src = 1, .dst = 5, .bytes = MIB, .lane = 1}};
    bench_run(&b, m, 2, FALSE, 1024);
    double expected = (double)MIB * 100 / share;
    g_assert_cmpfloat_with_epsilon((double)packet_bench_at(&b, 1), expected, 0.02 * expected);
    g_assert_cmpint(packet_bench_at(&b, 0), >=,
                    2 * (gint64)MIB * 100); /* the other ends with the link's work */
    g_assert_cmpint(packet_bench_at(&b, 0), <=, 2 * (gint64)MIB * 100 + 2000000);
    g_assert_cmpuint(b.result.lanes, ==, 2);
    guint64 lanes[2] = {0, 0};
    for (guint32 l = 0; l < b.machine->graph->size.links; l++)
        for (guint i = 0; i < 2; i++)
            lanes[i] += b.result.lane_bytes[l * 2 + i];
    g_assert_cmpuint(lanes[0], ==, 3 * MIB); /* three links each */
    g_assert_cmpuint(lanes[1], ==, 3 * MIB);
    bench_close(&b);
}

static void test_round_robin(void)
{
    share_test(PAIR(", lanes: 2"), 0.5);
}

static void test_weighted(void)
{
    share_test(PAIR(", lanes: 2, arbitration: weighted, lane_weights: [1, 3]"), 0.75);
}

static void test_strict(void)
{
    share_test(PAIR(", lanes: 2, arbitration: strict"), 1.0);
}

/* Three sources to terminal 4 and one to 5. On one lane, the flow to 5 shares the link and waits
 * behind the packets to terminal 4: it gets no more than the link's buffers let through. On a lane
 * of its own it has half of the link, as if the incast were one flow: 2 * bytes. */
static void test_lanes_isolate(void)
{
    gint64 ends[2];
    for (guint lane = 0; lane < 2; lane++) {
        Bench b;
        bench_open(&b, PAIR(", lanes: 2"), NULL);
        DnMessage m[4] = {{.src = 0, .dst = 4, .bytes = MIB},
                          {.src = 1, .dst = 4, .bytes = MIB},
                          {.src = 5, .dst = 4, .bytes = MIB},
                          {.src = 2, .dst = 6, .bytes = MIB / 2, .lane = (guint8)lane}};
        bench_run(&b, m, 4, FALSE, 1024);
        ends[lane] = packet_bench_at(&b, 3);
        bench_close(&b);
    }
    gint64 half_link = 2 * (gint64)(MIB / 2) * 100;
    g_assert_cmpint(ends[1], <=, half_link + 3000000);
    g_assert_cmpint(ends[0], >, ends[1] + ends[1] / 10);
}

/* n messages of one packet at r messages/s: the last starts (n - 1) / r after the first. */
static void test_message_rate(void)
{
    Bench b;
    bench_open(&b, PAIR(", message_rate: 1 M/s"), NULL);
    DnMessage m[20];
    for (guint i = 0; i < 20; i++)
        m[i] = (DnMessage){.src = 0, .dst = 1, .bytes = 8};
    bench_run(&b, m, 20, FALSE, 1024);
    gint64 first = 2 * 10000 + 100000 + 800;
    g_assert_cmpint(packet_bench_at(&b, 0), ==, first);
    g_assert_cmpint(packet_bench_at(&b, 19), ==, first + 19 * 1000000);
    bench_close(&b);
}

/* As much for a GPU behind the NIC: the limit is taken where the message meets the network. */
static void test_message_rate_behind(void)
{
    Bench b;
    bench_open(&b,
               "fabric:\n  type: full_mesh\n  switches: 1\n  terminals_per_switch: 2\n"
               "  links: {terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}}\n"
               "  switch: {latency: 100 ns}\n"
               "node:\n  vertices: [{name: gpu, kind: gpu}, {name: nic, kind: nic}]\n"
               "  links: {pcie: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}}\n"
               "  edges: [{link: [gpu, nic], class: pcie}]\n"
               "  nics: [{nic: nic, serves: [gpu]}]\n"
               "hardware: {packet: 1 KiB, header: 0 B, message_rate: 1 M/s}\n",
               NULL);
    DnMessage m[20];
    for (guint i = 0; i < 20; i++)
        m[i] = (DnMessage){.src = 0, .dst = 1, .bytes = 8};
    bench_run(&b, m, 20, FALSE, 1024);
    g_assert_cmpint(packet_bench_at(&b, 19) - packet_bench_at(&b, 0), ==, 19 * 1000000);
    bench_close(&b);
}

/* A window of w requests: w packets a round trip. The path there: wires 10 + 50 + 10 ns, two
 * switches, a packet's 102.4 ns; back the same with the response's 1.6 ns: 270 + 102.4 and 270 +
 * 1.6, and the sender's own 102.4 ns between packets is hidden behind the round trip. */
static void test_window(void)
{
    Bench b;
    bench_open(&b, PAIR(", window: 2, response: 16 B"), NULL);
    DnMessage m = {.src = 0, .dst = 4, .bytes = 200 * 1024};
    bench_run(&b, &m, 1, FALSE, 1024);
    double round_trip = 270000 + 102400 + 270000 + 1600, expected = 99 * round_trip;
    g_assert_cmpfloat_with_epsilon((double)packet_bench_at(&b, 0), expected, 0.01 * expected);
    const DnNicCounters *c = &b.result.nics[0];
    g_assert_cmpuint(c->request_packets, ==, 200);
    g_assert_cmpuint(c->responses, ==, 200);
    /* each latency is a round trip; packets leave in pairs, the second of a pair waits for the
     * first on no link: 102.4 ns apart as they left */
    g_assert_cmpfloat_with_epsilon((double)c->latency_ps_sum / 200, round_trip, 0.01 * round_trip);
    bench_close(&b);
}

/* Packets that stand for four of the machine's: a window of eight of those is two of them, one of
 * two is still one, and smaller packets are as many as the machine's. */
static void test_window_of_larger(void)
{
    static const struct {
        const char *machine;
        gint64 packet;
        guint32 window;
    } cases[] = {{PAIR(", window: 8, response: 16 B"), 4096, 2},
                 {PAIR(", window: 2, response: 16 B"), 4096, 1},
                 {PAIR(", window: 2, response: 16 B"), 512, 2}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        Bench b;
        bench_open(&b, cases[i].machine, NULL);
        DnMessage m = {.src = 0, .dst = 4, .bytes = 200 * cases[i].packet};
        bench_run(&b, &m, 1, FALSE, cases[i].packet);
        double packet = (double)cases[i].packet * 100; /* ps, at 80 Gb/s */
        double expected = 200.0 / cases[i].window * (270000 + packet + 270000 + 1600);
        g_assert_cmpfloat_with_epsilon((double)packet_bench_at(&b, 0), expected, 0.01 * expected);
        bench_close(&b);
    }
}

/* Beside each other in a node nothing crosses a NIC, so nothing is answered: the message neither
 * waits for responses nor is kept for them (the run ends with every record free), with a window
 * alone and with a throttle besides. 64 KiB at 100 ps a byte and 10 ns; the one
 * across the fabric has as many responses as packets. */
static void test_window_in_node(void)
{
    static const char *const hardware[] = {", window: 2",
                                           ", window: 2, congestion_control: endpoint_throttle"};
    for (guint i = 0; i < G_N_ELEMENTS(hardware); i++) {
        g_autofree char *yaml = g_strdup_printf(
            "fabric:\n  type: full_mesh\n  switches: 1\n  terminals_per_switch: 2\n"
            "  links: {terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}}\n"
            "  switch: {latency: 100 ns}\n"
            "node:\n  vertices: [{name: gpu, kind: gpu, count: 2}, {name: nic, kind: nic}]\n"
            "  links: {wire: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}}\n"
            "  edges:\n    - {link: [gpu0, gpu1], class: wire}\n"
            "    - {link: [gpu0, nic], class: wire}\n    - {link: [gpu1, nic], class: wire}\n"
            "  nics: [{nic: nic, serves: [gpu0, gpu1]}]\n"
            "hardware: {packet: 1 KiB, header: 0 B%s}\n",
            hardware[i]);
        Bench b;
        bench_open(&b, yaml, NULL);
        DnMessage m[2] = {{.src = 0, .dst = 1, .bytes = 64 * 1024},
                          {.src = 1, .dst = 3, .bytes = 64 * 1024}};
        bench_run(&b, m, 2, FALSE, 1024);
        g_assert_cmpint(packet_bench_at(&b, 0), ==, 64 * 1024 * 100 + 10000);
        g_assert_cmpuint(b.result.nics[0].responses, ==, 64);
        bench_close(&b);
    }
}

/* Aries: a PUT of 64 B is one header flit and four of 16 B; its response is counted apart. */
static void test_flits(void)
{
    Bench b;
    bench_open(&b, PAIR(", window: 1024, flit: 16 B, header_flits: 1"), NULL);
    DnMessage m = {.src = 0, .dst = 1, .bytes = 640};
    bench_run(&b, &m, 1, FALSE, 64);
    g_assert_cmpuint(b.result.nics[0].request_packets, ==, 10);
    g_assert_cmpuint(b.result.nics[0].request_flits, ==, 50);
    g_assert_cmpuint(b.result.nics[1].request_flits, ==, 0);
    bench_close(&b);
}

/* A packet of 65 flits takes 65 ns at the NIC, of 1 GHz, and 102.4 ns on the link: in a stream all
 * but the first stall for the difference, though credit is there. With a NIC as slow as the link
 * none does, nor does one of packets with pauses between them. */
static void test_link_stalls(void)
{
    static const struct {
        const char *clock;
        guint packets;
        gint64 stalled_ps;
    } cases[] = {{"1 G/s", 64, 63 * 37400}, {"0.6 G/s", 64, 0}, {"1 G/s", 1, 0}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        Bench b;
        g_autofree char *hardware = g_strdup_printf(
            ", window: 1024, flit: 16 B, header_flits: 1, clock: %s}\n", cases[i].clock);
        g_autoptr(GString) yaml = g_string_new(PAIR(""));
        g_string_truncate(yaml, yaml->len - 2);
        g_string_append(yaml, hardware);
        bench_open(&b, yaml->str, NULL);
        DnMessage m = {.src = 0, .dst = 1, .bytes = cases[i].packets * 1024};
        bench_run(&b, &m, 1, FALSE, 1024);
        g_assert_cmpint(b.result.nics[0].stalled_ps, ==, cases[i].stalled_ps);
        bench_close(&b);
    }
}

/* A read with a window of two: the round trip of test_window(), of which the bytes now go the path
 * back; the reader's NIC sends one header flit a packet, the last of which asks for a byte. */
static void test_read(void)
{
    Bench b;
    bench_open(&b, PAIR(", window: 2, response: 16 B, flit: 16 B, header_flits: 1"), NULL);
    DnMessage m = {.src = 0, .dst = 4, .bytes = 200 * 1024 + 1, .read = 1};
    bench_run(&b, &m, 1, FALSE, 1024);
    double round_trip = 270000 + 102400 + 270000 + 1600, expected = 100 * round_trip;
    g_assert_cmpfloat_with_epsilon((double)packet_bench_at(&b, 0), expected, 0.01 * expected);
    g_assert_cmpint(b.script.sent_ps[0], ==, packet_bench_at(&b, 0));
    g_assert_cmpuint(b.result.payload_bytes, ==, 200 * 1024 + 1);
    g_assert_cmpuint(b.result.nics[0].request_packets, ==, 201);
    g_assert_cmpuint(b.result.nics[0].request_flits, ==, 201);
    g_assert_cmpuint(b.result.nics[4].request_flits, ==, 0);
    bench_close(&b);
}

/* What three NICs are asked for has one link to go over: they stall, but no request of theirs
 * does. */
static void test_response_stalls(void)
{
    Bench b;
    bench_open(&b, PAIR(", window: 64, response: 16 B"), NULL);
    DnMessage m[3];
    for (guint i = 0; i < 3; i++)
        m[i] = (DnMessage){.src = 4 + i, .dst = i, .bytes = MIB, .read = 1};
    bench_run(&b, m, 3, FALSE, 1024);
    gint64 links = 0;
    for (guint32 l = 0; l < b.machine->graph->size.links; l++)
        links += b.result.links[l].stalled_ps;
    g_assert_cmpint(links, >, (gint64)MIB * 100);
    for (guint i = 0; i < 3; i++)
        g_assert_cmpint(b.result.nics[i].stalled_ps, ==, 0);
    bench_close(&b);
}

/* An injection limit of half the link: twice the time at the source. */
static void test_injection(void)
{
    Bench b;
    bench_open(&b, PAIR(", injection: 40 Gb/s"), NULL);
    DnMessage m = {.src = 0, .dst = 1, .bytes = MIB};
    bench_run(&b, &m, 1, FALSE, 1024);
    g_assert_cmpfloat_with_epsilon((double)packet_bench_at(&b, 0), MIB * 200.0, 0.01 * MIB * 200.0);
    bench_close(&b);
}

/* Two sources, each with packets for two terminals. A crossbar without limit lets an input feed
 * both outputs at once; with speed-up 1 an input feeds one at a time, but its link brings no more
 * than that anyway: the sum of the work is the same, and nothing is lost. */
static void test_speedup(void)
{
    gint64 last[2];
    for (guint limited = 0; limited < 2; limited++) {
        Bench b;
        bench_open(&b, limited ? PAIR(", speedup: 1") : PAIR(""), NULL);
        DnMessage m[4] = {{.src = 0, .dst = 2, .bytes = MIB},
                          {.src = 0, .dst = 3, .bytes = MIB},
                          {.src = 1, .dst = 2, .bytes = MIB},
                          {.src = 1, .dst = 3, .bytes = MIB}};
        bench_run(&b, m, 4, FALSE, 1024);
        last[limited] = 0;
        for (guint i = 0; i < 4; i++)
            last[limited] = MAX(last[limited], packet_bench_at(&b, i));
        bench_close(&b);
    }
    g_assert_cmpint(last[0], >=, 2 * (gint64)MIB * 100);
    g_assert_cmpint(last[0], <=, 2 * (gint64)MIB * 100 + 3000000);
    g_assert_cmpint(last[1], >=, 2 * (gint64)MIB * 100);
    g_assert_cmpint(last[1], <=, last[0] + last[0] / 4);
}

/* Seven sources send to one terminal through one link, and one flow shares that link on its path to
 * an idle terminal. The incast fills the link's buffer and stops the victim; when its sources are
 * throttled, the victim gets through. */
static void test_throttle_frees_victim(void)
{
    gint64 victim[2], incast[2];
    for (guint on = 0; on < 2; on++) {
        Bench b;
        bench_open(&b,
                   on ? PAIR(", window: 1024, congestion_control: endpoint_throttle, "
                             "throttle_target: 1 us")
                      : PAIR(", window: 1024"),
                   NULL);
        DnMessage m[7] = {
            {.src = 0, .dst = 4, .bytes = 4 * MIB}, {.src = 1, .dst = 4, .bytes = 4 * MIB},
            {.src = 5, .dst = 4, .bytes = 4 * MIB}, {.src = 6, .dst = 4, .bytes = 4 * MIB},
            {.src = 7, .dst = 4, .bytes = 4 * MIB}, {.src = 2, .dst = 4, .bytes = 4 * MIB},
            {.src = 3, .dst = 6, .bytes = MIB}};
        bench_run(&b, m, 7, FALSE, 1024);
        victim[on] = packet_bench_at(&b, 6);
        incast[on] = 0;
        for (guint i = 0; i < 6; i++)
            incast[on] = MAX(incast[on], packet_bench_at(&b, i));
        bench_close(&b);
    }
    /* Alone the victim takes 1 MiB * 100 ps = 105 us; with the incast more than twice that. */
    g_assert_cmpint(victim[0], >, 2 * (gint64)MIB * 100);
    g_assert_cmpint(victim[1], <, (gint64)(1.5 * MIB * 100));
    /* The incast's own link is kept busy: 6 * 4 MiB at its rate, but for 2 %. */
    g_test_message("victim %.1f us, aggressor %.1f us", (double)victim[1] * 1e-6,
                   (double)incast[1] * 1e-6);
    g_assert_cmpint(incast[1], <, (gint64)(1.02 * 24 * MIB * 100));
}

/* Fifteen sources to one through one switch, then one of them alone: whoever is left soon has the
 * link to itself again. 14 * 256 KiB and 1 MiB at 100 ps a byte, the link never idle: its own
 * 1,000 round trips would show in the sum. */
static void test_throttle_recovers(void)
{
    Bench b;
    bench_open(&b,
               "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 8\n"
               "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 32 KiB}\n"
               "    link: {bandwidth: 80 Gb/s, latency: 300 ns, buffer: 64 KiB}\n"
               "  switch: {latency: 300 ns}\n"
               "hardware: {packet: 1 KiB, window: 1024, congestion_control: endpoint_throttle, "
               "throttle_target: 2 us}\n",
               NULL);
    DnMessage m[15];
    for (guint i = 0; i < 15; i++)
        m[i] = (DnMessage){.src = i + 1, .dst = 0, .bytes = i == 0 ? MIB : MIB / 4};
    bench_run(&b, m, 15, FALSE, 1024);
    gint64 all = (gint64)(MIB + 14 * MIB / 4) * 100;
    g_assert_cmpint(packet_bench_at(&b, 0), >=, all);
    g_assert_cmpint(packet_bench_at(&b, 0), <, all + all / 50);
    bench_close(&b);
}

/* One switch of eight terminals, its crossbar as fast as the links. */
#define STAR(buffers)                                                                              \
    "fabric:\n  type: full_mesh\n  switches: 1\n  terminals_per_switch: 8\n"                       \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}\n"               \
    "    link: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}\n"                             \
    "  switch: {latency: 10 ns}\n"                                                                 \
    "hardware: {packet: 1 KiB, speedup: 1, input_buffers: " buffers "}\n"

static int by_time(gconstpointer a, gconstpointer b)
{
    gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;
    return (x > y) - (x < y);
}

/* Every source sends one-packet messages to random others as fast as it can: what is delivered of
 * what eight links could carry, while the second quarter of all messages is. */
static double star_throughput(const char *yaml)
{
    enum { N = 8 * 3000 };
    Bench b;
    bench_open(&b, yaml, NULL);
    g_autofree DnMessage *m = g_new0(DnMessage, N);
    guint64 key = dn_draw_key(5, DN_DRAW_TEST, 0);
    for (guint i = 0; i < N; i++)
        m[i] = (DnMessage){
            .src = i % 8, .dst = (i + 1 + dn_draw_below(dn_draw(key, i), 7)) % 8, .bytes = 1024};
    bench_run(&b, m, N, FALSE, 1024);
    g_array_sort(b.script.delivered_ps, by_time);
    double time_ps = (double)(packet_bench_at(&b, N / 2) - packet_bench_at(&b, N / 4));
    bench_close(&b);
    const double messages = N / 4.0;
    return messages * 1024 * 100 / time_ps / 8;
}

/* Head-of-line blocking: of a switch of eight ports under uniform traffic, buffers left in order
 * carry 0.6184, of seven 0.6234 (Karol, Hluchyj, Morgan, IEEE Trans. Commun. 35(12), 1987, table I;
 * here each has seven outputs to choose from). With queues for each output nearly all. */
static void test_head_of_line(void)
{
    double fifo = star_throughput(STAR("fifo")), voq = star_throughput(STAR("virtual_output"));
    g_test_message("fifo %.4f, virtual output %.4f", fifo, voq);
    g_assert_cmpfloat_with_epsilon(fifo, 0.62, 0.02);
    g_assert_cmpfloat(voq, >, 0.9);
}

#define RAIL_FABRIC                                                                                \
    "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 2\n  parallel_links: 2\n"  \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"               \
    "    link: {bandwidth: 80 Gb/s, latency: 50 ns, buffer: 64 KiB}\n"                             \
    "  switch: {latency: 100 ns}\n"
#define RAILS(policy)                                                                              \
    RAIL_FABRIC                                                                                    \
    "node:\n  vertices:\n    - {name: cpu, kind: cpu}\n    - {name: nic, kind: nic, count: 2}\n"   \
    "  links:\n    bus: {bandwidth: 640 Gb/s, latency: 100 ns, buffer: 64 KiB}\n"                  \
    "  edges:\n    - {link: [cpu, nic0], class: bus}\n    - {link: [cpu, nic1], class: bus}\n"     \
    "  nics:\n    - {nic: nic0, serves: [cpu]}\n    - {nic: nic1}\n"                               \
    "endpoints: cpu\n"                                                                             \
    "hardware: {packet: 1 KiB, header: 0 B, rails: " policy "}\n"

/* Two messages between two nodes of two NICs each. Over the endpoint's own NIC they share one wire:
 * 2 * bytes; in turn over both: bytes, side by side. */
static void test_rails(void)
{
    static const char *const yaml[] = {RAILS("own"), RAILS("round_robin")};
    for (guint k = 0; k < 2; k++) {
        Bench b;
        bench_open(&b, yaml[k], "{choice: adaptive}");
        DnMessage m[2] = {{.src = 0, .dst = 1, .bytes = MIB}, {.src = 0, .dst = 1, .bytes = MIB}};
        bench_run(&b, m, 2, FALSE, 1024);
        double expected = (k == 0 ? 2.0 : 1.0) * MIB * 100;
        gint64 last = MAX(packet_bench_at(&b, 0), packet_bench_at(&b, 1));
        g_assert_cmpfloat_with_epsilon((double)last, expected, 0.03 * expected);
        bench_close(&b);
    }
}

/* The same with two processors, each beside a NIC. */
#define TWO_RAILS(keys)                                                                            \
    RAIL_FABRIC                                                                                    \
    "node:\n  vertices:\n    - {name: cpu, kind: cpu, count: 2}\n"                                 \
    "    - {name: nic, kind: nic, count: 2}\n"                                                     \
    "  links:\n    bus: {bandwidth: 640 Gb/s, latency: 100 ns, buffer: 64 KiB}\n"                  \
    "  edges:\n    - {pairwise: [cpu, nic], class: bus}\n    - {all_to_all: cpu, class: bus}\n"    \
    "  nics:\n    - {nic: nic0, serves: [cpu0]}\n    - {nic: nic1, serves: [cpu1]}\n"              \
    "endpoints: cpu\n"                                                                             \
    "hardware: {packet: 1 KiB, header: 0 B, " keys "}\n"

/* A message of each of a node's processors: over their own NICs, side by side; or both over the
 * node's first. What holds of processors overrules what holds of all. */
static void test_first_rail(void)
{
    static const char *const yaml[] = {TWO_RAILS("rails: own"), TWO_RAILS("rails: first"),
                                       TWO_RAILS("host_rails: first"),
                                       TWO_RAILS("rails: first, host_rails: own")};
    for (guint k = 0; k < G_N_ELEMENTS(yaml); k++) {
        Bench b;
        bench_open(&b, yaml[k], "{choice: adaptive}");
        DnMessage m[2] = {{.src = 0, .dst = 2, .bytes = MIB}, {.src = 1, .dst = 3, .bytes = MIB}};
        bench_run(&b, m, 2, FALSE, 1024);
        double expected = (k == 1 || k == 2 ? 2.0 : 1.0) * MIB * 100;
        gint64 last = MAX(packet_bench_at(&b, 0), packet_bench_at(&b, 1));
        g_assert_cmpfloat_with_epsilon((double)last, expected, 0.03 * expected);
        bench_close(&b);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/nic/first-rail", test_first_rail);
    g_test_add_func("/nic/totals", test_totals);
    g_test_add_func("/nic/read", test_read);
    g_test_add_func("/nic/response-stalls", test_response_stalls);
    g_test_add_func("/nic/round-robin", test_round_robin);
    g_test_add_func("/nic/weighted", test_weighted);
    g_test_add_func("/nic/strict", test_strict);
    g_test_add_func("/nic/lanes-isolate", test_lanes_isolate);
    g_test_add_func("/nic/message-rate", test_message_rate);
    g_test_add_func("/nic/message-rate-behind", test_message_rate_behind);
    g_test_add_func("/nic/window", test_window);
    g_test_add_func("/nic/window-of-larger", test_window_of_larger);
    g_test_add_func("/nic/window-in-node", test_window_in_node);
    g_test_add_func("/nic/flits", test_flits);
    g_test_add_func("/nic/link-stalls", test_link_stalls);
    g_test_add_func("/nic/injection", test_injection);
    g_test_add_func("/nic/speedup", test_speedup);
    g_test_add_func("/nic/throttle", test_throttle_frees_victim);
    g_test_add_func("/nic/throttle-recovers", test_throttle_recovers);
    g_test_add_func("/nic/head-of-line", test_head_of_line);
    g_test_add_func("/nic/rails", test_rails);
    return g_test_run();
}
