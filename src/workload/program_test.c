/* program_test.c - streams by themselves: destinations, statistics and bad input. */
#include "workload/program.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"

static DnProgram *try_program(const char *yaml, guint32 ranks, guint64 seed, GError **error)
{
    g_autofree char *text = g_strdup_printf("workload: %s\n", yaml);
    g_autoptr(DnConfigNode) root = dn_config_parse(text, "test.yaml", error);
    g_assert_nonnull(root);
    return dn_program_new(dn_config_get(root, "workload"), ranks, 1, seed, error);
}

static DnProgram *program_of(const char *yaml, guint32 ranks, guint64 seed)
{
    g_autoptr(GError) error = NULL;
    DnProgram *program = try_program(yaml, ranks, seed, &error);
    g_assert_no_error(error);
    return program;
}

/* ---- permutations ---- */

/* Where each rank's one send goes; its own number when it sends nothing. Every receive is of a
 * rank that sends to it. */
static void program_targets(const DnProgram *program, guint32 *to)
{
    g_autofree guint32 *from = g_new(guint32, program->ranks);
    for (guint32 r = 0; r < program->ranks; r++) {
        DnCursor cursor = {0};
        DnOp op;
        to[r] = from[r] = r;
        for (;;) {
            dn_program_next(program, r, &cursor, &op);
            if (op.kind == DN_OP_SEND)
                to[r] = op.peer;
            else if (op.kind == DN_OP_RECV)
                from[r] = op.peer;
            else if (op.kind == DN_OP_END)
                break;
        }
    }
    for (guint32 r = 0; r < program->ranks; r++) {
        g_assert_cmpuint(from[to[r]], ==, r);
        g_assert_cmpuint(to[from[r]], ==, r);
    }
}

static void check_pattern(const char *more, guint32 n, const guint32 *expected)
{
    g_autofree char *yaml = g_strdup_printf("{type: permutation, bytes: 1 kB, %s}", more);
    g_autoptr(DnProgram) program = program_of(yaml, n, 1);
    g_autofree guint32 *to = g_new(guint32, n);
    guint moving = 0;
    program_targets(program, to);
    for (guint32 r = 0; r < n; r++) {
        g_assert_cmpuint(to[r], ==, expected[r]);
        moving += expected[r] != r;
    }
    g_assert_cmpfloat(program->type->bytes_moved(program), ==, 1000.0 * moving);
    g_assert_cmpfloat(program->type->goodput_bytes(program), ==, 1000.0);
}

/* Dally & Towles, table 3.1, by hand. */
static void test_permutations(void)
{
    check_pattern("pattern: shift, stride: 2", 5, (const guint32[]){2, 3, 4, 0, 1});
    check_pattern("pattern: neighbour", 4, (const guint32[]){1, 2, 3, 0});
    check_pattern("pattern: tornado", 8, (const guint32[]){3, 4, 5, 6, 7, 0, 1, 2});
    check_pattern("pattern: tornado, dims: [3, 3]", 9,
                  (const guint32[]){4, 5, 3, 7, 8, 6, 1, 2, 0});
    check_pattern("pattern: tornado, dims: [4, 2]", 8, (const guint32[]){1, 2, 3, 0, 5, 6, 7, 4});
    check_pattern("pattern: tornado", 5, (const guint32[]){2, 3, 4, 0, 1});
    check_pattern("pattern: bit_complement", 8, (const guint32[]){7, 6, 5, 4, 3, 2, 1, 0});
    check_pattern("pattern: bit_reverse", 8, (const guint32[]){0, 4, 2, 6, 1, 5, 3, 7});
    check_pattern("pattern: transpose", 9, (const guint32[]){0, 3, 6, 1, 4, 7, 2, 5, 8});
    check_pattern("pattern: group_shift, stride: 2", 6, (const guint32[]){2, 3, 4, 5, 0, 1});
}

/* A permutation for every seed; over 200 seeds of 100 ranks the mean number of fixed points is 1
 * with a standard deviation of 1 / sqrt(200) = 0.07; six of those are 0.42. */
