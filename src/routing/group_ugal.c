/* group_ugal.c - see group_ugal.h. */
#include "routing/group_ugal.h"

static const char *const weighs[] = {"hops", "double", NULL};
static const char *const draws[] = {"others", "any", NULL};
static const char *const credits[] = {"immediate", "delayed", NULL};

const DnParamSpec dn_group_ugal_params[] = {
    DN_GROUP_PARAM_CHOICE,
    DN_GROUP_PARAM_LEVEL,
    DN_GROUP_PARAM_THRESHOLD,
    DN_GROUP_PARAM_IN_FLIGHT,
    {"path_weight", DN_PARAM_CHOICE, "hops", 0, 0, weighs,
     "queues count by the hops of their path, or a detour's double"},
    {"intermediate_groups", DN_PARAM_CHOICE, "others", 0, 0, draws,
     "drawn from the groups that are neither the source's nor the target's, or from any: these two "
     "then mean the minimal path"},
    {"minimal_paths", DN_PARAM_INT, "1", 1, 2, NULL,
     "minimal paths drawn for each packet, of which the less loaded is compared"},
    {"non_minimal_paths", DN_PARAM_INT, "1", 1, 16, NULL,
     "detours drawn for each packet, of which the least loaded is compared"},
    {"credits", DN_PARAM_CHOICE, "immediate", 0, 0, credits,
     "delayed: later by a packet's wait for its global link beyond the least of its switch's "
     "global "
     "links, so that the switches before it see that queue; of ugal_l and par"},
    {0},
};

gint64 dn_group_local_bytes(const DnGroupRouter *r, guint32 vertex, guint32 port, guint32 via,
                            const DnRouteState *state, const DnLoadView *load, guint64 draw)
{
    return dn_load_bytes(load, port, r->in_flight);
}

/* Inner hops before the global link when @port is the first step. */
static guint group_ugal_leaving(const DnGroupRouter *r, guint32 vertex, guint32 port)
{
    return dn_group_port_kind(r, vertex, port) == DN_PORT_GLOBAL ? 0 : r->leave_hops;
}

static guint minimal_hops(const DnGroupRouter *r, guint32 vertex, guint32 port, guint32 target)
{
    if (r->table->group[vertex] == r->table->group[target])
        return r->table->inner_hops;
    return group_ugal_leaving(r, vertex, port) + 1 + r->leave_hops;
}

static guint detour_hops(const DnGroupRouter *r, guint32 vertex, guint32 port, guint32 target)
{
    if (r->table->group[vertex] == r->table->group[target])
        return 2 * r->table->inner_hops;
    guint cross = r->cross_hops * (r->detour & DN_DETOUR_SWITCH ? 2 : 1);
    return group_ugal_leaving(r, vertex, port) + 1 + cross + 1 + r->leave_hops;
}

static gint64 weight_minimal(const DnGroupRouter *r, guint32 vertex, guint32 port, guint32 target)
{
    return r->weigh_double ? 1 : minimal_hops(r, vertex, port, target);
}

static guint32 detour_port(const DnGroupRouter *r, guint32 vertex, const DnRouteState *state,
                           guint32 via, const DnLoadView *load, guint64 draw)
{
    if (r->spread_detours)
        return dn_group_sample(r, vertex, via, state, load, draw);
    return dn_group_pick(r, dn_group_toward_via(r->table, vertex, via), r->pick, state, load, draw);
}

typedef struct {
    guint32 port, via; /* via DN_NONE: the minimal path */
    gint64 load;       /* bytes x hops */
} Candidate;

/* The less loaded of @r->minimal_paths shortest paths, which may begin with the same port. */
static Candidate lightest_minimal(const DnGroupRouter *r, guint32 vertex, const DnRouteState *state,
                                  const DnLoadView *load, guint64 draw, DnRouteBytes bytes)
{
    guint32 to = state->target_switch;
    DnPortSet straight = dn_group_toward_switch(r->table, vertex, to);
    guint32 port = dn_group_pick(r, straight, r->pick, state, load, draw);
    gint64 q = bytes(r, vertex, port, DN_NONE, state, load, draw);
    Candidate best = {port, DN_NONE, q * weight_minimal(r, vertex, port, to)};
    if (r->minimal_paths < 2 || (straight & DN_PORT_SET_SINGLE))
        return best;
    port = dn_group_pick(r, straight, r->pick, state, load, dn_mix64(draw + 1));
    q = bytes(r, vertex, port, DN_NONE, state, load, draw) * weight_minimal(r, vertex, port, to);
    return q < best.load ? (Candidate){port, DN_NONE, q} : best;
}

