/* lower.h - the parts of the program type `trace`: its keys and choices (trace_program.c), calls as
 * operations (calls.c), graphs as operations (dag_executor.c), collectives on either
 * (collective_calls.c). */
#pragma once
#include <string.h>

#include "workload/select.h"
#include "trace/trace.h"

/* What the type leaves out, besides what a reader passes over. */
#define DN_TRACE_LIMITS                                                                            \
    "what did not complete in a test costs nothing and is tried no oftener than recorded; probes " \
    "cost nothing (the receive waits); making a communicator of a list (comm_create_group) costs " \
    "nothing; MPI_Cancel is not known; making a communicator costs its parent an allgather of 8 "  \
    "B (split: colour and key) or an allreduce of 4 B (dup, create: the new context), as in "      \
    "MPICH"

/* Request numbers of blocking calls, above those of a trace (sink.c). */
#define DN_LOWER_SEND (DN_REQUESTS - 1)
#define DN_LOWER_RECV (DN_REQUESTS - 2)

/* A call's p2p tag: 0, context (11 bits), tag (20 bits). The wildcard of a context is above all
 * tags in use. Collectives: 1, then a hash of what makes them apart. */
#define DN_LOWER_TAG_BITS 20

/* A stream (or streams, for algorithms that have several) in which one collective at a time runs.
 * Its events: start of each stream, done. */
typedef struct {
    DnCollCall call;
    DnTraceOp op; /* without lists */
    guint32 me;
    guint64 instance; /* which collective of which communicator, hashed */
    guint32 streams;  /* that the algorithm takes */
    gboolean busy;    /* until its end has been awaited */
    gint64 *sizes;    /* behind call.starts, .send_bytes */
    guint32 capacity;
} DnWorker;

typedef struct {
    DnCollKind kind;
    guint32 n;
    gint64 bytes;
    const DnCollAlgorithm *algorithm;
    DnCollStyle style;
    gint64 segment;
    guint32 window, channels, n_rings, in_flight, group;
    gboolean one_count;
    guint form;
} DnChoice;
#define DN_CHOICES 8

/* Numbers of ranks of a communicator in each node; see dn_coll_choice_group(). */
typedef struct {
    const DnTraceComm *comm;
    guint32 group;
} DnPlace;

/* Counts how often a rank ran an algorithm for a call, and on what sizes. */
typedef struct {
    guint8 call; /* DnCall */
    const DnCollAlgorithm *algorithm;
    guint32 n; /* ranks of the communicator */
    guint64 times;
    gint64 least_bytes, most_bytes;
} DnLowerUse;

/* The operations of one call at most. */
#define DN_LOWER_QUEUE 4

/* What every call of a rank reads stands first, in as few cache lines as it can: thousands of ranks
 * take their next call in turn. */
typedef struct {
    DnTraceCursor *cursor;
    const DnTraceComm *comm; /* that of the last message, whose number is: */
    guint32 comm_number;
    guint8 queued, handed;
    guint8 over; /* after the last call */
    struct {
        guint8 call;
        guint32 n;
        guint64 at;
        const gint64 *list;
    } listed;      /* the call whose list of requests is being handed out */
    guint32 place; /* in it; after the last call, among the workers */
    /* the collective at hand: worker + 1 to start, to await, and how far: */
    guint32 starting, started, ending, ended;
    struct {
        guint8 call;
        guint64 at;
        gint64 duration_ps;
    } after;
    DnOp queue[DN_LOWER_QUEUE]; /* of the call at hand, still to hand out */
    DnWorker *workers;          /* [n_workers] */
    guint32 *sequence;          /* [n_numbers] collectives begun, by number of communicator */
    guint32 n_numbers;
    guint32 finished;             /* iterations */
    DnChoice choices[DN_CHOICES]; /* the last, by a hash of n and bytes */
    DnPlace places[DN_CHOICES];   /* the last, by context */
    GArray *uses;                 /* DnLowerUse, by first use; NULL: none yet */
    struct DnDagRank *graph;      /* of graph formats */
} DnLowerRank;

typedef struct {
    DnTrace *trace;
    DnLowerRank *ranks;               /* [ranks] */
    gboolean graph;                   /* the trace is one */
    guint32 n_workers, channels_each; /* streams = 1 + cpus + n_workers * channels_each */
    guint32 cpus;                     /* streams that compute, of graph formats */
    double compute_scale;             /* of durations as read */
    const DnCollAlgorithm *fixed[DN_COLL_KINDS]; /* NULL: by the library */
    DnCollChoice choice;
    DnCollCall model; /* radix, channels, window, group */
} DnLower;

/* Returns TRUE for a trace recorded in PyTorch, whose collectives are NCCL's. */
static inline gboolean dn_lower_is_chakra(const DnTrace *trace)
{
    return strcmp(trace->reader->name, "chakra") == 0;
}

/* Twice the longest time of a run, so that the engine still notices it. */
#define DN_LOWER_LONGEST_PS 2e18
/* Returns the scaled time of a computation recorded as @ps. */
static inline gint64 dn_lower_compute_ps(const DnLower *lower, gint64 ps)
{
    if (lower->compute_scale == 1)
        return ps;
    return (gint64)MIN((double)ps * lower->compute_scale + 0.5, DN_LOWER_LONGEST_PS);
}

/* collective_calls.c */
static inline guint32 dn_lower_stream(const DnLower *lower, guint32 worker, guint32 k)
{
    return 1 + lower->cpus + worker * lower->channels_each + k;
}
static inline guint32 dn_lower_start_event(const DnLower *lower, guint32 worker, guint32 k)
{
    return 1 + lower->cpus + worker * (lower->channels_each + 1) + k;
}
static inline guint32 dn_lower_done_event(const DnLower *lower, guint32 worker)
{
    return dn_lower_start_event(lower, worker, lower->channels_each);
}
/* The first of the events by which an algorithm's streams wait for each other; behind others. */
static inline guint32 dn_lower_own_event(const DnLower *lower, guint32 worker)
{
    return dn_lower_start_event(lower, lower->n_workers, 0) + worker * lower->channels_each;
}
/* Puts collective @op (with its lists), number @sequence of its communicator, into a worker;
 * FALSE: nothing to do (one rank). */
gboolean dn_lower_collective(DnLower *lower, guint32 rank, guint32 worker, const DnTraceOp *op,
                             guint32 sequence);
/* next() of the worker streams. */
gboolean dn_lower_worker_next(const DnLower *lower, guint32 rank, DnCursor *cursor, DnOp *op);
/* Reads the algorithms of collectives; sets @program's library. */
gboolean dn_lower_algorithms(DnProgram *program, const DnParams *params, GError **error);
void dn_lower_workers_free(DnLower *lower, DnLowerRank *rank);

/* calls.c: stream 0's next() */
gboolean dn_lower_calls_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op);
guint32 dn_lower_tag(const DnTraceComm *comm, guint32 tag);

/* dag_executor.c */
void dn_dag_rank_load(DnLower *lower);
/* Returns how long @cpu of rank @r computes in an iteration. */
gint64 dn_dag_rank_computes(const DnLower *lower, guint32 r, guint32 cpu);
void dn_dag_rank_free(struct DnDagRank *graph, guint32 cpus);
gboolean dn_dag_rank_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op);
guint32 dn_dag_rank_completed(const DnProgram *program, guint32 rank, guint32 stream,
                              guint32 request);
