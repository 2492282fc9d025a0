/* dal.c - HyperX: dimensionally adaptive, load-balanced routing; in each dimension a packet goes
 * straight, or over one more switch of it, decided at each switch.
 *
 * Ahn, Binkert, Davis, McLaren, Schreiber, "HyperX: Topology, Routing, and Packaging of Efficient
 * Large-Scale Networks", SC 2009 (DAL): at each switch a packet may take the minimal hop of any
 * dimension in which it is not yet aligned, or, once in each dimension, a hop to another switch of
 * it (a deroute). They are weighed as in UGAL, by bytes queued times the hops left over them
 * (assumed), one deroute of each dimension drawn at random.
 * Virtual channels: one a hop, at most two a dimension; every hop goes up in them, so no cycle can
 * close (assumed: the paper has an escape channel of dimension order instead).
 *
 * via: bit d: dimension d has been derouted; DN_NONE: none. phase: hops so far. */
#include "routing/group_path.h"

extern const DnRoutingType dn_routing_dal;

#define MAX_DIMS 8

typedef struct {
    DnRouter base;
    guint n_dims;
    guint32 size[MAX_DIMS], stride[MAX_DIMS];
    guint32 first[MAX_DIMS]; /* of a switch's columns: by dimension and coordinate */
    guint32 columns;
    DnPortSets *sets;
    DnPortSet *ports; /* [R * columns]: towards the coordinate in the dimension */
    gint64 threshold_bytes;
    gboolean in_flight;
} Dal;

static const DnParamSpec dal_params[] = {DN_GROUP_PARAM_THRESHOLD, DN_GROUP_PARAM_IN_FLIGHT, {0}};
static const char *const dal_modes[] = {"dal", NULL};
static const char *const dal_topologies[] = {"hyperx", NULL};

static inline guint32 dal_coordinate(const Dal *r, guint32 s, guint d)
{
    return s / r->stride[d] % r->size[d];
}

static inline DnPortSet dal_ports(const Dal *r, guint32 s, guint d, guint32 coordinate)
{
    return r->ports[(gsize)s * r->columns + r->first[d] + coordinate];
}

static void fill_ports(Dal *r, const DnGraph *g, guint32 s)
{
    g_autofree guint16 *found = g_new(guint16, dn_graph_degree(g, s) + 1);
    for (guint d = 0; d < r->n_dims; d++)
        for (guint32 c = 0; c < r->size[d]; c++) {
            guint32 peer = s + (c - dal_coordinate(r, s, d)) * r->stride[d];
            guint n = 0;
            for (guint32 p = 0; p < dn_graph_degree(g, s); p++)
                if (g->links[g->ports[g->port_first[s] + p]].dst == peer)
                    found[n++] = (guint16)p;
            r->ports[(gsize)s * r->columns + r->first[d] + c] =
                n > 0 ? dn_port_sets_add(r->sets, found, n, DN_PORT_SET_EMPTY) : DN_PORT_SET_EMPTY;
        }
}

static DnRouter *dal_make(const DnMachine *machine, const DnParams *params, GError **error)
{
    const DnGraph *g = machine->graph;
    Dal *r = g_new0(Dal, 1);
    r->base.type = &dn_routing_dal;
    r->base.machine = machine;
    r->base.channels = 1;
    r->threshold_bytes = dn_params_int(params, "threshold");
    r->in_flight = dn_params_int(params, "in_flight") == 1;
    if (machine->type == NULL)
        return &r->base;
    const gint64 *dims = dn_params_list(machine->params, "dims", &r->n_dims);
    guint32 stride = 1, hops = 0;
    for (guint d = 0; d < r->n_dims; d++) {
        r->size[d] = (guint32)dims[d];
        r->stride[d] = stride;
        r->first[d] = r->columns;
        r->columns += r->size[d];
        stride *= r->size[d];
        hops += MIN(r->size[d] - 1, 2);
    }
    r->base.channels = MAX(1, hops);
    r->sets = dn_port_sets_new();
    r->ports = g_new(DnPortSet, (gsize)g->size.switches * r->columns + 1);
    for (guint32 s = 0; s < g->size.switches; s++)
        fill_ports(r, g, s);
    dn_port_sets_close(r->sets);
    return &r->base;
}

static void dal_free(DnRouter *router)
{
    Dal *r = (Dal *)router;
    dn_port_sets_free(r->sets);
    g_free(r->ports);
    g_free(r);
}

static inline guint32 dal_derouted(const DnRouteState *state)
{
    return state->via == DN_NONE ? 0 : state->via;
}

static DnHop dal_take(DnRouteState *state, guint32 port, guint d, gboolean deroutes)
{
    if (deroutes)
        state->via = dal_derouted(state) | 1u << d;
    return (DnHop){port, state->phase++};
}

typedef struct {
    guint32 port; /* DN_NONE: none yet */
    guint dimension;
    gboolean deroutes;
    gint64 weight;
} Candidate;

static void dal_consider(const Dal *r, DnPortSet set, Candidate it, guint hops,
                         const DnLoadView *load, guint64 draw, Candidate *best)
{
    it.port = dn_port_set_pick(r->sets, set, DN_PICK_RANDOM, load, 0, draw);
    it.weight = dn_load_bytes(load, it.port, r->in_flight) * (gint64)hops;
    if (it.deroutes)
        it.weight += r->threshold_bytes;
    gboolean even = it.weight == best->weight && !it.deroutes && (draw & 1);
    if (best->port == DN_NONE || it.weight < best->weight || even)
        *best = it;
}

