/* cursor.c - an operation as bytes: the call, then the fields that such a call has, as numbers of
 * seven bits a byte. Numbers that may be -1 or DN_ANY are kept one higher. */
#include "trace/store.h"

enum {
    F_FLAGS = 1,
    F_COMM = 2,
    F_MADE = 4,
    F_PEER = 8, /* and tag */
    F_FROM = 16,
    F_ROOT = 32,
    F_COLOR = 64, /* and key */
    F_BYTES = 128,
    F_RECV_BYTES = 256,
    F_DURATION = 512,
    F_REQUEST = 1024,
    F_LIST = 2048,
};

#define MESSAGE (F_COMM | F_PEER | F_BYTES)
#define COLLECTIVE (F_FLAGS | F_COMM | F_BYTES | F_DURATION | F_REQUEST)

static const guint16 fields[DN_CALLS] = {
    [DN_CALL_COMPUTE] = F_DURATION | F_FLAGS,
    [DN_CALL_SEND] = MESSAGE | F_FLAGS,
    [DN_CALL_RECV] = MESSAGE,
    [DN_CALL_ISEND] = MESSAGE | F_REQUEST | F_FLAGS,
    [DN_CALL_IRECV] = MESSAGE | F_REQUEST,
    [DN_CALL_SENDRECV] = MESSAGE | F_FROM | F_RECV_BYTES,
    [DN_CALL_SEND_INIT] = MESSAGE | F_REQUEST | F_FLAGS,
    [DN_CALL_RECV_INIT] = MESSAGE | F_REQUEST,
    [DN_CALL_START] = F_LIST,
    [DN_CALL_REQUEST_FREE] = F_REQUEST,
    [DN_CALL_WAIT] = F_LIST,
    [DN_CALL_WAITALL] = F_LIST,
    [DN_CALL_WAITANY] = F_LIST,
    [DN_CALL_WAITSOME] = F_LIST,
    [DN_CALL_TEST] = F_LIST,
    [DN_CALL_TESTALL] = F_LIST,
    [DN_CALL_TESTANY] = F_LIST,
    [DN_CALL_TESTSOME] = F_LIST,
    [DN_CALL_PROBE] = F_COMM | F_PEER,
    [DN_CALL_IPROBE] = F_COMM | F_PEER,
    [DN_CALL_BARRIER] = COLLECTIVE,
    [DN_CALL_BCAST] = COLLECTIVE | F_ROOT,
    [DN_CALL_REDUCE] = COLLECTIVE | F_ROOT,
    [DN_CALL_ALLREDUCE] = COLLECTIVE,
    [DN_CALL_SCAN] = COLLECTIVE,
    [DN_CALL_EXSCAN] = COLLECTIVE,
    [DN_CALL_GATHER] = COLLECTIVE | F_ROOT,
    [DN_CALL_SCATTER] = COLLECTIVE | F_ROOT,
    [DN_CALL_ALLGATHER] = COLLECTIVE,
    [DN_CALL_ALLTOALL] = COLLECTIVE,
    [DN_CALL_REDUCE_SCATTER_BLOCK] = COLLECTIVE,
    [DN_CALL_GATHERV] = COLLECTIVE | F_ROOT | F_LIST,
    [DN_CALL_SCATTERV] = COLLECTIVE | F_ROOT | F_LIST,
    [DN_CALL_ALLGATHERV] = COLLECTIVE | F_LIST,
    [DN_CALL_ALLTOALLV] = COLLECTIVE | F_LIST,
    [DN_CALL_ALLTOALLW] = COLLECTIVE | F_LIST,
    [DN_CALL_REDUCE_SCATTER] = COLLECTIVE | F_LIST,
    [DN_CALL_COMM_DUP] = F_COMM | F_MADE,
    [DN_CALL_COMM_SPLIT] = F_COMM | F_MADE | F_COLOR,
    [DN_CALL_COMM_CREATE] = F_COMM | F_MADE | F_LIST,
    [DN_CALL_COMM_GROUP] = F_COMM | F_MADE | F_LIST,
    [DN_CALL_COMM_FREE] = F_COMM,
};

