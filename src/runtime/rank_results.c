/* rank_results.c - Results of the ranks of a job, read after the run; see DnReplayResult. */
#include "runtime/runtime_internal.h"

/* Ranks of @job in rank order. */
static const DnRank *rank_of(const DnReplay *replay, const DnRunningJob *job, guint32 r)
{
    return &replay->ranks[replay->endpoints[job->job.endpoints[r]].first + job->local[r]];
}

static void result_iterations(const DnReplay *replay, const DnRunningJob *job,
                              DnReplayResult *result)
{
    const DnProgram *program = job->job.program;
    while (result->n_iterations < job->marks &&
           job->marked[result->n_iterations] == program->ranks * program->streams)
        result->n_iterations++;
    gint64 last_one_sided_ps = 0, start_ps = job->job.start_ps;
    for (guint32 r = 0; r < program->ranks; r++)
        last_one_sided_ps =
            MAX(last_one_sided_ps, rank_of(replay, job, r)->arrived.last_one_sided_ps);
    result->iteration_ps = g_new(gint64, result->n_iterations);
    result->end_ps = g_new(gint64, result->n_iterations);
    for (guint32 i = 0; i < result->n_iterations; i++) {
        gint64 end_ps = job->mark_ps[i];
        if (i + 1 == program->iterations)
            end_ps = MAX(end_ps, last_one_sided_ps);
        double scaled_ps = (double)(end_ps - start_ps) * program->type->time_scale;
        result->iteration_ps[i] = (gint64)(scaled_ps + 0.5);
        start_ps = result->end_ps[i] = end_ps;
    }
}

static void add_windows(const DnReplay *replay, const DnRank *rank, DnReplayResult *result)
{
    for (guint w = 0; replay->windows != NULL && w < DN_MEASURE_WINDOWS; w++) {
        const DnMeasureWindow *in =
            &replay->windows[(rank - replay->ranks) * DN_MEASURE_WINDOWS + w];
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

static void result_calls(const DnReplay *replay, const DnRunningJob *job, DnReplayResult *result)
{
    guint32 ranks = job->job.program->ranks;
    result->n_calls = job->job.program->type->calls;
    result->done_ps = g_new(gint64, ranks);
    result->call_ps = g_new(gint64, (gsize)ranks * result->n_calls);
    for (guint32 r = 0; r < ranks; r++) {
        const DnRank *rank = rank_of(replay, job, r);
        result->done_ps[r] = rank->done_ps;
        for (guint32 c = 0; c < result->n_calls; c++)
            result->call_ps[(gsize)r * result->n_calls + c] = rank->calls.ps[c];
    }
}

void dn_replay_result(const DnReplay *replay, guint j, DnReplayResult *result)
{
    const DnRunningJob *job = &replay->jobs[j];
    guint32 ranks = job->job.program->ranks;
    guint shift = 0;
    *result = (DnReplayResult){0};
    result_iterations(replay, job, result);
    result_calls(replay, job, result);
    for (guint32 r = 0; r < ranks; r++) {
        const DnRank *rank = rank_of(replay, job, r);
        result->messages += rank->arrived.messages;
        result->one_sided_messages += rank->arrived.one_sided;
        result->n_latency += rank->arrived.latency.n;
        shift = MAX(shift, rank->arrived.latency.shift);
        add_windows(replay, rank, result);
        add_unreceived(replay, rank, result);
        for (guint m = 0; rank->app_aware != NULL && m < 2; m++)
            result->mode_bytes[m] += rank->app_aware->bytes[m];
    }
    result->nic = job->nic;
    result->flows = job->flows;
    result->latency_ps = g_new(gint64, result->n_latency);
    result->n_latency = 0;
    for (guint32 r = 0; r < ranks; r++)
        result->n_latency += dn_sampler_read(&rank_of(replay, job, r)->arrived.latency, shift,
                                             result->latency_ps + result->n_latency);
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
