/* solver.c - see solver.h. */
#include "engine/flow/solver.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/flow/solver_child.h"

#define PROGRESS_MS 200
#define SMALLEST_TOLERANCE_US 1e-6
#define READ_AHEAD 65536
#define WORDS_BYTES 4096 /* of a dying child's message */

struct DnSolver {
    pid_t child; /* 0: gone, or this is it */
    int fd;      /* to it; below 0: none */
    int words;   /* its standard error, in memory; below 0: none */
    int status;
    double cpu_s;
    guint32 in_flight;
    DnSolverChild *lead; /* in the child */
    guint8 *ahead;       /* answers read, from @at to @end */
    gsize at, end;
    const guint64 *count; /* of steps made here */
};

/* Under AddressSanitizer the shadow memory alone is beyond any limit. */
static void limit_memory(gint64 bytes)
{
#if !defined(__SANITIZE_ADDRESS__)
    struct rlimit limit = {.rlim_cur = (rlim_t)bytes, .rlim_max = (rlim_t)bytes};
    if (bytes > 0 && setrlimit(RLIMIT_DATA, &limit) != 0)
        _exit(1);
#else
    (void)bytes;
#endif
}

/* No core file: a child that dies has said why. */
static void become_child(const DnSolver *solver, gint64 max_memory_bytes)
{
    struct rlimit no_core = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); /* the parent is asked, too, and decides */
    signal(SIGTERM, SIG_DFL);
    signal(SIGABRT, SIG_DFL);
    close(solver->fd);
    if (dup2(solver->words, STDOUT_FILENO) < 0 || dup2(solver->words, STDERR_FILENO) < 0 ||
        setrlimit(RLIMIT_CORE, &no_core) != 0)
        _exit(1);
    limit_memory(max_memory_bytes);
}

DnSolver *dn_solver_new(void)
{
    DnSolver *solver = g_new0(DnSolver, 1);
    *solver = (DnSolver){.fd = -1, .words = -1, .ahead = g_malloc(READ_AHEAD)};
    return solver;
}

gboolean dn_solver_start(DnSolver *solver, const double *capacity, guint32 n_links,
                         gint64 max_memory_bytes, const DnSolverRun *run, GError **error)
{
    const DnSimgrid *simgrid = dn_simgrid_load(error);
    if (simgrid == NULL)
        return FALSE;
    int pair[2] = {-1, -1};
    struct timeval progress = {.tv_usec = 1000 * PROGRESS_MS};
    solver->count = run->count;
    solver->words = memfd_create("darner-solver", MFD_CLOEXEC);
    gboolean ok = solver->words >= 0 &&
                  socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0;
    solver->fd = pair[0];
    if (ok) {
        setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &progress, sizeof progress);
        solver->child = fork();
    }
    if (ok && solver->child == 0) {
        become_child(solver, max_memory_bytes);
        solver->lead = dn_solver_child_new(simgrid, pair[1], capacity, n_links, run);
        dn_solver_child_lead(solver->lead);
    }
    int problem = errno;
    if (ok)
        close(pair[1]);
    if (ok && solver->child > 0)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_MEMORY, "cannot start the flow solver: %s",
                g_strerror(problem));
    solver->child = 0;
    return FALSE;
}

/* Waits for the child's end; FALSE when it lives on. */
static gboolean solver_reap(DnSolver *solver, int options)
{
    struct rusage usage;
    if (solver->child == 0)
        return TRUE;
    pid_t got;
    do
        got = wait4(solver->child, &solver->status, options, &usage);
    while (got < 0 && errno == EINTR);
    if (got == 0)
        return FALSE;
    solver->child = 0;
    if (got > 0)
        solver->cpu_s = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                        1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    return TRUE;
}

static void end_child(DnSolver *solver)
{
    if (solver->child == 0)
        return;
    kill(solver->child, SIGKILL);
    solver_reap(solver, 0);
}

void dn_solver_free(DnSolver *solver)
{
    if (solver == NULL)
        return;
    end_child(solver);
    if (solver->fd >= 0)
        close(solver->fd);
    if (solver->words >= 0)
        close(solver->words);
    g_free(solver->ahead);
    g_free(solver);
}

double dn_solver_cpu_s(DnSolver *solver)
{
    end_child(solver);
    return solver->cpu_s;
}

