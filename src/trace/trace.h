/* trace.h - recorded programs: one format a file, read once into a store that streams each rank.
 *
 * A reader goes through its file (or files) once, front to back, and hands every MPI call of every
 * rank to a DnTraceSink, which checks it, gives requests and communicators small numbers and packs
 * it into a temporary file in chains of blocks, one chain a rank. So all that is wrong with a trace
 * is found before anything runs, ranks may stand in one file or in many, and memory grows with the
 * number of ranks and communicators, not with the length. Everything else (the program type
 * `trace`, `darner trace`) reads the store through cursors.
 *
 * Two sorts of formats: calls in the order the rank made them (ti, dumpi, darner), and graphs, in
 * which an operation starts when those it names are over (goal, chakra). Graphs are held in memory
 * while they run: about 64 bytes an operation, for any of them may be the first to start.
 * Units: sizes in bytes, times in ps. */
#pragma once
#include <stdio.h>

#include "workload/program.h"

typedef enum {
    DN_CALL_NONE,
    DN_CALL_COMPUTE, /* duration_ps between calls */
    DN_CALL_INIT,
    DN_CALL_FINALIZE,
    DN_CALL_SEND, /* comm, peer, tag, bytes; so the next, with request */
    DN_CALL_RECV, /* peer and tag may be DN_ANY; better: whom the status named. bytes: what came, or
                     space for at most that, or -1: of any size */
    DN_CALL_ISEND,
    DN_CALL_IRECV,
    DN_CALL_SENDRECV,  /* peer, tag, bytes; from, from_tag, recv_bytes */
    DN_CALL_SEND_INIT, /* as isend; nothing moves before start */
    DN_CALL_RECV_INIT,
    DN_CALL_START, /* list: requests (start and startall) */
    DN_CALL_REQUEST_FREE,
    DN_CALL_WAIT,     /* list: requests that were completed by the call, as recorded: */
    DN_CALL_WAITALL,  /*   one; all; the one; those; */
    DN_CALL_WAITANY,  /*   none for a test that found nothing, or null requests */
    DN_CALL_WAITSOME, /*   (a list of no requests is no error) */
    DN_CALL_TEST,
    DN_CALL_TESTALL,
    DN_CALL_TESTANY,
    DN_CALL_TESTSOME,
    DN_CALL_PROBE, /* comm, peer, tag: waits for nothing in a replay; the receive does */
    DN_CALL_IPROBE,
    /* Collectives: comm, root; DN_TRACE_NONBLOCKING with request; `bytes` as collective.h has it:
     * the buffer, or a block. */
    DN_CALL_BARRIER,
    DN_CALL_BCAST,
    DN_CALL_REDUCE,
    DN_CALL_ALLREDUCE,
    DN_CALL_SCAN,
    DN_CALL_EXSCAN,
    DN_CALL_GATHER,
    DN_CALL_SCATTER,
    DN_CALL_ALLGATHER,
    DN_CALL_ALLTOALL,
    DN_CALL_REDUCE_SCATTER_BLOCK, /* bytes: of the whole buffer */
    DN_CALL_GATHERV,              /* bytes: own; list at the root: each rank's */
    DN_CALL_SCATTERV,             /* bytes: own; list at the root */
    DN_CALL_ALLGATHERV,           /* list: each rank's */
    DN_CALL_ALLTOALLV,            /* list: to each rank, then from each (2n) */
    DN_CALL_ALLTOALLW,            /* likewise */
    DN_CALL_REDUCE_SCATTER,       /* list: each rank's */
    /* Communicators: `comm` is the parent, `made` the handle of the new one. */
    DN_CALL_COMM_DUP,
    DN_CALL_COMM_SPLIT,  /* color (DN_ANY: none), key */
    DN_CALL_COMM_CREATE, /* list: the new one's ranks in its order, as ranks of the parent; called
                            by all of the parent (comm_create), also by those not in the list */
    DN_CALL_COMM_GROUP,  /* the same called by those in the list only (comm_create_group) */
    DN_CALL_COMM_FREE,   /* comm */
    DN_CALLS,
} DnCall;

typedef enum {
    DN_TRACE_NONBLOCKING = 1, /* a collective that is waited for by its request */
    DN_TRACE_SYNCHRONOUS = 2, /* ssend: kept for reports */
    DN_TRACE_ORDERED = 4,     /* a reduction whose operation does not commute */
    DN_TRACE_IN_PLACE = 8,    /* MPI_IN_PLACE */
    DN_TRACE_SLEEP = 16,      /* compute: a time that no processor's speed changes */
} DnTraceFlags;

/* Handles of communicators are the reader's (MPI's own will do), a rank's own affair, and may be
 * used again after COMM_FREE. These two are there from the start: */
#define DN_TRACE_WORLD 0u
#define DN_TRACE_SELF 1u
#define DN_TRACE_NO_COMM DN_ANY /* `made` when the rank is in none of the new ones */

