/* chakra.c - Chakra execution traces: for each rank a file PREFIX.RANK.et of protobuf messages.
 *
 * Each message has its length before it (a varint): first the metadata, then nodes (et_def.proto):
 * id 1, name 2, type 3, control and data dependencies 4 and 5, duration in microseconds 7,
 * attributes 10 (name 1, value in the field of its type). Compute and memory nodes take their
 * duration, or where that is 0 `num_ops` at 1 Tflop/s as read (compute_scale mends it); those with
 * is_cpu_op go one after the other, and so do the others. comm_size is a rank's share of an
 * all_gather, else its whole buffer, as ASTRA-sim takes it.
 * pg_name is the process group of a collective (chakra_groups.h); without one, or "0", all ranks.
 * As PyTorch writes them (schema 1.0.1): a communication of the host (is_cpu_op) without comm_size
 * is the launch of the kernel's node, which has one; ctrl_deps may name nodes that the converter
 * has dropped. Collectives of one group go one after another.
 */
#include <string.h>

#include "trace/chakra_groups.h"
#include "trace/chakra_node.h"
#include "trace/dag.h"
#include "trace/input.h"
#include "trace/store.h"

#define LONGEST_NODE (64u << 20)

typedef struct {
    DnDag dag;
    DnTraceSink *sink;
    GError **error;
    guint32 rank, ranks;
    guint64 at;       /* of the node at hand */
    GArray *deps;     /* DnChakraDependency, of the node at hand */
    GArray *pending;  /* Pending, of the rank */
    GArray *grouped;  /* Grouped, of the rank */
    GHashTable *ids;  /* guint64 * -> number + 1 */
    GHashTable *last; /* guint32 handle -> number + 1 of the communicator's last collective */
    /* Of all ranks: what is not a call, dependencies on none, ranks whose collectives have no
     * order. */
    guint launches, dropped, unordered;
    GByteArray *node; /* its bytes */
    DnChakraGroups *groups;
} Chakra;

typedef struct {
    guint64 id; /* waited for */
    guint32 op;
    guint64 at;
    gboolean control;
} Pending;

/* A collective of a group, which is looked up when all nodes of the rank are read. */
typedef struct {
    char *name;
    guint32 op;
    guint64 at;
} Grouped;

static void grouped_clear(gpointer grouped)
{
    g_free(((Grouped *)grouped)->name);
}

static gboolean chakra_fail(Chakra *c, const char *what)
{
    return dn_trace_error(c->sink, c->rank, c->at, c->error, "%s", what);
}

/* ---- what a node does ---- */

/* Divides the size of a whole buffer into the block of each of @ranks, where the call counts
 * blocks. */
static void chakra_share(DnTraceOp *op, guint32 ranks)
{
    if (op->call == DN_CALL_ALLTOALL || op->call == DN_CALL_SCATTER)
        op->bytes /= ranks;
}

static gboolean lower_collective(Chakra *c, const DnChakraNode *node, DnTraceOp *op)
{
    static const guint8 calls[] = {DN_CALL_ALLREDUCE,
                                   DN_CALL_REDUCE,
                                   DN_CALL_ALLGATHER,
                                   DN_CALL_GATHER,
                                   DN_CALL_SCATTER,
                                   DN_CALL_BCAST,
                                   DN_CALL_ALLTOALL,
                                   DN_CALL_REDUCE_SCATTER_BLOCK,
                                   DN_CALL_REDUCE_SCATTER_BLOCK,
                                   DN_CALL_BARRIER};
    if (node->comm_type < 0 || node->comm_type >= (gint64)G_N_ELEMENTS(calls))
        return chakra_fail(c, "a collective whose comm_type is not one of 0 to 9");
    if (node->root < 0 || node->root >= c->ranks)
        return chakra_fail(c, "a collective whose root is no rank");
    op->call = calls[node->comm_type];
    op->root = (guint32)node->root;
    op->bytes = op->call == DN_CALL_BARRIER ? 0 : node->comm_size;
    if (node->group.at == node->group.end)
        chakra_share(op, c->ranks);
    return TRUE;
}

static gboolean lower_message(Chakra *c, const DnChakraNode *node, DnTraceOp *op)
{
    gint64 peer = node->type == DN_CHAKRA_SEND ? node->dst : node->src;
    if (peer < 0 || peer >= c->ranks)
        return chakra_fail(c, node->type == DN_CHAKRA_SEND ? "a send whose comm_dst is no rank"
                                                           : "a receive whose comm_src is no rank");
    if (node->tag < 0 || node->tag > G_MAXINT32)
        return chakra_fail(c, "a comm_tag outside 0 to 2^31 - 1");
    op->call = node->type == DN_CHAKRA_SEND ? DN_CALL_ISEND : DN_CALL_IRECV;
    op->peer = (guint32)peer;
    op->tag = (guint32)node->tag;
    op->bytes = node->comm_size;
    return TRUE;
}

