/* ti_actions.c - The actions of a time-independent trace, with their arguments, become operations
 * of the trace. The forms of the arguments stand above each function. */
#include <math.h>
#include <string.h>

#include "trace/ti.h"

#define PS_PER_FLOP 1000.0

static DnTiRank *rank_of(DnTi *t)
{
    return &g_array_index(t->ranks, DnTiRank, t->rank);
}

/* ---- words ---- */

/* sizeof of SMPI's datatypes 0 .. 59 (src/smpi/mpi/smpi_datatype.cpp) on 64-bit Linux. */
static const guint8 type_bytes[] = {8, 4,  1,  2, 8,  4,  1,  8,  1,  1,  2, 4,  8,  8,  16,
                                    4, 1,  1,  2, 4,  8,  1,  2,  4,  8,  8, 16, 32, 8,  8,
                                    8, 16, 16, 8, 8,  8,  16, 16, 4,  4,  8, 16, 8,  16, 16,
                                    4, 2,  4,  8, 16, 32, 1,  8,  16, 32, 0, 0,  1,  8,  8};

static gboolean word_error(DnTi *t, const char *wanted, const char *word)
{
    g_autofree char *shown = dn_quote(word);
    return dn_trace_error_column(t->sink, t->rank, t->line, dn_ti_column(t, word), t->error,
                                 "%s: %s is no %s", t->action, shown, wanted);
}

/* Most numbers are plain ones of a few digits, which a double holds exactly. */
static inline gboolean ti_whole(const char *word, gint64 *value)
{
    gint64 n = 0;
    guint digits = 0;
    for (; digits < 15 && (guint)(word[digits] - '0') < 10; digits++)
        n = n * 10 + (word[digits] - '0');
    *value = n;
    return digits > 0 && word[digits] == '\0';
}

static gboolean get_real(DnTi *t, guint i, double *value)
{
    char *end;
    if (i >= t->n_words)
        return dn_trace_error(t->sink, t->rank, t->line, t->error, "%s has %u arguments, too few",
                              t->action, t->n_words);
    const char *word = t->words[i];
    gint64 whole;
    if (ti_whole(word, &whole)) {
        *value = (double)whole;
        return TRUE;
    }
    *value = g_ascii_strtod(word, &end);
    if (end == word || *end || !isfinite(*value))
        return word_error(t, "number", word);
    return TRUE;
}

/* @negative: what numbers below 0 stand for, for messages; NULL: they are not named. */
static gboolean get_int(DnTi *t, guint i, double min, double max, const char *negative,
                        gint64 *value)
{
    double real;
    if (i < t->n_words && ti_whole(t->words[i], value) && (double)*value >= min &&
        (double)*value <= max)
        return TRUE;
    if (!get_real(t, i, &real))
        return FALSE;
    if (real < min || real > max) {
        g_autofree char *shown = dn_quote(t->words[i]);
        return dn_trace_error_column(t->sink, t->rank, t->line, dn_ti_column(t, t->words[i]),
                                     t->error, "%s: %s is out of range; allowed: %.0f to %.0f%s",
                                     t->action, shown, negative ? 0 : min, max,
                                     negative ? negative : "");
    }
    *value = (gint64)real;
    return TRUE;
}

/* Datatype word @i; when it is left out, the default. */
static gboolean get_unit(DnTi *t, guint i, gint64 *bytes)
{
    gint64 id;
    *bytes = rank_of(t)->unit_bytes;
    if (i >= t->n_words)
        return TRUE;
    if (!get_int(t, i, -1, 1e6, NULL, &id))
        return FALSE;
    if (id >= (gint64)G_N_ELEMENTS(type_bytes))
        return dn_trace_error(t->sink, t->rank, t->line, t->error,
                              "%s: datatype %d; those of numbers 0 to %d have a size known here",
                              t->action, (int)id, (int)G_N_ELEMENTS(type_bytes) - 1);
    *bytes = id < 0 ? 0 : type_bytes[id];
    return TRUE;
}