/* Space was made by dn_trace_encode(). */
static inline void cursor_put(GByteArray *record, guint64 value)
{
    guint8 *to = record->data + record->len;
    for (; value > 127; value >>= 7)
        *to++ = (guint8)(value | 128);
    *to++ = (guint8)value;
    record->len = (guint)(to - record->data);
}

static void put_graph(GByteArray *record, const DnTraceOp *op)
{
    cursor_put(record, op->cpu);
    cursor_put(record, op->n_deps);
    for (guint32 i = 0; i < op->n_deps; i++)
        cursor_put(record, (guint64)op->deps[i].op << 1 | (op->deps[i].start != 0));
}

static inline void put_any(GByteArray *record, guint32 value)
{
    cursor_put(record, value + 1);
}

static inline void put_numbers(GByteArray *record, const DnTraceOp *op, guint16 has)
{
    if (has & F_FLAGS)
        cursor_put(record, op->flags);
    if (has & F_COMM)
        cursor_put(record, op->comm);
    if (has & F_MADE)
        put_any(record, op->made);
    if (has & F_PEER) {
        put_any(record, op->peer);
        put_any(record, op->tag);
    }
    if (has & F_FROM) {
        put_any(record, op->from);
        put_any(record, op->from_tag);
    }
    if (has & F_ROOT)
        cursor_put(record, op->root);
    if (has & F_COLOR) {
        put_any(record, op->color);
        cursor_put(record, op->key);
    }
    if (has & F_BYTES)
        cursor_put(record, (guint64)(op->bytes + 1));
    if (has & F_RECV_BYTES)
        cursor_put(record, (guint64)(op->recv_bytes + 1));
    if (has & F_DURATION)
        cursor_put(record, (guint64)op->duration_ps);
    if (has & F_REQUEST)
        cursor_put(record, (guint64)op->request);
}

void dn_trace_encode(GByteArray *record, guint *space, const DnTraceOp *op, guint64 last_at,
                     gboolean graph)
{
    guint16 has = fields[op->call];
    gint64 step = (gint64)(op->at - last_at);
    guint before = record->len, numbers = 20 + op->n_list + op->n_deps;
    if (G_UNLIKELY(before + 10 * numbers > *space)) {
        *space = MAX(before + 10 * numbers, 2 * *space);
        g_byte_array_set_size(record, *space);
        record->len = before;
    }
    cursor_put(record, op->call);
    cursor_put(record, (guint64)step << 1 ^ (step < 0 ? G_MAXUINT64 : 0));
    switch (has) { /* as in dn_trace_cursor_next() */
    case MESSAGE | F_REQUEST:
        put_numbers(record, op, MESSAGE | F_REQUEST);
        break;
    case MESSAGE | F_REQUEST | F_FLAGS:
        put_numbers(record, op, MESSAGE | F_REQUEST | F_FLAGS);
        break;
    default:
        put_numbers(record, op, has);
    }
    if (has & F_LIST) {
        cursor_put(record, op->n_list);
        for (guint32 i = 0; i < op->n_list; i++)
            cursor_put(record, (guint64)op->list[i]);
    }
    if (graph)
        put_graph(record, op);
}

/* ---- reading ---- */

DnTraceCursor *dn_trace_cursor_new(const DnTrace *trace, guint32 rank)
{
    DnTraceCursor *cursor = g_new0(DnTraceCursor, 1);
    dn_trace_cursor_init(cursor, trace, rank);
    return cursor;
}

void dn_trace_cursor_init(DnTraceCursor *cursor, const DnTrace *trace, guint32 rank)
{
    cursor->trace = trace;
    cursor->rank = rank;
    cursor->graph = trace->reader->graph;
    dn_trace_cursor_rewind(cursor);
}

void dn_trace_cursor_rewind(DnTraceCursor *cursor)
{
    cursor->last_at = 0;
    dn_block_cursor_rewind(&cursor->block_store, &cursor->trace->store->block_store, cursor->rank);
}

void dn_trace_cursor_clear(DnTraceCursor *cursor)
{
    dn_block_cursor_clear(&cursor->block_store);
    g_free(cursor->list);
    g_free(cursor->deps);
}

