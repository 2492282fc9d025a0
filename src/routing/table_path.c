/* table_path.c - see table_path.h. */
#include "routing/table_path.h"

#define MOST_HOP_CHANNELS 8 /* of channels: auto */
#define KIND_SHIFT 24
#define LEG 2 /* bit of the phase: on the second half of a detour */

const char *const dn_table_topologies[] = {"edges", "hyperx", "slim_fly", NULL};
const char *const dn_table_channels[] = {"auto", "hop", "up_down", NULL};
const char *const dn_table_levels[] = {"switch", NULL};

static void find_ends(DnTableRouter *r)
{
    const DnGraph *g = r->graph;
    r->is_end = g_new0(guint8, g->size.switches + 1);
    r->ends = g_new(guint32, g->size.switches + 1);
    for (guint32 t = 0; t < g->size.terminals; t++)
        r->is_end[g->terminal_switch[t]] = 1;
    for (guint32 s = 0; s < g->size.switches; s++)
        if (r->is_end[s])
            r->ends[r->n_ends++] = s;
}

static gboolean fill_table(DnTableRouter *r, gboolean up_down, GError **error)
{
    GError *problem = NULL;
    r->table = dn_path_table_new(r->graph, r->is_end, up_down, &problem);
    if (r->table == NULL)
        return dn_router_fail(r->base.machine, problem, error);
    r->up_down = up_down;
    gboolean detours = r->detours && r->n_ends > 2;
    guint most = r->table->longest * (detours ? 2 : 1);
    r->base.channels = MAX(1, up_down ? (detours ? 2u : 1u) : most);
    return TRUE;
}

static gboolean choose_channels(DnTableRouter *r, const DnParams *params, GError **error)
{
    DnTableChannels channels = (DnTableChannels)dn_params_int(params, "channels");
    if (!fill_table(r, channels == DN_CHANNELS_UP_DOWN, error))
        return FALSE;
    gboolean fits = r->base.channels <=
                    (channels == DN_CHANNELS_HOP ? DN_MAX_CHANNELS : MOST_HOP_CHANNELS);
    if (r->up_down || fits)
        return TRUE;
    g_clear_pointer(&r->table, dn_path_table_free);
    if (channels == DN_CHANNELS_AUTO)
        return fill_table(r, TRUE, error);
    dn_params_error(params, "channels", DN_ERROR_RANGE, error,
                    "channels: hop would take %u virtual channels here; at most %d; channels: "
                    "up_down takes one or two",
                    r->base.channels, DN_MAX_CHANNELS);
    return FALSE;
}

gboolean dn_table_router_init(DnTableRouter *r, const DnMachine *machine, const DnParams *params,
                              GError **error)
{
    r->base.machine = machine;
    r->base.channels = 1;
    r->graph = machine->graph;
    r->pick = (DnPick)dn_params_int(params, "choice");
    if (machine->graph->size.switches == 0)
        return TRUE;
    if (r->detours && machine->graph->size.planes > 1) {
        dn_config_error(machine->config, DN_ERROR_RANGE, error,
                        "routing '%s' draws detours over all switches, which %u planes do not "
                        "join; allowed with failed links: minimal",
                        r->base.type->name, machine->graph->size.planes);
        return FALSE;
    }
    find_ends(r);
    if (choose_channels(r, params, error))
        return TRUE;
    g_free(r->is_end);
    g_free(r->ends);
    return FALSE;
}

void dn_table_router_free(DnRouter *router)
{
    DnTableRouter *r = (DnTableRouter *)router;
    dn_path_table_free(r->table);
    g_free(r->is_end);
    g_free(r->ends);
    g_free(r);
}

/* Forgets a detour that has been reached: the second half may go up again, on its own channels. */
static void table_arrive(guint32 vertex, DnRouteState *state)
{
    if (state->via != vertex)
        return;
    state->via = DN_NONE;
    state->phase = (guint8)((state->phase & ~1u) | LEG);
}

DnHop dn_table_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                    const DnLoadView *load, guint64 draw)
{
    const DnTableRouter *r = (const DnTableRouter *)router;
    table_arrive(vertex, state);
    guint32 to = state->via != DN_NONE ? state->via : state->target_switch;
    DnPortSet set = dn_table_toward(r, vertex, to, state->phase);
    guint32 port = dn_port_set_pick(r->table->sets, set, r->pick, load, state->flow, draw);
    return (DnHop){port, dn_table_take(r, vertex, port, &state->phase)};
}

