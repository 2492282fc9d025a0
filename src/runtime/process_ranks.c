/* process_ranks.c - The results of ranks that ran in several processes, brought together in each.
 *
 * A rank ran where its endpoint started, and has no state elsewhere. Sums and maxima over the
 * processes are therefore what one process would have counted. */
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
    if (job->own_ps != NULL)
        processes->max(job->own_ps, job->marks);
    for (guint32 i = 0; i < job->marks; i++)
        job->marked[i] = (guint32)marked[i];
    if (job->nic != NULL)
        combine_nics(job, processes);
    if (job->flows != NULL)
        processes->max((gint64 *)job->flows, 2 * (gsize)job->marks * job->job.program->n_flows);
}

/* ---- ranks ---- */

enum { MESSAGES, ONE_SIDED, UNRECEIVED, ADAPTIVE, BIASED, ARRIVED_BYTES, RESULT_SUMS };
enum { LAST_ONE_SIDED, SHIFT, FIRST_UNRECEIVED_BY, RESULT_MAXIMA };

/* The first message without a receive is that of the lowest rank which has one. */
static void combine_unreceived(DnReplayResult *result, gint64 lowest, const DnProcesses *processes)
{
    gboolean mine = result->unreceived > 0 && result->unreceived_by == lowest;
    gint64 first[] = {mine ? result->unreceived_from : 0, mine ? result->unreceived_tag : 0};
    processes->sum(first, G_N_ELEMENTS(first));
    result->unreceived_by = (guint32)lowest;
    result->unreceived_from = (guint32)first[0];
    result->unreceived_tag = (guint32)first[1];
}

/* All but iterations and latency samples. *@last_one_sided_ps, *@shift: of all processes then. */
static void combine_counts(DnReplayResult *result, guint32 ranks, gint64 *last_one_sided_ps,
                           guint *shift, const DnProcesses *processes)
{
    gint64 sums[RESULT_SUMS] = {(gint64)result->messages,      (gint64)result->one_sided_messages,
                                (gint64)result->unreceived,    (gint64)result->mode_bytes[0],
                                (gint64)result->mode_bytes[1], result->arrived_bytes};
    gint64 maxima[RESULT_MAXIMA] = {*last_one_sided_ps, *shift, G_MININT64};
    if (result->unreceived > 0)
        maxima[FIRST_UNRECEIVED_BY] = -(gint64)result->unreceived_by;
    processes->sum(sums, RESULT_SUMS);
    processes->max(maxima, RESULT_MAXIMA);
    processes->sum((gint64 *)result->windows, DN_MEASURE_WINDOWS * WINDOW_WORDS);
    processes->sum(result->done_ps, ranks);
    processes->sum(result->call_ps, (gsize)ranks * result->n_calls);
    if (sums[UNRECEIVED] > 0)
        combine_unreceived(result, -maxima[FIRST_UNRECEIVED_BY], processes);
    result->messages = (guint64)sums[MESSAGES];
    result->one_sided_messages = (guint64)sums[ONE_SIDED];
    result->unreceived = (guint64)sums[UNRECEIVED];
    result->mode_bytes[0] = (guint64)sums[ADAPTIVE];
    result->mode_bytes[1] = (guint64)sums[BIASED];
    result->arrived_bytes = sums[ARRIVED_BYTES];
    *last_one_sided_ps = maxima[LAST_ONE_SIDED];
    *shift = (guint)maxima[SHIFT];
}

/* ---- latency samples ---- */

typedef struct {
    guint32 rank, n;
} Samples;

static GByteArray *samples_of(const DnReplay *replay, const DnRunningJob *job, guint shift)
{
    GByteArray *out = g_byte_array_new();
    for (guint32 r = 0; r < job->job.program->ranks; r++) {
        const DnRank *rank = dn_replay_rank(replay, job, r);
        if (rank == NULL || rank->arrived.latency.n == 0)
            continue;
        g_autofree gint64 *values = g_new(gint64, rank->arrived.latency.n);
        Samples head = {.rank = r, .n = dn_sampler_read(&rank->arrived.latency, shift, values)};
        g_byte_array_append(out, (const guint8 *)&head, sizeof head);
        g_byte_array_append(out, (const guint8 *)values, (guint)(head.n * sizeof *values));
    }
    return out;
}

/* Puts the samples of @all into result->latency_ps, by rank, as a run in one process does. */
static void samples_place(const guint8 *all, gsize bytes, guint32 ranks, DnReplayResult *result)
{
    g_autofree gsize *first = g_new0(gsize, (gsize)ranks + 1);
    Samples head;
    for (gsize at = 0; at < bytes; at += sizeof head + head.n * sizeof(gint64)) {
        memcpy(&head, all + at, sizeof head);
        first[head.rank + 1] = head.n;
    }
    for (guint32 r = 0; r < ranks; r++)
        first[r + 1] += first[r];
    result->n_latency = first[ranks];
    result->latency_ps = g_new(gint64, result->n_latency);
    for (gsize at = 0; at < bytes; at += sizeof head + head.n * sizeof(gint64)) {
        memcpy(&head, all + at, sizeof head);
        memcpy(result->latency_ps + first[head.rank], all + at + sizeof head,
               head.n * sizeof(gint64));
    }
}

static void combine_samples(const DnReplay *replay, const DnRunningJob *job, guint shift,
                            DnReplayResult *result, const DnProcesses *processes)
{
    g_autoptr(GByteArray) own = samples_of(replay, job, shift);
    g_autofree gsize *sizes = g_new(gsize, processes->n);
    g_autofree guint8 *all = processes->gather(own->data, own->len, sizes);
    gsize bytes = 0;
    for (guint p = 0; p < processes->n; p++)
        bytes += sizes[p];
    samples_place(all, bytes, job->job.program->ranks, result);
}

void dn_replay_combine(DnReplay *replay, const DnProcesses *processes)
{
    gint64 work[DN_AWAITED] = {replay->unfinished, replay->pending};
    processes->sum(work, DN_AWAITED);
    replay->unfinished = work[0];
    replay->pending = work[1];
    for (guint j = 0; j < replay->n_jobs; j++) {
        DnRunningJob *job = &replay->jobs[j];
        guint shift;
        combine_job(job, processes);
        g_assert(job->together == NULL);
        job->together = g_new0(DnReplayResult, 1);
        gint64 last_one_sided_ps = dn_ranks_add_up(replay, j, job->together, &shift);
        combine_counts(job->together, job->job.program->ranks, &last_one_sided_ps, &shift,
                       processes);
        dn_iterations_read(job, last_one_sided_ps, job->together);
        combine_samples(replay, job, shift, job->together, processes);
    }
}
