/* fat_tree.c - extended generalised fat tree, XGFT(h; m1..mh; w1..wh), with w1 = 1.
 *
 * Oehring, Ibel, Das, Kumar, "On Generalized Fat Trees", IPPS 1995, definition 1; parallel links
 * as in the PGFT of Zahavi, "D-Mod-K Routing Providing Non-Blocking Traffic for Shift Permutations
 * on Real Life Fat Trees", CCIT Report 776, Technion 2010. `down` is m1..mh (children; m1 terminals
 * a leaf switch), `up` is w2..wh (parents); w1 = 1: a terminal hangs on one switch. A k-ary n-tree
 * (Petrini, Vanneschi, IPPS 1997) has down [k, ..] n times and up [k, ..] n-1 times; a full k-port
 * three-level fat tree has down [k/2, k/2, k], up [k/2, k/2].
 *
 * A switch of level l (1..h here, 0..h-1 in DnVertex.level) is a string of digits x_2..x_h, digit
 * j below w_j when j <= l, else below m_j. Levels l-1 and l are linked where all digits but x_l
 * agree.
 * Numbering: level by level, leaves first, digit 2 fastest; terminals leaf by leaf.
 * Planes: so many equal trees that no cable joins, each NIC of a node in one of them (DeepSeek-AI,
 * "Insights into DeepSeek-V3", ISCA 2025, section 5: eight planes of two levels). Switch v of plane
 * i is number v * planes + i, so that a node on `planes` neighbouring leaves has a NIC in each.
 * Link classes: "terminal", "level1".."level7": level i joins switch levels i-1 and i (leaf = 0).
 * Distance: x_j with j outside the two levels' range costs a path there and back: see
 * fat_tree_distance(). */
#include "topology/fabric.h"

#define MAX_LEVELS 8

