/* group_path.c - see group_path.h. */
#include "routing/group_path.h"

#include "base/shared_arrays.h"

const char *const dn_group_topologies[] = {"dragonfly", "dragonfly_plus", "full_mesh", NULL};
const char *const dn_in_flight_names[] = {"ignored", "counted", NULL};
const char *const dn_detour_levels[] = {"group", "switch", NULL};

static void fill_port_kinds(DnGroupRouter *r)
{
    const DnGraph *g = r->graph;
    r->port_kind = dn_array_of(guint8, g->size.links + 1);
    r->is_end = g_new0(guint8, g->size.switches + 1);
    for (guint32 t = 0; t < g->size.terminals; t++)
        r->is_end[g->terminal_switch[t]] = 1;
    for (guint32 s = 0; s < g->size.switches; s++)
        for (guint32 p = g->port_first[s]; p < g->port_first[s + 1]; p++) {
            guint32 peer = g->links[g->ports[p]].dst;
            if (peer >= g->size.switches)
                r->port_kind[p] = DN_PORT_TERMINAL;
            else if (r->table->group[peer] != r->table->group[s])
                r->port_kind[p] = DN_PORT_GLOBAL;
            else
                r->port_kind[p] = g->vertices[peer].level < g->vertices[s].level ? DN_PORT_DOWN
                                                                                 : DN_PORT_INNER;
        }
}

static DnPortKind set_kind(const DnGroupRouter *r, guint32 vertex, DnPortSet set)
{
    guint n;
    guint16 single;
    return dn_group_port_kind(r, vertex, dn_port_set_list(r->table->sets, set, &n, &single)[0]);
}

/* TRUE when some switch with global links has none to some other group. */
static gboolean gateways_differ(const DnGroupRouter *r)
{
    const DnGraph *g = r->graph;
    for (guint32 s = 0; s < g->size.switches; s++) {
        gboolean gateway = FALSE;
        for (guint32 p = g->port_first[s]; p < g->port_first[s + 1]; p++)
            gateway |= r->port_kind[p] == DN_PORT_GLOBAL;
        for (guint32 to = 0; gateway && to < r->table->groups; to++) {
            DnPortSet set = r->table->toward_group[(gsize)s * r->table->groups + to];
            if (to != r->table->group[s] && set_kind(r, s, set) != DN_PORT_GLOBAL)
                return TRUE;
        }
    }
    return FALSE;
}

static void fill_lengths(DnGroupRouter *r)
{
    guint inner = r->table->inner_hops;
    r->leave_hops = inner;
    r->cross_hops = inner;
    for (guint32 s = 0; s < r->graph->size.switches; s++)
        r->tiers |= r->graph->vertices[s].level > 0;
    if (r->tiers) { /* up to a spine; over a leaf from spine to spine */
        r->leave_hops = MIN(1, inner);
        r->cross_hops = gateways_differ(r) ? 2 : 0;
    }
}

/* A channel a stretch: to a gateway, to the detour's switch, from there to a gateway, to the
 * target; in one group to the detour's switch and to the target. */
static void assign_stretches(DnGroupRouter *r)
{
    r->segments = r->table->groups > 2 ? 4 : 2;
    r->base.channels = r->segments;
}

static gboolean assign_channels(DnGroupRouter *r, GError **error)
{
    const DnGroupTable *t = r->table;
    guint longest = 0;
    for (gsize i = 0; i < (gsize)t->groups * t->groups; i++)
        longest = MAX(longest, t->group_distance[i]);
    gboolean detour = (r->detour & DN_DETOUR) && t->groups > 2;
    r->segments = 1 + (detour ? 2 : 1) * longest;
    if (r->segments > DN_GROUP_MAX_SEGMENTS) {
        dn_config_error(r->base.machine->config, DN_ERROR_RANGE, error,
                        "a path may visit %u groups; routing counts up to %d", r->segments,
                        DN_GROUP_MAX_SEGMENTS);
        return FALSE;
    }
    if (r->detour & DN_DETOUR_STRETCH) {
        assign_stretches(r);
        return TRUE;
    }
    if (detour && !r->tiers && (r->detour & DN_DETOUR_APART))
        r->minimal_phase = (guint8)(longest << 4);
    guint at = 0;
    for (guint v = 0; v < r->segments; v++) {
        gboolean twice =
            v == 0 ? (r->detour & (DN_DETOUR_LATER | DN_DETOUR_DROP | DN_DETOUR_INSIDE)) != 0
                   : v + 1 < r->segments && (r->detour & DN_DETOUR_SWITCH) != 0;
        r->inner_hops[v] = (guint8)(t->inner_hops * (twice ? 2 : 1));
        r->first[v] = (guint8)at;
        at += r->inner_hops[v];
    }
    r->base.channels = MAX(1, MAX(at, r->segments - 1));
    if (r->tiers)
        r->base.channels = MAX(1, r->segments - 1);
    return TRUE;
}

