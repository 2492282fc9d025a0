/* replay.c - see replay.h. */
#include "replay/replay.h"

#include "base/units.h"
#include "replay/match.h"
#include "replay/sampler.h"

enum { RANK_READY, RANK_BUSY, RANK_WAITING, RANK_DONE };

/* What a timer or a sent message is about; cookies are kind | local rank | request | record. */
typedef enum { WAKE, ISSUED, START, LOCAL, RECEIVED, LEFT } Kind;

typedef struct {
    DnCursor cursor;
    gint64 since_ps; /* of the present state; for the watchdog */
    guint32 job, rank;
    guint8 local; /* among the endpoint's ranks */
    guint8 state;
    gboolean copy_running; /* serial mechanism */
    guint32 waiting_for;   /* request or DN_ANY */
    guint32 outstanding;   /* operations whose request is not complete */
    guint32 n_open;
    guint32 *open;  /* [n_open] outstanding of each request id */
    DnChain copies; /* sends that wait for their turn (serial) */
    DnMatch posted, unexpected;
    guint64 messages, one_sided;
    gint64 last_one_sided_ps;
    DnSampler sampler;
} Rank;

typedef struct {
    guint32 first, n; /* its ranks in DnReplay.ranks */
    DnRecordPool pool;
} Endpoint;

typedef struct {
    DnReplayJob job;
    guint8 *local;   /* [ranks] */
    gint64 *mark_ps; /* [iterations] latest MARK so far; atomic maximum */
    guint32 *marked; /* [iterations] ranks that passed it; atomic */
} Job;

struct DnReplay {
    Job *jobs;
    guint n_jobs;
    Endpoint *endpoints;
    guint32 n_endpoints;
    Rank *ranks; /* grouped by endpoint, then by job, then by rank */
    guint32 n_ranks;
    guint32 *active;
    guint32 n_active;
};

/* One callback: where we are. */
typedef struct {
    DnReplay *replay;
    DnContext *context;
    Endpoint *endpoint;
    Rank *rank;
    const Job *job;
    gint64 now_ps;
} Scene;

typedef struct {
    gint64 bytes;
    guint32 peer, tag, flags, request;
} Send;

static guint64 cookie_of(Kind kind, const Rank *rank, guint32 request, guint32 record)
{
    return (guint64)kind << 56 | (guint64)rank->local << 48 | (guint64)request << 32 | record;
}

static Scene scene_at(DnReplay *replay, DnContext *context, guint32 endpoint, guint32 local)
{
    Endpoint *e = &replay->endpoints[endpoint];
    g_assert(local < e->n);
    Rank *rank = &replay->ranks[e->first + local];
    return (Scene){.replay = replay,
                   .context = context,
                   .endpoint = e,
                   .rank = rank,
                   .job = &replay->jobs[rank->job],
                   .now_ps = dn_context_now(context)};
}

static gint64 time_at_rate(gint64 bytes, gint64 rate_bps)
{
    if (rate_bps == 0)
        return 0;
    return (gint64)((double)bytes * 8e12 / (double)rate_bps + 0.5);
}

/* ---- requests ---- */

static void request_open(Rank *rank, guint32 request)
{
    g_assert(request < DN_REQUESTS);
    if (request >= rank->n_open) {
        guint32 n = MAX(4, rank->n_open);
        while (n <= request)
            n *= 2;
        rank->open = g_renew(guint32, rank->open, n);
        for (guint32 i = rank->n_open; i < n; i++)
            rank->open[i] = 0;
        rank->n_open = n;
    }
    rank->open[request]++;
    rank->outstanding++;
}

static gboolean request_pending(const Rank *rank, guint32 request)
{
    if (request == DN_ANY)
        return rank->outstanding > 0;
    return request < rank->n_open && rank->open[request] > 0;
}

static void rank_run(Scene *s);

static void request_complete(Scene *s, guint32 request)
{
    Rank *rank = s->rank;
    g_assert(rank->open[request] > 0);
    rank->open[request]--;
    rank->outstanding--;
    if (rank->state == RANK_WAITING && !request_pending(rank, rank->waiting_for))
        rank_run(s);
}

