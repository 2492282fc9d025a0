/* params.c - see params.h.
 *
 * Every value is read once, here, into plain numbers; positions are kept beside them, so that an
 * error can be placed after the tree is gone. The nodes that dn_params_node() hands out are
 * borrowed from the tree. */
#include "config/config_internal.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/units.h"

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

static const DnUnit UNITS[] = {
    [DN_PARAM_REAL] = DN_UNIT_NONE,     [DN_PARAM_BYTES] = DN_UNIT_BYTES,
    [DN_PARAM_TIME] = DN_UNIT_TIME,     [DN_PARAM_RATE] = DN_UNIT_RATE,
    [DN_PARAM_LENGTH] = DN_UNIT_LENGTH, [DN_PARAM_PER_SECOND] = DN_UNIT_PER_SECOND,
};

static gboolean has_unit(DnParamType type)
{
    return type == DN_PARAM_BYTES || type == DN_PARAM_TIME || type == DN_PARAM_RATE ||
           type == DN_PARAM_PER_SECOND || type == DN_PARAM_LENGTH;
}

/* A bound as the user would write it. */
static char *params_show(DnParamType type, double value)
{
    char buf[DN_UNIT_BUF];
    gint64 whole = value >= 0x1p63 ? G_MAXINT64 : value <= -0x1p63 ? G_MININT64 : (gint64)value;
    switch (type) {
    case DN_PARAM_BYTES:
        return g_strdup(dn_format_bytes(whole, buf));
    case DN_PARAM_TIME:
        return g_strdup(dn_format_time(whole, buf));
    case DN_PARAM_RATE:
        return g_strdup(dn_format_rate(value, buf));
    case DN_PARAM_LENGTH:
        return g_strdup(dn_format_length(value, buf));
    case DN_PARAM_PER_SECOND:
        return g_strdup(dn_format_per_second(value, buf));
    case DN_PARAM_REAL:
        return g_strdup(g_ascii_formatd(buf, sizeof buf, "%.6g", value));
    default:
        return g_strdup_printf("%" G_GINT64_FORMAT, whole);
    }
}

/* What the spec bounds: a unit's quantity is never negative unless its spec says so. */
static void params_bounds(const DnParamSpec *spec, double *min, double *max)
{
    gboolean bounded = spec->min != 0 || spec->max != 0;
    *min = bounded ? spec->min : has_unit(spec->type) ? 0 : -INFINITY;
    *max = bounded && spec->max >= spec->min ? spec->max : INFINITY;
}

char *dn_param_allowed(const DnParamSpec *spec)
{
    double min = 0, max = 0;
    params_bounds(spec, &min, &max);
    g_autofree char *low = isfinite(min) ? params_show(spec->type, min) : NULL;
    g_autofree char *high = isfinite(max) ? params_show(spec->type, max) : NULL;
    if (low == NULL && high == NULL)
        return NULL;
    return low == NULL    ? g_strdup_printf("at most %s", high)
           : high == NULL ? g_strdup_printf("at least %s", low)
                          : g_strdup_printf("%s to %s", low, high);
}

static gboolean check_range(const DnConfigNode *at, const DnParamSpec *spec, double value,
                            GError **error)
{
    double min = 0, max = 0;
    params_bounds(spec, &min, &max);
    if (value >= min && value <= max)
        return TRUE;
    g_autofree char *found = dn_config_describe(at);
    g_autofree char *allowed = dn_param_allowed(spec);
    dn_config_error(at, DN_ERROR_RANGE, error, "%s: %s is out of range; allowed: %s", spec->key,
                    found, allowed);
    return FALSE;
}

const char *dn_param_type_name(DnParamType type)
{
    static const char *const names[] = {
        [DN_PARAM_INT] = "whole number",
        [DN_PARAM_REAL] = "number",
        [DN_PARAM_BOOL] = "yes or no",
        [DN_PARAM_STRING] = "text",
        [DN_PARAM_CHOICE] = "one of",
        [DN_PARAM_BYTES] = "size",
        [DN_PARAM_TIME] = "time",
        [DN_PARAM_RATE] = "data rate",
        [DN_PARAM_PER_SECOND] = "rate per second",
        [DN_PARAM_LENGTH] = "length",
        [DN_PARAM_INT_LIST] = "list of whole numbers",
        [DN_PARAM_BOOL_LIST] = "list of yes or no",
        [DN_PARAM_NODE] = "structure",
    };
    return names[type];
}

