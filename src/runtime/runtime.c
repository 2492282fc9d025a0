/* runtime.c - ranks run their streams; see runtime.h. */
#include "runtime/runtime_internal.h"

gint64 dn_time_at_rate(gint64 bytes, gint64 rate_bps)
{
    if (rate_bps == 0)
        return 0;
    return (gint64)MIN((double)bytes * 8e12 / (double)rate_bps + 0.5, DN_REPLAY_MOST_PS);
}

static DnScene scene_at(DnReplay *replay, DnContext *context, guint32 endpoint, guint32 local)
{
    DnReplayEndpoint *e = &replay->endpoints[endpoint];
    g_assert(local < e->n);
    DnRank *rank = &replay->ranks[e->first + local];
    return (DnScene){.replay = replay,
                     .context = context,
                     .endpoint = e,
                     .rank = rank,
                     .job = &replay->jobs[rank->job],
                     .now_ps = dn_context_now(context)};
}

static DnStream *stream_at(const DnScene *s, guint32 stream)
{
    g_assert(stream < s->job->job.program->streams);
    return &s->replay->streams[s->rank->first_stream + stream];
}

static void stream_run(DnScene *s, DnStream *stream);
static gboolean stream_transfer(DnScene *s, DnStream *stream, const DnOp *op);
static void stream_rest(DnScene *s, DnStream *stream, DnStreamState state);
static gboolean stream_waited(DnScene *s, DnStream *stream);

void dn_rank_fail(DnScene *s, char *fault)
{
    if (s->rank->fault)
        g_free(fault);
    else
        s->rank->fault = fault;
}

static void event_signal(DnScene *s, guint32 event);

/* ---- requests ---- */

static void request_open(DnStream *stream, guint32 request)
{
    g_assert(request < DN_REQUESTS);
    if (request >= stream->n_open) {
        guint32 n = MAX(4, stream->n_open);
        while (n <= request)
            n *= 2;
        stream->open = g_renew(guint32, stream->open, n);
        for (guint32 i = stream->n_open; i < n; i++)
            stream->open[i] = 0;
        stream->n_open = n;
    }
    stream->open[request]++;
    stream->outstanding++;
}

static gboolean request_pending(const DnStream *stream, guint32 request)
{
    if (request == DN_ANY)
        return stream->outstanding > 0;
    return request < stream->n_open && stream->open[request] > 0;
}

/* The streams that waited for entries go on, the lowest first, while there are enough. */
static void entries_give(DnScene *s, guint32 entries)
{
    s->rank->entries += entries;
    for (guint32 i = 0; entries > 0 && i < s->job->job.program->streams; i++) {
        DnStream *stream = stream_at(s, i);
        if (stream->state != DN_STREAM_STARVED)
            continue;
        stream_rest(s, stream, DN_STREAM_READY);
        if (!stream_transfer(s, stream, stream->held))
            stream_run(s, stream);
    }
}

void dn_request_complete(DnScene *s, guint32 stream_entries, guint32 request)
{
    DnStream *stream = stream_at(s, stream_entries & 0xff);
    g_assert(stream->open[request] > 0);
    stream->open[request]--;
    stream->outstanding--;
    entries_give(s, stream_entries >> 8);
    const DnProgram *program = s->job->job.program;
    if (program->type->completed) {
        guint32 event =
            program->type->completed(program, s->rank->rank, stream->cursor.stream, request);
        if (event != DN_ANY)
            event_signal(s, event);
    }
    if (stream->state == DN_STREAM_WAITING && !request_pending(stream, stream->waiting_for) &&
        !stream_waited(s, stream))
        stream_run(s, stream);
}

static void persistent_keep(DnStream *stream, const DnOp *op)
{
    g_assert(op->request < DN_REQUESTS);
    if (op->request >= stream->n_persistent) {
        guint32 n = MAX(op->request + 1, 2 * stream->n_persistent);
        stream->persistent = g_renew(DnOp, stream->persistent, n);
        for (guint32 i = stream->n_persistent; i < n; i++)
            stream->persistent[i] = (DnOp){.kind = DN_OP_END};
        stream->n_persistent = n;
    }
    stream->persistent[op->request] = *op;
    stream->persistent[op->request].flags &= ~(guint32)DN_OP_PERSISTENT;
}

/* ---- events ---- */

