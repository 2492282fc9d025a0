/* engine_comparison.c - see engine_comparison.h. */
#include "experiment/engine_comparison.h"
#include "base/interrupt.h"
#include "experiment/experiment.h"
#include "experiment/job_times.h"
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

DnEngineComparison *dn_engine_comparison_new(const char *file, const char *const *set,
                                             GError **error)
{
    g_autoptr(DnEngineComparison) c = g_new0(DnEngineComparison, 1);
    c->jobs = g_array_new(FALSE, FALSE, sizeof(DnComparedJob));
    g_array_set_clear_func(c->jobs, compared_job_clear);
    return make_plans(c, file, set, error) ? g_steal_pointer(&c) : NULL;
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

/* Of the job's GPUs, if they are one node's: the fewest links that one has to others; else 0. */
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

static void add_job(DnEngineComparison *c, guint point, DnRunResult *const *results, guint j)
{
    const DnJobResult *job = &results[DN_COMPARED_PACKET]->jobs[j];
    const DnGraph *g = results[DN_COMPARED_PACKET]->machine->graph;
    gboolean alltoall = dn_workload_is(job->workload, DN_COLL_ALLTOALL) && job->ranks > 1;
    DnComparedJob row = {
        .point = point,
        .name = g_strdup(job->name),
        .bytes = job->bytes,
        .goodput_bytes = job->goodput_bytes,
        .ranks = job->ranks,
        .node_links = alltoall ? fewest_links(g, job) : 0,
        .us = {dn_mean_us(job), dn_mean_us(&results[DN_COMPARED_FLOW]->jobs[j]),
               dn_bound_us(results[DN_COMPARED_BOUND], j)},
    };
    engine_comparison_judge(c, row.us);
    g_array_append_val(c->jobs, row);
}

static gboolean compare_point(DnEngineComparison *c, guint point, const DnRunOptions *options,
                              GError **error)
{
    DnRunResult *results[DN_COMPARED_ENGINES] = {NULL};
    gboolean ok = TRUE;
    for (guint e = 0; ok && e < DN_COMPARED_ENGINES; e++) {
        g_autoptr(DnRunSpec) spec = dn_plan_spec(c->plans[e], point, error);
        if (spec != NULL)
            results[e] = dn_experiment_run(spec, options, c->plans[e]->networks, error);
        ok = results[e] != NULL;
        if (ok)
            c->cpu_s[e] += results[e]->engine.cpu_s;
        else
            g_prefix_error(error, "engine %s, point %u: ", dn_compared_engines[e], point + 1);
    }
    for (guint j = 0; ok && j < results[DN_COMPARED_PACKET]->n_jobs; j++)
        add_job(c, point, results, j);
    for (guint e = 0; e < DN_COMPARED_ENGINES; e++)
        dn_run_result_free(results[e]);
    return ok;
}

gboolean dn_engine_comparison_run(DnEngineComparison *c, guint threads, GError **error)
{
    const DnRunOptions options = {.threads = threads, .progress = {.call = dn_interrupt_progress}};
    for (guint p = 0; p < c->plans[DN_COMPARED_PACKET]->sweep->n_points; p++)
        if (!compare_point(c, p, &options, error))
            return FALSE;
    return TRUE;
}
