/* reads_test.c - Rendezvous by read: parts over several NICs, the queues in which an adapter reads,
 * and how many messages a process reads at a time. */
#include "experiment/test_run.h"

/* 1,000 B: t_start, RTS, t_control at the receiver alone, its request, the data; the receive is
 * complete t_recv later, the send when the word that the data has come is back. */
static void test_rendezvous_read(void)
{
    static const DnOp send_ends_it[] = {SEND(1, 5, 1000), WAIT(DN_ANY), END};
    static const DnOp receive[] = {RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[] = {send_ends_it, receive};
    const Script script = {ops};
    const gint64 control = 8000 + LATENCY_PS;
    const gint64 came = 300000 + control + 200000 + control + 80000 + LATENCY_PS;
    static const gint64 recv_ps[] = {70000, 5000000};
    for (guint i = 0; i < 2; i++) {
        g_auto(Run)
            run = {.program = script_of(&script, 2),
                   .mechanism = COSTS(.start_ps = 300000, .receive.recv_ps = recv_ps[i],
                                      .rendezvous_from_bytes = 1000, .control_bytes = 100,
                                      .control_ps = 200000, .handshake = DN_HANDSHAKE_READ)};
        run_it(&run);
        g_assert_cmpuint(run.blocked, ==, 0);
        g_assert_cmpint(run.result.iteration_ps[0], ==, came + MAX(control, recv_ps[i]));
        g_assert_cmpuint(run.result.n_latency, ==, 1);
        g_assert_cmpuint(run.pair_bytes[1], ==, 1100);
        g_assert_cmpuint(run.pair_bytes[2], ==, 200);
    }
}

/* 1,003 B in two parts, which the fake network carries side by side: 501 and 502 B. The receive,
 * of exactly that size, is complete when both have come. */
static void test_rendezvous_read_parts(void)
{
    static const DnOp zero[] = {SEND(1, 5, 1003), WAIT(DN_ANY), END};
    static const DnOp one[] = {RECV_OF(0, 5, 0, 1003, DN_OP_EXACT), WAIT(0), END};
    static const DnOp *const ops[] = {zero, one};
    const Script script = {ops};
    g_auto(Run)
        run = {.program = script_of(&script, 2),
               .mechanism = COSTS(.receive.recv_ps = 5000000, .rendezvous_from_bytes = 1000,
                                  .control_bytes = 100, .handshake = DN_HANDSHAKE_READ + 1)};
    run_it(&run);
    g_assert_cmpstr(run.account->str, ==, "");
    g_assert_cmpint(run.result.iteration_ps[0], ==,
                    2 * (8000 + LATENCY_PS) + 502 * PS_PER_BYTE + LATENCY_PS + 5000000);
    g_assert_cmpuint(run.pair_bytes[1], ==, 1103);
}

/* Two messages of 300,000 B from two ranks by one queue, which asks for 128 KiB at a time: the
 * second when all of the first has been asked for; of 128 KiB, when half of the first is here.
 * Without queues, or by queues of their own, they come side by side, and so do two that fit into
 * what may be under way. */
static void test_rendezvous_read_queues(void)
{
    static const struct {
        guint32 queues;
        gint64 bytes, before; /* the second is asked for: bytes of the first that have come */
    } runs[] = {{1, 300000, 300000 - 131072},
                {1, 131072, 65536},
                {0, 300000, 0},
                {2, 300000, 0},
                {1, 65536, 0}};
    for (guint i = 0; i < G_N_ELEMENTS(runs); i++) {
        const DnOp zero[] = {RECV_OF(1, 5, 0, runs[i].bytes, DN_OP_EXACT),
                             RECV_OF(2, 5, 1, runs[i].bytes, DN_OP_EXACT), WAIT(DN_ANY), END};
        const DnOp send[] = {SEND(0, 5, runs[i].bytes), WAIT(DN_ANY), END};
        const DnOp *const ops[] = {zero, send, send};
        const Script script = {ops};
        g_auto(Run) run = {.program = script_of(&script, 3),
                           .mechanism = COSTS(.rendezvous_from_bytes = 1000, .control_bytes = 100,
                                              .receive.read_queues = runs[i].queues,
                                              .receive.read_window_kib = 128,
                                              .handshake = DN_HANDSHAKE_READ)};
        run_it(&run);
        g_assert_cmpstr(run.account->str, ==, "");
        gint64 waits =
            runs[i].before > 0 ? runs[i].before * PS_PER_BYTE + LATENCY_PS + 8000 + LATENCY_PS : 0;
        g_assert_cmpint(run.result.iteration_ps[0], ==,
                        3 * (8000 + LATENCY_PS) + waits + runs[i].bytes * PS_PER_BYTE + LATENCY_PS);
        g_assert_cmpuint(run.result.messages, ==, 2);
        g_assert_cmpuint(run.result.n_latency, ==, 2);
    }
}

/* A queue takes turns by the chunk: of 400,000 B from rank 1 and 200,000 B from rank 2, which have
 * four and two chunks of 100,000 B, the second message is here after two chunks of each, without
 * chunks after all of the first. Each chunk is asked for when half of the one before has come. */
static void test_rendezvous_read_chunks(void)
{
    const gint64 control_ps = 8000 + LATENCY_PS, far = G_GINT64_CONSTANT(1000000000);
    static const gint64 chunks[] = {128, 0};
    const gint64 last[] = {4 * 50000 + 50000, 400000 - 131072 + 200000};
    const guint turns[] = {4, 2};
    for (guint i = 0; i < G_N_ELEMENTS(chunks); i++) {
        const DnOp zero[] = {RECV_OF(1, 5, 0, 400000, DN_OP_EXACT),
                             RECV_OF(2, 5, 1, 200000, DN_OP_EXACT),
                             WAIT(1),
                             COMPUTE(far),
                             WAIT(DN_ANY),
                             END};
        static const DnOp long_[] = {SEND(0, 5, 400000), WAIT(DN_ANY), END};
        static const DnOp short_[] = {SEND(0, 5, 200000), WAIT(DN_ANY), END};
        const DnOp *const ops[] = {zero, long_, short_};
        const Script script = {ops};
        g_auto(Run)
            run = {.program = script_of(&script, 3),
                   .mechanism = COSTS(.rendezvous_from_bytes = 1000, .control_bytes = 100,
                                      .receive.read_queues = 1, .receive.read_window_kib = 128,
                                      .receive.read_chunk_kib = (guint32)chunks[i],
                                      .handshake = DN_HANDSHAKE_READ)};
        run_it(&run);
        g_assert_cmpstr(run.account->str, ==, "");
        g_assert_cmpint(run.result.iteration_ps[0], ==,
                        control_ps + turns[i] * (control_ps + LATENCY_PS) + last[i] * PS_PER_BYTE +
                            far);
        g_assert_cmpuint(run.result.messages, ==, 2);
        g_assert_cmpuint(run.result.n_latency, ==, 2);
        g_assert_cmpuint(run.pair_bytes[3], ==, 400000 + 100); /* data, RTS */
    }
}

/* Ranks 0 and 1, on two endpoints, each read 300,000 B, from 2 and from 3. With one adapter for
 * both, of one queue, rank 1 asks when rank 0 has asked for all of its own. */
static void test_rendezvous_read_shared(void)
{
    static const guint32 shared[] = {0, 0, 2, 3}, own[] = {0, 1, 2, 3};
    const guint32 *const adapters[] = {shared, own, NULL};
    for (guint i = 0; i < G_N_ELEMENTS(adapters); i++) {
        static const DnOp send[] = {SEND(0, 5, 300000), WAIT(DN_ANY), END};
        static const DnOp send_1[] = {SEND(1, 5, 300000), WAIT(DN_ANY), END};
        const DnOp zero[] = {RECV_OF(2, 5, 0, 300000, DN_OP_EXACT), WAIT(DN_ANY), END};
        const DnOp one[] = {RECV_OF(3, 5, 0, 300000, DN_OP_EXACT), WAIT(DN_ANY), END};
        const DnOp *const ops[] = {zero, one, send, send_1};
        const Script script = {ops};
        g_auto(Run)
            run = {.program = script_of(&script, 4),
                   .mechanism = COSTS(.rendezvous_from_bytes = 1000, .control_bytes = 100,
                                      .receive.read_queues = 1, .receive.read_window_kib = 128,
                                      .handshake = DN_HANDSHAKE_READ),
                   .adapter_of = adapters[i]};
        run_it(&run);
        g_assert_cmpstr(run.account->str, ==, "");
        gint64 control_ps = 8000 + LATENCY_PS;
        gint64 waits_ps = i == 0 ? (300000 - 131072) * PS_PER_BYTE + LATENCY_PS + control_ps : 0;
        g_assert_cmpint(run.result.iteration_ps[0], ==,
                        3 * control_ps + waits_ps + 300000 * PS_PER_BYTE + LATENCY_PS);
    }
}

/* The same with so many read at a time: the second is asked for when all of the first is here, but
 * only in jobs of more ranks than the limit is for. */
static void test_rendezvous_read_peers(void)
{
    static const struct {
        guint32 peers, above;
        gboolean waits;
    } runs[] = {{1, 2, TRUE}, {1, 3, FALSE}, {2, 0, FALSE}};
    for (guint i = 0; i < G_N_ELEMENTS(runs); i++) {
        const DnOp zero[] = {RECV_OF(1, 5, 0, 300000, DN_OP_EXACT),
                             RECV_OF(2, 5, 1, 300000, DN_OP_EXACT), WAIT(DN_ANY), END};
        static const DnOp send[] = {SEND(0, 5, 300000), WAIT(DN_ANY), END};
        const DnOp *const ops[] = {zero, send, send};
        const Script script = {ops};
        g_auto(Run) run = {.program = script_of(&script, 3),
                           .mechanism = COSTS(.rendezvous_from_bytes = 1000, .control_bytes = 100,
                                              .receive.read_peers = runs[i].peers,
                                              .receive.read_peers_above = runs[i].above,
                                              .handshake = DN_HANDSHAKE_READ + 1)};
        run_it(&run);
        g_assert_cmpstr(run.account->str, ==, "");
        gint64 one_ps = 150000 * PS_PER_BYTE + LATENCY_PS; /* half of it over each NIC */
        gint64 waits_ps = runs[i].waits ? one_ps + 8000 + LATENCY_PS : 0;
        g_assert_cmpint(run.result.iteration_ps[0], ==,
                        3 * (8000 + LATENCY_PS) + one_ps + waits_ps);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/reads/read", test_rendezvous_read);
    g_test_add_func("/reads/read-parts", test_rendezvous_read_parts);
    g_test_add_func("/reads/read-queues", test_rendezvous_read_queues);
    g_test_add_func("/reads/read-chunks", test_rendezvous_read_chunks);
    g_test_add_func("/reads/read-shared", test_rendezvous_read_shared);
    g_test_add_func("/reads/read-peers", test_rendezvous_read_peers);
    return g_test_run();
}
