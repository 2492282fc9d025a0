/* store.h - The store stands behind a DnTrace; shared by sink.c (filling it), comms.c
 * (communicators), cursor.c (the records' bytes) and trace.c (opening). */
#pragma once
#include "trace/block_store.h"
#include "trace/request_table.h"
#include "trace/trace.h"

/* Numbers of non-blocking collectives' requests begin here: worker 0, 1, ... of the rank. */
#define DN_TRACE_COLL_REQUEST 65536u

/* A call that makes communicators, as one rank made it. */
typedef struct {
    guint32 parent, made; /* numbers within the rank; made DN_ANY: it gets none */
    guint32 color, key;
    guint8 call;
    guint64 at;
    guint32 n_list;
    guint32 *list; /* [n_list] ranks of the parent */
} DnCreation;

/* A rank's place in the communicator of a number. */
typedef struct {
    guint32 comm, me; /* index in DnTrace.comms; DN_ANY: not resolved */
} DnMembership;

typedef struct {
    guint32 file; /* in DnTraceStore.files */
    gboolean finalized;
    guint64 last_at, added;  /* operations */
    DnRequestTable requests; /* handle -> slot; while reading */
    GArray *slots;           /* while reading */
    guint32 *free_slots;     /* [n_free] */
    guint n_free, free_space;
    GHashTable *handles; /* of communicators -> number; while reading */
    GArray *free_workers;
    guint32 workers;
    GArray *creations; /* DnCreation */
    GArray *order;     /* DnCommUse, by number of communicator */
    GArray *members;   /* DnMembership, by number of communicator */
} DnTraceRank;

/* A rank's use of a communicator. */
typedef struct {
    guint64 count, hash; /* of its collectives, in order */
    guint32 most, parts; /* the highest rank named; how many ranks sizes are listed for, 0: none */
    guint64 most_at, parts_at; /* where; most_at: and one more, 0: none named */
} DnCommUse;

/* What each call reads of it are the first two lines of the cache and `graph`. */
struct DnTraceCursor {
    DnBlockCursor block_store;
    guint64 last_at;
    gint64 *list;
    guint32 list_capacity;
    gboolean graph;
    guint32 deps_capacity, rank;
    DnTraceDep *deps;
    const DnTrace *trace;
};

/* Brings closer what a call reads elsewhere: its list, and what the window will hold next. */
static inline void dn_trace_cursor_prefetch(const DnTraceCursor *cursor)
{
    const DnBlockCursor *s = &cursor->block_store;
    __builtin_prefetch(cursor->list, 1);
    if (s->held - s->position > 24)
        return;
    __builtin_prefetch(s->block->bytes + s->taken);
    __builtin_prefetch(s->block->bytes + s->taken + 64);
}

struct DnTraceStore {
    DnBlockStore block_store;
    GPtrArray *files; /* char * */
    GArray *ranks;    /* DnTraceRank */
};

struct DnTraceSink {
    DnTrace *trace;
    DnTraceStore *store;
    guint32 common_file;
    GByteArray *record;
    guint record_space; /* bytes allocated */
    GArray *numbers;    /* gint64: of an operation's list of requests */
};

static inline DnTraceRank *dn_trace_rank(const DnTraceStore *store, guint32 rank)
{
    return &g_array_index(store->ranks, DnTraceRank, rank);
}

static inline gboolean dn_call_is_collective(guint8 call)
{
    return call >= DN_CALL_BARRIER && call <= DN_CALL_REDUCE_SCATTER;
}

/* Its list has what goes to each rank, then what comes from each. */
static inline gboolean dn_call_lists_pairs(guint8 call)
{
    return call == DN_CALL_ALLTOALLV || call == DN_CALL_ALLTOALLW;
}
static inline gboolean dn_call_completes(guint8 call)
{
    return call >= DN_CALL_WAIT && call <= DN_CALL_TESTSOME;
}

/* cursor.c: a cursor, all zeros before, where its owner has it. */
void dn_trace_cursor_init(DnTraceCursor *cursor, const DnTrace *trace, guint32 rank);
void dn_trace_cursor_clear(DnTraceCursor *cursor);
/* cursor.c: appends the record of @op; *@space: the bytes allocated in @record; @last_at: of the
 * record before. */
void dn_trace_encode(GByteArray *record, guint *space, const DnTraceOp *op, guint64 last_at,
                     gboolean graph);

/* sink.c: what of a collective all ranks must agree on, as a number. */
guint64 dn_trace_mix(guint64 hash, guint64 value);
guint64 dn_trace_agreed(const DnTraceOp *op);

/* comms.c: from creations to communicators; then the collectives' order must agree. */
gboolean dn_trace_resolve_comms(DnTrace *trace, GError **error);
gboolean dn_trace_check_order(const DnTrace *trace, GError **error);
