/* minimal.c - shortest paths, one global link between groups; the port among equals at random, by
 * a hash of source and destination, or the least loaded.
 *
 * Kim, Dally, Scott, Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008,
 * section 4.1 (MIN); on dragonfly+ over every spine (Shpiner et al., HiPINEB 2017); on a fat tree
 * up to the nearest common ancestor and down.
 * Virtual channels: group_path.h without detours; two on a dragonfly of complete groups, four on
 * Aries' chassis and blades, one on leaves and spines. */
#include "routing/group_path.h"

extern const DnRoutingType dn_routing_minimal;

static const DnParamSpec minimal_params[] = {DN_GROUP_PARAM_CHOICE, {0}};
static const char *const minimal_topologies[] = {"dragonfly", "dragonfly_plus", "fat_tree",
                                                 "full_mesh", NULL};
static const char *const minimal_modes[] = {"minimal", NULL};

static DnRouter *minimal_make(const DnMachine *machine, const DnParams *params, GError **error)
{
    DnGroupRouter *r = g_new0(DnGroupRouter, 1);
    r->base.type = &dn_routing_minimal;
    r->pick = (DnPick)dn_params_int(params, "choice");
    if (dn_group_router_init(r, machine, 0, error))
        return &r->base;
    g_free(r);
    return NULL;
}

static DnHop minimal_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                          const DnLoadView *load, guint64 draw)
{
    const DnGroupRouter *r = (const DnGroupRouter *)router;
    return dn_group_onward(r, vertex, state, r->pick, load, draw);
}

const DnRoutingType dn_routing_minimal = {
    .name = "minimal",
    .help = "shortest paths, one global link between groups; among equals at random, by hash, or "
            "the least loaded",
    .limits = DN_GROUP_LIMITS,
    .source = "Kim et al., ISCA 2008, section 4.1",
    .params = minimal_params,
    .topologies = minimal_topologies,
    .modes = minimal_modes,
    .make = minimal_make,
    .free = dn_group_router_free,
    .next = minimal_next,
    .onward_from = 1,
    .prefetch = dn_group_prefetch,
    .choices = dn_group_choices,
    .moves = dn_group_moves,
    .ascends = dn_group_ascends,
};
