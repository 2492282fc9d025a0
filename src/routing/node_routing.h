/* node_routing.h - shortest paths inside a node, the same tables for every node of a machine.
 *
 * Of the paths with the fewest hops (only `transit` vertices are passed through) the one whose
 * narrowest link is widest counts, and of equal ones one: hardware inside a node routes by address,
 * not by load. Between MI250X dies with two equal paths, copies reach the rate of one (De Sensi et
 * al., SC 2024, figure 4, dies 0 and 3, 0 and 4). Parallel links to the next vertex on it are all
 * used, a packet takes the least loaded. The virtual channel is the number of links crossed in the
 * node so far: it rises along every path, so no cycle can close.
 * LIMITATIONS: the first in the order of ports stands for how a machine settles equal paths. */
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