/* A size; -1, where @least allows it, is one that is not known. */
static gboolean get_size(DnTi *t, gint least, guint count, guint type, gint64 *bytes)
{
    gint64 n, unit;
    if (!get_int(t, count, least, 1e15, least < 0 ? ", or -1: not known" : NULL, &n) ||
        !get_unit(t, type, &unit))
        return FALSE;
    *bytes = n < 0 ? -1 : n * unit;
    return TRUE;
}

static gboolean get_bytes(DnTi *t, guint count, guint type, gint64 *bytes)
{
    return get_size(t, -1, count, type, bytes);
}

/* A rank; negative ones are MPI_ANY_SOURCE (-1, -555) and MPI_PROC_NULL (-666: *skip). */
static gboolean get_peer(DnTi *t, guint i, guint32 *peer, gboolean *skip)
{
    gint64 value;
    if (i < t->n_words && t->words[i][0] == 'p' && g_ascii_isdigit(t->words[i][1]))
        t->words[i]++; /* of old: "p12" */
    if (!get_int(t, i, -1000, t->n - 1.0, ", or -1: any, -666: none", &value))
        return FALSE;
    *skip = value == -666;
    *peer = value < 0 ? DN_ANY : (guint32)value;
    return TRUE;
}

static gboolean get_tag(DnTi *t, guint i, guint32 *tag)
{
    gint64 value;
    if (!get_int(t, i, -1000, 2147483647.0, ", or -1: any", &value))
        return FALSE;
    *tag = value < 0 ? DN_ANY : (guint32)value;
    return TRUE;
}

static gboolean get_root(DnTi *t, guint i, guint32 *root)
{
    gint64 value = 0;
    if (i < t->n_words && !get_int(t, i, 0, t->n - 1.0, NULL, &value))
        return FALSE;
    *root = (guint32)value;
    return TRUE;
}

/* @unknown: a negative number, which stands for none, is allowed. */
static gboolean get_flops(DnTi *t, guint i, double ps_per_unit, gboolean unknown,
                          gint64 *duration_ps)
{
    double amount;
    if (!get_real(t, i, &amount))
        return FALSE;
    if (amount * ps_per_unit > 9e15 || (amount < 0 && !unknown))
        return word_error(t, "duration of 0 to 9,000 s", t->words[i]);
    *duration_ps = (gint64)(MAX(0, amount) * ps_per_unit + 0.5);
    return TRUE;
}

static void list_append(DnTi *t, gint64 value)
{
    DN_ARRAY_SPACE(t->list, t->n_list, &t->list_space);
    t->list[t->n_list++] = value;
}

/* The counts of all ranks from word @i on, as bytes. */
static gboolean get_counts(DnTi *t, guint i, gint64 unit)
{
    for (guint32 k = 0; k < t->n; k++) {
        gint64 n;
        if (!get_int(t, i + k, 0, 1e15, NULL, &n))
            return FALSE;
        list_append(t, n * unit);
    }
    return TRUE;
}

static gboolean ti_add(DnTi *t, DnTraceOp *op)
{
    op->at = t->line;
    if (op->n_list == 0 && t->n_list > 0) {
        op->n_list = t->n_list;
        op->list = t->list;
    }
    return dn_trace_add(t->sink, t->rank, op, t->error);
}

/* ---- actions ---- */

typedef gboolean (*Action)(DnTi *t, DnCall call);

static gboolean pass_over(DnTi *t, DnCall call)
{
    return TRUE;
}

static gboolean on_init(DnTi *t, DnCall call)
{
    rank_of(t)->unit_bytes = t->n_words > 0 ? 8 : 1;
    DnTraceOp op = {.call = (guint8)call};
    return ti_add(t, &op);
}

static gboolean on_plain(DnTi *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    return ti_add(t, &op);
}

static gboolean on_compute(DnTi *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    gboolean sleep = g_ascii_strcasecmp(t->action, "sleep") == 0;
    op.flags = sleep ? DN_TRACE_SLEEP : 0;
    return get_flops(t, 0, sleep ? 1e12 : PS_PER_FLOP, FALSE, &op.duration_ps) && ti_add(t, &op);
}

