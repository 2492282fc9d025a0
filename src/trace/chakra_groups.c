/* chakra_groups.c - see chakra_groups.h. JSON is read as the YAML that it is. */
#include "trace/chakra_groups.h"

#include <string.h>

#include "config/config.h"
#include "workload/program.h"

struct DnChakraGroups {
    char *prefix;
    guint32 ranks;
    GPtrArray *listed; /* DnChakraGroup *, of the file */
    GPtrArray *noted;  /* of the metadata nodes of the rank at hand */
};

static void group_free(gpointer group)
{
    DnChakraGroup *g = group;
    g_free(g->name);
    g_free(g->ranks);
    g_free(g);
}

void dn_chakra_groups_free(DnChakraGroups *groups)
{
    if (!groups)
        return;
    g_ptr_array_unref(groups->listed);
    g_ptr_array_unref(groups->noted);
    g_free(groups->prefix);
    g_free(groups);
}

/* ---- reading ---- */

static gboolean read_rank(const DnConfigNode *item, guint32 ranks, gboolean *seen, gint64 *rank,
                          GError **error)
{
    guint64 value;
    if (item->kind != DN_CONFIG_SCALAR ||
        !g_ascii_string_to_unsigned(item->scalar, 10, 0, ranks - 1, &value, NULL)) {
        g_autofree char *what = dn_config_describe(item);
        dn_config_error(item, DN_ERROR_RANGE, error, "%s in a process group; ranks are 0 to %u",
                        what, ranks - 1);
        return FALSE;
    }
    if (seen[value]) {
        dn_config_error(item, DN_ERROR_RANGE, error, "rank %s twice in a process group",
                        item->scalar);
        return FALSE;
    }
    seen[value] = TRUE;
    *rank = (gint64)value;
    return TRUE;
}

/* A group of the ranks in @list, or (none) of all; replaces one of that name. */
static gboolean add_group(DnChakraGroups *groups, GPtrArray *to, const char *name,
                          const DnConfigNode *list, GError **error)
{
    if (!dn_config_expect(list, DN_CONFIG_LIST, error))
        return FALSE;
    guint n = list->children->len;
    g_autofree gboolean *seen = g_new0(gboolean, groups->ranks);
    DnChakraGroup *group = g_new0(DnChakraGroup, 1);
    group->name = g_strdup(name);
    group->n = n > 0 ? n : groups->ranks;
    group->ranks = g_new(gint64, group->n);
    group->handle = 2 + groups->listed->len + groups->noted->len; /* world and self before */
    g_ptr_array_add(to, group);
    for (guint i = 0; i < n; i++)
        if (!read_rank(g_ptr_array_index(list->children, i), groups->ranks, seen, &group->ranks[i],
                       error))
            return FALSE;
    for (guint i = 0; n == 0 && i < group->n; i++)
        group->ranks[i] = i;
    return TRUE;
}

static char *sibling_path(const char *prefix, const char *name)
{
    g_autofree char *folder = g_path_get_dirname(prefix);
    return g_build_filename(folder, name, NULL);
}

static gboolean read_file(DnChakraGroups *groups, const char *path, GError **error)
{
    g_autoptr(DnConfigNode) root = dn_config_load(path, NULL, error);
    if (!root || !dn_config_expect(root, DN_CONFIG_MAP, error))
        return FALSE;
    for (guint i = 0; i < root->keys->len; i++) {
        const DnConfigNode *list = g_ptr_array_index(root->children, i);
        if (list->kind == DN_CONFIG_LIST && list->children->len == 0) {
            dn_config_error(list, DN_ERROR_RANGE, error, "a process group of nobody");
            return FALSE;
        }
        if (!add_group(groups, groups->listed, g_ptr_array_index(root->keys, i), list, error))
            return FALSE;
    }
    return TRUE;
}

DnChakraGroups *dn_chakra_groups_new(const char *prefix, guint32 ranks, GError **error)
{
    g_autoptr(DnChakraGroups) groups = g_new0(DnChakraGroups, 1);
    g_autofree char *own = g_strconcat(prefix, ".json", NULL);
    g_autofree char *shared = sibling_path(prefix, "comm_group.json");
    groups->prefix = g_strdup(prefix);
    groups->ranks = ranks;
    groups->listed = g_ptr_array_new_with_free_func(group_free);
    groups->noted = g_ptr_array_new_with_free_func(group_free);
    const char *path = g_file_test(own, G_FILE_TEST_IS_REGULAR)      ? own
                       : g_file_test(shared, G_FILE_TEST_IS_REGULAR) ? shared
                                                                     : NULL;
    if (path && !read_file(groups, path, error))
        return NULL;
    return g_steal_pointer(&groups);
}

static gboolean read_noted(DnChakraGroups *groups, const DnConfigNode *item)
{
    if (item->kind != DN_CONFIG_MAP)
        return FALSE;
    const DnConfigNode *name = dn_config_get(item, "pg_name");
    const DnConfigNode *list = dn_config_get(item, "ranks");
    return name && name->kind == DN_CONFIG_SCALAR && list &&
           add_group(groups, groups->noted, name->scalar, list, NULL);
}

/* The text is the list as Python prints one, brackets and quotes around it. */
gboolean dn_chakra_groups_read(DnChakraGroups *groups, const char *text, gsize n)
{
    const char *first = g_strstr_len(text, (gssize)n, "[{");
    const char *last = g_strrstr_len(text, (gssize)n, "}]");
    if (!first || !last || last < first || !g_strstr_len(text, (gssize)n, "\"pg_name\""))
        return TRUE;
    g_autofree char *json = g_strndup(first, (gsize)(last + 2 - first));
    g_autoptr(DnConfigNode) root = dn_config_parse(json, "groups", NULL);
    if (!root || root->kind != DN_CONFIG_LIST)
        return FALSE;
    for (guint i = 0; i < root->children->len; i++)
        if (!read_noted(groups, g_ptr_array_index(root->children, i)))
            return FALSE;
    return TRUE;
}

void dn_chakra_groups_forget(DnChakraGroups *groups)
{
    g_ptr_array_set_size(groups->noted, 0);
}

/* ---- asking ---- */

static const DnChakraGroup *find_in(const GPtrArray *of, const char *name, gsize n)
{
    for (guint i = of->len; i-- > 0;) { /* the last of a name stands */
        const DnChakraGroup *g = g_ptr_array_index(of, i);
        if (strlen(g->name) == n && memcmp(g->name, name, n) == 0)
            return g;
    }
    return NULL;
}

const DnChakraGroup *dn_chakra_groups_find(const DnChakraGroups *groups, const char *name, gsize n)
{
    const DnChakraGroup *found = find_in(groups->noted, name, n);
    return found ? found : find_in(groups->listed, name, n);
}

gboolean dn_chakra_group_has(const DnChakraGroup *group, guint32 rank)
{
    for (guint32 i = 0; i < group->n; i++)
        if (group->ranks[i] == rank)
            return TRUE;
    return FALSE;
}

char *dn_chakra_groups_place(const DnChakraGroups *groups)
{
    g_autofree char *shared = sibling_path(groups->prefix, "comm_group.json");
    return g_strdup_printf("%s.json, %s", groups->prefix, shared);
}
