/* resume_cli_test.c - Tests of `darner run --jobs` and of going on with a run that was cut: the
 * same bytes as a run in one go, and no point simulated twice. */
#include "commands/cli_test.h"
#include "experiment/point_store.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

/* Points of some milliseconds. */
#define RUN                                                                                        \
    "machine: h200x4\n"                                                                            \
    "jobs: [{name: a, workload: {type: alltoall, bytes: 256 KiB}, mechanism: d2d}]\n"              \
    "sweep: {\"jobs[0].workload.bytes\": [256 KiB, 1 MiB], "
#define SEEDS RUN "seed: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]}\n"
#define POINTS 40

/* The table on standard output names its folder. */
static void same_output(const char *out, const char *a, const char *again, const char *b)
{
    g_autofree char *from = g_strdup_printf("written: %s/", a);
    g_autofree char *to = g_strdup_printf("written: %s/", b);
    g_auto(GStrv) parts = g_strsplit(out, from, -1);
    g_autofree char *renamed = g_strjoinv(to, parts);
    g_assert_cmpstr(renamed, ==, again);
}

static void test_jobs(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml", SEEDS);
    g_auto(CliAnswer) one = cli_run(f, "run", "run.yaml", "-o", "one");
    cli_assert_silent(&one);
    for (guint jobs = 2; jobs <= 4; jobs += 2) {
        g_autofree char *option = g_strdup_printf("--jobs=%u", jobs);
        g_auto(CliAnswer) more = cli_run(f, "run", "run.yaml", "-o", "more", option);
        cli_assert_silent(&more);
        g_assert_cmpint(more.status, ==, 0);
        cli_same_results(f, "one", "more");
        same_output(one.out, "one", more.out, "more");
    }
}

static void test_timelines(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml", RUN "seed: [1, 2]}\n");
    g_auto(CliAnswer) one = cli_run(f, "run", "run.yaml", "-o", "one", "--timeline");
    g_auto(CliAnswer) two = cli_run(f, "run", "run.yaml", "-o", "two", "--timeline", "--jobs=2");
    g_assert_cmpint(one.status | two.status, ==, 0);
    g_autofree char *a = cli_read(f, "one/timeline-3.json");
    g_autofree char *b = cli_read(f, "two/timeline-3.json");
    g_assert_nonnull(a);
    g_assert_cmpstr(a, ==, b);
}

/* The point that fails is the same, and so are those before it. */
static void test_failure(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml",
              CLI_PAIR "jobs: [{name: a, workload: {type: pingpong, bytes: 1 KiB}, ranks: 2}]\n"
                       "sweep: {\"packet.max_memory\": [1 GiB, 1 GiB, 1 GiB, 1 GiB, 4 MiB],\n"
                       "        \"jobs[0].workload.bytes\": [1 KiB, 1 GiB]}\n");
    g_auto(CliAnswer) one = cli_run(f, "run", "run.yaml", "-o", "one");
    g_auto(CliAnswer) two = cli_run(f, "run", "run.yaml", "-o", "two", "--jobs=3");
    g_assert_cmpint(one.status, ==, two.status);
}

/* Fewer points than jobs: repetitions are done at once, and pooled in their order. */
static void test_repetitions(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml",
              CLI_PAIR "repeat: 15\nslowdown: yes\njobs:\n"
                       "  - {name: a, workload: {type: alltoall, bytes: 8 KiB}, iterations: 3,\n"
                       "     ranks: 4, placement: random}\n"
                       "  - {name: b, workload: {type: alltoall, bytes: 64 KiB}, iterations: 2,\n"
                       "     ranks: 4, placement: random}\n"
                       "sweep: {seed: [1, 20]}\n");
    g_auto(CliAnswer) one = cli_run(f, "run", "run.yaml", "-o", "one");
    g_auto(CliAnswer) six = cli_run(f, "run", "run.yaml", "-o", "six", "--jobs=6");
    cli_assert_silent(&one);
    cli_assert_silent(&six);
    g_assert_cmpint(one.status | six.status, ==, 0);
    cli_same_results(f, "one", "six");
    g_autofree char *samples = cli_read(f, "one/samples.csv");
    g_autofree char *again = cli_read(f, "six/samples.csv");
    g_assert_nonnull(samples);
    g_assert_cmpstr(samples, ==, again);
}

/* Starts a run in out/, waits for @rows rows of @file, and sends @number. */
static void run_and_signal_at(const CliFolder *f, const char *jobs, const char *file, guint rows,
                              int number)
{
    const char *words[] = {g_getenv("DARNER_BIN"), "run", "run.yaml", "-o", "out", jobs, NULL};
    g_autoptr(GError) error = NULL;
    GPid pid;
    int wait_status = 0;
    g_spawn_async(f->dir, (char **)words, NULL,
                  G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL |
                      G_SPAWN_STDERR_TO_DEV_NULL,
                  NULL, NULL, &pid, &error);
    g_assert_no_error(error);
    for (guint lines = 0; lines <= rows;) {
        g_autofree char *text = cli_read(f, file);
        lines = 0;
        for (const char *p = text; p != NULL && (p = strchr(p, '\n')) != NULL; p++)
            lines++;
        if (waitpid(pid, &wait_status, WNOHANG) == pid)
            return; /* it was faster */
        g_usleep(500);
    }
    g_assert_cmpint(kill(pid, number), ==, 0);
    g_assert_cmpint(waitpid(pid, &wait_status, 0), ==, pid);
}

