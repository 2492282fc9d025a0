/* service_stages.c - servers that messages of a rank hold one after another; see DnStage.
 *
 * A server's state is the moment from which it is free: with service in order of arrival no queue
 * is needed, only a timer for when the message has passed. What it did while a message came is
 * booked when the last byte is there, in the times in which it was idle (idle_gaps.h). */
#include "runtime/service_stages.h"

static void count_servers(const DnStage *stages, guint32 n, guint32 *servers)
{
    for (guint32 i = 0; i < n; i++)
        servers[stages[i].unit] = MAX(servers[stages[i].unit], stages[i].servers);
}

static void count_mechanism(const DnMechanism *m, DnRunningJob *job, guint32 *servers)
{
    if (m->connect_ps > 0)
        job->initiators = MAX(job->initiators, m->initiators);
    for (guint i = 0; i < MAX(1, m->n_rules); i++) {
        const DnCosts *c = &m->rules[i].costs;
        count_servers(c->out, c->n_out, servers);
        count_servers(c->in, c->n_in, servers);
        for (guint32 k = 0; k < c->n_in; k++)
            job->books_later |= c->in[k].pipelined && c->in[k].servers > 0;
        if (c->receive.progress_ns > 0) {
            servers[DN_STAGE_CPU] = 1;
            job->one_processor = TRUE;
        }
        if (c->receive.proxy_post_ns > 0)
            servers[DN_STAGE_PROXY] = MAX(1, servers[DN_STAGE_PROXY]);
        job->entries = MAX(job->entries, c->entries);
        job->ordered |= c->channel_bps > 0;
        job->queued_reads |= c->receive.read_queues > 0;
        job->few_reads |= c->receive.read_peers > 0;
        job->stages_in_turn |= dn_costs_stages_in_turn(c);
        job->shared_memory |= c->local.memory_bps > 0;
        job->enqueue_ps = MAX(job->enqueue_ps, c->enqueue_ps);
    }
}

void dn_stages_init(DnRunningJob *job)
{
    guint32 servers[DN_STAGE_UNITS] = {0};
    count_mechanism(&job->job.mechanism, job, servers);
    for (guint c = 0; c < DN_CALL_COSTS; c++)
        if (job->job.of_call[c] != NULL)
            count_mechanism(job->job.of_call[c], job, servers);
    for (guint u = 0; u < DN_STAGE_UNITS; u++)
        job->unit_first[u + 1] = job->unit_first[u] + servers[u];
}

/* The server of @stage's unit that is free first; the lowest of equals. */
static DnServer *first_free(const DnRankContext *s, const DnStage *stage)
{
    DnServer *servers = s->rank->servers + s->job->unit_first[stage->unit];
    DnServer *best = servers;
    for (guint32 i = 1; i < stage->servers; i++)
        if (servers[i].free_ps < best->free_ps)
            best = &servers[i];
    return best;
}

/* Returns a message's service time, of the processor with its noise. *@pieces: set if the stage
 * counts its own, else as passed. */
static gint64 turn_length(const DnRankContext *s, const DnStage *stage, gint64 bytes,
                          gint64 *pieces)
{
    if (stage->piece_bytes > 0)
        *pieces = MAX(1, (bytes + stage->piece_bytes - 1) / stage->piece_bytes);
    gint64 turn_ps = stage->message_ps + stage->piece_ps * *pieces +
                     dn_time_at_rate(bytes, stage->rate_bps);
    return stage->unit == DN_STAGE_CPU ? dn_host_ps(s, turn_ps) : turn_ps;
}

/* A server's time, with its gaps where work is booked afterwards. */
typedef struct {
    gint64 *free_ps;
    DnIdleGaps *idle; /* or NULL */
} Time;

/* Books @work_ps in turn, not before @from_ps, which may be past: then in the gaps since. Returns
 * when the work ends. */
static gint64 time_book(const Time *time, gint64 from_ps, gint64 work_ps)
{
    if (time->idle != NULL && from_ps >= *time->free_ps)
        dn_idle_gaps_note(time->idle, *time->free_ps, from_ps);
    else if (time->idle != NULL && work_ps > 0) {
        gint64 end_ps = from_ps;
        work_ps = dn_idle_gaps_use(time->idle, from_ps, work_ps, &end_ps);
        if (work_ps == 0)
            return end_ps;
    }
    /* dn_rank_context_timer() refuses more */
    return *time->free_ps = MIN(MAX(from_ps, *time->free_ps) + work_ps, 2 * DN_RUN_MOST_PS);
}

