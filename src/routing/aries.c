/* aries.c - the routing modes of Cray's Aries network, by their own names, selectable per message.
 *
 * De Sensi, Di Girolamo, Hoefler, "Mitigating Network Noise on Dragonfly Networks through
 * Application-Aware Routing", SC 2019, section 2.2; Alverson, Froese, Kaplan, Roweth, "Cray XC
 * Series Network", WP-Aries01-1112, 2012. For each packet two minimal and two non-minimal ways are
 * sampled; the load of a way is that of its first port, bytes queued there plus bytes the far end
 * has not credited back; a bias is added to the non-minimal load and the lighter way is taken:
 *   ADAPTIVE_0  no bias
 *   ADAPTIVE_1  a bias that grows with each hop: none at the first switch, bias_1_slope more at
 *               each further one (Bataineh, Court, Roweth, "Increasingly minimal bias routing", US
 *               9,577,918: neutral at the first hop, more minimal at each next)
 *   ADAPTIVE_2  bias_low
 *   ADAPTIVE_3  bias_high
 *   MIN_HASH    minimal, spread by a hash of the packet's address, not adaptive
 *   NMIN_HASH   non-minimal, likewise
 *   IN_ORDER    minimal, one path for each pair of endpoints
 * The choice is made anew at each switch: a packet on a detour (not yet there) may give it up for
 * the nearest minimal way. A minimal way between groups leads over any of the links between the
 * two (section 4.1: between groups there are more minimal ways than inside one); a detour leads
 * over a random switch of another group ("up to 10 hops", SC 2019: 2 + 1 + 4 + 1 + 2 in groups of
 * 6 x 16), inside one group over a third switch.
 * Virtual channels: group_path.h with twice the inner hops in the first group and the detour's;
 * minimal packets apart as in ugal_l.c. */
#include "routing/group_path.h"

extern const DnRoutingType dn_routing_aries;

enum { ADAPTIVE_0, ADAPTIVE_1, ADAPTIVE_2, ADAPTIVE_3, MIN_HASH, NMIN_HASH, IN_ORDER, N_MODES };

typedef struct {
    DnGroupRouter group;
    gint64 bias_bytes[N_MODES];  /* of the adaptive modes */
    gint64 slope_bytes[N_MODES]; /* more with each hop so far */
} Aries;

#define GIB 1073741824.0
static const DnParamSpec aries_params[] = {
    {"bias_low", DN_PARAM_BYTES, "2 KiB", 0, GIB, NULL,
     "ADAPTIVE_2: bytes a non-minimal way counts as more loaded than it is"},
    {"bias_high", DN_PARAM_BYTES, "16 KiB", 0, GIB, NULL, "ADAPTIVE_3: likewise"},
    {"bias_1_slope", DN_PARAM_BYTES, "2 KiB", 0, GIB, NULL, "ADAPTIVE_1: likewise, for each hop"},
    {0},
};
static const char *const aries_topologies[] = {"dragonfly", NULL};
static const char *const aries_modes[] = {"ADAPTIVE_0", "ADAPTIVE_1", "ADAPTIVE_2", "ADAPTIVE_3",
                                          "MIN_HASH",   "NMIN_HASH",  "IN_ORDER",   NULL};

static DnRouter *aries_make(const DnMachine *machine, const DnParams *params, GError **error)
{
    gint64 low = dn_params_int(params, "bias_low"), high = dn_params_int(params, "bias_high");
    if (low > high) {
        dn_params_error(params, "bias_low", DN_ERROR_RANGE, error,
                        "bias_low of %" G_GINT64_FORMAT " B is above bias_high of %" G_GINT64_FORMAT
                        " B",
                        low, high);
        return NULL;
    }
    Aries *a = g_new0(Aries, 1);
    a->group.base.type = &dn_routing_aries;
    a->bias_bytes[ADAPTIVE_2] = low;
    a->bias_bytes[ADAPTIVE_3] = high;
    a->slope_bytes[ADAPTIVE_1] = dn_params_int(params, "bias_1_slope");
    guint detour = DN_DETOUR | DN_DETOUR_DROP | DN_DETOUR_SWITCH | DN_DETOUR_INSIDE |
                   DN_DETOUR_APART | DN_DETOUR_GATE;
    if (dn_group_router_init(&a->group, machine, detour, error))
        return &a->group.base;
    g_free(a);
    return NULL;
}

typedef struct {
    guint32 port, via;
    gint64 bytes;
} Route;

/* The lighter of two ports of @set, drawn without repetition. */
static Route lighter_of_two(const DnGroupRouter *r, DnPortSet set, guint32 via,
                            const DnLoadView *load, guint64 draw)
{
    guint n;
    guint16 single;
    const guint16 *ports = dn_port_set_list(r->table->sets, set, &n, &single);
    guint i = dn_draw_below(draw, n);
    Route route = {ports[i], via, load->port_bytes(load, ports[i])};
    if (n == 1)
        return route;
    guint j = i + 1 + dn_draw_below(draw << 32, n - 1);
    guint32 other = ports[j < n ? j : j - n];
    gint64 bytes = load->port_bytes(load, other);
    return bytes < route.bytes ? (Route){other, via, bytes} : route;
}

/* A way by one of the links out of the group. */
static Route route_by_gate(const DnGroupRouter *r, guint32 vertex, const DnGate *gate,
                           const DnRouteState *state, const DnLoadView *load, guint64 draw)
{
    if (gate->vertex == vertex)
        return (Route){gate->port, DN_NONE, load->port_bytes(load, gate->port)};
    DnPortSet set = dn_group_toward_switch(r->table, vertex, gate->vertex);
    guint32 port = dn_group_pick(r, set, DN_PICK_RANDOM, state, load, draw);
    return (Route){port, gate->vertex | DN_VIA_BITS, load->port_bytes(load, port)};
}

