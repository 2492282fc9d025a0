/* dag.c - see dag.h. */
#include "trace/dag.h"

void dn_dag_init(DnDag *dag, DnTraceSink *sink, GError **error)
{
    *dag = (DnDag){.sink = sink, .error = error};
    dag->ops = g_array_new(FALSE, FALSE, sizeof(DnTraceOp));
    dag->edges = g_array_new(FALSE, FALSE, sizeof(DnDagEdge));
}

void dn_dag_clear(DnDag *dag)
{
    g_array_unref(dag->ops);
    g_array_unref(dag->edges);
}

void dn_dag_begin(DnDag *dag, guint32 rank)
{
    dag->rank = rank;
    g_array_set_size(dag->ops, 0);
    g_array_set_size(dag->edges, 0);
}

guint32 dn_dag_add(DnDag *dag, const DnTraceOp *op)
{
    g_array_append_val(dag->ops, *op);
    return dag->ops->len - 1;
}

void dn_dag_edge(DnDag *dag, guint32 before, guint32 after, gboolean start)
{
    DnDagEdge edge = {before, after, start};
    g_array_append_val(dag->edges, edge);
}

/* Counting sort of the edges by one end: @first[v] .. @first[v + 1] - 1 in @order. */
static void sort_edges(const DnDag *dag, gboolean by_before, guint32 *first, guint32 *order)
{
    guint n = dag->ops->len, m = dag->edges->len;
    for (guint i = 0; i < m; i++) {
        const DnDagEdge *e = &g_array_index(dag->edges, DnDagEdge, i);
        first[(by_before ? e->before : e->after) + 1]++;
    }
    for (guint v = 0; v < n; v++)
        first[v + 1] += first[v];
    g_autofree guint32 *next = g_memdup2(first, (n + 1) * sizeof *first);
    for (guint i = 0; i < m; i++) {
        const DnDagEdge *e = &g_array_index(dag->edges, DnDagEdge, i);
        order[next[by_before ? e->before : e->after]++] = i;
    }
}

/* Takes operations away whose conditions are met (Kahn, CACM 5(11), 1962); what stays is in or
 * behind a circle. */
static gboolean check_circle(const DnDag *dag, const guint32 *first_in)
{
    guint n = dag->ops->len, taken = 0, known = 0;
    g_autofree guint32 *first = g_new0(guint32, n + 1);
    g_autofree guint32 *out = g_new(guint32, dag->edges->len + 1);
    g_autofree guint32 *left = g_new(guint32, n + 1), *queue = g_new(guint32, n + 1);
    sort_edges(dag, TRUE, first, out);
    for (guint v = 0; v < n; v++) {
        left[v] = first_in[v + 1] - first_in[v];
        if (left[v] == 0)
            queue[known++] = v;
    }
    for (; taken < known; taken++)
        for (guint32 i = first[queue[taken]]; i < first[queue[taken] + 1]; i++) {
            guint32 after = g_array_index(dag->edges, DnDagEdge, out[i]).after;
            if (--left[after] == 0)
                queue[known++] = after;
        }
    for (guint v = 0; known < n && v < n; v++)
        if (left[v] > 0)
            return dn_trace_error(dag->sink, dag->rank, g_array_index(dag->ops, DnTraceOp, v).at,
                                  dag->error,
                                  "rank %u: operations wait for each other in a circle: this one "
                                  "and %u more can never start",
                                  dag->rank, n - known - 1);
    return TRUE;
}

gboolean dn_dag_end(DnDag *dag)
{
    guint n = dag->ops->len;
    g_autofree guint32 *first = g_new0(guint32, n + 1);
    g_autofree guint32 *order = g_new(guint32, dag->edges->len + 1);
    g_autofree DnTraceDep *deps = g_new(DnTraceDep, dag->edges->len + 1);
    sort_edges(dag, FALSE, first, order);
    if (!check_circle(dag, first))
        return FALSE;
    for (guint v = 0; v < n; v++) {
        DnTraceOp op = g_array_index(dag->ops, DnTraceOp, v);
        op.n_deps = first[v + 1] - first[v];
        op.deps = deps;
        for (guint32 i = 0; i < op.n_deps; i++) {
            const DnDagEdge *e = &g_array_index(dag->edges, DnDagEdge, order[first[v] + i]);
            deps[i] = (DnTraceDep){e->before, e->start};
        }
        if (!dn_trace_add(dag->sink, dag->rank, &op, dag->error))
            return FALSE;
    }
    return TRUE;
}
