/* group_path.h - Tables and steps shared by routing on grouped fabrics: channels, detours, hops.
 *
 * A path visits groups one after another: the source's, on a detour another one, the target's.
 * Inside a group it takes inner hops, between groups global ones; group_table.h has the shortest of
 * both. A detour (`via`) is a random other group, or a random switch; a packet that has reached it
 * goes on minimally.
 *
 * Virtual channels. Order channels by (visit, inner hop, then the global link that ends the visit):
 * every hop goes up in it, so no cycle can close (Dally & Seitz; the usual scheme of Kim et al.,
 * ISCA 2008, fig. 7, with as many inner channels as a visit has hops). Inner links of visit v use
 * channels first[v] .. first[v] + inner_hops[v] - 1, global links that end it channel v.
 * Groups of two or more tiers (dragonfly+ leaves and spines; a tree) need fewer: with
 *   up in visit v < global out of visit v < down in visit v
 * and `down` of visit v sharing the channel of visit v - 1 (below `up` of visit v), one channel per
 * global link is enough (Shpiner et al., HiPINEB 2017: two for minimal and non-minimal together).
 *
 * With DN_DETOUR_STRETCH a channel serves a stretch of the path: to the gateway, or to a detour's
 * switch, or to the target; a detour over a switch of another group has four, a minimal path two.
 * Order channels by (stretch, dimension inside the group, then the global link that ends it): as
 * hops inside a group take the row first, every hop goes up in it.
 *
 * Which link between two groups. Were it the nearest, all detours of a switch would enter the
 * target's group over the same switch wherever the wiring joins switches of equal index, and meet
 * in one local link: more global links, less throughput. So detours over a random group leave the
 * detour's group over a link drawn from all between the two (dn_group_sample). One such draw is
 * enough, and each costs hops inside a group; the source's group is therefore left over the
 * switch's own links where that keeps the load of the global links equal: of K links between two
 * groups, a switch with k of them may send k * A / K of its packets over them, when A switches send
 * alike; what is beyond goes over switches that have more links than packets. Under a shift by one
 * group throughput then is the global links' alone, within 10 % (analysis/detours_test.c).
 * That needs no more channels: any gateway is within inner_hops. Minimal packets keep to the
 * nearest: spread, they would hide from UGAL the queue of the link that they meet in (measured:
 * half the throughput under a shift by one group).
 *
 * phase: high four bits the visit (or stretch), low four the inner hops in it. */
#pragma once
#include "routing/group_table.h"

/* Limitations of all algorithms over groups. */
#define DN_GROUP_LIMITS                                                                            \
    "with several global links between two groups the nearest gateway is taken, whatever follows " \
    "behind it, but by detours over a random group (spread_detours in group_path.h) and by "       \
    "aries' minimal packets; with level: switch the random switch spreads the detours"

#define DN_GROUP_MAX_SEGMENTS 8
/* DnRouteState.via: a group, or this bit and a switch. */
#define DN_VIA_SWITCH 0x40000000u
#define DN_VIA_BITS (DN_VIA_SWITCH | DN_VIA_GATE)

typedef enum {
    DN_PORT_TERMINAL,
    DN_PORT_INNER,
    DN_PORT_DOWN,
    DN_PORT_GLOBAL,
    DN_PORT_KINDS
} DnPortKind;
#define DN_NO_STEP 0xff00u /* of DnGroupRouter.steps: such a hop would be against the order above */

typedef enum {
    DN_DETOUR = 1,         /* may be taken, decided at the first switch */
    DN_DETOUR_ALWAYS = 2,  /* is taken whenever there is one; drawn by start() */
    DN_DETOUR_LATER = 4,   /* may be taken at any switch of the source group */
    DN_DETOUR_DROP = 8,    /* may be given up before it is reached */
    DN_DETOUR_SWITCH = 16, /* leads to a random switch of another group, else just to the group */
    DN_DETOUR_INSIDE = 32, /* over another switch also between switches of one group */
    DN_DETOUR_CROSS = 64,  /* tiers: in the detour's group down and up again even when not needed */
    /* Packets that set out minimally, for good, begin with the channels of the second half, so that
     * they and the packets on detours do not block each other before they leave the group. Not on
     * tiers, where going down shares the channel below. */
    DN_DETOUR_APART = 128,
    /* Minimal paths between groups lead over any link between the two, not the nearest alone. Not
     * on tiers. */
    DN_DETOUR_GATE = 256,
    DN_DETOUR_STRETCH = 512, /* a channel a stretch, see above; not on tiers */
    /* May be taken where a minimal packet leaves its group, over a global link of that switch. Not
     * on tiers. */
    DN_DETOUR_GATEWAY = 1024,
} DnDetour;

