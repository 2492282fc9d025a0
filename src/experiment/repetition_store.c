/* repetition_store.c - see repetition_store.h. */
#include "experiment/repetition_store.h"

#include "experiment/point_store.h"

#include <glib/gstdio.h>

struct DnRepetitionStore {
    const DnRepetitionKeep *keep;
    guint repeat;
    char *path;
    DnPointStore *points; /* NULL: the file is not there yet */
    gint64 begun_us;
};

static char *store_path(const char *dir, guint point)
{
    g_autofree char *name = g_strdup_printf(DN_REPETITIONS_PREFIX ".%u", point);
    return g_build_filename(dir, name, NULL);
}

static gboolean store_open(DnRepetitionStore *store, GError **error)
{
    store->points = dn_point_store_open(store->path, store->keep->head, store->repeat, error);
    return store->points != NULL;
}

DnRepetitionStore *dn_repetition_store_open(const DnRepetitionKeep *keep, guint repeat,
                                            GError **error)
{
    g_autoptr(DnRepetitionStore) store = g_new0(DnRepetitionStore, 1);
    store->keep = keep;
    store->repeat = repeat;
    store->path = store_path(keep->dir, keep->point);
    store->begun_us = g_get_monotonic_time();
    if (g_file_test(store->path, G_FILE_TEST_EXISTS) && !store_open(store, error))
        return NULL;
    return g_steal_pointer(&store);
}

void dn_repetition_store_free(DnRepetitionStore *store)
{
    if (store == NULL)
        return;
    dn_point_store_free(store->points);
    g_free(store->path);
    g_free(store);
}

GVariant *dn_repetition_store_get(DnRepetitionStore *store, guint r, GError **error)
{
    return store->points != NULL && dn_point_store_has(store->points, r)
               ? dn_point_store_get(store->points, r, error)
               : NULL;
}

gboolean dn_repetition_store_add(DnRepetitionStore *store, guint r, GVariant *const *answers,
                                 GError **error)
{
    if (store->points != NULL)
        return dn_point_store_add(store->points, r, answers[r], error);
    if (g_get_monotonic_time() - store->begun_us < DN_REPETITIONS_AFTER_US)
        return TRUE;
    if (!store_open(store, error))
        return FALSE;
    for (guint i = 0; i < store->repeat; i++)
        if (answers[i] != NULL && !dn_point_store_add(store->points, i, answers[i], error))
            return FALSE;
    return TRUE;
}

void dn_repetition_store_drop(const char *dir, guint point)
{
    g_autofree char *path = store_path(dir, point);
    g_unlink(path);
}

guint dn_repetition_store_count(const char *dir)
{
    guint n = 0;
    g_autoptr(GDir) list = g_dir_open(dir, 0, NULL);
    const char *name;
    while (list != NULL && (name = g_dir_read_name(list)) != NULL)
        n += g_str_has_prefix(name, DN_REPETITIONS_PREFIX ".");
    return n;
}
