/* graph.c - names, size and release of the one graph (graph.h). */
#include "topology/graph.h"

#include "base/shared_arrays.h"

const char *dn_vertex_kind_name(DnVertexKind kind)
{
    static const char *const names[DN_VERTEX_KINDS] = {
        [DN_VERTEX_SWITCH] = "switch", [DN_VERTEX_NIC] = "nic",           [DN_VERTEX_GPU] = "gpu",
        [DN_VERTEX_CPU] = "cpu",       [DN_VERTEX_NVSWITCH] = "nvswitch",
    };
    g_assert(kind < DN_VERTEX_KINDS);
    return names[kind];
}

const char *dn_endpoint_kind_name(const DnGraph *g)
{
    return dn_vertex_kind_name((DnVertexKind)g->vertices[g->endpoints[0]].kind);
}

const char *dn_vertex_name(const DnGraph *g, guint32 v, char buf[64])
{
    const DnVertex *vertex = &g->vertices[v];
    if (vertex->kind == DN_VERTEX_SWITCH) {
        if (g->size.groups > 1)
            g_snprintf(buf, 64, "switch %u (group %u.%u)", v, vertex->group, vertex->local);
        else
            g_snprintf(buf, 64, "switch %u", v);
    } else if (g->vertex_names != NULL && g->vertex_names[vertex->local] != NULL) {
        g_snprintf(buf, 64, "node %u %s", vertex->node, g->vertex_names[vertex->local]);
    } else {
        g_snprintf(buf, 64, "node %u %s%u", vertex->node, dn_vertex_kind_name(vertex->kind),
                   vertex->local);
    }
    return buf;
}

const char *dn_link_name(const DnGraph *g, guint32 l, char buf[160])
{
    char src[64], dst[64];
    const DnLink *link = &g->links[l];
    g_snprintf(buf, 160, "%s -> %s (%s)", dn_vertex_name(g, link->src, src),
               dn_vertex_name(g, link->dst, dst), g->classes[link->link_class].name);
    return buf;
}

guint64 dn_graph_memory_bytes(const DnGraphSize *size)
{
    guint64 vertices = size->switches + (guint64)size->nodes * size->node_vertices;
    /* Per vertex: itself, port_first, endpoint_of. Per link: itself, ports, link_port. */
    return vertices * (sizeof(DnVertex) + 2 * sizeof(guint32)) +
           size->links * (guint64)(sizeof(DnLink) + 2 * sizeof(guint32)) +
           size->terminals * (guint64)(2 * sizeof(guint32)) +
           size->endpoints * (guint64)(2 * sizeof(guint32)) + sizeof(DnGraph);
}

void dn_graph_free(DnGraph *graph)
{
    if (graph == NULL)
        return;
    for (guint32 c = 0; c < graph->n_classes; c++)
        g_free(graph->classes[c].name);
    if (graph->vertex_names != NULL)
        for (guint32 m = 0; m < graph->size.node_vertices; m++)
            g_free(graph->vertex_names[m]);
    g_free(graph->vertex_names);
    dn_array_free(graph->vertices);
    dn_array_free(graph->links);
    g_free(graph->classes);
    dn_array_free(graph->port_first);
    dn_array_free(graph->ports);
    dn_array_free(graph->link_port);
    dn_array_free(graph->terminals);
    dn_array_free(graph->terminal_switch);
    dn_array_free(graph->endpoints);
    dn_array_free(graph->endpoint_of);
    dn_array_free(graph->endpoint_terminal);
    dn_array_free(graph->endpoint_host);
    g_free(graph);
}
