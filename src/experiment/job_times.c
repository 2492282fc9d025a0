/* job_times.c - see job_times.h. */
#include "experiment/job_times.h"
#include "trace/trace.h"
#include "workload/program.h"

#include <math.h>
#include <string.h>

void dn_graph_times(const DnProgram *program, DnJobResult *job)
{
    DnTraceTimes *times = &job->trace;
    if (program->type->computes == NULL)
        return;
    for (guint32 r = 0; r < program->ranks; r++)
        times->computes_ps += program->type->computes(program, r) * job->n_iterations;
    for (guint32 r = 0; times->computes_ps > 0 && r < job->ranks; r++) {
        gint64 *calls = times->call_ps + (gsize)r * times->n_calls;
        gint64 rest_ps = job->done_ps[r] - job->start_ps;
        calls[DN_CALL_COMPUTE] = program->type->computes(program, r) * job->n_iterations;
        for (guint32 c = 0; c < times->n_calls; c++)
            rest_ps -= c != DN_CALL_NONE ? calls[c] : 0;
        calls[DN_CALL_NONE] = MAX(0, rest_ps);
    }
}

double dn_mean_us(const DnJobResult *job)
{
    double sum = 0.0;
    if (job->load.unpaced)
        return NAN;
    for (guint32 i = 0; i < job->n_iterations; i++)
        sum += (double)job->iteration_ps[i];
    return job->n_iterations > 0 ? sum * 1e-6 / job->n_iterations : NAN;
}

static double time_scale(const char *workload)
{
    for (guint i = 0; dn_program_types[i] != NULL; i++)
        if (strcmp(dn_program_types[i]->name, workload) == 0)
            return dn_program_types[i]->time_scale;
    return 1.0;
}

/* Returns what the busiest link needs for an iteration of the job, on the mean. */
static double busiest_us(const DnRunResult *bound, const DnJobResult *job)
{
    gint64 busy_ps = 0;
    for (guint32 l = 0; l < bound->machine->graph->size.links; l++)
        busy_ps = MAX(busy_ps, bound->engine.links[l].busy_ps);
    return (double)busy_ps * 1e-6 / job->n_iterations * time_scale(job->workload);
}

double dn_bound_us(const DnRunResult *bound, guint j)
{
    const DnJobResult *job = &bound->jobs[j];
    double alone = dn_mean_us(job);
    return job->n_iterations == 0 ? alone : MAX(alone, busiest_us(bound, job));
}

double dn_least_bound_us(const DnRunResult *bound, guint j)
{
    const DnJobResult *job = &bound->jobs[j];
    if (job->n_iterations == 0)
        return NAN;
    gint64 least_ps = job->iteration_ps[0];
    for (guint32 i = 1; i < job->n_iterations; i++)
        least_ps = MIN(least_ps, job->iteration_ps[i]);
    return MAX((double)least_ps * 1e-6, busiest_us(bound, job));
}
