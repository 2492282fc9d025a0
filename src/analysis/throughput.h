/* throughput.h - the most that a net can carry of a traffic, whatever the routing.
 *
 * Maximum concurrent flow: the largest r such that r times every demand fits at once, flows split
 * as finely as one likes over any paths (Shahrokhi, Matula, "The maximum concurrent flow problem",
 * J. ACM 37(2), 1990). No routing and no algorithm beats it; real ones use whole packets, few paths
 * and local knowledge. Rates are per unit of demand, in bit/s. */
#pragma once
#include "analysis/net.h"

typedef struct {
    double lower_bps, upper_bps; /* a flow that reaches it; a proof that none exceeds it */
    gboolean exact;              /* by linear programming */
    guint32 rounds;              /* of the approximation */
} DnThroughput;

/* Exact, with GLPK: one commodity a source. FALSE when sources x arcs exceeds @max_columns or GLPK
 * gives up. */
gboolean dn_throughput_exact(const DnNet *net, const double *demand, guint max_columns,
                             DnThroughput *out);
/* Certified bounds; stops when upper <= (1 + @gap) * lower, or before a round that would take it
 * past @max_visits arcs looked at (sources x arcs a round; at least one round is done): work, not
 * time, so that every computer gives the same numbers. */
void dn_throughput_bounds(const DnNet *net, const double *demand, double gap, double max_visits,
                          DnThroughput *out);

#define DN_EXACT_COLUMNS 6000
#define DN_BOUND_GAP 0.01
/* Exact when small enough, else bounds. */
void dn_throughput(const DnNet *net, const double *demand, double max_visits, DnThroughput *out);
