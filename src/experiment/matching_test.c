/* matching_test.c - Matching of sends and receives: unexpected messages, rendezvous, their order,
 * persistent requests, and the account of a deadlock. */
#include "experiment/test_run.h"

/* ---- matching and waiting ---- */

/* Two messages from 0 to 1, tags 5 then 6; 1 asks for 6 first, waits for its id alone, then
 * computes. Tag 6 (id 2) comes at 2 us (after a compute of 1 us, zero bytes, 1 us of latency), so
 * the compute ends at 12 us. Receives from any rank with any tag then find tag 5, unexpected and
 * long complete: no time passes. */
static void test_unexpected(void)
{
    static const DnOp zero[] = {SEND(1, 5, 0), COMPUTE(1000000), SEND(1, 6, 0), WAIT(DN_ANY), END};
    static const DnOp one[] = {RECV(0, 6, 2),           WAIT(2), COMPUTE(10000000),
                               RECV(DN_ANY, DN_ANY, 3), WAIT(3), END};
    static const DnOp *const ops[] = {zero, one};
    const Script script = {ops};
    g_auto(Run) run = {.program = script_of(&script, 2), .mechanism = COSTS(.receive.recv_ps = 0)};
    run_it(&run);
    g_assert_cmpuint(run.blocked, ==, 0);
    g_assert_cmpint(run.result.iteration_ps[0], ==, 12000000);
}

/* t_recv of an unexpected message counts from its arrival at 1 us: posted at 1.2 us with t_recv
 * 500 ns it completes at 1.5 us; posted at 3 us, at once. */
