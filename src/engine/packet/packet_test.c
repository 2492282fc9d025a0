/* packet_test.c - the packet engine against sums and shares that can be done by hand. */
#include "engine/packet/packet_bench.h"

/* Groups enough to be domains, and windows of several slots. */
#define GROUPS                                                                                     \
    "fabric:\n"                                                                                    \
    "  type: dragonfly\n  groups: 17\n  switches_per_group: 4\n  terminals_per_switch: 2\n"        \
    "  global_links_per_switch: 4\n"                                                               \
    "  links:\n"                                                                                   \
    "    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 4 KiB}\n"                          \
    "    local: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 4 KiB}\n"                             \
    "    global: {bandwidth: 80 Gb/s, latency: 300 ns, buffer: 8 KiB}\n"                           \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {lanes: 1, packet: 1 KiB, header: 24 B}\n"

/* One packet of n payload bytes crosses: its links' wires, a switch latency per switch, and its
 * (n + 24) B once, at 100 ps each: cut-through serialises once on equal links. */
static void test_zero_load(void)
{
    Bench b;
    bench_open(&b, BENCH_DRAGONFLY(""), NULL);
    /* endpoint 0 is on switch 0 (group 0); 1 beside it; 2 on switch 1 of the group. */
    static const gint64 sizes[] = {0, 1, 1000, 1024};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        gint64 serial = (sizes[i] + 24) * 100;
        DnMessage same = {.src = 0, .dst = 1, .bytes = sizes[i]};
        bench_run(&b, &same, 1, FALSE, 1024);
        g_assert_cmpint(packet_bench_at(&b, 0), ==, 2 * 10000 + 100000 + serial);
        DnMessage local = {.src = 0, .dst = 2, .bytes = sizes[i]};
        bench_run(&b, &local, 1, FALSE, 1024);
        g_assert_cmpint(packet_bench_at(&b, 0), ==, 2 * 10000 + 20000 + 2 * 100000 + serial);
    }
    for (guint32 dst = 8; dst < 40; dst++) { /* other groups: the hops tell which wires */
        DnMessage far = {.src = 0, .dst = dst, .bytes = 100};
        bench_run(&b, &far, 1, FALSE, 1024);
        gint64 switches = (gint64)b.result.packet_hops;
        g_assert_cmpint(switches, >=, 2);
        g_assert_cmpint(switches, <=, 4);
        g_assert_cmpint(packet_bench_at(&b, 0), ==,
                        2 * 10000 + 70000 + (switches - 2) * 20000 + switches * 100000 + 12400);
    }
    bench_close(&b);
}

/* Two packets of a message leave one behind the other: the second adds its own serialisation. */
static void test_pipelining(void)
{
    Bench b;
    bench_open(&b, BENCH_DRAGONFLY(""), NULL);
    DnMessage m = {.src = 0, .dst = 2, .bytes = 2 * 1024 + 1};
    bench_run(&b, &m, 1, FALSE, 1024);
    g_assert_cmpint(packet_bench_at(&b, 0), ==, 240000 + (2 * 1048 + 25) * 100);
    g_assert_cmpuint(b.result.packets, ==, 3);
    g_assert_cmpuint(b.script.n_sent, ==, 1);
    g_assert_cmpint(b.script.sent_ps[0], ==, (2 * 1048 + 25) * 100); /* left the source */
    bench_close(&b);
}

/* A link counts past 2^32 bytes and 2^16 packets: 5 GiB in packets of 64 KiB without header cross
 * two links. */
static void test_counts_past_four_gib(void)
{
    Bench b;
    bench_open(&b,
               "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 2\n"
               "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 MiB}\n"
               "    link: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 16 MiB}\n"
               "hardware: {lanes: 1, packet: 64 KiB, header: 0 B}\n",
               NULL);
    const gint64 bytes = G_GINT64_CONSTANT(5) << 30;
    DnMessage m = {.src = 0, .dst = 1, .bytes = bytes};
    bench_run(&b, &m, 1, FALSE, 64 << 10);
    guint used = 0;
    for (guint32 l = 0; l < b.machine->graph->size.links; l++) {
        const DnLinkCounters *c = &b.result.links[l];
        used += c->packets > 0;
        if (c->packets == 0)
            continue;
        g_assert_cmpuint(c->bytes, ==, (guint64)bytes);
        g_assert_cmpuint(c->packets, ==, 81920);
        g_assert_cmpint(c->busy_ps, ==, bytes * 100);
    }
    g_assert_cmpuint(used, ==, 2);
    bench_close(&b);
}

