/* pattern_test.c - exchanges of applications: every send has its receive, and bytes go where the
 * definition says, on odd grids too. */
#include "workload/pattern_test.h"

/* Bytes by pair [from * n + to]; sends and receives agree on (from, to, tag, bytes) in number. */
static gint64 *pairs_of(const char *yaml, guint32 n, double *goodput)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = try_program(yaml, n, &error);
    g_assert_no_error(error);
    g_autoptr(GHashTable) open = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    gint64 *bytes = g_new0(gint64, n * n);
    double total = 0;
    for (guint32 r = 0; r < n; r++) {
        DnCursor cursor = {0};
        DnOp op;
        for (dn_program_next(program, r, &cursor, &op); op.kind != DN_OP_END;
             dn_program_next(program, r, &cursor, &op)) {
            gboolean send = op.kind == DN_OP_SEND;
            gint answers = op.flags & DN_OP_ONE_SIDED ? 0 : send ? 1 : -1;
            if (!send && op.kind != DN_OP_RECV)
                continue;
            guint32 from = send ? r : op.peer, to = send ? op.peer : r;
            g_assert_cmpuint(op.peer, <, n);
            g_assert_cmpuint(op.peer, !=, r);
            char *key = g_strdup_printf("%u %u %u %" G_GINT64_FORMAT, from, to, op.tag, op.bytes);
            gssize count = (gssize)g_hash_table_lookup(open, key) + answers;
            g_hash_table_insert(open, key, (gpointer)count);
            bytes[from * n + to] += send ? op.bytes : 0;
            total += send ? (double)op.bytes : 0;
        }
    }
    GHashTableIter iter;
    gpointer key, count;
    g_hash_table_iter_init(&iter, open);
    while (g_hash_table_iter_next(&iter, &key, &count))
        if (count != NULL)
            g_error("%s: unmatched: %s", yaml, (char *)key);
    g_assert_cmpfloat(program->type->bytes_moved(program), ==, total);
    *goodput = program->type->goodput_bytes(program);
    return bytes;
}

static gint64 row_sum(const gint64 *bytes, guint32 n, guint32 r)
{
    gint64 sum = 0;
    for (guint32 d = 0; d < n; d++)
        sum += bytes[r * n + d];
    return sum;
}

/* 3 x 4, 10 B faces, 1 B corners. Rank 5 is (1, 1): neighbours 1, 9, 4, 6, corners 0, 2, 8, 10.
 * Open: rank 0 has 1, 4 and the corner 5. Periodic: everyone sends 4 * 10 + 4; over the rim rank 0
 * reaches 8 and 3. */
static void test_halo_2d(void)
{
    double goodput;
    g_autofree gint64 *open =
        pairs_of("{type: halo, bytes: 10 B, diagonal_bytes: 1 B, grid: [3, 4], periodic: false, "
                 "neighbours: all}",
                 12, &goodput);
    static const guint32 faces[] = {1, 9, 4, 6}, corners[] = {0, 2, 8, 10};
    for (guint i = 0; i < 4; i++) {
        g_assert_cmpint(open[5 * 12 + faces[i]], ==, 10);
        g_assert_cmpint(open[5 * 12 + corners[i]], ==, 1);
    }
    g_assert_cmpint(row_sum(open, 12, 5), ==, 44);
    g_assert_cmpint(row_sum(open, 12, 0), ==, 21);
    g_assert_cmpfloat(goodput, ==, 44);
    g_autofree gint64 *closed =
        pairs_of("{type: halo, bytes: 10 B, diagonal_bytes: 1 B, grid: [3, 4], neighbours: all}",
                 12, &goodput);
    for (guint32 r = 0; r < 12; r++)
        g_assert_cmpint(row_sum(closed, 12, r), ==, 44);
    g_assert_cmpint(closed[8], ==, 10);
    g_assert_cmpint(closed[3], ==, 10);
}

