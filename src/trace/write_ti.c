/* write_ti.c - time-independent traces for `smpirun -replay`: all ranks in one file, in an order in
 * which the program can run; with sends that end when they are received, if it can run so. (What
 * counts on sends that end at once needs `--cfg=smpi/send-is-detached-thresh` above its sizes.)
 * Collectives come out as their messages, on whatever communicator. */
#include <stdio.h>

#include "trace/to_dag.h"
#include "trace/dry_run.h"

typedef struct {
    const DnProgram *program;
    FILE *file;
    GArray **wild; /* [ranks] guint32: who answered each receive from any, in order */
    guint *next;   /* [ranks] of those handed out */
} Ti;

/* Tags of collectives have the highest bit (collective_calls.c), which MPI's have not. */
static guint32 tag_of(guint32 tag)
{
    return tag < 0x80000000u ? tag : 0x40000000u | (tag & 0x3fffffffu);
}

static gboolean is_wild(const DnOp *op)
{
    return op->kind == DN_OP_RECV && op->peer == DN_ANY;
}

static guint64 write_ti_begin(gpointer data, guint32 r, guint32 s, const DnOp *op)
{
    Ti *t = data;
    guint32 peer = op->peer;
    if (is_wild(op))
        peer = g_array_index(t->wild[r], guint32, t->next[r]++);
    if (op->kind == DN_OP_COMPUTE)
        fprintf(t->file, "%u compute %.3f\n", r, (double)op->duration_ps / 1000);
    if (op->kind == DN_OP_SEND || op->kind == DN_OP_RECV)
        fprintf(t->file, "%u %s %u %u %" G_GINT64_FORMAT "\n", r,
                op->kind == DN_OP_SEND ? "isend" : "irecv", peer, tag_of(op->tag), op->bytes);
    return peer;
}

static void write_ti_waited(gpointer data, guint32 r, guint32 s, const DnOp *op, guint64 peer)
{
    const Ti *t = data;
    gboolean send = op->kind == DN_OP_SEND;
    fprintf(t->file, "%u wait %u %u %u\n", r, send ? r : (guint32)peer, send ? (guint32)peer : r,
            tag_of(op->tag));
}

/* The first run finds who answers receives from any. */
static guint64 begin_wild(gpointer data, guint32 r, guint32 s, const DnOp *op)
{
    const Ti *t = data;
    guint32 nobody = 0;
    if (!is_wild(op))
        return DN_ANY;
    g_array_append_val(t->wild[r], nobody);
    return t->wild[r]->len - 1;
}

static void matched_wild(gpointer data, guint32 r, guint64 word, guint32 source)
{
    const Ti *t = data;
    if (word != DN_ANY)
        g_array_index(t->wild[r], guint32, word) = source;
}

static gboolean write_all(Ti *t, const char *path, GError **error)
{
    DnDryRunResult result;
    DnTraceFile file;
    DnDryRunObserver look = {
        .data = t, .begin = begin_wild, .matched = matched_wild, .synchronous = TRUE};
    DnDryRunObserver write = {.data = t, .begin = write_ti_begin, .waited = write_ti_waited};
    dn_dry_run(t->program, &look, &result);
    if (result.blocked->len > 0) { /* it counts on sends that end before they are received */
        look.synchronous = FALSE;
        dn_dry_run_result_clear(&result);
        for (guint32 r = 0; r < t->program->ranks; r++)
            g_array_set_size(t->wild[r], 0);
        dn_dry_run(t->program, &look, &result);
    }
    write.synchronous = look.synchronous;
    gboolean ok = dn_trace_require_end(t->program, result.blocked, error);
    dn_dry_run_result_clear(&result);
    if (!ok || !dn_trace_file_begin(&file, path, error))
        return FALSE;
    t->file = file.stream;
    for (guint32 r = 0; r < t->program->ranks; r++)
        fprintf(t->file, "%u init\n", r);
    dn_dry_run(t->program, &write, &result);
    dn_dry_run_result_clear(&result);
    for (guint32 r = 0; r < t->program->ranks; r++)
        fprintf(t->file, "%u finalize\n", r);
    return dn_trace_file_end(&file, error);
}

static gboolean write_ti(const DnProgram *program, const char *path, GError **error)
{
    Ti t = {.program = program};
    t.wild = g_new(GArray *, program->ranks);
    t.next = g_new0(guint, program->ranks);
    for (guint32 r = 0; r < program->ranks; r++)
        t.wild[r] = g_array_new(FALSE, FALSE, sizeof(guint32));
    gboolean ok = write_all(&t, path, error);
    for (guint32 r = 0; r < program->ranks; r++)
        g_array_unref(t.wild[r]);
    g_free(t.wild);
    g_free(t.next);
    return ok;
}

extern const DnTraceWriter dn_trace_writer_ti;
const DnTraceWriter dn_trace_writer_ti = {
    .name = "ti",
    .limits =
        "a rank has one thread there, so what ran in several streams (non-blocking collectives) "
        "waits where it could first have ended; copies and reductions cost nothing. A receive from "
        "any is one from who answers it in that order. Computation is in flops of 1 ns",
    .source = "SimGrid, src/smpi/internals/smpi_replay.cpp",
    .extension = ".txt",
    .write = write_ti,
};
