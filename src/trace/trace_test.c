/* trace_test.c - the store: what goes in comes out; requests, communicators, order. */
#include <glib/gstdio.h>
#include <string.h>

#include "base/input_files.h"
#include "trace/store.h"
#include "trace/trace_test.h"

#define OPEN(ops, error) test_trace(ops, G_N_ELEMENTS(ops), FALSE, error)

static void trace_refused(const DnTestOp *ops, guint n, const char *part)
{
    GError *error = NULL;
    g_assert_null(test_trace(ops, n, FALSE, &error));
    assert_message(error, part);
}
#define REFUSED(ops, part) trace_refused(ops, G_N_ELEMENTS(ops), part)

/* Every field at its extremes, over many blocks of the spool. */
static void test_fields(void)
{
    enum { N = 24000 }; /* of 12: as many collectives on each rank */
    g_autofree DnTestOp *ops = g_new0(DnTestOp, N);
    gint64 sizes[6] = {0, 1, 127, 128, (gint64)1 << 50, 5};
    for (guint i = 0; i < N; i++)
        switch (i % 4) {
        case 0:
            ops[i] =
                (DnTestOp){i % 3, {.call = DN_CALL_RECV, .peer = DN_ANY, .tag = i, .bytes = -1}};
            break;
        case 1:
            ops[i] = (DnTestOp){i % 3,
                                {.call = DN_CALL_SEND,
                                 .peer = 2,
                                 .tag = G_MAXINT32,
                                 .bytes = (gint64)1 << 50,
                                 .flags = 2}};
            break;
        case 2:
            ops[i] = (DnTestOp){i % 3, {.call = DN_CALL_COMPUTE, .duration_ps = (gint64)i << 30}};
            break;
        default:
            ops[i] = (DnTestOp){i % 3, {.call = DN_CALL_ALLTOALLV, .n_list = 6, .list = sizes}};
        }
    g_autoptr(DnTrace) trace = test_trace(ops, N, FALSE, NULL);
    g_assert_nonnull(trace);
    g_assert_cmpuint(trace->ranks, ==, 3);
    g_assert_cmpuint(trace->ops, ==, N);
    g_assert_cmpuint(trace->calls[DN_CALL_SEND], ==, N / 4);
    for (guint32 r = 0; r < 3; r++) {
        g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, r);
        DnTraceOp op;
        for (guint i = r; i < N; i += 3) {
            const DnTraceOp *in = &ops[i].op;
            g_assert_true(dn_trace_cursor_next(cursor, &op));
            g_assert_cmpuint(op.call, ==, in->call);
            g_assert_cmpuint(op.at, ==, i + 1);
            g_assert_cmpuint(op.peer, ==, in->peer);
            g_assert_cmpuint(op.tag, ==, in->tag);
            g_assert_cmpint(op.bytes, ==, in->bytes);
            g_assert_cmpint(op.duration_ps, ==, in->duration_ps);
            g_assert_cmpuint(op.n_list, ==, in->n_list);
            for (guint k = 0; k < op.n_list; k++)
                g_assert_cmpint(op.list[k], ==, sizes[k]);
        }
        g_assert_false(dn_trace_cursor_next(cursor, &op));
    }
}

/* 6 ranks split by parity, keys backwards: {4, 2, 0} and {5, 3, 1}; then evens dup theirs; 1 and 3
 * make one of their own from a list of the odd ones' ranks (3 is 1, 1 is 2 there). */
