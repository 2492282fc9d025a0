/* sweep_run.c - see sweep_run.h. */
#include "experiment/sweep_run.h"
#include "base/interrupt.h"
#include "experiment/worker_pool.h"

typedef struct {
    const DnSweepSink *sink;
    GError *error; /* of the sink's progress */
} SweepProgress;

static gboolean report_progress(void *data, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    SweepProgress *progress = data;
    const DnSweepSink *sink = progress->sink;
    (void)events;
    return progress->error == NULL &&
           sink->progress(sink->data, now_ps, packet_hops, &progress->error) && !dn_interrupted();
}

static gboolean run_point(const DnSweep *sweep, guint point, DnNetworkCache *cache,
                          const DnRunOptions *options, const DnSweepSink *sink, GError **error)
{
    g_autoptr(DnRunSpec) spec = dn_sweep_spec(sweep, point, error);
    if (spec == NULL)
        return FALSE;
    SweepProgress progress = {.sink = sink};
    DnRunOptions observed = options != NULL ? *options : (DnRunOptions){0};
    observed.progress.call = sink->progress != NULL ? report_progress : NULL;
    observed.progress.data = &progress;
    if (sink->begin != NULL)
        sink->begin(sink->data, point, spec);
    g_autoptr(DnRunResult) result = dn_experiment_run(spec, &observed, cache, error);
    gboolean ok =
        result != NULL && progress.error == NULL &&
        (sink->end == NULL || sink->end(sink->data, point, spec, result, &observed, error));
    if (progress.error == NULL)
        return ok;
    g_clear_error(error);
    g_propagate_error(error, progress.error);
    return FALSE;
}

gboolean dn_sweep_run(const DnSweep *sweep, DnNetworkCache *cache, const DnRunOptions *options,
                      const DnSweepSink *sink, guint *done, GError **error)
{
    for (*done = 0; *done < sweep->n_points; (*done)++) {
        if (!dn_interrupt_check(error) || !run_point(sweep, *done, cache, options, sink, error))
            return FALSE;
    }
    return TRUE;
}

/* ---- several at once ---- */

typedef struct {
    const DnSweep *sweep;
    DnNetworkCache *cache;
    const DnRunOptions *options;
    const DnSweepReceiver *receiver;
} SweepJobs;

static gboolean report_point(void *unused, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    (void)unused;
    (void)events;
    return dn_worker_pool_report(now_ps, packet_hops);
}

static GVariant *work_point(void *data, guint point, GError **error)
{
    const SweepJobs *jobs = data;
    g_autoptr(DnRunSpec) spec = dn_sweep_spec(jobs->sweep, point, error);
    if (spec == NULL)
        return NULL;
    DnRunOptions observed = jobs->options != NULL ? *jobs->options : (DnRunOptions){0};
    observed.progress.call = report_point;
    observed.keep.point = point;
    g_autoptr(DnRunResult) result = dn_experiment_run(spec, &observed, jobs->cache, error);
    const DnSweepReceiver *receiver = jobs->receiver;
    return result != NULL ? receiver->record(receiver->data, point, spec, result, &observed, error)
                          : NULL;
}

static gboolean work_done(void *data, guint point, GVariant *record, GError **error)
{
    const DnSweepReceiver *receiver = ((const SweepJobs *)data)->receiver;
    return receiver->done(receiver->data, point, record, error);
}

static gboolean work_progress(void *data, guint point, gint64 now_ps, guint64 packet_hops,
                              GError **error)
{
    const DnSweepReceiver *receiver = ((const SweepJobs *)data)->receiver;
    return receiver->progress == NULL ||
           receiver->progress(receiver->data, point, now_ps, packet_hops, error);
}

gboolean dn_sweep_run_jobs(const DnSweep *sweep, DnNetworkCache *cache, const DnRunOptions *options,
                           const guint *points, guint n, guint jobs,
                           const DnSweepReceiver *receiver, GError **error)
{
    DnRunOptions shared = options != NULL ? *options : (DnRunOptions){0};
    shared.jobs = jobs / MAX(1, MIN(jobs, n)); /* with fewer points, repetitions at once */
    SweepJobs all = {.sweep = sweep, .cache = cache, .options = &shared, .receiver = receiver};
    const DnWorkerTask task = {
        .work = work_point, .done = work_done, .progress = work_progress, .data = &all};
    return dn_worker_pool_run(points, n, jobs, &task, error);
}
