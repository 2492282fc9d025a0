/* write_goal.c - GOAL schedules, as text and as LogGOPSim's binary file (goal.c, goal_binary.c say
 * how they look). Computations are whole nanoseconds there; what rounding leaves is carried on to
 * the rank's next one. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "trace/to_dag.h"

/* The graph to write: the trace's own, or what @program comes down to. *@made is to be freed. */
static const DnTrace *graph_of(const DnProgram *program, DnTrace **made, GError **error)
{
    const DnTrace *trace = dn_trace_of_program(program);
    gboolean plain = trace && trace->reader->graph;
    for (guint call = DN_CALL_BARRIER; plain && call < DN_CALLS; call++)
        plain = trace->calls[call] == 0;
    *made = plain ? NULL : dn_trace_to_dag(program, error);
    return plain ? trace : *made;
}

static gint64 whole_ns(gint64 ps, gint64 *rest_ps)
{
    gint64 all = ps + *rest_ps;
    *rest_ps = all % 1000;
    return all / 1000;
}

/* ---- text ---- */

static void write_op(FILE *file, guint32 k, const DnTraceOp *op, gint64 *rest_ps)
{
    if (op->call == DN_CALL_COMPUTE)
        fprintf(file, "l%u: calc %" G_GINT64_FORMAT, k, whole_ns(op->duration_ps, rest_ps));
    else if (op->peer == DN_ANY)
        fprintf(file, "l%u: recv %" G_GINT64_FORMAT "b from -1", k, MAX(0, op->bytes));
    else
        fprintf(file, "l%u: %s %" G_GINT64_FORMAT "b %s %u", k,
                op->call == DN_CALL_ISEND ? "send" : "recv", MAX(0, op->bytes),
                op->call == DN_CALL_ISEND ? "to" : "from", op->peer);
    if (op->call != DN_CALL_COMPUTE && op->tag == DN_ANY)
        fprintf(file, " tag -1");
    else if (op->call != DN_CALL_COMPUTE)
        fprintf(file, " tag %u", op->tag);
    fprintf(file, op->cpu > 0 ? " cpu %u\n" : "\n", op->cpu);
}

/* Labels must stand above what requires them, so the requirements of a rank come last. */
static void write_rank(FILE *file, const DnTrace *trace, guint32 r)
{
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, r);
    DnTraceOp op;
    gint64 rest_ps = 0;
    fprintf(file, "\nrank %u {\n", r);
    for (guint32 k = 0; dn_trace_cursor_next(cursor, &op); k++)
        write_op(file, k, &op, &rest_ps);
    dn_trace_cursor_rewind(cursor);
    for (guint32 k = 0; dn_trace_cursor_next(cursor, &op); k++)
        for (guint32 i = 0; i < op.n_deps; i++)
            fprintf(file, "l%u %s l%u\n", k, op.deps[i].start ? "irequires" : "requires",
                    op.deps[i].op);
    fprintf(file, "}\n");
}

static void write_text(FILE *file, const DnTrace *trace)
{
    fprintf(file, "num_ranks %u\n", trace->ranks);
    for (guint32 r = 0; r < trace->ranks; r++)
        write_rank(file, trace, r);
}

/* ---- binary ---- */

static void write_goal_put(FILE *file, guint64 value, guint bytes)
{
    for (; bytes-- > 0; value >>= 8)
        fputc((int)(value & 255), file);
}

typedef struct {
    guint32 n, edges, roots;
    guint32 *ends, *starts; /* [n + 1] where those that wait for an operation begin */
    guint32 *after_end, *after_start;
    guint cpu;
} Part;

static void count_rank(const DnTrace *trace, guint32 r, Part *part)
{
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, r);
    DnTraceOp op;
    *part = (Part){0};
    while (dn_trace_cursor_next(cursor, &op)) {
        part->n++;
        part->edges += op.n_deps;
        part->roots += op.n_deps == 0;
        part->cpu = MAX(part->cpu, op.cpu);
    }
}

static guint64 part_bytes(const Part *part)
{
    return 8 + 4 * (guint64)part->roots + 39 * (guint64)part->n + 4 * (guint64)part->edges;
}

static void sort_waiters(DnTraceCursor *cursor, Part *part)
{
    DnTraceOp op;
    part->ends = g_new0(guint32, part->n + 2);
    part->starts = g_new0(guint32, part->n + 2);
    part->after_end = g_new(guint32, part->edges + 1);
    part->after_start = g_new(guint32, part->edges + 1);
    while (dn_trace_cursor_next(cursor, &op))
        for (guint32 i = 0; i < op.n_deps; i++)
            (op.deps[i].start ? part->starts : part->ends)[op.deps[i].op + 2]++;
    for (guint32 v = 0; v < part->n; v++) {
        part->ends[v + 2] += part->ends[v + 1];
        part->starts[v + 2] += part->starts[v + 1];
    }
    dn_trace_cursor_rewind(cursor); /* [v + 1] is where the next one of v goes, then v's end */
    for (guint32 k = 0; dn_trace_cursor_next(cursor, &op); k++)
        for (guint32 i = 0; i < op.n_deps; i++) {
            DnTraceDep dep = op.deps[i];
            if (dep.start)
                part->after_start[part->starts[dep.op + 1]++] = k;
            else
                part->after_end[part->ends[dep.op + 1]++] = k;
        }
}

