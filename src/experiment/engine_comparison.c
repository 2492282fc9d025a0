/* engine_comparison.c - see engine_comparison.h. */
#include "experiment/engine_comparison.h"
#include "experiment/experiment.h"
#include "experiment/job_times.h"
#include "experiment/worker_pool.h"
#include "workload/collective.h"

#include <math.h>
#include <string.h>

const char *const dn_compared_engines[DN_COMPARED_ENGINES] = {"packet", "flow", "bound"};

static void compared_job_clear(gpointer data)
{
    g_free(((DnComparedJob *)data)->name);
}

void dn_engine_comparison_free(DnEngineComparison *c)
{
    if (c == NULL)
        return;
    for (guint e = 0; e < DN_COMPARED_ENGINES; e++)
        g_clear_pointer(&c->plans[e], dn_plan_free);
    g_array_unref(c->jobs);
    g_free(c);
}

static gboolean make_plans(DnEngineComparison *c, const char *file, const char *const *set,
                           GError **error)
{
    for (guint e = 0; e < DN_COMPARED_ENGINES; e++) {
        g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
        for (guint i = 0; set != NULL && set[i] != NULL; i++)
            g_ptr_array_add(all, g_strdup(set[i]));
        g_ptr_array_add(all, g_strconcat("engine=", dn_compared_engines[e], NULL));
        g_ptr_array_add(all, NULL);
        c->plans[e] = dn_plan_new(file, (const char *const *)all->pdata, error);
        if (c->plans[e] == NULL)
            return FALSE;
    }
    return TRUE;
}

/* FALSE + error: the run measures a steady state. */
static gboolean has_iterations(const DnPlan *plan, GError **error)
{
    const DnConfigNode *measure = dn_config_get(plan->sweep->root, "measure");
    if (measure == NULL || dn_config_is_empty(measure))
        return TRUE;
    dn_config_error(measure, DN_ERROR_COMBINATION, error,
                    "measure: engines are compared by times of iterations, which a steady state "
                    "does not have; allowed: a run without `measure`");
    return FALSE;
}

DnEngineComparison *dn_engine_comparison_new(const char *file, const char *const *set,
                                             GError **error)
{
    g_autoptr(DnEngineComparison) c = g_new0(DnEngineComparison, 1);
    c->jobs = g_array_new(FALSE, FALSE, sizeof(DnComparedJob));
    g_array_set_clear_func(c->jobs, compared_job_clear);
    return make_plans(c, file, set, error) && has_iterations(c->plans[0], error)
               ? g_steal_pointer(&c)
               : NULL;
}

/* Computes the differences of flow and packet, and of either from the bound. */
static void engine_comparison_judge(DnEngineComparison *c, const double *us)
{
    if (isnan(us[DN_COMPARED_PACKET]) || isnan(us[DN_COMPARED_FLOW]) ||
        isnan(us[DN_COMPARED_BOUND]) || us[DN_COMPARED_PACKET] <= 0.0)
        return;
    c->compared++;
    c->apart_percent =
        MAX(c->apart_percent, 100.0 * fabs(us[DN_COMPARED_FLOW] / us[DN_COMPARED_PACKET] - 1.0));
    if (us[DN_COMPARED_BOUND] <= 0.0)
        return;
    double least = MIN(us[DN_COMPARED_PACKET], us[DN_COMPARED_FLOW]);
    c->better_percent = MAX(c->better_percent, 100.0 * (1.0 - least / us[DN_COMPARED_BOUND]));
}

/* Returns the fewest links that one of the job's GPUs has to other endpoints, when all are in one
 * node; else 0. */
static guint32 fewest_links(const DnGraph *g, const DnJobResult *job)
{
    guint32 fewest = G_MAXUINT32;
    for (guint32 i = 0; i < job->ranks; i++) {
        guint32 v = g->endpoints[job->endpoints[i]], links = 0;
        for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++) {
            const DnLink *link = &g->links[g->ports[p]];
            links += g->vertices[link->dst].endpoint ? link->width : 0;
        }
        fewest = MIN(fewest, links);
        if (g->vertices[v].node != g->vertices[g->endpoints[job->endpoints[0]]].node)
            return 0;
    }
    return fewest;
}