static const char *in_quotes(const DnConfigNode *at)
{
    return at->quoted ? " in quotes" : "";
}

static gboolean parse_whole(const DnConfigNode *at, const DnParamSpec *spec, gint64 *out,
                            GError **error)
{
    const char *text = at->scalar;
    const char *digits = text + (*text == '-' || *text == '+');
    gboolean looks = g_ascii_isdigit(*digits) && strspn(digits, "0123456789") == strlen(digits);
    if (at->quoted || !looks) {
        g_autofree char *found = dn_config_describe(at);
        dn_config_error(at, DN_ERROR_TYPE, error, "%s: a whole number is wanted, not %s%s",
                        spec->key, found, in_quotes(at));
        return FALSE;
    }
    errno = 0;
    *out = g_ascii_strtoll(text, NULL, 10);
    if (errno != ERANGE)
        return check_range(at, spec, (double)*out, error);
    /* Out of the type's reach is out of any range. */
    DnParamSpec reach = *spec;
    params_bounds(spec, &reach.min, &reach.max);
    reach.min = MAX(reach.min, -0x1p63);
    reach.max = MIN(reach.max, 0x1p63);
    return check_range(at, &reach, *text == '-' ? -INFINITY : INFINITY, error);
}

static gboolean parse_bool(const DnConfigNode *at, const DnParamSpec *spec, gint64 *out,
                           GError **error)
{
    static const char *const WORDS[] = {"false", "no", "off", "true", "yes", "on"};
    for (guint i = 0; !at->quoted && i < G_N_ELEMENTS(WORDS); i++) {
        if (g_ascii_strcasecmp(at->scalar, WORDS[i]) == 0) {
            *out = i >= 3;
            return TRUE;
        }
    }
    g_autofree char *found = dn_config_describe(at);
    dn_config_error(at, DN_ERROR_TYPE, error,
                    "%s: %s%s is not a truth value; allowed: true, false, yes, no, on, off",
                    spec->key, found, in_quotes(at));
    return FALSE;
}

static gboolean parse_choice(const DnConfigNode *at, const DnParamSpec *spec, gint64 *out,
                             GError **error)
{
    for (guint i = 0; spec->choices[i] != NULL; i++) {
        if (strcmp(at->scalar, spec->choices[i]) == 0) {
            *out = i;
            return TRUE;
        }
    }
    g_autofree char *found = dn_config_describe(at);
    g_autofree char *tail = dn_suggest(at->scalar, spec->choices, "allowed");
    dn_config_error(at, DN_ERROR_UNKNOWN, error, "unknown %s %s%s", spec->key, found, tail);
    return FALSE;
}

static gboolean parse_quantity(const DnConfigNode *at, const DnParamSpec *spec, double *out,
                               GError **error)
{
    g_autoptr(GError) why = NULL;
    if (at->quoted && !has_unit(spec->type)) {
        g_autofree char *found = dn_config_describe(at);
        dn_config_error(at, DN_ERROR_TYPE, error, "%s: a number is wanted, not %s in quotes",
                        spec->key, found);
        return FALSE;
    }
    if (!dn_unit_parse(at->scalar, UNITS[spec->type], out, &why)) {
        dn_config_error(at, (DnError)why->code, error, "%s: %s", spec->key, why->message);
        return FALSE;
    }
    return check_range(at, spec, *out, error);
}

