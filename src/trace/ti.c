/* ti.c - SimGrid's time-independent traces, as `smpirun -trace-ti` writes and `-replay` reads them.
 *
 * Lines `RANK ACTION ARGUMENTS`; all ranks in one file, or a list of files, one a rank. Sizes are
 * counts of a datatype given by number at the end; without one `init` decides: alone bytes, with an
 * argument doubles. compute is in flops. Requests are named by (source, destination, tag), the
 * oldest first; older traces have no tags, and a `wait` without arguments means the newest. */
#include <math.h>
#include <string.h>

#include "trace/input.h"
#include "trace/trace.h"

#define PS_PER_FLOP 1000.0
#define MOST_WORDS 8

typedef struct {
    guint32 src, dst, tag;
    guint64 handle; /* 0: over */
} Pending;

typedef struct {
    GArray *pending; /* Pending, oldest first */
    guint first;     /* before it all are over */
    guint64 handles;
    gint64 unit_bytes; /* of the default datatype */
} Rank;

typedef struct {
    DnTraceSink *sink;
    GError **error;
    GArray *ranks; /* Rank */
    guint32 n;     /* ranks in all */
    guint32 only;  /* the rank of this file, or DN_ANY */
    guint32 rank;  /* of the line */
    guint64 line;
    GPtrArray *words; /* of the line, after the action */
    GArray *list;     /* gint64 */
    const char *action;
} Ti;

static Rank *rank_of(Ti *t)
{
    return &g_array_index(t->ranks, Rank, t->rank);
}

static void rank_clear(gpointer data)
{
    Rank *rank = data;
    g_clear_pointer(&rank->pending, g_array_unref);
}

/* ---- words ---- */

/* sizeof of SMPI's datatypes 0 .. 59 (src/smpi/mpi/smpi_datatype.cpp) on 64-bit Linux. */
static const guint8 type_bytes[] = {8, 4,  1,  2, 8,  4,  1,  8,  1,  1,  2, 4,  8,  8,  16,
                                    4, 1,  1,  2, 4,  8,  1,  2,  4,  8,  8, 16, 32, 8,  8,
                                    8, 16, 16, 8, 8,  8,  16, 16, 4,  4,  8, 16, 8,  16, 16,
                                    4, 2,  4,  8, 16, 32, 1,  8,  16, 32, 0, 0,  1,  8,  8};

static gboolean word_error(Ti *t, const char *wanted, const char *word)
{
    g_autofree char *shown = dn_quote(word);
    return dn_trace_error(t->sink, t->rank, t->line, t->error, "%s: %s is no %s", t->action, shown,
                          wanted);
}

/* Most numbers are plain ones of a few digits. */
static gboolean ti_whole(const char *word, double *value)
{
    guint64 n = 0;
    guint digits = 0;
    for (; digits < 15 && g_ascii_isdigit(word[digits]); digits++)
        n = n * 10 + (guint64)(word[digits] - '0');
    *value = (double)n;
    return digits > 0 && word[digits] == '\0';
}

static gboolean get_real(Ti *t, guint i, double *value)
{
    char *end;
    if (i >= t->words->len)
        return dn_trace_error(t->sink, t->rank, t->line, t->error, "%s has %u arguments, too few",
                              t->action, t->words->len);
    const char *word = g_ptr_array_index(t->words, i);
    if (ti_whole(word, value))
        return TRUE;
    *value = g_ascii_strtod(word, &end);
    if (end == word || *end || !isfinite(*value))
        return word_error(t, "number", word);
    return TRUE;
}

static gboolean get_int(Ti *t, guint i, double min, double max, gint64 *value)
{
    double real;
    if (!get_real(t, i, &real))
        return FALSE;
    if (real < min || real > max)
        return word_error(t, "number that is allowed here", g_ptr_array_index(t->words, i));
    *value = (gint64)real;
    return TRUE;
}

