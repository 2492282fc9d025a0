/* placement_shape.c - The shape of a measured allocation: the number of nodes or switches in each
 * of its groups; see placement.h.
 *
 * Batch systems fill blades: with `blades` the nodes are on just so many of them. Which blades hold
 * one node and which more is drawn, as are the blades.
 *
 * LIMITATIONS: which group of a shape is which of the machine is drawn; so are the nodes or blades
 * in it, although batch systems prefer neighbours. */
#include "experiment/placement_draw.h"

#include "base/csv.h"
#include "base/rng.h"

#include <string.h>

static gboolean bad_shape(const DnNodeDraw *draw, const char *key, GError **error)
{
    dn_params_error(draw->params, key, DN_ERROR_RANGE, error,
                    "%s: not a shape; allowed: counts of nodes, [23, 17, 1], or as measured, "
                    "\"2:23;1:17;16:1\"",
                    key);
    return FALSE;
}

/* "2:23;1:17" -> 23, 17. */
static gboolean parse_shape(const DnNodeDraw *draw, const char *key, const char *text,
                            GArray *counts, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ";", -1);
    for (guint i = 0; parts[i] != NULL; i++) {
        const char *colon = strrchr(parts[i], ':');
        guint64 count;
        if (colon == NULL ||
            !g_ascii_string_to_unsigned(colon + 1, 10, 1, G_MAXINT32, &count, NULL))
            return bad_shape(draw, key, error);
        guint32 nodes = (guint32)count;
        g_array_append_val(counts, nodes);
    }
    return counts->len > 0 || bad_shape(draw, key, error);
}

/* The key that the shape stands at. */
static const char *shape_key(const DnNodeDraw *draw)
{
    return dn_params_has(draw->params, "routers_per_group") ? "routers_per_group"
           : dn_params_has(draw->params, "nodes_per_group") ? "nodes_per_group"
                                                            : "run";
}

static gboolean list_shape(const DnNodeDraw *draw, const DnConfigNode *node, GArray *counts,
                           GError **error)
{
    const DnParamSpec COUNT = {shape_key(draw), DN_PARAM_INT, NULL,        1,
                               G_MAXINT32,      NULL,         "of a group"};
    dn_config_consume(node);
    for (guint i = 0; i < node->children->len; i++) {
        gint64 count = 0;
        if (!dn_param_parse(node->children->pdata[i], &COUNT, &count, NULL, error))
            return FALSE;
        guint32 nodes = (guint32)count;
        g_array_append_val(counts, nodes);
    }
    return counts->len > 0 || bad_shape(draw, shape_key(draw), error);
}

static char *sibling_path(const DnConfigNode *node, const char *file)
{
    if (g_path_is_absolute(file))
        return g_strdup(file);
    g_autofree char *folder = g_path_get_dirname(node->file);
    return g_build_filename(folder, file, NULL);
}

static gboolean file_shape(const DnNodeDraw *draw, GArray *counts, GError **error)
{
    const char *run = dn_params_string(draw->params, "run");
    g_autofree char *path =
        sibling_path(dn_params_node(draw->params, "file"), dn_params_string(draw->params, "file"));
    g_autoptr(DnCsv) csv = dn_csv_load(path, error);
    if (csv == NULL)
        return FALSE;
    int name = dn_csv_column(csv, "run"), shape = dn_csv_column(csv, "nodes_per_group");
    if (name < 0 || shape < 0 || run == NULL) {
        dn_params_error(draw->params, "file", DN_ERROR_RANGE, error,
                        "file: wanted are the columns run and nodes_per_group, and the key `run` "
                        "that says which row");
        return FALSE;
    }
    for (guint i = 0; i < csv->rows->len; i++) {
        const DnCsvRow *row = csv->rows->pdata[i];
        if (strcmp(row->cells[name], run) == 0)
            return parse_shape(draw, "run", row->cells[shape], counts, error);
    }
    dn_params_error(draw->params, "run", DN_ERROR_UNKNOWN, error, "run: no such row in %s", path);
    return FALSE;
}

static gboolean read_shape(const DnNodeDraw *draw, GArray *counts, GError **error)
{
    const char *key = shape_key(draw);
    if (dn_params_has(draw->params, "file"))
        return file_shape(draw, counts, error);
    const DnConfigNode *node = dn_params_node(draw->params, key);
    if (node->kind == DN_CONFIG_LIST)
        return list_shape(draw, node, counts, error);
    if (node->kind == DN_CONFIG_SCALAR)
        return parse_shape(draw, key, node->scalar, counts, error);
    return bad_shape(draw, key, error);
}

static gboolean can_have(const DnNodeDraw *draw, guint32 node)
{
    return draw->free_of[node] == draw->per_node && !draw->chosen[node];
}

/* Nodes on the switch of @node, from it on, that the job can have whole. */
static guint32 free_on_switch(const DnNodeDraw *draw, guint32 node)
{
    guint32 n = 0;
    for (; node < draw->n_nodes; node = draw->next_on_switch[node])
        n += can_have(draw, node);
    return n;
}