/* Returns a random coordinate of the dimension other than @own and @goal. */
static guint32 draw_other(guint32 size, guint32 own, guint32 goal, guint64 draw)
{
    guint32 x = dn_draw_below(draw, size - 2);
    x += x >= MIN(own, goal);
    x += x >= MAX(own, goal);
    return x;
}

static DnHop dal_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                      const DnLoadView *load, guint64 draw)
{
    const Dal *r = (const Dal *)router;
    guint32 to = state->target_switch, derouted = dal_derouted(state);
    guint open[MAX_DIMS], n = 0;
    Candidate best = {DN_NONE, 0, FALSE, 0};
    for (guint d = 0; d < r->n_dims; d++)
        if (dal_coordinate(r, vertex, d) != dal_coordinate(r, to, d))
            open[n++] = d;
    for (guint i = 0; i < n; i++) {
        draw = dn_mix64(draw + 1);
        dal_consider(r, dal_ports(r, vertex, open[i], dal_coordinate(r, to, open[i])),
                     (Candidate){DN_NONE, open[i], FALSE, 0}, n, load, draw, &best);
    }
    for (guint i = 0; i < n && best.weight > 0; i++) {
        guint d = open[i];
        if ((derouted >> d & 1) || r->size[d] < 3)
            continue;
        draw = dn_mix64(draw + 1);
        guint32 other = draw_other(r->size[d], dal_coordinate(r, vertex, d),
                                   dal_coordinate(r, to, d), dn_mix64(draw));
        dal_consider(r, dal_ports(r, vertex, d, other), (Candidate){DN_NONE, d, TRUE, 0}, n + 1,
                     load, draw, &best);
    }
    return dal_take(state, best.port, best.dimension, best.deroutes);
}

static guint dal_list(const Dal *r, DnPortSet set, const DnRouteState *state, guint d,
                      gboolean deroutes, DnHop *hops, DnRouteState *after, guint max)
{
    guint n;
    guint16 single;
    const guint16 *ports = dn_port_set_list(r->sets, set, &n, &single);
    g_assert(n <= max);
    for (guint i = 0; i < n; i++) {
        after[i] = *state;
        hops[i] = dal_take(&after[i], ports[i], d, deroutes);
    }
    return n;
}

static guint dal_choices(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                         DnHop *hops, DnRouteState *after, guint max)
{
    const Dal *r = (const Dal *)router;
    guint32 to = state->target_switch, derouted = dal_derouted(state);
    guint n = 0;
    for (guint d = 0; d < r->n_dims; d++) {
        guint32 own = dal_coordinate(r, vertex, d), goal = dal_coordinate(r, to, d);
        for (guint32 c = 0; own != goal && c < r->size[d]; c++)
            if (c == goal || (c != own && !(derouted >> d & 1)))
                n += dal_list(r, dal_ports(r, vertex, d, c), state, d, c != goal, hops + n,
                              after + n, max - n);
    }
    return n;
}

/* Goals of the deadlock check: this bit and the target. They leave out which dimensions have been
 * derouted: any switch of a dimension that is not aligned may then follow while channels last. That
 * is more than any packet does, and every hop still goes up in the channels. */
#define DAL_TARGET (1u << 27)

static void dal_hop_moves(const Dal *r, guint32 goal, guint32 vertex, guint8 phase, GArray *moves)
{
    guint32 to = goal & ~DAL_TARGET;
    for (guint d = 0; d < r->n_dims && phase < r->base.channels_needed; d++) {
        guint32 own = dal_coordinate(r, vertex, d);
        for (guint32 c = 0; own != dal_coordinate(r, to, d) && c < r->size[d]; c++) {
            guint n = 0;
            guint16 single;
            const guint16 *ports =
                c == own ? NULL
                         : dn_port_set_list(r->sets, dal_ports(r, vertex, d, c), &n, &single);
            for (guint i = 0; i < n; i++) {
                DnMove move = {goal, ports[i], phase, (guint8)(phase + 1)};
                g_array_append_val(moves, move);
            }
        }
    }
}

static void dal_moves(const DnRouter *router, guint32 goal, guint32 vertex, guint8 phase,
                      GArray *moves)
{
    const Dal *r = (const Dal *)router;
    DnMove leave = {DN_GOAL_LEAVE, DN_NONE, 0, 0};
    if (goal == DN_GOAL_ENTER || vertex == (goal & ~DAL_TARGET))
        g_array_append_val(moves, leave);
    for (guint32 s = 0; goal == DN_GOAL_ENTER && s < router->machine->graph->size.switches; s++) {
        DnMove move = {DAL_TARGET | s, DN_NONE, 0, phase};
        if (s != vertex)
            g_array_append_val(moves, move);
    }
    if (goal != DN_GOAL_ENTER && vertex != (goal & ~DAL_TARGET))
        dal_hop_moves(r, goal, vertex, phase, moves);
}

const DnRoutingType dn_routing_dal = {
    .name = "dal",
    .help = "HyperX: at each switch straight on, or over one more switch of a dimension, by queues",
    .limits = "one deroute of each dimension is looked at; a virtual channel a hop instead of the "
              "paper's escape channel; queues are counted per port, not per virtual channel",
    .source = "Ahn et al., HyperX, SC 2009, DAL",
    .params = dal_params,
    .topologies = dal_topologies,
    .modes = dal_modes,
    .make = dal_make,
    .free = dal_free,
    .next = dal_next,
    .choices = dal_choices,
    .moves = dal_moves,
};