static void run_and_signal(const CliFolder *f, const char *jobs, guint rows, int number)
{
    run_and_signal_at(f, jobs, "out/unfinished/results.csv", rows, number);
}

/* Cut four times, each time in another manner: the rest is done, and the bytes are those of one go.
 * What was done does not run again: the number of records grows by each point once. */
static void test_resume(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml", SEEDS);
    g_auto(CliAnswer) one = cli_run(f, "run", "run.yaml", "-o", "one");
    g_assert_cmpint(one.status, ==, 0);
    run_and_signal(f, "--jobs=1", 3, SIGKILL);
    run_and_signal(f, "--jobs=2", 8, SIGINT);
    run_and_signal(f, "--jobs=2", 14, SIGKILL);
    run_and_signal(f, "--jobs=1", 20, SIGTERM);
    g_auto(CliAnswer) rest = cli_run(f, "run", "run.yaml", "-o", "out", "--jobs=2");
    g_assert_cmpint(rest.status, ==, 0);
    cli_same_results(f, "one", "out");
    same_output(one.out, "one", rest.out, "out");
    g_assert_false(cli_exists(f, "out/unfinished"));
}

/* Repetitions of some 300 ms on a loaded machine, 100 on a quiet one: the first are kept after half
 * a second. AddressSanitizer makes each iteration several times as long. */
#define REPEATS 15
#ifdef __SANITIZE_ADDRESS__
#define ITERATIONS 750
#else
#define ITERATIONS 3000
#endif
#define REPEATED                                                                                   \
    CLI_PAIR "repeat: " G_STRINGIFY(                                                               \
        REPEATS) "\njobs: [{name: a, workload: {type: alltoall, bytes: 4 KiB}, ranks: 4,\n"        \
                 "        placement: random, iterations: " G_STRINGIFY(ITERATIONS) "}]\n"
#define KEPT "out/unfinished/repetitions.0"

/* In the store of a point's repetitions, what was kept of number 1 becomes that of number 2. */
static void rename_repetition(const CliFolder *f)
{
    g_autofree char *path = g_build_filename(f->dir, KEPT, NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(DnPointStore) kept = dn_point_store_read_only(path, NULL, REPEATS, &error);
    g_assert_no_error(error);
    g_autoptr(GVariant) first = dn_point_store_get(kept, 1, &error);
    g_unlink(path);
    g_autoptr(DnPointStore)
        other = dn_point_store_open(path, dn_point_store_head(kept), REPEATS, &error);
    g_assert_true(dn_point_store_add(other, 2, first, &error));
}

/* A point that was cut goes on with the repetitions that are missing, and no other: what was kept
 * of one is in the results. */
static void test_repetitions_kept(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml", REPEATED);
    g_auto(CliAnswer) one = cli_run(f, "run", "run.yaml", "-o", "one");
    g_assert_cmpint(one.status, ==, 0);
    run_and_signal_at(f, "--jobs=1", KEPT, 0, SIGKILL);
    g_assert_true(cli_exists(f, KEPT));
    g_auto(CliAnswer) rest = cli_run(f, "run", "run.yaml", "-o", "out", "--jobs=2");
    g_assert_cmpint(rest.status, ==, 0);
    cli_same_results(f, "one", "out");
    g_assert_false(cli_exists(f, "out/unfinished"));
    g_autofree char *samples = cli_read(f, "out/samples.csv");
    run_and_signal_at(f, "--jobs=1", KEPT, 0, SIGINT);
    rename_repetition(f);
    g_auto(CliAnswer) renamed = cli_run(f, "run", "run.yaml", "-o", "out");
    g_assert_nonnull(strstr(renamed.err, "finished repetitions of 1 points are kept"));
    g_autofree char *others = cli_read(f, "out/samples.csv");
    g_assert_cmpstr(samples, !=, others);
}

/* A machine's file that changed since is reported; so are options that change what is written. */
static void test_changed(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "mine.yaml",
              "fabric: {include: ./fabric.yaml}\nhardware: {packet: 1 KiB, header: 0 B}\n");
    cli_write(
        f, "fabric.yaml",
        "type: torus\nassumed: any values do\ndims: [2]\nwrap: [false]\n"
        "terminals_per_switch: 4\nlinks:\n"
        "  terminal: {bandwidth: 80 Gb/s, latency: 10 ns, buffer: 16 KiB}\n"
        "  link: {bandwidth: 80 Gb/s, latency: 20 ns, buffer: 8 KiB}\nswitch: {latency: 100 ns}\n");
    cli_write(f, "run.yaml",
              "machine: ./mine.yaml\n"
              "jobs: [{name: a, workload: {type: pingpong, bytes: 1 B}, ranks: 2}]\n"
              "sweep: {\"jobs[0].workload.bytes\": [1 B, 4 TiB]}\n");
    run_and_signal(f, "--jobs=1", 1, SIGKILL);
    g_autofree char *fabric = cli_read(f, "fabric.yaml");
    g_auto(GStrv) parts = g_strsplit(fabric, "100 ns", 2);
    g_autofree char *slower = g_strjoinv("101 ns", parts);
    cli_write(f, "fabric.yaml", slower);
    g_auto(CliAnswer) changed = cli_run(f, "run", "run.yaml", "-o", "out");
    g_assert_cmpint(changed.status, ==, 2);
    g_assert_nonnull(strstr(changed.err, "files differs: was `"));
    g_assert_nonnull(strstr(changed.err, "/fabric.yaml`"));
    g_assert_nonnull(strstr(changed.err, "give --restart to begin anew"));
    cli_write(f, "fabric.yaml", fabric);
    g_auto(CliAnswer) other = cli_run(f, "run", "run.yaml", "-o", "out", "--links=1");
    g_assert_nonnull(strstr(other.err, "--links differs: was `--links 256`, is `--links 1`"));
    g_auto(CliAnswer) set = cli_run(f, "run", "run.yaml", "-o", "out", "--set", "seed=2");
    g_assert_nonnull(strstr(set.err, "run differs: was "));
    g_assert_cmpint(other.status | set.status, ==, 2);
}

