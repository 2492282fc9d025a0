/* runtime_test.c - programs run over an ideal network: every byte where it belongs, times in closed
 * form, matching, sharing, and the account of a deadlock.
 *
 * The network: 100 Gb/s an endpoint (80 ps a byte), latency 1 us. T = bytes * 80 ps. */
#include "experiment/test_run.h"

static DnProgram *program_of(const char *yaml, guint32 ranks, guint32 iterations)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strdup_printf("workload: %s\n", yaml);
    g_autoptr(DnConfigNode) root = dn_config_parse(text, "test.yaml", &error);
    g_assert_no_error(error);
    DnProgram *program =
        dn_program_new(dn_config_get(root, "workload"), ranks, iterations, 1, &error);
    g_assert_no_error(error);
    return program;
}

/* ---- every stream moves what its definition says ---- */

static guint64 expected_bytes(const char *type, guint32 n, guint32 s, guint32 d)
{
    guint64 chunk_sum = 0;
    if (s == d)
        return 0;
    if (g_str_equal(type, "alltoall"))
        return 1000;
    if (g_str_equal(type, "incast"))
        return d == 0 ? 1000 : 0;
    if (g_str_equal(type, "outcast"))
        return s == 0 ? 1000 : 0;
    if (g_str_equal(type, "bidir"))
        return (s ^ 1) == d && MAX(s, d) < n / 2 * 2 ? 1000 : 0;
    if (g_str_equal(type, "disjoint"))
        return s % 2 == 0 && d == s + 1 ? 1000 : 0;
    if (d != (s + 1) % n)
        return g_str_equal(type, "pingpong") && s + d == 1 ? 1000 : 0;
    if (g_str_equal(type, "pingpong"))
        return s + d == 1 ? 1000 : 0;
    if (g_str_equal(type, "ring"))
        return 1000;
    /* allreduce_ring: n - 1 chunks twice; rank s leaves out chunk s + 1 while reducing and
     * chunk s + 2 while gathering. */
    for (guint32 c = 0; c < n; c++) {
        guint64 chunk = 1000 * (guint64)(c + 1) / n - 1000 * (guint64)c / n;
        chunk_sum += chunk * ((c != (s + 1) % n) + (c != (s + 2) % n));
    }
    return chunk_sum;
}

static void check_stream(const char *type, const char *more, guint32 n)
{
    g_autofree char *yaml = g_strdup_printf("{type: %s, bytes: 1000 B%s}", type, more);
    g_auto(Run)
        run = {.program = program_of(yaml, n, 3), .mechanism = COSTS(.receive.recv_ps = 500)};
    run_it(&run);
    g_assert_cmpstr(run.account->str, ==, "");
    g_assert_cmpuint(run.blocked, ==, 0);
    g_assert_cmpuint(run.result.n_iterations, ==, 3);
    double total = 0;
    for (guint32 s = 0; s < n; s++)
        for (guint32 d = 0; d < n; d++) {
            g_assert_cmpuint(run.pair_bytes[s * n + d], ==, 3 * expected_bytes(type, n, s, d));
            total += (double)run.pair_bytes[s * n + d];
        }
    g_assert_cmpfloat(total, ==, 3 * run.program->type->bytes_moved(run.program));
}

static void test_streams(void)
{
    static const char *const types[][2] = {
        {"pingpong", ""},
        {"ring", ""},
        {"bidir", ""},
        {"disjoint", ""},
        {"incast", ""},
        {"outcast", ""},
        {"alltoall", ""},
        {"alltoall", ", algorithm: linear"},
        {"alltoall", ", algorithm: spread"},
        {"allreduce_ring", ""},
    };
    static const guint32 sizes[] = {2, 3, 4, 5, 7, 8, 9, 16, 17, 33};
    for (guint t = 0; t < G_N_ELEMENTS(types); t++)
        for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
            check_stream(types[t][0], types[t][1], sizes[i]);
}

/* ---- times in closed form ---- */

/* Half a round trip is issue + start + setup + wire + latency + recv, exactly: each rank's next
 * send waits for the receive before it. Bytes at the threshold pay the setup, one less does not. */