static void fill_gates(DnGroupRouter *r)
{
    const DnGraph *g = r->graph;
    const DnGroupTable *t = r->table;
    g_autofree guint32 *at = g_new0(guint32, (gsize)t->groups * t->groups + 1);
    r->gate_first = dn_array_of(guint32, (gsize)t->groups * t->groups + 1);
    r->gates = dn_array_of(DnGate, g->size.links + 1);
    for (guint pass = 0; pass < 2; pass++) {
        for (guint32 s = 0; s < g->size.switches; s++)
            for (guint32 p = g->port_first[s]; p < g->port_first[s + 1]; p++) {
                if (r->port_kind[p] != DN_PORT_GLOBAL)
                    continue;
                guint32 pair = t->group[s] * t->groups + t->group[g->links[g->ports[p]].dst];
                if (pass == 0)
                    r->gate_first[pair + 1]++;
                else
                    r->gates[r->gate_first[pair] + at[pair]++] =
                        (DnGate){s, p - g->port_first[s], 0};
            }
        for (gsize i = 0; pass == 0 && i < (gsize)t->groups * t->groups; i++)
            r->gate_first[i + 1] += r->gate_first[i];
    }
}

/* Fills `spare` of the links of one pair of groups, in the order of their switches. */
static void fill_spare(DnGate *gates, guint32 n, guint32 senders, const guint8 *is_end)
{
    guint64 sum = 0, divisor = 1 + (guint64)n * senders / G_MAXINT32;
    for (guint32 i = 0, next = 0; i < n; i = next) {
        while (next < n && gates[next].vertex == gates[i].vertex)
            next++;
        guint64 share = (guint64)(next - i) * senders, own = is_end[gates[i].vertex] ? n : 0;
        sum += share > own ? (share - own) / divisor : 0;
        for (guint32 k = i; k < next; k++)
            gates[k].spare = (guint32)sum;
    }
}

static void fill_senders(DnGroupRouter *r)
{
    const DnGroupTable *t = r->table;
    r->senders = g_new0(guint32, t->groups + 1);
    for (guint32 s = 0; s < t->switches; s++)
        r->senders[t->group[s]] += r->is_end[s];
    for (guint32 a = 0; a < t->groups; a++)
        r->senders[a] = MAX(1, r->senders[a]);
    for (gsize i = 0; i < (gsize)t->groups * t->groups; i++)
        fill_spare(r->gates + r->gate_first[i], r->gate_first[i + 1] - r->gate_first[i],
                   r->senders[i / t->groups], r->is_end);
}

/* Switches of a row of a group that is a grid, where hops go in dimension order; or 0. */
static guint32 ordered_row(const DnMachine *machine, guint detour)
{
    gboolean ordered = (detour & DN_DETOUR_STRETCH) && machine->params != NULL &&
                       dn_params_has(machine->params, "blades");
    return ordered ? (guint32)dn_params_int(machine->params, "blades") : 0;
}