/* Ping-pong of ten messages: ten times one way; nothing is added between. */
static void test_chained(void)
{
    Bench b;
    bench_open(&b, BENCH_DRAGONFLY(""), NULL);
    DnMessage m[10];
    for (guint i = 0; i < 10; i++)
        m[i] = (DnMessage){.src = i % 2, .dst = 1 - i % 2, .bytes = 76};
    bench_run(&b, m, 10, TRUE, 1024);
    for (guint i = 0; i < 10; i++)
        g_assert_cmpint(packet_bench_at(&b, i), ==, (i + 1) * (2 * 10000 + 100000 + 10000));
    bench_close(&b);
}

/* k sources into one: the last wire carries all bytes one after another and shares fairly: all
 * end within one packet's time of each other per source, at latency + k * bytes. */
static void test_incast_shares(void)
{
    Bench b;
    bench_open(&b, BENCH_DRAGONFLY(""), NULL);
    DnMessage m[3];
    const gint64 bytes = 200 * 1024;
    for (guint i = 0; i < 3; i++)
        m[i] = (DnMessage){.src = 2 + 2 * i, .dst = 0, .bytes = bytes};
    bench_run(&b, m, 3, FALSE, 1024);
    const gint64 wire = 200 * (1024 + 24) * 100, latency = 240000, packet = 1048 * 100;
    gint64 last = 0;
    for (guint i = 0; i < 3; i++) {
        g_assert_cmpint(packet_bench_at(&b, i), >=, latency + 3 * wire - 3 * packet);
        last = MAX(last, packet_bench_at(&b, i));
    }
    g_assert_cmpint(last, ==, latency + 3 * wire);
    bench_close(&b);
}

/* The parking lot: three sources on a line of switches send to the one at its end. Served by age,
 * packets of all three have spent the same time T in the network where they meet, so by Little's
 * law a source's share is what its path buffers of it: 128 KiB at each one's first switch, and 8
 * KiB or less of the two links between: all within 128/400 and 144/400. The luckiest then ends at
 * 400/144 = 2.78 * bytes or later. (Inputs in turns: the nearest has 1/2, and ends at 2 * bytes.
 * Whoever was queued first: it has 128/136, and ends at 1.06 * bytes.) */
static void test_parking_lot(void)
{
    Bench b;
    bench_open(&b,
               "fabric:\n  type: torus\n  dims: [4]\n  wrap: [false]\n"
               "  terminals_per_switch: 1\n"
               "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 128 KiB}\n"
               "    link: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 8 KiB}\n"
               "  switch: {latency: 100 ns}\n"
               "hardware: {lanes: 1, packet: 1 KiB, header: 0 B}\n",
               NULL);
    const gint64 bytes = 1 << 20, latency = 2 * 10000 + 3 * 20000 + 4 * 100000;
    gint64 last = 0;
    DnMessage m[3];
    for (guint i = 0; i < 3; i++)
        m[i] = (DnMessage){.src = i, .dst = 3, .bytes = bytes};
    bench_run(&b, m, 3, FALSE, 1024);
    for (guint i = 0; i < 3; i++) {
        g_assert_cmpint(packet_bench_at(&b, i), >, bytes * 100 / 144 * 400);
        last = MAX(last, packet_bench_at(&b, i));
    }
    g_assert_cmpint(last, <=, 3 * bytes * 100 + latency);
    bench_close(&b);
}

/* A slow link feeds a fast one: the fast one starts late enough not to run dry, so the packet's
 * time is latencies + its time on the slowest link; two slow ones fill the fast one. */