/* Datatype word @i; when it is left out, the default. */
static gboolean get_unit(Ti *t, guint i, gint64 *bytes)
{
    gint64 id;
    *bytes = rank_of(t)->unit_bytes;
    if (i >= t->words->len)
        return TRUE;
    if (!get_int(t, i, -1, 1e6, &id))
        return FALSE;
    if (id >= (gint64)G_N_ELEMENTS(type_bytes))
        return dn_trace_error(t->sink, t->rank, t->line, t->error,
                              "%s: datatype %d; those of numbers 0 to %d have a size known here",
                              t->action, (int)id, (int)G_N_ELEMENTS(type_bytes) - 1);
    *bytes = id < 0 ? 0 : type_bytes[id];
    return TRUE;
}

static gboolean get_bytes(Ti *t, guint count, guint type, gint64 *bytes)
{
    gint64 n, unit;
    if (!get_int(t, count, -1, 1e15, &n) || !get_unit(t, type, &unit))
        return FALSE;
    *bytes = n < 0 ? -1 : n * unit;
    return TRUE;
}

/* A rank; negative ones are MPI_ANY_SOURCE (-1, -555) and MPI_PROC_NULL (-666: *skip). */
static gboolean get_peer(Ti *t, guint i, guint32 *peer, gboolean *skip)
{
    gint64 value;
    const char *word = i < t->words->len ? g_ptr_array_index(t->words, i) : "";
    if (word[0] == 'p' && g_ascii_isdigit(word[1])) /* of old: "p12" */
        g_ptr_array_index(t->words, i) = (gpointer)(word + 1);
    if (!get_int(t, i, -1000, t->n - 1.0, &value))
        return FALSE;
    *skip = value == -666;
    *peer = value < 0 ? DN_ANY : (guint32)value;
    return TRUE;
}

static gboolean get_tag(Ti *t, guint i, guint32 *tag)
{
    gint64 value;
    if (!get_int(t, i, -1000, 2147483647.0, &value))
        return FALSE;
    *tag = value < 0 ? DN_ANY : (guint32)value;
    return TRUE;
}

static gboolean get_root(Ti *t, guint i, guint32 *root)
{
    gint64 value = 0;
    if (i < t->words->len && !get_int(t, i, 0, t->n - 1.0, &value))
        return FALSE;
    *root = (guint32)value;
    return TRUE;
}

static gboolean get_flops(Ti *t, guint i, double ps_per_unit, gint64 *duration_ps)
{
    double amount;
    if (!get_real(t, i, &amount))
        return FALSE;
    if (amount * ps_per_unit > 9e15)
        return word_error(t, "duration below 9,000 s", g_ptr_array_index(t->words, i));
    *duration_ps = (gint64)(MAX(0, amount) * ps_per_unit + 0.5);
    return TRUE;
}

/* The counts of all ranks from word @i on, as bytes. */
static gboolean get_counts(Ti *t, guint i, gint64 unit)
{
    for (guint32 k = 0; k < t->n; k++) {
        gint64 n;
        if (!get_int(t, i + k, 0, 1e15, &n))
            return FALSE;
        n *= unit;
        g_array_append_val(t->list, n);
    }
    return TRUE;
}

static gboolean ti_add(Ti *t, DnTraceOp *op)
{
    op->at = t->line;
    if (op->n_list == 0 && t->list->len > 0) {
        op->n_list = t->list->len;
        op->list = (const gint64 *)(gpointer)t->list->data;
    }
    return dn_trace_add(t->sink, t->rank, op, t->error);
}

/* ---- actions ---- */

typedef gboolean (*Action)(Ti *t, DnCall call);

static gboolean pass_over(Ti *t, DnCall call)
{
    return TRUE;
}

static gboolean on_init(Ti *t, DnCall call)
{
    rank_of(t)->unit_bytes = t->words->len > 0 ? 8 : 1;
    DnTraceOp op = {.call = (guint8)call};
    return ti_add(t, &op);
}

static gboolean on_plain(Ti *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    return ti_add(t, &op);
}

static gboolean on_compute(Ti *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    gboolean sleep = g_ascii_strcasecmp(t->action, "sleep") == 0;
    return get_flops(t, 0, sleep ? 1e12 : PS_PER_FLOP, &op.duration_ps) && ti_add(t, &op);
}