/* A global link out of a group. */
typedef struct {
    guint32 vertex, port;
    /* Sum over the pair's switches up to this one of what their links take of others' packets:
     * (k * A - K)+, see above, / a common divisor that keeps it below 2^32. */
    guint32 spare;
} DnGate;

typedef struct {
    DnRouter base;
    DnGroupTable *table;
    const DnGraph *graph;
    guint8 *port_kind; /* [links]: DnPortKind at port_first[vertex] + port */
    guint8 *is_end;    /* [R]: has terminals: paths begin and end here */
    guint detour;      /* DnDetour bits */
    DnPick pick;
    gboolean tiers;          /* groups of leaves and spines, or a tree */
    gboolean spread_detours; /* over any link between two groups, see above */
    /* With that or DN_DETOUR_GATE: links from group a to b, gates[gate_first[i]] on, i = a * groups
     * + b, in the order of their switches. */
    guint32 *gate_first;
    DnGate *gates;
    guint32 *senders; /* [groups], with gates: switches with terminals, at least 1 */
    guint segments;
    guint8 minimal_phase;                     /* of a packet that sets out minimally */
    guint8 inner_hops[DN_GROUP_MAX_SEGMENTS]; /* inner hops a visit may have */
    guint8 first[DN_GROUP_MAX_SEGMENTS];      /* channel of its first inner hop */
    guint16 steps[256][DN_PORT_KINDS]; /* by phase: the phase after a hop, its channel << 8 */
    /* Longest paths inside a group: switch with terminals to gateway or back; gateway to
     * gateway. */
    guint leave_hops, cross_hops;
    gint64 threshold_bytes; /* ugal */
    gboolean in_flight;     /* ugal: loads hold what is merely under way (dn_load_bytes) */
    gboolean weigh_double;  /* ugal: a detour counts twice, whatever its hops */
    gboolean draw_any;      /* ugal: detours are drawn from all groups, own and target's too */
    guint8 minimal_paths, detours; /* ugal: drawn for each packet; the least loaded count */
} DnGroupRouter;

/* The DnRoutingType.ascends (up_down.c) of what hops by dn_group_take() alone: groups without tiers
 * and with all their channels, where it asserts the order above, and trees without detours. */
gboolean dn_group_ascends(const DnRouter *router);

extern const char *const dn_group_topologies[]; /* with groups that detours can lead over */
#define DN_GROUP_PARAM_CHOICE                                                                      \
    {                                                                                              \
        "choice", DN_PARAM_CHOICE, "random", 0, 0, dn_pick_names,                                  \
            "port among equally short: random, hashed (one path a pair), adaptive (least loaded)"  \
    }
extern const char *const dn_detour_levels[];
#define DN_GROUP_PARAM_LEVEL                                                                       \
    {                                                                                              \
        "level", DN_PARAM_CHOICE, "group", 0, 0, dn_detour_levels,                                 \
            "a detour leads over a random group, or over a random switch (then also inside a "     \
            "group)"                                                                               \
    }
#define DN_GROUP_PARAM_THRESHOLD                                                                   \
    {                                                                                              \
        "threshold", DN_PARAM_BYTES, "0 B", 0, 1099511627776.0, NULL,                              \
            "bytes x hops the minimal path may be worse by and still be taken"                     \
    }
extern const char *const dn_in_flight_names[];
#define DN_GROUP_PARAM_IN_FLIGHT                                                                   \
    {                                                                                              \
        "in_flight", DN_PARAM_CHOICE, "ignored", 0, 0, dn_in_flight_names,                         \
            "bytes not yet credited that a busy link has without a queue, a credit round trip at " \
            "its rate: ignored, or counted as if they waited"                                      \
    }

/* Tables and channels; @router zeroed but for what make() knows (pick). @detour: DnDetour bits.
 * FALSE + error: nothing is left to free but @router itself. */
gboolean dn_group_router_init(DnGroupRouter *router, const DnMachine *machine, guint detour,
                              GError **error);
