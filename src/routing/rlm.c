/* rlm.c - Dragonfly: a packet may leave the minimal path on its way, once between groups and, by
 * restricted local misrouting, once inside each later group.
 *
 * Garcia, Vallejo, Beivide, Odriozola, Valero, "Efficient Routing Mechanisms for Dragonfly
 * Networks", ICPP 2013 (RLM). In the source group a loaded minimal port is left for a global link
 * of the same switch to any third group. In each later group, and on the way to a target in its
 * own, a packet may go to the switch where it leaves, or to its target, over one more switch of the
 * group. Both hops are on one virtual channel, so the pairs of hops are restricted: a local link
 * from switch i to j of a group is odd or even by i - j and goes up or down, and links of the four
 * kinds follow each other only in the order
 *     odd down, even up, odd up, even down
 * or within one kind. A cycle of waiting links would have to stay within one kind, which goes in
 * one direction only. Virtual channels: those of valiant.c, three on complete groups. Groups that
 * are not complete have no local detours.
 *
 * phase: as in group_path.h; via: the group a detour's global link leads to, or DN_VIA_SWITCH and
 * the switch that a local detour ends at. */
#include "routing/misroute.h"

extern const DnRoutingType dn_routing_rlm;

typedef struct {
    DnGroupRouter group;
    double share;
    gboolean complete; /* all switches of a group are joined */
} Rlm;

static const DnParamSpec rlm_params[] = {
    DN_GROUP_PARAM_CHOICE,
    DN_MISROUTE_PARAM_SHARE,
    {0},
};
static const char *const rlm_topologies[] = {"dragonfly", NULL};
static const char *const rlm_modes[] = {"rlm", NULL};

static DnRouter *rlm_make(const DnMachine *machine, const DnParams *params, GError **error)
{
    Rlm *r = g_new0(Rlm, 1);
    r->group.base.type = &dn_routing_rlm;
    r->group.pick = (DnPick)dn_params_int(params, "choice");
    r->share = dn_params_real(params, "misroute_below");
    if (!dn_group_router_init(&r->group, machine, DN_DETOUR, error)) {
        g_free(r);
        return NULL;
    }
    r->complete = r->group.table != NULL && r->group.table->inner_hops == 1;
    return &r->group.base;
}

/* The place of the local link between two switches of a group in the order of kinds. */
static guint local_kind(guint32 from, guint32 to)
{
    gboolean odd = (from ^ to) & 1, up = to > from;
    if (odd)
        return up ? 2 : 0;
    return up ? 1 : 3;
}

/* TRUE when a packet may go from @a over @b to @c, by their indices in the group. */
static gboolean pair_allowed(const Rlm *r, guint32 a, guint32 b, guint32 c)
{
    const guint32 *local = r->group.table->local;
    return local_kind(local[a], local[b]) <= local_kind(local[b], local[c]);
}

static guint8 rlm_take(const Rlm *r, guint32 vertex, guint32 port, guint8 *phase)
{
    if (!r->complete || dn_group_port_kind(&r->group, vertex, port) == DN_PORT_GLOBAL)
        return dn_group_take(&r->group, vertex, port, phase);
    guint8 channel = r->group.first[*phase >> 4];
    (*phase)++;
    return channel;
}

static DnHop rlm_hop(const Rlm *r, guint32 vertex, guint32 port, DnRouteState *state, guint32 via)
{
    state->via = via;
    return (DnHop){port, rlm_take(r, vertex, port, &state->phase)};
}

static gboolean permits_local(const DnMisroute *m, guint32 port)
{
    return dn_misroute_is_local(m, port) &&
           pair_allowed((const Rlm *)m->r, m->vertex, dn_misroute_peer(m, port),
                        dn_misroute_peer(m, m->minimal));
}

/* Sets the ports by which a packet at @vertex may leave its minimal path; FALSE: none. */
static gboolean rlm_may_misroute(const Rlm *r, guint32 vertex, const DnRouteState *state,
                                 DnMisroute *m)
{
    const guint32 *group = r->group.table->group;
    gboolean outside = group[vertex] != group[state->target_switch];
    m->permits = outside && state->phase >> 4 == 0 ? dn_misroute_is_global : permits_local;
    if (m->permits == dn_misroute_is_global)
        return TRUE;
    return r->complete && (state->phase & 15) == 0 &&
           dn_group_port_kind(&r->group, vertex, m->minimal) == DN_PORT_INNER;
}

