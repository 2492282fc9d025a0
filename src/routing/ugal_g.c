/* ugal_g.c - UGAL with global knowledge: a baseline that no hardware can build.
 *
 * Kim, Dally, Scott, Abts, ISCA 2008, section 4.2, UGAL-G: the first switch compares the queues of
 * the global links that the two paths would take, wherever in its group they are, without delay,
 * and does not mistake bytes on a long wire for a queue. The rule is in group_ugal.h. Inside one
 * group the local port counts, as in ugal_l.c. Virtual channels: those of ugal_l.c. */
#include "routing/group_ugal.h"

extern const DnRoutingType dn_routing_ugal_g;

static const char *const ugal_g_modes[] = {"ugal_g", NULL};

static DnRouter *ugal_g_make(const DnMachine *machine, const DnParams *params, GError **error)
{
    return dn_group_ugal_make(&dn_routing_ugal_g, machine, params, DN_DETOUR | DN_DETOUR_APART,
                              error);
}

/* Returns the load of the global link by which the path leaves this group. */
static gint64 gateway_bytes(const DnGroupRouter *r, guint32 vertex, guint32 port, guint32 via,
                            const DnRouteState *state, const DnLoadView *load, guint64 draw)
{
    const DnGroupTable *t = r->table;
    const DnGraph *g = r->graph;
    guint32 end = via == DN_NONE ? state->target_switch : via & ~DN_VIA_SWITCH;
    guint32 group = via == DN_NONE || (via & DN_VIA_SWITCH) ? t->group[end] : end;
    if (load->remote_port_bytes == NULL || group == t->group[vertex])
        return load->port_bytes(load, port);
    DnPick pick = r->pick == DN_PICK_HASHED ? DN_PICK_HASHED : DN_PICK_RANDOM;
    while (dn_group_port_kind(r, vertex, port) != DN_PORT_GLOBAL) {
        vertex = g->links[g->ports[g->port_first[vertex] + port]].dst;
        port = dn_group_pick(r, t->toward_group[(gsize)vertex * t->groups + group], pick, state,
                             load, draw);
    }
    return load->remote_port_bytes(load, vertex, port);
}

static DnHop ugal_g_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                         const DnLoadView *load, guint64 draw)
{
    const DnGroupRouter *r = (const DnGroupRouter *)router;
    if (state->hops == 0)
        return dn_group_ugal(r, vertex, state, load, draw, gateway_bytes);
    dn_group_arrive(r, vertex, state);
    return dn_group_onward(r, vertex, state, r->pick, load, draw);
}

const DnRoutingType dn_routing_ugal_g = {
    .name = "ugal_g",
    .help = "UGAL with global knowledge: a baseline that no hardware can build",
    .limits = DN_GROUP_LIMITS
    ". Where several links lead on, the one looked at is drawn as the packet's own will be, but "
    "need not be the same. With an engine that shows no remote ports it is ugal_l",
    .omniscient = TRUE,
    .source = "Kim et al., ISCA 2008, section 4.2, UGAL-G (a baseline)",
    .params = dn_group_ugal_params,
    .topologies = dn_group_topologies,
    .modes = ugal_g_modes,
    .make = ugal_g_make,
    .free = dn_group_router_free,
    .next = ugal_g_next,
    .onward_from = 2,
    .prefetch = dn_group_prefetch,
    .choices = dn_group_choices,
    .moves = dn_group_moves,
    .ascends = dn_group_ascends,
};
