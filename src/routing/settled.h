/* settled.h - Hops without a choice, in line: at the target's switch, and onward by the tables of
 * group_path.h. dn_route_next() (routing.h) begins with them, and engines may do so themselves. */
#pragma once
#include "routing/group_path.h"

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

/* Does what dn_route_next() does where there is neither a choice nor a draw; else FALSE, and @state
 * is as before. */
static inline gboolean dn_route_settled(const DnRouter *router, guint32 vertex, DnRouteState *state,
                                        DnHop *hop)
{
    if (vertex >= router->switches) {
        if (router->node != NULL)
            return FALSE;
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
