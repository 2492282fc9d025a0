/* config_node.c - the tree itself: making, reading, marking, printing; see config.h. */
#include <stdarg.h>
#include <string.h>

#include "config/config_internal.h"

DnConfigNode *dn_config_node_new(DnConfigKind kind, const char *file, guint line, guint column)
{
    DnConfigNode *node = g_new0(DnConfigNode, 1);
    node->kind = kind;
    node->file = g_intern_string(file);
    node->line = line;
    node->column = column;
    if (kind == DN_CONFIG_MAP) {
        node->keys = g_ptr_array_new_with_free_func(g_free);
        node->key_nodes = g_ptr_array_new_with_free_func((GDestroyNotify)dn_config_free);
    }
    if (kind != DN_CONFIG_SCALAR)
        node->children = g_ptr_array_new_with_free_func((GDestroyNotify)dn_config_free);
    return node;
}

void dn_config_free(DnConfigNode *node)
{
    if (node == NULL)
        return;
    g_clear_pointer(&node->keys, g_ptr_array_unref);
    g_clear_pointer(&node->key_nodes, g_ptr_array_unref);
    g_clear_pointer(&node->children, g_ptr_array_unref);
    g_free(node->path);
    g_free(node->scalar);
    g_free(node->source);
    g_free(node->assumed);
    g_free(node);
}

void dn_config_map_add(DnConfigNode *map, const char *key, DnConfigNode *key_node,
                       DnConfigNode *child)
{
    g_assert(map->kind == DN_CONFIG_MAP);
    g_ptr_array_add(map->keys, g_strdup(key));
    g_ptr_array_add(map->key_nodes, key_node);
    g_ptr_array_add(map->children, child);
}

void dn_config_list_add(DnConfigNode *list, DnConfigNode *child)
{
    g_assert(list->kind == DN_CONFIG_LIST);
    g_ptr_array_add(list->children, child);
}

gboolean dn_config_find(const DnConfigNode *map, const char *key, guint *index)
{
    for (guint i = 0; i < map->keys->len; i++) {
        if (strcmp(map->keys->pdata[i], key) == 0) {
            *index = i;
            return TRUE;
        }
    }
    return FALSE;
}

void dn_config_map_remove(DnConfigNode *map, const char *key)
{
    guint i = 0;
    if (!dn_config_find(map, key, &i))
        return;
    g_ptr_array_remove_index(map->keys, i);
    g_ptr_array_remove_index(map->key_nodes, i);
    g_ptr_array_remove_index(map->children, i);
}

DnConfigNode *dn_config_map_take(DnConfigNode *map, const char *key)
{
    guint i = 0;
    if (!dn_config_find(map, key, &i))
        return NULL;
    DnConfigNode *child = map->children->pdata[i];
    map->children->pdata[i] = NULL;
    dn_config_map_remove(map, key);
    return child;
}

gboolean dn_config_is_empty(const DnConfigNode *node)
{
    return node->kind == DN_CONFIG_SCALAR && !node->quoted && node->scalar[0] == '\0';
}

DnConfigNode *dn_config_copy(const DnConfigNode *node)
{
    if (node == NULL)
        return NULL;
    DnConfigNode *copy = dn_config_node_new(node->kind, node->file, node->line, node->column);
    copy->base = node->base;
    copy->path = g_strdup(node->path);
    copy->scalar = g_strdup(node->scalar);
    copy->quoted = node->quoted;
    copy->source = g_strdup(node->source);
    copy->assumed = g_strdup(node->assumed);
    for (guint i = 0; node->children != NULL && i < node->children->len; i++) {
        DnConfigNode *child = dn_config_copy(node->children->pdata[i]);
        if (node->kind == DN_CONFIG_MAP)
            dn_config_map_add(copy, node->keys->pdata[i], dn_config_copy(node->key_nodes->pdata[i]),
                              child);
        else
            dn_config_list_add(copy, child);
    }
    return copy;
}

static gint64 text_cost(const char *text)
{
    return text != NULL ? (gint64)strlen(text) + 24 : 0; /* an allocation's own words */
}

/* Returns the memory of the node itself, without its children. Arrays are counted with their
 * slack. */
static gint64 own_cost(const DnConfigNode *node)
{
    gint64 cost = (gint64)sizeof *node + 32 + text_cost(node->path) + text_cost(node->scalar) +
                  text_cost(node->source) + text_cost(node->assumed);
    return cost + (node->kind == DN_CONFIG_MAP ? 256 : node->kind == DN_CONFIG_LIST ? 96 : 0);
}

gint64 dn_config_cost(const DnConfigNode *node)
{
    gint64 cost = own_cost(node);
    for (guint i = 0; node->children != NULL && i < node->children->len; i++) {
        cost += dn_config_cost(node->children->pdata[i]);
        if (node->kind == DN_CONFIG_MAP)
            cost += text_cost(node->keys->pdata[i]) + own_cost(node->key_nodes->pdata[i]);
    }
    return cost;
}