static void test_pingpong_time(void)
{
    const DnMechanism mechanism = COSTS(.issue_ps = 2000000, .start_ps = 300000,
                                        .receive.recv_ps = 70000, .setup_ps = 11000,
                                        .setup_threshold_bytes = 4096);
    for (gint64 bytes = 4095; bytes <= 4096; bytes++) {
        g_autofree char *yaml =
            g_strdup_printf("{type: pingpong, bytes: %" G_GINT64_FORMAT " B}", bytes);
        g_auto(Run) run = {.program = program_of(yaml, 5, 10), .mechanism = mechanism};
        run_it(&run);
        gint64 expected = 2000000 + 300000 + (bytes == 4096 ? 11000 : 0) + bytes * PS_PER_BYTE +
                          LATENCY_PS + 70000;
        g_assert_cmpuint(run.result.n_iterations, ==, 10);
        for (guint i = 0; i < 10; i++)
            g_assert_cmpint(run.result.iteration_ps[i], ==, expected);
        g_assert_cmpuint(run.result.messages, ==, 20);
        g_assert_cmpuint(run.result.n_latency, ==, 20);
        g_assert_cmpint(run.result.latency_ps[7], ==, bytes * PS_PER_BYTE + LATENCY_PS);
    }
}

static gint64 time_of(const char *yaml, guint32 ranks, DnMechanism mechanism)
{
    g_auto(Run) run = {.program = program_of(yaml, ranks, 1), .mechanism = mechanism, .fair = TRUE};
    run_it(&run);
    g_assert_cmpuint(run.blocked, ==, 0);
    g_assert_cmpuint(run.result.n_iterations, ==, 1);
    return run.result.iteration_ps[0];
}

static void assert_near(gint64 value, gint64 expected)
{
    g_assert_cmpint(ABS(value - expected), <=, 100); /* ps of rounding */
}

#define T1M (G_GINT64_CONSTANT(1000000) * PS_PER_BYTE)

/* Alltoall among 4, each block T alone. All at once, every end is shared by 3 flows: 3 T.
 * With one copy at a time a source, in rank order, and receivers shared fairly:
 *   0 - 1   0->1 alone at receiver 1: done at 1; 1->0, 2->0, 3->0 have a third of receiver 0
 *   1 - 3   0->2 done at 2, 0->3 done at 3, receivers to themselves; at 3 the three to 0 end
 *   3 - 4   1->2 alone, done at 4; 2->1, 3->1 have half of receiver 1
 *   4 - 5   1->3 alone, done at 5; 2->1, 3->1 end at 5
 *   5 - 6   2->3 and 3->2, each alone: done at 6
 * Six single-copy times, though each receiver takes in only three. Starting one rank further
 * (spread) no two copies meet: 3 T again, so it is the order, not the serial copies alone. */
static void test_serial_alltoall(void)
{
    const DnMechanism serial = COSTS(.serial = TRUE), all_at_once = COSTS(.serial = FALSE);
    const char *linear = "{type: alltoall, bytes: 1000 kB, algorithm: linear}";
    const char *spread = "{type: alltoall, bytes: 1000 kB, algorithm: spread}";
    const char *listed = "{type: flows, bytes: 1000 kB, flows: [[0,1],[0,2],[0,3],[1,0],[1,2],"
                         "[1,3],[2,0],[2,1],[2,3],[3,0],[3,1],[3,2]]}";
    assert_near(time_of(linear, 4, all_at_once), 3 * T1M + LATENCY_PS);
    assert_near(time_of(linear, 4, serial), 6 * T1M + LATENCY_PS);
    assert_near(time_of(listed, 4, serial), 6 * T1M + LATENCY_PS);
    assert_near(time_of(spread, 4, serial), 3 * T1M + LATENCY_PS);
}

/* Three copies out of one source, serial: the issues (i each) run on beside the copies, each copy
 * pays its start-up s in its turn: i + 3 (s + T) + L + r. Not serial: all three share the source:
 * the last starts at 3 i + s; while T > 2 i the source never idles after the first starts, so it is
 * i + s + 3 T + L + r. */
static void test_outcast(void)
{
    DnMechanism m =
        COSTS(.issue_ps = 2000000, .start_ps = 500000, .receive.recv_ps = 30000, .serial = TRUE);
    const char *yaml = "{type: outcast, bytes: 1000 kB}";
    assert_near(time_of(yaml, 4, m), 2000000 + 3 * (500000 + T1M) + LATENCY_PS + 30000);
    m.rules[0].costs.serial = FALSE;
    assert_near(time_of(yaml, 4, m), 2000000 + 500000 + 3 * T1M + LATENCY_PS + 30000);
}

/* One host thread issues, g each: flow k of the list is issued at (k + 1) g whoever its source is.
 * Disjoint 0->1, 2->3 and then 0->4: the last leaves at 3 g. By rank: 0->4 leaves at 2 g. */
