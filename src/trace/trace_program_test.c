/* trace_program_test.c - traces as programs: collectives on their communicators, sizes of unequal
 * parts, requests, what waits; and the same programs written for other tools and read again. */
#include <glib/gstdio.h>
#include <string.h>

#include "trace/to_dag.h"
#include "trace/trace_test.h"
#include "workload/select.h"
#include "trace/dry_run.h"

#define MOST 8
typedef struct {
    guint64 bytes[MOST][MOST];
    guint messages, copies, order_n;
    guint32 order[64]; /* tags of receives as they are answered (low 20 bits) */
} Traffic;

static guint64 trace_program_begin(gpointer data, guint32 r, guint32 stream, const DnOp *op)
{
    Traffic *t = data;
    if (op->kind == DN_OP_SEND) {
        t->bytes[r][op->peer] += (guint64)op->bytes;
        t->messages++;
    }
    t->copies += op->kind == DN_OP_COPY;
    return 0;
}

static void trace_program_waited(gpointer data, guint32 r, guint32 stream, const DnOp *op,
                                 guint64 word)
{
    Traffic *t = data;
    if (op->kind == DN_OP_RECV && t->order_n < G_N_ELEMENTS(t->order))
        t->order[t->order_n++] = op->tag & ((1u << 20) - 1);
}

static Traffic traffic_of(const DnProgram *program, guint blocked, guint unreceived)
{
    Traffic t = {0};
    DnDryRunObserver observer = {
        .data = &t, .begin = trace_program_begin, .waited = trace_program_waited};
    DnDryRunResult result;
    dn_dry_run(program, &observer, &result);
    g_assert_cmpuint(result.blocked->len, ==, blocked);
    g_assert_cmpuint(result.unreceived->len, ==, unreceived);
    dn_dry_run_result_clear(&result);
    return t;
}

static DnProgram *program_of(const DnTestOp *ops, guint n, const char *yaml)
{
    g_autoptr(GError) error = NULL;
    DnTrace *trace = test_trace(ops, n, FALSE, &error);
    g_assert_no_error(error);
    return test_program(trace, yaml);
}

static void trace_program_append(GArray *ops, guint32 rank, DnTraceOp op)
{
    DnTestOp one = {rank, op};
    g_array_append_val(ops, one);
}

static DnProgram *program_of_array(GArray *ops, const char *yaml)
{
    DnProgram *program = program_of((const DnTestOp *)(gpointer)ops->data, ops->len, yaml);
    g_array_unref(ops);
    return program;
}

/* Six ranks split by parity; a binomial bcast of 100 B from place 1 among three: two messages in
 * each half, none between halves; the split itself, a ring allgather of 8 B on all: 6 * 5. */
static void test_sub_communicators(void)
{
    GArray *ops = g_array_new(FALSE, FALSE, sizeof(DnTestOp));
    for (guint32 r = 0; r < 6; r++) {
        trace_program_append(ops, r,
                             (DnTraceOp){.call = DN_CALL_COMM_SPLIT, .made = 9, .color = r % 2});
        trace_program_append(
            ops, r, (DnTraceOp){.call = DN_CALL_BCAST, .comm = 9, .bytes = 100, .root = 1});
    }
    g_autoptr(DnProgram)
        program = program_of_array(ops, "algorithm: {bcast: binomial, allgather: ring}");
    Traffic t = traffic_of(program, 0, 0);
    for (guint a = 0; a < 6; a++)
        for (guint b = 0; b < 6; b++) {
            guint64 ring = b == (a + 1) % 6 ? 5 * 8 : 0;
            gboolean root = a == 2 + a % 2 && a % 2 == b % 2 && a != b;
            g_assert_cmpuint(t.bytes[a][b], ==, ring + (root ? 100 : 0));
        }
}

/* Each algorithm that fits moves what its file says: an allreduce of 800 B on 4 ranks. */
static void test_algorithms(void)
{
    static const struct {
        const char *yaml;
        guint64 bytes;
    } cases[] = {{"algorithm: ring", 4 * 6 * 200},               /* 2 (n - 1) pieces each */
                 {"algorithm: recursive_doubling", 4 * 2 * 800}, /* log2 n times the whole */
                 {"algorithm: rabenseifner", 4 * 2 * 600},
                 {"algorithm: {allreduce: nccl_ring}\nchannels: 2", 4 * 6 * 200}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        GArray *ops = g_array_new(FALSE, FALSE, sizeof(DnTestOp));
        for (guint32 r = 0; r < 4; r++)
            trace_program_append(ops, r, (DnTraceOp){.call = DN_CALL_ALLREDUCE, .bytes = 800});
        g_autoptr(DnProgram) program = program_of_array(ops, cases[i].yaml);
        Traffic t = traffic_of(program, 0, 0);
        guint64 all = 0;
        for (guint k = 0; k < 16; k++)
            all += t.bytes[k / 4][k % 4];
        g_assert_cmpuint(all, ==, cases[i].bytes);
    }
}

