/* time_shares.c - see time_shares.h. */
#include "experiment/time_shares.h"

#include "experiment/results.h"

#include <math.h>

#define MOST_MESSAGES 200000 /* of a run that is made again: a fraction of a second */

/* The time of a message is so many iterations long that it differs from the chain's latency. */
#define STEP_ITERATIONS 8
#define LEAST_STEP_PS 1000000
#define MOST_STEP_PS (DN_RUN_MOST_PS / 4 / MOST_MESSAGES)

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

/* A network in which each message takes the same time. */
typedef struct {
    gint64 message_ps;
    gboolean latency; /* and that of its path */
    guint unlimited;  /* DnUnlimited */
} Chain;

/* Simulates an iteration of job @j on @chain: *@time_ps (0: there was none). *@left_out: DnWork. */
static gboolean chain_time(const DnRunSpec *spec, const DnRunOptions *options, guint j,
                           const Chain *chain, DnNetworkCache *cache, gint64 *time_ps,
                           guint *left_out, GError **error)
{
    g_autofree guint32 *once = g_new(guint32, spec->n_jobs);
    for (guint k = 0; k < spec->n_jobs; k++)
        once[k] = 1;
    const DnRunOptions alike = {.engine = "bound",
                                .threads = 1,
                                .isolated_job = spec->n_jobs > 1 ? j + 1 : 0,
                                .iterations = once,
                                .message_ps = chain->message_ps,
                                .message_latency = chain->latency,
                                .what_if = {.unlimited = chain->unlimited},
                                .progress = options->progress};
    g_autoptr(DnRunResult) result = dn_simulate(spec, &alike, cache, error);
    if (result == NULL)
        return FALSE;
    *time_ps = result->jobs[j].n_iterations > 0 ? result->jobs[j].iteration_ps[0] : 0;
    *left_out = result->jobs[j].left_out;
    return TRUE;
}

/* TRUE: work of these kinds takes time in the job. */
static gboolean takes_time(const DnJobResult *job, guint left_out)
{
    const DnMechanism *m = job->mechanism;
    gboolean costs = FALSE;
    for (guint i = 0; i < MAX(1, m->n_rules); i++) {
        const DnCosts *c = &m->rules[i].costs;
        costs |= c->local.reduce_ps > 0 || c->local.copy_ps > 0 || c->local.stage_ps > 0 ||
                 c->local.reduce_bps > 0 || c->local.copy_bps > 0 || c->local.stage_bps > 0 ||
                 c->local.reduce_byte_bps > 0;
    }
    return left_out & DN_WORK_COMPUTE || (left_out & DN_WORK_LOCAL && costs);
}

/* Takes @chain_ps apart into steps of @step_ps, or halves of them, and the latency. */
static void set_chain(DnTimeShares *shares, gint64 chain_ps, gint64 step_ps, double median_ps)
{
    shares->n = floor(2.0 * (double)chain_ps / (double)step_ps) / 2.0;
    shares->latency = ((double)chain_ps - shares->n * (double)step_ps) / median_ps;
    if (shares->n > 0)
        shares->each_ps = llround(median_ps / shares->n);
}

gboolean dn_time_shares_count(const DnRunSpec *spec, const DnRunOptions *options,
                              DnNetworkCache *cache, DnRunResult *result, GError **error)
{
    DnBottleneck limit = dn_bottleneck(result);
    guint j = counted_job(spec, result);
    gint64 chain_ps, spent_ps = 0;
    guint left_out, unused;
    if (limit.link == DN_NONE || dn_bottleneck_limits(&limit) || j == result->n_jobs)
        return TRUE;
    double median_ps =
        1e6 * dn_summary_us(result->jobs[j].iteration_ps, result->jobs[j].n_iterations).median;
    if (median_ps <= 0)
        return TRUE;
    DnTimeShares shares = {
        .known = TRUE, .job = j, .compute = NAN, .endpoint = NAN, .program = NAN, .transfer = NAN};
    Chain steps = {
        .message_ps = CLAMP((gint64)(STEP_ITERATIONS * median_ps), LEAST_STEP_PS, MOST_STEP_PS),
        .latency = TRUE,
        .unlimited = DN_WHAT_IF_ENDPOINT | DN_WHAT_IF_COMPUTE};
    if (!chain_time(spec, options, j, &steps, cache, &chain_ps, &left_out, error))
        return FALSE;
    gboolean works = takes_time(&result->jobs[j], left_out);
    set_chain(&shares, chain_ps, steps.message_ps, median_ps);
    if (shares.latency < 0.5) {
        const Chain work = {.message_ps = 1, .unlimited = works ? DN_WHAT_IF_ENDPOINT : 0};
        if (!chain_time(spec, options, j, &work, cache, &spent_ps, &unused, error))
            return FALSE;
        *(works ? &shares.compute : &shares.endpoint) = (double)spent_ps / median_ps;
        shares.transfer = MAX(0.0, 1.0 - shares.latency - (double)spent_ps / median_ps);
    }
    result->shares = shares;
    return TRUE;
}
