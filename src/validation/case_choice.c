/* case_choice.c - see case_choice.h. */
#include "validation/case_choice.h"
#include "base/compare.h"
#include "base/data_folders.h"
#include "validation/validation_case.h"

#include <string.h>

/* (transfer full): names of the folders with an expected.csv, sorted, NULL-terminated. */
static GPtrArray *list_cases(const char *folder)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *file = g_build_filename(folder, name, "expected.csv", NULL);
        if (g_file_test(file, G_FILE_TEST_EXISTS))
            g_ptr_array_add(names, g_strdup(name));
    }
    g_ptr_array_sort(names, dn_compare_texts);
    g_ptr_array_add(names, NULL);
    return names;
}

char *dn_case_folder(GPtrArray **known, GError **error)
{
    g_autoptr(GPtrArray) folders = dn_data_folders("validation", NULL);
    for (guint i = 0; i < folders->len; i++) {
        g_autoptr(GPtrArray) names = list_cases(folders->pdata[i]);
        if (names->len < 2)
            continue;
        if (known != NULL)
            *known = g_steal_pointer(&names);
        return g_strdup(folders->pdata[i]);
    }
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s",
                "no folder validation/ with cases here or above; run this inside the project, or "
                "set DARNER_ROOT to it");
    return NULL;
}

/* Adds the folders that @word means: a path, a name, or a pattern such as h200x4-*. */
static gboolean add_cases(const char *word, const char *folder, const GPtrArray *known,
                          GPtrArray *dirs, GError **error)
{
    guint before = dirs->len;
    if (strchr(word, '/') != NULL) {
        g_autofree char *dir = g_strdup(word);
        for (gsize n = strlen(dir); n > 1 && dir[n - 1] == '/'; n--)
            dir[n - 1] = '\0';
        g_ptr_array_add(dirs, g_steal_pointer(&dir));
        return TRUE;
    }
    g_assert(known != NULL); /* dn_case_choose() lists them when a word is no path */
    for (guint i = 0; i + 1 < known->len; i++)
        if (g_pattern_match_simple(word, g_ptr_array_index(known, i)))
            g_ptr_array_add(dirs, g_build_filename(folder, g_ptr_array_index(known, i), NULL));
    if (dirs->len > before)
        return TRUE;
    g_autofree char *unknown = dn_unknown(word, (const char *const *)known->pdata, "known");
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "unknown validation case %s", unknown);
    return FALSE;
}

/* Removes the cases of the full tier. */
static gboolean drop_full(GPtrArray *dirs, GError **error)
{
    for (guint i = dirs->len; i > 0; i--) {
        gboolean full = FALSE;
        if (!dn_case_is_full(g_ptr_array_index(dirs, i - 1), &full, error))
            return FALSE;
        if (full)
            g_ptr_array_remove_index(dirs, i - 1);
    }
    return TRUE;
}

GPtrArray *dn_case_choose(char **words, gboolean list, gboolean full, GError **error)
{
    g_autoptr(GPtrArray) dirs = g_ptr_array_new_with_free_func(g_free);
    gboolean by_path = *words != NULL;
    for (char **w = words; *w != NULL; w++)
        by_path = by_path && strchr(*w, '/') != NULL;
    g_autofree char *folder = NULL;
    g_autoptr(GPtrArray) known = NULL;
    if (!by_path || list) {
        folder = dn_case_folder(&known, error);
        if (folder == NULL)
            return NULL;
    }
    if (*words == NULL && (!add_cases("*", folder, known, dirs, error) ||
                           (!full && !list && !drop_full(dirs, error))))
        return NULL;
    for (; *words != NULL; words++)
        if (!add_cases(*words, folder, known, dirs, error))
            return NULL;
    return g_steal_pointer(&dirs);
}
