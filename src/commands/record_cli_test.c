/* record_cli_test.c - Tests that a program's own list of its calls is what the recorder's trace
 * says, line by line and rank by rank: counts, bytes, matching. See record/round_trip_program.c. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "commands/cli_test.h"
#include "trace/trace.h"

/* ---- a trace in the program's own words ---- */

static guint32 record_world(const DnTrace *trace, guint32 rank, guint32 comm, guint32 peer)
{
    return dn_trace_world_rank(dn_trace_comm(trace, rank, comm, NULL), peer);
}

static gint64 sum_of(const DnTraceOp *op)
{
    gint64 sum = 0;
    for (guint32 i = 0; i < op->n_list; i++)
        sum += op->list[i];
    return sum;
}

static void say_message(const DnTrace *trace, guint32 rank, const DnTraceOp *op, GString *out)
{
    gboolean sends = op->call == DN_CALL_SEND || op->call == DN_CALL_ISEND ||
                     op->call == DN_CALL_SEND_INIT || op->call == DN_CALL_SENDRECV;
    guint32 peer = record_world(trace, rank, op->comm, op->peer);
    g_string_append_printf(out, " %s %u tag %u", sends ? "to" : "from", peer, op->tag);
    if (op->call != DN_CALL_PROBE && op->call != DN_CALL_IPROBE)
        g_string_append_printf(out, " bytes %" G_GINT64_FORMAT, op->bytes);
    if (op->call == DN_CALL_SENDRECV)
        g_string_append_printf(out, " from %u tag %u bytes %" G_GINT64_FORMAT,
                               record_world(trace, rank, op->comm, op->from), op->from_tag,
                               op->recv_bytes);
}

static void say_collective(const DnTrace *trace, guint32 rank, const DnTraceOp *op, GString *out)
{
    g_string_append_printf(out, " of %u", dn_trace_comm(trace, rank, op->comm, NULL)->n);
    gboolean rooted = op->call == DN_CALL_BCAST || op->call == DN_CALL_REDUCE ||
                      op->call == DN_CALL_GATHER || op->call == DN_CALL_SCATTER ||
                      op->call == DN_CALL_GATHERV || op->call == DN_CALL_SCATTERV;
    gboolean listed = op->call == DN_CALL_GATHERV || op->call == DN_CALL_SCATTERV ||
                      op->call == DN_CALL_ALLGATHERV || op->call == DN_CALL_ALLTOALLV ||
                      op->call == DN_CALL_ALLTOALLW || op->call == DN_CALL_REDUCE_SCATTER;
    if (rooted)
        g_string_append_printf(out, " root %u", op->root);
    if (op->call != DN_CALL_BARRIER && (!listed || rooted))
        g_string_append_printf(out, " bytes %" G_GINT64_FORMAT, op->bytes);
    if (listed)
        g_string_append_printf(out, " list %" G_GINT64_FORMAT, sum_of(op));
    if (op->flags & DN_TRACE_NONBLOCKING)
        g_string_append(out, " begun");
}

static void record_say(const DnTrace *trace, guint32 rank, const DnTraceOp *op, GString *out)
{
    g_string_append(out, dn_call_name(op->call));
    if (op->call >= DN_CALL_SEND && op->call <= DN_CALL_RECV_INIT)
        say_message(trace, rank, op, out);
    else if (op->call == DN_CALL_PROBE || op->call == DN_CALL_IPROBE)
        say_message(trace, rank, op, out);
    else if (op->call >= DN_CALL_BARRIER && op->call <= DN_CALL_REDUCE_SCATTER)
        say_collective(trace, rank, op, out);
    else if ((op->call >= DN_CALL_WAIT && op->call <= DN_CALL_TESTSOME) ||
             op->call == DN_CALL_START)
        g_string_append_printf(out, " %u", op->n_list);
    g_string_append_c(out, '\n');
}

static char *words_of(const DnTrace *trace, guint32 rank, gint64 *compute_ps)
{
    GString *out = g_string_new(NULL);
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, rank);
    DnTraceOp op;
    while (dn_trace_cursor_next(cursor, &op)) {
        if (op.call == DN_CALL_COMPUTE)
            *compute_ps += op.duration_ps;
        else
            record_say(trace, rank, &op, out);
    }
    return g_string_free(out, FALSE);
}

/* ---- runs ---- */

static CliAnswer record_file(const CliFolder *folder, const char *ranks, const char *mode)
{
    return cli_run(folder, "record", "-n", ranks, "-o", "t.drn.zst", "--keep", "--mpirun",
                   g_getenv("DARNER_MPIRUN"), g_getenv("DARNER_MPI_PROGRAM"), ".", mode);
}

