/* runtime.c - builds and frees the state of running programs; see runtime.h. */
#include "runtime/runtime_internal.h"

#include "runtime/service_stages.h"

/* The job of an active endpoint: the last one that has a rank there. */
static void name_jobs(DnReplay *replay)
{
    g_autofree guint16 *job_of = g_new0(guint16, replay->n_endpoints);
    for (guint j = 0; j < replay->n_jobs; j++)
        for (guint32 r = 0; r < replay->jobs[j].job.program->ranks; r++)
            job_of[replay->jobs[j].job.endpoints[r]] = (guint16)j;
    for (guint32 i = 0; i < replay->n_active; i++)
        replay->active_jobs[i] = job_of[replay->active[i]];
}

static void place_ranks(DnReplay *replay)
{
    for (guint j = 0; j < replay->n_jobs; j++)
        for (guint32 r = 0; r < replay->jobs[j].job.program->ranks; r++)
            replay->endpoints[replay->jobs[j].job.endpoints[r]].n++;
    guint32 first = 0;
    replay->active = g_new(guint32, replay->n_endpoints);
    replay->active_jobs = g_new0(guint16, replay->n_endpoints);
    for (guint32 e = 0; e < replay->n_endpoints; e++) {
        g_assert(replay->endpoints[e].n <= DN_REPLAY_MAX_SHARING);
        replay->endpoints[e].first = first;
        first += replay->endpoints[e].n;
        if (replay->endpoints[e].n > 0)
            replay->active[replay->n_active++] = e;
        replay->endpoints[e].n = 0;
    }
    name_jobs(replay);
    replay->n_ranks = first;
    replay->ranks = g_new0(DnRank, first);
}

static void fill_ranks(DnReplay *replay, guint j)
{
    DnRunningJob *job = &replay->jobs[j];
    guint32 ranks = job->job.program->ranks;
    guint32 capacity = MAX(16, DN_REPLAY_SAMPLES / MAX(1, ranks));
    for (guint32 r = 0; r < ranks; r++) {
        DnReplayEndpoint *e = &replay->endpoints[job->job.endpoints[r]];
        job->local[r] = (guint8)e->n;
        DnRank *rank = &replay->ranks[e->first + e->n];
        rank->job = j;
        rank->rank = r;
        rank->local = (guint8)e->n++;
        if (job->unit_first[DN_STAGE_UNITS] > 0)
            rank->servers = g_new0(DnServer, job->unit_first[DN_STAGE_UNITS]);
        if (job->ordered)
            rank->channels = g_new0(DnServer, (gsize)job->job.program->streams * DN_CHANNEL_PEERS);
        if (job->queued_reads)
            rank->reads = g_new0(DnReadQueue, DN_READ_QUEUES);
        rank->entries = job->entries;
        rank->calls.since_ps = job->job.start_ps;
        if (job->job.program->type->calls > 0)
            rank->calls.ps = g_new0(gint64, job->job.program->type->calls);
        rank->arrived.latency.capacity = capacity;
        rank->match.order.ranks = ranks;
        if (job->job.app_aware != NULL)
            rank->app_aware = g_new0(DnAppAwareState, 1);
        if (job->nic != NULL)
            rank->nic = g_new0(DnNicWatch, 1);
    }
}

static void fill_streams(DnReplay *replay)
{
    for (guint32 i = 0; i < replay->n_ranks; i++) {
        const DnReplayJob *job = &replay->jobs[replay->ranks[i].job].job;
        replay->ranks[i].first_stream = replay->n_streams;
        replay->n_streams += job->program->streams;
        replay->background = replay->background || (job->background && !job->muted);
    }
    replay->streams = g_new0(DnStream, replay->n_streams);
    for (guint32 i = 0; i < replay->n_ranks; i++)
        for (guint32 k = 0; k < replay->jobs[replay->ranks[i].job].job.program->streams; k++)
            replay->streams[replay->ranks[i].first_stream + k].cursor.stream = k;
}

