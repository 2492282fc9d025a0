/* experiment.c - see experiment.h. */
#include "experiment/experiment.h"

#include "experiment/packet_bias.h"
#include "experiment/repetition_jobs.h"
#include "experiment/time_shares.h"
#include "stats/bootstrap.h"

#include <math.h>

static double uncertainty_of(const DnJobResult *job)
{
    DnSummary s = dn_summary_us(job->iteration_ps, job->n_iterations);
    return s.n > 1 ? dn_summary_uncertainty(&s) : INFINITY;
}

/* TRUE: some job gets more iterations. */
static gboolean experiment_widen(const DnRunSpec *spec, const DnRunResult *result,
                                 guint32 *iterations)
{
    gboolean more = FALSE;
    for (guint j = 0; j < spec->n_jobs; j++) {
        const DnJobSpec *job = &spec->jobs[j];
        if (job->convergence <= 0.0 || job->background || iterations[j] == job->most_iterations ||
            uncertainty_of(&result->jobs[j]) <= job->convergence)
            continue;
        iterations[j] = MIN(job->most_iterations, 2 * iterations[j]);
        more = TRUE;
    }
    return more;
}

static void warn_unsettled(const DnRunSpec *spec, DnRunResult *result)
{
    for (guint j = 0; j < spec->n_jobs; j++) {
        const DnJobSpec *job = &spec->jobs[j];
        double reached =
            job->convergence > 0.0 && !job->background ? uncertainty_of(&result->jobs[j]) : 0.0;
        if (reached > job->convergence)
            g_ptr_array_add(result->warnings,
                            g_strdup_printf("job %s: after %u iterations its median is certain to "
                                            "%.1f %%, not %.1f %%",
                                            job->name, result->jobs[j].iterations, 100.0 * reached,
                                            100.0 * job->convergence));
    }
}

/* Warns of messages that waited for others of their source, which no machine asked for: those of
 * several sources then wait for the same links. */
static void warn_waited(DnRunResult *result)
{
    const DnEngineResult *engine = &result->engine;
    if (engine->window > 0 && (double)engine->waited > 0.01 * (double)engine->messages)
        g_ptr_array_add(result->warnings,
                        g_strdup_printf("engine flow: %.0f %% of the messages waited until fewer "
                                        "than %u of their source were under way, which can take "
                                        "several times as long; `flow: {window: 0}` lets all go "
                                        "at once, and takes memory for each",
                                        100.0 * (double)engine->waited / (double)engine->messages,
                                        engine->window));
}

/* (transfer full): more iterations until every median is certain; *@options holds the last ones,
 * @iterations. */
static DnRunResult *run_until_certain(const DnRunSpec *spec, DnRunOptions *options,
                                      guint32 *iterations, DnNetworkCache *cache, GError **error)
{
    double cpu_s = 0.0;
    options->iterations = iterations;
    for (;;) {
        g_autoptr(DnRunResult) result = dn_simulate(spec, options, cache, error);
        if (result == NULL)
            return NULL;
        cpu_s += result->engine.cpu_s;
        if (experiment_widen(spec, result, iterations))
            continue;
        result->engine.cpu_s = cpu_s;
        warn_unsettled(spec, result);
        warn_waited(result);
        return g_steal_pointer(&result);
    }
}

static gboolean run_alone(const DnRunSpec *spec, const DnRunOptions *options, guint j,
                          DnRunResult *result, DnNetworkCache *cache, GError **error)
{
    DnRunOptions isolated = *options;
    isolated.isolated_job = j + 1;
    g_autoptr(DnRunResult) alone = dn_simulate(spec, &isolated, cache, error);
    if (alone == NULL)
        return FALSE;
    DnJobResult *job = &result->jobs[j];
    job->alone.n = alone->jobs[j].n_iterations;
    job->alone.time_ps = g_steal_pointer(&alone->jobs[j].iteration_ps);
    job->alone.end_ps = g_steal_pointer(&alone->jobs[j].end_ps);
    result->engine.cpu_s += alone->engine.cpu_s;
    return TRUE;
}

/* Warns of iterations that depend on each other: no interval then says what another run would
 * yield. */
static void warn_correlated(const DnRunSpec *spec, DnRunResult *result)
{
    for (guint j = 0; j < spec->n_jobs && result->repetitions == 1; j++) {
        const DnJobResult *job = &result->jobs[j];
        DnSummary s = dn_summary_us(job->iteration_ps, job->n_iterations);
        if (!spec->jobs[j].background && !job->load.measured && dn_summary_correlated(&s))
            g_ptr_array_add(
                result->warnings,
                g_strdup_printf("job %s: neighbouring iterations are correlated (%.2f), so the "
                                "interval of the median is not one of independent runs; `repeat` "
                                "draws such runs",
                                job->name, s.lag1));
    }
}

DnRunResult *dn_experiment_repetition(const DnRunSpec *spec, const DnRunOptions *options,
                                      DnNetworkCache *cache, GError **error)
{
    DnRunOptions how = options != NULL ? *options : (DnRunOptions){0};
    g_autofree guint32 *iterations = g_new(guint32, spec->n_jobs);
    for (guint j = 0; j < spec->n_jobs; j++)
        iterations[j] = how.iterations != NULL ? how.iterations[j] : spec->jobs[j].iterations;
    g_autoptr(DnRunResult) result = run_until_certain(spec, &how, iterations, cache, error);
    if (result == NULL)
        return NULL;
    for (guint j = 0; spec->slowdown && !how.no_slowdown && j < spec->n_jobs; j++)
        if (!spec->jobs[j].background && !run_alone(spec, &how, j, result, cache, error))
            return NULL;
    return g_steal_pointer(&result);
}

DnRunResult *dn_experiment_run(const DnRunSpec *spec, const DnRunOptions *options,
                               DnNetworkCache *cache, GError **error)
{
    g_autoptr(DnNetworkCache) own = cache == NULL ? dn_network_cache_new() : NULL;
    if (cache == NULL)
        cache = own;
    const DnRunOptions plain = {0};
    g_autoptr(DnRunResult) result =
        spec->repeat > 1
            ? dn_repetition_jobs_run(spec, options != NULL ? options : &plain, cache, error)
            : dn_experiment_repetition(spec, options, cache, error);
    if (result != NULL)
        warn_correlated(spec, result);
    if (result != NULL && options != NULL && options->count_steps &&
        !dn_time_shares_count(spec, options, cache, result, error))
        return NULL;
    if (result != NULL && options != NULL && options->packet_bias_hops > 0 &&
        !dn_packet_bias_warn(spec, options, cache, result, error))
        return NULL;
    return g_steal_pointer(&result);
}

double dn_experiment_slowdown(const DnJobResult *job)
{
    DnSummary with = dn_summary_us(job->iteration_ps, job->n_iterations);
    DnSummary alone = dn_summary_us(job->alone.time_ps, job->alone.n);
    return with.n > 0 && alone.n > 0 && alone.median > 0.0 ? with.median / alone.median : NAN;
}
