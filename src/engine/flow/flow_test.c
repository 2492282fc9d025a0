/* flow_test.c - the flow engine against sums and shares that can be done by hand, and its child's
 * deaths against errors. */
#include "engine/flow/flow.h"
#include "engine/flow/flow_test.h"

/* As in the packet engine: wires and switches once, then n payload and 24 header bytes. */
static void test_zero_load(void)
{
    static const gint64 sizes[] = {0, 1, 1000, 1024};
    Bench b;
    open_dragonfly(&b, "");
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
        DnMessage same = {.src = 0, .dst = 1, .bytes = sizes[i]};
        flow_run(&b, &same, 1, NULL);
        assert_near(packet_bench_at(&b, 0), SAME_SWITCH_PS + (sizes[i] + 24) * 100);
        DnMessage local = {.src = 0, .dst = 2, .bytes = sizes[i]};
        flow_run(&b, &local, 1, NULL);
        assert_near(packet_bench_at(&b, 0), SAME_GROUP_PS + (sizes[i] + 24) * 100);
    }
    DnMessage self = {.src = 3, .dst = 3, .bytes = 1000};
    flow_run(&b, &self, 1, NULL);
    g_assert_cmpint(packet_bench_at(&b, 0), ==, 0);
    bench_close(&b);
}

/* One unit and two units share the source's link: both at half rate until the first ends at 2, then
 * the second has one unit left and the link alone: 3. */
static void test_two_share(void)
{
    Bench b;
    open_dragonfly(&b, "");
    DnMessage m[2] = {{.src = 0, .dst = 1, .bytes = UNIT}, {.src = 0, .dst = 2, .bytes = 2 * UNIT}};
    flow_run(&b, m, 2, NULL);
    assert_near(packet_bench_at(&b, 0), SAME_SWITCH_PS + 2 * UNIT_PS);
    assert_near(packet_bench_at(&b, 1), SAME_GROUP_PS + 3 * UNIT_PS);
    bench_close(&b);
}

/* k into one: all end at latency + k units. Max-min: a flow beside them from one of the sources
 * gets what the incast leaves of that source's link: 1 - 1/3 = 2/3 until it ends at 1.5 units. */
static void test_incast(void)
{
    Bench b;
    open_dragonfly(&b, "");
    DnMessage m[4];
    for (guint i = 0; i < 3; i++)
        m[i] = (DnMessage){.src = 2 + 2 * i, .dst = 0, .bytes = UNIT};
    m[3] = (DnMessage){.src = 2, .dst = 3, .bytes = UNIT};
    flow_run(&b, m, 4, NULL);
    for (guint i = 0; i < 3; i++)
        assert_near(packet_bench_at(&b, i), SAME_GROUP_PS + 3 * UNIT_PS);
    assert_near(packet_bench_at(&b, 3), SAME_SWITCH_PS + UNIT_PS * 3 / 2);
    bench_close(&b);
}

static void test_chained(void)
{
    Bench b;
    GError *error = NULL;
    open_dragonfly(&b, "");
    DnMessage m[10];
    for (guint i = 0; i < 10; i++)
        m[i] = (DnMessage){.src = i % 2, .dst = 1 - i % 2, .bytes = 76};
    gboolean ok = flow_try(&b, m, 10, TRUE, NULL, (DnObserver){0}, &error);
    g_assert_true(ok);
    g_assert_no_error(error);
    for (guint i = 0; i < 10; i++)
        g_assert_cmpint(llabs(packet_bench_at(&b, i) - (i + 1) * (SAME_SWITCH_PS + 10000)), <=,
                        2 * (i + 1));
    bench_close(&b);
}

/* A cap of 20 Gb/s of payload: 400 ps a byte. Its neighbour takes the rest of the link: of 80 Gb/s
 * wire rate the capped one uses 20 * 1048/1024. */
static void test_rate_cap(void)
{
    Bench b;
    open_dragonfly(&b, "");
    const gint64 cap = G_GINT64_CONSTANT(20000000000);
    DnMessage m[2] = {{.src = 0, .dst = 1, .bytes = UNIT, .rate_bps = cap},
                      {.src = 0, .dst = 2, .bytes = UNIT}};
    flow_run(&b, m, 2, NULL);
    assert_near(packet_bench_at(&b, 0), SAME_SWITCH_PS + G_GINT64_CONSTANT(400) * UNIT);
    double rest = 80.0 - 20.0 * 1048 / 1024;
    assert_near(packet_bench_at(&b, 1), SAME_GROUP_PS + llround((double)UNIT_PS * 80.0 / rest));
    bench_close(&b);
}