static DnMemoryTime *memory_of(const DnRankContext *s)
{
    const DnReplayJob *job = &s->job->job;
    guint32 cpu = job->endpoints[s->rank->rank];
    if (job->cpu_of != NULL)
        cpu = job->cpu_of[cpu];
    DnReplayEndpoint *at = &s->replay->endpoints[cpu];
    if (at->memory == NULL)
        at->memory = g_new0(DnMemoryTime, 1);
    return at->memory;
}

/* Does what memory_pass() does, for a stage of the memory's. */
static gint64 memory_book(const DnRankContext *s, const DnStage *stage, gint64 from_ps,
                          gint64 bytes)
{
    DnMemoryTime *memory = memory_of(s);
    guint32 iteration = s->rank->streams[0].cursor.iteration;
    if (iteration > memory->iteration) {
        memory->iteration = iteration;
        memory->copied_bytes = 0;
    }
    memory->copied_bytes += MIN(bytes, G_MAXINT64 - memory->copied_bytes);
    if (memory->copied_bytes <= stage->memory_cache_bytes)
        return 0;
    Time time = {&memory->free_ps, &memory->idle};
    return time_book(&time, from_ps, dn_time_at_rate(bytes, stage->memory_bps));
}

/* Returns when the memory of the rank's CPU has passed @bytes of @stage that want it from @from_ps
 * on; 0: they do not, as caches hold what the CPU's processes have copied in this iteration. */
static inline gint64 memory_pass(const DnRankContext *s, const DnStage *stage, gint64 from_ps,
                                 gint64 bytes)
{
    return stage->memory_bps == 0 ? 0 : memory_book(s, stage, from_ps, bytes);
}

/* Occupies a server for @peer not before @from_ps, for @turn_ps, or longer where the CPU's memory
 * has not passed @bytes by then; returns when it ends, and *@began_ps: when its service began, of
 * what is not booked afterwards. */
static gint64 take_turn(const DnRankContext *s, const DnStage *stage, guint32 peer, gint64 from_ps,
                        gint64 bytes, gint64 turn_ps, gint64 *began_ps)
{
    *began_ps = from_ps;
    if (stage->servers == 0)
        return from_ps + turn_ps;
    gint64 passed_ps = memory_pass(s, stage, from_ps, bytes);
    DnServer *server = first_free(s, stage);
    gboolean change = server->peer != 0 && server->peer != peer + 1;
    if (change)
        server->free_ps += stage->change_ps;
    server->peer = peer + 1;
    *began_ps = MAX(from_ps, server->free_ps);
    DnIdleGaps *idle = s->rank->idle;
    Time time = {&server->free_ps, idle != NULL ? idle + (server - s->rank->servers) : NULL};
    gint64 end_ps = time_book(&time, from_ps, turn_ps);
    if (passed_ps > server->free_ps)
        server->free_ps = passed_ps;
    return MAX(end_ps, passed_ps);
}

gint64 dn_cpu_work(const DnRankContext *s, gint64 work_ps)
{
    static const DnCosts no_memory;
    return dn_cpu_copy(s, work_ps, 0, &no_memory);
}

gint64 dn_cpu_copy(const DnRankContext *s, gint64 work_ps, gint64 bytes, const DnCosts *costs)
{
    if (!s->job->one_processor && costs->local.memory_bps == 0)
        return s->now_ps + work_ps;
    const DnStage cpu = {.unit = DN_STAGE_CPU,
                         .servers = 1,
                         .memory_bps = costs->local.memory_bps,
                         .memory_cache_bytes = costs->local.memory_cache_bytes};
    if (!s->job->one_processor) {
        gint64 passed_ps = memory_pass(s, &cpu, s->now_ps, bytes);
        return MAX(s->now_ps + work_ps, passed_ps);
    }
    gint64 began_ps;
    return take_turn(s, &cpu, s->rank->rank, s->now_ps, bytes, work_ps, &began_ps);
}

