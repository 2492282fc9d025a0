/* darner.c - reads what our own recorder wrote (base/record_format.h): a folder with a file a rank,
 * or all in one file.
 *
 * A receive names whom it took the message from, as recorded, also where the program asked for any
 * source: what its wait says of it comes later in the file, so a second look at the rank's blocks
 * runs ahead of the first by one rank and notes what differs from what was asked.
 * What a rank did in MPI takes no time here: the replay says how long. Calls of DN_REC_POLLS found
 * nothing; only the computing between them stays.
 * A receive that was cancelled is left out, for it took nothing. Persistent receives from any
 * source stay so. What the recorder could only name is a note on the trace. */
#include "trace/trace.h"

#include <string.h>

#include "base/record_format.h"
#include "trace/darner_blocks.h"

#define PS_PER_NS 1000
/* Of one rank at once; more than any MPI lets live. */
#define MOST_REQUESTS ((guint64)1 << 24)

/* What the wait for a begun receive says of it. */
typedef struct {
    guint32 peer, tag;
    gint64 bytes;
    gboolean cancelled; /* it took nothing */
} Outcome;

typedef struct {
    guint64 receive; /* its number among the receives */
    gboolean live;   /* the sink knows it; not so of one with MPI_PROC_NULL */
    gboolean persistent, cancelled;
} Request;

typedef struct {
    DnTraceSink *sink;
    guint32 rank;
    DnRecOperation operation; /* of the present record */
    DnTraceOp op;
    guint64 at;
    GArray *list;         /* gint64 */
    guint64 begun;        /* receives, so far */
    GHashTable *outcomes; /* number of the receive -> Outcome, of those unlike what was asked */
    gboolean scouting;
    GArray *requests; /* Request, by number */
} Walk;

/* ---- fields ---- */

typedef struct {
    const guint8 *at, *end;
    gboolean bad;
} Fields;

