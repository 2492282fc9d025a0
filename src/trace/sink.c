/* sink.c - The sink takes what readers hand in: checked, with small numbers for requests and
 * communicators. */
#include "base/array_space.h"
#include "trace/store.h"

#define MOST_RANKS (1u << 21)
#define MOST_SLOTS (DN_REQUESTS - 16) /* the rest: blocking calls of a replay */
#define MOST_WORKERS 128

/* A request that is alive. */
typedef struct {
    guint64 handle;
    gboolean persistent, active, collective;
} Slot;

/* ---- files and ranks ---- */

static guint32 file_number(DnTraceStore *store, const char *path)
{
    for (guint i = store->files->len; i-- > MAX(1, store->files->len) - 1;)
        if (g_str_equal(g_ptr_array_index(store->files, i), path))
            return i;
    g_ptr_array_add(store->files, g_strdup(path));
    return store->files->len - 1;
}

static void add_ranks(DnTraceSink *sink, guint32 ranks)
{
    DnTraceStore *store = sink->store;
    guint32 before = store->ranks->len;
    if (ranks <= before)
        return;
    g_array_set_size(store->ranks, ranks);
    for (guint32 r = before; r < ranks; r++) {
        DnTraceRank *rank = dn_trace_rank(store, r);
        rank->file = sink->common_file;
        rank->creations = g_array_new(FALSE, TRUE, sizeof(DnCreation));
        rank->order = g_array_new(FALSE, TRUE, sizeof(DnCommUse));
        rank->members = g_array_new(FALSE, TRUE, sizeof(DnMembership));
        g_array_set_size(rank->members, 2);
        g_array_set_size(rank->order, 2);
    }
    sink->trace->ranks = ranks;
    dn_block_store_grow(&store->block_store, ranks);
}

gboolean dn_trace_sink_allows(const DnTraceSink *sink, guint32 ranks, GError **error)
{
    if (ranks <= MOST_RANKS)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s: %u ranks; at most %u are allowed",
                (char *)g_ptr_array_index(sink->store->files, sink->common_file), ranks,
                MOST_RANKS);
    return FALSE;
}

gboolean dn_trace_sink_ranks(DnTraceSink *sink, guint32 ranks, GError **error)
{
    if (!dn_trace_sink_allows(sink, ranks, error))
        return FALSE;
    add_ranks(sink, ranks);
    return TRUE;
}

void dn_trace_sink_file(DnTraceSink *sink, guint32 rank, const char *path)
{
    guint32 file = file_number(sink->store, path);
    if (rank == DN_ANY) {
        sink->common_file = file;
        for (guint32 r = 0; r < sink->store->ranks->len; r++)
            dn_trace_rank(sink->store, r)->file = file;
        return;
    }
    g_assert(rank < MOST_RANKS);
    add_ranks(sink, rank + 1);
    dn_trace_rank(sink->store, rank)->file = file;
}

/* ---- requests ---- */

static void requests_begin(DnTraceRank *rank)
{
    if (!rank->slots) {
        rank->slots = g_array_new(FALSE, TRUE, sizeof(Slot));
        rank->free_workers = g_array_new(FALSE, FALSE, sizeof(guint32));
    }
}

static guint32 sink_pop(GArray *free_numbers)
{
    return g_array_index(free_numbers, guint32, --free_numbers->len);
}

/* The number of a new request. */
static gboolean open_request(DnTraceSink *sink, guint32 r, DnTraceOp *op, gboolean persistent,
                             GError **error)
{
    DnTraceRank *rank = dn_trace_rank(sink->store, r);
    gboolean collective = dn_call_is_collective(op->call);
    guint32 number;
    requests_begin(rank);
    if (dn_request_table_find(&rank->requests, (guint64)op->request) != DN_REQUEST_NONE)
        return dn_trace_error(sink, r, op->at, error,
                              "rank %u: %s with request %" G_GUINT64_FORMAT
                              ", which is still outstanding",
                              r, dn_call_name(op->call), op->request);
    if (collective) {
        number = rank->free_workers->len > 0 ? sink_pop(rank->free_workers) : rank->workers++;
        sink->trace->most_outstanding = MAX(sink->trace->most_outstanding, rank->workers);
        if (number >= MOST_WORKERS)
            return dn_trace_error(sink, r, op->at, error,
                                  "rank %u: more than %u non-blocking collectives at once", r,
                                  MOST_WORKERS);
        number += DN_TRACE_COLL_REQUEST;
    } else if (rank->n_free > 0) {
        number = rank->free_slots[--rank->n_free];
    } else {
        number = rank->slots->len;
        if (number >= MOST_SLOTS)
            return dn_trace_error(sink, r, op->at, error,
                                  "rank %u: more than %u outstanding requests", r, MOST_SLOTS);
        g_array_set_size(rank->slots, number + 1);
    }
    if (!collective)
        g_array_index(rank->slots, Slot, number) =
            (Slot){.handle = op->request, .persistent = persistent, .active = !persistent};
    dn_request_table_add(&rank->requests, (guint64)op->request, number);
    op->request = number;
    return TRUE;
}

