/* hyperx.c - switches in a lattice, every two that differ in one coordinate linked.
 *
 * Ahn, Binkert, Davis, McLaren, Schreiber, "HyperX: Topology, Routing, and Packaging of Efficient
 * Large-Scale Networks", SC 2009: L dimensions of S_k switches, each fully linked along each
 * dimension by K_k parallel links, T terminals a switch. One dimension is a full mesh; dimensions
 * of two are a hypercube. Distance: the number of coordinates that differ; cables: for each
 * dimension R (S_k - 1) / 2 times K_k.
 * Numbering: dimension 0 runs fastest; terminals switch by switch. Link classes: "terminal",
 * "link". */
#include "topology/fabric.h"

#define MAX_DIMS 8

static const DnParamSpec params_[] = {
    {"dims", DN_PARAM_INT_LIST, NULL, 1, 1 << 16, NULL, "switches along each dimension: [8, 8]"},
    {"terminals_per_switch", DN_PARAM_INT, NULL, 1, 1 << 16, NULL, "terminals on each switch"},
    {"parallel_links", DN_PARAM_INT_LIST, "", 1, 1 << 10, NULL,
     "parallel links of a pair, one value a dimension; 1 when left out"},
    {"parallel", DN_PARAM_CHOICE, "separate", 0, 0, dn_parallel_choices,
     "parallel links are separate, or one link of their total width"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

typedef struct {
    guint n;
    guint32 dims[MAX_DIMS], links[MAX_DIMS];
    DnParallel parallel;
} Shape;

/* Reads the shape, which check_dims() has checked. */
static Shape read_shape(const DnParams *params)
{
    Shape s = {.parallel = (DnParallel)dn_params_int(params, "parallel")};
    guint n_links = 0;
    const gint64 *dims = dn_params_list(params, "dims", &s.n);
    const gint64 *links = dn_params_has(params, "parallel_links")
                              ? dn_params_list(params, "parallel_links", &n_links)
                              : NULL;
    for (guint d = 0; d < s.n; d++) {
        s.dims[d] = (guint32)dims[d];
        s.links[d] = n_links > 0 ? (guint32)links[d] : 1;
    }
    return s;
}

static gboolean check_dims(const DnParams *params, GError **error)
{
    guint n_dims, n_links;
    dn_params_list(params, "dims", &n_dims);
    if (n_dims == 0 || n_dims > MAX_DIMS) {
        dn_params_error(params, "dims", DN_ERROR_RANGE, error, "%u dimensions; 1 to %d", n_dims,
                        MAX_DIMS);
        return FALSE;
    }
    if (!dn_params_has(params, "parallel_links"))
        return TRUE;
    dn_params_list(params, "parallel_links", &n_links);
    if (n_links == n_dims)
        return TRUE;
    dn_params_error(params, "parallel_links", DN_ERROR_RANGE, error,
                    "'parallel_links' has %u values; 'dims' has %u", n_links, n_dims);
    return FALSE;
}

static guint64 count_switches(const Shape *s)
{
    guint64 n = 1;
    for (guint d = 0; d < s->n; d++)
        n = dn_count_mul(n, s->dims[d]);
    return n;
}

static gboolean hyperx_size(const DnParams *params, DnFabricSize *size, GError **error)
{
    if (!check_dims(params, error))
        return FALSE;
    Shape s = read_shape(params);
    guint64 switches = count_switches(&s), cables = 0;
    for (guint d = 0; d < s.n && switches <= DN_MAX_SWITCHES; d++)
        cables += switches * (s.dims[d] - 1) / 2 * dn_parallel_cables(s.links[d], s.parallel);
    guint64 p = (guint64)dn_params_int(params, "terminals_per_switch");
    return dn_fabric_size_set(params, "dims", switches, dn_count_mul(switches, p), cables, 1, size,
                              error);
}

static void hyperx_build(const DnParams *params, DnGraphBuilder *graph, const guint32 *classes)
{
    Shape s = read_shape(params);
    guint32 switches = (guint32)count_switches(&s), stride = 1;
    for (guint d = 0; d < s.n; stride *= s.dims[d], d++)
        for (guint32 v = 0; v < switches; v++) {
            guint32 own = v / stride % s.dims[d];
            for (guint32 c = own + 1; c < s.dims[d]; c++)
                dn_add_parallel(graph, v, v + (c - own) * stride, classes[1], s.links[d],
                                s.parallel);
        }
}

static guint32 terminal_switch(const DnParams *params, guint32 t)
{
    return t / (guint32)dn_params_int(params, "terminals_per_switch");
}

static guint hyperx_distance(const DnParams *params, guint32 a, guint32 b)
{
    Shape s = read_shape(params);
    guint hops = 0;
    for (guint d = 0; d < s.n; a /= s.dims[d], b /= s.dims[d], d++)
        hops += a % s.dims[d] != b % s.dims[d];
    return hops;
}

/* One switch has nobody to link to. */
static guint classes_used(const DnParams *params)
{
    Shape s = read_shape(params);
    return count_switches(&s) > 1 ? 2 : 1;
}

static const char *const link_classes[] = {"terminal", "link", NULL};

const DnTopologyType dn_topology_hyperx = {
    .name = "hyperx",
    .help = "switches in a lattice, every two that differ in one coordinate linked",
    .limits = "every switch of a dimension has the same ports",
    .source = "Ahn, Binkert, Davis, McLaren, Schreiber, HyperX: Topology, Routing, and Packaging "
              "of Efficient Large-Scale Networks, SC 2009",
    .params = params_,
    .link_classes = link_classes,
    .classes_used = classes_used,
    .size = hyperx_size,
    .build = hyperx_build,
    .terminal_switch = terminal_switch,
    .distance = hyperx_distance,
};
