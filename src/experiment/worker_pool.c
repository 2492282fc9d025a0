/* worker_pool.c - see worker_pool.h. A socket joins the caller with each worker: to the worker goes
 * the number of an item, from it come frames of progress, of an answer or of an error. */
#include "experiment/worker_pool.h"

#include "base/cpu_clock.h"
#include "base/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ATTEMPTS 2 /* of an item whose worker dies */
#define NOTHING G_MAXUINT
#define READ_BYTES 65536

typedef enum { FRAME_PROGRESS, FRAME_ANSWER, FRAME_ERROR } FrameKind;

typedef struct {
    guint32 kind, reserved;
    guint64 length;
    double cpu_s; /* of the item */
} Frame;

typedef struct {
    gint64 now_ps;
    guint64 packet_hops;
} Progress;

typedef struct {
    pid_t process;
    int socket;
    guint at; /* index into the pool's items; NOTHING: waits for one */
    GByteArray *got;
} Worker;

struct DnWorkerPool {
    const DnWorkerTask *task;
    guint *items;
    guint8 *attempts; /* [n] */
    guint n, next;
    guint failed; /* index of the first item that failed; n: none */
    GError *failure;
    GArray *workers; /* Worker */
};

/* What dn_worker_pool_report() of this process reports to. */
static struct {
    int socket;               /* to the caller, in a worker; else -1 */
    const DnWorkerTask *task; /* of an item done in the calling process */
    guint item;
    double begun_s; /* of the CPU clock, when the item began here */
    double taken_s; /* CPU time of the item that a worker reports on */
    GError *error;  /* of the task's progress */
} here = {.socket = -1};

/* ---- in a worker ---- */

static gboolean send_all(int socket, const void *bytes, gsize length)
{
    const guint8 *next = bytes;
    while (length > 0) {
        gssize n = send(socket, next, length, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return FALSE;
        next += n;
        length -= (gsize)n;
    }
    return TRUE;
}

static gboolean send_frame(int socket, FrameKind kind, const void *bytes, gsize length)
{
    const Frame frame = {.kind = kind, .length = length, .cpu_s = dn_cpu_clock_s() - here.begun_s};
    return send_all(socket, &frame, sizeof frame) && send_all(socket, bytes, length);
}

static gboolean send_variant(int socket, FrameKind kind, GVariant *value)
{
    g_autoptr(GVariant) held = g_variant_ref_sink(value);
    return send_frame(socket, kind, g_variant_get_data(held), g_variant_get_size(held));
}

double dn_worker_pool_item_cpu_s(void)
{
    return here.task != NULL ? dn_cpu_clock_s() - here.begun_s : here.taken_s;
}

gboolean dn_worker_pool_report(gint64 now_ps, guint64 packet_hops)
{
    const Progress progress = {.now_ps = now_ps, .packet_hops = packet_hops};
    if (here.socket >= 0)
        return send_frame(here.socket, FRAME_PROGRESS, &progress, sizeof progress);
    if (here.task != NULL && here.task->progress != NULL && here.error == NULL)
        here.task->progress(here.task->data, here.item, now_ps, packet_hops, &here.error);
    return here.error == NULL && !dn_interrupted();
}

static gboolean worker_answer(const DnWorkerTask *task, int socket, guint item)
{
    g_autoptr(GError) error = NULL;
    here.begun_s = dn_cpu_clock_s();
    GVariant *answer = task->work(task->data, item, &error);
    fflush(stdout);
    if (answer != NULL)
        return send_variant(socket, FRAME_ANSWER, answer);
    g_assert(error != NULL);
    return send_variant(socket, FRAME_ERROR, g_variant_new("(is)", error->code, error->message));
}

/* Takes items until the caller has no more. A signal of the terminal reaches workers too: it is the
 * caller who ends them. */
static void worker_main(const DnWorkerTask *task, int socket)
{
    guint32 item;
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_IGN);
    here.socket = socket;
    while (recv(socket, &item, sizeof item, MSG_WAITALL) == sizeof item)
        if (!worker_answer(task, socket, item))
            break;
}

/* ---- in the caller ---- */

static void worker_end(Worker *worker)
{
    if (worker->socket >= 0)
        close(worker->socket);
    if (worker->process > 0) {
        kill(worker->process, SIGKILL);
        while (waitpid(worker->process, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    g_byte_array_set_size(worker->got, 0);
    worker->socket = -1;
    worker->process = 0;
    worker->at = NOTHING;
}

static void worker_clear(gpointer data)
{
    Worker *worker = data;
    worker_end(worker);
    g_byte_array_unref(worker->got);
}

static void close_others(const DnWorkerPool *pool)
{
    for (guint w = 0; w < pool->workers->len; w++) {
        const Worker *worker = &g_array_index(pool->workers, Worker, w);
        if (worker->socket >= 0)
            close(worker->socket);
    }
}

static gboolean worker_start(DnWorkerPool *pool, Worker *worker, GError **error)
{
    int pair[2];
    pid_t caller = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "cannot start a process: %s",
                    g_strerror(errno));
        return FALSE;
    }
    fflush(stdout);
    worker->process = fork();
    if (worker->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it ends with its caller */
        if (getppid() != caller)
            _exit(EXIT_FAILURE);
        close_others(pool);
        close(pair[0]);
        worker_main(pool->task, pair[1]);
        _exit(EXIT_SUCCESS);
    }
    int why = errno;
    close(pair[1]);
    worker->socket = pair[0];
    if (worker->process > 0)
        return TRUE;
    worker_end(worker);
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "cannot start a process: %s", g_strerror(why));
    return FALSE;
}

