/* valiant_torus.c - `valiant` on tori and meshes: dimension order to a random switch, then on to
 * the target.
 *
 * Valiant & Brebner, "Universal Schemes for Parallel Communication", STOC 1981; Dally & Towles,
 * "Principles and Practices of Interconnection Networks", 2004, section 9.1: half the capacity on
 * every pattern. The switch is uniform over all but the packet's first and last.
 * Virtual channels: each leg has ring channels of its own (torus_path.h), four with wrap, two
 * without: the legs cannot wait on each other in a circle. */
#include "routing/torus_path.h"

extern const DnRoutingType dn_routing_valiant_torus;

static const DnParamSpec valiant_torus_params[] = {{0}};
static const char *const valiant_torus_modes[] = {"valiant", NULL};

static DnRouter *valiant_torus_make(const DnMachine *machine, const DnParams *params,
                                    GError **error)
{
    DnTorusRouter *r = g_new0(DnTorusRouter, 1);
    r->base.type = &dn_routing_valiant_torus;
    dn_torus_router_init(r, machine, 2);
    return &r->base;
}

static guint32 draw_via(const DnTorusRouter *r, guint32 vertex, guint32 target, guint64 draw)
{
    guint32 n = r->base.machine->graph->size.switches;
    if (n < 3)
        return DN_NONE;
    guint32 x = dn_draw_below(draw, n - 2);
    x += x >= MIN(vertex, target);
    x += x >= MAX(vertex, target);
    return x;
}

static DnHop valiant_torus_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                                const DnLoadView *load, guint64 draw)
{
    const DnTorusRouter *r = (const DnTorusRouter *)router;
    if (state->hops == 0)
        state->via = draw_via(r, vertex, state->target_switch, dn_mix64(draw));
    else if (state->via == vertex)
        state->via = DN_NONE;
    if (state->via != DN_NONE)
        return dn_torus_ordered_hop(r, vertex, state->via, draw);
    DnHop hop = dn_torus_ordered_hop(r, vertex, state->target_switch, draw);
    hop.channel = (guint8)(hop.channel + r->ring_channels);
    return hop;
}

static guint valiant_torus_list(const DnTorusRouter *r, guint32 vertex, const DnRouteState *state,
                                guint32 via, DnHop *hops, DnRouteState *after, guint max)
{
    guint32 to = via != DN_NONE ? via : state->target_switch;
    guint n = dn_torus_ordered_hops(r, vertex, to, hops, max);
    for (guint i = 0; i < n; i++) {
        after[i] = *state;
        after[i].via = via;
        if (via == DN_NONE)
            hops[i].channel = (guint8)(hops[i].channel + r->ring_channels);
    }
    return n;
}

static guint valiant_torus_choices(const DnRouter *router, guint32 vertex,
                                   const DnRouteState *state, DnHop *hops, DnRouteState *after,
                                   guint max)
{
    const DnTorusRouter *r = (const DnTorusRouter *)router;
    guint32 n_switches = r->base.machine->graph->size.switches;
    guint n = 0;
    if (state->hops > 0 || n_switches < 3) {
        guint32 via = state->via == vertex ? DN_NONE : state->via;
        return valiant_torus_list(r, vertex, state, via, hops, after, max);
    }
    for (guint32 via = 0; via < n_switches; via++)
        if (via != vertex && via != state->target_switch)
            n += valiant_torus_list(r, vertex, state, via, hops + n, after + n, max - n);
    return n;
}

const DnRoutingType dn_routing_valiant_torus = {
    .name = "valiant",
    .help = "dimension order to a random switch, then on to the target",
    .limits = "as dimension_order; a packet that passes its target on the first leg stops there",
    .source = "Valiant & Brebner, STOC 1981; Dally & Towles, 2004, section 9.1",
    .params = valiant_torus_params,
    .topologies = dn_torus_topologies,
    .modes = valiant_torus_modes,
    .make = valiant_torus_make,
    .free = dn_torus_router_free,
    .next = valiant_torus_next,
    .choices = valiant_torus_choices,
    .moves = dn_torus_moves,
    .ascends = dn_torus_ascends,
};
