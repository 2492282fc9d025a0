/* par.c - progressive adaptive routing: a packet that set out minimally may still take a detour at
 * any further switch of its source group.
 *
 * Jiang, Kim, Dally, "Indirect Adaptive Routing on Large Scale Interconnection Networks", ISCA
 * 2009: the first switch cannot see the queue of a gateway, the gateway can. Each decision is
 * UGAL's (group_ugal.h); a detour once taken is kept, and outside the source group nothing is
 * decided. Virtual channels: group_path.h with twice the inner hops in the source group; four on a
 * dragonfly of complete groups, one more than Valiant, as in the paper. */
#include "routing/group_ugal.h"

extern const DnRoutingType dn_routing_par;

static const char *const par_modes[] = {"par", NULL};

static DnRouter *par_make(const DnMachine *machine, const DnParams *params, GError **error)
{
    return dn_group_ugal_make(&dn_routing_par, machine, params, DN_DETOUR | DN_DETOUR_LATER, error);
}

static DnHop par_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                      const DnLoadView *load, guint64 draw)
{
    const DnGroupRouter *r = (const DnGroupRouter *)router;
    const DnGroupTable *t = r->table;
    gboolean undecided = state->via == DN_NONE && state->phase >> 4 == 0 &&
                         t->group[vertex] != t->group[state->target_switch] &&
                         dn_group_hops_left(r, state->phase);
    if (state->hops == 0 || undecided)
        return dn_group_ugal(r, vertex, state, load, draw, dn_group_local_bytes);
    dn_group_arrive(r, vertex, state);
    return dn_group_onward(r, vertex, state, r->pick, load, draw);
}

const DnRoutingType dn_routing_par = {
    .name = "par",
    .help =
        "progressive adaptive: may still take a detour at any further switch of the source group",
    .limits = DN_GROUP_LIMITS
    ". On leaves and spines a spine diverts only over its own global links" DN_GROUP_CREDITS_LIMITS,
    .source = "Jiang, Kim, Dally, ISCA 2009, PAR",
    .params = dn_group_ugal_params,
    .topologies = dn_group_topologies,
    .modes = par_modes,
    .make = par_make,
    .free = dn_group_router_free,
    .next = par_next,
    .prefetch = dn_group_prefetch,
    .choices = dn_group_choices,
    .moves = dn_group_moves,
    .ascends = dn_group_ascends,
};
