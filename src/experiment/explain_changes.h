/* explain_changes.h - Changes that could shorten an explained iteration, each change tried as a
 * what-if. */
#pragma once
#include "experiment/explanation.h"

/* Adds the most promising changes to @x->advice; @reruns: each simulated with @options changed. */
gboolean dn_explain_changes(DnExplanation *x, const DnRunOptions *options, gboolean reruns,
                            GError **error);
/* Length of an iteration of job @j; begins where the one before ended. */
gint64 dn_iteration_begin_ps(const DnRunSpec *spec, const DnRunResult *result, guint j,
                             guint32 iteration);
gint64 dn_iteration_length_ps(const DnRunSpec *spec, const DnRunResult *result, guint j,
                              guint32 iteration);
