/* sweep_cli_test.c - Tests of the cost of a sweep in `darner run`: the run file and the file
 * of its workload are read once. */
#include "commands/cli_test.h"
#include <errno.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUN                                                                                        \
    "machine: h200x4\n"                                                                            \
    "jobs: [{name: a, workload: ./to-and-fro.yaml, ranks: 2, mechanism: d2d}]\n"

/* Half a second is promised, on a machine that does nothing else. */
#if defined(__SANITIZE_ADDRESS__)
#define MOST_LEFT_S 5.0
#else
#define MOST_LEFT_S 1.0
#endif

/* A sweep of @points seeds. */
static void write_sweep(const CliFolder *f, const char *name, guint points)
{
    g_autoptr(GString) text = g_string_new(RUN "sweep: {seed: [");
    for (guint p = 1; p <= points; p++)
        g_string_append_printf(text, "%u%s", p, p < points ? ", " : "]}\n");
    cli_write(f, name, text->str);
}

/* Opens of the two watched files, @run and @workload, until now. Closing is watched too, since
 * equal events in a row would be merged into one. */
static void count_opens(int fd, int run, int workload, guint *runs, guint *workloads)
{
    char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    gssize got;
    while ((got = read(fd, buffer, sizeof buffer)) > 0) {
        const char *p = buffer;
        while (p < buffer + got) {
            const struct inotify_event *event = (const struct inotify_event *)p;
            *runs += event->wd == run && (event->mask & IN_OPEN);
            *workloads += event->wd == workload && (event->mask & IN_OPEN);
            p += sizeof *event + event->len;
        }
    }
}

static int sweep_watch(int fd, const CliFolder *f, const char *name)
{
    g_autofree char *path = g_build_filename(f->dir, name, NULL);
    int id = inotify_add_watch(fd, path, IN_OPEN | IN_CLOSE);
    g_assert_cmpint(id, >=, 0);
    return id;
}

/* Checked and run from the same reading of the files, which may be edited meanwhile. */
static void test_read_once(CliFolder *f, gconstpointer unused)
{
    guint runs = 0, workloads = 0;
    write_sweep(f, "run.yaml", 5);
    cli_write(f, "to-and-fro.yaml", "type: pingpong\nbytes: 1 B\n");
    int fd = inotify_init1(IN_NONBLOCK);
    g_assert_cmpint(fd, >=, 0);
    int run = sweep_watch(fd, f, "run.yaml"), workload = sweep_watch(fd, f, "to-and-fro.yaml");
    g_auto(CliAnswer) a =
        cli_run(f, "run", "run.yaml", "--timeline", "--set", "bound=yes", "--set", "slowdown=yes");
    cli_assert_silent(&a);
    g_assert_cmpint(a.status, ==, 0);
    count_opens(fd, run, workload, &runs, &workloads);
    g_assert_cmpuint(runs, ==, 1);
    g_assert_cmpuint(workloads, ==, 1);
    close(fd);
}

/* Starts a run of @file, sends @number after @delay_s; returns its error text. *@left_s: from the
 * signal to its end. */
static char *sweep_signal(const CliFolder *f, const char *file, double delay_s, int number,
                          int *status, double *left_s)
{
    const char *words[] = {g_getenv("DARNER_BIN"), "run", file, "-o", "out", NULL};
    GPid pid;
    int err, wait_status = 0;
    g_autoptr(GError) error = NULL;
    g_spawn_async_with_pipes(f->dir, (char **)words, NULL,
                             G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                             &pid, NULL, NULL, &err, &error);
    g_assert_no_error(error);
    g_usleep((gulong)(delay_s * 1e6));
    g_assert_cmpint(waitpid(pid, &wait_status, WNOHANG), ==, 0);
    gint64 sent_us = g_get_monotonic_time();
    g_assert_cmpint(kill(pid, number), ==, 0);
    g_assert_cmpint(waitpid(pid, &wait_status, 0), ==, pid);
    *left_s = (double)(g_get_monotonic_time() - sent_us) * 1e-6;
    g_assert_true(WIFEXITED(wait_status));
    *status = WEXITSTATUS(wait_status);
    char text[1024];
    gssize n = read(err, text, sizeof text - 1);
    close(err);
    return g_strndup(text, (gsize)MAX(0, n));
}

/* While the points are checked, and nothing is written yet. A busy computer gets a second. */
static void test_interrupted_plan(CliFolder *f, gconstpointer unused)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    write_sweep(f, "run.yaml", 99999);
    cli_write(f, "to-and-fro.yaml", "type: pingpong\nbytes: 1 B\n");
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++) {
        int status;
        double left_s;
        g_autofree char *err = sweep_signal(f, "run.yaml", 1.0, numbers[i], &status, &left_s);
        g_assert_cmpint(status, ==, 130);
        g_assert_nonnull(strstr(err, "interrupted; 0 of 99999 points are complete\n"));
        g_assert_cmpfloat(left_s, <, MOST_LEFT_S);
        g_assert_false(cli_exists(f, "out"));
    }
}

