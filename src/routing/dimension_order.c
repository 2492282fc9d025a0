/* dimension_order.c - torus and mesh: correct one dimension after another, the shorter way round.
 *
 * Dally & Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks", IEEE
 * Trans. Computers C-36(5), 1987: two virtual channels a ring, changed at a dateline (the wrap
 * link), and dimensions in order close no cycle. At exactly half way round both directions are
 * as short; the draw decides, once: after the first hop one of them is shorter.
 * LIMITATIONS: deterministic but for that tie; parallel cables of a hop are taken at random. */
#include "routing/port_set.h"

#define MAX_DIMS 16

extern const DnRoutingType dn_routing_dimension_order;

typedef struct {
    DnRouter base;
    guint n_dims;
    gint64 size[MAX_DIMS];
    guint32 stride[MAX_DIMS];
    gboolean wrap[MAX_DIMS];
    DnPortSets *sets;
    DnPortSet *ports; /* [R * n_dims * 2]: down, up */
} DimensionOrder;

static const DnParamSpec dimension_order_params[] = {{0}};
static const char *const torus_only[] = {"torus", NULL};
static const char *const modes[] = {"dimension_order", NULL};

static inline guint32 coordinate(const DimensionOrder *r, guint32 s, guint d)
{
    return s / r->stride[d] % (guint32)r->size[d];
}

/* The switch one step along, or DN_NONE over the edge of a mesh. */
static guint32 neighbour(const DimensionOrder *r, guint32 s, guint d, gboolean up)
{
    guint32 c = coordinate(r, s, d), last = (guint32)r->size[d] - 1;
    if (up ? c == last : c == 0) {
        if (!r->wrap[d] || r->size[d] < 3) /* a ring of two has one cable, not two */
            return DN_NONE;
        return up ? s - last * r->stride[d] : s + last * r->stride[d];
    }
    return up ? s + r->stride[d] : s - r->stride[d];
}

static void fill_ports(DimensionOrder *r, const DnGraph *g)
{
    r->sets = dn_port_sets_new();
    r->ports = g_new(DnPortSet, (gsize)g->size.switches * r->n_dims * 2);
    for (guint32 s = 0; s < g->size.switches; s++)
        for (guint k = 0; k < 2 * r->n_dims; k++) {
            guint32 peer = neighbour(r, s, k / 2, k % 2);
            guint16 found[256];
            guint n = 0;
            for (guint32 p = 0; peer != DN_NONE && p < dn_graph_degree(g, s); p++)
                if (g->links[g->ports[g->port_first[s] + p]].dst == peer && n < 256)
                    found[n++] = (guint16)p;
            g_assert(peer == DN_NONE || n > 0);
            r->ports[(gsize)s * r->n_dims * 2 + k] =
                n == 0 ? DN_PORT_SET_EMPTY : dn_port_sets_add(r->sets, found, n);
        }
    dn_port_sets_close(r->sets);
}

static DnRouter *dimension_order_make(const DnMachine *machine, const DnParams *params,
                                      GError **error)
{
    DimensionOrder *r = g_new0(DimensionOrder, 1);
    r->base.type = &dn_routing_dimension_order;
    r->base.channels = 1;
    if (machine->type == NULL)
        return &r->base;
    guint n_wrap = 0;
    const gint64 *dims = dn_params_list(machine->params, "dims", &r->n_dims);
    const gint64 *wrap = dn_params_list(machine->params, "wrap", &n_wrap);
    g_assert(r->n_dims <= MAX_DIMS);
    guint32 stride = 1;
    for (guint d = 0; d < r->n_dims; d++) {
        r->size[d] = dims[d];
        r->wrap[d] = n_wrap == 0 ? TRUE : wrap[n_wrap == 1 ? 0 : d] != 0;
        r->stride[d] = stride;
        stride *= (guint32)dims[d];
        if (r->wrap[d] && dims[d] > 2)
            r->base.channels = 2;
    }
    g_assert(stride == machine->graph->size.switches);
    fill_ports(r, machine->graph);
    return &r->base;
}

static void dimension_order_free(DnRouter *router)
{
    DimensionOrder *r = (DimensionOrder *)router;
    dn_port_sets_free(r->sets);
    g_free(r->ports);
    g_free(r);
}

/* Bit 0: up is as short as any way; bit 1: down is. */
static guint directions(const DimensionOrder *r, guint d, guint32 from, guint32 to)
{
    if (!r->wrap[d] || r->size[d] < 3)
        return to > from ? 1 : 2;
    guint32 n = (guint32)r->size[d], ahead = to >= from ? to - from : to + n - from;
    return 2 * ahead < n ? 1 : 2 * ahead > n ? 2 : 3;
}

/* The hop along dimension @d, direction @up. phase: 2 * dimension + dateline crossed. */
static guint8 take(const DimensionOrder *r, guint32 s, guint d, gboolean up, DnRouteState *state)
{
    guint crossed = state->phase >> 1 == d ? state->phase & 1 : 0;
    guint32 c = coordinate(r, s, d);
    if (r->wrap[d] && r->size[d] > 2 && c == (up ? (guint32)r->size[d] - 1 : 0))
        crossed = 1;
    state->phase = (guint8)(2 * d + crossed);
    return (guint8)crossed;
}

static guint first_difference(const DimensionOrder *r, guint32 s, guint32 to)
{
    guint d = 0;
    while (coordinate(r, s, d) == coordinate(r, to, d))
        d++;
    g_assert(d < r->n_dims);
    return d;
}

static DnHop dimension_order_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                                  const DnLoadView *load, guint64 draw)
{
    const DimensionOrder *r = (const DimensionOrder *)router;
    guint32 to = state->target_switch;
    guint d = first_difference(r, vertex, to);
    guint ways = directions(r, d, coordinate(r, vertex, d), coordinate(r, to, d));
    gboolean up = ways == 3 ? draw & 1 : ways == 1;
    DnPortSet set = r->ports[((gsize)vertex * r->n_dims + d) * 2 + (up ? 1 : 0)];
    guint32 port = dn_port_set_pick(r->sets, set, DN_PICK_RANDOM, load, state->flow, draw);
    return (DnHop){port, take(r, vertex, d, up, state)};
}

static guint dimension_order_choices(const DnRouter *router, guint32 vertex,
                                     const DnRouteState *state, DnHop *hops, DnRouteState *after,
                                     guint max)
{
    const DimensionOrder *r = (const DimensionOrder *)router;
    guint32 to = state->target_switch;
    guint d = first_difference(r, vertex, to), total = 0;
    guint ways = directions(r, d, coordinate(r, vertex, d), coordinate(r, to, d));
    for (guint up = 0; up < 2; up++) {
        if (!(ways & (up ? 1 : 2)))
            continue;
        guint n;
        guint16 single;
        DnPortSet set = r->ports[((gsize)vertex * r->n_dims + d) * 2 + up];
        const guint16 *ports = dn_port_set_list(r->sets, set, &n, &single);
        g_assert(total + n <= max);
        for (guint i = 0; i < n; i++, total++) {
            after[total] = *state;
            hops[total].port = ports[i];
            hops[total].channel = take(r, vertex, d, up, &after[total]);
        }
    }
    return total;
}

const DnRoutingType dn_routing_dimension_order = {
    .name = "dimension_order",
    .source = "Dally & Seitz, IEEE Trans. Computers C-36(5), 1987",
    .params = dimension_order_params,
    .topologies = torus_only,
    .modes = modes,
    .make = dimension_order_make,
    .free = dimension_order_free,
    .next = dimension_order_next,
    .choices = dimension_order_choices,
};