static guint64 new_pending(Ti *t, const DnTraceOp *op)
{
    Rank *rank = rank_of(t);
    gboolean send = op->call == DN_CALL_ISEND;
    Pending p = {.src = send ? t->rank : op->peer,
                 .dst = send ? op->peer : t->rank,
                 .tag = op->tag,
                 .handle = ++rank->handles};
    g_array_append_val(rank->pending, p);
    return p.handle;
}

/* send, recv, isend, irecv: PEER TAG SIZE [TYPE], or of old PEER SIZE. */
static gboolean on_message(Ti *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    gboolean skip, old = t->words->len == 2;
    if (!get_peer(t, 0, &op.peer, &skip) || (!old && !get_tag(t, 1, &op.tag)) ||
        !get_bytes(t, old ? 1 : 2, 3, &op.bytes))
        return FALSE;
    gboolean sends = call == DN_CALL_SEND || call == DN_CALL_ISEND;
    if (sends && !skip && (op.peer == DN_ANY || op.tag == DN_ANY || op.bytes < 0))
        return dn_trace_error(t->sink, t->rank, t->line, t->error,
                              "%s without a receiver, a tag or a size", t->action);
    if (skip)
        return TRUE;
    if (call == DN_CALL_ISEND || call == DN_CALL_IRECV)
        op.request = new_pending(t, &op);
    return ti_add(t, &op);
}

static gboolean on_sendrecv(Ti *t, DnCall call)
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

static Pending *find_pending(Rank *rank, guint32 src, guint32 dst, guint32 tag)
{
    while (rank->first < rank->pending->len &&
           g_array_index(rank->pending, Pending, rank->first).handle == 0)
        rank->first++;
    if (rank->first == rank->pending->len) {
        g_array_set_size(rank->pending, 0);
        rank->first = 0;
    }
    for (guint i = rank->first; i < rank->pending->len; i++) {
        Pending *p = &g_array_index(rank->pending, Pending, i);
        if (p->handle != 0 && ti_agrees(p->src, src) && ti_agrees(p->dst, dst) &&
            ti_agrees(p->tag, tag))
            return p;
    }
    return NULL;
}

static Pending *newest_pending(Rank *rank)
{
    for (guint i = rank->pending->len; i-- > rank->first;)
        if (g_array_index(rank->pending, Pending, i).handle != 0)
            return &g_array_index(rank->pending, Pending, i);
    return NULL;
}

/* wait [SRC DST TAG]; test is recorded whether it found something or not: it ends nothing here,
 * as the wait that follows does. A wait for nothing is one whose request a test ended. */
static gboolean on_wait(Ti *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    Pending *p = NULL;
    guint32 src, dst, tag;
    gboolean skip;
    if (t->words->len > 0) {
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
        gint64 handle = (gint64)p->handle;
        p->handle = 0;
        g_array_append_val(t->list, handle);
    }
    return ti_add(t, &op);
}

static gboolean on_waitall(Ti *t, DnCall call)
{
    Rank *rank = rank_of(t);
    for (guint i = rank->first; i < rank->pending->len; i++) {
        gint64 handle = (gint64)g_array_index(rank->pending, Pending, i).handle;
        if (handle != 0)
            g_array_append_val(t->list, handle);
    }
    g_array_set_size(rank->pending, 0);
    rank->first = 0;
    return on_plain(t, call);
}

/* bcast SIZE [ROOT [TYPE]] */
static gboolean on_bcast(Ti *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    return get_bytes(t, 0, 2, &op.bytes) && get_root(t, 1, &op.root) && ti_add(t, &op);
}

/* reduce SIZE FLOPS [ROOT [TYPE]]; allreduce, scan, exscan SIZE FLOPS [TYPE] */
static gboolean on_reduce(Ti *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    gboolean rooted = call == DN_CALL_REDUCE;
    return get_bytes(t, 0, rooted ? 3 : 2, &op.bytes) &&
           get_flops(t, 1, PS_PER_FLOP, &op.duration_ps) && (!rooted || get_root(t, 2, &op.root)) &&
           ti_add(t, &op);
}

/* gather, scatter SEND RECV [ROOT [TYPE TYPE]]; allgather, alltoall SEND RECV [TYPE TYPE]. A block
 * is what a rank sends, of a scatter what it receives. */