void dn_trace_cursor_free(DnTraceCursor *cursor)
{
    if (!cursor)
        return;
    dn_trace_cursor_clear(cursor);
    g_free(cursor);
}

static void get_list(DnTraceCursor *c, DnTraceOp *op)
{
    op->n_list = (guint32)dn_block_cursor_number(&c->block_store);
    if (op->n_list > c->list_capacity) {
        c->list_capacity = MAX(op->n_list, 2 * c->list_capacity);
        c->list = g_renew(gint64, c->list, c->list_capacity);
    }
    for (guint32 i = 0; i < op->n_list; i++)
        c->list[i] = (gint64)dn_block_cursor_number(&c->block_store);
    op->list = c->list;
}

static void get_graph(DnTraceCursor *c, DnTraceOp *op)
{
    op->cpu = (guint16)dn_block_cursor_number(&c->block_store);
    op->n_deps = (guint32)dn_block_cursor_number(&c->block_store);
    if (op->n_deps > c->deps_capacity) {
        c->deps_capacity = MAX(op->n_deps, 2 * c->deps_capacity);
        c->deps = g_renew(DnTraceDep, c->deps, c->deps_capacity);
    }
    for (guint32 i = 0; i < op->n_deps; i++) {
        guint64 dep = dn_block_cursor_number(&c->block_store);
        c->deps[i] = (DnTraceDep){(guint32)(dep >> 1), dep & 1};
    }
    op->deps = c->deps;
}

static guint32 get_any(DnBlockCursor *block_store)
{
    return (guint32)dn_block_cursor_number(block_store) - 1;
}

/* Reads the fields @has of a call, in the order of put_numbers(). */
static inline void get_numbers(DnTraceCursor *cursor, DnTraceOp *op, guint16 has)
{
    DnBlockCursor *s = &cursor->block_store;
    if (has & F_FLAGS)
        op->flags = (guint8)dn_block_cursor_number(s);
    if (has & F_COMM)
        op->comm = (guint32)dn_block_cursor_number(s);
    if (has & F_MADE)
        op->made = get_any(s);
    if (has & F_PEER) {
        op->peer = get_any(s);
        op->tag = get_any(s);
    }
    if (has & F_FROM) {
        op->from = get_any(s);
        op->from_tag = get_any(s);
    }
    if (has & F_ROOT)
        op->root = (guint32)dn_block_cursor_number(s);
    if (has & F_COLOR) {
        op->color = get_any(s);
        op->key = (guint32)dn_block_cursor_number(s);
    }
    if (has & F_BYTES)
        op->bytes = (gint64)dn_block_cursor_number(s) - 1;
    if (has & F_RECV_BYTES)
        op->recv_bytes = (gint64)dn_block_cursor_number(s) - 1;
    if (has & F_DURATION)
        op->duration_ps = (gint64)dn_block_cursor_number(s);
    if (has & F_REQUEST)
        op->request = dn_block_cursor_number(s);
    if (has & F_LIST)
        get_list(cursor, op);
}

gboolean dn_trace_cursor_next(DnTraceCursor *cursor, DnTraceOp *op)
{
    DnBlockCursor *s = &cursor->block_store;
    if (!dn_block_cursor_more(s))
        return FALSE;
    *op = (DnTraceOp){.call = (guint8)dn_block_cursor_number(s)};
    guint16 has = fields[op->call];
    guint64 step = dn_block_cursor_number(s);
    op->at = cursor->last_at += step >> 1 ^ -(step & 1);
    switch (has) { /* the same for all, without the tests for the most frequent calls */
    case MESSAGE | F_REQUEST:
        get_numbers(cursor, op, MESSAGE | F_REQUEST);
        break;
    case MESSAGE | F_REQUEST | F_FLAGS:
        get_numbers(cursor, op, MESSAGE | F_REQUEST | F_FLAGS);
        break;
    case F_LIST:
        get_list(cursor, op);
        break;
    default:
        get_numbers(cursor, op, has);
    }
    if (cursor->graph)
        get_graph(cursor, op);
    return TRUE;
}
