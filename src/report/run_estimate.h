/* run_estimate.h - How much CPU time and memory a run takes in all, from its first seconds.
 *
 * One point in progress is followed. Its CPU time goes with its packet-hops
 * (experiment/expected_hops.h), or, where its clock stops at a known time, with that. Of the other
 * points the time is a + b * that work, a and b fitted to the points that are done and to the one
 * followed; of that one alone: what it took before its first event, and the rest by the work.
 * Memory is what is resident at most so far, and what the largest point's machine, routing, engine
 * and ranks take beyond those of the largest so far.
 * LIMITATIONS: detours around congestion are not foreseen, so such a run comes out too short; runs
 * beside the point's own, for its bounds, count only once one is done; messages that wait take
 * memory that is not foreseen. Points without known work (measure:, engines without packets whose
 * clock has no end) are taken to be as long as the mean of those done. */
#pragma once
#include "experiment/sweep_plan.h"

#define DN_ESTIMATE_AFTER_S 1.0 /* CPU seconds of points that are done or followed */
#define DN_ESTIMATE_MOST_S 3600 /* longer runs off a terminal are refused without --yes ... */
#define DN_ESTIMATE_SURE_S 30.0 /* ... after so long, since the first seconds may mislead, */
#define DN_ESTIMATE_BEYOND 4    /* ... or at once when they say so many times as much */

/* The points of a run, as planned. */
typedef struct {
    guint n_points;
    const double *hops;     /* [n_points] of DnPlan */
    const double *work;     /* likewise; NULL: .hops */
    const gint64 *until_ps; /* likewise */
    const double *runs;     /* likewise */
    const guint64 *bytes;   /* likewise; NULL: unknown */
    const guint8 *done;     /* [n_points] not to be simulated */
    double before_s;        /* CPU seconds of the run before its first point */
    const char *noun;       /* what the points are; NULL: points */
} DnEstimatePoints;

typedef struct DnRunEstimate DnRunEstimate;

/* Returns (transfer full) an estimate; @points is copied, the arrays are borrowed but for .done. */
DnRunEstimate *dn_run_estimate_new(const DnEstimatePoints *points);
void dn_run_estimate_free(DnRunEstimate *estimate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRunEstimate, dn_run_estimate_free)

/* Point @point goes on, or is done, after @cpu_s of CPU time for it. */
void dn_run_estimate_update(DnRunEstimate *estimate, guint point, gint64 now_ps,
                            guint64 packet_hops, double cpu_s);
void dn_run_estimate_done(DnRunEstimate *estimate, guint point, double cpu_s);

/* Returns the CPU seconds of points that the estimate rests on. */
double dn_run_estimate_seen_s(const DnRunEstimate *estimate);
/* Returns the CPU seconds of the whole run in one process; NAN: unknown. */
double dn_run_estimate_s(const DnRunEstimate *estimate);
/* Returns the memory of a process with all points, when @resident bytes are the most that this one
 * had so far. */
guint64 dn_run_estimate_bytes(const DnRunEstimate *estimate, guint64 resident);
/* Returns (transfer full) the line that says both. */
char *dn_run_estimate_text(const DnRunEstimate *estimate, double seconds, guint64 bytes);
