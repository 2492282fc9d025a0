/* routing.c - makes a router from its YAML, and joins the stretches of a path: source node, fabric,
 * destination node. */
#include "base/rng.h"
#include "base/shared_arrays.h"
#include "routing/group_table.h"
#include "routing/node_routing.h"
#include "routing/path_table.h"
#include "routing/settled.h"

#include <string.h>

static gboolean routing_serves(const DnRoutingType *type, const DnMachine *machine)
{
    if (machine->type != NULL && machine->failed_cables > 0)
        return type->computed;
    if (type->topologies == NULL || machine->type == NULL)
        return TRUE;
    return g_strv_contains(type->topologies, machine->type->name);
}

/* Maps the papers' name ugal to ugal_l: local knowledge is what is built. */
static const char *routing_name(const char *name)
{
    return strcmp(name, "ugal") == 0 ? "ugal_l" : name;
}

static const DnRoutingType *routing_find(const char *name, const DnMachine *machine)
{
    name = routing_name(name);
    for (guint i = 0; dn_routing_types[i] != NULL; i++)
        if (routing_serves(dn_routing_types[i], machine) &&
            strcmp(dn_routing_types[i]->name, name) == 0)
            return dn_routing_types[i];
    return NULL;
}

/* Returns the default of a run without `routing:`: the first algorithm of the list that serves the
 * machine. */
static const DnRoutingType *default_type(const DnMachine *machine)
{
    for (guint i = 0; dn_routing_types[i] != NULL; i++)
        if (routing_serves(dn_routing_types[i], machine))
            return dn_routing_types[i];
    g_assert_not_reached();
}

const DnParamSpec dn_routing_common_keys[] = {
    {"algorithm", DN_PARAM_STRING, "", 0, 0, NULL, "its name; default: the topology's"},
    {"mode", DN_PARAM_STRING, "", 0, 0, NULL, "of all messages, of those the algorithm has"},
    {"virtual_channels", DN_PARAM_INT, "", 1, DN_MAX_CHANNELS, NULL,
     "of each lane; default: as many as the routing needs"},
    {0},
};

static void unknown_algorithm(const DnConfigNode *node, const DnMachine *machine, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    DnError code = DN_ERROR_UNKNOWN;
    for (guint i = 0; dn_routing_types[i] != NULL; i++) {
        if (routing_serves(dn_routing_types[i], machine))
            g_ptr_array_add(names, (gpointer)dn_routing_types[i]->name);
        else if (strcmp(dn_routing_types[i]->name, routing_name(node->scalar)) == 0)
            code = DN_ERROR_COMBINATION;
    }
    g_ptr_array_add(names, NULL);
    g_autofree char *where =
        g_strdup_printf(" for %s%s", machine->type != NULL ? machine->type->name : "a node graph",
                        machine->failed_cables > 0 ? " with failed links" : "");
    g_autofree char *unknown =
        dn_unknown_where(node->scalar, where, (const char *const *)names->pdata, "known");
    dn_config_error(node, code, error, "unknown routing %s", unknown);
}

static const DnRoutingType *chosen_type(const DnMachine *machine, const DnConfigNode *node,
                                        GError **error)
{
    if (node == NULL)
        return default_type(machine);
    if (!dn_config_expect(node, DN_CONFIG_MAP, error))
        return NULL;
    const DnConfigNode *name = dn_config_get(node, "algorithm");
    if (name == NULL)
        return default_type(machine);
    if (!dn_config_expect(name, DN_CONFIG_SCALAR, error))
        return NULL;
    const DnRoutingType *type = routing_find(name->scalar, machine);
    if (type == NULL)
        unknown_algorithm(name, machine, error);
    return type;
}

