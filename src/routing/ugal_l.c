/* ugal_l.c - UGAL with local knowledge: minimal or one random detour, by the queues of the first
 * switch alone.
 *
 * Kim, Dally, Scott, Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008,
 * section 4.2, UGAL-L; the rule is in group_ugal.h. The packet keeps to what its first switch
 * chose.
 * Virtual channels: those of valiant.c; minimal packets use the second and third visit's from the
 * start, so that those which wait for a loaded gateway do not block detours behind them. */
#include "routing/group_ugal.h"

extern const DnRoutingType dn_routing_ugal_l;

static const char *const ugal_l_modes[] = {"ugal_l", NULL};

static DnRouter *ugal_l_make(const DnMachine *machine, const DnParams *params, GError **error)
{
    return dn_group_ugal_make(&dn_routing_ugal_l, machine, params, DN_DETOUR | DN_DETOUR_APART,
                              error);
}

static DnHop ugal_l_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                         const DnLoadView *load, guint64 draw)
{
    const DnGroupRouter *r = (const DnGroupRouter *)router;
    if (state->hops == 0)
        return dn_group_ugal(r, vertex, state, load, draw, dn_group_local_bytes);
    dn_group_arrive(r, vertex, state);
    return dn_group_onward(r, vertex, state, r->pick, load, draw);
}

const DnRoutingType dn_routing_ugal_l = {
    .name = "ugal_l",
    .help = "UGAL with local knowledge: minimal or one random detour, by the queues of the first "
            "switch",
    .limits = DN_GROUP_LIMITS
    ". On leaves and spines where every spine leads to every group both paths begin with the same "
    "queue, so all packets go minimally: par and fpar decide at the spine. Queues are counted per "
    "port, not per virtual channel (UGAL-L_VC of the paper distinguishes paths that begin with the "
    "same port)" DN_GROUP_CREDITS_LIMITS,
    .source = "Kim et al., ISCA 2008, section 4.2, UGAL-L",
    .params = dn_group_ugal_params,
    .topologies = dn_group_topologies,
    .modes = ugal_l_modes,
    .make = ugal_l_make,
    .free = dn_group_router_free,
    .next = ugal_l_next,
    .onward_from = 2,
    .prefetch = dn_group_prefetch,
    .choices = dn_group_choices,
    .moves = dn_group_moves,
    .ascends = dn_group_ascends,
};