gboolean dn_group_router_init(DnGroupRouter *r, const DnMachine *machine, guint detour,
                              GError **error)
{
    r->base.machine = machine;
    r->base.channels = 1;
    r->graph = machine->graph;
    r->detour = detour;
    if (machine->graph->size.switches == 0)
        return TRUE;
    GError *problem = NULL;
    r->table = dn_group_table_new(machine->graph, ordered_row(machine, detour), &problem);
    if (r->table == NULL)
        return dn_router_fail(machine, problem, error);
    fill_port_kinds(r);
    dn_group_note_kinds(r);
    fill_lengths(r);
    if (assign_channels(r, error)) {
        dn_group_fill_steps(r);
        r->spread_detours = (detour & DN_DETOUR) && !r->tiers &&
                            !(detour & (DN_DETOUR_SWITCH | DN_DETOUR_STRETCH)) &&
                            r->table->groups > 1;
        if (r->spread_detours || ((detour & DN_DETOUR_GATE) && !r->tiers))
            fill_gates(r);
        if (r->spread_detours)
            fill_senders(r);
        return TRUE;
    }
    dn_array_free(r->port_kind);
    g_free(r->is_end);
    dn_group_table_free(r->table);
    return FALSE;
}

gboolean dn_group_read_level(const DnMachine *machine, const DnParams *params, guint *detour,
                             GError **error)
{
    const DnGraph *g = machine->graph;
    gboolean asked = dn_params_int(params, "level") == 1, tiers = FALSE;
    for (guint32 s = 0; s < g->size.switches; s++)
        tiers |= g->vertices[s].level > 0;
    if (asked && tiers) {
        dn_params_error(params, "level", DN_ERROR_RANGE, error,
                        "level 'switch' is for groups of equal switches; groups of leaves and "
                        "spines allow: group");
        return FALSE;
    }
    if (asked || (g->size.groups <= 1 && !tiers))
        *detour |= DN_DETOUR_SWITCH | DN_DETOUR_INSIDE;
    return TRUE;
}

void dn_group_router_free(DnRouter *router)
{
    DnGroupRouter *r = (DnGroupRouter *)router;
    dn_group_table_free(r->table);
    dn_array_free(r->port_kind);
    g_free(r->is_end);
    dn_array_free(r->gate_first);
    dn_array_free(r->gates);
    g_free(r->senders);
    g_free(r);
}

/* Every detour open to a packet at @vertex; appends. */
static void list_vias(const DnGroupRouter *r, guint32 vertex, guint32 target, GArray *vias)
{
    const DnGroupTable *t = r->table;
    guint32 own = t->group[vertex], other = t->group[target], size = t->group_switches;
    if (own == other && !(r->detour & DN_DETOUR_INSIDE))
        return;
    for (guint32 g = 0; g < t->groups; g++) {
        if (own == other ? g != own : g == own || g == other)
            continue;
        if (own != other && !(r->detour & DN_DETOUR_SWITCH)) {
            g_array_append_val(vias, g);
            continue;
        }
        for (guint32 s = g * size; s < (g + 1) * size; s++) {
            guint32 via = DN_VIA_SWITCH | s;
            if (s != vertex && s != target)
                g_array_append_val(vias, via);
        }
    }
}

typedef struct {
    const DnGroupRouter *r;
    guint32 vertex;
    DnHop *hops;
    DnRouteState *after;
    guint n, max;
} Listing;

static void list_set(Listing *list, DnPortSet set, const DnRouteState *state, guint32 via)
{
    guint n;
    guint16 single;
    const guint16 *ports = dn_port_set_list(list->r->table->sets, set, &n, &single);
    g_assert(list->n + n <= list->max);
    for (guint i = 0; i < n; i++, list->n++) {
        list->after[list->n] = *state;
        list->after[list->n].via = via;
        list->hops[list->n] = dn_group_hop(list->r, list->vertex, ports[i], &list->after[list->n]);
    }
}

/* Lists the ports of @set @times times. */
static void list_often(Listing *list, DnPortSet set, guint64 times, const DnRouteState *state,
                       guint32 via)
{
    for (guint64 i = 0; i < times; i++)
        list_set(list, set, state, via);
}

static DnPortSet toward_gate(const Listing *list, const DnGate *gate)
{
    return gate->vertex == list->vertex
               ? DN_PORT_SET_SINGLE | gate->port
               : dn_group_toward_switch(list->r->table, list->vertex, gate->vertex);
}

static guint64 spare_of(const DnGate *gates, guint32 i)
{
    guint32 before = i;
    while (before > 0 && gates[before - 1].vertex == gates[i].vertex)
        before--;
    return gates[i].spare - (before > 0 ? gates[before - 1].spare : 0);
}