typedef struct {
    DnEngineComparison *comparison;
    const DnComparisonHow *how;
    GVariant **answers; /* [points] */
} CompareRun;

/* ---- in the process that simulates a point ---- */

#define JOB_TYPE "(sxduuddd)"

/* A worker can report a time and packet hops; the upper bits of the hops carry the engine. */
#define ENGINE_SHIFT 60

static gboolean report_engines(void *data, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    const DnComparedEngine *engine = data;
    (void)events;
    return dn_worker_pool_report(now_ps, packet_hops | (guint64)*engine << ENGINE_SHIFT);
}

/* Sets *@us to the bound of job @j of @spec alone, the mean of its repetitions. */
static gboolean bound_alone(const DnRunSpec *spec, const DnRunOptions *options,
                            DnNetworkCache *cache, guint j, double *us, GError **error)
{
    DnRunOptions isolated = *options;
    isolated.isolated_job = j + 1;
    *us = 0.0;
    for (guint r = 0; r < spec->repeat; r++) {
        DnRunSpec one = *spec;
        one.seed += r;
        g_autoptr(DnRunResult) alone = dn_simulate(&one, &isolated, cache, error);
        if (alone == NULL)
            return FALSE;
        *us += dn_bound_us(alone, j) / spec->repeat;
    }
    return TRUE;
}

/* Sets @us, [n_jobs], to the bounds of the jobs. The links of @all, the result of all of them on
 * engine `bound`, do not tell which job loaded them. */
static gboolean bound_jobs(const DnRunSpec *spec, const DnRunOptions *options,
                           DnNetworkCache *cache, const DnRunResult *all, double *us,
                           GError **error)
{
    gboolean single = all->n_jobs == 1 && spec->background == NULL && spec->repeat == 1;
    for (guint j = 0; j < all->n_jobs; j++) {
        double alone_us = single ? dn_bound_us(all, j) : 0.0;
        us[j] = dn_mean_us(&all->jobs[j]);
        if (!single && !spec->jobs[j].background &&
            !bound_alone(spec, options, cache, j, &alone_us, error))
            return FALSE;
        us[j] = isnan(us[j]) ? NAN : fmax(us[j], alone_us);
    }
    return TRUE;
}

/* Returns a DnComparedJob without its point, as a dictionary. */
static GVariant *job_answer(DnRunResult *const *results, guint j, double bound_us)
{
    const DnJobResult *job = &results[DN_COMPARED_PACKET]->jobs[j];
    const DnGraph *g = results[DN_COMPARED_PACKET]->machine->graph;
    gboolean alltoall = dn_workload_is(job->workload, DN_COLL_ALLTOALL) && job->ranks > 1 &&
                        job->communicator_ranks == job->ranks;
    return g_variant_new(JOB_TYPE, job->name, job->bytes, job->goodput_bytes, job->ranks,
                         alltoall ? fewest_links(g, job) : 0, dn_mean_us(job),
                         dn_mean_us(&results[DN_COMPARED_FLOW]->jobs[j]), bound_us);
}

/* Its jobs, and the CPU time of each engine. */
static GVariant *point_answer(DnRunResult *const *results, const double *bound_us)
{
    GVariantBuilder jobs;
    GVariantDict answer;
    double cpu_s[DN_COMPARED_ENGINES];
    g_variant_builder_init(&jobs, G_VARIANT_TYPE("a" JOB_TYPE));
    for (guint j = 0; j < results[DN_COMPARED_PACKET]->n_jobs; j++)
        g_variant_builder_add_value(&jobs, job_answer(results, j, bound_us[j]));
    for (guint e = 0; e < DN_COMPARED_ENGINES; e++)
        cpu_s[e] = results[e]->engine.cpu_s;
    g_variant_dict_init(&answer, NULL);
    g_variant_dict_insert_value(&answer, "jobs", g_variant_builder_end(&jobs));
    g_variant_dict_insert_value(&answer, "cpu_s",
                                g_variant_new_fixed_array(G_VARIANT_TYPE_DOUBLE, cpu_s,
                                                          DN_COMPARED_ENGINES, sizeof *cpu_s));
    return g_variant_dict_end(&answer);
}

