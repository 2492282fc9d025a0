/* cli_test_run.c - see cli_test.h. */
#include "commands/cli_test.h"
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

static const char *cli_test_run_program(void)
{
    const char *path = g_getenv("DARNER_BIN");
    if (path == NULL)
        g_error("DARNER_BIN must name the program");
    return path;
}

void cli_folder_make(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    folder->dir = g_dir_make_tmp("darner-cli-XXXXXX", NULL);
    g_assert_nonnull(folder->dir);
}

static void remove_all(const char *path)
{
    g_autoptr(GDir) dir = g_file_test(path, G_FILE_TEST_IS_SYMLINK) ? NULL
                                                                    : g_dir_open(path, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *inner = g_build_filename(path, name, NULL);
        remove_all(inner);
    }
    g_remove(path);
}

void cli_folder_remove(CliFolder *folder, gconstpointer unused)
{
    (void)unused;
    remove_all(folder->dir);
    g_free(folder->dir);
}

void cli_write(const CliFolder *folder, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(folder->dir, name, NULL);
    g_autofree char *parent = g_path_get_dirname(path);
    g_assert_cmpint(g_mkdir_with_parents(parent, 0777), ==, 0);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

char *cli_read(const CliFolder *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder->dir, name, NULL);
    char *text = NULL;
    return g_file_get_contents(path, &text, NULL, NULL) ? text : NULL;
}

gboolean cli_exists(const CliFolder *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder->dir, name, NULL);
    return g_file_test(path, G_FILE_TEST_EXISTS);
}

void cli_same_files(const CliFolder *folder, const char *a, const char *b, const char *const *names)
{
    for (; *names != NULL; names++) {
        g_autofree char *first_name = g_build_filename(a, *names, NULL);
        g_autofree char *second_name = g_build_filename(b, *names, NULL);
        g_autofree char *first = cli_read(folder, first_name);
        g_autofree char *second = cli_read(folder, second_name);
        g_assert_nonnull(first);
        g_assert_cmpstr(first, ==, second);
    }
}

void cli_same_results(const CliFolder *folder, const char *a, const char *b)
{
    static const char *const names[] = {"results.csv", "samples.csv", "statistics.csv",
                                        "links.csv",   "nics.csv",    "summary.json",
                                        NULL};
    cli_same_files(folder, a, b, names);
}

static int status_of(int wait_status)
{
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -WTERMSIG(wait_status);
}

CliAnswer cli_run_words(const CliFolder *folder, const char *const *words)
{
    g_autoptr(GPtrArray) line = g_ptr_array_new();
    g_ptr_array_add(line, (gpointer)cli_test_run_program());
    for (; *words != NULL; words++)
        g_ptr_array_add(line, (gpointer)*words);
    g_ptr_array_add(line, NULL);
    CliAnswer answer = {0};
    int wait_status = 0;
    g_autoptr(GError) error = NULL;
    g_spawn_sync(folder->dir, (char **)line->pdata, NULL, G_SPAWN_DEFAULT, NULL, NULL, &answer.out,
                 &answer.err, &wait_status, &error);
    g_assert_no_error(error);
    answer.status = status_of(wait_status);
    return answer;
}

void cli_assert_silent(const CliAnswer *answer)
{
    g_auto(GStrv) lines = g_strsplit(answer->err, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++)
        if (!g_str_has_prefix(lines[i], "estimate, ") && strstr(lines[i], "packet-hops/s") == NULL)
            g_assert_cmpstr(lines[i], ==, "");
}

void cli_answer_clear(CliAnswer *answer)
{
    g_free(answer->out);
    g_free(answer->err);
}

static guint count_rows(const CliFolder *folder)
{
    g_autofree char *text = cli_read(folder, "out/unfinished/results.csv");
    guint lines = 0;
    for (const char *p = text; p != NULL && (p = strchr(p, '\n')) != NULL; p++)
        lines++;
    return lines > 0 ? lines - 1 : 0;
}

int cli_run_and_signal(const CliFolder *folder, const char *file, guint rows, int number)
{
    /* --yes: a run without end is not refused for its length before the signal comes. */
    const char *words[] = {cli_test_run_program(), "run", "--yes", file, "-o", "out", NULL};
    GPid pid;
    g_autofree char *old = g_build_filename(folder->dir, "out", "unfinished", "results.csv", NULL);
    if (count_rows(folder) > 0)
        g_remove(old); /* an earlier run's rows must not be taken for this one's */
    g_autoptr(GError) error = NULL;
    g_spawn_async(folder->dir, (char **)words, NULL,
                  G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL |
                      G_SPAWN_STDERR_TO_DEV_NULL,
                  NULL, NULL, &pid, &error);
    g_assert_no_error(error);
    int wait_status = 0;
    for (guint tries = 0; tries < 6000 && count_rows(folder) < rows; tries++) {
        g_assert_cmpint(waitpid(pid, &wait_status, WNOHANG), ==, 0); /* it must not end by itself */
        g_usleep(10000);
    }
    g_assert_cmpint(kill(pid, number), ==, 0);
    g_assert_cmpint(waitpid(pid, &wait_status, 0), ==, pid);
    g_spawn_close_pid(pid);
    return status_of(wait_status);
}