/* Points that another version left are neither gone on with nor put together. */
static void test_other_version(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml", SEEDS);
    run_and_signal(f, "--jobs=1", 3, SIGKILL);
    g_autofree char *path = g_build_filename(f->dir, "out/unfinished/points", NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(DnPointStore) ours = dn_point_store_read_only(path, NULL, POINTS, &error);
    g_assert_no_error(error);
    g_autoptr(GVariant) record = dn_point_store_get(ours, 0, &error);
    g_autofree char *older = g_strconcat("version darner 0.1", /* in place of the first line */
                                         strchr(dn_point_store_head(ours), '\n'), NULL);
    g_unlink(path);
    g_autoptr(DnPointStore) theirs = dn_point_store_open(path, older, POINTS, &error);
    g_assert_true(dn_point_store_add(theirs, 0, record, &error));
    g_auto(CliAnswer) run = cli_run(f, "run", "run.yaml", "-o", "out");
    g_auto(CliAnswer) collect = cli_run(f, "sweep", "collect", "run.yaml", "-o", "out");
    g_auto(CliAnswer) status = cli_run(f, "sweep", "status", "run.yaml", "-o", "out");
    const char *const said[] = {run.err, collect.err, status.err};
    for (guint i = 0; i < G_N_ELEMENTS(said); i++) {
        g_assert_nonnull(strstr(said[i], "version differs: was `version darner 0.1`, is `version"));
        g_assert_cmpstr(strchr(said[i], '\n'), ==, "\n"); /* one line */
    }
    g_assert_cmpint(run.status & collect.status & status.status, ==, 2);
    g_assert_true(cli_exists(f, "out/unfinished/points"));
}

/* Two at once in one folder: the second is refused, and says who is there. */
static void test_second(CliFolder *f, gconstpointer unused)
{
    const char *words[] = {g_getenv("DARNER_BIN"), "run", "run.yaml", "-o", "out", NULL};
    g_autoptr(GError) error = NULL;
    GPid pid;
    cli_write(f, "run.yaml",
              CLI_PAIR "jobs: [{name: a, workload: {type: pingpong, bytes: 4 TiB}, ranks: 2}]\n");
    g_spawn_async(f->dir, (char **)words, NULL,
                  G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL |
                      G_SPAWN_STDERR_TO_DEV_NULL,
                  NULL, NULL, &pid, &error);
    g_assert_no_error(error);
    for (guint i = 0; i < 2000 && !cli_exists(f, "out/unfinished/points"); i++)
        g_usleep(5000);
    g_auto(CliAnswer) second = cli_run(f, "run", "run.yaml", "-o", "out");
    g_autofree char *wanted = g_strdup_printf("out: process %d on %s is writing its results there",
                                              (int)pid, g_get_host_name());
    g_assert_cmpint(second.status, ==, 2);
    g_assert_true(g_str_has_prefix(second.err, wanted));
    kill(pid, SIGINT);
    waitpid(pid, NULL, 0);
    g_assert_false(cli_exists(f, "out")); /* nothing was done, nothing stays */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/commands/run/jobs", test_jobs);
    cli_test_add("/commands/run/jobs/timelines", test_timelines);
    cli_test_add("/commands/run/jobs/failure", test_failure);
    cli_test_add("/commands/run/jobs/repetitions", test_repetitions);
    cli_test_add("/commands/run/resume", test_resume);
    cli_test_add("/commands/run/resume/repetitions", test_repetitions_kept);
    cli_test_add("/commands/run/resume/changed", test_changed);
    cli_test_add("/commands/run/resume/other-version", test_other_version);
    cli_test_add("/commands/run/resume/second", test_second);
    return g_test_run();
}
