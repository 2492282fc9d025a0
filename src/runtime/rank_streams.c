/* rank_streams.c - the state machine of a rank's streams: each draws operations from the program
 * while it can use them, and rests while it is busy, waits for a request or an event, or has too
 * few entries of the rank's pool. */
#include "runtime/rank_streams.h"

#include <string.h>

#include "runtime/arrivals.h"
#include "runtime/message_mode.h"
#include "runtime/protocol.h"
#include "runtime/service_stages.h"
#include "runtime/stream_spell.h"

static gboolean stream_transfer(DnRankContext *s, DnStream *stream, const DnOp *op);
static void stream_rest(DnRankContext *s, DnStream *stream, DnStreamState state);
static gboolean stream_waited(DnRankContext *s, DnStream *stream);
static void event_signal(DnRankContext *s, guint32 event);

/* ---- requests ---- */

static void open_grow(DnStream *stream, guint32 request)
{
    guint32 n = MAX(DN_FEW_REQUESTS, stream->n_open);
    while (n <= request)
        n *= 2;
    gboolean few = stream->n_open <= DN_FEW_REQUESTS;
    if (n == DN_FEW_REQUESTS)
        stream->open = stream->few_open;
    else
        stream->open = g_renew(guint32, few ? NULL : stream->open, n);
    if (few && n > DN_FEW_REQUESTS)
        memcpy(stream->open, stream->few_open, sizeof stream->few_open);
    for (guint32 i = few ? DN_FEW_REQUESTS : stream->n_open; i < n; i++)
        stream->open[i] = 0;
    stream->n_open = n;
}

static void request_open(DnStream *stream, guint32 request)
{
    g_assert(request < DN_REQUESTS);
    if (request >= stream->n_open)
        open_grow(stream, request);
    stream->open[request]++;
    stream->outstanding++;
}

static gboolean request_pending(const DnStream *stream, guint32 request)
{
    if (request == DN_ANY)
        return stream->outstanding > 0;
    return request < stream->n_open && stream->open[request] > 0;
}

/* Returns @entries to the pool; streams that wait for entries go on, the lowest first. */
static void entries_give(DnRankContext *s, guint32 entries)
{
    s->rank->entries += entries;
    for (guint32 i = 0; entries > 0 && i < s->job->job.program->streams; i++) {
        DnStream *stream = dn_rank_context_stream(s, i);
        if (stream->state != DN_STREAM_BACKPRESSURE)
            continue;
        stream_rest(s, stream, DN_STREAM_READY);
        if (!stream_transfer(s, stream, stream->pending_op))
            dn_stream_run(s, stream);
    }
}