/* DN_DETOUR_SWITCH | DN_DETOUR_INSIDE when @params (or a fabric of one group) ask for switches.
 * FALSE + error where that makes no sense. */
gboolean dn_group_read_level(const DnMachine *machine, const DnParams *params, guint *detour,
                             GError **error);
void dn_group_router_free(DnRouter *router);
/* DnRoutingType.choices and .moves of every algorithm on groups. */
guint dn_group_starts(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                      DnRouteState *after, guint max); /* of those with DN_DETOUR_ALWAYS */
guint dn_group_choices(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                       DnHop *hops, DnRouteState *after, guint max);
void dn_group_moves(const DnRouter *router, guint32 goal, guint32 vertex, guint8 phase,
                    GArray *moves);

/* group_steps.c: notes in the tables' single ports of what kind they are; fills in `steps`, when
 * channels are assigned. */
void dn_group_note_kinds(DnGroupRouter *r);
void dn_group_fill_steps(DnGroupRouter *r);

static inline DnPortSet dn_group_toward_switch(const DnGroupTable *t, guint32 vertex, guint32 to)
{
    if (t->group[vertex] == t->group[to])
        return t->toward_local[(gsize)vertex * t->group_switches + t->local[to]];
    return t->toward_group[(gsize)vertex * t->groups + t->group[to]];
}

/* DnRoutingType.prefetch of every algorithm on groups. */
static inline void dn_group_prefetch(const DnRouter *router, guint32 vertex,
                                     const DnRouteState *state)
{
    const DnGroupTable *t = ((const DnGroupRouter *)router)->table;
    guint32 to = state->target_switch, group = t->group[to];
    const DnPortSet *set = &t->toward_group[(gsize)vertex * t->groups + group];
    if (group == t->group[vertex])
        set = &t->toward_local[(gsize)vertex * t->group_switches + t->local[to]];
    if (state->via < t->groups)
        set = &t->toward_group[(gsize)vertex * t->groups + state->via];
    __builtin_prefetch(set);
}

static inline DnPortSet dn_group_toward_via(const DnGroupTable *t, guint32 vertex, guint32 via)
{
    if (via & DN_VIA_SWITCH)
        return dn_group_toward_switch(t, vertex, via & ~DN_VIA_BITS);
    return t->toward_group[(gsize)vertex * t->groups + via];
}

/* A random detour for a packet at @vertex of its source group, uniform over those there are; or
 * DN_NONE. */
static inline guint32 dn_group_draw_via(const DnGroupRouter *r, guint32 vertex, guint32 target,
                                        guint64 draw)
{
    const DnGroupTable *t = r->table;
    guint32 own = t->group[vertex], other = t->group[target], n = t->groups;
    if (own == other) {
        if (!(r->detour & DN_DETOUR_INSIDE) || t->group_switches < 3)
            return DN_NONE;
        guint32 a = t->local[vertex], b = t->local[target];
        guint32 x = dn_draw_below(draw, t->group_switches - 2);
        x += x >= MIN(a, b);
        x += x >= MAX(a, b);
        return DN_VIA_SWITCH | (own * t->group_switches + x);
    }
    if (n < 3)
        return DN_NONE;
    guint32 x = dn_draw_below(draw, r->draw_any ? n : n - 2);
    if (r->draw_any && (x == own || x == other))
        return DN_NONE; /* as long as the minimal path */
    if (!r->draw_any) {
        x += x >= MIN(own, other);
        x += x >= MAX(own, other);
    }
    if (!(r->detour & DN_DETOUR_SWITCH))
        return x;
    return DN_VIA_SWITCH | (x * t->group_switches + dn_draw_below(draw << 32, t->group_switches));
}

/* The phase of a packet that has reached its detour's switch. */
static inline guint8 dn_group_past_via(const DnGroupRouter *r, guint8 phase)
{
    return r->detour & DN_DETOUR_STRETCH ? (guint8)(((phase >> 4) + 1) << 4) : phase;
}

/* Forgets a detour that has been reached. */
static inline void dn_group_arrive(const DnGroupRouter *r, guint32 vertex, DnRouteState *state)
{
    guint32 via = state->via;
    if (via == DN_NONE)
        return;
    if (via & DN_VIA_SWITCH ? (via & ~DN_VIA_BITS) == vertex : via == r->table->group[vertex]) {
        state->via = DN_NONE;
        if (!(via & DN_VIA_GATE))
            state->phase = dn_group_past_via(r, state->phase);
    }
}

