/* flow_process_test.c - The flow engine's child process: its deaths, its open files, signals and
 * deadlocks become errors. */
#include "engine/flow/flow_test.h"

/* ---- what goes wrong ---- */

/* A run of one kind of misfortune in the child. */
typedef struct {
    DnSolver *solver;
    void (*misfortune)(DnSolver *solver);
    guint64 count;
} Unlucky;

static gboolean unlucky_go_on(void *data, gint64 *until_ps)
{
    Unlucky *unlucky = data;
    const guint32 link = 0;
    if (unlucky->misfortune != NULL)
        unlucky->misfortune(unlucky->solver);
    dn_solver_post(unlucky->solver, 0, 1, 1000, 0, &link, 1);
    *until_ps = G_MAXINT64;
    return TRUE;
}

static void unlucky_absorb(void *data, gint64 now_ps, const guint32 *ended, guint32 n)
{
}

static gboolean no_patience(void *data)
{
    return FALSE;
}

/* The error of a child with @misfortune over one link of @capacity. */
static void unlucky_run(void (*misfortune)(DnSolver *solver), double capacity, gint64 memory,
                        DnError code, const char *words)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) ended = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autoptr(DnSolver) solver = dn_solver_new();
    Unlucky unlucky = {solver, misfortune, 0};
    DnSolverRun run = {&unlucky, unlucky_go_on, unlucky_absorb, &unlucky.count};
    gint64 now_ps;
    g_assert_true(dn_solver_start(solver, &capacity, 1, memory, &run, &error));
    g_assert_no_error(error);
    DnSolverPatience patience = code == DN_ERROR_INTERRUPTED ? no_patience : NULL;
    g_assert_false(dn_solver_follow(solver, &now_ps, ended, patience, NULL, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    if (strstr(error->message, words) == NULL)
        g_error("wanted '%s', said: %s", words, error->message);
    if (code == DN_ERROR_INTERRUPTED)
        return;
    g_clear_error(&error); /* and once more: it stays gone, and says so */
    g_assert_false(dn_solver_follow(solver, &now_ps, ended, NULL, NULL, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
}

static void say_and_fail(DnSolver *solver)
{
    fputs("out of luck\n", stderr);
    _exit(7);
}

static void be_killed(DnSolver *solver)
{
    raise(SIGKILL);
}

static void flow_hang(DnSolver *solver)
{
    for (;;)
        pause();
}

#if !defined(__SANITIZE_ADDRESS__)
static void post_many(DnSolver *solver)
{
    const guint32 link = 0;
    for (guint32 i = 2; i < 400000; i++) /* about 1 KB each */
        dn_solver_post(solver, 0, i, 1000, 0, &link, 1);
}

static void take_memory(DnSolver *solver)
{
    g_autofree char *much = g_malloc((gsize)1 << 30);
    memset(much, 1, 1 << 20);
}
#endif

static void test_solver_aborts(void)
{
    unlucky_run(NULL, -1.0, 0, DN_ERROR_STALLED, /* SimGrid refuses such a link */
                "the flow solver gave up (signal 6");
    unlucky_run(say_and_fail, 1000.0, 0, DN_ERROR_STALLED,
                "the flow solver gave up (exit status 7): out of luck");
    unlucky_run(be_killed, 1000.0, 0, DN_ERROR_STALLED,
                "the flow solver gave up (signal 9, Killed)");
    unlucky_run(flow_hang, 1000.0, 0, DN_ERROR_INTERRUPTED, "interrupted");
}

static void test_solver_memory(void)
{
#if defined(__SANITIZE_ADDRESS__)
    g_test_skip("AddressSanitizer's own memory exceeds any limit");
#else
    unlucky_run(post_many, 1000.0, 128 << 20, DN_ERROR_MEMORY, /* SimGrid's */
                "the flow solver ran out of memory");
    unlucky_run(take_memory, 1000.0, 128 << 20, DN_ERROR_MEMORY, /* our own */
                "the flow solver ran out of memory");
#endif
}

/* Both processes read a file through one open descriptor: each at its own pace. */
static int shared_file;

static void read_on(DnSolver *solver)
{
    char c = '?';
    ssize_t n = read(shared_file, &c, 1);
    g_printerr("read %zd %c\n", n, c);
    _exit(7);
}

static void test_files(void)
{
    g_autofree char *name = NULL;
    guint8 c = '?';
    int made = g_file_open_tmp("darner-XXXXXX", &name, NULL);
    g_assert_cmpint(made, >=, 0);
    g_assert_cmpint(write(made, "abcd", 4), ==, 4);
    close(made);
    shared_file = open(name, O_RDONLY);
    g_assert_cmpint(read(shared_file, &c, 1), ==, 1);
    g_assert_cmpint(c, ==, 'a');
    unlucky_run(read_on, 1000.0, 0, DN_ERROR_STALLED, "): read 1 b");
    g_assert_cmpint(read(shared_file, &c, 1), ==, 1);
    g_assert_cmpint(c, ==, 'b');
    close(shared_file);
    g_assert_cmpint(unlink(name), ==, 0);
}

/* A second run in the same process is as the first, whatever happened to other children. */
static void test_after_abort(void)
{
    test_solver_aborts();
    test_one_flow();
    test_one_flow();
}

static gboolean stop_at_once(void *data, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    return FALSE;
}

static void flow_tick(void *data, DnContext *context, guint32 endpoint, guint64 cookie)
{
    dn_context_timer(context, dn_context_now(context) + 1000000, 0);
}

static void start_ticking(void *data, DnContext *context, guint32 endpoint)
{
    flow_tick(data, context, endpoint, 0);
}

static guint one_blocked(void *data, GString *account, guint max_lines)
{
    g_string_append(account, "rank 0 waits for rank 1");
    return 1;
}

/* Timers without end: only the observer stops them, and `until`. */
static void test_interrupt(void)
{
    Bench b;
    g_autoptr(GError) error = NULL;
    const DnClient ticking = {.start = start_ticking,
                              .sent = script_sent,
                              .delivered = script_delivered,
                              .timer = flow_tick};
    open_dragonfly(&b, "");
    client = &ticking;
    DnObserver observer = {.progress = stop_at_once};
    g_assert_false(flow_try(&b, NULL, 0, FALSE, NULL, observer, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_INTERRUPTED);
    client = &script_client;
    bench_close(&b);
}

static void test_deadlock(void)
{
    Bench b;
    g_autoptr(GError) error = NULL;
    const DnClient waiting = {.start = script_start,
                              .sent = script_sent,
                              .delivered = script_delivered,
                              .timer = script_timer,
                              .blocked = one_blocked};
    open_dragonfly(&b, "");
    client = &waiting;
    DnMessage m = {.src = 0, .dst = 1, .bytes = 1000};
    g_assert_false(flow_try(&b, &m, 1, FALSE, NULL, (DnObserver){0}, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_STALLED);
    g_assert_nonnull(strstr(error->message, "rank 0 waits for rank 1"));
    client = &script_client;
    bench_close(&b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/flow/solver_aborts", test_solver_aborts);
    g_test_add_func("/flow/solver_memory", test_solver_memory);
    g_test_add_func("/flow/files", test_files);
    g_test_add_func("/flow/after_abort", test_after_abort);
    g_test_add_func("/flow/interrupt", test_interrupt);
    g_test_add_func("/flow/deadlock", test_deadlock);
    return g_test_run();
}
