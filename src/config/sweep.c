/* sweep.c - the points of a `sweep:`: cartesian product, first key slowest; see run_spec.h.
 *
 * Values are put in as nodes, not as text, so that an error in one stands at its place in the
 * file. */
#include <string.h>

#include "base/compare.h"
#include "base/units.h"
#include "config/config_internal.h"
#include "config/run_spec.h"

#define MAX_POINTS 100000
#define MAX_SWEPT_KEYS 64

/* A key set by hand stays as set: it leaves the sweep. */
static void pin_overridden(DnConfigNode *map, const char *const *overrides)
{
    for (; overrides != NULL && *overrides != NULL; overrides++) {
        g_autofree char *key = g_strndup(*overrides, strcspn(*overrides, "="));
        dn_config_map_remove(map, g_strstrip(key));
    }
}

/* TRUE: @path names something inside what @key names. */
static gboolean is_below(const char *path, const char *key)
{
    gsize n = strlen(key);
    return strncmp(path, key, n) == 0 && (path[n] == '.' || path[n] == '[');
}

/* What is set by hand below a key that is swept by name (a machine's link, for a sweep over
 * machines) is set at each point. A value that is written out holds its own keys: what was set
 * there would be lost, or the value's text in the results untrue. */
static gboolean keep_below(DnSweep *sweep, const char *const *overrides, GError **error)
{
    sweep->set = g_ptr_array_new_with_free_func(g_free);
    for (; overrides != NULL && *overrides != NULL; overrides++) {
        g_autofree char *path = g_strndup(*overrides, strcspn(*overrides, "="));
        g_strstrip(path);
        for (guint k = 0; sweep->map != NULL && k < sweep->map->keys->len; k++) {
            const char *key = sweep->map->keys->pdata[k];
            const DnConfigNode *list = sweep->map->children->pdata[k];
            if (!is_below(path, key))
                continue;
            for (guint i = 0; i < list->children->len; i++) {
                const DnConfigNode *value = list->children->pdata[i];
                if (value->kind == DN_CONFIG_SCALAR)
                    continue;
                dn_config_error(value, DN_ERROR_RANGE, error,
                                "--set %s has no effect on this value of the sweep over %s; change "
                                "the value here, or set %s whole, which ends the sweep over it",
                                path, key, key);
                return FALSE;
            }
            g_ptr_array_add(sweep->set, g_strdup(*overrides));
        }
    }
    return TRUE;
}

static char *as_written(const DnConfigNode *node)
{
    gboolean bare = node->kind == DN_CONFIG_SCALAR && !node->quoted && node->source == NULL &&
                    node->assumed == NULL && strchr(node->scalar, '\n') == NULL;
    if (bare)
        return g_strdup(node->scalar);
    g_autofree char *text = g_strchomp(dn_config_to_string(node));
    if (node->kind != DN_CONFIG_MAP || strchr(text, '\n') == NULL)
        return g_steal_pointer(&text);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1); /* a cell of a table is one line */
    g_autofree char *joined = g_strjoinv(", ", lines);
    return g_strdup_printf("{%s}", joined);
}

/* The number of a scalar in base units, as text that equal numbers share; NULL: it is no number.
 * Whole numbers keep all their digits: seeds have 64 bits. */
static char *number_text(const DnConfigNode *node)
{
    const char *digits = node->scalar + (*node->scalar == '+');
    gboolean whole = digits[0] != '\0' && strspn(digits, "0123456789") == strlen(digits);
    if (whole && !node->quoted) {
        gsize zeros = strspn(digits, "0");
        return g_strdup(digits[zeros] != '\0' ? digits + zeros : "0");
    }
    for (guint unit = node->quoted ? DN_UNIT_TIME : DN_UNIT_NONE; unit <= DN_UNIT_PER_SECOND;
         unit++) {
        char buf[G_ASCII_DTOSTR_BUF_SIZE];
        double value = 0;
        if (!dn_unit_parse(node->scalar, (DnUnit)unit, &value, NULL))
            continue;
        const char *number = g_ascii_formatd(buf, sizeof buf, "%.15g", value + 0.0); /* no -0 */
        return unit == DN_UNIT_NONE ? g_strdup(number) : g_strdup_printf("%s in %u", number, unit);
    }
    return NULL;
}