static guint32 nodes_per_blade(const DnNodeDraw *draw)
{
    if (dn_params_has(draw->params, "nodes_per_blade"))
        return (guint32)dn_params_int(draw->params, "nodes_per_blade");
    return MAX(2, draw->site->graph->size.blade_nodes);
}

/* TRUE: the job can have all nodes of the blade that begins at @node, which are in one group. */
static gboolean blade_is_free(const DnNodeDraw *draw, guint32 node)
{
    guint32 each = nodes_per_blade(draw);
    if (each > draw->n_nodes - node)
        return FALSE;
    for (guint32 i = node; i < node + each; i++)
        if (!can_have(draw, i) || draw->group_of[i] != draw->group_of[node])
            return FALSE;
    return TRUE;
}

/* TRUE: a unit begins at @node, the one with number @in_group of its group, that the job can have
 * whole: a node, a blade of `blades`, or of `routers_per_group` a switch with enough nodes. */
static gboolean unit_begins(const DnNodeDraw *draw, guint32 node, guint32 in_group)
{
    if (dn_params_has(draw->params, "blades"))
        return in_group % nodes_per_blade(draw) == 0 && blade_is_free(draw, node);
    if (!dn_params_has(draw->params, "routers_per_group"))
        return can_have(draw, node);
    guint32 each = (guint32)dn_params_int(draw->params, "nodes_per_router");
    return draw->first_on_switch[node] && free_on_switch(draw, node) >= MAX(1, each);
}

/* Units of @group that the job can have whole, the first node of each into @out. */
static guint32 units_free(const DnNodeDraw *draw, guint32 group, guint32 *out)
{
    guint32 n = 0, in_group = 0;
    for (guint32 node = 0; node < draw->n_nodes; node++)
        if (draw->group_of[node] == group && unit_begins(draw, node, in_group++))
            out[n++] = node;
    return n;
}

static void choose_unit(DnNodeDraw *draw, guint32 node)
{
    if (!dn_params_has(draw->params, "routers_per_group")) {
        dn_draw_choose(draw, node);
        return;
    }
    guint32 each = (guint32)dn_params_int(draw->params, "nodes_per_router");
    guint32 left = each > 0 ? each : G_MAXUINT32;
    for (; left > 0 && node < draw->n_nodes; node = draw->next_on_switch[node])
        if (can_have(draw, node)) {
            dn_draw_choose(draw, node);
            left--;
        }
}

/* A group drawn among those with @count units free and not used yet; DN_NONE: none. */
static guint32 draw_group(const DnNodeDraw *draw, guint32 count, guint8 *used, guint64 bits)
{
    guint32 groups = draw->site->graph->size.groups, fit = 0;
    g_autofree guint32 *list = g_new(guint32, MAX(1, groups));
    g_autofree guint32 *free_nodes = g_new(guint32, draw->n_nodes);
    for (guint32 g = 0; g < groups; g++)
        if (!used[g] && units_free(draw, g, free_nodes) >= count)
            list[fit++] = g;
    if (fit == 0)
        return DN_NONE;
    guint32 group = list[dn_draw_below(bits, fit)];
    used[group] = TRUE;
    return group;
}

/* ---- blades ---- */

/* The nodes of a group, and the units that hold them: as many, or blades. */
typedef struct {
    guint32 nodes, units;
} GroupShare;

static int shares_descending(gconstpointer a, gconstpointer b)
{
    const GroupShare *x = a, *y = b;
    return x->units != y->units ? (x->units > y->units ? -1 : 1)
                                : (x->nodes < y->nodes) - (x->nodes > y->nodes);
}

/* Returns the least number of blades on which @nodes fit. */
static guint32 least_blades(const DnNodeDraw *draw, guint32 nodes)
{
    return (guint32)(((guint64)nodes + nodes_per_blade(draw) - 1) / nodes_per_blade(draw));
}

/* Returns the number of units free in the group that has most. */
static guint32 most_units_free(const DnNodeDraw *draw)
{
    guint32 most = 0;
    g_autofree guint32 *units = g_new(guint32, draw->n_nodes);
    for (guint32 g = 0; g < draw->site->graph->size.groups; g++)
        most = MAX(most, units_free(draw, g, units));
    return most;
}

/* Takes a blade from one of @shares, drawn by what each has beyond the least; @spare: of all. */
static void leave_blade_out(const DnNodeDraw *draw, GArray *shares, guint64 spare, guint64 bits)
{
    guint64 left = dn_draw_below(bits, (guint32)spare);
    for (guint i = 0; i < shares->len; i++) {
        GroupShare *share = &g_array_index(shares, GroupShare, i);
        guint32 own = share->units - least_blades(draw, share->nodes);
        if (left < own) {
            share->units--;
            return;
        }
        left -= own;
    }
}

/* Divides `blades` among @shares: from as many for each as it has nodes, and a group blades, down
 * to that sum. */