static gboolean on_blocks(Ti *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    guint rooted = call == DN_CALL_GATHER || call == DN_CALL_SCATTER;
    gboolean by_recv = call == DN_CALL_SCATTER;
    gint64 unused;
    return get_bytes(t, by_recv, 2 + rooted + by_recv, &op.bytes) &&
           get_bytes(t, !by_recv, 2 + rooted + !by_recv, &unused) &&
           (!rooted || get_root(t, 2, &op.root)) && ti_add(t, &op);
}

/* gatherv SEND COUNTS [ROOT [TYPE TYPE]]; scatterv COUNTS RECV [ROOT [TYPE TYPE]] */
static gboolean on_rooted_v(Ti *t, DnCall call)
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
static gboolean on_allgatherv(Ti *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    guint more = t->words->len > t->n + 1 ? t->words->len - t->n - 1 : 0;
    gboolean typed = more <= 2 || more == t->n + 2;
    gint64 unit;
    return get_unit(t, typed ? t->n + 2 : t->words->len, &unit) && get_counts(t, 1, unit) &&
           ti_add(t, &op);
}

/* alltoallv BUFFER TO_COUNTS BUFFER FROM_COUNTS [TYPE TYPE] */
static gboolean on_alltoallv(Ti *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    gint64 send_unit, recv_unit;
    return get_unit(t, 2 + 2 * t->n, &send_unit) && get_unit(t, 3 + 2 * t->n, &recv_unit) &&
           get_counts(t, 1, send_unit) && get_counts(t, 2 + t->n, recv_unit) && ti_add(t, &op);
}

