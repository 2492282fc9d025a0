/* runtime.c - builds and frees the state of running programs; see runtime.h. */
#include "base/shared_arrays.h"
#include "base/sparse_array.h"
#include "runtime/read_queues.h"
#include "runtime/runtime_internal.h"

#include "runtime/service_stages.h"

/* Lists the ranks of each endpoint and the endpoints that have any: equal in all processes, so that
 * those of a computer share one copy (shared_arrays.h). */
static void place_ranks(DnReplay *replay)
{
    guint32 *first = replay->placed_first = dn_array_of(guint32, replay->n_endpoints + 1);
    for (guint j = 0; j < replay->n_jobs; j++)
        for (guint32 r = 0; r < replay->jobs[j].job.program->ranks; r++)
            first[replay->jobs[j].job.endpoints[r] + 1]++;
    guint32 n_active = 0;
    for (guint32 e = 0; e < replay->n_endpoints; e++) {
        g_assert(first[e + 1] <= DN_REPLAY_MAX_SHARING);
        n_active += first[e + 1] > 0;
        first[e + 1] += first[e];
    }
    g_autofree guint32 *at = g_memdup2(first, (replay->n_endpoints + 1) * sizeof *at);
    replay->placed = dn_array_of(DnPlacedRank, first[replay->n_endpoints] + 1);
    for (guint j = 0; j < replay->n_jobs; j++)
        for (guint32 r = 0; r < replay->jobs[j].job.program->ranks; r++) {
            guint32 e = replay->jobs[j].job.endpoints[r];
            replay->jobs[j].local[r] = (guint8)(at[e] - first[e]);
            replay->placed[at[e]++] = (DnPlacedRank){j, r};
        }
    replay->active = dn_array_of(guint32, n_active + 1);
    replay->active_jobs = dn_array_of(guint16, n_active + 1);
    for (guint32 e = 0; e < replay->n_endpoints; e++)
        if (first[e] < first[e + 1]) {
            replay->active_jobs[replay->n_active] = (guint16)replay->placed[first[e + 1] - 1].job;
            replay->active[replay->n_active++] = e;
        }
}

#define LINE_BYTES 64

/* A piece of memory that arrays are taken from; without @memory their bytes are counted only. */
typedef struct {
    guint8 *memory;
    gsize used;
} Piece;

static gpointer piece_take(Piece *at, gsize n, gsize size)
{
    gpointer taken = at->memory != NULL && n > 0 ? at->memory + at->used : NULL;
    at->used += (n * size + 15) & ~(gsize)15;
    return taken;
}
#define PIECE_TAKE(at, type, n) ((type *)piece_take((at), (n), sizeof(type)))

/* Takes the arrays of @rank from @at, in the order in which its operations read them. */
static void rank_take(const DnReplay *replay, DnRank *rank, Piece *at)
{
    const DnRunningJob *job = &replay->jobs[rank->job];
    const DnProgram *program = job->job.program;
    at->used = (at->used + LINE_BYTES - 1) & ~(gsize)(LINE_BYTES - 1);
    rank->streams = PIECE_TAKE(at, DnStream, program->streams);
    DnOp *pending = PIECE_TAKE(at, DnOp, program->streams == 1);
    if (pending != NULL)
        rank->streams->pending_op = pending;
    guint32 servers = job->unit_first[DN_STAGE_UNITS];
    rank->servers = PIECE_TAKE(at, DnServer, servers);
    rank->idle = PIECE_TAKE(at, DnIdleGaps, job->books_later ? servers : 0);
    rank->channels =
        PIECE_TAKE(at, DnServer, job->ordered ? (gsize)program->streams * DN_CHANNEL_PEERS : 0);
    rank->few_reads = PIECE_TAKE(at, DnReadQueue, job->few_reads);
    rank->initiators = PIECE_TAKE(at, DnInitiator, job->initiators);
    rank->nic = PIECE_TAKE(at, DnNicWatch, job->nic != NULL);
    rank->calls.ps = PIECE_TAKE(at, gint64, program->type->calls);
}

