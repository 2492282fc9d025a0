/* edges.c - any fabric: switches and the cables between them, from a list.
 *
 * The list stands in the file itself (`edges: [[0, 1], [1, 2, 4]]`, the third number parallel
 * links) or in a file of its own, CSV or GraphML (edge_list.h). Switches 0 .. n - 1; the first
 * `switches_with_terminals` of them have terminals, all as many.
 * Distance by breadth-first search: nothing is known of the shape. Link classes: "terminal",
 * "link". */
#include "topology/edge_list.h"
#include "topology/fabric.h"

#include <string.h>

static const DnParamSpec params_[] = {
    {"switches", DN_PARAM_INT, NULL, 1, DN_MAX_SWITCHES, NULL, "number of switches"},
    {"terminals_per_switch", DN_PARAM_INT, NULL, 1, 1 << 16, NULL,
     "terminals on each switch that has any"},
    {"switches_with_terminals", DN_PARAM_INT, "", 1, DN_MAX_SWITCHES, NULL,
     "the first so many; all when left out"},
    {"edges", DN_PARAM_NODE, "", 0, 0, NULL,
     "the cables: [[0, 1], [1, 2, 4]], the third number parallel links"},
    {"file", DN_PARAM_STRING, "", 0, 0, NULL,
     "or a file of them: x.csv (columns a, b, count) or x.graphml, beside this file"},
    {"parallel", DN_PARAM_CHOICE, "separate", 0, 0, dn_parallel_choices,
     "parallel links are separate, or one link of their total width"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static gboolean edges_size(const DnParams *params, DnFabricSize *size, GError **error)
{
    guint32 n = (guint32)dn_params_int(params, "switches"), leaves = n;
    DnParallel parallel = (DnParallel)dn_params_int(params, "parallel");
    if (dn_params_has(params, "switches_with_terminals"))
        leaves = (guint32)dn_params_int(params, "switches_with_terminals");
    if (leaves > n) {
        dn_params_error(params, "switches_with_terminals", DN_ERROR_RANGE, error,
                        "%u switches with terminals; there are %u switches", leaves, n);
        return FALSE;
    }
    g_autoptr(GArray) edges = dn_edge_list_read(params, n, error);
    if (edges == NULL)
        return FALSE;
    guint64 cables = 0;
    for (guint i = 0; i < edges->len; i++)
        cables += dn_parallel_cables(g_array_index(edges, DnEdge, i).count, parallel);
    guint64 terminals = (guint64)leaves * dn_params_int(params, "terminals_per_switch");
    return dn_fabric_size_set(params, "switches", n, terminals, cables, 1, size, error);
}

static GArray *checked_edges(const DnParams *params)
{
    GArray *edges = dn_edge_list_read(params, (guint32)dn_params_int(params, "switches"), NULL);
    g_assert(edges != NULL);
    return edges;
}

static void edges_build(const DnParams *params, DnGraphBuilder *graph, const guint32 *classes)
{
    g_autoptr(GArray) edges = checked_edges(params);
    DnParallel parallel = (DnParallel)dn_params_int(params, "parallel");
    for (guint i = 0; i < edges->len; i++) {
        const DnEdge *e = &g_array_index(edges, DnEdge, i);
        dn_add_parallel(graph, e->a, e->b, classes[1], e->count, parallel);
    }
}

static guint32 terminal_switch(const DnParams *params, guint32 t)
{
    return t / (guint32)dn_params_int(params, "terminals_per_switch");
}

/* DN_NONE: no path. */
static guint edges_distance(const DnParams *params, guint32 a, guint32 b)
{
    guint32 n = (guint32)dn_params_int(params, "switches");
    g_autoptr(GArray) edges = checked_edges(params);
    g_autofree guint32 *hops = g_new(guint32, n);
    gboolean changed = TRUE;
    memset(hops, 0xff, n * sizeof *hops);
    hops[a] = 0;
    for (guint32 d = 0; changed && hops[b] == DN_NONE; d++) {
        changed = FALSE;
        for (guint i = 0; i < edges->len; i++) {
            const DnEdge *e = &g_array_index(edges, DnEdge, i);
            if ((hops[e->a] == d) == (hops[e->b] == d))
                continue;
            guint32 *to = hops[e->a] == d ? &hops[e->b] : &hops[e->a];
            if (*to == DN_NONE) {
                *to = d + 1;
                changed = TRUE;
            }
        }
    }
    return hops[b];
}

/* One switch has nobody to link to. */
static guint classes_used(const DnParams *params)
{
    return dn_params_int(params, "switches") > 1 ? 2 : 1;
}

static const char *const link_classes[] = {"terminal", "link", NULL};

const DnTopologyType dn_topology_edges = {
    .name = "edges",
    .help = "any switches and cables, from a list, CSV or GraphML",
    .limits = "one class of links; switches with terminals come first and have as many each",
    .source = "the list itself",
    .params = params_,
    .link_classes = link_classes,
    .classes_used = classes_used,
    .size = edges_size,
    .build = edges_build,
    .terminal_switch = terminal_switch,
    .distance = edges_distance,
};
