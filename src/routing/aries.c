/* aries.c - The routing modes of Cray's Aries network, by their own names, selectable per message.
 *
 * De Sensi, Di Girolamo, Hoefler, "Mitigating Network Noise on Dragonfly Networks through
 * Application-Aware Routing", SC 2019, section 2.2; Alverson, Froese, Kaplan, Roweth, "Cray XC
 * Series Network", WP-Aries01-1112, 2012. Where a packet enters the fabric, two minimal and two
 * non-minimal paths are sampled. The load of a path is that of its first port: bytes queued there
 * plus bytes the far end has not credited back, as a register shows them that is set anew every
 * `load_refresh`, in whole units of `load_unit`, at most `load_limit` of them. So bytes in flight
 * on an idle link are no load, bytes that have just left still are (phantom congestion, SC 2019,
 * section 4.1), and above the limit all loads are equal. The packet goes minimally when
 *     minimal <= non-minimal << shift + bias
 *   ADAPTIVE_0  no shift, no bias; equal loads go minimally
 *   ADAPTIVE_1  bias_1, and once more for each hop
 *   ADAPTIVE_2  shift_low, bias_low
 *   ADAPTIVE_3  shift_high, bias_high
 *   MIN_HASH    minimal, spread by a hash of the packet's address, not adaptive
 *   NMIN_HASH   non-minimal, likewise
 *   IN_ORDER    minimal, one path for each pair of endpoints
 * A packet that has set out minimally chooses again where it leaves its group (Bataineh, Court,
 * Roweth, "Increasingly minimal bias routing", US 9,577,918: biases by hop), between that link and
 * two others of the same switch: there the load holds what is on the wire of a long link, which on
 * a local one hardly counts. Otherwise a packet takes the lighter of two ports where there are
 * several. A minimal path between groups leads over any of the links between the two (section 4.1:
 * between groups there are more minimal paths than inside one); a non-minimal one over a random
 * switch of another group ("up to 10 hops", SC 2019: 2 + 1 + 4 + 1 + 2 in groups of 6 x 16), inside
 * one group over a third switch.
 * Virtual channels: four, one for each stretch of the path (DN_DETOUR_STRETCH of group_path.h),
 * which minimal and non-minimal packets share. */
#include "routing/group_path.h"

extern const DnRoutingType dn_routing_aries;

enum { ADAPTIVE_0, ADAPTIVE_1, ADAPTIVE_2, ADAPTIVE_3, MIN_HASH, NMIN_HASH, IN_ORDER, N_MODES };
enum { AT_SOURCE, AT_GATEWAY }; /* the decision */

typedef struct {
    DnGroupRouter group;
    gint64 unit_bytes, limit; /* of the load register */
    gint64 bias[N_MODES];     /* of the adaptive modes, units of load */
    guint shift[N_MODES];
    guint minimal_paths, detours; /* sampled for each packet at its first switch */
    guint32 *global_first; /* [switches + 1] into global_ports; NULL: decided at the source alone */
    guint16 *global_ports; /* ports to other groups, switch by switch */
} Aries;

#define GIB 1073741824.0
static const char *const aries_decisions[] = {"source", "gateway", NULL};
static const DnParamSpec aries_params[] = {
    {"decision", DN_PARAM_CHOICE, "gateway", 0, 0, aries_decisions,
     "a detour is chosen at the first switch alone, or by minimal packets again where they leave "
     "their group"},
    {"load_unit", DN_PARAM_BYTES, "256 B", 1, GIB, NULL, "load is counted in whole units"},
    {"load_limit", DN_PARAM_INT, "15", 1, GIB, NULL,
     "units at which the count of a load saturates"},
    {"load_refresh", DN_PARAM_TIME, "10 ns", 0, 1e12, NULL,
     "time between two updates of a port's load register; 0: at once"},
    {"shift_low", DN_PARAM_INT, "0", 0, 16, NULL,
     "ADAPTIVE_2: non-minimal load counts 2^shift times"},
    {"shift_high", DN_PARAM_INT, "2", 0, 16, NULL,
     "ADAPTIVE_3: non-minimal load counts 2^shift times"},
    {"bias_1", DN_PARAM_BYTES, "256 B", 0, GIB, NULL,
     "ADAPTIVE_1: bytes a non-minimal path counts as more loaded than it is, once more for each "
     "hop"},
    {"bias_low", DN_PARAM_BYTES, "512 B", 0, GIB, NULL, "ADAPTIVE_2: as bias_1"},
    {"bias_high", DN_PARAM_BYTES, "2 KiB", 0, GIB, NULL, "ADAPTIVE_3: as bias_1"},
    {"minimal_paths", DN_PARAM_INT, "2", 1, 2, NULL, "minimal paths sampled for each packet"},
    {"detours", DN_PARAM_INT, "2", 1, 16, NULL, "non-minimal paths sampled for each packet"},
    {0},
};
static const char *const aries_topologies[] = {"dragonfly", NULL};
static const char *const aries_modes[] = {"ADAPTIVE_0", "ADAPTIVE_1", "ADAPTIVE_2", "ADAPTIVE_3",
                                          "MIN_HASH",   "NMIN_HASH",  "IN_ORDER",   NULL};

