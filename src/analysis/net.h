/* net.h - a part of a machine's graph as the bounds see it: vertices, arcs between them, traffic.
 *
 * All links from u to v are one arc: its width counts the physical links, its capacity sums them.
 * Three nets are taken from a graph: the fabric (switches), the inside of one node, and everything
 * (for exact methods on small machines).
 * Traffic on a net is a dense matrix: amount from row to column, in units of one endpoint pair.
 * Units: capacity in bit/s on the wire (nominal: no efficiency), like the expected peaks in
 * print. */
#pragma once
#include "topology/graph.h"

typedef struct {
    guint32 n;
    guint32 n_arcs;
    guint32 *first;   /* [n + 1] arcs by source */
    guint32 *from;    /* [n_arcs] */
    guint32 *to;      /* [n_arcs] */
    guint32 *reverse; /* [n_arcs] */
    double *width;    /* [n_arcs] physical links */
    double *capacity_bps;
    guint32 *kind;     /* [n_arcs] link class of (the first of) its links */
    guint8 *transit;   /* [n] may forward what is not its own */
    guint32 *vertex;   /* [n] vertex of the graph */
    guint32 *link_arc; /* [graph links] its arc, DN_NONE outside the net */
} DnNet;

/* Switches only. NULL without fabric. */
DnNet *dn_net_fabric(const DnGraph *graph);
/* All vertices of a node; or (@direct) endpoints and NVSwitches alone, where these connect
 * all endpoints of the node: GPU traffic then keeps off processors and adapters. */
DnNet *dn_net_node(const DnGraph *graph, guint32 node, gboolean direct);
void dn_net_free(DnNet *net);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnNet, dn_net_free)

/* Arc u -> v or DN_NONE. */
guint32 dn_net_arc(const DnNet *net, guint32 u, guint32 v);
/* Net vertex of graph vertex @v or DN_NONE. */
guint32 dn_net_find(const DnNet *net, guint32 v);
/* TRUE when every endpoint of @graph in the net reaches every other. */
gboolean dn_net_connects(const DnNet *net, const DnGraph *graph);
/* [n]: 1 for the graph's endpoints; returns how many. (caller frees) */
guint8 *dn_net_endpoints(const DnNet *net, const DnGraph *graph, guint32 *count);
/* Sum of the capacities out of @v. */
double dn_net_injection_bps(const DnNet *net, guint32 v);

/* Distances in hops from @s over transit vertices; [n], G_MAXUINT32: unreached. Appends the order
 * of visits to @order (n items) and returns their count. */
guint32 dn_net_search(const DnNet *net, guint32 s, guint32 *distance, guint32 *order);
