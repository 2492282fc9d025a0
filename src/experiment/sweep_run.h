/* sweep_run.h - The loop over the points of a run, which hands each result to a sink. */
#pragma once
#include "experiment/experiment.h"

/* The receiver of the results. Each call may be NULL. */
typedef struct {
    /* Before a point is simulated. */
    void (*begin)(void *data, guint point, const DnRunSpec *spec);
    /* During its simulations; FALSE stops the run, with @error or as one that was interrupted. */
    gboolean (*progress)(void *data, gint64 now_ps, guint64 packet_hops, GError **error);
    /* After them. @options: those of the simulations, for further ones of the same point. */
    gboolean (*end)(void *data, guint point, const DnRunSpec *spec, const DnRunResult *result,
                    const DnRunOptions *options, GError **error);
    void *data;
} DnSweepSink;

/* Simulates the points of @sweep in order; @options may be NULL, and its progress is not used. The
 * run ends after the first point that fails, or after a signal (interrupt.h): FALSE +
 * DN_ERROR_INTERRUPTED. *@done: the points whose `end` succeeded, also after an error. */
gboolean dn_sweep_run(const DnSweep *sweep, DnNetworkCache *cache, const DnRunOptions *options,
                      const DnSweepSink *sink, guint *done, GError **error);
