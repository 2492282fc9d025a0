/* node_routing.h - shortest paths inside a node, the same tables for every node of a machine.
 *
 * Between two vertices of a node every shortest path counts (hops; only `transit` vertices are
 * passed through) and a packet takes the least loaded first port. The virtual channel is the
 * number of links crossed in the node so far: it rises along every path, so no cycle can close.
 * LIMITATIONS: hops, not bandwidth, decide what is shortest. */
#pragma once
#include "routing/port_set.h"

struct DnNodeRouting {
    guint32 vertices; /* M */
    DnPortSets *sets;
    DnPortSet *next; /* [M * M] from, to: ports at `from` */
    guint16 *uplink; /* [M] port towards the fabric (NICs), G_MAXUINT16: none */
    guint longest;   /* links of the longest of the shortest paths */
};

DnNodeRouting *dn_node_routing_new(const DnGraph *graph);
void dn_node_routing_free(DnNodeRouting *node);