/* One at a time: each alone on the link, one after another. */
static void test_window(void)
{
    Bench b;
    open_dragonfly(&b, "");
    DnMessage m[3];
    for (guint i = 0; i < 3; i++)
        m[i] = (DnMessage){.src = 0, .dst = 1, .bytes = UNIT};
    flow_run(&b, m, 3, "{window: 1}");
    for (guint i = 0; i < 3; i++)
        assert_near(packet_bench_at(&b, i), SAME_SWITCH_PS + (i + 1) * UNIT_PS);
    flow_run(&b, m, 3, "{window: 0}");
    for (guint i = 0; i < 3; i++)
        assert_near(packet_bench_at(&b, i), SAME_SWITCH_PS + 3 * UNIT_PS);
    bench_close(&b);
}

/* One packet a round trip: two wires and a switch each way, 1,048 B there and 48 B back. Two
 * messages of one NIC have the one window together. The packet engine says the same within 1 %: its
 * packets wait for the wire whole, ours are drops. */
static void test_nic_window(void)
{
    Bench b;
    open_dragonfly(&b, ", window: 1, response: 48 B");
    DnMessage m[2] = {{.src = 0, .dst = 1, .bytes = UNIT}, {.src = 0, .dst = 1, .bytes = UNIT}};
    gint64 trip = 2 * SAME_SWITCH_PS + (1048 + 48) * 100;
    flow_run(&b, m, 1, NULL);
    assert_near(packet_bench_at(&b, 0) / 1024, (SAME_SWITCH_PS + 1024 * trip) / 1024);
    engine = "packet";
    flow_run(&b, m, 1, NULL);
    g_assert_cmpfloat_with_epsilon((double)packet_bench_at(&b, 0), 1024.0 * (double)trip,
                                   0.01 * 1024 * (double)trip);
    engine = "flow";
    flow_run(&b, m, 2, NULL);
    gint64 both = 2 * 1024 * trip;
    g_assert_cmpint(packet_bench_at(&b, 1), >, both - both / 32); /* weights are rounded */
    g_assert_cmpint(packet_bench_at(&b, 1), <, both + both / 32);
    bench_close(&b);
    open_dragonfly(&b, ", window: 16, response: 48 B"); /* more than a round trip holds */
    flow_run(&b, m, 1, NULL);
    assert_near(packet_bench_at(&b, 0), SAME_SWITCH_PS + UNIT_PS);
    bench_close(&b);
}

/* A cable of 100 ms between two switches a few ns away from their NICs: a round trip is more than a
 * billion parts of the window, and the time per message four packets of a trip. */
static void test_nic_window_long(void)
{
    Bench b;
    bench_open(&b,
               "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 1\n"
               "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 1 ns, buffer: 16 KiB}\n"
               "    link: {bandwidth: 80 Gb/s, latency: 100 ms, buffer: 16 KiB}\n"
               "  switch: {latency: 0}\nhardware: {window: 4, packet: 1 KiB, header: 24 B}\n",
               NULL);
    DnMessage m[2] = {{.src = 0, .dst = 1, .bytes = UNIT}, {.src = 0, .dst = 1, .bytes = UNIT}};
    const gint64 alone = G_GINT64_CONSTANT(200000000000) * 1024 / 4;
    flow_run(&b, m, 1, NULL);
    g_assert_cmpfloat_with_epsilon((double)packet_bench_at(&b, 0), (double)alone, 0.01 * alone);
    flow_run(&b, m, 2, NULL);
    g_assert_cmpfloat_with_epsilon((double)packet_bench_at(&b, 1), 2.0 * alone, 0.01 * alone);
    bench_close(&b);
}

/* A group of eight to the next, over the one link between the two: eight units by minimal routing.
 * The other three links out of the group lead there by a third group: over all four, none crossed
 * by more than its share, two units. UGAL sees the loads of the moment at which each starts, and
 * takes the links in turn: so two, or three where a path inside a group is shared. */
static void test_adaptive(void)
{
    static const struct {
        const char *routing;
        double least, most; /* units */
    } cases[] = {{"{algorithm: minimal}", 8.0, 8.0},
                 {"{algorithm: valiant}", 2.0, 8.0},
                 {"{algorithm: ugal_g}", 2.0, 4.0}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        Bench b;
        bench_open(&b, BENCH_DRAGONFLY(""), cases[i].routing);
        DnMessage m[8];
        gint64 last = 0;
        for (guint k = 0; k < 8; k++)
            m[k] = (DnMessage){.src = k, .dst = 8 + k, .bytes = UNIT};
        flow_run(&b, m, 8, "{subflows: 1}");
        for (guint k = 0; k < 8; k++)
            last = MAX(last, packet_bench_at(&b, k));
        g_test_message("%s: %.2f units", cases[i].routing, (double)last / (double)UNIT_PS);
        g_assert_cmpfloat((double)last, >, cases[i].least * 0.99 * (double)UNIT_PS);
        g_assert_cmpfloat((double)last, <, cases[i].most * 1.01 * (double)UNIT_PS);
        bench_close(&b);
    }
}

