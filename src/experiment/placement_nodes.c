/* placement_nodes.c - ranks on the nodes a batch system gave: by name, or by how many in each group
 * (placement_shape.c); see placement.h.
 *
 * LIMITATIONS: names of hosts stand for nodes by their last number alone. */
#include "experiment/placement_nodes.h"

#include "base/hostlist.h"
#include "base/rng.h"
#include "experiment/placement_draw.h"
#include "experiment/placement_torus.h"

#include <string.h>

const DnParamSpec dn_placement_keys[] = {
    {"hosts", DN_PARAM_NODE, "", 0, 0, NULL,
     "the job's nodes, as Slurm lists them, or a list of such names"},
    {"first", DN_PARAM_INT, "1", 0, G_MAXINT32, NULL, "number of the host that is node 0"},
    {"nodes_per_group", DN_PARAM_NODE, "", 0, 0, NULL, "a list of counts, or name:count;..."},
    {"blades", DN_PARAM_INT, "", 1, G_MAXINT32, NULL,
     "of nodes_per_group: blades that hold these nodes, in all groups; left out: nodes are drawn "
     "one by one"},
    {"nodes_per_blade", DN_PARAM_INT, "", 2, G_MAXINT32, NULL,
     "with blades: nodes of a blade, which have consecutive numbers; left out: as the machine's "
     "`attach` says, or 2"},
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

static void draw_clear(DnNodeDraw *draw)
{
    g_free(draw->free_of);
    g_free(draw->group_of);
    g_free(draw->switch_of);
    g_free(draw->next_on_switch);
    g_free(draw->first_on_switch);
    g_free(draw->chosen);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DnNodeDraw, draw_clear)

/* Nodes of a switch need not follow one another: those of a blade are on different switches. */
static void link_by_switch(DnNodeDraw *draw)
{
    g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL);
    draw->next_on_switch = g_new(guint32, draw->n_nodes);
    draw->first_on_switch = g_new(guint8, draw->n_nodes);
    for (guint32 node = 0; node < draw->n_nodes; node++) {
        gpointer on = GUINT_TO_POINTER(draw->switch_of[node]), before = NULL;
        draw->first_on_switch[node] = !g_hash_table_lookup_extended(last, on, NULL, &before);
        draw->next_on_switch[node] = draw->n_nodes;
        if (!draw->first_on_switch[node])
            draw->next_on_switch[GPOINTER_TO_UINT(before)] = node;
        g_hash_table_insert(last, on, GUINT_TO_POINTER(node));
    }
}

static void look_at_nodes(DnNodeDraw *draw)
{
    const DnSite *site = draw->site;
    draw->n_nodes = MAX(1, site->graph->size.nodes);
    draw->free_of = g_new0(guint32, draw->n_nodes);
    draw->group_of = g_new0(guint32, draw->n_nodes);
    draw->switch_of = g_new0(guint32, draw->n_nodes);
    draw->chosen = g_new0(guint8, draw->n_nodes);
    for (guint32 e = 0; e < site->graph->size.endpoints; e++) {
        draw->group_of[dn_site_node(site, e)] = dn_site_group(site, e);
        draw->switch_of[dn_site_node(site, e)] = dn_site_switch(site, e);
    }
    for (guint32 i = 0; i < site->n_free; i++) {
        guint32 node = dn_site_node(site, site->free[i]);
        draw->free_of[node]++;
        draw->switch_of[node] = dn_site_switch(site, site->free[i]);
        draw->per_node = MAX(draw->per_node, draw->free_of[node]);
    }
    if (dn_params_has(draw->params, "routers_per_group"))
        link_by_switch(draw);
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

/* (transfer full): all names as one host list; NULL + error. */
static char *hosts_text(const DnNodeDraw *draw, GError **error)
{
    const DnConfigNode *node = dn_params_node(draw->params, "hosts");
    dn_config_consume(node);
    if (node->kind != DN_CONFIG_LIST)
        return dn_config_expect(node, DN_CONFIG_SCALAR, error) ? g_strdup(node->scalar) : NULL;
    g_autoptr(GPtrArray) names = g_ptr_array_new(); /* borrowed */
    for (guint i = 0; i < node->children->len; i++) {
        const DnConfigNode *name = node->children->pdata[i];
        if (!dn_config_expect(name, DN_CONFIG_SCALAR, error))
            return NULL;
        dn_config_consume(name);
        g_ptr_array_add(names, name->scalar);
    }
    g_ptr_array_add(names, NULL);
    return g_strjoinv(",", (char **)names->pdata);
}

static gboolean choose_hosts(DnNodeDraw *draw, GError **error)
{
    g_autofree char *text = hosts_text(draw, error);
    gint64 first = dn_params_int(draw->params, "first");
    g_autoptr(GPtrArray) hosts = text != NULL ? dn_hostlist_expand(text) : NULL;
    if (text == NULL)
        return FALSE;
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
        dn_draw_choose(draw, (guint32)node);
    }
    return TRUE;
}

/* ---- ranks ---- */

static gboolean take_endpoints(const DnNodeDraw *draw, const DnJobSpec *job, DnPlacement *out,
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
    dn_config_error(dn_job_place(job, "ranks"), DN_ERROR_RANGE, error,
                    "job %s wants %u ranks; its %u nodes have %u endpoints for it, %s", job->name,
                    out->ranks, draw->n_chosen, n, dn_site_hint(site));
    return FALSE;
}

static gboolean check_blades(const DnParams *params, GError **error)
{
    if (dn_params_has(params, "blades")) {
        if (dn_params_has(params, "nodes_per_group") || dn_params_has(params, "file"))
            return TRUE;
        dn_params_error(params, "blades", DN_ERROR_RANGE, error,
                        "blades: allowed beside nodes_per_group or file, whose nodes they hold");
        return FALSE;
    }
    if (!dn_params_has(params, "nodes_per_blade"))
        return TRUE;
    dn_params_error(params, "nodes_per_blade", DN_ERROR_RANGE, error,
                    "nodes_per_blade: allowed beside blades");
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
    if (!check_blades(params, error))
        return FALSE;
    if (dn_params_has(params, "coordinates") || dn_params_has(params, "torus"))
        return dn_place_on_torus(params, job, site, out, error);
    g_auto(DnNodeDraw) draw = {.params = params, .site = site};
    look_at_nodes(&draw);
    guint64 key = dn_draw_key(spec->seed, DN_DRAW_PLACEMENT, j);
    gboolean ok = dn_params_has(params, "hosts") ? choose_hosts(&draw, error)
                                                 : dn_place_shape(&draw, key, error);
    return ok && take_endpoints(&draw, job, out, error);
}