gboolean dn_config_charge(gint64 *budget, gint64 bytes, const DnConfigNode *at, GError **error)
{
    *budget -= bytes;
    if (*budget >= 0)
        return TRUE;
    dn_config_error(at, DN_ERROR_RANGE, error,
                    "the configuration grows too large here (aliases or includes?); "
                    "allowed: %d MiB in memory",
                    (int)(DN_CONFIG_MAX_TREE >> 20));
    return FALSE;
}

gboolean dn_config_set_paths(DnConfigNode *node, const char *path, guint depth, gint64 *budget,
                             GError **error)
{
    if (depth > DN_CONFIG_MAX_DEPTH) {
        dn_config_error(node, DN_ERROR_RANGE, error, "nested too deep; allowed: %d levels",
                        DN_CONFIG_MAX_DEPTH);
        return FALSE;
    }
    if (!dn_config_charge(budget, text_cost(path), node, error))
        return FALSE;
    g_free(node->path);
    node->path = g_strdup(path);
    for (guint i = 0; node->children != NULL && i < node->children->len; i++) {
        g_autofree char *below = node->kind == DN_CONFIG_LIST ? g_strdup_printf("%s[%u]", path, i)
                                 : path[0] == '\0'
                                     ? g_strdup(node->keys->pdata[i])
                                     : g_strconcat(path, ".", node->keys->pdata[i], NULL);
        if (!dn_config_set_paths(node->children->pdata[i], below, depth + 1, budget, error))
            return FALSE;
    }
    return TRUE;
}

/* The tree is const to its readers but for this mark. */
static void config_node_mark(const DnConfigNode *node)
{
    ((DnConfigNode *)node)->consumed = TRUE;
}

const DnConfigNode *dn_config_get(const DnConfigNode *map, const char *key)
{
    guint i = 0;
    if (map == NULL || map->kind != DN_CONFIG_MAP || !dn_config_find(map, key, &i))
        return NULL;
    config_node_mark(map);
    config_node_mark(map->children->pdata[i]);
    return map->children->pdata[i];
}

const DnConfigNode *dn_config_require(const DnConfigNode *map, const char *key, GError **error)
{
    if (!dn_config_expect(map, DN_CONFIG_MAP, error))
        return NULL;
    const DnConfigNode *node = dn_config_get(map, key);
    if (node == NULL)
        dn_config_error(map, DN_ERROR_MISSING, error, "missing key '%s'", key);
    return node;
}

const char *dn_config_base(const DnConfigNode *node)
{
    return node->base != NULL ? node->base : node->file;
}

gboolean dn_config_is_remark(const char *key)
{
    static const char *const remarks[] = {"source", "assumed", "description", NULL};
    return g_strv_contains(remarks, key);
}

void dn_config_consume(const DnConfigNode *node)
{
    config_node_mark(node);
    for (guint i = 0; node->children != NULL && i < node->children->len; i++)
        dn_config_consume(node->children->pdata[i]);
}

char *dn_config_describe(const DnConfigNode *node)
{
    if (node->kind == DN_CONFIG_MAP)
        return g_strdup("a mapping");
    if (node->kind == DN_CONFIG_LIST)
        return g_strdup("a list");
    if (dn_config_is_empty(node))
        return g_strdup("nothing");
    return dn_quote(node->scalar);
}

gboolean dn_config_expect(const DnConfigNode *node, DnConfigKind kind, GError **error)
{
    static const char *const WANTED[] = {
        [DN_CONFIG_SCALAR] = "a single value",
        [DN_CONFIG_MAP] = "a mapping (key: value)",
        [DN_CONFIG_LIST] = "a list ([a, b])",
    };
    if (node->kind == kind)
        return TRUE;
    g_autofree char *found = dn_config_describe(node);
    gboolean named = node->path != NULL && node->path[0] != '\0';
    dn_config_error(node, DN_ERROR_TYPE, error, "%s%s%s is wanted, not %s", named ? node->path : "",
                    named ? ": " : "", WANTED[kind], found);
    return FALSE;
}

static gboolean check_below(const DnConfigNode *node, const char *const *known, GError **error)
{
    for (guint i = 0; node->children != NULL && i < node->children->len; i++) {
        const DnConfigNode *child = node->children->pdata[i];
        if (node->kind == DN_CONFIG_MAP && !child->consumed) {
            gboolean idle = known != NULL && g_strv_contains(known, node->keys->pdata[i]);
            g_autofree char *name = idle ? dn_quote(node->keys->pdata[i])
                                         : dn_unknown(node->keys->pdata[i], known, "known");
            dn_config_error(node->key_nodes->pdata[i], DN_ERROR_UNKNOWN, error,
                            idle ? "key %s has no effect here" : "unknown key %s", name);
            return FALSE;
        }
        if (!check_below(child, NULL, error)) /* @known names the keys of the root only */
            return FALSE;
    }
    return TRUE;
}

