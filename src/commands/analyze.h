/* analyze.h - everything `darner analyze` works out, and its three ways of showing it. */
#pragma once
#include "analysis/bisection.h"
#include "analysis/collective_bounds.h"
#include "analysis/expectations.h"
#include "analysis/link_load.h"
#include "analysis/machine_rate.h"
#include "analysis/path_diversity.h"
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
    DnTrafficParts *parts;
    char *paths;      /* "all shortest, equally split"; "routing minimal" ... */
    double mean_hops; /* of the routing, between switches; NAN: not asked */
    DnLinkLoads *loads;
    DnMachineRate rate;
    DnGraphMetrics metrics;
    gboolean has_diversity, has_bisection, has_expectations, has_node;
    DnPathDiversity diversity;
    DnBisection bisection;
    DnExpectations expectations;
    char *cycle; /* of the routing's channels; NULL: none closes */
    DnNodeAnalysis node;
    double seconds;
    gint64 peak_bytes; /* resident memory of the program at its most; 0: not known */
} DnAnalysis;

void dn_analysis_print(const DnAnalysis *analysis);
/* (transfer full) */
char *dn_analysis_json(const DnAnalysis *analysis);
/* (transfer full): the same JSON of @nodes nodes (0: all) of a machine, with --effort 1. */
char *dn_analysis_of_machine(const char *machine, guint nodes, GError **error);
/* Draws the machine, or its groups when it has many vertices, links coloured by load. Runs
 * Graphviz' `dot`; FALSE + DN_ERROR_MISSING when there is none. */
gboolean dn_analysis_draw(const DnAnalysis *analysis, const char *file, GError **error);
/* (transfer full): the drawing in DOT. */
char *dn_analysis_dot(const DnAnalysis *analysis);

#include "config/run_spec.h"
/* (transfer full): bytes between endpoints, one iteration of every job together. */
DnTraffic *dn_traffic_of_spec(const DnRunSpec *spec, const DnGraph *graph, GError **error);