static void test_speed_mismatch(void)
{
    Bench b;
    bench_open(&b,
               "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 2\n"
               "  links:\n    terminal: {bandwidth: 40 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"
               "    link: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 64 KiB}\n"
               "  switch: {latency: 100 ns}\n"
               "hardware: {lanes: 1, packet: 1 KiB, header: 0 B}\n",
               NULL);
    /* terminal: 200 ps a byte, mesh link 100. Last wire is slow again: 1,024 * 200 once on the
     * first link, then the fast link holds it back to tail - 102.4 ns: the head reaches the last
     * link 102.4 ns later than by pure cut-through. */
    DnMessage one = {.src = 0, .dst = 2, .bytes = 1024};
    bench_run(&b, &one, 1, FALSE, 1024);
    g_assert_cmpint(packet_bench_at(&b, 0), ==,
                    2 * 10000 + 20000 + 2 * 100000 + 1024 * 200 + 1024 * 100);
    /* Two flows of 40 Gb/s over the one 80 Gb/s link: neither is slowed by the other. */
    DnMessage two[2] = {{.src = 0, .dst = 2, .bytes = 1 << 20},
                        {.src = 1, .dst = 3, .bytes = 1 << 20}};
    bench_run(&b, two, 2, FALSE, 1024);
    for (guint i = 0; i < 2; i++)
        g_assert_cmpint(packet_bench_at(&b, i), <=, 240000 + (1 << 20) * 200 + 3 * 1024 * 200);
    bench_close(&b);
}

/* One flow through a buffer of B bytes and a credit loop of R ps carries at most B per R. */
static void test_credits_bound_throughput(void)
{
    Bench b;
    bench_open(&b,
               "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 1\n"
               "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 1 MiB}\n"
               "    link: {bandwidth: 80 Gb/s, latency: 1 us, buffer: 4 KiB}\n"
               "  switch: {latency: 100 ns}\n"
               "hardware: {lanes: 1, packet: 1 KiB, header: 0 B}\n",
               NULL);
    /* A packet's credit is back after wire 1 us + a switch's 100 ns (of either end's, a part) + its
     * 102.4 ns + wire 1 us + two ports' logic 50 ns = 2252.4 ns; four packets fit, so 4 KiB every
     * 2252.4 ns: 1.8185 B/ns. */
    DnMessage m = {.src = 0, .dst = 1, .bytes = 1 << 20};
    bench_run(&b, &m, 1, FALSE, 1024);
    double expected_ps = (double)(1 << 20) / 4096 * 2252400;
    g_assert_cmpfloat_with_epsilon((double)packet_bench_at(&b, 0), expected_ps, 0.01 * expected_ps);
    bench_close(&b);
}

/* Packets of 16 KiB cross buffers of 8 KiB, which hold eight of the machine's own: now eight of
 * these. The path is 1 MiB at 10 B/ns and two more packets, one a switch. */
static void test_larger_packets_fit(void)
{
    Bench b;
    bench_open(&b,
               "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 1\n"
               "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 8 KiB}\n"
               "    link: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 8 KiB}\n"
               "  switch: {latency: 100 ns}\n"
               "hardware: {lanes: 1, packet: 1 KiB, header: 0 B}\n",
               NULL);
    DnMessage m = {.src = 0, .dst = 1, .bytes = 1 << 20};
    bench_run(&b, &m, 1, FALSE, 16384);
    g_assert_cmpint(packet_bench_at(&b, 0), <, 104858000 + 2 * 1638400 + 1000000);
    bench_close(&b);
}

/* A message to the sender itself is delivered at once, and both callbacks are called. */
static void test_local(void)
{
    Bench b;
    bench_open(&b, BENCH_DRAGONFLY(""), NULL);
    DnMessage m = {.src = 3, .dst = 3, .bytes = 12345};
    bench_run(&b, &m, 1, FALSE, 1024);
    g_assert_cmpint(packet_bench_at(&b, 0), ==, 0);
    g_assert_cmpuint(b.script.n_sent, ==, 1);
    bench_close(&b);
}

/* A cap on one message's rate: 8 Gb/s is 1,000 ps a byte. The last byte leaves when all are there,
 * whatever the packets; two latencies of links, one of the switch. */
static void test_rate_cap(void)
{
    static const gint64 packets[] = {512, 1024, 4096, 100 * 1024};
    Bench b;
    bench_open(&b, BENCH_DRAGONFLY(""), NULL);
    DnMessage m = {.src = 0, .dst = 1, .bytes = 100 * 1024, .rate_bps = 8000000000};
    for (guint i = 0; i < G_N_ELEMENTS(packets); i++) {
        bench_run(&b, &m, 1, FALSE, packets[i]);
        g_assert_cmpint(packet_bench_at(&b, 0), ==, 100 * 1024 * 1000 + 120000);
    }
    bench_close(&b);
}