/* Sends @worker its item or else the next one, to a new process if it has none; or ends it. */
static gboolean worker_feed(DnWorkerPool *pool, Worker *worker, GError **error)
{
    gboolean more = pool->next < pool->failed;
    if (worker->at == NOTHING && !more) {
        worker_end(worker);
        return TRUE;
    }
    if (worker->process == 0 && !worker_start(pool, worker, error))
        return FALSE;
    if (worker->at == NOTHING)
        worker->at = pool->next++;
    guint32 item = pool->items[worker->at];
    send_all(worker->socket, &item, sizeof item); /* a dead one is seen when it is read */
    return TRUE;
}

/* Item @at has failed: with @problem (transfer full). Later ones are given up. */
static void pool_fail(DnWorkerPool *pool, guint at, GError *problem)
{
    if (at >= pool->failed) {
        g_error_free(problem);
        return;
    }
    g_clear_error(&pool->failure);
    pool->failed = at;
    pool->failure = problem;
    for (guint w = 0; w < pool->workers->len; w++) {
        Worker *worker = &g_array_index(pool->workers, Worker, w);
        if (worker->at != NOTHING && worker->at > at)
            worker_end(worker);
    }
}

static GVariant *variant_of(const char *type, const guint8 *bytes, gsize length)
{
    g_autoptr(GBytes) copy = g_bytes_new(bytes, length);
    return g_variant_ref_sink(g_variant_new_from_bytes((const GVariantType *)type, copy, FALSE));
}

/* Handles one frame of @worker. */
static gboolean worker_take(DnWorkerPool *pool, Worker *worker, const Frame *frame,
                            const guint8 *bytes, GError **error)
{
    const DnWorkerTask *task = pool->task;
    guint at = worker->at;
    here.taken_s = frame->cpu_s;
    if (frame->kind == FRAME_PROGRESS) {
        Progress progress;
        memcpy(&progress, bytes, sizeof progress);
        return task->progress == NULL ||
               task->progress(task->data, pool->items[at], progress.now_ps, progress.packet_hops,
                              error);
    }
    worker->at = NOTHING;
    if (frame->kind == FRAME_ANSWER) {
        g_autoptr(GVariant) answer = variant_of("a{sv}", bytes, frame->length);
        return task->done(task->data, pool->items[at], answer, error) &&
               worker_feed(pool, worker, error);
    }
    g_autoptr(GVariant) problem = variant_of("(is)", bytes, frame->length);
    gint32 code;
    const char *message;
    g_variant_get(problem, "(i&s)", &code, &message);
    pool_fail(pool, at, g_error_new_literal(DN_ERROR, code, message));
    return worker_feed(pool, worker, error);
}

/* Handles all complete frames of @worker. */
static gboolean worker_frames(DnWorkerPool *pool, Worker *worker, GError **error)
{
    gsize begin = 0;
    while (worker->process > 0 && worker->got->len - begin >= sizeof(Frame)) {
        Frame frame;
        memcpy(&frame, worker->got->data + begin, sizeof frame);
        if (worker->got->len - begin - sizeof frame < frame.length)
            break;
        if (!worker_take(pool, worker, &frame, worker->got->data + begin + sizeof frame, error))
            return FALSE;
        begin += sizeof frame + frame.length;
    }
    if (worker->process > 0 && begin > 0)
        g_byte_array_remove_range(worker->got, 0, (guint)begin);
    return TRUE;
}

/* @worker is gone: its item goes to a new one, or has failed. */
static gboolean worker_lost(DnWorkerPool *pool, Worker *worker, GError **error)
{
    guint at = worker->at;
    int status = 0;
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR)
        continue;
    worker->process = 0;
    worker_end(worker);
    if (++pool->attempts[at] < ATTEMPTS) {
        worker->at = at;
        return worker_feed(pool, worker, error);
    }
    g_autofree char *how = WIFSIGNALED(status) ? g_strdup_printf("signal %d, %s", WTERMSIG(status),
                                                                 g_strsignal(WTERMSIG(status)))
                                               : g_strdup_printf("status %d", WEXITSTATUS(status));
    pool_fail(pool, at,
              g_error_new(DN_ERROR, DN_ERROR_STALLED,
                          "the process that simulated point %u ended twice before it was done (%s)",
                          pool->items[at], how));
    return worker_feed(pool, worker, error);
}

