/* override.c - loading a whole configuration, and --set: values put in by their key path.
 *
 * Key path: key ('.' key | '[' index ']')*, as in DnConfigNode.path. LIMITATIONS: a key that holds
 * a dot or a bracket cannot be addressed. */
#include <string.h>

#include "config/config_internal.h"

typedef struct {
    char *key; /* NULL: an index */
    guint64 index;
} Step;

static void step_clear(gpointer data)
{
    g_free(((Step *)data)->key);
}

/* One step off @p: a key, or [digits], in one spelling: [0], not [00]. NULL: neither. */
static const char *read_step(const char *p, gboolean first, Step *step)
{
    if (*p == '[') {
        const char *digits = ++p;
        char *end = NULL;
        step->index = g_ascii_strtoull(digits, &end, 10);
        gboolean plain = g_ascii_isdigit(*digits) && (*digits != '0' || end == digits + 1);
        return plain && *end == ']' && !first ? end + 1 : NULL;
    }
    if (!first && *p++ != '.')
        return NULL;
    gsize n = strcspn(p, ".[]= ");
    if (n == 0 || n > DN_CONFIG_MAX_KEY)
        return NULL;
    step->key = g_strndup(p, n);
    return p + n;
}

static GArray *read_path(const char *path, const DnConfigNode *at, GError **error)
{
    g_autoptr(GArray) steps = g_array_new(FALSE, TRUE, sizeof(Step));
    g_array_set_clear_func(steps, step_clear);
    const char *p = path;
    while (p != NULL && (steps->len == 0 || *p != '\0') && steps->len <= DN_CONFIG_MAX_DEPTH) {
        Step step = {0};
        p = read_step(p, steps->len == 0, &step);
        if (p != NULL)
            g_array_append_val(steps, step);
    }
    if (p != NULL && *p == '\0')
        return g_steal_pointer(&steps);
    g_autofree char *shown = dn_quote(path);
    dn_config_error(at, DN_ERROR_SYNTAX, error,
                    "%s is not a key path; wanted: like jobs[0].workload.bytes", shown);
    return NULL;
}

static gboolean refuse_step(const DnConfigNode *node, const Step *step, const char *path,
                            const DnConfigNode *at, GError **error)
{
    g_autofree char *whole = dn_quote(path);
    g_autofree char *found = dn_config_describe(node);
    const char *here = node->path != NULL && node->path[0] != '\0' ? node->path : "the top";
    if (node->kind == DN_CONFIG_LIST && step->key != NULL)
        dn_config_error(at, DN_ERROR_TYPE, error,
                        "cannot set %s: %s is a list; name an item, like %s[0].%s", whole, here,
                        here, step->key);
    else if (step->key == NULL)
        dn_config_error(at, DN_ERROR_TYPE, error, "cannot set %s: %s is %s, not a list", whole,
                        here, found);
    else
        dn_config_error(at, DN_ERROR_TYPE, error,
                        "cannot set %s: %s is %s, which has no keys; set %s={...} whole", whole,
                        here, found, here);
    return FALSE;
}

/* The place one step below @node; not *there: an absent key. FALSE: no such place. */
static gboolean look_below(const DnConfigNode *node, const Step *step, const char *path,
                           const DnConfigNode *at, guint *index, gboolean *there, GError **error)
{
    *there = FALSE;
    if (node->kind == DN_CONFIG_MAP && step->key != NULL) {
        *there = dn_config_find(node, step->key, index);
        return TRUE;
    }
    if (node->kind != DN_CONFIG_LIST || step->key != NULL)
        return refuse_step(node, step, path, at, error);
    if (step->index >= node->children->len) {
        g_autofree char *whole = dn_quote(path);
        dn_config_error(at, DN_ERROR_RANGE, error,
                        "cannot set %s: %s has %u item%s, counted from 0", whole, node->path,
                        node->children->len, node->children->len == 1 ? "" : "s");
        return FALSE;
    }
    *index = (guint)step->index;
    *there = TRUE;
    return TRUE;
}

static DnConfigNode *override_positioned(DnConfigKind kind, const DnConfigNode *at)
{
    return dn_config_node_new(kind, at->file, at->line, at->column);
}

/* Mappings for all of @steps from @from on, around @value. Index steps cannot be made up. */
static DnConfigNode *override_wrap(GArray *steps, guint from, DnConfigNode *value,
                                   const DnConfigNode *at)
{
    for (guint i = steps->len; i-- > from;) {
        const Step *step = &g_array_index(steps, Step, i);
        DnConfigNode *map = override_positioned(DN_CONFIG_MAP, at);
        DnConfigNode *key_node = override_positioned(DN_CONFIG_SCALAR, at);
        key_node->scalar = g_strdup(step->key);
        dn_config_map_add(map, step->key, key_node, value);
        value = map;
    }
    return value;
}

/* (transfer full): what to say of key @name of @node, which is no list. */
static char *describe_absent_list(const DnConfigNode *node, const char *name)
{
    guint index;
    if (node->kind != DN_CONFIG_MAP || dn_config_find(node, name, &index))
        return g_strdup_printf("%s is empty", name);
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    for (guint i = 0; i < node->keys->len; i++)
        g_ptr_array_add(known, node->keys->pdata[i]);
    g_ptr_array_add(known, NULL);
    g_autofree char *unknown = dn_unknown(name, (const char *const *)known->pdata, "there are");
    return g_strdup_printf("there is no %s", unknown);
}

