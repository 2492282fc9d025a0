/* dumpi_calls.c - Translation of DUMPI's records to operations.
 *
 * The time from one communication's end to the next one's start is computation. */
#include "trace/dumpi.h"

#define REQUEST_NULL 1

static guint32 comm_of(gint64 comm)
{
    return comm == DN_DUMPI_COMM_WORLD  ? DN_TRACE_WORLD
           : comm == DN_DUMPI_COMM_SELF ? DN_TRACE_SELF
           : comm == DN_DUMPI_COMM_NULL ? DN_TRACE_NO_COMM
                                        : (guint32)comm;
}

/* ---- communication ---- */

static void dumpi_calls_reset(DnDumpi *d)
{
    g_array_set_size(d->list, 0);
}

static gboolean dumpi_calls_add(DnDumpi *d, const DnDumpiRecord *r, DnTraceOp *op)
{
    op->at = r->at;
    op->n_list = d->list->len;
    op->list = (const gint64 *)(gpointer)d->list->data;
    return dn_trace_add(d->sink, d->rank, op, d->error);
}

/* Times of 16 bits of seconds come around after 18 hours. */
static gboolean dumpi_calls_compute(DnDumpi *d, const DnDumpiRecord *r)
{
    static const gint64 around_ns = 65536 * G_GINT64_CONSTANT(1000000000);
    gint64 gap_ns = r->start_ns - d->last_stop_ns;
    gboolean first = d->last_stop_ns < 0 || r->start_ns < 0;
    d->last_stop_ns = r->stop_ns;
    if (gap_ns < -around_ns / 2)
        gap_ns += around_ns;
    DnTraceOp op = {.call = DN_CALL_COMPUTE, .duration_ps = gap_ns * 1000};
    dumpi_calls_reset(d);
    return first || gap_ns <= 0 || dumpi_calls_add(d, r, &op);
}

static guint32 dumpi_calls_any(gint64 rank)
{
    return rank == -1 ? DN_ANY : (guint32)rank;
}

/* Notes whether request @handle, which a call opens, is of a message with MPI_PROC_NULL: such a
 * message is left out, and so are the calls that start, end or free its request. */
static void note_nobody(DnDumpi *d, gint64 handle, gboolean nobody)
{
    if (d->nobody == NULL && nobody)
        d->nobody = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    if (nobody)
        g_hash_table_add(d->nobody, g_memdup2(&handle, sizeof handle));
    else if (d->nobody != NULL)
        g_hash_table_remove(d->nobody, &handle);
}

static gboolean is_of_nobody(const DnDumpi *d, gint64 handle)
{
    return d->nobody != NULL && g_hash_table_contains(d->nobody, &handle);
}

/* count, type, peer, tag, comm [, request]. A peer below -1: MPI_PROC_NULL. */
static gboolean dumpi_calls_message(DnDumpi *d, const DnDumpiRecord *r, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call,
                    .comm = comm_of(dn_dumpi_value(r, 4)),
                    .peer = dumpi_calls_any(dn_dumpi_value(r, 2)),
                    .tag = dumpi_calls_any(dn_dumpi_value(r, 3))};
    gboolean sends = call == DN_CALL_SEND || call == DN_CALL_ISEND || call == DN_CALL_SEND_INIT;
    if (r->n_values > 5)
        note_nobody(d, dn_dumpi_value(r, 5), dn_dumpi_value(r, 2) < -1);
    if (dn_dumpi_value(r, 2) < -1)
        return TRUE;
    if (sends && (op.peer == DN_ANY || op.tag == DN_ANY))
        return dn_trace_error(d->sink, d->rank, r->at, d->error, "a send to any");
    if (call == DN_CALL_RECV && r->n_statuses > 0) {
        op.peer = op.peer == DN_ANY && r->source >= 0 ? (guint32)r->source : op.peer;
        op.tag = op.tag == DN_ANY && r->tag >= 0 ? (guint32)r->tag : op.tag;
    }
    if (r->n_values > 5)
        op.request = (guint64)dn_dumpi_value(r, 5);
    return dn_dumpi_bytes(d, r, dn_dumpi_value(r, 0), dn_dumpi_value(r, 1), &op.bytes) &&
           dumpi_calls_add(d, r, &op);
}

/* count, type, dest, tag, count, type, source, tag, comm; replace: count, type, dest, tag, source,
 * tag, comm */
