/* network_analysis.h - the analysis of a machine or of a run file, without simulating.
 *
 * A machine is analysed under a pattern of traffic; a run under what its jobs send in one
 * iteration, with its own routing. */
#pragma once
#include "analysis/analysis.h"

typedef struct {
    const char *subject;    /* a machine, or a run file */
    guint32 nodes;          /* only the first so many; 0: all */
    const char *endpoints;  /* gpu, cpu or nic; NULL: the machine's own */
    const char *const *set; /* "key=value", NULL-terminated; or NULL */
    const char *routing;    /* an algorithm or a mapping; NULL: all shortest paths */
    const char *traffic;    /* a pattern; NULL: alltoall, or the traffic of the run's jobs */
    gboolean fixed_paths;   /* one shortest path each instead of all of them */
    guint64 seed;
    double effort; /* work on the throughput bounds, in arcs */
    DnAnalysisStage stage;
    gpointer stage_data;
} DnNetworkAnalysisQuery;

DnAnalysis *dn_network_analysis(const DnNetworkAnalysisQuery *query, GError **error);