/* Bytes are whole; a time is rounded to ps and a rate to bit/s: no measurement is finer. */
static gboolean to_whole(const DnConfigNode *at, const DnParamSpec *spec, double value, gint64 *out,
                         GError **error)
{
    double whole = round(value);
    g_autofree char *found = dn_config_describe(at);
    if (fabs(whole) >= 0x1p63) {
        g_autofree char *most = params_show(spec->type, 0x1p63);
        dn_config_error(at, DN_ERROR_RANGE, error, "%s: %s is out of range; allowed: at most %s",
                        spec->key, found, most);
        return FALSE;
    }
    /* 1.1 kB is 1100.0000000000002 in a double, and still 1100 bytes */
    if (spec->type == DN_PARAM_BYTES && fabs(value - whole) > 1e-6 + 1e-12 * fabs(value)) {
        dn_config_error(at, DN_ERROR_RANGE, error, "%s: %s is not a whole number of bytes",
                        spec->key, found);
        return FALSE;
    }
    *out = (gint64)whole;
    return TRUE;
}

static gboolean check_scalar(const DnConfigNode *at, const DnParamSpec *spec, GError **error)
{
    if (!dn_config_expect(at, DN_CONFIG_SCALAR, error))
        return FALSE;
    if (at->scalar[0] != '\0') /* '' is no value either */
        return TRUE;
    dn_config_error(at, DN_ERROR_MISSING, error, "%s: a value is missing%s%s", spec->key,
                    spec->help != NULL ? "; it is: " : "", spec->help != NULL ? spec->help : "");
    return FALSE;
}

static gboolean parse_scalar(const DnConfigNode *at, const DnParamSpec *spec, gint64 *whole,
                             double *real, GError **error)
{
    if (!check_scalar(at, spec, error))
        return FALSE;
    switch (spec->type) {
    case DN_PARAM_INT:
    case DN_PARAM_INT_LIST:
        return parse_whole(at, spec, whole, error);
    case DN_PARAM_BOOL:
    case DN_PARAM_BOOL_LIST:
        return parse_bool(at, spec, whole, error);
    case DN_PARAM_CHOICE:
        return parse_choice(at, spec, whole, error);
    case DN_PARAM_REAL:
    case DN_PARAM_PER_SECOND:
    case DN_PARAM_LENGTH:
        return parse_quantity(at, spec, real, error);
    case DN_PARAM_BYTES:
    case DN_PARAM_TIME:
    case DN_PARAM_RATE:
        return parse_quantity(at, spec, real, error) && to_whole(at, spec, *real, whole, error);
    default:
        g_assert_not_reached();
    }
}

gboolean dn_param_parse(const DnConfigNode *scalar, const DnParamSpec *spec, gint64 *out_int,
                        double *out_real, GError **error)
{
    g_assert(spec->type <= DN_PARAM_LENGTH && spec->type != DN_PARAM_STRING);
    gint64 whole = 0;
    double real = 0;
    if (!parse_scalar(scalar, spec, &whole, &real, error))
        return FALSE;
    if (out_int != NULL)
        *out_int = whole;
    if (out_real != NULL)
        *out_real = real;
    return TRUE;
}

static gboolean parse_list(const DnConfigNode *node, const DnParamSpec *spec, Value *value,
                           GError **error)
{
    if (!dn_config_expect(node, DN_CONFIG_LIST, error))
        return FALSE;
    value->n_list = node->children->len;
    value->list = g_new0(gint64, MAX(value->n_list, 1));
    for (guint i = 0; i < value->n_list; i++) {
        double unused = 0;
        if (!parse_scalar(node->children->pdata[i], spec, &value->list[i], &unused, error))
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
        if (!check_scalar(node, spec, error))
            return FALSE;
        value->text = g_strdup(node->scalar);
        return TRUE;
    case DN_PARAM_CHOICE:
        if (!parse_scalar(node, spec, &value->whole, &value->real, error))
            return FALSE;
        value->text = g_strdup(node->scalar);
        return TRUE;
    default:
        return parse_scalar(node, spec, &value->whole, &value->real, error);
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
    const DnConfigNode *node = dn_config_get(map, spec->key);
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
        if (g_strv_contains((const char *const *)known->pdata, key))
            continue;
        g_autofree char *shown = dn_quote(key);
        g_autofree char *tail = dn_suggest(key, (const char *const *)known->pdata, "known");
        dn_config_error(map->key_nodes->pdata[i], DN_ERROR_UNKNOWN, error, "unknown key %s%s",
                        shown, tail[0] != '\0' ? tail : "; no keys are known here");
        return FALSE;
    }
    return TRUE;
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