/* An edge of a graph: operation @op of the same rank, counted from 0 in the order of adding, must
 * be over, or (start) have begun. */
typedef struct {
    guint32 op;
    gboolean start;
} DnTraceDep;

typedef struct {
    guint8 call;  /* DnCall */
    guint8 flags; /* DnTraceFlags */
    guint16 cpu;  /* graphs: computations of one cpu go one after the other */
    guint32 comm; /* handle; in cursors: number within the rank, for dn_trace_comm() */
    guint32 made; /* handle of a new communicator; in cursors as comm */
    guint32 peer; /* rank in comm; DN_ANY: any source. MPI_PROC_NULL: leave the call out */
    guint32 tag;  /* DN_ANY: any */
    guint32 from, from_tag;
    guint32 root;
    guint32 color, key;
    gint64 bytes, recv_bytes;
    gint64 duration_ps; /* compute; of a collective: local work that ends it */
    guint64 request;    /* the reader's handle, unique among a rank's live ones; in cursors: a small
                           number, used again after its end */
    guint64 at;         /* line (text) or byte (binary), for messages */
    guint32 n_list;
    const gint64 *list; /* requests, sizes or ranks; of a cursor: till its next step */
    guint32 n_deps;
    const DnTraceDep *deps; /* graphs */
} DnTraceOp;

const char *dn_call_name(DnCall call); /* "isend" */

/* ---- what a reader does ---- */

typedef struct DnTraceSink DnTraceSink;

typedef struct {
    const char *name;   /* `format:` */
    const char *source; /* where the format is described */
    const char *limits; /* what is passed over; or NULL */
    gboolean graph;
    gboolean killed;  /* a rank may end without finalize, wherever its program was killed */
    gboolean flops;   /* computations are counts of operations: 1 ns each as read */
    const char *unit; /* what `at` counts: "line", "byte" */
    /* Recognises the format by the first @n bytes, unpacked, of the file @path (none of a
     * folder). */
    gboolean (*recognise)(const char *path, const guint8 *head, gsize n);
    /* FALSE + `file:line: what` or `file: byte 1234: what`, made by dn_trace_error(). */
    gboolean (*read)(const char *path, DnTraceSink *sink, GError **error);
} DnTraceReader;

extern const DnTraceReader *const dn_trace_readers[]; /* NULL-terminated, generated */

/* Sets the file from which operations of @rank come from now on, for messages. Rank DN_ANY: for
 * all. */
void dn_trace_sink_file(DnTraceSink *sink, guint32 rank, const char *path);
/* Makes at least @ranks ranks, though some may do nothing; FALSE when they are more than
 * can be. */
gboolean dn_trace_sink_ranks(DnTraceSink *sink, guint32 ranks, GError **error);
/* FALSE + error: more ranks than can be. Makes none, unlike dn_trace_sink_ranks(). */
gboolean dn_trace_sink_allows(const DnTraceSink *sink, guint32 ranks, GError **error);
/* @rank is from the start in a communicator of @n @ranks of MPI_COMM_WORLD, which all of them hand
 * in; those of the same ranks in the same order. @at: where it is said or used. */
gboolean dn_trace_sink_comm(DnTraceSink *sink, guint32 rank, guint32 handle, const gint64 *ranks,
                            guint32 n, guint64 at, GError **error);
gboolean dn_trace_add(DnTraceSink *sink, guint32 rank, const DnTraceOp *op, GError **error);
/* Sets @error at @at of @rank's file: (sink, rank, at, error, format, ...). Is FALSE, and the
 * compiler knows. */
#define dn_trace_error(...) (dn_trace_set_error(__VA_ARGS__), FALSE)
void dn_trace_set_error(const DnTraceSink *sink, guint32 rank, guint64 at, GError **error,
                        const char *format, ...) G_GNUC_PRINTF(5, 6);
/* The same at @column, from 1 on, of line @at: (sink, rank, at, column, error, format, ...). */
#define dn_trace_error_column(...) (dn_trace_set_error_column(__VA_ARGS__), FALSE)
void dn_trace_set_error_column(const DnTraceSink *sink, guint32 rank, guint64 at, gsize column,
                               GError **error, const char *format, ...) G_GNUC_PRINTF(6, 7);

/* Notes what a replay will leave out, once for each text; programs pass the notes on to their
 * reports. */