static void test_host_issue(void)
{
    const DnMechanism m = COSTS(.issue_ps = 2000000);
    g_assert_cmpint(time_of("{type: flows, bytes: 0, issue: host, issue_gap: 2 us, "
                            "flows: [[0, 1], [2, 3], [0, 4]]}",
                            5, m),
                    ==, 3 * 2000000 + LATENCY_PS);
    g_assert_cmpint(time_of("{type: flows, bytes: 0, flows: [[0, 1], [2, 3], [0, 4]]}", 5, m), ==,
                    2 * 2000000 + LATENCY_PS);
    g_assert_cmpint(time_of("{type: disjoint, bytes: 0, issue: host, issue_gap: 2 us}", 8, m), ==,
                    4 * 2000000 + LATENCY_PS);
}

/* Flow 0 has left after 80 us and is at rank 1 after 81; 10 us later 500 kB go on from there and
 * arrive after 41 more. What rank 0 sends after it begins at 80 us, and ends before. Flow 3, a
 * copy of no bytes, begins by itself at 120 us. */
static void test_scheduled_flows(void)
{
    static const char list[] =
        "{type: flows, bytes: 1000 kB, flows: [[0, 1], {src: 1, dst: 2, bytes: 500 kB, after: "
        "[0], start: 10 us}, {src: 0, dst: 3, bytes: 100 kB, after: [0]}, "
        "{src: 3, dst: 3, bytes: 0 B, start: 120 us}]}";
    g_auto(Run) run = {.program = program_of(list, 4, 1)};
    run_it(&run);
    g_assert_cmpstr(run.account->str, ==, "");
    g_assert_cmpint(run.result.iteration_ps[0], ==, 132000000);
    g_assert_cmpuint(run.pair_bytes[0 * 4 + 1], ==, 1000000);
    g_assert_cmpuint(run.pair_bytes[1 * 4 + 2], ==, 500000);
    g_assert_cmpuint(run.pair_bytes[0 * 4 + 3], ==, 100000);
}

/* A flow waits for earlier ones, of which its source knows the end. */
static void test_scheduled_flows_refused(void)
{
    static const char *const bad[][2] = {
        {"[{src: 0, dst: 1, after: [0]}]", "flow 0 comes after flow 0; allowed: those before"},
        {"[[0, 1], {src: 2, dst: 3, after: [0]}]", "rank 2, where flow 1 begins, knows nothing"},
        {"[{src: 0, dst: 4}]", "rank 4 is not one of the job's 0 to 3"},
        {"[{src: 0, dst: 1, size: 4}]", "size"}};
    for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text =
            g_strdup_printf("workload: {type: flows, bytes: 1 B, flows: %s}\n", bad[i][0]);
        g_autoptr(DnConfigNode) root = dn_config_parse(text, "test.yaml", &error);
        g_assert_no_error(error);
        g_assert_null(dn_program_new(dn_config_get(root, "workload"), 4, 1, 1, &error));
        g_assert_nonnull(strstr(error->message, bad[i][1]));
    }
}

/* Ring allreduce of n ranks, B bytes: 2 (n - 1) steps of (wire + latency) and n - 1 reductions;
 * all ranks run in step when n divides B: 2 (n - 1) (B/n * 80 ps + L) + (n - 1) B/n * 8 / rate. */
static void test_allreduce_time(void)
{
    const DnMechanism m =
        COSTS(.local.reduce_bps = G_GINT64_CONSTANT(400000000000)); /* 20 ps a byte */
    gint64 chunk = 1000000 / 8;
    assert_near(time_of("{type: allreduce_ring, bytes: 1000 kB}", 8, m),
                14 * (chunk * PS_PER_BYTE + LATENCY_PS) + 7 * chunk * 20);
}

/* Two ranks, 1 MB, recursive doubling: an exchange and a reduction, at 80 ps a byte where elements
 * are single bytes, 20 ps where they have four, and 10 ps, the memory's rate, where they have
 * 16. */
static void test_reduction_of_elements(void)
{
    const DnMechanism m = COSTS(.local.reduce_bps = G_GINT64_CONSTANT(800000000000),
                                .local.reduce_byte_bps = G_GINT64_CONSTANT(100000000000));
    static const gint64 ps_per_byte[][2] = {{1, 80}, {4, 20}, {16, 10}};
    for (guint i = 0; i < G_N_ELEMENTS(ps_per_byte); i++) {
        g_autofree char *yaml = g_strdup_printf("{type: allreduce, bytes: 1000 kB, algorithm: "
                                                "recursive_doubling, element: %d B}",
                                                (int)ps_per_byte[i][0]);
        assert_near(time_of(yaml, 2, m),
                    1000000 * PS_PER_BYTE + LATENCY_PS + 1000000 * ps_per_byte[i][1]);
    }
}

