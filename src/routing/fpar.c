/* fpar.c - Dragonfly+: fully progressive adaptive routing decides again at each switch that has a
 * choice.
 *
 * Shpiner, Haramaty, Eliad, Zdornov, Gafni, Zahavi, "Dragonfly+: Low Cost Topology for Scaling
 * Datacenters", HiPINEB 2017. Here:
 *   source leaf    which spine, and whether towards the target's group or another's
 *   source spine   the global links to the target's group, or those to a random other group
 *   landing spine  of that other group: its own link to the target's group, or down to a leaf and
 *                  up to another spine (the only path when it has no such link)
 * Virtual channels: two, as in the paper; they change on the link up from the leaf of the other
 * group, or on its global link (group_path.h). */
#include "routing/group_ugal.h"

extern const DnRoutingType dn_routing_fpar;

static const DnParamSpec fpar_params[] = {
    {"choice", DN_PARAM_CHOICE, "adaptive", 0, 0, dn_pick_names,
     "port among equally short: random, hashed (one path a pair), adaptive (least loaded)"},
    DN_GROUP_PARAM_THRESHOLD,
    DN_GROUP_PARAM_IN_FLIGHT,
    {0},
};
static const char *const fpar_topologies[] = {"dragonfly_plus", NULL};
static const char *const fpar_modes[] = {"fpar", NULL};

static DnRouter *fpar_make(const DnMachine *machine, const DnParams *params, GError **error)
{
    DnGroupRouter *r = g_new0(DnGroupRouter, 1);
    r->base.type = &dn_routing_fpar;
    r->pick = (DnPick)dn_params_int(params, "choice");
    r->threshold_bytes = dn_params_int(params, "threshold");
    r->minimal_paths = r->detours = 1;
    r->in_flight = dn_params_int(params, "in_flight") == 1;
    if (dn_group_router_init(r, machine, DN_DETOUR | DN_DETOUR_LATER | DN_DETOUR_CROSS, error))
        return &r->base;
    g_free(r);
    return NULL;
}

/* A random port down, or DN_NONE; ports of a spine are few. */
static guint32 draw_down(const DnGroupRouter *r, guint32 vertex, guint64 draw)
{
    guint32 degree = dn_graph_degree(r->graph, vertex), n = 0;
    for (guint32 p = 0; p < degree; p++)
        n += dn_group_port_kind(r, vertex, p) == DN_PORT_DOWN;
    guint32 wanted = n > 0 ? dn_draw_below(draw, n) : DN_NONE;
    for (guint32 p = 0; n > 0 && p < degree; p++)
        if (dn_group_port_kind(r, vertex, p) == DN_PORT_DOWN && wanted-- == 0)
            return p;
    return DN_NONE;
}

/* Chooses the hop at the spine where the detour begins its second half: global, down (2 hops), or
 * over another spine: down, up, global, down (4). */
static DnHop fpar_cross(const DnGroupRouter *r, guint32 vertex, DnRouteState *state,
                        const DnLoadView *load, guint64 draw)
{
    DnPortSet set = dn_group_toward_switch(r->table, vertex, state->target_switch);
    guint32 port = dn_group_pick(r, set, r->pick, state, load, draw);
    if (dn_group_port_kind(r, vertex, port) == DN_PORT_GLOBAL) {
        guint32 down = draw_down(r, vertex, dn_mix64(draw));
        if (down != DN_NONE && 2 * dn_load_bytes(load, port, r->in_flight) >
                                   4 * dn_load_bytes(load, down, r->in_flight) + r->threshold_bytes)
            port = down;
    }
    return dn_group_hop(r, vertex, port, state);
}

static DnHop fpar_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                       const DnLoadView *load, guint64 draw)
{
    const DnGroupRouter *r = (const DnGroupRouter *)router;
    const DnGroupTable *t = r->table;
    gboolean outside = t->group[vertex] != t->group[state->target_switch];
    if (outside && state->phase >> 4 == 0 && state->via == DN_NONE)
        return dn_group_ugal(r, vertex, state, load, draw, dn_group_local_bytes);
    if (state->hops > 0)
        dn_group_arrive(r, vertex, state);
    if (outside && state->phase == 1 << 4 && r->graph->vertices[vertex].level > 0)
        return fpar_cross(r, vertex, state, load, draw);
    return dn_group_onward(r, vertex, state, r->pick, load, draw);
}

const DnRoutingType dn_routing_fpar = {
    .name = "fpar",
    .help = "fully progressive adaptive: decided again at each switch that still has a choice",
    .limits = DN_GROUP_LIMITS
    ". The rule of each decision is UGAL's: assumed, the hardware's thresholds are not published. "
    "Notifications of congestion from other switches are not modelled. In the target's group the "
    "path down is not reconsidered",
    .source = "Shpiner et al., Dragonfly+, HiPINEB 2017",
    .params = fpar_params,
    .topologies = fpar_topologies,
    .modes = fpar_modes,
    .make = fpar_make,
    .free = dn_group_router_free,
    .next = fpar_next,
    .prefetch = dn_group_prefetch,
    .choices = dn_group_choices,
    .moves = dn_group_moves,
};
