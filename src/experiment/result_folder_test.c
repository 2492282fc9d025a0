/* result_folder_test.c - Tests of the folder of results: earlier ones stay until new ones are
 * complete; one process at a time. */
#include "experiment/result_folder.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *base; /* an empty folder, the current one */

static DnResultFolder *folder_open(const char *dir)
{
    g_autoptr(GError) error = NULL;
    DnResultFolder *folder = dn_result_folder_open(dir, "lock", &error);
    g_assert_no_error(error);
    return folder;
}

static void folder_put(const DnResultFolder *folder, const char *name, const char *text)
{
    g_autofree char *path = dn_result_folder_file(folder, name);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void file_holds(const char *path, const char *wanted)
{
    g_autofree char *text = NULL;
    g_file_get_contents(path, &text, NULL, NULL);
    g_assert_cmpstr(text, ==, wanted);
}

/* Folders it made and wrote nothing into go away; those that were there stay. */
static void test_nothing(void)
{
    dn_result_folder_free(folder_open("a/b"));
    g_assert_false(g_file_test("a", G_FILE_TEST_EXISTS));
    g_assert_cmpint(g_mkdir("a", 0777), ==, 0);
    dn_result_folder_free(folder_open("a/b"));
    g_assert_true(g_file_test("a", G_FILE_TEST_IS_DIR));
    g_assert_cmpint(g_rmdir("a"), ==, 0);
}

/* What another has in a folder that `unfinished` links to is not touched. */
static void test_link(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_cmpint(g_mkdir_with_parents("l/r", 0777) + g_mkdir("l/d", 0777), ==, 0);
    g_assert_true(g_file_set_contents("l/d/mine", "mine", -1, NULL));
    g_assert_cmpint(symlink("../d", "l/r/unfinished"), ==, 0);
    g_assert_null(dn_result_folder_open("l/r", "lock", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_FILE);
    g_assert_cmpstr(error->message, ==,
                    "l/r/unfinished: cannot write there: it is a link; give another folder with "
                    "-o");
    file_holds("l/d/mine", "mine");
    g_assert_cmpint(g_unlink("l/d/mine") + g_unlink("l/r/unfinished"), ==, 0);
    g_assert_cmpint(g_rmdir("l/d") + g_rmdir("l/r") + g_rmdir("l"), ==, 0);
}

static gboolean is_stale(const char *name)
{
    return strcmp(name, "explain.json") == 0;
}

static void test_publish(void)
{
    g_autoptr(GError) error = NULL;
    DnResultFolder *folder = folder_open("r");
    folder_put(folder, "results.csv", "new");
    folder_put(folder, "summary.json", "new");
    folder_put(folder, "points", "p");
    g_assert_true(g_file_set_contents("r/results.csv", "old", -1, NULL));
    g_assert_true(g_file_set_contents("r/explain.json", "old", -1, NULL));
    g_assert_true(g_file_set_contents("r/mine.txt", "mine", -1, NULL));
    dn_result_folder_free(folder); /* as a run that was cut: all is there */
    file_holds("r/results.csv", "old");
    file_holds("r/unfinished/results.csv", "new");
    folder = folder_open("r");
    g_assert_true(dn_result_folder_publish(folder, "summary.json", is_stale, &error));
    g_assert_no_error(error);
    dn_result_folder_free(folder);
    file_holds("r/results.csv", "new");
    file_holds("r/summary.json", "new");
    file_holds("r/explain.json", NULL);
    file_holds("r/mine.txt", "mine");
    g_assert_false(g_file_test("r/unfinished", G_FILE_TEST_EXISTS));
    g_unlink("r/results.csv");
    g_unlink("r/summary.json");
    g_unlink("r/mine.txt");
    g_assert_cmpint(g_rmdir("r"), ==, 0);
}

/* Another process has it until it ends, also by kill -9; its number and computer are reported. */
static void test_lock(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *owner = NULL;
    int ready[2];
    g_assert_cmpint(pipe(ready), ==, 0);
    pid_t other = fork();
    if (other == 0) {
        g_assert_nonnull(folder_open("r"));
        g_assert_cmpint(write(ready[1], "x", 1), ==, 1);
        pause();
    }
    char byte;
    g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
    g_assert_null(dn_result_folder_open("r", "lock", &error));
    owner = g_strdup_printf("r: process %d on %s is writing", (int)other, g_get_host_name());
    g_assert_true(g_str_has_prefix(error->message, owner));
    g_autoptr(DnResultFolder) shared = dn_result_folder_open("r", "lock.2-of-4", NULL);
    g_assert_nonnull(shared); /* a part of the same run */
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    close(ready[0]);
    close(ready[1]);
    dn_result_folder_free(g_steal_pointer(&shared));
    dn_result_folder_free(folder_open("r"));
    g_assert_cmpint(g_rmdir("r"), ==, 0);
}

/* What a killed process left of files that it was replacing goes, and nothing else. */
static void test_temporary(void)
{
    static const char *const kept[] = {"mine.csv.ABC123", "results.csv.backup",
                                       "results.csv.ABC1234"};
    g_assert_cmpint(g_mkdir("r", 0777), ==, 0);
    g_assert_true(g_file_set_contents("r/results.csv.S8I6Y3", "x", -1, NULL));
    g_assert_true(g_file_set_contents("r/statistics.csv.IRR4Y3", "x", -1, NULL));
    for (guint i = 0; i < G_N_ELEMENTS(kept); i++) {
        g_autofree char *path = g_build_filename("r", kept[i], NULL);
        g_assert_true(g_file_set_contents(path, "x", -1, NULL));
    }
    dn_result_folder_free(folder_open("r"));
    g_assert_false(g_file_test("r/results.csv.S8I6Y3", G_FILE_TEST_EXISTS));
    g_assert_false(g_file_test("r/statistics.csv.IRR4Y3", G_FILE_TEST_EXISTS));
    for (guint i = 0; i < G_N_ELEMENTS(kept); i++) {
        g_autofree char *path = g_build_filename("r", kept[i], NULL);
        g_assert_cmpint(g_unlink(path), ==, 0);
    }
    g_assert_cmpint(g_rmdir("r"), ==, 0);
}

static void test_wrong(void)
{
    static const char *const names[] = {"results.csv", NULL};
    g_autoptr(GError) error = NULL;
    g_assert_true(g_file_set_contents("file", "x", -1, NULL));
    g_assert_null(dn_result_folder_open("file/out", "lock", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_FILE);
    g_clear_error(&error);
    g_assert_cmpint(g_unlink("file"), ==, 0);
    g_assert_cmpint(g_mkdir_with_parents("r/results.csv", 0777), ==, 0);
    DnResultFolder *folder = folder_open("r");
    g_assert_false(dn_result_folder_check(folder, names, &error));
    g_assert_nonnull(strstr(error->message, "it is a folder"));
    dn_result_folder_free(folder);
    g_assert_cmpint(g_rmdir("r/results.csv") | g_rmdir("r"), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    base = g_dir_make_tmp("darner-folder-XXXXXX", NULL);
    g_assert_cmpint(g_chdir(base), ==, 0);
    g_test_add_func("/experiment/result-folder/nothing", test_nothing);
    g_test_add_func("/experiment/result-folder/link", test_link);
    g_test_add_func("/experiment/result-folder/publish", test_publish);
    g_test_add_func("/experiment/result-folder/lock", test_lock);
    g_test_add_func("/experiment/result-folder/temporary", test_temporary);
    g_test_add_func("/experiment/result-folder/wrong", test_wrong);
    int status = g_test_run();
    g_rmdir(base);
    g_free(base);
    return status;
}
