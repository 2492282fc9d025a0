/* darner_test.c - the recorder's format, byte by byte: what is read from blocks made here by hand,
 * each thing that can be wrong with them, and blocks with random damage. What the recorder itself
 * writes is held against the program it recorded by commands/record_cli_test.c. */
#include <glib/gstdio.h>
#include <string.h>
#include <time.h>

#include "base/record_format.h"
#include "base/rng.h"
#include "trace/darner_blocks.h"
#include "trace/trace_test.h"

#define ROUNDS 4000

/* ---- blocks by hand ---- */

static void darner_put(GByteArray *out, guint64 value)
{
    while (value >= 0x80) {
        guint8 byte = (guint8)(value | 0x80);
        g_byte_array_append(out, &byte, 1);
        value >>= 7;
    }
    guint8 last = (guint8)value;
    g_byte_array_append(out, &last, 1);
}

/* An operation (0: none), @gap ns of computing before it, its fields up to END (signed ones
 * by Z). */
#define END G_MAXUINT64
#define Z(n) dn_rec_zigzag(n)
static void record_list(GByteArray *out, guint operation, guint64 gap, const guint64 *fields)
{
    darner_put(out, operation);
    darner_put(out, gap);
    darner_put(out, 7); /* ns inside the call: read, and of no use here */
    for (; *fields != END; fields++)
        darner_put(out, *fields);
}
#define record(out, operation, gap, ...)                                                           \
    record_list(out, operation, gap, (const guint64[]){__VA_ARGS__})

static DnRecBlock head_of(guint32 rank, guint32 number, const GByteArray *records)
{
    return (DnRecBlock){.magic = DN_REC_MAGIC,
                        .version = DN_REC_VERSION,
                        .state = DN_REC_SEALED,
                        .run = 99,
                        .rank = rank,
                        .ranks = 2,
                        .number = number,
                        .raw_bytes = records->len,
                        .stored_bytes = records->len,
                        .checksum = dn_rec_checksum(records->data, records->len)};
}

static void darner_append(GByteArray *file, const DnRecBlock *head, const GByteArray *records)
{
    g_byte_array_append(file, (const guint8 *)head, sizeof *head);
    g_byte_array_append(file, records->data, records->len);
}

/* Rank 0: receives from any source, which was rank 1 with tag 5 and 40 bytes; a send and a receive
 * that were cancelled; an alltoallv; its two messages. Rank 1, in two blocks: the sender of it
 * all. */
static void put_rank_0(GByteArray *out)
{
    record(out, DN_REC_BEGIN, 0, DN_REC_WALL, 0, 1, 'p', 1, 'm', END);
    record(out, DN_REC_IRECV, 1000, 3, 0, Z(DN_REC_ANY), Z(DN_REC_ANY), 25, 4, END);
    record(out, DN_REC_ISEND, 0, 6, 0, Z(1), Z(9), 1, 4, DN_REC_STANDARD, END);
    record(out, DN_REC_CANCEL, 0, 6, END);
    record(out, DN_REC_FREE, 0, 6, END); /* which says nothing of the receive before */
    record(out, DN_REC_IRECV, 0, 4, 0, Z(DN_REC_ANY), Z(DN_REC_ANY), 100, 4, END);
    record(out, DN_REC_COMPLETE, 500, DN_REC_WAITANY, 2, 1, 3, DN_REC_UNLIKE, Z(1), Z(5), 40, END);
    record(out, DN_REC_CANCEL, 0, 4, END);
    record(out, DN_REC_COMPLETE, 0, DN_REC_WAIT, 1, 1, 4, DN_REC_CANCELLED, END);
    record(out, DN_REC_POLLS, 20, 1000, END);
    record(out, DN_REC_COLLECTIVE, 0, DN_REC_ALLTOALLV, 0, 0, 0, 1, 4, 1, 8, 0, 2, 1, 2, 2, 3, 4,
           END);
    record(out, DN_REC_SEND, 0, 0, Z(DN_REC_NULL), Z(0), 1, 1, 0, END);
    record(out, DN_REC_UNMODELLED, 0, 3, 'W', 'i', 'n', END);
    record(out, DN_REC_END, 0, END);
}

