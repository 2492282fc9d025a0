/* ofar.c - Dragonfly: on-the-fly adaptive routing, off a loaded minimal path at any switch, with
 * channels of any order and an escape that always leads on.
 *
 * Garcia et al., "On-the-Fly Adaptive Routing in High-Radix Hierarchical Networks", ICPP 2012
 * (OFAR): once in its source group a packet may take a global link off the minimal path, and once
 * in each group a local one, when the minimal port is loaded (misroute.h). Its channels have no
 * order. A packet is queued on them only when they have credits for it (DnLoadView.has_credit), so
 * none ever waits for them; else it takes the escape, and leaves that again where it can. Misroutes
 * are limited and every other hop is minimal, so that no packet goes round for ever.
 * The escape is the minimal path on channels of its own in rising order (group_path.h), as in OLM
 * of the same authors (ICPP 2013), where every packet has such a path: the paper's escape is a
 * Hamiltonian ring through all switches with flow control by bubbles, which has little capacity.
 * Virtual channels: two of the escape on complete groups, then `adaptive_channels`.
 *
 * via: flags, with DN_VIA_GATE as long as nothing was misrouted; DN_NONE: none. phase: on the
 * escape that of group_path.h. */
#include "routing/misroute.h"

extern const DnRoutingType dn_routing_ofar;

enum {
    GLOBAL_DONE = 1, /* has been misrouted over a global link */
    LOCAL_DONE = 2,  /* over a local one of this group */
    AWAY = 4,        /* has left its source group */
    ON_ESCAPE = 8,
    MISROUTED = 16, /* at all */
};

typedef struct {
    DnGroupRouter group;
    double share;
    guint escape_channels, adaptive_channels;
} Ofar;

static const DnParamSpec ofar_params[] = {
    DN_GROUP_PARAM_CHOICE,
    DN_MISROUTE_PARAM_SHARE,
    {"adaptive_channels", DN_PARAM_INT, "2", 1, 8, NULL,
     "virtual channels beside those of the escape"},
    {0},
};
static const char *const ofar_topologies[] = {"dragonfly", NULL};
static const char *const ofar_modes[] = {"ofar", NULL};

static DnRouter *ofar_make(const DnMachine *machine, const DnParams *params, GError **error)
{
    Ofar *r = g_new0(Ofar, 1);
    r->group.base.type = &dn_routing_ofar;
    r->group.pick = (DnPick)dn_params_int(params, "choice");
    r->share = dn_params_real(params, "misroute_below");
    r->adaptive_channels = (guint)dn_params_int(params, "adaptive_channels");
    if (!dn_group_router_init(&r->group, machine, 0, error)) {
        g_free(r);
        return NULL;
    }
    if (r->group.table == NULL)
        return &r->group.base;
    r->escape_channels = r->group.base.channels;
    r->group.base.channels += r->adaptive_channels;
    for (guint c = r->escape_channels; c < r->group.base.channels; c++)
        r->group.base.adaptive_channels |= 1u << c;
    return &r->group.base;
}

static guint ofar_flags(const DnRouteState *state)
{
    return state->via == DN_NONE ? 0 : state->via & 31;
}

static void set_flags(DnRouteState *state, guint flags)
{
    state->via = flags | (flags & MISROUTED ? 0 : DN_VIA_GATE);
}

/* The flags after a hop over @port. */
static guint flags_after(const Ofar *r, guint32 vertex, guint32 port, guint flags)
{
    if (dn_group_port_kind(&r->group, vertex, port) == DN_PORT_GLOBAL)
        return (flags & ~(guint)LOCAL_DONE) | AWAY;
    return flags;
}

static DnHop escape_hop(const Ofar *r, guint32 vertex, guint32 port, DnRouteState *state)
{
    guint flags = ofar_flags(state);
    if (!(flags & ON_ESCAPE))
        state->phase = 0;
    set_flags(state, flags_after(r, vertex, port, flags) | ON_ESCAPE);
    return dn_group_hop(&r->group, vertex, port, state);
}

static DnHop free_hop(const Ofar *r, guint32 vertex, guint32 port, guint channel, guint done,
                      DnRouteState *state)
{
    guint flags = (ofar_flags(state) & ~(guint)ON_ESCAPE) | done;
    set_flags(state, flags_after(r, vertex, port, flags));
    state->phase = 0;
    return (DnHop){port, (guint8)channel};
}

/* The first adaptive channel of @port with credits, from a random one on; DN_NONE: none has. */
static guint32 free_channel(const Ofar *r, guint32 port, const DnLoadView *load, guint64 draw)
{
    guint start = dn_draw_below(draw, r->adaptive_channels);
    for (guint i = 0; i < r->adaptive_channels; i++) {
        guint channel = r->escape_channels + (start + i) % r->adaptive_channels;
        if (load->has_credit(load, port, (guint8)channel))
            return channel;
    }
    return DN_NONE;
}

