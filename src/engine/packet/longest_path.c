/* longest_path.c - The longest path of an idle network is the sum of three: from an endpoint to a
 * NIC of its node, over the fabric, and from a NIC to an endpoint.
 *
 * All nodes have the same graph, so those inside a node are found in the first one, as its routing
 * takes them. Over the fabric one search, from the first terminal to every leaf switch, stands for
 * all pairs; a switch to which no node of this run is attached counts as well, so that a part of a
 * machine has the longest path of the whole.
 * LIMITATIONS: where a fabric is not the same from every leaf, another terminal's longest path may
 * be longer than that of the first, which is a corner of a mesh. */
#include "engine/packet/longest_path.h"

#include "routing/path.h"
#include "topology/hop_latency.h"

/* Returns the time from @source to @target, vertices of one node. */
static gint64 inside_node_ps(const DnRouter *router, guint32 source, guint32 target)
{
    DnPath path = dn_path_begin(router, source, target, router->mode, DN_RAIL_OWN);
    gint64 latency_ps = 0;
    while (dn_path_next(&path, &dn_load_idle, 0))
        latency_ps += dn_hop_latency_ps(router->machine->graph, path.link);
    return latency_ps;
}

/* Returns the longest path to a NIC of the node plus the longest from one. */
static gint64 node_legs_ps(const DnRouter *router)
{
    const DnGraph *g = router->machine->graph;
    gboolean own_nic = router->rails == 0 && router->split_rails < 2 && !router->leave_by_target;
    gint64 out_ps = 0, in_ps = 0;
    if (router->node == NULL)
        return 0;
    for (guint32 v = g->size.switches; v < g->size.switches + g->size.node_vertices; v++) {
        guint32 endpoint = g->endpoint_of[v];
        if (endpoint == DN_NONE || g->endpoint_terminal[endpoint] == DN_NONE)
            continue;
        for (guint32 t = 0; t < router->nics; t++) {
            if (own_nic && t != router->homes[v - g->size.switches].rail)
                continue;
            out_ps = MAX(out_ps, inside_node_ps(router, v, g->terminals[t]));
            in_ps = MAX(in_ps, inside_node_ps(router, g->terminals[t], v));
        }
    }
    return out_ps + in_ps;
}

/* Fills path_ps [switches] with the time from terminal 0; G_MAXINT64: there is no path. Returns the
 * time of the link by which that terminal is reached. */
static gint64 search_fabric(const DnGraph *g, gint64 *path_ps)
{
    g_autofree guint8 *queued = g_new0(guint8, g->size.switches + 1);
    g_autoptr(GQueue) queue = g_queue_new();
    guint32 v = g->terminals[0];
    gint64 at_ps = 0, last_ps = 0;
    for (guint32 s = 0; s < g->size.switches; s++)
        path_ps[s] = G_MAXINT64;
    for (;;) {
        for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++) {
            guint32 link = g->ports[p], to = g->links[link].dst;
            if (to >= g->size.switches)
                continue;
            if (v >= g->size.switches)
                last_ps = dn_hop_latency_ps(g, link ^ 1);
            gint64 there_ps = at_ps + dn_hop_latency_ps(g, link);
            if (there_ps >= path_ps[to])
                continue;
            path_ps[to] = there_ps;
            if (!queued[to])
                g_queue_push_tail(queue, GUINT_TO_POINTER(to));
            queued[to] = TRUE;
        }
        if (g_queue_is_empty(queue))
            return last_ps;
        v = GPOINTER_TO_UINT(g_queue_pop_head(queue));
        queued[v] = FALSE;
        at_ps = path_ps[v];
    }
}

void dn_longest_paths(const DnRouter *router, gint64 *longest_ps)
{
    const DnGraph *g = router->machine->graph;
    g_autofree gint64 *path_ps = g_new(gint64, g->size.switches + 1);
    gint64 last_ps = search_fabric(g, path_ps), legs_ps = node_legs_ps(router);
    guint32 first = g->size.switches > 0 ? g->terminal_switch[0] : 0;
    for (guint apart = 0; apart < DN_APARTS; apart++)
        longest_ps[apart] = legs_ps;
    for (guint32 s = 0; s < g->size.switches; s++) {
        if (g->vertices[s].level != 0 || path_ps[s] == G_MAXINT64)
            continue;
        guint apart = s == first                                         ? DN_APART_SWITCH
                      : g->vertices[s].group == g->vertices[first].group ? DN_APART_GROUP
                                                                         : DN_APART_FABRIC;
        longest_ps[apart] = MAX(longest_ps[apart], path_ps[s] + last_ps + legs_ps);
    }
    for (guint apart = 1; apart < DN_APARTS; apart++)
        longest_ps[apart] = MAX(longest_ps[apart], longest_ps[apart - 1]);
}
