/* machine_rate.c - see machine_rate.h. */
#include "analysis/machine_rate.h"

#include <math.h>

#define NODE_VISITS 1e6 /* rounds are cheap inside a node */

static double nic_rate(const DnGraph *g, const DnTrafficShares *shares)
{
    double rate = INFINITY;
    for (guint32 t = 0; t < g->size.terminals && shares->fabric != NULL; t++) {
        double bps = 0, most = fmax(shares->nic_out[t], shares->nic_in[t]);
        guint32 v = g->terminals[t];
        for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++)
            if (g->links[g->ports[p]].dst == g->terminal_switch[t])
                bps += (double)dn_link_bandwidth_bps(g, g->ports[p]);
        if (most > 0)
            rate = fmin(rate, bps / most);
    }
    return rate;
}

static gboolean any_demand(const double *demand, gsize cells)
{
    for (gsize i = 0; i < cells; i++)
        if (demand[i] > 0)
            return TRUE;
    return FALSE;
}

/* Each different demand once: most nodes are alike. */
static DnThroughput node_rate(const DnGraph *g, const DnTrafficShares *shares)
{
    DnThroughput least = {.lower_bps = INFINITY, .upper_bps = INFINITY, .exact = TRUE};
    if (shares->node == NULL)
        return least;
    gsize cells = (gsize)shares->node->n * shares->node->n;
    g_autoptr(GHashTable) seen =
        g_hash_table_new_full(g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, NULL);
    for (guint32 i = 0; i < g->size.nodes; i++) {
        const double *demand = shares->inside + i * cells;
        if (!any_demand(demand, cells))
            continue;
        if (!g_hash_table_add(seen, g_bytes_new_static(demand, cells * sizeof *demand)))
            continue; /* add() has dropped a key that was there */
        DnThroughput rate;
        dn_throughput(shares->node, demand, NODE_VISITS, &rate);
        least.lower_bps = fmin(least.lower_bps, rate.lower_bps);
        least.upper_bps = fmin(least.upper_bps, rate.upper_bps);
        least.exact = least.exact && rate.exact;
        least.rounds += rate.rounds;
    }
    return least;
}

void dn_machine_rate(const DnGraph *g, const DnTrafficShares *shares, double max_visits,
                     DnMachineRate *out)
{
    *out = (DnMachineRate){.fabric = {.lower_bps = INFINITY, .upper_bps = INFINITY, .exact = TRUE},
                           .nic_bps = nic_rate(g, shares),
                           .node = node_rate(g, shares)};
    if (shares->fabric != NULL)
        dn_throughput(shares->fabric, shares->switches, max_visits, &out->fabric);
    out->lower_bps = fmin(fmin(out->fabric.lower_bps, out->node.lower_bps), out->nic_bps);
    out->upper_bps = fmin(fmin(out->fabric.upper_bps, out->node.upper_bps), out->nic_bps);
    out->limit = out->upper_bps == out->nic_bps            ? "NIC"
                 : out->upper_bps == out->fabric.upper_bps ? "fabric"
                                                           : "node";
}