/* ---- sends: issue, turn, start, wire ---- */

static guint32 send_keep(Scene *s, const Send *send)
{
    guint32 record = dn_record_take(&s->endpoint->pool);
    s->endpoint->pool.items[record] = (DnRecord){.peer = send->peer,
                                                 .tag = send->tag,
                                                 .request = (guint16)send->request,
                                                 .flags = (guint16)send->flags,
                                                 .value = send->bytes};
    return record;
}

static Send send_of_record(const Scene *s, guint32 record)
{
    const DnRecord *r = &s->endpoint->pool.items[record];
    return (Send){.bytes = r->value,
                  .peer = r->peer,
                  .tag = r->tag,
                  .flags = r->flags,
                  .request = r->request};
}

static void send_transmit(Scene *s, const Send *send)
{
    const Job *job = s->job;
    guint32 here = job->job.endpoints[s->rank->rank];
    guint32 there = job->job.endpoints[send->peer];
    if (here == there) {
        gint64 copy_ps = time_at_rate(send->bytes, job->job.mechanism.copy_bps);
        guint32 record = send_keep(s, send);
        dn_context_timer(s->context, s->now_ps + copy_ps, cookie_of(LOCAL, s->rank, 0, record));
        return;
    }
    DnMessage message = {
        .src = here,
        .dst = there,
        .bytes = send->bytes,
        .tag = send->tag | (guint64)s->rank->rank << 32 |
               (guint64)(send->flags & DN_OP_ONE_SIDED) << 55 |
               (guint64)job->local[send->peer] << 56,
        .cookie = cookie_of(LEFT, s->rank, send->request, 0),
        .rate_bps = job->job.mechanism.rate_bps,
        .job = (guint16)s->rank->job,
        .lane = job->job.lane,
        .mode = job->job.mode,
    };
    dn_context_send(s->context, &message);
}

/* The copy's turn: start-up, then the wire. */
static void send_begin(Scene *s, const Send *send)
{
    const DnMechanism *m = &s->job->job.mechanism;
    gint64 delay_ps = m->start_ps;
    if (send->bytes >= m->setup_threshold_bytes)
        delay_ps += m->setup_ps;
    if (delay_ps == 0) {
        send_transmit(s, send);
        return;
    }
    guint32 record = send_keep(s, send);
    dn_context_timer(s->context, s->now_ps + delay_ps, cookie_of(START, s->rank, 0, record));
}

static void send_launch(Scene *s, const Send *send)
{
    Rank *rank = s->rank;
    if (!s->job->job.mechanism.serial) {
        send_begin(s, send);
        return;
    }
    if (!rank->copy_running) {
        rank->copy_running = TRUE;
        send_begin(s, send);
        return;
    }
    guint32 record = send_keep(s, send);
    if (rank->copies.head == 0)
        rank->copies.head = record;
    else
        s->endpoint->pool.items[rank->copies.tail].next = record;
    rank->copies.tail = record;
}

/* The last byte of a send left: the next copy's turn, then whoever waits. */
static void send_left(Scene *s, guint32 request)
{
    Rank *rank = s->rank;
    guint32 record = rank->copies.head;
    if (record != 0) {
        Send send = send_of_record(s, record);
        rank->copies.head = s->endpoint->pool.items[record].next;
        dn_record_give(&s->endpoint->pool, record);
        send_begin(s, &send);
    } else {
        rank->copy_running = FALSE;
    }
    request_complete(s, request);
}

/* ---- receives ---- */

static void receive_finish(Scene *s, guint32 request, gint64 when_ps)
{
    if (when_ps <= s->now_ps)
        request_complete(s, request);
    else
        dn_context_timer(s->context, when_ps, cookie_of(RECEIVED, s->rank, request, 0));
}

