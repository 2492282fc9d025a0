/* group_moves.c - The moves of group_path.h, goal by goal, for the deadlock check.
 *
 * The hops of a packet until it has reached its detour do not depend on its target, and those until
 * it is in its target's group depend on that group alone; so a machine of R switches in G groups
 * has O(R) goals of which each reaches O(links) channels, or of which few reach more, where targets
 * times detours would be R * G or R * R walks.
 * Goals: kind << KIND_SHIFT | group or switch. Open goals (FREE, DETOUR, ONWARD) turn into every
 * goal that some packet there may have; for a few that none has (a detour over the target's own
 * group), which adds channels in the same rising order and so can hide nothing. */
#include "routing/group_path.h"

#define KIND_SHIFT 24
enum {
    FREE = 1,      /* on to any target */
    DETOUR,        /* to any detour */
    ONWARD,        /* to any target in another group */
    VIA_GROUP,     /* to a detour: its group */
    VIA_SWITCH,    /* to a detour: its switch, in this group */
    TARGET_GROUP,  /* to the target's group */
    TARGET_SWITCH, /* to the target, in this group */
    GATE,          /* to a switch of this group that has a link to the target's */
};

typedef struct {
    const DnGroupRouter *r;
    guint32 vertex, group, goal;
    guint8 phase;
    GArray *moves;
} At;

static void add_transition(const At *at, guint kind, guint32 id)
{
    DnMove move = {(guint32)kind << KIND_SHIFT | id, DN_NONE, 0, at->phase};
    g_array_append_val(at->moves, move);
}

/* Adds the move out of the fabric, if the switch has a terminal. */
static void group_moves_leave(const At *at)
{
    if (!at->r->is_end[at->vertex])
        return;
    DnMove move = {DN_GOAL_LEAVE, DN_NONE, 0, at->phase};
    g_array_append_val(at->moves, move);
}

static void group_moves_hop(const At *at, guint32 port, guint32 goal)
{
    DnMove move = {goal, port, 0, at->phase};
    move.channel = dn_group_take(at->r, at->vertex, port, &move.phase);
    g_array_append_val(at->moves, move);
}

static void hop_over(const At *at, DnPortSet set)
{
    guint n;
    guint16 single;
    const guint16 *ports = dn_port_set_list(at->r->table->sets, set, &n, &single);
    for (guint i = 0; i < n; i++)
        group_moves_hop(at, ports[i], at->goal);
}

/* Adds the hops towards @group: over any link to it that a packet may draw, or over the nearest. */
static void hop_toward_group(const At *at, guint32 group)
{
    const DnGroupTable *t = at->r->table;
    guint32 n, before = DN_NONE;
    const DnGate *links = dn_group_links(at->r, at->vertex, group, &n);
    hop_over(at, t->toward_group[(gsize)at->vertex * t->groups + group]);
    for (guint32 i = 0; dn_group_hops_left(at->r, at->phase) && i < n; i++) {
        if (links[i].vertex != at->vertex && links[i].vertex != before)
            hop_over(at, dn_group_toward_switch(t, at->vertex, links[i].vertex));
        before = links[i].vertex;
    }
}

static void to_other_groups(const At *at, guint kind)
{
    for (guint32 g = 0; g < at->r->table->groups; g++)
        if (g != at->group)
            add_transition(at, kind, g);
}

static void to_own_switches(const At *at, guint kind)
{
    guint32 size = at->r->table->group_switches;
    const DnPortSet *toward = &at->r->table->toward_local[(gsize)at->vertex * size];
    for (guint32 s = at->group * size; s < (at->group + 1) * size; s++)
        if (s != at->vertex && (kind != TARGET_SWITCH || at->r->is_end[s]) &&
            toward[at->r->table->local[s]] != DN_PORT_SET_EMPTY)
            add_transition(at, kind, s);
}

static gboolean lands_after_detour(const At *at)
{
    return (at->r->detour & DN_DETOUR_CROSS) && at->r->tiers && at->phase == 1 << 4 &&
           at->r->graph->vertices[at->vertex].level > 0;
}

static void move_free(const At *at)
{
    group_moves_leave(at);
    to_own_switches(at, TARGET_SWITCH);
    if (at->phase >> 4 < (guint)at->r->segments - 1)
        to_other_groups(at, TARGET_GROUP);
    if (!lands_after_detour(at))
        return;
    for (guint32 p = 0; p < dn_graph_degree(at->r->graph, at->vertex); p++)
        if (dn_group_port_kind(at->r, at->vertex, p) == DN_PORT_DOWN)
            group_moves_hop(at, p, (guint32)ONWARD << KIND_SHIFT);
}

static void move_detour(const At *at)
{
    const DnGroupTable *t = at->r->table;
    gboolean on_path = (at->phase & 15) > 0;
    if ((at->r->detour & DN_DETOUR_INSIDE) && !on_path)
        to_own_switches(at, VIA_SWITCH);
    for (guint32 g = 0; t->groups > 2 && g < t->groups; g++) {
        if (g == at->group)
            continue;
        DnPortSet set = t->toward_group[(gsize)at->vertex * t->groups + g];
        guint n;
        guint16 single;
        guint32 port = dn_port_set_list(t->sets, set, &n, &single)[0];
        if (at->r->tiers && on_path &&
            dn_group_port_kind(at->r, at->vertex, port) != DN_PORT_GLOBAL)
            continue; /* as in dn_group_choices() */
        add_transition(at, VIA_GROUP, g);
    }
}