static void put_rank_1(GByteArray *first, GByteArray *second)
{
    record(first, DN_REC_BEGIN, 0, DN_REC_WALL, 0, 1, 'p', 1, 'm', END);
    record(first, DN_REC_ISEND, 0, 0, 0, Z(0), Z(5), 10, 4, DN_REC_STANDARD, END);
    record(second, DN_REC_COMPLETE, 0, DN_REC_WAITALL, 1, 1, 0, 0, END);
    /* To rank 0 go 6 elements of 4 bytes: as many as its 3 of 8. */
    record(second, DN_REC_COLLECTIVE, 0, DN_REC_ALLTOALLV, 0, 0, 0, 1, 4, 1, 8, 0, 2, 6, 2, 2, 1, 1,
           END);
    record(second, DN_REC_END, 0, END);
}

typedef struct {
    GByteArray *records[3]; /* rank 0; rank 1, twice */
    DnRecBlock heads[3];
} Sample;

static void sample_make(Sample *s)
{
    for (guint i = 0; i < 3; i++)
        s->records[i] = g_byte_array_new();
    put_rank_0(s->records[0]);
    put_rank_1(s->records[1], s->records[2]);
    s->heads[0] = head_of(0, 0, s->records[0]);
    s->heads[1] = head_of(1, 0, s->records[1]);
    s->heads[2] = head_of(1, 1, s->records[2]);
}

static void sample_clear(Sample *s)
{
    for (guint i = 0; i < 3; i++)
        g_byte_array_unref(s->records[i]);
}

static GByteArray *sample_file(const Sample *s)
{
    GByteArray *file = g_byte_array_new();
    for (guint i = 0; i < 3; i++)
        darner_append(file, &s->heads[i], s->records[i]);
    return file;
}

static DnTrace *open_bytes(const GByteArray *file, gsize n, GError **error)
{
    char *path = test_file("t.drn", (const char *)file->data, (gssize)n);
    DnTrace *trace = dn_trace_open(path, "darner", error);
    test_file_free(path);
    return trace;
}

/* ---- what is read ---- */

/* The rank's next operation. */
static DnTraceOp darner_next(DnTraceCursor *cursor)
{
    DnTraceOp op;
    g_assert_true(dn_trace_cursor_next(cursor, &op));
    return op;
}

static void check_rank_0(const DnTrace *trace)
{
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, 0);
    g_assert_cmpuint(darner_next(cursor).call, ==, DN_CALL_INIT);
    DnTraceOp op = darner_next(cursor);
    g_assert_cmpuint(op.call, ==, DN_CALL_COMPUTE);
    g_assert_cmpint(op.duration_ps, ==, 1000000); /* 1,000 ns */
    op = darner_next(cursor);
    g_assert_cmpuint(op.call, ==, DN_CALL_IRECV);
    g_assert_cmpuint(op.peer, ==, 1);
    g_assert_cmpuint(op.tag, ==, 5);
    g_assert_cmpint(op.bytes, ==, 40); /* of 100 there was space for */
    g_assert_cmpuint(darner_next(cursor).call, ==, DN_CALL_ISEND);
    g_assert_cmpuint(darner_next(cursor).call, ==, DN_CALL_REQUEST_FREE);
    g_assert_cmpint(darner_next(cursor).duration_ps, ==, 500000);
    op = darner_next(cursor); /* the cancelled receive is not there */
    g_assert_cmpuint(op.call, ==, DN_CALL_WAITANY);
    g_assert_cmpuint(op.n_list, ==, 1);
    op = darner_next(cursor);
    g_assert_cmpuint(op.call, ==, DN_CALL_WAIT);
    g_assert_cmpuint(op.n_list, ==, 0);
    g_assert_cmpint(darner_next(cursor).duration_ps, ==, 20000); /* between the polls */
    op = darner_next(cursor);
    g_assert_cmpuint(op.call, ==, DN_CALL_ALLTOALLV);
    const gint64 bytes[] = {4, 8, 24, 32}; /* 1, 2 of 4 bytes out; 3, 4 of 8 in */
    g_assert_cmpuint(op.n_list, ==, 4);
    for (guint i = 0; i < 4; i++)
        g_assert_cmpint(op.list[i], ==, bytes[i]);
    g_assert_cmpuint(darner_next(cursor).call, ==, DN_CALL_FINALIZE); /* nothing to MPI_PROC_NULL */
    g_assert_false(dn_trace_cursor_next(cursor, &op));
}

