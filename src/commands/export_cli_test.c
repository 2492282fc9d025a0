/* export_cli_test.c - a run by SimGrid's own MPI against engine flow: the same platform, ranks and
 * messages, replayed by somebody else's matching and waiting. */
#include "commands/cli_test.h"

#include <string.h>

/* What smpirun says, or 0 where there is none. */
static double smpirun_us(const CliFolder *f, const char *ranks)
{
    g_autofree char *smpirun = g_find_program_in_path("smpirun"), *out = NULL, *err = NULL;
    g_autoptr(GError) error = NULL;
    const char *argv[] = {smpirun,
                          "-np",
                          ranks,
                          "-hostfile",
                          "ex/hosts.txt",
                          "-platform",
                          "ex/platform.xml",
                          "-replay",
                          "ex/replay.txt",
                          "--cfg=network/model:CM02",
                          "--cfg=network/crosstraffic:no",
                          "--cfg=network/TCP-gamma:0",
                          "--cfg=smpi/bw-factor:0:1",
                          "--cfg=smpi/lat-factor:0:1",
                          "--cfg=smpi/host-speed:1Gf",
                          NULL};
    if (smpirun == NULL)
        return 0.0;
    gint status;
    g_spawn_sync(f->dir, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, &status,
                 &error);
    g_assert_no_error(error);
    const char *said = strstr(err, "Simulation time ");
    if (said == NULL)
        g_error("smpirun: %s%s", out, err);
    return 1e6 * g_ascii_strtod(said + strlen("Simulation time "), NULL);
}

/* The time in the only row of results.csv. */
static double flow_us(const CliFolder *f)
{
    g_autofree char *csv = cli_read(f, "out/results.csv");
    g_auto(GStrv) lines = g_strsplit(csv, "\n", -1);
    g_auto(GStrv) names = g_strsplit(lines[0], ",", -1), cells = g_strsplit(lines[1], ",", -1);
    for (guint i = 0; names[i] != NULL; i++)
        if (g_str_equal(names[i], "time_mean_s"))
            return 1e6 * g_ascii_strtod(cells[i], NULL);
    g_error("no time in: %s", csv);
}

/* Within 2 %: smpirun counts whole us of some 2 ms, and CM02 leans to short routes where they share
 * a link with long ones. */
static void test_same_time(CliFolder *f, gconstpointer unused)
{
    static const char *const workloads[] = {
        "{type: alltoall, algorithm: linear, bytes: 4 MiB}",
        "{type: allreduce, algorithm: ring, bytes: 64 MiB}",
        "{type: allreduce, algorithm: rabenseifner, bytes: 64 MiB}",
        "{type: bcast, algorithm: binomial, bytes: 16 MiB}", "{type: ring, bytes: 64 MiB}"};
    for (guint i = 0; i < G_N_ELEMENTS(workloads); i++) {
        g_autofree char *text = g_strdup_printf("machine: leonardo\nnodes: 2\nengine: flow\njobs:\n"
                                                "  - {name: a, mechanism: direct, workload: %s}\n",
                                                workloads[i]);
        cli_write(f, "run.yaml", text);
        g_auto(CliAnswer) export = cli_run(f, "export", "run.yaml", "-o", "ex");
        g_assert_cmpint(export.status, ==, 0);
        g_assert_nonnull(strstr(export.out, "smpirun -np 8 -hostfile ex/hosts.txt"));
        g_auto(CliAnswer) run = cli_run(f, "run", "run.yaml", "-o", "out");
        g_assert_cmpint(run.status, ==, 0);
        double theirs = smpirun_us(f, "8"), ours = flow_us(f);
        if (theirs <= 0.0) {
            g_test_skip("no smpirun here");
            return;
        }
        g_test_message("%s: flow %.1f us, smpirun %.1f us", workloads[i], ours, theirs);
        if (ours < 0.98 * theirs || ours > 1.02 * theirs)
            g_error("%s: flow %.1f us, smpirun %.1f us", workloads[i], ours, theirs);
    }
}

static void export_fails(CliFolder *f, const char *const *words, const char *said)
{
    g_auto(CliAnswer) a = cli_run_words(f, words);
    if (a.status != 2 || strstr(a.err, said) == NULL || a.out[0] != '\0')
        g_error("status %d, wanted '%s', said: %s%s", a.status, said, a.out, a.err);
    g_assert_false(cli_exists(f, "ex"));
}
#define FAILS(message, ...)                                                                        \
    export_fails(f, (const char *const[]){"export", __VA_ARGS__, NULL}, message)

static void test_errors(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml", "machine: h200x4\njobs:\n  - workload: {type: ring, bytes: 1 MiB}\n");
    cli_write(f, "two.yaml",
              "machine: alps\nnodes: 4\njobs:\n"
              "  - {ranks: 4, workload: {type: ring, bytes: 1 MiB}}\n"
              "  - {ranks: 4, workload: {type: ring, bytes: 1 MiB}}\n");
    FAILS("no --output; usage: darner export RUN.yaml -o FOLDER", "run.yaml");
    FAILS("one run file is wanted", "-o", "ex");
    FAILS("two.yaml:4:3: 2 jobs; a trace is of one", "two.yaml", "-o", "ex");
    FAILS("unknown key 'bites'; did you mean 'bytes'?", "run.yaml", "-o", "ex", "-s",
          "jobs[0].workload={type: ring, bites: 1}");
    FAILS("at most 512", "run.yaml", "-o", "ex", "-s", "machine=dragonfly-1056");
    FAILS("--output: cannot make the folder", "run.yaml", "-o", "run.yaml/x");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/export/same_time", test_same_time);
    cli_test_add("/export/errors", test_errors);
    return g_test_run();
}
