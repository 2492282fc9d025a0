/* dumpi_test.c - DUMPI's files: one made byte by byte from the format's description, and the test
 * trace of sst-dumpi, whose calls its own tools have counted. */
#include <glib/gstdio.h>
#include <string.h>

#include "trace/trace_test.h"

#define DUMPI_MAGIC G_GUINT64_CONSTANT(0xffaadd44554d5049)

static void dumpi_put(GByteArray *b, guint64 value, guint n)
{
    for (guint i = n; i-- > 0;) {
        guint8 byte = i < 8 ? (guint8)(value >> 8 * i) : 0;
        g_byte_array_append(b, &byte, 1);
    }
}

/* Function, mask (thread, wall's clock, statuses), thread, start and stop in us. */
static void dumpi_record(GByteArray *b, guint function, guint start_us, guint stop_us)
{
    dumpi_put(b, function, 2);
    dumpi_put(b, 0x40 | 8 | 3, 1);
    dumpi_put(b, 0, 2);
    dumpi_put(b, 1, 2);
    dumpi_put(b, start_us * 1000, 4);
    dumpi_put(b, 1, 2);
    dumpi_put(b, stop_us * 1000, 4);
}

/* Allreduce of 2 doubles by operation @op on the world. */
static void dumpi_allreduce(GByteArray *b, guint op)
{
    dumpi_record(b, 65, 150, 150);
    dumpi_put(b, 2, 4);
    dumpi_put(b, 14, 2);
    dumpi_put(b, op, 1);
    dumpi_put(b, 2, 2);
}

/* An allreduce by operation 3, and by 200, made as one that does not commute. */
static void dumpi_operations(GByteArray *b)
{
    dumpi_allreduce(b, 3);
    dumpi_record(b, 63, 150, 150);
    dumpi_put(b, 0, 4);
    dumpi_put(b, 200, 1);
    dumpi_allreduce(b, 200);
}

/* The magic, and init: argc 1, "ab". */
static GByteArray *dumpi_begin(void)
{
    GByteArray *b = g_byte_array_new();
    dumpi_put(b, DUMPI_MAGIC, 8);
    dumpi_put(b, 0, 8);
    dumpi_record(b, 124, 0, 10);
    dumpi_put(b, 1, 4);
    dumpi_put(b, 2, 4);
    dumpi_put(b, 0x6162, 2);
    return b;
}

/* The last record, the header, the sizes of datatypes and the index of @parts numbers. */
static void dumpi_end(GByteArray *b, guint parts)
{
    guint64 magic = DUMPI_MAGIC;
    dumpi_put(b, 293, 2);
    guint header = b->len;
    dumpi_put(b, 0x010000, 3);
    dumpi_put(b, 0, 8 + 2 + 2 + 4 + 4);
    guint sizes = b->len;
    dumpi_put(b, 28, 4);
    for (guint i = 0; i < 28; i++)
        dumpi_put(b, i == 9 ? 4 : i == 14 ? 8 : 1, 4);
    dumpi_put(b, magic, 8);
    if (parts == 8)
        dumpi_put(b, sizes, 8);
    dumpi_put(b, 0, 8 * (MIN(parts, 7) - 5));
    dumpi_put(b, header, 8);
    dumpi_put(b, 8, 8);
    dumpi_put(b, 0, 16);
}

/* Two ranks. Rank 0: split (color 0, key 0), irecv from any of 3 ints, bcast of 5 doubles on the
 * new communicator, allreduce by operation 3 and by 200, made as one that does not commute,
 * waitany, finalize. Rank 1: split, isend, bcast, the allreduces, wait. */
static GByteArray *dumpi_sample(guint rank, guint parts)
{
    GByteArray *b = dumpi_begin();
    dumpi_record(b, 86, 20, 30); /* comm_split of the world: 0, 0, made 4 */
    dumpi_put(b, 2, 2);
    dumpi_put(b, 0, 4);
    dumpi_put(b, 0, 4);
    dumpi_put(b, 4, 2);
    dumpi_record(b, rank == 0 ? 12 : 8, 130, 140); /* 3 ints, peer, tag 7, world, request 2 */
    dumpi_put(b, 3, 4);
    dumpi_put(b, 9, 2);
    dumpi_put(b, rank == 0 ? 0xffffffff : 0, 4);
    dumpi_put(b, 7, 4);
    dumpi_put(b, 2, 2);
    dumpi_put(b, 2, 4);
    dumpi_record(b, 53, 140, 150); /* bcast: 5 doubles, root 1, on 4 */
    dumpi_put(b, 5, 4);
    dumpi_put(b, 14, 2);
    dumpi_put(b, 1, 4);
    dumpi_put(b, 4, 2);
    dumpi_operations(b);
    if (rank == 0) {
        dumpi_record(b, 16, 150, 160); /* waitany: 2 requests (null and 2), index 1, no status */
        dumpi_put(b, 2, 4);
        dumpi_put(b, 2, 4);
        dumpi_put(b, 1, 4);
        dumpi_put(b, 2, 4);
        dumpi_put(b, 1, 4);
        dumpi_put(b, 0, 4);
    } else {
        dumpi_record(b, 13, 150, 160);
        dumpi_put(b, 2, 4);
        dumpi_put(b, 0, 4);
    }
    dumpi_record(b, 125, 160, 161);
    dumpi_end(b, parts);
    return b;
}