static void test_random_permutation(void)
{
    guint fixed = 0;
    for (guint64 seed = 0; seed < 200; seed++) {
        guint32 to[100] = {0};
        g_autoptr(DnProgram)
            program = program_of("{type: permutation, bytes: 1 B, pattern: random}", 100, seed);
        program_targets(program, to);
        for (guint32 r = 0; r < 100; r++)
            fixed += to[r] == r;
    }
    g_assert_cmpfloat(fabs(fixed / 200.0 - 1), <, 0.42);
}

/* ---- open loop ---- */

typedef struct {
    double gap_sum, gap_squares;
    guint sends;
    guint to[64];
} Offered;

static Offered offered_of(const DnProgram *program, guint32 rank)
{
    Offered offered = {0};
    DnCursor cursor = {0};
    DnOp op = {.kind = DN_OP_END};
    for (dn_program_next(program, rank, &cursor, &op); op.kind != DN_OP_END;
         dn_program_next(program, rank, &cursor, &op)) {
        if (op.kind == DN_OP_SEND) {
            g_assert_cmpuint(op.flags, ==, DN_OP_ONE_SIDED);
            offered.sends++;
            offered.to[op.peer]++;
        } else if (op.kind == DN_OP_COMPUTE && offered.sends > 0) {
            offered.gap_sum += (double)op.duration_ps;
            offered.gap_squares += (double)op.duration_ps * (double)op.duration_ps;
        }
    }
    return offered;
}

/* 1,000 B at 30 % of 200 Gb/s: mean gap 133,333 ps. Over N = 99,999 exponential gaps the mean has a
 * relative standard deviation of 1 / sqrt(N) = 0.32 %, the variance (in units of the mean squared,
 * expected 1) of sqrt(8 / N) = 0.9 %; five of each. 63 destinations of 1,587 each, standard
 * deviation 39.5: within five, 198. */
static void test_uniform(void)
{
    g_autoptr(DnProgram) program = program_of(
        "{type: uniform, bytes: 1000 B, load: 30 %, rate: 200 Gb/s, messages: 100000}", 64, 7);
    const double mean_ps = 1000 * 8e12 / (0.3 * 200e9);
    for (guint32 rank = 0; rank < 64; rank += 21) {
        Offered offered = offered_of(program, rank);
        double n = offered.sends - 1;
        double mean = offered.gap_sum / n;
        double variance = offered.gap_squares / n - mean * mean;
        g_assert_cmpuint(offered.sends, ==, 100000);
        g_assert_cmpfloat(fabs(mean / mean_ps - 1), <, 0.016);
        g_assert_cmpfloat(fabs(variance / (mean_ps * mean_ps) - 1), <, 0.045);
        for (guint32 d = 0; d < 64; d++)
            if (d == rank)
                g_assert_cmpuint(offered.to[d], ==, 0);
            else
                g_assert_cmpuint(ABS((gint)offered.to[d] - 1587), <, 198);
    }
}

/* Bernoulli, 80 ns a slot, 30 %: gaps are whole slots, geometric from one: mean 1 / p, variance
 * (1 - p) / p^2. Of N = 9,999 gaps the mean has a standard deviation of sqrt(1 - p) / (p sqrt(N)) =
 * 0.028 slots; five of it. At load 1 there is no idle slot. */
static void test_bernoulli(void)
{
#define BERNOULLI "{type: uniform, bytes: 1 kB, rate: 100 Gb/s, arrivals: bernoulli, messages: "
    g_autoptr(DnProgram) program = program_of(BERNOULLI "10000, load: 0.3}", 64, 5);
    g_autoptr(DnProgram) full = program_of(BERNOULLI "10, load: 1}", 64, 5);
    DnCursor cursor = {0};
    DnOp op;
    double sum = 0;
    guint n = 0;
    for (dn_program_next(program, 9, &cursor, &op); op.kind != DN_OP_WAIT;
         dn_program_next(program, 9, &cursor, &op)) {
        if (op.kind != DN_OP_COMPUTE)
            continue;
        g_assert_cmpint(op.duration_ps % 80000, ==, 0);
        g_assert_cmpint(op.duration_ps, >=, n == 0 ? 0 : 80000);
        sum += n++ == 0 ? 0 : (double)op.duration_ps / 80000;
    }
    g_assert_cmpuint(n, ==, 10000);
    g_assert_cmpfloat(fabs(sum / 9999 - 1 / 0.3), <, 5 * 0.028);
    cursor = (DnCursor){0};
    for (guint i = 0; i < 20; i++) {
        dn_program_next(full, 9, &cursor, &op);
        if (op.kind == DN_OP_COMPUTE)
            g_assert_cmpint(op.duration_ps, ==, i == 0 ? 0 : 80000);
    }
}

