/* analysis.h - the bounds of one machine, one routing and one traffic, together.
 *
 * The machine's graph is divided into the fabric, the NICs and the inside of a node; a traffic says
 * what each has to carry; paths, rings, trees and linear programs say at what rate at best. */
#pragma once
#include "analysis/bisection.h"
#include "analysis/collective_bounds.h"
#include "analysis/detours.h"
#include "analysis/expectations.h"
#include "analysis/link_load.h"
#include "analysis/machine_rate.h"
#include "analysis/path_diversity.h"
#include "analysis/path_lengths.h"
#include "routing/routing.h"
#include "topology/graph_metrics.h"

/* Inside one node, endpoints all to all; no processors and adapters where endpoints are linked
 * without them. */
typedef struct {
    DnNet *net;
    guint32 endpoints;
    gboolean direct; /* endpoints and NVSwitches only */
    double *load;    /* [arcs] equal splitting */
    DnNodeAlltoall equal, fixed;
    gboolean has_best;
    DnBestPaths best;
    DnThroughput rate;
    gboolean has_bisection;
    DnBisection bisection;
    DnAllreduceBounds allreduce;
} DnNodeAnalysis;

typedef struct {
    DnMachine *machine;
    DnRouter *router;
    DnTraffic *traffic;
    gboolean bytes; /* amounts are bytes of a workload: a time is bounded, not a rate */
    DnTrafficShares *shares;
    char *paths;      /* "all shortest, equally split"; "routing minimal" ... */
    double mean_hops; /* of the routing, between switches; NAN: not asked */
    DnLinkLoads *loads;
    DnMachineRate rate;
    DnGraphMetrics metrics;
    gboolean has_diversity, has_bisection, has_expectations, has_node, has_detours;
    DnPathDiversity diversity;
    DnPathLengths lengths; /* of the router's paths */
    DnBisection bisection;
    DnExpectations expectations;
    DnDetourMeeting detours;
    char *cycle; /* of the routing's channels; NULL: none closes */
    DnNodeAnalysis node;
    double seconds;
    gint64 peak_bytes; /* resident memory of the program at its most; 0: not known */
} DnAnalysis;

/* Called as a part of the analysis begins that takes long on a large machine. */
typedef void (*DnAnalysisStage)(gpointer data, const char *stage);

typedef struct {
    const char *traffic;   /* name of a pattern, used when no traffic is given; NULL: "alltoall" */
    guint64 seed;          /* of the random patterns */
    gboolean routed;       /* load of the router's paths, each choice equally often */
    DnSpread spread;       /* not routed: over shortest paths */
    double effort;         /* work on the throughput bounds, in arcs */
    DnAnalysisStage stage; /* NULL: none */
    gpointer stage_data;
} DnAnalysisOptions;

/* Analyses @machine and takes over all three objects, also when it fails. @traffic: NULL for the
 * pattern of the options; else bytes of a workload. NULL + DN_ERROR_UNKNOWN, DN_ERROR_RANGE. */
DnAnalysis *dn_analysis_new(DnMachine *machine, DnRouter *router, DnTraffic *traffic,
                            const DnAnalysisOptions *options, GError **error);
void dn_analysis_free(DnAnalysis *analysis);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnAnalysis, dn_analysis_free)
