/* result.c - runs and their results in the public interface. */
#include "api/api_internal.h"
#include "experiment/sweep_run.h"
#include "report/json_list_file.h"
#include "report/run_rows.h"
#include <string.h>

#define LINKS_PER_POINT 256

struct darner_result {
    darner_table *jobs, *links, *nics;
    char *summary;
};

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

/* State shared by the points of a run, and their results so far. */
typedef struct {
    const darner_spec *spec;
    const darner_options *options;
    DnRunRows *rows;
    DnJsonListFile *summary;
    guint point; /* the one that runs */
} Run;

static void point_begin(void *data, guint point, const DnRunSpec *spec)
{
    (void)spec;
    ((Run *)data)->point = point;
}

static gboolean point_progress(void *data, gint64 now_ps, guint64 packet_hops, GError **problem)
{
    const Run *run = data;
    const darner_options *options = run->options;
    (void)packet_hops;
    (void)problem;
    return options->progress(options->progress_data, run->point, run->spec->sweep->n_points,
                             (double)now_ps / 1e12) == 0;
}

static gboolean point_end(void *data, guint point, const DnRunSpec *spec, const DnRunResult *result,
                          const DnRunOptions *options, GError **problem)
{
    const Run *run = data;
    (void)options;
    (void)problem;
    dn_run_rows_add(run->rows, point, result);
    g_autoptr(JsonNode) summary = dn_run_rows_summary_point(run->rows, point, spec, result, NULL);
    dn_json_list_file_add(run->summary, summary);
    return TRUE;
}

/* Without its size a structure says nothing, and what its members ask for would be passed over. */
static gboolean check_size(const darner_options *given, GError **problem)
{
    static const darner_options none = {0};
    if (given == NULL || given->size != 0 || memcmp(given, &none, sizeof none) == 0)
        return TRUE;
    g_set_error(problem, DN_ERROR, DN_ERROR_MISSING,
                "options: size is 0; wanted: sizeof(darner_options)");
    return FALSE;
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

static gboolean check_threads(guint threads, GError **problem)
{
    if (threads <= DN_MAX_THREADS)
        return TRUE;
    g_set_error(problem, DN_ERROR, DN_ERROR_RANGE, "threads: %u; allowed: 0 to %d", threads,
                DN_MAX_THREADS);
    return FALSE;
}

static darner_result *result_new(const Run *run)
{
    g_autoptr(JsonNode) head = dn_run_rows_summary_head(run->rows);
    darner_result *result = g_new0(darner_result, 1);
    result->jobs = dn_api_table_of_csv(run->rows->text[DN_ROWS_RESULTS]->str);
    result->links = dn_api_table_of_csv(run->rows->text[DN_ROWS_LINKS]->str);
    result->nics = dn_api_table_of_csv(run->rows->text[DN_ROWS_NICS]->str);
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
    Run run = {.spec = spec, .options = &options, .rows = rows, .summary = summary};
    const DnSweepSink sink = {.begin = point_begin,
                              .progress = options.progress != NULL ? point_progress : NULL,
                              .end = point_end,
                              .data = &run};
    const DnRunOptions how = {.engine = options.engine, .threads = options.threads};
    GError *problem = NULL;
    guint done = 0;
    if (check_size(given, &problem) && check_engine(options.engine, &problem) &&
        check_threads(options.threads, &problem) &&
        dn_sweep_run(spec->sweep, cache, &how, &sink, &done, &problem))
        return result_new(&run);
    dn_api_error_give(error, problem);
    return NULL;
}

const darner_table *darner_result_table(const darner_result *result, const char *name)
{
    if (g_strcmp0(name, "jobs") == 0)
        return result->jobs;
    if (g_strcmp0(name, "links") == 0)
        return result->links;
    return g_strcmp0(name, "nics") == 0 ? result->nics : NULL;
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