/* Each NIC on its own rail: two messages of one GPU leave by both in turn, so they take the time of
 * one. With its own NIC alone they take two. */
static void test_rails(void)
{
    static const char *const rails[] = {"own", "round_robin"};
    for (guint i = 0; i < G_N_ELEMENTS(rails); i++) {
        Bench b;
        open_two_nics(&b, rails[i]);
        DnMessage m[2] = {{.src = 0, .dst = 2, .bytes = UNIT}, {.src = 0, .dst = 2, .bytes = UNIT}};
        flow_run(&b, m, 2, NULL);
        double units = (double)packet_bench_at(&b, 1) / (double)UNIT_PS;
        g_assert_cmpfloat_with_epsilon(units, i == 0 ? 2.0 : 1.0, 0.01);
        bench_close(&b);
    }
}

/* The two parts of a message take the time of one, whichever NICs are the two ends' own. */
static void test_parts(void)
{
    static const char *const rails[] = {"own", "round_robin"};
    static const char *const engines[] = {"flow", "packet"};
    for (guint i = 0; i < 16; i++) {
        Bench b;
        open_two_nics(&b, rails[i & 1]);
        engine = engines[i >> 1 & 1];
        DnMessage m[2];
        for (guint part = 0; part < 2; part++)
            m[part] = (DnMessage){.src = i >> 2 & 1,
                                  .dst = 2 + (i >> 3 & 1),
                                  .bytes = UNIT,
                                  .rail = part == 0 ? DN_RAIL_FIRST : 1};
        flow_run(&b, m, 2, NULL);
        gint64 last = MAX(packet_bench_at(&b, 0), packet_bench_at(&b, 1));
        g_assert_cmpfloat_with_epsilon((double)last / (double)UNIT_PS, 1.0, 0.01);
        bench_close(&b);
    }
    engine = "flow";
}

/* 1 M messages/s: they start 1 us apart, far longer than 124 B take. */
static void test_message_rate(void)
{
    Bench b;
    open_dragonfly(&b, ", message_rate: 1 M/s");
    DnMessage m[3];
    for (guint i = 0; i < 3; i++)
        m[i] = (DnMessage){.src = 0, .dst = 1, .bytes = 100};
    flow_run(&b, m, 3, NULL);
    for (guint i = 0; i < 3; i++)
        assert_near(packet_bench_at(&b, i),
                    SAME_SWITCH_PS + 12400 + i * G_GINT64_CONSTANT(1000000));
    bench_close(&b);
}

static const char ring_of_four[] =
    "fabric:\n  type: torus\n  dims: [4]\n"
    "  links:\n    terminal: {bandwidth: 160 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"
    "    link: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 64 KiB}\n"
    "  switch: {latency: 100 ns}\n"
    "hardware: {lanes: 1, packet: 1 KiB, header: 24 B}\n";

/* Leaves of one terminal at 160 Gb/s and two spines at 80: one path carries half of what two do. */
static void test_subflow_paths(void)
{
    Bench b;
    bench_open(&b,
               "fabric:\n  type: dragonfly_plus\n  groups: 2\n  leaves_per_group: 2\n"
               "  spines_per_group: 2\n  terminals_per_leaf: 1\n  global_links_per_spine: 1\n"
               "  links:\n    terminal: {bandwidth: 160 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"
               "    local: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 64 KiB}\n"
               "    global: {bandwidth: 80 Gb/s, latency: 70 ns, buffer: 64 KiB}\n"
               "  switch: {latency: 100 ns}\n"
               "hardware: {lanes: 1, packet: 1 KiB, header: 24 B}\n",
               NULL);
    DnMessage m = {.src = 0, .dst = 1, .bytes = UNIT};
    const gint64 latency = 2 * 10000 + 2 * 20000 + 3 * 100000;
    flow_run(&b, &m, 1, "{subflows: 1}");
    assert_near(packet_bench_at(&b, 0), latency + UNIT_PS);
    flow_run(&b, &m, 1, "{subflows: 2}");
    assert_near(packet_bench_at(&b, 0), latency + UNIT_PS / 2);
    flow_run(&b, &m, 1, NULL); /* as many as routing has: two */
    assert_near(packet_bench_at(&b, 0), latency + UNIT_PS / 2);
    bench_close(&b);
    /* Halfway round a ring of four: both directions are as short. */
    bench_open(&b, ring_of_four, NULL);
    m.dst = 2;
    flow_run(&b, &m, 1, NULL);
    assert_near(packet_bench_at(&b, 0), latency + UNIT_PS / 2);
    m.bytes = 1000; /* one packet has one path; it is as fast as the narrowest link */
    flow_run(&b, &m, 1, "{subflows: 2}");
    assert_near(packet_bench_at(&b, 0), latency + 102400);
    bench_close(&b);
}

