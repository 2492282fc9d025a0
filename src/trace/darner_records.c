/* darner_records.c - The records of our own recorder's traces become operations of the trace. */
#include "trace/darner_records.h"

#define PS_PER_NS 1000
/* Limit of the requests of one rank at a time; more than any MPI has. */
#define MOST_REQUESTS ((guint64)1 << 24)

typedef struct {
    guint32 comm, peer, tag;
    gint64 bytes;
    gboolean null;
} Message;

static Message take_message(DnRecFields *f)
{
    Message m = {.comm = dn_rec_take_small(f)};
    m.peer = dn_rec_take_name(f, &m.null);
    m.tag = dn_rec_take_name(f, NULL);
    m.bytes = dn_rec_take_bytes(f);
    return m;
}

static guint take_completion(DnRecFields *f, DnRecOutcome *outcome)
{
    guint flags = dn_rec_take_small(f);
    gboolean null = FALSE;
    if (flags & DN_REC_UNLIKE) {
        outcome->peer = dn_rec_take_name(f, &null);
        outcome->tag = dn_rec_take_name(f, NULL);
        outcome->bytes = (gint64)(dn_rec_take(f) & G_MAXINT64);
    }
    return flags;
}

/* A list of n numbers, each times @size, behind those that are there. */
static guint take_list(DnRecWalk *w, DnRecFields *f, gint64 size)
{
    guint64 n = dn_rec_take(f);
    f->bad = f->bad || n > (guint64)(f->end - f->at);
    for (guint64 i = 0; i < n && !f->bad; i++) {
        guint64 value = dn_rec_take(f);
        gint64 scaled = 0;
        f->bad = f->bad || value > G_MAXUINT32 || __builtin_mul_overflow(value, size, &scaled);
        g_array_append_val(w->list, scaled);
    }
    return (guint)n;
}

/* ---- to the sink ---- */

static gboolean darner_give(DnRecWalk *w, DnCall call, GError **error)
{
    if (w->scouting)
        return TRUE;
    w->op.call = (guint8)call;
    w->op.at = w->at;
    w->op.n_list = w->list->len;
    w->op.list = (const gint64 *)(gpointer)w->list->data;
    return dn_trace_add(w->sink, w->rank, &w->op, error);
}

static gboolean give_compute(DnRecWalk *w, guint64 ns, GError **error)
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

static gboolean one_message(DnRecWalk *w, DnCall call, const Message *m, GError **error)
{
    if (m->null)
        return TRUE;
    set_message(&w->op, m);
    return darner_give(w, call, error);
}

/* ---- requests ---- */

/* NULL: a number that no rank gets to. What numbers there are costs, not how large they are: a
 * damaged file may name any. */
static DnRecRequest *request_at(DnRecWalk *w, DnRecFields *f, guint64 number)
{
    f->bad = f->bad || number >= MOST_REQUESTS;
    if (f->bad)
        return NULL;
    guint32 at = dn_request_table_find(&w->numbers, number);
    if (at == DN_REQUEST_NONE) {
        at = w->requests->len;
        g_array_set_size(w->requests, at + 1);
        dn_request_table_add(&w->numbers, number, at);
    }
    return &g_array_index(w->requests, DnRecRequest, at);
}

/* Takes the number of a request that begins; @receive: as DnRecRequest has it. */
static void take_new_request(DnRecWalk *w, DnRecFields *f, guint64 receive, gboolean null,
                             gboolean persistent)
{
    guint64 number = dn_rec_take(f);
    DnRecRequest *request = request_at(w, f, number);
    if (request)
        *request = (DnRecRequest){.receive = receive, .live = !null, .persistent = persistent};
    w->op.request = (gint64)number;
}

/* Takes the number of one that is there. */
static DnRecRequest *take_request(DnRecWalk *w, DnRecFields *f)
{
    guint64 number = dn_rec_take(f);
    DnRecRequest *request = request_at(w, f, number);
    w->op.request = (gint64)number;
    return request;
}

/* ---- sends and receives ---- */

/* A request's number stands before the message that says whether there is one. */
static gboolean on_send(DnRecWalk *w, DnRecOperation operation, DnRecFields *f, GError **error)
{
    DnRecFields ahead = *f;
    if (operation != DN_REC_SEND)
        dn_rec_take(&ahead);
    Message m = take_message(&ahead);
    if (dn_rec_take(&ahead) == DN_REC_SYNCHRONOUS)
        w->op.flags = DN_TRACE_SYNCHRONOUS;
    if (operation != DN_REC_SEND)
        take_new_request(w, f, 0, m.null, operation == DN_REC_SEND_INIT);
    ahead.bad = ahead.bad || f->bad;
    *f = ahead;
    return f->bad || one_message(w,
                                 operation == DN_REC_SEND    ? DN_CALL_SEND
                                 : operation == DN_REC_ISEND ? DN_CALL_ISEND
                                                             : DN_CALL_SEND_INIT,
                                 &m, error);
}

static void darner_apply(Message *m, const DnRecOutcome *outcome)
{
    if (outcome->peer != DN_ANY)
        m->peer = outcome->peer;
    if (outcome->tag != DN_ANY)
        m->tag = outcome->tag;
    m->bytes = outcome->bytes;
}