static void close_request(DnTraceRank *rank, guint64 handle, guint32 number)
{
    dn_request_table_remove(&rank->requests, handle);
    if (number >= DN_TRACE_COLL_REQUEST) {
        number -= DN_TRACE_COLL_REQUEST;
        g_array_append_val(rank->free_workers, number);
    } else {
        DN_ARRAY_SPACE(rank->free_slots, rank->n_free, &rank->free_space);
        rank->free_slots[rank->n_free++] = number;
    }
}

static gboolean find_request(DnTraceSink *sink, guint32 r, const DnTraceOp *op, guint64 handle,
                             guint32 *number, GError **error)
{
    *number = dn_request_table_find(&dn_trace_rank(sink->store, r)->requests, handle);
    if (*number == DN_REQUEST_NONE)
        return dn_trace_error(sink, r, op->at, error,
                              "rank %u: %s of request %" G_GUINT64_FORMAT
                              ", which no call began or which is over",
                              r, dn_call_name(op->call), handle);
    return TRUE;
}

/* Completed requests of a wait or test end; persistent ones rest, and resting ones drop out. */
static gboolean sink_complete(DnTraceSink *sink, guint32 r, DnTraceOp *op, gint64 *list,
                              GError **error)
{
    DnTraceRank *rank = dn_trace_rank(sink->store, r);
    guint32 number, n = 0;
    for (guint32 i = 0; i < op->n_list; i++) {
        if (!find_request(sink, r, op, (guint64)op->list[i], &number, error))
            return FALSE;
        Slot *slot = number < DN_TRACE_COLL_REQUEST ? &g_array_index(rank->slots, Slot, number)
                                                    : NULL;
        if (!slot || !slot->persistent)
            close_request(rank, (guint64)op->list[i], number);
        if (slot && !slot->active)
            continue;
        if (slot)
            slot->active = FALSE;
        list[n++] = number;
    }
    op->list = list;
    op->n_list = n;
    return TRUE;
}

static gboolean sink_start(DnTraceSink *sink, guint32 r, DnTraceOp *op, gint64 *list,
                           GError **error)
{
    DnTraceRank *rank = dn_trace_rank(sink->store, r);
    guint32 number;
    for (guint32 i = 0; i < op->n_list; i++) {
        if (!find_request(sink, r, op, (guint64)op->list[i], &number, error))
            return FALSE;
        Slot *slot = number < DN_TRACE_COLL_REQUEST ? &g_array_index(rank->slots, Slot, number)
                                                    : NULL;
        if (!slot || !slot->persistent || slot->active)
            return dn_trace_error(sink, r, op->at, error,
                                  "rank %u: start of request %" G_GINT64_FORMAT
                                  ", which is not a resting persistent one",
                                  r, op->list[i]);
        slot->active = TRUE;
        list[i] = number;
    }
    op->list = list;
    return TRUE;
}

static gboolean free_request(DnTraceSink *sink, guint32 r, DnTraceOp *op, GError **error)
{
    guint32 number;
    if (!find_request(sink, r, op, op->request, &number, error))
        return FALSE;
    close_request(dn_trace_rank(sink->store, r), op->request, number);
    op->request = number;
    return TRUE;
}

static gboolean number_requests(DnTraceSink *sink, guint32 r, DnTraceOp *op, gint64 *list,
                                GError **error)
{
    gboolean persistent = op->call == DN_CALL_SEND_INIT || op->call == DN_CALL_RECV_INIT;
    if (persistent || op->call == DN_CALL_ISEND || op->call == DN_CALL_IRECV ||
        (dn_call_is_collective(op->call) && (op->flags & DN_TRACE_NONBLOCKING)))
        return open_request(sink, r, op, persistent, error);
    if (op->call == DN_CALL_START)
        return sink_start(sink, r, op, list, error);
    if (op->call == DN_CALL_REQUEST_FREE)
        return free_request(sink, r, op, error);
    return !dn_call_completes(op->call) || sink_complete(sink, r, op, list, error);
}

/* ---- communicators ---- */

static gboolean find_comm(DnTraceSink *sink, guint32 r, const DnTraceOp *op, guint32 *number,
                          GError **error)
{
    DnTraceRank *rank = dn_trace_rank(sink->store, r);
    gpointer found;
    *number = op->comm;
    if (op->comm == DN_TRACE_WORLD || op->comm == DN_TRACE_SELF)
        return TRUE;
    if (!rank->handles ||
        !g_hash_table_lookup_extended(rank->handles, GUINT_TO_POINTER(op->comm), NULL, &found))
        return dn_trace_error(sink, r, op->at, error,
                              "rank %u: %s on communicator %u, which is not there", r,
                              dn_call_name(op->call), op->comm);
    *number = GPOINTER_TO_UINT(found);
    return TRUE;
}

