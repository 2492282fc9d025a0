/* delayed_credits_test.c - Tests of credits that tell of the queue at a global link. */
#include "engine/packet/packet_bench.h"

#define KIB 1024
#define MESSAGES 64

/* Groups of 8 terminals on 4 switches, one link between two groups: from group 0 (terminals 0 to 7)
 * to group 5 (40 to 47) at switch 2, the terminals 4 and 5. A packet takes 102.4 ns on a link. */
#define DRAGONFLY(local_buffer_)                                                                   \
    "fabric:\n"                                                                                    \
    "  type: dragonfly\n  groups: 9\n  switches_per_group: 4\n  terminals_per_switch: 2\n"         \
    "  global_links_per_switch: 2\n  arrangement: absolute\n"                                      \
    "  links:\n"                                                                                   \
    "    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 64 KiB}\n"                         \
    "    local: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: " local_buffer_ "}\n"                 \
    "    global: {bandwidth: 80 Gb/s, latency: 70 ns, buffer: 64 KiB}\n"                           \
    "  switch: {latency: 100 ns}\n"                                                                \
    "hardware: {lanes: 1, packet: 1 KiB, header: 0 B}\n"

typedef struct {
    gint64 delivered_ps[MESSAGES]; /* of each */
    gint64 latency_ps;             /* mean of the packets */
    guint64 detours;               /* packets */
} Outcome;

static Outcome outcome_of(const char *machine, const char *routing, const DnMessage *messages,
                          guint n, guint threads)
{
    Outcome outcome = {.detours = 0};
    Bench b;
    bench_open(&b, machine, routing);
    b.threads = threads;
    bench_run(&b, messages, n, FALSE, KIB);
    memcpy(outcome.delivered_ps, b.script.delivered_ps->data, n * sizeof(gint64));
    outcome.latency_ps = b.result.packet_latency_ps_sum / (gint64)b.result.packets;
    outcome.detours = b.result.job_packets[0].non_minimal;
    bench_close(&b);
    return outcome;
}

/* Terminal i of group 0 sends to terminal i of group 5, eight times. */
static void shift_by_five_groups(DnMessage messages[MESSAGES])
{
    for (guint i = 0; i < MESSAGES; i++)
        messages[i] = (DnMessage){.src = i % 8, .dst = 40 + i % 8, .bytes = 16 * KIB};
}

/* The switches before the gateway see its queue, with deep buffers too: more detours, less latency,
 * the same on any number of threads. */
static void test_seen_upstream(void)
{
    static const char *const immediate = "{algorithm: ugal_l}";
    static const char *const delayed = "{algorithm: ugal_l, credits: delayed}";
    DnMessage m[MESSAGES];
    shift_by_five_groups(m);
    Outcome before = outcome_of(DRAGONFLY("64 KiB"), immediate, m, MESSAGES, 1);
    Outcome after = outcome_of(DRAGONFLY("64 KiB"), delayed, m, MESSAGES, 1);
    g_assert_cmpuint(after.detours, >, before.detours);
    g_assert_cmpint(after.latency_ps, <, before.latency_ps);
    for (guint threads = 2; threads <= 3; threads++) {
        Outcome again = outcome_of(DRAGONFLY("64 KiB"), delayed, m, MESSAGES, threads);
        g_assert_cmpmem(&again, sizeof again, &after, sizeof after);
    }
}

#define MINIMAL "algorithm: ugal_l, threshold: 1 GiB" /* no detours */

/* A stream alone waits for nothing: equal times. */
static void test_no_queue(void)
{
    DnMessage m = {.src = 0, .dst = 40, .bytes = 64 * KIB};
    Outcome a = outcome_of(DRAGONFLY("64 KiB"), "{" MINIMAL "}", &m, 1, 1);
    Outcome b = outcome_of(DRAGONFLY("64 KiB"), "{" MINIMAL ", credits: delayed}", &m, 1, 1);
    g_assert_cmpmem(&a, sizeof a, &b, sizeof b);
}

/* Both terminals of the gateway and a third, by way of it, share its link to group 5. The local
 * buffer has two packets: where credits are delayed by the queue of that link the third waits for
 * them. What it sends to a terminal of the gateway takes the same time as before. */
static void test_credits_are_later(void)
{
    static const guint32 targets[] = {42, 4};
    for (guint i = 0; i < G_N_ELEMENTS(targets); i++) {
        DnMessage m[] = {{.src = 4, .dst = 40, .bytes = 64 * KIB},
                         {.src = 5, .dst = 41, .bytes = 64 * KIB},
                         {.src = 0, .dst = targets[i], .bytes = 16 * KIB}};
        Outcome a = outcome_of(DRAGONFLY("2 KiB"), "{" MINIMAL "}", m, 3, 1);
        Outcome b = outcome_of(DRAGONFLY("2 KiB"), "{" MINIMAL ", credits: delayed}", m, 3, 1);
        if (i == 0)
            g_assert_cmpint(b.delivered_ps[2], >, a.delivered_ps[2]);
        else
            g_assert_cmpint(b.delivered_ps[2], ==, a.delivered_ps[2]);
    }
}

/* Nothing could see them: one group, or ugal_g, which sees the queues themselves. */
static void test_refused(void)
{
    static const char *const routings[] = {"{algorithm: ugal_g, credits: delayed}",
                                           "{algorithm: ugal_l, credits: delayed}"};
    static const char *const machines[] = {
        DRAGONFLY("2 KiB"),
        "fabric: {type: full_mesh, switches: 4, terminals_per_switch: 2, links: {terminal: "
        "{bandwidth: 80 Gb/s, latency: 10 ns, buffer: 8 KiB}, link: {bandwidth: 80 Gb/s, latency: "
        "10 ns, buffer: 8 KiB}}}\n"};
    for (guint i = 0; i < G_N_ELEMENTS(routings); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(DnConfigNode) node = dn_config_parse(machines[i], "machine", &error);
        g_autoptr(DnConfigNode) routing = dn_config_parse(routings[i], "routing", &error);
        g_autoptr(DnMachine) machine = dn_machine_load(node, 0, &error);
        g_assert_no_error(error);
        g_assert_null(dn_router_new(machine, routing, &error));
        g_assert_error(error, DN_ERROR, DN_ERROR_COMBINATION);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/delayed-credits/seen-upstream", test_seen_upstream);
    g_test_add_func("/delayed-credits/no-queue", test_no_queue);
    g_test_add_func("/delayed-credits/credits-are-later", test_credits_are_later);
    g_test_add_func("/delayed-credits/refused", test_refused);
    return g_test_run();
}
