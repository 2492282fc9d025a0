/* torus_path.c - see torus_path.h. */
#include "routing/torus_path.h"

const char *const dn_torus_topologies[] = {"torus", NULL};

/* The switch one step along, or DN_NONE over the edge of a mesh. */
static guint32 torus_path_neighbour(const DnTorusRouter *r, guint32 s, guint d, gboolean up)
{
    guint32 c = dn_torus_coordinate(r, s, d), last = r->size[d] - 1;
    if (up ? c == last : c == 0) {
        if (!r->wrap[d])
            return DN_NONE;
        return up ? s - last * r->stride[d] : s + last * r->stride[d];
    }
    return up ? s + r->stride[d] : s - r->stride[d];
}

static DnPortSet ports_between(DnTorusRouter *r, const DnGraph *g, guint32 s, guint32 peer)
{
    g_autofree guint16 *found = g_new(guint16, dn_graph_degree(g, s) + 1);
    guint n = 0;
    for (guint32 p = 0; p < dn_graph_degree(g, s); p++)
        if (g->links[g->ports[g->port_first[s] + p]].dst == peer)
            found[n++] = (guint16)p;
    g_assert(n > 0);
    return dn_port_sets_add(r->sets, found, n, DN_PORT_SET_EMPTY);
}

static void fill_ports(DnTorusRouter *r, const DnGraph *g)
{
    r->sets = dn_port_sets_new();
    r->ports = g_new(DnPortSet, (gsize)g->size.switches * r->n_dims * 2);
    for (guint32 s = 0; s < g->size.switches; s++)
        for (guint k = 0; k < 2 * r->n_dims; k++) {
            guint32 peer = torus_path_neighbour(r, s, k / 2, k % 2);
            r->ports[(gsize)s * r->n_dims * 2 + k] = peer == DN_NONE ? DN_PORT_SET_EMPTY
                                                                     : ports_between(r, g, s, peer);
        }
    dn_port_sets_close(r->sets);
}

void dn_torus_router_init(DnTorusRouter *r, const DnMachine *machine, guint legs)
{
    r->base.machine = machine;
    r->base.channels = r->ring_channels = 1;
    r->legs = legs;
    if (machine->type == NULL)
        return;
    guint n_wrap = 0;
    const gint64 *dims = dn_params_list(machine->params, "dims", &r->n_dims);
    const gint64 *wrap = dn_params_has(machine->params, "wrap")
                             ? dn_params_list(machine->params, "wrap", &n_wrap)
                             : NULL;
    g_assert(r->n_dims <= DN_TORUS_MAX_DIMS);
    guint32 stride = 1;
    for (guint d = 0; d < r->n_dims; d++) {
        r->size[d] = (guint32)dims[d];
        r->wrap[d] = dims[d] > 2 && (n_wrap == 0 || wrap[d] != 0);
        r->stride[d] = stride;
        stride *= r->size[d];
        if (r->wrap[d])
            r->ring_channels = 2;
    }
    g_assert(stride == machine->graph->size.switches);
    r->base.channels = r->ring_channels * legs;
    fill_ports(r, machine->graph);
}

void dn_torus_router_free(DnRouter *router)
{
    DnTorusRouter *r = (DnTorusRouter *)router;
    dn_port_sets_free(r->sets);
    g_free(r->ports);
    g_free(r);
}

guint dn_torus_ordered_hops(const DnTorusRouter *r, guint32 vertex, guint32 to, DnHop *hops,
                            guint max)
{
    guint d = dn_torus_first_dimension(r, vertex, to), total = 0;
    guint32 from = dn_torus_coordinate(r, vertex, d), end = dn_torus_coordinate(r, to, d);
    guint directions = dn_torus_directions(r, d, from, end);
    for (guint up = 0; up < 2; up++) {
        if (!(directions & (up ? 1 : 2)))
            continue;
        guint n;
        guint16 single;
        const guint16 *ports =
            dn_port_set_list(r->sets, dn_torus_ports(r, vertex, d, up), &n, &single);
        g_assert(total + n <= max);
        for (guint i = 0; i < n; i++)
            hops[total++] = (DnHop){ports[i], dn_torus_ring_channel(r, d, from, end, up)};
    }
    return total;
}

/* Goals: leg, dimension and the coordinate to be reached in it (OPEN: any; the dimensions below are
 * done). Which coordinate a packet wants in one dimension depends on nothing before it. */
#define GOAL_BIT (1u << 27)
#define LEG_SHIFT 26
#define DIM_SHIFT 22
#define COORDINATE_MASK ((1u << DIM_SHIFT) - 1)
#define OPEN COORDINATE_MASK

static void add_transition(GArray *moves, guint leg, guint d, guint32 coordinate)
{
    DnMove move = {GOAL_BIT | leg << LEG_SHIFT | d << DIM_SHIFT | coordinate, DN_NONE, 0, 0};
    g_array_append_val(moves, move);
}

static void torus_path_leave(GArray *moves)
{
    DnMove move = {DN_GOAL_LEAVE, DN_NONE, 0, 0};
    g_array_append_val(moves, move);
}

static void move_open(const DnTorusRouter *r, guint leg, guint d, GArray *moves)
{
    gboolean first = leg + 1 < r->legs;
    if (d < r->n_dims) {
        for (guint32 c = 0; c < r->size[d]; c++)
            add_transition(moves, leg, d, c);
    } else if (first) {
        add_transition(moves, leg + 1, 0, OPEN);
    }
    if (d == r->n_dims || first) /* a packet that passes its target on the first leg stops there */
        torus_path_leave(moves);
}

static void move_along(const DnTorusRouter *r, guint32 goal, guint32 vertex, GArray *moves)
{
    guint leg = goal >> LEG_SHIFT & 1, d = goal >> DIM_SHIFT & 15;
    guint32 to = goal & COORDINATE_MASK, from = dn_torus_coordinate(r, vertex, d);
    if (from == to) {
        add_transition(moves, leg, d + 1, OPEN);
        return;
    }
    if (leg + 1 < r->legs)
        torus_path_leave(moves);
    guint directions = dn_torus_directions(r, d, from, to);
    for (guint up = 0; up < 2; up++) {
        if (!(directions & (up ? 1 : 2)))
            continue;
        guint n;
        guint16 single;
        const guint16 *ports =
            dn_port_set_list(r->sets, dn_torus_ports(r, vertex, d, up), &n, &single);
        guint channel = leg * r->ring_channels + dn_torus_ring_channel(r, d, from, to, up);
        for (guint i = 0; i < n; i++) {
            DnMove move = {goal, ports[i], (guint8)channel, 0};
            g_array_append_val(moves, move);
        }
    }
}

/* Dally & Seitz, 1987: on one side of the wrap link hops are on one channel of the ring, behind it
 * on the other, each in the order of positions. A second leg has channels of its own. */
gboolean dn_torus_ascends(const DnRouter *router)
{
    return router->channels >= router->channels_needed;
}

void dn_torus_moves(const DnRouter *router, guint32 goal, guint32 vertex, guint8 phase,
                    GArray *moves)
{
    const DnTorusRouter *r = (const DnTorusRouter *)router;
    if (goal == DN_GOAL_ENTER)
        add_transition(moves, 0, 0, OPEN);
    else if ((goal & COORDINATE_MASK) == OPEN)
        move_open(r, goal >> LEG_SHIFT & 1, goal >> DIM_SHIFT & 15, moves);
    else
        move_along(r, goal, vertex, moves);
}