static void test_unexpected_recv_cost(void)
{
    static const DnOp zero[] = {SEND(1, 5, 0), END};
    static const DnOp early[] = {COMPUTE(1200000), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp late[] = {COMPUTE(3000000), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[][2] = {{zero, early}, {zero, late}};
    static const gint64 expected[] = {1500000, 3000000};
    for (guint i = 0; i < 2; i++) {
        const Script script = {ops[i]};
        g_auto(Run)
            run = {.program = script_of(&script, 2), .mechanism = COSTS(.receive.recv_ps = 500000)};
        run_it(&run);
        g_assert_cmpint(run.result.iteration_ps[0], ==, expected[i]);
    }
}

/* Rank 0 waits for a message that never comes, rank 1 sends one nobody wants, rank 2 ends. */
static void test_deadlock(void)
{
    static const DnOp zero[] = {COMPUTE(2000000), RECV(2, 4, 9), WAIT(9), END};
    static const DnOp one[] = {SEND(0, 7, 0), WAIT(DN_ANY), RECV(DN_ANY, DN_ANY, 0), WAIT(0), END};
    static const DnOp two[] = {END};
    static const DnOp *const ops[] = {zero, one, two};
    const Script script = {ops};
    g_auto(Run) run = {.program = script_of(&script, 3)};
    run_it(&run);
    g_assert_cmpuint(run.blocked, ==, 2);
    g_assert_cmpuint(run.result.n_iterations, ==, 0);
    g_assert_cmpstr(run.account->str, ==,
                    "job it rank 0: waits since 2 us for a message from rank 2, tag 4 "
                    "(1 operations outstanding); nobody receives the message from rank 1, tag 7\n"
                    "job it rank 1: waits since 0 s for a message from any rank, any tag "
                    "(1 operations outstanding)\n");
}

/* Six ranks wait; three lines are wanted. */
static void test_deadlock_capped(void)
{
    static const DnOp stuck[] = {RECV(0, 1, 0), WAIT(DN_ANY), END};
    static const DnOp *const ops[] = {stuck, stuck, stuck, stuck, stuck, stuck};
    const Script script = {ops};
    g_auto(Run) run = {.program = script_of(&script, 6)};
    run_it(&run);
    g_assert_cmpuint(run.blocked, ==, 6);
    g_assert_nonnull(strstr(run.account->str, "rank 2: waits"));
    g_assert_null(strstr(run.account->str, "rank 3: waits"));
    g_assert_true(g_str_has_suffix(run.account->str, "and 3 ranks more\n"));
}

/* ---- protocols, order, streams ---- */

/* 1,000 B over a threshold of 999 B: RTS (100 B: 8 ns) and its latency, t_control, CTS and its
 * latency, t_control, t_start, data, latency, t_recv. The receive is posted at once, or at 5 us,
 * when the RTS (there at 1.008 us) has waited for it. 999 B go at once: one latency. */
static void test_rendezvous(void)
{
    const DnMechanism m = COSTS(.start_ps = 300000, .receive.recv_ps = 70000,
                                .rendezvous_from_bytes = 1000, .control_bytes = 100,
                                .control_ps = 200000);
    static const DnOp zero[] = {SEND(1, 5, 1000), WAIT(DN_ANY), END};
    static const DnOp soon[] = {RECV(0, 5, 0), WAIT(0), END};
    static const DnOp late[] = {COMPUTE(5000000), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp small[] = {SEND(1, 5, 999), WAIT(DN_ANY), END};
    static const DnOp *const ops[][2] = {{zero, soon}, {zero, late}, {small, soon}};
    const gint64 cts = 200000 + 8000 + LATENCY_PS;
    const gint64 data = 200000 + 300000 + 80000 + LATENCY_PS + 70000;
    const gint64 expected[] = {8000 + LATENCY_PS + cts + data, 5000000 + cts + data,
                               300000 + 79920 + LATENCY_PS + 70000};
    for (guint i = 0; i < 3; i++) {
        const Script script = {ops[i]};
        g_auto(Run) run = {.program = script_of(&script, 2), .mechanism = m};
        run_it(&run);
        g_assert_cmpuint(run.blocked, ==, 0);
        g_assert_cmpint(run.result.iteration_ps[0], ==, expected[i]);
        g_assert_cmpuint(run.result.messages, ==, 1);
        g_assert_cmpuint(run.result.n_latency, ==, 1); /* control messages are no samples */
        g_assert_cmpuint(run.pair_bytes[2], ==, i < 2 ? 100 : 0);
    }
}

/* Acknowledged eager sends: the sender goes on when 100 B (8 ns) of the target's adapter have come
 * back, and ack_ns later, whether or not a receive waits; it then computes 7 us. Longer messages,
 * which go by rendezvous, are complete when they have left. */
static void test_acknowledged(void)
{
    const DnMechanism m = COSTS(.start_ps = 300000, .receive.recv_ps = 70000,
                                .rendezvous_from_bytes = 1000, .control_bytes = 100,
                                .receive.acknowledged = TRUE, .ack_ns = 40);
    static const DnOp eager[] = {SEND(1, 5, 999), WAIT(DN_ANY), COMPUTE(7000000), END};
    static const DnOp longer[] = {SEND(1, 5, 1000), WAIT(DN_ANY), COMPUTE(7000000), END};
    static const DnOp soon[] = {RECV(0, 5, 0), WAIT(0), END};
    static const DnOp late[] = {COMPUTE(5000000), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[][2] = {{eager, soon}, {eager, late}, {longer, soon}};
    const gint64 control = 8000 + LATENCY_PS;
    const gint64 known = 300000 + 79920 + LATENCY_PS + control + 40000;
    const gint64 left = control + control + 300000 + 80000 + 40000;
    const gint64 expected[] = {known + 7000000, known + 7000000, left + 7000000};
    for (guint i = 0; i < 3; i++) {
        const Script script = {ops[i]};
        g_auto(Run) run = {.program = script_of(&script, 2), .mechanism = m};
        run_it(&run);
        g_assert_cmpuint(run.blocked, ==, 0);
        g_assert_cmpint(run.result.iteration_ps[0], ==, expected[i]);
        g_assert_cmpuint(run.result.messages, ==, 1);
        g_assert_cmpuint(run.pair_bytes[2], ==, 100); /* to rank 0: a CTS, an acknowledgement */
    }
}

/* A serial sender goes on with its next copy when the one before has been acknowledged. */
static void test_acknowledged_serial(void)
{
    const DnMechanism m = COSTS(.control_bytes = 100, .receive.acknowledged = TRUE, .serial = TRUE);
    static const DnOp zero[] = {SEND(1, 5, 1000), SEND(1, 5, 1000), WAIT(DN_ANY), END};
    static const DnOp one[] = {RECV(0, 5, 0), RECV(0, 5, 1), WAIT(DN_ANY), END};
    static const DnOp *const ops[] = {zero, one};
    const Script script = {ops};
    g_auto(Run) run = {.program = script_of(&script, 2), .mechanism = m};
    run_it(&run);
    g_assert_cmpuint(run.blocked, ==, 0);
    g_assert_cmpint(run.result.iteration_ps[0], ==, 2 * (80000 + LATENCY_PS + 8000 + LATENCY_PS));
}

/* A rule of sends that do not wait: by rendezvous, and 5 us at the receiver; of others nothing. */
static void test_nonblocking(void)
{
    for (guint nonblocking = 0; nonblocking < 2; nonblocking++) {
        const DnOp send = {.kind = DN_OP_SEND,
                           .peer = 1,
                           .tag = 5,
                           .bytes = 100000,
                           .flags = nonblocking ? DN_OP_NONBLOCKING : 0};
        const DnOp zero[] = {send, WAIT(DN_ANY), END};
        static const DnOp one[] = {RECV(0, 5, 0), WAIT(0), END};
        const DnOp *const ops[] = {zero, one};
        const Script script = {ops};
        g_auto(Run) run = {
            .program = script_of(&script, 2),
            .mechanism = {.n_rules = 2,
                          .by_send = TRUE,
                          .rules = {{.to_bytes = G_MAXINT64,
                                     .nonblocking = TRUE,
                                     .costs = {.rendezvous_from_bytes = 1000,
                                               .control_bytes = 100,
                                               .receive.recv_ps = 5000000}},
                                    {.to_bytes = G_MAXINT64, .costs = {.control_bytes = 100}}}}};
        run_it(&run);
        g_assert_cmpstr(run.account->str, ==, "");
        gint64 asked_ps = nonblocking ? 2 * (8000 + LATENCY_PS) + 5000000 : 0;
        g_assert_cmpint(run.result.iteration_ps[0], ==,
                        100000 * PS_PER_BYTE + LATENCY_PS + asked_ps);
    }
}

/* A connection of 3 us: an eager message comes so much later, its send does not wait; of a
 * rendezvous by read the RTS and the receiver's request do. Nobody connects within a node. */
static void test_connect(void)
{
    static const guint32 one_node[] = {0, 0};
    static const struct {
        gboolean read, inside;
        gint64 later_ps;
    } cases[] = {{FALSE, FALSE, 3000000}, {TRUE, FALSE, 6000000}, {FALSE, TRUE, 0}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        static const DnOp zero[] = {SEND(1, 5, 100000), WAIT(DN_ANY), END};
        static const DnOp one[] = {RECV(0, 5, 0), WAIT(0), END};
        const DnOp *const ops[] = {zero, one};
        const Script script = {ops};
        g_auto(Run) run = {.program = script_of(&script, 2),
                           .mechanism = COSTS(.rendezvous_from_bytes = cases[i].read ? 1000 : 0,
                                              .control_bytes = 100, .handshake = DN_HANDSHAKE_READ),
                           .node_of = cases[i].inside ? one_node : NULL};
        run.mechanism.connect_ps = 3000000;
        run_it(&run);
        g_assert_cmpstr(run.account->str, ==, "");
        gint64 words_ps = cases[i].read ? 3 * (8000 + LATENCY_PS) : 0; /* RTS, request, done */
        g_assert_cmpint(run.result.iteration_ps[0], ==,
                        100000 * PS_PER_BYTE + LATENCY_PS + words_ps + cases[i].later_ps);
        if (!cases[i].read) /* it has left */
            g_assert_cmpint(run.result.done_ps[0], ==, 100000 * PS_PER_BYTE);
    }
}

/* One initiator, which a message takes for 3 + 2 us: the second to the same peer goes at once, that
 * to another peer when the last of these is acknowledged. */
static void test_initiators(void)
{
    static const guint32 one_node[] = {0, 0, 0};
    for (guint i = 0; i < 3; i++) {
        static const DnOp zero[] = {SEND(1, 5, 1000), SEND(1, 5, 1000), SEND(2, 5, 1000),
                                    WAIT(DN_ANY), END};
        static const DnOp one[] = {RECV(0, 5, 0), RECV(0, 5, 0), WAIT(DN_ANY), END};
        static const DnOp two[] = {RECV(0, 5, 0), WAIT(DN_ANY), END};
        const DnOp *const ops[] = {zero, one, two};
        const Script script = {ops};
        g_auto(Run) run = {.program = script_of(&script, 3),
                           .mechanism = COSTS(.start_ps = 0),
                           .node_of = i == 2 ? one_node : NULL};
        run.mechanism.connect_ps = 3000000;
        run.mechanism.initiator_ps = 2000000;
        run.mechanism.initiators = i == 1 ? 2 : 1;
        run_it(&run);
        g_assert_cmpstr(run.account->str, ==, "");
        gint64 waits_ps = i == 0 ? 5000000 : 0;
        g_assert_cmpint(run.result.done_ps[0], ==, waits_ps + 1000 * PS_PER_BYTE);
        g_assert_cmpint(run.result.iteration_ps[0], ==,
                        waits_ps + 1000 * PS_PER_BYTE + LATENCY_PS + (i == 2 ? 0 : 3000000));
    }
}

/* A rendezvous send nobody receives never completes; an eager one does. */
static void test_rendezvous_unmatched(void)
{
    static const DnOp zero[] = {SEND(1, 7, 8), WAIT(DN_ANY), END};
    static const DnOp one[] = {END};
    static const DnOp *const ops[] = {zero, one};
    const Script script = {ops};
    g_auto(Run)
        run = {.program = script_of(&script, 2), .mechanism = COSTS(.rendezvous_from_bytes = 8)};
    run_it(&run);
    g_assert_cmpuint(run.blocked, ==, 1);
    g_assert_cmpstr(run.account->str, ==,
                    "job it rank 0: waits since 0 s for rank 1 to receive its message, tag 7 "
                    "(1 operations outstanding)\n");
}

/* The network delivers the empty message at 1 us and the 100,000 B sent before it, with the same
 * tag, at 9 us: the first receive takes the large one, both end at 9 us. Exact sizes hold the
 * match; a third message between them has another tag and keeps its place behind the first too. */
static void test_send_order(void)
{
    static const DnOp zero[] = {SEND(1, 5, 100000), SEND(1, 6, 1000), SEND(1, 5, 0), END};
    static const DnOp one[] = {RECV_OF(0, 5, 0, 100000, DN_OP_EXACT),
                               RECV_OF(0, 5, 1, 0, DN_OP_EXACT),
                               RECV_OF(0, 6, 2, 1000, DN_OP_EXACT), WAIT(DN_ANY), END};
    static const DnOp any[] = {RECV_OF(DN_ANY, DN_ANY, 0, 100000, DN_OP_EXACT),
                               RECV_OF(DN_ANY, DN_ANY, 0, 1000, DN_OP_EXACT),
                               RECV_OF(DN_ANY, DN_ANY, 0, 0, DN_OP_EXACT), WAIT(DN_ANY), END};
    static const DnOp *const ops[][2] = {{zero, one}, {zero, any}};
    for (guint i = 0; i < 2; i++) {
        const Script script = {ops[i]};
        g_auto(Run) run = {.program = script_of(&script, 2)};
        run_it(&run);
        g_assert_cmpstr(run.account->str, ==, "");
        g_assert_cmpint(run.result.iteration_ps[0], ==, 100000 * PS_PER_BYTE + LATENCY_PS);
    }
}

/* Both sides are named; the rank stops, whoever waits for it is listed behind it. */
static void test_sizes_disagree(void)
{
    static const DnOp zero[] = {SEND(1, 5, 8), RECV(1, 0, 0), WAIT(0), END};
    static const DnOp exact[] = {RECV_OF(0, 5, 0, 16, DN_OP_EXACT), WAIT(0), SEND(0, 0, 0), END};
    static const DnOp most[] = {RECV_OF(0, 5, 0, 4, 0), WAIT(0), SEND(0, 0, 0), END};
    static const DnOp *const ops[][2] = {{zero, exact}, {zero, most}};
    static const char *const expected[] = {
        "job it rank 1: sizes disagree: rank 1 receives 16 B, tag 5, from rank 0, which sends 8 "
        "B\n",
        "job it rank 1: sizes disagree: rank 1 receives 4 B at most, tag 5, from rank 0, which "
        "sends 8 B\n"};
    for (guint i = 0; i < 2; i++)
        for (guint rendezvous = 0; rendezvous < 2; rendezvous++) {
            const Script script = {ops[i]};
            g_auto(Run) run = {.program = script_of(&script, 2),
                               .mechanism = COSTS(.rendezvous_from_bytes = rendezvous)};
            run_it(&run);
            g_assert_cmpuint(run.blocked, ==, 2);
            g_assert_true(g_str_has_prefix(run.account->str, expected[i]));
            g_assert_nonnull(strstr(run.account->str, "job it rank 0: waits"));
        }
}

/* One request begun three times, each waited for: a ping-pong of empty messages, 2 us a round. */
static void test_persistent(void)
{
    static const DnOp zero[] = {
        {.kind = DN_OP_SEND, .peer = 1, .tag = 1, .request = 3, .flags = DN_OP_PERSISTENT},
        {.kind = DN_OP_RECV, .peer = 1, .tag = 2, .request = 4, .flags = DN_OP_PERSISTENT},
        {.kind = DN_OP_START, .request = 3},
        {.kind = DN_OP_START, .request = 4},
        WAIT(DN_ANY),
        {.kind = DN_OP_START, .request = 3},
        {.kind = DN_OP_START, .request = 4},
        WAIT(DN_ANY),
        {.kind = DN_OP_START, .request = 3},
        {.kind = DN_OP_START, .request = 4},
        WAIT(DN_ANY),
        END};
    static const DnOp one[] = {
        {.kind = DN_OP_SEND, .peer = 0, .tag = 2, .request = 0, .flags = DN_OP_PERSISTENT},
        {.kind = DN_OP_RECV, .peer = 0, .tag = 1, .request = 9, .flags = DN_OP_PERSISTENT},
        {.kind = DN_OP_START, .request = 9},
        WAIT(9),
        {.kind = DN_OP_START, .request = 0},
        {.kind = DN_OP_START, .request = 9},
        WAIT(9),
        {.kind = DN_OP_START, .request = 0},
        {.kind = DN_OP_START, .request = 9},
        WAIT(9),
        {.kind = DN_OP_START, .request = 0},
        END};
    static const DnOp *const ops[] = {zero, one};
    const Script script = {ops};
    g_auto(Run) run = {.program = script_of(&script, 2)};
    run_it(&run);
    g_assert_cmpuint(run.blocked, ==, 0);
    g_assert_cmpuint(run.result.messages, ==, 6);
    g_assert_cmpint(run.result.iteration_ps[0], ==, 6 * LATENCY_PS);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/replay/unexpected", test_unexpected);
    g_test_add_func("/replay/unexpected-recv-cost", test_unexpected_recv_cost);
    g_test_add_func("/replay/deadlock", test_deadlock);
    g_test_add_func("/replay/deadlock-capped", test_deadlock_capped);
    g_test_add_func("/replay/rendezvous", test_rendezvous);
    g_test_add_func("/replay/acknowledged", test_acknowledged);
    g_test_add_func("/replay/acknowledged-serial", test_acknowledged_serial);
    g_test_add_func("/replay/rendezvous-unmatched", test_rendezvous_unmatched);
    g_test_add_func("/replay/nonblocking", test_nonblocking);
    g_test_add_func("/replay/connect", test_connect);
    g_test_add_func("/replay/initiators", test_initiators);
    g_test_add_func("/replay/send-order", test_send_order);
    g_test_add_func("/replay/sizes-disagree", test_sizes_disagree);
    g_test_add_func("/replay/persistent", test_persistent);
    return g_test_run();
}
