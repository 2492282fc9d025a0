/* watchdog_test.c - The packet engine refuses buffers that hold no packet, and ends a simulation
 * that stands still with an account of it. */
#include "engine/packet/packet_bench.h"

static void test_small_buffer_is_refused(void)
{
    Bench b;
    GError *error = NULL;
    bench_open(&b,
               "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 1\n"
               "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 8 KiB}\n"
               "    link: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 8 KiB}\n"
               "  switch: {latency: 100 ns}\nhardware: {packet: 16 KiB}\n",
               NULL);
    DnMessage m = {.src = 0, .dst = 1, .bytes = 1};
    g_assert_false(bench_try(&b, &m, 1, FALSE, 16384, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_nonnull(strstr(error->message, "8192 B of buffer"));
    g_clear_error(&error);
    bench_close(&b);
}

static guint blocked_two(void *client, GString *account, guint max_lines)
{
    if (max_lines > 0)
        g_string_append(account, "  rank 1 waits for a message of rank 0\n");
    return 2;
}

/* A run of @client ends, saying @words, with its account. */
static void expect_stall(DnClient client, const char *words)
{
    Bench b;
    g_autoptr(GError) error = NULL;
    bench_open(&b, BENCH_DRAGONFLY(""), NULL);
    client.blocked = blocked_two;
    guint32 active = 0;
    DnEngineRun run = {.router = b.router,
                       .packet_bytes = 1024,
                       .active = &active,
                       .n_active = 1,
                       .client = &client,
                       .client_data = &b.script};
    g_assert_false(dn_engine_find("packet")->run(&run, &b.result, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_STALLED);
    g_assert_nonnull(strstr(error->message, words));
    g_assert_nonnull(strstr(error->message, "rank 1 waits for a message of rank 0"));
    bench_close(&b);
}

/* Nothing moves and the client says that ranks wait. */
static void test_watchdog(void)
{
    expect_stall(script_client, "2 ranks are blocked");
}

static void start_clock(void *client, DnContext *context, guint32 endpoint)
{
    dn_context_timer(context, 5000, 0);
}

static void ask_again_at_once(void *client, DnContext *context, guint32 endpoint, guint64 cookie)
{
    dn_context_timer(context, dn_context_now(context), cookie);
}

/* A client that asks to be called at the moment it is called: no event is ever later than 5 ns. */
static void test_watchdog_standstill(void)
{
    DnClient client = script_client;
    client.start = start_clock;
    client.timer = ask_again_at_once;
    expect_stall(client, "simulated time stands still at 5 ns: 0 messages and 0 packets under way");
}

/* A ring of five on one channel, without a dateline, that no run would be allowed to start:
 * everyone sends two switches on, buffers hold one packet, and with the first each waits for the
 * next. The account names the five links, what the packets first in line lack, and their
 * messages. */
static void test_watchdog_deadlock(void)
{
    GError *error = NULL;
    Bench b = {0};
    g_autoptr(DnConfigNode)
        machine = dn_config_parse("fabric:\n  type: torus\n  dims: [5]\n  terminals_per_switch: 1\n"
                                  "  links:\n    terminal: {bandwidth: 80 Gb/s, latency: 10 ns, "
                                  "buffer: 2 KiB}\n    link: {bandwidth: 80 Gb/s, latency: 30 ns, "
                                  "buffer: 1 KiB}\n  switch: {latency: 50 ns}\n"
                                  "hardware: {packet: 1 KiB}\n",
                                  "machine", &error);
    g_autoptr(DnConfigNode) routing =
        dn_config_parse("{algorithm: dimension_order, virtual_channels: 1}", "routing", &error);
    b.machine = dn_machine_load(machine, 0, &error);
    b.router = dn_router_new(b.machine, routing, &error);
    g_assert_no_error(error);
    b.script.delivered_ps = g_array_new(FALSE, TRUE, sizeof(gint64));
    DnMessage m[5];
    for (guint i = 0; i < 5; i++)
        m[i] = (DnMessage){.src = i, .dst = (i + 2) % 5, .bytes = 1 << 20};
    g_assert_false(bench_try(&b, m, 5, FALSE, 1024, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_STALLED);
    g_test_message("%s", error->message);
    g_assert_nonnull(strstr(error->message, "nothing moves at "));
    g_assert_nonnull(strstr(error->message, ": 5 messages and "));
    for (guint i = 0; i < 5; i++) {
        char name[160];
        const DnGraph *g = b.machine->graph;
        for (guint32 l = 0; l < g->size.links; l++)
            if (g->links[l].src == i && g->links[l].dst == (i + 1) % 5)
                g_assert_nonnull(strstr(error->message, dn_link_name(g, l, name)));
    }
    g_assert_nonnull(strstr(error->message, "lane 0 channel 0: needs 1024 B of credit, has 0 "
                                            "(first: 1 MiB from node "));
    g_clear_error(&error);
    bench_close(&b);
}

/* A NIC that starts a message in 1000 s, or one that starts none, and a reply of 4 MiB with a cap
 * of 1 b/s: longer than a run may take, on one thread and on two. Cut short, the first is allowed.
 */
static void test_run_too_long(void)
{
    static const char *const yaml =
        "fabric:\n  type: full_mesh\n  switches: 2\n  terminals_per_switch: 1\n"
        "  links:\n    terminal: {bandwidth: 1 Gb/s, latency: 100 ns, buffer: 8 MiB}\n"
        "    link: {bandwidth: 100 Gb/s, latency: 100 ns, buffer: 8 MiB}\n"
        "  switch: {latency: 100 ns}\nhardware: {packet: 4 MiB, message_rate: %s}\n";
    static const char *const rates[] = {"0.001 /s", "1e-15 /s", "'0'"};
    DnMessage m[1100];
    for (guint i = 0; i < 1100; i++)
        m[i] = (DnMessage){.src = 0, .dst = 1, .bytes = 1};
    DnMessage reply[] = {{.src = 0, .dst = 1, .bytes = 8 << 20},
                         {.src = 1, .dst = 0, .bytes = 4 << 20, .rate_bps = 1}};
    for (guint k = 0; k < 6; k++) {
        Bench b;
        g_autoptr(GError) error = NULL;
        g_autofree char *machine = g_strdup_printf(yaml, rates[k / 2]);
        gboolean capped = k / 2 == 2;
        bench_open(&b, machine, NULL);
        b.threads = 1 + k % 2;
        g_assert_false(
            bench_try(&b, capped ? reply : m, capped ? 2 : 1100, capped, 4 << 20, &error));
        g_assert_error(error, DN_ERROR, DN_ERROR_STALLED);
        g_assert_nonnull(strstr(error->message, "more than the 1,000,000 s that a run may take"));
        g_clear_error(&error);
        b.until_ps = G_GINT64_CONSTANT(500000000000000000);
        if (k < 2) {
            gboolean ok = bench_try(&b, m, 1100, FALSE, 4 << 20, &error);
            g_assert_no_error(error);
            g_assert_true(ok);
            g_assert_cmpint(b.result.end_ps, >, b.until_ps - G_GINT64_CONSTANT(1001000000000000));
        }
        bench_close(&b);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/packet/small-buffer", test_small_buffer_is_refused);
    g_test_add_func("/packet/run-too-long", test_run_too_long);
    g_test_add_func("/packet/watchdog", test_watchdog);
    g_test_add_func("/packet/watchdog-deadlock", test_watchdog_deadlock);
    g_test_add_func("/packet/watchdog-standstill", test_watchdog_standstill);
    return g_test_run();
}