/* Tables of routes and the deadlock check of 262,144 terminals. */
static void test_interrupted_setup(CliFolder *f, gconstpointer unused)
{
    cli_write(f, "run.yaml",
              "machine:\n"
              "  fabric:\n"
              "    {type: dragonfly, groups: 512, switches_per_group: 32,\n"
              "     terminals_per_switch: 16, global_links_per_switch: 16,\n"
              "     switch: {assumed: test, latency: 100 ns},\n"
              "     links: {assumed: test,\n"
              "       terminal: {bandwidth: 200 Gb/s, latency: 10 ns, buffer: 32 KiB},\n"
              "       local: {bandwidth: 200 Gb/s, latency: 10 ns, buffer: 32 KiB},\n"
              "       global: {bandwidth: 200 Gb/s, latency: 100 ns, buffer: 64 KiB}}}\n"
              "  hardware: {assumed: test, lanes: 1, packet: 256 B, header: 0 B}\n"
              "routing: {algorithm: minimal}\n"
              "jobs: [{workload: {type: pingpong, bytes: 1 B}, ranks: 2}]\n");
    int status;
    double left_s;
    g_autofree char *err = sweep_signal(f, "run.yaml", 1.0, SIGTERM, &status, &left_s);
    g_assert_cmpint(status, ==, 130);
    g_assert_nonnull(strstr(err, "interrupted; 0 of 1 points are complete\n"));
    g_assert_cmpfloat(left_s, <, MOST_LEFT_S);
}

/* A limit of the file size is an error as a full disk is, not the end by a signal. */
static void test_file_limit(CliFolder *f, gconstpointer unused)
{
    write_sweep(f, "run.yaml", 200);
    cli_write(f, "to-and-fro.yaml", "type: pingpong\nbytes: 1 B\n");
    g_autofree char *line = g_strdup_printf("cd '%s' && ulimit -f 1 && exec '%s' run -q run.yaml",
                                            f->dir, g_getenv("DARNER_BIN"));
    const char *words[] = {"/bin/sh", "-c", line, NULL};
    g_autofree char *err = NULL;
    int wait_status = 0;
    g_autoptr(GError) error = NULL;
    g_spawn_sync(NULL, (char **)words, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &err, &wait_status,
                 &error);
    g_assert_no_error(error);
    g_assert_true(WIFEXITED(wait_status));
    g_assert_cmpint(WEXITSTATUS(wait_status), ==, 2);
    g_assert_nonnull(strstr(err, g_strerror(EFBIG)));
}

/* Two names of one machine file are one value of the sweep, and an index has one spelling. */
static void test_one_machine(CliFolder *f, gconstpointer unused)
{
    g_autofree char *file =
        g_build_filename(g_getenv("DARNER_ROOT"), "topologies", "h200x4.yaml", NULL);
    g_autofree char *text =
        g_strdup_printf("machine: h200x4\njobs: [{name: a, workload: barrier}]\n"
                        "sweep: {machine: [h200x4,\n  %s]}\n",
                        file);
    g_autofree char *said = g_strdup_printf(
        "run.yaml:4:3: machine: '%s' is the same value as 'h200x4' at run.yaml:3:19; allowed: each "
        "value once",
        file);
    cli_write(f, "run.yaml", text);
    g_auto(CliAnswer) a = cli_run(f, "run", "run.yaml");
    g_assert_cmpint(a.status, ==, 2);
    if (strstr(a.err, said) == NULL)
        g_error("wanted '%s', said '%s'", said, a.err);
    cli_write(f, "two.yaml",
              "machine: h200x4\njobs: [{name: a, workload: barrier}]\n"
              "sweep: {\"jobs[0].ranks\": [2], \"jobs[00].ranks\": [3]}\n");
    g_auto(CliAnswer) b = cli_run(f, "run", "two.yaml");
    g_assert_cmpint(b.status, ==, 2);
    g_assert_nonnull(strstr(b.err, "two.yaml:3:31: 'jobs[00].ranks' is not a key path; wanted: "
                                   "like jobs[0].workload.bytes"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/commands/run/sweep/read-once", test_read_once);
    cli_test_add("/commands/run/sweep/one-machine", test_one_machine);
    cli_test_add("/commands/run/sweep/interrupted-plan", test_interrupted_plan);
    cli_test_add("/commands/run/sweep/interrupted-setup", test_interrupted_setup);
    cli_test_add("/commands/run/sweep/file-limit", test_file_limit);
    return g_test_run();
}
