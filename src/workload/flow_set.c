/* flow_set.c - see flow_set.h. */
#include "workload/flow_set.h"

#include <string.h>

const char *const dn_flow_issue_choices[] = {"rank", "host", NULL};

/* Counting sort of flow indices by one end. */
static void flow_set_group(const DnFlowSet *set, guint32 ranks, gboolean by_source, guint32 **first,
                           guint32 **items)
{
    *first = g_new0(guint32, ranks + 1);
    *items = g_new(guint32, set->n_flows);
    for (guint32 i = 0; i < set->n_flows; i++)
        (*first)[(by_source ? set->flows[i].src : set->flows[i].dst) + 1]++;
    for (guint32 r = 0; r < ranks; r++)
        (*first)[r + 1] += (*first)[r];
    g_autofree guint32 *next = g_new(guint32, ranks + 1);
    memcpy(next, *first, (ranks + 1) * sizeof *next);
    for (guint32 i = 0; i < set->n_flows; i++)
        (*items)[next[by_source ? set->flows[i].src : set->flows[i].dst]++] = i;
}

gboolean dn_flow_set_count(const DnProgram *program, const DnParams *params, const char *key,
                           guint32 most, guint32 *count, GError **error)
{
    gint64 wanted = dn_params_int(params, key);
    *count = wanted == 0 ? most : (guint32)wanted;
    if (wanted <= most)
        return TRUE;
    dn_params_error(params, key, DN_ERROR_RANGE, error, "a job of %u ranks has at most %u %s",
                    program->ranks, most, key);
    return FALSE;
}

void dn_flow_set_init(DnProgram *program, const DnParams *params, GArray *flows,
                      double goodput_bytes)
{
    DnFlowSet *set = g_new0(DnFlowSet, 1);
    set->n_flows = flows->len;
    set->flows = (DnFlow *)(gpointer)g_array_free(flows, FALSE);
    for (guint32 i = 0; i < set->n_flows; i++)
        g_assert(set->flows[i].src < program->ranks && set->flows[i].dst < program->ranks);
    flow_set_group(set, program->ranks, TRUE, &set->out_first, &set->out);
    flow_set_group(set, program->ranks, FALSE, &set->in_first, &set->in);
    set->bytes = dn_params_int(params, "bytes");
    set->host_issue = dn_params_int(params, "issue") == 1;
    set->issue_gap_ps = dn_params_int(params, "issue_gap");
    set->goodput_bytes = goodput_bytes;
    program->data = set;
    program->bytes = set->bytes;
    program->apart = TRUE;
}

void dn_flow_set_free(DnProgram *program)
{
    DnFlowSet *set = program->data;
    if (!set)
        return;
    g_free(set->flows);
    g_free(set->out_first);
    g_free(set->out);
    g_free(set->in_first);
    g_free(set->in);
    g_free(set->after);
    g_free(set->then_first);
    g_free(set->then);
    g_free(set);
}

/* Issues of other ranks between this rank's flow @k (index into out) and its previous one. */
static guint32 issues_before(const DnFlowSet *set, guint32 rank, guint32 k)
{
    if (k == set->out_first[rank])
        return set->out[k];
    return set->out[k] - set->out[k - 1] - 1;
}

/* Operation @step of a rank's receiving: a receive, or the wait after every set->at_once. */
static void flow_set_receive(const DnFlowSet *set, guint32 rank, guint32 step, DnOp *op)
{
    guint32 turn = set->at_once > 0 ? set->at_once : set->n_flows;
    *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
    if (step % (turn + 1) == turn)
        return;
    guint32 flow = set->in[set->in_first[rank] + step / (turn + 1) * turn + step % (turn + 1)];
    *op =
        (DnOp){.kind = DN_OP_RECV, .peer = set->flows[flow].src, .tag = flow, .bytes = set->bytes};
}

/* cursor->step counts the operations of receiving, then sends, then the wait; then comes the
 * barrier. cursor->a: the gap before the send has been waited for. The tag is the flow's index:
 * flows of equal ends stay apart. */
gboolean dn_flow_set_next(const DnProgram *program, guint32 rank, DnCursor *cursor, DnOp *op)
{
    const DnFlowSet *set = program->data;
    if (set->scheduled)
        return dn_flow_schedule_next(program, rank, cursor, op);
    guint32 n_in = set->in_first[rank + 1] - set->in_first[rank];
    guint32 n_out = set->out_first[rank + 1] - set->out_first[rank];
    guint32 step = cursor->step;
    if (set->at_once > 0)
        n_in += n_in / set->at_once;
    if (step < n_in) {
        flow_set_receive(set, rank, step, op);
    } else if (step < n_in + n_out) {
        guint32 k = set->out_first[rank] + step - n_in;
        guint32 before = set->host_issue ? issues_before(set, rank, k) : 0;
        if (before > 0 && set->issue_gap_ps > 0 && !cursor->a) {
            cursor->a = 1;
            *op = (DnOp){.kind = DN_OP_COMPUTE, .duration_ps = before * set->issue_gap_ps};
            return TRUE;
        }
        cursor->a = 0;
        *op = (DnOp){.kind = DN_OP_SEND,
                     .peer = set->flows[set->out[k]].dst,
                     .tag = set->out[k],
                     .bytes = set->bytes,
                     .flags = DN_OP_NONBLOCKING};
    } else if (step == n_in + n_out && (step > 0 || set->barrier.n > 0)) {
        *op = (DnOp){.kind = DN_OP_WAIT, .request = DN_ANY};
    } else {
        return set->barrier.n > 0 && dn_coll_next(&set->barrier, rank, cursor, op);
    }
    cursor->step++;
    return TRUE;
}

double dn_flow_set_bytes_moved(const DnProgram *program)
{
    const DnFlowSet *set = program->data;
    if (set->scheduled)
        return set->goodput_bytes;
    return (double)set->n_flows * (double)set->bytes;
}

double dn_flow_set_goodput_bytes(const DnProgram *program)
{
    const DnFlowSet *set = program->data;
    return set->goodput_bytes;
}
