/* to_dag.c - see to_dag.h.
 *
 * A stream begins its operations one after the other, so each needs that the one before has begun;
 * after a wait, that what was waited for is over; after an event, what stood before the signal.
 * LIMITATIONS: copies and reductions take no time here: what they cost is the machine's to say. In
 * what was a graph with collectives, operations keep the order in which they ran. */
#include "trace/to_dag.h"

#include "trace/dry_run.h"

/* Predecessors of the next operation of a stream. */
typedef struct {
    GArray *deps; /* DnTraceDep */
} Front;

typedef struct {
    guint32 event;
    GArray *deps;
} Raised;

typedef struct {
    Front *fronts;  /* [streams] */
    GArray *raised; /* Raised, oldest first */
    guint32 ops;
} Rank;

typedef struct {
    const DnProgram *program;
    DnTraceSink *sink;
    Rank *ranks;
    gboolean ok;
    GError **error;
} Flat;

static void front_add(GArray *deps, guint32 op, gboolean start)
{
    DnTraceDep dep = {op, start};
    g_array_append_val(deps, dep);
}

static gboolean flatten_equal(DnTraceDep a, DnTraceDep b)
{
    return a.op == b.op && a.start == b.start;
}

static void front_join(GArray *deps, const GArray *more)
{
    for (guint i = 0; i < more->len; i++) {
        DnTraceDep dep = g_array_index(more, DnTraceDep, i);
        guint k = 0;
        while (k < deps->len && !flatten_equal(g_array_index(deps, DnTraceDep, k), dep))
            k++;
        if (k == deps->len)
            g_array_append_val(deps, dep);
    }
}

static void raise_event(Rank *rank, const Front *front, guint32 event)
{
    Raised raised = {event, g_array_new(FALSE, FALSE, sizeof(DnTraceDep))};
    front_join(raised.deps, front->deps);
    g_array_append_val(rank->raised, raised);
}

/* An await is notified when the stream goes on, so what it awaits has been raised. */
static void await_event(Rank *rank, Front *front, guint32 event)
{
    for (guint i = 0; i < rank->raised->len; i++) {
        Raised raised = g_array_index(rank->raised, Raised, i);
        if (raised.event != event)
            continue;
        front_join(front->deps, raised.deps);
        g_array_unref(raised.deps);
        g_array_remove_index(rank->raised, i);
        return;
    }
}

static guint64 flatten_add(Flat *f, guint32 r, guint32 s, const DnOp *op)
{
    Rank *rank = &f->ranks[r];
    GArray *deps = rank->fronts[s].deps;
    gboolean compute = op->kind == DN_OP_COMPUTE;
    DnTraceOp out = {.call = compute                  ? DN_CALL_COMPUTE
                             : op->kind == DN_OP_SEND ? DN_CALL_ISEND
                                                      : DN_CALL_IRECV,
                     .peer = op->peer,
                     .tag = op->tag == DN_ANY || op->tag >= DN_TAG_WILD ? DN_ANY : op->tag,
                     .bytes = op->bytes,
                     .duration_ps = op->duration_ps,
                     .at = op->at,
                     .n_deps = deps->len,
                     .deps = (const DnTraceDep *)(gpointer)deps->data};
    f->ok = f->ok && dn_trace_add(f->sink, r, &out, f->error);
    g_array_set_size(deps, 0);
    front_add(deps, rank->ops, !compute);
    return rank->ops++;
}

static guint64 flatten_begin(gpointer data, guint32 r, guint32 s, const DnOp *op)
{
    Flat *f = data;
    Rank *rank = &f->ranks[r];
    switch (op->kind) {
    case DN_OP_SEND:
    case DN_OP_RECV:
    case DN_OP_COMPUTE:
        return flatten_add(f, r, s, op);
    case DN_OP_SIGNAL:
        raise_event(rank, &rank->fronts[s], op->tag);
        return 0;
    case DN_OP_AWAIT:
        await_event(rank, &rank->fronts[s], op->tag);
        return 0;
    default:
        return 0;
    }
}

