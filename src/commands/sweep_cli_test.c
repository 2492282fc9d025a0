/* sweep_cli_test.c - what a sweep of many points costs `darner run`: the run file is read once, and
 * what is written grows with the points, not with their square. */
#include "commands/cli_test.h"
#include <sys/inotify.h>
#include <unistd.h>

#define RUN                                                                                        \
    "machine: h200x4\n"                                                                            \
    "jobs: [{name: a, workload: {type: pingpong, bytes: 1 B}, ranks: 2, mechanism: d2d}]\n"

/* A sweep of @points seeds. */
static void write_sweep(const CliFolder *f, const char *name, guint points)
{
    g_autoptr(GString) text = g_string_new(RUN "sweep: {seed: [");
    for (guint p = 1; p <= points; p++)
        g_string_append_printf(text, "%u%s", p, p < points ? ", " : "]}\n");
    cli_write(f, name, text->str);
}

/* Events of @mask on @watch that were seen until now. */
static guint count_events(int watch, guint32 mask)
{
    char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
    guint n = 0;
    gssize got;
    while ((got = read(watch, buffer, sizeof buffer)) > 0) {
        const char *p = buffer;
        while (p < buffer + got) {
            const struct inotify_event *event = (const struct inotify_event *)p;
            n += (event->mask & mask) != 0;
            p += sizeof *event + event->len;
        }
    }
    return n;
}

/* Checked and run from the same reading of the file, which may be edited meanwhile. */
static void test_read_once(CliFolder *f, gconstpointer unused)
{
    write_sweep(f, "run.yaml", 5);
    g_autofree char *path = g_build_filename(f->dir, "run.yaml", NULL);
    int watch = inotify_init1(IN_NONBLOCK);
    g_assert_cmpint(watch, >=, 0);
    /* Closing is watched too, since equal events in a row would be merged into one. */
    g_assert_cmpint(inotify_add_watch(watch, path, IN_OPEN | IN_CLOSE), >=, 0);
    g_auto(CliAnswer) a =
        cli_run(f, "run", "run.yaml", "--timeline", "--set", "bound=yes", "--set", "slowdown=yes");
    g_assert_cmpstr(a.err, ==, "");
    g_assert_cmpint(a.status, ==, 0);
    g_assert_cmpuint(count_events(watch, IN_OPEN), ==, 1);
    close(watch);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    cli_test_add("/commands/run/sweep/read-once", test_read_once);
    return g_test_run();
}