/* The links a minimal packet at @vertex may leave its group by; *@n of them, 0: its target is in
 * the group, or all the router knows is the nearest. */
static inline const DnGate *dn_group_gates(const DnGroupRouter *r, guint32 vertex, guint32 target,
                                           guint32 *n)
{
    const DnGroupTable *t = r->table;
    *n = 0;
    if (!(r->detour & DN_DETOUR_GATE) || r->gates == NULL || t->group[vertex] == t->group[target])
        return NULL;
    const guint32 *first = &r->gate_first[t->group[vertex] * t->groups + t->group[target]];
    *n = first[1] - first[0];
    return r->gates + first[0];
}

/* All links from the group of @vertex to @group != it when a packet there may leave over any of
 * them; *@n of them, 0: over the nearest. */
static inline const DnGate *dn_group_links(const DnGroupRouter *r, guint32 vertex, guint32 group,
                                           guint32 *n)
{
    *n = 0;
    if (!r->spread_detours)
        return NULL;
    const guint32 *first = &r->gate_first[r->table->group[vertex] * r->table->groups + group];
    *n = first[1] - first[0];
    return r->gates + first[0];
}

static inline DnPortKind dn_group_port_kind(const DnGroupRouter *r, guint32 vertex, guint32 port)
{
    return (DnPortKind)r->port_kind[r->graph->port_first[vertex] + port];
}

/* TRUE when a minimal packet at @vertex may yet leave its group over a link to a third one. */
static inline gboolean dn_group_at_gateway(const DnGroupRouter *r, guint32 vertex,
                                           const DnRouteState *state)
{
    guint32 own = r->table->group[vertex], to = r->table->group[state->target_switch];
    if (!(r->detour & DN_DETOUR_GATEWAY) || state->hops == 0 || state->via != DN_NONE ||
        state->phase >> 4 != 0 || own == to)
        return FALSE;
    DnPortSet set = r->table->toward_group[(gsize)vertex * r->table->groups + to];
    guint n;
    guint16 single;
    const guint16 *ports = dn_port_set_list(r->table->sets, set, &n, &single);
    return dn_group_port_kind(r, vertex, ports[0]) == DN_PORT_GLOBAL;
}

/* The group that global port @port of @vertex leads to. */
static inline guint32 dn_group_beyond(const DnGroupRouter *r, guint32 vertex, guint32 port)
{
    const DnGraph *g = r->graph;
    return r->table->group[g->links[g->ports[g->port_first[vertex] + port]].dst];
}

/* Channel of a hop over a port of @kind, and the phase after it. */
static inline guint8 dn_group_step(const DnGroupRouter *r, DnPortKind kind, guint8 *phase)
{
    guint16 step = r->steps[*phase][kind];
    g_assert(step < DN_NO_STEP);
    *phase = (guint8)step;
    return (guint8)(step >> 8);
}

static inline guint8 dn_group_take(const DnGroupRouter *r, guint32 vertex, guint32 port,
                                   guint8 *phase)
{
    return dn_group_step(r, dn_group_port_kind(r, vertex, port), phase);
}

static inline DnHop dn_group_hop(const DnGroupRouter *r, guint32 vertex, guint32 port,
                                 DnRouteState *state)
{
    return (DnHop){port, dn_group_take(r, vertex, port, &state->phase)};
}

static inline guint32 dn_group_pick(const DnGroupRouter *r, DnPortSet set, DnPick pick,
                                    const DnRouteState *state, const DnLoadView *load, guint64 draw)
{
    return dn_port_set_pick(r->table->sets, set, pick, load, state->flow, draw);
}

/* Links to @group that @vertex has itself; *@own gets their ports. */
static inline guint dn_group_own_links(const DnGroupRouter *r, guint32 vertex, guint32 group,
                                       DnPortSet *own)
{
    *own = r->table->toward_group[(gsize)vertex * r->table->groups + group];
    guint n;
    guint16 single;
    const guint16 *ports = dn_port_set_list(r->table->sets, *own, &n, &single);
    return dn_group_port_kind(r, vertex, ports[0]) == DN_PORT_GLOBAL ? n : 0;
}