static void flatten_waited(gpointer data, guint32 r, guint32 s, const DnOp *op, guint64 word)
{
    Flat *f = data;
    front_add(f->ranks[r].fronts[s].deps, (guint32)word, FALSE);
}

/* ---- what cannot end ---- */

char *dn_trace_describe(const DnProgram *program, guint32 rank, const DnOp *op)
{
    const DnTrace *trace = dn_trace_of_program(program);
    g_autofree char *where = trace && op->at > 0 ? dn_trace_where(trace, rank, op->at) : NULL;
    g_autofree char *peer = op->peer == DN_ANY ? g_strdup("any rank")
                                               : g_strdup_printf("rank %u", op->peer);
    g_autofree char *place = where ? g_strdup_printf(" (%s at %s)", dn_call_name(op->call), where)
                                   : g_strdup("");
    if (op->kind != DN_OP_SEND && op->kind != DN_OP_RECV)
        return g_strdup_printf("rank %u waits for another of its own streams", rank);
    return g_strdup_printf("rank %u: %s %" G_GINT64_FORMAT " B %s %s, tag %u%s", rank,
                           op->kind == DN_OP_SEND ? "send of" : "receive of", op->bytes,
                           op->kind == DN_OP_SEND ? "to" : "from", peer, op->tag & ((1u << 20) - 1),
                           place);
}

gboolean dn_trace_require_end(const DnProgram *program, GArray *blocked, GError **error)
{
    if (blocked->len == 0)
        return TRUE;
    const DnDryRunLoose *loose = &g_array_index(blocked, DnDryRunLoose, 0);
    for (guint i = 1; i < blocked->len && loose->op.kind != DN_OP_RECV; i++)
        loose = &g_array_index(blocked, DnDryRunLoose, i);
    g_autofree char *what = dn_trace_describe(program, loose->rank, &loose->op);
    g_set_error(error, DN_ERROR, DN_ERROR_STALLED,
                "%u of %u ranks wait for ever; %s, which nobody answers", blocked->len,
                program->ranks, what);
    return FALSE;
}

/* ---- the whole ---- */

static gboolean flatten_fill(const char *path, DnTraceSink *sink, gpointer data, GError **error)
{
    const DnProgram *program = data;
    Flat f = {.program = program, .sink = sink, .ok = TRUE, .error = error};
    if (!dn_trace_sink_ranks(sink, program->ranks, error))
        return FALSE;
    f.ranks = g_new0(Rank, program->ranks);
    for (guint32 r = 0; r < program->ranks; r++) {
        f.ranks[r].raised = g_array_new(FALSE, FALSE, sizeof(Raised));
        f.ranks[r].fronts = g_new(Front, program->streams);
        for (guint32 s = 0; s < program->streams; s++)
            f.ranks[r].fronts[s].deps = g_array_new(FALSE, FALSE, sizeof(DnTraceDep));
    }
    DnDryRunObserver observer = {.data = &f, .begin = flatten_begin, .waited = flatten_waited};
    DnDryRunResult result;
    dn_dry_run(program, &observer, &result);
    gboolean ok = f.ok && dn_trace_require_end(program, result.blocked, error);
    dn_dry_run_result_clear(&result);
    for (guint32 r = 0; r < program->ranks; r++) {
        for (guint32 s = 0; s < program->streams; s++)
            g_array_unref(f.ranks[r].fronts[s].deps);
        for (guint i = 0; i < f.ranks[r].raised->len; i++)
            g_array_unref(g_array_index(f.ranks[r].raised, Raised, i).deps);
        g_array_unref(f.ranks[r].raised);
        g_free(f.ranks[r].fronts);
    }
    g_free(f.ranks);
    return ok;
}

DnTrace *dn_trace_to_dag(const DnProgram *program, GError **error)
{
    static const DnTraceReader reader = {.name = "flat", .graph = TRUE, .unit = "line"};
    return dn_trace_fill("flat", &reader, flatten_fill, (gpointer)program, error);
}
