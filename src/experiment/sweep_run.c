/* sweep_run.c - see sweep_run.h. */
#include "experiment/sweep_run.h"
#include "base/interrupt.h"

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