static guint32 new_comm(DnTraceRank *rank, guint32 handle)
{
    guint32 number = rank->members->len;
    g_array_set_size(rank->members, number + 1);
    g_array_set_size(rank->order, number + 1);
    g_array_index(rank->members, DnMembership, number).comm = DN_ANY;
    if (!rank->handles)
        rank->handles = g_hash_table_new(NULL, NULL);
    g_hash_table_insert(rank->handles, GUINT_TO_POINTER(handle), GUINT_TO_POINTER(number));
    return number;
}

static gboolean create_comm(DnTraceSink *sink, guint32 r, DnTraceOp *op, GError **error)
{
    DnTraceRank *rank = dn_trace_rank(sink->store, r);
    if (op->made == DN_TRACE_WORLD || op->made == DN_TRACE_SELF)
        return dn_trace_error(sink, r, op->at, error, "rank %u: %s makes communicator %u anew", r,
                              dn_call_name(op->call), op->made);
    DnCreation creation = {.parent = op->comm,
                           .made = DN_ANY,
                           .color = op->color,
                           .key = op->key,
                           .call = op->call,
                           .at = op->at,
                           .n_list = op->n_list};
    if (op->made != DN_TRACE_NO_COMM)
        creation.made = new_comm(rank, op->made);
    creation.list = g_new(guint32, op->n_list);
    for (guint32 i = 0; i < op->n_list; i++)
        creation.list[i] = (guint32)CLAMP(op->list[i], 0, G_MAXUINT32);
    g_array_append_val(rank->creations, creation);
    op->made = creation.made;
    return TRUE;
}

static gboolean number_comms(DnTraceSink *sink, guint32 r, DnTraceOp *op, GError **error)
{
    guint32 handle = op->comm;
    if (!find_comm(sink, r, op, &op->comm, error))
        return FALSE;
    if (op->call >= DN_CALL_COMM_DUP && op->call <= DN_CALL_COMM_GROUP)
        return create_comm(sink, r, op, error);
    if (op->call == DN_CALL_COMM_FREE && op->comm > DN_TRACE_SELF)
        g_hash_table_remove(dn_trace_rank(sink->store, r)->handles, GUINT_TO_POINTER(handle));
    return TRUE;
}

gboolean dn_trace_sink_comm(DnTraceSink *sink, guint32 rank, guint32 handle, const gint64 *ranks,
                            guint32 n, guint64 at, GError **error)
{
    add_ranks(sink, rank + 1);
    DnTraceOp op = {.call = DN_CALL_COMM_GROUP,
                    .comm = DN_TRACE_WORLD,
                    .made = handle,
                    .at = at,
                    .n_list = n,
                    .list = ranks};
    return create_comm(sink, rank, &op, error);
}

/* ---- the order of collectives, which members of a communicator share ---- */

