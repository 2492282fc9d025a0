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
static gboolean widen(DnScenario *scenario, const DnSimulation *simulation)
{
    gboolean more = FALSE;
    for (guint j = 0; j < scenario->n_jobs; j++) {
        DnScenarioJob *job = &scenario->jobs[j];
        if (job->settle <= 0.0 || job->background || job->iterations == job->most_iterations ||
            uncertainty_of(&simulation->jobs[j]) <= job->settle)
            continue;
        job->iterations = MIN(job->most_iterations, 2 * job->iterations);
        more = TRUE;
    }
    return more;
}

static void warn_unsettled(const DnScenario *scenario, DnSimulation *simulation)
{
    for (guint j = 0; j < scenario->n_jobs; j++) {
        const DnScenarioJob *job = &scenario->jobs[j];
        double reached =
            job->settle > 0.0 && !job->background ? uncertainty_of(&simulation->jobs[j]) : 0.0;
        if (reached > job->settle)
            g_ptr_array_add(simulation->warnings,
                            g_strdup_printf("job %s: after %u iterations its median is certain to "
                                            "%.1f %%, not %.1f %%",
                                            job->name, job->iterations, 100.0 * reached,
                                            100.0 * job->settle));
    }
}

static gboolean run_alone(DnScenario *scenario, guint j, DnSimulation *simulation, DnFabric **kept,
                          Beat beat, void *beat_data, GError **error)
{
    scenario->only = j + 1;
    g_autoptr(DnSimulation) alone = dn_simulate(scenario, kept, beat, beat_data, error);
    scenario->only = 0;
    if (alone == NULL)
        return FALSE;
    DnJobResult *job = &simulation->jobs[j];
    job->n_alone = alone->jobs[j].n_iterations;
    job->alone_ps = g_steal_pointer(&alone->jobs[j].iteration_ps);
    simulation->engine.cpu_s += alone->engine.cpu_s;
    return TRUE;
}

DnSimulation *dn_study(DnScenario *scenario, DnFabric **kept, Beat beat, void *beat_data,
                       GError **error)
{
    g_autoptr(DnFabric) own = NULL;
    if (kept == NULL)
        kept = &own;
    g_autoptr(DnSimulation) simulation = dn_simulate(scenario, kept, beat, beat_data, error);
    while (simulation != NULL && widen(scenario, simulation)) {
        double cpu_s = simulation->engine.cpu_s;
        dn_simulation_free(simulation);
        simulation = dn_simulate(scenario, kept, beat, beat_data, error);
        if (simulation != NULL)
            simulation->engine.cpu_s += cpu_s;
    }
    if (simulation == NULL)
        return NULL;
    warn_unsettled(scenario, simulation);
    for (guint j = 0; scenario->slowdown && j < scenario->n_jobs; j++)
        if (!scenario->jobs[j].background &&
            !run_alone(scenario, j, simulation, kept, beat, beat_data, error))
            return NULL;
    return g_steal_pointer(&simulation);
}

double dn_study_slowdown(const DnJobResult *job)
{
    DnSummary with = dn_summary_us(job->iteration_ps, job->n_iterations);
    DnSummary alone = dn_summary_us(job->alone_ps, job->n_alone);
    return with.n > 0 && alone.n > 0 && alone.median > 0.0 ? with.median / alone.median : NAN;
}