/* A periodic dimension of 2 has the same neighbour on both sides: two messages; of 1: itself, no
 * message. Faces: 2 d messages; all: 3^d - 1. */
static void test_halo_grids(void)
{
    double goodput;
    g_autofree gint64 *two = pairs_of("{type: halo, bytes: 7 B, grid: [2, 1]}", 2, &goodput);
    g_assert_cmpint(two[1], ==, 14);
    g_autofree gint64 *cube =
        pairs_of("{type: halo, bytes: 1 B, grid: [3, 5, 3], neighbours: all}", 45, &goodput);
    g_assert_cmpint(row_sum(cube, 45, 17), ==, 26);
    g_autofree gint64 *four =
        pairs_of("{type: halo, bytes: 1 B, grid: [3, 3, 3, 2]}", 54, &goodput);
    g_assert_cmpint(row_sum(four, 54, 53), ==, 8);
    g_assert_cmpfloat(goodput, ==, 8);
    g_autofree gint64 *open =
        pairs_of("{type: halo, bytes: 1 B, grid: [5, 3, 3], periodic: false}", 45, &goodput);
    g_assert_cmpint(row_sum(open, 45, 0), ==, 3);
    g_assert_cmpint(row_sum(open, 45, 4), ==, 5); /* (0, 1, 1): one face on the rim */
}

/* A rank that is its own neighbour sends nothing to itself: goodput counts what the rank with the
 * most neighbours sends. Over a periodic dimension of 1 the corners are the ranks beside it. */
static void test_halo_goodput(void)
{
    static const struct {
        const char *keys;
        guint32 ranks, rank; /* one that sends most */
        double bytes;
    } rows[] = {
        {"grid: [1, 16]", 16, 8, 20},
        {"grid: [1, 16], neighbours: all", 16, 8, 24},
        {"grid: [1, 16], neighbours: all, periodic: false", 16, 8, 20},
        {"grid: [1, 1, 16], neighbours: all", 16, 8, 36},
        {"grid: [2, 2], periodic: false", 4, 0, 20},
        {"grid: [1]", 1, 0, 0},
        {"grid: [4, 4], neighbours: all", 16, 5, 44},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        double goodput;
        g_autofree char *yaml =
            g_strdup_printf("{type: halo, bytes: 10 B, diagonal_bytes: 1 B, %s}", rows[i].keys);
        g_autofree gint64 *bytes = pairs_of(yaml, rows[i].ranks, &goodput);
        g_assert_cmpfloat(goodput, ==, rows[i].bytes);
        g_assert_cmpint(row_sum(bytes, rows[i].ranks, rows[i].rank), ==, (gint64)rows[i].bytes);
    }
}

/* 5 x 3: in half of the 8 octants x goes either way, so each link along x or y carries 4 octants of
 * 6 blocks of 3 B either way. */
static void test_sweep(void)
{
    double goodput;
    g_autofree gint64 *bytes =
        pairs_of("{type: sweep, bytes: 3 B, grid: [5, 3], blocks: 6, compute: 1 us}", 15, &goodput);
    for (guint32 a = 0; a < 15; a++)
        for (guint32 b = 0; b < 15; b++) {
            gboolean neighbour = (a / 5 == b / 5 && (a + 1 == b || b + 1 == a)) || a + 5 == b ||
                                 b + 5 == a;
            g_assert_cmpint(bytes[a * 15 + b], ==, neighbour ? 4 * 6 * 3 : 0);
        }
    g_assert_cmpfloat(goodput, ==, 4 * 4 * 6 * 3);
}

