/* full_mesh.c - every switch linked to every other; one switch is a star.
 *
 * The complete graph: n (n - 1) / 2 pairs of switches, diameter 1. A baseline, and one group of a
 * dragonfly by itself.
 * Numbering: terminals switch by switch. Link classes: "terminal", "link". */
#include "topology/fabric.h"

static const DnParamSpec params_[] = {
    {"switches", DN_PARAM_INT, NULL, 1, 1 << 20, NULL, "number of switches"},
    {"terminals_per_switch", DN_PARAM_INT, NULL, 1, 1 << 20, NULL, "terminals on each switch"},
    {"parallel_links", DN_PARAM_INT, "1", 1, 1 << 10, NULL, "parallel links between each pair"},
    {"parallel", DN_PARAM_CHOICE, "separate", 0, 0, dn_parallel_choices,
     "parallel links are separate, or one link of their total width"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static gboolean full_mesh_size(const DnParams *params, DnFabricSize *size, GError **error)
{
    guint64 n = (guint64)dn_params_int(params, "switches");
    guint64 p = (guint64)dn_params_int(params, "terminals_per_switch");
    guint64 cables = n * (n - 1) / 2 *
                     dn_parallel_cables((guint32)dn_params_int(params, "parallel_links"),
                                        (DnParallel)dn_params_int(params, "parallel"));
    return dn_fabric_size_set(params, "switches", n, n * p, cables, 1, size, error);
}

static void full_mesh_build(const DnParams *params, DnGraphBuilder *graph, const guint32 *classes)
{
    guint32 n = (guint32)dn_params_int(params, "switches");
    guint32 links = (guint32)dn_params_int(params, "parallel_links");
    DnParallel parallel = (DnParallel)dn_params_int(params, "parallel");
    for (guint32 i = 0; i < n; i++)
        for (guint32 j = i + 1; j < n; j++)
            dn_add_parallel(graph, i, j, classes[1], links, parallel);
}

static guint32 terminal_switch(const DnParams *params, guint32 t)
{
    return t / (guint32)dn_params_int(params, "terminals_per_switch");
}

static guint full_mesh_distance(const DnParams *params, guint32 a, guint32 b)
{
    return a != b;
}

/* One switch has nobody to link to. */
static guint classes_used(const DnParams *params)
{
    return dn_params_int(params, "switches") > 1 ? 2 : 1;
}

static const char *const link_classes[] = {"terminal", "link", NULL};

const DnTopologyType dn_topology_full_mesh = {
    .name = "full_mesh",
    .help = "every switch linked to every other; one switch is a star",
    .limits = "every switch of a level or ring has the same ports",
    .source = "complete graph",
    .shape = DN_SHAPE_COMPLETE,
    .params = params_,
    .link_classes = link_classes,
    .classes_used = classes_used,
    .size = full_mesh_size,
    .build = full_mesh_build,
    .terminal_switch = terminal_switch,
    .distance = full_mesh_distance,
};
