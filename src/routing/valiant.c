/* valiant.c - Every packet takes a path over a random intermediate, whatever the load.
 *
 * Valiant & Brebner, "Universal Schemes for Parallel Communication", STOC 1981; on a dragonfly over
 * a random group (Kim, Dally, Scott, Abts, ISCA 2008, section 4.1, VAL) or, `level: switch`, over a
 * random switch of one, which also spreads the links inside that group. The groups of source and
 * target are not drawn: the path would be no detour. Inside one group level `group` is minimal, as
 * in Kim et al.; level `switch` goes over a random third switch.
 * Virtual channels: group_path.h; three on a dragonfly of complete groups (Kim et al., fig. 7),
 * five with level switch, two on dragonfly+. */
#include "routing/group_path.h"

extern const DnRoutingType dn_routing_valiant;

static const DnParamSpec valiant_params[] = {DN_GROUP_PARAM_CHOICE, DN_GROUP_PARAM_LEVEL, {0}};
static const char *const valiant_modes[] = {"valiant", NULL};

static DnRouter *valiant_make(const DnMachine *machine, const DnParams *params, GError **error)
{
    guint detour = DN_DETOUR | DN_DETOUR_ALWAYS;
    if (!dn_group_read_level(machine, params, &detour, error))
        return NULL;
    DnGroupRouter *r = g_new0(DnGroupRouter, 1);
    r->base.type = &dn_routing_valiant;
    r->pick = (DnPick)dn_params_int(params, "choice");
    if (dn_group_router_init(r, machine, detour, error))
        return &r->base;
    g_free(r);
    return NULL;
}

static void valiant_start(const DnRouter *router, guint32 vertex, DnRouteState *state,
                          const DnLoadView *load, guint64 draw)
{
    const DnGroupRouter *r = (const DnGroupRouter *)router;
    state->via = dn_group_draw_via(r, vertex, state->target_switch, dn_mix64(draw));
}

static DnHop valiant_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                          const DnLoadView *load, guint64 draw)
{
    const DnGroupRouter *r = (const DnGroupRouter *)router;
    if (state->hops > 0)
        dn_group_arrive(r, vertex, state);
    return dn_group_onward(r, vertex, state, r->pick, load, draw);
}

const DnRoutingType dn_routing_valiant = {
    .name = "valiant",
    .help = "every packet over a random intermediate, whatever the load",
    .limits = DN_GROUP_LIMITS ". A packet that passes its own target stops there",
    .source = "Valiant & Brebner, STOC 1981; Kim et al., ISCA 2008, section 4.1",
    .params = valiant_params,
    .topologies = dn_group_topologies,
    .modes = valiant_modes,
    .make = valiant_make,
    .free = dn_group_router_free,
    .start = valiant_start,
    .next = valiant_next,
    .onward_from = 2,
    .prefetch = dn_group_prefetch,
    .choices = dn_group_choices,
    .starts = dn_group_starts,
    .moves = dn_group_moves,
    .ascends = dn_group_ascends,
};
