/* matrix.c - see matrix.h. */
#include "trace/matrix.h"
#include "trace/to_dag.h"
#include "trace/dry_run.h"

#define MOST_CELLS 256

static guint32 cell_of(const DnTraceMatrix *m, guint32 rank)
{
    return (guint32)((guint64)rank * m->cells / m->ranks);
}

static guint64 matrix_count(gpointer data, guint32 r, guint32 s, const DnOp *op)
{
    DnTraceMatrix *m = data;
    if (op->kind == DN_OP_COMPUTE)
        m->computed_s += (double)op->duration_ps * 1e-12;
    if (op->kind != DN_OP_SEND)
        return 0;
    double bytes = (double)op->bytes;
    m->bytes[(gsize)cell_of(m, r) * m->cells + cell_of(m, op->peer)] += bytes;
    m->sent[r] += bytes;
    m->received[op->peer] += bytes;
    m->total += bytes;
    m->messages++;
    m->sizes[g_bit_storage((gulong)op->bytes) - (op->bytes == 0)]++;
    return 0;
}

gboolean dn_trace_matrix(const DnProgram *program, DnTraceMatrix *m, GError **error)
{
    *m = (DnTraceMatrix){.ranks = program->ranks, .cells = MIN(program->ranks, MOST_CELLS)};
    m->bytes = g_new0(double, (gsize)m->cells * m->cells);
    m->sent = g_new0(double, m->ranks);
    m->received = g_new0(double, m->ranks);
    DnDryRunObserver observer = {.data = m, .begin = matrix_count};
    DnDryRunResult result;
    dn_dry_run(program, &observer, &result);
    gboolean ok = dn_trace_require_end(program, result.blocked, error);
    dn_dry_run_result_clear(&result);
    for (guint64 i = 0; i < (guint64)m->cells * m->cells; i++)
        m->largest = MAX(m->largest, m->bytes[i]);
    return ok;
}

void dn_trace_matrix_clear(DnTraceMatrix *m)
{
    g_free(m->bytes);
    g_free(m->sent);
    g_free(m->received);
}
