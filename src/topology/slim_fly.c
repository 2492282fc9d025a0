/* slim_fly.c - McKay-Miller-Siran graphs: diameter 2 near the largest possible size.
 *
 * Besta & Hoefler, "Slim Fly: A Cost Effective Low-Diameter Network Topology", SC 2014, section
 * II.B, after McKay, Miller, Siran, "A Note on Large Graphs of Diameter Two and Given Maximum
 * Degree", J. Combinatorial Theory B 74, 1998, and Hafner, "Geometric Realisation of the Graphs of
 * McKay-Miller-Siran", ibid. 90, 2004. For a prime q = 4 w + d, d = 1 or -1: 2 q^2 switches
 * (s, x, y) of degree (3 q - d) / 2, with a primitive element xi of the field of q:
 *   (0, x, y) - (0, x, y')  when y - y' is in X
 *   (1, m, c) - (1, m, c')  when c - c' is in X'
 *   (0, x, y) - (1, m, c)   when y = m x + c
 * d = 1:  X = {1, xi^2, .. xi^(q-3)}, X' = {xi, xi^3, .. xi^(q-2)}
 * d = -1: X = {1, xi^2, .. xi^(2w-2), xi^(2w-1), xi^(2w+1), .. xi^(4w-3)}, X' = xi X
 * Numbering: switch = (s * q + x) * q + y, terminals switch by switch. The q switches of equal
 * (s, x) are a group (for pictures and placement). Link classes: "terminal", "link". */
#include "topology/fabric.h"

#define MAX_Q 1021

static const DnParamSpec params_[] = {
    {"q", DN_PARAM_INT, NULL, 3, MAX_Q, NULL, "an odd prime: 5, 7, 11, 13, 17, 19, 23, ..."},
    {"terminals_per_switch", DN_PARAM_INT, "", 1, 1 << 16, NULL,
     "balanced when left out: half of a switch's links, rounded up"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static gboolean is_prime(guint32 q)
{
    for (guint32 i = 2; i * i <= q; i++)
        if (q % i == 0)
            return FALSE;
    return q > 1;
}

static gint remainder_of(guint32 q)
{
    return q % 4 == 1 ? 1 : -1;
}

static guint32 slim_fly_degree(guint32 q)
{
    return (guint32)((gint)(3 * q) - remainder_of(q)) / 2;
}

static guint32 terminals_of(const DnParams *params)
{
    if (dn_params_has(params, "terminals_per_switch"))
        return (guint32)dn_params_int(params, "terminals_per_switch");
    return (slim_fly_degree((guint32)dn_params_int(params, "q")) + 1) / 2;
}

/* The least number whose powers are all of 1 .. q - 1. */
static guint32 primitive_element(guint32 q)
{
    for (guint32 xi = 2;; xi++) {
        guint32 order = 1;
        for (guint64 power = xi; power != 1; power = power * xi % q)
            order++;
        if (order == q - 1)
            return xi;
    }
}

/* TRUE when xi^e is in X. */
static gboolean in_set(guint32 q, guint32 e)
{
    if (remainder_of(q) == 1)
        return e % 2 == 0;
    guint32 w = (q + 1) / 4;
    return e % 2 == 0 ? e <= 2 * w - 2 : e >= 2 * w - 1 && e <= 4 * w - 3;
}

/* Marks X (@twisted: X' = xi X) in @in [q]. */
static void mark_set(guint32 q, gboolean twisted, guint8 *in)
{
    guint32 xi = primitive_element(q);
    guint64 power = 1;
    for (guint32 e = 0; e < q - 1; e++, power = power * xi % q)
        if (in_set(q, e))
            in[twisted ? power * xi % q : power] = 1;
}

static gboolean slim_fly_size(const DnParams *params, DnFabricSize *size, GError **error)
{
    guint32 q = (guint32)dn_params_int(params, "q");
    if (!is_prime(q)) {
        dn_params_error(params, "q", DN_ERROR_RANGE, error,
                        "%u is no odd prime; 5, 7, 11, 13, 17, 19, 23, ... are", q);
        return FALSE;
    }
    guint64 switches = 2 * (guint64)q * q;
    return dn_fabric_size_set(params, "q", switches, switches * terminals_of(params),
                              switches * slim_fly_degree(q) / 2, 2 * (guint64)q, size, error);
}

static void add_column(DnGraphBuilder *graph, guint32 q, guint32 first, const guint8 *in,
                       guint32 link_class)
{
    for (guint32 y = 0; y < q; y++)
        for (guint32 z = y + 1; z < q; z++)
            if (in[z - y])
                dn_graph_add_cable(graph, first + y, first + z, link_class, 1);
}

static void slim_fly_build(const DnParams *params, DnGraphBuilder *graph, const guint32 *classes)
{
    guint32 q = (guint32)dn_params_int(params, "q");
    g_autofree guint8 *in = g_new0(guint8, q), *twisted = g_new0(guint8, q);
    mark_set(q, FALSE, in);
    mark_set(q, TRUE, twisted);
    for (guint32 column = 0; column < 2 * q; column++)
        add_column(graph, q, column * q, column < q ? in : twisted, classes[1]);
    for (guint32 x = 0; x < q; x++)
        for (guint32 m = 0; m < q; m++)
            for (guint32 c = 0; c < q; c++) {
                guint32 y = (guint32)(((guint64)m * x + c) % q);
                dn_graph_add_cable(graph, x * q + y, (q + m) * q + c, classes[1], 1);
            }
}

static guint32 terminal_switch(const DnParams *params, guint32 t)
{
    return t / terminals_of(params);
}

/* Returns TRUE when @a and @b are linked; the column of @a (s * q + x) is at most that of @b. */
static gboolean slim_fly_linked(guint32 q, guint32 a, guint32 b)
{
    guint32 column_a = a / q, column_b = b / q, ya = a % q, yb = b % q;
    if (column_a < q && column_b >= q)
        return ya == ((guint64)(column_b - q) * column_a + yb) % q;
    if (column_a != column_b)
        return FALSE;
    g_autofree guint8 *in = g_new0(guint8, q);
    mark_set(q, column_a >= q, in);
    return in[(ya + q - yb) % q];
}

/* Diameter 2: what is not linked is two hops away. */
static guint slim_fly_distance(const DnParams *params, guint32 a, guint32 b)
{
    guint32 q = (guint32)dn_params_int(params, "q");
    if (a == b)
        return 0;
    return slim_fly_linked(q, MIN(a, b), MAX(a, b)) ? 1 : 2;
}

static const char *const link_classes[] = {"terminal", "link", NULL};

const DnTopologyType dn_topology_slim_fly = {
    .name = "slim_fly",
    .help = "McKay-Miller-Siran graph: diameter 2 near the largest possible size",
    .limits = "q is a prime, no prime power; every switch has terminals",
    .source = "Besta & Hoefler, Slim Fly: A Cost Effective Low-Diameter Network Topology, SC 2014",
    .params = params_,
    .link_classes = link_classes,
    .size = slim_fly_size,
    .build = slim_fly_build,
    .terminal_switch = terminal_switch,
    .distance = slim_fly_distance,
};
