/* machine_find.c - a machine's file by its name. */
#include <string.h>

#include "topology/machine.h"

static void add_upward(GPtrArray *out, const char *folder)
{
    g_autofree char *at = g_canonicalize_filename(folder, NULL);
    for (;;) {
        g_ptr_array_add(out, g_build_filename(at, "topologies", NULL));
        char *up = g_path_get_dirname(at);
        gboolean top = g_str_equal(up, at);
        g_free(at);
        at = up;
        if (top)
            return;
    }
}

/* `topologies` folders, nearest first: beside and above @file, then the working folder,
 * $DARNER_ROOT, the installed one (DN_DATA_DIR is the build's). */
static GPtrArray *machine_find_folders(const char *file)
{
    GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *folder = g_path_get_dirname(file);
    add_upward(out, folder);
    add_upward(out, ".");
    const char *root = g_getenv("DARNER_ROOT");
    if (root != NULL && root[0] != '\0')
        g_ptr_array_add(out, g_build_filename(root, "topologies", NULL));
    g_ptr_array_add(out, g_build_filename(DN_DATA_DIR, "topologies", NULL));
    return out;
}

static gint by_text(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Every machine of @places, once, sorted, NULL-terminated. */
static GPtrArray *known_names(const GPtrArray *places)
{
    GPtrArray *out = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < places->len; i++) {
        g_autoptr(GDir) dir = g_dir_open(places->pdata[i], 0, NULL);
        const char *name;
        while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
            if (!g_str_has_suffix(name, ".yaml"))
                continue;
            g_autofree char *stem = g_strndup(name, strlen(name) - strlen(".yaml"));
            if (!g_ptr_array_find_with_equal_func(out, stem, g_str_equal, NULL))
                g_ptr_array_add(out, g_steal_pointer(&stem));
        }
    }
    g_ptr_array_sort(out, by_text);
    g_ptr_array_add(out, NULL);
    return out;
}

static gboolean is_path(const char *name)
{
    return strchr(name, '/') != NULL || g_str_has_suffix(name, ".yaml");
}

char *dn_machine_find(const char *name, const DnConfigNode *at, GError **error)
{
    if (is_path(name)) {
        g_autofree char *folder = g_path_get_dirname(at->file);
        g_autofree char *path = g_path_is_absolute(name) ? g_strdup(name)
                                                         : g_build_filename(folder, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
            return g_steal_pointer(&path);
        g_autofree char *shown = dn_quote(name);
        dn_config_error(at, DN_ERROR_FILE, error, "no machine file %s; paths are relative to %s",
                        shown, folder);
        return NULL;
    }
    g_autoptr(GPtrArray) places = machine_find_folders(at->file);
    g_autofree char *file = g_strconcat(name, ".yaml", NULL);
    for (guint i = 0; i < places->len; i++) {
        g_autofree char *path = g_build_filename(places->pdata[i], file, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
            return g_steal_pointer(&path);
    }
    g_autoptr(GPtrArray) known = known_names(places);
    g_autofree char *shown = dn_quote(name);
    g_autofree char *tail =
        known->len > 1
            ? dn_suggest(name, (const char *const *)known->pdata, "known")
            : g_strdup("; no folder 'topologies' beside or above the file or the working "
                       "folder, in $DARNER_ROOT or in " DN_DATA_DIR);
    dn_config_error(at, DN_ERROR_UNKNOWN, error, "unknown machine %s%s", shown, tail);
    return NULL;
}