static void record_compare(const CliFolder *folder, const char *name, guint32 ranks)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_build_filename(folder->dir, name, NULL);
    g_autoptr(DnTrace) trace = dn_trace_open(path, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(trace->reader->name, ==, "darner");
    g_assert_cmpuint(trace->ranks, ==, ranks);
    for (guint32 r = 0; r < ranks; r++) {
        gint64 compute_ps = 0;
        g_autofree char *file = g_strdup_printf("log-%u", r);
        g_autofree char *log = cli_read(folder, file);
        g_autofree char *words = words_of(trace, r, &compute_ps);
        g_assert_cmpstr(words, ==, log);
        /* Writing the log is the program's own work: each of its lines is a call of write(), which
         * takes no kernel less than 0.2 us. */
        gint64 lines = 0;
        for (const char *at = strchr(log, '\n'); at != NULL; at = strchr(at + 1, '\n'))
            lines++;
        g_assert_cmpint(lines, >, 0);
        g_assert_cmpint(compute_ps, >, lines * 200000);
    }
}

static void test_round_trip(CliFolder *folder, gconstpointer ranks)
{
    g_auto(CliAnswer) answer = record_file(folder, ranks, NULL);
    g_assert_cmpstr(answer.err, !=, "");
    g_assert_cmpint(answer.status, ==, 0);
    guint32 n = (guint32)g_ascii_strtoull(ranks, NULL, 10);
    record_compare(folder, "t.drn.zst", n);
    record_compare(folder, "t.drn.zst.ranks", n);
}

/* Every rank kills itself after 5,000 calls, which are all there. */
static void test_killed(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    g_auto(CliAnswer) answer = record_file(folder, "2", "kill");
    g_assert_cmpint(answer.status, ==, 1);
    g_assert_nonnull(strstr(answer.err, "2 of 2 ranks did not reach MPI_Finalize"));
    record_compare(folder, "t.drn.zst", 2);
}

/* The bindings mpif.h and mpi_f08, which call MPI under one or the other of its names. */
static void test_fortran(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    g_auto(GStrv) programs = g_strsplit(g_getenv("DARNER_MPI_FORTRAN"), ":", -1);
    if (programs[0] == NULL) {
        g_test_skip("no Fortran compiler, or this MPI has none of its own");
        return;
    }
    for (guint i = 0; programs[i] != NULL; i++) {
        g_auto(CliAnswer) answer = cli_run(folder, "record", "-n", "3", "-o", "t.drn.zst",
                                           "--mpirun", g_getenv("DARNER_MPIRUN"), programs[i]);
        g_assert_cmpint(answer.status, ==, 0);
        record_compare(folder, "t.drn.zst", 3);
    }
}

/* Without the command: the launcher carries the recorder too, and does not mind. Returns its
 * status. */
static int run_preloaded(const CliFolder *folder, char **said)
{
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) environment =
        g_environ_setenv(g_get_environ(), "LD_PRELOAD", g_getenv("DARNER_RECORDER"), TRUE);
    char *words[] = {(char *)g_getenv("DARNER_MPIRUN"),      (char *)"-n", (char *)"2",
                     (char *)g_getenv("DARNER_MPI_PROGRAM"), (char *)".",  NULL};
    int status = -1;
    g_spawn_sync(folder->dir, words, environment, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, said,
                 &status, &error);
    g_assert_no_error(error);
    return status;
}

static void test_preload(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    g_assert_cmpint(run_preloaded(folder, NULL), ==, 0);
    record_compare(folder, "darner-trace", 2);
}

/* One rank has no file: the program runs to its end, unrecorded. */
static void test_no_file(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    g_autofree char *said = NULL;
    cli_write(folder, "darner-trace/rank-000001.drn/in-the-way", "");
    g_assert_cmpint(run_preloaded(folder, &said), ==, 0);
    g_assert_nonnull(strstr(said, "rank-000001.drn: Is a directory"));
    g_assert_nonnull(strstr(said, "not every rank can write its file; nothing is recorded"));
    g_assert_false(cli_exists(folder, "darner-trace/rank-000000.drn"));
}

typedef struct {
    const char *words[10], *says;
} Wrong;

