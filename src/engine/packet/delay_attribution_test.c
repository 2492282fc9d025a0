/* delay_attribution_test.c - Tests of delay attribution: parts that add up to the ps, and the jobs
 * they name. */
#include "engine/packet/packet_bench.h"

#define MOST 64

/* Two switches, four terminals each: 0 to 3 and 4 to 7. A packet of 1 KiB takes S = 102.4 ns on any
 * link. */
#define PAIR(buffer, more)                                                                         \
    "fabric:\n  type: torus\n  dims: [2]\n  wrap: [false]\n  terminals_per_switch: 4\n"            \
    "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}\n"               \
    "    link: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: " buffer "}\n"                         \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {packet: 1 KiB, header: 0 B" more "}\n"
#define S 102400
#define KIB 1024

typedef struct {
    const Bench *bench;
    GArray *spans[MOST]; /* DnDelaySpan, of each message's path to its end */
    gint64 total_ps[MOST], left_ps[MOST];
    GString *text; /* all of it */
    gint64 busy_ps, stalled_ps;
} Seen;

static gint64 sum_of(const DnDelaySpan *spans, guint n)
{
    gint64 sum = 0;
    for (guint i = 0; i < n; i++)
        sum += spans[i].ps;
    return sum;
}

static void see_delays(void *data, const DnMessage *message, gint64 born_ps, gboolean arrived,
                       const DnDelaySpan *spans, guint n)
{
    Seen *seen = data;
    guint64 i = message->tag;
    g_assert_cmpuint(i, <, MOST);
    for (guint k = 0; k < n; k++)
        g_assert_cmpint(spans[k].ps, >, 0);
    g_string_append_printf(seen->text, "%u %d", (guint)i, arrived);
    for (guint k = 0; k < n; k++)
        g_string_append_printf(seen->text, " %s/%u/%u/%u=%" G_GINT64_FORMAT,
                               dn_delay_kind_name(spans[k].kind), spans[k].job, spans[k].link,
                               spans[k].lane, spans[k].ps);
    g_string_append_c(seen->text, '\n');
    if (!arrived) {
        seen->left_ps[i] = born_ps + sum_of(spans, n);
        return;
    }
    seen->spans[i] = g_array_new(FALSE, FALSE, sizeof(DnDelaySpan));
    g_array_append_vals(seen->spans[i], spans, n);
    seen->total_ps[i] = born_ps + sum_of(spans, n);
}

static void see_channel(void *data, guint32 link, guint job, gint64 from_ps, gint64 to_ps,
                        gboolean stalled)
{
    Seen *seen = data;
    g_assert_cmpint(from_ps, <=, to_ps);
    *(stalled ? &seen->stalled_ps : &seen->busy_ps) += to_ps - from_ps;
}

/* Every message's parts reach from where it was handed over to where it arrived, and to where its
 * last byte left. */
static void delay_see(Bench *b, Seen *seen, const char *machine, const DnMessage *messages, guint n,
                      gboolean chained)
{
    *seen = (Seen){.bench = b, .text = g_string_new(NULL)};
    bench_open(b, machine, NULL);
    b->observer = (DnObserver){.data = seen, .delays = see_delays, .channel = see_channel};
    bench_run(b, messages, n, chained, KIB);
    for (guint i = 0; i < n; i++) {
        g_assert_cmpint(seen->total_ps[i], ==, packet_bench_at(b, i));
        g_assert_cmpint(seen->left_ps[i], ==, b->script.sent_ps[i]);
    }
}

static void seen_clear(Seen *seen)
{
    for (guint i = 0; i < MOST; i++)
        if (seen->spans[i] != NULL)
            g_array_unref(seen->spans[i]);
    g_string_free(seen->text, TRUE);
}

static guint32 link_between(const Bench *b, guint32 from, guint32 to)
{
    const DnGraph *g = b->machine->graph;
    for (guint32 l = 0; l < g->size.links; l++)
        if (g->links[l].src == from && g->links[l].dst == to)
            return l;
    g_assert_not_reached();
}

/* Of message @i: what of @kind, on @link (DN_NONE: any), it owes to @job. */
static gint64 span_ps(const Seen *seen, guint i, DnDelayKind kind, guint job, guint32 link)
{
    gint64 sum = 0;
    for (guint k = 0; k < seen->spans[i]->len; k++) {
        const DnDelaySpan *span = &g_array_index(seen->spans[i], DnDelaySpan, k);
        if (span->kind == kind && span->job == job && (link == DN_NONE || span->link == link))
            sum += span->ps;
    }
    return sum;
}

static gint64 waited_ps(const Seen *seen, guint i)
{
    gint64 sum = 0;
    for (guint k = 0; k < seen->spans[i]->len; k++) {
        const DnDelaySpan *span = &g_array_index(seen->spans[i], DnDelaySpan, k);
        sum += dn_delay_is_contention(span->kind) ? span->ps : 0;
    }
    return sum;
}

