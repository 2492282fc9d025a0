/* ti_test.c - SimGrid's time-independent traces: actions, old and new; files; damage. */
#include <glib/gstdio.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "trace/trace_test.h"

static DnTrace *read_text(const char *text)
{
    g_autoptr(GError) error = NULL;
    char *path = test_file("t.txt", text, -1);
    DnTrace *trace = dn_trace_open(path, NULL, &error);
    g_assert_no_error(error);
    test_file_free(path);
    return trace;
}

static void ti_refused(const char *text, const char *part)
{
    GError *error = NULL;
    char *path = test_file("t.txt", text, -1);
    g_assert_null(dn_trace_open(path, "ti", &error));
    assert_message(error, part);
    test_file_free(path);
}

static void next_is(DnTraceCursor *cursor, DnCall call, DnTraceOp *op)
{
    g_assert_true(dn_trace_cursor_next(cursor, op));
    g_assert_cmpstr(dn_call_name(op->call), ==, dn_call_name(call));
}

/* init with an argument: doubles; datatype 1 is MPI_INT; 2.5e8 flop are 250 ms at 1 ns each. */
static void test_actions(void)
{
    g_autoptr(DnTrace) trace = read_text("0 init 1\n1 init\n"
                                         "0 compute 2.5e8\n0 send 1 7 1e3\n1 recv 0 7 500 1\n"
                                         "0 bcast 10 1 4\n1 bcast 20 1 1\n"
                                         "0 sendRecv 3 1 4 1 1 2\n1 sendRecv 4 0 12 0 6 6\n"
                                         "0 sleep 0.5\n");
    g_assert_cmpuint(trace->ranks, ==, 2);
    DnTraceOp op;
    g_autoptr(DnTraceCursor) zero = dn_trace_cursor_new(trace, 0);
    next_is(zero, DN_CALL_INIT, &op);
    next_is(zero, DN_CALL_COMPUTE, &op);
    g_assert_cmpint(op.duration_ps, ==, G_GINT64_CONSTANT(250000000000));
    next_is(zero, DN_CALL_SEND, &op);
    g_assert_cmpint(op.bytes, ==, 8000);
    g_assert_cmpuint(op.peer, ==, 1);
    g_assert_cmpuint(op.tag, ==, 7);
    g_assert_cmpuint(op.at, ==, 4);
    next_is(zero, DN_CALL_BCAST, &op);
    g_assert_cmpint(op.bytes, ==, 80); /* 10 of 8 B; the others' 20 of 4 B */
    g_assert_cmpuint(op.root, ==, 1);
    next_is(zero, DN_CALL_SENDRECV, &op);
    g_assert_cmpint(op.bytes, ==, 12);
    g_assert_cmpint(op.recv_bytes, ==, 4);
    next_is(zero, DN_CALL_COMPUTE, &op);
    g_assert_cmpint(op.duration_ps, ==, G_GINT64_CONSTANT(500000000000));
    g_autoptr(DnTraceCursor) one = dn_trace_cursor_new(trace, 1);
    next_is(one, DN_CALL_INIT, &op);
    next_is(one, DN_CALL_RECV, &op);
    g_assert_cmpint(op.bytes, ==, 2000);
}

/* The oldest of a name is waited for; waitall takes the rest. */
static void test_waits(void)
{
    g_autoptr(DnTrace) trace = read_text("0 irecv 1 5 8\n0 irecv 1 5 16\n0 isend 1 5 4\n"
                                         "0 wait 1 0 5\n0 test 1 0 5\n0 waitall\n0 wait 1 0 5\n"
                                         "1 init\n");
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, 0);
    DnTraceOp op;
    for (guint i = 0; i < 3; i++)
        g_assert_true(dn_trace_cursor_next(cursor, &op));
    next_is(cursor, DN_CALL_WAIT, &op);
    g_assert_cmpuint(op.n_list, ==, 1);
    g_assert_cmpint(op.list[0], ==, 0);
    next_is(cursor, DN_CALL_TEST, &op);
    g_assert_cmpuint(op.n_list, ==, 0);
    next_is(cursor, DN_CALL_WAITALL, &op);
    g_assert_cmpuint(op.n_list, ==, 2);
    g_assert_cmpint(op.list[0], ==, 1);
    next_is(cursor, DN_CALL_WAIT, &op); /* its request is over: nothing */
    g_assert_cmpuint(op.n_list, ==, 0);
}

