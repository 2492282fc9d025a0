/* goal_test.c - GOAL as text and binary: what is read, how graphs run, damage; foreign graphs. */
#include <glib/gstdio.h>
#include <string.h>

#include "trace/trace_test.h"
#include "trace/dry_run.h"

static DnTrace *read_text(const char *text)
{
    char *path = test_file("t.goal", text, -1);
    DnTrace *trace = open_good(path);
    test_file_free(path);
    return trace;
}

static void goal_refused(const char *text, const char *part)
{
    char *path = test_file("t.goal", text, -1);
    open_bad(path, "goal", part);
    test_file_free(path);
}

static const char two[] = "num_ranks 2\n/* a\n comment */ rank 1 { // one\n"
                          "l1: recv 8b from 0 tag 3\nl2: calc 5 cpu 1 nic 2\nl2 requires l1\n"
                          "l3 : send 16b to 0\nl3 irequires l2\n}\n"
                          "rank 0 {\na: send 8b to 1 tag 3 cpu 0\nrecv 16b from -1 tag -1\n}\n";

static void test_text(void)
{
    g_autoptr(DnTrace) trace = read_text(two);
    DnTraceOp op;
    g_autoptr(DnTraceCursor) one = dn_trace_cursor_new(trace, 1);
    g_assert_true(dn_trace_cursor_next(one, &op));
    g_assert_cmpuint(op.call, ==, DN_CALL_IRECV);
    g_assert_cmpint(op.bytes, ==, 8);
    g_assert_cmpuint(op.tag, ==, 3);
    g_assert_cmpuint(op.at, ==, 4);
    g_assert_true(dn_trace_cursor_next(one, &op));
    g_assert_cmpint(op.duration_ps, ==, 5000);
    g_assert_cmpuint(op.cpu, ==, 1);
    g_assert_cmpuint(op.n_deps, ==, 1);
    g_assert_cmpuint(op.deps[0].op, ==, 0);
    g_assert_false(op.deps[0].start);
    g_assert_true(dn_trace_cursor_next(one, &op));
    g_assert_cmpuint(op.deps[0].op, ==, 1);
    g_assert_true(op.deps[0].start);
    g_autoptr(DnTraceCursor) zero = dn_trace_cursor_new(trace, 0);
    g_assert_true(dn_trace_cursor_next(zero, &op));
    g_assert_true(dn_trace_cursor_next(zero, &op));
    g_assert_cmpuint(op.peer, ==, DN_ANY);
    g_assert_cmpuint(op.tag, ==, DN_ANY);
}

static void test_text_errors(void)
{
    goal_refused(
        "num_ranks 1\nrank 0 {\nl1: calc 1\nl2: calc 1\nl1 requires l2\nl2 requires l1\n}\n",
        "t.goal:3: rank 0: operations wait for each other in a circle: this one and 1 more");
    goal_refused("num_ranks 1\nrank 0 {\nl1: calc 1\nl1 requires l2\n}\n",
                 "t.goal:4:13: 'l2' is no label of an operation above");
    goal_refused("num_ranks 1\nrank 0 {\nl1: calc 1\n", "t.goal:3: the file ends within a rank");
    goal_refused("num_ranks 2\nrank 0 {\n}\n", "rank 1 of 2 is missing");
    goal_refused("num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n",
                 "t.goal:4:6: '0' is the number of two ranks");
    goal_refused("rank 0 {\n}\n", "t.goal:1: a rank before num_ranks");
    goal_refused("num_ranks 2\nrank 0 {\nsend 8b to 2\n}\n",
                 "t.goal:3:12: '2' is out of range; allowed: 0 to 1");
    goal_refused("num_ranks 2\nrank 0 {\nsend 8b to -1\n}\n",
                 "t.goal:3:12: '-1' is out of range; allowed: 0 to 1");
    goal_refused("num_ranks 2\nrank 0 {/* a\n b */ l:recv 8b from 1x\n}\n",
                 "t.goal:3:22: '1x' stands where a number is wanted; allowed: 0 to 1, or -1: any");
    goal_refused("num_ranks 2\nrank 0 {\nrecv 8b from 1 tag\n}\n",
                 "t.goal:3:19: the end of the line stands where a number is wanted; allowed: 0 to");
    goal_refused("num_ranks 1\nrank 0 {\nsend 8b from 0\n}\n", "send BYTESb to RANK");
    goal_refused("num_ranks 1\nrank 0 {\nl: clac 8\n}\n", "'clac' is no operation; known: calc");
    goal_refused("num_ranks 1\nrank 0 {\nl: calc 8\nl: calc 8\n}\n",
                 "is the label of two operations");
    goal_refused("num_ranks 1\nrank 0 {\ncalc 8 gpu 1\n}\n",
                 "'gpu' is unknown here; wanted: tag, cpu");
    goal_refused("num_ranks 1\ncalc 8\n", "t.goal:2:1: 'calc' stands outside a rank");
    goal_refused("num_ranks 3000000\n",
                 "t.goal:1:11: '3000000' is out of range; allowed: 0 to 2097152");
    goal_refused("num_ranks 1\nnum_ranks 1\n", "num_ranks twice");
    goal_refused("", "t.goal: the file is empty");
}