/* PyTorch's node of the host for a communication: the kernel's node, which has the size, is the
 * communication itself. */
static gboolean is_launch(const DnChakraNode *node)
{
    return node->type >= DN_CHAKRA_SEND && node->type <= DN_CHAKRA_COLLECTIVE && node->cpu_op &&
           node->comm_size < 0 && node->comm_type != 9;
}

static gboolean lower_node(Chakra *c, const DnChakraNode *node, DnTraceOp *op)
{
    *op = (DnTraceOp){.call = DN_CALL_COMPUTE, .cpu = !node->cpu_op, .at = c->at};
    if (is_launch(node)) {
        c->launches++;
        op->duration_ps = (gint64)MIN(node->duration_us, (guint64)9e9) * 1000000;
        return TRUE;
    }
    gboolean sized = node->type >= DN_CHAKRA_SEND && node->comm_type != 9;
    if (sized && (node->comm_size < 0 || node->comm_size > (gint64)1 << 50))
        return chakra_fail(c, "a communication without a comm_size of 0 to 2^50");
    switch (node->type) {
    case DN_CHAKRA_SEND:
    case DN_CHAKRA_RECV:
        return lower_message(c, node, op);
    case DN_CHAKRA_COLLECTIVE:
        return lower_collective(c, node, op);
    case DN_CHAKRA_METADATA:
    case DN_CHAKRA_MEM_LOAD:
    case DN_CHAKRA_MEM_STORE:
    case DN_CHAKRA_COMP:
        if (node->duration_us > (guint64)9e9 || node->num_ops > (guint64)9e15)
            return chakra_fail(c, "a duration above 9,000 s");
        op->duration_ps = node->duration_us > 0 ? (gint64)node->duration_us * 1000000
                                                : (gint64)node->num_ops;
        return TRUE;
    default:
        return chakra_fail(c, "a node of a type outside 1 to 7");
    }
}

static gboolean add_node(Chakra *c, DnChakraBytes bytes)
{
    DnChakraNode node;
    DnTraceOp op;
    if (!dn_chakra_node_read(bytes, &node, c->deps))
        return chakra_fail(c, "a node whose fields do not fit its length");
    if (!lower_node(c, &node, &op))
        return FALSE;
    if (g_hash_table_contains(c->ids, &node.id))
        return chakra_fail(c, "two nodes of one id");
    if (node.type == DN_CHAKRA_METADATA && node.inputs.at &&
        !dn_chakra_groups_read(c->groups, (const char *)node.inputs.at,
                               (gsize)(node.inputs.end - node.inputs.at)))
        return chakra_fail(
            c, "a list of process groups that is no JSON, or of ranks that are not there");
    guint32 number = dn_dag_add(&c->dag, &op);
    if (node.type == DN_CHAKRA_COLLECTIVE && !is_launch(&node) && node.group.at != node.group.end) {
        Grouped grouped = {
            g_strndup((const char *)node.group.at, (gsize)(node.group.end - node.group.at)), number,
            c->at};
        g_array_append_val(c->grouped, grouped);
    }
    g_hash_table_insert(c->ids, g_memdup2(&node.id, sizeof node.id), GUINT_TO_POINTER(number + 1));
    for (guint i = 0; i < c->deps->len; i++) {
        const DnChakraDependency *dep = &g_array_index(c->deps, DnChakraDependency, i);
        Pending p = {dep->id, number, c->at, dep->control};
        g_array_append_val(c->pending, p);
    }
    return TRUE;
}

/* ---- files ---- */

/* The next message into c->node; FALSE: the end (no error) or damage (*ok FALSE). */
static gboolean next_message(Chakra *c, DnInput *input, gboolean *ok)
{
    gsize have;
    c->at = dn_input_at(input);
    const guint8 *head = dn_input_peek(input, 10, &have);
    DnChakraBytes b = {head, head + have, TRUE};
    *ok = dn_input_good(input, c->error);
    if (have == 0 || !*ok)
        return FALSE;
    guint64 n = dn_chakra_varint(&b);
    *ok = (b.ok && n <= LONGEST_NODE) ||
          chakra_fail(c, "a message's length that is none below 64 MiB");
    if (!*ok)
        return FALSE;
    dn_input_skip(input, (gsize)(b.at - head));
    g_byte_array_set_size(c->node, 0);
    while (n > 0) {
        const guint8 *bytes = dn_input_peek(input, (gsize)MIN(n, DN_INPUT_PEEK), &have);
        if (have == 0)
            return *ok = dn_input_good(input, c->error) && chakra_fail(c, "a message cut short");
        g_byte_array_append(c->node, bytes, (guint)have);
        dn_input_skip(input, have);
        n -= have;
    }
    return TRUE;
}