/* No tags, names in other case, wait alone: the newest. */
static void test_old(void)
{
    g_autoptr(DnTrace) trace = read_text("p0 Irecv p1 1e6\np0 Irecv p1 2e6\np0 wait\n"
                                         "p1 send 0 1e6\np1 allReduce 8 0\np0 allReduce 8 0\n");
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, 0);
    DnTraceOp op;
    next_is(cursor, DN_CALL_IRECV, &op);
    g_assert_cmpint(op.bytes, ==, 1000000);
    next_is(cursor, DN_CALL_IRECV, &op);
    next_is(cursor, DN_CALL_WAIT, &op);
    g_assert_cmpint(op.list[0], ==, 1);
}

/* Sizes of unequal parts, of three ranks; roots hold the lists. */
static void test_unequal(void)
{
    g_autoptr(DnTrace) trace =
        read_text("0 alltoallv 100 1 40 30 1000 1 80 100\n1 alltoallv 1000 80 1 40 1000 40 1 30\n"
                  "2 alltoallv 1000 100 30 1 1000 30 40 1\n"
                  "0 gatherv 2 2 3 4 1\n1 gatherv 3 2 3 4 1\n2 gatherv 4 2 3 4 1\n"
                  "0 reducescatter 5 6 7 1e3\n1 reducescatter 5 6 7 0\n2 reducescatter 5 6 7 0\n");
    static const gint64 expected[6] = {80, 1, 40, 40, 1, 30};
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, 1);
    DnTraceOp op;
    next_is(cursor, DN_CALL_ALLTOALLV, &op);
    g_assert_cmpuint(op.n_list, ==, 6);
    for (guint i = 0; i < 6; i++)
        g_assert_cmpint(op.list[i], ==, expected[i]);
    next_is(cursor, DN_CALL_GATHERV, &op);
    g_assert_cmpuint(op.n_list, ==, 3);
    g_assert_cmpint(op.list[2], ==, 4);
    g_assert_cmpint(op.bytes, ==, 3);
    next_is(cursor, DN_CALL_REDUCE_SCATTER, &op);
    g_assert_cmpint(op.list[2], ==, 7);
}

/* With MPI_IN_PLACE one of the two sizes is 0, and the ranks still call one collective. */
static void test_in_place(void)
{
    g_autoptr(DnTrace)
        trace = read_text("0 gather 8 0 1 1 1\n1 gather 0 8 1 1 1\n2 gather 8 0 1 1 1\n"
                          "0 scatter 8 0 0 1 1\n1 scatter 0 8 0 1 1\n2 scatter 0 8 0 1 1\n"
                          "0 allgather 0 8 1 1\n1 allgather 0 8 1 1\n2 allgather 0 8 1 1\n"
                          "0 alltoall 0 8 1 1\n1 alltoall 0 8 1 1\n2 alltoall 0 8 1 1\n");
    static const DnCall calls[] = {DN_CALL_GATHER, DN_CALL_SCATTER, DN_CALL_ALLGATHER,
                                   DN_CALL_ALLTOALL};
    for (guint r = 0; r < 3; r++) {
        g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, r);
        DnTraceOp op;
        for (guint i = 0; i < G_N_ELEMENTS(calls); i++) {
            next_is(cursor, calls[i], &op);
            g_assert_cmpint(op.bytes, ==, 32); /* 8 of 4 bytes */
        }
    }
}

static void test_errors(void)
{
    ti_refused("0 init\n0 snd 1 0 5\n", "t.txt:2:3: unknown action 'snd'; did you mean 'send'?");
    ti_refused("0 init\nx send 1 0 5\n", "t.txt:2:1: 'x' is no rank");
    ti_refused("0 init\n0\n", "t.txt:2: a rank without an action");
    ti_refused("0 init\n0 send 1 0 5\n",
               "t.txt:2:8: send: '1' is out of range; allowed: 0 to 0, or -1: any, -666: none");
    ti_refused("0 init\n1 init\n0 send 1 0 5e\n", "t.txt:3:12: send: '5e' is no number");
    ti_refused("0 init\n1 init\n0 send 1\n",
               "t.txt:3: send has 1 arguments; at least 2 are needed");
    ti_refused("0 init\n1 init\n0 send 1 0 5 99\n", "t.txt:3: send: datatype 99;");
    ti_refused("0 init\n1 init\n0 isend -1 0 5\n", "isend without a receiver");
    ti_refused("0 wait\n", "t.txt:1: wait not preceded by an isend or irecv");
    ti_refused("0 allgatherv 1\n1 init\n", "allgatherv has 1 arguments");
    ti_refused("900000 init\n", "t.txt:1: rank 900000 in a file of 1 lines");
    ti_refused("0 compute 1e300\n", "no duration of 0 to 9,000 s");
    ti_refused("0 compute -5\n", "'-5' is no duration of 0 to 9,000 s");
    ti_refused("0 compute nan\n", "'nan' is no number");
    ti_refused("0 init\n1 init\n0  send 1 0 -5\n",
               "t.txt:3:13: send: '-5' is out of range; allowed: 0 to 1000000000000000");
    ti_refused("0 init\n1 init\n0 recv 1 0 -5\n",
               "t.txt:3:12: recv: '-5' is out of range; allowed: 0 to 1000000000000000, or -1");
    ti_refused("", "t.txt: the file is empty");
    ti_refused("# nothing\n", "a trace without ranks");
    ti_refused("0 barrier\n1 bcast 5\n", "rank 1 calls bcast");
}

