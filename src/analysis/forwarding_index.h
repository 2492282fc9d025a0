/* forwarding_index.h - The forwarding index counts the paths that cross each link.
 *
 * M. C. Heydemann, J.-C. Meyer, D. Sotteau, "On forwarding indices of networks", Discrete Applied
 * Mathematics 23(2), 1989: the edge forwarding index of a routing is the largest number of its
 * paths, one for each ordered pair, over one edge. Here edges are arcs (one direction), so the
 * loads of a symmetric routing are half of what is counted per undirected edge.
 * Two countings of an arc of several physical links: its paths (the arc is one edge, as the
 * expected peaks in print count), and its paths per physical link.
 * All functions add to @load[arc] the amounts of @demand, a dense n x n matrix over the net;
 * demand between vertices that do not reach each other is a bug. */
#pragma once
#include "analysis/net.h"

/* Every demand in equal parts over all its shortest paths (hops); parallel physical links make
 * different paths when @by_links. Brandes' accumulation ("A faster algorithm for betweenness
 * centrality", J. Math. Sociology 25(2), 2001): O(n * arcs). Exact to rounding of doubles. */
void dn_split_equally(const DnNet *net, const double *demand, gboolean by_links, double *load);
/* Every demand on one shortest path: of equal predecessors the one found first in a search from
 * the source, neighbours in link order (what a routing table filled once would do). */
void dn_route_fixed(const DnNet *net, const double *demand, double *load);

typedef struct {
    double paths, per_link;      /* largest load of an arc, largest per physical link */
    guint32 paths_arc, link_arc; /* where (the first of equals) */
    guint32 paths_ties;          /* arcs with the largest load */
    double rate_bps;             /* least capacity / load: what one unit of demand can get at best
                                    under this routing; INFINITY without load */
    guint32 rate_arc;            /* where */
} DnIndex;
DnIndex dn_index_of(const DnNet *net, const double *load);

/* One shortest path a pair such that the largest load per link is least: local search from the
 * fixed paths, held against a lower bound (the linear relaxation over the same paths, rounded up to
 * what whole paths can give). FALSE when the net has more than @max_paths shortest paths. @load as
 * above, overwritten. All demands are 0 or 1. */
typedef struct {
    double per_link, bound; /* found, lower bound; equal: optimal */
} DnBestPaths;
gboolean dn_route_best(const DnNet *net, const double *demand, guint max_paths, double *load,
                       DnBestPaths *best);