static gboolean dumpi_calls_sendrecv(DnDumpi *d, const DnDumpiRecord *r, gboolean replace)
{
    guint from = replace ? 4 : 6;
    gint64 dest = dn_dumpi_value(r, 2), source = dn_dumpi_value(r, from);
    DnTraceOp op = {.call = DN_CALL_SENDRECV,
                    .comm = comm_of(dn_dumpi_value(r, from + 2)),
                    .peer = dumpi_calls_any(dest),
                    .tag = dumpi_calls_any(dn_dumpi_value(r, 3)),
                    .from = dumpi_calls_any(source),
                    .from_tag = dumpi_calls_any(dn_dumpi_value(r, from + 1))};
    if (!dn_dumpi_bytes(d, r, dn_dumpi_value(r, 0), dn_dumpi_value(r, 1), &op.bytes) ||
        !dn_dumpi_bytes(d, r, dn_dumpi_value(r, replace ? 0 : 4),
                        dn_dumpi_value(r, replace ? 1 : 5), &op.recv_bytes))
        return FALSE;
    if (dest < -1 && source < -1)
        return TRUE;
    if (r->n_statuses > 0) { /* whose message it was, where the call took any */
        op.from = op.from == DN_ANY && r->source >= 0 ? (guint32)r->source : op.from;
        op.from_tag = op.from_tag == DN_ANY && r->tag >= 0 ? (guint32)r->tag : op.from_tag;
    }
    if (source < -1) {
        op.call = DN_CALL_SEND;
    } else if (dest < -1) {
        op.call = DN_CALL_RECV;
        op.peer = op.from;
        op.tag = op.from_tag;
        op.bytes = op.recv_bytes;
    } else if (op.peer == DN_ANY || op.tag == DN_ANY) {
        return dn_trace_error(d->sink, d->rank, r->at, d->error, "a send to any");
    }
    return dumpi_calls_add(d, r, &op);
}

static void add_request(DnDumpi *d, gint64 request)
{
    if (request != REQUEST_NULL && !is_of_nobody(d, request))
        g_array_append_val(d->list, request);
}

static gboolean wait_one(DnDumpi *d, const DnDumpiRecord *r, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    if (call != DN_CALL_TEST || dn_dumpi_value(r, 1) != 0)
        add_request(d, dn_dumpi_value(r, 0));
    return dumpi_calls_add(d, r, &op);
}

/* count, requests, then: waitany index; testany index, flag; testall flag; some: outcount,
 * indices. */
static gboolean wait_many(DnDumpi *d, const DnDumpiRecord *r, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    const GArray *requests = dn_dumpi_list(r, 0);
    gboolean nothing = (call == DN_CALL_TESTALL && dn_dumpi_value(r, 1) == 0) ||
                       (call == DN_CALL_TESTANY && dn_dumpi_value(r, 2) == 0);
    gboolean all = call == DN_CALL_WAITALL || call == DN_CALL_TESTALL;
    gboolean some = call == DN_CALL_WAITSOME || call == DN_CALL_TESTSOME;
    for (guint i = 0; i < requests->len && !nothing; i++) {
        gboolean hit = all || (!some && dn_dumpi_value(r, 1) == i);
        for (guint k = 0; some && k < dn_dumpi_list(r, 1)->len && !hit; k++)
            hit = g_array_index(dn_dumpi_list(r, 1), gint64, k) == i;
        if (hit)
            add_request(d, g_array_index(requests, gint64, i));
    }
    return dumpi_calls_add(d, r, &op);
}

static gboolean dumpi_calls_start(DnDumpi *d, const DnDumpiRecord *r)
{
    DnTraceOp op = {.call = DN_CALL_START};
    if (r->n_lists == 0)
        add_request(d, dn_dumpi_value(r, 0));
    for (guint i = 0; r->n_lists > 0 && i < dn_dumpi_list(r, 0)->len; i++)
        add_request(d, g_array_index(dn_dumpi_list(r, 0), gint64, i));
    return dumpi_calls_add(d, r, &op);
}

static gboolean dumpi_calls_scaled(DnDumpi *d, const DnDumpiRecord *r, const GArray *counts,
                                   gint64 type)
{
    for (guint i = 0; i < counts->len; i++) {
        gint64 bytes;
        if (!dn_dumpi_bytes(d, r, g_array_index(counts, gint64, i), type, &bytes))
            return FALSE;
        g_array_append_val(d->list, bytes);
    }
    return TRUE;
}

