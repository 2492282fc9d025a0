/* explain.c - `darner explain OUT/RUN`: why an iteration took as long as it did, whose packets were
 * ahead, and what to change first.
 *
 * The run is made again, once to find the iteration, once to look at it (runtime/critical_path.h),
 * and once for each change that could help, with that ideal: what the path owes to a thing is the
 * most that a better one can save, as long as no other path takes its place; the run says what it
 * does save. LIMITATIONS: with finite buffers and adaptive routing packets take other turns and
 * ways in the run with something ideal, so it may also save more than the path's share. */
#include "commands/explain.h"
#include "commands/commands.h"
#include "base/interrupt.h"
#include "experiment/run_origin.h"
#include "experiment/experiment.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#define TIMES_THE_WORK 10
#define LEAST_WORK 10000000u
#define TRIED 5           /* changes at most */
#define LEAST_SHARE 0.005 /* of the iteration: what saves less is not tried */

typedef struct {
    char *job;
    int point, iteration, top, threads;
    gboolean no_reruns;
} Options;

static gint64 begin_of(const DnRunSpec *spec, const DnRunResult *result, guint j, guint32 iteration)
{
    return iteration == 0 ? spec->jobs[j].start_ps : result->jobs[j].end_ps[iteration - 1];
}

static gint64 length_of(const DnRunSpec *spec, const DnRunResult *result, guint j,
                        guint32 iteration)
{
    return result->jobs[j].end_ps[iteration] - begin_of(spec, result, j, iteration);
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
    g_autofree char *shown = dn_quote(name);
    g_autofree char *tail = dn_suggest(name, (const char *const *)names->pdata, "known");
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "--job: unknown job %s%s", shown, tail);
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
        times[i] = length_of(x->spec, x->result, j, i);
        if (times[i] > times[x->slowest])
            x->slowest = i;
    }
    qsort(times, n, sizeof *times, compare_times);
    x->median_ps = times[(n - 1) / 2] + (times[n / 2] - times[(n - 1) / 2]) / 2;
}

static gboolean explain_choose(DnExplanation *x, const Options *options, GError **error)
{
    guint j = 0;
    if (!find_job(x->spec, options->job, &j, error))
        return FALSE;
    guint32 n = x->result->jobs[j].n_iterations;
    if (n == 0 || (guint)options->iteration > n) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    n == 0 ? "job %s has no complete iteration to explain"
                           : "--iteration: job %s has iterations 1 to %u",
                    x->spec->jobs[j].name, n);
        return FALSE;
    }
    look_over(x, j);
    guint32 i = options->iteration > 0 ? (guint32)options->iteration - 1 : x->slowest;
    dn_critical_path_query_init(&x->query, j, i, begin_of(x->spec, x->result, j, i),
                                x->result->jobs[j].end_ps[i]);
    return TRUE;
}

/* ---- what could help ---- */

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
    const DnBreakdownRow *rows = dn_delay_breakdown_rows(x->query.path, &n);
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
    const DnBreakdownRow *rows = dn_delay_breakdown_rows(x->query.path, &n);
    for (guint i = 0; i < n; i++)
        if (rows[i].kind == DN_BREAKDOWN_NETWORK && dn_delay_is_contention(rows[i].span.kind) &&
            rows[i].span.job != x->query.job)
            sum += rows[i].span.ps;
    return sum;
}

static gint explain_more(gconstpointer a, gconstpointer b)
{
    const Change *x = a, *y = b;
    return (y->advice.most_ps > x->advice.most_ps) - (y->advice.most_ps < x->advice.most_ps);
}

/* (transfer full): what the path could do without, the largest first. */
static GArray *changes_of(const DnExplanation *x)
{
    const DnDelayBreakdown *path = x->query.path;
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
    add_change(changes, x, g_strdup("Keeping other jobs' packets out of the way"),
               waits_for_others(x), (Change){.alone = TRUE});
    add_classes(changes, x);
    g_array_sort(changes, explain_more);
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
    guint j = x->query.job;
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
    if (result->jobs[j].n_iterations > x->query.iteration)
        change->advice.rerun_ps = length_of(x->spec, result, j, x->query.iteration);
    return TRUE;
}

static gboolean explain_advise(DnExplanation *x, const DnRunOptions *options, gboolean reruns,
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
    return ok;
}

/* ---- the command ---- */

static void advice_clear(gpointer advice)
{
    g_free(((DnAdvice *)advice)->what);
}

static gboolean can_explain(const DnRunSpec *spec, const char *folder, GError **error)
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

static guint32 *iterations_of(const DnRunResult *result)
{
    guint32 *iterations = g_new(guint32, result->n_jobs);
    for (guint j = 0; j < result->n_jobs; j++)
        iterations[j] = result->jobs[j].iterations;
    return iterations;
}

