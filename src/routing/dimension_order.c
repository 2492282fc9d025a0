/* dimension_order.c - Torus and mesh: a packet corrects one dimension after another, in the shorter
 * direction.
 *
 * Dally & Seitz, "Deadlock-Free Message Routing in Multiprocessor Interconnection Networks", IEEE
 * Trans. Computers C-36(5), 1987: two virtual channels a ring, changed at a dateline (the wrap
 * link; torus_path.h), and dimensions in order close no cycle. At exactly half the ring both
 * directions are as short; the draw decides, once: after the first hop one of them is shorter. */
#include "routing/torus_path.h"

extern const DnRoutingType dn_routing_dimension_order;

static const DnParamSpec dimension_order_params[] = {{0}};
static const char *const dimension_order_modes[] = {"dimension_order", NULL};

static DnRouter *dimension_order_make(const DnMachine *machine, const DnParams *params,
                                      GError **error)
{
    DnTorusRouter *r = g_new0(DnTorusRouter, 1);
    r->base.type = &dn_routing_dimension_order;
    dn_torus_router_init(r, machine, 1);
    return &r->base;
}

static DnHop dimension_order_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                                  const DnLoadView *load, guint64 draw)
{
    return dn_torus_ordered_hop((const DnTorusRouter *)router, vertex, state->target_switch, draw);
}

static guint dimension_order_choices(const DnRouter *router, guint32 vertex,
                                     const DnRouteState *state, DnHop *hops, DnRouteState *after,
                                     guint max)
{
    guint n = dn_torus_ordered_hops((const DnTorusRouter *)router, vertex, state->target_switch,
                                    hops, max);
    for (guint i = 0; i < n; i++)
        after[i] = *state;
    return n;
}

const DnRoutingType dn_routing_dimension_order = {
    .name = "dimension_order",
    .help = "one dimension after another, in the shorter direction",
    .limits =
        "deterministic but for ties of direction; parallel cables of a hop are taken at random",
    .source = "Dally & Seitz, IEEE Trans. Computers C-36(5), 1987",
    .params = dimension_order_params,
    .topologies = dn_torus_topologies,
    .modes = dimension_order_modes,
    .make = dimension_order_make,
    .free = dn_torus_router_free,
    .next = dimension_order_next,
    .choices = dimension_order_choices,
    .moves = dn_torus_moves,
    .ascends = dn_torus_ascends,
};
