/* iteration_marks.c - The ends of iterations, noted as streams pass their MARK. */
#include "runtime/runtime_internal.h"

/* Raises *@latest to @ps, if it is less. */
static void raise_to(gint64 *latest, /* NOLINT(readability-non-const-parameter): written */
                     gint64 ps)
{
    gint64 seen = __atomic_load_n(latest, __ATOMIC_RELAXED);
    while (seen < ps && !__atomic_compare_exchange_n(latest, &seen, ps, TRUE, __ATOMIC_RELAXED,
                                                     __ATOMIC_RELAXED))
        continue;
}

static void mark_nic(const DnRankContext *s, guint32 iteration)
{
    DnNicWatch *watch = s->rank->nic;
    if (watch == NULL || iteration >= s->job->marks)
        return;
    dn_rank_context_count_nic(s);
    watch->ended = TRUE;
    watch->iteration = iteration;
    if (iteration + 1 == s->job->marks)
        dn_rank_context_count_nic(s);
}

void dn_iteration_mark(DnRankContext *s, const DnStream *stream, guint32 iteration)
{
    const DnRunningJob *job = s->job;
    if (iteration >= job->marks)
        return;
    if (s->replay->done != NULL)
        s->replay->done(s->replay->done_data, s->rank->job, iteration, s->now_ps, s->now_ps);
    raise_to(&job->mark_ps[iteration], s->now_ps);
    if (job->own_ps != NULL)
        raise_to(&job->own_ps[iteration], s->now_ps - stream->began_ps);
    __atomic_add_fetch(&job->marked[iteration], 1, __ATOMIC_RELAXED);
    if (stream->cursor.stream == 0)
        mark_nic(s, iteration);
}

void dn_iterations_read(const DnRunningJob *job, gint64 last_one_sided_ps, DnReplayResult *result)
{
    const DnProgram *program = job->job.program;
    gint64 start_ps = job->job.start_ps;
    while (result->n_iterations < job->marks &&
           job->marked[result->n_iterations] == program->ranks * program->streams)
        result->n_iterations++;
    result->iteration_ps = g_new(gint64, result->n_iterations);
    result->end_ps = g_new(gint64, result->n_iterations);
    for (guint32 i = 0; i < result->n_iterations; i++) {
        gint64 end_ps = job->mark_ps[i];
        if (i + 1 == program->iterations)
            end_ps = MAX(end_ps, last_one_sided_ps);
        gint64 taken_ps = job->own_ps != NULL ? job->own_ps[i] : end_ps - start_ps;
        double scaled_ps = (double)taken_ps * program->type->time_scale;
        result->iteration_ps[i] = (gint64)(scaled_ps + 0.5);
        start_ps = result->end_ps[i] = end_ps;
    }
}