/* How long a message takes with nobody else about: its bytes at the links' rate, 10 + 10 of wires
 * and 100 of a switch, and between the switches another 20 + 100. */
static gint64 alone_ps(const DnMessage *m)
{
    return m->bytes * 100 + (m->src / 4 == m->dst / 4 ? 120000 : 240000);
}

/* Four packets of four jobs meet at the link between the switches: the n-th to go waits n S, S
 * behind each before it, there and nowhere else. */
static void test_meet(void)
{
    Bench b;
    Seen seen;
    DnMessage messages[4];
    for (guint i = 0; i < 4; i++)
        messages[i] = (DnMessage){.src = i, .dst = 4 + i, .bytes = KIB, .job = (guint16)i};
    delay_see(&b, &seen, PAIR("16 KiB", ""), messages, 4, FALSE);
    guint32 link = link_between(&b, 0, 1);
    for (guint i = 0; i < 4; i++) {
        gint64 waited = 0;
        for (guint j = 0; j < 4; j++) {
            gboolean before = packet_bench_at(&b, j) < packet_bench_at(&b, i);
            gint64 ps = span_ps(&seen, i, DN_DELAY_QUEUE, j, link);
            g_assert_cmpint(ps, ==, before ? S : 0);
            waited += ps;
        }
        g_assert_cmpint(waited_ps(&seen, i), ==, waited);
        g_assert_cmpint(packet_bench_at(&b, i) - waited, ==,
                        seen.total_ps[0] - waited_ps(&seen, 0));
    }
    g_assert_cmpint(seen.busy_ps, ==, 4 * 3 * S); /* three links each */
    seen_clear(&seen);
    bench_close(&b);
}

/* A message of 16 packets, alone: nothing waits; its own bytes are 16 S, and the rest is latency:
 * 10 + 20 + 10 of wires and twice 100 of switches. A link in between of twice the rate is not to
 * run dry within a packet, which so starts half of S later: its own bytes, too. */
static void test_alone(void)
{
    static const char *const machines[] = {
        PAIR("16 KiB", ""),
        "fabric:\n  type: torus\n  dims: [2]\n  wrap: [false]\n  terminals_per_switch: 4\n"
        "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}\n"
        "    link: {bandwidth: 160 Gb/s, latency: 20 ns, buffer: 16 KiB}\n"
        "  switch: {latency: 100 ns}\nhardware: {packet: 1 KiB, header: 0 B}\n"};
    for (guint m = 0; m < 2; m++) {
        Bench b;
        Seen seen;
        DnMessage message = {.src = 0, .dst = 4, .bytes = 16 * KIB};
        delay_see(&b, &seen, machines[m], &message, 1, FALSE);
        g_assert_cmpint(waited_ps(&seen, 0), ==, 0);
        g_assert_cmpint(span_ps(&seen, 0, DN_DELAY_LATENCY, 0, DN_NONE), ==, 240000);
        g_assert_cmpint(span_ps(&seen, 0, DN_DELAY_SERIAL, 0, DN_NONE), ==, 16 * S + m * S / 2);
        g_assert_cmpint(span_ps(&seen, 0, DN_DELAY_INJECT, 0, DN_NONE), ==, 0);
        seen_clear(&seen);
        bench_close(&b);
    }
}

/* Capped at half the link's rate: of each packet's two S one is the cap's. The last of 16 packets
 * leaves with its last byte, after 32 S. */
static void test_capped(void)
{
    Bench b;
    Seen seen;
    DnMessage message = {.src = 0, .dst = 4, .bytes = 16 * KIB, .rate_bps = 40000000000};
    delay_see(&b, &seen, PAIR("16 KiB", ""), &message, 1, FALSE);
    g_assert_cmpint(span_ps(&seen, 0, DN_DELAY_SERIAL, 0, DN_NONE), ==, 16 * S);
    g_assert_cmpint(span_ps(&seen, 0, DN_DELAY_INJECT, 0, DN_NONE), ==, 16 * S);
    g_assert_cmpint(packet_bench_at(&b, 0), ==, 32 * S + 240000);
    seen_clear(&seen);
    bench_close(&b);
}

/* Job 1 (terminals 5 to 7 to 4) fills the link into terminal 4; job 2 (0 to 4) waits for it there
 * and fills the buffer of the link between the switches; job 3 (1 to 5), whose own path is free and
 * which never meets job 1, waits for credits of that buffer: mostly because of the packets that
 * wait for the link into terminal 4. */
