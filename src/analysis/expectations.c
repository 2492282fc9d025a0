/* expectations.c - see expectations.h. */
#include "analysis/expectations.h"

gboolean dn_expectations(const DnGraph *g, double node_bps, DnExpectations *out)
{
    if (g->size.switches == 0 || g->size.nodes == 0 || g->size.terminals == 0)
        return FALSE;
    double bps = 0;
    guint32 nics = g->size.terminals / g->size.nodes;
    for (guint32 t = 0; t < nics; t++) {
        guint32 v = g->terminals[t];
        for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++)
            if (g->links[g->ports[p]].dst < g->size.switches)
                bps += (double)dn_link_bandwidth_bps(g, g->ports[p]);
    }
    *out =
        (DnExpectations){.node_endpoints = g->size.endpoints / g->size.nodes, .node_bps = node_bps};
    if (out->node_endpoints == 0)
        return FALSE;
    out->inter_node_bps = bps / out->node_endpoints;
    return TRUE;
}

double dn_pairs_inside(const DnExpectations *e, guint32 n)
{
    return n <= e->node_endpoints ? 1 : (e->node_endpoints - 1.0) / (n - 1.0);
}

double dn_expected_alltoall_bps(const DnExpectations *e, guint32 n)
{
    if (n <= e->node_endpoints)
        return e->node_bps;
    double goodput = e->inter_node_bps * n / ((double)n - e->node_endpoints);
    return e->node_bps > 0 ? MIN(goodput, e->node_bps) : goodput;
}