static void test_communicators(void)
{
    GArray *ops = g_array_new(FALSE, TRUE, sizeof(DnTestOp));
    gint64 list[2] = {2, 1};
    for (guint32 r = 0; r < 6; r++) {
        DnTestOp split = {r,
                          {.call = DN_CALL_COMM_SPLIT, .made = 70, .color = r % 2, .key = 6 - r}};
        g_array_append_val(ops, split);
        DnTestOp more = {r, {.call = DN_CALL_COMM_DUP, .comm = 70, .made = 71}};
        if (r % 2 == 1)
            more.op = (DnTraceOp){.call = DN_CALL_COMM_CREATE,
                                  .comm = 70,
                                  .n_list = 2,
                                  .list = list,
                                  .made = r == 5 ? DN_TRACE_NO_COMM : 71};
        g_array_append_val(ops, more);
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(DnTrace) trace = test_trace((DnTestOp *)(gpointer)ops->data, ops->len, FALSE, &error);
    g_assert_no_error(error);
    static const guint32 place[6] = {2, 2, 1, 1, 0, 0};
    for (guint32 r = 0; r < 6; r++) {
        guint32 me;
        const DnTraceComm *comm = dn_trace_comm(trace, r, 2, &me);
        g_assert_cmpuint(comm->n, ==, 3);
        g_assert_cmpuint(me, ==, place[r]);
        for (guint32 i = 0; i < 3; i++)
            g_assert_cmpuint(dn_trace_world_rank(comm, i), ==, 4 + r % 2 - 2 * i);
        if (r == 5)
            continue;
        const DnTraceComm *second = dn_trace_comm(trace, r, 3, &me);
        g_assert_cmpuint(second->n, ==, r % 2 ? 2 : 3);
        g_assert_cmpuint(me, ==, r == 1 ? 0 : r == 3 ? 1 : place[r]);
        g_assert_cmpuint(second->context, !=, comm->context);
    }
    g_array_unref(ops);
}

/* Numbers are used again; a persistent request rests after its wait. */
static void test_requests(void)
{
    gint64 a = 1000, b = 2000, both[2] = {2000, 1000};
    const DnTestOp ops[] = {
        {0, {.call = DN_CALL_ISEND, .request = 1000}},
        {0, {.call = DN_CALL_RECV_INIT, .request = 2000}},
        {0, {.call = DN_CALL_WAIT, .n_list = 1, .list = &b}}, /* rests: nothing to wait for */
        {0, {.call = DN_CALL_START, .n_list = 1, .list = &b}},
        {0, {.call = DN_CALL_WAITALL, .n_list = 2, .list = both}},
        {0, {.call = DN_CALL_IRECV, .request = 1000}},
        {0, {.call = DN_CALL_BARRIER, .flags = DN_TRACE_NONBLOCKING, .request = 3000}},
        {0, {.call = DN_CALL_START, .n_list = 1, .list = &b}},
        {0, {.call = DN_CALL_TESTANY, .n_list = 1, .list = &a}},
    };
    g_autoptr(DnTrace) trace = OPEN(ops, NULL);
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, 0);
    static const gint64 expected[9][2] = {
        {0, -1}, {1, -1}, {0, 0}, {1, 1}, {2, 1}, {0, -1}, {DN_TRACE_COLL_REQUEST, -1},
        {1, 1},  {1, 0}};
    for (guint i = 0; i < 9; i++) { /* {request, -1} or {length of the list, its first} */
        DnTraceOp op;
        g_assert_true(dn_trace_cursor_next(cursor, &op));
        gboolean list = expected[i][1] >= 0;
        g_assert_cmpint(list ? (gint64)op.n_list : (gint64)op.request, ==, expected[i][0]);
        if (op.n_list > 0)
            g_assert_cmpint(op.list[0], ==, expected[i][1]);
    }
    g_assert_cmpuint(trace->most_outstanding, ==, 1);
}

static void test_request_errors(void)
{
    gint64 a = 7;
    const DnTestOp twice[] = {{0, {.call = DN_CALL_ISEND, .request = 7}},
                              {0, {.call = DN_CALL_IRECV, .request = 7}}};
    REFUSED(twice, "test:2: rank 0: irecv with request 7, which is still outstanding");
    const DnTestOp none[] = {{1, {.call = DN_CALL_WAITANY, .n_list = 1, .list = &a}}};
    REFUSED(none, "test:1: rank 1: waitany of request 7, which no call began");
    const DnTestOp start[] = {{0, {.call = DN_CALL_ISEND, .request = 7}},
                              {0, {.call = DN_CALL_START, .n_list = 1, .list = &a}}};
    REFUSED(start, "test:2: rank 0: start of request 7, which is not a resting persistent one");
    const DnTestOp freed[] = {{0, {.call = DN_CALL_REQUEST_FREE, .request = 7}}};
    REFUSED(freed, "request_free of request 7");
    const DnTestOp size[] = {{0, {.call = DN_CALL_SEND, .bytes = -2}}};
    REFUSED(size, "send of -2 B");
    const DnTestOp time[] = {{0, {.call = DN_CALL_COMPUTE, .duration_ps = -1}}};
    REFUSED(time, "a duration outside");
    gint64 minus = -1;
    const DnTestOp list[] = {{0, {.call = DN_CALL_ALLGATHERV, .n_list = 1, .list = &minus}}};
    REFUSED(list, "allgatherv with -1 in its list");
}