void dn_request_complete(DnRankContext *s, DnCompletion done)
{
    DnStream *stream = dn_rank_context_stream(s, done.stream);
    g_assert(stream->open[done.request] > 0);
    stream->open[done.request]--;
    stream->outstanding--;
    entries_give(s, done.entries);
    const DnProgram *program = s->job->job.program;
    if (program->type->completed) {
        guint32 event =
            program->type->completed(program, s->rank->rank, stream->cursor.stream, done.request);
        if (event != DN_ANY)
            event_signal(s, event);
    }
    if (stream->state == DN_STREAM_WAITING && !request_pending(stream, stream->waiting_for) &&
        !stream_waited(s, stream))
        dn_stream_run(s, stream);
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

/* Signals @event: the lowest stream that awaits it goes on. A stream in its own loop awaits
 * nothing, so streams that wake each other nest at most once each. */
static void event_signal(DnRankContext *s, guint32 event)
{
    ++*event_of(s->rank, event);
    for (guint32 i = 0; i < s->job->job.program->streams; i++) {
        DnStream *stream = dn_rank_context_stream(s, i);
        if (stream->state != DN_STREAM_AWAITING || stream->waiting_for != event)
            continue;
        --*event_of(s->rank, event);
        dn_stream_run(s, stream);
        return;
    }
}

/* ---- the state machine ---- */

/* Reports a slice from @from_ps until now to the observer. */
static void report_slice(const DnRankContext *s, guint32 stream, DnSliceKind kind, guint8 call,
                         gint64 from_ps)
{
    s->replay->was(s->replay->was_data, &(DnSlice){.from_ps = from_ps,
                                                   .to_ps = s->now_ps,
                                                   .row = s->rank->rank,
                                                   .job = (guint16)s->rank->job,
                                                   .kind = (guint8)kind,
                                                   .stream = (guint16)stream,
                                                   .call = call});
}

/* Reports the state of @stream that ends now as a slice, whatever comes next. */
static void stream_rested(const DnRankContext *s, const DnStream *stream)
{
    static const DnSliceKind busy[] = {DN_SLICE_OUT,       DN_SLICE_COMPUTE, DN_SLICE_COPY,
                                       DN_SLICE_REDUCE,    DN_SLICE_SEND,    DN_SLICE_RECV,
                                       DN_SLICE_COMPLETION};
    static const DnSliceKind waiting[] = {DN_SLICE_OUT,   DN_SLICE_OUT,          DN_SLICE_WAIT,
                                          DN_SLICE_AWAIT, DN_SLICE_BACKPRESSURE, DN_SLICE_OUT};
    DnSliceKind kind = stream->state == DN_STREAM_BUSY ? busy[stream->doing]
                                                       : waiting[stream->state];
    if (kind != DN_SLICE_OUT && s->now_ps > stream->since_ps)
        report_slice(s, stream->cursor.stream, kind, 0, stream->since_ps);
}

static void stream_rest(DnRankContext *s, DnStream *stream, DnStreamState state)
{
    if (s->replay->was != NULL)
        stream_rested(s, stream);
    stream->state = (guint8)state;
    stream->since_ps = s->now_ps;
}

/* TRUE: the stream is busy until a timer wakes it. */
static gboolean stream_busy(DnRankContext *s, DnStream *stream, DnStreamDoing doing,
                            gint64 duration_ps, guint64 cookie)
{
    g_assert(duration_ps >= 0);
    if (duration_ps == 0)
        return FALSE;
    stream->kernels++;
    stream->doing = (guint8)doing;
    stream_rest(s, stream, DN_STREAM_BUSY);
    dn_rank_context_timer(s, s->now_ps + duration_ps, cookie);
    return TRUE;
}

static gboolean stream_wait(DnRankContext *s, DnStream *stream, DnStreamState state, guint32 what)
{
    stream->waiting_for = what;
    stream_rest(s, stream, state);
    return TRUE;
}

static void transfer_begin(DnRankContext *s, DnStream *stream, const DnOp *op, guint8 rule)
{
    guint32 id = stream->cursor.stream;
    if (op->kind == DN_OP_RECV) {
        dn_proxy_post(s, dn_rank_context_costs(s, rule));
        dn_receive_post(s, op, id, rule);
        return;
    }
    DnFlowTime *flow = dn_rank_context_flow(s, id, op->tag);
    if (flow != NULL)
        flow->start_ps = s->now_ps;
    DnSend send = {.bytes = op->bytes,
                   .peer = op->peer,
                   .tag = op->tag,
                   .flags = (guint8)op->flags,
                   .request = op->request,
                   .number = MAX(1, op->pieces),
                   .rule = rule,
                   .stream = (guint16)id,
                   .turn = dn_message_turn(s->job, stream->cursor.iteration)};
    if (op->flags & DN_OP_ONE_SIDED)
        dn_unfinished_add(s, 1);
    dn_send_launch(s, &send);
}

static void stream_set_pending(DnStream *stream, const DnOp *op)
{
    if (stream->pending_op == NULL)
        stream->pending_op = g_new(DnOp, 1);
    if (stream->pending_op != op)
        *stream->pending_op = *op;
}

/* Returns the time for which the stream is busy before the transfer begins. */
static gint64 transfer_busy_ps(const DnRankContext *s, DnStream *stream, const DnOp *op,
                               const DnCosts *costs)
{
    gint64 busy_ps = stream->called ? 0 : MAX(0, stream->began_ps + costs->call_ps - s->now_ps);
    stream->called = TRUE;
    stream->wait_ps = MAX(stream->wait_ps, costs->wait_ps);
    if (costs->local.register_bps > 0 && dn_costs_by_rendezvous(costs, op->bytes))
        busy_ps += dn_time_at_rate(op->bytes, costs->local.register_bps);
    if (op->kind == DN_OP_RECV)
        return busy_ps + costs->post_ps;
    if (!stream->batched)
        busy_ps += costs->batch_ps;
    stream->batched |= op->bytes > 0 || costs->batch_ps > 0;
    return busy_ps + costs->issue_ps;
}

/* TRUE: the stream rests, until it has queue entries or until its cookie DN_COOKIE_ISSUED. */
static gboolean stream_transfer(DnRankContext *s, DnStream *stream, const DnOp *op)
{
    if (op->flags & DN_OP_PERSISTENT) {
        persistent_keep(stream, op);
        return FALSE;
    }
    g_assert(op->kind == DN_OP_RECV || op->peer < s->job->job.program->ranks);
    g_assert(op->bytes >= 0);
    guint8 rule = dn_rank_context_rule_of_op(s, op);
    const DnCosts *costs = dn_rank_context_costs(s, rule);
    guint32 entries = op->kind == DN_OP_SEND ? costs->send_entries : costs->recv_entries;
    if (s->job->entries > 0 && entries > s->rank->entries) {
        stream_set_pending(stream, op);
        stream_rest(s, stream, DN_STREAM_BACKPRESSURE);
        return TRUE;
    }
    if (s->job->entries > 0)
        s->rank->entries -= entries;
    request_open(stream, op->request);
    gint64 busy_ps = dn_host_ps(s, transfer_busy_ps(s, stream, op, costs) + s->rank->owed_ps);
    s->rank->owed_ps = 0;
    if (busy_ps > 0) {
        stream_set_pending(stream, op);
        busy_ps = dn_cpu_work(s, busy_ps) - s->now_ps;
        return stream_busy(
            s, stream, op->kind == DN_OP_RECV ? DN_DOING_RECV : DN_DOING_SEND, busy_ps,
            dn_cookie_of_stream(DN_COOKIE_ISSUED, s->rank->local, stream->cursor.stream));
    }
    transfer_begin(s, stream, op, rule);
    return FALSE;
}

/* A wait is over. TRUE: what follows it keeps the stream busy. */
static gboolean stream_waited(DnRankContext *s, DnStream *stream)
{
    gint64 wait_ps = stream->wait_ps;
    stream->wait_ps = 0;
    stream->batched = FALSE;
    return stream_busy(s, stream, DN_DOING_WAITED, dn_host_ps(s, wait_ps),
                       dn_cookie_of_stream(DN_COOKIE_WAKE, s->rank->local, stream->cursor.stream));
}

static gboolean stream_start(DnRankContext *s, DnStream *stream, guint32 request)
{
    g_assert(request < stream->n_persistent && stream->persistent[request].kind != DN_OP_END);
    DnOp op = stream->persistent[request];
    return stream_transfer(s, stream, &op);
}

/* Returns the rate of a reduction of elements of @element bytes (0: not known). A kernel or a loop
 * that takes one element after the other is bound by their number, not by the memory. */
static gint64 reduction_bps(const DnLocalCosts *local, gint64 element)
{
    if (local->reduce_byte_bps == 0 || element == 0)
        return local->reduce_bps;
    double bps = (double)local->reduce_byte_bps * (double)element,
           most_bps = local->reduce_bps > 0 ? (double)local->reduce_bps : 1e18;
    return (gint64)MIN(bps, most_bps);
}

static gint64 local_ps(const DnCosts *c, const DnOp *op, gint64 element)
{
    gboolean copy = op->kind == DN_OP_COPY, staging = op->flags & DN_OP_STAGING;
    gint64 start_ps = copy ? c->local.copy_ps : c->local.reduce_ps,
           bps = copy ? c->local.copy_bps : reduction_bps(&c->local, element);
    if (staging && c->local.stage_ps > 0)
        start_ps = c->local.stage_ps;
    if (staging && c->local.stage_bps > 0)
        bps = c->local.stage_bps;
    if (op->flags & DN_OP_JOINED)
        start_ps = 0;
    return op->bytes > 0 ? start_ps + dn_time_at_rate(op->bytes, bps) : 0;
}

static gboolean stream_local(DnRankContext *s, DnStream *stream, const DnOp *op)
{
    DnStreamDoing doing = op->kind == DN_OP_COPY     ? DN_DOING_COPY
                          : op->kind == DN_OP_REDUCE ? DN_DOING_REDUCE
                                                     : DN_DOING_COMPUTE;
    gint64 duration_ps = op->duration_ps;
    const DnCosts *costs = NULL;
    dn_work_note(s, op->kind == DN_OP_COMPUTE ? DN_WORK_COMPUTE : DN_WORK_LOCAL);
    if (s->job->job.instant)
        return FALSE;
    if (op->kind != DN_OP_COMPUTE) {
        costs =
            dn_rank_context_costs(s, dn_rank_context_rule(s, s->rank->rank, op->tag, op->bytes));
        duration_ps = local_ps(costs, op, s->job->job.program->element);
    } else if (s->job->job.noise != NULL) {
        duration_ps =
            dn_host_noise_compute_ps(s->job->job.noise, &s->rank->host, s->rank->rank, duration_ps);
    }
    duration_ps = dn_host_ps(s, duration_ps);
    if (costs != NULL && duration_ps > 0)
        duration_ps = dn_cpu_copy(s, duration_ps, op->bytes, costs) - s->now_ps;
    return stream_busy(s, stream, doing, duration_ps,
                       dn_cookie_of_stream(DN_COOKIE_WAKE, s->rank->local, stream->cursor.stream));
}

static gboolean stream_await(DnRankContext *s, DnStream *stream, guint32 event)
{
    guint32 *count = event_of(s->rank, event);
    if (*count == 0)
        return stream_wait(s, stream, DN_STREAM_AWAITING, event);
    --*count;
    return FALSE;
}

/* TRUE: @iteration was the last of a burst, and the stream is silent. */
static gboolean stream_pause(DnRankContext *s, DnStream *stream, guint32 iteration)
{
    const DnReplayJob *job = &s->job->job;
    if (job->pause_ps == 0 || (iteration + 1) % job->burst != 0)
        return FALSE;
    return stream_busy(s, stream, DN_DOING_START, job->pause_ps,
                       dn_cookie_of_stream(DN_COOKIE_WAKE, s->rank->local, stream->cursor.stream));
}

/* Ends @iteration; TRUE: the stream is silent before the next. */
static gboolean iteration_end(DnRankContext *s, DnStream *stream, guint32 iteration)
{
    dn_iteration_mark(s, stream, iteration);
    if (s->replay->was != NULL)
        report_slice(s, stream->cursor.stream, DN_SLICE_ITERATION, 0, stream->began_ps);
    stream->called = stream->begun = FALSE;
    return stream_pause(s, stream, iteration);
}

/* Ends an iteration; TRUE: the stream rests, because the host took longer to enqueue its kernels
 * than they ran, or because a burst is over. */
static gboolean stream_mark(DnRankContext *s, DnStream *stream, const DnOp *op)
{
    gint64 most = s->job->enqueue_ps > 0 ? 2 * DN_RUN_MOST_PS / s->job->enqueue_ps : 0;
    gint64 filled_ps = stream->began_ps + s->job->enqueue_ps * MIN(most, stream->kernels);
    if (filled_ps > s->now_ps) {
        stream_set_pending(stream, op);
        return stream_busy(
            s, stream, DN_DOING_WAITED, filled_ps - s->now_ps,
            dn_cookie_of_stream(DN_COOKIE_ISSUED, s->rank->local, stream->cursor.stream));
    }
    return iteration_end(s, stream, op->tag);
}

/* Executes @op; TRUE: the stream rests. */
static gboolean stream_do(DnRankContext *s, DnStream *stream, const DnOp *op)
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
    case DN_OP_BEGIN:
        stream->began_ps = s->now_ps;
        stream->kernels = 0;
        stream->called = FALSE;
        return FALSE;
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

/* Adds the time since the last change of call to that call; @call begins. */
static void account_call(DnRankContext *s, guint8 call)
{
    DnRankCalls *calls = &s->rank->calls;
    if (call == calls->call)
        return;
    if (s->replay->was != NULL && calls->call != 0)
        report_slice(s, 0, DN_SLICE_CALL, calls->call, calls->since_ps);
    calls->ps[calls->call] += s->now_ps - calls->since_ps;
    calls->since_ps = s->now_ps;
    calls->call = call;
}

void dn_stream_run(DnRankContext *s, DnStream *stream)
{
    DnOp op;
    DnSpell spell = {0};
    gboolean accounted = s->rank->calls.ps != NULL && stream->cursor.stream == 0;
    if (s->replay->was != NULL)
        stream_rested(s, stream);
    stream->state = DN_STREAM_READY;
    do {
        if (s->rank->fault)
            return;
        dn_program_next(s->job->job.program, s->rank->rank, &stream->cursor, &op);
        switch (dn_spell_next(s, stream, &spell, &op)) {
        case DN_SPELL_IDLE:
            stream_rest(s, stream, DN_STREAM_DONE);
            return;
        case DN_SPELL_FAILED:
            return;
        case DN_SPELL_GOES_ON:
            break;
        }
        if (accounted)
            account_call(s, op.call);
    } while (!stream_do(s, stream, &op));
}

void dn_stream_begin(DnRankContext *s, guint32 id)
{
    DnStream *stream = dn_rank_context_stream(s, id);
    if (s->job->job.muted)
        stream_rest(s, stream, DN_STREAM_DONE);
    else if (!stream_busy(s, stream, DN_DOING_START, s->job->job.start_ps,
                          dn_cookie_of_stream(DN_COOKIE_WAKE, s->rank->local, id)))
        dn_stream_run(s, stream);
}

void dn_stream_issued(DnRankContext *s, DnStream *stream)
{
    const DnOp *op = stream->pending_op;
    if (op->kind != DN_OP_MARK)
        transfer_begin(s, stream, op, dn_rank_context_rule_of_op(s, op));
    else if (iteration_end(s, stream, op->tag))
        return;
    dn_stream_run(s, stream);
}