/* The detour that begins with @port. */
static guint32 rlm_via(const DnMisroute *m, guint32 port)
{
    return m->permits == dn_misroute_is_global ? m->r->table->group[dn_misroute_peer(m, port)]
                                               : DN_VIA_SWITCH | dn_misroute_peer(m, m->minimal);
}

static DnHop rlm_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                      const DnLoadView *load, guint64 draw)
{
    const Rlm *r = (const Rlm *)router;
    const DnGroupRouter *g = &r->group;
    if (state->hops > 0)
        dn_group_arrive(g, vertex, state);
    guint32 to = state->via != DN_NONE ? state->via & ~DN_VIA_BITS : state->target_switch;
    DnPortSet set = dn_group_toward_switch(g->table, vertex, to);
    DnMisroute m = {.r = g, .vertex = vertex, .target_switch = to, .load = load};
    m.minimal = dn_group_pick(g, set, g->pick, state, load, draw);
    if (state->via != DN_NONE || !rlm_may_misroute(r, vertex, state, &m))
        return rlm_hop(r, vertex, m.minimal, state, state->via);
    dn_misroute_weigh(&m, r->share);
    guint32 port = dn_misroute_draw(&m, dn_mix64(draw));
    return port == DN_NONE ? rlm_hop(r, vertex, m.minimal, state, DN_NONE)
                           : rlm_hop(r, vertex, port, state, rlm_via(&m, port));
}

static guint rlm_choices(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                         DnHop *hops, DnRouteState *after, guint max)
{
    const Rlm *r = (const Rlm *)router;
    const DnGroupRouter *g = &r->group;
    DnRouteState now = *state;
    if (now.hops > 0)
        dn_group_arrive(g, vertex, &now);
    guint32 to = now.via != DN_NONE ? now.via & ~DN_VIA_BITS : now.target_switch;
    guint n = 0, n_minimal;
    guint16 single;
    DnPortSet set = dn_group_toward_switch(g->table, vertex, to);
    const guint16 *minimal = dn_port_set_list(g->table->sets, set, &n_minimal, &single);
    for (guint i = 0; i < n_minimal; i++) {
        g_assert(n < max);
        after[n] = now;
        hops[n] = rlm_hop(r, vertex, minimal[i], &after[n], now.via);
        n++;
        DnMisroute m = {.r = g, .vertex = vertex, .target_switch = to, .minimal = minimal[i]};
        gboolean may = now.via == DN_NONE && rlm_may_misroute(r, vertex, &now, &m);
        for (guint32 p = 0; may && p < dn_graph_degree(g->graph, vertex); p++) {
            if (!m.permits(&m, p))
                continue;
            g_assert(n < max);
            after[n] = now;
            hops[n] = rlm_hop(r, vertex, p, &after[n], rlm_via(&m, p));
            n++;
        }
    }
    return n;
}

/* Goals of the deadlock check: kind << 24 | group or switch, as in group_moves.c. After a detour's
 * global link a packet may head for any target. */
#define KIND_SHIFT 24
enum { ANY = 1, TARGET_GROUP, TARGET_SWITCH, END_AT_GATEWAY, END_AT_TARGET };

typedef struct {
    const Rlm *r;
    guint32 vertex;
    guint8 phase;
    GArray *moves;
} At;

static void add_goal(const At *at, guint kind, guint32 id)
{
    DnMove move = {(guint32)kind << KIND_SHIFT | id, DN_NONE, 0, at->phase};
    g_array_append_val(at->moves, move);
}

static void add_hop(const At *at, guint32 port, guint kind, guint32 id)
{
    DnMove move = {(guint32)kind << KIND_SHIFT | id, port, 0, at->phase};
    move.channel = rlm_take(at->r, at->vertex, port, &move.phase);
    g_array_append_val(at->moves, move);
}

static void add_leave(const At *at)
{
    DnMove move = {DN_GOAL_LEAVE, DN_NONE, 0, at->phase};
    if (at->r->group.is_end[at->vertex])
        g_array_append_val(at->moves, move);
}

