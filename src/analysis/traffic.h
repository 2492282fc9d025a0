/* traffic.h - A traffic matrix says who sends how much to whom, and where on a machine that has to
 * go whatever the routing: inside the source node, over a NIC, from switch to switch, over a NIC,
 * inside the target node.
 *
 * Amounts are in units of the traffic's own (1 for each pair of an alltoall; bytes of a workload).
 * A pair inside one node stays there when the node's own links connect it. */
#pragma once
#include "analysis/net.h"

typedef struct {
    guint32 src, dst; /* endpoints */
    double amount;
} DnTrafficFlow;

typedef struct {
    char *name;
    gboolean uniform;     /* 1 for every ordered pair of different endpoints: flows is NULL */
    DnTrafficFlow *flows; /* [n_flows] */
    guint32 n_flows;
    double largest_out; /* most that one endpoint sends */
    double total;
} DnTraffic;

/* alltoall; shift (endpoint i to i + E/2); random_permutation (seeded, no endpoint to itself);
 * group_adversarial (to the endpoint of equal place in the next group; without groups, in the next
 * half of the machine). NULL + DN_ERROR_UNKNOWN / DN_ERROR_RANGE. */
DnTraffic *dn_traffic_new(const DnGraph *graph, const char *name, guint64 seed, GError **error);
/* @flows: DnTrafficFlow, taken over; flows of 0 and from an endpoint to itself are left out. */
DnTraffic *dn_traffic_from_flows(const char *name, GArray *flows, guint32 endpoints);
void dn_traffic_free(DnTraffic *traffic);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnTraffic, dn_traffic_free)

typedef struct {
    DnNet *fabric;    /* or NULL */
    DnNet *node;      /* of node 0, which all are like; or NULL when nodes are single vertices */
    gboolean direct;  /* node holds endpoints and NVSwitches only; then nodes > 1 is false */
    double *switches; /* [R * R]; NULL without fabric */
    double *inside;   /* [nodes][n * n] over node's vertices; or NULL */
    double *nic_out, *nic_in; /* [T] */
} DnTrafficShares;

/* Memory: R * R + nodes * M * M doubles; NULL + DN_ERROR_MEMORY beyond @max_bytes. */
DnTrafficShares *dn_traffic_shares(const DnGraph *graph, const DnTraffic *traffic, gsize max_bytes,
                                   GError **error);
void dn_traffic_shares_free(DnTrafficShares *shares);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnTrafficShares, dn_traffic_shares_free)
