/* link_load.c - see link_load.h. */
#include "analysis/link_load.h"

#include <math.h>
#include <string.h>

const char *const dn_spread_names[] = {"equal", "fixed", NULL};

static void spread_on(const DnNet *net, const double *demand, DnSpread spread, double *load)
{
    if (spread == DN_SPREAD_FIXED)
        dn_route_fixed(net, demand, load);
    else
        dn_split_equally(net, demand, TRUE, load);
}

/* The arc's load over its links, by width. */
static void link_load_share(const DnGraph *g, const DnNet *net, const double *arc_load,
                            double *load)
{
    for (guint32 l = 0; l < g->size.links; l++) {
        guint32 a = net->link_arc[l];
        if (a != DN_NONE)
            load[l] += arc_load[a] * g->links[l].width / net->width[a];
    }
}

/* Links of node @node, by the arcs of node 0's net. */
static void share_node(const DnGraph *g, const DnNet *net, guint32 node, const double *arc_load,
                       double *load)
{
    guint32 m = g->size.node_vertices, base = g->size.switches, shift = node * m;
    for (guint32 i = 0; i < m; i++) {
        guint32 u = dn_net_find(net, base + i), v = base + shift + i;
        for (guint32 p = g->port_first[v]; u != DN_NONE && p < g->port_first[v + 1]; p++) {
            guint32 l = g->ports[p], dst = g->links[l].dst;
            guint32 w = dst >= base ? dn_net_find(net, dst - shift) : DN_NONE;
            guint32 a = w != DN_NONE ? dn_net_arc(net, u, w) : DN_NONE;
            if (a != DN_NONE)
                load[l] += arc_load[a] * g->links[l].width / net->width[a];
        }
    }
}

/* Cables of terminal @t to its switch, both directions, by width. */
static void load_nic(const DnGraph *g, guint32 t, double out, double in, double *load)
{
    guint32 v = g->terminals[t];
    double width = 0;
    for (guint pass = 0; pass < 2; pass++)
        for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++) {
            guint32 l = g->ports[p];
            if (g->links[l].dst != g->terminal_switch[t])
                continue;
            if (pass == 0) {
                width += g->links[l].width;
                continue;
            }
            load[l] += out * g->links[l].width / width;
            load[l ^ 1] += in * g->links[l].width / width;
        }
}

static void load_nodes(const DnGraph *g, const DnTrafficShares *shares, DnSpread spread,
                       double *load)
{
    const DnNet *net = shares->node;
    gsize cells = (gsize)net->n * net->n;
    g_autofree double *arc_load = g_new0(double, net->n_arcs + 1);
    for (guint32 node = 0; node < g->size.nodes; node++) {
        const double *demand = shares->inside + node * cells;
        /* Equal nodes with equal demand have equal loads. */
        if (node == 0 || memcmp(demand, demand - cells, cells * sizeof *demand) != 0) {
            memset(arc_load, 0, net->n_arcs * sizeof *arc_load);
            spread_on(net, demand, spread, arc_load);
        }
        share_node(g, net, node, arc_load, load);
    }
}

static void sum_up(const DnGraph *g, const DnTraffic *traffic, DnLinkLoads *loads)
{
    g_autofree double *width = g_new0(double, g->n_classes + 1);
    loads->rate_bps = INFINITY;
    loads->link = DN_NONE;
    for (guint32 c = 0; c < g->n_classes; c++)
        loads->classes[c] = (DnClassLoad){.rate_bps = INFINITY, .link = DN_NONE};
    for (guint32 l = 0; l < g->size.links; l++) {
        DnClassLoad *c = &loads->classes[g->links[l].link_class];
        double load = loads->load[l], per_link = load / g->links[l].width;
        double rate = load > 0 ? (double)dn_link_bandwidth_bps(g, l) / load : INFINITY;
        width[g->links[l].link_class] += g->links[l].width;
        c->per_link_mean += load;
        c->paths_max = MAX(c->paths_max, load);
        c->per_link_max = MAX(c->per_link_max, per_link);
        if (rate * (1 + 1e-9) < c->rate_bps) {
            c->rate_bps = rate;
            c->link = l;
        }
        if (rate * (1 + 1e-9) < loads->rate_bps) {
            loads->rate_bps = rate;
            loads->link = l;
        }
    }
    for (guint32 c = 0; c < g->n_classes; c++)
        loads->classes[c].per_link_mean /= MAX(width[c], 1);
    loads->endpoint_bps = loads->rate_bps * traffic->largest_out;
}