/* Text that values share when no reader can tell them apart: 1 KiB and 1024 B, yes and true. */
static void append_value(GString *out, const DnConfigNode *node)
{
    if (node->kind == DN_CONFIG_SCALAR) {
        g_autofree char *number = number_text(node);
        gboolean yes = FALSE;
        if (number != NULL)
            g_string_append_printf(out, "#%s", number);
        else if (!node->quoted && dn_param_parse_bool(node->scalar, &yes))
            g_string_append(out, yes ? "yes" : "no");
        else /* the length keeps apart what commas in it could join */
            g_string_append_printf(out, "%zu'%s", strlen(node->scalar), node->scalar);
        return;
    }
    g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < node->children->len; i++) {
        GString *part = g_string_new(NULL);
        if (node->kind == DN_CONFIG_MAP)
            g_string_append_printf(part, "%s: ", (const char *)node->keys->pdata[i]);
        append_value(part, node->children->pdata[i]);
        g_ptr_array_add(parts, g_string_free(part, FALSE));
    }
    if (node->kind == DN_CONFIG_MAP) /* its keys may stand in any order */
        g_ptr_array_sort(parts, dn_compare_texts);
    g_string_append_c(out, node->kind == DN_CONFIG_MAP ? '{' : '[');
    for (guint i = 0; i < parts->len; i++)
        g_string_append_printf(out, "%s,", (const char *)parts->pdata[i]);
    g_string_append_c(out, node->kind == DN_CONFIG_MAP ? '}' : ']');
}

void dn_sweep_same_value_error(const DnConfigNode *value, const DnConfigNode *first,
                               const char *key, GError **error)
{
    static const char ALLOWED[] = "each value once (`repeat: 2` runs each point with two seeds)";
    g_autofree char *text = as_written(value), *quoted = dn_quote(text);
    g_autofree char *first_text = as_written(first), *first_quoted = dn_quote(first_text);
    if (strcmp(text, first_text) == 0)
        dn_config_error(value, DN_ERROR_RANGE, error,
                        "%s: %s stands twice among the values to sweep over; allowed: %s", key,
                        quoted, ALLOWED);
    else
        dn_config_error(value, DN_ERROR_RANGE, error,
                        "%s: %s is the same value as %s at %s:%u:%u; allowed: %s", key, quoted,
                        first_quoted, first->file, first->line, first->column, ALLOWED);
}

/* Repetitions are asked for by `repeat`. */
static gboolean check_different(const DnConfigNode *list, const char *key, GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < list->children->len; i++) {
        DnConfigNode *value = list->children->pdata[i];
        GString *text = g_string_new(NULL);
        append_value(text, value);
        g_autofree char *same = g_string_free(text, FALSE);
        const DnConfigNode *first = g_hash_table_lookup(seen, same);
        if (first != NULL) {
            dn_sweep_same_value_error(value, first, key, error);
            return FALSE;
        }
        g_hash_table_insert(seen, g_steal_pointer(&same), value);
    }
    return TRUE;
}

static gboolean check_values(const DnConfigNode *list, const char *key, guint64 *points,
                             GError **error)
{
    if (!dn_config_expect(list, DN_CONFIG_LIST, error))
        return FALSE;
    if (list->children->len == 0) {
        dn_config_error(list, DN_ERROR_RANGE, error, "%s: no values to sweep over", key);
        return FALSE;
    }
    if (!check_different(list, key, error))
        return FALSE;
    *points *= list->children->len; /* at most 1e5 times what fits in memory */
    if (*points <= MAX_POINTS)
        return TRUE;
    dn_config_error(list, DN_ERROR_RANGE, error,
                    "%s: makes %" G_GUINT64_FORMAT " points of the sweep; allowed: %d", key,
                    *points, MAX_POINTS);
    return FALSE;
}

