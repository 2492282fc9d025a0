/* phases_test.c - the phases of a message, one by one, in closed form. T(1000 B) = 80 ns. */
#include "experiment/test_run.h"

#define US G_GINT64_CONSTANT(1000000)
#define T1K (1000 * PS_PER_BYTE)

/* Rank 0: the first send takes call 7 + batch 3 + issue 1 us, the second 1; nothing to move, so the
 * wait is over at 12 and costs 2: 14; then batch and issue again: 18, and the wait: 20.
 * Rank 1: call 7 + post 4, then 4 for each: all posted at 19; the last message is there at
 * 18 + 1; the wait ends at 19 and costs 2. */
static void test_busy(void)
{
    static const DnOp zero[] = {SEND(1, 5, 0), SEND(1, 5, 0), WAIT(DN_ANY), WAIT(DN_ANY),
                                SEND(1, 5, 0), WAIT(DN_ANY),  END};
    static const DnOp one[] = {RECV(0, 5, 0), RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[] = {zero, one};
    const DnMechanism m = COSTS(.call_ps = 7 * US, .batch_ps = 3 * US, .issue_ps = US,
                                .post_ps = 4 * US, .wait_ps = 2 * US);
    g_assert_cmpint(script_ps(ops, 2, m), ==, 21 * US);
}

/* A first send of 0 bytes by a rule without batch_ps leaves that to the first send by a rule with
 * it: 1 + 3 + 1 and 1 us for three sends. */
static void test_batch_by_rule(void)
{
    static const DnOp zero[] = {SEND(1, 5, 0), SEND(1, 5, 1000), SEND(1, 5, 1000), WAIT(DN_ANY),
                                END};
    static const DnOp one[] = {RECV(0, 5, 0), RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[] = {zero, one};
    const DnMechanism m = {
        .n_rules = 2,
        .rules = {{.to_bytes = 0, .costs = {.issue_ps = US}},
                  {.to_bytes = G_MAXINT64, .costs = {.batch_ps = 3 * US, .issue_ps = US}}}};
    g_assert_cmpint(script_ps(ops, 2, m), ==, 6 * US + T1K + LATENCY_PS);
}

/* Three messages at once; the stage before the wire takes 2 us, the one after it 1 a message, 1 a
 * wire message and 1 for 1000 B at 8 Gb/s. One server a side: out at 2, 4, 6 us; T + L = 1.08
 * us later 3 us each: 6.08, 9.08, 12.08. Two servers outside: 2, 2, 4, and the same end; as many
 * as needed (0) on both sides: 2 + 1.08 + 3; after the wire: 6 + 1.08 + 3; enough before it, two
 * after: 3.08 + 3 + 3. */
static void test_stages(void)
{
    static const DnOp zero[] = {SEND(1, 5, 1000), SEND(1, 5, 1000), SEND(1, 5, 1000), END};
    static const DnOp one[] = {RECV(0, 5, 0), RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[] = {zero, one};
    static const guint16 servers[][2] = {{1, 1}, {2, 1}, {0, 0}, {1, 0}, {3, 2}};
    static const gint64 expected[] = {12 * US, 12 * US, 6 * US, 10 * US, 9 * US};
    DnMechanism m = COSTS(.n_out = 1, .n_in = 1,
                          .out = {{.unit = DN_STAGE_COPY, .message_ps = 2 * US}},
                          .in = {{.unit = DN_STAGE_RECEIVE,
                                  .message_ps = US,
                                  .piece_ps = US,
                                  .rate_bps = G_GINT64_CONSTANT(8000000000)}});
    for (guint i = 0; i < G_N_ELEMENTS(servers); i++) {
        m.rules[0].costs.out[0].servers = servers[i][0];
        m.rules[0].costs.in[0].servers = servers[i][1];
        g_assert_cmpint(script_ps(ops, 2, m), ==, expected[i] + T1K);
    }
}

/* Between two stages a message holds nothing: 2 us in one unit, then 3 in another, two messages:
 * at the wire at 5 and 8 us. */
static void test_two_stages(void)
{
    static const DnOp zero[] = {SEND(1, 5, 0), SEND(1, 5, 0), END};
    static const DnOp one[] = {RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[] = {zero, one};
    const DnMechanism m =
        COSTS(.n_out = 2, .out = {{.unit = DN_STAGE_POST, .servers = 1, .message_ps = 2 * US},
                                  {.unit = DN_STAGE_PROXY, .servers = 1, .message_ps = 3 * US}});
    g_assert_cmpint(script_ps(ops, 2, m), ==, 8 * US + LATENCY_PS);
}

/* A copy of 1000 B at 8 Gb/s, 1 us, starts up in 2; a reduction in 4, at no rate; nothing to copy
 * takes no time. */
static void test_local(void)
{
    static const DnOp zero[] = {{.kind = DN_OP_COPY, .bytes = 1000},
                                {.kind = DN_OP_REDUCE, .bytes = 1000},
                                {.kind = DN_OP_COPY},
                                END};
    static const DnOp *const ops[] = {zero};
    const DnMechanism m = COSTS(.local.copy_ps = 2 * US,
                                .local.copy_bps = G_GINT64_CONSTANT(8000000000),
                                .local.reduce_ps = 4 * US);
    g_assert_cmpint(script_ps(ops, 1, m), ==, 7 * US);
}

/* 1000 B registered at 8 Gb/s: 1 us for the send and 1 us for the receive, at the same time if both
 * are called at once, and either while the other rank is not there yet: each time 1 us more than
 * without. A message of 999 B is eager. */
static void test_register(void)
{
    static const DnOp send[] = {SEND(1, 5, 1000), END}, eager[] = {SEND(1, 5, 999), END};
    static const DnOp late_send[] = {COMPUTE(9 * US), SEND(1, 5, 1000), END};
#define POSTED                                                                                     \
    {                                                                                              \
        .kind = DN_OP_RECV, .peer = 0, .tag = 5, .bytes = 1000                                     \
    }
    static const DnOp receive[] = {POSTED, WAIT(0), END};
    static const DnOp late_receive[] = {COMPUTE(9 * US), POSTED, WAIT(0), END};
    static const DnOp short_receive[] = {
        {.kind = DN_OP_RECV, .peer = 0, .tag = 5, .bytes = 999}, WAIT(0), END};
#undef POSTED
    static const DnOp *const ops[][2] = {
        {send, receive}, {late_send, receive}, {send, late_receive}, {eager, short_receive}};
    static const gint64 longer[] = {US, US, US, 0};
    for (guint i = 0; i < G_N_ELEMENTS(ops); i++) {
        DnMechanism m = COSTS(.rendezvous_from_bytes = 1000, .control_bytes = 100);
        gint64 kept_ps = script_ps(ops[i], 2, m);
        m.rules[0].costs.local.register_bps = G_GINT64_CONSTANT(8000000000);
        g_assert_cmpint(script_ps(ops[i], 2, m) - kept_ps, ==, longer[i]);
    }
}

/* A process does one thing after another. Rank 0 is busy 1 us with each of two sends, so that they
 * come at 2 and 3 us; rank 1 posts both receives at 2 us, and each completion takes its processor 4
 * us: 6 and 10. After a copy of 5 us the first receive is posted at 6 us, when its message is
 * there: 4 us for that, 1 for the second receive, 4 for its message. */
static void test_progress(void)
{
    static const DnOp zero[] = {SEND(1, 5, 0), SEND(1, 5, 0), END};
    static const DnOp one[] = {RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp copies[] = {
        {.kind = DN_OP_COPY, .bytes = 1}, RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[][2] = {{zero, one}, {zero, copies}};
    static const gint64 expected[] = {10 * US, 15 * US};
    const DnMechanism m =
        COSTS(.issue_ps = US, .post_ps = US, .receive.progress_ns = 4000, .local.copy_ps = 5 * US);
    for (guint i = 0; i < G_N_ELEMENTS(expected); i++)
        g_assert_cmpint(script_ps(ops[i], 2, m), ==, expected[i]);
}

/* A copy by the process's processor, 3 us each before the wire, makes it wait: its second send is
 * issued only at 1 + 3 + 1 us, copied at 8. With a processor of its own for copies (a proxy's, or
 * where completions take no time) it is issued at 2 and copied at 7. Completion takes 1 ns. */
static void test_copies_block(void)
{
    static const DnOp zero[] = {SEND(1, 5, 0), SEND(1, 5, 0), END};
    static const DnOp one[] = {RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[] = {zero, one};
    DnMechanism m = COSTS(.issue_ps = US, .receive.progress_ns = 1, .n_out = 1,
                          .out = {{.unit = DN_STAGE_CPU, .servers = 1, .message_ps = 3 * US}});
    g_assert_cmpint(script_ps(ops, 2, m), ==, 8 * US + LATENCY_PS + 1000);
    m.rules[0].costs.out[0].unit = DN_STAGE_PROXY;
    g_assert_cmpint(script_ps(ops, 2, m), ==, 7 * US + LATENCY_PS + 1000);
    m.rules[0].costs.out[0].unit = DN_STAGE_CPU;
    m.rules[0].costs.receive.progress_ns = 0;
    g_assert_cmpint(script_ps(ops, 2, m), ==, 7 * US + LATENCY_PS);
}

/* Of three messages of 1000 B that come before their receives, posted at 5 us, a buffer of 1 KiB
 * holds one. The others are asked for at 5 us and come L + T + L later (the engine of these tests
 * has no links to share). In 3 KiB all are kept. */
static void test_unexpected_limit(void)
{
    static const DnOp zero[] = {SEND(1, 5, 1000), SEND(1, 5, 1000), SEND(1, 5, 1000), END};
    static const DnOp one[] = {COMPUTE(5 * US), RECV(0, 5, 0), RECV(0, 5, 0),
                               RECV(0, 5, 0),   WAIT(0),       END};
    static const DnOp *const ops[] = {zero, one};
    DnMechanism m = COSTS(.receive.unexpected_kib = 1);
    g_assert_cmpint(script_ps(ops, 2, m), ==, 5 * US + LATENCY_PS + T1K + LATENCY_PS);
    m.rules[0].costs.receive.unexpected_kib = 3;
    g_assert_cmpint(script_ps(ops, 2, m), ==, 5 * US);
}

/* The receive is posted at 5 us; its CTS of 100 B takes 8 ns + 1 us, the data as much as ever. A
 * send whose CTS came before does not wait. Sends of one pair overtake each other: the receive of
 * tag 6 comes first, and only after it that of tag 5. */
static void test_triggered(void)
{
    static const DnOp zero[] = {SEND(1, 5, 1000), WAIT(DN_ANY), END};
    static const DnOp one[] = {COMPUTE(5 * US), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp late[] = {COMPUTE(9 * US), SEND(1, 5, 1000), WAIT(DN_ANY), END};
    static const DnOp both[] = {SEND(1, 5, 1000), SEND(1, 6, 1000), WAIT(DN_ANY), END};
    static const DnOp crossed[] = {RECV(0, 6, 0), WAIT(0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[][2] = {{zero, one}, {late, one}, {both, crossed}};
    const gint64 trip = 8000 + LATENCY_PS + T1K + LATENCY_PS;
    const gint64 expected[] = {5 * US + trip, 9 * US + T1K + LATENCY_PS, 2 * trip};
    const DnMechanism m = COSTS(.handshake = DN_HANDSHAKE_TRIGGERED, .control_bytes = 100);
    for (guint i = 0; i < 3; i++)
        g_assert_cmpint(script_ps(ops[i], 2, m), ==, expected[i]);
}

static void account_is(const DnOp *const *ops, guint32 ranks, DnMechanism mechanism,
                       const char *expected)
{
    const Script script = {ops};
    g_auto(Run) run = {.program = script_of(&script, ranks), .mechanism = mechanism};
    run_it(&run);
    g_assert_cmpstr(run.account->str, ==, expected);
}

static void test_triggered_stuck(void)
{
    static const DnOp zero[] = {SEND(1, 5, 1000), WAIT(DN_ANY), END};
    static const DnOp none[] = {END};
    static const DnOp any[] = {RECV(DN_ANY, 5, 0), WAIT(0), END};
    static const DnOp *const unmatched[] = {zero, none};
    static const DnOp *const wild[] = {none, any};
    const DnMechanism m = COSTS(.handshake = DN_HANDSHAKE_TRIGGERED);
    account_is(unmatched, 2, m,
               "job it rank 0: waits since 0 s for rank 1 to receive its message, tag 5 "
               "(1 operations outstanding)\n");
    account_is(wild, 2, m,
               "job it rank 1: rank 1 receives from any source or any tag; a triggered receive "
               "clears one sender\n");
}

/* A pool of 4, sends and receives take 2: the third send waits until the first two have left at T,
 * leaves at 2 T and is there L later; the third receive waits as well, until T + L, which is
 * sooner. */
static void test_entries(void)
{
    static const DnOp zero[] = {SEND(1, 5, 1000), SEND(1, 5, 1000), SEND(1, 5, 1000), WAIT(0), END};
    static const DnOp one[] = {RECV(0, 5, 0), RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp stuck[] = {RECV(0, 5, 0), RECV(0, 6, 0), RECV(0, 7, 0), WAIT(0), END};
    static const DnOp muted[] = {COMPUTE(3 * US), END};
    static const DnOp *const ops[] = {zero, one};
    static const DnOp *const never[] = {muted, stuck};
    const DnMechanism m = COSTS(.entries = 4, .send_entries = 2, .recv_entries = 2);
    g_assert_cmpint(script_ps(ops, 2, m), ==, 2 * T1K + LATENCY_PS);
    account_is(never, 2, m,
               "job it rank 1: waits for entries of its mechanism's pool, which no operation gives "
               "back, since 0 s\n");
}

/* 64 words of 8 B put by two warps: as 64 messages the proxy serves 1 us each, all through at 64;
 * coalesced 32 to one, two of 256 B: 2 us and their own T. The other side has nothing to do: the
 * iteration lasts until the last arrival. */
static void test_pieces(void)
{
#define PUT                                                                                        \
    {                                                                                              \
        .kind = DN_OP_SEND, .peer = 1, .bytes = 256, .flags = DN_OP_ONE_SIDED, .pieces = 32        \
    }
    static const DnOp zero[] = {PUT, PUT, WAIT(DN_ANY), END};
    static const DnOp one[] = {END};
    static const DnOp *const ops[] = {zero, one};
    DnMechanism m =
        COSTS(.n_out = 1, .out = {{.unit = DN_STAGE_PROXY, .servers = 1, .piece_ps = US}});
    g_assert_cmpint(script_ps(ops, 2, m), ==, 64 * US + 8 * PS_PER_BYTE + LATENCY_PS);
    m.rules[0].costs.coalesce = 32;
    g_assert_cmpint(script_ps(ops, 2, m), ==, 2 * US + 256 * PS_PER_BYTE + LATENCY_PS);
}

/* One queue of 1 us a put and 3 us to change its peer. To 1, 1 and 2: the puts' turns begin at 0, 1
 * and 2 + 3 and end at 1, 2 and 6; to 1, 2 and 1 at 0, 1 + 3 and 5 + 3: the last at 9. Two queues,
 * each free first in turn, to 1, 1, 2: at 0 and 0, then 1 + 3, over at 5. */
static void test_change(void)
{
#define TO(rank)                                                                                   \
    {                                                                                              \
        .kind = DN_OP_SEND, .peer = rank, .bytes = 8, .flags = DN_OP_ONE_SIDED                     \
    }
    static const DnOp together[] = {TO(1), TO(1), TO(2), WAIT(DN_ANY), END};
    static const DnOp apart[] = {TO(1), TO(2), TO(1), WAIT(DN_ANY), END};
    static const DnOp other[] = {END};
    const DnOp *ops[] = {together, other, other};
    const gint64 path_ps = 8 * PS_PER_BYTE + LATENCY_PS;
    DnMechanism m =
        COSTS(.n_out = 1,
              .out = {
                  {.unit = DN_STAGE_PROXY, .servers = 1, .message_ps = US, .change_ps = 3 * US}});
    g_assert_cmpint(script_ps(ops, 3, m), ==, 6 * US + path_ps);
    ops[0] = apart;
    g_assert_cmpint(script_ps(ops, 3, m), ==, 9 * US + path_ps);
    ops[0] = together;
    m.rules[0].costs.out[0].servers = 2;
    g_assert_cmpint(script_ps(ops, 3, m), ==, 5 * US + path_ps);
}

/* A host that needs 4 us a kernel: three of 1 us are an iteration of 12 us, three of 10 us one of
 * 30, as without it. What takes no time is no kernel. */
static void test_enqueue(void)
{
    static DnOp ops_[] = {COMPUTE(0), COMPUTE(0), WAIT(DN_ANY), COMPUTE(0), END};
    static const DnOp *const ops[] = {ops_};
    const DnMechanism m = COSTS(.enqueue_ps = 4 * US);
    for (guint i = 0; i < 4; i++)
        ops_[i].duration_ps = i == 2 ? 0 : 1 * US;
    g_assert_cmpint(script_ps(ops, 1, m), ==, 12 * US);
    for (guint i = 0; i < 4; i++)
        ops_[i].duration_ps = i == 2 ? 0 : 10 * US;
    g_assert_cmpint(script_ps(ops, 1, m), ==, 30 * US);
}

/* 2,000 messages of 1000 s each would end after 2e6 s: the rank says so instead. */
static void test_endless(void)
{
    static DnOp zero[2002], one[] = {END};
    static const DnOp *const ops[] = {zero, one};
    for (guint i = 0; i < 2000; i++)
        zero[i] = (DnOp){.kind = DN_OP_SEND, .peer = 1, .flags = DN_OP_ONE_SIDED};
    zero[2000] = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
    zero[2001] = (DnOp){.kind = DN_OP_END};
    const DnMechanism m =
        COSTS(.n_out = 1,
              .out = {{.unit = DN_STAGE_POST, .servers = 1, .message_ps = 1000000000 * US}});
    account_is(ops, 2, m,
               "job it rank 0: rank 0 would go on after more than the 1,000,000 s that a run may "
               "take\n");
}

/* Up to 1000 B the first rule, larger ones the second, at both ends. */
static void test_rules(void)
{
    static const DnOp small[] = {SEND(1, 5, 1000), END}, large[] = {SEND(1, 5, 1001), END};
    static const DnOp one[] = {RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[][2] = {{small, one}, {large, one}};
    const DnMechanism m = {
        .n_rules = 2,
        .rules = {
            {.to_bytes = 1000, .costs = {.start_ps = US, .receive.recv_ps = 2 * US}},
            {.to_bytes = G_MAXINT64, .costs = {.start_ps = 10 * US, .receive.recv_ps = 20 * US}}}};
    g_assert_cmpint(script_ps(ops[0], 2, m), ==, 3 * US + T1K + LATENCY_PS);
    g_assert_cmpint(script_ps(ops[1], 2, m), ==, 30 * US + T1K + PS_PER_BYTE + LATENCY_PS);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/phases/busy", test_busy);
    g_test_add_func("/phases/batch-by-rule", test_batch_by_rule);
    g_test_add_func("/phases/stages", test_stages);
    g_test_add_func("/phases/two-stages", test_two_stages);
    g_test_add_func("/phases/local", test_local);
    g_test_add_func("/phases/register", test_register);
    g_test_add_func("/phases/progress", test_progress);
    g_test_add_func("/phases/copies-block", test_copies_block);
    g_test_add_func("/phases/unexpected-limit", test_unexpected_limit);
    g_test_add_func("/phases/triggered", test_triggered);
    g_test_add_func("/phases/triggered-stuck", test_triggered_stuck);
    g_test_add_func("/phases/entries", test_entries);
    g_test_add_func("/phases/pieces", test_pieces);
    g_test_add_func("/phases/change", test_change);
    g_test_add_func("/phases/enqueue", test_enqueue);
    g_test_add_func("/phases/endless", test_endless);
    g_test_add_func("/phases/rules", test_rules);
    return g_test_run();
}
