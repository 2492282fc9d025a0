/* explanation.c - see explanation.h. */
#include "experiment/explanation.h"
#include "experiment/experiment.h"
#include "experiment/explain_changes.h"

#include <stdlib.h>
#include <string.h>

static void advice_clear(gpointer advice)
{
    g_free(((DnAdvice *)advice)->what);
}

void dn_explanation_free(DnExplanation *x)
{
    if (x == NULL)
        return;
    dn_critical_path_query_clear(&x->critical_path);
    g_array_unref(x->advice);
    dn_run_result_free(x->result);
    dn_run_spec_free(x->own_spec);
    g_free(x);
}

gboolean dn_explanation_possible(const DnRunSpec *spec, const char *folder, GError **error)
{
    const char *wrong = NULL;
    if (!dn_engine_queues(spec->engine))
        wrong = "only the packet engine has queues to look into; run it with `--set engine=packet`";
    else if (spec->measure.node != NULL)
        wrong = "a steady state (`measure:`) has no iterations to explain; run it without";
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s: engine %s: %s", folder, spec->engine,
                    wrong);
    return wrong == NULL;
}

/* ---- which one ---- */

static gboolean find_job(const DnRunSpec *spec, const char *name, guint *found, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint j = 0; j < spec->n_jobs; j++) {
        if (name == NULL ? !spec->jobs[j].background : strcmp(spec->jobs[j].name, name) == 0) {
            *found = j;
            return TRUE;
        }
        g_ptr_array_add(names, spec->jobs[j].name);
    }
    g_ptr_array_add(names, NULL);
    g_autofree char *unknown = dn_unknown(name, (const char *const *)names->pdata, "known");
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "--job: unknown job %s", unknown);
    return FALSE;
}

static gint compare_times(gconstpointer a, gconstpointer b)
{
    gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;
    return (x > y) - (x < y);
}

/* The slowest iteration, the first of equals, and the median. */
static void look_over(DnExplanation *x, guint j)
{
    guint32 n = x->result->jobs[j].n_iterations;
    g_autofree gint64 *times = g_new(gint64, n);
    for (guint32 i = 0; i < n; i++) {
        times[i] = dn_iteration_length_ps(x->spec, x->result, j, i);
        if (times[i] > times[x->slowest])
            x->slowest = i;
    }
    qsort(times, n, sizeof *times, compare_times);
    x->median_ps = times[(n - 1) / 2] + (times[n / 2] - times[(n - 1) / 2]) / 2;
}

static gboolean explanation_choose(DnExplanation *x, const DnExplainQuery *query, GError **error)
{
    guint j = 0;
    if (!find_job(x->spec, query->job, &j, error))
        return FALSE;
    guint32 n = x->result->jobs[j].n_iterations;
    if (n == 0 || query->iteration > n) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    n == 0 ? "job %s has no complete iteration to explain"
                           : "--iteration: job %s has iterations 1 to %u",
                    x->spec->jobs[j].name, n);
        return FALSE;
    }
    look_over(x, j);
    guint32 i = query->iteration > 0 ? query->iteration - 1 : x->slowest;
    dn_critical_path_query_init(&x->critical_path, j, i,
                                dn_iteration_begin_ps(x->spec, x->result, j, i),
                                x->result->jobs[j].end_ps[i]);
    return TRUE;
}

static guint32 *iterations_of(const DnRunResult *result)
{
    guint32 *iterations = g_new(guint32, result->n_jobs);
    for (guint j = 0; j < result->n_jobs; j++)
        iterations[j] = result->jobs[j].iterations;
    return iterations;
}

/* The repetition that has the slowest iteration of job @j in the pooled @result. */
static guint slowest_repetition(const DnRunResult *result, guint j)
{
    const DnJobResult *job = &result->jobs[j];
    guint32 at = 0, slowest = 0;
    for (guint32 i = 1; i < job->n_iterations; i++)
        slowest = job->iteration_ps[i] > job->iteration_ps[slowest] ? i : slowest;
    for (guint r = 0; r < result->repetitions; r++) {
        at += job->per_repetition[r];
        if (slowest < at)
            return r;
    }
    return 0;
}