/* Lists the global ports of every switch. */
static void list_global_ports(Aries *a)
{
    const DnGroupRouter *r = &a->group;
    const DnGraph *g = r->graph;
    a->global_first = g_new0(guint32, g->size.switches + 1);
    a->global_ports = g_new0(guint16, g->size.links + 1);
    guint32 n = 0;
    for (guint32 s = 0; s < g->size.switches; s++) {
        for (guint32 p = 0; p < dn_graph_degree(g, s); p++)
            if (dn_group_port_kind(r, s, p) == DN_PORT_GLOBAL)
                a->global_ports[n++] = (guint16)p;
        a->global_first[s + 1] = n;
    }
}

static void aries_free(DnRouter *router)
{
    Aries *a = (Aries *)router;
    g_free(a->global_first);
    g_free(a->global_ports);
    dn_group_router_free(router);
}

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
    a->group.base.load_refresh_ps = dn_params_int(params, "load_refresh");
    a->unit_bytes = dn_params_int(params, "load_unit");
    a->limit = dn_params_int(params, "load_limit");
    a->minimal_paths = (guint)dn_params_int(params, "minimal_paths");
    a->detours = (guint)dn_params_int(params, "detours");
    a->bias[ADAPTIVE_1] = dn_params_int(params, "bias_1") / a->unit_bytes;
    a->bias[ADAPTIVE_2] = low / a->unit_bytes;
    a->bias[ADAPTIVE_3] = high / a->unit_bytes;
    a->shift[ADAPTIVE_2] = (guint)dn_params_int(params, "shift_low");
    a->shift[ADAPTIVE_3] = (guint)dn_params_int(params, "shift_high");
    guint detour = DN_DETOUR | DN_DETOUR_SWITCH | DN_DETOUR_INSIDE | DN_DETOUR_GATE |
                   DN_DETOUR_STRETCH;
    gboolean at_gateway = dn_params_int(params, "decision") == AT_GATEWAY;
    if (at_gateway)
        detour |= DN_DETOUR_GATEWAY;
    if (dn_group_router_init(&a->group, machine, detour, error)) {
        if (at_gateway && machine->graph->size.switches > 0)
            list_global_ports(a);
        return &a->group.base;
    }
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

/* Returns the path over one of the links out of the group. */
static Route route_by_gate(const DnGroupRouter *r, guint32 vertex, const DnGate *gate,
                           const DnRouteState *state, const DnLoadView *load, guint64 draw)
{
    if (gate->vertex == vertex)
        return (Route){gate->port, DN_NONE, load->port_bytes(load, gate->port)};
    DnPortSet set = dn_group_toward_switch(r->table, vertex, gate->vertex);
    guint32 port = dn_group_pick(r, set, DN_PICK_RANDOM, state, load, draw);
    return (Route){port, gate->vertex | DN_VIA_BITS, load->port_bytes(load, port)};
}

/* A port of @set at random. */
static Route random_port(const DnGroupRouter *r, DnPortSet set, guint32 via, const DnLoadView *load,
                         guint64 draw)
{
    guint n;
    guint16 single;
    const guint16 *ports = dn_port_set_list(r->table->sets, set, &n, &single);
    guint32 port = ports[dn_draw_below(draw, n)];
    return (Route){port, via, load->port_bytes(load, port)};
}

/* Returns the less loaded of the minimal paths sampled; between groups they use different global
 * links. */
static Route lighter_minimal(const Aries *a, guint32 vertex, const DnRouteState *state,
                             const DnLoadView *load, guint64 draw)
{
    const DnGroupRouter *r = &a->group;
    guint32 n = 0;
    const DnGate *gates = dn_group_gates(r, vertex, state->target_switch, &n);
    if (n == 0) {
        DnPortSet set = dn_group_toward_switch(r->table, vertex, state->target_switch);
        return a->minimal_paths > 1 ? lighter_of_two(r, set, DN_NONE, load, draw)
                                    : random_port(r, set, DN_NONE, load, draw);
    }
    guint i = dn_draw_below(draw, n);
    Route route = route_by_gate(r, vertex, &gates[i], state, load, dn_mix64(draw));
    if (n == 1 || a->minimal_paths == 1)
        return route;
    guint j = i + 1 + dn_draw_below(draw << 32, n - 1);
    Route other =
        route_by_gate(r, vertex, &gates[j < n ? j : j - n], state, load, dn_mix64(draw + 1));
    return other.bytes < route.bytes ? other : route;
}