static void test_list(void)
{
    char *first = test_file("a0.txt", "0 send 1 0 8\n", -1);
    g_autofree char *folder = g_path_get_dirname(first);
    g_autofree char *second = g_build_filename(folder, "a1.txt", NULL);
    g_autofree char *list = g_build_filename(folder, "list", NULL);
    g_assert_true(g_file_set_contents(second, "1 recv 0 0 8\n", -1, NULL));
    g_assert_true(g_file_set_contents(list, "a0.txt\na1.txt\n", -1, NULL));
    GError *error = NULL;
    DnTrace *trace = dn_trace_open(list, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(trace->ranks, ==, 2);
    g_autofree char *where = dn_trace_where(trace, 1, 1);
    g_assert_true(g_str_has_suffix(where, "a1.txt:1"));
    dn_trace_free(trace);
    g_assert_true(g_file_set_contents(second, "1 init\n0 recv 0 0 8\n", -1, NULL));
    g_assert_null(dn_trace_open(list, NULL, &error));
    assert_message(error, "a1.txt:2: an action of rank 0 in the file of rank 1");
    error = NULL;
    g_assert_true(g_file_set_contents(list, "a0.txt\nnone.txt\n", -1, NULL));
    g_assert_null(dn_trace_open(list, NULL, &error));
    assert_message(error, "list:2: 'none.txt' is neither an action (RANK ACTION ...) nor a file");
    g_remove(second);
    g_remove(list);
    test_file_free(first);
}

/* The same lines plain, by gzip and by zstd; half of a packed file is refused. */
static void test_packed(void)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < 5000; i++)
        g_string_append_printf(text, "%u compute %u\n", i % 2, i * 7919);
    gsize capacity = ZSTD_compressBound(text->len);
    g_autofree char *packed = g_malloc(capacity);
    for (guint kind = 0; kind < 2; kind++) {
        char *path = test_file("t", "", 0);
        gsize n;
        if (kind == 0) {
            gzFile file = gzopen(path, "wb");
            g_assert_cmpint(gzwrite(file, text->str, (unsigned)text->len), >, 0);
            gzclose(file);
            char *whole;
            g_assert_true(g_file_get_contents(path, &whole, &n, NULL));
            memcpy(packed, whole, n);
            g_free(whole);
        } else {
            n = ZSTD_compress(packed, capacity, text->str, text->len, 3);
            g_assert_true(g_file_set_contents(path, packed, (gssize)n, NULL));
        }
        GError *error = NULL;
        DnTrace *trace = dn_trace_open(path, NULL, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(trace->ops, ==, 5000);
        dn_trace_free(trace);
        g_assert_true(g_file_set_contents(path, packed, (gssize)n / 2, NULL));
        g_assert_null(dn_trace_open(path, "ti", &error));
        assert_message(error, kind == 0 ? "unexpected end of file" : "the file ends too early");
        test_file_free(path);
    }
    g_string_free(text, TRUE);
}

/* 2e9 operations of a processor that does 4e9 a second, and a time that this does not change. */
static void test_sleep(void)
{
    DnTrace *trace = read_text("0 init\n0 compute 2e9\n0 sleep 0.25\n0 finalize\n");
    g_autoptr(DnProgram) program = test_program(trace, "flop_rate: 4 G/s");
    DnCursor cursor = {0};
    DnOp op;
    gint64 expected[] = {G_GINT64_CONSTANT(500000000000), G_GINT64_CONSTANT(250000000000)};
    for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
        g_assert_true(program->type->next(program, 0, &cursor, &op));
        g_assert_cmpint(op.kind, ==, DN_OP_COMPUTE);
        g_assert_cmpint(op.duration_ps, ==, expected[i]);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/ti/sleep", test_sleep);
    g_test_add_func("/ti/actions", test_actions);
    g_test_add_func("/ti/waits", test_waits);
    g_test_add_func("/ti/old", test_old);
    g_test_add_func("/ti/unequal", test_unequal);
    g_test_add_func("/ti/in-place", test_in_place);
    g_test_add_func("/ti/errors", test_errors);
    g_test_add_func("/ti/list", test_list);
    g_test_add_func("/ti/packed", test_packed);
    return g_test_run();
}