/* Counters of links hold what must cross them: of all but the links of the ring, over which it goes
 * either way. */
static void test_bound_counters(void)
{
    Bench b;
    bench_open(&b, ring_of_four, NULL);
    engine = "bound";
    DnMessage m[3] = {{.src = 0, .dst = 2, .bytes = UNIT},
                      {.src = 0, .dst = 2, .bytes = UNIT},
                      {.src = 0, .dst = 1, .bytes = UNIT}};
    flow_run(&b, m, 3, NULL);
    guint64 packets = 0;
    guint used = 0;
    for (guint32 l = 0; l < b.machine->graph->size.links; l++) {
        g_assert_cmpuint(b.result.links[l].bytes, ==, b.result.links[l].packets * 1048);
        packets += b.result.links[l].packets;
        used += b.result.links[l].packets > 0;
    }
    g_assert_cmpuint(used, ==, 4); /* out of 0, into 1 and 2, from 0 to 1 */
    g_assert_cmpuint(packets, ==, 7 * 1024);
    g_assert_cmpuint(b.result.packet_hops, ==, packets);
    g_assert_cmpint(packet_bench_at(&b, 0), ==, packet_bench_at(&b, 1)); /* asked for once more */
    engine = "flow";
    bench_close(&b);
}

/* One unit and two from one source, to different ends: each arrives as if alone, but the source's
 * link needs three units of time in all. */
static void test_bound(void)
{
    Bench b;
    open_dragonfly(&b, "");
    engine = "bound";
    DnMessage m[2] = {{.src = 0, .dst = 1, .bytes = UNIT}, {.src = 0, .dst = 2, .bytes = 2 * UNIT}};
    flow_run(&b, m, 2, NULL);
    assert_near(packet_bench_at(&b, 0), SAME_SWITCH_PS + UNIT_PS);
    assert_near(packet_bench_at(&b, 1), SAME_GROUP_PS + 2 * UNIT_PS);
    assert_near(b.result.end_ps, 3 * UNIT_PS);
    flow_run(&b, m, 1, NULL); /* one: its latency counts as well */
    assert_near(b.result.end_ps, SAME_SWITCH_PS + UNIT_PS);
    DnMessage capped = m[0];
    capped.rate_bps = G_GINT64_CONSTANT(20000000000);
    flow_run(&b, &capped, 1, NULL);
    assert_near(packet_bench_at(&b, 0), SAME_SWITCH_PS + G_GINT64_CONSTANT(400) * UNIT);
    engine = "flow";
    bench_close(&b);
}

/* A message of 1 to most bytes between two of 40 ranks, by the draws of key from *n on. */
static DnMessage random_message(guint64 key, guint64 *n, guint32 most)
{
    guint32 src = dn_draw_below(dn_draw(key, (*n)++), 40);
    guint32 hop = 1 + dn_draw_below(dn_draw(key, (*n)++), 39);
    return (DnMessage){.src = src,
                       .dst = (src + hop) % 40,
                       .bytes = 1 + dn_draw_below(dn_draw(key, (*n)++), most)};
}

/* Any messages at all: flow no sooner than bound, and the packet engine neither. */
static void test_no_better_than_bound(void)
{
    Bench b;
    guint64 key = dn_draw_key(1, DN_DRAW_TEST, 0), n = 0;
    open_dragonfly(&b, "");
    for (guint trial = 0; trial < 30; trial++) {
        DnMessage m[24];
        for (guint i = 0; i < G_N_ELEMENTS(m); i++)
            m[i] = random_message(key, &n, 1 << 18);
        engine = "bound";
        flow_run(&b, m, G_N_ELEMENTS(m), NULL);
        gint64 alone[G_N_ELEMENTS(m)], end = b.result.end_ps;
        for (guint i = 0; i < G_N_ELEMENTS(m); i++)
            alone[i] = packet_bench_at(&b, i);
        engine = trial % 2 == 0 ? "packet" : "flow";
        flow_run(&b, m, G_N_ELEMENTS(m), NULL);
        for (guint i = 0; i < G_N_ELEMENTS(m); i++)
            g_assert_cmpint(packet_bench_at(&b, i), >=, alone[i] - 2);
        g_assert_cmpint(b.result.end_ps, >=, end - 2);
    }
    engine = "flow";
    bench_close(&b);
}

