/* unexpected_test.c - Eager messages that come before their receive: what the adapter's buffer
 * holds, what is dropped and comes again, and by which costs. Messages to oneself. Work of the
 * processor beside host noise. */
#include "experiment/test_run.h"

#define US G_GINT64_CONSTANT(1000000)
#define NS_A_BYTE G_GINT64_CONSTANT(8000000000) /* bit/s */

static gint64 nodes_ps(const DnOp *const *ops, guint32 ranks, DnMechanism mechanism,
                       const guint32 *node_of, const DnHostNoise *noise)
{
    const Script script = {ops};
    g_auto(Run) run = {.program = script_of(&script, ranks),
                       .mechanism = mechanism,
                       .node_of = node_of,
                       .noise = noise};
    run_it(&run);
    g_assert_cmpstr(run.account->str, ==, "");
    g_assert_cmpuint(run.result.n_iterations, ==, 1);
    return run.result.iteration_ps[0];
}

/* A message of 10000 B from the same node, or to oneself, takes nothing of a buffer of 1 KiB: one
 * of 500 B from another node is kept. From another node it fills the buffer: 500 B come again. */
static void test_buffer(void)
{
    static const DnOp own[] = {SEND(0, 5, 10000), COMPUTE(10 * US), RECV(2, 6, 0),
                               RECV(0, 5, 0),     WAIT(0),          END};
    static const DnOp zero[] = {COMPUTE(10 * US), RECV(2, 6, 0), RECV(1, 5, 0), WAIT(0), END};
    static const DnOp one[] = {SEND(0, 5, 1000), END}, none[] = {END};
    static const DnOp two[] = {COMPUTE(US), SEND(0, 6, 500), END};
    static const guint32 near[] = {0, 0, 1}, far[] = {0, 1, 2};
    static const DnOp *const other[] = {zero, one, two}, *const oneself[] = {own, none, two};
    const DnMechanism m = COSTS(.receive.unexpected_kib = 1);
    g_assert_cmpint(nodes_ps(other, 3, m, near, NULL), ==, 10 * US);
    g_assert_cmpint(nodes_ps(oneself, 3, m, far, NULL), ==, 10 * US);
    g_assert_cmpint(nodes_ps(other, 3, m, far, NULL), ==,
                    10 * US + 2 * LATENCY_PS + 500 * PS_PER_BYTE);
}

/* More than 4 GiB without a receive are dropped, too, and come again whole. */
static void test_long(void)
{
    const gint64 bytes = ((gint64)5 << 30) + 3;
    const DnOp zero[] = {COMPUTE(20 * 1000 * 1000 * US), RECV(1, 5, 0), WAIT(0), END};
    const DnOp one[] = {SEND(0, 5, bytes), END};
    const DnOp *const ops[] = {zero, one};
    const DnMechanism m = COSTS(.receive.unexpected_kib = 1);
    g_assert_cmpint(script_ps(ops, 2, m), ==,
                    20 * 1000 * 1000 * US + 2 * LATENCY_PS + bytes * PS_PER_BYTE);
}

/* Of 20000 B without a receive the processor, 1 ns a byte, copies nothing before they come again:
 * the 1000 B of rank 2, there at 23.08 us, are copied at 24.08, and a computation follows until
 * 124.08. Then the others are asked for, come and are copied. */
static void test_dropped_is_not_copied(void)
{
    static const DnOp zero[] = {RECV(2, 6, 0), WAIT(0), COMPUTE(100 * US),
                                RECV(1, 5, 0), WAIT(0), END};
    static const DnOp one[] = {SEND(0, 5, 20000), END};
    static const DnOp two[] = {COMPUTE(22 * US), SEND(0, 6, 1000), END};
    static const DnOp *const ops[] = {zero, one, two};
    const DnMechanism m =
        COSTS(.receive.unexpected_kib = 1, .n_in = 1,
              .in = {{.unit = DN_STAGE_CPU, .servers = 1, .rate_bps = NS_A_BYTE}});
    g_assert_cmpint(script_ps(ops, 3, m), ==,
                    124 * US + 80000 + 2 * LATENCY_PS + 20000 * (PS_PER_BYTE + 1000));
}

/* What comes again costs its receiver what an eager message does, not what a rendezvous does. */
static void test_again_is_eager(void)
{
    static const DnOp zero[] = {COMPUTE(10 * US), RECV(1, 5, 0), WAIT(0), END};
    static const DnOp one[] = {SEND(0, 5, 2000), END};
    static const DnOp *const ops[] = {zero, one};
    const DnMechanism m = {
        .n_rules = 2,
        .by_send = TRUE,
        .rules = {{.to_bytes = G_MAXINT64,
                   .nonblocking = TRUE,
                   .costs = {.rendezvous_from_bytes = 100, .receive.recv_ps = 50 * US}},
                  {.to_bytes = G_MAXINT64,
                   .costs = {.receive.unexpected_kib = 1, .receive.recv_ps = US}}}};
    g_assert_cmpint(script_ps(ops, 2, m), ==, 10 * US + 2 * LATENCY_PS + 2000 * PS_PER_BYTE + US);
}

/* A message to oneself is a copy within the rank's memory. */
static void test_to_oneself(void)
{
    static const DnOp zero[] = {SEND(0, 5, 1000), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp empty[] = {SEND(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[] = {zero}, *const nothing[] = {empty};
    const DnMechanism m =
        COSTS(.start_ps = 5 * US, .local.copy_ps = 3 * US, .local.copy_bps = NS_A_BYTE);
    g_assert_cmpint(script_ps(ops, 1, m), ==, 4 * US);
    g_assert_cmpint(script_ps(nothing, 1, m), ==, 0);
}

/* Detours that take half of the processor lengthen all of its work alike: a send's call, the end of
 * a receive, a copy before or after the wire. */
static void test_noise(void)
{
    static const DnOp zero[] = {SEND(1, 5, 0), END}, one[] = {RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[] = {zero, one};
    const DnStage copy = {.unit = DN_STAGE_CPU, .servers = 1, .message_ps = 4000 * US};
    const DnMechanism works[] = {COSTS(.issue_ps = 4000 * US),
                                 COSTS(.receive.progress_ns = 4000000),
                                 COSTS(.n_out = 1, .out = {copy}), COSTS(.n_in = 1, .in = {copy})};
    const DnHostNoise noise = {.period_ps = 100 * US, .duration_ps = 50 * US, .seed = 7};
    for (guint i = 0; i < G_N_ELEMENTS(works); i++) {
        g_assert_cmpint(nodes_ps(ops, 2, works[i], NULL, NULL), ==, 4000 * US + LATENCY_PS);
        gint64 noisy_ps = nodes_ps(ops, 2, works[i], NULL, &noise);
        g_assert_cmpint(noisy_ps, >, 6500 * US);
        g_assert_cmpint(noisy_ps, <, 10000 * US);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/unexpected/buffer", test_buffer);
    g_test_add_func("/unexpected/long", test_long);
    g_test_add_func("/unexpected/dropped-is-not-copied", test_dropped_is_not_copied);
    g_test_add_func("/unexpected/again-is-eager", test_again_is_eager);
    g_test_add_func("/unexpected/to-oneself", test_to_oneself);
    g_test_add_func("/unexpected/noise", test_noise);
    return g_test_run();
}