static GVariant *compare_point(void *data, guint point, GError **error)
{
    const CompareRun *run = data;
    const DnEngineComparison *c = run->comparison;
    DnComparedEngine engine = DN_COMPARED_PACKET;
    const DnRunOptions options = {.threads = run->how->threads,
                                  .progress = {.call = report_engines, .data = &engine}};
    DnRunResult *results[DN_COMPARED_ENGINES] = {NULL};
    g_autofree double *bound_us = NULL;
    gboolean ok = TRUE;
    for (guint e = 0; ok && e < DN_COMPARED_ENGINES; e++) {
        g_autoptr(DnRunSpec) spec = dn_plan_spec(c->plans[e], point, error);
        engine = e;
        if (spec != NULL)
            results[e] = dn_experiment_run(spec, &options, c->plans[e]->networks, error);
        ok = results[e] != NULL;
        if (ok && e == DN_COMPARED_BOUND) {
            bound_us = g_new0(double, results[e]->n_jobs);
            ok = bound_jobs(spec, &options, c->plans[e]->networks, results[e], bound_us, error);
        }
        if (!ok)
            g_prefix_error(error, "engine %s, point %u: ", dn_compared_engines[e], point + 1);
    }
    GVariant *answer = ok ? point_answer(results, bound_us) : NULL;
    for (guint e = 0; e < DN_COMPARED_ENGINES; e++)
        dn_run_result_free(results[e]);
    return answer;
}

/* ---- in the caller ---- */

static gboolean keep_answer(void *data, guint point, GVariant *answer, GError **error)
{
    const CompareRun *run = data;
    const DnComparisonHow *how = run->how;
    run->answers[point] = g_variant_ref(answer);
    return how->done == NULL || how->done(how->data, point, dn_worker_pool_item_cpu_s(), error);
}

static gboolean point_goes_on(void *data, guint point, gint64 now_ps, guint64 packet_hops,
                              GError **error)
{
    const DnComparisonHow *how = ((const CompareRun *)data)->how;
    DnComparedEngine engine = (DnComparedEngine)(packet_hops >> ENGINE_SHIFT);
    packet_hops &= (G_GUINT64_CONSTANT(1) << ENGINE_SHIFT) - 1;
    return how->progress == NULL || how->progress(how->data, point, engine, now_ps, packet_hops,
                                                  dn_worker_pool_item_cpu_s(), error);
}

static void add_point(DnEngineComparison *c, guint point, GVariant *answer)
{
    g_autoptr(GVariantIter) jobs = NULL;
    g_autoptr(GVariant) times = g_variant_lookup_value(answer, "cpu_s", G_VARIANT_TYPE("ad"));
    gsize n = 0;
    const double *cpu_s = times != NULL ? g_variant_get_fixed_array(times, &n, sizeof *cpu_s)
                                        : NULL;
    for (guint e = 0; e < n && e < DN_COMPARED_ENGINES; e++)
        c->cpu_s[e] += cpu_s[e];
    g_variant_lookup(answer, "jobs", "a" JOB_TYPE, &jobs);
    DnComparedJob row = {.point = point};
    while (jobs != NULL &&
           g_variant_iter_next(jobs, JOB_TYPE, &row.name, &row.bytes, &row.goodput_bytes,
                               &row.ranks, &row.node_links, &row.us[DN_COMPARED_PACKET],
                               &row.us[DN_COMPARED_FLOW], &row.us[DN_COMPARED_BOUND])) {
        engine_comparison_judge(c, row.us);
        g_array_append_val(c->jobs, row);
    }
}

gboolean dn_engine_comparison_run(DnEngineComparison *c, const DnComparisonHow *how, GError **error)
{
    guint n = c->plans[DN_COMPARED_PACKET]->sweep->n_points;
    g_autofree guint *points = g_new(guint, n);
    g_autofree GVariant **answers = g_new0(GVariant *, n);
    CompareRun run = {.comparison = c, .how = how, .answers = answers};
    const DnWorkerTask task = {
        .work = compare_point, .done = keep_answer, .progress = point_goes_on, .data = &run};
    for (guint p = 0; p < n; p++)
        points[p] = p;
    gboolean ok = dn_worker_pool_run(points, n, how->jobs, &task, error);
    for (guint p = 0; p < n; p++) {
        if (ok)
            add_point(c, p, answers[p]);
        g_clear_pointer(&answers[p], g_variant_unref);
    }
    return ok;
}