static void test_comm_errors(void)
{
    gint64 far = 9, zero = 0, one = 1;
    const DnTestOp unknown[] = {{0, {.call = DN_CALL_BARRIER, .comm = 5}}};
    REFUSED(unknown, "test:1: rank 0: barrier on communicator 5, which is not there");
    const DnTestOp freed[] = {{0, {.call = DN_CALL_COMM_DUP, .comm = 1, .made = 5}},
                              {0, {.call = DN_CALL_COMM_FREE, .comm = 5}},
                              {0, {.call = DN_CALL_BARRIER, .comm = 5}}};
    REFUSED(freed, "test:3: rank 0: barrier on communicator 5");
    const DnTestOp alone[] = {{0, {.call = DN_CALL_COMM_DUP, .made = 5}},
                              {1, {.call = DN_CALL_FINALIZE}}};
    REFUSED(alone, "test:1: rank 0: comm_dup, number 1 on its communicator; rank 1 does not call");
    const DnTestOp mixed[] = {{0, {.call = DN_CALL_COMM_DUP, .made = 5}},
                              {1, {.call = DN_CALL_COMM_SPLIT, .made = 5}}};
    REFUSED(mixed,
            "test:2: rank 1: comm_split, number 1 on its communicator; rank 0 calls another");
    const DnTestOp world[] = {{0, {.call = DN_CALL_COMM_DUP, .made = 0}}};
    REFUSED(world, "comm_dup makes communicator 0 anew");
    const DnTestOp outside[] = {
        {0, {.call = DN_CALL_COMM_CREATE, .made = 5, .n_list = 1, .list = &far}}};
    REFUSED(outside, "a list that is not of the parent's ranks");
    const DnTestOp lists[] = {
        {0, {.call = DN_CALL_COMM_CREATE, .made = 5, .n_list = 1, .list = &one}},
        {1, {.call = DN_CALL_COMM_CREATE, .made = 5, .n_list = 1, .list = &zero}}};
    REFUSED(lists, "makes a communicator that is nobody's");
    const DnTestOp twice[] = {
        {0, {.call = DN_CALL_COMM_CREATE, .made = 5, .n_list = 2, .list = (gint64[]){0, 0}}},
        {0, {.call = DN_CALL_BARRIER, .comm = 5}},
        {1, {.call = DN_CALL_COMM_CREATE, .made = DN_TRACE_NO_COMM}}};
    REFUSED(twice, "comm_create with rank 0 twice");
    const DnTestOp again[] = {
        {0, {.call = DN_CALL_COMM_GROUP, .made = 5, .n_list = 2, .list = (gint64[]){0, 0}}},
        {0, {.call = DN_CALL_BARRIER, .comm = 5}}};
    REFUSED(again, "comm_create_group with rank 0 twice");
    const DnTestOp group[] = {
        {0, {.call = DN_CALL_COMM_GROUP, .made = 5, .n_list = 2, .list = (gint64[]){0, 1}}},
        {1, {.call = DN_CALL_FINALIZE}}};
    REFUSED(group, "comm_create_group with rank 1, which does not call it");
}

/* Ranks and sizes that a communicator has not. */
static void test_reach(void)
{
    const DnTestOp peer[] = {{0, {.call = DN_CALL_SEND, .peer = 1}},
                             {0, {.call = DN_CALL_RECV, .peer = 2, .bytes = 1}},
                             {1, {.call = DN_CALL_FINALIZE}}};
    REFUSED(peer, "test:2: rank 0 names rank 2 of a communicator of 2");
    const DnTestOp self[] = {{1, {.call = DN_CALL_BCAST, .comm = DN_TRACE_SELF, .root = 1}}};
    REFUSED(self, "test:1: rank 1 names rank 1 of a communicator of 1");
    gint64 sizes[3] = {1, 1, 1};
    const DnTestOp list[] = {{0, {.call = DN_CALL_ALLGATHERV, .n_list = 3, .list = sizes}},
                             {1, {.call = DN_CALL_ALLGATHERV, .n_list = 3, .list = sizes}}};
    REFUSED(list, "test:1: rank 0 lists sizes for 3 ranks, its communicator has 2");
    const DnTestOp odd[] = {{0, {.call = DN_CALL_ALLTOALLV, .n_list = 3, .list = sizes}}};
    REFUSED(odd, "test:1: rank 0: alltoallv with 3 sizes");
}

