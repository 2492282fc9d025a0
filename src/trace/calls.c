/* calls.c - a rank's calls, in order, as the operations of its stream 0.
 *
 * A blocking call is its operation and a wait; a wait or test is a wait for what it completed when
 * it was recorded, so a replay takes the same path through the program. */
#include "trace/lower.h"
#include "trace/store.h"

guint32 dn_lower_tag(const DnTraceComm *comm, guint32 tag)
{
    if (tag == DN_ANY)
        return DN_TAG_WILD | comm->context;
    /* Tags from 2^19 on (MPI_TAG_UB may be 2^31 - 1) are folded: the odds that two in use fall
     * together are 1 in 2^19, and only among messages of one pair of ranks on one communicator. */
    guint32 low = tag < 1u << (DN_LOWER_TAG_BITS - 1)
                      ? tag
                      : 1u << (DN_LOWER_TAG_BITS - 1) | (tag * 0x9e3779b1u) >> 13;
    return comm->context << DN_LOWER_TAG_BITS | low;
}

/* Adds an operation of the @call that stands @at. */
static void calls_push(DnLowerRank *rank, guint8 call, guint64 at, DnOp out)
{
    g_assert(rank->queued < DN_LOWER_QUEUE);
    out.call = call;
    out.at = at;
    rank->queue[rank->queued++] = out;
}

static void push_wait(DnLowerRank *rank, guint8 call, guint64 at, guint32 request)
{
    calls_push(rank, call, at, (DnOp){.kind = DN_OP_WAIT, .request = request});
}

static void push_time(DnLowerRank *rank, guint8 call, guint64 at, gint64 ps)
{
    if (ps > 0)
        calls_push(rank, call, at, (DnOp){.kind = DN_OP_COMPUTE, .duration_ps = ps});
}

static void push_compute(const DnLower *lower, DnLowerRank *rank, guint8 call, guint64 at,
                         gint64 duration_ps)
{
    push_time(rank, call, at, dn_lower_compute_ps(lower, duration_ps));
}

/* A rank's messages mostly are of one communicator. */
static const DnTraceComm *comm_of(const DnLower *lower, guint32 r, guint32 number)
{
    DnLowerRank *rank = &lower->ranks[r];
    if (rank->comm == NULL || rank->comm_number != number) {
        rank->comm = dn_trace_comm(lower->trace, r, number, NULL);
        rank->comm_number = number;
    }
    return rank->comm;
}

static inline DnOp message_of(const DnLower *lower, guint32 r, const DnTraceOp *op, DnOpKind kind,
                              guint32 request, guint32 flags)
{
    const DnTraceComm *comm = comm_of(lower, r, op->comm);
    gboolean second = op->call == DN_CALL_SENDRECV && kind == DN_OP_RECV;
    guint32 peer = second ? op->from : op->peer;
    return (DnOp){.kind = kind,
                  .peer = peer == DN_ANY ? DN_ANY : dn_trace_world_rank(comm, peer),
                  .tag = dn_lower_tag(comm, second ? op->from_tag : op->tag),
                  .request = request,
                  .bytes = MAX(0, second ? op->recv_bytes : op->bytes),
                  .flags = flags,
                  .call = op->call,
                  .at = op->at};
}

static void push_message(const DnLower *lower, guint32 r, const DnTraceOp *op, DnOpKind kind,
                         guint32 request, guint32 flags)
{
    calls_push(&lower->ranks[r], op->call, op->at, message_of(lower, r, op, kind, request, flags));
}

/* Its starts, its ends and its computation are then handed out by collective_next(). */
static void calls_collective(DnLower *lower, guint32 r, const DnTraceOp *op)
{
    DnLowerRank *rank = &lower->ranks[r];
    gboolean nonblocking = op->flags & DN_TRACE_NONBLOCKING;
    guint32 worker = nonblocking ? 1 + (guint32)op->request - DN_TRACE_COLL_REQUEST : 0;
    rank->workers[worker].busy = FALSE;
    if (dn_lower_collective(lower, r, worker, op, rank->sequence[op->comm]++)) {
        rank->starting = worker + 1;
        rank->started = 0;
        rank->workers[worker].busy = TRUE;
        if (!nonblocking)
            rank->ending = worker + 1;
    }
    rank->after.call = op->call;
    rank->after.at = op->at;
    rank->after.duration_ps = op->duration_ps;
}

