/* rank_results.c - Results of the ranks of a job, read after the run; see DnReplayResult. */
#include "runtime/runtime_internal.h"

const DnRank *dn_replay_rank(const DnReplay *replay, const DnRunningJob *job, guint32 r)
{
    const DnReplayEndpoint *e = &replay->endpoints[job->job.endpoints[r]];
    return e->ranks != NULL ? &e->ranks[job->local[r]] : NULL;
}

static void add_windows(const DnRank *rank, DnReplayResult *result)
{
    for (guint w = 0; rank->windows != NULL && w < DN_MEASURE_WINDOWS; w++) {
        const DnMeasureWindow *in = &rank->windows[w];
        DnMeasureWindow *sum = &result->windows[w];
        sum->born_bytes += in->born_bytes;
        sum->arrived_bytes += in->arrived_bytes;
        sum->born += in->born;
        sum->arrived += in->arrived;
        sum->latency_ps_sum += in->latency_ps_sum;
    }
}

static void add_unreceived(const DnReplay *replay, const DnRank *rank, DnReplayResult *result)
{
    const DnMatch *unexpected = &rank->match.unexpected;
    if (unexpected->count == 0)
        return;
    if (result->unreceived == 0) {
        const DnRunningJob *job = &replay->jobs[rank->job];
        const DnRecordPool *pool = &replay->endpoints[job->job.endpoints[rank->rank]].pool;
        guint32 record = dn_match_first(unexpected, pool, DN_ANY, DN_ANY);
        const DnRecord *first = dn_record_at(pool, record, DN_RECORD_UNEXPECTED);
        result->unreceived_by = rank->rank;
        result->unreceived_from = first->peer;
        result->unreceived_tag = first->tag;
    }
    result->unreceived += unexpected->count;
}

gint64 dn_ranks_add_up(const DnReplay *replay, guint j, DnReplayResult *result, guint *shift)
{
    const DnRunningJob *job = &replay->jobs[j];
    guint32 ranks = job->job.program->ranks;
    gint64 last_one_sided_ps = 0;
    *shift = 0;
    *result = (DnReplayResult){.n_calls = job->job.program->type->calls};
    result->done_ps = g_new0(gint64, ranks);
    result->call_ps = g_new0(gint64, (gsize)ranks * result->n_calls);
    for (guint32 r = 0; r < ranks; r++) {
        const DnRank *rank = dn_replay_rank(replay, job, r);
        if (rank == NULL)
            continue;
        last_one_sided_ps = MAX(last_one_sided_ps, rank->arrived.last_one_sided_ps);
        result->done_ps[r] = rank->done_ps;
        for (guint32 c = 0; c < result->n_calls; c++)
            result->call_ps[(gsize)r * result->n_calls + c] = rank->calls.ps[c];
        result->messages += rank->arrived.messages;
        result->one_sided_messages += rank->arrived.one_sided;
        result->arrived_bytes += rank->arrived.bytes;
        result->n_latency += rank->arrived.latency.n;
        *shift = MAX(*shift, rank->arrived.latency.shift);
        add_windows(rank, result);
        add_unreceived(replay, rank, result);
        for (guint m = 0; rank->app_aware != NULL && m < 2; m++)
            result->mode_bytes[m] += rank->app_aware->bytes[m];
    }
    return last_one_sided_ps;
}

/* The ranks all ran here. */
static void result_alone(const DnReplay *replay, guint j, DnReplayResult *result)
{
    const DnRunningJob *job = &replay->jobs[j];
    guint shift;
    gint64 last_one_sided_ps = dn_ranks_add_up(replay, j, result, &shift);
    dn_iterations_read(job, last_one_sided_ps, result);
    result->latency_ps = g_new(gint64, MAX(1, result->n_latency)); /* NULL has no offsets */
    result->n_latency = 0;
    for (guint32 r = 0; r < job->job.program->ranks; r++) {
        const DnRank *rank = dn_replay_rank(replay, job, r);
        if (rank != NULL)
            result->n_latency += dn_sampler_read(&rank->arrived.latency, shift,
                                                 result->latency_ps + result->n_latency);
    }
}

static void result_copy(const DnReplayResult *from, guint32 ranks, DnReplayResult *result)
{
    *result = *from;
    result->iteration_ps =
        g_memdup2(from->iteration_ps, from->n_iterations * sizeof *from->iteration_ps);
    result->end_ps = g_memdup2(from->end_ps, from->n_iterations * sizeof *from->end_ps);
    result->latency_ps = g_memdup2(from->latency_ps, from->n_latency * sizeof *from->latency_ps);
    result->done_ps = g_memdup2(from->done_ps, ranks * sizeof *from->done_ps);
    result->call_ps =
        g_memdup2(from->call_ps, (gsize)ranks * from->n_calls * sizeof *from->call_ps);
}

void dn_replay_result(const DnReplay *replay, guint j, DnReplayResult *result)
{
    const DnRunningJob *job = &replay->jobs[j];
    if (job->together != NULL)
        result_copy(job->together, job->job.program->ranks, result);
    else
        result_alone(replay, j, result);
    result->left_out = job->left_out;
    result->nic = job->nic;
    result->flows = job->flows;
}

void dn_replay_result_clear(DnReplayResult *result)
{
    g_free(result->iteration_ps);
    g_free(result->end_ps);
    g_free(result->latency_ps);
    g_free(result->done_ps);
    g_free(result->call_ps);
    *result = (DnReplayResult){0};
}
