/* node_routing.c - see node_routing.h. */
#include "routing/node_routing.h"

/* Hops from every vertex of node 0 to local vertex @to; G_MAXUINT: unreachable. */
static void distances_to(const DnGraph *g, guint32 to, guint *distance)
{
    guint32 base = g->size.switches, m = g->size.node_vertices;
    g_autofree guint32 *queue = g_new(guint32, m);
    guint head = 0, tail = 0;
    for (guint32 i = 0; i < m; i++)
        distance[i] = G_MAXUINT;
    distance[to] = 0;
    queue[tail++] = to;
    while (head < tail) {
        guint32 v = queue[head++];
        if (v != to && !g->vertices[base + v].transit)
            continue; /* an end of paths only */
        for (guint32 p = g->port_first[base + v]; p < g->port_first[base + v + 1]; p++) {
            guint32 from = g->links[g->ports[p]].dst;
            if (from < base || distance[from - base] != G_MAXUINT)
                continue;
            distance[from - base] = distance[v] + 1;
            queue[tail++] = from - base;
        }
    }
}

/* One hop nearer: in a vertex that may be passed, or at the end. */
static gboolean is_closer(const DnGraph *g, guint32 from, guint32 peer, guint32 to,
                          const guint *distance)
{
    return distance[peer] != G_MAXUINT && distance[peer] + 1 == distance[from] &&
           (peer == to || g->vertices[g->size.switches + peer].transit);
}

/* The narrowest link of the widest shortest path from @from through @link; 0: not on one. */
static gint64 width_through(const DnGraph *g, guint32 link, guint32 to, const guint *distance,
                            const gint64 *width_bps)
{
    guint32 base = g->size.switches, from = g->links[link].src - base;
    if (g->links[link].dst < base || !is_closer(g, from, g->links[link].dst - base, to, distance))
        return 0;
    return MIN(dn_link_bandwidth_bps(g, link), width_bps[g->links[link].dst - base]);
}

/* Computes the width to @to of every vertex that reaches it, by rising distance. */
static void widths_to(const DnGraph *g, guint32 to, const guint *distance, gint64 *width_bps)
{
    guint32 base = g->size.switches, m = g->size.node_vertices;
    width_bps[to] = G_MAXINT64;
    for (guint d = 1; d < m; d++)
        for (guint32 from = 0; from < m; from++) {
            if (distance[from] != d)
                continue;
            width_bps[from] = 0;
            for (guint32 p = g->port_first[base + from]; p < g->port_first[base + from + 1]; p++)
                width_bps[from] =
                    MAX(width_bps[from], width_through(g, g->ports[p], to, distance, width_bps));
        }
}

/* The ports to the first vertex on a widest shortest path: several where links are not bundled. */
static DnPortSet ports_closer(const DnGraph *g, DnPortSets *sets, guint32 from, guint32 to,
                              const guint *distance, const gint64 *width_bps)
{
    guint32 base = g->size.switches, first = g->port_first[base + from], next = DN_NONE;
    guint32 degree = dn_graph_degree(g, base + from);
    g_autofree guint16 *ports = g_new(guint16, degree + 1);
    guint n = 0;
    for (guint32 p = 0; p < degree; p++) {
        guint32 link = g->ports[first + p], peer = g->links[link].dst;
        gint64 through_bps = width_through(g, link, to, distance, width_bps);
        if (through_bps < width_bps[from] || (next != DN_NONE && peer != next))
            continue;
        next = peer;
        ports[n++] = (guint16)p;
    }
    g_assert(n > 0);
    return dn_port_sets_add(sets, ports, n, DN_PORT_SET_EMPTY);
}

DnNodeRouting *dn_node_routing_new(const DnGraph *g)
{
    guint32 m = g->size.node_vertices, base = g->size.switches;
    DnNodeRouting *node = g_new0(DnNodeRouting, 1);
    node->vertices = m;
    node->sets = dn_port_sets_new();
    node->next = g_new(DnPortSet, (gsize)m * m);
    node->uplink = g_new(guint16, m);
    g_autofree guint *distance = g_new0(guint, m);
    g_autofree gint64 *width_bps = g_new0(gint64, m);
    for (guint32 to = 0; to < m; to++) {
        distances_to(g, to, distance);
        widths_to(g, to, distance, width_bps);
        for (guint32 from = 0; from < m; from++) {
            gboolean known = from != to && distance[from] != G_MAXUINT;
            node->next[from * m + to] =
                known ? ports_closer(g, node->sets, from, to, distance, width_bps)
                      : DN_PORT_SET_EMPTY;
            if (known)
                node->longest = MAX(node->longest, distance[from]);
        }
    }
    for (guint32 v = 0; v < m; v++) {
        node->uplink[v] = G_MAXUINT16;
        for (guint32 p = 0; p < dn_graph_degree(g, base + v); p++)
            if (g->links[g->ports[g->port_first[base + v] + p]].dst < base)
                node->uplink[v] = (guint16)p;
    }
    dn_port_sets_close(node->sets);
    return node;
}

void dn_node_routing_free(DnNodeRouting *node)
{
    if (node == NULL)
        return;
    dn_port_sets_free(node->sets);
    g_free(node->next);
    g_free(node->uplink);
    g_free(node);
}
