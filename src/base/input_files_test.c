/* input_files_test.c - Tests of the register of files that were read. */
#include "base/input_files.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

static void test_files(void)
{
    g_autofree char *folder = g_dir_make_tmp("darner-inputs-XXXXXX", NULL);
    g_assert_cmpint(g_chdir(folder), ==, 0);
    g_assert_true(g_file_set_contents("b", "B", -1, NULL));
    dn_input_files_note("b", NULL, 0); /* nobody asks */
    dn_input_files_begin();
    dn_input_files_note("b", NULL, 0);
    dn_input_files_note("./b", NULL, 0);
    dn_input_files_note("a", "as it was read", 14); /* it need not be there any more */
    g_autofree char *text = dn_input_files_end();
    /* SHA-256 of the bytes, from `sha256sum` */
    g_autofree char *wanted =
        g_strdup_printf("de6c1337f724ee9f %s/a\ndf7e70e5021544f4 %s/b\n", folder, folder);
    g_assert_cmpstr(text, ==, wanted);
    g_autofree char *none = dn_input_files_end();
    g_assert_cmpstr(none, ==, "");
    g_autofree char *program = dn_program_hash();
    g_assert_cmpuint(strlen(program), ==, 16);
    g_unlink("b");
    g_rmdir(folder);
}

/* Lines of other files than the run's, and whether a file is as it was. */
static void test_unchanged(void)
{
    const char *path;
    g_autofree char *folder = g_dir_make_tmp("darner-inputs-XXXXXX", NULL);
    g_assert_cmpint(g_chdir(folder), ==, 0);
    g_assert_true(g_file_set_contents("b", "B", -1, NULL));
    g_assert_true(g_file_set_contents("a", "A", -1, NULL));
    dn_input_files_begin();
    dn_input_files_note("a", NULL, 0);
    dn_input_files_note("b", "B", 1);
    g_autofree char *both = dn_input_files_end();
    g_autofree char *line = dn_input_files_without(both, "./a");
    g_strchomp(line);
    g_assert_null(strchr(line, '\n'));
    g_assert_true(dn_input_files_unchanged(line, &path));
    g_assert_true(g_str_has_suffix(path, "/b"));
    g_assert_true(g_file_set_contents("b", "C", -1, NULL));
    g_assert_false(dn_input_files_unchanged(line, &path));
    g_assert_cmpint(g_unlink("b"), ==, 0);
    g_assert_false(dn_input_files_unchanged(line, &path));
    g_unlink("a");
    g_assert_cmpint(g_chdir("/"), ==, 0);
    g_rmdir(folder);
}

/* A file that was read again is known by its last contents, also where size and time of change are
 * those of before. */
static void test_written_again(void)
{
    g_autofree char *folder = g_dir_make_tmp("darner-inputs-XXXXXX", NULL);
    g_assert_cmpint(g_chdir(folder), ==, 0);
    g_assert_true(g_file_set_contents("b", "A", -1, NULL));
    dn_input_files_begin();
    dn_input_files_note("b", NULL, 0);
    GStatBuf before;
    g_assert_cmpint(g_stat("b", &before), ==, 0);
    g_assert_true(g_file_set_contents("b", "B", -1, NULL));
    const struct timespec times[2] = {before.st_atim, before.st_mtim};
    g_assert_cmpint(utimensat(AT_FDCWD, "b", times, 0), ==, 0);
    dn_input_files_note("b", NULL, 0);
    g_autofree char *text = dn_input_files_end();
    g_autofree char *wanted = g_strdup_printf("df7e70e5021544f4 %s/b\n", folder);
    g_assert_cmpstr(text, ==, wanted);
    g_unlink("b");
    g_rmdir(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/base/input-files", test_files);
    g_test_add_func("/base/input-files/unchanged", test_unchanged);
    g_test_add_func("/base/input-files/written-again", test_written_again);
    return g_test_run();
}