/* Three ranks; allgatherv of 1, 20, 300 B around a ring: each passes on all but its successor's
 * own; alltoallv, gatherv, scatterv, reduce_scatter pairwise: each pair its own size. */
static void test_unequal(void)
{
    static const gint64 sizes[3] = {1, 20, 300};
    GArray *ops[2] = {g_array_new(FALSE, FALSE, sizeof(DnTestOp)),
                      g_array_new(FALSE, FALSE, sizeof(DnTestOp))};
    gint64 pairs[3][6];
    for (guint32 r = 0; r < 3; r++) {
        trace_program_append(ops[0], r,
                             (DnTraceOp){.call = DN_CALL_ALLGATHERV, .n_list = 3, .list = sizes});
        for (guint32 k = 0; k < 3; k++) {
            pairs[r][k] = 1000 * ((gint64)r + 1) + 100 * ((gint64)k + 1);
            pairs[r][3 + k] = 1000 * ((gint64)k + 1) + 100 * ((gint64)r + 1);
        }
        trace_program_append(ops[1], r,
                             (DnTraceOp){.call = DN_CALL_ALLTOALLV, .n_list = 6, .list = pairs[r]});
        trace_program_append(ops[1], r,
                             (DnTraceOp){.call = DN_CALL_GATHERV,
                                         .root = 2,
                                         .bytes = sizes[r],
                                         .n_list = r == 2 ? 3 : 0,
                                         .list = sizes});
        trace_program_append(ops[1], r,
                             (DnTraceOp){.call = DN_CALL_SCATTERV,
                                         .root = 2,
                                         .bytes = sizes[r],
                                         .n_list = r == 2 ? 3 : 0,
                                         .list = sizes});
        trace_program_append(
            ops[1], r, (DnTraceOp){.call = DN_CALL_REDUCE_SCATTER, .n_list = 3, .list = sizes});
    }
    g_autoptr(DnProgram) ring = program_of_array(ops[0], "algorithm: ring");
    Traffic t = traffic_of(ring, 0, 0);
    for (guint r = 0; r < 3; r++)
        g_assert_cmpuint(t.bytes[r][(r + 1) % 3], ==, 321 - sizes[(r + 1) % 3]);
    g_autoptr(DnProgram) rest =
        program_of_array(ops[1], "algorithm: {alltoall: pairwise, reduce_scatter: pairwise}");
    t = traffic_of(rest, 0, 0);
    for (guint a = 0; a < 3; a++)
        for (guint b = 0; b < 3; b++) {
            gint64 all = a == b ? 0 : pairs[a][b] + sizes[b];
            all += a != b && b == 2 ? sizes[a] : 0;
            all += a != b && a == 2 ? sizes[b] : 0;
            g_assert_cmpint((gint64)t.bytes[a][b], ==, all);
        }
}

/* All ranks take one algorithm for their alltoallv, though each sends another number of bytes: of
 * 8 ranks, rank r sends r times 100,000 B to each. */
static void test_unequal_choice(void)
{
    static const char *const libraries[] = {"library: ompi", "library: mpich",
                                            "library: cray_mpich"};
    gint64 pairs[8][16];
    GArray *ops = g_array_new(FALSE, FALSE, sizeof(DnTestOp));
    for (guint32 r = 0; r < 8; r++) {
        for (guint32 k = 0; k < 8; k++) {
            pairs[r][k] = (gint64)r * 100000;
            pairs[r][8 + k] = (gint64)k * 100000;
        }
        trace_program_append(
            ops, r, (DnTraceOp){.call = DN_CALL_ALLTOALLV, .n_list = 16, .list = pairs[r]});
    }
    for (guint i = 0; i < G_N_ELEMENTS(libraries); i++) {
        g_autoptr(DnProgram)
            program = program_of((const DnTestOp *)(gpointer)ops->data, ops->len, libraries[i]);
        Traffic t = traffic_of(program, 0, 0);
        for (guint32 k = 0; k < 64; k++)
            g_assert_cmpuint(t.bytes[k / 8][k % 8], ==, k / 8 == k % 8 ? 0 : k / 8 * 100000);
        g_assert_cmpuint(t.messages, ==, i == 0 ? 56 : 49); /* MPICH's sends none of no bytes */
    }
    g_array_unref(ops);
}