/* The lighter of two minimal ways; between groups over two of the links there are. */
static Route lighter_minimal(const DnGroupRouter *r, guint32 vertex, const DnRouteState *state,
                             const DnLoadView *load, guint64 draw)
{
    guint32 n = 0;
    const DnGate *gates = state->hops == 0 ? dn_group_gates(r, vertex, state->target_switch, &n)
                                           : NULL;
    if (n == 0)
        return lighter_of_two(r, dn_group_toward_switch(r->table, vertex, state->target_switch),
                              DN_NONE, load, draw);
    guint i = dn_draw_below(draw, n);
    Route route = route_by_gate(r, vertex, &gates[i], state, load, dn_mix64(draw));
    if (n == 1)
        return route;
    guint j = i + 1 + dn_draw_below(draw << 32, n - 1);
    Route other =
        route_by_gate(r, vertex, &gates[j < n ? j : j - n], state, load, dn_mix64(draw + 1));
    return other.bytes < route.bytes ? other : route;
}

/* The lighter of two random detours; via DN_NONE: there is none. */
static Route lighter_detour(const DnGroupRouter *r, guint32 vertex, const DnRouteState *state,
                            const DnLoadView *load, guint64 draw)
{
    Route best = {0, DN_NONE, 0};
    for (guint i = 0; i < 2; i++) {
        draw = dn_mix64(draw + i + 1);
        guint32 via = dn_group_draw_via(r, vertex, state->target_switch, draw);
        if (via == DN_NONE)
            return best;
        DnPortSet set = dn_group_toward_via(r->table, vertex, via);
        guint32 port = dn_group_pick(r, set, DN_PICK_RANDOM, state, load, dn_mix64(draw));
        gint64 bytes = load->port_bytes(load, port);
        if (i == 0 || bytes < best.bytes)
            best = (Route){port, via, bytes};
    }
    return best;
}

static DnHop set_out_minimally(const DnGroupRouter *r, guint32 vertex, DnRouteState *state,
                               const Route *route)
{
    state->via = route->via;
    if (state->hops == 0)
        state->phase = r->minimal_phase;
    return dn_group_hop(r, vertex, route->port, state);
}

static DnHop adaptive_hop(const Aries *a, guint32 vertex, DnRouteState *state,
                          const DnLoadView *load, guint64 draw)
{
    const DnGroupRouter *r = &a->group;
    Route detour = {0, state->via, 0};
    if (state->hops == 0)
        detour = lighter_detour(r, vertex, state, load, draw);
    else if (state->via != DN_NONE)
        detour = lighter_of_two(r, dn_group_toward_via(r->table, vertex, state->via), state->via,
                                load, dn_mix64(draw));
    state->via = detour.via;
    if (detour.via == DN_NONE ||
        (!(detour.via & DN_VIA_GATE) && dn_group_hops_left(r, state->phase))) {
        Route minimal = lighter_minimal(r, vertex, state, load, draw);
        gint64 bias = a->bias_bytes[state->mode] + a->slope_bytes[state->mode] * state->hops;
        if (detour.via == DN_NONE || minimal.bytes <= detour.bytes + bias)
            return set_out_minimally(r, vertex, state, &minimal);
    }
    return dn_group_hop(r, vertex, detour.port, state);
}

static DnHop aries_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                        const DnLoadView *load, guint64 draw)
{
    const Aries *a = (const Aries *)router;
    const DnGroupRouter *r = &a->group;
    if (state->hops > 0)
        dn_group_arrive(r, vertex, state);
    if (state->mode <= ADAPTIVE_3)
        return adaptive_hop(a, vertex, state, load, draw);
    if (state->mode == NMIN_HASH && state->hops == 0)
        state->via = dn_group_draw_via(r, vertex, state->target_switch, dn_mix64(draw));
    if (state->hops == 0 && state->via == DN_NONE) {
        state->phase = r->minimal_phase;
        guint32 n;
        const DnGate *gates = dn_group_gates(r, vertex, state->target_switch, &n);
        if (state->mode == MIN_HASH && n > 0) {
            Route route = route_by_gate(r, vertex, &gates[dn_draw_below(draw, n)], state, load,
                                        dn_mix64(draw));
            return set_out_minimally(r, vertex, state, &route);
        }
    }
    DnPick pick = state->mode == IN_ORDER ? DN_PICK_HASHED : DN_PICK_RANDOM;
    return dn_group_onward(r, vertex, state, pick, load, draw);
}

const DnRoutingType dn_routing_aries = {
    .name = "aries",
    .help = "modes of Cray's Aries by their own names, selectable for each message",
    .limits = DN_GROUP_LIMITS
    ". The hardware's bias values are not published: the defaults are assumed, small and large "
    "against a buffer of tens of KiB. An address hash is a random draw here. Only first ports are "
    "weighed, without the load that neighbours report of their own",
    .source = "De Sensi et al., SC 2019, section 2.2; Cray WP-Aries01-1112, 2012; US 9,577,918",
    .params = aries_params,
    .topologies = aries_topologies,
    .modes = aries_modes,
    .make = aries_make,
    .free = dn_group_router_free,
    .next = aries_next,
    .choices = dn_group_choices,
    .moves = dn_group_moves,
};
