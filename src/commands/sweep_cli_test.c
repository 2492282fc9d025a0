/* sweep_cli_test.c - Tests of the cost of a sweep in `darner run`: the run file and the file
 * of its workload are read once. */
#include "commands/cli_test.h"
#include <sys/inotify.h>
#include <unistd.h>

#define RUN                                                                                        \
    "machine: h200x4\n"                                                                            \
    "jobs: [{name: a, workload: ./to-and-fro.yaml, ranks: 2, mechanism: d2d}]\n"

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
    g_assert_cmpstr(a.err, ==, "");
    g_assert_cmpint(a.status, ==, 0);
    count_opens(fd, run, workload, &runs, &workloads);
    g_assert_cmpuint(runs, ==, 1);
    g_assert_cmpuint(workloads, ==, 1);
    close(fd);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/commands/run/sweep/read-once", test_read_once);
    return g_test_run();
}