/* The same run twice gives the same times; a heavy random-like pattern with all credits home. */
static void test_repeatable(void)
{
    Bench b;
    bench_open(&b, BENCH_DRAGONFLY(""), NULL);
    DnMessage m[400];
    gint64 first[400];
    guint64 key = dn_draw_key(1, DN_DRAW_TEST, 0);
    for (guint i = 0; i < 400; i++)
        m[i] = (DnMessage){.src = dn_draw_below(dn_draw(key, 3 * i), 40),
                           .dst = dn_draw_below(dn_draw(key, 3 * i + 1), 40),
                           .bytes = dn_draw_below(dn_draw(key, 3 * i + 2), 20000)};
    for (guint round = 0; round < 2; round++) {
        bench_run(&b, m, 400, FALSE, 512);
        for (guint i = 0; i < 400; i++)
            if (round == 0)
                first[i] = packet_bench_at(&b, i);
            else
                g_assert_cmpint(first[i], ==, packet_bench_at(&b, i));
    }
    g_assert_cmpuint(b.result.messages, ==, 400);
    bench_close(&b);
}

/* Any number of threads gives the same times, on every topology: delivery times of all messages,
 * and every link's counters. */
static void test_threads_agree(gconstpointer yaml)
{
    Bench b;
    bench_open(&b, yaml, NULL);
    guint n = 600;
    guint32 ends = b.machine->graph->size.endpoints;
    g_autofree DnMessage *m = g_new0(DnMessage, n);
    g_autofree gint64 *first = g_new(gint64, n);
    g_autofree DnLinkCounters *links = NULL;
    gsize links_bytes = b.machine->graph->size.links * sizeof(DnLinkCounters);
    guint64 key = dn_draw_key(1, DN_DRAW_TEST, 1);
    for (guint i = 0; i < n; i++)
        m[i] = (DnMessage){.src = dn_draw_below(dn_draw(key, 3 * i), ends),
                           .dst = i % 3 == 0 ? 0 : dn_draw_below(dn_draw(key, 3 * i + 1), ends),
                           .bytes = dn_draw_below(dn_draw(key, 3 * i + 2), 9000)};
    for (b.threads = 1; b.threads <= 4; b.threads++) {
        bench_run(&b, m, n, FALSE, 512);
        if (b.threads == 1) {
            memcpy(first, b.script.delivered_ps->data, n * sizeof *first);
            links = g_memdup2(b.result.links, links_bytes);
        }
        g_assert_cmpmem(first, n * sizeof *first, b.script.delivered_ps->data, n * sizeof *first);
        g_assert_cmpmem(links, links_bytes, b.result.links, links_bytes);
    }
    bench_close(&b);
}

#define LINKS(name)                                                                                \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 4 KiB}\n    " name       \
    ": {bandwidth: 80 Gb/s, latency: 30 ns, buffer: 4 KiB}\n  switch: {latency: 50 ns}\n"          \
    "hardware: {lanes: 1, packet: 512 B, header: 8 B}\n"
#define TORUS "fabric:\n  type: torus\n  dims: [4, 3, 2]\n  terminals_per_switch: 2\n" LINKS("link")
#define THROTTLE                                                                                   \
    "fabric:\n  type: full_mesh\n  switches: 5\n  terminals_per_switch: 3\n"                       \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 4 KiB}\n"                \
    "    link: {bandwidth: 80 Gb/s, latency: 30 ns, buffer: 4 KiB}\n  switch: {latency: 50 ns}\n"  \
    "hardware: {packet: 512 B, lanes: 2, arbitration: weighted, lane_weights: [1, 3], window: "    \
    "64, "                                                                                         \
    "congestion_control: endpoint_throttle, throttle_target: 200 ns}\n"