gboolean dn_config_check_consumed(const DnConfigNode *root, const char *const *known,
                                  GError **error)
{
    return check_below(root, known, error);
}

/* A message is one line of printable text, whatever the user's input held. */
static char *one_line(const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    GString *out = g_string_new(NULL);
    for (const char *p = valid; *p != '\0'; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (g_unichar_iscntrl(c))
            g_string_append_printf(out, "\\u%04x", c);
        else
            g_string_append_unichar(out, c);
    }
    return g_string_free(out, FALSE);
}

/* A word of the command line has no lines: only a place within it adds anything. */
static gboolean is_whole_word(const DnConfigNode *at)
{
    gboolean word = g_str_has_prefix(at->file, "--") || strcmp(at->file, "command line") == 0;
    return word && at->line == 1 && at->column == 1;
}

void dn_config_error(const DnConfigNode *at, DnError code, GError **error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    g_autofree char *line = one_line(text);
    if (at == NULL)
        g_set_error_literal(error, DN_ERROR, (gint)code, line);
    else if (is_whole_word(at))
        g_set_error(error, DN_ERROR, (gint)code, "%s: %s", at->file, line);
    else
        g_set_error(error, DN_ERROR, (gint)code, "%s:%u:%u: %s", at->file, at->line, at->column,
                    line);
}

/* Plain YAML where nothing could be read otherwise, else double-quoted. */
static gboolean is_plain(const DnConfigNode *node)
{
    const char *s = node->scalar;
    gsize n = strlen(s);
    if (node->quoted || n == 0 || s[n - 1] == ' ')
        return FALSE;
    if (!g_ascii_isalnum(s[0]) && strchr("./_", s[0]) == NULL &&
        !(s[0] == '-' && g_ascii_isalnum(s[1])))
        return FALSE;
    return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./%+- ") == n;
}

/* Control characters, and what YAML takes for line ends or a byte order mark, as escapes. @text is
 * UTF-8. */
static void print_quoted(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (const char *p = text; *p != '\0'; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        if (c == '"' || c == '\\')
            g_string_append_printf(out, "\\%c", (char)c);
        else if (c == '\n')
            g_string_append(out, "\\n");
        else if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff)
            g_string_append_printf(out, "\\u%04x", c);
        else
            g_string_append_unichar(out, c);
    }
    g_string_append_c(out, '"');
}

static void print_value(GString *out, const DnConfigNode *node);

static void print_bare(GString *out, const DnConfigNode *node)
{
    if (node->kind == DN_CONFIG_SCALAR) {
        if (dn_config_is_empty(node))
            g_string_append(out, "null"); /* a list could not show nothing otherwise */
        else if (is_plain(node))
            g_string_append(out, node->scalar);
        else
            print_quoted(out, node->scalar);
        return;
    }
    gboolean map = node->kind == DN_CONFIG_MAP;
    g_string_append_c(out, map ? '{' : '[');
    for (guint i = 0; i < node->children->len; i++) {
        if (i > 0)
            g_string_append(out, ", ");
        if (map) {
            print_bare(out, node->key_nodes->pdata[i]);
            g_string_append(out, ": ");
        }
        print_value(out, node->children->pdata[i]);
    }
    g_string_append_c(out, map ? '}' : ']');
}

static void print_value(GString *out, const DnConfigNode *node)
{
    if (node->source == NULL && node->assumed == NULL) {
        print_bare(out, node);
        return;
    }
    g_string_append(out, "{value: ");
    print_bare(out, node);
    g_string_append(out, node->source != NULL ? ", source: " : ", assumed: ");
    print_quoted(out, node->source != NULL ? node->source : node->assumed);
    g_string_append_c(out, '}');
}

char *dn_config_quote(const char *text)
{
    GString *out = g_string_new(NULL);
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    print_quoted(out, valid);
    return g_string_free(out, FALSE);
}

char *dn_config_to_string(const DnConfigNode *node)
{
    GString *out = g_string_new(NULL);
    if (node->kind != DN_CONFIG_MAP || node->children->len == 0 || node->source != NULL ||
        node->assumed != NULL) {
        print_value(out, node);
        return g_string_free(out, FALSE);
    }
    for (guint i = 0; i < node->children->len; i++) { /* a line for each top key, for diff */
        print_bare(out, node->key_nodes->pdata[i]);
        g_string_append(out, ": ");
        print_value(out, node->children->pdata[i]);
        g_string_append_c(out, '\n');
    }
    return g_string_free(out, FALSE);
}