static void put_op(FILE *file, const DnTraceOp *op, const Part *part, guint32 k, gint64 *rest_ps)
{
    guint32 ends = part->ends[k + 1] - part->ends[k],
            starts = part->starts[k + 1] - part->starts[k];
    guint32 at = part->ends[k] + part->starts[k];
    gboolean compute = op->call == DN_CALL_COMPUTE;
    write_goal_put(file, op->n_deps, 4);
    write_goal_put(file, compute ? 3 : op->call == DN_CALL_ISEND ? 1 : 2, 1);
    write_goal_put(file, compute ? 0 : op->peer, 4);
    write_goal_put(file,
                   (guint64)(compute ? whole_ns(op->duration_ps, rest_ps) : MAX(0, op->bytes)), 8);
    write_goal_put(file, compute ? 0 : op->tag, 4);
    write_goal_put(file, op->cpu, 1);
    write_goal_put(file, 0, 1);
    write_goal_put(file, ends, 4);
    write_goal_put(file, at, 4);
    write_goal_put(file, starts, 4);
    write_goal_put(file, at + ends, 4);
}

static void put_rank(FILE *file, const DnTrace *trace, guint32 r)
{
    Part part;
    DnTraceOp op;
    gint64 rest_ps = 0;
    count_rank(trace, r, &part);
    g_autoptr(DnTraceCursor) cursor = dn_trace_cursor_new(trace, r);
    sort_waiters(cursor, &part);
    write_goal_put(file, part.n, 4);
    write_goal_put(file, part.roots, 4);
    dn_trace_cursor_rewind(cursor);
    for (guint32 k = 0; dn_trace_cursor_next(cursor, &op); k++)
        if (op.n_deps == 0)
            write_goal_put(file, k, 4);
    dn_trace_cursor_rewind(cursor);
    for (guint32 k = 0; dn_trace_cursor_next(cursor, &op); k++)
        put_op(file, &op, &part, k, &rest_ps);
    for (guint32 k = 0; k < part.n; k++) {
        for (guint32 i = part.ends[k]; i < part.ends[k + 1]; i++)
            write_goal_put(file, part.after_end[i], 4);
        for (guint32 i = part.starts[k]; i < part.starts[k + 1]; i++)
            write_goal_put(file, part.after_start[i], 4);
    }
    g_free(part.ends);
    g_free(part.starts);
    g_free(part.after_end);
    g_free(part.after_start);
}

static void write_binary(FILE *file, const DnTrace *trace)
{
    guint64 at = 6 + 16 * (guint64)trace->ranks;
    g_autofree Part *parts = g_new(Part, trace->ranks);
    guint cpu = 0;
    for (guint32 r = 0; r < trace->ranks; r++) {
        count_rank(trace, r, &parts[r]);
        cpu = MAX(cpu, parts[r].cpu);
    }
    write_goal_put(file, 4223, 8);
    write_goal_put(file, trace->ranks, 4);
    write_goal_put(file, MIN(cpu, 255), 1);
    write_goal_put(file, 0, 1);
    for (guint32 r = 0; r < trace->ranks; r++) {
        write_goal_put(file, at, 8);
        at += part_bytes(&parts[r]);
        write_goal_put(file, at, 8);
    }
    for (guint32 r = 0; r < trace->ranks; r++)
        put_rank(file, trace, r);
}

/* ---- either ---- */

static gboolean write_graph(const DnProgram *program, const char *path,
                            void (*write)(FILE *file, const DnTrace *trace), GError **error)
{
    g_autoptr(DnTrace) made = NULL;
    const DnTrace *trace = graph_of(program, &made, error);
    DnTraceFile file;
    if (!trace || !dn_trace_file_begin(&file, path, error))
        return FALSE;
    write(file.stream, trace);
    return dn_trace_file_end(&file, error);
}

static gboolean write_goal(const DnProgram *program, const char *path, GError **error)
{
    return write_graph(program, path, write_text, error);
}

static gboolean write_goal_binary(const DnProgram *program, const char *path, GError **error)
{
    return write_graph(program, path, write_binary, error);
}

extern const DnTraceWriter dn_trace_writer_goal, dn_trace_writer_goal_binary;
const DnTraceWriter dn_trace_writer_goal = {
    .name = "goal",
    .source = "LogGOPSim, src/LogGOPSim/txt2bin.re",
    .extension = ".goal",
    .write = write_goal,
};
const DnTraceWriter dn_trace_writer_goal_binary = {
    .name = "goal_binary",
    .source = "LogGOPSim, src/LogGOPSim/Parser.hpp",
    .extension = ".bin",
    .write = write_goal_binary,
};
