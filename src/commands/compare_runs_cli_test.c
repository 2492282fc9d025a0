/* compare_runs_cli_test.c - `darner compare-runs` through the program: equal runs do not differ,
 * unequal ones do, and by as much as they do. */
#include "commands/cli_test.h"
#include "base/csv.h"
#include <string.h>

#define RUN(neighbour)                                                                             \
    "repeat: 8\n" CLI_PAIR "jobs:\n"                                                               \
    "  - {name: a, workload: {type: pingpong, bytes: 16 KiB}, placement: [0, 5], iterations: 4}\n" \
    "  - {name: back, background: true, workload: {type: uniform, bytes: 16 KiB, load: " neighbour \
    ", rate: 80 Gb/s}, placement: [4, 1, 2, 6]}\n"

static double cell_of(const char *text, const char *name)
{
    GError *error = NULL;
    double value = 0.0;
    g_autoptr(DnCsv) csv = dn_csv_parse(text, "c.csv", &error);
    g_assert_no_error(error);
    g_assert_cmpuint(csv->rows->len, ==, 1);
    int column = dn_csv_column(csv, name);
    g_assert_cmpint(column, >=, 0);
    g_assert_true(dn_csv_read_number(csv, csv->rows->pdata[0], (guint)column, &value, &error));
    return value;
}

static void run_to(const CliFolder *f, const char *file, const char *text, const char *dir,
                   const char *option)
{
    cli_write(f, file, text);
    g_auto(CliAnswer) ran = cli_run(f, "run", file, "-o", dir, option);
    cli_assert_silent(&ran);
    g_assert_cmpint(ran.status, ==, 0);
}

static void test_compare(CliFolder *f, gconstpointer unused)
{
    run_to(f, "low.yaml", RUN("0.3"), "low", "--quiet");
    run_to(f, "again.yaml", RUN("0.3"), "again", "--compress");
    run_to(f, "high.yaml", RUN("0.8"), "high", "--quiet");
    g_assert_true(cli_exists(f, "again/samples.csv.gz") && !cli_exists(f, "again/samples.csv"));
    g_auto(CliAnswer) same = cli_run(f, "compare-runs", "low", "again", "--csv", "same.csv");
    g_assert_cmpint(same.status, ==, 0);
    g_autofree char *rows = cli_read(f, "same.csv");
    g_assert_cmpfloat(cell_of(rows, "difference_s"), ==, 0.0);
    g_assert_cmpfloat(cell_of(rows, "mann_whitney_p"), ==, 1.0);
    g_assert_cmpfloat(cell_of(rows, "units_a"), ==, 8.0);
    g_assert_cmpfloat(cell_of(rows, "samples_b"), ==, 32.0);
    g_auto(CliAnswer) other = cli_run(f, "compare-runs", "low", "high", "--csv", "other.csv");
    g_assert_cmpint(other.status, ==, 0);
    g_assert_nonnull(strstr(other.out, "1 of 1 differ"));
    g_autofree char *apart = cli_read(f, "other.csv");
    g_assert_cmpfloat(cell_of(apart, "ci_low_s"), >, 0.0);
    g_assert_cmpfloat(cell_of(apart, "mann_whitney_p"), <, 0.01);
    g_assert_cmpfloat(cell_of(apart, "permutation_p"), <, 0.01);
}

/* A sweep over the seed, which is a column of its own in samples.csv too. */
static void test_seeds(CliFolder *f, gconstpointer unused)
{
    run_to(f, "seeds.yaml", RUN("0.3") "sweep: {seed: [1, 2]}\n", "seeds", "--quiet");
    g_auto(CliAnswer) same = cli_run(f, "compare-runs", "seeds", "seeds");
    g_assert_cmpint(same.status, ==, 0);
    g_assert_nonnull(strstr(same.out, "0 of 2 differ"));
}

static void test_refused(CliFolder *f, gconstpointer unused)
{
    run_to(f, "low.yaml", RUN("0.3"), "low", "--quiet");
    run_to(f, "x.yaml", CLI_PAIR "jobs:\n  - {name: x, workload: {type: pingpong, bytes: 1 KiB}}\n",
           "x", "--quiet");
    g_auto(CliAnswer) none = cli_run(f, "compare-runs", "low", "nosuch");
    g_assert_cmpint(none.status, ==, 2);
    g_assert_nonnull(strstr(none.err, "nosuch/samples.csv"));
    g_auto(CliAnswer) apart = cli_run(f, "compare-runs", "low", "x");
    g_assert_cmpint(apart.status, ==, 2);
    g_assert_nonnull(strstr(apart.err, "no job at equal swept values in common"));
    g_auto(CliAnswer) one = cli_run(f, "compare-runs", "low");
    g_assert_cmpint(one.status, ==, 2);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/compare_runs/compare", test_compare);
    cli_test_add("/compare_runs/seeds", test_seeds);
    cli_test_add("/compare_runs/refused", test_refused);
    return g_test_run();
}