/* Who measures stops the clock: after the last message comes another, its draws those it had. */
static void test_endless(void)
{
    g_autoptr(DnProgram) few = program_of(BERNOULLI "4, load: 0.3}", 64, 5);
    g_autoptr(DnProgram) endless = program_of(BERNOULLI "4, load: 0.3}", 64, 5);
    endless->endless = TRUE;
    DnCursor a = {0}, b = {0};
    DnOp x, y;
    for (guint i = 0; i < 8; i++) {
        dn_program_next(few, 1, &a, &x);
        dn_program_next(endless, 1, &b, &y);
        g_assert_cmpint(x.kind, ==, y.kind);
        g_assert_cmpint(x.duration_ps, ==, y.duration_ps);
        g_assert_cmpuint(x.peer, ==, y.peer);
    }
    dn_program_next(few, 1, &a, &x);
    g_assert_cmpint(x.kind, ==, DN_OP_WAIT);
    for (guint i = 0; i < 1000; i++) {
        dn_program_next(endless, 1, &b, &y);
        g_assert_cmpint(y.kind, ==, i % 2 ? DN_OP_SEND : DN_OP_COMPUTE);
    }
    g_assert_cmpfloat(endless->offered_bps, ==, 0.3 * 100e9);
    g_assert_cmpfloat(endless->rate_bps, ==, 100e9);
}

/* Start offsets are uniform within one mean gap (133,333 ps), different by rank and by seed. */
static void test_start_offsets(void)
{
    double sum = 0;
    DnOp ops[2];
    for (guint64 seed = 0; seed < 2; seed++) {
        g_autoptr(DnProgram) program =
            program_of("{type: uniform, bytes: 1000 B, load: 0.3, rate: 200 Gb/s}", 1000, seed);
        for (guint32 rank = 0; rank < 1000; rank++) {
            DnCursor cursor = {0};
            dn_program_next(program, rank, &cursor, &ops[seed]);
            g_assert_cmpint(ops[seed].kind, ==, DN_OP_COMPUTE);
            g_assert_cmpint(ops[seed].duration_ps, <=, 133334);
            sum += (double)ops[seed].duration_ps;
        }
    }
    g_assert_cmpint(ops[0].duration_ps, !=, ops[1].duration_ps);
    /* mean of 2,000: 66,667 with a standard deviation of 133,333 / sqrt(12 * 2000) = 861 */
    g_assert_cmpfloat(fabs(sum / 2000 - 66667), <, 5 * 861);
}

/* Kim et al.: every message of group g goes to a random place of group g + 1. */
static void test_open_group_shift(void)
{
    g_autoptr(DnProgram) program =
        program_of("{type: permutation, pattern: group_shift, stride: 16, bytes: 1 kB, load: 0.5, "
                   "rate: 100 Gb/s, messages: 1600}",
                   64, 3);
    Offered offered = offered_of(program, 50); /* group 3 -> group 0 */
    for (guint32 d = 0; d < 64; d++)           /* 100 each, standard deviation 9.7 */
        g_assert_true(d < 16 ? offered.to[d] > 50 && offered.to[d] < 150 : offered.to[d] == 0);
    g_assert_cmpfloat(program->type->bytes_moved(program), ==, 64 * 1600 * 1000.0);
}

/* Three quarters of them to any other rank instead: 1200 / 63 = 19 each, and 400 / 16 more in group
 * 0; standard deviations of 4.4 and 6.6. */
