/* renamed_keys_cli_test.c - Keys under the names of the last release: read as ever, with a warning
 * that says where they stand and what they are called now. */
#include "commands/cli_test.h"

#include <string.h>

#define JOBS                                                                                       \
    "jobs:\n"                                                                                      \
    "  - workload: {type: pingpong, bytes: 8 B}\n"                                                 \
    "    iterations: {until: 5 %%, %s: 4}\n"                                                       \
    "  - {name: others, background: yes, %s: 4, workload: {type: ring, bytes: 1 kB}, ranks: 2,\n"  \
    "     placement: [2, 3]}\n"

static char *run_text(const char *min, const char *aggregation)
{
    return g_strdup_printf(CLI_SWITCH("2") JOBS, min, aggregation);
}

static guint count_of(const char *text, const char *word)
{
    guint n = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        n++;
    return n;
}

static void run_files(CliFolder *f)
{
    g_autofree char *old = run_text("least", "coarse");
    g_autofree char *now = run_text("min", "packet_aggregation");
    cli_write(f, "old.yaml", old);
    cli_write(f, "now.yaml", now);
}

static void test_same(CliFolder *f, gconstpointer unused)
{
    run_files(f);
    g_auto(CliAnswer) now = cli_run(f, "run", "now.yaml", "-o", "now");
    g_auto(CliAnswer) old = cli_run(f, "run", "old.yaml", "-o", "old");
    g_assert_cmpint(now.status, ==, 0);
    g_assert_cmpint(old.status, ==, 0);
    g_assert_null(strstr(now.err, "warning: the key"));
    g_assert_nonnull(strstr(old.err,
                            "old.yaml:14:30: warning: the key 'least' is now called 'min'; "
                            "the old name goes away with the next release\n"));
    g_assert_nonnull(strstr(
        old.err, "old.yaml:15:37: warning: the key 'coarse' is now called 'packet_aggregation'"));
    g_autofree char *results_now = cli_read(f, "now/results.csv");
    g_autofree char *results_old = cli_read(f, "old/results.csv");
    g_assert_nonnull(results_now);
    g_assert_cmpstr(results_old, ==, results_now);
}

/* However many points are read from one place, it is reported once. */
static void test_once(CliFolder *f, gconstpointer unused)
{
    g_autofree char *text = run_text("least", "packet_aggregation");
    g_autofree char *swept = g_strconcat(text, "sweep: {seed: [1, 2, 3]}\n", NULL);
    cli_write(f, "swept.yaml", swept);
    g_auto(CliAnswer) run = cli_run(f, "run", "swept.yaml");
    g_assert_cmpint(run.status, ==, 0);
    g_assert_cmpuint(count_of(run.err, "warning: the key 'least'"), ==, 1);
}

/* What is written last counts: --set, then the file, then what it includes. */
static void test_precedence(CliFolder *f, gconstpointer unused)
{
    run_files(f);
    g_auto(CliAnswer)
        set = cli_run(f, "run", "now.yaml", "--set", "jobs[0].iterations={until: 5 %, max: 40}",
                      "--set", "jobs[0].iterations.least=50");
    g_assert_cmpint(set.status, ==, 2);
    g_assert_nonnull(strstr(set.err, "max: 40 is less than `min`, 50"));
    g_auto(CliAnswer) over = cli_run(f, "run", "now.yaml", "--set", "jobs[1].coarse=65");
    g_assert_cmpint(over.status, ==, 2);
    g_assert_nonnull(strstr(over.err, "--set jobs[1].coarse: "));

    cli_write(f, "rest.yaml", "until: 5 %\nmin: 4\nmax: 40\n");
    cli_write(f, "with.yaml",
              CLI_SWITCH("2") "jobs:\n"
                              "  - workload: {type: pingpong, bytes: 8 B}\n"
                              "    iterations: {include: rest.yaml, least: 50}\n");
    g_auto(CliAnswer) included = cli_run(f, "run", "with.yaml");
    g_assert_cmpint(included.status, ==, 2);
    g_assert_nonnull(strstr(included.err, "max: 40 is less than `min`, 50"));

    cli_write(f, "both.yaml",
              CLI_SWITCH("2") "jobs:\n"
                              "  - workload: {type: pingpong, bytes: 8 B}\n"
                              "    iterations: {until: 5 %, min: 4, least: 5}\n");
    g_auto(CliAnswer) both = cli_run(f, "run", "both.yaml");
    g_assert_cmpint(both.status, ==, 2);
    g_assert_nonnull(strstr(both.err,
                            "both.yaml:14:38: 'min' is given under its old name 'least' as "
                            "well; allowed: one of them"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/renamed-keys/same", test_same);
    cli_test_add("/renamed-keys/once", test_once);
    cli_test_add("/renamed-keys/precedence", test_precedence);
    return g_test_run();
}
