/* program.h - one program: for each rank a stream of operations, generated on demand.
 *
 * A program type fills DnProgram from checked parameters; next() hands out a rank's operations one
 * by one from a few words of state, so a stream of any length costs nothing until it is reached.
 * send and recv are non-blocking and carry a request id of the rank's choice (0..DN_REQUESTS-1 a
 * rank, reusable after its wait); operations may share an id, whose wait then means all of them, so
 * a rank with thousands outstanding needs one id. wait blocks until one id (or all) is complete;
 * compute, copy and reduce occupy the rank. Matching is by (source, tag) in order, as MPI does. */
#pragma once
#include "config/params.h"

typedef enum {
    DN_OP_SEND,    /* peer, tag, bytes, request */
    DN_OP_RECV,    /* peer or DN_ANY, tag or DN_ANY, bytes, request */
    DN_OP_WAIT,    /* request, or DN_ANY: all outstanding of this rank */
    DN_OP_COMPUTE, /* duration_ps */
    DN_OP_COPY,    /* bytes within the rank's memory */
    DN_OP_REDUCE,  /* bytes combined */
    DN_OP_MARK,    /* end of iteration `tag`: statistics take the time */
    DN_OP_END,
} DnOpKind;

#define DN_ANY G_MAXUINT32
#define DN_REQUESTS 65536

typedef enum {
    DN_OP_ONE_SIDED = 1, /* send: no recv answers it; delivery is counted, nothing more */
} DnOpFlags;

typedef struct {
    DnOpKind kind;
    guint32 peer, tag, request;
    guint32 flags;
    gint64 bytes;
    gint64 duration_ps;
} DnOp;

typedef struct DnProgramType DnProgramType;
typedef struct {
    const DnProgramType *type;
    guint32 ranks;
    guint32 iterations; /* the type's stream repeated; a MARK ends each */
    guint64 seed;
    gint64 bytes;  /* the type's size parameter, for reports; 0 when it has none */
    gpointer data; /* the type's own, freed by type->free */
} DnProgram;

/* A rank's position; plain words, zeroed at start; step, a, b, c again at each iteration. */
typedef struct {
    guint32 iteration, step;
    guint64 a, b, c;
} DnCursor;

struct DnProgramType {
    const char *name; /* `workload.type` */
    const char *source;
    const DnParamSpec *params;
    guint32 min_ranks;
    /* Fills data, bytes; FALSE + error at a key. ranks, iterations, seed are set already. */
    gboolean (*init)(DnProgram *program, const DnParams *params, GError **error);
    void (*free)(DnProgram *program);
    /* Next operation of @rank in the current iteration; FALSE at the iteration's end. */
    gboolean (*next)(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op);
    /* Payload bytes all ranks move in one iteration over the network: for goodput. */
    double (*bytes_moved)(const DnProgram *program);
    /* The convention of the field for this pattern's goodput, bytes that count per iteration time
     * (e.g. alltoall: bytes sent per rank; ping-pong: bytes, over half the round trip). */
    double (*goodput_bytes)(const DnProgram *program);
    double time_scale; /* reported time = iteration time * time_scale (ping-pong: 0.5) */
};

extern const DnProgramType *const dn_program_types[];

/* (transfer full). @node: the `workload:` mapping; or a scalar: a name in the nearest `workloads`
 * folder from the run file upward, then in $DARNER_ROOT/workloads; or a path to a YAML file. */
DnProgram *dn_program_new(const DnConfigNode *node, guint32 ranks, guint32 iterations, guint64 seed,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_program_free(DnProgram *program);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnProgram, dn_program_free)

/* The stream with MARK after each iteration and END after the last. */
void dn_program_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op);
