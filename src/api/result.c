/* result.c - runs and their results in the public interface. */
#include "api/api_internal.h"
#include "experiment/experiment.h"
#include "report/json_list_file.h"
#include "report/run_rows.h"
#include <string.h>

#define LINKS_PER_POINT 256

struct darner_result {
    darner_table *jobs, *links, *nics;
    char *summary;
};

/* What the progress callback of one point needs. */
typedef struct {
    const darner_options *options;
    size_t point, points;
} Progress;

static gboolean progress_report(void *data, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    const Progress *p = data;
    (void)events;
    (void)packet_hops;
    return p->options->progress(p->options->progress_data, p->point, p->points,
                                (double)now_ps / 1e12) == 0;
}

/* Options of the caller's version of the structure: what it lacks stays at its default. */
static darner_options options_read(const darner_options *given)
{
    darner_options options = {0};
    if (given != NULL)
        memcpy(&options, given, MIN(given->size, sizeof options));
    if (options.links == 0)
        options.links = LINKS_PER_POINT;
    return options;
}

/* What the points of a run have in common, and what they yielded so far. */
typedef struct {
    const darner_spec *spec;
    const darner_options *options;
    DnNetworkCache *cache;
    DnRunRows *rows;
    DnJsonListFile *summary;
} Run;

static gboolean run_point(const Run *run, guint point, GError **problem)
{
    g_autoptr(DnRunSpec) point_spec = dn_sweep_spec(run->spec->sweep, point, problem);
    if (point_spec == NULL)
        return FALSE;
    const darner_options *options = run->options;
    Progress progress = {.options = options, .point = point, .points = run->spec->sweep->n_points};
    const DnRunOptions run_options = {
        .engine = options->engine,
        .threads = options->threads,
        .progress = {.call = options->progress != NULL ? progress_report : NULL,
                     .data = &progress}};
    g_autoptr(DnRunResult)
        result = dn_experiment_run(point_spec, &run_options, run->cache, problem);
    if (result == NULL)
        return FALSE;
    dn_run_rows_add(run->rows, point, result);
    g_autoptr(JsonNode)
        summary = dn_run_rows_summary_point(run->rows, point, point_spec, result, NULL);
    dn_json_list_file_add(run->summary, summary);
    return TRUE;
}

static gboolean check_engine(const char *engine, GError **problem)
{
    if (engine == NULL || dn_engine_find(engine) != NULL)
        return TRUE;
    g_autofree char *shown = dn_quote(engine);
    g_set_error(problem, DN_ERROR, DN_ERROR_UNKNOWN,
                "unknown engine %s; known: packet, flow, bound", shown);
    return FALSE;
}

static darner_result *result_new(const Run *run)
{
    g_autoptr(JsonNode) head = dn_run_rows_summary_head(run->rows);
    darner_result *result = g_new0(darner_result, 1);
    result->jobs = dn_api_table_of_csv(run->rows->results->str);
    result->links = dn_api_table_of_csv(run->rows->links->str);
    result->nics = dn_api_table_of_csv(run->rows->nics->str);
    result->summary = dn_json_list_file_text(run->summary, head, "points");
    return result;
}

darner_result *darner_run(const darner_spec *spec, const darner_options *given,
                          darner_error **error)
{
    const darner_options options = options_read(given);
    g_autoptr(DnNetworkCache) cache = dn_network_cache_new();
    g_autoptr(DnRunRows) rows = dn_run_rows_new(spec->name, spec->sweep, options.links);
    g_autoptr(DnJsonListFile) summary = dn_json_list_file_new();
    const Run run = {
        .spec = spec, .options = &options, .cache = cache, .rows = rows, .summary = summary};
    GError *problem = NULL;
    gboolean ok = check_engine(options.engine, &problem);
    for (guint p = 0; ok && p < spec->sweep->n_points; p++)
        ok = run_point(&run, p, &problem);
    if (ok)
        return result_new(&run);
    dn_api_error_give(error, problem);
    return NULL;
}

const darner_table *darner_result_table(const darner_result *result, const char *name)
{
    if (strcmp(name, "jobs") == 0)
        return result->jobs;
    if (strcmp(name, "links") == 0)
        return result->links;
    return strcmp(name, "nics") == 0 ? result->nics : NULL;
}

const char *darner_result_summary(const darner_result *result)
{
    return result->summary;
}

void darner_result_free(darner_result *result)
{
    if (result == NULL)
        return;
    darner_table_free(result->jobs);
    darner_table_free(result->links);
    darner_table_free(result->nics);
    g_free(result->summary);
    g_free(result);
}