static void lower_call(DnLower *lower, guint32 r, const DnTraceOp *op)
{
    DnLowerRank *rank = &lower->ranks[r];
    switch (op->call) {
    case DN_CALL_COMPUTE:
        if (op->flags & DN_TRACE_SLEEP)
            push_time(rank, op->call, op->at, op->duration_ps);
        else
            push_compute(lower, rank, op->call, op->at, op->duration_ps);
        return;
    case DN_CALL_SEND:
        push_message(lower, r, op, DN_OP_SEND, DN_LOWER_SEND, 0);
        push_wait(rank, op->call, op->at, DN_LOWER_SEND);
        return;
    case DN_CALL_RECV:
        push_message(lower, r, op, DN_OP_RECV, DN_LOWER_RECV, 0);
        push_wait(rank, op->call, op->at, DN_LOWER_RECV);
        return;
    case DN_CALL_SENDRECV:
        push_message(lower, r, op, DN_OP_RECV, DN_LOWER_RECV, 0);
        push_message(lower, r, op, DN_OP_SEND, DN_LOWER_SEND, 0);
        push_wait(rank, op->call, op->at, DN_LOWER_SEND);
        push_wait(rank, op->call, op->at, DN_LOWER_RECV);
        return;
    case DN_CALL_ISEND:
    case DN_CALL_SEND_INIT:
        push_message(lower, r, op, DN_OP_SEND, (guint32)op->request,
                     DN_OP_NONBLOCKING | (op->call == DN_CALL_ISEND ? 0 : DN_OP_PERSISTENT));
        return;
    case DN_CALL_IRECV:
    case DN_CALL_RECV_INIT:
        push_message(lower, r, op, DN_OP_RECV, (guint32)op->request,
                     op->call == DN_CALL_IRECV ? 0 : DN_OP_PERSISTENT);
        return;
    default:
        break;
    }
    if (dn_call_completes(op->call) || op->call == DN_CALL_START) {
        rank->listed.call = op->call;
        rank->listed.at = op->at;
        rank->listed.n = op->n_list;
        rank->listed.list = op->list;
        rank->place = 0;
    } else if (dn_call_is_collective(op->call) ||
               (op->call >= DN_CALL_COMM_DUP && op->call <= DN_CALL_COMM_CREATE)) {
        calls_collective(lower, r, op);
    }
}

/* Takes the next of a call's list of requests; FALSE: none is left. */
static gboolean list_next(DnLower *lower, guint32 r)
{
    DnLowerRank *rank = &lower->ranks[r];
    guint8 call = rank->listed.call;
    guint64 at = rank->listed.at;
    if (rank->place == rank->listed.n)
        return FALSE;
    guint32 request = (guint32)rank->listed.list[rank->place++];
    if (call == DN_CALL_START)
        calls_push(rank, call, at, (DnOp){.kind = DN_OP_START, .request = request});
    else if (request < DN_TRACE_COLL_REQUEST)
        push_wait(rank, call, at, request);
    else
        rank->ending = 1 + 1 + request - DN_TRACE_COLL_REQUEST;
    rank->after.call = call;
    rank->after.at = at;
    rank->after.duration_ps = 0;
    return TRUE;
}

/* The next start or end of the collective at hand; FALSE: none left. */
static gboolean collective_next(DnLower *lower, guint32 r)
{
    DnLowerRank *rank = &lower->ranks[r];
    guint8 call = rank->after.call;
    guint64 at = rank->after.at;
    if (rank->starting > 0) {
        guint32 worker = rank->starting - 1;
        calls_push(rank, call, at,
                   (DnOp){.kind = DN_OP_SIGNAL,
                          .tag = dn_lower_start_event(lower, worker, rank->started++)});
        if (rank->started == rank->workers[worker].streams)
            rank->starting = 0;
        return TRUE;
    }
    if (rank->ending > 0) {
        guint32 worker = rank->ending - 1;
        DnWorker *w = &rank->workers[worker];
        if (w->busy) {
            calls_push(rank, call, at,
                       (DnOp){.kind = DN_OP_AWAIT, .tag = dn_lower_done_event(lower, worker)});
            w->busy = ++rank->ended < w->streams;
        }
        if (!w->busy) {
            rank->ending = 0;
            rank->ended = 0;
        }
        return TRUE;
    }
    gint64 duration_ps = rank->after.duration_ps;
    if (duration_ps == 0)
        return FALSE;
    push_compute(lower, rank, call, at, duration_ps);
    rank->after.duration_ps = 0;
    return TRUE;
}