/* Flags: the third number of every reduction is its operation. */
static guint8 dumpi_calls_form(const DnDumpi *d, const DnDumpiRecord *r, DnCall call)
{
    gboolean reduces = call == DN_CALL_REDUCE || call == DN_CALL_ALLREDUCE ||
                       call == DN_CALL_REDUCE_SCATTER || call == DN_CALL_SCAN ||
                       call == DN_CALL_EXSCAN;
    return reduces && dn_dumpi_is_ordered(d, dn_dumpi_value(r, 2)) ? DN_TRACE_ORDERED : 0;
}

/* Which of the numbers are count, type, root (or -1) and communicator. */
static gboolean dumpi_calls_simple(DnDumpi *d, const DnDumpiRecord *r, DnCall call, gint count,
                                   gint root, guint comm)
{
    DnTraceOp op = {.call = (guint8)call,
                    .flags = dumpi_calls_form(d, r, call),
                    .comm = comm_of(dn_dumpi_value(r, comm))};
    if (root >= 0)
        op.root = (guint32)dn_dumpi_value(r, (guint)root);
    return (count < 0 || dn_dumpi_bytes(d, r, dn_dumpi_value(r, (guint)count),
                                        dn_dumpi_value(r, (guint)count + 1), &op.bytes)) &&
           dumpi_calls_add(d, r, &op);
}

/* Lists of counts are the root's alone. */
static gboolean rooted_v(DnDumpi *d, const DnDumpiRecord *r, DnCall call)
{
    gboolean gather = call == DN_CALL_GATHERV;
    guint count = gather ? 2 : 3, root = gather ? 4 : 5;
    DnTraceOp op = {.call = (guint8)call,
                    .root = (guint32)dn_dumpi_value(r, root),
                    .comm = comm_of(dn_dumpi_value(r, root + 1))};
    return dn_dumpi_bytes(d, r, dn_dumpi_value(r, count), dn_dumpi_value(r, count + 1),
                          &op.bytes) &&
           (r->n_lists == 0 ||
            dumpi_calls_scaled(d, r, dn_dumpi_list(r, 0), dn_dumpi_value(r, gather ? 6 : 2))) &&
           dumpi_calls_add(d, r, &op);
}

static gboolean dumpi_calls_alltoallv(DnDumpi *d, const DnDumpiRecord *r)
{
    DnTraceOp op = {.call = DN_CALL_ALLTOALLV, .comm = comm_of(dn_dumpi_value(r, 3))};
    return dumpi_calls_scaled(d, r, dn_dumpi_list(r, 0), dn_dumpi_value(r, 1)) &&
           dumpi_calls_scaled(d, r, dn_dumpi_list(r, 2), dn_dumpi_value(r, 2)) &&
           dumpi_calls_add(d, r, &op);
}

/* Counts, displacements, types; of sends, then of receives. */
static gboolean dumpi_calls_alltoallw(DnDumpi *d, const DnDumpiRecord *r)
{
    DnTraceOp op = {.call = DN_CALL_ALLTOALLW, .comm = comm_of(dn_dumpi_value(r, 1))};
    for (guint half = 0; half < 6; half += 3)
        for (guint i = 0; i < MIN(dn_dumpi_list(r, half)->len, dn_dumpi_list(r, half + 2)->len);
             i++) {
            gint64 bytes;
            if (!dn_dumpi_bytes(d, r, g_array_index(dn_dumpi_list(r, half), gint64, i),
                                g_array_index(dn_dumpi_list(r, half + 2), gint64, i), &bytes))
                return FALSE;
            g_array_append_val(d->list, bytes);
        }
    return dumpi_calls_add(d, r, &op);
}

static gboolean dumpi_calls_counted(DnDumpi *d, const DnDumpiRecord *r, DnCall call, gint64 type,
                                    guint comm)
{
    DnTraceOp op = {.call = (guint8)call,
                    .flags = dumpi_calls_form(d, r, call),
                    .comm = comm_of(dn_dumpi_value(r, comm))};
    return dumpi_calls_scaled(d, r, dn_dumpi_list(r, 0), type) && dumpi_calls_add(d, r, &op);
}