/* Two ranks, 1 MB, recursive doubling, staged: two copies of the whole of start + bytes at the
 * stage's rate, the library's own from the send to the receive buffer, one exchange, one reduction
 * that is free. 1 us + 1 MB * 8 / 800 Gb/s = 11 us a copy of a stage; the library's own, and those
 * of stages without a rate and start: 2 us + 1 MB * 8 / 80 Gb/s = 102 us. */
static void test_staged_time(void)
{
    const char *yaml =
        "{type: allreduce, bytes: 1000 kB, algorithm: recursive_doubling, staged: yes}";
    const DnMechanism copies =
        COSTS(.local.copy_ps = 2000000, .local.copy_bps = G_GINT64_CONSTANT(80000000000));
    const DnMechanism stages =
        COSTS(.local.copy_ps = 2000000, .local.copy_bps = G_GINT64_CONSTANT(80000000000),
              .local.stage_ps = 1000000, .local.stage_bps = G_GINT64_CONSTANT(800000000000));
    gint64 exchange = 1000000 * PS_PER_BYTE + LATENCY_PS;
    assert_near(time_of(yaml, 2, copies), exchange + 3 * 102000000);
    assert_near(time_of(yaml, 2, stages), exchange + 2 * 11000000 + 102000000);
}

/* Bruck's, 4 ranks, 1 kB a block, 2 us a call that copies: two at first, one to pack and one to
 * unpack in each of two phases, though the first phase's blocks lie apart, four at the end: 10.
 * Two exchanges of 2 kB. */
static void test_joined_copies(void)
{
    const DnMechanism copies = COSTS(.local.copy_ps = 2000000);
    assert_near(time_of("{type: alltoall, bytes: 1 kB, algorithm: bruck}", 4, copies),
                10 * 2000000 + 2 * (2000 * PS_PER_BYTE + LATENCY_PS));
}

typedef struct {
    const DnOp *streams[2];
} TwoStreams;

static gboolean two_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    const TwoStreams *two = program->data;
    *op = rank == 0 ? two->streams[cursor->stream][cursor->step] : (DnOp){.kind = DN_OP_END};
    if (op->kind == DN_OP_END)
        return FALSE;
    cursor->step++;
    return TRUE;
}

/* Two streams of one rank compute beside each other: 3 us and 2 us end at 3 us. When the second
 * awaits the first's signal at 3 us, it ends at 5 us; without a signal it waits for ever. Signals
 * count: the one sent before its await is not lost. */
static void test_streams_of_a_rank(void)
{
    static const DnProgramType type = {.name = "two", .next = two_next, .time_scale = 1};
    static const DnOp lone[] = {COMPUTE(3000000), END};
    static const DnOp parallel[] = {COMPUTE(2000000), END};
    static const DnOp first[] = {
        {.kind = DN_OP_SIGNAL, .tag = 7}, COMPUTE(3000000), {.kind = DN_OP_SIGNAL, .tag = 7}, END};
    static const DnOp second[] = {
        {.kind = DN_OP_AWAIT, .tag = 7}, {.kind = DN_OP_AWAIT, .tag = 7}, COMPUTE(2000000), END};
    static const TwoStreams all[] = {{{lone, parallel}}, {{first, second}}, {{lone, second}}};
    static const gint64 expected[] = {3000000, 5000000};
    for (guint i = 0; i < 3; i++) {
        DnProgram *program = g_new0(DnProgram, 1);
        *program = (DnProgram){
            .type = &type, .ranks = 2, .iterations = 1, .streams = 2, .data = (gpointer)&all[i]};
        g_auto(Run) run = {.program = program};
        run_it(&run);
        g_assert_cmpuint(run.blocked, ==, i == 2);
        if (i < 2)
            g_assert_cmpint(run.result.iteration_ps[0], ==, expected[i]);
        else
            g_assert_cmpstr(run.account->str, ==,
                            "job it rank 0 stream 1: waits since 0 s for "
                            "event 7 of another stream\n");
    }
}

/* ---- open loop ---- */

/* 64 ranks x 2,000 messages of 1,000 B at load 0.5 of 100 Gb/s: the mean gap is 160 ns, so a rank
 * takes 320 us on average with a standard deviation of 160 ns * sqrt(2000) = 7.2 us; the mean over
 * 64 ranks has 0.9 us, and six of those are 1.7 %. The iteration is the slowest rank: within
 * 6 standard deviations. Each pair gets 2000 / 63 = 31.7 messages, standard deviation 5.6;
 * 4,032 pairs stay within 6 of those. */