static void test_tree(void)
{
    Bench b;
    Seen seen;
    DnMessage messages[] = {
        {.src = 5, .dst = 4, .bytes = 64 * KIB, .job = 1},
        {.src = 6, .dst = 4, .bytes = 64 * KIB, .job = 1},
        {.src = 7, .dst = 4, .bytes = 64 * KIB, .job = 1},
        {.src = 0, .dst = 4, .bytes = 64 * KIB, .job = 2},
        {.src = 1, .dst = 5, .bytes = 32 * KIB, .job = 3},
    };
    delay_see(&b, &seen, PAIR("6 KiB", ""), messages, G_N_ELEMENTS(messages), FALSE);
    guint32 between = link_between(&b, 0, 1);
    guint32 last = link_between(&b, 1, b.machine->graph->endpoints[4]);
    gint64 by_others = span_ps(&seen, 4, DN_DELAY_QUEUE, 2, between), at_root = 0;
    for (guint k = 0; k < seen.spans[4]->len; k++) {
        const DnDelaySpan *span = &g_array_index(seen.spans[4], DnDelaySpan, k);
        if (span->kind != DN_DELAY_CREDIT || span->job == 3)
            continue;
        by_others += span->ps;
        at_root += span->root == last ? span->ps : 0;
    }
    g_assert_cmpint(span_ps(&seen, 4, DN_DELAY_QUEUE, 1, DN_NONE), ==, 0);
    g_assert_cmpint(span_ps(&seen, 4, DN_DELAY_CREDIT, 2, between), >, 0);
    g_assert_cmpint(by_others, >, waited_ps(&seen, 4) * 9 / 10);
    g_assert_cmpint(at_root, >, waited_ps(&seen, 4) / 2);
    g_assert_cmpint(span_ps(&seen, 3, DN_DELAY_QUEUE, 1, last), >, 0);
    for (guint i = 0; i < G_N_ELEMENTS(messages); i++)
        g_assert_cmpint(packet_bench_at(&b, i) - waited_ps(&seen, i), ==, alone_ps(&messages[i]));
    g_assert_cmpint(seen.stalled_ps, >, 0);
    seen_clear(&seen);
    bench_close(&b);
}

/* Everything at once, on every kind of machine: parts add up (delay_see() checks), and say the same
 * again whatever number of threads was asked for; and times are those of a run that nobody
 * watches. */
static void test_adds_up(void)
{
    static const char *const machines[] = {
        PAIR("6 KiB", ""),
        PAIR("2 KiB", ""),
        PAIR("4 KiB", ", lanes: 2"),
        PAIR("4 KiB", ", lanes: 2, arbitration: weighted, lane_weights: [3, 1]"),
        PAIR("4 KiB", ", speedup: 1"),
        PAIR("4 KiB", ", input_buffers: fifo"),
        PAIR("4 KiB", ", window: 4"),
        PAIR("4 KiB", ", window: 64, congestion_control: endpoint_throttle"),
        PAIR("4 KiB", ", message_rate: 1 M/s"),
    };
    DnMessage messages[24];
    for (guint i = 0; i < G_N_ELEMENTS(messages); i++)
        messages[i] = (DnMessage){.src = i % 4 + (i % 3 == 0 ? 4 : 0),
                                  .dst = i % 5 == 0 ? 7 - i % 4 : 4 - (i % 3 == 0 ? 4 : 0),
                                  .bytes = 700 * (i % 11),
                                  .job = (guint16)(i % 4),
                                  .lane = i & 1};
    for (guint m = 0; m < G_N_ELEMENTS(machines); m++) {
        Bench b, again;
        Seen seen, second;
        delay_see(&b, &seen, machines[m], messages, G_N_ELEMENTS(messages), FALSE);
        for (guint i = 0; m == 0 && i < G_N_ELEMENTS(messages); i++)
            g_assert_cmpint(packet_bench_at(&b, i) - waited_ps(&seen, i), ==,
                            alone_ps(&messages[i]));
        second = (Seen){.bench = &again, .text = g_string_new(NULL)};
        bench_open(&again, machines[m], NULL);
        again.threads = 2;
        bench_run(&again, messages, G_N_ELEMENTS(messages), FALSE, KIB);
        for (guint i = 0; i < G_N_ELEMENTS(messages); i++)
            g_assert_cmpint(packet_bench_at(&again, i), ==, packet_bench_at(&b, i));
        again.observer = (DnObserver){.data = &second, .delays = see_delays};
        bench_run(&again, messages, G_N_ELEMENTS(messages), FALSE, KIB);
        g_assert_cmpstr(second.text->str, ==, seen.text->str);
        seen_clear(&seen);
        seen_clear(&second);
        bench_close(&b);
        bench_close(&again);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/waits/meet", test_meet);
    g_test_add_func("/waits/alone", test_alone);
    g_test_add_func("/waits/capped", test_capped);
    g_test_add_func("/waits/tree", test_tree);
    g_test_add_func("/waits/adds-up", test_adds_up);
    return g_test_run();
}