static guint64 new_pending(DnTi *t, const DnTraceOp *op)
{
    DnTiRank *rank = rank_of(t);
    gboolean send = op->call == DN_CALL_ISEND;
    DnTiPending p = {.src = send ? t->rank : op->peer,
                     .dst = send ? op->peer : t->rank,
                     .tag = op->tag,
                     .handle = ++rank->handles};
    DN_ARRAY_SPACE(rank->pending, rank->n_pending, &rank->pending_space);
    rank->pending[rank->n_pending++] = p;
    return p.handle;
}

/* send, recv, isend, irecv: PEER TAG SIZE [TYPE], or of old PEER SIZE. */
static gboolean on_message(DnTi *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    gboolean sends = call == DN_CALL_SEND || call == DN_CALL_ISEND;
    gboolean skip, old = t->n_words == 2;
    if (!get_peer(t, 0, &op.peer, &skip) || (!old && !get_tag(t, 1, &op.tag)) ||
        !get_size(t, sends && !skip ? 0 : -1, old ? 1 : 2, 3, &op.bytes))
        return FALSE;
    if (sends && !skip && (op.peer == DN_ANY || op.tag == DN_ANY))
        return dn_trace_error(t->sink, t->rank, t->line, t->error, "%s without a receiver or a tag",
                              t->action);
    if (skip)
        return TRUE;
    if (call == DN_CALL_ISEND || call == DN_CALL_IRECV)
        op.request = new_pending(t, &op);
    return ti_add(t, &op);
}

static gboolean on_sendrecv(DnTi *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    gboolean no_send, no_recv;
    if (!get_bytes(t, 0, 4, &op.bytes) || !get_peer(t, 1, &op.peer, &no_send) ||
        !get_bytes(t, 2, 5, &op.recv_bytes) || !get_peer(t, 3, &op.from, &no_recv))
        return FALSE;
    if (no_recv && no_send)
        return TRUE;
    if (no_send) {
        op.call = DN_CALL_RECV;
        op.peer = op.from;
        op.bytes = op.recv_bytes;
    } else if (op.peer == DN_ANY || op.bytes < 0) {
        return dn_trace_error(t->sink, t->rank, t->line, t->error,
                              "%s without a receiver or a size", t->action);
    } else if (no_recv) {
        op.call = DN_CALL_SEND;
    }
    return ti_add(t, &op);
}

static gboolean ti_agrees(guint32 a, guint32 b)
{
    return a == b || a == DN_ANY || b == DN_ANY;
}

static DnTiPending *find_pending(DnTiRank *rank, guint32 src, guint32 dst, guint32 tag)
{
    while (rank->first < rank->n_pending && rank->pending[rank->first].handle == 0)
        rank->first++;
    if (rank->first == rank->n_pending)
        rank->n_pending = rank->first = 0;
    for (guint i = rank->first; i < rank->n_pending; i++) {
        DnTiPending *p = &rank->pending[i];
        if (p->handle != 0 && ti_agrees(p->src, src) && ti_agrees(p->dst, dst) &&
            ti_agrees(p->tag, tag))
            return p;
    }
    return NULL;
}

static DnTiPending *newest_pending(DnTiRank *rank)
{
    for (guint i = rank->n_pending; i-- > rank->first;)
        if (rank->pending[i].handle != 0)
            return &rank->pending[i];
    return NULL;
}

/* wait [SRC DST TAG]; test is recorded whether it found something or not: it ends nothing here,
 * as the wait that follows does. A wait for nothing is one whose request a test ended. */
static gboolean on_wait(DnTi *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    DnTiPending *p = NULL;
    guint32 src, dst, tag;
    gboolean skip;
    if (t->n_words > 0) {
        if (!get_peer(t, 0, &src, &skip) || !get_peer(t, 1, &dst, &skip) || !get_tag(t, 2, &tag))
            return FALSE;
        p = call == DN_CALL_WAIT ? find_pending(rank_of(t), src, dst, tag) : NULL;
    } else if (call == DN_CALL_WAIT) {
        p = newest_pending(rank_of(t));
        if (!p)
            return dn_trace_error(t->sink, t->rank, t->line, t->error,
                                  "wait not preceded by an isend or irecv");
    }
    if (p) {
        list_append(t, (gint64)p->handle);
        p->handle = 0;
    }
    return ti_add(t, &op);
}