/* Each is one error, and no trace is left. */
static void test_wrong(CliFolder *folder, gconstpointer unused)
{
    const char *mpirun = g_getenv("DARNER_MPIRUN");
    const Wrong wrongs[] = {
        {{"record", NULL}, "no program given"},
        {{"record", "-n", "0", "true", NULL}, "--ranks is out of range"},
        {{"record", "--clock", "sun", "true", NULL}, "known: wall, cpu"},
        {{"record", "--rank", "2", "true", NULL}, "did you mean '--ranks'"},
        {{"record", "--mpirun", "no-such-launcher", "true", NULL}, "cannot run no-such-launcher"},
        {{"record", "--mpirun", "echo", "true", NULL}, "known: Open MPI, MPICH"},
        {{"record", "--mpirun", "'", "true", NULL}, "--mpirun"},
        {{"record", "./no-such-program", NULL}, "./no-such-program: no such file; wanted"},
        {{"record", "no-such-program", NULL}, "no-such-program: not in $PATH"},
        /* Options behind the program's name are its own. */
        {{"record", "--mpirun", mpirun, "true", "-n", "x", NULL}, "true recorded nothing"},
    };
    (void)unused;
    for (gsize i = 0; i < G_N_ELEMENTS(wrongs); i++) {
        g_auto(CliAnswer) answer = cli_run_words(folder, wrongs[i].words);
        g_assert_cmpint(answer.status, ==, 2);
        if (strstr(answer.err, wrongs[i].says) == NULL)
            g_error("%s: said %s", wrongs[i].says, answer.err);
        g_assert_false(cli_exists(folder, "true.drn.zst"));
    }
}

/* A folder with the name that --keep gives is never written to or removed. */
static void test_foreign_folder(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    g_autofree char *ranks = g_build_filename(folder->dir, "t.ranks", NULL);
    g_assert_cmpint(g_mkdir(ranks, 0777), ==, 0);
    cli_write(folder, "t.ranks/mine.txt", "precious");
    g_auto(CliAnswer) nothing =
        cli_run(folder, "record", "-o", "t", "--mpirun", g_getenv("DARNER_MPIRUN"), "true");
    g_assert_cmpint(nothing.status, ==, 2);
    g_assert_nonnull(strstr(nothing.err, "true recorded nothing"));
    g_auto(CliAnswer) kept = cli_run(folder, "record", "-o", "t", "--keep", "--mpirun",
                                     g_getenv("DARNER_MPIRUN"), "true");
    g_assert_cmpint(kept.status, ==, 2);
    g_assert_nonnull(strstr(kept.err, "t.ranks is there already"));
    g_autofree char *mine = cli_read(folder, "t.ranks/mine.txt");
    g_assert_cmpstr(mine, ==, "precious");
    g_autoptr(GDir) left = g_dir_open(folder->dir, 0, NULL);
    g_assert_cmpstr(g_dir_read_name(left), ==, "t.ranks");
    g_assert_null(g_dir_read_name(left));
}

/* SIGTERM to the command alone ends the program that it records too. */
static void test_ended(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    const char *words[] = {g_getenv("DARNER_BIN"),
                           "record",
                           "--mpirun",
                           g_getenv("DARNER_MPIRUN"),
                           "sleep",
                           "300",
                           NULL};
    g_autoptr(GError) error = NULL;
    GPid pid;
    int status = 0;
    g_spawn_async(folder->dir, (char **)words, NULL,
                  G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, &pid, &error);
    g_assert_no_error(error);
    g_usleep(G_USEC_PER_SEC);
    g_assert_cmpint(kill(pid, SIGTERM), ==, 0);
    gint64 begin_us = g_get_monotonic_time();
    g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
    g_assert_cmpint(g_get_monotonic_time() - begin_us, <, 60 * G_USEC_PER_SEC);
    g_assert_true(WIFEXITED(status) || WTERMSIG(status) == SIGTERM); /* before it looked */
    g_spawn_close_pid(pid);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add("/record/round-trip/2", CliFolder, "2", cli_folder_make, test_round_trip,
               cli_folder_remove);
    g_test_add("/record/round-trip/3", CliFolder, "3", cli_folder_make, test_round_trip,
               cli_folder_remove);
    /* MPICH's waiting ranks do not give their processor away: eight on two of them take minutes. */
    if (strstr(g_getenv("DARNER_MPIRUN"), "mpich") == NULL)
        g_test_add("/record/round-trip/8", CliFolder, "8", cli_folder_make, test_round_trip,
                   cli_folder_remove);
    cli_test_add("/record/fortran", test_fortran);
    cli_test_add("/record/killed", test_killed);
    cli_test_add("/record/ended", test_ended);
    cli_test_add("/record/preload", test_preload);
    cli_test_add("/record/no-file", test_no_file);
    cli_test_add("/record/wrong", test_wrong);
    cli_test_add("/record/foreign-folder", test_foreign_folder);
    return g_test_run();
}
