/* mpi_cli_test.c - Tests of `mpirun -n N darner run`: the same results as of one process, what it
 * refuses, and its end when a process ends. Skipped where the program was built without MPI. */
#include "commands/cli_test.h"
#include <string.h>
#include <sys/wait.h>

/* A job and one in the background that ends with it, each on both switches. */
#define RUN                                                                                        \
    CLI_PAIR                                                                                       \
    "seed: 7\n"                                                                                    \
    "jobs:\n"                                                                                      \
    "  - {name: a, workload: {type: alltoall, bytes: 3000 B}, ranks: 4, placement: random,\n"      \
    "     iterations: 5}\n"                                                                        \
    "  - {name: b, workload: {type: alltoall, bytes: 2 KiB}, ranks: 4, background: yes}\n"

/* Runs `mpirun -n @n darner run @words`. */
static CliAnswer run_processes(const CliFolder *f, const char *n, const char *const *words)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    const char *const launcher[] = {"mpirun", "--oversubscribe", "-n", n, g_getenv("DARNER_BIN")};
    CliAnswer answer = {0};
    g_autoptr(GError) error = NULL;
    for (guint i = 0; i < G_N_ELEMENTS(launcher); i++)
        g_ptr_array_add(all, (gpointer)launcher[i]);
    for (; *words != NULL; words++)
        g_ptr_array_add(all, (gpointer)*words);
    g_ptr_array_add(all, NULL);
    g_assert_true(g_spawn_sync(f->dir, (char **)all->pdata, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                               &answer.out, &answer.err, &answer.status, &error));
    answer.status = WIFEXITED(answer.status) ? WEXITSTATUS(answer.status) : -1;
    return answer;
}
#define processes_run(folder, n, ...)                                                              \
    run_processes(folder, n, (const char *const[]){__VA_ARGS__, NULL})

/* How often @word stands in @text. */
static guint times_said(const char *text, const char *word)
{
    guint n = 0;
    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        n++;
    return n;
}

static void test_same(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml", RUN);
    g_auto(CliAnswer) alone = cli_run(f, "run", "run.yaml", "-o", "one", "--links", "0");
    cli_assert_silent(&alone);
    g_auto(CliAnswer)
        a = processes_run(f, "3", "run", "run.yaml", "-o", "three", "--links", "0", "-t", "2");
    cli_assert_silent(&a);
    g_assert_cmpint(a.status, ==, 0);
    cli_same_results(f, "one", "three");
}

/* All processes find it, one says it. */
static void test_wrong(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml", RUN "sed: 8\n");
    g_auto(CliAnswer) a = processes_run(f, "2", "run", "run.yaml", "-o", "out");
    g_assert_cmpint(a.status, ==, 2);
    g_assert_cmpuint(times_said(a.err, "unknown key"), ==, 1);
    g_assert_false(cli_exists(f, "out"));
}

/* What needs one process says so, once. */
static void test_refused(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml", RUN);
    g_auto(CliAnswer) timeline = processes_run(f, "2", "run", "run.yaml", "--timeline");
    g_assert_cmpint(timeline.status, ==, 2);
    g_assert_cmpuint(times_said(timeline.err, "--timeline and --jobs are for one process"), ==, 1);
    g_auto(CliAnswer) engine = processes_run(f, "2", "run", "run.yaml", "-s", "engine=flow");
    g_assert_cmpint(engine.status, ==, 2);
    g_assert_cmpuint(times_said(engine.err, "engine flow runs in one process, not in 2"), ==, 1);
    g_auto(CliAnswer) explain = processes_run(f, "2", "explain", "run.yaml");
    g_assert_cmpint(explain.status, ==, 2);
    g_assert_cmpuint(times_said(explain.err, "only `darner run` shares its work"), ==, 1);
    g_assert_false(cli_exists(f, "out"));
}

/* Only the first process writes: its error is the run's. */
static void test_unwritable(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml", RUN);
    g_auto(CliAnswer) a = processes_run(f, "2", "run", "run.yaml", "-o", "/dev/null/x");
    g_assert_cmpint(a.status, ==, 2);
    g_assert_cmpuint(times_said(a.err, "cannot write there"), ==, 1);
}

/* One process is killed: the others do not wait for it. */
static void test_killed(CliFolder *f, gconstpointer unused)
{
    const char *darner = g_getenv("DARNER_BIN");
    cli_write(f, "run.yaml", RUN);
    gint64 since_us = g_get_monotonic_time();
    g_auto(CliAnswer) a = processes_run(f, "1", "run", "run.yaml", "-s", "jobs[0].iterations=1e9",
                                        ":", "-n", "1", "timeout", "-s", "KILL", "2", darner, "run",
                                        "run.yaml", "-s", "jobs[0].iterations=1e9");
    g_assert_cmpint(a.status, !=, 0);
    g_assert_cmpint(g_get_monotonic_time() - since_us, <, 60 * G_USEC_PER_SEC);
    g_assert_false(cli_exists(f, "out/run/results.csv"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", TRUE);
    g_setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", TRUE);
    g_setenv("ASAN_OPTIONS", "detect_leaks=0", TRUE); /* Open MPI keeps what it allocates */
    if (g_strcmp0(g_getenv("DARNER_HAVE_MPI"), "yes") != 0) {
        g_test_skip("built without MPI");
        return g_test_run();
    }
    cli_test_add("/mpi-cli/same", test_same);
    cli_test_add("/mpi-cli/wrong", test_wrong);
    cli_test_add("/mpi-cli/refused", test_refused);
    cli_test_add("/mpi-cli/unwritable", test_unwritable);
    cli_test_add("/mpi-cli/killed", test_killed);
    return g_test_run();
}