/* The gate out of @n that takes the packet numbered @x of those beyond their switches' own. */
static inline const DnGate *dn_group_spare_gate(const DnGate *gates, guint32 n, guint32 x)
{
    guint32 low = 0, high = n - 1;
    while (low < high) {
        guint32 mid = low + (high - low) / 2;
        if (gates[mid].spare > x)
            high = mid;
        else
            low = mid + 1;
    }
    return &gates[low];
}

/* Returns the port towards a link to @group != the group of @vertex, drawn from all between the two
 * groups: where a packet has landed, each alike; in its source's group the switch's own as often as
 * their share of the load allows. */
static inline guint32 dn_group_sample(const DnGroupRouter *r, guint32 vertex, guint32 group,
                                      const DnRouteState *state, const DnLoadView *load,
                                      guint64 draw)
{
    guint32 n_links;
    const DnGate *links = dn_group_links(r, vertex, group, &n_links);
    DnPortSet nearest;
    guint n_own = dn_group_own_links(r, vertex, group, &nearest);
    /* ~: not the bits that drew the detour */
    guint64 gate_draw = dn_mix64(r->pick == DN_PICK_HASHED ? state->flow : ~draw + group);
    guint32 i = dn_draw_below(gate_draw, n_links);
    gboolean first = state->phase >> 4 == 0;
    if (n_links < 2 || (first && (guint64)n_own * r->senders[r->table->group[vertex]] > i))
        return dn_group_pick(r, nearest, r->pick, state, load, draw);
    const DnGate *link = &links[i];
    if (first) {
        guint32 spare = dn_draw_below(dn_mix64(gate_draw), links[n_links - 1].spare);
        link = dn_group_spare_gate(links, n_links, spare);
    }
    if (link->vertex == vertex)
        return link->port;
    DnPortSet set = dn_group_toward_switch(r->table, vertex, link->vertex);
    return dn_group_pick(r, set, r->pick, state, load, draw);
}

/* TRUE when a packet on a detour at @vertex may yet draw the link by which it leaves for @group:
 * at its first switch, or where it has landed. */
static inline gboolean dn_group_may_sample(const DnGroupRouter *r, guint32 vertex, guint32 group,
                                           const DnRouteState *state)
{
    return group != r->table->group[vertex] && r->spread_detours && (state->phase & 15) == 0 &&
           (state->via != DN_NONE || state->hops > 0);
}

/* The hop of a packet on no detour where a single port leads to its target; FALSE: it has a choice,
 * and dn_group_onward() makes it. */
static inline gboolean dn_group_settled(const DnGroupRouter *r, guint32 vertex, DnRouteState *state,
                                        DnHop *hop)
{
    const DnGroupTable *t = r->table;
    guint32 to = state->target_switch;
    if (state->via != DN_NONE || dn_group_may_sample(r, vertex, t->group[to], state))
        return FALSE;
    DnPortSet set = dn_group_toward_switch(t, vertex, to);
    if (!(set & DN_PORT_SET_SINGLE))
        return FALSE;
    *hop = (DnHop){set & 0xffff, dn_group_step(r, dn_port_set_note(set), &state->phase)};
    return TRUE;
}

/* Returns the next hop of the path already chosen: to the detour, else to the target. */
static inline DnHop dn_group_onward(const DnGroupRouter *r, guint32 vertex, DnRouteState *state,
                                    DnPick pick, const DnLoadView *load, guint64 draw)
{
    DnHop hop;
    if (dn_group_settled(r, vertex, state, &hop))
        return hop;
    guint32 group = state->via != DN_NONE ? state->via : r->table->group[state->target_switch];
    if (dn_group_may_sample(r, vertex, group, state))
        return dn_group_hop(r, vertex, dn_group_sample(r, vertex, group, state, load, draw), state);
    DnPortSet set = state->via != DN_NONE
                        ? dn_group_toward_via(r->table, vertex, state->via)
                        : dn_group_toward_switch(r->table, vertex, state->target_switch);
    return dn_group_hop(r, vertex, dn_group_pick(r, set, pick, state, load, draw), state);
}

/* TRUE when a packet may choose another path here: the longest path out of the group must still fit
 * into its channels. */
static inline gboolean dn_group_hops_left(const DnGroupRouter *r, guint8 phase)
{
    return r->tiers || (guint)(phase & 15) + r->table->inner_hops <= r->inner_hops[phase >> 4];
}
