/* link_load.h - the load of every link of a machine under a traffic, and the bounds that follow.
 *
 * The stretches inside nodes and over NICs are given by the traffic; the fabric's part by a
 * routing. Rates are nominal (wire rates, no protocol), as the expected peaks in print. */
#pragma once
#include "analysis/forwarding_index.h"
#include "analysis/traffic.h"

typedef enum {
    DN_SPREAD_EQUAL, /* over all shortest paths */
    DN_SPREAD_FIXED, /* one shortest path each */
    DN_SPREAD_GIVEN, /* fabric loads from elsewhere: a routing algorithm */
} DnSpread;
extern const char *const dn_spread_names[]; /* the first two, NULL-terminated */

typedef struct {
    double paths_max; /* largest load of the class's links, all parallel links of an arc together */
    double per_link_max; /* largest load of one physical link */
    double per_link_mean;
    double rate_bps; /* least capacity / load; INFINITY: no load */
    guint32 link;    /* one that is loaded most per bit/s; DN_NONE */
} DnClassLoad;

typedef struct {
    double *load;         /* [graph links] amount that crosses each directed link */
    DnClassLoad *classes; /* [graph classes] */
    guint32 n_classes;
    double rate_bps;     /* what one unit of the traffic gets: the least over all links */
    guint32 link;        /* the link that sets it */
    double endpoint_bps; /* rate of the endpoint that sends most */
} DnLinkLoads;

/* @fabric: [arcs of parts->fabric] for DN_SPREAD_GIVEN, else NULL. */
DnLinkLoads *dn_link_loads(const DnGraph *graph, const DnTraffic *traffic,
                           const DnTrafficShares *shares, DnSpread spread, const double *fabric);
void dn_link_loads_free(DnLinkLoads *loads);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnLinkLoads, dn_link_loads_free)

/* The expected peak of an alltoall inside a node as De Sensi et al., SC 2024, section IV.A count
 * it: the bottleneck link's rate shared by its paths for a pair, and the injection rate of the
 * endpoint with the least (its links to other endpoints) shared alike for an endpoint. Where paths
 * pass switches, all peers of an endpoint share a link of it, and where its links differ in rate,
 * not all of them are needed in full: an endpoint gets a pair's rate to each other one then. */
typedef struct {
    DnIndex index;
    double injection_bps; /* least over endpoints */
    double pair_bps, endpoint_bps;
    gboolean as_printed;       /* endpoint_bps is the paper's, not exact_endpoint_bps */
    double exact_endpoint_bps; /* (E - 1) * pair_bps: bytes to others over time */
} DnNodeAlltoall;
DnNodeAlltoall dn_node_alltoall(const DnNet *net, const DnGraph *graph, DnSpread spread,
                                double *load);
/* [n]: rate of the widest single path from @s to each vertex, 0 to itself: what one transfer can
 * get, as section III.D of the same paper counts the nominal goodput of a pair. (caller frees) */
double *dn_widest_paths(const DnNet *net, guint32 s);
/* [n * n]: 1 between different endpoints. (caller frees) */
double *dn_alltoall_demand(const DnNet *net, const DnGraph *graph);
