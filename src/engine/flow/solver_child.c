/* solver_child.c - The child process of a run, which calls SimGrid; see solver.h.
 *
 * SimGrid's clock stands still while no transfer is in flight, so times differ from it by a shift
 * that changes with the first transfer after a silence. The child ends by _exit(), so that exit
 * handlers of the parent do not run in it. */
#include "engine/flow/solver_child.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRITE_FROM 32768 /* bytes */
#define WRITE_US 50000   /* and at least so often */

struct DnSolverChild {
    const DnSimgrid *simgrid;
    int fd;
    DnSolverRun run;
    double shift_us; /* time less SimGrid's clock */
    gint64 now_ps, until_ps;
    GArray *ended;    /* guint32 */
    GByteArray *text; /* answers not written yet */
    gint64 written_us;
};

static void solver_child_flush(DnSolverChild *child)
{
    for (gsize done = 0; done < child->text->len;) {
        gssize put = write(child->fd, child->text->data + done, child->text->len - done);
        if (put <= 0)
            _exit(1); /* nobody follows */
        done += (gsize)put;
    }
    g_byte_array_set_size(child->text, 0);
    child->written_us = g_get_monotonic_time();
}

/* A file that both processes read must not share its position. */
static void own_file(const char *name, int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
        return;
    g_autofree char *path = g_build_filename("/proc/self/fd", name, NULL);
    off_t position = lseek(fd, 0, SEEK_CUR);
    int own = open(path, O_RDONLY | O_CLOEXEC);
    if (own < 0 || lseek(own, position, SEEK_SET) < 0 || dup2(own, fd) < 0) {
        perror("cannot read a file twice");
        _exit(1);
    }
    close(own);
}

static void own_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL)
        return;
    for (const struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        int fd = (int)strtol(entry->d_name, NULL, 10);
        if (fd > STDERR_FILENO && fd != dirfd(folder))
            own_file(entry->d_name, fd);
    }
    closedir(folder);
}

static void go_on(DnSolverChild *child)
{
    if (!child->run.go_on(child->run.data, &child->until_ps)) {
        solver_child_flush(child);
        _exit(0);
    }
    if (child->until_ps < G_MAXINT64)
        child->simgrid->wake((double)child->until_ps * 1e-6 - child->shift_us);
}

static void on_done(void *data, uint32_t flow)
{
    DnSolverChild *child = data;
    g_array_append_val(child->ended, flow);
}

static int by_number(gconstpointer a, gconstpointer b)
{
    guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
    return (x > y) - (x < y);
}

static void on_pause(void *data, double clock_us)
{
    DnSolverChild *child = data;
    const guint32 *ended = (const guint32 *)(const void *)child->ended->data;
    guint32 n = child->ended->len;
    gint64 now_ps = MAX(child->now_ps, llround((clock_us + child->shift_us) * 1e6));
    child->now_ps = n > 0 ? MIN(child->until_ps, now_ps) : child->until_ps;
    g_array_sort(child->ended, by_number);
    DnSolverAnswer answer = {.now_ps = child->now_ps, .count = *child->run.count, .n_ended = n};
    g_byte_array_append(child->text, (const guint8 *)&answer, sizeof answer);
    g_byte_array_append(child->text, (const guint8 *)ended, n * sizeof *ended);
    if (child->text->len >= WRITE_FROM || g_get_monotonic_time() - child->written_us > WRITE_US)
        solver_child_flush(child);
    child->run.absorb(child->run.data, child->now_ps, ended, n);
    g_array_set_size(child->ended, 0);
    go_on(child);
}

DnSolverChild *dn_solver_child_new(const DnSimgrid *simgrid, int fd, const double *capacity,
                                   guint32 n_links, const DnSolverRun *run)
{
    DnSolverChild *child = g_new0(DnSolverChild, 1);
    DnSimgridCalls calls = {.data = child, .done = on_done, .pause = on_pause};
    *child = (DnSolverChild){.simgrid = simgrid,
                             .fd = fd,
                             .run = *run,
                             .ended = g_array_new(FALSE, FALSE, sizeof(guint32)),
                             .text = g_byte_array_new(),
                             .written_us = g_get_monotonic_time()};
    own_files();
    simgrid->open(capacity, n_links, &calls);
    return child;
}

void dn_solver_child_lead(DnSolverChild *child)
{
    go_on(child);
    child->simgrid->run();
    fputs("SimGrid stopped with transfers under way\n", stderr);
    _exit(1);
}

void dn_solver_child_tolerate(DnSolverChild *child, double tolerance_us)
{
    child->simgrid->tolerate(tolerance_us);
}

void dn_solver_child_post(DnSolverChild *child, gint64 now_ps, gboolean first, guint32 flow,
                          double bytes, double cap, const guint32 *links, guint32 n)
{
    if (first) {
        child->shift_us = (double)now_ps * 1e-6 - child->simgrid->clock_us();
        child->now_ps = now_ps;
    }
    child->simgrid->post(flow, bytes, cap, links, n);
}