/* Fills in the exits of the fabric: the port of a terminal's switch towards it. */
static void fill_exits(DnRouter *router)
{
    const DnGraph *g = router->machine->graph;
    guint32 *ports = dn_array_of(guint32, g->size.terminals + 1);
    for (guint32 t = 0; t < g->size.terminals; t++) {
        guint32 nic = g->terminals[t];
        ports[t] = DN_NONE;
        for (guint32 p = g->port_first[nic]; p < g->port_first[nic + 1]; p++)
            if (g->links[g->ports[p]].dst == g->terminal_switch[t]) {
                ports[t] = g->link_port[g->ports[p] ^ 1];
                break;
            }
        g_assert(g->terminal_switch[t] == DN_NONE || ports[t] != DN_NONE);
    }
    router->exit_port = ports;
    router->nics = g->size.nodes > 0 ? g->size.terminals / g->size.nodes : 0;
    DnRails rails = router->machine->hardware.rails;
    gboolean own = rails == DN_RAILS_OWN || rails == DN_RAILS_TARGET;
    router->rails = own || router->nics < 2 ? 0 : rails == DN_RAILS_FIRST ? 1 : router->nics;
    router->leave_by_target = g->size.leave_by_target;
}

/* Fills the table with the attachment of each endpoint, so that routing a packet reads one cache
 * line. */
static void fill_homes(DnRouter *router)
{
    const DnGraph *g = router->machine->graph;
    guint32 base = g->size.switches, n = g->n_vertices - base;
    DnHome *homes = dn_array_of(DnHome, n + 1);
    for (guint32 i = 0; i < n; i++) {
        guint32 endpoint = g->endpoint_of[base + i];
        guint32 t = endpoint == DN_NONE ? DN_NONE : g->endpoint_terminal[endpoint];
        homes[i] = (DnHome){g->vertices[base + i].node, DN_NONE, DN_NONE, 0};
        if (t == DN_NONE)
            continue;
        homes[i].switch_ = g->terminal_switch[t];
        homes[i].port = router->exit_port[t];
        homes[i].rail = t % MAX(1, router->nics);
    }
    router->homes = homes;
}

gboolean dn_router_find_mode(const DnRouter *router, const DnConfigNode *name, guint8 *mode,
                             GError **error)
{
    if (!dn_config_expect(name, DN_CONFIG_SCALAR, error))
        return FALSE;
    const char *const *modes = router->type->modes;
    for (guint i = 0; modes[i] != NULL; i++)
        if (strcmp(modes[i], name->scalar) == 0) {
            *mode = (guint8)i;
            return TRUE;
        }
    g_autofree char *where = g_strdup_printf(" of routing '%s'", router->type->name);
    g_autofree char *unknown = dn_unknown_where(name->scalar, where, modes, "known");
    dn_config_error(name, DN_ERROR_UNKNOWN, error, "unknown mode %s", unknown);
    return FALSE;
}

gboolean dn_router_set_channels(DnRouter *router, guint channels, const DnConfigNode *at,
                                GError **error)
{
    if (channels > router->channels_needed) {
        dn_config_error(
            at, DN_ERROR_RANGE, error,
            "%u virtual channels; routing '%s' uses %u on this machine, more would stay "
            "empty",
            channels, router->type->name, router->channels_needed);
        return FALSE;
    }
    router->channels = channels;
    return TRUE;
}

static gboolean read_common(DnRouter *router, const DnConfigNode *node, GError **error)
{
    const DnConfigNode *mode = node != NULL ? dn_config_get(node, "mode") : NULL;
    const DnConfigNode *channels = node != NULL ? dn_config_get(node, "virtual_channels") : NULL;
    if (mode != NULL && !dn_router_find_mode(router, mode, &router->mode, error))
        return FALSE;
    if (channels == NULL)
        return TRUE;
    gint64 n;
    double unused;
    return dn_param_parse(channels, &dn_routing_common_keys[2], &n, &unused, error) &&
           dn_router_set_channels(router, (guint)n, channels, error);
}

/* Ports are 16-bit numbers in routing tables and packets. */
static gboolean check_ports(const DnMachine *machine, GError **error)
{
    const DnGraph *g = machine->graph;
    for (guint32 v = 0; v < g->n_vertices; v++)
        if (dn_graph_degree(g, v) >= G_MAXUINT16) {
            char name[64];
            dn_config_error(machine->config, DN_ERROR_RANGE, error, "%s has %u ports; at most %u",
                            dn_vertex_name(g, v, name), dn_graph_degree(g, v), G_MAXUINT16 - 1);
            return FALSE;
        }
    return TRUE;
}

