/* experiment.c - see experiment.h. */
#include "experiment/experiment.h"

#include "stats/summary.h"

#include <math.h>

typedef gboolean (*Beat)(void *data, gint64 now_ps, guint64 events, guint64 packet_hops);

static double uncertainty_of(const DnJobResult *job)
{
    DnSummary s = dn_summary_us(job->iteration_ps, job->n_iterations);
    return s.n > 1 ? dn_summary_uncertainty(&s) : INFINITY;
}

/* TRUE: some job gets more iterations. */
static gboolean widen(DnRunSpec *spec, const DnRunResult *result)
{
    gboolean more = FALSE;
    for (guint j = 0; j < spec->n_jobs; j++) {
        DnJobSpec *job = &spec->jobs[j];
        if (job->settle <= 0.0 || job->background || job->iterations == job->most_iterations ||
            uncertainty_of(&result->jobs[j]) <= job->settle)
            continue;
        job->iterations = MIN(job->most_iterations, 2 * job->iterations);
        more = TRUE;
    }
    return more;
}

static void warn_unsettled(const DnRunSpec *spec, DnRunResult *result)
{
    for (guint j = 0; j < spec->n_jobs; j++) {
        const DnJobSpec *job = &spec->jobs[j];
        double reached = job->settle > 0.0 && !job->background ? uncertainty_of(&result->jobs[j])
                                                               : 0.0;
        if (reached > job->settle)
            g_ptr_array_add(result->warnings,
                            g_strdup_printf("job %s: after %u iterations its median is certain to "
                                            "%.1f %%, not %.1f %%",
                                            job->name, job->iterations, 100.0 * reached,
                                            100.0 * job->settle));
    }
}

static gboolean run_alone(DnRunSpec *spec, guint j, DnRunResult *result, DnFabric **kept, Beat beat,
                          void *beat_data, GError **error)
{
    spec->only = j + 1;
    g_autoptr(DnRunResult) alone = dn_simulate(spec, kept, beat, beat_data, error);
    spec->only = 0;
    if (alone == NULL)
        return FALSE;
    DnJobResult *job = &result->jobs[j];
    job->n_alone = alone->jobs[j].n_iterations;
    job->alone_ps = g_steal_pointer(&alone->jobs[j].iteration_ps);
    result->engine.cpu_s += alone->engine.cpu_s;
    return TRUE;
}

DnRunResult *dn_experiment_run(DnRunSpec *spec, DnFabric **kept, Beat beat, void *beat_data,
                               GError **error)
{
    g_autoptr(DnFabric) own = NULL;
    if (kept == NULL)
        kept = &own;
    g_autoptr(DnRunResult) result = dn_simulate(spec, kept, beat, beat_data, error);
    while (result != NULL && widen(spec, result)) {
        double cpu_s = result->engine.cpu_s;
        dn_run_result_free(result);
        result = dn_simulate(spec, kept, beat, beat_data, error);
        if (result != NULL)
            result->engine.cpu_s += cpu_s;
    }
    if (result == NULL)
        return NULL;
    warn_unsettled(spec, result);
    for (guint j = 0; spec->slowdown && j < spec->n_jobs; j++)
        if (!spec->jobs[j].background && !run_alone(spec, j, result, kept, beat, beat_data, error))
            return NULL;
    return g_steal_pointer(&result);
}

double dn_experiment_slowdown(const DnJobResult *job)
{
    DnSummary with = dn_summary_us(job->iteration_ps, job->n_iterations);
    DnSummary alone = dn_summary_us(job->alone_ps, job->n_alone);
    return with.n > 0 && alone.n > 0 && alone.median > 0.0 ? with.median / alone.median : NAN;
}
