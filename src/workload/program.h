/* program.h - one program: for each rank a stream of operations, generated on demand.
 *
 * A program type fills DnProgram from checked parameters; next() hands out a rank's operations one
 * by one from a few words of state, so a stream of any length costs nothing until it is reached.
 * send and recv are non-blocking and carry a request id of the rank's choice (0..DN_REQUESTS-1 a
 * rank, reusable after its wait); operations may share an id, whose wait then means all of them, so
 * a rank with thousands outstanding needs one id. wait blocks until one id (or all) is complete;
 * compute, copy and reduce occupy the rank. Matching is by (source, tag) in order of the sends, as
 * MPI does.
 * A rank may have several streams (a CPU and a NIC, channels of a collective): each has operations,
 * requests and waits of its own; they share matching and order themselves by signal and await, a
 * counting semaphore per event number. A send or recv with DN_OP_PERSISTENT is only prepared under
 * its request id; each start begins it anew.
 * Operations of collectives say which part of which buffer they carry (area, offset): nothing in a
 * run reads that, but the tests move real data by it. */
#pragma once
#include "config/params.h"

typedef enum {
    DN_OP_SEND,    /* peer, tag, bytes, request */
    DN_OP_RECV,    /* peer or DN_ANY, tag or DN_ANY, bytes, request */
    DN_OP_WAIT,    /* request, or DN_ANY: all outstanding of this rank */
    DN_OP_COMPUTE, /* duration_ps */
    DN_OP_COPY,    /* bytes within the rank's memory */
    DN_OP_REDUCE,  /* bytes combined */
    DN_OP_START,   /* request: begin the persistent operation kept under it */
    DN_OP_SIGNAL,  /* tag: event of this rank, 0 .. DN_EVENTS - 1; counts one up */
    DN_OP_AWAIT,   /* tag: event; blocks until it can count one down */
    DN_OP_BEGIN,   /* what came before in the iteration, a barrier, is not counted to its time */
    DN_OP_MARK,    /* end of iteration `tag`: statistics take the time */
    DN_OP_END,
} DnOpKind;

#define DN_ANY G_MAXUINT32
/* A recv's tag may also be DN_TAG_WILD | c: any whose bits from 20 on are c (0 .. 2,047), as any
 * tag of one communicator. Tags of sends are below it. */
#define DN_TAG_WILD 0xfff00000u
#define DN_REQUESTS 65536
#define DN_EVENTS 65536
#define DN_STREAMS 4096 /* a rank, at most */

#define DN_NCCL_PROTOCOLS 3
extern const char *const dn_nccl_protocols[DN_NCCL_PROTOCOLS]; /* LL, LL128, Simple */

/* The costs of an operation in a job that has several mechanisms: its own, and those of calls in a
 * trace. Tags from DN_TAG_CALLS to below DN_TAG_WILD have it in bits 28 to 30, of copies and
 * reductions as well as of messages, so that both ends of a message know it. */
typedef enum {
    DN_CALL_COSTS_OWN,
    DN_CALL_COSTS_REDUCE, /* of a reduction whose buffer is staged */
    DN_CALL_COSTS_HOST,   /* of one that its library does by protocol `host`, and `kernel` */
    DN_CALL_COSTS_KERNEL,
    DN_CALL_COSTS_ALLTOALL,
    /* The same numbers in a trace of NCCL's calls: of grouped sends and receives, and of a ring or
     * tree by LL, the next by LL128, the next by Simple. OWN is of single sends and receives. */
    DN_CALL_COSTS_GROUP = 1,
    DN_CALL_COSTS_RING,
    DN_CALL_COSTS_TREE = DN_CALL_COSTS_RING + DN_NCCL_PROTOCOLS,
    DN_CALL_COSTS = DN_CALL_COSTS_TREE + DN_NCCL_PROTOCOLS,
} DnCallCosts;
#define DN_TAG_CALLS 0x80000000u
static inline DnCallCosts dn_tag_costs(guint32 tag)
{
    return tag >= DN_TAG_CALLS && tag < DN_TAG_WILD ? (DnCallCosts)(tag >> 28 & 7)
                                                    : DN_CALL_COSTS_OWN;
}