static gboolean add_edges(Chakra *c)
{
    for (guint i = 0; i < c->pending->len; i++) {
        const Pending *p = &g_array_index(c->pending, Pending, i);
        gpointer found = g_hash_table_lookup(c->ids, &p->id);
        c->at = p->at;
        if (!found && !p->control)
            return chakra_fail(c, "a node whose data_deps name one that is not there");
        if (!found) {
            c->dropped++;
            continue;
        }
        dn_dag_edge(&c->dag, GPOINTER_TO_UINT(found) - 1, p->op, FALSE);
    }
    return TRUE;
}

/* Of the rank. */
static guint count_collectives(const Chakra *c)
{
    guint n = 0;
    for (guint i = 0; i < c->dag.ops->len; i++)
        n += dn_call_is_collective(g_array_index(c->dag.ops, DnTraceOp, i).call);
    return n;
}

/* NCCL's collectives of one communicator go one after another on its stream, in the order of the
 * file, if that is one in which they can. */
static void chain_collectives(Chakra *c)
{
    for (guint i = 0; i < c->pending->len; i++) {
        const Pending *p = &g_array_index(c->pending, Pending, i);
        gpointer found = g_hash_table_lookup(c->ids, &p->id);
        if (found && GPOINTER_TO_UINT(found) - 1 > p->op) {
            c->unordered += count_collectives(c) > 1;
            return;
        }
    }
    g_hash_table_remove_all(c->last);
    for (guint i = 0; i < c->dag.ops->len; i++) {
        const DnTraceOp *op = &g_array_index(c->dag.ops, DnTraceOp, i);
        if (!dn_call_is_collective(op->call))
            continue;
        gpointer comm = GUINT_TO_POINTER(op->comm), before = g_hash_table_lookup(c->last, comm);
        if (before)
            dn_dag_edge(&c->dag, GPOINTER_TO_UINT(before) - 1, i, FALSE);
        g_hash_table_insert(c->last, comm, GUINT_TO_POINTER(i + 1));
    }
}

static void note_ignored(const Chakra *c)
{
    if (c->launches > 0)
        dn_trace_note(c->sink,
                      "%u communications of the host without a comm_size are launches: the "
                      "kernels' nodes are the calls",
                      c->launches);
    if (c->dropped > 0)
        dn_trace_note(c->sink, "%u ctrl_deps name nodes that are not there", c->dropped);
    if (c->unordered > 0)
        dn_trace_note(
            c->sink,
            "on %u ranks a node waits for one that stands later, so that collectives of a "
            "group do not go one after another there",
            c->unordered);
}

static gboolean find_group(Chakra *c, const Grouped *grouped, const DnChakraGroup **group)
{
    c->at = grouped->at;
    *group = dn_chakra_groups_find(c->groups, grouped->name, strlen(grouped->name));
    g_autofree char *name = g_utf8_make_valid(grouped->name, -1);
    if (!*group) {
        g_autofree char *place = dn_chakra_groups_place(c->groups);
        return dn_trace_error(c->sink, c->rank, c->at, c->error,
                              "a collective of the process group '%s', which no metadata node "
                              "lists and no file (%s)",
                              name, place);
    }
    return dn_chakra_group_has(*group, c->rank) ||
           dn_trace_error(c->sink, c->rank, c->at, c->error,
                          "a collective of the process group '%s', in which rank %u is not", name,
                          c->rank);
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(((const Grouped *)a)->name, ((const Grouped *)b)->name);
}

/* The groups that the rank uses become communicators, in the order of their names: so ranks agree
 * on which is which where two groups are of the same ranks. */
static gboolean resolve_groups(Chakra *c)
{
    const DnChakraGroup *last = NULL, *group;
    g_array_sort(c->grouped, by_name);
    for (guint i = 0; i < c->grouped->len; i++) {
        const Grouped *grouped = &g_array_index(c->grouped, Grouped, i);
        DnTraceOp *op = &g_array_index(c->dag.ops, DnTraceOp, grouped->op);
        if (!find_group(c, grouped, &group))
            return FALSE;
        if (group != last && !dn_trace_sink_comm(c->sink, c->rank, group->handle, group->ranks,
                                                 group->n, c->at, c->error))
            return FALSE;
        last = group;
        op->comm = group->handle;
        chakra_share(op, group->n);
    }
    return TRUE;
}