/* The first difference is named: where either rank is, and what it calls there. */
static void test_order(void)
{
    const DnTestOp kinds[] = {{0, {.call = DN_CALL_BARRIER}},
                              {1, {.call = DN_CALL_BARRIER}},
                              {0, {.call = DN_CALL_BCAST}},
                              {1, {.call = DN_CALL_ALLREDUCE}}};
    REFUSED(kinds, "test:4: rank 1 calls allreduce (root 0, 0 B) as collective 2 of a "
                   "communicator; rank 0, at test:3, calls bcast (root 0, 0 B)");
    const DnTestOp roots[] = {{0, {.call = DN_CALL_BCAST, .root = 1}},
                              {1, {.call = DN_CALL_BCAST, .root = 0}}};
    REFUSED(roots, "rank 1 calls bcast (root 0, 0 B) as collective 1");
    const DnTestOp missing[] = {{0, {.call = DN_CALL_BARRIER}}, {1, {.call = DN_CALL_FINALIZE}}};
    REFUSED(missing, "test:1: rank 0 calls barrier (root 0, 0 B) as collective 1 of a "
                     "communicator; rank 1, at its end, calls none");
    const DnTestOp sizes[] = {{0, {.call = DN_CALL_ALLREDUCE, .bytes = 1000}},
                              {1, {.call = DN_CALL_ALLREDUCE, .bytes = 2000}}};
    REFUSED(sizes, "test:2: rank 1 calls allreduce (root 0, 2000 B) as collective 1 of a "
                   "communicator; rank 0, at test:1, calls allreduce (root 0, 1000 B)");
    /* Rank 1 calls on the communicator of itself alone what rank 0 calls on that of both. */
    const DnTestOp comms[] = {{0, {.call = DN_CALL_BARRIER}},
                              {1, {.call = DN_CALL_BARRIER, .comm = DN_TRACE_SELF}}};
    REFUSED(comms, "test:1: rank 0 calls barrier (root 0, 0 B) as collective 1 of a "
                   "communicator; rank 1, at its end, calls none");
}

static void test_formats(void)
{
    GError *error = NULL;
    char *path = test_file("x.txt", "hello\n", -1);
    g_assert_null(dn_trace_open(path, NULL, &error));
    assert_message(error, "no trace of a format that is known by its content; known: ");
    error = NULL;
    g_assert_null(dn_trace_open(path, "tii", &error));
    assert_message(error, "unknown trace format 'tii'; did you mean 'ti'?");
    error = NULL;
    g_assert_null(dn_trace_open("/nonexistent/trace", NULL, &error));
    assert_message(error, "/nonexistent/trace: cannot be read");
    test_file_free(path);
}

/* The byte order mark that some editors begin a text with is none of the trace. */
static void test_byte_order_mark(void)
{
    static const char *const texts[] = {"0 init\n1 init\n0 send 1 0 8 1\n1 recv 0 0 8 1\n",
                                        "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 0\n}\n"
                                        "rank 1 {\nl1: recv 8b from 0 tag 0\n}\n"};
    static const char *const formats[] = {"ti", "goal"};
    for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *marked = g_strconcat("\xef\xbb\xbf", texts[i], NULL);
        char *path = test_file("t", marked, -1);
        g_autoptr(DnTrace) trace = dn_trace_open(path, NULL, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(trace->ranks, ==, 2);
        g_autoptr(DnTrace) named = dn_trace_open(path, formats[i], &error);
        g_assert_no_error(error);
        test_file_free(path);
    }
    GError *error = NULL; /* lines count as without it, and it is the first character alone */
    char *path = test_file("t",
                           "\xef\xbb\xbf"
                           "0 init\n0 nothing\n",
                           -1);
    g_assert_null(dn_trace_open(path, NULL, &error));
    assert_message(error, "t:2:3: ");
    test_file_free(path);
    error = NULL;
    path = test_file("t",
                     "0 init\n\xef\xbb\xbf"
                     "0 finalize\n",
                     -1);
    g_assert_null(dn_trace_open(path, NULL, &error));
    assert_message(error, "t:2:1: ");
    test_file_free(path);
}