static void receive_post(Scene *s, const DnOp *op)
{
    Rank *rank = s->rank;
    DnRecordPool *pool = &s->endpoint->pool;
    request_open(rank, op->request);
    guint32 message = dn_match_take(&rank->unexpected, pool, op->peer, op->tag);
    if (message != 0) {
        gint64 arrived_ps = pool->items[message].value;
        dn_record_give(pool, message);
        receive_finish(s, op->request, arrived_ps + s->job->job.mechanism.recv_ps);
        return;
    }
    guint32 record = dn_record_take(pool);
    pool->items[record] =
        (DnRecord){.peer = op->peer, .tag = op->tag, .request = (guint16)op->request};
    dn_match_add(&rank->posted, pool, record);
}

/* A message for s->rank is wholly here. */
static void message_arrive(Scene *s, guint32 source, guint32 tag, gboolean one_sided)
{
    Rank *rank = s->rank;
    DnRecordPool *pool = &s->endpoint->pool;
    gint64 recv_ps = s->job->job.mechanism.recv_ps;
    rank->messages++;
    if (one_sided) {
        rank->one_sided++;
        rank->last_one_sided_ps = MAX(rank->last_one_sided_ps, s->now_ps + recv_ps);
        return;
    }
    guint32 record = dn_match_take(&rank->posted, pool, source, tag);
    if (record != 0) {
        guint32 request = pool->items[record].request;
        dn_record_give(pool, record);
        receive_finish(s, request, s->now_ps + recv_ps);
        return;
    }
    record = dn_record_take(pool);
    pool->items[record] = (DnRecord){.peer = source, .tag = tag, .value = s->now_ps};
    dn_match_add(&rank->unexpected, pool, record);
}

/* A send within the endpoint: leaves and arrives at once. */
static void local_done(Scene *s, guint32 record)
{
    Send send = send_of_record(s, record);
    dn_record_give(&s->endpoint->pool, record);
    Scene there = *s;
    there.rank = &s->replay->ranks[s->endpoint->first + s->job->local[send.peer]];
    guint32 source = s->rank->rank;
    send_left(s, send.request);
    message_arrive(&there, source, send.tag, send.flags & DN_OP_ONE_SIDED);
}

/* ---- the state machine ---- */

