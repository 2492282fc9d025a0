/* endpoint_tables.c - see endpoint_tables.h. */
#include "experiment/endpoint_tables.h"

guint32 *dn_endpoint_nodes(const DnGraph *graph)
{
    guint32 *node_of = g_new(guint32, graph->size.endpoints);
    for (guint32 e = 0; e < graph->size.endpoints; e++)
        node_of[e] = graph->vertices[graph->endpoints[e]].node;
    return node_of;
}

/* Returns the port of a switch's terminal @n. A node's first NIC on a switch has the odd port. */
static guint32 edge_port(guint32 n)
{
    static const guint8 ports[] = {51, 50, 3, 2, 35, 34, 19, 18, 49, 48, 1, 0, 33, 32, 17, 16};
    return n < G_N_ELEMENTS(ports) ? ports[n] : n & 63;
}

guint32 *dn_endpoint_adapters(const DnGraph *graph)
{
    g_autofree guint32 *first = g_new(guint32, graph->size.terminals + 1);
    guint32 *adapter_of = g_new(guint32, graph->size.endpoints);
    for (guint32 e = graph->size.endpoints; e-- > 0;)
        if (graph->endpoint_terminal[e] != DN_NONE)
            first[graph->endpoint_terminal[e]] = e;
    for (guint32 e = 0; e < graph->size.endpoints; e++) {
        guint32 t = graph->endpoint_terminal[e];
        adapter_of[e] = t != DN_NONE ? first[t] : e;
    }
    return adapter_of;
}

/* Returns the CPU of @vertex: of a core its neighbour, which is no endpoint; else itself. */
static guint32 cpu_of_core(const DnGraph *g, guint32 vertex)
{
    if (g->vertices[vertex].kind != DN_VERTEX_CPU)
        return vertex;
    for (guint32 p = g->port_first[vertex]; p < g->port_first[vertex + 1]; p++) {
        guint32 next = g->links[g->ports[p]].dst;
        if (g->vertices[next].kind == DN_VERTEX_CPU && !g->vertices[next].endpoint)
            return next;
    }
    return vertex;
}

guint32 *dn_endpoint_cpus(const DnGraph *graph)
{
    g_autofree guint32 *first = g_new(guint32, graph->n_vertices);
    guint32 *cpu_of = g_new(guint32, graph->size.endpoints);
    for (guint32 e = graph->size.endpoints; e-- > 0;)
        first[cpu_of_core(graph, graph->endpoints[e])] = e;
    for (guint32 e = 0; e < graph->size.endpoints; e++)
        cpu_of[e] = first[cpu_of_core(graph, graph->endpoints[e])];
    return cpu_of;
}

guint32 *dn_endpoint_nic_addresses(const DnGraph *graph)
{
    g_autofree guint32 *port = g_new0(guint32, graph->size.terminals);
    g_autofree guint32 *used = g_new0(guint32, graph->n_vertices);
    guint32 *address = g_new(guint32, graph->size.endpoints);
    for (guint32 t = 0; t < graph->size.terminals; t++)
        if (graph->terminal_switch[t] != DN_NONE)
            port[t] = used[graph->terminal_switch[t]]++;
    for (guint32 e = 0; e < graph->size.endpoints; e++) {
        guint32 t = graph->endpoint_terminal[e];
        guint32 at = t == DN_NONE ? DN_NONE : graph->terminal_switch[t];
        const DnVertex *v = at == DN_NONE ? NULL : &graph->vertices[at];
        address[e] = v == NULL ? e : v->group << 11 | (v->local & 31) << 6 | edge_port(port[t]);
    }
    return address;
}