/* Open MPI decides otherwise for MPI_Reduce_scatter_block than for MPI_Reduce_scatter: 64 B on four
 * ranks by recursive doubling, which sends all but the own blocks, and by recursive halving. */
static void test_one_count(void)
{
    gint64 sizes[] = {16, 16, 16, 16};
    const DnTraceOp calls[] = {
        {.call = DN_CALL_REDUCE_SCATTER_BLOCK, .bytes = 64},
        {.call = DN_CALL_REDUCE_SCATTER, .n_list = 4, .list = sizes},
    };
    const guint64 to_next[] = {48, 16}, to_third[] = {32, 32};
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++) {
        g_autoptr(GArray) ops = g_array_new(FALSE, FALSE, sizeof(DnTestOp));
        for (guint32 r = 0; r < 4; r++)
            trace_program_append(ops, r, calls[i]);
        g_autoptr(DnProgram)
            program = program_of((const DnTestOp *)(gpointer)ops->data, ops->len, "library: ompi");
        Traffic t = traffic_of(program, 0, 0);
        g_assert_cmpuint(t.messages, ==, 8);
        g_assert_cmpuint(t.bytes[0][1], ==, to_next[i]);
        g_assert_cmpuint(t.bytes[0][2], ==, to_third[i]);
    }
}

/* One after the other, the second without its list, as traces of few details have it: what was
 * chosen for a size and a number of ranks is kept, but for calls of the same form only. */
static void test_one_count_after(void)
{
    static const DnCall calls[] = {DN_CALL_REDUCE_SCATTER_BLOCK, DN_CALL_REDUCE_SCATTER,
                                   DN_CALL_REDUCE_SCATTER_BLOCK};
    GArray *ops = g_array_new(FALSE, FALSE, sizeof(DnTestOp));
    for (guint32 r = 0; r < 4; r++)
        for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
            trace_program_append(ops, r, (DnTraceOp){.call = (guint8)calls[i], .bytes = 64});
    g_autoptr(DnProgram) program = program_of_array(ops, "library: ompi");
    Traffic t = traffic_of(program, 0, 0);
    g_assert_cmpuint(t.bytes[0][1], ==, 48 + 16 + 48);
    g_assert_cmpuint(t.bytes[0][2], ==, 32 + 32 + 32);
}

/* Messages of calls whose form a trace tells, and of the same without it right after, as the
 * library decides for each: an allreduce of 200,000 B on three ranks whose operation does not
 * commute, to rank 0 and back, else a ring; likewise where a ring is named; Cray MPICH's alltoall
 * of 4 B on eight, in place each pair, else Bruck's phases; a ring in place copies nothing. */
static void test_form(void)
{
    static const struct {
        guint32 ranks;
        DnTraceOp op;
        const char *yaml;
        guint messages, copies; /* 0: not looked at */
    } cases[] = {
        {3, {.call = DN_CALL_ALLREDUCE, .flags = DN_TRACE_IN_PLACE, .bytes = 200000}, "", 24, 3},
        {3, {.call = DN_CALL_ALLREDUCE, .flags = DN_TRACE_ORDERED, .bytes = 200000}, "", 16, 3},
        {3,
         {.call = DN_CALL_ALLREDUCE, .flags = DN_TRACE_ORDERED, .bytes = 200000},
         "algorithm: ring",
         4 + 12,
         3},
        {8,
         {.call = DN_CALL_ALLTOALL, .flags = DN_TRACE_IN_PLACE, .bytes = 4},
         "library: cray_mpich",
         56 + 24,
         0},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        GArray *ops = g_array_new(FALSE, FALSE, sizeof(DnTestOp));
        for (guint32 r = 0; r < cases[i].ranks; r++) {
            DnTraceOp plain = cases[i].op;
            plain.flags = 0;
            trace_program_append(ops, r, cases[i].op);
            trace_program_append(ops, r, plain);
        }
        g_autoptr(DnProgram) program = program_of_array(ops, cases[i].yaml);
        Traffic t = traffic_of(program, 0, 0);
        g_assert_cmpuint(t.messages, ==, cases[i].messages);
        g_assert_true(cases[i].copies == 0 || cases[i].copies == t.copies);
    }
}