static void test_bandwidth(void)
{
    double goodput;
    g_autofree gint64 *one = pairs_of("{type: bandwidth, bytes: 8 B, window: 5}", 7, &goodput);
    g_assert_cmpint(one[1], ==, 40);
    g_assert_cmpint(one[7], ==, 0); /* the answer is empty */
    g_assert_cmpfloat(goodput, ==, 40);
    g_autofree gint64 *all = pairs_of("{type: message_rate, bytes: 8 B, window: 5}", 7, &goodput);
    for (guint32 r = 0; r < 3; r++)
        g_assert_cmpint(all[r * 7 + r + 3], ==, 40);
    g_assert_cmpint(row_sum(all, 7, 6), ==, 0);
    g_assert_cmpfloat(goodput, ==, 120);
}

/* Rank r puts 4 times to r + 3; nobody receives. */
static void test_puts(void)
{
    double goodput;
    g_autofree gint64 *all = pairs_of("{type: puts, bytes: 64 B, words: 8, count: 4}", 7, &goodput);
    for (guint32 r = 0; r < 7; r++)
        g_assert_cmpint(row_sum(all, 7, r), ==, r < 3 ? 256 : 0);
    g_assert_cmpint(all[3], ==, 256);
    g_assert_cmpfloat(goodput, ==, 3 * 256);
}

/* 100 columns of 4 B: a row to either side, over the rim too, whether put as 3 warps of 32 words
 * and one of 4 or as 3 parts of 33, 33 and 34. The barrier is empty. */
static void test_jacobi(void)
{
    double goodput;
    static const char *const forms[] = {"{type: jacobi, columns: 100, put: words}",
                                        "{type: jacobi, columns: 100, puts_per_row: 3}"};
    for (guint i = 0; i < 2; i++) {
        g_autofree gint64 *all = pairs_of(forms[i], 5, &goodput);
        for (guint32 r = 0; r < 5; r++) {
            g_assert_cmpint(all[r * 5 + (r + 1) % 5], ==, 400);
            g_assert_cmpint(all[r * 5 + (r + 4) % 5], ==, 400);
            g_assert_cmpint(row_sum(all, 5, r), ==, 800);
        }
        g_assert_cmpfloat(goodput, ==, 800);
        g_autofree gint64 *two = pairs_of(forms[i], 2, &goodput);
        g_assert_cmpint(two[1], ==, 800);
    }
}

/* Operations of @kind that rank 0 of @n does, and those of them after the last wait. */
static guint count_ops(const char *yaml, guint32 n, DnOpKind kind, guint *behind)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = try_program(yaml, n, &error);
    g_assert_no_error(error);
    DnCursor cursor = {0};
    DnOp op;
    guint count = 0;
    *behind = 0;
    for (dn_program_next(program, 0, &cursor, &op); op.kind != DN_OP_END;
         dn_program_next(program, 0, &cursor, &op)) {
        count += op.kind == kind;
        *behind = op.kind == DN_OP_WAIT ? 0 : *behind + (op.kind == kind);
    }
    return count;
}

/* For each of the eight neighbours once before and once after; a copy each in a ping-pong. */
static void test_pack(void)
{
    guint behind, n;
    const char *halo = "{type: halo, bytes: 8 B, grid: [3, 3], neighbours: all, pack: 1 us}";
    n = count_ops(halo, 9, DN_OP_COMPUTE, &behind);
    g_assert_cmpuint(n, ==, 16);
    g_assert_cmpuint(behind, ==, 8);
    n = count_ops(halo, 9, DN_OP_SEND, &behind);
    g_assert_cmpuint(n, ==, 8);
    const char *bare = "{type: halo, bytes: 8 B, grid: [3, 3], neighbours: all}";
    n = count_ops(bare, 9, DN_OP_COMPUTE, &behind);
    g_assert_cmpuint(n, ==, 0);
    const char *pingpong = "{type: pingpong, bytes: 8 B, pack: true}";
    n = count_ops(pingpong, 2, DN_OP_COPY, &behind);
    g_assert_cmpuint(n, ==, 2);
    g_assert_cmpuint(behind, ==, 1);
}

