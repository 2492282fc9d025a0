/* data_folders.c - see data_folders.h. */
#include "base/data_folders.h"
#include "base/compare.h"

#include <string.h>

#define ENDING ".yaml"

static void add_upward(GPtrArray *out, const char *start, const char *folder)
{
    g_autofree char *at = g_canonicalize_filename(start, NULL);
    for (;;) {
        g_ptr_array_add(out, g_build_filename(at, folder, NULL));
        char *up = g_path_get_dirname(at);
        gboolean top = g_str_equal(up, at);
        g_free(at);
        at = up;
        if (top)
            return;
    }
}

/* A build of a checkout is build/src/darner. */
static void add_checkout(GPtrArray *out, const char *folder)
{
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    if (program == NULL)
        return;
    g_autofree char *build_src = g_path_get_dirname(program);
    g_autofree char *build = g_path_get_dirname(build_src);
    g_autofree char *top = g_path_get_dirname(build);
    g_autofree char *source = g_build_filename(top, "src", "main.c", NULL);
    if (g_file_test(source, G_FILE_TEST_IS_REGULAR))
        g_ptr_array_add(out, g_build_filename(top, folder, NULL));
}

GPtrArray *dn_data_folders(const char *folder, const char *file)
{
    GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *start = file != NULL ? g_path_get_dirname(file) : NULL;
    const char *root = g_getenv("DARNER_ROOT");
    if (start != NULL)
        add_upward(out, start, folder);
    add_upward(out, ".", folder);
    if (root != NULL && root[0] != '\0')
        g_ptr_array_add(out, g_build_filename(root, folder, NULL));
    add_checkout(out, folder);
    g_ptr_array_add(out, g_build_filename(DN_DATA_DIR, folder, NULL));
    return out;
}

char *dn_data_file(const char *folder, const char *file, const char *name)
{
    g_autoptr(GPtrArray) folders = dn_data_folders(folder, file);
    g_autofree char *base = g_strconcat(name, ENDING, NULL);
    for (guint i = 0; i < folders->len; i++) {
        g_autofree char *path = g_build_filename(folders->pdata[i], base, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
            return g_steal_pointer(&path);
    }
    return NULL;
}

GPtrArray *dn_data_names(const char *folder, const char *file)
{
    g_autoptr(GPtrArray) folders = dn_data_folders(folder, file);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < folders->len; i++) {
        g_autoptr(GDir) dir = g_dir_open(folders->pdata[i], 0, NULL);
        const char *entry;
        while (dir != NULL && (entry = g_dir_read_name(dir)) != NULL) {
            if (!g_str_has_suffix(entry, ENDING))
                continue;
            g_autofree char *stem = g_strndup(entry, strlen(entry) - strlen(ENDING));
            if (g_hash_table_contains(seen, stem))
                continue;
            g_hash_table_add(seen, stem);
            g_ptr_array_add(out, g_steal_pointer(&stem));
        }
    }
    g_ptr_array_sort(out, dn_compare_texts);
    g_ptr_array_add(out, NULL);
    return out;
}
