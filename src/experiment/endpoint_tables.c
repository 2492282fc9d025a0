/* endpoint_tables.c - see endpoint_tables.h. */
#include "experiment/endpoint_tables.h"

guint32 *dn_endpoint_nodes(const DnGraph *graph)
{
    guint32 *node_of = g_new(guint32, graph->size.endpoints);
    for (guint32 e = 0; e < graph->size.endpoints; e++)
        node_of[e] = graph->vertices[graph->endpoints[e]].node;
    return node_of;
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
        address[e] = v == NULL ? e : v->group << 11 | (v->local & 31) << 6 | (port[t] & 63);
    }
    return address;
}