static gboolean worker_read(DnWorkerPool *pool, Worker *worker, GError **error)
{
    guint8 bytes[READ_BYTES];
    gssize n = recv(worker->socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return TRUE;
    if (n <= 0)
        return worker_lost(pool, worker, error);
    g_byte_array_append(worker->got, bytes, (guint)n);
    return worker_frames(pool, worker, error);
}

DnWorkerPool *dn_worker_pool_new(const guint *items, guint n, guint jobs, const DnWorkerTask *task)
{
    DnWorkerPool *pool = g_new0(DnWorkerPool, 1);
    pool->task = task;
    pool->items = g_memdup2(items, n * sizeof *items);
    pool->attempts = g_new0(guint8, n + 1);
    pool->n = pool->failed = n;
    pool->workers = g_array_new(FALSE, TRUE, sizeof(Worker));
    g_array_set_clear_func(pool->workers, worker_clear);
    for (guint w = 0; w < MIN(jobs, n); w++) {
        Worker worker = {.socket = -1, .at = NOTHING, .got = g_byte_array_new()};
        g_array_append_val(pool->workers, worker);
    }
    for (guint w = 0; w < pool->workers->len; w++) {
        Worker *worker = &g_array_index(pool->workers, Worker, w);
        if (!worker_feed(pool, worker, w == 0 ? &pool->failure : NULL))
            break; /* fewer do as well */
    }
    return pool;
}

void dn_worker_pool_free(DnWorkerPool *pool)
{
    if (pool == NULL)
        return;
    g_array_unref(pool->workers);
    g_clear_error(&pool->failure);
    g_free(pool->items);
    g_free(pool->attempts);
    g_free(pool);
}

/* Fills @list with the sockets of workers; returns how many. */
static guint list_sockets(const DnWorkerPool *pool, struct pollfd *list)
{
    guint n = 0;
    for (guint w = 0; w < pool->workers->len; w++) {
        const Worker *worker = &g_array_index(pool->workers, Worker, w);
        if (worker->process > 0)
            list[n++] = (struct pollfd){.fd = worker->socket, .events = POLLIN};
    }
    return n;
}

static gboolean read_socket(DnWorkerPool *pool, int socket, GError **error)
{
    for (guint w = 0; w < pool->workers->len; w++) {
        Worker *worker = &g_array_index(pool->workers, Worker, w);
        if (worker->process > 0 && worker->socket == socket)
            return worker_read(pool, worker, error);
    }
    return TRUE; /* it was ended meanwhile */
}

gboolean dn_worker_pool_step(DnWorkerPool *pool, int wait_ms, gboolean *over, GError **error)
{
    g_autofree struct pollfd *list = g_new0(struct pollfd, pool->workers->len + 1);
    guint n = list_sockets(pool, list);
    *over = n == 0;
    if (!dn_interrupt_check(error))
        return FALSE;
    if (n == 0 && pool->failure != NULL) {
        g_propagate_error(error, g_steal_pointer(&pool->failure));
        return FALSE;
    }
    if (n == 0)
        return TRUE;
    if (poll(list, n, wait_ms) > 0)
        for (guint i = 0; i < n; i++)
            if (list[i].revents != 0 && !read_socket(pool, list[i].fd, error))
                return FALSE;
    return TRUE;
}

/* ---- one job ---- */

static gboolean run_here(guint item, const DnWorkerTask *task, GError **error)
{
    here.item = item;
    here.begun_s = dn_cpu_clock_s();
    g_autoptr(GVariant) answer = task->work(task->data, item, error);
    if (here.error != NULL) {
        g_clear_error(error);
        g_propagate_error(error, g_steal_pointer(&here.error));
        return FALSE;
    }
    if (answer == NULL)
        return FALSE;
    if (g_variant_is_floating(answer))
        g_variant_ref_sink(answer);
    return task->done(task->data, item, answer, error);
}

gboolean dn_worker_pool_run(const guint *items, guint n, guint jobs, const DnWorkerTask *task,
                            GError **error)
{
    gboolean ok = TRUE, over = FALSE;
    if (jobs <= 1) {
        here.task = task;
        for (guint i = 0; ok && i < n; i++)
            ok = dn_interrupt_check(error) && run_here(items[i], task, error);
        here.task = NULL;
        return ok;
    }
    g_autoptr(DnWorkerPool) pool = dn_worker_pool_new(items, n, jobs, task);
    while (ok && !over)
        ok = dn_worker_pool_step(pool, DN_WORKER_POOL_LOOK_MS, &over, error);
    return ok;
}

gboolean dn_worker_pool_check(int jobs, GError **error)
{
    if (jobs >= 1 && jobs <= DN_WORKER_POOL_MOST)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "--jobs is out of range; allowed: 1 to %d",
                DN_WORKER_POOL_MOST);
    return FALSE;
}
