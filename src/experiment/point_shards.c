/* point_shards.c - see point_shards.h. A store is named "points", or "points.2-of-8". */
#include "base/file.h"
#include "base/number.h"
#include "experiment/point_shards.h"

#include <stdio.h>
#include <string.h>

#define STORE "points"

struct DnPointShards {
    guint n_points, twice;
    GPtrArray *stores; /* DnPointStore* */
    DnPointStore *own; /* the last one of them; NULL: none is */
    guint16 *places;   /* [n_points] index of the store that counts, from 1; 0: none */
    guint done;
};

gboolean dn_shard_parse(const char *text, DnShard *shard, GError **error)
{
    guint64 i = 0, n = 0;
    g_auto(GStrv) parts = g_strsplit(text, "/", 3);
    if (g_strv_length(parts) == 2 &&
        g_ascii_string_to_unsigned(parts[0], 10, 1, DN_SHARDS_MOST, &i, NULL) &&
        g_ascii_string_to_unsigned(parts[1], 10, 1, DN_SHARDS_MOST, &n, NULL) && i <= n) {
        *shard = (DnShard){.i = (guint)i, .n = (guint)n};
        return TRUE;
    }
    g_autofree char *shown = dn_quote(text);
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                "--shard %s: allowed: I/N with I from 1 to N, N at most %d, e.g. 2/8", shown,
                DN_SHARDS_MOST);
    return FALSE;
}

gboolean dn_shard_has(const DnShard *shard, guint point)
{
    return shard->n == 0 || point % shard->n == shard->i - 1;
}

static char *shard_name(const DnShard *shard, const char *stem)
{
    return shard->n == 0 ? g_strdup(stem)
                         : g_strdup_printf("%s.%u-of-%u", stem, shard->i, shard->n);
}

char *dn_shard_lock(const DnShard *shard)
{
    return shard_name(shard, "lock");
}

/* ---- the stores of a folder ---- */

static gboolean is_store(const char *name)
{
    if (!g_str_has_prefix(name, STORE))
        return FALSE;
    const char *rest = name + strlen(STORE);
    guint i, n;
    return *rest == '\0' ||
           (dn_take_number(&rest, ".", &i) && dn_take_number(&rest, "-of-", &n) && *rest == '\0');
}

/* (transfer full): char*, sorted; none where there is no such folder. NULL + error: it cannot be
 * read. */
static GPtrArray *list_stores(const char *dir, GError **error)
{
    g_autoptr(GPtrArray) stores = g_ptr_array_new_with_free_func(g_free);
    if (!g_file_test(dir, G_FILE_TEST_EXISTS))
        return g_steal_pointer(&stores);
    g_autoptr(GPtrArray) names = dn_file_list(dir, error);
    for (guint i = 0; names != NULL && i < names->len; i++)
        if (is_store(names->pdata[i]))
            g_ptr_array_add(stores, g_strdup(names->pdata[i]));
    return names != NULL ? g_steal_pointer(&stores) : NULL;
}

gboolean dn_point_shards_head(const char *dir, char **head, GError **error)
{
    *head = NULL;
    g_autoptr(GPtrArray) names = list_stores(dir, error);
    for (guint i = 0; names != NULL && i < names->len && *head == NULL; i++) {
        g_autofree char *path = g_build_filename(dir, g_ptr_array_index(names, i), NULL);
        g_autoptr(DnPointStore) store = dn_point_store_read_only(path, NULL, 0, NULL);
        *head = store != NULL ? g_strdup(dn_point_store_head(store)) : NULL;
    }
    return names != NULL;
}

static void add_store(DnPointShards *shards, DnPointStore *store)
{
    g_ptr_array_add(shards->stores, store);
    for (guint p = 0; p < shards->n_points; p++) {
        if (!dn_point_store_has(store, p))
            continue;
        if (shards->places[p] != 0) {
            shards->twice++;
            continue;
        }
        shards->places[p] = (guint16)shards->stores->len;
        shards->done++;
    }
}

/* The own one last: it is not made where another one refuses the head. */
static gboolean open_stores(DnPointShards *shards, const char *dir, const DnShard *shard,
                            const char *head, GError **error)
{
    g_autofree char *own = shard != NULL ? shard_name(shard, STORE) : NULL;
    g_autoptr(GPtrArray) names = list_stores(dir, error);
    if (names == NULL)
        return FALSE;
    for (guint i = 0; i < names->len && shards->stores->len < G_MAXUINT16 - 1; i++) {
        g_autofree char *path = g_build_filename(dir, g_ptr_array_index(names, i), NULL);
        if (g_strcmp0(g_ptr_array_index(names, i), own) == 0)
            continue;
        DnPointStore *store = dn_point_store_read_only(path, head, shards->n_points, error);
        if (store == NULL)
            return FALSE;
        add_store(shards, store);
    }
    if (own == NULL)
        return TRUE;
    g_autofree char *path = g_build_filename(dir, own, NULL);
    shards->own = dn_point_store_open(path, head, shards->n_points, error);
    if (shards->own != NULL)
        add_store(shards, shards->own);
    return shards->own != NULL;
}

DnPointShards *dn_point_shards_open(const char *dir, const DnShard *shard, const char *head,
                                    guint n_points, GError **error)
{
    g_autoptr(DnPointShards) shards = g_new0(DnPointShards, 1);
    shards->n_points = n_points;
    shards->stores = g_ptr_array_new_with_free_func((GDestroyNotify)dn_point_store_free);
    shards->places = g_new0(guint16, n_points);
    return open_stores(shards, dir, shard, head, error) ? g_steal_pointer(&shards) : NULL;
}

void dn_point_shards_free(DnPointShards *shards)
{
    if (shards == NULL)
        return;
    g_ptr_array_unref(shards->stores);
    g_free(shards->places);
    g_free(shards);
}

guint dn_point_shards_done(const DnPointShards *shards)
{
    return shards->done;
}

guint dn_point_shards_twice(const DnPointShards *shards)
{
    return shards->twice;
}

gboolean dn_point_shards_has(const DnPointShards *shards, guint point)
{
    return shards->places[point] != 0;
}

gboolean dn_point_shards_add(DnPointShards *shards, guint point, GVariant *record, GError **error)
{
    g_assert(shards->own != NULL);
    if (!dn_point_store_add(shards->own, point, record, error))
        return FALSE;
    if (shards->places[point] == 0) {
        shards->places[point] = (guint16)shards->stores->len;
        shards->done++;
    }
    return TRUE;
}

GVariant *dn_point_shards_get(DnPointShards *shards, guint point, GError **error)
{
    g_assert(shards->places[point] != 0);
    return dn_point_store_get(g_ptr_array_index(shards->stores, shards->places[point] - 1U), point,
                              error);
}
