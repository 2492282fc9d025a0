/* dry_run.c - see dry_run.h. Ranks take turns of a few operations, so that what one sends ahead of
 * the others stays little. */
#include "trace/dry_run.h"

#include "trace/trace.h"

#include <string.h>

#define TURN 256

typedef struct {
    DnOp op;
    guint64 id, word; /* id: rises within a stream */
    gboolean done;
} Begun;

typedef struct Message {
    struct Message *next;
    guint32 source, tag, stream;
    guint64 id;
    DnOp op;
} Message;

typedef struct Receive {
    struct Receive *next;
    DnOp op;
    guint64 id, word;
    guint32 stream;
} Receive;

typedef enum { READY, WAITING, AWAITING, ENDED } State;

typedef struct {
    DnCursor cursor;
    State state;
    guint32 waiting_for; /* request, DN_ANY, or event */
    gboolean in_wait;    /* which is notified when it ends */
    guint32 outstanding;
    GArray *open;       /* guint32: not done, by request */
    GArray *begun;      /* Begun: sends and receives not yet waited for */
    GArray *persistent; /* DnOp by request */
} Stream;

typedef struct {
    Stream *streams;
    Message *messages, **last_message;
    Receive *receives, **last_receive;
    GArray *events;       /* guint32 */
    DnDryRunLoose *unfit; /* NULL: none */
} Rank;

typedef struct {
    const DnProgram *program;
    const DnDryRunObserver *observer;
    DnDryRunResult *result;
    Rank *ranks;
    gboolean moved;
    gboolean notified; /* stream 0 waits for nothing: the program is notified of completions */
    guint64 ids;
} Run;

/* ---- matching ---- */

static gboolean tags_agree(guint32 wanted, guint32 tag)
{
    return wanted == tag || wanted == DN_ANY ||
           (wanted >= DN_TAG_WILD && (wanted & ~DN_TAG_WILD) == tag >> 20);
}

static gboolean dry_run_agree(const DnOp *receive, guint32 source, guint32 tag)
{
    return (receive->peer == source || receive->peer == DN_ANY) && tags_agree(receive->tag, tag);
}

static guint32 *event_of(Rank *rank, guint32 event)
{
    if (event >= rank->events->len)
        g_array_set_size(rank->events, event + 1);
    return &g_array_index(rank->events, guint32, event);
}

static guint64 notify_begin(Run *x, guint32 r, guint32 s, const DnOp *op)
{
    return x->observer->begin ? x->observer->begin(x->observer->data, r, s, op) : 0;
}

static void raise_event(Run *x, guint32 r, guint32 event)
{
    Rank *rank = &x->ranks[r];
    ++*event_of(rank, event);
    for (guint32 s = 0; s < x->program->streams; s++) {
        Stream *stream = &rank->streams[s];
        if (stream->state != AWAITING || stream->waiting_for != event)
            continue;
        --*event_of(rank, event);
        stream->state = READY;
        x->moved = TRUE;
        notify_begin(x, r, s, &(DnOp){.kind = DN_OP_AWAIT, .tag = event});
        return;
    }
}

static guint32 *open_of(Stream *stream, guint32 request)
{
    if (request >= stream->open->len)
        g_array_set_size(stream->open, request + 1);
    return &g_array_index(stream->open, guint32, request);
}

static gboolean still_open(Stream *stream, guint32 request)
{
    return request == DN_ANY ? stream->outstanding > 0 : *open_of(stream, request) > 0;
}

static void dry_run_notify(Run *x, guint32 r, guint32 s, const Begun *begun)
{
    if (x->observer->waited)
        x->observer->waited(x->observer->data, r, s, &begun->op, begun->word);
}