static gboolean divide_blades(const DnNodeDraw *draw, GArray *shares, guint64 key, guint64 *draws,
                              GError **error)
{
    guint64 blades = (guint64)dn_params_int(draw->params, "blades"), most = 0, least = 0;
    guint32 most_free = most_units_free(draw);
    for (guint i = 0; i < shares->len; i++) {
        GroupShare *share = &g_array_index(shares, GroupShare, i);
        guint32 needed = least_blades(draw, share->nodes);
        share->units = MAX(needed, MIN(share->nodes, most_free));
        most += share->units;
        least += needed;
    }
    if (blades > most || blades < least) {
        dn_params_error(draw->params, "blades", DN_ERROR_RANGE, error,
                        "blades: %" G_GUINT64_FORMAT "; allowed: %" G_GUINT64_FORMAT
                        " to %" G_GUINT64_FORMAT ", on which these nodes fit",
                        blades, least, most);
        return FALSE;
    }
    for (; most > blades; most--)
        leave_blade_out(draw, shares, most - least, dn_draw(key, (*draws)++));
    return TRUE;
}

/* Chooses a node of the blade that begins at @node; FALSE: all are chosen. */
static gboolean choose_of_blade(DnNodeDraw *draw, guint32 node, guint64 bits)
{
    guint32 each = nodes_per_blade(draw), left = 0;
    for (guint32 i = node; i < node + each; i++)
        left += !draw->chosen[i];
    if (left == 0)
        return FALSE;
    guint32 skip = dn_draw_below(bits, left);
    while (draw->chosen[node] || skip-- > 0)
        node++;
    dn_draw_choose(draw, node);
    return TRUE;
}

/* Chooses the nodes of @share on the blades that begin at @first[]: one on each, the others where
 * there is space. */
static void choose_on_blades(DnNodeDraw *draw, const guint32 *first, const GroupShare *share,
                             guint64 key, guint64 *draws)
{
    for (guint32 k = 0; k < share->units; k++)
        choose_of_blade(draw, first[k], dn_draw(key, (*draws)++));
    for (guint32 more = share->nodes - share->units; more > 0;) {
        guint32 blade = first[dn_draw_below(dn_draw(key, (*draws)++), share->units)];
        more -= (guint32)choose_of_blade(draw, blade, dn_draw(key, (*draws)++));
    }
}

/* ---- all ---- */

/* Chooses the nodes of @share in @group. @units: [n_nodes] scratch. */
static void choose_in_group(DnNodeDraw *draw, guint32 group, const GroupShare *share,
                            guint32 *units, guint64 key, guint64 *draws)
{
    gboolean blades = dn_params_has(draw->params, "blades");
    guint32 n = units_free(draw, group, units);
    for (guint32 k = 0; k < share->units; k++) {
        guint32 pick = k + dn_draw_below(dn_draw(key, (*draws)++), n - k), unit = units[pick];
        units[pick] = units[k];
        units[k] = unit;
        if (!blades)
            choose_unit(draw, unit);
    }
    if (blades)
        choose_on_blades(draw, units, share, key, draws);
}

/* The groups' shares into @shares, the largest first: a small one does not spoil the only group
 * that is large enough. */
static gboolean read_shares(const DnNodeDraw *draw, GArray *shares, guint64 key, guint64 *draws,
                            GError **error)
{
    g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(guint32));
    if (!read_shape(draw, counts, error))
        return FALSE;
    for (guint i = 0; i < counts->len; i++) {
        guint32 nodes = g_array_index(counts, guint32, i);
        GroupShare share = {nodes, nodes};
        g_array_append_val(shares, share);
    }
    if (dn_params_has(draw->params, "blades") && !divide_blades(draw, shares, key, draws, error))
        return FALSE;
    g_array_sort(shares, shares_descending);
    return TRUE;
}

gboolean dn_place_shape(DnNodeDraw *draw, guint64 key, GError **error)
{
    g_autoptr(GArray) shares = g_array_new(FALSE, FALSE, sizeof(GroupShare));
    guint64 draws = 0;
    if (!read_shares(draw, shares, key, &draws, error))
        return FALSE;
    g_autofree guint8 *used = g_new0(guint8, MAX(1, draw->site->graph->size.groups));
    g_autofree guint32 *units = g_new0(guint32, draw->n_nodes);
    for (guint i = 0; i < shares->len; i++) {
        const GroupShare *share = &g_array_index(shares, GroupShare, i);
        guint32 group = draw_group(draw, share->units, used, dn_draw(key, draws++));
        if (group == DN_NONE) {
            const char *at = dn_params_has(draw->params, "blades") ? "blades" : shape_key(draw);
            dn_params_error(draw->params, at, DN_ERROR_RANGE, error,
                            "%s: no further group of this machine has %u %s free", at, share->units,
                            strcmp(at, "routers_per_group") == 0 ? "routers"
                            : strcmp(at, "blades") == 0          ? "blades"
                                                                 : "nodes");
            return FALSE;
        }
        choose_in_group(draw, group, share, units, key, &draws);
    }
    return TRUE;
}
