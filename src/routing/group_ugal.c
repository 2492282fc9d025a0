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

/* What the choice of one packet at its first switch, or a later one, goes by. */
typedef struct {
    const DnGroupRouter *r;
    const DnRouteState *state;
    const DnLoadView *load;
    DnRouteBytes bytes;
    guint64 draw;
    guint32 vertex;
    gboolean inside; /* the target is in the group of @vertex */
} Choice;

typedef struct {
    guint32 port, via; /* via DN_NONE: a minimal path */
    gint64 load;       /* bytes x hops */
} Candidate;

/* Hops between switches of the path that begins with @port. */
static inline guint path_hops(const Choice *c, guint32 port, gboolean detour)
{
    const DnGroupRouter *r = c->r;
    if (c->inside)
        return detour ? 2 * r->table->inner_hops : r->table->inner_hops;
    gboolean leaves = dn_group_port_kind(r, c->vertex, port) == DN_PORT_GLOBAL;
    guint hops = (leaves ? 0 : r->leave_hops) + 1 + r->leave_hops;
    if (!detour)
        return hops;
    return hops + 1 + r->cross_hops * (r->detour & DN_DETOUR_SWITCH ? 2 : 1);
}

static inline Candidate weigh_path(const Choice *c, guint32 port, guint32 via)
{
    gboolean detour = via != DN_NONE;
    gint64 q = c->bytes(c->r, c->vertex, port, via, c->state, c->load, c->draw);
    guint weight = c->r->weigh_double ? 1u + detour : path_hops(c, port, detour);
    return (Candidate){port, via, q * weight};
}

/* The less loaded of @r->minimal_paths shortest paths, which may begin with the same port. */
static inline Candidate lightest_minimal(const Choice *c)
{
    const DnGroupRouter *r = c->r;
    DnPortSet set = dn_group_toward_switch(r->table, c->vertex, c->state->target_switch);
    Candidate best =
        weigh_path(c, dn_group_pick(r, set, r->pick, c->state, c->load, c->draw), DN_NONE);
    if (r->minimal_paths < 2 || (set & DN_PORT_SET_SINGLE))
        return best;
    guint64 draw = dn_mix64(c->draw + 1);
    Candidate other =
        weigh_path(c, dn_group_pick(r, set, r->pick, c->state, c->load, draw), DN_NONE);
    return other.load < best.load ? other : best;
}

static inline guint32 detour_port(const Choice *c, guint32 via, guint64 draw)
{
    const DnGroupRouter *r = c->r;
    if (r->spread_detours)
        return dn_group_sample(r, c->vertex, via, c->state, c->load, draw);
    DnPortSet set = dn_group_toward_via(r->table, c->vertex, via);
    return dn_group_pick(r, set, r->pick, c->state, c->load, draw);
}

/* The least loaded of @r->detours random detours; via DN_NONE: there is none. @climbed: the packet
 * has been up in this group, and goes up no second time. */
static inline Candidate lightest_detour(const Choice *c, gboolean climbed)
{
    Candidate best = {0, DN_NONE, G_MAXINT64};
    for (guint i = 0; i < c->r->detours; i++) {
        guint64 draw = i == 0 ? c->draw : dn_mix64(c->draw + i + 1);
        guint32 via = dn_group_draw_via(c->r, c->vertex, c->state->target_switch, dn_mix64(draw));
        if (via == DN_NONE)
            continue;
        guint32 port = detour_port(c, via, draw);
        if (climbed && dn_group_port_kind(c->r, c->vertex, port) != DN_PORT_GLOBAL)
            continue;
        Candidate other = weigh_path(c, port, via);
        if (other.load < best.load)
            best = other;
    }
    return best;
}

DnHop dn_group_ugal(const DnGroupRouter *r, guint32 vertex, DnRouteState *state,
                    const DnLoadView *load, guint64 draw, DnRouteBytes bytes)
{
    const guint32 *group = r->table->group;
    Choice c = {r, state, load, bytes, draw, vertex, group[vertex] == group[state->target_switch]};
    guint8 phase = state->phase;
    state->via = DN_NONE;
    if (state->hops == 0)
        state->phase = r->minimal_phase;
    Candidate minimal = lightest_minimal(&c);
    Candidate detour = lightest_detour(&c, r->tiers && (phase & 15) > 0);
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
    r->in_flight = dn_params_int(params, "in_flight") == 1;
    r->weigh_double = dn_params_int(params, "path_weight") == 1;
    r->minimal_paths = (guint8)dn_params_int(params, "minimal_paths");
    r->detours = (guint8)dn_params_int(params, "non_minimal_paths");
    r->draw_any = dn_params_int(params, "intermediate_groups") == 1;
    if (read_credits(r, machine, params, error) && dn_group_router_init(r, machine, detour, error))
        return &r->base;
    g_free(r);
    return NULL;
}
