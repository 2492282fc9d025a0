/* run_estimate.h - The estimate of the CPU time and memory of a whole run, by its first seconds.
 *
 * The estimate follows one point in progress. The rest of that point's CPU time is taken to go with
 * its packet hops (experiment/expected_hops.h) or, where its simulated end is known, with simulated
 * time, at the rate of the latest half to three quarters of the time so far. The time of every
 * other point is a + b * work, with a and b fitted to the points that are done and to the one
 * followed. As long as only that one is known, a is the time that it took before its first event.
 * Memory is the largest resident size so far, plus the memory by which the largest point's machine,
 * routing, engine and ranks exceed those of the largest point so far.
 * LIMITATIONS: non-minimal paths around congestion are not foreseen, so the estimate of such a run
 * is too short; further runs of a point, for its bounds, count only once a point is done; memory of
 * waiting messages is not foreseen. A point of unknown work (measure:, an engine without packets
 * and a run without a known end) is taken to be as long as the mean of those done. */
#pragma once
#include "experiment/sweep_plan.h"

#define DN_ESTIMATE_AFTER_S 1.0 /* CPU seconds of points done or followed, once they go steadily */
#define DN_ESTIMATE_MOST_S 3600 /* longer runs off a terminal are refused without --yes ... */
#define DN_ESTIMATE_SURE_S 30.0 /* ... after so long, steady or not, since they may mislead, */
#define DN_ESTIMATE_BEYOND 4    /* ... or at once when they say so many times as much */

/* A point of a run, as planned (DnPlan). */
typedef struct {
    double hops;     /* packet hops of one run of it; 0: unknown */
    double work;     /* to which its CPU time is proportional, e.g. hops; 0: unknown */
    double runs;     /* how often it is run */
    gint64 until_ps; /* simulated time at which it ends; 0: unknown */
    guint64 bytes;   /* of machine, routing, engine and ranks; 0: unknown */
    gboolean done;   /* it is not simulated */
} DnEstimatePoint;

/* Returns point @point of @plan, not done. */
DnEstimatePoint dn_estimate_point_of_plan(const DnPlan *plan, guint point);

typedef struct DnRunEstimate DnRunEstimate;

/* Returns (transfer full) an estimate of @n @points, which are copied. @before_s: CPU seconds of
 * the run before its first point. @noun: what a message calls a point; borrowed. */
DnRunEstimate *dn_run_estimate_new(const DnEstimatePoint *points, guint n, double before_s,
                                   const char *noun);
void dn_run_estimate_free(DnRunEstimate *estimate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRunEstimate, dn_run_estimate_free)

/* Tell that point @point has come to @now_ps and @packet_hops, or is done, after @cpu_s of CPU time
 * in all. */
void dn_run_estimate_update(DnRunEstimate *estimate, guint point, gint64 now_ps,
                            guint64 packet_hops, double cpu_s);
void dn_run_estimate_done(DnRunEstimate *estimate, guint point, double cpu_s);

/* Returns the CPU seconds of points done or followed, on which the estimate is based. */
double dn_run_estimate_seen_s(const DnRunEstimate *estimate);
/* FALSE: the point followed goes at another rate now than in the part that the estimate rests
 * on. */
gboolean dn_run_estimate_steady(const DnRunEstimate *estimate);
/* Returns the CPU seconds of the whole run in one process; NAN: unknown. */
double dn_run_estimate_s(const DnRunEstimate *estimate);
/* Returns the bytes of a process that simulates all points. @resident: the largest resident size of
 * this one so far. */
guint64 dn_run_estimate_bytes(const DnRunEstimate *estimate, guint64 resident);
/* Returns (transfer full) a line with @seconds and @bytes. */
char *dn_run_estimate_text(const DnRunEstimate *estimate, double seconds, guint64 bytes);
/* Sets DN_ERROR_RANGE for an estimate of more than DN_ESTIMATE_MOST_S that nobody allowed, and
 * returns FALSE. @text: the line with the estimate. */
gboolean dn_run_estimate_refuse(const char *text, GError **error);