static guint64 divisor_of(guint64 a, guint64 b)
{
    while (b != 0) {
        guint64 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The first hops from a packet's first group over a link to @group != it: the switch's own, and for
 * what these cannot take each switch with spare links, as often as dn_group_sample() draws them; by
 * shares of LIST_SHARES where that would be too often. */
#define LIST_SHARES 256
static void list_first_links(Listing *list, const DnGate *links, guint32 n,
                             const DnRouteState *state, guint32 group, guint32 via)
{
    const DnGroupRouter *r = list->r;
    DnPortSet own_set;
    guint32 n_own = dn_group_own_links(r, list->vertex, group, &own_set);
    guint64 senders = r->senders[r->table->group[list->vertex]], spare = links[n - 1].spare;
    guint64 kept = MIN(n_own * senders, n), own = kept * spare, common = own;
    if (kept == n || spare == 0) {
        list_set(list, n_own > 0 ? own_set : toward_gate(list, &links[n - 1]), state, via);
        return;
    }
    for (guint32 i = 0; i < n; i++)
        if (i == 0 || links[i].vertex != links[i - 1].vertex)
            common = divisor_of(common, (n - kept) * spare_of(links, i));
    common = MAX(1, common);
    guint64 all = n * spare / common, shrink = 1 + all / LIST_SHARES;
    list_often(list, own_set, (own / common + shrink / 2) / shrink, state, via);
    for (guint32 i = 0; i < n; i++) {
        guint64 times = (n - kept) * spare_of(links, i) / common;
        if ((i == 0 || links[i].vertex != links[i - 1].vertex) && times > 0)
            list_often(list, toward_gate(list, &links[i]), MAX(1, times / shrink), state, via);
    }
}

/* The first hops towards @group over any link to it, as often as dn_group_sample() draws them; or
 * towards the nearest. */
static void list_links(Listing *list, guint32 group, const DnRouteState *state, guint32 via)
{
    const DnGroupTable *t = list->r->table;
    guint32 n;
    const DnGate *links = dn_group_links(list->r, list->vertex, group, &n);
    if (n < 2)
        list_set(list, t->toward_group[(gsize)list->vertex * t->groups + group], state, via);
    else if (state->phase >> 4 == 0)
        list_first_links(list, links, n, state, group, via);
    else
        for (guint32 i = 0; i < n; i++)
            list_set(list, toward_gate(list, &links[i]), state, via);
}

/* Towards the detour @via of a packet that takes it here (@now) or did before. */
static void list_detour(Listing *list, const DnRouteState *state, guint32 via, gboolean now)
{
    const DnGroupRouter *r = list->r;
    gboolean any = now ? r->spread_detours && dn_group_hops_left(r, state->phase)
                       : dn_group_may_sample(r, list->vertex, via, state);
    if (any)
        list_links(list, via, state, via);
    else
        list_set(list, dn_group_toward_via(r->table, list->vertex, via), state, via);
}

/* Minimal paths, also those of the second half of a detour. */
static void list_minimal(Listing *list, const DnRouteState *state)
{
    const DnGroupRouter *r = list->r;
    guint32 to = state->target_switch, group = r->table->group[to];
    if (dn_group_may_sample(r, list->vertex, group, state))
        list_links(list, group, state, DN_NONE);
    else
        list_set(list, dn_group_toward_switch(r->table, list->vertex, to), state, DN_NONE);
}

/* Lists the hops to each switch by which a packet may leave its group. */
static void list_gates(Listing *list, const DnRouteState *state)
{
    guint32 n, before = DN_NONE;
    const DnGate *gates = dn_group_gates(list->r, list->vertex, state->target_switch, &n);
    for (guint32 i = 0; i < n; i++) {
        guint32 gate = gates[i].vertex;
        if (gate == list->vertex || gate == before)
            continue;
        before = gate;
        list_set(list, dn_group_toward_switch(list->r->table, list->vertex, gate), state,
                 gate | DN_VIA_BITS);
    }
}

static gboolean may_leave_path(const DnGroupRouter *r, guint32 vertex, const DnRouteState *state)
{
    if (!(r->detour & DN_DETOUR) || (r->detour & DN_DETOUR_ALWAYS))
        return FALSE;
    if (state->hops == 0)
        return TRUE;
    return (r->detour & DN_DETOUR_LATER) && state->phase >> 4 == 0 &&
           r->table->group[vertex] != r->table->group[state->target_switch] &&
           dn_group_hops_left(r, state->phase);
}

/* A spine that diverts a packet must have a link to the detour: going down again would close a
 * cycle of up and down links. */
static gboolean may_divert_over(const DnGroupRouter *r, guint32 vertex, guint8 phase, guint32 via)
{
    if (!r->tiers || (phase & 15) == 0)
        return TRUE;
    return set_kind(r, vertex, dn_group_toward_via(r->table, vertex, via)) == DN_PORT_GLOBAL;
}

/* A packet that landed in its detour's group may go over any leaf there. */
static gboolean may_cross(const DnGroupRouter *r, guint32 vertex, guint8 phase)
{
    return (r->detour & DN_DETOUR_CROSS) && r->tiers && phase == 1 << 4 &&
           r->graph->vertices[vertex].level > 0;
}

static void list_down(Listing *list, const DnRouteState *state)
{
    for (guint32 p = 0; p < dn_graph_degree(list->r->graph, list->vertex); p++)
        if (dn_group_port_kind(list->r, list->vertex, p) == DN_PORT_DOWN)
            list_set(list, DN_PORT_SET_SINGLE | p, state, DN_NONE);
}

/* Detours of a minimal packet over the other global links of the switch where it leaves. */
static void list_gateway_detours(Listing *list, const DnRouteState *state)
{
    const DnGroupRouter *r = list->r;
    guint32 size = r->table->group_switches;
    for (guint32 p = 0; p < dn_graph_degree(r->graph, list->vertex); p++) {
        if (dn_group_port_kind(r, list->vertex, p) != DN_PORT_GLOBAL)
            continue;
        guint32 over = dn_group_beyond(r, list->vertex, p);
        if (over == r->table->group[state->target_switch])
            continue;
        for (guint32 s = over * size; s < (over + 1) * size; s++)
            list_set(list, DN_PORT_SET_SINGLE | p, state, DN_VIA_SWITCH | s);
    }
}

guint dn_group_starts(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                      DnRouteState *after, guint max)
{
    const DnGroupRouter *r = (const DnGroupRouter *)router;
    g_autoptr(GArray) vias = g_array_new(FALSE, FALSE, sizeof(guint32));
    list_vias(r, vertex, state->target_switch, vias);
    if (vias->len == 0)
        g_array_append_vals(vias, &state->via, 1);
    g_assert(vias->len <= max);
    for (guint i = 0; i < vias->len; i++) {
        after[i] = *state;
        after[i].via = g_array_index(vias, guint32, i);
    }
    return vias->len;
}

guint dn_group_choices(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                       DnHop *hops, DnRouteState *after, guint max)
{
    const DnGroupRouter *r = (const DnGroupRouter *)router;
    Listing list = {r, vertex, hops, after, 0, max};
    DnRouteState now = *state;
    guint32 to = state->target_switch;
    dn_group_arrive(r, vertex, &now);
    if (now.via != DN_NONE)
        list_detour(&list, &now, now.via, FALSE);
    g_autoptr(GArray) vias = g_array_new(FALSE, FALSE, sizeof(guint32));
    if (now.via == DN_NONE && may_leave_path(r, vertex, &now))
        list_vias(r, vertex, to, vias);
    for (guint i = 0; i < vias->len; i++) {
        guint32 via = g_array_index(vias, guint32, i);
        if (may_divert_over(r, vertex, now.phase, via))
            list_detour(&list, &now, via, TRUE);
    }
    gboolean bound = now.via != DN_NONE &&
                     (!(r->detour & DN_DETOUR_DROP) || (now.via & DN_VIA_GATE) ||
                      !dn_group_hops_left(r, now.phase));
    if (now.hops == 0) {
        now.phase = r->minimal_phase;
        list_gates(&list, &now);
    }
    if (!bound)
        list_minimal(&list, &now);
    if (dn_group_at_gateway(r, vertex, &now))
        list_gateway_detours(&list, &now);
    if (may_cross(r, vertex, now.phase) && r->table->group[vertex] != r->table->group[to])
        list_down(&list, &now);
    return list.n;
}