/* The lightest of the random detours sampled; via DN_NONE: there is none. */
static Route lighter_detour(const Aries *a, guint32 vertex, const DnRouteState *state,
                            const DnLoadView *load, guint64 draw)
{
    const DnGroupRouter *r = &a->group;
    Route best = {0, DN_NONE, 0};
    for (guint i = 0; i < a->detours; i++) {
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
    return dn_group_hop(r, vertex, route->port, state);
}

static gint64 units_of(const Aries *a, const Route *route)
{
    return MIN(route->bytes / a->unit_bytes, a->limit);
}

/* TRUE: the packet takes the minimal path. */
static gboolean minimal_wins(const Aries *a, const DnRouteState *state, const Route *minimal,
                             const Route *detour)
{
    guint mode = state->mode;
    gint64 times = mode == ADAPTIVE_1 ? 1 + state->hops : 1;
    return units_of(a, minimal) <= (units_of(a, detour) << a->shift[mode]) + a->bias[mode] * times;
}

/* Returns the lighter of two random global links of @vertex, over a random switch beyond each; via
 * DN_NONE: all drawn lead to the target's group. */
static Route lighter_gateway_detour(const Aries *a, guint32 vertex, const DnRouteState *state,
                                    const DnLoadView *load, guint64 draw)
{
    const DnGroupTable *t = a->group.table;
    const guint16 *ports = a->global_ports + a->global_first[vertex];
    guint32 n = a->global_first[vertex + 1] - a->global_first[vertex];
    Route best = {0, DN_NONE, 0};
    for (guint i = 0; i < 2; i++) {
        draw = dn_mix64(draw + i + 1);
        guint32 port = ports[dn_draw_below(draw, n)];
        guint32 over = dn_group_beyond(&a->group, vertex, port);
        gint64 bytes = load->port_bytes(load, port);
        if (over == t->group[state->target_switch] || (best.via != DN_NONE && bytes >= best.bytes))
            continue;
        guint32 at = dn_draw_below(draw << 32, t->group_switches);
        best = (Route){port, DN_VIA_SWITCH | (over * t->group_switches + at), bytes};
    }
    return best;
}

static DnHop adaptive_hop(const Aries *a, guint32 vertex, DnRouteState *state,
                          const DnLoadView *load, guint64 draw)
{
    const DnGroupRouter *r = &a->group;
    if (state->hops > 0) {
        DnPortSet set = state->via != DN_NONE
                            ? dn_group_toward_via(r->table, vertex, state->via)
                            : dn_group_toward_switch(r->table, vertex, state->target_switch);
        Route onward = lighter_of_two(r, set, state->via, load, draw);
        if (dn_group_at_gateway(r, vertex, state)) {
            Route around = lighter_gateway_detour(a, vertex, state, load, dn_mix64(draw));
            if (around.via != DN_NONE && !minimal_wins(a, state, &onward, &around))
                onward = around;
        }
        state->via = onward.via;
        return dn_group_hop(r, vertex, onward.port, state);
    }
    Route minimal = lighter_minimal(a, vertex, state, load, draw);
    Route detour = lighter_detour(a, vertex, state, load, draw);
    if (detour.via == DN_NONE || minimal_wins(a, state, &minimal, &detour))
        return set_out_minimally(r, vertex, state, &minimal);
    state->via = detour.via;
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
    .limits = DN_GROUP_LIMITS ". The register's unit and limit and all biases are not "
                              "published: assumed, by what SC 2019 "
                              "says of figure 7 (docs/noise.md); its rate is calibrated on a "
                              "ping-pong in a rack of Piz Daint. Inside a group the hop in the "
                              "chassis comes first (assumed). "
                              "Hardware may choose at every hop, here at the first and at the "
                              "gateway. An address hash is a random draw here. Only a switch's own "
                              "ports are weighed, without the load that "
                              "neighbours report of theirs",
    .source = "De Sensi et al., SC 2019, section 2.2; Cray WP-Aries01-1112, 2012; US 9,577,918",
    .params = aries_params,
    .topologies = aries_topologies,
    .modes = aries_modes,
    .make = aries_make,
    .free = aries_free,
    .next = aries_next,
    .prefetch = dn_group_prefetch,
    .choices = dn_group_choices,
    .moves = dn_group_moves,
};