static void rank_start(const DnReplay *replay, DnRank *rank)
{
    const DnRunningJob *job = &replay->jobs[rank->job];
    const DnProgram *program = job->job.program;
    rank->n_streams = (guint16)program->streams;
    for (guint32 k = 0; k < program->streams; k++)
        rank->streams[k].cursor.stream = k;
    if (replay->window_ps > 0)
        rank->windows = g_new0(DnMeasureWindow, DN_MEASURE_WINDOWS);
    rank->entries = job->entries;
    rank->calls.since_ps = job->job.start_ps;
    rank->arrived.latency.capacity = MAX(16, DN_REPLAY_SAMPLES / MAX(1, program->ranks));
    rank->match.order.ranks = program->ranks;
    if (job->ordered)
        rank->match.order.channels = dn_order_channels(program->ranks, program->streams);
    if (job->job.app_aware != NULL)
        rank->app_aware = g_new0(DnAppAwareState, 1);
}

/* Returns the bytes, in whole cache lines, of @n ranks from @placed on with their arrays. */
static gsize piece_bytes(const DnReplay *replay, const DnPlacedRank *placed, guint32 n)
{
    Piece at = {NULL, 0};
    (void)PIECE_TAKE(&at, DnRank, n);
    for (guint32 local = 0; local < n; local++) {
        DnRank counted = {.job = placed[local].job};
        rank_take(replay, &counted, &at);
    }
    return (at.used + LINE_BYTES - 1) & ~(gsize)(LINE_BYTES - 1);
}

/* Makes one array for all endpoints: its pages are large; other processes' are never touched. */
static void make_pieces(DnReplay *replay)
{
    gsize bytes = 0;
    for (guint32 e = 0; e < replay->n_endpoints; e++) {
        guint32 first = replay->placed_first[e], n = replay->placed_first[e + 1] - first;
        if (n > 0)
            bytes += piece_bytes(replay, &replay->placed[first], n);
    }
    replay->pieces = dn_sparse_new(bytes);
}

void dn_replay_endpoint_start(DnReplay *replay, guint32 endpoint)
{
    DnReplayEndpoint *e = &replay->endpoints[endpoint];
    guint32 first = replay->placed_first[endpoint];
    const DnPlacedRank *placed = &replay->placed[first];
    g_assert(e->ranks == NULL);
    e->n = replay->placed_first[endpoint + 1] - first;
    gsize bytes = piece_bytes(replay, placed, e->n);
    gsize begin = __atomic_fetch_add(&replay->pieces_used, bytes, __ATOMIC_RELAXED);
    if (e->n > 0) {
        const DnProgram *program = replay->jobs[placed->job].job.program;
        e->rank = placed->rank;
        e->program = program->type->prefetch != NULL ? program : NULL;
    }
    Piece at = {replay->pieces + begin, 0};
    e->ranks = PIECE_TAKE(&at, DnRank, e->n);
    for (guint32 local = 0; local < e->n; local++) {
        DnRank *rank = &e->ranks[local];
        rank->job = placed[local].job;
        rank->rank = placed[local].rank;
        rank->local = (guint8)local;
        rank_take(replay, rank, &at);
        rank_start(replay, rank);
        if (replay->jobs[rank->job].queued_reads)
            dn_read_queues_start(replay, endpoint, &replay->jobs[rank->job].job);
    }
}

DnReplay *dn_replay_new(const DnReplayJob *jobs, guint n_jobs, guint32 n_endpoints)
{
    DnReplay *replay = g_new0(DnReplay, 1);
    replay->jobs = g_new0(DnRunningJob, n_jobs);
    replay->n_jobs = n_jobs;
    replay->endpoints = dn_sparse_of(DnReplayEndpoint, n_endpoints);
    replay->n_endpoints = n_endpoints;
    for (guint j = 0; j < n_jobs; j++) {
        const DnProgram *program = jobs[j].program;
        g_assert(program->ranks <= DN_REPLAY_MAX_RANKS);
        g_assert(program->streams >= 1 && program->streams <= DN_STREAMS);
        guint32 marks = program->iterations;
        if (jobs[j].background)
            marks = MIN(marks, DN_REPLAY_BACKGROUND_MARKS);
        replay->jobs[j] =
            (DnRunningJob){.job = jobs[j],
                           .local = dn_array_of(guint8, program->ranks),
                           .marks = marks,
                           .mark_ps = g_new0(gint64, marks),
                           .own_ps = program->after_barrier ? g_new0(gint64, marks) : NULL,
                           .marked = g_new0(guint32, marks)};
        if (jobs[j].nic != NULL)
            replay->jobs[j].nic = g_new0(DnNicIteration, marks);
        if (program->n_flows > 0 && (guint64)marks * program->n_flows <= DN_REPLAY_FLOWS)
            replay->jobs[j].flows = g_new0(DnFlowTime, (gsize)marks * program->n_flows);
    }
    for (guint j = 0; j < n_jobs; j++) {
        dn_stages_init(&replay->jobs[j]);
        replay->background |= jobs[j].background && !jobs[j].muted && jobs[j].program->ranks > 0;
    }
    place_ranks(replay);
    make_pieces(replay);
    return replay;
}

