/* goal_binary.c - GOAL schedules as LogGOPSim's txt2bin writes them.
 *
 * Little-endian, packed: 4223 (64 bits), ranks (32), highest cpu and nic (8 each), for each rank
 * where its part begins and ends (64 each, counted from behind the 4223). A rank's part: operations
 * (32), those without conditions (32) and their numbers (32 each), operations of 39 bytes, then the
 * lists that they point into. An operation: conditions (32), type (8: 1 send, 2 recv, 3 calc), peer
 * (32), size (64: bytes or ns), tag (32), cpu, nic (8 each), how many wait for its end and where in
 * the lists they stand (32 each), and the same of its start. */
#include <string.h>

#include "trace/dag.h"
#include "trace/input.h"

#define MAGIC 4223
#define USED_MAGIC 2342 /* LogGOPSim writes it over a schedule that it has used up */
#define OP_BYTES 39
#define HEAD_BYTES 14

typedef struct {
    DnTraceSink *sink;
    GError **error;
    DnInput *input;
    DnDag dag;
    guint32 rank, ranks;
    GArray *table; /* guint64: begin, end of each rank, from the file's beginning */
    GByteArray *part;
} Goal;

static guint64 goal_binary_number(const guint8 *bytes, guint n)
{
    guint64 value = 0;
    while (n-- > 0)
        value = value << 8 | bytes[n];
    return value;
}

static gboolean goal_binary_fail(Goal *g, guint64 at, const char *what)
{
    return dn_trace_error(g->sink, g->rank, at, g->error, "%s", what);
}

/* @n more bytes at the end of @to. */
static gboolean get_bytes(Goal *g, GByteArray *to, guint64 n)
{
    while (n > 0) {
        gsize have;
        const guint8 *bytes = dn_input_peek(g->input, (gsize)MIN(n, DN_INPUT_PEEK), &have);
        if (have == 0)
            return dn_input_good(g->input, g->error) &&
                   goal_binary_fail(g, dn_input_at(g->input), "the file ends too early");
        g_byte_array_append(to, bytes, (guint)have);
        dn_input_skip(g->input, have);
        n -= have;
    }
    return TRUE;
}

static gboolean read_head(Goal *g)
{
    g_autoptr(GByteArray) head = g_byte_array_new();
    if (!get_bytes(g, head, HEAD_BYTES))
        return FALSE;
    guint64 magic = goal_binary_number(head->data, 8);
    if (magic == USED_MAGIC)
        return goal_binary_fail(g, 0, "a schedule that LogGOPSim has used up (2342 for 4223)");
    if (magic == GUINT64_SWAP_LE_BE((guint64)MAGIC))
        return goal_binary_fail(g, 0, "big-endian; wanted: little-endian");
    if (magic != MAGIC)
        return goal_binary_fail(g, 0, "does not begin with 4223");
    g->ranks = (guint32)goal_binary_number(head->data + 8, 4);
    if (g->ranks == 0 || g->ranks > 1u << 21)
        return goal_binary_fail(g, 8, "a number of ranks outside 1 to 2^21");
    g_byte_array_set_size(head, 0);
    if (!get_bytes(g, head, 16 * (guint64)g->ranks))
        return FALSE;
    for (guint32 i = 0; i < 2 * g->ranks; i++) {
        guint64 at = goal_binary_number(head->data + 8 * (gsize)i, 8) + 8;
        guint64 least = i > 0 ? g_array_index(g->table, guint64, i - 1) : 0;
        if (at < least || at > (guint64)1 << 50)
            return goal_binary_fail(g, HEAD_BYTES + 8 * (guint64)i,
                                    "parts of ranks that overlap or are out of order");
        g_array_append_val(g->table, at);
    }
    return TRUE;
}

/* @count numbers of the lists from @from on wait for @op. */
static gboolean add_edges(Goal *g, guint64 lists, guint32 n, guint32 op, guint32 count,
                          guint32 from, gboolean start, guint64 at)
{
    if (count == 0)
        return TRUE;
    if (lists + 4 * ((guint64)from + count) > g->part->len)
        return goal_binary_fail(g, at, "an operation whose list lies outside its rank's part");
    for (guint32 i = 0; i < count; i++) {
        guint32 after =
            (guint32)goal_binary_number(g->part->data + lists + 4 * ((gsize)from + i), 4);
        if (after >= n)
            return goal_binary_fail(g, at,
                                    "an operation that another one waits for which is not there");
        dn_dag_edge(&g->dag, op, after, start);
    }
    return TRUE;
}