static guint32 *event_of(DnRank *rank, guint32 event)
{
    g_assert(event < DN_EVENTS);
    if (event >= rank->n_events) {
        guint32 n = MAX(event + 1, 2 * rank->n_events);
        rank->events = g_renew(guint32, rank->events, n);
        for (guint32 i = rank->n_events; i < n; i++)
            rank->events[i] = 0;
        rank->n_events = n;
    }
    return &rank->events[event];
}

/* The lowest stream that awaits it goes on. A stream in its own loop awaits nothing, so streams
 * that wake each other nest at most once each. */
static void event_signal(DnScene *s, guint32 event)
{
    ++*event_of(s->rank, event);
    for (guint32 i = 0; i < s->job->job.program->streams; i++) {
        DnStream *stream = stream_at(s, i);
        if (stream->state != DN_STREAM_AWAITING || stream->waiting_for != event)
            continue;
        --*event_of(s->rank, event);
        stream_run(s, stream);
        return;
    }
}

/* ---- the state machine ---- */

static void mark(DnScene *s, guint32 iteration)
{
    const DnRunningJob *job = s->job;
    if (iteration >= job->marks)
        return;
    if (s->replay->done != NULL)
        s->replay->done(s->replay->done_data, s->rank->job, iteration, s->now_ps, s->now_ps);
    gint64 *latest = &job->mark_ps[iteration];
    gint64 seen = __atomic_load_n(latest, __ATOMIC_RELAXED);
    while (seen < s->now_ps && !__atomic_compare_exchange_n(latest, &seen, s->now_ps, TRUE,
                                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
    __atomic_add_fetch(&job->marked[iteration], 1, __ATOMIC_RELAXED);
}

void dn_scene_count_nic(const DnScene *s)
{
    DnNicWatch *watch = s->rank->nic;
    DnNicCounters now;
    if (!watch->ended || !dn_context_nic(s->context, &now))
        return;
    watch->ended = FALSE;
    dn_nic_watch_end(s->job->job.nic, watch, &now, &s->job->nic[watch->iteration]);
}

static void mark_nic(const DnScene *s, guint32 iteration)
{
    DnNicWatch *watch = s->rank->nic;
    if (watch == NULL || iteration >= s->job->marks)
        return;
    dn_scene_count_nic(s);
    watch->ended = TRUE;
    watch->iteration = iteration;
    if (iteration + 1 == s->job->marks)
        dn_scene_count_nic(s);
}

/* Its rest is over, whatever comes now. */
static void stream_rested(const DnScene *s, const DnStream *stream)
{
    static const DnSliceKind busy[] = {DN_SLICE_OUT,    DN_SLICE_COMPUTE, DN_SLICE_COPY,
                                       DN_SLICE_REDUCE, DN_SLICE_SEND,    DN_SLICE_RECV,
                                       DN_SLICE_NOTICE};
    static const DnSliceKind waiting[] = {DN_SLICE_OUT,   DN_SLICE_OUT,     DN_SLICE_WAIT,
                                          DN_SLICE_AWAIT, DN_SLICE_STARVED, DN_SLICE_OUT};
    DnSliceKind kind = stream->state == DN_STREAM_BUSY ? busy[stream->doing]
                                                       : waiting[stream->state];
    if (kind != DN_SLICE_OUT && s->now_ps > stream->since_ps)
        s->replay->was(s->replay->was_data, s->rank->job, s->rank->rank, stream->cursor.stream,
                       kind, stream->since_ps, s->now_ps);
}

static void stream_rest(DnScene *s, DnStream *stream, DnStreamState state)
{
    if (s->replay->was != NULL)
        stream_rested(s, stream);
    stream->state = (guint8)state;
    stream->since_ps = s->now_ps;
}

/* TRUE: the stream is busy until a timer wakes it. */
static gboolean stream_busy(DnScene *s, DnStream *stream, DnStreamDoing doing, gint64 duration_ps,
                            guint64 cookie)
{
    g_assert(duration_ps >= 0);
    if (duration_ps == 0)
        return FALSE;
    stream->kernels++;
    stream->doing = (guint8)doing;
    stream_rest(s, stream, DN_STREAM_BUSY);
    dn_scene_timer(s, s->now_ps + duration_ps, cookie);
    return TRUE;
}

/* What the host takes for so much work. */
static gint64 host_ps(DnScene *s, gint64 work_ps)
{
    const DnHostNoise *noise = s->job->job.noise;
    if (noise == NULL)
        return work_ps;
    return dn_host_noise_stretch(noise, &s->rank->host, s->rank->rank, s->now_ps, work_ps);
}

static gboolean stream_wait(DnScene *s, DnStream *stream, DnStreamState state, guint32 what)
{
    stream->waiting_for = what;
    stream_rest(s, stream, state);
    return TRUE;
}

static void transfer_begin(DnScene *s, DnStream *stream, const DnOp *op)
{
    guint32 id = stream->cursor.stream;
    if (op->kind == DN_OP_RECV) {
        dn_receive_post(s, op, id);
        return;
    }
    DnSend send = {.bytes = op->bytes,
                   .peer = op->peer,
                   .tag = op->tag,
                   .flags = (guint8)op->flags,
                   .request = op->request,
                   .order = MAX(1, op->pieces),
                   .stream = (guint8)id};
    if (op->flags & DN_OP_ONE_SIDED)
        dn_unfinished_add(s, 1);
    dn_send_launch(s, &send);
}

static void stream_hold(DnStream *stream, const DnOp *op)
{
    if (stream->held == NULL)
        stream->held = g_new(DnOp, 1);
    if (stream->held != op)
        *stream->held = *op;
}

/* What the stream is busy with before the transfer begins. */
static gint64 transfer_busy_ps(const DnScene *s, DnStream *stream, const DnOp *op,
                               const DnCosts *costs)
{
    gint64 busy_ps = stream->called ? 0 : MAX(0, stream->began_ps + costs->call_ps - s->now_ps);
    stream->called = TRUE;
    stream->wait_ps = MAX(stream->wait_ps, costs->wait_ps);
    if (op->kind == DN_OP_RECV)
        return busy_ps + costs->post_ps;
    if (!stream->batched)
        busy_ps += costs->batch_ps;
    stream->batched = TRUE;
    return busy_ps + costs->issue_ps;
}

/* TRUE: the stream rests, for entries or until DN_ISSUED. */
static gboolean stream_transfer(DnScene *s, DnStream *stream, const DnOp *op)
{
    if (op->flags & DN_OP_PERSISTENT) {
        persistent_keep(stream, op);
        return FALSE;
    }
    g_assert(op->kind == DN_OP_RECV || op->peer < s->job->job.program->ranks);
    g_assert(op->bytes >= 0);
    const DnCosts *costs = dn_costs(s, op->peer, op->bytes);
    guint32 entries = op->kind == DN_OP_SEND ? costs->send_entries : costs->recv_entries;
    if (s->job->entries > 0 && entries > s->rank->entries) {
        stream_hold(stream, op);
        stream_rest(s, stream, DN_STREAM_STARVED);
        return TRUE;
    }
    if (s->job->entries > 0)
        s->rank->entries -= entries;
    request_open(stream, op->request);
    gint64 busy_ps = host_ps(s, transfer_busy_ps(s, stream, op, costs) + s->rank->owed_ps);
    s->rank->owed_ps = 0;
    if (busy_ps > 0) {
        stream_hold(stream, op);
        return stream_busy(s, stream, op->kind == DN_OP_RECV ? DN_DOING_RECV : DN_DOING_SEND,
                           busy_ps, dn_cookie(DN_ISSUED, s->rank, 0, stream->cursor.stream));
    }
    transfer_begin(s, stream, op);
    return FALSE;
}

/* A wait is over. TRUE: what follows it keeps the stream busy. */
static gboolean stream_waited(DnScene *s, DnStream *stream)
{
    gint64 wait_ps = stream->wait_ps;
    stream->wait_ps = 0;
    stream->batched = FALSE;
    return stream_busy(s, stream, DN_DOING_WAITED, host_ps(s, wait_ps),
                       dn_cookie(DN_WAKE, s->rank, 0, stream->cursor.stream));
}

static gboolean stream_start(DnScene *s, DnStream *stream, guint32 request)
{
    g_assert(request < stream->n_persistent && stream->persistent[request].kind != DN_OP_END);
    DnOp op = stream->persistent[request];
    return stream_transfer(s, stream, &op);
}

static gint64 local_ps(const DnCosts *c, const DnOp *op)
{
    gboolean copy = op->kind == DN_OP_COPY, staging = op->flags & DN_OP_STAGING;
    gint64 start_ps = copy ? c->copy_ps : c->reduce_ps, bps = copy ? c->copy_bps : c->reduce_bps;
    if (staging && c->stage_ps > 0)
        start_ps = c->stage_ps;
    if (staging && c->stage_bps > 0)
        bps = c->stage_bps;
    if (op->flags & DN_OP_JOINED)
        start_ps = 0;
    return op->bytes > 0 ? start_ps + dn_time_at_rate(op->bytes, bps) : 0;
}

static gboolean stream_local(DnScene *s, DnStream *stream, const DnOp *op)
{
    DnStreamDoing doing = op->kind == DN_OP_COPY     ? DN_DOING_COPY
                          : op->kind == DN_OP_REDUCE ? DN_DOING_REDUCE
                                                     : DN_DOING_COMPUTE;
    gint64 duration_ps = op->duration_ps;
    if (s->job->job.instant)
        return FALSE;
    if (op->kind != DN_OP_COMPUTE) {
        duration_ps = local_ps(dn_costs(s, s->rank->rank, op->bytes), op);
    } else if (s->job->job.noise != NULL) {
        duration_ps =
            dn_host_noise_compute_ps(s->job->job.noise, &s->rank->host, s->rank->rank, duration_ps);
    }
    return stream_busy(s, stream, doing, host_ps(s, duration_ps),
                       dn_cookie(DN_WAKE, s->rank, 0, stream->cursor.stream));
}

static gboolean stream_await(DnScene *s, DnStream *stream, guint32 event)
{
    guint32 *count = event_of(s->rank, event);
    if (*count == 0)
        return stream_wait(s, stream, DN_STREAM_AWAITING, event);
    --*count;
    return FALSE;
}

static void iteration_end(DnScene *s, DnStream *stream, guint32 iteration)
{
    mark(s, iteration);
    if (s->replay->was != NULL)
        s->replay->was(s->replay->was_data, s->rank->job, s->rank->rank, stream->cursor.stream,
                       DN_SLICE_ITERATION, stream->began_ps, s->now_ps);
    if (stream->cursor.stream == 0)
        mark_nic(s, iteration);
    stream->called = stream->begun = FALSE;
}

/* TRUE: the host that fills the stream needs longer for an iteration than its kernels took. */
static gboolean stream_mark(DnScene *s, DnStream *stream, const DnOp *op)
{
    gint64 most = s->job->enqueue_ps > 0 ? 2 * DN_REPLAY_MOST_PS / s->job->enqueue_ps : 0;
    gint64 filled_ps = stream->began_ps + s->job->enqueue_ps * MIN(most, stream->kernels);
    if (filled_ps > s->now_ps) {
        stream_hold(stream, op);
        return stream_busy(s, stream, DN_DOING_WAITED, filled_ps - s->now_ps,
                           dn_cookie(DN_ISSUED, s->rank, 0, stream->cursor.stream));
    }
    iteration_end(s, stream, op->tag);
    return FALSE;
}

/* TRUE: the stream rests. */
static gboolean stream_do(DnScene *s, DnStream *stream, const DnOp *op)
{
    if (!stream->begun) {
        stream->began_ps = s->now_ps;
        stream->kernels = 0;
    }
    stream->begun = TRUE;
    switch (op->kind) {
    case DN_OP_SEND:
    case DN_OP_RECV:
        return stream_transfer(s, stream, op);
    case DN_OP_START:
        return stream_start(s, stream, op->request);
    case DN_OP_WAIT:
        if (!request_pending(stream, op->request))
            return stream_waited(s, stream);
        return stream_wait(s, stream, DN_STREAM_WAITING, op->request);
    case DN_OP_COMPUTE:
    case DN_OP_COPY:
    case DN_OP_REDUCE:
        return stream_local(s, stream, op);
    case DN_OP_SIGNAL:
        event_signal(s, op->tag);
        return FALSE;
    case DN_OP_AWAIT:
        return stream_await(s, stream, op->tag);
    case DN_OP_MARK:
        return stream_mark(s, stream, op);
    case DN_OP_END:
        stream_rest(s, stream, DN_STREAM_DONE);
        s->rank->done_ps = MAX(s->rank->done_ps, s->now_ps);
        dn_unfinished_add(s, -1);
        return TRUE;
    }
    g_assert_not_reached();
}

/* The time since the operation before belongs to its call. */
static void account_call(DnScene *s, guint8 call)
{
    DnRank *rank = s->rank;
    if (call == rank->call)
        return;
    rank->call_ps[rank->call] += s->now_ps - rank->since_ps;
    rank->since_ps = s->now_ps;
    rank->call = call;
}

static void stream_run(DnScene *s, DnStream *stream)
{
    DnOp op;
    gboolean accounted = s->rank->call_ps != NULL && stream->cursor.stream == 0;
    if (s->replay->was != NULL)
        stream_rested(s, stream);
    stream->state = DN_STREAM_READY;
    do {
        if (s->rank->fault)
            return;
        dn_program_next(s->job->job.program, s->rank->rank, &stream->cursor, &op);
        if (accounted)
            account_call(s, op.call);
    } while (!stream_do(s, stream, &op));
}

/* ---- the client ---- */

static void stream_begin(DnScene *s, guint32 stream)
{
    gint64 start_ps = s->job->job.start_ps;
    if (s->job->job.silent)
        stream_rest(s, stream_at(s, stream), DN_STREAM_DONE);
    else if (!stream_busy(s, stream_at(s, stream), DN_DOING_START, start_ps,
                          dn_cookie(DN_WAKE, s->rank, 0, stream)))
        stream_run(s, stream_at(s, stream));
}

static void on_start(void *client, DnContext *context, guint32 endpoint)
{
    DnReplay *replay = client;
    for (guint32 local = 0; local < replay->endpoints[endpoint].n; local++) {
        DnScene s = scene_at(replay, context, endpoint, local);
        for (guint32 i = 0; i < s.job->job.program->streams; i++)
            stream_begin(&s, i);
    }
}

static void on_sent(void *client, DnContext *context, guint32 endpoint, guint64 cookie)
{
    DnScene s = scene_at(client, context, endpoint, cookie >> 48 & 0xff);
    guint32 low = (guint32)cookie, request = cookie >> 32 & 0xffff;
    if (cookie >> 56 == DN_UNKNOWN)
        dn_scene_timer(&s, s.now_ps + (gint64)(low >> 8) * 1000,
                       dn_cookie(DN_KNOWN, s.rank, request, low & 0xff));
    else
        dn_send_left(&s, low, request);
}

static void on_delivered(void *client, DnContext *context, guint32 endpoint,
                         const DnMessage *message)
{
    DnReplay *replay = client;
    if (replay->endpoints[endpoint].n == 0) {
        dn_relay_deliver(replay, context, endpoint, message);
        return;
    }
    DnScene s = scene_at(client, context, endpoint, (guint32)(message->tag >> 56));
    dn_pending_add(&s, -1);
    dn_message_arrive(&s, message);
}

static void on_issued(DnScene *s, DnStream *stream)
{
    if (stream->held->kind == DN_OP_MARK)
        iteration_end(s, stream, stream->held->tag);
    else
        transfer_begin(s, stream, stream->held);
    stream_run(s, stream);
}

static void on_timer(void *client, DnContext *context, guint32 endpoint, guint64 cookie)
{
    guint32 low = (guint32)cookie;
    if (cookie >> 56 == DN_RELAYED) {
        dn_relay_go_on(client, context, endpoint, low);
        return;
    }
    DnScene s = scene_at(client, context, endpoint, cookie >> 48 & 0xff);
    DnSend send;
    dn_pending_add(&s, -1);
    switch ((DnCookieKind)(cookie >> 56)) {
    case DN_WAKE:
        stream_run(&s, stream_at(&s, low));
        return;
    case DN_ISSUED:
        on_issued(&s, stream_at(&s, low));
        return;
    case DN_STARTED:
        send = dn_send_take(&s, low);
        dn_send_advance(&s, &send, cookie >> 32 & 0xffff);
        return;
    case DN_ARRIVING:
        dn_arrival_advance(&s, low, cookie >> 32 & 0xffff);
        return;
    case DN_LOCAL:
        dn_send_copied(&s, low);
        return;
    case DN_RECEIVED:
        dn_request_complete(&s, low, cookie >> 32 & 0xffff);
        return;
    case DN_CLEAR:
        dn_receive_clear(&s, low);
        return;
    case DN_GRANTED:
        dn_send_granted(&s, low);
        return;
    case DN_KNOWN:
        dn_send_left(&s, low, cookie >> 32 & 0xffff);
        return;
    case DN_RELAYED:
    case DN_LEFT:
    case DN_UNKNOWN:
        break;
    }
    g_assert_not_reached();
}

/* Or nothing of what is waited for is under way any more: dn_replay_stalled() */
static gboolean on_finished(const void *client)
{
    const DnReplay *replay = client;
    return replay->background && (__atomic_load_n(&replay->unfinished, __ATOMIC_RELAXED) == 0 ||
                                  __atomic_load_n(&replay->pending, __ATOMIC_RELAXED) == 0);
}

gboolean dn_replay_stalled(const DnReplay *replay)
{
    return replay->background && replay->unfinished > 0 && replay->pending == 0;
}

const DnClient dn_replay_client = {
    .start = on_start,
    .sent = on_sent,
    .delivered = on_delivered,
    .timer = on_timer,
    .blocked = dn_replay_blocked,
    .finished = on_finished,
};

void dn_replay_observe(DnReplay *replay, const DnMessage *message, gint64 sent_ps,
                       gint64 delivered_ps)
{
    DnWire kind = message->tag >> 53 & 7;
    const DnReplayEndpoint *e = &replay->endpoints[message->dst];
    if (dn_wire_controls(kind) || e->n == 0)
        return;
    DnRank *rank = &replay->ranks[e->first + (guint32)(message->tag >> 56)];
    gint64 latency_ps = delivered_ps - sent_ps;
    if (replay->windows == NULL) {
        dn_sampler_add(&rank->sampler, latency_ps);
        return;
    }
    DnReplayWindow *arrival = dn_window_at(replay, rank, delivered_ps);
    if (arrival != NULL)
        arrival->arrived_bytes += message->bytes;
    DnReplayWindow *birth = dn_window_at(replay, rank, sent_ps);
    if (birth == NULL)
        return;
    dn_sampler_add(&rank->sampler, latency_ps);
    birth->arrived++;
    birth->latency_ps_sum += latency_ps;
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
        rank->entries = job->entries;
        rank->since_ps = job->job.start_ps;
        if (job->job.program->type->calls > 0)
            rank->call_ps = g_new0(gint64, job->job.program->type->calls);
        rank->sampler.capacity = capacity;
        rank->order.ranks = ranks;
        if (job->job.aware != NULL)
            rank->aware = g_new0(DnAwareState, 1);
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
        replay->unfinished += job->background || job->silent ? 0 : job->program->streams;
        replay->background = replay->background || (job->background && !job->silent);
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
    replay->windows = g_new0(DnReplayWindow, (gsize)replay->n_ranks * DN_REPLAY_WINDOWS);
    replay->from_ps = from_ps;
    replay->window_ps = window_ps;
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
    }
    for (guint32 i = 0; i < replay->n_ranks; i++) {
        g_free(replay->ranks[i].events);
        g_free(replay->ranks[i].servers);
        g_free(replay->ranks[i].call_ps);
        dn_match_clear(&replay->ranks[i].armed);
        dn_match_clear(&replay->ranks[i].cleared);
        g_free(replay->ranks[i].fault);
        g_free(replay->ranks[i].aware);
        g_free(replay->ranks[i].nic);
        dn_match_clear(&replay->ranks[i].held);
        dn_order_clear(&replay->ranks[i].order);
        dn_match_clear(&replay->ranks[i].posted);
        dn_match_clear(&replay->ranks[i].unexpected);
        dn_sampler_clear(&replay->ranks[i].sampler);
    }
    for (guint32 i = 0; i < replay->n_streams; i++) {
        g_free(replay->streams[i].open);
        g_free(replay->streams[i].held);
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
        last_one_sided_ps = MAX(last_one_sided_ps, rank_of(replay, job, r)->last_one_sided_ps);
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
    for (guint w = 0; replay->windows != NULL && w < DN_REPLAY_WINDOWS; w++) {
        const DnReplayWindow *in = &replay->windows[(rank - replay->ranks) * DN_REPLAY_WINDOWS + w];
        DnReplayWindow *sum = &result->windows[w];
        sum->born_bytes += in->born_bytes;
        sum->arrived_bytes += in->arrived_bytes;
        sum->born += in->born;
        sum->arrived += in->arrived;
        sum->latency_ps_sum += in->latency_ps_sum;
    }
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
            result->call_ps[(gsize)r * result->n_calls + c] = rank->call_ps[c];
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
        result->messages += rank->messages;
        result->one_sided_messages += rank->one_sided;
        result->n_latency += rank->sampler.n;
        shift = MAX(shift, rank->sampler.shift);
        add_windows(replay, rank, result);
        for (guint m = 0; rank->aware != NULL && m < 2; m++)
            result->mode_bytes[m] += rank->aware->bytes[m];
    }
    result->nic = job->nic;
    result->latency_ps = g_new(gint64, result->n_latency);
    result->n_latency = 0;
    for (guint32 r = 0; r < ranks; r++)
        result->n_latency += dn_sampler_read(&rank_of(replay, job, r)->sampler, shift,
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
