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

#define BEAT_MS 200
#define SMALLEST_TOLERANCE_US 1e-6
#define READ_AHEAD 65536
#define WORDS_BYTES 4096 /* of what a dying child said */

struct DnSolver {
    pid_t child; /* 0: gone */
    int fd;      /* to it */
    int words;   /* its standard error, in memory */
    int status;
    double cpu_s, tolerance_us;
    guint32 under_way, n_posts;
    GByteArray *posts; /* room for the head, posts */
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

static void be_child(const DnSolver *solver, int fd, const double *capacity, guint32 n_links,
                     gint64 max_memory_bytes) G_GNUC_NORETURN;
static void be_child(const DnSolver *solver, int fd, const double *capacity, guint32 n_links,
                     gint64 max_memory_bytes)
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
    dn_solver_child(fd, capacity, n_links);
}

DnSolver *dn_solver_new(const double *capacity, guint32 n_links, gint64 max_memory_bytes,
                        GError **error)
{
    int pair[2];
    int words = memfd_create("darner-solver", MFD_CLOEXEC);
    if (words < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        g_set_error(error, DN_ERROR, DN_ERROR_MEMORY, "cannot start the flow solver: %s",
                    g_strerror(errno));
        if (words >= 0)
            close(words);
        return NULL;
    }
    DnSolver *solver = g_new0(DnSolver, 1);
    *solver = (DnSolver){.fd = pair[0],
                         .words = words,
                         .tolerance_us = SMALLEST_TOLERANCE_US,
                         .posts = g_byte_array_new()};
    g_byte_array_set_size(solver->posts, sizeof(DnSolverRequest));
    struct timeval beat = {.tv_usec = 1000 * BEAT_MS};
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &beat, sizeof beat);
    solver->child = fork();
    if (solver->child == 0)
        be_child(solver, pair[1], capacity, n_links, max_memory_bytes);
    int problem = errno;
    close(pair[1]);
    if (solver->child > 0)
        return solver;
    g_set_error(error, DN_ERROR, DN_ERROR_MEMORY, "cannot start the flow solver: %s",
                g_strerror(problem));
    solver->child = 0;
    dn_solver_free(solver);
    return NULL;
}

/* Waits for the child's end; FALSE when it lives on. */
static gboolean reap(DnSolver *solver, int options)
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
    reap(solver, 0);
}

void dn_solver_free(DnSolver *solver)
{
    if (solver == NULL)
        return;
    end_child(solver);
    close(solver->fd);
    close(solver->words);
    g_byte_array_unref(solver->posts);
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

static gboolean lost(DnSolver *solver, GError **error)
{
    g_autoptr(GString) how = g_string_new(NULL);
    if (!reap(solver, WNOHANG)) /* it closed its end, or breaks off in the middle of an answer */
        end_child(solver);
    if (WIFSIGNALED(solver->status))
        g_string_printf(how, "signal %d, %s", WTERMSIG(solver->status),
                        g_strsignal(WTERMSIG(solver->status)));
    else
        g_string_printf(how, "exit status %d", WEXITSTATUS(solver->status));
    g_autofree char *words = last_words(solver);
    gboolean memory = strstr(words, "bad_alloc") != NULL;
    g_set_error(error, DN_ERROR, memory ? DN_ERROR_MEMORY : DN_ERROR_STALLED,
                "the flow solver %s (%s)%s%s", memory ? "ran out of memory" : "gave up", how->str,
                words[0] != '\0' ? ": " : "", words);
    return FALSE;
}

void dn_solver_post(DnSolver *solver, guint32 flow, double bytes, double cap, const guint32 *links,
                    guint32 n)
{
    DnSolverPost post = {.bytes = bytes, .cap = cap, .flow = flow, .n_links = n};
    g_byte_array_append(solver->posts, (const guint8 *)&post, sizeof post);
    g_byte_array_append(solver->posts, (const guint8 *)links, (guint)(n * sizeof *links));
    solver->n_posts++;
    solver->under_way++;
}

void dn_solver_tolerate(DnSolver *solver, double tolerance_us)
{
    solver->tolerance_us = MAX(tolerance_us, SMALLEST_TOLERANCE_US);
}

guint32 dn_solver_under_way(const DnSolver *solver)
{
    return solver->under_way;
}

static gboolean send_all(const DnSolver *solver, const void *from, gsize n)
{
    for (gsize done = 0; done < n;) {
        gssize put = send(solver->fd, (const char *)from + done, n - done, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return FALSE;
        done += (gsize)put;
    }
    return TRUE;
}

/* At least @least bytes, at most @most; 0 + error when the child is gone or patience is over. */
static gsize receive(DnSolver *solver, void *to, gsize least, gsize most, DnSolverPatience patience,
                     void *data, GError **error)
{
    gsize done = 0;
    while (done < least) {
        gssize got = recv(solver->fd, (char *)to + done, most - done, 0);
        if (got > 0) {
            done += (gsize)got;
            continue;
        }
        if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
            lost(solver, error);
            return 0;
        }
        if (patience != NULL && !patience(data)) {
            g_set_error_literal(error, DN_ERROR, DN_ERROR_INTERRUPTED, "interrupted");
            return 0;
        }
        if (reap(solver, WNOHANG)) {
            lost(solver, error);
            return 0;
        }
    }
    return done;
}

/* An answer is one message and no other follows before the next request. */
static gboolean receive_answer(DnSolver *solver, DnSolverAnswer *answer, GArray *ended,
                               DnSolverPatience patience, void *data, GError **error)
{
    guint8 ahead[READ_AHEAD];
    gsize have = receive(solver, ahead, sizeof *answer, sizeof ahead, patience, data, error);
    if (have == 0)
        return FALSE;
    memcpy(answer, ahead, sizeof *answer);
    have -= sizeof *answer;
    gsize whole = answer->n_ended * sizeof(guint32);
    g_array_set_size(ended, answer->n_ended);
    if (whole > 0)
        memcpy(ended->data, ahead + sizeof *answer, have);
    return have == whole || receive(solver, ended->data + have, whole - have, whole - have,
                                    patience, data, error) > 0;
}

static int by_number(gconstpointer a, gconstpointer b)
{
    guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
    return (x > y) - (x < y);
}

gboolean dn_solver_step(DnSolver *solver, double from_us, double until_us, double *now_us,
                        GArray *ended, DnSolverPatience patience, void *data, GError **error)
{
    DnSolverRequest request = {
        .from_us = from_us,
        .until_us = until_us,
        .tolerance_us = solver->tolerance_us,
        .n_posts = solver->n_posts,
        .bytes = solver->posts->len - sizeof request,
    };
    DnSolverAnswer answer;
    g_assert(solver->under_way > 0 || isfinite(until_us));
    memcpy(solver->posts->data, &request, sizeof request);
    if (solver->child == 0 || !send_all(solver, solver->posts->data, solver->posts->len))
        return lost(solver, error);
    g_byte_array_set_size(solver->posts, sizeof request);
    solver->n_posts = 0;
    if (!receive_answer(solver, &answer, ended, patience, data, error))
        return FALSE;
    g_assert(answer.n_ended <= solver->under_way);
    solver->under_way -= answer.n_ended;
    g_array_sort(ended, by_number);
    *now_us = answer.now_us;
    return TRUE;
}
