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

static DnPortSet ports_closer(const DnGraph *g, DnPortSets *sets, guint32 from, guint32 to,
                              const guint *distance)
{
    guint32 base = g->size.switches, first = g->port_first[base + from];
    guint32 degree = dn_graph_degree(g, base + from);
    g_autofree guint16 *ports = g_new(guint16, degree + 1);
    guint n = 0;
    for (guint32 p = 0; p < degree; p++) {
        guint32 peer = g->links[g->ports[first + p]].dst;
        if (peer < base || distance[peer - base] == G_MAXUINT)
            continue;
        gboolean passable = peer - base == to || g->vertices[peer].transit;
        if (passable && distance[peer - base] + 1 == distance[from])
            ports[n++] = (guint16)p;
    }
    return n == 0 ? DN_PORT_SET_EMPTY : dn_port_sets_add(sets, ports, n);
}

DnNodeRouting *dn_node_routing_new(const DnGraph *g)
{
    guint32 m = g->size.node_vertices, base = g->size.switches;
    DnNodeRouting *node = g_new0(DnNodeRouting, 1);
    node->vertices = m;
    node->sets = dn_port_sets_new();
    node->next = g_new(DnPortSet, (gsize)m * m);
    node->uplink = g_new(guint16, m);
    g_autofree guint *distance = g_new(guint, m);
    for (guint32 to = 0; to < m; to++) {
        distances_to(g, to, distance);
        for (guint32 from = 0; from < m; from++) {
            gboolean known = from != to && distance[from] != G_MAXUINT;
            node->next[from * m + to] = known ? ports_closer(g, node->sets, from, to, distance)
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