/* A receive of any tag from any source, out while a barrier and an ibcast run, is answered by the
 * message meant for it; one on another communicator is not. */
static void test_wildcards(void)
{
    gint64 two = 2, three = 3;
    const DnTestOp ops[] = {
        {0, {.call = DN_CALL_COMM_DUP, .made = 5}},
        {1, {.call = DN_CALL_COMM_DUP, .made = 5}},
        {0, {.call = DN_CALL_IRECV, .peer = DN_ANY, .tag = DN_ANY, .bytes = 64, .request = 1}},
        {0, {.call = DN_CALL_BCAST, .flags = DN_TRACE_NONBLOCKING, .root = 1, .request = 2}},
        {0, {.call = DN_CALL_BARRIER}},
        {0, {.call = DN_CALL_WAITALL, .n_list = 2, .list = (gint64[]){2, 1}}},
        {0, {.call = DN_CALL_RECV, .comm = 5, .peer = 1, .tag = 4, .bytes = 8}},
        {1, {.call = DN_CALL_BCAST, .flags = DN_TRACE_NONBLOCKING, .root = 1, .request = 2}},
        {1, {.call = DN_CALL_ISEND, .comm = 5, .tag = 4, .bytes = 8, .request = 3}},
        {1, {.call = DN_CALL_BARRIER}},
        {1, {.call = DN_CALL_SEND, .tag = 77, .bytes = 64}},
        {1, {.call = DN_CALL_WAIT, .n_list = 1, .list = &two}},
        {1, {.call = DN_CALL_WAITANY, .n_list = 1, .list = &three}},
    };
    g_autoptr(DnProgram) program = program_of(ops, G_N_ELEMENTS(ops), "");
    Traffic t = traffic_of(program, 0, 0);
    g_assert_cmpuint(t.order[t.order_n - 1], ==, 4); /* the last answered */
}

static void test_persistent(void)
{
    gint64 one = 1;
    GArray *ops = g_array_new(FALSE, FALSE, sizeof(DnTestOp));
    for (guint32 r = 0; r < 2; r++) {
        trace_program_append(ops, r,
                             (DnTraceOp){.call = r ? DN_CALL_RECV_INIT : DN_CALL_SEND_INIT,
                                         .peer = !r,
                                         .tag = 3,
                                         .bytes = 10,
                                         .request = 1});
        for (guint i = 0; i < 3; i++) {
            trace_program_append(ops, r,
                                 (DnTraceOp){.call = DN_CALL_START, .n_list = 1, .list = &one});
            trace_program_append(ops, r,
                                 (DnTraceOp){.call = DN_CALL_WAIT, .n_list = 1, .list = &one});
        }
    }
    g_autoptr(DnProgram) program = program_of_array(ops, "");
    Traffic t = traffic_of(program, 0, 0);
    g_assert_cmpuint(t.messages, ==, 3);
    g_assert_cmpuint(t.bytes[0][1], ==, 30);
}

/* Two receives first: nobody ends, and the account says where. A send too many is found. */
static void test_loose(void)
{
    const DnTestOp cycle[] = {{0, {.call = DN_CALL_RECV, .peer = 1, .tag = 5, .bytes = 8}},
                              {0, {.call = DN_CALL_SEND, .peer = 1, .tag = 6, .bytes = 8}},
                              {1, {.call = DN_CALL_RECV, .peer = 0, .tag = 6, .bytes = 8}},
                              {1, {.call = DN_CALL_SEND, .peer = 0, .tag = 5, .bytes = 8}}};
    g_autoptr(DnProgram) program = program_of(cycle, 4, "");
    traffic_of(program, 2, 0);
    GError *error = NULL;
    char *path = test_file("out", "", 0);
    g_assert_false(dn_trace_writer_find("ti")->write(program, path, &error));
    assert_message(error, "2 of 2 ranks wait for ever; rank 0: receive of 8 B from rank 1, tag 5 "
                          "(recv at test:1), which nobody answers");
    error = NULL;
    g_assert_false(dn_trace_writer_find("goal")->write(program, path, &error));
    assert_message(error, "wait for ever");
    test_file_free(path);
    g_autoptr(DnProgram) spare = program_of(cycle + 3, 1, "");
    traffic_of(spare, 0, 1);
}

