/* minimal.c - shortest paths, one global link between groups; the port among equals at random, by
 * a hash of source and destination, or the least loaded.
 *
 * Kim, Dally, Scott, Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008,
 * section 4.1 (MIN); on dragonfly+ over every spine (Shpiner et al., HiPINEB 2017); on a fat tree
 * up to the nearest common ancestor and down.
 * Virtual channels: a channel pair rises with each global link crossed (ibid., fig. 7); inside a
 * group whose switches are not all joined (Aries' chassis and blades) also with each inner hop.
 * LIMITATIONS: with several global links between two groups the nearest gateway is taken, whatever
 * follows behind it. */
#include "routing/group_table.h"



extern const DnRoutingType dn_routing_minimal;

typedef struct {
    DnRouter base;
    DnGroupTable *table;
    DnPick pick;
    guint inner_channels; /* channels one group's inner hops need: 1, or its longest way */
} Minimal;

static const DnParamSpec minimal_params[] = {
    {"choice", DN_PARAM_CHOICE, "random", 0, 0, dn_pick_names,
     "port among equally short: random, hashed (one path a pair), adaptive (least loaded)"},
    {0},
};

static const char *const minimal_topologies[] = {"dragonfly", "dragonfly_plus", "fat_tree",
                                                 "full_mesh", NULL};
static const char *const minimal_modes[] = {"minimal", NULL};

/* Leaf-spine groups and trees climb and descend; complete groups have one inner hop: both are free
 * of cycles with one channel. Only a group of two dimensions needs one a hop. */
static guint inner_channels(const DnGraph *g, const DnGroupTable *t)
{
    for (guint32 s = 0; s < t->switches; s++)
        if (g->vertices[s].level > 0)
            return 1;
    return MAX(1, t->inner_hops);
}

static DnRouter *minimal_make(const DnMachine *machine, const DnParams *params, GError **error)
{
    Minimal *m = g_new0(Minimal, 1);
    m->pick = (DnPick)dn_params_int(params, "choice");
    m->base.channels = 1;
    m->base.type = &dn_routing_minimal;
    if (machine->graph->size.switches == 0)
        return &m->base;
    m->table = dn_group_table_new(machine->graph, error);
    if (m->table == NULL) {
        g_free(m);
        return NULL;
    }
    m->inner_channels = inner_channels(machine->graph, m->table);
    guint longest = 0; /* global links of the longest path between groups */
    for (gsize i = 0; i < (gsize)m->table->groups * m->table->groups; i++)
        longest = MAX(longest, m->table->group_distance[i]);
    m->base.channels = m->inner_channels * (1 + longest);
    return &m->base;
}

static void minimal_free(DnRouter *router)
{
    Minimal *m = (Minimal *)router;
    dn_group_table_free(m->table);
    g_free(m);
}

/* Low four bits of phase: inner hops in this group; high four: global links crossed. */
static inline DnPortSet ports_of(const Minimal *m, guint32 vertex, const DnRouteState *state)
{
    const DnGroupTable *t = m->table;
    guint32 to = state->target_switch;
    if (t->group[vertex] == t->group[to])
        return t->toward_local[(gsize)vertex * t->group_switches + t->local[to]];
    return t->toward_group[(gsize)vertex * t->groups + t->group[to]];
}

static inline guint8 take(const Minimal *m, guint32 vertex, guint32 port, DnRouteState *state)
{
    const DnGraph *g = m->base.machine->graph;
    guint inner = state->phase & 15, global = state->phase >> 4;
    guint32 peer = g->links[g->ports[g->port_first[vertex] + port]].dst;
    guint channel = global * m->inner_channels + MIN(inner, m->inner_channels - 1);
    if (m->table->group[peer] != m->table->group[vertex])
        state->phase = (guint8)((global + 1) << 4);
    else
        state->phase = (guint8)(global << 4 | MIN(inner + 1, 15));
    return (guint8)MIN(channel, m->base.channels - 1);
}

static DnHop minimal_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                          const DnLoadView *load, guint64 draw)
{
    const Minimal *m = (const Minimal *)router;
    DnPortSet set = ports_of(m, vertex, state);
    guint32 port = dn_port_set_pick(m->table->sets, set, m->pick, load, state->flow, draw);
    return (DnHop){port, take(m, vertex, port, state)};
}

static guint minimal_choices(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                             DnHop *hops, DnRouteState *after, guint max)
{
    const Minimal *m = (const Minimal *)router;
    guint n;
    guint16 single;
    const guint16 *ports =
        dn_port_set_list(m->table->sets, ports_of(m, vertex, state), &n, &single);
    g_assert(n <= max);
    for (guint i = 0; i < n; i++) {
        after[i] = *state;
        hops[i].port = ports[i];
        hops[i].channel = take(m, vertex, ports[i], &after[i]);
    }
    return n;
}

const DnRoutingType dn_routing_minimal = {
    .name = "minimal",
    .source = "Kim et al., ISCA 2008, section 4.1",
    .params = minimal_params,
    .topologies = minimal_topologies,
    .modes = minimal_modes,
    .make = minimal_make,
    .free = minimal_free,
    .next = minimal_next,
    .choices = minimal_choices,
};