static void test_mixed_traffic(void)
{
    g_autoptr(DnProgram) program =
        program_of("{type: permutation, pattern: group_shift, stride: 16, bytes: 1 kB, load: 0.5, "
                   "rate: 100 Gb/s, messages: 1600, uniform_share: 75 %}",
                   64, 3);
    Offered offered = offered_of(program, 50);
    for (guint32 d = 0; d < 64; d++)
        if (d != 50)
            g_assert_cmpint(ABS((gint)offered.to[d] - (d < 16 ? 44 : 19)), <, d < 16 ? 27 : 19);
    g_assert_cmpuint(offered.to[50], ==, 0);
}

/* ---- sizes, names ---- */

static void test_alltoall_sizes(void)
{
    g_autoptr(DnProgram) pair = program_of("{type: alltoall, bytes: 1 kB}", 4, 1);
    g_assert_cmpfloat(pair->type->goodput_bytes(pair), ==, 3000);
    g_assert_cmpfloat(pair->type->bytes_moved(pair), ==, 12000);
    g_autoptr(DnProgram) rank = program_of("{type: alltoall, bytes: 1 kB, bytes_per: rank}", 4, 1);
    g_assert_cmpfloat(rank->type->goodput_bytes(rank), ==, 750);
    g_assert_cmpint(rank->bytes, ==, 1000);
}

static void test_reduce_scatter_sizes(void)
{
    g_autoptr(DnProgram) buffer = program_of("{type: reduce_scatter, bytes: 1 kB}", 4, 1);
    g_assert_cmpfloat(buffer->type->goodput_bytes(buffer), ==, 1000);
    g_autoptr(DnProgram)
        block = program_of("{type: reduce_scatter, bytes: 1 kB, bytes_per: block}", 4, 1);
    g_assert_cmpfloat(block->type->goodput_bytes(block), ==, 4000);
    g_assert_cmpint(block->bytes, ==, 1000);
}

/* Two of 16 ranks: goodput and the factors of bandwidths are those of two. */
static void test_communicator_sizes(void)
{
    static const struct {
        const char *type;
        double bytes;
    } rows[] = {{"allreduce", 1000}, {"reduce_scatter", 1000}, {"allgather", 2000},
                {"alltoall", 1000},  {"gather", 1000},         {"scatter", 1000}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *few =
            g_strdup_printf("{type: %s, bytes: 1 kB, communicator: [0, 9]}", rows[i].type);
        g_autofree char *all = g_strdup_printf("{type: %s, bytes: 1 kB}", rows[i].type);
        g_autoptr(DnProgram) program = program_of(few, 16, 1), whole = program_of(all, 16, 1);
        g_assert_cmpfloat(program->type->goodput_bytes(program), ==, rows[i].bytes);
        g_assert_cmpuint(program->communicator_ranks, ==, 2);
        g_assert_cmpuint(whole->communicator_ranks, ==, 16);
    }
    g_autoptr(DnProgram) other = program_of("{type: pingpong, bytes: 1 kB}", 16, 1);
    g_assert_cmpuint(other->communicator_ranks, ==, 0);
}

static char *write_file(const char *folder, const char *name, const char *text)
{
    char *path = g_build_filename(folder, name, NULL);
    g_autofree char *parent = g_path_get_dirname(path);
    g_assert_cmpint(g_mkdir_with_parents(parent, 0700), ==, 0);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    return path;
}

/* A name is looked for from the run file upward, and the nearest folder decides; a path is taken
 * from the run file's folder. */