/* ---- to other tools and back ---- */

static DnProgram *trace_program_everything(void)
{
    GArray *ops = g_array_new(FALSE, FALSE, sizeof(DnTestOp));
    gint64 both[2] = {1, 2}, bar = 3;
    for (guint32 r = 0; r < 4; r++) {
        guint32 next = (r + 1) % 4, before = (r + 3) % 4;
        trace_program_append(ops, r,
                             (DnTraceOp){.call = DN_CALL_COMPUTE, .duration_ps = 1500 * (r + 1)});
        trace_program_append(ops, r,
                             (DnTraceOp){.call = DN_CALL_COMM_SPLIT, .made = 8, .color = r / 2});
        trace_program_append(ops, r,
                             (DnTraceOp){.call = DN_CALL_IRECV,
                                         .peer = r == 1 ? DN_ANY : before,
                                         .tag = 2,
                                         .bytes = 32,
                                         .request = 1});
        trace_program_append(
            ops, r,
            (DnTraceOp){.call = DN_CALL_ISEND, .peer = next, .tag = 2, .bytes = 32, .request = 2});
        trace_program_append(
            ops, r,
            (DnTraceOp){.call = DN_CALL_BARRIER, .flags = DN_TRACE_NONBLOCKING, .request = 3});
        trace_program_append(ops, r,
                             (DnTraceOp){.call = DN_CALL_WAITALL, .n_list = 2, .list = both});
        trace_program_append(ops, r,
                             (DnTraceOp){.call = DN_CALL_ALLREDUCE, .comm = 8, .bytes = 1000});
        trace_program_append(ops, r, (DnTraceOp){.call = DN_CALL_WAIT, .n_list = 1, .list = &bar});
        trace_program_append(ops, r,
                             (DnTraceOp){.call = DN_CALL_SENDRECV,
                                         .peer = next,
                                         .tag = 4,
                                         .bytes = 5,
                                         .from = before,
                                         .from_tag = 4,
                                         .recv_bytes = 5});
    }
    return program_of_array(ops, "");
}

/* The messages of each pair are the same in every format, and all formats end. */
static void test_convert(void)
{
    g_autoptr(DnProgram) program = trace_program_everything();
    Traffic original = traffic_of(program, 0, 0);
    for (guint i = 0; dn_trace_writers[i]; i++) {
        g_autoptr(GError) error = NULL;
        char *path = test_file("out", "", 0);
        g_assert_true(dn_trace_writers[i]->write(program, path, &error));
        g_assert_no_error(error);
        g_autoptr(DnProgram) again = test_program(open_good(path), "");
        g_assert_cmpstr(dn_trace_of_program(again)->reader->name, ==, dn_trace_writers[i]->name);
        Traffic t = traffic_of(again, 0, 0);
        g_assert_cmpint(memcmp(t.bytes, original.bytes, sizeof t.bytes), ==, 0);
        test_file_free(path);
    }
    GError *error = NULL;
    g_assert_false(dn_trace_writer_find("ti")->write(program, "/nonexistent/x", &error));
    assert_message(error, "/nonexistent/x: cannot be written");
}

/* GOAL through the binary form and back is the same text but for the order of requirements; 4.5 ns
 * of computation in steps of 1.5 ns come out as 1, 2, 1 ns. */
static void test_goal_round_trip(void)
{
    static const char text[] = "num_ranks 2\n\nrank 0 {\nl0: calc 7 cpu 3\nl1: send 8b to 1 tag 2\n"
                               "l1 requires l0\n}\n\nrank 1 {\nl0: recv 8b from -1 tag -1\n"
                               "l1: calc 9\nl1 irequires l0\n}\n";
    char *path = test_file("in.goal", text, -1), *out = test_file("out", "", 0);
    g_autofree char *written = NULL, *steps = NULL;
    g_autoptr(DnProgram) first = test_program(open_good(path), "");
    g_assert_true(dn_trace_writer_find("goal_binary")->write(first, out, NULL));
    g_autoptr(DnProgram) second = test_program(open_good(out), "");
    g_assert_true(dn_trace_writer_find("goal")->write(second, out, NULL));
    g_assert_true(g_file_get_contents(out, &written, NULL, NULL));
    g_assert_cmpstr(written, ==, text);
    DnTestOp ops[4] = {{0, {.call = DN_CALL_COMPUTE, .duration_ps = 1500}}};
    ops[1] = ops[2] = ops[0];
    ops[3] = (DnTestOp){0, {.call = DN_CALL_FINALIZE}};
    g_autoptr(DnProgram) third = program_of(ops, 4, "");
    g_assert_true(dn_trace_writer_find("goal")->write(third, out, NULL));
    g_assert_true(g_file_get_contents(out, &steps, NULL, NULL));
    g_assert_cmpstr(steps, ==,
                    "num_ranks 1\n\nrank 0 {\nl0: calc 1\nl1: calc 2\nl2: calc 1\n"
                    "l1 requires l0\nl2 requires l1\n}\n");
    test_file_free(path);
    test_file_free(out);
}