typedef enum {
    DN_OP_ONE_SIDED = 1,    /* send: no recv answers it; delivery is counted, nothing more */
    DN_OP_EXACT = 2,        /* recv: the message is of just these bytes, as inside a collective;
                             without it, of at most these, or (bytes 0) of any size */
    DN_OP_PERSISTENT = 4,   /* send, recv: keep for start, do not begin */
    DN_OP_STAGING = 8,      /* copy: between the rank's memory and the one a library works in */
    DN_OP_JOINED = 16,      /* copy: the next run of the call before, without a start of its own */
    DN_OP_READ = 32,        /* one-sided send: the bytes come from the peer's memory; complete when
                             they are here */
    DN_OP_NONBLOCKING = 64, /* send: of a call that does not wait, as MPI_Isend; without it, of one
                               that does, or not known */
} DnOpFlags;

/* Buffers that `offset` counts from. */
typedef enum {
    DN_AREA_DATA,    /* the collective's buffer: contribution before, result after */
    DN_AREA_INPUT,   /* what alltoall sends from */
    DN_AREA_SCRATCH, /* the algorithm's own */
} DnArea;

typedef struct {
    DnOpKind kind;
    guint32 peer, tag, request;
    gint64 bytes;
    gint64 duration_ps;
    gint64 offset; /* send: of the source; recv, copy, reduce: of the target */
    gint64 from;   /* copy, reduce: of the source */
    guint32 flags;
    guint32 pieces; /* one-sided send: the words of a warp it is made of, each a put of its own
                       unless the mechanism coalesces them; 0: 1 */
    guint8 area, from_area;
    guint8 call; /* of a trace: the MPI call it belongs to (trace/trace.h); else 0 */
    guint64 at;  /* of a trace: where it stands, line or byte */
} DnOp;

typedef struct DnProgramType DnProgramType;
typedef struct DnCollMachine DnCollMachine; /* select.h */
/* MPI's; NCCL's in channels, or as sends and receives. */
typedef enum { DN_LIBRARY_MPI, DN_LIBRARY_NCCL, DN_LIBRARY_NCCL_GROUP } DnProgramLibrary;
/* Of grouped sends: to how many peers a stream has messages at once, 0: it is none; and of a
 * message between nodes, of how many blocks it has a piece, and in how many pieces a block goes. */
typedef struct {
    guint32 peers, blocks, pieces;
} DnProgramBatch;
typedef struct {
    const DnProgramType *type;
    guint32 ranks;
    guint32 iterations; /* the type's stream repeated; a MARK ends each */
    guint64 seed;
    gint64 bytes;          /* the type's size parameter, for reports; 0 when it has none */
    gint64 element;        /* size of one that its reductions combine; 0: not known */
    guint32 streams;       /* a rank's, 1 .. DN_STREAMS; init() may change it from 1 */
    const char *protocol;  /* what the type's library would move it by; or NULL; borrowed */
    const char *algorithm; /* NCCL's: ring, tree; or NULL; borrowed */
    /* For reports, freed with it: what the type chose by itself, in short, and why; or NULL */
    char *chosen, *note;
    double offered_bps, rate_bps; /* open loop: of a sending rank, and what load 1 is; else 0 */
    gboolean reads;               /* it has operations with DN_OP_READ */
    gboolean staged;              /* its collective's buffer is copied before and after; of a
                                     trace: those of its reductions */
    gboolean after_barrier;     /* an iteration's time is the longest of a rank's own, which counts
                                     from its BEGIN */
    gboolean apart;             /* ranks end an iteration without waiting for all others, so that
                                   its end says nothing of when the next one began */
    guint32 communicator_ranks; /* of its collective; 0: it is none */
    DnProgramBatch batch;       /* of grouped sends */
    gboolean by_node;           /* NCCL's: its rings and trees pass nodes one after another */
    gboolean costs_by_call;     /* tags of its collectives say DnCallCosts */
    DnProgramLibrary library;   /* whose messages those of its collectives are */
    const DnCollMachine *machine; /* where it runs; NULL: not known; borrowed */
    guint32 n_flows;  /* listed flows whose times are kept: the tag of each is its index; 0: none */
    gboolean endless; /* set by `measure:`: open-loop ranks send beyond `messages` */
    gpointer data;    /* the type's own, freed by type->free */
} DnProgram;

