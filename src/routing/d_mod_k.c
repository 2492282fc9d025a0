/* d_mod_k.c - Fat tree: the parent follows from the destination: all packets to it come down
 * the same links, and permutations by a shift meet nowhere.
 *
 * Zahavi, "D-Mod-K Routing Providing Non-Blocking Traffic for Shift Permutations on Real Life Fat
 * Trees", CCIT Report 776, Technion 2010: on level l (leaves 1) a packet for terminal j leaves by
 * up port q = floor(j / (w_1 .. w_l)) mod (w_(l+1) p_(l+1)), parent q mod w, parallel link
 * floor(q / w), with w and p the parents and parallel links of fat_tree.c; down it takes the
 * parallel link that another packet to j takes up. Terminals are numbered leaf by leaf of a plane,
 * so that the NICs of one rail of a rail-optimised tree spread over all parents. That is
 * InfiniBand's usual static routing. One virtual channel, as minimal.c. */
#include "routing/group_path.h"

extern const DnRoutingType dn_routing_d_mod_k;

#define MAX_LEVELS 8

typedef struct {
    DnGroupRouter group;
    guint32 below[MAX_LEVELS + 1];   /* product of w_1 .. w_l of level l, leaves 0 */
    guint32 parents[MAX_LEVELS + 1]; /* w of the level above */
    guint32 *number;                 /* [terminals] j: by leaf of a plane, then NIC of the leaf */
} DModK;

static const DnParamSpec d_mod_k_params[] = {{0}};
static const char *const d_mod_k_topologies[] = {"fat_tree", NULL};
static const char *const d_mod_k_modes[] = {"d_mod_k", NULL};

/* [terminals]: terminals of a leaf times the leaf in its plane, and the place on the leaf. */
static guint32 *number_terminals(const DnMachine *machine)
{
    const DnGraph *g = machine->graph;
    guint32 *number = g_new(guint32, g->size.terminals + 1), planes = MAX(1, g->size.planes);
    g_autofree guint32 *seen = g_new0(guint32, g->size.switches + 1);
    guint n;
    guint32 each = 1;
    if (machine->type != NULL && dn_params_has(machine->params, "down"))
        each = (guint32)dn_params_list(machine->params, "down", &n)[0];
    for (guint32 t = 0; t < g->size.terminals && g->size.switches > 0; t++) {
        guint32 leaf = g->terminal_switch[t];
        number[t] = leaf / planes * each + seen[leaf]++;
    }
    return number;
}

static DnRouter *d_mod_k_make(const DnMachine *machine, const DnParams *params, GError **error)
{
    DModK *r = g_new0(DModK, 1);
    guint n = 0;
    const gint64 *up = machine->type != NULL && dn_params_has(machine->params, "up")
                           ? dn_params_list(machine->params, "up", &n)
                           : NULL;
    r->group.base.type = &dn_routing_d_mod_k;
    r->below[0] = 1;
    for (guint l = 0; l < n && l < MAX_LEVELS; l++) {
        r->parents[l] = (guint32)up[l];
        r->below[l + 1] = r->below[l] * (guint32)up[l];
    }
    if (dn_group_router_init(&r->group, machine, 0, error)) {
        r->number = number_terminals(machine);
        return &r->group.base;
    }
    g_free(r);
    return NULL;
}

static void d_mod_k_free(DnRouter *router)
{
    g_free(((DModK *)router)->number);
    dn_group_router_free(router);
}

/* The number of the terminal the packet goes to. */
static guint32 d_mod_k_terminal(const DModK *r, const DnRouteState *state)
{
    const DnRouter *base = &r->group.base;
    const DnHome *home = &base->homes[state->target - r->group.graph->size.switches];
    return r->number[home->node * base->nics + dn_exit_enter(state->exit)];
}

static guint32 d_mod_k_port(const DModK *r, guint32 vertex, const DnRouteState *state)
{
    const DnGroupRouter *g = &r->group;
    guint n;
    guint16 single;
    const guint16 *ports = dn_port_set_list(
        g->table->sets, dn_group_toward_switch(g->table, vertex, state->target_switch), &n,
        &single);
    guint level = g->graph->vertices[vertex].level;
    gboolean down = dn_group_port_kind(g, vertex, ports[0]) == DN_PORT_DOWN;
    guint low = down ? level - 1 : level; /* the lower end of the link */
    guint32 w = r->parents[low], q = d_mod_k_terminal(r, state) / r->below[low];
    if (down)
        return ports[q / w % n];
    q %= n;
    return ports[q % w * (n / w) + q / w];
}

static DnHop d_mod_k_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                          const DnLoadView *load, guint64 draw)
{
    const DModK *r = (const DModK *)router;
    return dn_group_hop(&r->group, vertex, d_mod_k_port(r, vertex, state), state);
}

static guint d_mod_k_choices(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                             DnHop *hops, DnRouteState *after, guint max)
{
    after[0] = *state;
    hops[0] = d_mod_k_next(router, vertex, &after[0], NULL, 0);
    return 1;
}

const DnRoutingType dn_routing_d_mod_k = {
    .name = "d_mod_k",
    .help = "fat tree: up by the destination's number, one path a pair, shifts meet nowhere",
    .limits = "static: neither load nor failed parents are seen",
    .source = "Zahavi, CCIT Report 776, Technion 2010",
    .params = d_mod_k_params,
    .topologies = d_mod_k_topologies,
    .modes = d_mod_k_modes,
    .make = d_mod_k_make,
    .free = d_mod_k_free,
    .next = d_mod_k_next,
    .choices = d_mod_k_choices,
    .moves = dn_group_moves,
};
