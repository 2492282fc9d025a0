/* dragonfly_plus.c - groups that are two-level trees, every group linked to every other by spines.
 *
 * Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, "Dragonfly+: Low Cost Topology for Scaling
 * Datacenters", HiPINEB 2017: in a group every leaf is linked to every spine; terminals hang on
 * leaves, global links on spines. Leaf to leaf takes 2 switch hops in a group and 3 between groups.
 * Numbering: a group's leaves first, then its spines: switch = group * (leaves + spines) + local;
 * level 0 is a leaf, 1 a spine. Terminals leaf by leaf. Global links: fabric.h, carriers = spines;
 * 23 groups of 18 spines with 22 global links (Leonardo) give each spine one link to each group.
 * Link classes: "terminal", "local" (leaf to spine), "global" (spine to spine). */
#include "topology/fabric.h"

static const DnParamSpec params_[] = {
    {"groups", DN_PARAM_INT, NULL, 1, 1 << 20, NULL, "number of groups"},
    {"leaves_per_group", DN_PARAM_INT, NULL, 1, 1 << 16, NULL, "switches with terminals"},
    {"spines_per_group", DN_PARAM_INT, NULL, 1, 1 << 16, NULL, "switches with global links"},
    {"terminals_per_leaf", DN_PARAM_INT, NULL, 1, 1 << 16, NULL, "terminals on each leaf"},
    {"global_links_per_spine", DN_PARAM_INT, NULL, 0, 1 << 20, NULL, "global ports of a spine"},
    {"links_per_leaf_spine", DN_PARAM_INT, "1", 1, 1 << 10, NULL,
     "parallel links between a leaf and a spine"},
    {"links_per_group_pair", DN_PARAM_INT, "", 1, 1 << 20, NULL,
     "as many as fit evenly when left out"},
    {"arrangement", DN_PARAM_CHOICE, "circulant", 0, 0, dn_arrangement_choices,
     "which port leads to which group"},
    {"parallel", DN_PARAM_CHOICE, "separate", 0, 0, dn_parallel_choices,
     "parallel links are separate, or one link of their total width"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct {
    guint32 g, leaves, spines, p, h, leaf_links;
    DnGlobalLinks global;
} Shape;

static gboolean read_shape(const DnParams *params, Shape *s, GError **error)
{
    s->g = (guint32)dn_params_int(params, "groups");
    s->leaves = (guint32)dn_params_int(params, "leaves_per_group");
    s->spines = (guint32)dn_params_int(params, "spines_per_group");
    s->p = (guint32)dn_params_int(params, "terminals_per_leaf");
    s->h = (guint32)dn_params_int(params, "global_links_per_spine");
    s->leaf_links = (guint32)dn_params_int(params, "links_per_leaf_spine");
    s->global = (DnGlobalLinks){(DnArrangement)dn_params_int(params, "arrangement"),
                                (DnParallel)dn_params_int(params, "parallel"),
                                s->g,
                                s->leaves + s->spines,
                                s->leaves,
                                s->spines,
                                0};
    guint32 wanted = dn_params_has(params, "links_per_group_pair")
                         ? (guint32)dn_params_int(params, "links_per_group_pair")
                         : 0;
    return dn_global_links_fit(&s->global, s->h, wanted, params, "links_per_group_pair", "groups",
                               error);
}

static gboolean plus_size(const DnParams *params, DnFabricSize *size, GError **error)
{
    Shape s = {0};
    if (!read_shape(params, &s, error))
        return FALSE;
    guint64 per_group = (guint64)s.leaves * s.spines *
                        dn_parallel_cables(s.leaf_links, s.global.parallel);
    guint64 local = dn_count_mul(s.g, per_group), global = dn_global_cables(&s.global);
    guint64 cables = MAX(local, global) > DN_MAX_CABLES ? G_MAXUINT64 : local + global;
    return dn_fabric_size_set(params, "groups", (guint64)s.g * (s.leaves + s.spines),
                              (guint64)s.g * s.leaves * s.p, cables, s.g, size, error);
}

static void plus_build(const DnParams *params, DnGraphBuilder *graph, const guint32 *classes)
{
    Shape s = {0};
    gboolean ok = read_shape(params, &s, NULL);
    g_assert(ok);
    for (guint32 group = 0; group < s.g; group++) {
        guint32 first = group * s.global.group_switches;
        for (guint32 i = 0; i < s.global.group_switches; i++) {
            DnVertex *vertex = dn_graph_vertex(graph, first + i);
            vertex->group = group;
            vertex->local = i;
            vertex->level = i >= s.leaves;
        }
        for (guint32 leaf = 0; leaf < s.leaves; leaf++)
            for (guint32 spine = 0; spine < s.spines; spine++)
                dn_add_parallel(graph, first + leaf, first + s.leaves + spine, classes[1],
                                s.leaf_links, s.global.parallel);
    }
    dn_global_build(&s.global, graph, classes[2]);
}

static guint32 terminal_switch(const DnParams *params, guint32 t)
{
    guint32 leaves = (guint32)dn_params_int(params, "leaves_per_group");
    guint32 spines = (guint32)dn_params_int(params, "spines_per_group");
    guint32 leaf = t / (guint32)dn_params_int(params, "terminals_per_leaf");
    return leaf / leaves * (leaves + spines) + leaf % leaves;
}

/* One hop between the levels, two within one. */
static guint local_distance(const void *shape, guint32 x, guint32 y)
{
    const Shape *s = shape;
    if (x == y)
        return 0;
    return (x < s->leaves) == (y < s->leaves) ? 2 : 1;
}

static guint plus_distance(const DnParams *params, guint32 a, guint32 b)
{
    Shape s = {0};
    gboolean ok = read_shape(params, &s, NULL);
    g_assert(ok);
    return dn_global_distance(&s.global, local_distance, &s, a, b);
}

const DnTopologyType dn_topology_dragonfly_plus = {
    .name = "dragonfly_plus",
    .help = "groups that are two-level trees, every group linked to every other by its spines",
    .limits = "every group has the same size and every pair of groups the same number of links; "
              "Leonardo's smaller groups for CPU nodes and storage are not expressed",
    .source = "Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, Dragonfly+: Low Cost Topology for "
              "Scaling Datacenters, HiPINEB 2017",
    .shape = DN_SHAPE_GROUPS,
    .params = params_,
    .link_classes = dn_global_link_classes,
    .classes_used = dn_global_classes_used,
    .size = plus_size,
    .build = plus_build,
    .terminal_switch = terminal_switch,
    .distance = plus_distance,
};