typedef struct {
    char *meta, *files[2];
    GByteArray *bytes[2];
} Files;

/* @bytes (transfer full) in place of what rank @r has. */
static void set_file(Files *f, guint r, GByteArray *bytes)
{
    g_byte_array_unref(f->bytes[r]);
    f->bytes[r] = bytes;
}

static void write_files(Files *f)
{
    for (guint r = 0; r < 2; r++)
        g_assert_true(
            g_file_set_contents(f->files[r], (char *)f->bytes[r]->data, f->bytes[r]->len, NULL));
}

static void files_make(Files *f, gconstpointer unused)
{
    f->meta = test_file("x.meta", "hostname=h\nnumprocs=2\nfileprefix=/elsewhere/x\n", -1);
    g_autofree char *folder = g_path_get_dirname(f->meta);
    for (guint r = 0; r < 2; r++) {
        g_autofree char *name = g_strdup_printf("x-%04u.bin", r);
        f->files[r] = g_build_filename(folder, name, NULL);
        f->bytes[r] = dumpi_sample(r, 8);
    }
    write_files(f);
}

static void files_free(Files *f, gconstpointer unused)
{
    for (guint r = 0; r < 2; r++) {
        g_remove(f->files[r]);
        g_free(f->files[r]);
        g_byte_array_unref(f->bytes[r]);
    }
    test_file_free(f->meta);
}

static void next_is(DnTraceCursor *cursor, DnCall call, DnTraceOp *op)
{
    g_assert_true(dn_trace_cursor_next(cursor, op));
    g_assert_cmpstr(dn_call_name(op->call), ==, dn_call_name(call));
}

/* Gaps: 10 us to 20, 30 to 130. The first record is at byte 16, the second 27 + 10 further on:
 * 2 + 1 + 2 + 12 bytes and argc, length, two letters. */
static void test_sample(Files *f, gconstpointer unused)
{
    g_autoptr(DnTrace) trace = open_good(f->meta);
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, 0);
    DnTraceOp op;
    next_is(cursor, DN_CALL_INIT, &op);
    g_assert_cmpuint(op.at, ==, 16);
    next_is(cursor, DN_CALL_COMPUTE, &op);
    g_assert_cmpint(op.duration_ps, ==, 10000000);
    next_is(cursor, DN_CALL_COMM_SPLIT, &op);
    g_assert_cmpuint(op.at, ==, 16 + 17 + 10);
    next_is(cursor, DN_CALL_COMPUTE, &op);
    g_assert_cmpint(op.duration_ps, ==, 100000000);
    next_is(cursor, DN_CALL_IRECV, &op);
    g_assert_cmpuint(op.peer, ==, DN_ANY);
    g_assert_cmpuint(op.tag, ==, 7);
    g_assert_cmpint(op.bytes, ==, 12);
    next_is(cursor, DN_CALL_BCAST, &op);
    g_assert_cmpint(op.bytes, ==, 40);
    g_assert_cmpuint(op.root, ==, 1);
    g_assert_cmpuint(op.comm, ==, 2); /* the first made */
    next_is(cursor, DN_CALL_ALLREDUCE, &op);
    g_assert_cmpint(op.bytes, ==, 16);
    g_assert_cmpuint(op.flags, ==, 0);
    next_is(cursor, DN_CALL_ALLREDUCE, &op);
    g_assert_cmpuint(op.flags, ==, DN_TRACE_ORDERED);
    next_is(cursor, DN_CALL_WAITANY, &op);
    g_assert_cmpuint(op.n_list, ==, 1);
    next_is(cursor, DN_CALL_FINALIZE, &op);
    g_assert_cmpuint(dn_trace_comm(trace, 0, 2, NULL)->n, ==, 2);
    g_autoptr(DnTrace) again = open_good(f->files[1]); /* by any of the binary files */
    g_assert_cmpuint(again->ops, ==, trace->ops);
}

/* Without the newest parts of the index. Sizes are then those of 64-bit machines: the same. */
static void test_old(Files *f, gconstpointer unused)
{
    for (guint r = 0; r < 2; r++) {
        set_file(f, r, dumpi_sample(r, 5 + 2 * r));
    }
    write_files(f);
    g_autoptr(DnTrace) trace = open_good(f->meta);
    g_assert_cmpuint(trace->calls[DN_CALL_BCAST], ==, 2);
}