static gboolean read_file(Chakra *c, const char *path)
{
    gboolean ok;
    guint64 n = 0;
    g_autoptr(DnInput) input = dn_input_open(path, c->error);
    if (!input)
        return FALSE;
    dn_trace_sink_file(c->sink, c->rank, path);
    dn_dag_begin(&c->dag, c->rank);
    g_hash_table_remove_all(c->ids);
    g_array_set_size(c->pending, 0);
    g_array_set_size(c->grouped, 0);
    dn_chakra_groups_forget(c->groups);
    for (; next_message(c, input, &ok); n++) {
        const guint8 *first = c->node->len > 0 ? c->node->data : (const guint8 *)"";
        DnChakraBytes bytes = {first, first + c->node->len, TRUE};
        if (n > 0 && !add_node(c, bytes)) /* the first is the metadata */
            return FALSE;
    }
    if (ok && n == 0)
        return chakra_fail(c, "an empty file");
    if (!ok || !resolve_groups(c) || !add_edges(c))
        return FALSE;
    chain_collectives(c);
    return dn_dag_end(&c->dag);
}

/* PREFIX of PREFIX.NUMBER.et, packed or not; NULL: not so named. */
static char *prefix_of(const char *path)
{
    g_autoptr(GRegex) regex = g_regex_new("^(.*)\\.[0-9]+\\.et(\\.gz|\\.zst)?$", 0, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    return g_regex_match(regex, path, 0, &match) ? g_match_info_fetch(match, 1) : NULL;
}

static char *rank_file(const char *prefix, guint32 rank)
{
    static const char *const packed[] = {"", ".gz", ".zst"};
    for (guint i = 0; i < G_N_ELEMENTS(packed); i++) {
        char *path = g_strdup_printf("%s.%u.et%s", prefix, rank, packed[i]);
        if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
            return path;
        g_free(path);
    }
    return NULL;
}

static guint32 count_files(const char *prefix)
{
    for (guint32 n = 0;; n++) {
        g_autofree char *file = rank_file(prefix, n);
        if (!file)
            return n;
    }
}

static gboolean read_files(Chakra *c, const char *prefix)
{
    for (c->rank = 0; c->rank < c->ranks; c->rank++) {
        g_autofree char *file = rank_file(prefix, c->rank);
        if (!file || !read_file(c, file))
            return FALSE;
    }
    return TRUE;
}

static gboolean chakra_read(const char *path, DnTraceSink *sink, GError **error)
{
    Chakra c = {.sink = sink, .error = error};
    g_autofree char *prefix = prefix_of(path);
    c.ranks = prefix ? count_files(prefix) : 0;
    if (c.ranks == 0) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE,
                    "%s: not named PREFIX.0.et, nor does that file stand beside it", path);
        return FALSE;
    }
    if (!dn_trace_sink_ranks(sink, c.ranks, error))
        return FALSE;
    g_autoptr(DnChakraGroups) groups = dn_chakra_groups_new(prefix, c.ranks, error);
    if (!groups)
        return FALSE;
    c.groups = groups;
    dn_dag_init(&c.dag, sink, error);
    c.deps = g_array_new(FALSE, FALSE, sizeof(DnChakraDependency));
    c.pending = g_array_new(FALSE, FALSE, sizeof(Pending));
    c.grouped = g_array_new(FALSE, FALSE, sizeof(Grouped));
    g_array_set_clear_func(c.grouped, grouped_clear);
    c.ids = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    c.last = g_hash_table_new(g_direct_hash, g_direct_equal);
    c.node = g_byte_array_new();
    gboolean ok = read_files(&c, prefix);
    note_ignored(&c);
    g_hash_table_unref(c.last);
    dn_dag_clear(&c.dag);
    g_array_unref(c.deps);
    g_array_unref(c.pending);
    g_array_unref(c.grouped);
    g_hash_table_unref(c.ids);
    g_byte_array_unref(c.node);
    return ok;
}

static gboolean chakra_recognise(const char *path, const guint8 *head, gsize n)
{
    g_autofree char *prefix = prefix_of(path);
    return prefix != NULL;
}

extern const DnTraceReader dn_trace_chakra;
const DnTraceReader dn_trace_chakra = {
    .name = "chakra",
    .limits = "messages name ranks of all; inputs, outputs and start times are passed over",
    .source = "MLCommons Chakra, schema/protobuf/et_def.proto; ASTRA-sim 2.0, ISPASS 2023",
    .graph = TRUE,
    .unit = "byte",
    .recognise = chakra_recognise,
    .read = chakra_read,
};