/* Messages of random sizes, some capped: the built-in solver ends each when SimGrid does. */
static void test_as_simgrid(void)
{
    Bench b;
    guint64 key = dn_draw_key(2, DN_DRAW_TEST, 0), n = 0;
    open_dragonfly(&b, "");
    for (guint trial = 0; trial < 10; trial++) {
        DnMessage m[60];
        gint64 simgrid_ps[G_N_ELEMENTS(m)];
        for (guint i = 0; i < G_N_ELEMENTS(m); i++) {
            m[i] = random_message(key, &n, 1 << 20);
            if (dn_draw_below(dn_draw(key, n++), 4) == 0)
                m[i].rate_bps = G_GINT64_CONSTANT(10000000000);
        }
        flow_run(&b, m, G_N_ELEMENTS(m), "{solver: simgrid, window: 3}");
        for (guint i = 0; i < G_N_ELEMENTS(m); i++)
            simgrid_ps[i] = packet_bench_at(&b, i);
        flow_run(&b, m, G_N_ELEMENTS(m), "{window: 3}");
        for (guint i = 0; i < G_N_ELEMENTS(m); i++)
            g_assert_cmpint(llabs(packet_bench_at(&b, i) - simgrid_ps[i]), <=, 100);
    }
    bench_close(&b);
}

/* ---- events ---- */

#define EVENTS 20000

/* By time, and of one time in the order of making. */
static void test_events_order(void)
{
    DnFlowEvents events = {0};
    g_autoptr(GRand) draw = g_rand_new_with_seed(23);
    guint64 made = 0, taken = 0, last_value = 0;
    gint64 now_ps = 0, last_ps = -1;
    while (made < EVENTS || taken < made) {
        guint few = made < EVENTS ? (guint)g_rand_int_range(draw, 0, 9) : 0;
        gint32 reach = g_rand_int_range(draw, 1, 1 << g_rand_int_range(draw, 1, 24));
        gboolean alike = g_rand_int_range(draw, 0, 4) == 0;
        for (guint i = 0; i < few; i++)
            dn_flow_events_add(&events, now_ps + (alike ? reach : g_rand_int_range(draw, 0, reach)),
                               DN_FLOW_TIMER, 0, made++);
        gint64 next_ps = dn_flow_events_next_ps(&events);
        g_assert_true((next_ps == G_MAXINT64) == (made == taken));
        /* the engine's time may stop before the next event, and something be added there */
        if (made == taken || (made < EVENTS && g_rand_int_range(draw, 0, 3) == 0)) {
            now_ps = made == taken ? now_ps : (now_ps + next_ps) / 2;
            continue;
        }
        DnFlowEvent event = dn_flow_events_take(&events);
        g_assert_cmpint(event.when_ps, ==, next_ps);
        g_assert_cmpint(event.when_ps, >=, now_ps);
        if (event.when_ps == last_ps)
            g_assert_cmpuint(event.value, >, last_value);
        last_ps = now_ps = event.when_ps;
        last_value = event.value;
        taken++;
    }
    g_assert_cmpuint(taken, >=, EVENTS);
    dn_flow_events_clear(&events);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/flow/zero_load", test_zero_load);
    g_test_add_func("/flow/as_simgrid", test_as_simgrid);
    g_test_add_func("/flow/one_flow", test_one_flow);
    g_test_add_func("/flow/two_share", test_two_share);
    g_test_add_func("/flow/incast", test_incast);
    g_test_add_func("/flow/chained", test_chained);
    g_test_add_func("/flow/rate_cap", test_rate_cap);
    g_test_add_func("/flow/window", test_window);
    g_test_add_func("/flow/nic_window", test_nic_window);
    g_test_add_func("/flow/nic_window_long", test_nic_window_long);
    g_test_add_func("/flow/adaptive", test_adaptive);
    g_test_add_func("/flow/rails", test_rails);
    g_test_add_func("/flow/parts", test_parts);
    g_test_add_func("/flow/message_rate", test_message_rate);
    g_test_add_func("/flow/subflow-paths", test_subflow_paths);
    g_test_add_func("/flow/bound", test_bound);
    g_test_add_func("/flow/bound_counters", test_bound_counters);
    g_test_add_func("/flow/events_order", test_events_order);
    g_test_add_func("/flow/no_better_than_bound", test_no_better_than_bound);
    return g_test_run();
}