/* Its first part is a key of a run file, other than the sweep itself. */
static gboolean check_key(const char *key, const DnConfigNode *at, GError **error)
{
    g_autofree char *first = g_strndup(key, strcspn(key, ".["));
    g_autoptr(GPtrArray) known = g_ptr_array_new();
    for (const DnParamSpec *spec = dn_run_spec_keys; spec->key != NULL; spec++)
        if (strcmp(spec->key, "sweep") != 0)
            g_ptr_array_add(known, (gpointer)spec->key);
    g_ptr_array_add(known, NULL);
    const char *const *names = (const char *const *)known->pdata;
    if (strcmp(first, "sweep") == 0) {
        dn_config_error(at, DN_ERROR_RANGE, error, "sweep: a sweep does not sweep itself");
        return FALSE;
    }
    if (strcmp(key, "output") == 0) {
        dn_config_error(at, DN_ERROR_RANGE, error,
                        "sweep: the points of a sweep share one folder; set `output` outside it");
        return FALSE;
    }
    if (first[0] == '\0' || g_strv_contains(names, first))
        return TRUE; /* a path without a beginning is refused when it is tried */
    g_autofree char *unknown = dn_unknown(first, names, "known");
    dn_config_error(at, DN_ERROR_UNKNOWN, error, "unknown key %s", unknown);
    return FALSE;
}

/* Every key has values and can be set; the product of the lengths is the number of points. */
static gboolean check_sweep(const DnConfigNode *root, const DnConfigNode *map, guint *n_points,
                            GError **error)
{
    g_autoptr(DnConfigNode) trial = dn_config_copy(root);
    guint64 points = 1;
    if (map->keys->len > MAX_SWEPT_KEYS) {
        dn_config_error(map, DN_ERROR_RANGE, error, "sweep: %u keys; allowed: %d", map->keys->len,
                        MAX_SWEPT_KEYS);
        return FALSE;
    }
    for (guint k = 0; k < map->keys->len; k++) {
        const DnConfigNode *list = map->children->pdata[k], *at = map->key_nodes->pdata[k];
        const char *key = map->keys->pdata[k];
        if (!check_key(key, at, error) || !check_values(list, key, &points, error) ||
            !dn_config_replace(trial, key, dn_config_copy(list->children->pdata[0]), at, error))
            return FALSE;
    }
    *n_points = (guint)points;
    return TRUE;
}

/* Index of key @k's value at @point: digits of a number whose last digit runs fastest. */
static guint value_index(const DnConfigNode *map, guint point, guint k)
{
    for (guint j = map->keys->len - 1; j > k; j--)
        point /= ((const DnConfigNode *)map->children->pdata[j])->children->len;
    return point % ((const DnConfigNode *)map->children->pdata[k])->children->len;
}

static void write_points(DnSweep *sweep)
{
    guint n = sweep->n_keys;
    sweep->texts = g_ptr_array_new_with_free_func(g_free);
    g_autofree guint *first = g_new0(guint, n + 1); /* of each key's texts */
    for (guint k = 0; k < n; k++) {
        const DnConfigNode *list = sweep->map->children->pdata[k];
        sweep->keys[k] = sweep->map->keys->pdata[k];
        first[k] = sweep->texts->len;
        for (guint i = 0; i < list->children->len; i++)
            g_ptr_array_add(sweep->texts, as_written(list->children->pdata[i]));
    }
    for (guint p = 0; p < sweep->n_points; p++) {
        sweep->place[p] = p;
        sweep->values[p] = g_new0(char *, n + 1);
        for (guint k = 0; k < n; k++)
            sweep->values[p][k] = sweep->texts->pdata[first[k] + value_index(sweep->map, p, k)];
    }
}