static gboolean dumpi_calls_communicator(DnDumpi *d, const DnDumpiRecord *r)
{
    DnTraceOp op = {.comm = comm_of(dn_dumpi_value(r, 0)),
                    .made = comm_of(dn_dumpi_value(r, r->n_values - 1))};
    const GArray *group;
    switch (r->function) {
    case 84:
        op.call = DN_CALL_COMM_DUP;
        return dumpi_calls_add(d, r, &op);
    case 85:
        op.call = DN_CALL_COMM_CREATE;
        group = dn_dumpi_group(d, dn_dumpi_value(r, 1));
        if (op.comm != DN_TRACE_WORLD || !group)
            return dn_trace_error(d->sink, d->rank, r->at, d->error,
                                  "comm_create of a group that is not known: those are that are "
                                  "made by incl and excl from MPI_COMM_WORLD's");
        g_array_append_vals(d->list, group->data, group->len);
        return dumpi_calls_add(d, r, &op);
    case 86:
        op.call = DN_CALL_COMM_SPLIT;
        op.color = dn_dumpi_value(r, 1) < 0 ? DN_ANY : (guint32)dn_dumpi_value(r, 1);
        op.key = (guint32)dn_dumpi_value(r, 2);
        return dumpi_calls_add(d, r, &op);
    default: /* cart_create: all that are in it, in their order (reorder is not known) */
        op.call = DN_CALL_COMM_SPLIT;
        op.color = op.made == DN_TRACE_NO_COMM ? DN_ANY : 0;
        return dumpi_calls_add(d, r, &op);
    }
}

static gboolean dumpi_calls_plain(DnDumpi *d, const DnDumpiRecord *r, DnCall call)
{
    DnTraceOp op = {.call = (guint8)call};
    if (call == DN_CALL_REQUEST_FREE && is_of_nobody(d, dn_dumpi_value(r, 0)))
        return TRUE;
    if (call == DN_CALL_REQUEST_FREE)
        op.request = (guint64)dn_dumpi_value(r, 0);
    if (call == DN_CALL_COMM_FREE)
        op.comm = comm_of(dn_dumpi_value(r, 0));
    if (call == DN_CALL_PROBE || call == DN_CALL_IPROBE) {
        op.peer = dumpi_calls_any(dn_dumpi_value(r, 0));
        op.tag = dumpi_calls_any(dn_dumpi_value(r, 1));
        op.comm = comm_of(dn_dumpi_value(r, 2));
    }
    return dumpi_calls_add(d, r, &op);
}

/* gather, scatter: rank, count, type, root, communicator; of the root also the other count and
 * type, which hold for it: the first two have no meaning where it passed MPI_IN_PLACE. */
static gboolean dumpi_calls_rooted(DnDumpi *d, const DnDumpiRecord *r, DnCall call)
{
    return dumpi_calls_simple(d, r, call, r->n_values > 5 ? 5 : 1, 3, 4);
}

static gboolean dumpi_calls_collective(DnDumpi *d, const DnDumpiRecord *r)
{
    switch (r->function) {
    case 52:
        return dumpi_calls_simple(d, r, DN_CALL_BARRIER, -1, -1, 0);
    case 53:
        return dumpi_calls_simple(d, r, DN_CALL_BCAST, 0, 2, 3);
    case 54:
        return dumpi_calls_rooted(d, r, DN_CALL_GATHER);
    case 55:
        return rooted_v(d, r, DN_CALL_GATHERV);
    case 56:
        return dumpi_calls_rooted(d, r, DN_CALL_SCATTER);
    case 57:
        return rooted_v(d, r, DN_CALL_SCATTERV);
    case 58: /* by what it receives: MPI_IN_PLACE leaves the count sent without a meaning */
        return dumpi_calls_simple(d, r, DN_CALL_ALLGATHER, 2, -1, 4);
    case 59:
        return dumpi_calls_counted(d, r, DN_CALL_ALLGATHERV, dn_dumpi_value(r, 3), 4);
    case 60:
        return dumpi_calls_simple(d, r, DN_CALL_ALLTOALL, 2, -1, 4);
    case 61:
        return dumpi_calls_alltoallv(d, r);
    case 62:
        return dumpi_calls_simple(d, r, DN_CALL_REDUCE, 0, 3, 4);
    case 65:
        return dumpi_calls_simple(d, r, DN_CALL_ALLREDUCE, 0, -1, 3);
    case 66:
        return dumpi_calls_counted(d, r, DN_CALL_REDUCE_SCATTER, dn_dumpi_value(r, 1), 3);
    case 67:
        return dumpi_calls_simple(d, r, DN_CALL_SCAN, 0, -1, 3);
    case 155:
        return dumpi_calls_alltoallw(d, r);
    default:
        return dumpi_calls_simple(d, r, DN_CALL_EXSCAN, 0, -1, 3);
    }
}