/* 3 rows of 5, 150 B a rank: 30 B to each of the row, 50 B to each of the column. */
static void test_fft(void)
{
    double goodput;
    g_autofree gint64 *bytes =
        pairs_of("{type: fft, bytes: 150 B, grid: [3, 5], compute: 1 us}", 15, &goodput);
    for (guint32 a = 0; a < 15; a++)
        for (guint32 b = 0; b < 15; b++)
            g_assert_cmpint(bytes[a * 15 + b], ==,
                            a == b           ? 0
                            : a / 5 == b / 5 ? 30
                            : a % 5 == b % 5 ? 50
                                             : 0);
    g_assert_cmpfloat(goodput, ==, 4 * 30 + 2 * 50);
}

/* 2 tensor x 3 data x 2 stages, 4 microbatches, 12 B activations, 60 B gradients. Tensor
 * neighbours: rings of 2 move 12 B each (2 steps of 6 B), 2 of them a pass, 8 passes: 192 B. Stages
 * (rank +- 6): 4 x 12 B each way. Gradients around 3 ranks: 4 steps of 20 B to the next. */
static void test_ml_step(void)
{
    double goodput;
    g_autofree gint64 *bytes = pairs_of("{type: ml_step, bytes: 60 B, activation_bytes: 12 B, "
                                        "tensor: 2, pipeline: 2, microbatches: 4, forward: 1 us}",
                                        12, &goodput);
    for (guint32 a = 0; a < 12; a++)
        for (guint32 b = 0; b < 12; b++) {
            gint64 expected = 0;
            if (a != b && a / 2 == b / 2)
                expected = 192;
            else if (a + 6 == b || b + 6 == a)
                expected = 48;
            else if (a / 6 == b / 6 && a % 2 == b % 2 && (a % 6 / 2 + 1) % 3 == b % 6 / 2)
                expected = 80;
            g_assert_cmpint(bytes[a * 12 + b], ==, expected);
        }
    g_assert_cmpfloat(goodput, ==, 60);
}

/* One replica has nobody to combine gradients with. */
static void test_ml_step_alone(void)
{
    double goodput;
    g_autofree gint64 *bytes =
        pairs_of("{type: ml_step, bytes: 60 B, tensor: 4, pipeline: 4}", 16, &goodput);
    for (guint32 r = 0; r < 16; r++)
        g_assert_cmpint(row_sum(bytes, 16, r), ==, 0);
    g_assert_cmpfloat(goodput, ==, 0);
}

static void expect_error(const char *yaml, guint32 ranks, const char *in_message)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(try_program(yaml, ranks, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_true(g_str_has_prefix(error->message, "test.yaml:1:"));
    g_assert_nonnull(strstr(error->message, in_message));
}

static void test_errors(void)
{
    expect_error("{type: puts, bytes: 9 B, words: 2}", 2, "do not divide");
    expect_error("{type: puts, bytes: 8 B, pairs: 2}", 3, "at most 1 pairs");
    expect_error("{type: jacobi, columns: 4, puts_per_row: 5}", 2, "5 parts of 4");
    expect_error("{type: halo, bytes: 1 B, grid: [3, 4]}", 11, "job's 11 ranks");
    expect_error("{type: halo, bytes: 1 B, grid: []}", 1, "1 to 4 dimensions");
    expect_error("{type: halo, bytes: 1 B, grid: [1, 1, 1, 1, 4]}", 4, "1 to 4 dimensions");
    expect_error("{type: halo, bytes: 1 B, grid: [-2, -2]}", 4, "grid");
    expect_error("{type: sweep, bytes: 1 B, grid: [3, 4]}", 11, "job's 11 ranks");
    expect_error("{type: sweep, bytes: 1 B, grid: [12]}", 12, "columns, rows");
    expect_error("{type: fft, bytes: 1 B, grid: [3, 4]}", 11, "job's 11 ranks");
    expect_error("{type: bandwidth, bytes: 1 B, pairs: 3}", 5, "at most 2 pairs");
    expect_error("{type: ml_step, bytes: 1 B, tensor: 3}", 8, "does not divide");
}

/* A rank's operations: R receive, S send, W wait. */
static char *pattern_operations(const char *yaml, guint32 ranks, guint32 rank)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnProgram) program = try_program(yaml, ranks, &error);
    g_assert_no_error(error);
    GString *text = g_string_new(NULL);
    DnCursor cursor = {0};
    DnOp op;
    for (dn_program_next(program, rank, &cursor, &op); op.kind != DN_OP_END;
         dn_program_next(program, rank, &cursor, &op)) {
        if (op.kind == DN_OP_MARK)
            continue;
        g_assert_true(op.kind == DN_OP_RECV || op.kind == DN_OP_SEND || op.kind == DN_OP_WAIT);
        g_string_append_c(text, op.kind == DN_OP_RECV ? 'R' : op.kind == DN_OP_SEND ? 'S' : 'W');
    }
    return g_string_free(text, FALSE);
}

