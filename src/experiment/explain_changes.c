/* explain_changes.c - see explain_changes.h. */
#include "experiment/explain_changes.h"
#include "base/interrupt.h"

#define TIMES_THE_WORK 10
#define LEAST_WORK 10000000u
#define TRIED 5           /* changes at most */
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

/* A change may let jobs in the background, that wait for nothing, send without end. */
static gboolean progress_bounded(void *data, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    const guint64 *most = data;
    return !dn_interrupted() && events <= *most;
}

/* The same iteration with the change; not run when it takes far more work than the run itself. */
static gboolean try_change(const DnExplanation *x, const DnRunOptions *options, Change *change,
                           GError **error)
{
    guint j = x->critical_path.job;
    guint64 most = TIMES_THE_WORK * MAX(x->result->engine.events, LEAST_WORK);
    DnRunOptions changed = *options;
    changed.what_if = (DnWhatIf){.unlimited = change->unlimited, .link_class = change->link_class};
    changed.isolated_job = change->alone ? j + 1 : 0;
    changed.progress = (DnRunProgress){.call = progress_bounded, .data = &most};
    g_autoptr(GError) problem = NULL;
    g_autoptr(DnRunResult) result = dn_simulate(x->spec, &changed, NULL, &problem);
    if (result == NULL && g_error_matches(problem, DN_ERROR, DN_ERROR_INTERRUPTED) &&
        !dn_interrupted())
        return TRUE;
    if (result == NULL) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return FALSE;
    }
    if (result->jobs[j].n_iterations > x->critical_path.iteration)
        change->advice.rerun_ps =
            dn_iteration_length_ps(x->spec, result, j, x->critical_path.iteration);
    return TRUE;
}

/* What was simulated by the time that it saves; then the others, by their share. */
static gint explain_changes_better(gconstpointer a, gconstpointer b)
{
    const DnAdvice *x = a, *y = b;
    if ((x->rerun_ps < 0) != (y->rerun_ps < 0))
        return x->rerun_ps < 0 ? 1 : -1;
    if (x->rerun_ps != y->rerun_ps)
        return x->rerun_ps < y->rerun_ps ? -1 : 1;
    return (y->most_ps > x->most_ps) - (y->most_ps < x->most_ps);
}

gboolean dn_explain_changes(DnExplanation *x, const DnRunOptions *options, gboolean reruns,
                            GError **error)
{
    g_autoptr(GArray) changes = changes_of(x);
    gboolean ok = TRUE;
    for (guint i = 0; i < changes->len; i++) {
        Change *change = &g_array_index(changes, Change, i);
        ok = ok && (i >= TRIED || !reruns || try_change(x, options, change, error));
        if (i < TRIED)
            g_array_append_val(x->advice, change->advice);
        else
            g_free(change->advice.what);
    }
    g_array_sort(x->advice, explain_changes_better);
    return ok;
}