static void mark(Scene *s, guint32 iteration)
{
    const Job *job = s->job;
    g_assert(iteration < job->job.program->iterations);
    gint64 *latest = &job->mark_ps[iteration];
    gint64 seen = __atomic_load_n(latest, __ATOMIC_RELAXED);
    while (seen < s->now_ps && !__atomic_compare_exchange_n(latest, &seen, s->now_ps, TRUE,
                                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
    __atomic_add_fetch(&job->marked[iteration], 1, __ATOMIC_RELAXED);
}

static void rank_rest(Scene *s, guint8 state)
{
    s->rank->state = state;
    s->rank->since_ps = s->now_ps;
}

/* TRUE: the rank is busy until a timer wakes it. */
static gboolean rank_busy(Scene *s, gint64 duration_ps, guint64 cookie)
{
    g_assert(duration_ps >= 0);
    if (duration_ps == 0)
        return FALSE;
    rank_rest(s, RANK_BUSY);
    dn_context_timer(s->context, s->now_ps + duration_ps, cookie);
    return TRUE;
}

/* TRUE: the issue cost keeps the rank busy, and ISSUED goes on. */
static gboolean rank_send(Scene *s, const DnOp *op)
{
    g_assert(op->peer < s->job->job.program->ranks && op->bytes >= 0);
    Send send = {.bytes = op->bytes,
                 .peer = op->peer,
                 .tag = op->tag,
                 .flags = op->flags,
                 .request = op->request};
    request_open(s->rank, op->request);
    gint64 issue_ps = s->job->job.mechanism.issue_ps;
    if (issue_ps > 0) {
        guint32 record = send_keep(s, &send);
        return rank_busy(s, issue_ps, cookie_of(ISSUED, s->rank, 0, record));
    }
    send_launch(s, &send);
    return FALSE;
}

/* TRUE: the rank rests. */
static gboolean rank_do(Scene *s, const DnOp *op)
{
    const DnMechanism *m = &s->job->job.mechanism;
    Rank *rank = s->rank;
    switch (op->kind) {
    case DN_OP_SEND:
        return rank_send(s, op);
    case DN_OP_RECV:
        receive_post(s, op);
        return FALSE;
    case DN_OP_WAIT:
        if (!request_pending(rank, op->request))
            return FALSE;
        rank->waiting_for = op->request;
        rank_rest(s, RANK_WAITING);
        return TRUE;
    case DN_OP_COMPUTE:
        return rank_busy(s, op->duration_ps, cookie_of(WAKE, rank, 0, 0));
    case DN_OP_COPY:
        return rank_busy(s, time_at_rate(op->bytes, m->copy_bps), cookie_of(WAKE, rank, 0, 0));
    case DN_OP_REDUCE:
        return rank_busy(s, time_at_rate(op->bytes, m->reduce_bps), cookie_of(WAKE, rank, 0, 0));
    case DN_OP_MARK:
        mark(s, op->tag);
        return FALSE;
    case DN_OP_END:
        rank_rest(s, RANK_DONE);
        return TRUE;
    }
    g_assert_not_reached();
}

static void rank_run(Scene *s)
{
    DnOp op;
    s->rank->state = RANK_READY;
    do
        dn_program_next(s->job->job.program, s->rank->rank, &s->rank->cursor, &op);
    while (!rank_do(s, &op));
}

/* ---- the client ---- */

static void on_start(void *client, DnContext *context, guint32 endpoint)
{
    DnReplay *replay = client;
    for (guint32 local = 0; local < replay->endpoints[endpoint].n; local++) {
        Scene s = scene_at(replay, context, endpoint, local);
        rank_run(&s);
    }
}

static void on_sent(void *client, DnContext *context, guint32 endpoint, guint64 cookie)
{
    Scene s = scene_at(client, context, endpoint, cookie >> 48 & 0xff);
    send_left(&s, cookie >> 32 & 0xffff);
}

static void on_delivered(void *client, DnContext *context, guint32 endpoint,
                         const DnMessage *message)
{
    Scene s = scene_at(client, context, endpoint, (guint32)(message->tag >> 56));
    message_arrive(&s, message->tag >> 32 & (DN_REPLAY_MAX_RANKS - 1), (guint32)message->tag,
                   message->tag >> 55 & 1);
}

static void on_timer(void *client, DnContext *context, guint32 endpoint, guint64 cookie)
{
    Scene s = scene_at(client, context, endpoint, cookie >> 48 & 0xff);
    guint32 record = (guint32)cookie;
    Send send;
    switch ((Kind)(cookie >> 56)) {
    case WAKE:
        rank_run(&s);
        return;
    case ISSUED:
    case START:
        send = send_of_record(&s, record);
        dn_record_give(&s.endpoint->pool, record);
        if ((Kind)(cookie >> 56) == START) {
            send_transmit(&s, &send);
            return;
        }
        send_launch(&s, &send);
        rank_run(&s);
        return;
    case LOCAL:
        local_done(&s, record);
        return;
    case RECEIVED:
        request_complete(&s, cookie >> 32 & 0xffff);
        return;
    case LEFT:
        break;
    }
    g_assert_not_reached();
}

/* ---- the watchdog's account ---- */

static void append_peer(GString *account, const char *preposition, const DnRecord *record)
{
    if (record->peer == DN_ANY)
        g_string_append_printf(account, " %s any rank", preposition);
    else
        g_string_append_printf(account, " %s rank %u", preposition, record->peer);
    if (record->tag == DN_ANY)
        g_string_append(account, ", any tag");
    else
        g_string_append_printf(account, ", tag %u", record->tag);
}

static void append_rank(const DnReplay *replay, const Endpoint *e, const Rank *rank,
                        GString *account)
{
    char since[DN_UNIT_BUF];
    g_string_append_printf(account, "job %s rank %u: %s since %s", replay->jobs[rank->job].job.name,
                           rank->rank, rank->state == RANK_WAITING ? "waits" : "is busy",
                           dn_format_time(rank->since_ps, since));
    if (rank->state == RANK_WAITING) {
        guint32 first = dn_match_first(&rank->posted, &e->pool, rank->waiting_for);
        if (first != 0) {
            g_string_append(account, " for a message");
            append_peer(account, "from", &e->pool.items[first]);
        } else {
            g_string_append(account, " for a send to leave");
        }
        g_string_append_printf(account, " (%u operations outstanding)", rank->outstanding);
    }
    guint32 stray = dn_match_first(&rank->unexpected, &e->pool, DN_ANY);
    if (stray != 0) {
        g_string_append(account, "; nobody receives the message");
        append_peer(account, "from", &e->pool.items[stray]);
    }
    g_string_append_c(account, '\n');
}

static guint on_blocked(void *client, GString *account, guint max_lines)
{
    const DnReplay *replay = client;
    guint blocked = 0;
    for (guint32 i = 0; i < replay->n_active; i++) {
        const Endpoint *e = &replay->endpoints[replay->active[i]];
        for (guint32 local = 0; local < e->n; local++) {
            const Rank *rank = &replay->ranks[e->first + local];
            if (rank->state == RANK_DONE)
                continue;
            if (blocked++ < max_lines)
                append_rank(replay, e, rank, account);
        }
    }
    if (blocked > max_lines)
        g_string_append_printf(account, "and %u ranks more\n", blocked - max_lines);
    return blocked;
}

const DnClient dn_replay_client = {
    .start = on_start,
    .sent = on_sent,
    .delivered = on_delivered,
    .timer = on_timer,
    .blocked = on_blocked,
};

void dn_replay_observe(DnReplay *replay, const DnMessage *message, gint64 sent_ps,
                       gint64 delivered_ps)
{
    const Endpoint *e = &replay->endpoints[message->dst];
    Rank *rank = &replay->ranks[e->first + (guint32)(message->tag >> 56)];
    dn_sampler_add(&rank->sampler, delivered_ps - sent_ps);
}

/* ---- making and results ---- */

static void place_ranks(DnReplay *replay)
{
    for (guint j = 0; j < replay->n_jobs; j++)
        for (guint32 r = 0; r < replay->jobs[j].job.program->ranks; r++)
            replay->endpoints[replay->jobs[j].job.endpoints[r]].n++;
    guint32 first = 0;
    replay->active = g_new(guint32, replay->n_endpoints);
    for (guint32 e = 0; e < replay->n_endpoints; e++) {
        g_assert(replay->endpoints[e].n <= DN_REPLAY_MAX_SHARING);
        replay->endpoints[e].first = first;
        first += replay->endpoints[e].n;
        if (replay->endpoints[e].n > 0)
            replay->active[replay->n_active++] = e;
        replay->endpoints[e].n = 0;
    }
    replay->n_ranks = first;
    replay->ranks = g_new0(Rank, first);
}

static void fill_ranks(DnReplay *replay, guint j)
{
    Job *job = &replay->jobs[j];
    guint32 ranks = job->job.program->ranks;
    guint32 capacity = MAX(16, DN_REPLAY_SAMPLES / MAX(1, ranks));
    for (guint32 r = 0; r < ranks; r++) {
        Endpoint *e = &replay->endpoints[job->job.endpoints[r]];
        job->local[r] = (guint8)e->n;
        Rank *rank = &replay->ranks[e->first + e->n];
        rank->job = j;
        rank->rank = r;
        rank->local = (guint8)e->n++;
        rank->sampler.capacity = capacity;
    }
}

DnReplay *dn_replay_new(const DnReplayJob *jobs, guint n_jobs, guint32 n_endpoints)
{
    DnReplay *replay = g_new0(DnReplay, 1);
    replay->jobs = g_new0(Job, n_jobs);
    replay->n_jobs = n_jobs;
    replay->endpoints = g_new0(Endpoint, n_endpoints);
    replay->n_endpoints = n_endpoints;
    for (guint j = 0; j < n_jobs; j++) {
        const DnProgram *program = jobs[j].program;
        g_assert(program->ranks <= DN_REPLAY_MAX_RANKS);
        replay->jobs[j] = (Job){.job = jobs[j],
                                .local = g_new(guint8, program->ranks),
                                .mark_ps = g_new0(gint64, program->iterations),
                                .marked = g_new0(guint32, program->iterations)};
    }
    place_ranks(replay);
    for (guint j = 0; j < n_jobs; j++)
        fill_ranks(replay, j);
    return replay;
}

void dn_replay_free(DnReplay *replay)
{
    if (!replay)
        return;
    for (guint j = 0; j < replay->n_jobs; j++) {
        g_free(replay->jobs[j].local);
        g_free(replay->jobs[j].mark_ps);
        g_free(replay->jobs[j].marked);
    }
    for (guint32 i = 0; i < replay->n_ranks; i++) {
        g_free(replay->ranks[i].open);
        dn_match_clear(&replay->ranks[i].posted);
        dn_match_clear(&replay->ranks[i].unexpected);
        dn_sampler_clear(&replay->ranks[i].sampler);
    }
    for (guint32 e = 0; e < replay->n_endpoints; e++)
        dn_record_pool_clear(&replay->endpoints[e].pool);
    g_free(replay->jobs);
    g_free(replay->endpoints);
    g_free(replay->ranks);
    g_free(replay->active);
    g_free(replay);
}

guint64 dn_replay_memory_bytes(guint64 ranks, guint64 iterations, guint32 n_endpoints)
{
    return ranks * (sizeof(Rank) + 1) + iterations * (sizeof(gint64) + sizeof(guint32)) +
           n_endpoints * (guint64)(sizeof(Endpoint) + sizeof(guint32));
}

const guint32 *dn_replay_active(const DnReplay *replay, guint32 *n)
{
    *n = replay->n_active;
    return replay->active;
}

/* Ranks of @job in rank order. */
static const Rank *rank_of(const DnReplay *replay, const Job *job, guint32 r)
{
    return &replay->ranks[replay->endpoints[job->job.endpoints[r]].first + job->local[r]];
}

static void result_iterations(const DnReplay *replay, const Job *job, DnReplayResult *result)
{
    const DnProgram *program = job->job.program;
    while (result->n_iterations < program->iterations &&
           job->marked[result->n_iterations] == program->ranks)
        result->n_iterations++;
    gint64 last_one_sided_ps = 0, start_ps = 0;
    for (guint32 r = 0; r < program->ranks; r++)
        last_one_sided_ps = MAX(last_one_sided_ps, rank_of(replay, job, r)->last_one_sided_ps);
    result->iteration_ps = g_new(gint64, result->n_iterations);
    for (guint32 i = 0; i < result->n_iterations; i++) {
        gint64 end_ps = job->mark_ps[i];
        if (i + 1 == program->iterations)
            end_ps = MAX(end_ps, last_one_sided_ps);
        double scaled_ps = (double)(end_ps - start_ps) * program->type->time_scale;
        result->iteration_ps[i] = (gint64)(scaled_ps + 0.5);
        start_ps = end_ps;
    }
}

void dn_replay_result(const DnReplay *replay, guint j, DnReplayResult *result)
{
    const Job *job = &replay->jobs[j];
    guint32 ranks = job->job.program->ranks;
    guint shift = 0;
    *result = (DnReplayResult){0};
    result_iterations(replay, job, result);
    for (guint32 r = 0; r < ranks; r++) {
        const Rank *rank = rank_of(replay, job, r);
        result->messages += rank->messages;
        result->one_sided_messages += rank->one_sided;
        result->n_latency += rank->sampler.n;
        shift = MAX(shift, rank->sampler.shift);
    }
    result->latency_ps = g_new(gint64, result->n_latency);
    result->n_latency = 0;
    for (guint32 r = 0; r < ranks; r++)
        result->n_latency += dn_sampler_read(&rank_of(replay, job, r)->sampler, shift,
                                             result->latency_ps + result->n_latency);
}

void dn_replay_result_clear(DnReplayResult *result)
{
    g_free(result->iteration_ps);
    g_free(result->latency_ps);
    *result = (DnReplayResult){0};
}