void dn_proxy_post(const DnRankContext *s, const DnCosts *costs)
{
    static const DnStage proxy = {.unit = DN_STAGE_PROXY, .servers = 1};
    gint64 post_ps = (gint64)costs->receive.proxy_post_ns * 1000, began_ps;
    if (post_ps > 0)
        (void)take_turn(s, &proxy, s->rank->rank, s->now_ps, 0, post_ps, &began_ps);
}

/* Takes the channel of @peer; a peer without one takes over the channel that was free first. */
gint64 dn_channel_take(const DnRankContext *s, guint32 stream, guint32 peer, gint64 from_ps,
                       gint64 turn_ps)
{
    DnServer *channels = s->rank->channels + (gsize)stream * DN_CHANNEL_PEERS, *best = channels;
    for (guint32 i = 0; i < DN_CHANNEL_PEERS && best->peer != peer + 1; i++)
        if (channels[i].peer == peer + 1 || channels[i].free_ps < best->free_ps)
            best = &channels[i];
    if (best->peer == peer + 1)
        from_ps = MAX(from_ps, best->free_ps);
    *best = (DnServer){.free_ps = MIN(from_ps + turn_ps, 2 * DN_RUN_MOST_PS), .peer = peer + 1};
    return from_ps;
}

/* Returns the initiator that is @peer's, at @from_ps still or already; or NULL. */
static DnInitiator *initiator_of(DnInitiator *all, guint32 n, guint32 peer, gint64 from_ps)
{
    for (guint32 i = 0; i < n; i++)
        if (all[i].peer == peer + 1 || (all[i].before == peer + 1 && all[i].before_ps > from_ps))
            return &all[i];
    return NULL;
}

gint64 dn_initiator_take(const DnRankContext *s, guint32 peer, guint32 tag, gint64 from_ps)
{
    const DnMechanism *m = dn_rank_context_mechanism(s, tag);
    if (m->connect_ps == 0 || m->initiators == 0 || dn_rank_context_inside(s, peer))
        return from_ps;
    DnInitiator *all = s->rank->initiators, *own = initiator_of(all, m->initiators, peer, from_ps);
    gint64 turn_ps = m->connect_ps + m->initiator_ps;
    if (own != NULL && own->peer != peer + 1) /* which it has until another takes it over */
        return from_ps;
    if (own != NULL) {
        from_ps = MAX(from_ps, own->free_ps - turn_ps);
    } else {
        own = all;
        for (guint32 i = 1; i < m->initiators; i++)
            if (all[i].free_ps < own->free_ps)
                own = &all[i];
        own->before = own->peer;
        own->before_ps = own->free_ps;
        own->peer = peer + 1;
        from_ps = MAX(from_ps, own->free_ps);
    }
    own->free_ps = MIN(from_ps + turn_ps, 2 * DN_RUN_MOST_PS);
    return from_ps;
}

gint64 dn_stage_pass(DnRankContext *s, const DnStage *stage, guint32 peer, gint64 bytes,
                     guint32 wire_messages)
{
    if (bytes < stage->min_bytes || (stage->max_bytes > 0 && bytes > stage->max_bytes))
        return s->now_ps;
    gint64 pieces = wire_messages, turn_ps = turn_length(s, stage, bytes, &pieces);
    gint64 began_ps;
    gint64 until_ps = take_turn(s, stage, peer, s->now_ps, bytes, turn_ps, &began_ps);
    if (stage->async)
        return s->now_ps;
    if (stage->pipelined)
        until_ps = began_ps + dn_time_at_rate(bytes, stage->pipelined_bps);
    return until_ps + stage->latency_ps;
}

gint64 dn_stage_arrive(DnRankContext *s, const DnStage *stage, guint32 peer, gint64 bytes,
                       gint64 rate_bps)
{
    if (!stage->pipelined)
        return dn_stage_pass(s, stage, peer, bytes, 1);
    gint64 pieces = 1, turn_ps = turn_length(s, stage, bytes, &pieces);
    if (stage->arrival_bps > 0)
        rate_bps = stage->arrival_bps;
    gint64 came_ps = s->now_ps - dn_time_at_rate(bytes - bytes / pieces, rate_bps);
    gint64 began_ps;
    gint64 end_ps = take_turn(s, stage, peer, MAX(0, came_ps), bytes, turn_ps, &began_ps);
    return MAX(end_ps, s->now_ps + turn_ps / pieces) + stage->latency_ps;
}
