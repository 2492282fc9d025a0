/* lower.h - The parts of the program type `trace`: keys of the run file (trace_program.c); the
 * lowering of MPI calls to operations (calls.c), of graphs to operations (dag_executor.c), and of
 * collectives of both to the operations of an algorithm (collective_calls.c). */
#pragma once
#include <string.h>

#include "workload/select.h"
#include "workload/staged_collective.h"
#include "trace/store.h"

/* What the type does not model, in addition to its reader's limits. */
#define DN_TRACE_LIMITS                                                                            \
    "what did not complete in a test costs nothing and is tried no oftener than recorded; probes " \
    "cost nothing (the receive waits); making a communicator of a list (comm_create_group) costs " \
    "nothing; MPI_Cancel is not known; making a communicator costs its parent an allgather of 8 "  \
    "B (split: colour and key) or an allreduce of 4 B (dup, create: the new context), as in "      \
    "MPICH"

/* Request numbers of blocking calls, above those of a trace (sink.c). */
#define DN_LOWER_SEND (DN_REQUESTS - 1)
#define DN_LOWER_RECV (DN_REQUESTS - 2)

/* The tag of a point-to-point operation: bit 31 is 0, then the communicator's context (11 bits) and
 * the call's tag (20 bits). The wildcard of a context is above all its tags. The tag of a
 * collective: bit 31 is 1, then its DnCallCosts (3 bits), then a hash of what tells it from other
 * collectives. */
#define DN_LOWER_TAG_BITS 20

/* A worker: the stream, or streams of an algorithm that has several, in which a rank runs one
 * collective at a time. Its events: the start of each stream, and the end. */
typedef struct {
    DnCollCall call;
    DnCollStaging staging;
    DnCallCosts costs;
    DnTraceOp op; /* without lists */
    guint32 me;
    guint64 instance; /* which collective of which communicator, hashed */
    guint32 streams;  /* of the algorithm */
    gboolean busy;    /* until its end has been awaited */
    gint64 *sizes;    /* behind call.starts, .send_bytes */
    guint32 capacity;
} DnWorker;

/* An algorithm that a library chose, kept since calls repeat. */
typedef struct {
    DnCollKind kind;
    guint32 n;
    gint64 bytes;
    const DnCollAlgorithm *algorithm;
    DnCollStyle style;
    gint64 segment;
    guint32 window, channels, n_rings, in_flight, group;
    const DnCollNodes *nodes;
    gboolean one_count;
    guint form;
    const char *protocol;
} DnChoice;
#define DN_CHOICES 8

/* The ranks of a communicator on each node (dn_coll_choice_group(), dn_coll_choice_nodes()). */
typedef struct {
    const DnTraceComm *comm;
    guint32 group;
    const DnCollNodes *nodes; /* of DnLower.nodes */
} DnPlace;

/* How often a rank ran an algorithm for a call, and for which sizes. */
typedef struct {
    guint8 call; /* DnCall */
    const DnCollAlgorithm *algorithm;
    guint32 n; /* ranks of the communicator */
    guint64 times;
    gint64 least_bytes, most_bytes;
} DnLowerUse;

/* The operations of one call at most. */
#define DN_LOWER_QUEUE 4

/* The block of a rank's cursor. Ranks read theirs at the same place at about the same time: blocks
 * are a line of the cache further apart than a page, so that they share no set of a cache. */
typedef struct {
    DnStoredBlock block;
    guint8 apart[64];
} DnLowerBlock;

/* Bytes of a line of the cache; lines that a call of most programs reads of its rank. */
#define DN_LOWER_LINE 64
#define DN_LOWER_LINES 4