/* Sets which ports a packet at @m's vertex may be misrouted to; returns the flag that it then gets,
 * 0: none. */
static guint ofar_may_misroute(const Ofar *r, guint flags, DnMisroute *m)
{
    const guint32 *group = r->group.table->group;
    gboolean outside = group[m->vertex] != group[m->target_switch];
    if (outside && !(flags & AWAY)) {
        m->permits = dn_misroute_is_global;
        return flags & GLOBAL_DONE ? 0 : GLOBAL_DONE;
    }
    m->permits = dn_misroute_is_local;
    gboolean inner = dn_group_port_kind(&r->group, m->vertex, m->minimal) == DN_PORT_INNER;
    return inner && !(flags & LOCAL_DONE) ? LOCAL_DONE : 0;
}

static DnHop ofar_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                       const DnLoadView *load, guint64 draw)
{
    const Ofar *r = (const Ofar *)router;
    const DnGroupRouter *g = &r->group;
    guint32 to = state->target_switch;
    DnPortSet set = dn_group_toward_switch(g->table, vertex, to);
    DnMisroute m = {.r = g, .vertex = vertex, .target_switch = to, .load = load};
    m.minimal = dn_group_pick(g, set, g->pick, state, load, draw);
    if (load == NULL || load->has_credit == NULL)
        return escape_hop(r, vertex, m.minimal, state);
    guint64 more = dn_mix64(draw);
    guint done = ofar_may_misroute(r, ofar_flags(state), &m);
    dn_misroute_weigh(&m, r->share);
    guint32 port = done != 0 ? dn_misroute_draw(&m, more) : DN_NONE;
    guint32 channel = port != DN_NONE ? free_channel(r, port, load, more << 32) : DN_NONE;
    if (channel != DN_NONE)
        return free_hop(r, vertex, port, channel, done | MISROUTED, state);
    channel = free_channel(r, m.minimal, load, more << 32);
    return channel != DN_NONE ? free_hop(r, vertex, m.minimal, channel, 0, state)
                              : escape_hop(r, vertex, m.minimal, state);
}

typedef struct {
    const Ofar *r;
    guint32 vertex;
    const DnRouteState *state;
    DnHop *hops;
    DnRouteState *after;
    guint n, max;
} Listing;

static void list_free(Listing *list, guint32 port, guint done)
{
    for (guint c = 0; c < list->r->adaptive_channels; c++, list->n++) {
        g_assert(list->n < list->max);
        list->after[list->n] = *list->state;
        list->hops[list->n] = free_hop(list->r, list->vertex, port, list->r->escape_channels + c,
                                       done, &list->after[list->n]);
    }
}

static guint ofar_choices(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                          DnHop *hops, DnRouteState *after, guint max)
{
    const Ofar *r = (const Ofar *)router;
    const DnGroupRouter *g = &r->group;
    Listing list = {r, vertex, state, hops, after, 0, max};
    guint n;
    guint16 single;
    DnPortSet set = dn_group_toward_switch(g->table, vertex, state->target_switch);
    const guint16 *minimal = dn_port_set_list(g->table->sets, set, &n, &single);
    for (guint i = 0; i < n; i++) {
        g_assert(list.n < max);
        after[list.n] = *state;
        hops[list.n] = escape_hop(r, vertex, minimal[i], &after[list.n]);
        list.n++;
        list_free(&list, minimal[i], 0);
        DnMisroute m = {
            .r = g, .vertex = vertex, .target_switch = state->target_switch, .minimal = minimal[i]};
        guint done = ofar_may_misroute(r, ofar_flags(state), &m);
        for (guint32 p = 0; done != 0 && p < dn_graph_degree(g->graph, vertex); p++)
            if (m.permits(&m, p))
                list_free(&list, p, done | MISROUTED);
    }
    return list.n;
}

const DnRoutingType dn_routing_ofar = {
    .name = "ofar",
    .help = "dragonfly, on the fly: off a loaded minimal path at any switch; minimal paths as the "
            "escape",
    .limits = DN_GROUP_LIMITS
    ". The escape is a minimal path on ordered channels, not the paper's Hamiltonian ring; the "
    "choice is made once a switch, on arrival; in the source group only global links of the switch "
    "where a packet is are looked at; with an engine that cannot tell credits it is minimal",
    .source = "Garcia et al., ICPP 2012, OFAR; escape of OLM, ICPP 2013",
    .params = ofar_params,
    .topologies = ofar_topologies,
    .modes = ofar_modes,
    .make = ofar_make,
    .free = dn_group_router_free,
    .next = ofar_next,
    .choices = ofar_choices,
    .moves = dn_group_moves, /* of the escape: hops onto adaptive channels are not waited for */
};
