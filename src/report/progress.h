/* progress.h - one line that says how fast and how long still, on a terminal only. */
#pragma once
#include <glib.h>
#include <stdio.h>

typedef struct DnProgress DnProgress;

/* @out: where to draw, usually stderr; draws nothing when @shown is FALSE. */
DnProgress *dn_progress_new(FILE *out, gboolean shown, guint n_points);
void dn_progress_free(DnProgress *progress);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnProgress, dn_progress_free)

/* A point begins. @work: its size in any unit common to all points, @work_after: that of the
 * points that follow (0 where unknown); @hops: packet-hops expected of it, 0 unknown; @until_ps:
 * where its clock stops, 0 unknown. */
void dn_progress_point(DnProgress *progress, guint point, double work, double work_after,
                       double hops, gint64 until_ps);
void dn_progress_update(DnProgress *progress, gint64 now_ps, guint64 packet_hops);
/* Clears the line, so that other output starts on an empty one. */
void dn_progress_clear(DnProgress *progress);

/* The text of the line: for tests. @elapsed_s since the point began, @share of the point done
 * (NAN unknown), @left_s of the whole run (NAN unknown). */
char *dn_progress_text(guint point, guint n_points, double share, double hops_per_s, gint64 now_ps,
                       double left_s);
/* Returns the share of a point that is done, by its time or packet hops; NAN when neither is
 * known. */
double dn_progress_share(gint64 now_ps, gint64 until_ps, double hops, double hops_expected);