/* ---- libraries ---- */

static Traffic allreduce_traffic(const char *keys)
{
    DnTestOp ops[4];
    for (guint32 r = 0; r < 4; r++)
        ops[r] = (DnTestOp){r, {.call = DN_CALL_ALLREDUCE, .bytes = 1024}};
    g_autoptr(DnProgram) program = program_of(ops, 4, keys);
    return traffic_of(program, 0, 0);
}

/* Every library that workloads know, a trace knows: Cray MPICH takes the two levels for 1 KiB on
 * two nodes of two, and Open MPI does not. */
static void test_libraries(void)
{
    Traffic smp = allreduce_traffic("algorithm: smp\ngroup: 2");
    Traffic cray = allreduce_traffic("library: cray_mpich\ngroup: 2");
    Traffic ompi = allreduce_traffic("library: ompi\ngroup: 2");
    g_assert_cmpmem(cray.bytes, sizeof cray.bytes, smp.bytes, sizeof smp.bytes);
    g_assert_cmpint(memcmp(ompi.bytes, smp.bytes, sizeof smp.bytes), !=, 0);
    for (guint l = 0; dn_coll_libraries[l] != NULL; l++) {
        g_autofree char *keys =
            g_strdup_printf("library: %s\nbus_bandwidth: 200 GB/s", dn_coll_library_names[l]);
        g_assert_cmpuint(allreduce_traffic(keys).bytes[0][1], >, 0);
    }
}

/* ---- keys ---- */

static void bad_key(const char *yaml, const char *part)
{
    static const DnTestOp op[] = {{0, {.call = DN_CALL_FINALIZE}}};
    GError *error = NULL;
    g_autofree char *text = g_strdup_printf("type: trace\nfile: x\n%s\n", yaml);
    g_autoptr(DnConfigNode) map = dn_config_parse(text, "test", NULL);
    g_assert_null(dn_trace_program(test_trace(op, 1, FALSE, NULL), map, NULL, &error));
    assert_message(error, part);
}

static void test_keys(void)
{
    bad_key("algorithm: rng", "test:3:12: unknown algorithm 'rng'; did you mean 'ring'?");
    bad_key("algorithm: {allreduce: bruck}", "unknown algorithm 'bruck'");
    bad_key("algorithm: {allreduc: ring}", "did you mean 'allreduce'");
    bad_key("algorithm: [ring]", "test:3:12: ");
    bad_key("library: nccl", "NCCL's model needs `bus_bandwidth`");
    bad_key("library: rccl\nbus_bandwidth: 1 GB/s\ngpu: hopper", "allowed: mi250x");
    bad_key("compute_scale: -1", "test:3:16: ");
    bad_key("colour: 1", "unknown key 'colour'");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trace-program/sub-communicators", test_sub_communicators);
    g_test_add_func("/trace-program/algorithms", test_algorithms);
    g_test_add_func("/trace-program/unequal", test_unequal);
    g_test_add_func("/trace-program/one-count", test_one_count);
    g_test_add_func("/trace-program/one-count-after", test_one_count_after);
    g_test_add_func("/trace-program/form", test_form);
    g_test_add_func("/trace-program/unequal-choice", test_unequal_choice);
    g_test_add_func("/trace-program/wildcards", test_wildcards);
    g_test_add_func("/trace-program/persistent", test_persistent);
    g_test_add_func("/trace-program/loose", test_loose);
    g_test_add_func("/trace-program/convert", test_convert);
    g_test_add_func("/trace-program/goal-round-trip", test_goal_round_trip);
    g_test_add_func("/trace-program/libraries", test_libraries);
    g_test_add_func("/trace-program/keys", test_keys);
    return g_test_run();
}