guint dn_table_choices(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                       DnHop *hops, DnRouteState *after, guint max)
{
    const DnTableRouter *r = (const DnTableRouter *)router;
    DnRouteState now = *state;
    table_arrive(vertex, &now);
    guint32 to = now.via != DN_NONE ? now.via : now.target_switch;
    guint n;
    guint16 single;
    const guint16 *ports =
        dn_port_set_list(r->table->sets, dn_table_toward(r, vertex, to, now.phase), &n, &single);
    g_assert(n <= max);
    for (guint i = 0; i < n; i++) {
        after[i] = now;
        hops[i].port = ports[i];
        hops[i].channel = dn_table_take(r, vertex, ports[i], &after[i].phase);
    }
    return n;
}

guint dn_table_starts(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                      DnRouteState *after, guint max)
{
    const DnTableRouter *r = (const DnTableRouter *)router;
    guint n = 0;
    gboolean detours = r->detours && r->n_ends > 2;
    g_assert(r->n_ends < max);
    if (!detours || !r->always)
        after[n++] = *state;
    for (guint32 i = 0; detours && i < r->n_ends; i++) {
        if (r->ends[i] == vertex || r->ends[i] == state->target_switch)
            continue;
        after[n] = *state;
        after[n++].via = r->ends[i];
    }
    return n;
}

/* Goals of the deadlock check: kind << KIND_SHIFT | switch. */
enum {
    ANY_TARGET = 1,
    ANY_VIA,
    VIA,
    TARGET,
};

typedef struct {
    const DnTableRouter *r;
    guint32 vertex, goal;
    guint8 phase;
    GArray *moves;
} At;

static void add_transition(const At *at, guint kind, guint32 id, guint8 phase)
{
    DnMove move = {(guint32)kind << KIND_SHIFT | id, DN_NONE, 0, phase};
    g_array_append_val(at->moves, move);
}

static void table_leave(const At *at)
{
    DnMove move = {DN_GOAL_LEAVE, DN_NONE, 0, 0};
    if (at->r->is_end[at->vertex])
        g_array_append_val(at->moves, move);
}

static void hop_toward(const At *at, guint32 to)
{
    guint n;
    guint16 single;
    const guint16 *ports = dn_port_set_list(
        at->r->table->sets, dn_table_toward(at->r, at->vertex, to, at->phase), &n, &single);
    for (guint i = 0; i < n; i++) {
        DnMove move = {at->goal, ports[i], 0, at->phase};
        move.channel = dn_table_take(at->r, at->vertex, ports[i], &move.phase);
        g_array_append_val(at->moves, move);
    }
}

static void to_any(const At *at, guint kind)
{
    for (guint32 i = 0; i < at->r->n_ends; i++)
        if (at->r->ends[i] != at->vertex && dn_same_plane(at->r->graph, at->vertex, at->r->ends[i]))
            add_transition(at, kind, at->r->ends[i], at->phase);
}

/* Returns TRUE when there is a channel for each hop of the longest path, so that each hop is on a
 * higher one. */
gboolean dn_table_ascends(const DnRouter *router)
{
    const DnTableRouter *r = (const DnTableRouter *)router;
    return r->table != NULL && !r->up_down && router->channels >= router->channels_needed;
}

void dn_table_moves(const DnRouter *router, guint32 goal, guint32 vertex, guint8 phase,
                    GArray *moves)
{
    At at = {(const DnTableRouter *)router, vertex, goal, phase, moves};
    guint32 id = goal & ((1u << KIND_SHIFT) - 1);
    switch (goal >> KIND_SHIFT) {
    case 0:
        add_transition(&at, ANY_TARGET, 0, phase);
        if (at.r->detours)
            add_transition(&at, ANY_VIA, 0, phase);
        break;
    case ANY_TARGET:
        table_leave(&at);
        to_any(&at, TARGET);
        break;
    case ANY_VIA:
        to_any(&at, VIA);
        break;
    case VIA:
        table_leave(&at); /* a packet that passes its target stops there */
        if (vertex == id)
            add_transition(&at, ANY_TARGET, 0, (guint8)((phase & ~1u) | LEG));
        else
            hop_toward(&at, id);
        break;
    case TARGET:
        if (vertex == id)
            table_leave(&at);
        else
            hop_toward(&at, id);
        break;
    default:
        g_assert_not_reached();
    }
}