static guint64 darner_take(Fields *f)
{
    guint64 value = 0;
    for (guint shift = 0; shift < 64 && f->at < f->end; shift += 7) {
        guint8 byte = *f->at++;
        value |= (guint64)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    f->bad = TRUE;
    return 0;
}

static gint64 take_signed(Fields *f)
{
    return dn_rec_unzigzag(darner_take(f));
}

static guint32 take_small(Fields *f)
{
    guint64 value = darner_take(f);
    f->bad = f->bad || value > G_MAXINT32;
    return (guint32)value;
}

/* A rank or tag; DN_ANY for any; *@null: MPI_PROC_NULL. */
static guint32 take_name(Fields *f, gboolean *null)
{
    gint64 value = take_signed(f);
    if (value == DN_REC_NULL && null)
        *null = TRUE;
    else if (value != DN_REC_ANY && (value < 0 || value > G_MAXINT32))
        f->bad = TRUE;
    return value < 0 ? DN_ANY : (guint32)value;
}

/* count times size */
static gint64 take_bytes(Fields *f)
{
    guint64 count = darner_take(f), size = darner_take(f);
    gint64 bytes = 0;
    f->bad = f->bad || __builtin_mul_overflow(count, size, &bytes);
    return bytes;
}

typedef struct {
    guint32 comm, peer, tag;
    gint64 bytes;
    gboolean null;
} Message;

static Message take_message(Fields *f)
{
    Message m = {.comm = take_small(f)};
    m.peer = take_name(f, &m.null);
    m.tag = take_name(f, NULL);
    m.bytes = take_bytes(f);
    return m;
}

static guint take_completion(Fields *f, Outcome *outcome)
{
    guint flags = take_small(f);
    gboolean null = FALSE;
    if (flags & DN_REC_UNLIKE) {
        outcome->peer = take_name(f, &null);
        outcome->tag = take_name(f, NULL);
        outcome->bytes = (gint64)(darner_take(f) & G_MAXINT64);
    }
    return flags;
}

static void take_text(Fields *f, char *text, gsize space)
{
    guint64 n = darner_take(f);
    text[0] = '\0';
    f->bad = f->bad || n > (guint64)(f->end - f->at);
    if (f->bad)
        return;
    g_snprintf(text, space, "%.*s", (int)MIN(n, space), (const char *)f->at);
    f->at += n;
}

/* A list of n numbers, each times @size, behind those that are there. */
static guint take_list(Walk *w, Fields *f, gint64 size)
{
    guint64 n = darner_take(f);
    f->bad = f->bad || n > (guint64)(f->end - f->at);
    for (guint64 i = 0; i < n && !f->bad; i++) {
        guint64 value = darner_take(f);
        f->bad = f->bad || value > G_MAXUINT32;
        gint64 scaled = (gint64)value * size;
        g_array_append_val(w->list, scaled);
    }
    return (guint)n;
}

/* ---- to the sink ---- */

static gboolean darner_give(Walk *w, DnCall call, GError **error)
{
    if (w->scouting)
        return TRUE;
    w->op.call = (guint8)call;
    w->op.at = w->at;
    w->op.n_list = w->list->len;
    w->op.list = (const gint64 *)(gpointer)w->list->data;
    return dn_trace_add(w->sink, w->rank, &w->op, error);
}

static gboolean give_compute(Walk *w, guint64 ns, GError **error)
{
    if (ns == 0 || w->scouting)
        return TRUE;
    if (ns > G_MAXINT64 / PS_PER_NS)
        return dn_trace_error(w->sink, w->rank, w->at, error, "more computing than a trace holds");
    const DnTraceOp op = {
        .call = DN_CALL_COMPUTE, .at = w->at, .duration_ps = (gint64)ns * PS_PER_NS};
    return dn_trace_add(w->sink, w->rank, &op, error);
}

static void set_message(DnTraceOp *op, const Message *m)
{
    op->comm = m->comm;
    op->peer = m->peer;
    op->tag = m->tag;
    op->bytes = m->bytes;
}

static gboolean one_message(Walk *w, DnCall call, const Message *m, GError **error)
{
    if (m->null)
        return TRUE;
    set_message(&w->op, m);
    return darner_give(w, call, error);
}

/* ---- requests ---- */

/* NULL: a number that no rank gets to. */
static Request *request_at(Walk *w, Fields *f, guint64 number)
{
    f->bad = f->bad || number >= MOST_REQUESTS;
    if (f->bad)
        return NULL;
    if (number >= w->requests->len)
        g_array_set_size(w->requests, (guint)number + 1);
    return &g_array_index(w->requests, Request, number);
}

/* Takes the number of a request that begins. */
static void take_new_request(Walk *w, Fields *f, gboolean null, gboolean persistent)
{
    guint64 number = darner_take(f);
    Request *request = request_at(w, f, number);
    if (request)
        *request = (Request){.receive = w->begun, .live = !null, .persistent = persistent};
    w->op.request = (gint64)number;
}

/* Takes the number of one that is there; *@live: the sink knows it. */
static Request *take_request(Walk *w, Fields *f)
{
    guint64 number = darner_take(f);
    Request *request = request_at(w, f, number);
    w->op.request = (gint64)number;
    return request;
}

/* ---- sends and receives ---- */

/* A request's number stands before the message that says whether there is one. */
static gboolean on_send(Walk *w, DnRecOperation operation, Fields *f, GError **error)
{
    Fields ahead = *f;
    if (operation != DN_REC_SEND)
        darner_take(&ahead);
    Message m = take_message(&ahead);
    if (darner_take(&ahead) == DN_REC_SYNCHRONOUS)
        w->op.flags = DN_TRACE_SYNCHRONOUS;
    if (operation != DN_REC_SEND)
        take_new_request(w, f, m.null, operation == DN_REC_SEND_INIT);
    ahead.bad = ahead.bad || f->bad;
    *f = ahead;
    return f->bad || one_message(w,
                                 operation == DN_REC_SEND    ? DN_CALL_SEND
                                 : operation == DN_REC_ISEND ? DN_CALL_ISEND
                                                             : DN_CALL_SEND_INIT,
                                 &m, error);
}

static void darner_apply(Message *m, const Outcome *outcome)
{
    if (outcome->peer != DN_ANY)
        m->peer = outcome->peer;
    if (outcome->tag != DN_ANY)
        m->tag = outcome->tag;
    m->bytes = outcome->bytes;
}

static gboolean on_recv(Walk *w, Fields *f, GError **error)
{
    Outcome outcome;
    Message m = take_message(f);
    if (take_completion(f, &outcome) & DN_REC_UNLIKE && !m.null)
        darner_apply(&m, &outcome);
    return f->bad || one_message(w, DN_CALL_RECV, &m, error);
}

static gboolean on_recv_begun(Walk *w, DnRecOperation operation, Fields *f, GError **error)
{
    Fields ahead = *f;
    darner_take(&ahead);
    Message m = take_message(&ahead);
    w->begun++;
    take_new_request(w, f, m.null, operation == DN_REC_RECV_INIT);
    ahead.bad = ahead.bad || f->bad;
    *f = ahead;
    if (f->bad)
        return TRUE;
    const Outcome *outcome = g_hash_table_lookup(w->outcomes, &w->begun);
    if (outcome && outcome->cancelled) {
        g_array_index(w->requests, Request, w->op.request).live = FALSE;
        return TRUE;
    }
    if (outcome)
        darner_apply(&m, outcome);
    return one_message(w, operation == DN_REC_IRECV ? DN_CALL_IRECV : DN_CALL_RECV_INIT, &m, error);
}

static gboolean on_sendrecv(Walk *w, Fields *f, GError **error)
{
    Outcome outcome;
    Message out = take_message(f), in = take_message(f);
    if (take_completion(f, &outcome) & DN_REC_UNLIKE && !in.null)
        darner_apply(&in, &outcome);
    if (f->bad || (out.null && in.null))
        return TRUE;
    if (in.null)
        return one_message(w, DN_CALL_SEND, &out, error);
    if (out.null)
        return one_message(w, DN_CALL_RECV, &in, error);
    w->op.from = in.peer;
    w->op.from_tag = in.tag;
    w->op.recv_bytes = in.bytes;
    return one_message(w, DN_CALL_SENDRECV, &out, error);
}

static gboolean on_probe(Walk *w, Fields *f, GError **error)
{
    Outcome outcome = {0};
    gboolean null = FALSE;
    DnRecProbe how = take_small(f);
    Message m = {.comm = take_small(f)};
    m.peer = take_name(f, &null);
    m.tag = take_name(f, NULL);
    m.null = null;
    if (take_completion(f, &outcome) & DN_REC_UNLIKE && !null)
        darner_apply(&m, &outcome);
    gboolean waits = how == DN_REC_PROBED || how == DN_REC_MPROBED;
    return f->bad || one_message(w, waits ? DN_CALL_PROBE : DN_CALL_IPROBE, &m, error);
}

/* ---- starting and ending requests ---- */

static gboolean on_start(Walk *w, Fields *f, GError **error)
{
    guint64 n = darner_take(f);
    for (guint64 i = 0; i < n && !f->bad; i++) {
        const Request *request = take_request(w, f);
        if (request && request->live)
            g_array_append_val(w->list, w->op.request);
    }
    return f->bad || w->list->len == 0 || darner_give(w, DN_CALL_START, error);
}

/* Scouting: what became of a receive that is not just what was asked for. */
static void keep_outcome(Walk *w, const Request *request, const Outcome *outcome)
{
    if (!w->scouting || request->persistent)
        return;
    guint64 *key = g_new(guint64, 1);
    *key = request->receive;
    g_hash_table_replace(w->outcomes, key, g_memdup2(outcome, sizeof *outcome));
}

static gboolean on_complete(Walk *w, Fields *f, GError **error)
{
    static const DnCall calls[] = {DN_CALL_WAIT,     DN_CALL_WAITALL, DN_CALL_WAITANY,
                                   DN_CALL_WAITSOME, DN_CALL_TEST,    DN_CALL_TESTALL,
                                   DN_CALL_TESTANY,  DN_CALL_TESTSOME};
    guint64 how = darner_take(f);
    darner_take(f); /* how many the program named */
    guint64 n = darner_take(f);
    for (guint64 i = 0; i < n && !f->bad; i++) {
        Outcome outcome = {0};
        Request *request = take_request(w, f);
        guint flags = take_completion(f, &outcome);
        if (f->bad || !request->live)
            continue;
        outcome.cancelled = (flags & DN_REC_CANCELLED) != 0;
        if (outcome.cancelled || (flags & DN_REC_UNLIKE))
            keep_outcome(w, request, &outcome);
        request->live = request->persistent;
        g_array_append_val(w->list, w->op.request);
    }
    f->bad = f->bad || how >= G_N_ELEMENTS(calls);
    return f->bad || darner_give(w, calls[how], error);
}

static gboolean on_free(Walk *w, Fields *f, GError **error)
{
    Request *request = take_request(w, f);
    if (f->bad || !request->live)
        return TRUE;
    if (request->cancelled)
        keep_outcome(w, request, &(Outcome){.cancelled = TRUE});
    request->live = FALSE;
    return darner_give(w, DN_CALL_REQUEST_FREE, error);
}

/* ---- collectives and communicators ---- */

static const struct {
    guint8 call;
    gboolean received; /* its `bytes` are what is received, unless that is nothing; else sent */
    gboolean lists;
} collectives[DN_REC_COLLECTIVES] = {
    [DN_REC_BARRIER] = {DN_CALL_BARRIER, FALSE, FALSE},
    [DN_REC_BCAST] = {DN_CALL_BCAST, FALSE, FALSE},
    [DN_REC_REDUCE] = {DN_CALL_REDUCE, FALSE, FALSE},
    [DN_REC_ALLREDUCE] = {DN_CALL_ALLREDUCE, FALSE, FALSE},
    [DN_REC_GATHER] = {DN_CALL_GATHER, FALSE, FALSE},
    [DN_REC_GATHERV] = {DN_CALL_GATHERV, FALSE, TRUE},
    [DN_REC_SCATTER] = {DN_CALL_SCATTER, TRUE, FALSE},
    [DN_REC_SCATTERV] = {DN_CALL_SCATTERV, TRUE, TRUE},
    [DN_REC_ALLGATHER] = {DN_CALL_ALLGATHER, TRUE, FALSE},
    [DN_REC_ALLGATHERV] = {DN_CALL_ALLGATHERV, TRUE, TRUE},
    [DN_REC_ALLTOALL] = {DN_CALL_ALLTOALL, TRUE, FALSE},
    [DN_REC_ALLTOALLV] = {DN_CALL_ALLTOALLV, FALSE, TRUE},
    [DN_REC_ALLTOALLW] = {DN_CALL_ALLTOALLV, FALSE, TRUE},
    [DN_REC_REDUCE_SCATTER] = {DN_CALL_REDUCE_SCATTER, TRUE, TRUE},
    [DN_REC_REDUCE_SCATTER_BLOCK] = {DN_CALL_REDUCE_SCATTER_BLOCK, TRUE, FALSE},
    [DN_REC_SCAN] = {DN_CALL_SCAN, FALSE, FALSE},
    [DN_REC_EXSCAN] = {DN_CALL_EXSCAN, FALSE, FALSE},
};

static gboolean is_rooted(guint64 kind)
{
    return kind == DN_REC_BCAST || kind == DN_REC_REDUCE || kind == DN_REC_GATHER ||
           kind == DN_REC_GATHERV || kind == DN_REC_SCATTER || kind == DN_REC_SCATTERV;
}

/* Of others, what they hand in as a root, or as bytes beside a list, says nothing. */
static gboolean on_collective(Walk *w, Fields *f, GError **error)
{
    guint64 kind = darner_take(f), request = darner_take(f);
    f->bad = f->bad || kind >= DN_REC_COLLECTIVES;
    if (f->bad)
        return TRUE;
    w->op.comm = take_small(f);
    guint32 root = take_small(f);
    w->op.root = is_rooted(kind) ? root : 0;
    Fields parts = *f;
    gint64 sent = take_bytes(f), received = take_bytes(f);
    darner_take(f); /* flags */
    if (collectives[kind].lists) {
        darner_take(&parts);
        gint64 out = take_small(&parts);
        darner_take(&parts);
        gint64 in = take_small(&parts);
        f->bad = f->bad || parts.bad;
        take_list(w, f, out);
        take_list(w, f, in);
    }
    gboolean other = collectives[kind].received ? received == 0 : sent != 0;
    if (kind != DN_REC_BARRIER && (is_rooted(kind) || !collectives[kind].lists))
        w->op.bytes = other ? sent : received;
    if (request > 0) {
        Request *begun = request_at(w, f, request - 1);
        if (begun)
            *begun = (Request){.live = TRUE};
        w->op.flags = DN_TRACE_NONBLOCKING;
        w->op.request = (gint64)request - 1;
    }
    return f->bad || darner_give(w, collectives[kind].call, error);
}

static gboolean on_comm(Walk *w, Fields *f, GError **error)
{
    static const DnCall calls[] = {DN_CALL_COMM_DUP, DN_CALL_COMM_SPLIT, DN_CALL_COMM_GROUP};
    guint64 how = darner_take(f);
    w->op.comm = take_small(f);
    guint32 made = take_small(f);
    w->op.made = made == 0 ? DN_TRACE_NO_COMM : made - 1;
    w->op.color = take_small(f);
    w->op.key = take_small(f);
    take_list(w, f, 1);
    if (made == 0)
        w->op.color = DN_ANY;
    f->bad = f->bad || how >= G_N_ELEMENTS(calls);
    return f->bad || darner_give(w, calls[how], error);
}

/* ---- the walk ---- */

typedef gboolean (*Handler)(Walk *w, Fields *f, GError **error);

static gboolean on_begin(Walk *w, Fields *f, GError **error)
{
    char text[64];
    darner_take(f); /* clock */
    darner_take(f); /* thread level */
    take_text(f, text, sizeof text);
    take_text(f, text, sizeof text);
    return f->bad || darner_give(w, DN_CALL_INIT, error);
}

static gboolean on_end(Walk *w, Fields *f, GError **error)
{
    (void)f;
    return darner_give(w, DN_CALL_FINALIZE, error);
}

static gboolean on_sending(Walk *w, Fields *f, GError **error)
{
    return on_send(w, w->operation, f, error);
}

static gboolean on_receiving(Walk *w, Fields *f, GError **error)
{
    return on_recv_begun(w, w->operation, f, error);
}

/* The request stays until it is waited for, which says whether it took something, or freed. */
static gboolean on_cancel(Walk *w, Fields *f, GError **error)
{
    (void)error;
    Request *request = take_request(w, f);
    if (request)
        request->cancelled = TRUE;
    return TRUE;
}

static gboolean on_polls(Walk *w, Fields *f, GError **error)
{
    (void)w;
    (void)error;
    darner_take(f);
    return TRUE;
}

static gboolean on_comm_free(Walk *w, Fields *f, GError **error)
{
    w->op.comm = take_small(f);
    return f->bad || darner_give(w, DN_CALL_COMM_FREE, error);
}

static gboolean on_unmodelled(Walk *w, Fields *f, GError **error)
{
    char name[64];
    (void)error;
    take_text(f, name, sizeof name);
    if (!f->bad && !w->scouting)
        dn_trace_note(w->sink, "%s was called, which a replay leaves out", name);
    return TRUE;
}

static const Handler handlers[DN_REC_OPERATIONS] = {
    [DN_REC_BEGIN] = on_begin,
    [DN_REC_END] = on_end,
    [DN_REC_SEND] = on_sending,
    [DN_REC_ISEND] = on_sending,
    [DN_REC_SEND_INIT] = on_sending,
    [DN_REC_RECV] = on_recv,
    [DN_REC_IRECV] = on_receiving,
    [DN_REC_RECV_INIT] = on_receiving,
    [DN_REC_SENDRECV] = on_sendrecv,
    [DN_REC_START] = on_start,
    [DN_REC_COMPLETE] = on_complete,
    [DN_REC_FREE] = on_free,
    [DN_REC_CANCEL] = on_cancel,
    [DN_REC_PROBE] = on_probe,
    [DN_REC_POLLS] = on_polls,
    [DN_REC_COLLECTIVE] = on_collective,
    [DN_REC_COMM] = on_comm,
    [DN_REC_COMM_FREE] = on_comm_free,
    [DN_REC_UNMODELLED] = on_unmodelled,
};

static gboolean walk_record(Walk *w, Fields *f, GError **error)
{
    guint8 operation = *f->at++;
    if (operation >= DN_REC_OPERATIONS || !handlers[operation])
        return dn_trace_error(w->sink, w->rank, w->at, error, "no operation has the number %u",
                              operation);
    w->operation = operation;
    w->op = (DnTraceOp){.at = w->at};
    g_array_set_size(w->list, 0);
    guint64 gap_ns = darner_take(f);
    darner_take(f); /* ns inside the call */
    if (!give_compute(w, gap_ns, error) || !handlers[operation](w, f, error))
        return FALSE;
    if (f->bad)
        return dn_trace_error(w->sink, w->rank, w->at, error,
                              "a record that is cut off or holds a number out of range");
    return TRUE;
}

static gboolean walk_block(Walk *w, const DnRecPiece *piece, GError **error)
{
    Fields f = {piece->records, piece->records + piece->head.raw_bytes, FALSE};
    while (f.at < f.end) {
        w->at = piece->at + sizeof(DnRecBlock) + (guint64)(f.at - piece->records);
        if (!walk_record(w, &f, error))
            return FALSE;
    }
    return TRUE;
}

/* All blocks of the rank whose first is @piece; *@piece: the next rank's first, or none. */
static gboolean walk_rank(Walk *w, DnRecReader *reader, DnRecPiece *piece, GError **error)
{
    g_array_set_size(w->requests, 0);
    w->begun = 0;
    w->rank = piece->head.rank;
    do {
        if (!walk_block(w, piece, error) || !dn_rec_reader_next(reader, piece, error))
            return FALSE;
    } while (piece->records && piece->head.rank == w->rank && piece->head.number > 0);
    return TRUE;
}

static gboolean walk_all(Walk *w, DnRecReader *scout, DnRecReader *reader, GError **error)
{
    DnRecPiece ahead, piece;
    if (!dn_rec_reader_next(scout, &ahead, error) || !dn_rec_reader_next(reader, &piece, error))
        return FALSE;
    if (piece.records && !dn_trace_sink_ranks(w->sink, piece.head.ranks, error))
        return FALSE;
    while (piece.records) {
        dn_trace_sink_file(w->sink, piece.head.rank, piece.path);
        g_hash_table_remove_all(w->outcomes);
        w->scouting = TRUE;
        if (!walk_rank(w, scout, &ahead, error))
            return FALSE;
        w->scouting = FALSE;
        if (!walk_rank(w, reader, &piece, error))
            return FALSE;
    }
    return TRUE;
}

static gboolean read_darner(const char *path, DnTraceSink *sink, GError **error)
{
    g_autoptr(DnRecReader) scout = dn_rec_reader_open(path, error);
    g_autoptr(DnRecReader) reader = scout ? dn_rec_reader_open(path, error) : NULL;
    if (!reader)
        return FALSE;
    Walk w = {.sink = sink,
              .list = g_array_new(FALSE, FALSE, sizeof(gint64)),
              .requests = g_array_new(FALSE, TRUE, sizeof(Request)),
              .outcomes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free)};
    gboolean ok = walk_all(&w, scout, reader, error);
    g_array_unref(w.list);
    g_array_unref(w.requests);
    g_hash_table_unref(w.outcomes);
    return ok;
}

const DnTraceReader dn_trace_darner = {
    .name = "darner",
    .killed = TRUE,
    .source = "base/record_format.h",
    .unit = "byte",
    .recognise = dn_rec_recognise,
    .read = read_darner,
};
