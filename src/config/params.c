/* params.c - see params.h.
 *
 * Every value is read once, here, into plain numbers; positions are kept beside them, so that an
 * error can be placed after the tree is gone. The nodes that dn_params_node() hands out are
 * borrowed from the tree. */
#include "config/config_internal.h"

#include <stdarg.h>
#include <string.h>

typedef struct {
    gboolean there; /* given or defaulted */
    gboolean given;
    gint64 whole; /* INT, BYTES, TIME, RATE, BOOL, CHOICE */
    double real;  /* REAL, PER_SECOND, LENGTH */
    char *text;   /* STRING, CHOICE */
    gint64 *list; /* *_LIST */
    guint n_list;
    const DnConfigNode *node; /* borrowed; NULL when defaulted */
    DnConfigNode at;          /* file, line and column only */
} Value;

struct DnParams {
    const DnParamSpec *specs;
    guint n;
    Value *values;
    gboolean placed; /* there was a mapping */
    DnConfigNode at; /* its position */
};

static gboolean parse_list(const DnConfigNode *node, const DnParamSpec *spec, Value *value,
                           GError **error)
{
    if (!dn_config_expect(node, DN_CONFIG_LIST, error))
        return FALSE;
    value->n_list = node->children->len;
    value->list = g_new0(gint64, MAX(value->n_list, 1));
    for (guint i = 0; i < value->n_list; i++) {
        double unused = 0;
        if (!dn_param_parse_scalar(node->children->pdata[i], spec, &value->list[i], &unused, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean parse_value(const DnConfigNode *node, const DnParamSpec *spec, Value *value,
                            GError **error)
{
    value->there = TRUE;
    switch (spec->type) {
    case DN_PARAM_NODE:
        return TRUE;
    case DN_PARAM_INT_LIST:
    case DN_PARAM_BOOL_LIST:
        return parse_list(node, spec, value, error);
    case DN_PARAM_STRING:
        if (!dn_param_check_scalar(node, spec, error))
            return FALSE;
        value->text = g_strdup(node->scalar);
        return TRUE;
    case DN_PARAM_CHOICE:
        if (!dn_param_parse_scalar(node, spec, &value->whole, &value->real, error))
            return FALSE;
        value->text = g_strdup(node->scalar);
        return TRUE;
    default:
        return dn_param_parse_scalar(node, spec, &value->whole, &value->real, error);
    }
}

/* (transfer full): the default as a node; most are plain scalars, which need no YAML parser. */
static DnConfigNode *fallback_node(const DnParamSpec *spec, GError **error)
{
    const char *text = spec->fallback;
    if (!g_ascii_isalnum(text[0]) || strpbrk(text, ":#{}[],&*!|>'\"\n") != NULL ||
        strcmp(text, "null") == 0)
        return dn_config_parse(text, spec->key, error);
    DnConfigNode *node = dn_config_node_new(DN_CONFIG_SCALAR, spec->key, 1, 1);
    node->scalar = g_strdup(text);
    node->path = g_strdup("");
    return node;
}

/* A default is ours: wrong text is a bug. It may stand outside the range (0: automatic). */
static void parse_fallback(const DnParamSpec *spec, Value *value)
{
    if (spec->fallback[0] == '\0' || spec->type == DN_PARAM_NODE)
        return;
    g_autoptr(GError) why = NULL;
    g_autoptr(DnConfigNode) node = fallback_node(spec, &why);
    DnParamSpec open = *spec;
    open.min = -G_MAXDOUBLE;
    open.max = G_MAXDOUBLE;
    if (node == NULL || !parse_value(node, &open, value, &why))
        g_error("the default of parameter '%s': %s", spec->key, why->message);
}

static void params_place(DnConfigNode *at, const DnConfigNode *node)
{
    *at = (DnConfigNode){.file = node->file, .line = node->line, .column = node->column};
}

static gboolean read_one(const DnConfigNode *map, const DnParamSpec *spec, Value *value,
                         GError **error)
{
    const DnConfigNode *node = NULL;
    if (map != NULL && !dn_renamed_get(map, spec->key, &node, error))
        return FALSE;
    if (node != NULL) {
        value->given = TRUE;
        value->node = node;
        params_place(&value->at, node);
        return parse_value(node, spec, value, error);
    }
    if (spec->fallback != NULL) {
        parse_fallback(spec, value);
        return TRUE;
    }
    dn_config_error(map, DN_ERROR_MISSING, error, "missing key '%s'%s%s", spec->key,
                    spec->help != NULL ? ": " : "", spec->help != NULL ? spec->help : "");
    return FALSE;
}

static guint count_specs(const DnParamSpec *specs)
{
    guint n = 0;
    while (specs[n].key != NULL)
        n++;
    return n;
}

static gboolean check_known(const DnConfigNode *map, const DnParamSpec *specs,
                            const char *const *ignore, GError **error)
{
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    for (guint i = 0; ignore != NULL && ignore[i] != NULL; i++)
        g_ptr_array_add(known, (gpointer)ignore[i]);
    for (guint i = 0; specs[i].key != NULL; i++)
        g_ptr_array_add(known, (gpointer)specs[i].key);
    g_ptr_array_add(known, NULL);
    for (guint i = 0; i < map->keys->len; i++) {
        const char *key = map->keys->pdata[i];
        const char *now = dn_renamed_key(key);
        if (g_strv_contains((const char *const *)known->pdata, key) ||
            (now != NULL && g_strv_contains((const char *const *)known->pdata, now)))
            continue;
        g_autofree char *meant = dn_misplaced_key(specs, key, (const char *const *)known->pdata);
        g_autofree char *unknown =
            meant != NULL ? dn_quote(key)
                          : dn_unknown(key, (const char *const *)known->pdata, "known");
        dn_config_error(map->key_nodes->pdata[i], DN_ERROR_UNKNOWN, error, "unknown key %s%s%s",
                        unknown, meant != NULL ? " here; " : "",
                        meant != NULL    ? meant
                        : known->len > 1 ? ""
                                         : "; no keys are known here");
        return FALSE;
    }
    return TRUE;
}

/* Marks as read the keys that the caller ignores and nobody reads: remarks for a reader of the
 * file. */
static void mark_remarks(const DnConfigNode *map, const char *const *ignore)
{
    for (guint i = 0; ignore != NULL && ignore[i] != NULL; i++)
        if (dn_config_is_remark(ignore[i]))
            (void)dn_config_get(map, ignore[i]);
}

DnParams *dn_params_read(const DnConfigNode *map, const DnParamSpec *specs,
                         const char *const *ignore, GError **error)
{
    if (map != NULL &&
        (!dn_config_expect(map, DN_CONFIG_MAP, error) || !check_known(map, specs, ignore, error)))
        return NULL;
    g_autoptr(DnParams) params = g_new0(DnParams, 1);
    params->specs = specs;
    params->n = count_specs(specs);
    params->values = g_new0(Value, params->n);
    params->placed = map != NULL;
    if (map != NULL)
        params_place(&params->at, map);
    mark_remarks(map, ignore);
    for (guint i = 0; i < params->n; i++)
        if (!read_one(map, &specs[i], &params->values[i], error))
            return NULL;
    return g_steal_pointer(&params);
}

void dn_params_free(DnParams *params)
{
    if (params == NULL)
        return;
    for (guint i = 0; i < params->n; i++) {
        g_free(params->values[i].text);
        g_free(params->values[i].list);
    }
    g_free(params->values);
    g_free(params);
}

static const Value *params_find(const DnParams *params, const char *key, DnParamType *type)
{
    for (guint i = 0; i < params->n; i++) {
        if (strcmp(params->specs[i].key, key) == 0) {
            *type = params->specs[i].type;
            return &params->values[i];
        }
    }
    g_error("no parameter '%s' in the table", key);
}

gboolean dn_params_has(const DnParams *params, const char *key)
{
    DnParamType type;
    return params_find(params, key, &type)->there;
}

gboolean dn_params_given(const DnParams *params, const char *key)
{
    DnParamType type;
    return params_find(params, key, &type)->given;
}

gint64 dn_params_int(const DnParams *params, const char *key)
{
    DnParamType type;
    const Value *value = params_find(params, key, &type);
    g_assert(type == DN_PARAM_INT || type == DN_PARAM_BYTES || type == DN_PARAM_TIME ||
             type == DN_PARAM_RATE || type == DN_PARAM_CHOICE);
    return value->whole;
}

double dn_params_real(const DnParams *params, const char *key)
{
    DnParamType type;
    const Value *value = params_find(params, key, &type);
    g_assert(type == DN_PARAM_REAL || type == DN_PARAM_PER_SECOND || type == DN_PARAM_LENGTH);
    return value->real;
}

gboolean dn_params_bool(const DnParams *params, const char *key)
{
    DnParamType type;
    const Value *value = params_find(params, key, &type);
    g_assert(type == DN_PARAM_BOOL);
    return value->whole != 0;
}

const char *dn_params_string(const DnParams *params, const char *key)
{
    DnParamType type;
    const Value *value = params_find(params, key, &type);
    g_assert(type == DN_PARAM_STRING || type == DN_PARAM_CHOICE);
    return value->text;
}

const gint64 *dn_params_list(const DnParams *params, const char *key, guint *n)
{
    DnParamType type;
    const Value *value = params_find(params, key, &type);
    g_assert(type == DN_PARAM_INT_LIST || type == DN_PARAM_BOOL_LIST);
    *n = value->n_list;
    return value->list;
}

const DnConfigNode *dn_params_node(const DnParams *params, const char *key)
{
    DnParamType type;
    return params_find(params, key, &type)->node;
}

void dn_params_error(const DnParams *params, const char *key, DnError code, GError **error,
                     const char *format, ...)
{
    DnParamType type;
    const Value *value = params_find(params, key, &type);
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    const DnConfigNode *at = value->given ? &value->at : params->placed ? &params->at : NULL;
    dn_config_error(at, code, error, "%s", text);
}