/* The operation of number @id is over. */
static void dry_run_complete(Run *x, guint32 r, guint32 s, guint64 id)
{
    Stream *stream = &x->ranks[r].streams[s];
    const DnProgramType *type = x->program->type;
    guint low = 0, high = stream->begun->len;
    while (high - low > 1) {
        guint middle = (low + high) / 2;
        if (g_array_index(stream->begun, Begun, middle).id <= id)
            low = middle;
        else
            high = middle;
    }
    Begun *begun = &g_array_index(stream->begun, Begun, low);
    guint32 request = begun->op.request, event = DN_ANY;
    g_assert(begun->id == id && !begun->done);
    begun->done = TRUE;
    --*open_of(stream, request);
    stream->outstanding--;
    x->moved = TRUE;
    if (x->notified && s == 0) {
        dry_run_notify(x, r, s, begun);
        g_array_remove_index(stream->begun, low);
    }
    if (type->completed)
        event = type->completed(x->program, r, s, request);
    if (stream->state == WAITING && !still_open(stream, stream->waiting_for))
        stream->state = READY;
    if (event != DN_ANY)
        raise_event(x, r, event);
}

static void note_unfit(Rank *rank, guint32 r, const Receive *receive, guint32 source,
                       gint64 sent_bytes)
{
    const DnOp *op = &receive->op;
    if (op->flags & DN_OP_EXACT ? sent_bytes == op->bytes
                                : op->bytes == 0 || sent_bytes <= op->bytes)
        return;
    if (rank->unfit != NULL) {
        rank->unfit->more++;
        return;
    }
    rank->unfit = g_new(DnDryRunLoose, 1);
    *rank->unfit =
        (DnDryRunLoose){.rank = r, .stream = receive->stream, .op = *op, .sent_bytes = sent_bytes};
    rank->unfit->op.peer = source;
}

static void dry_run_deliver(Run *x, guint32 to, const Receive *receive, guint32 source,
                            gint64 sent_bytes)
{
    note_unfit(&x->ranks[to], to, receive, source, sent_bytes);
    if (x->observer->matched)
        x->observer->matched(x->observer->data, to, receive->word, source);
    dry_run_complete(x, to, receive->stream, receive->id);
}

static void send_to(Run *x, guint32 from, guint32 s, const Begun *begun)
{
    const DnOp *op = &begun->op;
    gboolean waits = x->observer->synchronous && !(op->flags & DN_OP_ONE_SIDED);
    if (!waits)
        dry_run_complete(x, from, s, begun->id);
    Rank *to = &x->ranks[op->peer];
    x->result->messages++;
    x->result->bytes += (guint64)op->bytes;
    if (op->flags & DN_OP_ONE_SIDED)
        return;
    for (Receive **at = &to->receives; *at; at = &(*at)->next)
        if (dry_run_agree(&(*at)->op, from, op->tag)) {
            Receive *receive = *at;
            *at = receive->next;
            if (to->last_receive == &receive->next)
                to->last_receive = at;
            dry_run_deliver(x, op->peer, receive, from, op->bytes);
            g_slice_free(Receive, receive);
            if (waits)
                dry_run_complete(x, from, s, begun->id);
            return;
        }
    Message *message = g_slice_new(Message);
    *message = (Message){
        .source = from, .tag = op->tag, .stream = s, .id = waits ? begun->id : 0, .op = *op};
    g_assert(to->last_message != NULL);
    *to->last_message = message;
    to->last_message = &message->next;
}

static void receive_from(Run *x, guint32 r, guint32 s, const Begun *begun)
{
    Rank *rank = &x->ranks[r];
    const DnOp *op = &begun->op;
    Receive receive = {.op = *op, .id = begun->id, .word = begun->word, .stream = s};
    for (Message **at = &rank->messages; *at; at = &(*at)->next)
        if (dry_run_agree(op, (*at)->source, (*at)->tag)) {
            Message *message = *at;
            *at = message->next;
            if (rank->last_message == &message->next)
                rank->last_message = at;
            dry_run_deliver(x, r, &receive, message->source, message->op.bytes);
            if (message->id > 0)
                dry_run_complete(x, message->source, message->stream, message->id);
            g_slice_free(Message, message);
            return;
        }
    Receive *kept = g_slice_new(Receive);
    *kept = receive;
    *rank->last_receive = kept;
    rank->last_receive = &kept->next;
}