static void test_files(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *root = g_dir_make_tmp("darner-program-XXXXXX", NULL);
    g_autofree char *near =
        write_file(root, "a/workloads/mine.yaml", "description: a test\ntype: ring\nbytes: 3 B\n");
    g_autofree char *run =
        write_file(root, "a/b/run.yaml", "x: mine\ny: ../workloads/mine.yaml\nz: mime\n");
    g_autoptr(DnConfigNode) node = dn_config_load(run, NULL, &error);
    g_assert_no_error(error);
    for (guint i = 0; i < 2; i++) {
        g_autoptr(DnProgram)
            program = dn_program_new(dn_config_get(node, i ? "y" : "x"), 2, 1, 1, &error);
        g_assert_no_error(error);
        g_assert_cmpstr(program->type->name, ==, "ring");
        g_assert_cmpint(program->bytes, ==, 3);
    }
    g_assert_null(dn_program_new(dn_config_get(node, "z"), 2, 1, 1, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_UNKNOWN);
    g_assert_nonnull(strstr(error->message, "run.yaml:3:4: "));
    g_assert_nonnull(strstr(error->message, "did you mean 'mine'"));
    const char *const gone[] = {near, run, "a/workloads", "a/b", "a", ""};
    for (guint i = 0; i < G_N_ELEMENTS(gone); i++) {
        g_autofree char *path = i < 2 ? g_strdup(gone[i]) : g_build_filename(root, gone[i], NULL);
        g_assert_cmpint(g_remove(path), ==, 0);
    }
}

/* Each file of workloads/ is a program of enough ranks. */
static void test_shipped(void)
{
    g_autoptr(GError) error = NULL;
    const char *root = g_getenv("DARNER_ROOT");
    g_assert_nonnull(root);
    g_autofree char *folder = g_build_filename(root, "workloads", NULL);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, &error);
    g_assert_no_error(error);
    guint found = 0;
    for (const char *name = g_dir_read_name(dir); name; name = g_dir_read_name(dir)) {
        if (!g_str_has_suffix(name, ".yaml"))
            continue;
        g_autofree char *stem = g_strndup(name, strlen(name) - 5);
        g_autoptr(DnProgram) program = try_program(stem, 64, 1, &error);
        g_assert_no_error(error);
        g_assert_nonnull(program);
        found++;
    }
    g_assert_cmpuint(found, >=, 8);
}

/* ---- bad input ---- */