/* ---- which function does what ---- */

typedef enum { OTHER, MESSAGE, ONE, MANY, COLLECTIVE, COMMUNICATOR, PLAIN, START, EXCHANGE } Sort;

static const struct {
    guint16 function;
    guint8 sort, call;
} functions[] = {
    {0, MESSAGE, DN_CALL_SEND},
    {1, MESSAGE, DN_CALL_RECV},
    {3, MESSAGE, DN_CALL_SEND},
    {4, MESSAGE, DN_CALL_SEND},
    {5, MESSAGE, DN_CALL_SEND},
    {8, MESSAGE, DN_CALL_ISEND},
    {9, MESSAGE, DN_CALL_ISEND},
    {10, MESSAGE, DN_CALL_ISEND},
    {11, MESSAGE, DN_CALL_ISEND},
    {12, MESSAGE, DN_CALL_IRECV},
    {26, MESSAGE, DN_CALL_SEND_INIT},
    {27, MESSAGE, DN_CALL_SEND_INIT},
    {28, MESSAGE, DN_CALL_SEND_INIT},
    {29, MESSAGE, DN_CALL_SEND_INIT},
    {30, MESSAGE, DN_CALL_RECV_INIT},
    {13, ONE, DN_CALL_WAIT},
    {14, ONE, DN_CALL_TEST},
    {15, PLAIN, DN_CALL_REQUEST_FREE},
    {16, MANY, DN_CALL_WAITANY},
    {17, MANY, DN_CALL_TESTANY},
    {18, MANY, DN_CALL_WAITALL},
    {19, MANY, DN_CALL_TESTALL},
    {20, MANY, DN_CALL_WAITSOME},
    {21, MANY, DN_CALL_TESTSOME},
    {22, PLAIN, DN_CALL_IPROBE},
    {23, PLAIN, DN_CALL_PROBE},
    {31, START, DN_CALL_START},
    {32, START, DN_CALL_START},
    {33, EXCHANGE, 0},
    {34, EXCHANGE, 1},
    {52, COLLECTIVE, 0},
    {53, COLLECTIVE, 0},
    {54, COLLECTIVE, 0},
    {55, COLLECTIVE, 0},
    {56, COLLECTIVE, 0},
    {57, COLLECTIVE, 0},
    {58, COLLECTIVE, 0},
    {59, COLLECTIVE, 0},
    {60, COLLECTIVE, 0},
    {61, COLLECTIVE, 0},
    {62, COLLECTIVE, 0},
    {65, COLLECTIVE, 0},
    {66, COLLECTIVE, 0},
    {67, COLLECTIVE, 0},
    {155, COLLECTIVE, 0},
    {156, COLLECTIVE, 0},
    {84, COMMUNICATOR, 0},
    {85, COMMUNICATOR, 0},
    {86, COMMUNICATOR, 0},
    {99, COMMUNICATOR, 0},
    {87, PLAIN, DN_CALL_COMM_FREE},
    {124, PLAIN, DN_CALL_INIT},
    {171, PLAIN, DN_CALL_INIT},
    {125, PLAIN, DN_CALL_FINALIZE},
};

static gboolean do_call(DnDumpi *d, const DnDumpiRecord *r, Sort sort, guint8 call)
{
    dumpi_calls_reset(d);
    switch (sort) {
    case MESSAGE:
        return dumpi_calls_message(d, r, call);
    case ONE:
        return wait_one(d, r, call);
    case MANY:
        return wait_many(d, r, call);
    case COLLECTIVE:
        return dumpi_calls_collective(d, r);
    case COMMUNICATOR:
        return dumpi_calls_communicator(d, r);
    case PLAIN:
        return dumpi_calls_plain(d, r, call);
    case START:
        return dumpi_calls_start(d, r);
    case EXCHANGE:
        return dumpi_calls_sendrecv(d, r, call);
    case OTHER:
        break;
    }
    g_assert_not_reached();
}

gboolean dn_dumpi_call(DnDumpi *d, const DnDumpiRecord *r)
{
    for (guint i = 0; i < G_N_ELEMENTS(functions); i++)
        if (functions[i].function == r->function)
            return dumpi_calls_compute(d, r) && do_call(d, r, functions[i].sort, functions[i].call);
    dn_dumpi_define(d, r);
    return TRUE;
}
