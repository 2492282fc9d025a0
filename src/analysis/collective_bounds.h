/* collective_bounds.h - The bounds of collectives, by algorithm and by any.
 *
 * Goodput is the buffer's size over the time, as in De Sensi et al., SC 2024, section IV. Inside a
 * node from its graph; over the whole machine from the NICs. Rates are nominal. */
#pragma once
#include "analysis/rings.h"
#include "topology/machine.h"

typedef struct {
    DnRings *rings;          /* NULL: endpoints are not linked to each other directly */
    DnTrees *trees;          /* likewise, or too many endpoints */
    gboolean complete_graph; /* every two endpoints have a link */
    double ring_bps;         /* rings * link / 2: the expected peak as printed, S0-094 */
    double ring_exact_bps;   /* the same with 2 (n - 1) / n in the place of 2 */
    double tree_bps;         /* disjoint spanning trees, reduce up and broadcast down, pipelined */
    double star_bps;         /* complete graph: a pipelined tree of n - 1 leaves, taken as the sum
                                 of the links out of an endpoint (the expected peak as printed) */
    double most_bps;         /* no allreduce beats this */
} DnAllreduceBounds;

void dn_allreduce_bounds(const DnNet *net, const DnGraph *graph, double seconds,
                         DnAllreduceBounds *out);
void dn_allreduce_bounds_clear(DnAllreduceBounds *bounds);

/* Lower bounds on the time of collectives among @n equal endpoints, @per_node of them in each of
 * two or more nodes: latency in rounds of @alpha_ps, bandwidth in bytes that each must send to
 * other nodes at @injection_bps, its share of the node's NICs. Chan, Heimlich, Purkayastha, van de
 * Geijn, "Collective communication: theory, practice, and experience", Concurrency Computat.
 * 19(13), 2007, tables I and II, of nodes instead of endpoints, since those of a node may combine
 * and share what they have by links of the node (one port; a sum of the terms is not a bound, their
 * maximum is). */
typedef struct {
    const char *name;
    guint rounds;       /* least number of message latencies */
    double send_factor; /* times the buffer: least bytes out of the node for each endpoint */
    const char *buffer; /* what the buffer is */
} DnCollectiveBound;
/* @bounds: space for DN_COLLECTIVES. */
#define DN_COLLECTIVES 6
void dn_collective_bounds(guint32 n, guint32 per_node, DnCollectiveBound bounds[DN_COLLECTIVES]);
double dn_collective_time_ps(const DnCollectiveBound *bound, double bytes, double alpha_ps,
                             double injection_bps);
