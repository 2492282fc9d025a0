/* flow_schedule.c - flow sets whose flows have a size, a start and flows before them of their own.
 *
 * Each flow has a stream at either end: the receives of a rank first, then its sends. A stream of a
 * send awaits an event for each flow before it, then `start`, sends and waits. The flow before it
 * ends where the next one begins: it has arrived there, or (a flow of the same source) has left. */
#include "workload/flow_set.h"

/* Lists for each flow those that wait for it. */
static void schedule_invert(DnFlowSet *set)
{
    set->then_first = g_new0(guint32, set->n_flows + 1);
    guint32 all = 0;
    for (guint32 f = 0; f < set->n_flows; f++) {
        all += set->flows[f].n_after;
        for (guint32 i = 0; i < set->flows[f].n_after; i++)
            set->then_first[set->after[set->flows[f].after_first + i] + 1]++;
    }
    for (guint32 f = 0; f < set->n_flows; f++)
        set->then_first[f + 1] += set->then_first[f];
    set->then = g_new(guint32, MAX(1, all));
    g_autofree guint32 *next = g_memdup2(set->then_first, (set->n_flows + 1) * sizeof *next);
    for (guint32 f = 0; f < set->n_flows; f++)
        for (guint32 i = 0; i < set->flows[f].n_after; i++)
            set->then[next[set->after[set->flows[f].after_first + i]]++] = f;
}

gboolean dn_flow_schedule_init(DnProgram *program, const DnParams *params, GArray *flows,
                               GArray *after, GError **error)
{
    double bytes = 0;
    for (guint32 i = 0; i < flows->len; i++)
        bytes += (double)g_array_index(flows, DnFlow, i).bytes;
    dn_flow_set_init(program, params, flows, bytes);
    DnFlowSet *set = program->data;
    set->scheduled = TRUE;
    set->after = (guint32 *)(gpointer)g_array_free(after, FALSE);
    schedule_invert(set);
    guint32 most = 1;
    for (guint32 r = 0; r < program->ranks; r++)
        most = MAX(most, set->in_first[r + 1] - set->in_first[r] + set->out_first[r + 1] -
                             set->out_first[r]);
    program->streams = most;
    if (most <= DN_STREAMS)
        return TRUE;
    dn_params_error(params, "flows", DN_ERROR_RANGE, error,
                    "%u flows begin or end at one rank; a schedule allows %u", most, DN_STREAMS);
    return FALSE;
}

/* The @step-th signal of flow @f's end for flows that begin there: where it arrived, or where it
 * left. FALSE: no more. Of a flow that both ends see, its arrival counts. */
static gboolean signal_next(const DnFlowSet *set, guint32 f, gboolean arrived, guint32 step,
                            DnOp *op)
{
    for (guint32 i = set->then_first[f]; i < set->then_first[f + 1]; i++) {
        const DnFlow *flow = &set->flows[f], *then = &set->flows[set->then[i]];
        if ((then->src == flow->dst) != arrived || step-- > 0)
            continue;
        *op = (DnOp){.kind = DN_OP_SIGNAL, .tag = set->then[i]};
        return TRUE;
    }
    return FALSE;
}

static gboolean receive_next(const DnFlowSet *set, guint32 f, guint32 step, DnOp *op)
{
    const DnFlow *flow = &set->flows[f];
    if (step == 0)
        *op = (DnOp){.kind = DN_OP_RECV, .peer = flow->src, .tag = f, .bytes = flow->bytes};
    else if (step == 1)
        *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
    else
        return signal_next(set, f, TRUE, step - 2, op);
    return TRUE;
}

static gboolean send_next(const DnFlowSet *set, guint32 f, guint32 step, DnOp *op)
{
    const DnFlow *flow = &set->flows[f];
    if (step < flow->n_after)
        *op = (DnOp){.kind = DN_OP_AWAIT, .tag = f};
    else if (step == flow->n_after)
        *op = (DnOp){.kind = DN_OP_COMPUTE, .duration_ps = flow->start_ps};
    else if (step == flow->n_after + 1)
        *op = (DnOp){.kind = DN_OP_SEND,
                     .peer = flow->dst,
                     .tag = f,
                     .bytes = flow->bytes,
                     .flags = DN_OP_NONBLOCKING};
    else if (step == flow->n_after + 2)
        *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
    else
        return signal_next(set, f, FALSE, step - flow->n_after - 3, op);
    return TRUE;
}

gboolean dn_flow_schedule_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    const DnFlowSet *set = program->data;
    guint32 n_in = set->in_first[rank + 1] - set->in_first[rank];
    guint32 n_out = set->out_first[rank + 1] - set->out_first[rank];
    guint32 s = cursor->stream;
    if (s >= n_in + n_out)
        return FALSE;
    guint32 step = cursor->step++;
    return s < n_in ? receive_next(set, set->in[set->in_first[rank] + s], step, op)
                    : send_next(set, set->out[set->out_first[rank] + s - n_in], step, op);
}
