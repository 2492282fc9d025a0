/* explain_changes.c - see explain_changes.h. */
#include "experiment/explain_changes.h"
#include "base/cpu_clock.h"
#include "base/interrupt.h"

#define TIMES_THE_WORK 10
#define LEAST_WORK 10000000u
#define LEAST_SHARE 0.005 /* of the iteration: what saves less is not tried */

gint64 dn_iteration_begin_ps(const DnRunSpec *spec, const DnRunResult *result, guint j,
                             guint32 iteration)
{
    return iteration == 0 ? spec->jobs[j].start_ps : result->jobs[j].end_ps[iteration - 1];
}

gint64 dn_iteration_length_ps(const DnRunSpec *spec, const DnRunResult *result, guint j,
                              guint32 iteration)
{
    return result->jobs[j].end_ps[iteration] - dn_iteration_begin_ps(spec, result, j, iteration);
}

gint64 dn_breakdown_sum(const DnDelayBreakdown *breakdown, DnBreakdownKind kind, DnDelayKind span)
{
    guint n;
    gint64 sum = 0;
    const DnBreakdownRow *rows = dn_delay_breakdown_rows(breakdown, &n);
    for (guint i = 0; i < n; i++) {
        gboolean asked = kind == DN_BREAKDOWN_KINDS || rows[i].kind == kind;
        if (asked && (span == DN_DELAY_KINDS ||
                      (rows[i].kind == DN_BREAKDOWN_NETWORK && rows[i].span.kind == span)))
            sum += rows[i].span.ps;
    }
    return sum;
}

typedef struct {
    DnAdvice advice;
    guint unlimited;
    const char *link_class;
    gboolean alone;
} Change;

static void add_change(GArray *changes, const DnExplanation *x, char *what, gint64 most_ps,
                       Change how)
{
    how.advice = (DnAdvice){.what = what, .most_ps = most_ps, .rerun_ps = -1};
    if ((double)most_ps >= LEAST_SHARE * (double)dn_explained_ps(x) && most_ps > 0)
        g_array_append_val(changes, how);
    else
        g_free(what);
}

/* The class whose links, were they faster, would let a part of the path pass. */
static guint32 limiting_class(const DnGraph *graph, const DnDelaySpan *span)
{
    guint32 link = span->kind == DN_DELAY_CREDIT && span->root != DN_NONE ? span->root : span->link;
    gboolean bound = span->kind == DN_DELAY_SERIAL || dn_delay_is_contention(span->kind);
    return bound && link != DN_NONE ? graph->links[link].link_class : DN_NONE;
}

static void add_classes(GArray *changes, const DnExplanation *x)
{
    const DnGraph *graph = x->result->machine->graph;
    g_autofree gint64 *sums = g_new0(gint64, graph->n_classes + 1);
    guint n;
    const DnBreakdownRow *rows = dn_delay_breakdown_rows(x->critical_path.path, &n);
    for (guint i = 0; i < n; i++) {
        guint32 c = rows[i].kind == DN_BREAKDOWN_NETWORK ? limiting_class(graph, &rows[i].span)
                                                         : DN_NONE;
        if (c != DN_NONE)
            sums[c] += rows[i].span.ps;
    }
    for (guint32 c = 0; c < graph->n_classes; c++) {
        const char *name = graph->classes[c].name;
        add_change(changes, x, g_strdup_printf("Raising the bandwidth of links '%s'", name),
                   sums[c], (Change){.unlimited = DN_WHAT_IF_BANDWIDTH, .link_class = name});
    }
}

static gint64 waits_for_others(const DnExplanation *x)
{
    guint n;
    gint64 sum = 0;
    const DnBreakdownRow *rows = dn_delay_breakdown_rows(x->critical_path.path, &n);
    for (guint i = 0; i < n; i++)
        if (rows[i].kind == DN_BREAKDOWN_NETWORK && dn_delay_is_contention(rows[i].span.kind) &&
            rows[i].span.job != x->critical_path.job)
            sum += rows[i].span.ps;
    return sum;
}

static gint explain_changes_more(gconstpointer a, gconstpointer b)
{
    const Change *x = a, *y = b;
    return (y->advice.most_ps > x->advice.most_ps) - (y->advice.most_ps < x->advice.most_ps);
}

