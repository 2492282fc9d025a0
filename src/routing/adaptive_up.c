/* adaptive_up.c - Fat tree: up over the least loaded parent, at each switch.
 *
 * Kim, Dally, Abts, "Adaptive Routing in High-Radix Clos Network", SC 2006: each packet goes up
 * over the port with the least bytes queued and not yet credited, until an ancestor of its
 * destination is reached; equal ports are drawn. Down there is one path. One virtual channel, as
 * minimal.c. */
#include "routing/group_path.h"

extern const DnRoutingType dn_routing_adaptive_up;

static const DnParamSpec adaptive_up_params[] = {{0}};
static const char *const adaptive_up_topologies[] = {"fat_tree", NULL};
static const char *const adaptive_up_modes[] = {"adaptive_up", NULL};

static DnRouter *adaptive_up_make(const DnMachine *machine, const DnParams *params, GError **error)
{
    DnGroupRouter *r = g_new0(DnGroupRouter, 1);
    r->base.type = &dn_routing_adaptive_up;
    r->pick = DN_PICK_ADAPTIVE;
    if (dn_group_router_init(r, machine, 0, error))
        return &r->base;
    g_free(r);
    return NULL;
}

static DnHop adaptive_up_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                              const DnLoadView *load, guint64 draw)
{
    const DnGroupRouter *r = (const DnGroupRouter *)router;
    return dn_group_onward(r, vertex, state, r->pick, load, draw);
}

const DnRoutingType dn_routing_adaptive_up = {
    .name = "adaptive_up",
    .help = "fat tree: up over the least loaded parent, at each switch",
    .limits =
        "parallel links on the way down are taken alike; what lies behind a parent is not seen",
    .source = "Kim, Dally, Abts, Adaptive Routing in High-Radix Clos Network, SC 2006",
    .params = adaptive_up_params,
    .topologies = adaptive_up_topologies,
    .modes = adaptive_up_modes,
    .make = adaptive_up_make,
    .free = dn_group_router_free,
    .next = adaptive_up_next,
    .onward_from = 1,
    .prefetch = dn_group_prefetch,
    .choices = dn_group_choices,
    .moves = dn_group_moves,
};