guint64 dn_trace_mix(guint64 hash, guint64 value)
{
    hash = (hash ^ value) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

guint64 dn_trace_agreed(const DnTraceOp *op)
{
    guint64 hash = dn_trace_mix(op->call, op->root);
    if (op->call == DN_CALL_GATHERV || op->call == DN_CALL_SCATTERV ||
        dn_call_lists_pairs(op->call) || op->call >= DN_CALL_COMM_DUP)
        return hash;
    hash = dn_trace_mix(hash, (guint64)op->bytes);
    for (guint32 i = 0; i < op->n_list; i++)
        hash = dn_trace_mix(hash, (guint64)op->list[i]);
    return hash;
}

static void note_order(DnTraceSink *sink, guint32 r, const DnTraceOp *op)
{
    DnCommUse *use = &g_array_index(dn_trace_rank(sink->store, r)->order, DnCommUse, op->comm);
    use->count++;
    use->hash = dn_trace_mix(use->hash, dn_trace_agreed(op));
}

static gboolean has_root(guint8 call)
{
    return call == DN_CALL_BCAST || call == DN_CALL_REDUCE || call == DN_CALL_GATHER ||
           call == DN_CALL_SCATTER || call == DN_CALL_GATHERV || call == DN_CALL_SCATTERV;
}

static void note_most(DnCommUse *use, guint32 rank, guint64 at)
{
    if (rank == DN_ANY || (use->most_at > 0 && rank <= use->most))
        return;
    use->most = rank;
    use->most_at = at + 1;
}

/* The highest rank that is named on a communicator, and for how many sizes are listed: how many it
 * has is known in the end only. */
static gboolean note_reach(DnTraceSink *sink, guint32 r, const DnTraceOp *op, GError **error)
{
    DnCommUse *use = &g_array_index(dn_trace_rank(sink->store, r)->order, DnCommUse, op->comm);
    gboolean collective = dn_call_is_collective(op->call);
    gboolean message = (op->call >= DN_CALL_SEND && op->call <= DN_CALL_RECV_INIT);
    guint32 halves = dn_call_lists_pairs(op->call) ? 2 : 1;
    if (message)
        note_most(use, op->peer, op->at);
    if (op->call == DN_CALL_SENDRECV)
        note_most(use, op->from, op->at);
    if (has_root(op->call))
        note_most(use, op->root, op->at);
    if (!collective || op->n_list == 0)
        return TRUE;
    if (op->n_list % halves != 0 || (use->parts > 0 && use->parts != op->n_list / halves))
        return dn_trace_error(sink, r, op->at, error,
                              "rank %u: %s with %u sizes, others of its communicator had %u", r,
                              dn_call_name(op->call), op->n_list, halves * use->parts);
    use->parts = op->n_list / halves;
    use->parts_at = op->at;
    return TRUE;
}

/* ---- one operation ---- */

static gboolean check_numbers(DnTraceSink *sink, guint32 r, const DnTraceOp *op, GError **error)
{
    static const gint64 most = (gint64)1 << 50;
    if (op->bytes < -1 || op->bytes > most || op->recv_bytes < -1 || op->recv_bytes > most)
        return dn_trace_error(sink, r, op->at, error,
                              "rank %u: %s of %" G_GINT64_FORMAT " B; 0 to 2^50 are allowed", r,
                              dn_call_name(op->call), op->bytes);
    if (op->duration_ps < 0 || op->duration_ps > G_MAXINT64 / 1024)
        return dn_trace_error(sink, r, op->at, error,
                              "rank %u: a duration outside 0 to 2,500 hours", r);
    if (dn_call_completes(op->call) || op->call == DN_CALL_START)
        return TRUE;
    for (guint32 i = 0; i < op->n_list; i++)
        if (op->list[i] < 0 || op->list[i] > most)
            return dn_trace_error(sink, r, op->at, error,
                                  "rank %u: %s with %" G_GINT64_FORMAT
                                  " in its list; 0 to 2^50 are allowed",
                                  r, dn_call_name(op->call), op->list[i]);
    return TRUE;
}

/* Only a receive may leave open from whom and with what tag. */
static gboolean check_send(DnTraceSink *sink, guint32 r, const DnTraceOp *op, GError **error)
{
    gboolean sends = op->call == DN_CALL_SEND || op->call == DN_CALL_ISEND ||
                     op->call == DN_CALL_SENDRECV || op->call == DN_CALL_SEND_INIT;
    if (!sends || (op->peer != DN_ANY && op->tag != DN_ANY))
        return TRUE;
    return dn_trace_error(sink, r, op->at, error, "rank %u: %s to any %s; a send names one", r,
                          dn_call_name(op->call), op->peer == DN_ANY ? "rank" : "tag");
}

gboolean dn_trace_add(DnTraceSink *sink, guint32 r, const DnTraceOp *given, GError **error)
{
    DnTraceOp op = *given;
    g_assert(op.call > DN_CALL_NONE && op.call < DN_CALLS);
    if (r >= MOST_RANKS)
        return dn_trace_error(sink, 0, op.at, error, "rank %u; ranks are 0 to %u", r,
                              MOST_RANKS - 1);
    add_ranks(sink, r + 1);
    DnTraceRank *rank = dn_trace_rank(sink->store, r);
    gboolean requests = dn_call_completes(op.call) || op.call == DN_CALL_START;
    if (requests && op.n_list > sink->numbers->len)
        g_array_set_size(sink->numbers, op.n_list);
    gint64 *list = (gint64 *)(gpointer)sink->numbers->data;
    if (!check_numbers(sink, r, &op, error) || !check_send(sink, r, &op, error) ||
        !number_comms(sink, r, &op, error) ||
        (!sink->trace->reader->graph && !number_requests(sink, r, &op, list, error)))
        return FALSE;
    gboolean collective = dn_call_is_collective(op.call) ||
                          (op.call >= DN_CALL_COMM_DUP && op.call <= DN_CALL_COMM_CREATE);
    if (collective)
        note_order(sink, r, &op);
    if (!note_reach(sink, r, &op, error))
        return FALSE;
    sink->record->len = 0;
    dn_trace_encode(sink->record, &sink->record_space, &op, rank->last_at,
                    sink->trace->reader->graph);
    rank->last_at = op.at;
    rank->finalized = op.call == DN_CALL_FINALIZE;
    rank->added++;
    sink->trace->ops++;
    sink->trace->calls[op.call]++;
    return dn_block_store_append(&sink->store->block_store, r, sink->record->data,
                                 sink->record->len, error);
}