/* The table of sizes stands 1 byte before the end of the address space: it is none. */
static void test_far_index(Files *f, gconstpointer unused)
{
    for (guint r = 0; r < 2; r++)
        memset(f->bytes[r]->data + f->bytes[r]->len - 56, 0xff, 8);
    write_files(f);
    test_sample(f, NULL);
}

static void test_damage(Files *f, gconstpointer unused)
{
    GByteArray *b = f->bytes[1];
    guint length = b->len;
    g_byte_array_set_size(b, length - 1);
    write_files(f);
    open_bad(f->meta, NULL, "no index at the end: the file is cut short");
    g_byte_array_set_size(b, 100); /* the same within a record */
    write_files(f);
    open_bad(f->meta, NULL, "x-0001.bin: byte 100: no index at the end");
    b = dumpi_sample(1, 8);
    set_file(f, 1, b);
    b->data[17] = 200; /* function 124 becomes 200: other arguments follow */
    write_files(f);
    open_bad(f->meta, NULL, "x-0001.bin: byte ");
    b->data[16] = 2; /* 712 */
    write_files(f);
    open_bad(f->meta, NULL, "x-0001.bin: byte 16: a record of function 712; known are 0 to 292");
    b->data[0] = 0x50; /* as of the other endianness */
    write_files(f);
    open_bad(f->meta, NULL, "does not begin with DUMPI's magic");
    g_remove(f->files[1]);
    open_bad(f->meta, NULL, "x-0001.bin: no such file; ");
    g_assert_true(g_file_set_contents(f->meta, "numprocs=2\n", -1, NULL));
    open_bad(f->meta, "dumpi", "no fileprefix= in this .meta file");
    g_assert_true(g_file_set_contents(f->meta, "fileprefix=\xff\nnumprocs=2\n", -1, NULL));
    open_bad(f->meta, "dumpi", "fileprefix= is not UTF-8");
}

/* Rank 0 names request 9 where 2 is out. */
static void test_unknown_request(Files *f, gconstpointer unused)
{
    static const guint8 requests[12] = {0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2};
    GByteArray *b = f->bytes[0];
    guint8 *at = memmem(b->data, b->len, requests, sizeof requests);
    g_assert_nonnull(at);
    at[11] = 9;
    write_files(f);
    open_bad(f->meta, NULL, "rank 0: waitany of request 9, which no call began");
}

/* 3 ints, peer, tag 7, world, request @request. */
static void dumpi_message(GByteArray *b, guint function, gint32 peer, guint request)
{
    dumpi_record(b, function, 20, 20);
    dumpi_put(b, 3, 4);
    dumpi_put(b, 9, 2);
    dumpi_put(b, (guint32)peer, 4);
    dumpi_put(b, 7, 4);
    dumpi_put(b, 2, 2);
    dumpi_put(b, request, 4);
}

/* A call that has a list of @n requests: startall, waitall (which has statuses). */
static void dumpi_requests(GByteArray *b, guint function, const guint *requests, guint n)
{
    dumpi_record(b, function, 20, 20);
    dumpi_put(b, n, 4);
    dumpi_put(b, n, 4);
    for (guint i = 0; i < n; i++)
        dumpi_put(b, requests[i], 4);
    if (function == 18)
        dumpi_put(b, 0, 4);
}

/* Requests 3 and 4 are of messages with MPI_PROC_NULL (-2): they open, start and end nothing. Then
 * 3 comes again, with a message. Ranks are each other's peers. */
static void test_nobody(Files *f, gconstpointer unused)
{
    static const guint persistent[] = {4}, all[] = {2, 3, 4}, again[] = {1, 3}; /* 1: null */
    for (guint r = 0; r < 2; r++) {
        GByteArray *b = dumpi_begin();
        dumpi_message(b, r == 0 ? 8 : 12, 1 - (gint32)r, 2);
        dumpi_message(b, 8, -2, 3);
        dumpi_message(b, 30, -2, 4);
        dumpi_requests(b, 32, persistent, 1);
        dumpi_requests(b, 18, all, 3);
        dumpi_record(b, 15, 20, 20); /* request_free */
        dumpi_put(b, 4, 4);
        dumpi_message(b, r == 0 ? 8 : 12, 1 - (gint32)r, 3);
        dumpi_requests(b, 18, again, 2);
        dumpi_record(b, 125, 160, 161);
        dumpi_end(b, 8);
        set_file(f, r, b);
    }
    write_files(f);
    g_autoptr(DnTrace) trace = open_good(f->meta);
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, 0);
    static const gint expected[][2] = {
        {DN_CALL_INIT, 0},    {DN_CALL_COMPUTE, 0}, {DN_CALL_ISEND, 0},   {DN_CALL_START, 0},
        {DN_CALL_WAITALL, 1}, {DN_CALL_ISEND, 0},   {DN_CALL_WAITALL, 1}, {DN_CALL_COMPUTE, 0}};
    DnTraceOp op;
    for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
        next_is(cursor, expected[i][0], &op);
        g_assert_cmpuint(op.n_list, ==, expected[i][1]);
    }
}