/* reducescatter COUNTS FLOPS [TYPE] */
static gboolean on_reducescatter(Ti *t, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    gint64 unit;
    return get_unit(t, t->n + 1, &unit) && get_counts(t, 0, unit) &&
           get_flops(t, t->n, PS_PER_FLOP, &op.duration_ps) && ti_add(t, &op);
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

/* Place in actions[]; -1: none. */
static int find_action(const char *word)
{
    char first = g_ascii_tolower(*word);
    for (guint i = 0; i < G_N_ELEMENTS(actions); i++)
        if (actions[i].name[0] == first && g_ascii_strcasecmp(actions[i].name, word) == 0)
            return (int)i;
    return -1;
}

static gboolean unknown_action(Ti *t)
{
    const char *names[G_N_ELEMENTS(actions) + 1] = {0};
    for (guint i = 0; i < G_N_ELEMENTS(actions); i++)
        names[i] = actions[i].name;
    g_autofree char *shown = dn_quote(t->action), *tail = dn_suggest(t->action, names, "known");
    return dn_trace_error(t->sink, t->rank, t->line, t->error, "unknown action %s%s", shown, tail);
}

/* ---- lines ---- */

/* The next word of *@rest, ended in place; NULL: none. */
static char *next_word(char **rest)
{
    char *s = *rest;
    while (*s == ' ' || *s == '\t')
        s++;
    if (*s == '\0')
        return NULL;
    char *end = s;
    while (*end != '\0' && *end != ' ' && *end != '\t')
        end++;
    *rest = end;
    if (*end != '\0')
        *(*rest)++ = '\0';
    return s;
}

/* "12", or of old "p12". */
static gboolean parse_rank(const char *word, guint32 *rank)
{
    guint64 value = 0;
    word += *word == 'p';
    if (!g_ascii_isdigit(*word))
        return FALSE;
    for (; g_ascii_isdigit(*word) && value < G_MAXUINT32; word++)
        value = value * 10 + (guint64)(*word - '0');
    *rank = (guint32)value;
    return *word == '\0' && value < G_MAXUINT32;
}

static gboolean read_rank(Ti *t, const char *word)
{
    t->rank = t->only == DN_ANY ? 0 : t->only;
    guint32 rank;
    if (!parse_rank(word, &rank)) {
        g_autofree char *shown = dn_quote(word);
        return dn_trace_error(t->sink, t->rank, t->line, t->error,
                              "%s is no rank; lines are RANK ACTION ARGUMENTS", shown);
    }
    if (t->only != DN_ANY && rank != t->only)
        return dn_trace_error(t->sink, t->rank, t->line, t->error,
                              "an action of rank %u in the file of rank %u", rank, t->only);
    if (rank >= t->n)
        return dn_trace_error(t->sink, t->rank, t->line, t->error, "rank %u; there are %u", rank,
                              t->n);
    t->rank = rank;
    return TRUE;
}

static gboolean read_line(Ti *t, char *text)
{
    char *word = next_word(&text);
    if (!word || *word == '#')
        return TRUE;
    if (!read_rank(t, word))
        return FALSE;
    t->action = next_word(&text);
    if (!t->action)
        return dn_trace_error(t->sink, t->rank, t->line, t->error, "a rank without an action");
    g_ptr_array_set_size(t->words, 0);
    g_array_set_size(t->list, 0);
    while ((word = next_word(&text)) != NULL)
        g_ptr_array_add(t->words, word);
    int i = find_action(t->action);
    if (i < 0)
        return unknown_action(t);
    if (t->words->len < actions[i].words)
        return dn_trace_error(t->sink, t->rank, t->line, t->error,
                              "%s has %u arguments; at least %u are needed", t->action,
                              t->words->len, actions[i].words);
    return actions[i].run(t, actions[i].call);
}

static gboolean has_zero_byte(const char *line, gsize length)
{
    return memchr(line, 0, length) != NULL;
}

static gboolean read_file(Ti *t, const char *path)
{
    gsize length;
    char *line;
    g_autoptr(DnInput) input = dn_input_open(path, t->error);
    if (!input)
        return FALSE;
    while ((line = dn_input_line(input, &length, &t->line)) != NULL) {
        if (has_zero_byte(line, length))
            return dn_trace_error(t->sink, t->only == DN_ANY ? 0 : t->only, t->line, t->error,
                                  "a zero byte; wanted: text");
        if (!read_line(t, line))
            return FALSE;
    }
    return dn_input_good(input, t->error);
}

/* ---- files ---- */

/* How many ranks a file of all has: the greatest of its first words. */
static gboolean count_ranks(Ti *t, const char *path)
{
    gsize length;
    char *line;
    guint32 rank;
    guint64 number = 0, line_of_last = 0;
    g_autoptr(DnInput) input = dn_input_open(path, t->error);
    if (!input)
        return FALSE;
    while ((line = dn_input_line(input, &length, &number)) != NULL) {
        const char *word = next_word(&line);
        if (!word || !parse_rank(word, &rank) || rank < t->n)
            continue;
        t->n = rank + 1;
        line_of_last = number;
    }
    if (t->n > number) /* each rank does something, if only init */
        return dn_trace_error(t->sink, 0, line_of_last, t->error,
                              "rank %u in a file of %" G_GUINT64_FORMAT " lines", t->n - 1, number);
    return dn_input_good(input, t->error);
}

static char *ti_sibling(const char *list, const char *name)
{
    g_autofree char *folder = g_path_get_dirname(list);
    char *path = g_path_is_absolute(name) ? g_strdup(name) : g_build_filename(folder, name, NULL);
    if (g_file_test(path, G_FILE_TEST_EXISTS) || !g_file_test(name, G_FILE_TEST_EXISTS))
        return path;
    g_free(path);
    return g_strdup(name); /* SimGrid takes names from the current folder */
}

static gboolean is_action_line(const char *text)
{
    g_autofree char *copy = g_strdup(text);
    char *rest = copy, *first = next_word(&rest), *second = first ? next_word(&rest) : NULL;
    guint32 rank;
    return second && parse_rank(first, &rank) && find_action(second) >= 0;
}

/* The first line with something on it. */
static char *first_line(const guint8 *head, gsize n)
{
    g_autofree char *text = g_strndup((const char *)head, n);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i]; i++) {
        g_strstrip(lines[i]);
        if (*lines[i] && *lines[i] != '#')
            return g_strdup(lines[i]);
    }
    return NULL;
}

