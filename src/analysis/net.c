/* net.c - see net.h. */
#include "analysis/net.h"

#include <string.h>

/* Arcs of @v's kept neighbours, parallel links added up. @slot: [graph vertices] scratch,
 * DN_NONE. */
static void add_arcs(DnNet *net, const DnGraph *g, guint32 u, const guint32 *index, guint32 *slot)
{
    guint32 v = net->vertex[u], first = net->n_arcs;
    for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++) {
        guint32 l = g->ports[p], dst = g->links[l].dst;
        if (index[dst] == DN_NONE)
            continue;
        if (slot[dst] == DN_NONE) {
            slot[dst] = net->n_arcs;
            net->from[net->n_arcs] = u;
            net->to[net->n_arcs] = index[dst];
            net->kind[net->n_arcs] = g->links[l].link_class;
            net->width[net->n_arcs] = 0;
            net->capacity_bps[net->n_arcs++] = 0;
        }
        net->link_arc[l] = slot[dst];
        net->width[slot[dst]] += g->links[l].width;
        net->capacity_bps[slot[dst]] += (double)dn_link_bandwidth_bps(g, l);
    }
    for (guint32 a = first; a < net->n_arcs; a++)
        slot[net->vertex[net->to[a]]] = DN_NONE;
    net->first[u + 1] = net->n_arcs;
}

static void pair_arcs(DnNet *net, guint32 n_links)
{
    for (guint32 l = 0; l < n_links; l++)
        if (net->link_arc[l] != DN_NONE)
            net->reverse[net->link_arc[l]] = net->link_arc[l ^ 1];
}

/* @keep: [graph vertices], nonzero for those in the net, in order; arcs between them only. */
static DnNet *net_new(const DnGraph *g, const guint8 *keep)
{
    DnNet *net = g_new0(DnNet, 1);
    g_autofree guint32 *index = g_new(guint32, g->n_vertices);
    g_autofree guint32 *slot = g_new(guint32, g->n_vertices);
    gsize most_arcs = 0;
    for (guint32 v = 0; v < g->n_vertices; v++) {
        slot[v] = DN_NONE;
        index[v] = keep[v] ? net->n++ : DN_NONE;
        most_arcs += keep[v] ? dn_graph_degree(g, v) : 0;
    }
    net->vertex = g_new(guint32, net->n);
    net->link_arc = g_new(guint32, g->size.links);
    memset(net->link_arc, 0xff, g->size.links * sizeof *net->link_arc);
    net->transit = g_new(guint8, net->n);
    net->first = g_new0(guint32, net->n + 1);
    net->from = g_new(guint32, most_arcs);
    net->to = g_new(guint32, most_arcs);
    net->reverse = g_new(guint32, most_arcs);
    net->width = g_new(double, most_arcs);
    net->capacity_bps = g_new(double, most_arcs);
    net->kind = g_new(guint32, most_arcs);
    for (guint32 v = 0; v < g->n_vertices; v++)
        if (keep[v]) {
            net->vertex[index[v]] = v;
            net->transit[index[v]] = g->vertices[v].transit || v < g->size.switches;
        }
    for (guint32 u = 0; u < net->n; u++)
        add_arcs(net, g, u, index, slot);
    pair_arcs(net, g->size.links);
    return net;
}

DnNet *dn_net_fabric(const DnGraph *g)
{
    if (g->size.switches == 0)
        return NULL;
    g_autofree guint8 *keep = g_new0(guint8, g->n_vertices);
    memset(keep, 1, g->size.switches);
    return net_new(g, keep);
}

DnNet *dn_net_node(const DnGraph *g, guint32 node, gboolean direct)
{
    g_autofree guint8 *keep = g_new0(guint8, g->n_vertices);
    guint32 first = g->size.switches + node * g->size.node_vertices;
    for (guint32 v = first; direct && v < first + g->size.node_vertices; v++)
        keep[v] = g->vertices[v].endpoint || g->vertices[v].kind == DN_VERTEX_NVSWITCH;
    if (direct) {
        DnNet *net = net_new(g, keep);
        if (dn_net_connects(net, g))
            return net;
        dn_net_free(net);
    }
    memset(keep + first, 1, g->size.node_vertices);
    return net_new(g, keep);
}

void dn_net_free(DnNet *net)
{
    if (net == NULL)
        return;
    g_free(net->first);
    g_free(net->from);
    g_free(net->to);
    g_free(net->reverse);
    g_free(net->width);
    g_free(net->capacity_bps);
    g_free(net->kind);
    g_free(net->transit);
    g_free(net->vertex);
    g_free(net->link_arc);
    g_free(net);
}

guint32 dn_net_arc(const DnNet *net, guint32 u, guint32 v)
{
    for (guint32 a = net->first[u]; a < net->first[u + 1]; a++)
        if (net->to[a] == v)
            return a;
    return DN_NONE;
}

guint32 dn_net_find(const DnNet *net, guint32 v)
{
    guint32 low = 0, high = net->n; /* vertex[] rises */
    while (low < high) {
        guint32 middle = low + (high - low) / 2;
        if (net->vertex[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low < net->n && net->vertex[low] == v ? low : DN_NONE;
}

guint32 dn_net_search(const DnNet *net, guint32 s, guint32 *distance, guint32 *order)
{
    guint32 tail = 0;
    memset(distance, 0xff, net->n * sizeof *distance);
    distance[s] = 0;
    order[tail++] = s;
    for (guint32 head = 0; head < tail; head++) {
        guint32 u = order[head];
        if (u != s && !net->transit[u])
            continue;
        for (guint32 a = net->first[u]; a < net->first[u + 1]; a++)
            if (distance[net->to[a]] == G_MAXUINT32) {
                distance[net->to[a]] = distance[u] + 1;
                order[tail++] = net->to[a];
            }
    }
    return tail;
}

guint8 *dn_net_endpoints(const DnNet *net, const DnGraph *g, guint32 *count)
{
    guint8 *is = g_new0(guint8, MAX(net->n, 1));
    *count = 0;
    for (guint32 v = 0; v < net->n; v++)
        *count += is[v] = g->vertices[net->vertex[v]].endpoint;
    return is;
}

gboolean dn_net_connects(const DnNet *net, const DnGraph *g)
{
    guint32 endpoints;
    g_autofree guint8 *is = dn_net_endpoints(net, g, &endpoints);
    g_autofree guint32 *distance = g_new(guint32, net->n + 1);
    g_autofree guint32 *order = g_new(guint32, net->n + 1);
    for (guint32 s = 0; s < net->n; s++) {
        if (!is[s])
            continue;
        dn_net_search(net, s, distance, order);
        for (guint32 t = 0; t < net->n; t++)
            if (is[t] && distance[t] == G_MAXUINT32)
                return FALSE;
    }
    return TRUE;
}

double dn_net_injection_bps(const DnNet *net, guint32 v)
{
    double sum = 0;
    for (guint32 a = net->first[v]; a < net->first[v + 1]; a++)
        sum += net->capacity_bps[a];
    return sum;
}
