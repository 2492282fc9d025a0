/* graph_builder.c - fills a graph of known size, then indexes it in O(V + L).
 *
 * All arrays are allocated once from the size; links are appended in pairs (id and id ^ 1), and a
 * counting sort over the sources makes the port tables, so equal calls give a bit-identical
 * graph. */
#include "topology/graph.h"

#include "base/shared_arrays.h"

struct DnGraphBuilder {
    DnGraph *graph;
    guint32 n_links;
    guint32 class_capacity; /* allocated classes */
    guint32 *wish;          /* [n_vertices] terminal asked for by an endpoint */
};

DnGraphBuilder *dn_graph_builder_new(const DnGraphSize *size)
{
    guint64 n = size->switches + (guint64)size->nodes * size->node_vertices;
    g_assert(n < DN_NONE && size->links % 2 == 0);
    g_assert(size->switches == 0 || size->group_switches > 0);
    DnGraph *g = g_new0(DnGraph, 1);
    g->size = *size;
    g->n_vertices = (guint32)n;
    g->vertices = dn_array_of(DnVertex, n);
    g->links = dn_array_of(DnLink, size->links);
    DnGraphBuilder *b = g_new0(DnGraphBuilder, 1);
    b->graph = g;
    b->wish = g_new(guint32, n);
    for (guint32 v = 0; v < n; v++) {
        DnVertex *vertex = &g->vertices[v];
        if (v < size->switches) {
            vertex->kind = DN_VERTEX_SWITCH;
            vertex->transit = 1;
            vertex->group = v / size->group_switches;
            vertex->local = v % size->group_switches;
            vertex->node = DN_NONE;
        } else {
            vertex->kind = DN_VERTEX_NIC;
            vertex->group = DN_NONE;
            vertex->local = (v - size->switches) % size->node_vertices;
            vertex->node = (v - size->switches) / size->node_vertices;
        }
        b->wish[v] = DN_NONE;
    }
    return b;
}

guint32 dn_graph_add_class(DnGraphBuilder *b, const DnLinkClass *class_)
{
    DnGraph *g = b->graph;
    if (g->n_classes == b->class_capacity) {
        b->class_capacity = b->class_capacity == 0 ? 8 : 2 * b->class_capacity;
        g->classes = g_renew(DnLinkClass, g->classes, b->class_capacity);
    }
    g->classes[g->n_classes] = *class_;
    g->classes[g->n_classes].name = g_strdup(class_->name);
    return g->n_classes++;
}

DnVertex *dn_graph_vertex(DnGraphBuilder *b, guint32 v)
{
    g_assert(v < b->graph->n_vertices);
    return &b->graph->vertices[v];
}

void dn_graph_add_cable(DnGraphBuilder *b, guint32 a, guint32 c, guint32 link_class, guint32 width)
{
    DnGraph *g = b->graph;
    g_assert(b->n_links + 2 <= g->size.links);
    g_assert(a < g->n_vertices && c < g->n_vertices && a != c && link_class < g->n_classes);
    g->links[b->n_links++] = (DnLink){a, c, link_class, width};
    g->links[b->n_links++] = (DnLink){c, a, link_class, width};
}

const DnLink *dn_graph_builder_links(const DnGraphBuilder *b, guint32 *n)
{
    *n = b->n_links;
    return b->graph->links;
}

guint32 dn_graph_builder_remove(DnGraphBuilder *b, const guint8 *failed)
{
    DnGraph *g = b->graph;
    guint32 kept = 0, n = b->n_links / 2;
    for (guint32 c = 0; c < n; c++) {
        if (failed[c])
            continue;
        memmove(&g->links[2 * kept], &g->links[2 * c], 2 * sizeof *g->links);
        kept++;
    }
    b->n_links = 2 * kept;
    g->size.links -= 2 * (n - kept);
    return n - kept;
}