DnLinkLoads *dn_link_loads(const DnGraph *g, const DnTraffic *traffic,
                           const DnTrafficShares *shares, DnSpread spread, const double *fabric)
{
    DnLinkLoads *loads = g_new0(DnLinkLoads, 1);
    loads->load = g_new0(double, g->size.links + 1);
    loads->n_classes = g->n_classes;
    loads->classes = g_new0(DnClassLoad, g->n_classes + 1);
    if (shares->fabric != NULL && spread == DN_SPREAD_GIVEN) {
        link_load_share(g, shares->fabric, fabric, loads->load);
    } else if (shares->fabric != NULL) {
        g_autofree double *arc_load = g_new0(double, shares->fabric->n_arcs + 1);
        spread_on(shares->fabric, shares->switches, spread, arc_load);
        link_load_share(g, shares->fabric, arc_load, loads->load);
    }
    if (shares->node != NULL)
        load_nodes(g, shares, spread, loads->load);
    for (guint32 t = 0; t < g->size.terminals && shares->fabric != NULL; t++)
        load_nic(g, t, shares->nic_out[t], shares->nic_in[t], loads->load);
    sum_up(g, traffic, loads);
    return loads;
}

void dn_link_loads_free(DnLinkLoads *loads)
{
    if (loads == NULL)
        return;
    g_free(loads->load);
    g_free(loads->classes);
    g_free(loads);
}

double *dn_alltoall_demand(const DnNet *net, const DnGraph *g)
{
    guint32 endpoints;
    g_autofree guint8 *is = dn_net_endpoints(net, g, &endpoints);
    double *demand = g_new0(double, (gsize)net->n * net->n + 1);
    for (guint32 s = 0; s < net->n; s++)
        for (guint32 t = 0; t < net->n; t++)
            demand[(gsize)s * net->n + t] = s != t && is[s] && is[t];
    return demand;
}

double *dn_widest_paths(const DnNet *net, guint32 s)
{
    double *rate = g_new0(double, net->n + 1);
    g_autofree guint8 *done = g_new0(guint8, net->n + 1);
    rate[s] = INFINITY;
    for (guint32 round = 0; round < net->n; round++) {
        guint32 u = DN_NONE;
        for (guint32 v = 0; v < net->n; v++)
            if (!done[v] && rate[v] > 0 && (u == DN_NONE || rate[v] > rate[u]))
                u = v;
        if (u == DN_NONE)
            break;
        done[u] = 1;
        for (guint32 a = net->first[u]; (u == s || net->transit[u]) && a < net->first[u + 1]; a++)
            rate[net->to[a]] = fmax(rate[net->to[a]], fmin(rate[u], net->capacity_bps[a]));
    }
    rate[s] = 0;
    return rate;
}

DnNodeAlltoall dn_node_alltoall(const DnNet *net, const DnGraph *g, DnSpread spread, double *load)
{
    guint32 endpoints;
    g_autofree guint8 *is = dn_net_endpoints(net, g, &endpoints);
    g_autofree double *demand = dn_alltoall_demand(net, g);
    memset(load, 0, net->n_arcs * sizeof *load);
    spread_on(net, demand, spread, load);
    DnNodeAlltoall a = {.index = dn_index_of(net, load), .injection_bps = INFINITY};
    for (guint32 v = 0; v < net->n; v++)
        if (is[v])
            a.injection_bps = MIN(a.injection_bps, dn_net_injection_bps(net, v));
    a.pair_bps = a.index.rate_bps;
    a.exact_endpoint_bps = (endpoints - 1.0) * a.pair_bps;
    double printed = a.index.rate_arc == DN_NONE ? 0 : a.injection_bps / load[a.index.rate_arc];
    a.as_printed = printed <= a.exact_endpoint_bps * (1 + 1e-9);
    for (guint32 arc = 0; arc < net->n_arcs; arc++)
        a.as_printed &= load[arc] <= 0 || is[net->to[arc]];
    a.endpoint_bps = a.as_printed ? printed : a.exact_endpoint_bps;
    return a;
}