static gboolean on_waitall(DnTi *t, DnCall call)
{
    DnTiRank *rank = rank_of(t);
    for (guint i = rank->first; i < rank->n_pending; i++)
        if (rank->pending[i].handle != 0)
            list_append(t, (gint64)rank->pending[i].handle);
    rank->n_pending = rank->first = 0;
    return on_plain(t, call);
}

/* bcast SIZE [ROOT [TYPE]] */
static gboolean on_bcast(DnTi *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    return get_bytes(t, 0, 2, &op.bytes) && get_root(t, 1, &op.root) && ti_add(t, &op);
}

/* reduce SIZE FLOPS [ROOT [TYPE]]; allreduce, scan, exscan SIZE FLOPS [TYPE] */
static gboolean on_reduce(DnTi *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    gboolean rooted = call == DN_CALL_REDUCE;
    return get_bytes(t, 0, rooted ? 3 : 2, &op.bytes) &&
           get_flops(t, 1, PS_PER_FLOP, TRUE, &op.duration_ps) &&
           (!rooted || get_root(t, 2, &op.root)) && ti_add(t, &op);
}

/* gather, scatter SEND RECV [ROOT [TYPE TYPE]]; allgather, alltoall SEND RECV [TYPE TYPE]. A block
 * is what a rank receives, of a gather what it sends; where that is nothing, as of a root with
 * MPI_IN_PLACE, the other. */
static gboolean on_blocks(DnTi *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    guint rooted = call == DN_CALL_GATHER || call == DN_CALL_SCATTER;
    gint64 sent, received;
    if (!get_bytes(t, 0, 2 + rooted, &sent) || !get_bytes(t, 1, 3 + rooted, &received) ||
        (rooted && !get_root(t, 2, &op.root)))
        return FALSE;
    op.bytes = call == DN_CALL_GATHER ? sent : received;
    if (op.bytes == 0 && (!rooted || op.root == t->rank))
        op.bytes = MAX(sent, received);
    return ti_add(t, &op);
}

/* gatherv SEND COUNTS [ROOT [TYPE TYPE]]; scatterv COUNTS RECV [ROOT [TYPE TYPE]] */
static gboolean on_rooted_v(DnTi *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    gboolean scatter = call == DN_CALL_SCATTERV;
    gint64 unit;
    if (!get_root(t, 1 + t->n, &op.root) || !get_unit(t, (scatter ? 2 : 3) + t->n, &unit) ||
        !get_bytes(t, scatter ? t->n : 0, (scatter ? 3 : 2) + t->n, &op.bytes))
        return FALSE;
    if (t->rank == op.root && !get_counts(t, scatter ? 0 : 1, unit))
        return FALSE;
    return ti_add(t, &op);
}

/* allgatherv SEND COUNTS [TYPE TYPE] [DISPLACEMENTS] */
static gboolean on_allgatherv(DnTi *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    guint more = t->n_words > t->n + 1 ? t->n_words - t->n - 1 : 0;
    gboolean typed = more <= 2 || more == t->n + 2;
    gint64 unit;
    return get_unit(t, typed ? t->n + 2 : t->n_words, &unit) && get_counts(t, 1, unit) &&
           ti_add(t, &op);
}

/* alltoallv BUFFER TO_COUNTS BUFFER FROM_COUNTS [TYPE TYPE] */
static gboolean on_alltoallv(DnTi *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    gint64 send_unit, recv_unit;
    return get_unit(t, 2 + 2 * t->n, &send_unit) && get_unit(t, 3 + 2 * t->n, &recv_unit) &&
           get_counts(t, 1, send_unit) && get_counts(t, 2 + t->n, recv_unit) && ti_add(t, &op);
}

/* reducescatter COUNTS FLOPS [TYPE] */
static gboolean on_reducescatter(DnTi *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    gint64 unit;
    return get_unit(t, t->n + 1, &unit) && get_counts(t, 0, unit) &&
           get_flops(t, t->n, PS_PER_FLOP, TRUE, &op.duration_ps) && ti_add(t, &op);
}

