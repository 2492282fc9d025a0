/* sweep_run.h - The loops over the points of a run: one after another in this process, or several
 * at once, each in a process of its own. */
#pragma once
#include "experiment/experiment.h"

/* The receiver of the results. Each call may be NULL. */
typedef struct {
    /* Before a point is simulated. */
    void (*begin)(void *data, guint point, const DnRunSpec *spec);
    /* During its simulations. FALSE stops the run: with @error, or interrupted if that is unset. */
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

/* The receiver of the records of points that are simulated in other processes. */
typedef struct {
    /* Called in the process that simulated the point: returns the record that is passed to done()
     * in the calling process (a dictionary "a{sv}", floating or not). NULL + error. @options: those
     * of the simulations. */
    GVariant *(*record)(void *data, guint point, const DnRunSpec *spec, const DnRunResult *result,
                        const DnRunOptions *options, GError **error);
    /* Called in the caller while a point is simulated, and when it is done. FALSE + error ends the
     * run. */
    gboolean (*progress)(void *data, guint point, gint64 now_ps, guint64 packet_hops,
                         GError **error);
    gboolean (*done)(void *data, guint point, GVariant *record, GError **error);
    void *data;
} DnSweepReceiver;

/* Simulates the @n points @points (ascending), @jobs of them at once (worker_pool.h). @options may
 * be NULL, and its progress is not used. FALSE + the error of the first point that failed. */
gboolean dn_sweep_run_jobs(const DnSweep *sweep, DnNetworkCache *cache, const DnRunOptions *options,
                           const guint *points, guint n, guint jobs,
                           const DnSweepReceiver *receiver, GError **error);