#define MARKS                                                                                      \
    "fabric:\n  type: full_mesh\n  switches: 5\n  terminals_per_switch: 3\n"                       \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 4 KiB}\n"                \
    "    link: {bandwidth: 80 Gb/s, latency: 30 ns, buffer: 4 KiB}\n  switch: {latency: 50 ns}\n"  \
    "hardware: {packet: 512 B, lanes: 2, congestion_control: infiniband, cc_marking_rate: 2}\n"
#define FIFO                                                                                       \
    "fabric:\n  type: torus\n  dims: [4, 3]\n  terminals_per_switch: 2\n"                          \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 2 KiB}\n"                \
    "    link: {bandwidth: 80 Gb/s, latency: 30 ns, buffer: 2 KiB}\n  switch: {latency: 50 ns}\n"  \
    "hardware: {packet: 512 B, input_buffers: fifo, speedup: 1}\n"
#define MESH "fabric:\n  type: full_mesh\n  switches: 5\n  terminals_per_switch: 3\n" LINKS("link")

/* From endpoint 0 to every other on an idle network: terminal wires 2 * 10 ns, 30 ns for each link
 * between switches, 50 ns a switch, and 108 B at 100 ps once; as many switches as the topology's
 * own distance says. */
static void test_zero_load_everywhere(gconstpointer yaml)
{
    Bench b;
    bench_open(&b, yaml, NULL);
    const DnGraph *g = b.machine->graph;
    const DnTopologyType *type = b.machine->type;
    for (guint32 dst = 1; dst < g->size.endpoints; dst++) {
        DnMessage m = {.src = 0, .dst = dst, .bytes = 100};
        bench_run(&b, &m, 1, FALSE, 512);
        guint between =
            type->distance(b.machine->params, g->terminal_switch[0], g->terminal_switch[dst]);
        g_assert_cmpuint(b.result.packet_hops, ==, between + 1);
        g_assert_cmpint(packet_bench_at(&b, 0), ==,
                        20000 + between * 30000 + (between + 1) * 50000 + 10800);
    }
    bench_close(&b);
}

#define LINKS3(a, c)                                                                               \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 4 KiB}\n    " a          \
    ": {bandwidth: 80 Gb/s, latency: 30 ns, buffer: 4 KiB}\n    " c                                \
    ": {bandwidth: 80 Gb/s, latency: 30 ns, buffer: 4 KiB}\n  switch: {latency: 50 ns}\n"          \
    "hardware: {lanes: 1, packet: 512 B, header: 8 B}\n"
#define PLUS                                                                                       \
    "fabric:\n  type: dragonfly_plus\n  groups: 5\n  leaves_per_group: 3\n  spines_per_group: 2\n" \
    "  terminals_per_leaf: 2\n  global_links_per_spine: 4\n" LINKS3("local", "global")
#define TREE                                                                                       \
    "fabric:\n  type: fat_tree\n  levels: 2\n  down: [3, 4]\n  up: [2]\n" LINKS3("level1", "level" \
                                                                                           "2")

#define NODES                                                                                      \
    "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 1\n"                       \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 4 KiB}\n"                \
    "    link: {bandwidth: 80 Gb/s, latency: 30 ns, buffer: 4 KiB}\n  switch: {latency: 50 ns}\n"  \
    "node:\n  vertices:\n    - {name: gpu, kind: gpu, count: 2}\n    - {name: nic, kind: nic}\n"   \
    "  links:\n    nvlink: {bandwidth: 800 Gb/s, latency: 300 ns, buffer: 64 KiB}\n"               \
    "    pcie: {bandwidth: 160 Gb/s, latency: 100 ns, buffer: 64 KiB}\n"                           \
    "  edges:\n    - {link: [gpu0, gpu1], class: nvlink}\n"                                        \
    "    - {link: [gpu0, nic], class: pcie}\n    - {link: [gpu1, nic], class: pcie}\n"             \
    "  nics: [{nic: nic, serves: [gpu0, gpu1]}]\n"                                                 \
    "hardware: {packet: 512 B, header: 0 B}\n"

/* Beside each other: the link between the GPUs, 500 B at 10 ps. To the other node: two of PCIe at
 * 50 ps a byte, two terminal wires and one between the switches at 100 ps, two switches.
 * Cut-through serialises on the slowest alone (100 ps); but PCIe at the far end is twice as fast
 * as the wire before it, and starts late enough not to run dry: half of 500 B at 100 ps later,
 * and then ends with the tail. */