static gboolean ti_recognise(const char *path, const guint8 *head, gsize n)
{
    if (!head || memchr(head, 0, n))
        return FALSE;
    g_autofree char *line = first_line(head, n);
    if (!line)
        return FALSE;
    if (is_action_line(line))
        return TRUE;
    g_autofree char *file = ti_sibling(path, line);
    g_autoptr(DnInput) input = strcmp(file, path) == 0 ? NULL : dn_input_open(file, NULL);
    gsize have = 0;
    const guint8 *bytes = input ? dn_input_peek(input, 4096, &have) : NULL;
    g_autofree char *there = bytes && !memchr(bytes, 0, have) ? first_line(bytes, have) : NULL;
    return there && is_action_line(there);
}

/* (transfer full): the files a list names; NULL with no error: @path is no list. */
static GPtrArray *read_list(const char *path, gboolean *is_list, GError **error)
{
    gsize length;
    char *line;
    guint64 number;
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(DnInput) input = dn_input_open(path, error);
    if (!input)
        return NULL;
    *is_list = TRUE;
    while ((line = dn_input_line(input, &length, &number)) != NULL) {
        char *name = g_strstrip(line);
        if (*name == '\0' || *name == '#')
            continue;
        if (files->len == 0 && is_action_line(name)) {
            *is_list = FALSE;
            return g_steal_pointer(&files);
        }
        g_autofree char *file = ti_sibling(path, name);
        if (!g_file_test(file, G_FILE_TEST_IS_REGULAR)) {
            g_autofree char *shown = dn_quote(name);
            g_set_error(error, DN_ERROR, DN_ERROR_FILE,
                        "%s:%" G_GUINT64_FORMAT
                        ": %s is neither an action (RANK ACTION ...) nor a file",
                        path, number, shown);
            return NULL;
        }
        g_ptr_array_add(files, g_steal_pointer(&file));
    }
    return dn_input_good(input, error) ? g_steal_pointer(&files) : NULL;
}

static gboolean start_ranks(Ti *t)
{
    if (!dn_trace_sink_ranks(t->sink, t->n, t->error))
        return FALSE;
    g_array_set_size(t->ranks, t->n);
    for (guint32 r = 0; r < t->n; r++)
        g_array_index(t->ranks, Rank, r) =
            (Rank){.pending = g_array_new(FALSE, FALSE, sizeof(Pending)), .unit_bytes = 1};
    return TRUE;
}

static gboolean read_files(Ti *t, const char *path)
{
    gboolean is_list;
    g_autoptr(GPtrArray) files = read_list(path, &is_list, t->error);
    if (!files)
        return FALSE;
    if (!is_list || files->len == 1) {
        const char *file = is_list ? g_ptr_array_index(files, 0) : path;
        dn_trace_sink_file(t->sink, DN_ANY, file);
        return count_ranks(t, file) && start_ranks(t) && read_file(t, file);
    }
    t->n = files->len;
    if (!start_ranks(t))
        return FALSE;
    for (t->only = 0; t->only < t->n; t->only++) {
        dn_trace_sink_file(t->sink, t->only, g_ptr_array_index(files, t->only));
        if (!read_file(t, g_ptr_array_index(files, t->only)))
            return FALSE;
    }
    return TRUE;
}

static gboolean ti_read(const char *path, DnTraceSink *sink, GError **error)
{
    Ti t = {.sink = sink, .error = error, .only = DN_ANY};
    t.ranks = g_array_new(FALSE, TRUE, sizeof(Rank));
    g_array_set_clear_func(t.ranks, rank_clear);
    t.words = g_ptr_array_new();
    t.list = g_array_new(FALSE, FALSE, sizeof(gint64));
    gboolean ok = read_files(&t, path);
    g_array_unref(t.ranks);
    g_ptr_array_unref(t.words);
    g_array_unref(t.list);
    return ok;
}

extern const DnTraceReader dn_trace_ti;
const DnTraceReader dn_trace_ti = {
    .name = "ti",
    .limits = "the format does not say which communicator a call is on, so comm_split and the like "
              "are passed over and all is on MPI_COMM_WORLD, as in SimGrid itself",
    .source = "SimGrid, src/smpi/internals/smpi_replay.cpp; Desprez, Markomanolis, Quinson, Suter, "
              "Assessing the Performance of MPI Applications Through Time-Independent Trace "
              "Replay, PSTI 2011",
    .flops = TRUE,
    .unit = "line",
    .recognise = ti_recognise,
    .read = ti_read,
};
