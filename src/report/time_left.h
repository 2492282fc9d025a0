/* time_left.h - The estimate of how long a run of many points still takes.
 *
 * A point is expected to take a + b * its packet-hops; a and b are fitted to the points that are
 * done and to those in progress, whose whole time follows from the share of their packet-hops that
 * is past. Where that says nothing there is no estimate: before the first point is done when more
 * packets move than were expected, or when what is to come is larger than what was seen by a factor
 * of DN_TIME_LEFT_BEYOND. */
#pragma once
#include <glib.h>

#define DN_TIME_LEFT_BEYOND 20

typedef struct DnTimeLeft DnTimeLeft;

/* (transfer full). @work: [@n_points] packet-hops to expect of each, 0: unknown; @until_ps: where
 * the clock of a point stops, 0: unknown; @jobs at once; @now_us of the clock. Both are copied. */
DnTimeLeft *dn_time_left_new(guint n_points, guint jobs, const double *work, const gint64 *until_ps,
                             gint64 now_us);
void dn_time_left_free(DnTimeLeft *left);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnTimeLeft, dn_time_left_free)

/* Notes at @now_us of a clock that the point goes on, is done, or was done before. The first call
 * for a point is its begin. */
void dn_time_left_update(DnTimeLeft *left, guint point, gint64 now_ps, guint64 packet_hops,
                         gint64 now_us);
void dn_time_left_done(DnTimeLeft *left, guint point, gint64 now_us);
void dn_time_left_skip(DnTimeLeft *left, guint point);

/* Points done (also before), and in progress. */
guint dn_time_left_points_done(const DnTimeLeft *left);
guint dn_time_left_points_running(const DnTimeLeft *left);
/* Returns the share of point @point that is done, 0 to 1; NAN: unknown. */
double dn_time_left_share(const DnTimeLeft *left, guint point);
/* Seconds; NAN: unknown. */
double dn_time_left_seconds(const DnTimeLeft *left, gint64 now_us);