/* Four senders: the root of `at_once: 3` waits after three receives, and for the last one; of
 * `at_once: 2` after each two, and then for none. Five ranks meet in three rounds, 1, 2 and 4
 * apart, each a message to one and from another; in all 4 messages and 3 * 5 without bytes. */
static void test_incast(void)
{
    static const struct {
        const char *yaml;
        guint32 rank;
        const char *operations;
    } cases[] = {
        {"{type: incast, bytes: 8 B}", 0, "RRRRW"},
        {"{type: incast, bytes: 8 B, at_once: 3}", 0, "RRRWRW"},
        {"{type: incast, bytes: 8 B, at_once: 2}", 0, "RRWRRWW"},
        {"{type: incast, bytes: 8 B, at_once: 1, senders: 2}", 0, "RWRWW"},
        {"{type: incast, bytes: 8 B, at_once: 1}", 4, "SW"},
        {"{type: incast, bytes: 8 B, senders: 2}", 4, ""},
        {"{type: incast, bytes: 8 B, barrier: yes}", 0, "RRRRWRSWRSWRSW"},
        {"{type: incast, bytes: 8 B, senders: 2, barrier: yes}", 4, "WRSWRSWRSW"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *found = pattern_operations(cases[i].yaml, 5, cases[i].rank);
        g_assert_cmpstr(found, ==, cases[i].operations);
    }
    double goodput;
    g_autofree gint64 *bytes =
        pairs_of("{type: incast, bytes: 8 B, at_once: 1, barrier: yes}", 5, &goodput);
    g_assert_cmpfloat(goodput, ==, 32);
    for (guint32 from = 0; from < 5; from++)
        g_assert_cmpint(row_sum(bytes, 5, from), ==, from == 0 ? 0 : 8);
    g_autoptr(GError) error = NULL;
    g_assert_null(try_program("{type: incast, bytes: 8 B, senders: 2, at_once: 3}", 5, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_nonnull(strstr(error->message, "at most 2 at_once"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pattern/halo-2d", test_halo_2d);
    g_test_add_func("/pattern/halo-grids", test_halo_grids);
    g_test_add_func("/pattern/halo-goodput", test_halo_goodput);
    g_test_add_func("/pattern/sweep", test_sweep);
    g_test_add_func("/pattern/bandwidth", test_bandwidth);
    g_test_add_func("/pattern/puts", test_puts);
    g_test_add_func("/pattern/jacobi", test_jacobi);
    g_test_add_func("/pattern/pack", test_pack);
    g_test_add_func("/pattern/fft", test_fft);
    g_test_add_func("/pattern/ml-step", test_ml_step);
    g_test_add_func("/pattern/ml-step-alone", test_ml_step_alone);
    g_test_add_func("/pattern/incast", test_incast);
    g_test_add_func("/pattern/errors", test_errors);
    return g_test_run();
}