/* Targets in this group, and with @others those in every other one that channels last for. */
static void add_targets(const At *at, gboolean others)
{
    const DnGroupRouter *g = &at->r->group;
    const DnGroupTable *t = g->table;
    guint32 own = t->group[at->vertex];
    add_leave(at);
    for (guint32 s = own * t->group_switches; s < (own + 1) * t->group_switches; s++)
        if (s != at->vertex && g->is_end[s])
            add_goal(at, TARGET_SWITCH, s);
    for (guint32 i = 0; others && i < t->groups; i++)
        if (i != own && at->phase >> 4 < (guint)g->segments - 1)
            add_goal(at, TARGET_GROUP, i);
}

/* Every hop towards @target over the ports of @set, and off them. */
static void add_paths(const At *at, DnPortSet set, guint kind, guint32 id, guint32 target)
{
    const DnGroupRouter *g = &at->r->group;
    DnRouteState state = {.target_switch = target, .via = DN_NONE, .phase = at->phase};
    guint n;
    guint16 single;
    const guint16 *ports = dn_port_set_list(g->table->sets, set, &n, &single);
    for (guint i = 0; i < n; i++) {
        add_hop(at, ports[i], kind, id);
        DnMisroute m = {.r = g, .vertex = at->vertex, .target_switch = target, .minimal = ports[i]};
        gboolean may = rlm_may_misroute(at->r, at->vertex, &state, &m);
        guint32 end = dn_misroute_peer(&m, ports[i]);
        guint detour = m.permits == dn_misroute_is_global ? ANY
                       : kind == TARGET_GROUP             ? END_AT_GATEWAY
                                                          : END_AT_TARGET;
        for (guint32 p = 0; may && p < dn_graph_degree(g->graph, at->vertex); p++)
            if (m.permits(&m, p))
                add_hop(at, p, detour, detour == ANY ? 0 : end);
    }
}

/* The second hop of a local detour, and what follows it. */
static void add_end(const At *at, guint kind, guint32 end)
{
    const DnGroupRouter *g = &at->r->group;
    guint n;
    guint16 single;
    if (at->vertex == end && kind == END_AT_TARGET) {
        add_leave(at);
        return;
    }
    if (at->vertex == end) {
        for (guint32 p = 0; p < dn_graph_degree(g->graph, end); p++)
            if (dn_group_port_kind(g, end, p) == DN_PORT_GLOBAL)
                add_hop(at, p, ANY, 0);
        return;
    }
    DnPortSet set = dn_group_toward_switch(g->table, at->vertex, end);
    const guint16 *ports = dn_port_set_list(g->table->sets, set, &n, &single);
    for (guint i = 0; i < n; i++)
        add_hop(at, ports[i], kind, end);
}

static void rlm_moves(const DnRouter *router, guint32 goal, guint32 vertex, guint8 phase,
                      GArray *moves)
{
    const Rlm *r = (const Rlm *)router;
    const DnGroupTable *t = r->group.table;
    At at = {r, vertex, phase, moves};
    guint kind = goal >> KIND_SHIFT;
    guint32 id = goal & ((1u << KIND_SHIFT) - 1);
    g_assert(t->switches < 1u << KIND_SHIFT);
    if (goal == DN_GOAL_ENTER)
        add_goal(&at, ANY, 0);
    else if (kind == ANY)
        add_targets(&at, TRUE);
    else if (kind == TARGET_GROUP && t->group[vertex] == id)
        add_targets(&at, FALSE);
    else if (kind == TARGET_GROUP)
        add_paths(&at, t->toward_group[(gsize)vertex * t->groups + id], kind, id,
                  id * t->group_switches);
    else if (kind == TARGET_SWITCH && vertex == id)
        add_leave(&at);
    else if (kind == TARGET_SWITCH)
        add_paths(&at, dn_group_toward_switch(t, vertex, id), kind, id, id);
    else
        add_end(&at, kind, id);
}

const DnRoutingType dn_routing_rlm = {
    .name = "rlm",
    .help = "dragonfly: off a loaded minimal path once between groups, and once inside each later "
            "group, restricted so that no cycle closes",
    .limits = DN_GROUP_LIMITS
    ". In the source group only global links of the switch where a packet is are looked at, no "
    "further local hop is taken to find one; groups that are not complete have no local detours; "
    "the order of the four kinds of links is one of those possible (assumed)",
    .source = "Garcia et al., ICPP 2013, RLM",
    .params = rlm_params,
    .topologies = rlm_topologies,
    .modes = rlm_modes,
    .make = rlm_make,
    .free = dn_group_router_free,
    .next = rlm_next,
    .choices = rlm_choices,
    .moves = rlm_moves,
};