/* All of @steps after number @at_step, which @node lacks, are keys: lists cannot be made up. */
static gboolean only_keys(const DnConfigNode *node, GArray *steps, guint at_step, const char *path,
                          const DnConfigNode *at, GError **error)
{
    for (guint i = at_step + 1; i < steps->len; i++) {
        if (g_array_index(steps, Step, i).key != NULL)
            continue;
        g_autofree char *whole = dn_quote(path);
        g_autofree char *why = describe_absent_list(node, g_array_index(steps, Step, at_step).key);
        dn_config_error(at, DN_ERROR_MISSING, error, "cannot set %s: %s", whole, why);
        return FALSE;
    }
    return TRUE;
}

static void override_put(DnConfigNode *parent, const Step *step, gboolean there, guint index,
                         DnConfigNode *value, const DnConfigNode *at)
{
    if (there) {
        dn_config_free(parent->children->pdata[index]);
        parent->children->pdata[index] = value;
        return;
    }
    DnConfigNode *key_node = override_positioned(DN_CONFIG_SCALAR, at);
    key_node->scalar = g_strdup(step->key);
    dn_config_map_add(parent, step->key, key_node, value);
}

/* `machine: lumi` is {name: lumi} to whoever sets one of its keys. */
static void open_machine_name(DnConfigNode *root, const DnConfigNode *at)
{
    guint i = 0;
    if (root->kind != DN_CONFIG_MAP || !dn_config_find(root, "machine", &i))
        return;
    DnConfigNode *name = root->children->pdata[i];
    if (name->kind != DN_CONFIG_SCALAR || dn_config_is_empty(name))
        return;
    DnConfigNode *map = override_positioned(DN_CONFIG_MAP, name);
    DnConfigNode *key = override_positioned(DN_CONFIG_SCALAR, at);
    key->scalar = g_strdup("name");
    dn_config_map_add(map, "name", key, name);
    root->children->pdata[i] = map;
}

static gboolean override_replace(DnConfigNode *root, const char *path, DnConfigNode **value,
                                 const DnConfigNode *at, GError **error)
{
    g_autoptr(GArray) steps = read_path(path, at, error);
    if (steps == NULL)
        return FALSE;
    if (steps->len > 1 && g_strcmp0(g_array_index(steps, Step, 0).key, "machine") == 0 &&
        g_array_index(steps, Step, 1).key != NULL)
        open_machine_name(root, at);
    DnConfigNode *node = root;
    for (guint i = 0;; i++) {
        const Step *step = &g_array_index(steps, Step, i);
        guint index = 0;
        gboolean there = FALSE;
        if (!look_below(node, step, path, at, &index, &there, error))
            return FALSE;
        DnConfigNode *child = there ? node->children->pdata[index] : NULL;
        /* `packet:` with nothing after it is as good as absent */
        gboolean make = child == NULL || dn_config_is_empty(child);
        if (i + 1 < steps->len && !make) {
            node = child;
            continue;
        }
        if (!only_keys(node, steps, i, path, at, error))
            return FALSE;
        override_put(node, step, there, index,
                     override_wrap(steps, i + 1, g_steal_pointer(value), at), at);
        gint64 budget = DN_CONFIG_MAX_TREE;
        g_autofree char *top = g_strdup(root->path != NULL ? root->path : "");
        return dn_config_set_paths(root, top, 0, &budget, error);
    }
}

gboolean dn_config_replace(DnConfigNode *root, const char *path, DnConfigNode *value,
                           const DnConfigNode *at, GError **error)
{
    gboolean ok = override_replace(root, path, &value, at, error);
    dn_config_free(value);
    return ok;
}

static void set_base(DnConfigNode *node, const char *file)
{
    node->base = file;
    for (guint i = 0; node->children != NULL && i < node->children->len; i++)
        set_base(node->children->pdata[i], file);
}

gboolean dn_config_override(DnConfigNode *root, const char *assignment, GError **error)
{
    const char *equals = strchr(assignment, '=');
    g_autofree char *path = equals != NULL ? g_strndup(assignment, (gsize)(equals - assignment))
                                           : g_strdup(assignment);
    g_autofree char *trimmed = g_strstrip(g_strdup(path));
    g_autofree char *file = g_strconcat("--set ", trimmed, NULL);
    DnConfigNode at = {.file = g_intern_string(file), .line = 1, .column = 1};
    g_autofree char *text = equals != NULL ? g_strstrip(g_strdup(equals + 1)) : g_strdup("");
    if (text[0] == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0) {
        dn_config_error(&at, DN_ERROR_SYNTAX, error,
                        "a value is missing; wanted: like seed=2 or jobs[0].workload.bytes=1MiB");
        return FALSE;
    }
    DnConfigNode *value = dn_config_read_text(text, file, error);
    if (value == NULL)
        return FALSE;
    set_base(value, root->file);
    return dn_config_replace(root, trimmed, value, &at, error);
}

static DnConfigNode *override_finish(DnConfigNode *root, gint64 *budget, GError **error)
{
    if (root != NULL && !dn_config_set_paths(root, "", 0, budget, error))
        g_clear_pointer(&root, dn_config_free);
    return root;
}

DnConfigNode *dn_config_parse(const char *text, const char *file_name, GError **error)
{
    gint64 budget = DN_CONFIG_MAX_TREE;
    return override_finish(dn_config_read_text(text, file_name, error), &budget, error);
}

DnConfigNode *dn_config_load(const char *file, const char *const *overrides, GError **error)
{
    g_autoptr(DnConfigLoader) loader = dn_config_loader_new();
    g_autoptr(DnConfigNode) root =
        override_finish(dn_config_read_file(file, NULL, loader, error), &loader->budget, error);
    if (root == NULL || !dn_config_expect(root, DN_CONFIG_MAP, error))
        return NULL;
    for (guint i = 0; overrides != NULL && overrides[i] != NULL; i++)
        if (!dn_config_override(root, overrides[i], error))
            return NULL;
    return g_steal_pointer(&root);
}