/* Checks that a message leaves by the rail it comes in by where there are several planes, and that
 * both NICs of a rail are in one plane. */
static gboolean check_planes(const DnRouter *router, GError **error)
{
    const DnMachine *m = router->machine;
    const DnGraph *g = m->graph;
    if (g->size.planes < 2)
        return TRUE;
    if (m->hardware.rails == DN_RAILS_OWN && router->nics > 1) {
        dn_config_error(m->config, DN_ERROR_RANGE, error,
                        "the fabric has %u planes that no cable joins, and an endpoint's own NIC "
                        "is in one of them; allowed: hardware: {rails: target} (or round_robin, "
                        "hashed)",
                        g->size.planes);
        return FALSE;
    }
    for (guint32 t = 0; t < g->size.terminals; t++) {
        if (dn_same_plane(g, g->terminal_switch[t], g->terminal_switch[t % router->nics]))
            continue;
        dn_config_error(m->config, DN_ERROR_RANGE, error,
                        "NIC %u of nodes 0 and %u is in different planes; wanted: attach: "
                        "{switches_per_node: a multiple of the %u planes}",
                        t % router->nics, t / router->nics, g->size.planes);
        return FALSE;
    }
    return TRUE;
}

/* A path has seven bits for the NIC by which it enters a node (DN_EXIT_LEFT). */
static gboolean check_nics(const DnRouter *router, GError **error)
{
    const DnMachine *m = router->machine;
    if (router->nics <= DN_MAX_NICS || m->graph->size.switches == 0)
        return TRUE;
    dn_config_error(m->config, DN_ERROR_RANGE, error, "a node has %u NICs; at most %d",
                    router->nics, DN_MAX_NICS);
    return FALSE;
}

/* Checks that each endpoint has a path to @n NICs of its node, from its own on; @why: the key by
 * which messages use them. */
static gboolean check_paths_to_nics(const DnRouter *router, guint n, const char *why,
                                    GError **error)
{
    const DnMachine *m = router->machine;
    const DnGraph *g = m->graph;
    const DnNodeRouting *node = router->node;
    for (guint32 v = 0; node != NULL && v < node->vertices; v++) {
        guint32 endpoint = g->endpoint_of[g->size.switches + v];
        if (endpoint == DN_NONE || g->endpoint_terminal[endpoint] == DN_NONE)
            continue;
        for (guint i = 0; i < n; i++) {
            guint32 nic = g->terminals[(router->homes[v].rail + i) % router->nics];
            guint32 local = g->vertices[nic].local;
            if (local == v || node->next[v * node->vertices + local] != DN_PORT_SET_EMPTY)
                continue;
            char from[64], to[64];
            dn_config_error(m->config, DN_ERROR_RANGE, error,
                            "no path from %s to %s inside the node, and messages go over that NIC "
                            "too (%s); wanted: links, or `transit: true` of vertices between them",
                            dn_vertex_name(g, g->size.switches + v, from),
                            dn_vertex_name(g, nic, to), why);
            return FALSE;
        }
    }
    return TRUE;
}

/* The file may name another algorithm than the one whose keys these are: a sweep replaced it. */
static void name_algorithm(const DnRoutingType *type, GError **error)
{
    if (error == NULL || !g_error_matches(*error, DN_ERROR, DN_ERROR_UNKNOWN))
        return;
    char *message = g_strdup_printf("%s (of algorithm %s)", (*error)->message, type->name);
    g_free((*error)->message);
    (*error)->message = message;
}

gboolean dn_router_fail(const DnMachine *machine, GError *found, GError **error)
{
    if (!g_error_matches(found, DN_ERROR, DN_ERROR_RANGE)) {
        g_propagate_error(error, found);
        return FALSE;
    }
    dn_config_error(machine->config, DN_ERROR_RANGE, error, "%s", found->message);
    g_error_free(found);
    return FALSE;
}

