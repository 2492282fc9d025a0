/* ranges.c - ranges stand for the list of their numbers, wherever a list is allowed.
 *
 *   1..30                            1, 2, ... 30
 *   {from: 1, to: 30}                the same; with step: 5: 1, 6, 11, ... 26
 *   {from: 1 KiB, to: 1 MiB, times: 2}    1 KiB, 2 KiB, 4 KiB, ... 1024 KiB
 *
 * An item of a list that is a range stands for its numbers there: [1..3, 8]. The tree holds the
 * list, so a run has the same hash whichever way it was written.
 * LIMITATIONS: whole numbers, in the unit of `from`; the ends' units are of one kind. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "config/config_internal.h"

#define MAX_NUMBERS 100000
#define LARGEST (G_GINT64_CONSTANT(1) << 62)

typedef struct {
    gint64 from, to, step, times; /* @times 0: add @step, else multiply */
    gint64 last;                  /* @to in the unit of @from, rounded down */
    const char *unit, *to_unit;   /* with the blank before them; borrowed */
} Range;

/* "12 KiB": 12 and " KiB". */
static gboolean read_number(const char *text, gint64 *number, const char **unit)
{
    char *end = NULL;
    if (!g_ascii_isdigit(text[0]) && !(text[0] == '-' && g_ascii_isdigit(text[1])))
        return FALSE;
    *number = g_ascii_strtoll(text, &end, 10);
    *unit = end;
    return *number > -LARGEST && *number < LARGEST &&
           strchr(".eE", *end == '\0' ? ' ' : *end) == NULL;
}

/* "1..30" as it stands. */
static gboolean read_dots(const DnConfigNode *node, Range *range)
{
    const char *dots = node->quoted ? NULL : strstr(node->scalar, "..");
    if (dots == NULL || strspn(node->scalar, "-0123456789.") != strlen(node->scalar))
        return FALSE;
    const char *rest = NULL;
    *range = (Range){.step = 1, .unit = "", .to_unit = ""};
    g_autofree char *first = g_strndup(node->scalar, (gsize)(dots - node->scalar));
    if (!read_number(first, &range->from, &rest) || *rest != '\0' ||
        !read_number(dots + 2, &range->to, &rest) || *rest != '\0')
        return FALSE;
    range->last = range->to;
    return TRUE;
}

static const DnConfigNode *find_scalar(const DnConfigNode *map, const char *key)
{
    guint i = 0;
    if (!dn_config_find(map, key, &i))
        return NULL;
    const DnConfigNode *node = map->children->pdata[i];
    return node->kind == DN_CONFIG_SCALAR ? node : NULL;
}

/* A mapping with `from` and `to` and nothing else but `step` or `times`. */
static gboolean is_range_map(const DnConfigNode *map)
{
    static const char *const keys[] = {"from", "to", "step", "times", NULL};
    const char *unit = NULL;
    gint64 number = 0;
    for (guint i = 0; i < map->keys->len; i++)
        if (!g_strv_contains(keys, map->keys->pdata[i]))
            return FALSE;
    const DnConfigNode *from = find_scalar(map, "from"), *to = find_scalar(map, "to");
    return from != NULL && to != NULL && read_number(from->scalar, &number, &unit) &&
           read_number(to->scalar, &number, &unit);
}

static gboolean read_step(const DnConfigNode *map, const char *key, gint64 least, gint64 *step,
                          GError **error)
{
    const DnParamSpec spec = {key, DN_PARAM_INT, NULL, (double)least, 1e15, NULL, ""};
    guint i = 0;
    if (!dn_config_find(map, key, &i))
        return TRUE;
    return dn_param_parse(map->children->pdata[i], &spec, step, NULL, error);
}

/* Thousandths of a base unit in one of @text, a unit with blanks before it; 0: there is no such. */
static gint64 scale_of(const char *text, DnUnit *unit)
{
    double scale;
    return dn_unit_find(text + strspn(text, " "), unit, &scale) ? llround(scale * 1000) : 0;
}

/* Sets the end of @range in the unit of its beginning; FALSE: the units are of two kinds. */
static gboolean convert_end(Range *range)
{
    DnUnit from_kind, to_kind;
    range->last = range->to;
    if (strcmp(range->unit, range->to_unit) == 0)
        return TRUE;
    gint64 from = scale_of(range->unit, &from_kind), to = scale_of(range->to_unit, &to_kind);
    if (from == 0 || to == 0 || from_kind != to_kind)
        return FALSE;
    __extension__ typedef __int128 Wide;
    Wide all = (Wide)range->to * to, last = all / from;
    last -= all % from < 0;
    range->last = (gint64)CLAMP(last, -LARGEST, LARGEST);
    return TRUE;
}