/* Takes @root, which may be NULL: then @error is set already. */
static DnSweep *sweep_new(DnConfigNode *root, const char *file, const char *const *overrides,
                          GError **error)
{
    if (root == NULL)
        return NULL;
    g_autoptr(DnSweep) sweep = g_new0(DnSweep, 1);
    sweep->n_points = 1;
    sweep->file = g_strdup(file);
    sweep->root = root;
    sweep->map = dn_config_map_take(sweep->root, "sweep");
    if (sweep->map != NULL) {
        if (!dn_config_expect(sweep->map, DN_CONFIG_MAP, error))
            return NULL;
        pin_overridden(sweep->map, overrides);
        if (!check_sweep(sweep->root, sweep->map, &sweep->n_points, error))
            return NULL;
    }
    if (!keep_below(sweep, overrides, error))
        return NULL;
    sweep->n_keys = sweep->map != NULL ? sweep->map->keys->len : 0;
    sweep->keys = g_new0(char *, sweep->n_keys + 1);
    sweep->values = g_new0(char **, sweep->n_points);
    sweep->place = g_new0(guint, sweep->n_points);
    sweep->skipped = g_ptr_array_new_with_free_func(g_free);
    write_points(sweep);
    return g_steal_pointer(&sweep);
}

DnSweep *dn_sweep_load(const char *file, const char *const *overrides, GError **error)
{
    return sweep_new(dn_config_load(file, overrides, error), file, overrides, error);
}

DnSweep *dn_sweep_parse(const char *text, const char *file_name, const char *const *overrides,
                        GError **error)
{
    g_autoptr(DnConfigNode) root = dn_config_parse(text, file_name, error);
    if (root == NULL || !dn_config_expect(root, DN_CONFIG_MAP, error))
        return NULL;
    for (guint i = 0; overrides != NULL && overrides[i] != NULL; i++)
        if (!dn_config_override(root, overrides[i], error))
            return NULL;
    return sweep_new(g_steal_pointer(&root), file_name, overrides, error);
}

gboolean dn_sweep_has_key(const DnSweep *sweep, const char *name)
{
    for (guint k = 0; sweep != NULL && k < sweep->n_keys; k++)
        if (strcmp(sweep->keys[k], name) == 0)
            return TRUE;
    return FALSE;
}

void dn_sweep_free(DnSweep *sweep)
{
    if (sweep == NULL)
        return;
    for (guint p = 0; sweep->values != NULL && p < sweep->n_points; p++)
        g_free(sweep->values[p]);
    g_free(sweep->values);
    g_free(sweep->place);
    g_clear_pointer(&sweep->skipped, g_ptr_array_unref);
    g_clear_pointer(&sweep->set, g_ptr_array_unref);
    g_free(sweep->keys);
    g_clear_pointer(&sweep->texts, g_ptr_array_unref);
    dn_config_free(sweep->map);
    dn_config_free(sweep->root);
    g_free(sweep->file);
    g_free(sweep);
}

void dn_sweep_drop(DnSweep *sweep, guint point, const char *why)
{
    g_assert(point < sweep->n_points && sweep->n_points > 1);
    GString *line = g_string_new(NULL);
    for (guint k = 0; k < sweep->n_keys; k++)
        g_string_append_printf(line, "%s%s %s", k > 0 ? ", " : "", sweep->keys[k],
                               sweep->values[point][k]);
    g_string_append_printf(line, ": %s", why);
    g_ptr_array_add(sweep->skipped, g_string_free(line, FALSE));
    g_free(sweep->values[point]);
    guint after = --sweep->n_points - point;
    memmove(&sweep->values[point], &sweep->values[point + 1], after * sizeof *sweep->values);
    memmove(&sweep->place[point], &sweep->place[point + 1], after * sizeof *sweep->place);
}

DnRunSpec *dn_sweep_spec(const DnSweep *sweep, guint point, GError **error)
{
    g_assert(point < sweep->n_points);
    g_autoptr(DnConfigNode) root = dn_config_copy(sweep->root);
    for (guint k = 0; k < sweep->n_keys; k++) {
        const DnConfigNode *list = sweep->map->children->pdata[k];
        DnConfigNode *value =
            dn_config_copy(list->children->pdata[value_index(sweep->map, sweep->place[point], k)]);
        if (!dn_config_replace(root, sweep->keys[k], value, sweep->map->key_nodes->pdata[k], error))
            return NULL;
    }
    for (guint i = 0; i < sweep->set->len; i++)
        if (!dn_config_override(root, sweep->set->pdata[i], error))
            return NULL;
    return dn_run_spec_new(g_steal_pointer(&root), sweep->file, error);
}