static gboolean add_op(Goal *g, const guint8 *b, guint64 at)
{
    guint32 peer = (guint32)goal_binary_number(b + 5, 4),
            tag = (guint32)goal_binary_number(b + 17, 4);
    guint64 size = goal_binary_number(b + 9, 8);
    DnTraceOp op = {.peer = peer, .tag = tag, .at = at, .cpu = b[21]};
    if (b[4] < 1 || b[4] > 3)
        return goal_binary_fail(
            g, at, "an operation of a type that is not 1 (send), 2 (recv) or 3 (calc)");
    if (size > (b[4] == 3 ? (guint64)9e12 : (guint64)1 << 50))
        return goal_binary_fail(g, at, "an operation of a size above 2^50 B or 9,000 s");
    if (b[4] != 3 && peer >= g->ranks && !(b[4] == 2 && peer == DN_ANY))
        return goal_binary_fail(g, at, "a message to or from a rank that is not there");
    if (b[4] == 1 && tag == DN_ANY)
        return goal_binary_fail(g, at, "a send to any");
    op.call = b[4] == 1 ? DN_CALL_ISEND : b[4] == 2 ? DN_CALL_IRECV : DN_CALL_COMPUTE;
    op.bytes = b[4] == 3 ? 0 : (gint64)size;
    op.duration_ps = b[4] == 3 ? (gint64)size * 1000 : 0;
    dn_dag_add(&g->dag, &op);
    return TRUE;
}

static gboolean read_part(Goal *g, guint64 begin)
{
    const guint8 *data = g->part->data;
    guint64 length = g->part->len;
    if (length < 8)
        return goal_binary_fail(g, begin, "a rank's part of less than 8 bytes");
    guint32 n = (guint32)goal_binary_number(data, 4),
            roots = (guint32)goal_binary_number(data + 4, 4);
    guint64 ops = 8 + 4 * (guint64)roots, lists = ops + OP_BYTES * (guint64)n;
    if (lists > length)
        return goal_binary_fail(g, begin, "a rank of more operations than its part holds");
    dn_dag_begin(&g->dag, g->rank);
    for (guint32 i = 0; i < n; i++)
        if (!add_op(g, data + ops + OP_BYTES * (gsize)i, begin + ops + OP_BYTES * (guint64)i))
            return FALSE;
    for (guint32 i = 0; i < n; i++) {
        const guint8 *b = data + ops + OP_BYTES * (gsize)i;
        guint64 at = begin + ops + OP_BYTES * (guint64)i;
        if (!add_edges(g, lists, n, i, (guint32)goal_binary_number(b + 23, 4),
                       (guint32)goal_binary_number(b + 27, 4), FALSE, at) ||
            !add_edges(g, lists, n, i, (guint32)goal_binary_number(b + 31, 4),
                       (guint32)goal_binary_number(b + 35, 4), TRUE, at))
            return FALSE;
    }
    return dn_dag_end(&g->dag);
}

static gboolean read_ranks(Goal *g)
{
    if (!read_head(g))
        return FALSE;
    for (g->rank = 0; g->rank < g->ranks; g->rank++) {
        guint64 begin = g_array_index(g->table, guint64, 2 * g->rank);
        guint64 end = g_array_index(g->table, guint64, 2 * g->rank + 1);
        guint64 gap = begin - MIN(begin, dn_input_at(g->input));
        g_byte_array_set_size(g->part, 0);
        if (begin < dn_input_at(g->input))
            return goal_binary_fail(g, begin, "a rank's part within the table");
        if (end - begin > G_MAXUINT32 / 2 || gap > G_MAXUINT32 / 2)
            return goal_binary_fail(g, begin, "a rank's part of more than 2 GiB");
        if (!get_bytes(g, g->part, gap))
            return FALSE;
        g_byte_array_set_size(g->part, 0);
        if (!get_bytes(g, g->part, end - begin) || !read_part(g, begin))
            return FALSE;
    }
    g->rank = 0;
    return dn_trace_sink_ranks(g->sink, g->ranks, g->error);
}

static gboolean goal_binary_read(const char *path, DnTraceSink *sink, GError **error)
{
    Goal g = {.sink = sink, .error = error};
    g.input = dn_input_open(path, error);
    if (!g.input)
        return FALSE;
    g.table = g_array_new(FALSE, FALSE, sizeof(guint64));
    g.part = g_byte_array_new();
    dn_dag_init(&g.dag, sink, error);
    gboolean ok = read_ranks(&g);
    dn_dag_clear(&g.dag);
    g_array_unref(g.table);
    g_byte_array_unref(g.part);
    dn_input_free(g.input);
    return ok;
}

static gboolean goal_binary_recognise(const char *path, const guint8 *head, gsize n)
{
    guint64 magic = n >= 8 ? goal_binary_number(head, 8) : 0;
    return magic == MAGIC || magic == USED_MAGIC || magic == GUINT64_SWAP_LE_BE((guint64)MAGIC);
}

extern const DnTraceReader dn_trace_goal_binary;
const DnTraceReader dn_trace_goal_binary = {
    .name = "goal_binary",
    .source = "LogGOPSim, src/LogGOPSim/Parser.hpp",
    .limits = DN_GOAL_LIMITS,
    .graph = TRUE,
    .unit = "byte",
    .recognise = goal_binary_recognise,
    .read = goal_binary_read,
};