/* Ends an iteration: running operations are awaited, then each worker is notified. */
static gboolean finish_next(DnLower *lower, guint32 r, const DnCursor *cursor)
{
    DnLowerRank *rank = &lower->ranks[r];
    guint32 n = lower->n_workers, streams = n * lower->channels_each;
    if (rank->place < n) {
        rank->ending = 1 + rank->place++;
        return TRUE;
    }
    rank->finished = cursor->iteration + 1;
    if (rank->place == n + streams)
        return FALSE;
    guint32 k = rank->place++ - n;
    calls_push(rank, rank->after.call, rank->after.at,
               (DnOp){.kind = DN_OP_SIGNAL,
                      .tag = dn_lower_start_event(lower, k / lower->channels_each,
                                                  k % lower->channels_each)});
    return TRUE;
}

static void calls_begin(DnLower *lower, guint32 r)
{
    DnLowerRank *rank = &lower->ranks[r];
    dn_trace_cursor_rewind(&rank->cursor);
    for (guint32 i = 0; i < rank->n_numbers; i++)
        rank->sequence[i] = 0;
    rank->queued = rank->handed = 0;
    rank->starting = rank->ending = rank->ended = rank->place = 0;
    memset(&rank->listed, 0, sizeof rank->listed);
    memset(&rank->after, 0, sizeof rank->after);
    rank->over = FALSE;
}

/* Gives the next operation of most programs without the queue: a wait for the next request of a
 * list; else FALSE. */
static inline gboolean next_wait(DnLowerRank *rank, DnOp *out)
{
    if (rank->starting != 0 || rank->ending != 0 || rank->after.duration_ps != 0 || rank->over ||
        rank->place == rank->listed.n || rank->listed.call == DN_CALL_START ||
        rank->listed.list[rank->place] >= DN_TRACE_COLL_REQUEST)
        return FALSE;
    rank->after.call = rank->listed.call;
    rank->after.at = rank->listed.at;
    *out = (DnOp){.kind = DN_OP_WAIT,
                  .request = (guint32)rank->listed.list[rank->place++],
                  .call = rank->after.call,
                  .at = rank->after.at};
    return TRUE;
}

/* Likewise a non-blocking message. */
static inline gboolean next_message(const DnLower *lower, guint32 r, const DnTraceOp *op, DnOp *out)
{
    if (op->call != DN_CALL_ISEND && op->call != DN_CALL_IRECV)
        return FALSE;
    DnOpKind kind = op->call == DN_CALL_ISEND ? DN_OP_SEND : DN_OP_RECV;
    *out = message_of(lower, r, op, kind, (guint32)op->request,
                      kind == DN_OP_SEND ? DN_OP_NONBLOCKING : 0);
    return TRUE;
}

gboolean dn_lower_calls_next(const DnProgram *program, guint32 r, DnCursor *cursor, DnOp *out)
{
    DnLower *lower = program->data;
    DnLowerRank *rank = &lower->ranks[r];
    DnTraceOp op;
    if (cursor->step == 0) {
        calls_begin(lower, r);
        rank->finished = cursor->iteration;
        cursor->step = 1;
    }
    while (rank->handed == rank->queued) {
        rank->handed = rank->queued = 0;
        if (next_wait(rank, out))
            return TRUE;
        if (collective_next(lower, r) || (!rank->over && list_next(lower, r)))
            continue;
        if (!rank->over && dn_trace_cursor_next(&rank->cursor, &op)) {
            if (next_message(lower, r, &op, out))
                return TRUE;
            lower_call(lower, r, &op);
            continue;
        }
        if (!rank->over) {
            rank->over = TRUE;
            rank->place = 0;
        }
        if (!finish_next(lower, r, cursor))
            return FALSE;
    }
    *out = rank->queue[rank->handed++];
    return TRUE;
}