DnRouter *dn_router_new(const DnMachine *machine, const DnConfigNode *node, GError **error)
{
    const DnRoutingType *type = chosen_type(machine, node, error);
    if (type == NULL || !check_ports(machine, error))
        return NULL;
    static const char *const ignore[] = {"algorithm", "mode",    "virtual_channels",
                                         "source",    "assumed", NULL};
    g_autoptr(DnParams) params = dn_params_read(node, type->params, ignore, error);
    if (params == NULL) {
        name_algorithm(type, error);
        return NULL;
    }
    g_autoptr(DnRouter) router = type->make(machine, params, error);
    if (router == NULL)
        return NULL;
    router->type = type;
    router->machine = machine;
    router->switches = machine->graph->size.switches;
    router->onward_from = type->onward_from - 1; /* 0: G_MAXUINT */
    if (machine->graph->size.node_vertices > 1) {
        router->node = dn_node_routing_new(machine->graph);
        router->channels = MAX(router->channels, MAX(1, router->node->longest));
    }
    router->channels_needed = router->channels;
    fill_exits(router);
    fill_homes(router);
    if (router->channels > DN_MAX_CHANNELS) {
        dn_config_error(node != NULL ? node : machine->config, DN_ERROR_RANGE, error,
                        "routing '%s' needs %u virtual channels on this machine; at most %d",
                        type->name, router->channels, DN_MAX_CHANNELS);
        return NULL;
    }
    gboolean any_nic = router->rails > 0 || router->leave_by_target;
    if (!check_nics(router, error) || !check_planes(router, error) ||
        !check_paths_to_nics(router, any_nic ? router->nics : 0, "hardware.rails", error) ||
        !read_common(router, node, error))
        return NULL;
    return g_steal_pointer(&router);
}

guint64 dn_router_memory_bytes(const DnTopologyType *type, const DnGraphSize *size)
{
    guint64 bytes = size->terminals * (guint64)sizeof(guint32) +
                    (guint64)size->nodes * size->node_vertices * sizeof(DnHome);
    if (type == NULL || type->shape == DN_SHAPE_TORUS) /* a few words a switch */
        return bytes;
    if (type->shape == DN_SHAPE_OTHER && size->groups == 1)
        return bytes + dn_path_table_memory_bytes(size);
    return bytes + dn_group_table_memory_bytes(size) + size->links;
}

void dn_router_free(DnRouter *router)
{
    if (router == NULL)
        return;
    dn_node_routing_free(router->node);
    dn_array_free((gpointer)router->exit_port);
    dn_array_free((gpointer)router->homes);
    router->type->free(router);
}

/* Returns the NIC that @rail, not DN_RAIL_OWN, is at an end whose own NIC is @own. */
static guint32 nic_of_rail(const DnRouter *router, guint32 own, guint32 rail)
{
    rail &= ~DN_RAIL_BY_NICS;
    if (rail < DN_RAIL_AFTER_OWN)
        return rail;
    return (own + rail - DN_RAIL_AFTER_OWN) % router->nics;
}

void dn_route_init_rail(const DnRouter *router, guint32 source, guint32 target, guint mode,
                        guint32 rail, DnRouteState *state)
{
    const DnGraph *g = router->machine->graph;
    const DnHome *from = &router->homes[source - g->size.switches];
    const DnHome *to = &router->homes[target - g->size.switches];
    *state = (DnRouteState){
        .target = target,
        .target_switch = DN_NONE,
        .via = DN_NONE,
        .flow = (guint32)dn_mix64(((guint64)source << 32) | target),
        .mode = (guint8)mode,
        .exit = DN_EXIT_NONE,
    };
    if (from->node == to->node && dn_rail_stays(rail))
        return;
    guint32 leave = router->leave_by_target ? to->rail : from->rail, enter = to->rail;
    state->target_switch = to->switch_;
    if (rail != DN_RAIL_OWN) {
        leave = nic_of_rail(router, leave, rail);
        enter = nic_of_rail(router, enter, rail);
        state->target_switch = g->terminal_switch[to->node * router->nics + enter];
    }
    state->phase = (guint8)leave;
    state->exit = (guint8)enter;
}

guint32 dn_route_answer_rail(const DnRouter *router, guint32 target, guint32 rail)
{
    if (!router->leave_by_target)
        return rail;
    guint32 own = router->homes[target - router->machine->graph->size.switches].rail;
    if (rail == DN_RAIL_OWN)
        return own;
    return nic_of_rail(router, own, rail) | (rail & DN_RAIL_BY_NICS);
}