static gboolean explain_file(const DnRunOrigin *origin, DnExplanation *x, const Options *options,
                             GError **error)
{
    static const DnRunObserver nothing = {0}; /* all runs are alike */
    DnRunOptions how = {.threads = (guint)options->threads,
                        .no_slowdown = TRUE,
                        .observer = &nothing,
                        .progress = {.call = dn_interrupt_progress}};
    g_autoptr(DnNetworkCache) networks = dn_network_cache_new();
    g_autoptr(DnRunResult) result = dn_experiment_run(x->spec, &how, networks, error);
    if (result == NULL)
        return FALSE;
    for (guint i = 0; i < result->warnings->len; i++)
        g_printerr("warning: %s\n", (const char *)g_ptr_array_index(result->warnings, i));
    x->result = result;
    if (!explain_choose(x, options, error))
        return FALSE;
    const DnRunObserver observer = {.critical_path = &x->query};
    g_autofree guint32 *iterations = iterations_of(result);
    how.iterations = iterations;
    how.observer = &observer;
    g_autoptr(DnRunResult) looked_at = dn_simulate(x->spec, &how, networks, error);
    how.observer = &nothing;
    if (looked_at == NULL)
        return FALSE;
    g_assert(x->query.found);
    if (!explain_advise(x, &how, !options->no_reruns, error) ||
        !dn_explain_write(x, origin->folder, error))
        return FALSE;
    g_autofree char *text = dn_explain_text(x, (guint)options->top);
    printf("%s\nwritten: %s/ explain.json blame.csv\n", text, origin->folder);
    return TRUE;
}

static gboolean run_explain(const char *folder, const Options *options, GError **error)
{
    g_autoptr(DnRunOrigin) origin = dn_run_origin_read(folder, error);
    if (origin == NULL)
        return FALSE;
    g_autoptr(DnRunSpec) spec = dn_run_origin_spec(origin, (guint)options->point, error);
    if (spec == NULL || !can_explain(spec, folder, error))
        return FALSE;
    if (g_access(folder, W_OK) != 0) { /* said now, not after the simulations */
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot write there: %s", folder,
                    g_strerror(errno));
        return FALSE;
    }
    DnExplanation x = {.spec = spec,
                       .run_name = origin->name != NULL ? origin->name : folder,
                       .point = (guint)options->point};
    x.advice = g_array_new(FALSE, FALSE, sizeof(DnAdvice));
    g_array_set_clear_func(x.advice, advice_clear);
    gboolean ok = explain_file(origin, &x, options, error);
    dn_critical_path_query_clear(&x.query);
    g_array_unref(x.advice);
    return ok;
}

static gboolean check_arguments(int argc, const Options *options, GError **error)
{
    const char *wrong = NULL;
    if (argc != 2)
        wrong = "one folder that a run wrote is wanted, e.g. darner explain out/quickstart";
    else if (options->point < 0)
        wrong = "--point is out of range; allowed: 0 or more";
    else if (options->iteration < 0)
        wrong = "--iteration is out of range; allowed: 1 or more";
    else if (options->top < 1 || options->top > 100000)
        wrong = "--top is out of range; allowed: 1 to 100000";
    else if (options->threads < 0 || options->threads > 256)
        wrong = "--threads is out of range; allowed: 1 to 256";
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s", wrong);
    return wrong == NULL;
}

int dn_command_explain(int argc, char **argv)
{
    Options options = {.top = 10};
    g_autofree char *job = NULL;
    const GOptionEntry entries[] = {
        {"point", 'p', 0, G_OPTION_ARG_INT, &options.point,
         "of a sweep, as results.csv numbers it (default: 0)", "N"},
        {"job", 'j', 0, G_OPTION_ARG_STRING, &job,
         "whose iteration (default: the first that is not background)", "NAME"},
        {"iteration", 'i', 0, G_OPTION_ARG_INT, &options.iteration,
         "which, from 1 on (default: the slowest)", "N"},
        {"top", 0, 0, G_OPTION_ARG_INT, &options.top,
         "rows of a table of waits (default: 10); blame.csv has all", "N"},
        {"no-reruns", 0, 0, G_OPTION_ARG_NONE, &options.no_reruns,
         "do not simulate the changes that could help", NULL},
        {"threads", 't', 0, G_OPTION_ARG_INT, &options.threads,
         "threads of the engine; results do not depend on it", "N"},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(
            &argc, &argv, entries, "OUT/RUN",
            "Runs it again and tells one iteration's critical path: computation, endpoints, "
            "injection, wire\nand waits, by link and lane; whose packets were ahead; and what to "
            "change first, each change\ntried with a run that has it ideal. Writes explain.json "
            "and blame.csv there.\nExit status: 0 done, 2 wrong input, 130 interrupted.",
            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    options.job = job;
    dn_interrupt_install();
    if (!check_arguments(argc, &options, &error) || !run_explain(argv[1], &options, &error))
        return dn_command_fail(error);
    return DN_EXIT_OK;
}