/* Rank 0 gathers 3 ints in place: its first count and type, 0 and null, have no meaning. */
static void test_in_place(Files *f, gconstpointer unused)
{
    for (guint r = 0; r < 2; r++) {
        GByteArray *b = dumpi_begin();
        dumpi_record(b, 54, 20, 20);
        dumpi_put(b, r, 4);
        dumpi_put(b, r == 0 ? 0 : 3, 4);
        dumpi_put(b, r == 0 ? 1 : 9, 2);
        dumpi_put(b, 0, 4);
        dumpi_put(b, 2, 2);
        if (r == 0) {
            dumpi_put(b, 3, 4);
            dumpi_put(b, 9, 2);
        }
        dumpi_record(b, 125, 160, 161);
        dumpi_end(b, 8);
        set_file(f, r, b);
    }
    write_files(f);
    g_autoptr(DnTrace) trace = open_good(f->meta);
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, 0);
    DnTraceOp op;
    next_is(cursor, DN_CALL_INIT, &op);
    next_is(cursor, DN_CALL_COMPUTE, &op);
    next_is(cursor, DN_CALL_GATHER, &op);
    g_assert_cmpint(op.bytes, ==, 12);
}

/* callcounts-single.txt: per rank Recv, Isend, Wait, Barrier, Allreduce, Init, Finalize once. */
static void test_foreign(void)
{
    g_autofree char *path = foreign_trace("dumpi/testtrace.meta");
    g_autofree char *counts_path = foreign_trace("dumpi/callcounts-single.txt"), *counts = NULL;
    if (!path || !counts_path)
        return;
    static const struct {
        const char *name;
        DnCall call;
    } calls[] = {{"Recv", DN_CALL_RECV},         {"Isend", DN_CALL_ISEND},
                 {"Irecv", DN_CALL_IRECV},       {"Wait", DN_CALL_WAIT},
                 {"Barrier", DN_CALL_BARRIER},   {"Allreduce", DN_CALL_ALLREDUCE},
                 {"Init", DN_CALL_INIT},         {"Finalize", DN_CALL_FINALIZE},
                 {"Waitall", DN_CALL_WAITALL},   {"Bcast", DN_CALL_BCAST},
                 {"Sendrecv", DN_CALL_SENDRECV}, {"Comm_split", DN_CALL_COMM_SPLIT}};
    g_assert_true(g_file_get_contents(counts_path, &counts, NULL, NULL));
    g_autoptr(DnTrace) trace = open_good(path);
    g_assert_cmpuint(trace->ranks, ==, 4);
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++) {
        g_autofree char *line = g_strdup_printf("MPI_%s called ", calls[i].name);
        const char *found = strstr(counts, line);
        g_assert_nonnull(found);
        g_assert_cmpuint(trace->calls[calls[i].call], ==,
                         4 * g_ascii_strtoull(found + strlen(line), NULL, 10));
    }
    /* testtrace-0000.txt: one int of tag 1337 to rank 1, 1 int of rank 3; MPI_Recv starts 10 us
     * after MPI_Isend ended: .739689 to .739699 s by the wall's clock. */
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, 0);
    DnTraceOp op;
    do
        g_assert_true(dn_trace_cursor_next(cursor, &op));
    while (op.call != DN_CALL_ISEND);
    g_assert_cmpuint(op.peer, ==, 1);
    g_assert_cmpuint(op.tag, ==, 1337);
    g_assert_cmpint(op.bytes, ==, 4);
    next_is(cursor, DN_CALL_COMPUTE, &op);
    g_assert_cmpint(op.duration_ps, ==, 10000000);
    next_is(cursor, DN_CALL_RECV, &op);
    g_assert_cmpuint(op.peer, ==, 3);
}

#define ADD(path, test) g_test_add(path, Files, NULL, files_make, test, files_free)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("/dumpi/sample", test_sample);
    ADD("/dumpi/old", test_old);
    ADD("/dumpi/far-index", test_far_index);
    ADD("/dumpi/damage", test_damage);
    ADD("/dumpi/unknown-request", test_unknown_request);
    ADD("/dumpi/nobody", test_nobody);
    ADD("/dumpi/in-place", test_in_place);
    g_test_add_func("/dumpi/foreign", test_foreign);
    return g_test_run();
}