/* (transfer full): the changes that could shorten the path, the largest share first. */
static GArray *changes_of(const DnExplanation *x)
{
    const DnDelayBreakdown *path = x->critical_path.path;
    GArray *changes = g_array_new(FALSE, FALSE, sizeof(Change));
    add_change(changes, x, g_strdup("Faster computation, copies and reductions"),
               dn_breakdown_sum(path, DN_BREAKDOWN_COMPUTE, DN_DELAY_KINDS),
               (Change){.unlimited = DN_WHAT_IF_COMPUTE});
    add_change(changes, x, g_strdup("A mechanism that costs less at the endpoints"),
               dn_breakdown_sum(path, DN_BREAKDOWN_ENDPOINT, DN_DELAY_KINDS),
               (Change){.unlimited = DN_WHAT_IF_ENDPOINT});
    add_change(changes, x, g_strdup("Raising the rate at which messages are injected"),
               dn_breakdown_sum(path, DN_BREAKDOWN_NETWORK, DN_DELAY_INJECT),
               (Change){.unlimited = DN_WHAT_IF_INJECTION});
    add_change(changes, x, g_strdup("Shortening the latency of links and switches"),
               dn_breakdown_sum(path, DN_BREAKDOWN_NETWORK, DN_DELAY_LATENCY),
               (Change){.unlimited = DN_WHAT_IF_LATENCY});
    add_change(changes, x, g_strdup("Keeping other jobs' packets away"), waits_for_others(x),
               (Change){.alone = TRUE});
    add_classes(changes, x);
    g_array_sort(changes, explain_changes_more);
    return changes;
}

/* Reports progress. FALSE: interrupted, or beyond most_events, as under a change jobs in the
 * background may send without end. */
static gboolean explain_goes_on(void *data, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    DnExplainProgress *p = data;
    const DnExplainQuery *query = p->query;
    return !dn_interrupted() && (p->most_events == 0 || events <= p->most_events) &&
           (query->progress == NULL || query->progress(query->data, p->run, now_ps, packet_hops,
                                                       dn_cpu_clock_s() - p->begun_s, &p->error));
}

DnRunProgress dn_explain_progress_begin(DnExplainProgress *p, guint run, guint64 most_events)
{
    p->run = run;
    p->begun_s = dn_cpu_clock_s();
    p->most_events = most_events;
    return (DnRunProgress){.call = explain_goes_on, .data = p};
}

gboolean dn_explain_progress_end(DnExplainProgress *p, gboolean ok, GError **error)
{
    const DnExplainQuery *query = p->query;
    if (ok && p->error == NULL && query->done != NULL)
        (void)query->done(query->data, p->run, dn_cpu_clock_s() - p->begun_s, &p->error);
    if (p->error == NULL)
        return ok;
    g_clear_error(error);
    g_propagate_error(error, g_steal_pointer(&p->error));
    return FALSE;
}

/* The same iteration with the change; not run when it takes far more work than the run itself. */
static gboolean try_change(const DnExplanation *x, const DnRunOptions *options,
                           DnExplainProgress *progress, guint run, Change *change, GError **error)
{
    guint j = x->critical_path.job;
    guint64 most = TIMES_THE_WORK * MAX(x->result->engine.events, LEAST_WORK);
    DnRunOptions changed = *options;
    changed.what_if = (DnWhatIf){.unlimited = change->unlimited, .link_class = change->link_class};
    changed.isolated_job = change->alone ? j + 1 : 0;
    changed.progress = dn_explain_progress_begin(progress, run, most);
    g_autoptr(GError) problem = NULL;
    g_autoptr(DnRunResult) result = dn_simulate(x->spec, &changed, NULL, &problem);
    gboolean stopped = result == NULL && progress->error == NULL && !dn_interrupted() &&
                       g_error_matches(problem, DN_ERROR, DN_ERROR_INTERRUPTED);
    if (!dn_explain_progress_end(progress, result != NULL || stopped, &problem)) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    if (result != NULL && result->jobs[j].n_iterations > x->critical_path.iteration)
        change->advice.rerun_ps =
            dn_iteration_length_ps(x->spec, result, j, x->critical_path.iteration);
    return TRUE;
}

/* Orders simulated changes by the time they save, before the others by their share. */
static gint explain_changes_better(gconstpointer a, gconstpointer b)
{
    const DnAdvice *x = a, *y = b;
    if ((x->rerun_ps < 0) != (y->rerun_ps < 0))
        return x->rerun_ps < 0 ? 1 : -1;
    if (x->rerun_ps != y->rerun_ps)
        return x->rerun_ps < y->rerun_ps ? -1 : 1;
    return (y->most_ps > x->most_ps) - (y->most_ps < x->most_ps);
}

gboolean dn_explain_changes(DnExplanation *x, const DnRunOptions *options,
                            DnExplainProgress *progress, GError **error)
{
    g_autoptr(GArray) changes = changes_of(x);
    gboolean reruns = !progress->query->no_reruns, ok = TRUE;
    for (guint i = 0; i < changes->len; i++) {
        Change *change = &g_array_index(changes, Change, i);
        ok = ok && (i >= DN_EXPLAIN_TRIED || !reruns ||
                    try_change(x, options, progress, DN_EXPLAIN_CHANGES + i, change, error));
        if (i < DN_EXPLAIN_TRIED)
            g_array_append_val(x->advice, change->advice);
        else
            g_free(change->advice.what);
    }
    g_array_sort(x->advice, explain_changes_better);
    return ok;
}