void dn_graph_set_endpoint(DnGraphBuilder *b, guint32 v, guint32 terminal)
{
    g_assert(v < b->graph->n_vertices);
    b->graph->vertices[v].endpoint = 1;
    b->wish[v] = terminal;
}

void dn_graph_set_host(DnGraphBuilder *b, guint32 v, guint32 terminal)
{
    g_assert(v < b->graph->n_vertices && b->graph->vertices[v].kind == DN_VERTEX_CPU);
    b->wish[v] = terminal;
}

void dn_graph_name_vertex(DnGraphBuilder *b, guint32 local, const char *name)
{
    DnGraph *g = b->graph;
    g_assert(local < g->size.node_vertices);
    if (g->vertex_names == NULL)
        g->vertex_names = g_new0(char *, g->size.node_vertices);
    g_free(g->vertex_names[local]);
    g->vertex_names[local] = g_strdup(name);
}

void dn_graph_builder_free(DnGraphBuilder *b)
{
    if (b == NULL)
        return;
    dn_graph_free(b->graph);
    g_free(b->wish);
    g_free(b);
}

/* Counting sort of the links by source; ports of a vertex stand in link order. */
static void index_ports(DnGraph *g)
{
    guint32 n = g->n_vertices, n_links = g->size.links;
    g->port_first = dn_array_of(guint32, n + 1);
    g->ports = dn_array_of(guint32, n_links);
    g->link_port = dn_array_of(guint32, n_links);
    for (guint32 l = 0; l < n_links; l++)
        g->port_first[g->links[l].src + 1]++;
    for (guint32 v = 0; v < n; v++)
        g->port_first[v + 1] += g->port_first[v];
    g_autofree guint32 *next = g_new(guint32, n + 1);
    memcpy(next, g->port_first, (n + 1) * sizeof *next);
    for (guint32 l = 0; l < n_links; l++) {
        guint32 src = g->links[l].src;
        g->link_port[l] = next[src] - g->port_first[src];
        g->ports[next[src]++] = l;
    }
}

/* First fabric switch @v has a cable to, or DN_NONE. */
static guint32 first_switch(const DnGraph *g, guint32 v)
{
    for (guint32 i = g->port_first[v]; i < g->port_first[v + 1]; i++) {
        guint32 dst = g->links[g->ports[i]].dst;
        if (dst < g->size.switches)
            return dst;
    }
    return DN_NONE;
}

static void index_terminals(DnGraph *g)
{
    guint32 n_terminals = 0;
    g->terminals = dn_array_of(guint32, g->size.terminals);
    g->terminal_switch = dn_array_of(guint32, g->size.terminals);
    for (guint32 v = g->size.switches; v < g->n_vertices && g->size.terminals > 0; v++) {
        guint32 at = g->vertices[v].kind == DN_VERTEX_NIC ? first_switch(g, v) : DN_NONE;
        if (g->vertices[v].kind != DN_VERTEX_NIC || (g->size.switches > 0 && at == DN_NONE))
            continue;
        g_assert(n_terminals < g->size.terminals);
        g->terminals[n_terminals] = v;
        g->terminal_switch[n_terminals++] = at;
    }
    g_assert(n_terminals == g->size.terminals);
}

static gboolean is_host(const DnVertex *vertex)
{
    return vertex->kind == DN_VERTEX_CPU && !vertex->endpoint;
}

/* Behind the endpoints: the CPUs on which no rank lives. */
static void index_hosts(DnGraph *g, const guint32 *wish)
{
    guint32 n = g->size.endpoints;
    for (guint32 v = 0; v < g->n_vertices; v++) {
        if (!is_host(&g->vertices[v]))
            continue;
        g->endpoint_of[v] = n;
        g->endpoints[n] = v;
        g->endpoint_terminal[n++] = wish[v];
    }
    g_assert(n == g->size.endpoints + g->size.hosts);
}

/* Breadth first inside the node of @start, in the order of ports: the first host, lowest of the
 * nearest. */