gboolean dn_explain_wants(const DnExplainQuery *query, const DnRunSpec *spec, guint run)
{
    if (run == DN_EXPLAIN_ALL)
        return query->repetition < 0 && spec->repeat > 1;
    return run < DN_EXPLAIN_CHANGES || !query->no_reruns;
}

/* Makes run @run of the explanation. */
static DnRunResult *explanation_run(const DnRunSpec *spec, DnRunOptions *how, guint run,
                                    DnNetworkCache *networks, DnExplainProgress *progress,
                                    GError **error)
{
    how->progress = dn_explain_progress_begin(progress, run, 0);
    g_autoptr(DnRunResult) result = run == DN_EXPLAIN_PATH
                                        ? dn_simulate(spec, how, networks, error)
                                        : dn_experiment_run(spec, how, networks, error);
    return dn_explain_progress_end(progress, result != NULL, error) ? g_steal_pointer(&result)
                                                                    : NULL;
}

/* Chooses the repetition that is asked for, which is then run alone. */
static gboolean choose_repetition(DnExplanation *x, const DnExplainQuery *query, DnRunOptions *how,
                                  DnNetworkCache *networks, DnExplainProgress *progress,
                                  GError **error)
{
    guint j = 0, r = (guint)MAX(query->repetition, 0);
    if (!find_job(x->spec, query->job, &j, error))
        return FALSE;
    if (r >= x->spec->repeat) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "--repetition: this run has repetitions 0 to %u", x->spec->repeat - 1);
        return FALSE;
    }
    if (dn_explain_wants(query, x->spec, DN_EXPLAIN_ALL)) {
        g_autoptr(DnRunResult)
            all = explanation_run(x->spec, how, DN_EXPLAIN_ALL, networks, progress, error);
        if (all == NULL)
            return FALSE;
        r = slowest_repetition(all, j);
    }
    x->repetition = r;
    if (x->spec->repeat > 1) {
        x->own_spec = dn_run_spec_repetition(x->spec, r, error);
        if (x->own_spec == NULL)
            return FALSE;
        x->spec = x->own_spec;
    }
    return TRUE;
}

static gboolean explanation_explain(DnExplanation *x, const DnExplainQuery *query, GError **error)
{
    DnRunOptions how = {.threads = query->threads, .no_slowdown = TRUE};
    DnExplainProgress progress = {.query = query};
    g_autoptr(DnNetworkCache) networks = dn_network_cache_new();
    if (!choose_repetition(x, query, &how, networks, &progress, error))
        return FALSE;
    x->result = explanation_run(x->spec, &how, DN_EXPLAIN_ONE, networks, &progress, error);
    if (x->result == NULL)
        return FALSE;
    for (guint i = 0; i < x->result->warnings->len; i++)
        g_printerr("warning: %s\n", (const char *)g_ptr_array_index(x->result->warnings, i));
    if (!explanation_choose(x, query, error))
        return FALSE;
    const DnRunObserver observer = {.critical_path = &x->critical_path};
    g_autofree guint32 *iterations = iterations_of(x->result);
    how.iterations = iterations;
    how.observer = &observer;
    g_autoptr(DnRunResult)
        looked_at = explanation_run(x->spec, &how, DN_EXPLAIN_PATH, networks, &progress, error);
    how.observer = NULL;
    if (looked_at == NULL)
        return FALSE;
    g_assert(x->critical_path.found);
    return dn_explain_changes(x, &how, &progress, error);
}

DnExplanation *dn_explanation_new(const DnRunSpec *spec, const char *run_name, guint point,
                                  const DnExplainQuery *query, GError **error)
{
    g_autoptr(DnExplanation) x = g_new0(DnExplanation, 1);
    x->spec = spec;
    x->run_name = run_name;
    x->point = point;
    x->advice = g_array_new(FALSE, FALSE, sizeof(DnAdvice));
    g_array_set_clear_func(x->advice, advice_clear);
    return explanation_explain(x, query, error) ? g_steal_pointer(&x) : NULL;
}