static void move_to_detour(const At *at, guint kind, guint32 id)
{
    const DnGroupTable *t = at->r->table;
    group_moves_leave(at); /* a packet that reaches its target switch early stops there */
    if ((at->r->detour & DN_DETOUR_DROP) && dn_group_hops_left(at->r, at->phase))
        add_transition(at, FREE, 0);
    At there = *at;
    there.phase = dn_group_past_via(at->r, at->phase);
    if (kind == VIA_GROUP && at->group != id) {
        hop_toward_group(at, id);
    } else if (kind == VIA_GROUP) {
        add_transition(&there, FREE, 0);
        if (at->r->detour & DN_DETOUR_SWITCH)
            to_own_switches(at, VIA_SWITCH);
    } else if (at->vertex == id) {
        add_transition(&there, FREE, 0);
    } else {
        hop_over(at, dn_group_toward_switch(t, at->vertex, id));
    }
}

/* Detours of packets to group @target over other global links of the switch where they leave. */
static void move_from_gateway(const At *at, guint32 target)
{
    for (guint32 p = 0; p < dn_graph_degree(at->r->graph, at->vertex); p++) {
        if (dn_group_port_kind(at->r, at->vertex, p) != DN_PORT_GLOBAL)
            continue;
        guint32 over = dn_group_beyond(at->r, at->vertex, p);
        if (over != target)
            group_moves_hop(at, p, (guint32)VIA_GROUP << KIND_SHIFT | over);
    }
}

static void move_to_target(const At *at, guint kind, guint32 id)
{
    const DnGroupTable *t = at->r->table;
    if (kind == TARGET_SWITCH) {
        if (at->vertex == id)
            group_moves_leave(at);
        else
            hop_over(at, dn_group_toward_switch(t, at->vertex, id));
        return;
    }
    if (at->group == id) {
        group_moves_leave(at);
        to_own_switches(at, TARGET_SWITCH);
        return;
    }
    hop_toward_group(at, id);
    gboolean first = at->phase >> 4 == 0 && (at->phase & 15) > 0;
    if ((at->r->detour & DN_DETOUR_LATER) && first && dn_group_hops_left(at->r, at->phase))
        add_transition(at, DETOUR, 0);
    DnPortSet nearest = t->toward_group[(gsize)at->vertex * t->groups + id];
    guint n;
    guint16 single;
    guint32 port = dn_port_set_list(t->sets, nearest, &n, &single)[0];
    if ((at->r->detour & DN_DETOUR_GATEWAY) && first &&
        dn_group_port_kind(at->r, at->vertex, port) == DN_PORT_GLOBAL)
        move_from_gateway(at, id);
}

/* Adds a goal for each switch by which minimal packets may leave their first group. */
static void to_gates(const At *at)
{
    const DnGroupTable *t = at->r->table;
    for (guint32 g = 0; at->r->gates != NULL && g < t->groups; g++) {
        guint32 pair = at->group * t->groups + g, before = DN_NONE;
        for (guint32 i = at->r->gate_first[pair]; i < at->r->gate_first[pair + 1]; i++) {
            guint32 gate = at->r->gates[i].vertex;
            if (gate != at->vertex && gate != before)
                add_transition(at, GATE, gate);
            before = gate;
        }
    }
}

static void move_to_gate(const At *at, guint32 gate)
{
    const DnGroupTable *t = at->r->table;
    if (at->vertex != gate) {
        hop_over(at, dn_group_toward_switch(t, at->vertex, gate));
        return;
    }
    for (guint32 g = 0; g < t->groups; g++) {
        guint32 pair = at->group * t->groups + g, i = at->r->gate_first[pair];
        while (i < at->r->gate_first[pair + 1] && at->r->gates[i].vertex != gate)
            i++;
        if (i < at->r->gate_first[pair + 1] && g != at->group)
            add_transition(at, TARGET_GROUP, g);
    }
}

void dn_group_moves(const DnRouter *router, guint32 goal, guint32 vertex, guint8 phase,
                    GArray *moves)
{
    const DnGroupRouter *r = (const DnGroupRouter *)router;
    At at = {r, vertex, r->table->group[vertex], goal, phase, moves};
    guint kind = goal >> KIND_SHIFT;
    guint32 id = goal & ((1u << KIND_SHIFT) - 1);
    g_assert(r->table->switches < 1u << KIND_SHIFT);
    switch (kind) {
    case 0:
        if (r->detour & DN_DETOUR)
            add_transition(&at, DETOUR, 0);
        at.phase = r->minimal_phase;
        add_transition(&at, FREE, 0);
        to_gates(&at);
        break;
    case FREE:
        move_free(&at);
        break;
    case DETOUR:
        move_detour(&at);
        break;
    case ONWARD:
        to_other_groups(&at, TARGET_GROUP);
        break;
    case VIA_GROUP:
    case VIA_SWITCH:
        move_to_detour(&at, kind, id);
        break;
    case TARGET_GROUP:
    case TARGET_SWITCH:
        move_to_target(&at, kind, id);
        break;
    case GATE:
        move_to_gate(&at, id);
        break;
    default:
        g_assert_not_reached();
    }
}
