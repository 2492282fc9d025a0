/* placement_nodes.c - ranks on the nodes a batch system gave: by name, or by how many nodes or
 * switches in each group; see placement.h.
 *
 * LIMITATIONS: names of hosts stand for nodes by their last number alone; which group of a shape is
 * which of the machine is drawn, as are the nodes in it. */
#include "experiment/placement_nodes.h"

#include "base/csv.h"
#include "base/hostlist.h"
#include "base/rng.h"
#include "experiment/placement_torus.h"

#include <string.h>

const DnParamSpec dn_placement_keys[] = {
    {"hosts", DN_PARAM_STRING, "", 0, 0, NULL, "Slurm's list of the job's nodes"},
    {"first", DN_PARAM_INT, "1", 0, G_MAXINT32, NULL, "number of the host that is node 0"},
    {"nodes_per_group", DN_PARAM_NODE, "", 0, 0, NULL, "a list of counts, or name:count;..."},
    {"routers_per_group", DN_PARAM_NODE, "", 0, 0, NULL, "likewise, of switches"},
    {"nodes_per_router", DN_PARAM_INT, "0", 0, G_MAXINT32, NULL,
     "nodes of each switch; 0: all it has"},
    {"file", DN_PARAM_STRING, "", 0, 0, NULL, "CSV with the columns run, nodes_per_group"},
    {"run", DN_PARAM_STRING, "", 0, 0, NULL, "which row of the file"},
    {"coordinates", DN_PARAM_NODE, "", 0, 0, NULL,
     "of a torus, a list for each rank: [[0, 0], [1, 0]]"},
    {"torus", DN_PARAM_INT_LIST, "", 1, 1 << 24, NULL,
     "a logical torus in a physical one: [4, 6, 2]; ranks in order, the first dimension fastest"},
    {"onto", DN_PARAM_NODE, "", 0, 0, NULL,
     "physical dimensions of each logical one: [[0, 3], [1, 4], [2, 5]], the default of six for "
     "three; as many: each its own"},
    {0},
};

typedef struct {
    const DnParams *params;
    DnSite *site;
    guint32 per_node; /* endpoints free of a node that is wholly free to this job */
    guint32 n_nodes;
    guint32 *free_of;              /* [n_nodes] endpoints free */
    guint32 *group_of, *switch_of; /* [n_nodes]; of its first endpoint */
    guint8 *chosen;                /* [n_nodes] */
    guint32 n_chosen;
} Draw;

static void draw_clear(Draw *draw)
{
    g_free(draw->free_of);
    g_free(draw->group_of);
    g_free(draw->switch_of);
    g_free(draw->chosen);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Draw, draw_clear)

static void look_at_nodes(Draw *draw)
{
    const DnSite *site = draw->site;
    draw->n_nodes = MAX(1, site->graph->size.nodes);
    draw->free_of = g_new0(guint32, draw->n_nodes);
    draw->group_of = g_new0(guint32, draw->n_nodes);
    draw->switch_of = g_new0(guint32, draw->n_nodes);
    draw->chosen = g_new0(guint8, draw->n_nodes);
    for (guint32 i = 0; i < site->n_free; i++) {
        guint32 node = dn_site_node(site, site->free[i]);
        draw->free_of[node]++;
        draw->group_of[node] = dn_site_group(site, site->free[i]);
        draw->switch_of[node] = dn_site_switch(site, site->free[i]);
        draw->per_node = MAX(draw->per_node, draw->free_of[node]);
    }
}

static void nodes_choose(Draw *draw, guint32 node)
{
    draw->chosen[node] = TRUE;
    draw->n_chosen++;
}

/* ---- by name ---- */

/* The number a name ends in; -1: none. */
static gint64 last_number(const char *name)
{
    const char *p = name + strlen(name);
    while (p > name && g_ascii_isdigit(p[-1]))
        p--;
    guint64 number;
    if (!g_ascii_string_to_unsigned(p, 10, 0, G_MAXINT32, &number, NULL))
        return -1;
    return (gint64)number;
}