/* A trace is read once for all that open it, but for a file that has changed and while somebody
 * asks which files are read; who frees it first does not take it from others. */
static void test_open_again(void)
{
    GError *error = NULL;
    char *path = test_file("again.txt", "0 init\n1 init\n0 finalize\n1 finalize\n", -1);
    DnTrace *one = dn_trace_open_again(path, NULL, &error);
    g_assert_no_error(error);
    DnTrace *two = dn_trace_open_again(path, NULL, &error);
    g_assert_true(one == two);
    g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
    g_autofree char *around = g_build_filename(folder, ".", name, NULL);
    g_autoptr(DnTrace) same_file = dn_trace_open_again(around, "auto", &error);
    g_assert_true(same_file == two);
    dn_trace_free(one);
    dn_input_files_begin();
    g_autoptr(DnTrace) asked = dn_trace_open_again(path, NULL, &error);
    g_assert_true(asked != two);
    g_autofree char *files = dn_input_files_end();
    g_assert_nonnull(strstr(files, "again.txt"));
    g_assert_cmpuint(two->ranks, ==, 2);
    dn_trace_free(two);
    g_assert_true(g_file_set_contents(path, "0 init\n0 finalize\n", -1, NULL));
    g_autoptr(DnTrace) changed = dn_trace_open_again(path, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(changed->ranks, ==, 1);
    g_assert_null(dn_trace_open_again(path, "tii", &error));
    g_clear_error(&error);
    test_file_free(path);
}

/* Names of the files in @folder. */
static char *trace_list(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    GString *names = g_string_new(NULL);
    for (const char *name; (name = g_dir_read_name(dir)) != NULL;)
        g_string_append_printf(names, "%s ", name);
    return g_string_free(names, FALSE);
}

/* While a trace is written there is nothing that a kill would leave; then all of it, in the place
 * of what was there. */
static void test_whole_or_nothing(void)
{
    g_autofree char *folder = g_dir_make_tmp("darner-trace-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "x", NULL);
    g_autofree char *stale = g_build_filename(folder, "x.part", NULL);
    for (guint i = 0; i < 2; i++) {
        DnTraceFile file;
        g_autoptr(GError) error = NULL;
        g_assert_true(dn_trace_file_begin(&file, path, &error));
        g_assert_cmpint(fprintf(file.stream, "text %u", i), >, 0);
        g_autofree char *before = trace_list(folder);
        if (file.nameless) /* where the file system has such files */
            g_assert_cmpstr(before, ==, i == 0 ? "" : "x ");
        if (i == 1) /* of an older version that was killed */
            g_assert_true(g_file_set_contents(stale, "", 0, NULL));
        g_assert_true(dn_trace_file_end(&file, &error));
        g_autofree char *after = trace_list(folder), *text = NULL;
        g_assert_cmpstr(after, ==, "x ");
        g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
        g_assert_cmpstr(text, ==, i == 0 ? "text 0" : "text 1");
    }
    g_assert_cmpint(g_unlink(path), ==, 0);
    g_assert_cmpint(g_rmdir(folder), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/trace/fields", test_fields);
    g_test_add_func("/trace/communicators", test_communicators);
    g_test_add_func("/trace/requests", test_requests);
    g_test_add_func("/trace/request-errors", test_request_errors);
    g_test_add_func("/trace/comm-errors", test_comm_errors);
    g_test_add_func("/trace/reach", test_reach);
    g_test_add_func("/trace/order", test_order);
    g_test_add_func("/trace/formats", test_formats);
    g_test_add_func("/trace/byte-order-mark", test_byte_order_mark);
    g_test_add_func("/trace/open-again", test_open_again);
    g_test_add_func("/trace/whole-or-nothing", test_whole_or_nothing);
    return g_test_run();
}