static void test_uniform(void)
{
    g_auto(Run) run = {.program = program_of("{type: uniform, bytes: 1000 B, load: 50 %, "
                                             "rate: 100 Gb/s, messages: 2000}",
                                             64, 1)};
    run_it(&run);
    g_assert_cmpuint(run.blocked, ==, 0);
    g_assert_cmpuint(run.result.one_sided_messages, ==, 64 * 2000);
    g_assert_cmpuint(run.result.messages, ==, 64 * 2000);
    g_assert_cmpint(run.result.iteration_ps[0], >, 320000000);
    g_assert_cmpint(run.result.iteration_ps[0], <, 320000000 + 6 * 7200000 + 2000000);
    g_assert_cmpuint(run.result.n_latency, ==, 64 * 2000);
    g_assert_cmpint(run.result.latency_ps[0], ==, 1000 * PS_PER_BYTE + LATENCY_PS);
    for (guint32 s = 0; s < 64; s++)
        for (guint32 d = 0; d < 64; d++) {
            guint64 messages = run.pair_bytes[s * 64 + d] / 1000;
            if (s == d)
                g_assert_cmpuint(messages, ==, 0);
            else
                g_assert_true(messages > 0 && messages < 66);
        }
}

/* ---- endpoints shared by jobs, and ranks of one endpoint ---- */

/* Job a: ring of 4 on endpoints 0..3; job b: ping-pong on endpoints 3, 1; job c: two ranks both on
 * endpoint 2, which reach each other at copy_rate 800 Gb/s (10 ps a byte) without the network.
 * In an ideal network the jobs do not disturb each other. */
static void test_shared_endpoints(void)
{
    static const guint32 a_at[] = {0, 1, 2, 3}, b_at[] = {3, 1}, c_at[] = {2, 2};
    DnProgram *a = program_of("{type: ring, bytes: 1000 B}", 4, 2);
    DnProgram *b = program_of("{type: pingpong, bytes: 2000 B}", 2, 3);
    DnProgram *c = program_of("{type: pingpong, bytes: 3000 B}", 2, 1);
    DnReplayJob jobs[] = {
        {.name = "a", .program = a, .endpoints = a_at},
        {.name = "b", .program = b, .endpoints = b_at},
        {.name = "c",
         .program = c,
         .endpoints = c_at,
         .mechanism = COSTS(.local.copy_bps = G_GINT64_CONSTANT(800000000000))},
    };
    static const gint64 expected[] = {1000 * PS_PER_BYTE + LATENCY_PS,
                                      2000 * PS_PER_BYTE + LATENCY_PS, 3000 * 10};
    static const guint32 iterations[] = {2, 3, 1};
    g_autoptr(DnReplay) replay = dn_replay_new(jobs, 3, 6);
    guint32 n;
    const guint32 *active = dn_replay_active(replay, &n);
    g_assert_cmpuint(n, ==, 4);
    FakeEngine fake = {.n_endpoints = 6, .latency_ps = LATENCY_PS, .bps = BPS};
    fake_run(&fake, &dn_replay_client, replay, active, n);
    for (guint j = 0; j < 3; j++) {
        DnReplayResult result;
        dn_replay_result(replay, j, &result);
        g_assert_cmpuint(result.n_iterations, ==, iterations[j]);
        for (guint i = 0; i < iterations[j]; i++)
            g_assert_cmpint(result.iteration_ps[i], ==, expected[j]);
        dn_replay_result_clear(&result);
    }
    dn_program_free(a);
    dn_program_free(b);
    dn_program_free(c);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/replay/streams", test_streams);
    g_test_add_func("/replay/pingpong-time", test_pingpong_time);
    g_test_add_func("/replay/serial-alltoall", test_serial_alltoall);
    g_test_add_func("/replay/outcast", test_outcast);
    g_test_add_func("/replay/host-issue", test_host_issue);
    g_test_add_func("/replay/scheduled-flows", test_scheduled_flows);
    g_test_add_func("/replay/scheduled-flows-refused", test_scheduled_flows_refused);
    g_test_add_func("/replay/allreduce-time", test_allreduce_time);
    g_test_add_func("/replay/reduction-of-elements", test_reduction_of_elements);
    g_test_add_func("/replay/staged-time", test_staged_time);
    g_test_add_func("/replay/joined-copies", test_joined_copies);
    g_test_add_func("/replay/streams-of-a-rank", test_streams_of_a_rank);
    g_test_add_func("/replay/uniform", test_uniform);
    g_test_add_func("/replay/shared-endpoints", test_shared_endpoints);
    return g_test_run();
}
