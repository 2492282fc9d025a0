/* run_estimate.h - How long a run takes in all in one process, from its first seconds.
 *
 * The time of a point goes with its packet-hops (experiment/expected_hops.h), or, where its clock
 * stops at a known time, with that. Packets that go farther than the shortest path are not
 * foreseen: the time of such a run comes out too short.
 * LIMITATIONS: nothing is known of points that run until their result is exact (measure:), nor of
 * engines without packets whose clock has no end. */
#pragma once
#include <glib.h>

#define DN_ESTIMATE_AFTER_S 1.0 /* of a point in progress */
#define DN_ESTIMATE_MOST_S 3600 /* longer runs off a terminal are refused without --yes ... */
#define DN_ESTIMATE_SURE_S 30.0 /* ... after so long, since the first seconds may mislead, */
#define DN_ESTIMATE_BEYOND 4    /* ... or at once when they say so many times as much */

/* A point in progress, @elapsed_s after its first event. */
typedef struct {
    guint point;
    double elapsed_s;
    gint64 now_ps;
    guint64 packet_hops;
} DnEstimateSample;

/* Returns the seconds in one process of the @n points @points, or NAN when one of them is
 * unknown. @hops: [of all points] packet-hops to expect, 0: unknown; @until_ps: likewise, where the
 * clock stops, 0: unknown; @runs: likewise, how many runs as long as that a point has. */
double dn_run_estimate_s(const double *hops, const gint64 *until_ps, const double *runs,
                         const guint *points, guint n, const DnEstimateSample *sample);
/* (transfer full): the line that says it, with the memory resident now. */
char *dn_run_estimate_text(double seconds, guint n_points);