DnReplay *dn_replay_new(const DnReplayJob *jobs, guint n_jobs, guint32 n_endpoints)
{
    DnReplay *replay = g_new0(DnReplay, 1);
    replay->jobs = g_new0(DnRunningJob, n_jobs);
    replay->n_jobs = n_jobs;
    replay->endpoints = g_new0(DnReplayEndpoint, n_endpoints);
    replay->n_endpoints = n_endpoints;
    for (guint j = 0; j < n_jobs; j++) {
        const DnProgram *program = jobs[j].program;
        g_assert(program->ranks <= DN_REPLAY_MAX_RANKS);
        g_assert(program->streams >= 1 && program->streams <= DN_STREAMS);
        guint32 marks = program->iterations;
        if (jobs[j].background)
            marks = MIN(marks, DN_REPLAY_BACKGROUND_MARKS);
        replay->jobs[j] = (DnRunningJob){.job = jobs[j],
                                         .local = g_new(guint8, program->ranks),
                                         .marks = marks,
                                         .mark_ps = g_new0(gint64, marks),
                                         .marked = g_new0(guint32, marks)};
        if (jobs[j].nic != NULL)
            replay->jobs[j].nic = g_new0(DnNicIteration, marks);
        if (program->n_flows > 0 && (guint64)marks * program->n_flows <= DN_REPLAY_FLOWS)
            replay->jobs[j].flows = g_new0(DnFlowTime, (gsize)marks * program->n_flows);
    }
    for (guint j = 0; j < n_jobs; j++)
        dn_stages_init(&replay->jobs[j]);
    place_ranks(replay);
    for (guint j = 0; j < n_jobs; j++)
        fill_ranks(replay, j);
    fill_streams(replay);
    return replay;
}

void dn_replay_measure(DnReplay *replay, gint64 from_ps, gint64 window_ps)
{
    g_assert(replay->windows == NULL && window_ps > 0);
    replay->windows = g_new0(DnMeasureWindow, (gsize)replay->n_ranks * DN_MEASURE_WINDOWS);
    replay->from_ps = from_ps;
    replay->window_ps = window_ps;
}

static void rank_clear(DnRank *rank)
{
    g_free(rank->events);
    g_free(rank->servers);
    g_free(rank->channels);
    g_free(rank->reads);
    g_free(rank->calls.ps);
    g_free(rank->fault);
    g_free(rank->app_aware);
    g_free(rank->nic);
    dn_match_clear(&rank->match.armed);
    dn_match_clear(&rank->match.cleared);
    dn_match_clear(&rank->match.early);
    dn_match_clear(&rank->match.posted);
    dn_match_clear(&rank->match.unexpected);
    dn_order_clear(&rank->match.order);
    dn_sampler_clear(&rank->arrived.latency);
}

void dn_replay_free(DnReplay *replay)
{
    if (!replay)
        return;
    for (guint j = 0; j < replay->n_jobs; j++) {
        g_free(replay->jobs[j].local);
        g_free(replay->jobs[j].mark_ps);
        g_free(replay->jobs[j].marked);
        g_free(replay->jobs[j].nic);
        g_free(replay->jobs[j].flows);
    }
    for (guint32 i = 0; i < replay->n_ranks; i++)
        rank_clear(&replay->ranks[i]);
    for (guint32 i = 0; i < replay->n_streams; i++) {
        g_free(replay->streams[i].open);
        g_free(replay->streams[i].pending_op);
        g_free(replay->streams[i].persistent);
    }
    g_free(replay->streams);
    for (guint32 e = 0; e < replay->n_endpoints; e++)
        dn_record_pool_clear(&replay->endpoints[e].pool);
    g_free(replay->jobs);
    g_free(replay->endpoints);
    g_free(replay->ranks);
    g_free(replay->windows);
    g_free(replay->active);
    g_free(replay->active_jobs);
    g_free(replay);
}

guint64 dn_replay_memory_bytes(guint64 ranks, guint64 iterations, guint32 n_endpoints)
{
    return ranks * (sizeof(DnRank) + sizeof(DnStream) + 1) +
           iterations * (sizeof(gint64) + sizeof(guint32)) +
           n_endpoints * (guint64)(sizeof(DnReplayEndpoint) + sizeof(guint32));
}

const guint32 *dn_replay_active(const DnReplay *replay, guint32 *n)
{
    *n = replay->n_active;
    return replay->active;
}

const guint16 *dn_replay_active_jobs(const DnReplay *replay)
{
    return replay->active_jobs;
}