/* ---- streams ---- */

static void dry_run_transfer(Run *x, guint32 r, guint32 s, const DnOp *op)
{
    Stream *stream = &x->ranks[r].streams[s];
    if (op->flags & DN_OP_PERSISTENT) {
        if (op->request >= stream->persistent->len)
            g_array_set_size(stream->persistent, op->request + 1);
        g_array_index(stream->persistent, DnOp, op->request) = *op;
        g_array_index(stream->persistent, DnOp, op->request).flags &= ~(guint32)DN_OP_PERSISTENT;
        return;
    }
    Begun begun = {.op = *op, .id = ++x->ids};
    ++*open_of(stream, op->request);
    stream->outstanding++;
    begun.word = notify_begin(x, r, s, op);
    g_array_append_val(stream->begun, begun);
    if (op->kind == DN_OP_SEND)
        send_to(x, r, s, &begun);
    else
        receive_from(x, r, s, &begun);
}

static void end_wait(Run *x, guint32 r, guint32 s, guint32 request)
{
    GArray *begun = x->ranks[r].streams[s].begun;
    guint kept = 0;
    for (guint i = 0; i < begun->len; i++) {
        const Begun *b = &g_array_index(begun, Begun, i);
        if (request == DN_ANY || b->op.request == request)
            dry_run_notify(x, r, s, b);
        else
            g_array_index(begun, Begun, kept++) = *b;
    }
    g_array_set_size(begun, kept);
}

static void do_op(Run *x, guint32 r, guint32 s, const DnOp *op)
{
    Rank *rank = &x->ranks[r];
    Stream *stream = &rank->streams[s];
    switch (op->kind) {
    case DN_OP_SEND:
    case DN_OP_RECV:
        dry_run_transfer(x, r, s, op);
        return;
    case DN_OP_START: {
        DnOp kept = g_array_index(stream->persistent, DnOp, op->request);
        dry_run_transfer(x, r, s, &kept);
        return;
    }
    case DN_OP_AWAIT:
        if (*event_of(rank, op->tag) > 0) {
            --*event_of(rank, op->tag);
            break;
        }
        stream->state = AWAITING; /* notified when it ends */
        stream->waiting_for = op->tag;
        return;
    case DN_OP_SIGNAL:
        notify_begin(x, r, s, op);
        raise_event(x, r, op->tag);
        return;
    default:
        break;
    }
    notify_begin(x, r, s, op);
}

static void run_stream(Run *x, guint32 r, guint32 s, guint most)
{
    g_assert(x->ranks[r].streams != NULL);
    Stream *stream = &x->ranks[r].streams[s];
    DnOp op;
    for (guint i = 0; i < most && stream->state == READY; i++) {
        if (stream->in_wait)
            end_wait(x, r, s, stream->waiting_for);
        stream->in_wait = FALSE;
        x->moved = TRUE;
        if (!x->program->type->next(x->program, r, &stream->cursor, &op)) {
            stream->state = ENDED;
            return;
        }
        x->result->ops++;
        if (op.kind != DN_OP_WAIT) {
            do_op(x, r, s, &op);
            if (stream->state == AWAITING)
                return;
            continue;
        }
        stream->waiting_for = op.request;
        stream->in_wait = TRUE;
        if (still_open(stream, op.request))
            stream->state = WAITING;
    }
}

/* ---- the result ---- */

