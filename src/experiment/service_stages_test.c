/* service_stages_test.c - A stage that works while the wire does overlaps with it. A message of
 * 4000 B takes 0.32 us and the latency of 1 us. */
#include "experiment/test_run.h"

#define US G_GINT64_CONSTANT(1000000)
#define NS G_GINT64_CONSTANT(1000)
#define NS_A_BYTE G_GINT64_CONSTANT(8000000000) /* bit/s */

/* Two messages, and a stage of 2 us and 1 ns a byte: turns of 6 us. Each goes on 1 us and 0.5 ns a
 * byte after its turn began: at 3 and at 6 + 3 us, there at 10.32. */
static void test_out(void)
{
    static const DnOp zero[] = {SEND(1, 5, 4000), SEND(1, 5, 4000), END};
    static const DnOp one[] = {RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[] = {zero, one};
    const DnMechanism m = COSTS(.n_out = 1, .out = {{.unit = DN_STAGE_READ,
                                                     .pipelined = TRUE,
                                                     .servers = 1,
                                                     .message_ps = 2 * US,
                                                     .rate_bps = NS_A_BYTE,
                                                     .pipelined_bps = 2 * NS_A_BYTE,
                                                     .latency_ps = US}});
    g_assert_cmpint(script_ps(ops, 2, m), ==, 10320 * NS);
}

static DnMechanism ahead_receiver(gint64 piece_ps)
{
    return (DnMechanism)COSTS(.rate_bps = BPS, .n_in = 1,
                              .in = {{.unit = DN_STAGE_RECEIVE,
                                      .pipelined = TRUE,
                                      .servers = 1,
                                      .piece_ps = piece_ps,
                                      .piece_bytes = 1000}});
}

/* Pieces of 1000 B come 80 ns apart, the first at 1.08 us: of the 4, one is left when the last byte
 * is there, at 1.32 us. In 50 ns a piece: 1.37. In 3 us a piece the server, at work since 1.08,
 * needs 12 us. Two such messages: 24. One of 100 B is one piece, there at 1.008. */
static void test_in(void)
{
    static const DnOp one_message[] = {SEND(1, 5, 4000), END};
    static const DnOp two_messages[] = {SEND(1, 5, 4000), SEND(1, 5, 4000), END};
    static const DnOp little[] = {SEND(1, 5, 100), END};
    static const DnOp one[] = {RECV(0, 5, 0), WAIT(0), END};
    static const DnOp two[] = {RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const single[] = {one_message, one}, *const both[] = {two_messages, two},
                             *const small[] = {little, one};
    g_assert_cmpint(script_ps(single, 2, ahead_receiver(50 * NS)), ==, 1370 * NS);
    g_assert_cmpint(script_ps(single, 2, ahead_receiver(3 * US)), ==, 13080 * NS);
    g_assert_cmpint(script_ps(both, 2, ahead_receiver(3 * US)), ==, 25080 * NS);
    g_assert_cmpint(script_ps(small, 2, ahead_receiver(3 * US)), ==, 4008 * NS);
}

/* Two messages, and a thread that has its turns of 6 us but is not waited for: both are on the wire
 * at 0 and there at 1.32 us. With a thread that also takes up what comes, 4 pieces of 3 us, rank 0
 * has 12 us of sending before its 12 of receiving, rank 1 has 6 before 24: though pieces come at 8
 * Gb/s, the last of them 3 us after the first. */
static void test_async(void)
{
    static const DnOp zero[] = {SEND(1, 5, 4000), SEND(1, 5, 4000), END};
    static const DnOp one[] = {RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[] = {zero, one};
    const DnStage thread = {
        .unit = DN_STAGE_PROXY, .async = TRUE, .servers = 1, .piece_ps = 6 * US};
    const DnMechanism m = COSTS(.n_out = 1, .out = {thread});
    g_assert_cmpint(script_ps(ops, 2, m), ==, 1320 * NS);
    static const DnOp both_zero[] = {SEND(1, 5, 4000), SEND(1, 5, 4000), RECV(1, 6, 0), WAIT(0),
                                     END};
    static const DnOp both_one[] = {SEND(0, 6, 4000), RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const both[] = {both_zero, both_one};
    const DnMechanism shared = COSTS(.n_out = 1, .out = {thread}, .n_in = 1,
                                     .in = {{.unit = DN_STAGE_PROXY,
                                             .pipelined = TRUE,
                                             .servers = 1,
                                             .piece_ps = 3 * US,
                                             .piece_bytes = 1000,
                                             .arrival_bps = NS_A_BYTE}});
    g_assert_cmpint(script_ps(both, 2, shared), ==, 30 * US);
}

/* Four pieces of 900 ns that came from 6.32 to 9.32 us, and a message of 100 B that took its turn
 * from 7.008 to 7.908 us meanwhile: 688 ns of the 3.6 us of work were done before it, the rest
 * after. */
static void test_meanwhile(void)
{
    static const DnOp zero[] = {COMPUTE(8 * US), SEND(1, 5, 4000), END};
    static const DnOp one[] = {RECV(0, 5, 0), RECV(2, 6, 0), WAIT(0), END};
    static const DnOp two[] = {COMPUTE(6 * US), SEND(1, 6, 100), END};
    static const DnOp *const ops[] = {zero, one, two};
    const DnMechanism m = COSTS(.n_in = 1, .in = {{.unit = DN_STAGE_PROXY,
                                                   .pipelined = TRUE,
                                                   .servers = 1,
                                                   .piece_ps = 900 * NS,
                                                   .piece_bytes = 1000,
                                                   .arrival_bps = NS_A_BYTE}});
    g_assert_cmpint(script_ps(ops, 3, m), ==, 10820 * NS);
}

/* 4000 B keep the server busy from 1.32 to 17.32 us; a message of 0 B, there at 3 us, has no work
 * for it and waits all the same. Its receiver then computes for 10 us. */
static void test_no_work(void)
{
    static const DnOp zero[] = {SEND(1, 5, 4000), END};
    static const DnOp one[] = {RECV(0, 5, 0),    RECV(2, 6, 1), WAIT(1),
                               COMPUTE(10 * US), WAIT(0),       END};
    static const DnOp two[] = {COMPUTE(2 * US), SEND(1, 6, 0), END};
    static const DnOp *const ops[] = {zero, one, two};
    const DnMechanism m = COSTS(.n_in = 1, .in = {{.unit = DN_STAGE_PROXY,
                                                   .pipelined = TRUE,
                                                   .servers = 1,
                                                   .rate_bps = NS_A_BYTE / 4}});
    g_assert_cmpint(script_ps(ops, 3, m), ==, 27320 * NS);
}

/* The thread begins two receives as they are posted, 6 us each, and takes up their messages, there
 * at 1.32 us, after that: 12 + 2 x 3 us. */
static void test_posted(void)
{
    static const DnOp zero[] = {SEND(1, 5, 4000), SEND(1, 5, 4000), END};
    static const DnOp one[] = {RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[] = {zero, one};
    const DnMechanism m =
        COSTS(.receive.proxy_post_ns = 6000, .n_in = 1,
              .in = {{.unit = DN_STAGE_PROXY, .servers = 1, .message_ps = 3 * US}});
    g_assert_cmpint(script_ps(ops, 2, m), ==, 18 * US);
}

/* Copies of 1 us and 80 ps a byte into shared memory and out of it, on each rank's one server,
 * which go on while the wire does. 400,000 B are T = 32 us. Alone: the copy out begins with the
 * first of 400 pieces, at 1 + 1 + 0.08 us, and takes 1 + T: 35.08. When both send and receive, the
 * copies in hold the servers until 33 us, and those out end at 66. */
static void test_shared_memory(void)
{
    static const DnOp zero[] = {SEND(1, 5, 400000), END};
    static const DnOp one[] = {RECV(0, 5, 0), WAIT(0), END};
    static const DnOp swap_zero[] = {SEND(1, 5, 400000), RECV(1, 5, 0), WAIT(0), END};
    static const DnOp swap_one[] = {SEND(0, 5, 400000), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const alone[] = {zero, one}, *const swap[] = {swap_zero, swap_one};
    const DnStage copy = {.unit = DN_STAGE_PROXY,
                          .pipelined = TRUE,
                          .servers = 1,
                          .message_ps = US,
                          .piece_bytes = 1000,
                          .rate_bps = BPS};
    DnMechanism m = COSTS(.rate_bps = BPS, .n_out = 1, .n_in = 1, .out = {copy}, .in = {copy});
    m.rules[0].costs.out[0].latency_ps = US;
    g_assert_cmpint(script_ps(alone, 2, m), ==, 35080 * NS);
    g_assert_cmpint(script_ps(swap, 2, m), ==, 66000 * NS);
}

/* Two messages of 0.32 us after a start of 2 us each; the sender knows 5 us after each has left,
 * and one at a time goes on only then: left at 2.32 and 9.64, known at 14.64. Together, on a
 * network that has space for both, 7.32. */
static void test_acknowledged(void)
{
    static const DnOp zero[] = {SEND(1, 5, 4000), SEND(1, 5, 4000), WAIT(0), END};
    static const DnOp one[] = {RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[] = {zero, one};
    const DnMechanism serial = COSTS(.serial = TRUE, .ack_ns = 5000, .start_ps = 2 * US);
    const DnMechanism together = COSTS(.ack_ns = 5000, .start_ps = 2 * US);
    g_assert_cmpint(script_ps(ops, 2, serial), ==, 14640 * NS);
    g_assert_cmpint(script_ps(ops, 2, together), ==, 7320 * NS);
}

/* Two copies of 4000 B by an engine that starts each in 10 us, and 100 B past it, which are gone
 * long before: the second copy begins when the first has left, at 10.32 us, and is there at
 * 21.64. */
static void test_engine_occupied(void)
{
    static const DnOp zero[] = {SEND(1, 5, 4000), SEND(1, 5, 4000), SEND(1, 5, 100), END};
    static const DnOp one[] = {RECV(0, 5, 0), RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp *const ops[] = {zero, one};
    const DnMechanism m = {
        .n_rules = 2,
        .rules = {{.to_bytes = 1000},
                  {.to_bytes = G_MAXINT64, .costs = {.serial = TRUE, .start_ps = 10 * US}}}};
    g_assert_cmpint(script_ps(ops, 2, m), ==, 21640 * NS);
}

/* A channel takes 4 us for 4000 B: the second message to a peer leaves at 4 us, there at 5.32. One
 * to another peer has a channel of its own. */
static void test_channel(void)
{
    static const DnOp same[] = {SEND(1, 5, 4000), SEND(1, 5, 4000), END};
    static const DnOp apart[] = {SEND(1, 5, 4000), SEND(2, 5, 4000), END};
    static const DnOp one[] = {RECV(0, 5, 0), WAIT(0), END};
    static const DnOp two[] = {RECV(0, 5, 0), RECV(0, 5, 0), WAIT(0), END};
    static const DnOp none[] = {END};
    static const DnOp *const to_one[] = {same, two, none}, *const to_two[] = {apart, one, one};
    const DnMechanism m = COSTS(.channel_bps = NS_A_BYTE);
    g_assert_cmpint(script_ps(to_one, 3, m), ==, 5320 * NS);
    g_assert_cmpint(script_ps(to_two, 3, m), ==, 1320 * NS);
}

static gint64 memory_ps(const DnOp *const *ops, const guint32 *cpu_of, DnMechanism mechanism)
{
    const Script script = {ops};
    g_auto(Run) run = {.program = script_of(&script, 3), .mechanism = mechanism, .cpu_of = cpu_of};
    run_it(&run);
    g_assert_cmpuint(run.blocked, ==, 0);
    return run.result.iteration_ps[0];
}

/* A copy of 4000 B takes a core 4 us and the memory 8: two cores of a CPU have it in turn, one on
 * another CPU does not wait. So do copies of what came, at 1.32 us. A memory that takes 1 us each
 * holds up nobody, nor does any while caches hold both copies; where they hold one, the second goes
 * through the memory. */
static void test_memory(void)
{
    static const DnOp copy[] = {{.kind = DN_OP_COPY, .bytes = 4000}, END};
    static const DnOp *const copies[] = {copy, copy, copy};
    static const DnOp receive[] = {RECV(2, 5, 0), WAIT(0), END};
    static const DnOp send[] = {SEND(0, 5, 4000), SEND(1, 5, 4000), END};
    static const DnOp *const messages[] = {receive, receive, send};
    static const guint32 apart[] = {0, 1, 2}, together[] = {0, 0, 2};
    const DnMechanism slow = COSTS(.local = {.copy_bps = NS_A_BYTE, .memory_bps = NS_A_BYTE / 2},
                                   .n_in = 1,
                                   .in = {{.unit = DN_STAGE_CPU,
                                           .servers = 1,
                                           .rate_bps = NS_A_BYTE,
                                           .memory_bps = NS_A_BYTE / 2}});
    g_assert_cmpint(memory_ps(copies, apart, slow), ==, 8 * US);
    g_assert_cmpint(memory_ps(copies, together, slow), ==, 16 * US);
    g_assert_cmpint(memory_ps(messages, apart, slow), ==, 9320 * NS);
    g_assert_cmpint(memory_ps(messages, together, slow), ==, 17320 * NS);
    const DnMechanism fast = COSTS(.local = {.copy_bps = NS_A_BYTE, .memory_bps = 4 * NS_A_BYTE});
    g_assert_cmpint(memory_ps(copies, together, fast), ==, 4 * US);
    for (gint64 held = 0; held <= 2; held++) {
        const DnMechanism cached = COSTS(.local = {.copy_bps = NS_A_BYTE,
                                                   .memory_bps = NS_A_BYTE / 2,
                                                   .memory_cache_bytes = held * 4000});
        g_assert_cmpint(memory_ps(copies, together, cached), ==,
                        (held == 2 ? 4 : 16 - 8 * held) * US);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/service-stages/out", test_out);
    g_test_add_func("/service-stages/in", test_in);
    g_test_add_func("/service-stages/async", test_async);
    g_test_add_func("/service-stages/meanwhile", test_meanwhile);
    g_test_add_func("/service-stages/no-work", test_no_work);
    g_test_add_func("/service-stages/posted", test_posted);
    g_test_add_func("/service-stages/channel", test_channel);
    g_test_add_func("/service-stages/shared-memory", test_shared_memory);
    g_test_add_func("/service-stages/memory", test_memory);
    g_test_add_func("/service-stages/acknowledged", test_acknowledged);
    g_test_add_func("/service-stages/engine-occupied", test_engine_occupied);
    return g_test_run();
}