void dn_route_init(const DnRouter *router, guint32 source, guint32 target, guint mode,
                   DnRouteState *state)
{
    dn_route_init_rail(router, source, target, mode, DN_RAIL_OWN, state);
}

gboolean dn_route_starts_fixed(const DnRouter *router, guint32 source, guint32 target, guint32 rail)
{
    DnRouteState state;
    gboolean leaves;
    if (router->node == NULL)
        return FALSE;
    dn_route_init_rail(router, source, target, 0, rail, &state);
    return (dn_route_node_ports(router, source, &state, &leaves) & DN_PORT_SET_SINGLE) != 0;
}

gboolean dn_router_split(DnRouter *router, guint parts, GError **error)
{
    parts = MIN(parts, router->nics);
    if (router->node == NULL || parts < 2 || router->rails > 1)
        return TRUE;
    if (router->rails == 1) {
        router->rails = parts;
        return TRUE;
    }
    if (!check_paths_to_nics(router, parts, "read_rails of a mechanism", error))
        return FALSE;
    router->split_rails = parts;
    router->entry_channel = MAX(1, router->node->longest) - 1;
    return TRUE;
}

DnHop dn_route_next(const DnRouter *router, guint32 vertex, DnRouteState *state,
                    const DnLoadView *load, guint64 draw)
{
    DnHop hop;
    if (dn_route_settled(router, vertex, state, &hop))
        return hop;
    if (vertex < router->switches) {
        if (state->hops == 0 && router->type->start != NULL)
            router->type->start(router, vertex, state, load, draw);
        hop = router->type->next(router, vertex, state, load, draw);
        hop.channel = dn_route_folded(router, hop.channel);
        dn_route_count_hop(state);
        return hop;
    }
    gboolean leaves; /* FALSE, or the hop were settled */
    DnPortSet set = dn_route_node_ports(router, vertex, state, &leaves);
    hop.channel = dn_route_node_channel(router, state);
    hop.port = dn_port_set_pick(router->node->sets, set, DN_PICK_ADAPTIVE, load, state->flow, draw);
    dn_route_count_hop(state);
    return hop;
}

/* Choices at a switch, after the possible starts. */
static guint fabric_choices(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                            DnHop *hops, DnRouteState *after, guint max)
{
    const DnRoutingType *type = router->type;
    guint n = 0;
    if (state->hops > 0 || type->starts == NULL) {
        n = type->choices(router, vertex, state, hops, after, max);
    } else {
        g_autofree DnRouteState *starts = g_new(DnRouteState, max);
        guint n_starts = type->starts(router, vertex, state, starts, max);
        for (guint s = 0; s < n_starts; s++)
            n += type->choices(router, vertex, &starts[s], hops + n, after + n, max - n);
    }
    for (guint i = 0; i < n; i++) {
        hops[i].channel = dn_route_folded(router, hops[i].channel);
        dn_route_count_hop(&after[i]);
    }
    return n;
}

guint dn_route_choices(const DnRouter *router, guint32 vertex, const DnRouteState *state,
                       DnHop *hops, DnRouteState *after, guint max)
{
    guint32 base = router->machine->graph->size.switches;
    g_assert(max > 0);
    if (vertex < base && vertex != state->target_switch)
        return fabric_choices(router, vertex, state, hops, after, max);
    after[0] = *state;
    if (vertex < base) {
        hops[0] = (DnHop){dn_route_entry_port(router, state), 0};
        after[0].hops = 0;
        return 1;
    }
    gboolean leaves;
    DnPortSet set = dn_route_node_ports(router, vertex, state, &leaves);
    guint8 channel = dn_route_node_channel(router, state);
    if (leaves) {
        hops[0] = (DnHop){set & 0xffff, channel};
        dn_route_enter_fabric(&after[0]);
        return 1;
    }
    guint n;
    guint16 single;
    const guint16 *ports = dn_port_set_list(router->node->sets, set, &n, &single);
    g_assert(n <= max);
    for (guint i = 0; i < n; i++) {
        hops[i] = (DnHop){ports[i], channel};
        after[i] = *state;
        dn_route_count_hop(&after[i]);
    }
    return n;
}