static void test_zero_load_in_nodes(void)
{
    Bench b;
    bench_open(&b, NODES, NULL);
    DnMessage other = {.src = 0, .dst = 1, .bytes = 500};
    bench_run(&b, &other, 1, FALSE, 512);
    g_assert_cmpint(packet_bench_at(&b, 0), ==, 300000 + 500 * 10);
    DnMessage across = {.src = 1, .dst = 2, .bytes = 500};
    bench_run(&b, &across, 1, FALSE, 512);
    g_assert_cmpint(packet_bench_at(&b, 0), ==,
                    2 * 100000 + 2 * 10000 + 30000 + 2 * 50000 + 500 * 100);
    bench_close(&b);
}

/* A line of GPUs without a fabric, 80 Gb/s: 100 ps a byte. */
#define LINE                                                                                       \
    "node:\n  vertices: [{name: gpu, kind: gpu, count: 4, transit: true}]\n"                       \
    "  links: {wire: {bandwidth: 80 Gb/s, latency: 300 ns, buffer: 64 KiB}}\n"                     \
    "  edges:\n    - {link: [gpu0, gpu1], class: wire}\n    - {link: [gpu1, gpu2], class: wire}\n" \
    "    - {link: [gpu2, gpu3], class: wire}\nendpoints: gpu\n"                                    \
    "hardware: {packet: 1 KiB, header: 0 B}\n"

/* gpu1 forwards what gpu0 sends to gpu2 while it sends as much there itself: the wire between them
 * has twice the bytes, and in turns neither is done before all but a packet or two have passed, and
 * what the wires hold of gpu0's. The same when gpu1's message is there first. (By age alone gpu1
 * would begin when gpu0 is done, which would then take half as long.) */
static void test_forwarding_takes_turns(void)
{
    const gint64 bytes = 1 << 20, packet = 1024 * 100, wires = 2 * 300000;
    for (guint first = 0; first < 2; first++) {
        Bench b;
        bench_open(&b, LINE, NULL);
        DnMessage m[2] = {{.src = first, .dst = 2, .bytes = bytes},
                          {.src = 1 - first, .dst = 2, .bytes = bytes}};
        bench_run(&b, m, 2, FALSE, 1024);
        for (guint i = 0; i < 2; i++) {
            g_assert_cmpint(packet_bench_at(&b, i), >=, 2 * bytes * 100 - wires - 4 * packet);
            g_assert_cmpint(packet_bench_at(&b, i), <=, 2 * bytes * 100 + wires + 4 * packet);
        }
        bench_close(&b);
    }
}

/* gpu2 forwards what gpu0 and gpu1 send, who come by one link: in turns with them it has half of
 * the last wire and ends its half as many bytes at 2 x bytes / 2, less half of the 300 ns and a
 * packet in which it is alone. The two share what is left by what is under way of each:
 * 128 KiB in two buffers and 64 KiB in one (a channel a hop). So gpu0 has a third until then, two
 * thirds after, and ends at 1 + (1 - 1/3) / (2/3) = 2 x bytes; gpu1 with the work, 2.5 x bytes. */
static void test_others_of_one_input(void)
{
    const gint64 bytes = 1 << 20, packet = 1024 * 100, wires = 3 * 300000;
    Bench b;
    bench_open(&b, LINE, NULL);
    DnMessage m[3] = {{.src = 0, .dst = 3, .bytes = bytes},
                      {.src = 1, .dst = 3, .bytes = bytes},
                      {.src = 2, .dst = 3, .bytes = bytes / 2}};
    bench_run(&b, m, 3, FALSE, 1024);
    g_assert_cmpint(packet_bench_at(&b, 2), >=, bytes * 100 - (300000 + packet) / 2 - packet);
    g_assert_cmpint(packet_bench_at(&b, 2), <=, bytes * 100 + 300000 + 4 * packet);
    g_assert_cmpfloat_with_epsilon((double)packet_bench_at(&b, 0), 200.0 * bytes, 4.0 * bytes);
    g_assert_cmpint(packet_bench_at(&b, 1), >=, 5 * bytes / 2 * 100);
    g_assert_cmpint(packet_bench_at(&b, 1), <=, 5 * bytes / 2 * 100 + wires + 4 * packet);
    bench_close(&b);
}