/* A stream's position; plain words, zeroed at start; step, a, b, c again at each iteration. */
typedef struct {
    guint32 stream; /* 0 .. streams - 1; set by the caller */
    guint32 iteration, step;
    guint64 a, b, c;
} DnCursor;

struct DnProgramType {
    const char *name; /* `workload.type` */
    const char *source;
    const char *help;    /* what the ranks do, a phrase */
    const char *goodput; /* which bytes of an iteration its goodput counts */
    const char *limits;  /* what it does not model; or NULL */
    const DnParamSpec *params;
    guint collective;  /* 1 + DnCollKind of a collective's type; 0: it is none */
    gboolean unequal;  /* of a collective: its blocks differ in size */
    gboolean drawable; /* `background:` of a run can draw its parameters */
    guint32 min_ranks;
    /* Fills data, bytes; FALSE + error at a key. ranks, iterations, seed are set already. */
    gboolean (*init)(DnProgram *program, const DnParams *params, GError **error);
    void (*free)(DnProgram *program);
    /* Next operation of @rank (its stream cursor->stream) in the current iteration; FALSE at the
     * iteration's end. */
    gboolean (*next)(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op);
    /* Brings closer what next() of stream 0 will look at; @step 1, then 0. NULL: nothing. */
    void (*prefetch)(const DnProgram *program, guint32 rank, guint step);
    /* Payload bytes all ranks move in one iteration over the network: for goodput. */
    double (*bytes_moved)(const DnProgram *program);
    /* The convention of the field for this pattern's goodput, bytes that count per iteration time
     * (e.g. alltoall: bytes sent per rank; ping-pong: bytes, over half the round trip). */
    double (*goodput_bytes)(const DnProgram *program);
    /* Returns the pattern that its ranks send at @now_ps, of types that draw it ("incast"); NULL:
     * the type's name says it. */
    const char *(*pattern)(const DnProgram *program, gint64 now_ps);
    /* Returns how long @rank's processor computes in an iteration; NULL: the type does not know. */
    gint64 (*computes)(const DnProgram *program, guint32 rank);
    guint32 calls;     /* DnOp.call is below it, and a time is kept of each; 0: nobody asks */
    double time_scale; /* reported time = iteration time * time_scale (ping-pong: 0.5) */
    /* A request of @rank has completed; the event that is to be signalled then, or DN_ANY. NULL:
     * the type need not know. */
    guint32 (*completed)(const DnProgram *program, guint32 rank, guint32 stream, guint32 request);
};

const DnProgramType *dn_program_type_find(const char *name); /* or NULL */
gboolean dn_program_has_key(const DnProgram *program, const char *key);
extern const DnProgramType *const dn_program_types[];
extern const DnParamSpec dn_program_common_keys[]; /* of every type */

/* (transfer full): the mapping in the file that @node names: by a name in a folder `workloads`
 * (base/data_folders.h), or by a path. */
DnConfigNode *dn_workload_load(const DnConfigNode *node, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* (transfer full). @node: the `workload:` mapping; or a scalar, as for dn_workload_load(). It is
 * not needed any more once the program is made. */
DnProgram *dn_program_new(const DnConfigNode *node, guint32 ranks, guint32 iterations, guint64 seed,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Does what dn_program_new() does, on a machine (or NULL), to which the program keeps a pointer. */
DnProgram *dn_program_new_on(const DnConfigNode *node, const DnCollMachine *machine, guint32 ranks,
                             guint32 iterations, guint64 seed,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_program_free(DnProgram *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnProgram, dn_program_free)

/* Functions for types whose data is one block, and whose ranks all send the bytes that goodput
 * counts of one. */
void dn_program_free_data(DnProgram *program);
double dn_program_moved_by_all(const DnProgram *program);
/* `grid` of such a type, [@names] that multiply to the job's ranks; FALSE + error at the key. */
gboolean dn_program_grid(const DnProgram *program, const DnParams *params, const char *names,
                         guint32 grid[2], GError **error);

/* The stream with MARK after each iteration and END after the last. */
void dn_program_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op);
