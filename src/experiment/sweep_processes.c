/* sweep_processes.c - see sweep_processes.h. */
#include "experiment/sweep_processes.h"

gboolean dn_sweep_lead(const DnProcesses *processes, const guint *points, guint n, GError **error)
{
    if (processes == NULL)
        return *error == NULL;
    g_autofree gsize *sizes = g_new(gsize, processes->n);
    if (!dn_processes_agree(processes, error))
        return FALSE;
    g_free(processes->gather(points, n * sizeof *points, sizes));
    return TRUE;
}

static GVariant *follow_record(void *data, guint point, const DnRunSpec *spec,
                               const DnRunResult *result, const DnRunOptions *options,
                               GError **error)
{
    return g_variant_new("a{sv}", NULL);
}

static gboolean follow_done(void *data, guint point, GVariant *record, GError **error)
{
    return TRUE;
}

gboolean dn_sweep_follow(const DnProcesses *processes, const DnSweep *sweep, DnNetworkCache *cache,
                         const DnRunOptions *options, GError **error)
{
    g_autofree gsize *sizes = g_new(gsize, processes->n);
    GError *problem = NULL;
    if (!dn_processes_agree(processes, &problem)) {
        g_propagate_error(error, problem);
        return FALSE;
    }
    g_autofree guint *points = (guint *)(void *)processes->gather(NULL, 0, sizes);
    const DnSweepReceiver receiver = {.record = follow_record, .done = follow_done};
    return dn_sweep_run_jobs(sweep, cache, options, points, (guint)(sizes[0] / sizeof *points), 1,
                             &receiver, error);
}