static void test_read_(void)
{
    Sample s;
    g_autoptr(GError) error = NULL;
    sample_make(&s);
    g_autoptr(GByteArray) file = sample_file(&s);
    g_autoptr(DnTrace) trace = open_bytes(file, file->len, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(trace->ranks, ==, 2);
    g_assert_cmpuint(trace->notes->len, ==, 1);
    g_assert_cmpstr(g_ptr_array_index(trace->notes, 0), ==,
                    "Win was called, which a replay leaves out");
    check_rank_0(trace);
    sample_clear(&s);
}

/* A folder of files, one of them with space behind an open block as a killed process leaves it;
 * then packed: the same operations, and one rank that was cut. */
static void test_pack(void)
{
    Sample s;
    DnRecSummary summary;
    g_autoptr(GError) error = NULL;
    sample_make(&s);
    g_autoptr(GByteArray) zero = g_byte_array_new(), one = g_byte_array_new();
    darner_append(zero, &s.heads[0], s.records[0]);
    s.heads[2].state = DN_REC_OPEN;
    s.heads[2].checksum = 0;
    s.heads[2].stored_bytes += 1000;
    darner_append(one, &s.heads[1], s.records[1]);
    darner_append(one, &s.heads[2], s.records[2]);
    static const guint8 unwritten[1000];
    g_byte_array_append(one, unwritten, sizeof unwritten);
    g_autofree char *folder = g_dir_make_tmp("darner-test-XXXXXX", NULL);
    g_autofree char *first = g_build_filename(folder, "rank-000000.drn", NULL);
    g_autofree char *second = g_build_filename(folder, "rank-000001.drn", NULL);
    g_autofree char *packed = g_build_filename(folder, "packed.zst", NULL);
    g_assert_true(g_file_set_contents(first, (char *)zero->data, zero->len, NULL));
    g_assert_true(g_file_set_contents(second, (char *)one->data, one->len, NULL));
    g_autoptr(DnTrace) loose = dn_trace_open(folder, NULL, &error);
    g_assert_no_error(error);
    check_rank_0(loose);
    g_assert_true(dn_rec_pack(folder, packed, &summary, &error));
    g_assert_cmpuint(summary.ranks, ==, 2);
    g_assert_cmpuint(summary.cut, ==, 1);
    g_autoptr(DnTrace) trace = dn_trace_open(packed, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(trace->ops, ==, loose->ops);
    check_rank_0(trace);
    g_remove(packed);
    g_remove(second);
    g_assert_false(dn_rec_pack(folder, packed, &summary, &error)); /* a rank is missing */
    g_assert_nonnull(strstr(error->message, "rank-000001.drn"));
    g_assert_false(g_file_test(packed, G_FILE_TEST_EXISTS));
    g_remove(first);
    g_rmdir(folder);
    sample_clear(&s);
}

static DnTrace *open_barriers(guint of_0, guint of_1, gboolean end_1, GError **error)
{
    g_autoptr(GByteArray) file = g_byte_array_new();
    for (guint rank = 0; rank < 2; rank++) {
        g_autoptr(GByteArray) records = g_byte_array_new();
        record(records, DN_REC_BEGIN, 0, DN_REC_WALL, 0, 1, 'p', 1, 'm', END);
        for (guint i = 0; i < (rank == 0 ? of_0 : of_1); i++)
            record(records, DN_REC_COLLECTIVE, 0, DN_REC_BARRIER, 0, 0, 0, 0, 0, 0, 0, 0, END);
        if (rank == 1 && end_1)
            record(records, DN_REC_END, 0, END);
        DnRecBlock head = head_of(rank, 0, records);
        darner_append(file, &head, records);
    }
    return open_bytes(file, file->len, error);
}

/* Killed, one rank has recorded a barrier more than the other: what there is can be read. A rank
 * that went on to its end without it is another matter. */
static void test_killed(void)
{
    GError *error = NULL;
    g_autoptr(DnTrace) more = open_barriers(3, 2, FALSE, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(more->ops, ==, 1 + 3 + 1 + 2); /* init, barriers */
    g_autoptr(DnTrace) less = open_barriers(0, 2, FALSE, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(less->ops, ==, 1 + 1 + 2);
    g_assert_null(open_barriers(3, 2, TRUE, &error));
    assert_message(error, "rank 1, at its end, calls none");
}

/* ---- what is wrong ---- */

static void expect_error(const Sample *s, const char *says)
{
    GError *error = NULL;
    g_autoptr(GByteArray) file = sample_file(s);
    g_assert_null(open_bytes(file, file->len, &error));
    g_assert_nonnull(strstr(error->message, "t.drn: byte "));
    assert_message(error, says);
}

#define WRONG_HEAD(block, change, says)                                                            \
    do {                                                                                           \
        Sample s;                                                                                  \
        sample_make(&s);                                                                           \
        s.heads[block].change;                                                                     \
        expect_error(&s, says);                                                                    \
        sample_clear(&s);                                                                          \
    } while (0)

static void test_heads(void)
{
    WRONG_HEAD(1, magic = 0, "no block begins here");
    WRONG_HEAD(1, magic = GUINT32_SWAP_LE_BE(DN_REC_MAGIC), "the other byte order");
    WRONG_HEAD(0, version = 2, "another version");
    WRONG_HEAD(0, state = 2, "contradicts itself");
    WRONG_HEAD(0, ranks = 0, "contradicts itself");
    WRONG_HEAD(0, rank = 2, "contradicts itself");
    WRONG_HEAD(0, stored_bytes = 1, "contradicts itself");
    WRONG_HEAD(0, checksum += 1, "sum is wrong");
    WRONG_HEAD(1, run = 98, "another run");
    WRONG_HEAD(1, ranks = 3, "another run, or of another number of ranks");
    WRONG_HEAD(2, number = 2, "block 2 of rank 1 where block 1 of rank 1 should be");
    WRONG_HEAD(0, rank = 1, "block 0 of rank 1 where block 0 of rank 0 should be");
    WRONG_HEAD(1, state = DN_REC_OPEN, "behind an open one");
}

/* Cut anywhere, a trace is an error: a block is not whole, or a rank is missing; but without rank
 * 1's second block it is that of a rank that was killed before the collective. */
static void test_truncated(void)
{
    Sample s;
    sample_make(&s);
    g_autoptr(GByteArray) file = sample_file(&s);
    guint whole = sizeof(DnRecBlock) * 2 + s.records[0]->len + s.records[1]->len;
    for (guint n = 0; n < file->len; n++) {
        GError *error = NULL;
        DnTrace *trace = open_bytes(file, n, &error);
        g_assert_true((trace != NULL) == (n == whole));
        if (trace == NULL)
            g_assert_nonnull(
                strstr(error->message, n > 0 ? "t.drn: byte " : "t.drn: the file is empty"));
        g_clear_error(&error);
        dn_trace_free(trace);
    }
    sample_clear(&s);
}

static void wrong_record(const guint64 *fields, guint operation, const char *says)
{
    Sample s;
    sample_make(&s);
    g_byte_array_set_size(s.records[0], 0);
    record_list(s.records[0], operation, 0, fields);
    s.heads[0] = head_of(0, 0, s.records[0]);
    expect_error(&s, says);
    sample_clear(&s);
}
#define WRONG_RECORD(says, operation, ...)                                                         \
    wrong_record((const guint64[]){__VA_ARGS__}, operation, says)

static void test_records(void)
{
    static const char range[] = "cut off or holds a number out of range";
    WRONG_RECORD("no operation has the number 0", 0, END);
    WRONG_RECORD("no operation has the number 100", 100, END);
    WRONG_RECORD(range, DN_REC_SEND, 0, Z(1), Z(0), 1, END);
    WRONG_RECORD(range, DN_REC_SEND, 0, Z(-3), Z(0), 1, 1, 0, END);
    WRONG_RECORD(range, DN_REC_SEND, 0, Z(1), Z(0), G_MAXUINT64 - 1, 8, 0, END);
    WRONG_RECORD(range, DN_REC_ISEND, G_MAXUINT32, 0, Z(1), Z(0), 1, 1, 0, END);
    WRONG_RECORD(range, DN_REC_COMPLETE, 77, 0, 0, END);
    WRONG_RECORD(range, DN_REC_COLLECTIVE, 99, 0, END);
    WRONG_RECORD(range, DN_REC_COLLECTIVE, DN_REC_ALLGATHERV, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1000, END);
    /* 2^60 elements of 110 bytes are more than 64 bits hold. */
    WRONG_RECORD(range, DN_REC_COLLECTIVE, DN_REC_ALLTOALLV, 0, 0, 0, 1, 110, 1, 8, 0, 1,
                 (guint64)1 << 60, 1, 1, END);
    WRONG_RECORD(range, DN_REC_COMM, 9, 0, 1, 0, 0, 0, END);
    WRONG_RECORD(range, DN_REC_UNMODELLED, 50, 'x', END);
    WRONG_RECORD("rank 0: send to any rank", DN_REC_SEND, 0, Z(DN_REC_ANY), Z(0), 1, 1, 0, END);
    WRONG_RECORD("rank 0: isend to any tag", DN_REC_ISEND, 0, 0, Z(1), Z(DN_REC_ANY), 1, 1, 0, END);
}

/* A scan and a reduce_scatter_block whose operations do not commute, an allreduce whose operation
 * does, an alltoall in place. */
static void test_form(void)
{
    static const struct {
        guint64 kind, flags;
        guint expected;
    } calls[] = {
        {DN_REC_SCAN, 0, DN_TRACE_ORDERED},
        {DN_REC_REDUCE_SCATTER_BLOCK, 0, DN_TRACE_ORDERED},
        {DN_REC_ALLREDUCE, DN_REC_UNORDERED, 0},
        {DN_REC_ALLTOALL, DN_REC_IN_PLACE, DN_TRACE_IN_PLACE},
    };
    GError *error = NULL;
    g_autoptr(GByteArray) file = g_byte_array_new();
    for (guint rank = 0; rank < 2; rank++) {
        g_autoptr(GByteArray) records = g_byte_array_new();
        record(records, DN_REC_BEGIN, 0, DN_REC_WALL, 0, 1, 'p', 1, 'm', END);
        for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
            record(records, DN_REC_COLLECTIVE, 0, calls[i].kind, 0, 0, 0, 2, 4, 2, 4,
                   calls[i].flags, END);
        record(records, DN_REC_END, 0, END);
        DnRecBlock head = head_of(rank, 0, records);
        darner_append(file, &head, records);
    }
    g_autoptr(DnTrace) trace = open_bytes(file, file->len, &error);
    g_assert_no_error(error);
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, 0);
    DnTraceOp op;
    g_assert_true(dn_trace_cursor_next(cursor, &op)); /* init */
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++) {
        g_assert_true(dn_trace_cursor_next(cursor, &op));
        g_assert_cmpuint(op.flags, ==, calls[i].expected);
    }
}

/* ---- random damage ---- */

/* Up to eight bytes of records changed, put in or taken out, and the sum made right again: so the
 * damage gets to what decodes the records. */
static void darner_damage(Sample *s, guint64 key)
{
    guint64 n = 0;
    guint changes = 1 + dn_draw_below(dn_draw(key, n++), 8);
    for (guint c = 0; c < changes; c++) {
        guint b = dn_draw_below(dn_draw(key, n++), 3);
        GByteArray *records = s->records[b];
        guint at = dn_draw_below(dn_draw(key, n++), MAX(1, records->len));
        guint8 byte = (guint8)dn_draw_below(dn_draw(key, n++), 256);
        switch (dn_draw_below(dn_draw(key, n++), 3)) {
        case 0:
            if (records->len > 0)
                records->data[at] = byte;
            break;
        case 1:
            g_byte_array_append(records, &byte, 1);
            memmove(records->data + at + 1, records->data + at, records->len - 1 - at);
            records->data[at] = byte;
            break;
        default:
            if (records->len > 0)
                g_byte_array_remove_index(records, at);
        }
        s->heads[b] = head_of(b > 0, b == 2, records);
    }
}

static void test_damage(void)
{
    guint good = 0;
    for (guint i = 0; i < ROUNDS; i++) {
        Sample s;
        g_autoptr(GError) error = NULL;
        sample_make(&s);
        darner_damage(&s, dn_draw_key(1, DN_DRAW_TEST, i));
        g_autoptr(GByteArray) file = sample_file(&s);
        DnTrace *trace = open_bytes(file, file->len, &error);
        g_assert_true((trace == NULL) == (error != NULL));
        good += trace != NULL;
        dn_trace_free(trace);
        sample_clear(&s);
    }
    /* Some damage is another trace as good; most is not. */
    g_assert_cmpuint(good, >, ROUNDS / 100);
    g_assert_cmpuint(good, <, ROUNDS / 2);
}

/* Large numbers in a small file: a request's, in each of 300 ranks, and of ranks in a head. Both
 * took time and memory by the number, not by the file: 6.8 CPU seconds; 2.6 and 1 GB. */
static void test_large_numbers(void)
{
    enum { RANKS = 300 };
    GError *error = NULL;
    g_autoptr(GByteArray) file = g_byte_array_new(), records = g_byte_array_new();
    record(records, DN_REC_ISEND, 0, (1 << 24) - 1, 0, Z(0), Z(0), 1, 1, DN_REC_STANDARD, END);
    clock_t begin = clock();
    for (guint32 rank = 0; rank < RANKS; rank++) {
        DnRecBlock head = head_of(rank, 0, records);
        head.ranks = RANKS;
        darner_append(file, &head, records);
    }
    g_autoptr(DnTrace) trace = open_bytes(file, file->len, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(trace->ops, ==, RANKS);
    DnRecBlock head = head_of(0, 0, records);
    head.ranks = 1 << 21;
    g_byte_array_set_size(file, 0);
    darner_append(file, &head, records);
    g_assert_null(open_bytes(file, file->len, &error));
    assert_message(error, "the file ends before rank 1");
    g_assert_cmpfloat((double)(clock() - begin) / CLOCKS_PER_SEC, <, 1.0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/darner/read", test_read_);
    g_test_add_func("/darner/pack", test_pack);
    g_test_add_func("/darner/killed", test_killed);
    g_test_add_func("/darner/form", test_form);
    g_test_add_func("/darner/heads", test_heads);
    g_test_add_func("/darner/truncated", test_truncated);
    g_test_add_func("/darner/records", test_records);
    g_test_add_func("/darner/damage", test_damage);
    g_test_add_func("/darner/large-numbers", test_large_numbers);
    return g_test_run();
}