static void name_blocked(Run *x, guint32 r)
{
    const Rank *rank = &x->ranks[r];
    DnDryRunLoose loose = {.rank = r, .op = {.kind = DN_OP_AWAIT}};
    guint64 blocked = 0;
    for (guint32 s = 0; s < x->program->streams; s++)
        blocked += rank->streams[s].state != ENDED;
    if (blocked == 0)
        return;
    for (const Receive *receive = rank->receives; receive; receive = receive->next) {
        const Stream *stream = &rank->streams[receive->stream];
        gboolean waited = stream->state == WAITING && (stream->waiting_for == DN_ANY ||
                                                       stream->waiting_for == receive->op.request);
        if (!waited && stream->state == WAITING)
            continue;
        if (loose.op.kind == DN_OP_RECV) {
            loose.more++;
            continue;
        }
        loose.stream = receive->stream;
        loose.op = receive->op;
    }
    g_array_append_val(x->result->blocked, loose);
}

static void name_unreceived(Run *x, guint32 r)
{
    const Rank *rank = &x->ranks[r];
    if (!rank->messages)
        return;
    DnDryRunLoose loose = {.rank = rank->messages->source, .op = rank->messages->op};
    for (const Message *m = rank->messages->next; m; m = m->next)
        loose.more++;
    g_array_append_val(x->result->unreceived, loose);
}

static void name_unfit(Run *x, guint32 r)
{
    const DnDryRunLoose *unfit = x->ranks[r].unfit;
    if (unfit != NULL)
        g_array_append_vals(x->result->unfit, unfit, 1);
}

static void rank_clear(const DnProgram *program, Rank *rank)
{
    for (guint32 s = 0; s < program->streams; s++) {
        g_array_unref(rank->streams[s].open);
        g_array_unref(rank->streams[s].begun);
        g_array_unref(rank->streams[s].persistent);
    }
    g_free(rank->streams);
    g_array_unref(rank->events);
    g_free(rank->unfit);
    g_slice_free_chain(Message, rank->messages, next);
    g_slice_free_chain(Receive, rank->receives, next);
}

static void rank_init(const DnProgram *program, Rank *rank)
{
    rank->streams = g_new0(Stream, program->streams);
    for (guint32 s = 0; s < program->streams; s++) {
        Stream *stream = &rank->streams[s];
        stream->cursor.stream = s;
        stream->open = g_array_new(FALSE, TRUE, sizeof(guint32));
        stream->begun = g_array_new(FALSE, TRUE, sizeof(Begun));
        stream->persistent = g_array_new(FALSE, TRUE, sizeof(DnOp));
    }
    rank->events = g_array_new(FALSE, TRUE, sizeof(guint32));
    rank->last_message = &rank->messages;
    rank->last_receive = &rank->receives;
}

void dn_dry_run(const DnProgram *program, const DnDryRunObserver *observer, DnDryRunResult *result)
{
    Run x = {.program = program, .observer = observer, .result = result, .moved = TRUE};
    const DnTrace *trace = dn_trace_of_program(program);
    x.notified = trace && trace->reader->graph;
    *result = (DnDryRunResult){0};
    result->blocked = g_array_new(FALSE, FALSE, sizeof(DnDryRunLoose));
    result->unreceived = g_array_new(FALSE, FALSE, sizeof(DnDryRunLoose));
    result->unfit = g_array_new(FALSE, FALSE, sizeof(DnDryRunLoose));
    x.ranks = g_new0(Rank, program->ranks);
    for (guint32 r = 0; r < program->ranks; r++)
        rank_init(program, &x.ranks[r]);
    while (x.moved) {
        x.moved = FALSE;
        for (guint32 r = 0; r < program->ranks; r++)
            for (guint32 s = 0; s < program->streams; s++)
                run_stream(&x, r, s, TURN);
    }
    for (guint32 r = 0; r < program->ranks; r++) {
        name_blocked(&x, r);
        name_unreceived(&x, r);
        name_unfit(&x, r);
        rank_clear(program, &x.ranks[r]);
    }
    g_free(x.ranks);
}

void dn_dry_run_result_clear(DnDryRunResult *result)
{
    g_clear_pointer(&result->blocked, g_array_unref);
    g_clear_pointer(&result->unreceived, g_array_unref);
    g_clear_pointer(&result->unfit, g_array_unref);
}