static guint32 nearest_host(const DnGraph *g, guint32 start, guint32 *queue, guint8 *seen)
{
    guint32 node = g->vertices[start].node, head = 0, tail = 0, best = DN_NONE;
    guint32 base = g->size.switches + node * g->size.node_vertices, level_end = 1;
    memset(seen, 0, g->size.node_vertices);
    queue[tail++] = start;
    seen[start - base] = 1;
    while (head < tail && (best == DN_NONE || head < level_end)) {
        guint32 v = queue[head++];
        if (is_host(&g->vertices[v]))
            best = MIN(best, g->endpoint_of[v]);
        for (guint32 i = g->port_first[v]; i < g->port_first[v + 1]; i++) {
            guint32 to = g->links[g->ports[i]].dst;
            if (to < g->size.switches || g->vertices[to].node != node || seen[to - base])
                continue;
            seen[to - base] = 1;
            queue[tail++] = to;
        }
        if (head == level_end && best == DN_NONE)
            level_end = tail;
    }
    return best;
}

/* Nodes are equal: what holds in the first holds in all. */
static void find_hosts(DnGraph *g)
{
    g_autofree guint32 *queue = g_new(guint32, g->size.node_vertices + 1);
    g_autofree guint8 *seen = g_new(guint8, g->size.node_vertices + 1);
    guint32 per_node = g->size.nodes > 0 ? g->size.endpoints / g->size.nodes : 0;
    guint32 hosts = g->size.nodes > 0 ? g->size.hosts / g->size.nodes : 0;
    g->endpoint_host = dn_array_of(guint32, g->size.endpoints);
    for (guint32 e = 0; e < g->size.endpoints; e++) {
        guint32 node = per_node > 0 ? e / per_node : 0;
        if (g->size.hosts == 0)
            g->endpoint_host[e] = DN_NONE;
        else if (node == 0)
            g->endpoint_host[e] = nearest_host(g, g->endpoints[e], queue, seen);
        else
            g->endpoint_host[e] = g->endpoint_host[e - per_node] == DN_NONE
                                      ? DN_NONE
                                      : g->endpoint_host[e - per_node] + hosts;
    }
}

static void index_endpoints(DnGraph *g, const guint32 *wish)
{
    guint32 n_endpoints = 0;
    g->size.hosts = 0;
    for (guint32 v = 0; v < g->n_vertices; v++)
        g->size.hosts += is_host(&g->vertices[v]);
    g->endpoints = dn_array_of(guint32, g->size.endpoints + g->size.hosts);
    g->endpoint_terminal = dn_array_of(guint32, g->size.endpoints + g->size.hosts);
    g->endpoint_of = dn_array_of(guint32, g->n_vertices);
    for (guint32 v = 0; v < g->n_vertices; v++) {
        g->endpoint_of[v] = DN_NONE;
        if (!g->vertices[v].endpoint)
            continue;
        g_assert(n_endpoints < g->size.endpoints);
        g->endpoint_of[v] = n_endpoints;
        g->endpoints[n_endpoints] = v;
        g->endpoint_terminal[n_endpoints++] = wish[v];
    }
    g_assert(n_endpoints == g->size.endpoints);
    index_hosts(g, wish);
    find_hosts(g);
}

DnGraph *dn_graph_builder_seal_checked(DnGraphBuilder *b, GError **error)
{
    g_autoptr(DnGraph) g = g_steal_pointer(&b->graph);
    g_assert(b->n_links == g->size.links);
    index_ports(g);
    index_terminals(g);
    index_endpoints(g, b->wish);
    dn_graph_builder_free(b);
    if (!dn_graph_check(g, error))
        return NULL;
    return g_steal_pointer(&g);
}

DnGraph *dn_graph_builder_seal(DnGraphBuilder *b)
{
    g_autoptr(GError) error = NULL;
    DnGraph *g = dn_graph_builder_seal_checked(b, &error);
    g_assert_no_error(error);
    return g;
}