static void expect_error(const char *yaml, guint32 ranks, DnError code, const char *in_message)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(try_program(yaml, ranks, 1, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    g_assert_true(g_str_has_prefix(error->message, "test.yaml:1:"));
    if (!strstr(error->message, in_message))
        g_error("'%s' lacks '%s'", error->message, in_message);
}

static void test_errors(void)
{
    expect_error("{type: alltoal, bytes: 1 B}", 4, DN_ERROR_UNKNOWN, "did you mean 'alltoall'");
    expect_error("{bytes: 1 B}", 4, DN_ERROR_MISSING, "type");
    expect_error("[1]", 4, DN_ERROR_TYPE, "");
    expect_error("{type: ring}", 4, DN_ERROR_MISSING, "bytes");
    expect_error("{type: ring, bytes: 1}", 4, DN_ERROR_UNIT, "");
    expect_error("{type: ring, bytse: 1 B}", 4, DN_ERROR_UNKNOWN, "bytes");
    expect_error("{type: ring, bytes: 1 B}", 1, DN_ERROR_RANGE, "at least 2 ranks");
    expect_error("{type: pingpong, bytes: 1 B, between: [0, 4]}", 4, DN_ERROR_RANGE, "0 to 3");
    expect_error("{type: pingpong, bytes: 1 B, between: [2, 2]}", 4, DN_ERROR_RANGE, "different");
    expect_error("{type: incast, bytes: 1 B, senders: 4}", 4, DN_ERROR_RANGE, "at most 3");
    expect_error("{type: outcast, bytes: 1 B, receivers: 4}", 4, DN_ERROR_RANGE, "at most 3");
    expect_error("{type: bidir, bytes: 1 B, pairs: 3}", 5, DN_ERROR_RANGE, "at most 2");
    expect_error("{type: disjoint, bytes: 1 B, pairs: 3}", 5, DN_ERROR_RANGE, "at most 2");
    expect_error("{type: flows, bytes: 1 B, flows: []}", 4, DN_ERROR_RANGE, "at least one");
    expect_error("{type: flows, bytes: 1 B, flows: 3}", 4, DN_ERROR_TYPE, "");
    expect_error("{type: flows, flows: [{src: 0, dst: 1, bytes: 1 B}, [1, 2]]}", 4,
                 DN_ERROR_MISSING, "flow 1 has no size");
    expect_error("{type: flows, bytes: 1 B, flows: [1, 2]}", 4, DN_ERROR_TYPE, "");
    expect_error("{type: flows, bytes: 1 B, flows: [[0, 1, 2]]}", 4, DN_ERROR_TYPE, "here are 3");
    expect_error("{type: flows, bytes: 1 B, flows: [[0, 4]]}", 4, DN_ERROR_RANGE, "0 to 3");
    expect_error("{type: flows, bytes: 1 B, flows: [[0, -1]]}", 4, DN_ERROR_RANGE, "");
    expect_error("{type: alltoall, bytes: 1 B, algorithm: brook}", 4, DN_ERROR_UNKNOWN, "bruck");
}

static void test_permutation_errors(void)
{
#define PERMUTATION "{type: permutation, bytes: 1 kB, pattern: "
    expect_error(PERMUTATION "shif}", 4, DN_ERROR_UNKNOWN, "shift");
    expect_error(PERMUTATION "shift, stride: 4}", 4, DN_ERROR_RANGE, "1 to ranks - 1 = 3");
    expect_error(PERMUTATION "shift, stride: 0}", 4, DN_ERROR_RANGE, "");
    expect_error(PERMUTATION "bit_reverse}", 6, DN_ERROR_RANGE, "power of two");
    expect_error(PERMUTATION "bit_complement}", 6, DN_ERROR_RANGE, "power of two");
    expect_error(PERMUTATION "transpose}", 6, DN_ERROR_RANGE, "square");
    expect_error(PERMUTATION "group_shift, stride: 4}", 6, DN_ERROR_RANGE, "divide");
    expect_error(PERMUTATION "group_shift, stride: 6}", 6, DN_ERROR_RANGE, "divide");
    expect_error(PERMUTATION "shift, uniform_share: 0.5}", 6, DN_ERROR_RANGE, "open loop");
    expect_error(PERMUTATION "neighbour, load: 0.5}", 6, DN_ERROR_MISSING, "rate");
    expect_error(PERMUTATION "neighbour, load: -1, rate: 1 Gb/s}", 6, DN_ERROR_RANGE, "");
    expect_error("{type: uniform, bytes: 1 kB, rate: 1 Gb/s}", 4, DN_ERROR_MISSING, "load");
    expect_error("{type: uniform, bytes: 1 kB, load: 0, rate: 1 Gb/s}", 4, DN_ERROR_RANGE, "load");
    expect_error("{type: uniform, bytes: 1 kB, load: 50 %}", 4, DN_ERROR_MISSING, "rate");
    expect_error("{type: uniform, bytes: 1 kB, load: 1.1, rate: 1 Gb/s}", 4, DN_ERROR_RANGE,
                 "test.yaml:1:46: load: '1.1' is out of range; allowed: 0 to 1");
    expect_error(PERMUTATION "tornado, dims: [3, 3]}", 6, DN_ERROR_RANGE, "job's 6 ranks");
    expect_error(PERMUTATION "tornado, dims: [65536, 65536, 65536]}", 6, DN_ERROR_RANGE, "6 ranks");
    expect_error(PERMUTATION "neighbour, dims: [3, 2]}", 6, DN_ERROR_RANGE, "pattern tornado");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/program/permutations", test_permutations);
    g_test_add_func("/program/random-permutation", test_random_permutation);
    g_test_add_func("/program/uniform", test_uniform);
    g_test_add_func("/program/bernoulli", test_bernoulli);
    g_test_add_func("/program/endless", test_endless);
    g_test_add_func("/program/start-offsets", test_start_offsets);
    g_test_add_func("/program/open-group-shift", test_open_group_shift);
    g_test_add_func("/program/alltoall-sizes", test_alltoall_sizes);
    g_test_add_func("/program/reduce-scatter-sizes", test_reduce_scatter_sizes);
    g_test_add_func("/program/communicator-sizes", test_communicator_sizes);
    g_test_add_func("/program/files", test_files);
    g_test_add_func("/program/shipped", test_shipped);
    g_test_add_func("/program/errors", test_errors);
    g_test_add_func("/program/mixed-traffic", test_mixed_traffic);
    g_test_add_func("/program/permutation-errors", test_permutation_errors);
    return g_test_run();
}