static gboolean choose_hosts(Draw *draw, GError **error)
{
    const char *text = dn_params_string(draw->params, "hosts");
    gint64 first = dn_params_int(draw->params, "first");
    g_autoptr(GPtrArray) hosts = dn_hostlist_expand(text);
    if (hosts == NULL) {
        dn_params_error(draw->params, "hosts", DN_ERROR_RANGE, error,
                        "hosts: not a host list; allowed: like nid[0001-0004,0012]");
        return FALSE;
    }
    for (guint i = 0; i < hosts->len; i++) {
        const char *name = hosts->pdata[i];
        gint64 node = last_number(name) - first;
        const char *wrong = NULL;
        if (node < 0 || node >= draw->n_nodes)
            wrong = "is no node of this machine";
        else if (draw->chosen[node])
            wrong = "is listed twice";
        else if (draw->free_of[node] == 0)
            wrong = "is taken by another job";
        if (wrong != NULL) {
            g_autofree char *shown = dn_quote(name);
            dn_params_error(draw->params, "hosts", DN_ERROR_RANGE, error,
                            "hosts: %s %s; allowed: hosts with numbers %" G_GINT64_FORMAT
                            " to %" G_GINT64_FORMAT ", each once",
                            shown, wrong, first, first + draw->n_nodes - 1);
            return FALSE;
        }
        nodes_choose(draw, (guint32)node);
    }
    return TRUE;
}

/* ---- by shape ---- */

static gboolean bad_shape(const Draw *draw, const char *key, GError **error)
{
    dn_params_error(draw->params, key, DN_ERROR_RANGE, error,
                    "%s: not a shape; allowed: counts of nodes, [23, 17, 1], or as measured, "
                    "\"2:23;1:17;16:1\"",
                    key);
    return FALSE;
}

/* "2:23;1:17" -> 23, 17. */
static gboolean parse_shape(const Draw *draw, const char *key, const char *text, GArray *counts,
                            GError **error)
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
static const char *shape_key(const Draw *draw)
{
    return dn_params_has(draw->params, "routers_per_group") ? "routers_per_group"
           : dn_params_has(draw->params, "nodes_per_group") ? "nodes_per_group"
                                                            : "run";
}

