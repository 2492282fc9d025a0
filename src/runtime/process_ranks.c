/* process_ranks.c - The results of ranks that ran in several processes, brought together in each.
 *
 * A rank ran where its endpoint started; elsewhere its state is untouched: zeros. Sums and maxima
 * over the processes are therefore what one process would have counted. */
#include "runtime/runtime_internal.h"

#include <string.h>

#define WINDOW_WORDS (sizeof(DnMeasureWindow) / sizeof(gint64))
G_STATIC_ASSERT(sizeof(DnMeasureWindow) % sizeof(gint64) == 0);

/* ---- jobs ---- */

static void combine_nics(DnRunningJob *job, const DnProcesses *processes)
{
    gsize n = job->marks;
    g_autofree gint64 *sums = g_new(gint64, 4 * n);
    g_autofree gint64 *largest = g_new(gint64, n);
    for (gsize i = 0; i < n; i++) {
        const DnNicIteration *nic = &job->nic[i];
        gint64 counts[] = {(gint64)nic->responses, (gint64)nic->flits, nic->latency_ps,
                           nic->stalled_ps};
        memcpy(sums + 4 * i, counts, sizeof counts);
        largest[i] = nic->network_ps;
    }
    processes->sum(sums, 4 * n);
    processes->max(largest, n);
    for (gsize i = 0; i < n; i++)
        job->nic[i] = (DnNicIteration){.responses = (guint64)sums[4 * i],
                                       .flits = (guint64)sums[4 * i + 1],
                                       .latency_ps = sums[4 * i + 2],
                                       .stalled_ps = sums[4 * i + 3],
                                       .network_ps = largest[i]};
}

static void combine_job(DnRunningJob *job, const DnProcesses *processes)
{
    g_autofree gint64 *marked = g_new(gint64, job->marks);
    for (guint32 i = 0; i < job->marks; i++)
        marked[i] = job->marked[i];
    processes->sum(marked, job->marks);
    processes->max(job->mark_ps, job->marks);
    for (guint32 i = 0; i < job->marks; i++)
        job->marked[i] = (guint32)marked[i];
    if (job->nic != NULL)
        combine_nics(job, processes);
    if (job->flows != NULL)
        processes->max((gint64 *)job->flows, 2 * (gsize)job->marks * job->job.program->n_flows);
}

/* ---- ranks ---- */

enum { MESSAGES, ONE_SIDED, LAST_ONE_SIDED, DONE, ADAPTIVE, BIASED, RANK_WORDS };

static void combine_counts(DnReplay *replay, const DnProcesses *processes)
{
    g_autofree gint64 *counts = g_new0(gint64, (gsize)replay->n_ranks * RANK_WORDS);
    for (guint32 i = 0; i < replay->n_ranks; i++) {
        const DnRank *rank = &replay->ranks[i];
        gint64 *at = counts + (gsize)i * RANK_WORDS;
        at[MESSAGES] = (gint64)rank->arrived.messages;
        at[ONE_SIDED] = (gint64)rank->arrived.one_sided;
        at[LAST_ONE_SIDED] = rank->arrived.last_one_sided_ps;
        at[DONE] = rank->done_ps;
        for (guint m = 0; rank->app_aware != NULL && m < 2; m++)
            at[ADAPTIVE + m] = (gint64)rank->app_aware->bytes[m];
    }
    processes->sum(counts, (gsize)replay->n_ranks * RANK_WORDS);
    for (guint32 i = 0; i < replay->n_ranks; i++) {
        DnRank *rank = &replay->ranks[i];
        const gint64 *at = counts + (gsize)i * RANK_WORDS;
        rank->arrived.messages = (guint64)at[MESSAGES];
        rank->arrived.one_sided = (guint64)at[ONE_SIDED];
        rank->arrived.last_one_sided_ps = at[LAST_ONE_SIDED];
        rank->done_ps = at[DONE];
        for (guint m = 0; rank->app_aware != NULL && m < 2; m++)
            rank->app_aware->bytes[m] = (guint64)at[ADAPTIVE + m];
    }
}

static void combine_calls(DnReplay *replay, const DnProcesses *processes)
{
    for (guint32 i = 0; i < replay->n_ranks; i++) {
        DnRank *rank = &replay->ranks[i];
        if (rank->calls.ps != NULL)
            processes->sum(rank->calls.ps, replay->jobs[rank->job].job.program->type->calls);
    }
}

/* ---- latency samples ---- */

typedef struct {
    guint32 rank, n, shift;
    guint32 pad;
} Samples;

static GByteArray *samples_of(const DnReplay *replay)
{
    GByteArray *out = g_byte_array_new();
    for (guint32 i = 0; i < replay->n_ranks; i++) {
        const DnSampler *sampler = &replay->ranks[i].arrived.latency;
        Samples head = {.rank = i, .n = sampler->n, .shift = sampler->shift};
        if (sampler->n == 0)
            continue;
        g_byte_array_append(out, (const guint8 *)&head, sizeof head);
        g_byte_array_append(out, (const guint8 *)sampler->values,
                            (guint)(sampler->n * sizeof *sampler->values));
    }
    return out;
}

static void combine_samples(DnReplay *replay, const DnProcesses *processes)
{
    g_autoptr(GByteArray) own = samples_of(replay);
    g_autofree gsize *sizes = g_new(gsize, processes->n);
    g_autofree guint8 *all = processes->gather(own->data, own->len, sizes);
    const guint8 *at = all;
    for (guint p = 0; p < processes->n; p++) {
        const guint8 *end = at + sizes[p];
        if (p == processes->rank)
            at = end;
        while (at < end) {
            Samples head;
            memcpy(&head, at, sizeof head);
            at += sizeof head;
            DnSampler *sampler = &replay->ranks[head.rank].arrived.latency;
            sampler->n = sampler->allocated = head.n;
            sampler->shift = head.shift;
            sampler->values = g_memdup2(at, head.n * sizeof *sampler->values);
            at += head.n * sizeof *sampler->values;
        }
    }
}

void dn_replay_combine(DnReplay *replay, const DnProcesses *processes)
{
    gint64 work[DN_AWAITED] = {replay->unfinished, replay->pending};
    processes->sum(work, DN_AWAITED);
    replay->unfinished = work[0];
    replay->pending = work[1];
    for (guint j = 0; j < replay->n_jobs; j++)
        combine_job(&replay->jobs[j], processes);
    combine_counts(replay, processes);
    combine_calls(replay, processes);
    if (replay->windows != NULL)
        processes->sum((gint64 *)replay->windows,
                       (gsize)replay->n_ranks * DN_MEASURE_WINDOWS * WINDOW_WORDS);
    combine_samples(replay, processes);
}
