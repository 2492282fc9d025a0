/* explain_changes.h - Changes that could shorten an explained iteration, each change tried as a
 * what-if. */
#pragma once
#include "experiment/explanation.h"

/* The progress of the runs of an explanation, for the callbacks of its query. */
typedef struct {
    const DnExplainQuery *query;
    guint run;
    double begun_s;
    guint64 most_events; /* of the run; 0: any */
    GError *error;       /* of a callback */
} DnExplainProgress;

/* Begins run @run, and returns the progress for its options. */
DnRunProgress dn_explain_progress_begin(DnExplainProgress *progress, guint run,
                                        guint64 most_events);
/* Ends it. An error of a callback takes the place of *@error. Returns @ok, or FALSE for such. */
gboolean dn_explain_progress_end(DnExplainProgress *progress, gboolean ok, GError **error);

/* Adds the most promising changes to @x->advice; each is simulated with @options changed, unless
 * the query says no. */
gboolean dn_explain_changes(DnExplanation *x, const DnRunOptions *options,
                            DnExplainProgress *progress, GError **error);
/* Length of an iteration of job @j; begins where the one before ended. */
gint64 dn_iteration_begin_ps(const DnRunSpec *spec, const DnRunResult *result, guint j,
                             guint32 iteration);
gint64 dn_iteration_length_ps(const DnRunSpec *spec, const DnRunResult *result, guint j,
                              guint32 iteration);
