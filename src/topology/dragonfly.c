/* dragonfly.c - groups of switches, every group linked to every other.
 *
 * Kim, Dally, Scott, Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008:
 * g groups of a switches, p terminals and h global links a switch; balanced when a = 2p = 2h;
 * at most a*h + 1 groups. Inside a group
 *   full  every switch to every other (Slingshot: De Sensi et al., "An In-Depth Analysis of the
 *         Slingshot Interconnect", SC 2020, section II)
 *   grid  chassis x blades; all-to-all within a chassis, and by chassis_links parallel links
 *         between the switches of equal blade number (Aries, 6 x 16, 3 links: Alverson, Froese,
 *         Kaplan, Roweth, "Cray XC Series Network", Cray WP-Aries01-1112, 2012)
 * Numbering: switch = group * a + local; in a grid local = chassis * blades + blade. Terminals
 * switch by switch. Global links: fabric.h.
 * Link classes: "terminal", "local" (inside a group, both kinds of a grid), "global". */
#include "topology/fabric.h"

static const char *const intra_choices[] = {"full", "grid", NULL};
enum { INTRA_FULL, INTRA_GRID };

static const DnParamSpec params_[] = {
    {"groups", DN_PARAM_INT, NULL, 1, 1 << 20, NULL, "g"},
    {"switches_per_group", DN_PARAM_INT, "", 1, 1 << 20, NULL,
     "a; a grid has chassis * blades and may leave it out"},
    {"terminals_per_switch", DN_PARAM_INT, NULL, 1, 1 << 16, NULL, "p"},
    {"global_links_per_switch", DN_PARAM_INT, NULL, 0, 1 << 20, NULL,
     "h, global ports of a switch"},
    {"intra_group", DN_PARAM_CHOICE, "full", 0, 0, intra_choices, "full or grid"},
    {"chassis", DN_PARAM_INT, "", 1, 1 << 16, NULL, "grid: rows"},
    {"blades", DN_PARAM_INT, "", 1, 1 << 16, NULL, "grid: columns, switches of a chassis"},
    {"chassis_links", DN_PARAM_INT, "", 1, 1 << 10, NULL,
     "grid: parallel links between chassis in a blade column; 3 when left out"},
    {"local_links", DN_PARAM_INT, "1", 1, 1 << 10, NULL,
     "parallel links between switches of a group (grid: of a chassis)"},
    {"links_per_group_pair", DN_PARAM_INT, "", 1, 1 << 20, NULL,
     "as many as fit evenly when left out"},
    {"arrangement", DN_PARAM_CHOICE, "circulant", 0, 0, dn_arrangement_choices,
     "which port leads to which group"},
    {"parallel", DN_PARAM_CHOICE, "separate", 0, 0, dn_parallel_choices,
     "parallel links are separate, or one link of their total width"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct {
    guint32 g, a, p, h;
    gboolean grid;
    guint32 chassis, blades, chassis_links, local_links; /* full: one chassis of a blades */
    DnParallel parallel;
    DnGlobalLinks global;
} Shape;

static guint32 int_or(const DnParams *params, const char *key, guint32 fallback)
{
    return dn_params_has(params, key) ? (guint32)dn_params_int(params, key) : fallback;
}

/* Everything but the number of global links. */
static Shape read_shape(const DnParams *params)
{
    Shape s = {0};
    s.g = (guint32)dn_params_int(params, "groups");
    s.p = (guint32)dn_params_int(params, "terminals_per_switch");
    s.h = (guint32)dn_params_int(params, "global_links_per_switch");
    s.grid = dn_params_int(params, "intra_group") == INTRA_GRID;
    s.chassis = int_or(params, "chassis", 1);
    s.blades = s.grid ? int_or(params, "blades", 1) : int_or(params, "switches_per_group", 1);
    s.a = s.chassis * s.blades;
    s.chassis_links = int_or(params, "chassis_links", 3);
    s.local_links = (guint32)dn_params_int(params, "local_links");
    s.parallel = (DnParallel)dn_params_int(params, "parallel");
    s.global = (DnGlobalLinks){
        (DnArrangement)dn_params_int(params, "arrangement"), s.parallel, s.g, s.a, 0, s.a, 0};
    return s;
}

static gboolean dragonfly_missing(const DnParams *params, const char *key, const char *mode,
                                  GError **error)
{
    if (dn_params_has(params, key))
        return FALSE;
    dn_params_error(params, key, DN_ERROR_MISSING, error,
                    "missing key '%s'; intra_group: %s needs it", key, mode);
    return TRUE;
}

/* The keys that belong to the other kind of group, or contradict each other. */
static gboolean check_keys(const DnParams *params, GError **error)
{
    static const char *const grid_keys[] = {"chassis", "blades", "chassis_links"};
    if (dn_params_int(params, "intra_group") == INTRA_FULL) {
        for (guint i = 0; i < G_N_ELEMENTS(grid_keys); i++) {
            if (!dn_params_has(params, grid_keys[i]))
                continue;
            dn_params_error(params, grid_keys[i], DN_ERROR_RANGE, error,
                            "'%s' belongs to intra_group: grid, this one is full", grid_keys[i]);
            return FALSE;
        }
        return !dragonfly_missing(params, "switches_per_group", "full", error);
    }
    if (dragonfly_missing(params, "chassis", "grid", error) ||
        dragonfly_missing(params, "blades", "grid", error))
        return FALSE;
    gint64 product = dn_params_int(params, "chassis") * dn_params_int(params, "blades");
    if (dn_params_has(params, "switches_per_group") &&
        dn_params_int(params, "switches_per_group") != product) {
        dn_params_error(params, "switches_per_group", DN_ERROR_RANGE, error,
                        "%" G_GINT64_FORMAT " is not chassis * blades = %" G_GINT64_FORMAT,
                        dn_params_int(params, "switches_per_group"), product);
        return FALSE;
    }
    if (product > DN_MAX_SWITCHES) {
        dn_params_error(params, "chassis", DN_ERROR_RANGE, error,
                        "%" G_GINT64_FORMAT " switches in a group; at most %u", product,
                        DN_MAX_SWITCHES);
        return FALSE;
    }
    return TRUE;
}

static guint64 dragonfly_pairs(guint64 n)
{
    return n * (n - 1) / 2;
}

static guint64 local_cables(const Shape *s)
{
    guint64 row = dragonfly_pairs(s->blades) * dn_parallel_cables(s->local_links, s->parallel);
    guint64 column = dragonfly_pairs(s->chassis) *
                     dn_parallel_cables(s->chassis_links, s->parallel);
    return s->chassis * row + s->blades * column;
}

static gboolean dragonfly_fit(const DnParams *params, Shape *s, GError **error)
{
    return dn_global_links_fit(&s->global, s->h, int_or(params, "links_per_group_pair", 0), params,
                               "links_per_group_pair", "groups", error);
}

static gboolean dragonfly_size(const DnParams *params, DnFabricSize *size, GError **error)
{
    if (!check_keys(params, error))
        return FALSE;
    Shape s = read_shape(params);
    if (!dragonfly_fit(params, &s, error))
        return FALSE;
    guint64 switches = (guint64)s.g * s.a;
    guint64 local = dn_count_mul(s.g, local_cables(&s)), global = dn_global_cables(&s.global);
    guint64 cables = MAX(local, global) > DN_MAX_CABLES ? G_MAXUINT64 : local + global;
    return dn_fabric_size_set(params, "groups", switches, switches * s.p, cables, s.g, size, error);
}

static Shape checked_shape(const DnParams *params)
{
    Shape s = read_shape(params);
    gboolean ok = dragonfly_fit(params, &s, NULL);
    g_assert(ok);
    return s;
}

static void build_group(const Shape *s, DnGraphBuilder *graph, guint32 first, guint32 link_class)
{
    for (guint32 c = 0; c < s->chassis; c++)
        for (guint32 i = 0; i < s->blades; i++)
            for (guint32 j = i + 1; j < s->blades; j++)
                dn_add_parallel(graph, first + c * s->blades + i, first + c * s->blades + j,
                                link_class, s->local_links, s->parallel);
    for (guint32 b = 0; b < s->blades; b++)
        for (guint32 i = 0; i < s->chassis; i++)
            for (guint32 j = i + 1; j < s->chassis; j++)
                dn_add_parallel(graph, first + i * s->blades + b, first + j * s->blades + b,
                                link_class, s->chassis_links, s->parallel);
}

static void dragonfly_build(const DnParams *params, DnGraphBuilder *graph, const guint32 *classes)
{
    Shape s = checked_shape(params);
    for (guint32 group = 0; group < s.g; group++) {
        for (guint32 i = 0; i < s.a; i++) {
            DnVertex *vertex = dn_graph_vertex(graph, group * s.a + i);
            vertex->group = group;
            vertex->local = i;
        }
        build_group(&s, graph, group * s.a, classes[1]);
    }
    dn_global_build(&s.global, graph, classes[2]);
}

static guint32 terminal_switch(const DnParams *params, guint32 t)
{
    return t / (guint32)dn_params_int(params, "terminals_per_switch");
}

/* Hops inside a group: one for a different row, one for a different column. */
static guint local_distance(const void *shape, guint32 x, guint32 y)
{
    const Shape *s = shape;
    return (x / s->blades != y / s->blades) + (x % s->blades != y % s->blades);
}

static guint dragonfly_distance(const DnParams *params, guint32 a, guint32 b)
{
    Shape s = checked_shape(params);
    return dn_global_distance(&s.global, local_distance, &s, a, b);
}

const DnTopologyType dn_topology_dragonfly = {
    .name = "dragonfly",
    .help = "groups of switches, every group linked to every other",
    .limits = "a grid's backplane and cable links share the class \"local\"; every group has the "
              "same size and every pair of groups the same number of links",
    .source = "Kim, Dally, Scott, Abts, Technology-Driven, Highly-Scalable Dragonfly Topology, "
              "ISCA 2008",
    .shape = DN_SHAPE_GROUPS,
    .params = params_,
    .link_classes = dn_global_link_classes,
    .classes_used = dn_global_classes_used,
    .size = dragonfly_size,
    .build = dragonfly_build,
    .terminal_switch = terminal_switch,
    .distance = dragonfly_distance,
};
