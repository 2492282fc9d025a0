/* torus.c - k-ary n-cube with any dimensions; a mesh where the wrap is off.
 *
 * Dally, "Performance Analysis of k-ary n-cube Interconnection Networks", IEEE Trans. Computers
 * 39(6), 1990. Distance: the sum over dimensions of min(|d|, k - |d|) with wrap, |d| without;
 * diameter of a torus: the sum of floor(k / 2).
 * Numbering: dimension 0 runs fastest, switch = x0 + k0 * (x1 + k1 * (x2 + ...)); terminals switch
 * by switch. A dimension of size 2 has one cable (times `parallel_links`) between its two switches,
 * wrap or not: the wrap cable would join the same two. A dimension of size 1 has none.
 * Link classes: "terminal", "link". */
#include "topology/fabric.h"

#include <string.h>

#define MAX_DIMS DN_MAX_DIMS

static const DnParamSpec params_[] = {
    {"dims", DN_PARAM_INT_LIST, NULL, 1, 1 << 20, NULL, "switches along each dimension: [4, 2]"},
    {"wrap", DN_PARAM_BOOL_LIST, "", 0, 0, NULL,
     "one a dimension; true (torus) everywhere when left out, false makes a mesh"},
    {"terminals_per_switch", DN_PARAM_INT, "1", 1, 1 << 16, NULL, "terminals on each switch"},
    {"parallel_links", DN_PARAM_INT, "1", 1, 1 << 10, NULL, "parallel links between neighbours"},
    {"parallel", DN_PARAM_CHOICE, "separate", 0, 0, dn_parallel_choices,
     "parallel links are separate, or one link of their total width"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct {
    guint n;
    guint32 dims[MAX_DIMS];
    gboolean wrap[MAX_DIMS]; /* FALSE for sizes 1 and 2, where a wrap adds no cable */
} Shape;

/* Reads the shape, which torus_size() has checked. */
static Shape read_shape(const DnParams *params)
{
    Shape s = {0};
    guint n_wrap = 0;
    const gint64 *dims = dn_params_list(params, "dims", &s.n);
    const gint64 *wrap = dn_params_has(params, "wrap") ? dn_params_list(params, "wrap", &n_wrap)
                                                       : NULL;
    for (guint d = 0; d < s.n; d++) {
        s.dims[d] = (guint32)dims[d];
        s.wrap[d] = s.dims[d] > 2 && (n_wrap == 0 || wrap[d] != 0);
    }
    return s;
}

static gboolean check_lists(const DnParams *params, GError **error)
{
    guint n_dims, n_wrap = 0;
    dn_params_list(params, "dims", &n_dims);
    if (n_dims == 0 || n_dims > MAX_DIMS) {
        dn_params_error(params, "dims", DN_ERROR_RANGE, error, "%u dimensions; 1 to %d", n_dims,
                        MAX_DIMS);
        return FALSE;
    }
    if (!dn_params_has(params, "wrap"))
        return TRUE;
    dn_params_list(params, "wrap", &n_wrap);
    if (n_wrap == n_dims)
        return TRUE;
    dn_params_error(params, "wrap", DN_ERROR_RANGE, error,
                    "%u values for %u dimensions; one for each, or leave the key out", n_wrap,
                    n_dims);
    return FALSE;
}

static gboolean torus_size(const DnParams *params, DnFabricSize *size, GError **error)
{
    if (!check_lists(params, error))
        return FALSE;
    Shape s = read_shape(params);
    guint64 switches = 1, cables = 0;
    for (guint d = 0; d < s.n; d++)
        switches = dn_count_mul(switches, s.dims[d]);
    guint64 links = dn_parallel_cables((guint32)dn_params_int(params, "parallel_links"),
                                       (DnParallel)dn_params_int(params, "parallel"));
    /* Each of the switches / k lines of a dimension has k cables with wrap, else k - 1. */
    for (guint d = 0; d < s.n && switches <= DN_MAX_SWITCHES; d++)
        cables += switches / s.dims[d] * (s.dims[d] - !s.wrap[d]) * links;
    guint64 p = (guint64)dn_params_int(params, "terminals_per_switch");
    if (!dn_fabric_size_set(params, "dims", switches, dn_count_mul(switches, p), cables, 1, size,
                            error))
        return FALSE;
    size->n_dims = s.n;
    memcpy(size->dims, s.dims, sizeof size->dims);
    return TRUE;
}

static void torus_build(const DnParams *params, DnGraphBuilder *graph, const guint32 *classes)
{
    Shape s = read_shape(params);
    guint32 links = (guint32)dn_params_int(params, "parallel_links"), switches = 1;
    DnParallel parallel = (DnParallel)dn_params_int(params, "parallel");
    for (guint d = 0; d < s.n; d++)
        switches *= s.dims[d];
    for (guint32 v = 0; v < switches; v++) {
        guint32 stride = 1, rest = v;
        for (guint d = 0; d < s.n; stride *= s.dims[d++]) {
            guint32 k = s.dims[d];
            g_assert(k >= 1);
            guint32 x = rest % k;
            rest /= k;
            if (x + 1 < k)
                dn_add_parallel(graph, v, v + stride, classes[1], links, parallel);
            else if (s.wrap[d])
                dn_add_parallel(graph, v, v - x * stride, classes[1], links, parallel);
        }
    }
}

static guint32 terminal_switch(const DnParams *params, guint32 t)
{
    return t / (guint32)dn_params_int(params, "terminals_per_switch");
}

static guint torus_distance(const DnParams *params, guint32 a, guint32 b)
{
    Shape s = read_shape(params);
    guint hops = 0;
    for (guint d = 0; d < s.n; d++) {
        guint32 k = s.dims[d], x = a % k, y = b % k;
        guint32 apart = x > y ? x - y : y - x;
        hops += s.wrap[d] ? MIN(apart, k - apart) : apart;
        a /= k;
        b /= k;
    }
    return hops;
}

static const char *const link_classes[] = {"terminal", "link", NULL};

const DnTopologyType dn_topology_torus = {
    .name = "torus",
    .help = "k-ary n-cube with any dimensions; a mesh where the wrap is off",
    .limits = "every switch of a level or ring has the same ports",
    .source = "Dally, Performance Analysis of k-ary n-cube Interconnection Networks, IEEE Trans. "
              "Computers 39(6), 1990",
    .shape = DN_SHAPE_TORUS,
    .params = params_,
    .link_classes = link_classes,
    .size = torus_size,
    .build = torus_build,
    .terminal_switch = terminal_switch,
    .distance = torus_distance,
};