static gboolean read_range_map(const DnConfigNode *map, Range *range, GError **error)
{
    *range = (Range){.step = 1};
    read_number(find_scalar(map, "from")->scalar, &range->from, &range->unit);
    read_number(find_scalar(map, "to")->scalar, &range->to, &range->to_unit);
    guint i = 0;
    if (!convert_end(range)) {
        dn_config_error(map, DN_ERROR_UNIT, error,
                        "the ends of a range have units of different kinds; allowed: the same of "
                        "both, or of one kind, as KiB and MiB");
        return FALSE;
    }
    if (dn_config_find(map, "times", &i) && (range->from < 1 || dn_config_find(map, "step", &i))) {
        dn_config_error(map, DN_ERROR_RANGE, error,
                        "times: a range from at least 1 is wanted, without `step`");
        return FALSE;
    }
    return read_step(map, "step", 1, &range->step, error) &&
           read_step(map, "times", 2, &range->times, error);
}

/* (transfer full): the numbers of @range, all at the place of @at. */
static DnConfigNode *range_list(const DnConfigNode *at, const Range *range, gint64 *budget,
                                GError **error)
{
    g_autoptr(DnConfigNode)
        list = dn_config_node_new(DN_CONFIG_LIST, at->file, at->line, at->column);
    if (range->from > range->last) {
        dn_config_error(at, DN_ERROR_RANGE, error,
                        "a range from %" G_GINT64_FORMAT "%s to %" G_GINT64_FORMAT
                        "%s holds nothing; allowed: rising ones",
                        range->from, range->unit, range->to, range->to_unit);
        return NULL;
    }
    for (gint64 n = range->from; n <= range->last;
         n = range->times > 0 ? n * range->times : n + range->step) {
        DnConfigNode *item = dn_config_node_new(DN_CONFIG_SCALAR, at->file, at->line, at->column);
        item->scalar = g_strdup_printf("%" G_GINT64_FORMAT "%s", n, range->unit);
        dn_config_list_add(list, item);
        if (!dn_config_charge(budget, dn_config_cost(item), at, error))
            return NULL;
        if (list->children->len > MAX_NUMBERS) {
            dn_config_error(at, DN_ERROR_RANGE, error, "a range of more than %d numbers",
                            MAX_NUMBERS);
            return NULL;
        }
        if (n > range->last / MAX(range->times, 1))
            break; /* the next one would be past the end, or past what a number holds */
    }
    return g_steal_pointer(&list);
}

/* (transfer full): the list that @node stands for; NULL: it is no range, or with @error a wrong
 * one. */
static DnConfigNode *range_of(const DnConfigNode *node, gint64 *budget, GError **error)
{
    Range range = {0};
    if (node->kind == DN_CONFIG_SCALAR && read_dots(node, &range))
        return range_list(node, &range, budget, error);
    if (node->kind == DN_CONFIG_MAP && is_range_map(node) && read_range_map(node, &range, error))
        return range_list(node, &range, budget, error);
    return NULL;
}

static gboolean expand_below(DnConfigNode *node, gint64 *budget, GError **error);

/* Adds to @into @child (transfer full), or where that is a range its numbers. */
static gboolean expand_item(GPtrArray *into, DnConfigNode *child, gint64 *budget, GError **error)
{
    GError *problem = NULL;
    DnConfigNode *numbers = range_of(child, budget, &problem);
    if (numbers == NULL) {
        g_ptr_array_add(into, child);
        if (problem == NULL)
            return expand_below(child, budget, error);
        g_propagate_error(error, problem);
        return FALSE;
    }
    g_ptr_array_extend_and_steal(into, g_steal_pointer(&numbers->children));
    dn_config_free(numbers);
    dn_config_free(child);
    return TRUE;
}

/* A list is written anew: numbers put into it one by one would move what follows each time. */
static gboolean expand_list(DnConfigNode *list, gint64 *budget, GError **error)
{
    g_autoptr(GPtrArray) before = list->children;
    list->children = g_ptr_array_new_with_free_func((GDestroyNotify)dn_config_free);
    for (guint i = 0; i < before->len; i++)
        if (!expand_item(list->children, g_steal_pointer(&before->pdata[i]), budget, error))
            return FALSE;
    return TRUE;
}

static gboolean expand_below(DnConfigNode *node, gint64 *budget, GError **error)
{
    if (node->kind == DN_CONFIG_LIST)
        return expand_list(node, budget, error);
    for (guint i = 0; node->children != NULL && i < node->children->len; i++) {
        DnConfigNode *child = node->children->pdata[i];
        GError *problem = NULL;
        DnConfigNode *list = range_of(child, budget, &problem);
        if (problem != NULL) {
            g_propagate_error(error, problem);
            return FALSE;
        }
        if (list == NULL && !expand_below(child, budget, error))
            return FALSE;
        if (list != NULL) {
            dn_config_free(child);
            node->children->pdata[i] = list;
        }
    }
    return TRUE;
}

DnConfigNode *dn_config_expand_ranges(DnConfigNode *root, gint64 *budget, GError **error)
{
    GError *problem = NULL;
    DnConfigNode *list = range_of(root, budget, &problem);
    if (problem == NULL && (list != NULL || expand_below(root, budget, &problem))) {
        if (list != NULL)
            dn_config_free(root);
        return list != NULL ? list : root;
    }
    g_propagate_error(error, problem);
    dn_config_free(root);
    return NULL;
}