/* The least loaded of @r->detours random detours; via DN_NONE: there is none. */
static Candidate lightest_detour(const DnGroupRouter *r, guint32 vertex, const DnRouteState *state,
                                 guint8 phase, const DnLoadView *load, guint64 draw,
                                 DnRouteBytes bytes)
{
    guint32 to = state->target_switch;
    gboolean climbed = r->tiers && (phase & 15) > 0; /* no second climb in this group */
    Candidate best = {0, DN_NONE, G_MAXINT64};
    guint64 port_draw = draw;
    for (guint i = 0; i < r->detours; i++, port_draw = dn_mix64(draw + i + 1)) {
        guint32 via = dn_group_draw_via(r, vertex, to, dn_mix64(port_draw));
        if (via == DN_NONE)
            continue;
        guint32 port = detour_port(r, vertex, state, via, load, port_draw);
        if (climbed && dn_group_port_kind(r, vertex, port) != DN_PORT_GLOBAL)
            continue;
        gint64 q = bytes(r, vertex, port, via, state, load, draw);
        q *= r->weigh_double ? 2 : detour_hops(r, vertex, port, to);
        if (q < best.load)
            best = (Candidate){port, via, q};
    }
    return best;
}

DnHop dn_group_ugal(const DnGroupRouter *r, guint32 vertex, DnRouteState *state,
                    const DnLoadView *load, guint64 draw, DnRouteBytes bytes)
{
    guint8 phase = state->phase;
    state->via = DN_NONE;
    if (state->hops == 0)
        state->phase = r->minimal_phase;
    Candidate minimal = lightest_minimal(r, vertex, state, load, draw, bytes);
    Candidate detour = lightest_detour(r, vertex, state, phase, load, draw, bytes);
    if (detour.via == DN_NONE || minimal.load <= detour.load + r->threshold_bytes)
        return dn_group_hop(r, vertex, minimal.port, state);
    state->via = detour.via;
    state->phase = phase;
    return dn_group_hop(r, vertex, detour.port, state);
}

/* FALSE + error: delayed credits are asked for where nothing could see them. */
static gboolean read_credits(DnGroupRouter *r, const DnMachine *machine, const DnParams *params,
                             GError **error)
{
    r->base.delays_credits = dn_params_int(params, "credits") == 1;
    if (!r->base.delays_credits || (machine->graph->size.groups > 1 && !r->base.type->omniscient))
        return TRUE;
    dn_params_error(params, "credits", DN_ERROR_COMBINATION, error,
                    "credits are delayed for ugal_l and par on a fabric of several groups; allowed "
                    "here: immediate");
    return FALSE;
}

DnRouter *dn_group_ugal_make(const DnRoutingType *type, const DnMachine *machine,
                             const DnParams *params, guint detour, GError **error)
{
    if (!dn_group_read_level(machine, params, &detour, error))
        return NULL;
    DnGroupRouter *r = g_new0(DnGroupRouter, 1);
    r->base.type = type;
    r->pick = (DnPick)dn_params_int(params, "choice");
    r->threshold_bytes = dn_params_int(params, "threshold");
    r->in_flight = dn_in_flight_read(params, TRUE);
    r->weigh_double = dn_params_int(params, "path_weight") == 1;
    r->minimal_paths = (guint8)dn_params_int(params, "minimal_paths");
    r->detours = (guint8)dn_params_int(params, "non_minimal_paths");
    r->draw_any = dn_params_int(params, "intermediate_groups") == 1;
    if (read_credits(r, machine, params, error) && dn_group_router_init(r, machine, detour, error))
        return &r->base;
    g_free(r);
    return NULL;
}