/* ---- binary ---- */

static void goal_put(GByteArray *b, guint64 value, guint n)
{
    for (guint i = 0; i < n; i++) {
        guint8 byte = (guint8)(value >> 8 * i);
        g_byte_array_append(b, &byte, 1);
    }
}

static void put_op(GByteArray *b, guint needs, guint type, guint peer, guint64 size, guint tag,
                   guint ends, guint at)
{
    goal_put(b, needs, 4);
    goal_put(b, type, 1);
    goal_put(b, peer, 4);
    goal_put(b, size, 8);
    goal_put(b, tag, 4);
    goal_put(b, 0, 2);
    goal_put(b, ends, 4);
    goal_put(b, at, 4);
    goal_put(b, 0, 4);
    goal_put(b, at + ends, 4);
}

/* Rank 0: calc 100, then send 64 B to 1, tag 9. Rank 1: receives it. By hand from Parser.hpp: the
 * table counts from byte 8; parts of 8 + 4 + 2 * 39 + 4 and of 8 + 4 + 39 bytes. */
static GByteArray *goal_binary(void)
{
    GByteArray *b = g_byte_array_new();
    goal_put(b, 4223, 8);
    goal_put(b, 2, 4);
    goal_put(b, 0, 2);
    goal_put(b, 38, 8);
    goal_put(b, 38 + 94, 8);
    goal_put(b, 38 + 94, 8);
    goal_put(b, 38 + 94 + 51, 8);
    goal_put(b, 2, 4);
    goal_put(b, 1, 4);
    goal_put(b, 0, 4);
    put_op(b, 0, 3, 0, 100, 0, 1, 0);
    put_op(b, 1, 1, 1, 64, 9, 0, 1);
    goal_put(b, 1, 4);
    goal_put(b, 1, 4);
    goal_put(b, 1, 4);
    goal_put(b, 0, 4);
    put_op(b, 0, 2, 0, 64, 9, 0, 0);
    return b;
}

static void refuse_binary(const GByteArray *b, gsize n, const char *part)
{
    char *path = test_file("t.bin", (const char *)b->data, (gssize)n);
    open_bad(path, "goal_binary", part);
    test_file_free(path);
}

static void test_binary(void)
{
    g_autoptr(GByteArray) b = goal_binary();
    char *path = test_file("t.bin", (const char *)b->data, b->len);
    g_autoptr(DnTrace) trace = open_good(path);
    test_file_free(path);
    g_assert_cmpstr(trace->reader->name, ==, "goal_binary");
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, 0);
    DnTraceOp op;
    g_assert_true(dn_trace_cursor_next(cursor, &op));
    g_assert_cmpint(op.duration_ps, ==, 100000);
    g_assert_true(dn_trace_cursor_next(cursor, &op));
    g_assert_cmpuint(op.call, ==, DN_CALL_ISEND);
    g_assert_cmpint(op.bytes, ==, 64);
    g_assert_cmpuint(op.tag, ==, 9);
    g_assert_cmpuint(op.n_deps, ==, 1);
    g_assert_cmpuint(op.deps[0].op, ==, 0);
}

static void test_binary_errors(void)
{
    g_autoptr(GByteArray) b = goal_binary();
    guint first = 46 + 12; /* of rank 0's operations */
    refuse_binary(b, b->len - 1, "byte 190: the file ends too early");
    refuse_binary(b, 30, "the file ends too early");
    b->data[first + 4] = 7;
    refuse_binary(b, b->len, "byte 58: an operation of a type that is not 1 (send), 2 (recv)");
    b->data[first + 4] = 3;
    b->data[first + 27] = 200;
    refuse_binary(b, b->len, "byte 58: an operation whose list lies outside its rank's part");
    b->data[first + 27] = 0;
    b->data[46 + 90] = 5;
    refuse_binary(b, b->len, "byte 58: an operation that another one waits for which is not there");
    b->data[46 + 90] = 0; /* the first operation waits for itself */
    refuse_binary(b, b->len, "wait for each other in a circle");
    b->data[46] = 255;
    refuse_binary(b, b->len, "byte 46: a rank of more operations than its part holds");
    b->data[14] = 200;
    refuse_binary(b, b->len, "parts of ranks that overlap or are out of order");
    b->data[8] = 0;
    refuse_binary(b, b->len, "a number of ranks outside 1 to 2^21");
    b->data[0] = 0x26;
    b->data[1] = 0x09;
    refuse_binary(b, b->len, "a schedule that LogGOPSim has used up");
    memcpy(b->data, "\0\0\0\0\0\0\x10\x7f", 8);
    refuse_binary(b, b->len, "big-endian; wanted: little-endian");
}

/* ---- how a graph runs ---- */

typedef struct {
    GString *log;
} Log;