/* Between gpu0, gpu2 and gpu3, gpu1 forwards what two of them send to the third, and sends there
 * itself: three inputs in turns, each a third of the last wire, and all end with the work, 3 x
 * bytes, but for what buffers hold of the two others, 64 packets each. */
static void test_turns_by_input(void)
{
    const gint64 bytes = 1 << 20, packet = 1024 * 100;
    Bench b;
    bench_open(&b,
               "node:\n  vertices: [{name: gpu, kind: gpu, count: 4, transit: true}]\n"
               "  links: {wire: {bandwidth: 80 Gb/s, latency: 300 ns, buffer: 64 KiB}}\n"
               "  edges:\n    - {link: [gpu0, gpu1], class: wire}\n"
               "    - {link: [gpu2, gpu1], class: wire}\n    - {link: [gpu1, gpu3], class: wire}\n"
               "endpoints: gpu\nhardware: {packet: 1 KiB, header: 0 B}\n",
               NULL);
    DnMessage m[3] = {{.src = 0, .dst = 3, .bytes = bytes},
                      {.src = 1, .dst = 3, .bytes = bytes},
                      {.src = 2, .dst = 3, .bytes = bytes}};
    bench_run(&b, m, 3, FALSE, 1024);
    for (guint i = 0; i < 3; i++) {
        g_assert_cmpint(packet_bench_at(&b, i), >=, 3 * bytes * 100 - 128 * packet);
        g_assert_cmpint(packet_bench_at(&b, i), <=, 3 * bytes * 100 + 600000 + 4 * packet);
    }
    bench_close(&b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/packet/zero-load/dragonfly", test_zero_load);
    g_test_add_func("/packet/pipelining", test_pipelining);
    g_test_add_func("/packet/counts-past-four-gib", test_counts_past_four_gib);
    g_test_add_func("/packet/chained", test_chained);
    g_test_add_func("/packet/incast-shares", test_incast_shares);
    g_test_add_func("/packet/parking-lot", test_parking_lot);
    g_test_add_func("/packet/speed-mismatch", test_speed_mismatch);
    g_test_add_func("/packet/credits-bound-throughput", test_credits_bound_throughput);
    g_test_add_func("/packet/larger-packets-fit", test_larger_packets_fit);
    g_test_add_func("/packet/local", test_local);
    g_test_add_func("/packet/rate-cap", test_rate_cap);
    g_test_add_func("/packet/repeatable", test_repeatable);
    g_test_add_data_func("/packet/zero-load/torus", TORUS, test_zero_load_everywhere);
    g_test_add_data_func("/packet/zero-load/full-mesh", MESH, test_zero_load_everywhere);
    g_test_add_data_func("/packet/zero-load/dragonfly-plus", PLUS, test_zero_load_everywhere);
    g_test_add_data_func("/packet/zero-load/fat-tree", TREE, test_zero_load_everywhere);
    g_test_add_data_func("/packet/threads/dragonfly-plus", PLUS, test_threads_agree);
    g_test_add_data_func("/packet/threads/fat-tree", TREE, test_threads_agree);
    g_test_add_data_func("/packet/threads/dragonfly", BENCH_DRAGONFLY(""), test_threads_agree);
    g_test_add_data_func("/packet/threads/groups", GROUPS, test_threads_agree);
    g_test_add_data_func("/packet/threads/throttle", THROTTLE, test_threads_agree);
    g_test_add_data_func("/packet/threads/infiniband", MARKS, test_threads_agree);
    g_test_add_data_func("/packet/threads/fifo", FIFO, test_threads_agree);
    g_test_add_data_func("/packet/threads/torus", TORUS, test_threads_agree);
    g_test_add_data_func("/packet/threads/full-mesh", MESH, test_threads_agree);
    g_test_add_func("/packet/zero-load/nodes", test_zero_load_in_nodes);
    g_test_add_func("/packet/forwarding/turns", test_forwarding_takes_turns);
    g_test_add_func("/packet/forwarding/one-input", test_others_of_one_input);
    g_test_add_func("/packet/forwarding/inputs", test_turns_by_input);
    return g_test_run();
}
