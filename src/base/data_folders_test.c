/* data_folders_test.c - the order in which folders with data are looked into. */
#include "base/data_folders.h"

#include <glib/gstdio.h>

/* Folders of a user: a project with runs in it, another folder to work in, and $DARNER_ROOT. */
static const char *const files[] = {"project/topologies/a.yaml", "work/topologies/a.yaml",
                                    "work/topologies/b.yaml",    "root/topologies/a.yaml",
                                    "root/topologies/b.yaml",    "root/topologies/c.yaml",
                                    "root/topologies/note.txt"};
static const char run_file[] = "../project/runs/run.yaml";

static void data_folders_finds(const char *file, const char *name, const char *path)
{
    g_autofree char *found = dn_data_file("topologies", file, name);
    g_autofree char *wanted = path != NULL ? g_canonicalize_filename(path, NULL) : NULL;
    g_assert_cmpstr(found, ==, wanted);
}

/* Beside and above the file, then the working folder, then the root. */
static void test_order(void)
{
    data_folders_finds(run_file, "a", "../project/topologies/a.yaml");
    data_folders_finds(run_file, "b", "../work/topologies/b.yaml");
    data_folders_finds(run_file, "c", "../root/topologies/c.yaml");
    data_folders_finds(run_file, "d", NULL);
    data_folders_finds(NULL, "a", "../work/topologies/a.yaml");
}

/* Each once, in order; there may be more, above the folder of temporary files. */
static void test_names(void)
{
    g_autoptr(GPtrArray) names = dn_data_names("topologies", run_file);
    const char *const *known = (const char *const *)names->pdata;
    g_assert_true(g_strv_contains(known, "a") && g_strv_contains(known, "b"));
    g_assert_true(g_strv_contains(known, "c"));
    g_assert_false(g_strv_contains(known, "note"));
    for (guint i = 1; known[i] != NULL; i++)
        g_assert_cmpstr(known[i - 1], <, known[i]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_autofree char *base = g_dir_make_tmp("darner-folders-XXXXXX", NULL);
    g_autofree char *root = g_build_filename(base, "root", NULL);
    g_assert_cmpint(g_chdir(base), ==, 0);
    g_assert_cmpint(g_mkdir_with_parents("project/runs", 0777), ==, 0);
    for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *folder = g_path_get_dirname(files[i]);
        g_assert_cmpint(g_mkdir_with_parents(folder, 0777), ==, 0);
        g_assert_true(g_file_set_contents(files[i], "", 0, NULL));
    }
    g_assert_cmpint(g_chdir("work"), ==, 0);
    g_setenv("DARNER_ROOT", root, TRUE);
    g_test_add_func("/base/data_folders/order", test_order);
    g_test_add_func("/base/data_folders/names", test_names);
    int status = g_test_run();
    g_assert_cmpint(g_chdir(base), ==, 0);
    for (guint i = 0; i < G_N_ELEMENTS(files); i++)
        g_remove(files[i]);
    static const char *const folders[] = {"project/topologies",
                                          "work/topologies",
                                          "root/topologies",
                                          "project/runs",
                                          "project",
                                          "work",
                                          "root",
                                          "."};
    for (guint i = 0; i + 1 < G_N_ELEMENTS(folders); i++)
        g_rmdir(folders[i]);
    g_rmdir(base);
    return status;
}
