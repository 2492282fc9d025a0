/* settled.h - Hops without a choice, in line: at the target's switch, inside a node where one link
 * alone is next, and onward by the tables of group_path.h. dn_route_next() (routing.h) begins with
 * them, and engines may do so themselves. */
#pragma once
#include "routing/group_path.h"
#include "routing/node_routing.h"

/* Returns the port of the last switch towards the NIC by which the packet enters the node. */
static inline guint32 dn_route_entry_port(const DnRouter *router, const DnRouteState *state)
{
    const DnHome *home = &router->homes[state->target - router->switches];
    guint32 enter = dn_exit_enter(state->exit);
    return enter == home->rail ? home->port : router->exit_port[home->node * router->nics + enter];
}

static inline void dn_route_count_hop(DnRouteState *state)
{
    if (state->hops < G_MAXUINT8)
        state->hops++;
}

/* Maps the highest channels onto one when there are fewer than needed. */
static inline guint8 dn_route_folded(const DnRouter *router, guint8 channel)
{
    return (guint8)MIN((guint)channel, router->channels - 1);
}

static inline void dn_route_enter_fabric(DnRouteState *state)
{
    state->exit |= DN_EXIT_LEFT;
    state->hops = 0;
    state->phase = 0;
}

/* Returns the port set of the next link inside a node; *@leaves: that link leads to the fabric. */
static inline DnPortSet dn_route_node_ports(const DnRouter *router, guint32 vertex,
                                            const DnRouteState *state, gboolean *leaves)
{
    const DnGraph *g = router->machine->graph;
    const DnNodeRouting *node = router->node;
    *leaves = node == NULL;
    if (node == NULL) /* the node is one NIC: its only port is the fabric's */
        return DN_PORT_SET_SINGLE | 0;
    guint32 local = g->vertices[vertex].local;
    if (state->exit & DN_EXIT_LEFT) /* or DN_EXIT_NONE: towards the target itself */
        return node->next[local * node->vertices + g->vertices[state->target].local];
    guint32 nic = g->vertices[g->terminals[state->phase]].local; /* node 0's: alike */
    if (local != nic)
        return node->next[local * node->vertices + nic];
    *leaves = TRUE;
    return DN_PORT_SET_SINGLE | node->uplink[local];
}

static inline gboolean dn_route_enters_elsewhere(const DnRouter *router, const DnRouteState *state)
{
    guint32 local = state->target - router->machine->graph->size.switches;
    return state->exit != DN_EXIT_NONE && (state->exit & DN_EXIT_LEFT) != 0 &&
           dn_exit_enter(state->exit) != router->homes[local].rail;
}

static inline guint8 dn_route_node_channel(const DnRouter *router, const DnRouteState *state)
{
    guint channel = state->hops;
    if (router->split_rails > 1 && dn_route_enters_elsewhere(router, state))
        channel += router->entry_channel;
    return (guint8)MIN(channel, router->channels - 1);
}

/* Does what dn_route_next() does at a vertex of a node where one link alone is next; else FALSE. */
static inline gboolean dn_route_node_settled(const DnRouter *router, guint32 vertex,
                                             DnRouteState *state, DnHop *hop)
{
    gboolean leaves;
    DnPortSet set = dn_route_node_ports(router, vertex, state, &leaves);
    if (!(set & DN_PORT_SET_SINGLE))
        return FALSE;
    *hop = (DnHop){set & 0xffff, dn_route_node_channel(router, state)};
    if (leaves)
        dn_route_enter_fabric(state);
    else
        dn_route_count_hop(state);
    return TRUE;
}

/* Does what dn_route_next() does where there is neither a choice nor a draw; else FALSE, and @state
 * is as before. */
static inline gboolean dn_route_settled(const DnRouter *router, guint32 vertex, DnRouteState *state,
                                        DnHop *hop)
{
    if (vertex >= router->switches) {
        if (router->node != NULL)
            return dn_route_node_settled(router, vertex, state, hop);
        *hop = (DnHop){0, dn_route_folded(router, state->hops)}; /* a NIC has one port */
        dn_route_enter_fabric(state);
        return TRUE;
    }
    if (vertex == state->target_switch) {
        state->hops = 0;
        *hop = (DnHop){dn_route_entry_port(router, state), 0};
        return TRUE;
    }
    if (state->hops < router->onward_from ||
        !dn_group_settled((const DnGroupRouter *)router, vertex, state, hop))
        return FALSE;
    hop->channel = dn_route_folded(router, hop->channel);
    dn_route_count_hop(state);
    return TRUE;
}