static const DnParamSpec params_[] = {
    {"levels", DN_PARAM_INT, NULL, 1, MAX_LEVELS, NULL, "levels of switches, h"},
    {"down", DN_PARAM_INT_LIST, NULL, 1, 1 << 16, NULL,
     "children of a switch, from the leaves up: [18, 18, 36]; levels values"},
    {"up", DN_PARAM_INT_LIST, "", 1, 1 << 16, NULL,
     "parents of a switch, from the leaves up: [18, 18]; levels - 1 values"},
    {"parallel_links", DN_PARAM_INT_LIST, "", 1, 1 << 10, NULL,
     "parallel links to each parent, from the leaves up; levels - 1 values, 1 when left out"},
    {"planes", DN_PARAM_INT, "1", 1, 64, NULL,
     "number of such trees side by side, which no cable joins (multi-plane)"},
    {"parallel", DN_PARAM_CHOICE, "separate", 0, 0, dn_parallel_choices,
     "parallel links are separate, or one link of their total width"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct {
    guint h;
    guint32 planes;
    guint32 m[MAX_LEVELS + 1], w[MAX_LEVELS + 1]; /* [1..h] as in the paper */
    guint32 links[MAX_LEVELS + 1];                /* [2..h] between levels l-1 and l */
    guint64 first[MAX_LEVELS + 2];                /* [1..h+1] first switch of level l */
} Shape;

static gboolean check_list(const DnParams *params, const char *key, guint wanted, gboolean optional,
                           GError **error)
{
    guint n = 0;
    if (dn_params_has(params, key))
        dn_params_list(params, key, &n);
    if (n == wanted || (n == 0 && optional))
        return TRUE;
    dn_params_error(params, key, DN_ERROR_RANGE, error,
                    "'%s' has %u values; %u wanted with %" G_GINT64_FORMAT " levels", key, n,
                    wanted, dn_params_int(params, "levels"));
    return FALSE;
}

/* @list into @into[@from ..], when given. */
static void read_list(const DnParams *params, const char *key, guint32 *into, guint from)
{
    guint n = 0;
    const gint64 *list = dn_params_has(params, key) ? dn_params_list(params, key, &n) : NULL;
    for (guint i = 0; i < n; i++)
        into[from + i] = (guint32)list[i];
}

static Shape read_shape(const DnParams *params)
{
    Shape s = {.h = (guint)dn_params_int(params, "levels"),
               .planes = (guint32)dn_params_int(params, "planes")};
    for (guint l = 0; l <= MAX_LEVELS; l++)
        s.m[l] = s.w[l] = s.links[l] = 1;
    read_list(params, "down", s.m, 1);
    read_list(params, "up", s.w, 2);
    read_list(params, "parallel_links", s.links, 2);
    for (guint l = 1; l <= s.h; l++) {
        guint64 count = 1;
        for (guint j = 2; j <= s.h; j++)
            count = dn_count_mul(count, j <= l ? s.w[j] : s.m[j]);
        s.first[l + 1] = s.first[l] + MIN(count, (guint64)1 << 60);
    }
    return s;
}

static gboolean fat_tree_size(const DnParams *params, DnFabricSize *size, GError **error)
{
    guint h = (guint)dn_params_int(params, "levels");
    if (!check_list(params, "down", h, FALSE, error) ||
        !check_list(params, "up", h - 1, FALSE, error) ||
        !check_list(params, "parallel_links", h - 1, TRUE, error))
        return FALSE;
    Shape s = read_shape(params);
    DnParallel parallel = (DnParallel)dn_params_int(params, "parallel");
    guint64 cables = 0, switches = s.first[h + 1];
    for (guint l = 2; l <= h && switches <= DN_MAX_SWITCHES; l++)
        cables += (s.first[l] - s.first[l - 1]) * s.w[l] * dn_parallel_cables(s.links[l], parallel);
    guint64 terminals = dn_count_mul(s.planes, dn_count_mul(s.first[2], s.m[1]));
    if (!dn_fabric_size_set(params, "down", dn_count_mul(s.planes, switches), terminals,
                            dn_count_mul(s.planes, cables), 1, size, error))
        return FALSE;
    size->planes = s.planes;
    return TRUE;
}

/* The links between switches @a and @b of one tree, in all planes. */
static void join_planes(const Shape *s, DnGraphBuilder *graph, guint32 a, guint32 b,
                        guint32 link_class, guint32 links, DnParallel parallel)
{
    for (guint32 plane = 0; plane < s->planes; plane++)
        dn_add_parallel(graph, a * s->planes + plane, b * s->planes + plane, link_class, links,
                        parallel);
}

static void fat_tree_build(const DnParams *params, DnGraphBuilder *graph, const guint32 *classes)
{
    Shape s = read_shape(params);
    DnParallel parallel = (DnParallel)dn_params_int(params, "parallel");
    guint32 low = 1; /* product of w_2 .. w_(l-1): the place value of digit l */
    for (guint l = 1; l <= s.h; l++) {
        for (guint32 v = (guint32)s.first[l] * s.planes; v < s.first[l + 1] * s.planes; v++)
            dn_graph_vertex(graph, v)->level = (guint8)(l - 1);
        if (l == 1)
            continue;
        g_assert(low > 0);
        for (guint32 v = (guint32)s.first[l - 1]; v < s.first[l]; v++) {
            guint32 x = v - (guint32)s.first[l - 1];
            guint32 rest = x % low, high = x / low / s.m[l];
            for (guint32 digit = 0; digit < s.w[l]; digit++)
                join_planes(&s, graph, v,
                            (guint32)s.first[l] + rest + low * (digit + s.w[l] * high),
                            classes[l - 1], s.links[l], parallel);
        }
        low *= s.w[l];
    }
}

static guint32 terminal_switch(const DnParams *params, guint32 t)
{
    guint n;
    return t / (guint32)dn_params_list(params, "down", &n)[0];
}

/* Level of switch @v and its digits, [2..h]. */
static guint digits_of(const Shape *s, guint32 v, guint32 *digits)
{
    guint level = 1;
    while (v >= s->first[level + 1])
        level++;
    guint32 x = v - (guint32)s->first[level];
    for (guint j = 2; j <= s->h; j++) {
        guint32 radix = j <= level ? s->w[j] : s->m[j];
        digits[j] = x % radix;
        x /= radix;
    }
    return level;
}

/* Only the links between levels j-1 and j change digit j. Going from the lower level la to the
 * upper lb crosses la+1..lb once and sets those digits; a digit above lb that differs asks for a
 * climb to it and back, one at or below la for a descent under it and back. */
static guint fat_tree_distance(const DnParams *params, guint32 a, guint32 b)
{
    Shape s = read_shape(params);
    if (a % s.planes != b % s.planes)
        return G_MAXUINT; /* in two planes */
    a /= s.planes;
    b /= s.planes;
    guint32 da[MAX_LEVELS + 1], db[MAX_LEVELS + 1];
    guint la = digits_of(&s, a, da), lb = digits_of(&s, b, db);
    guint low = MIN(la, lb), high = MAX(la, lb), top = high, bottom = low;
    for (guint j = 2; j <= s.h; j++) {
        if (da[j] == db[j] || (j > low && j <= high))
            continue;
        if (j > high)
            top = j;
        else
            bottom = MIN(bottom, j - 1);
    }
    return (high - low) + 2 * (top - high) + 2 * (low - bottom);
}

static guint classes_used(const DnParams *params)
{
    return (guint)dn_params_int(params, "levels");
}

static const char *const link_classes[] = {"terminal", "level1", "level2", "level3", "level4",
                                           "level5",   "level6", "level7", NULL};

const DnTopologyType dn_topology_fat_tree = {
    .name = "fat_tree",
    .help = "extended generalised fat tree, XGFT(h; m1..mh; w1..wh), with w1 = 1",
    .limits = "every switch of a level has the same ports; planes are joined inside nodes alone",
    .source = "Oehring, Ibel, Das, Kumar, On Generalized Fat Trees, IPPS 1995",
    .params = params_,
    .link_classes = link_classes,
    .classes_used = classes_used,
    .size = fat_tree_size,
    .build = fat_tree_build,
    .terminal_switch = terminal_switch,
    .distance = fat_tree_distance,
};