static const struct {
    const char *name;
    Action run;
    DnCall call;
    guint words; /* at least; counts of all ranks not among them */
} actions[] = {
    {"init", on_init, DN_CALL_INIT, 0},
    {"finalize", on_plain, DN_CALL_FINALIZE, 0},
    {"compute", on_compute, DN_CALL_COMPUTE, 1},
    {"sleep", on_compute, DN_CALL_COMPUTE, 1},
    {"send", on_message, DN_CALL_SEND, 2},
    {"recv", on_message, DN_CALL_RECV, 2},
    {"isend", on_message, DN_CALL_ISEND, 2},
    {"irecv", on_message, DN_CALL_IRECV, 2},
    {"wait", on_wait, DN_CALL_WAIT, 0},
    {"test", on_wait, DN_CALL_TEST, 0},
    {"waitall", on_waitall, DN_CALL_WAITALL, 0},
    {"sendrecv", on_sendrecv, DN_CALL_SENDRECV, 4},
    {"barrier", on_plain, DN_CALL_BARRIER, 0},
    {"bcast", on_bcast, DN_CALL_BCAST, 1},
    {"reduce", on_reduce, DN_CALL_REDUCE, 2},
    {"allreduce", on_reduce, DN_CALL_ALLREDUCE, 2},
    {"scan", on_reduce, DN_CALL_SCAN, 2},
    {"exscan", on_reduce, DN_CALL_EXSCAN, 2},
    {"gather", on_blocks, DN_CALL_GATHER, 2},
    {"scatter", on_blocks, DN_CALL_SCATTER, 2},
    {"allgather", on_blocks, DN_CALL_ALLGATHER, 2},
    {"alltoall", on_blocks, DN_CALL_ALLTOALL, 2},
    {"gatherv", on_rooted_v, DN_CALL_GATHERV, 2},
    {"scatterv", on_rooted_v, DN_CALL_SCATTERV, 2},
    {"allgatherv", on_allgatherv, DN_CALL_ALLGATHERV, 2},
    {"alltoallv", on_alltoallv, DN_CALL_ALLTOALLV, 4},
    {"reducescatter", on_reducescatter, DN_CALL_REDUCE_SCATTER, 2},
    {"comm_size", pass_over, DN_CALL_NONE, 0},
    {"comm_split", pass_over, DN_CALL_NONE, 0},
    {"comm_dup", pass_over, DN_CALL_NONE, 0},
    {"location", pass_over, DN_CALL_NONE, 0},
};

int dn_ti_action_find(const char *word)
{
    char first = g_ascii_tolower(*word);
    for (guint i = 0; i < G_N_ELEMENTS(actions); i++) /* as it is written, mostly */
        if (actions[i].name[0] == *word && strcmp(actions[i].name, word) == 0)
            return (int)i;
    for (guint i = 0; i < G_N_ELEMENTS(actions); i++)
        if (actions[i].name[0] == first && g_ascii_strcasecmp(actions[i].name, word) == 0)
            return (int)i;
    return -1;
}

static gboolean unknown_action(DnTi *t)
{
    const char *names[G_N_ELEMENTS(actions) + 1] = {0};
    for (guint i = 0; i < G_N_ELEMENTS(actions); i++)
        names[i] = actions[i].name;
    g_autofree char *unknown = dn_unknown(t->action, names, "known");
    return dn_trace_error_column(t->sink, t->rank, t->line, dn_ti_column(t, t->action), t->error,
                                 "unknown action %s", unknown);
}

G_STATIC_ASSERT(G_N_ELEMENTS(actions) <= DN_TI_ACTIONS);

/* Programs are loops: an action is followed by the one that followed it before. */
static int find_action(DnTi *t)
{
    int guess = t->follows[t->last_action];
    int i = strcmp(actions[guess].name, t->action) == 0 ? guess : dn_ti_action_find(t->action);
    if (i >= 0)
        t->last_action = t->follows[t->last_action] = (guint8)i;
    return i;
}

gboolean dn_ti_action_run(DnTi *t)
{
    int i = find_action(t);
    if (i < 0)
        return unknown_action(t);
    if (t->n_words < actions[i].words)
        return dn_trace_error(t->sink, t->rank, t->line, t->error,
                              "%s has %u arguments; at least %u are needed", t->action, t->n_words,
                              actions[i].words);
    return actions[i].run(t, actions[i].call);
}
