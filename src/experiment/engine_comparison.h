/* engine_comparison.h - A comparison simulates the same run on the engines packet, flow and bound.
 *
 * Times are means over the iterations of a job. The bound is the larger of the job's time without
 * contention and the time that the busiest link of the job alone needs for the bytes that
 * must cross it (engine/flow/contention_free.c).
 * LIMITATIONS: jobs in the background have their time without contention alone. */
#pragma once
#include "experiment/sweep_plan.h"

typedef enum {
    DN_COMPARED_PACKET,
    DN_COMPARED_FLOW,
    DN_COMPARED_BOUND,
    DN_COMPARED_ENGINES
} DnComparedEngine;
extern const char *const dn_compared_engines[DN_COMPARED_ENGINES];

/* A job of a point on every engine. */
typedef struct {
    guint point;
    char *name;
    gint64 bytes;         /* size parameter of its workload */
    double goodput_bytes; /* of an iteration */
    guint32 ranks;
    guint32 node_links; /* of an alltoall inside one node: the fewest links to other GPUs that a
                           GPU of the node has; else 0 */
    double us[DN_COMPARED_ENGINES]; /* NAN: no iteration is complete */
} DnComparedJob;

typedef struct {
    DnPlan *plans[DN_COMPARED_ENGINES];
    GArray *jobs;          /* DnComparedJob */
    double apart_percent;  /* largest difference of flow from packet */
    double better_percent; /* largest by which either engine is below the bound */
    guint compared;        /* jobs with a time of every engine */
    double cpu_s[DN_COMPARED_ENGINES];
} DnEngineComparison;

/* Plans @file, with the overrides of @set, for every engine; nothing runs yet. NULL + error. */
DnEngineComparison *dn_engine_comparison_new(const char *file, const char *const *set,
                                             GError **error);

typedef struct {
    guint threads; /* of the engine; 0: those of the specification */
    guint jobs;    /* points simulated at once */
    /* Called while point @point runs on @engine, and when it is done on every engine; @cpu_s: CPU
     * seconds that the point has taken on all engines so far. FALSE + error ends the comparison.
     * Each may be NULL. */
    gboolean (*progress)(void *data, guint point, DnComparedEngine engine, gint64 now_ps,
                         guint64 packet_hops, double cpu_s, GError **error);
    gboolean (*done)(void *data, guint point, double cpu_s, GError **error);
    void *data;
} DnComparisonHow;

/* Runs every point on every engine. FALSE + error, DN_ERROR_INTERRUPTED among them. */
gboolean dn_engine_comparison_run(DnEngineComparison *comparison, const DnComparisonHow *how,
                                  GError **error);
void dn_engine_comparison_free(DnEngineComparison *comparison);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnEngineComparison, dn_engine_comparison_free)