void dn_replay_measure(DnReplay *replay, gint64 from_ps, gint64 window_ps)
{
    g_assert(replay->window_ps == 0 && window_ps > 0);
    replay->from_ps = from_ps;
    replay->window_ps = window_ps;
}

static void rank_clear(DnRank *rank)
{
    for (guint32 i = 0; i < rank->n_streams; i++) {
        if (rank->streams[i].open != rank->streams[i].few_open)
            g_free(rank->streams[i].open);
        if (rank->n_streams > 1)
            g_free(rank->streams[i].pending_op);
        g_free(rank->streams[i].persistent);
    }
    if (rank->few_reads != NULL)
        g_free(rank->few_reads->waiting);
    g_free(rank->windows);
    g_free(rank->events);
    g_free(rank->fault);
    g_free(rank->app_aware);
    dn_match_clear(&rank->match.armed);
    dn_match_clear(&rank->match.cleared);
    dn_match_clear(&rank->match.early);
    dn_receives_clear(&rank->match.posted);
    dn_match_clear(&rank->match.unexpected);
    dn_order_clear(&rank->match.order);
    dn_sampler_clear(&rank->arrived.latency);
}

static void endpoint_clear(DnReplayEndpoint *e)
{
    for (guint32 local = 0; local < e->n; local++)
        rank_clear(&e->ranks[local]);
    if (e->pool.items != NULL) /* untouched pages stay so */
        dn_record_pool_clear(&e->pool);
    if (e->reads != NULL) /* likewise */
        dn_read_queues_clear(e);
    g_free(e->memory);
}

void dn_replay_free(DnReplay *replay)
{
    if (!replay)
        return;
    for (guint32 e = 0; e < replay->n_endpoints; e++)
        endpoint_clear(&replay->endpoints[e]);
    for (guint j = 0; j < replay->n_jobs; j++) {
        dn_array_free(replay->jobs[j].local);
        g_free(replay->jobs[j].mark_ps);
        g_free(replay->jobs[j].own_ps);
        g_free(replay->jobs[j].marked);
        g_free(replay->jobs[j].nic);
        g_free(replay->jobs[j].flows);
        if (replay->jobs[j].together != NULL)
            dn_replay_result_clear(replay->jobs[j].together);
        g_free(replay->jobs[j].together);
    }
    g_free(replay->jobs);
    dn_sparse_free(replay->pieces);
    dn_sparse_free(replay->endpoints);
    dn_array_free(replay->placed_first);
    dn_array_free(replay->placed);
    dn_array_free(replay->active);
    dn_array_free(replay->active_jobs);
    g_free(replay);
}

guint64 dn_replay_memory_bytes(guint64 ranks, guint64 iterations, guint32 n_endpoints)
{
    return ranks * (sizeof(DnRank) + sizeof(DnStream) + sizeof(DnPlacedRank) + 1) +
           iterations * (sizeof(gint64) + sizeof(guint32)) +
           n_endpoints * (guint64)(sizeof(DnReplayEndpoint) + 2 * sizeof(guint32));
}

/* Returns whether a rank of @job has its state at another endpoint, @first_of its own; NULL: at its
 * own. */
static gboolean shares_first(const DnReplayJob *job, const guint32 *first_of)
{
    for (guint32 r = 0; first_of != NULL && r < job->program->ranks; r++)
        if (first_of[job->endpoints[r]] != job->endpoints[r])
            return TRUE;
    return FALSE;
}

gboolean dn_replay_shares_nodes(const DnReplay *replay)
{
    for (guint j = 0; j < replay->n_jobs; j++) {
        const DnReplayJob *job = &replay->jobs[j].job;
        if (replay->jobs[j].stages_in_turn)
            return TRUE;
        if (replay->jobs[j].queued_reads && shares_first(job, job->adapter_of))
            return TRUE;
        if (replay->jobs[j].shared_memory && shares_first(job, job->cpu_of))
            return TRUE;
    }
    return FALSE;
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
