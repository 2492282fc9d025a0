/* renamed_keys.c - Keys that had another name until the last release: the old one is still read,
 * with a warning that says the new one.
 *
 * An entry holds wherever a table of keys has the new name and lacks the old one, and leaves this
 * list one release after it came in. */
#include "config/config_internal.h"

#include <string.h>

static const struct {
    const char *old, *now;
} renamed_keys[] = {
    {"coarse", "packet_aggregation"},
    {"detours", "intermediate_groups"},
    {"weigh", "path_weight"},
    {"least", "min"},
    {"most", "max"},
    {"least_intensity", "min_intensity"},
    {"most_intensity", "max_intensity"},
    {"together", "synchronous"},
    {"pulled", "receiver_paced"},
    {"proxy_came", "proxy_arrival_rate"},
    {"parts", "puts_per_row"},
};

static const char *old_name_of(const char *key)
{
    for (guint i = 0; i < G_N_ELEMENTS(renamed_keys); i++)
        if (strcmp(renamed_keys[i].now, key) == 0)
            return renamed_keys[i].old;
    return NULL;
}

const char *dn_renamed_key(const char *old)
{
    for (guint i = 0; i < G_N_ELEMENTS(renamed_keys); i++)
        if (strcmp(renamed_keys[i].old, old) == 0)
            return renamed_keys[i].now;
    return NULL;
}

/* Each place is reported once, however many points of a sweep are read from it. */
static void renamed_warn(const DnConfigNode *at, const char *old, const char *now)
{
    static GMutex lock;
    static GHashTable *said;
    char *text = g_strdup_printf("%s:%u:%u: warning: the key '%s' is now called '%s'; the old name "
                                 "goes away with the next release",
                                 at->file, at->line, at->column, old, now);
    g_mutex_lock(&lock);
    if (said == NULL)
        said = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (g_hash_table_add(said, text))
        g_printerr("%s\n", text);
    g_mutex_unlock(&lock);
}

/* Ranks two values of one key: --set counts before the mapping's own file, and that before the
 * files it includes. */
static guint renamed_rank(const DnConfigNode *map, const DnConfigNode *key)
{
    return g_str_has_prefix(key->file, "--set ") ? 2 : key->file == map->file;
}

gboolean dn_renamed_get(const DnConfigNode *map, const char *key, const DnConfigNode **node,
                        GError **error)
{
    const char *old = old_name_of(key);
    guint at = 0, now = 0;
    *node = dn_config_get(map, key);
    if (old == NULL || !dn_config_find(map, old, &at))
        return TRUE;
    const DnConfigNode *value = dn_config_get(map, old), *at_key = map->key_nodes->pdata[at];
    renamed_warn(at_key, old, key);
    if (*node != NULL) {
        dn_config_find(map, key, &now);
        const DnConfigNode *now_key = map->key_nodes->pdata[now];
        guint old_rank = renamed_rank(map, at_key), now_rank = renamed_rank(map, now_key);
        if (old_rank == now_rank) {
            dn_config_error(at_key, DN_ERROR_UNKNOWN, error,
                            "'%s' is given under its old name '%s' as well; allowed: one of them",
                            key, old);
            return FALSE;
        }
        if (old_rank < now_rank)
            return TRUE;
    }
    *node = value;
    return TRUE;
}