void dn_trace_note(const DnTraceSink *sink, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* ---- the store ---- */

/* A communicator that exists: members in order. */
typedef struct {
    guint32 n;
    guint32 *ranks;  /* [n] of the job; NULL: all, in order */
    guint32 context; /* apart for any two that share ranks (of 2,046 made one after the other) */
} DnTraceComm;

typedef struct DnTraceStore DnTraceStore;
typedef struct {
    const DnTraceReader *reader;
    char *path;
    guint32 ranks;
    guint64 ops;
    guint64 calls[DN_CALLS];
    guint32 most_outstanding; /* non-blocking collectives of a rank at once */
    guint32 n_comms;
    DnTraceComm *comms; /* [n_comms] 0: world */
    GPtrArray *notes;   /* char *: what a replay leaves out */
    DnTraceStore *store;
    gint refs; /* atomic; only read once it is open */
} DnTrace;

/* (transfer full). @format: a reader's name, or "auto" or NULL: by content. gzip and zstd are read
 * as they are. */
DnTrace *dn_trace_open(const char *path, const char *format,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* As dn_trace_open(); the trace that this opened last is not read again while its file is the same
 * and nobody asks which files are read (base/input_files.h): a run opens its trace for the number
 * of its ranks, for the check, for itself and for each run beside it. */
DnTrace *dn_trace_open_again(const char *path, const char *format,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
DnTrace *dn_trace_open_with(const char *path, const DnTraceReader *reader,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* A trace that @fill makes up; @reader: its facts, without functions. */
DnTrace *dn_trace_fill(const char *path, const DnTraceReader *reader,
                       gboolean (*fill)(const char *path, DnTraceSink *sink, gpointer data,
                                        GError **error),
                       gpointer data, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_trace_free(DnTrace *trace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnTrace, dn_trace_free)

/* The communicator of @number in @rank's operations, *@me: the rank's place in it. */
const DnTraceComm *dn_trace_comm(const DnTrace *trace, guint32 rank, guint32 number, guint32 *me);
guint32 dn_trace_comm_numbers(const DnTrace *trace, guint32 rank); /* 0 .. this - 1 */
static inline guint32 dn_trace_world_rank(const DnTraceComm *comm, guint32 rank)
{
    return comm->ranks ? comm->ranks[rank] : rank;
}

/* One rank's operations from the first on. Cursors of different ranks may run on different
 * threads. */
typedef struct DnTraceCursor DnTraceCursor;
DnTraceCursor *dn_trace_cursor_new(const DnTrace *trace, guint32 rank);
void dn_trace_cursor_rewind(DnTraceCursor *cursor);
/* FALSE: at the end. */
gboolean dn_trace_cursor_next(DnTraceCursor *cursor, DnTraceOp *op);
void dn_trace_cursor_free(DnTraceCursor *cursor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnTraceCursor, dn_trace_cursor_free)

/* "file.txt:12" or "file.bin: byte 1234" (transfer full). */
char *dn_trace_where(const DnTrace *trace, guint32 rank, guint64 at);

/* ---- the program ----
 * `workload: {type: trace, file: ..., format: auto, algorithm: ..., compute_scale: ...}`. Each of
 * its DnOps carries `call`, the DnCall it belongs to, and `at`: what a rank does in stream 0
 * between two calls is computation, so the time stream 0 spends under an op's `call` is the time
 * in that MPI call. A collective runs in a stream of its own, which stream 0 awaits under the
 * call's name (a non-blocking one at its wait). */
/* The trace behind a program of type `trace`; NULL of another. */
const DnTrace *dn_trace_of_program(const DnProgram *program);
typedef struct {
    DnCall call;
    const char *name;               /* of the algorithm; static */
    guint32 ranks;                  /* of the communicator */
    guint64 calls;                  /* of all ranks: `ranks` of them are one collective */
    gint64 least_bytes, most_bytes; /* as the algorithm sees them, DnCollCall.bytes */
} DnTraceAlgorithm;
/* (transfer full): DnTraceAlgorithm of what the ranks in this process have run so far, by call,
 * size of the communicator and bytes; NULL of a program that replays no trace. */
GArray *dn_trace_algorithms(const DnProgram *program);
/* (transfer full): a program of an open @trace (taken over, even on error); @map: its keys, as in a
 * run; `file` is not looked at; @machine: what libraries detect, borrowed, or NULL. */
DnProgram *dn_trace_program(DnTrace *trace, const DnConfigNode *map, const DnCollMachine *machine,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* ---- writers: any program, not only traces; collectives come out as their messages ---- */

typedef struct {
    const char *name; /* "ti", "goal", "goal_binary" */
    const char *source;
    const char *limits;    /* what it cannot say; or NULL */
    const char *extension; /* ".txt" */
    /* Writes to @path whole or not at all. */
    gboolean (*write)(const DnProgram *program, const char *path, GError **error);
} DnTraceWriter;

extern const DnTraceWriter *const dn_trace_writers[]; /* NULL-terminated, generated */
const DnTraceWriter *dn_trace_writer_find(const char *name);

/* An output file: PATH.part is written, and becomes PATH at the end. */
typedef struct {
    FILE *stream;
    char *path, *part;
    gboolean nameless; /* as long as it is not whole */
} DnTraceFile;
gboolean dn_trace_file_begin(DnTraceFile *file, const char *path, GError **error);
gboolean dn_trace_file_end(DnTraceFile *file, GError **error);
