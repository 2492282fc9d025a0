/* latency_steps.c - see latency_steps.h. */
#include "experiment/latency_steps.h"

#include "experiment/results.h"

#include <math.h>

#define STEP_PS 1000000      /* that each message takes */
#define MOST_MESSAGES 200000 /* of a run that is made again: a fraction of a second */

static gint64 total_time(const DnJobResult *job)
{
    gint64 total = 0;
    for (guint i = 0; i < job->n_iterations; i++)
        total += job->iteration_ps[i];
    return total;
}

/* The job whose iterations take longest together, as the links' shares are of the whole run; of
 * equal ones the first. n_jobs: none. */
static guint counted_job(const DnRunSpec *spec, const DnRunResult *result)
{
    guint64 messages = 0;
    gint64 longest = -1;
    guint found = result->n_jobs;
    for (guint j = 0; j < result->n_jobs; j++) {
        messages += result->jobs[j].messages + result->jobs[j].one_sided_messages;
        if (spec->jobs[j].background || result->jobs[j].n_iterations == 0 ||
            total_time(&result->jobs[j]) <= longest)
            continue;
        longest = total_time(&result->jobs[j]);
        found = j;
    }
    return messages <= MOST_MESSAGES && result->n_drawn == 0 ? found : result->n_jobs;
}

/* Simulates an iteration in which each message takes @message_ps, and endpoints and @unlimited
 * nothing: *@time_ps (0: there was none). *@left_out: without @unlimited it would take longer. */
static gboolean chain_time(const DnRunSpec *spec, const DnRunOptions *options, guint j,
                           gint64 message_ps, guint unlimited, DnNetworkCache *cache,
                           gint64 *time_ps, gboolean *left_out, GError **error)
{
    g_autofree guint32 *once = g_new(guint32, spec->n_jobs);
    for (guint k = 0; k < spec->n_jobs; k++)
        once[k] = 1;
    const DnRunOptions alike = {.engine = "bound",
                                .threads = 1,
                                .isolated_job = spec->n_jobs > 1 ? j + 1 : 0,
                                .iterations = once,
                                .message_ps = message_ps,
                                .what_if = {.unlimited = unlimited | DN_WHAT_IF_ENDPOINT},
                                .progress = options->progress};
    g_autoptr(DnRunResult) chain = dn_simulate(spec, &alike, cache, error);
    if (chain == NULL)
        return FALSE;
    *time_ps = chain->jobs[j].n_iterations > 0 ? chain->jobs[j].iteration_ps[0] : 0;
    *left_out = chain->jobs[j].left_out;
    return TRUE;
}

gboolean dn_latency_steps_count(const DnRunSpec *spec, const DnRunOptions *options,
                                DnNetworkCache *cache, DnRunResult *result, GError **error)
{
    DnBottleneck limit = dn_bottleneck(result);
    guint j = counted_job(spec, result);
    gint64 computes_ps = 0, chain_ps;
    gboolean works;
    if (limit.link == DN_NONE || dn_bottleneck_limits(&limit) || j == result->n_jobs)
        return TRUE;
    if (!chain_time(spec, options, j, STEP_PS, DN_WHAT_IF_COMPUTE, cache, &chain_ps, &works, error))
        return FALSE;
    DnSummary times = dn_summary_us(result->jobs[j].iteration_ps, result->jobs[j].n_iterations);
    if (works && !chain_time(spec, options, j, 1, 0, cache, &computes_ps, &works, error))
        return FALSE;
    result->steps.computes = (double)computes_ps > times.median * 1e6 / 2;
    if (chain_ps < STEP_PS / 2)
        return TRUE;
    result->steps.n = (double)chain_ps / STEP_PS;
    result->steps.each_ps = llround(times.median * 1e6 / result->steps.n);
    return TRUE;
}