/* The state of a rank. The members that each call reads come first, in as few cache lines as
 * possible, since thousands of ranks take their next call in turn. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
typedef struct {
    DnTraceCursor cursor;
    const DnTraceComm *comm; /* of the last message */
    guint32 comm_number;     /* of `comm` */
    guint8 queued, handed;   /* operations in `queue`; those of them already returned */
    guint8 over;             /* the last call has been read */
    struct {
        guint64 at;
        const gint64 *list;
        guint32 n;
        guint8 call;
    } listed; /* the call whose list of requests becomes one operation each */
    struct {
        guint64 at;
        gint64 duration_ps;
        guint8 call;
    } after;
    guint32 place; /* position in that list; after the last call, in `workers` */
    /* The present collective: worker + 1 whose streams are being started (0: none) and how many
     * were; worker + 1 whose end is awaited, and its progress. */
    guint32 starting, started, ending, ended;
    guint32 finished; /* iterations */

    DnOp queue[DN_LOWER_QUEUE] __attribute__((aligned(DN_LOWER_LINE))); /* of the present call */
    DnWorker *workers;                                                  /* [n_workers] */
    guint32 *sequence; /* [n_numbers] collectives begun, by number of communicator */
    guint32 n_numbers;
    DnChoice choices[DN_CHOICES]; /* a cache by a hash of n and bytes */
    DnPlace places[DN_CHOICES];   /* a cache by context */
    GArray *uses;                 /* DnLowerUse, by first use; NULL: none yet */
    struct DnDagRank *graph;      /* of graph formats */
} DnLowerRank __attribute__((aligned(DN_LOWER_LINE)));
G_STATIC_ASSERT(offsetof(DnLowerRank, queue) == DN_LOWER_LINES * DN_LOWER_LINE);

typedef struct {
    DnTrace *trace;
    DnLowerRank *ranks;               /* [ranks] */
    DnLowerBlock *blocks;             /* [ranks] of their cursors, on large pages */
    gboolean graph;                   /* the trace is a graph */
    gboolean nccl;                    /* its collectives are NCCL's */
    guint32 n_workers, channels_each; /* streams = 1 + cpus + n_workers * channels_each */
    guint32 cpus;                     /* streams that compute, of graph formats */
    double compute_scale;             /* of durations as read */
    const DnCollAlgorithm *fixed[DN_COLL_KINDS]; /* NULL: by the library */
    const DnMpiMachine *mpi; /* of the machine, if its library chooses; or NULL */
    DnCollChoice choice;
    DnCollCall model;    /* radix, channels, window, group */
    DnCollNodes **nodes; /* [trace->n_comms] of each communicator that needs it, from its first
                            collective on; several threads set it */
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
/* Returns the first of the events by which the streams of a worker's algorithm wait for each other;
 * they come after the start and end events of all workers. */
static inline guint32 dn_lower_own_event(const DnLower *lower, guint32 worker)
{
    return dn_lower_start_event(lower, lower->n_workers, 0) + worker * lower->channels_each;
}
/* Gives collective @op (with its lists), the @sequence-th of its communicator, to @worker of @rank.
 * FALSE: it has one rank and nothing to do. */
gboolean dn_lower_collective(DnLower *lower, guint32 rank, guint32 worker, const DnTraceOp *op,
                             guint32 sequence);
/* Returns the next operation of a worker's stream (DnProgramType.next()). */
gboolean dn_lower_worker_next(const DnLower *lower, guint32 rank, DnCursor *cursor, DnOp *op);
/* Reads the algorithms of collectives; sets @program's library. */
gboolean dn_lower_algorithms(DnProgram *program, const DnParams *params, GError **error);
void dn_lower_workers_free(DnLower *lower, DnLowerRank *rank);
void dn_lower_nodes_free(DnLower *lower);

/* calls.c: returns the next operation of stream 0 (DnProgramType.next()). */
gboolean dn_lower_calls_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op);
guint32 dn_lower_tag(const DnTraceComm *comm, guint32 tag);

/* dag_executor.c */
void dn_dag_rank_load(DnLower *lower);
/* Returns the time (ps) that @cpu of rank @r computes in an iteration. */
gint64 dn_dag_rank_computes(const DnLower *lower, guint32 r, guint32 cpu);
void dn_dag_rank_free(struct DnDagRank *graph, guint32 cpus);
gboolean dn_dag_rank_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op);
guint32 dn_dag_rank_completed(const DnProgram *program, guint32 rank, guint32 stream,
                              guint32 request);