static gboolean on_recv(DnRecWalk *w, DnRecFields *f, GError **error)
{
    DnRecOutcome outcome;
    Message m = take_message(f);
    if (take_completion(f, &outcome) & DN_REC_UNLIKE && !m.null)
        darner_apply(&m, &outcome);
    return f->bad || one_message(w, DN_CALL_RECV, &m, error);
}

static gboolean on_recv_begun(DnRecWalk *w, DnRecOperation operation, DnRecFields *f,
                              GError **error)
{
    DnRecFields ahead = *f;
    dn_rec_take(&ahead);
    Message m = take_message(&ahead);
    take_new_request(w, f, ++w->begun, m.null, operation == DN_REC_RECV_INIT);
    ahead.bad = ahead.bad || f->bad;
    *f = ahead;
    if (f->bad)
        return TRUE;
    const DnRecOutcome *outcome = g_hash_table_lookup(w->outcomes, &w->begun);
    if (outcome && outcome->cancelled) {
        request_at(w, f, (guint64)w->op.request)->live = FALSE;
        return TRUE;
    }
    if (outcome)
        darner_apply(&m, outcome);
    return one_message(w, operation == DN_REC_IRECV ? DN_CALL_IRECV : DN_CALL_RECV_INIT, &m, error);
}

static gboolean on_sendrecv(DnRecWalk *w, DnRecFields *f, GError **error)
{
    DnRecOutcome outcome;
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

static gboolean on_probe(DnRecWalk *w, DnRecFields *f, GError **error)
{
    DnRecOutcome outcome = {0};
    gboolean null = FALSE;
    DnRecProbe how = dn_rec_take_small(f);
    Message m = {.comm = dn_rec_take_small(f)};
    m.peer = dn_rec_take_name(f, &null);
    m.tag = dn_rec_take_name(f, NULL);
    m.null = null;
    if (take_completion(f, &outcome) & DN_REC_UNLIKE && !null)
        darner_apply(&m, &outcome);
    gboolean waits = how == DN_REC_PROBED || how == DN_REC_MPROBED;
    return f->bad || one_message(w, waits ? DN_CALL_PROBE : DN_CALL_IPROBE, &m, error);
}

/* ---- starting and ending requests ---- */

static gboolean on_start(DnRecWalk *w, DnRecFields *f, GError **error)
{
    guint64 n = dn_rec_take(f);
    for (guint64 i = 0; i < n && !f->bad; i++) {
        const DnRecRequest *request = take_request(w, f);
        if (request && request->live)
            g_array_append_val(w->list, w->op.request);
    }
    return f->bad || w->list->len == 0 || darner_give(w, DN_CALL_START, error);
}

/* Scouting: what became of a receive that is not just what was asked for. */
static void keep_outcome(DnRecWalk *w, const DnRecRequest *request, const DnRecOutcome *outcome)
{
    if (!w->scouting || request->persistent || request->receive == 0)
        return;
    guint64 *key = g_new(guint64, 1);
    *key = request->receive;
    g_hash_table_replace(w->outcomes, key, g_memdup2(outcome, sizeof *outcome));
}

static gboolean on_complete(DnRecWalk *w, DnRecFields *f, GError **error)
{
    static const DnCall calls[] = {DN_CALL_WAIT,     DN_CALL_WAITALL, DN_CALL_WAITANY,
                                   DN_CALL_WAITSOME, DN_CALL_TEST,    DN_CALL_TESTALL,
                                   DN_CALL_TESTANY,  DN_CALL_TESTSOME};
    guint64 how = dn_rec_take(f);
    dn_rec_take(f); /* how many the program named */
    guint64 n = dn_rec_take(f);
    for (guint64 i = 0; i < n && !f->bad; i++) {
        DnRecOutcome outcome = {0};
        DnRecRequest *request = take_request(w, f);
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

static gboolean on_free(DnRecWalk *w, DnRecFields *f, GError **error)
{
    DnRecRequest *request = take_request(w, f);
    if (f->bad || !request->live)
        return TRUE;
    if (request->cancelled)
        keep_outcome(w, request, &(DnRecOutcome){.cancelled = TRUE});
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
    [DN_REC_ALLTOALLW] = {DN_CALL_ALLTOALLW, FALSE, TRUE},
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

static gboolean darner_records_reduces(guint64 kind)
{
    return kind == DN_REC_REDUCE || kind == DN_REC_ALLREDUCE || kind == DN_REC_REDUCE_SCATTER ||
           kind == DN_REC_REDUCE_SCATTER_BLOCK || kind == DN_REC_SCAN || kind == DN_REC_EXSCAN;
}

static guint8 darner_records_form(guint64 kind, guint64 flags)
{
    gboolean ordered = darner_records_reduces(kind) && !(flags & DN_REC_UNORDERED);
    return (ordered ? DN_TRACE_ORDERED : 0) | (flags & DN_REC_IN_PLACE ? DN_TRACE_IN_PLACE : 0);
}

/* Reads a collective. The root of a kind without root, and bytes beside a list, mean nothing. */
static gboolean on_collective(DnRecWalk *w, DnRecFields *f, GError **error)
{
    guint64 kind = dn_rec_take(f), request = dn_rec_take(f);
    f->bad = f->bad || kind >= DN_REC_COLLECTIVES;
    if (f->bad)
        return TRUE;
    w->op.comm = dn_rec_take_small(f);
    guint32 root = dn_rec_take_small(f);
    w->op.root = is_rooted(kind) ? root : 0;
    DnRecFields parts = *f;
    gint64 sent = dn_rec_take_bytes(f), received = dn_rec_take_bytes(f);
    w->op.flags = darner_records_form(kind, dn_rec_take(f));
    if (collectives[kind].lists) {
        dn_rec_take(&parts);
        gint64 out = dn_rec_take_small(&parts);
        dn_rec_take(&parts);
        gint64 in = dn_rec_take_small(&parts);
        f->bad = f->bad || parts.bad;
        take_list(w, f, out);
        take_list(w, f, in);
    }
    gboolean other = collectives[kind].received ? received == 0 : sent != 0;
    if (kind != DN_REC_BARRIER && (is_rooted(kind) || !collectives[kind].lists))
        w->op.bytes = other ? sent : received;
    if (request > 0) {
        DnRecRequest *begun = request_at(w, f, request - 1);
        if (begun)
            *begun = (DnRecRequest){.live = TRUE};
        w->op.flags |= DN_TRACE_NONBLOCKING;
        w->op.request = (gint64)request - 1;
    }
    return f->bad || darner_give(w, collectives[kind].call, error);
}

static gboolean on_comm(DnRecWalk *w, DnRecFields *f, GError **error)
{
    static const DnCall calls[] = {DN_CALL_COMM_DUP, DN_CALL_COMM_SPLIT, DN_CALL_COMM_GROUP};
    guint64 how = dn_rec_take(f);
    w->op.comm = dn_rec_take_small(f);
    guint32 made = dn_rec_take_small(f);
    w->op.made = made == 0 ? DN_TRACE_NO_COMM : made - 1;
    w->op.color = dn_rec_take_small(f);
    w->op.key = dn_rec_take_small(f);
    take_list(w, f, 1);
    if (made == 0)
        w->op.color = DN_ANY;
    f->bad = f->bad || how >= G_N_ELEMENTS(calls);
    return f->bad || darner_give(w, calls[how], error);
}

/* ---- which record does what ---- */

typedef gboolean (*Handler)(DnRecWalk *w, DnRecFields *f, GError **error);

static gboolean on_begin(DnRecWalk *w, DnRecFields *f, GError **error)
{
    char text[64];
    dn_rec_take(f); /* clock */
    dn_rec_take(f); /* thread level */
    dn_rec_take_text(f, text, sizeof text);
    dn_rec_take_text(f, text, sizeof text);
    return f->bad || darner_give(w, DN_CALL_INIT, error);
}

static gboolean on_end(DnRecWalk *w, DnRecFields *f, GError **error)
{
    (void)f;
    return darner_give(w, DN_CALL_FINALIZE, error);
}

static gboolean on_sending(DnRecWalk *w, DnRecFields *f, GError **error)
{
    return on_send(w, w->operation, f, error);
}

static gboolean on_receiving(DnRecWalk *w, DnRecFields *f, GError **error)
{
    return on_recv_begun(w, w->operation, f, error);
}

/* The request stays until it is waited for, which says whether it took something, or freed. */
static gboolean on_cancel(DnRecWalk *w, DnRecFields *f, GError **error)
{
    (void)error;
    DnRecRequest *request = take_request(w, f);
    if (request)
        request->cancelled = TRUE;
    return TRUE;
}

static gboolean on_polls(DnRecWalk *w, DnRecFields *f, GError **error)
{
    (void)w;
    (void)error;
    dn_rec_take(f);
    return TRUE;
}

static gboolean on_comm_free(DnRecWalk *w, DnRecFields *f, GError **error)
{
    w->op.comm = dn_rec_take_small(f);
    return f->bad || darner_give(w, DN_CALL_COMM_FREE, error);
}

static gboolean on_unmodelled(DnRecWalk *w, DnRecFields *f, GError **error)
{
    char name[64];
    (void)error;
    dn_rec_take_text(f, name, sizeof name);
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

gboolean dn_rec_walk_record(DnRecWalk *w, DnRecFields *f, GError **error)
{
    guint8 operation = *f->at++;
    if (operation >= DN_REC_OPERATIONS || !handlers[operation])
        return dn_trace_error(w->sink, w->rank, w->at, error, "no operation has the number %u",
                              operation);
    w->operation = operation;
    w->op = (DnTraceOp){.at = w->at};
    g_array_set_size(w->list, 0);
    guint64 gap_ns = dn_rec_take(f);
    dn_rec_take(f); /* ns inside the call */
    if (!give_compute(w, gap_ns, error) || !handlers[operation](w, f, error))
        return FALSE;
    if (f->bad)
        return dn_trace_error(w->sink, w->rank, w->at, error,
                              "a record that is cut off or holds a number out of range");
    return TRUE;
}