static guint64 goal_begin(gpointer data, guint32 rank, guint32 stream, const DnOp *op)
{
    Log *log = data;
    if (op->kind == DN_OP_SEND || op->kind == DN_OP_RECV || op->kind == DN_OP_COMPUTE)
        g_string_append_printf(log->log, "%u%c ", rank,
                               op->kind == DN_OP_SEND   ? 's'
                               : op->kind == DN_OP_RECV ? 'r'
                                                        : 'c');
    return 0;
}

static void goal_run(DnTrace *trace, const char *expected, guint blocked)
{
    g_autoptr(DnProgram) program = test_program(trace, "");
    Log log = {g_string_new(NULL)};
    DnDryRunObserver observer = {.data = &log, .begin = goal_begin};
    DnDryRunResult result;
    dn_dry_run(program, &observer, &result);
    g_assert_cmpstr(log.log->str, ==, expected);
    g_assert_cmpuint(result.blocked->len, ==, blocked);
    dn_dry_run_result_clear(&result);
    g_string_free(log.log, TRUE);
}

/* Rank 0 begins all that waits for nothing (two receives, in vain at first), rank 1 computes and
 * sends; then rank 0's answer to the second receive goes, though the first is still out. The send
 * that requires the start of a receive needs no message. */
static void test_unfold(void)
{
    goal_run(
        read_text("num_ranks 2\nrank 0 {\na: recv 8b from 1 tag 1\nb: recv 8b from 1 tag 2\n"
                  "c: send 8b to 1 tag 3\nc requires b\nd: send 8b to 1 tag 4\nd irequires a\n}\n"
                  "rank 1 {\ne: calc 10\nf: send 8b to 0 tag 2\nf requires e\n"
                  "g: recv 8b from 0 tag 3\nh: send 8b to 0 tag 1\nh requires g\n"
                  "i: recv 8b from 0 tag 4\n}\n"),
        "0r 0r 0s 1r 1r 1c 1s 0s 1s ", 0);
    goal_run(
        read_text("num_ranks 2\nrank 0 {\na: recv 8b from 1 tag 1\nb: calc 7\nb requires a\n}\n"
                  "rank 1 {\nc: send 8b to 0 tag 2\n}\n"),
        "0r 1s ", 1);
}

/* The format has a byte for a cpu: stream 0 issues, streams 1 to 256 compute. */
static void test_many_cpus(void)
{
    g_autoptr(DnConfigNode) map = dn_config_parse("{file: x}", "test", NULL);
    goal_run(read_text("num_ranks 1\nrank 0 {\ncalc 1 cpu 255\n}\n"), "0c ", 0);
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = dn_trace_program(
        read_text("num_ranks 1\nrank 0 {\ncalc 1 cpu 255\n}\n"), map, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(program->streams, ==, 257);
}

static void test_foreign(void)
{
    static const struct {
        const char *name;
        guint ranks, messages;
        guint64 bytes;
    } traces[] = {
        /* a binomial tree; a ping-pong of 80 MB; 8 ranks' ring allreduce of 1 MiB: 14 sends of
         * 128 KiB each; what NCCL's ring, ours by that name, makes of 1 MiB: 2 (n - 1) pieces */
        {"goal/binary_tree_32.goal", 32, 31, 31},
        {"goal/incast_8_1_2MiB.goal", 16, 2, 160000000},
        {"chakra/custom_allreduce.0.et", 8, 8 * 14, 8 * 14 * 131072},
        {"chakra/all_reduce.8.0.et", 8, 8 * 14, 8 * 14 * 131072},
        {"chakra/reduce_scatter.8.0.et", 8, 8 * 7, 8 * 7 * 131072},
        {"chakra/all_gather.8.0.et", 8, 8 * 7, (guint64)8 * 7 * 1048576},
    };
    for (guint i = 0; i < G_N_ELEMENTS(traces); i++) {
        g_autofree char *path = foreign_trace(traces[i].name);
        if (!path)
            return;
        g_autoptr(DnProgram) program = test_program(open_good(path), "algorithm: ring");
        DnDryRunObserver nobody = {0};
        DnDryRunResult result;
        g_assert_cmpuint(program->ranks, ==, traces[i].ranks);
        dn_dry_run(program, &nobody, &result);
        g_assert_cmpuint(result.blocked->len + result.unreceived->len, ==, 0);
        g_assert_cmpuint(result.messages, ==, traces[i].messages);
        g_assert_cmpuint(result.bytes, ==, traces[i].bytes);
        dn_dry_run_result_clear(&result);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/goal/text", test_text);
    g_test_add_func("/goal/text-errors", test_text_errors);
    g_test_add_func("/goal/binary", test_binary);
    g_test_add_func("/goal/binary-errors", test_binary_errors);
    g_test_add_func("/goal/unfold", test_unfold);
    g_test_add_func("/goal/many-cpus", test_many_cpus);
    g_test_add_func("/goal/foreign", test_foreign);
    return g_test_run();
}