/* The line that says why, without SimGrid's file, line and category; else the last one. */
static char *last_words(const DnSolver *solver)
{
    char buffer[WORDS_BYTES + 1];
    gssize n = pread(solver->words, buffer, WORDS_BYTES, 0);
    buffer[MAX(n, 0)] = '\0';
    g_auto(GStrv) lines = g_strsplit(buffer, "\n", -1);
    const char *chosen = "";
    for (guint i = 0; lines[i] != NULL; i++) {
        const char *critical = strstr(lines[i], "CRITICAL] ");
        if (critical != NULL)
            return g_strstrip(g_strdup(critical + strlen("CRITICAL] ")));
        if (lines[i][0] != '\0')
            chosen = lines[i];
    }
    return g_strstrip(g_strdup(chosen));
}

static gboolean solver_lost(DnSolver *solver, GError **error)
{
    g_autoptr(GString) how = g_string_new(NULL);
    if (!solver_reap(solver,
                     WNOHANG)) /* it closed its end, or breaks off in the middle of an answer */
        end_child(solver);
    if (WIFSIGNALED(solver->status))
        g_string_printf(how, "signal %d, %s", WTERMSIG(solver->status),
                        g_strsignal(WTERMSIG(solver->status)));
    else
        g_string_printf(how, "exit status %d", WEXITSTATUS(solver->status));
    g_autofree char *words = last_words(solver);
    gboolean memory = strstr(words, "bad_alloc") != NULL || strstr(words, "to allocate") != NULL;
    g_set_error(error, DN_ERROR, memory ? DN_ERROR_MEMORY : DN_ERROR_STALLED,
                "the flow solver %s (%s)%s%s", memory ? "ran out of memory" : "gave up", how->str,
                words[0] != '\0' ? ": " : "", words);
    return FALSE;
}

void dn_solver_post(DnSolver *solver, gint64 now_ps, guint32 flow, double bytes, double cap,
                    const guint32 *links, guint32 n)
{
    gboolean first = solver->in_flight++ == 0;
    if (solver->lead != NULL)
        dn_solver_child_post(solver->lead, now_ps, first, flow, bytes, cap, links, n);
}

void dn_solver_tolerate(DnSolver *solver, double tolerance_us)
{
    if (solver->lead != NULL)
        dn_solver_child_tolerate(solver->lead, MAX(tolerance_us, SMALLEST_TOLERANCE_US));
}

guint32 dn_solver_in_flight(const DnSolver *solver)
{
    return solver->in_flight;
}

void dn_solver_ended(DnSolver *solver, guint32 n)
{
    g_assert(n <= solver->in_flight);
    solver->in_flight -= n;
}

/* Reads on; FALSE + error when the child is gone or patience is over. */
static gboolean solver_receive(DnSolver *solver, DnSolverPatience patience, void *data,
                               GError **error)
{
    for (;;) {
        gssize got = recv(solver->fd, solver->ahead, READ_AHEAD, 0);
        solver->at = 0;
        solver->end = (gsize)MAX(got, 0);
        if (got > 0)
            return TRUE;
        if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
            return solver_lost(solver, error);
        if (patience != NULL && !patience(data)) {
            g_set_error_literal(error, DN_ERROR, DN_ERROR_INTERRUPTED, "interrupted");
            return FALSE;
        }
    }
}

static gboolean read_all(DnSolver *solver, void *to, gsize n, DnSolverPatience patience, void *data,
                         GError **error)
{
    for (gsize done = 0; done < n;) {
        if (solver->at == solver->end && !solver_receive(solver, patience, data, error))
            return FALSE;
        gsize part = MIN(n - done, solver->end - solver->at);
        memcpy((char *)to + done, solver->ahead + solver->at, part);
        solver->at += part;
        done += part;
    }
    return TRUE;
}

gboolean dn_solver_follow(DnSolver *solver, gint64 *now_ps, GArray *ended,
                          DnSolverPatience patience, void *data, GError **error)
{
    DnSolverAnswer answer;
    g_assert(solver->lead == NULL);
    if (!read_all(solver, &answer, sizeof answer, patience, data, error))
        return FALSE;
    g_assert(answer.count == *solver->count); /* or the halves of the run differ */
    g_array_set_size(ended, answer.n_ended);
    *now_ps = answer.now_ps;
    return read_all(solver, ended->data, answer.n_ended * sizeof(guint32), patience, data, error);
}
