/* progress.h - The progress display of a run: points done, speed, estimated time left. On a
 * terminal it is one line that is redrawn, elsewhere a line every DN_PROGRESS_SECONDS. */
#pragma once
#include <glib.h>
#include <stdio.h>

#define DN_PROGRESS_SECONDS 10

typedef enum { DN_PROGRESS_NONE, DN_PROGRESS_TERMINAL, DN_PROGRESS_LINES } DnProgressMode;

typedef struct DnProgress DnProgress;

/* @out: usually stderr. @work, @until_ps: [@n_points] as in time_left.h. */
DnProgress *dn_progress_new(FILE *out, DnProgressMode mode, guint n_points, guint jobs,
                            const double *work, const gint64 *until_ps);
void dn_progress_free(DnProgress *progress);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnProgress, dn_progress_free)

/* Tell that a point has come to @now_ps and @packet_hops; is done; was done by an earlier
 * process. */
void dn_progress_update(DnProgress *progress, guint point, gint64 now_ps, guint64 packet_hops);
void dn_progress_done(DnProgress *progress, guint point);
void dn_progress_skip(DnProgress *progress, guint point);
/* Clears the line, so that other output starts on an empty one. */
void dn_progress_clear(DnProgress *progress);

/* The content of a progress line, as far as it is known. */
typedef struct {
    guint n_points, done, running;
    double share;      /* of the point in progress; NAN: several, or unknown */
    gint64 now_ps;     /* simulated of it */
    double hops_per_s; /* packet-hops of the points in progress */
    double left_s;     /* NAN: unknown */
} DnProgressState;
/* (transfer full) */
char *dn_progress_text(const DnProgressState *state);