static gboolean list_shape(const Draw *draw, const DnConfigNode *node, GArray *counts,
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

static gboolean file_shape(const Draw *draw, GArray *counts, GError **error)
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

static gboolean read_shape(const Draw *draw, GArray *counts, GError **error)
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

static int nodes_descending(gconstpointer a, gconstpointer b)
{
    guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
    return x > y ? -1 : x < y;
}

static gboolean can_have(const Draw *draw, guint32 node)
{
    return draw->free_of[node] == draw->per_node && !draw->chosen[node];
}

/* Nodes on the switch of @node, from it on, that the job can have whole; nodes of a switch follow
 * one another. */
static guint32 free_on_switch(const Draw *draw, guint32 node)
{
    guint32 n = 0;
    for (guint32 i = node; i < draw->n_nodes && draw->switch_of[i] == draw->switch_of[node]; i++)
        n += can_have(draw, i);
    return n;
}

/* Units of @group that the job can have whole, into @out: nodes, or with routers_per_group the
 * first nodes of switches with enough of them. */
static guint32 units_free(const Draw *draw, guint32 group, guint32 *out)
{
    gboolean switches = dn_params_has(draw->params, "routers_per_group");
    guint32 each = (guint32)dn_params_int(draw->params, "nodes_per_router"), n = 0;
    for (guint32 node = 0; node < draw->n_nodes; node++) {
        if (draw->group_of[node] != group)
            continue;
        gboolean first = node == 0 || draw->switch_of[node] != draw->switch_of[node - 1];
        if (switches ? first && free_on_switch(draw, node) >= MAX(1, each) : can_have(draw, node))
            out[n++] = node;
    }
    return n;
}

static void choose_unit(Draw *draw, guint32 node)
{
    if (!dn_params_has(draw->params, "routers_per_group")) {
        nodes_choose(draw, node);
        return;
    }
    guint32 each = (guint32)dn_params_int(draw->params, "nodes_per_router");
    guint32 left = each > 0 ? each : G_MAXUINT32, on = draw->switch_of[node];
    for (; left > 0 && node < draw->n_nodes && draw->switch_of[node] == on; node++)
        if (can_have(draw, node)) {
            nodes_choose(draw, node);
            left--;
        }
}

/* A group drawn among those with @count units free and not used yet; DN_NONE: none. */
static guint32 draw_group(const Draw *draw, guint32 count, guint8 *used, guint64 bits)
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

/* Largest counts first: a small one does not spoil the only group that is large enough. */
static gboolean choose_shape(Draw *draw, guint64 key, GError **error)
{
    g_autoptr(GArray) counts = g_array_new(FALSE, FALSE, sizeof(guint32));
    if (!read_shape(draw, counts, error))
        return FALSE;
    g_array_sort(counts, nodes_descending);
    g_autofree guint8 *used = g_new0(guint8, MAX(1, draw->site->graph->size.groups));
    g_autofree guint32 *free_nodes = g_new0(guint32, draw->n_nodes);
    guint64 draws = 0;
    for (guint i = 0; i < counts->len; i++) {
        guint32 count = g_array_index(counts, guint32, i);
        guint32 group = draw_group(draw, count, used, dn_draw(key, draws++));
        if (group == DN_NONE) {
            const char *at = shape_key(draw);
            dn_params_error(draw->params, at, DN_ERROR_RANGE, error,
                            "%s: no further group of this machine has %u %s free", at, count,
                            strcmp(at, "routers_per_group") == 0 ? "routers" : "nodes");
            return FALSE;
        }
        guint32 n = units_free(draw, group, free_nodes);
        for (guint32 k = 0; k < count; k++) {
            guint32 pick = k + dn_draw_below(dn_draw(key, draws++), n - k);
            choose_unit(draw, free_nodes[pick]);
            free_nodes[pick] = free_nodes[k];
        }
    }
    return TRUE;
}

/* ---- ranks ---- */

static gboolean take_endpoints(const Draw *draw, const DnJobSpec *job, DnPlacement *out,
                               GError **error)
{
    const DnSite *site = draw->site;
    guint32 n = 0;
    out->endpoints = g_new(guint32, MAX(1, site->n_free));
    for (guint32 i = 0; i < site->n_free; i++)
        if (draw->chosen[dn_site_node(site, site->free[i])])
            out->endpoints[n++] = site->free[i];
    out->ranks = job->ranks > 0 ? job->ranks : n;
    if (out->ranks <= n)
        return TRUE;
    dn_config_error(dn_config_get(job->node, "ranks"), DN_ERROR_RANGE, error,
                    "job %s wants %u ranks; its %u nodes have %u endpoints for it, one rank each",
                    job->name, out->ranks, draw->n_chosen, n);
    return FALSE;
}

gboolean dn_place_on_nodes(const DnRunSpec *spec, guint j, DnSite *site, DnPlacement *out,
                           GError **error)
{
    const DnJobSpec *job = &spec->jobs[j];
    g_autoptr(DnParams)
        params = dn_params_read(job->placement_node, dn_placement_keys, NULL, error);
    if (params == NULL)
        return FALSE;
    guint methods = dn_params_has(params, "hosts") + dn_params_has(params, "nodes_per_group") +
                    dn_params_has(params, "routers_per_group") + dn_params_has(params, "file") +
                    dn_params_has(params, "coordinates") + dn_params_has(params, "torus");
    if (methods != 1) {
        dn_config_error(job->placement_node, DN_ERROR_RANGE, error,
                        "placement: allowed is just one of hosts, nodes_per_group, "
                        "routers_per_group, file, coordinates and torus");
        return FALSE;
    }
    if (dn_params_has(params, "coordinates") || dn_params_has(params, "torus"))
        return dn_place_on_torus(params, job, site, out, error);
    g_auto(Draw) draw = {.params = params, .site = site};
    look_at_nodes(&draw);
    guint64 key = dn_draw_key(spec->seed, DN_DRAW_PLACEMENT, j);
    gboolean ok = dn_params_has(params, "hosts") ? choose_hosts(&draw, error)
                                                 : choose_shape(&draw, key, error);
    return ok && take_endpoints(&draw, job, out, error);
}
