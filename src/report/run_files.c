/* run_files.c - the files of a run, held in memory and replaced whole after every point. */
#include "report/run_files.h"
#include "base/csv.h"
#include "base/file.h"
#include "report/summary_json.h"
#include "base/version.h"
#include "experiment/experiment.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

struct DnRunFiles {
    char *dir, *run_name;
    char *file, **set;    /* what was run; or NULL */
    const DnSweep *sweep; /* borrowed; NULL without */
    guint n_points, done, links_per_point;
    double cpu_s;
    guint64 packet_hops, events;
    GString *results, *links, *nics;
    GPtrArray *points; /* JsonNode* */
    GPtrArray *timing; /* JsonNode* */
    GPtrArray *made;   /* folders that were not there before, outermost first */
    gboolean written;
};

static const char *const result_columns[] = {
    "job",
    "point",
    "workload",
    "ranks",
    "bytes",
    "iterations",
    "time_median_s",
    "time_q1_s",
    "time_q3_s",
    "time_min_s",
    "time_max_s",
    "time_mean_s",
    "time_ci_low_s",
    "time_ci_high_s",
    "goodput_bps",
    "messages",
    "latency_samples",
    "latency_median_s",
    "latency_p95_s",
    "latency_p99_s",
    "latency_max_s",
    "latency_mean_s",
    "end_s",
    "bottleneck",
    "bottleneck_busy",
    "offered_load",
    "accepted_load",
    "steady",
    "time_p5_s",
    "time_p95_s",
    "time_p99_s",
    "time_qcd",
    "time_outliers",
    "alone_median_s",
    "slowdown",
    "nic_latency_mean_s",
    "nic_stalled_cycles_per_flit",
    "packet_median_s",
    "packet_qcd",
    "network_median_s",
    "network_p95_s",
    "network_qcd",
    "model_correlation",
    "adaptive_share",
    "non_minimal_share",
    NULL,
};
static const char *const link_columns[] = {
    "point",  "link",      "name", "class",      "wire_bytes", "packets",
    "busy_s", "stalled_s", "busy", "lane_bytes", NULL,
};
static const char *const nic_columns[] = {
    "point",          "nic",       "request_packets", "request_flits",
    "stalled_cycles", "responses", "latency_sum_s",   NULL,
};

/* ps in s: twelve decimals lose nothing. */
#define TIME_DECIMALS 12

static gboolean file_error(GError **error, const char *path, const char *what, const char *why)
{
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot %s: %s; give another folder with -o",
                path, what, why);
    return FALSE;
}

static void add_header(GString *out, const DnSweep *sweep, const char *const *columns)
{
    for (guint k = 0; sweep != NULL && k < sweep->n_keys; k++)
        dn_csv_cell(out, sweep->keys[k]);
    for (; *columns != NULL; columns++)
        dn_csv_cell(out, *columns);
    dn_csv_end_row(out);
}

/* g_mkdir_with_parents(), remembering what it made. */
static gboolean make_folder(DnRunFiles *files, const char *dir, GError **error)
{
    if (g_file_test(dir, G_FILE_TEST_IS_DIR))
        return TRUE;
    g_autofree char *parent = g_path_get_dirname(dir);
    if (strcmp(parent, dir) != 0 && !make_folder(files, parent, error))
        return FALSE;
    if (g_mkdir(dir, 0777) != 0 && errno != EEXIST)
        return file_error(error, dir, "make the output folder", g_strerror(errno));
    if (!g_file_test(dir, G_FILE_TEST_IS_DIR))
        return file_error(error, dir, "write there", "it is not a folder");
    g_ptr_array_add(files->made, g_strdup(dir));
    return TRUE;
}

static gboolean try_folder(const char *dir, GError **error)
{
    g_autofree char *probe = g_build_filename(dir, ".darner-XXXXXX", NULL);
    int fd = g_mkstemp(probe);
    if (fd < 0)
        return file_error(error, dir, "write there", g_strerror(errno));
    close(fd);
    g_unlink(probe);
    static const char *const names[] = {"results.csv", "links.csv", "nics.csv", "summary.json",
                                        "timing.json"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(dir, names[i], NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            return file_error(error, path, "replace it", "it is a folder");
    }
    return TRUE;
}

DnRunFiles *dn_run_files_new(const char *dir, const char *run_name, const DnSweep *sweep,
                             guint links, GError **error)
{
    DnRunFiles *files = g_new0(DnRunFiles, 1);
    files->dir = g_strdup(dir);
    files->run_name = g_strdup(run_name);
    files->sweep = sweep;
    files->n_points = sweep != NULL ? sweep->n_points : 1;
    files->links_per_point = links;
    files->results = g_string_new(NULL);
    files->links = g_string_new(NULL);
    files->nics = g_string_new(NULL);
    files->points = g_ptr_array_new_with_free_func((GDestroyNotify)json_node_unref);
    files->timing = g_ptr_array_new_with_free_func((GDestroyNotify)json_node_unref);
    files->made = g_ptr_array_new_with_free_func(g_free);
    add_header(files->results, sweep, result_columns);
    add_header(files->links, sweep, link_columns);
    add_header(files->nics, sweep, nic_columns);
    if (!make_folder(files, dir, error) || !try_folder(dir, error)) {
        dn_run_files_abandon(files);
        dn_run_files_free(files);
        return NULL;
    }
    return files;
}

void dn_run_files_free(DnRunFiles *files)
{
    if (files == NULL)
        return;
    g_free(files->dir);
    g_free(files->run_name);
    g_free(files->file);
    g_strfreev(files->set);
    g_string_free(files->results, TRUE);
    g_string_free(files->links, TRUE);
    g_string_free(files->nics, TRUE);
    g_ptr_array_unref(files->points);
    g_ptr_array_unref(files->timing);
    g_ptr_array_unref(files->made);
    g_free(files);
}

void dn_run_files_abandon(DnRunFiles *files)
{
    if (files->written)
        return;
    for (guint i = files->made->len; i > 0; i--)
        g_rmdir(g_ptr_array_index(files->made, i - 1));
}

void dn_run_files_origin(DnRunFiles *files, const char *file, char *const *set)
{
    files->file = g_canonicalize_filename(file, NULL);
    files->set = g_strdupv((char **)set);
}

static void add_sweep_cells(GString *out, const DnSweep *sweep, guint point)
{
    for (guint k = 0; sweep != NULL && k < sweep->n_keys; k++)
        dn_csv_cell(out, sweep->values[point][k]);
}

static void add_seconds(GString *out, double us)
{
    dn_csv_number(out, us * 1e-6, TIME_DECIMALS);
}

static void add_variation(GString *out, const DnRunResult *result, const DnJobResult *job,
                          const DnJobFigures *f)
{
    DnSummary alone = dn_summary_us(job->alone_ps, job->n_alone);
    DnNicFigures nics = dn_job_nics(result, job);
    add_seconds(out, f->time_us.p5);
    add_seconds(out, f->time_us.p95);
    add_seconds(out, f->time_us.p99);
    dn_csv_number(out, f->time_us.qcd, 6);
    dn_csv_int(out, (gint64)f->time_us.outliers);
    add_seconds(out, alone.median);
    dn_csv_number(out, dn_experiment_slowdown(job), 6);
    add_seconds(out, nics.latency_us);
    dn_csv_number(out, nics.stalled_cycles_per_flit, 6);
    add_seconds(out, nics.packet_us.median);
    dn_csv_number(out, nics.packet_us.qcd, 6);
    add_seconds(out, nics.network_us.median);
    add_seconds(out, nics.network_us.p95);
    dn_csv_number(out, nics.network_us.qcd, 6);
    dn_csv_number(out, nics.model_correlation, 6);
    dn_csv_number(out, job->aware ? job->adaptive_share : NAN, 6);
    dn_csv_number(out, dn_job_non_minimal_share(result, job), 6);
}

static void add_result(DnRunFiles *files, guint point, const DnRunResult *result,
                       const DnJobResult *job)
{
    GString *out = files->results;
    DnJobFigures f = dn_job_figures(job);
    DnBottleneck limit = dn_bottleneck(result);
    char name[160] = "";
    add_sweep_cells(out, files->sweep, point);
    dn_csv_cell(out, job->name);
    dn_csv_int(out, point);
    dn_csv_cell(out, job->workload);
    dn_csv_int(out, job->ranks);
    dn_csv_int(out, job->bytes);
    dn_csv_int(out, job->n_iterations);
    const double times[] = {f.time_us.median, f.time_us.q1,   f.time_us.q3,     f.time_us.min,
                            f.time_us.max,    f.time_us.mean, f.time_us.ci_low, f.time_us.ci_high};
    for (guint i = 0; i < G_N_ELEMENTS(times); i++)
        add_seconds(out, times[i]);
    dn_csv_number(out, f.goodput_bps, 0);
    dn_csv_int(out, (gint64)job->messages);
    dn_csv_int(out, (gint64)f.latency_us.n);
    const double waits[] = {f.latency_us.median, f.latency_us.p95, f.latency_us.p99,
                            f.latency_us.max, f.latency_us.mean};
    for (guint i = 0; i < G_N_ELEMENTS(waits); i++)
        add_seconds(out, waits[i]);
    add_seconds(out, (double)result->engine.end_ps * 1e-6);
    if (limit.link != DN_NONE)
        dn_link_name(result->machine->graph, limit.link, name);
    dn_csv_cell(out, name);
    dn_csv_number(out, limit.link != DN_NONE ? limit.busy : NAN, 6);
    dn_csv_number(out, job->measured ? job->offered_load : NAN, 6);
    dn_csv_number(out, job->measured ? job->accepted_load : NAN, 6);
    dn_csv_cell(out, !job->measured ? "" : job->steady ? "yes" : "no");
    add_variation(out, result, job, &f);
    dn_csv_end_row(out);
}

/* "1024 0 16": wire bytes of each lane, requests' lanes, then responses'; empty with one lane. */
static void add_lanes(GString *out, const DnEngineResult *engine, guint32 link)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint32 lane = 0; engine->lane_bytes != NULL && lane < engine->lanes; lane++)
        g_string_append_printf(text, "%s%" G_GUINT64_FORMAT, lane > 0 ? " " : "",
                               engine->lane_bytes[(gsize)link * engine->lanes + lane]);
    dn_csv_cell(out, text->str);
}

static void add_links(DnRunFiles *files, guint point, const DnRunResult *result)
{
    GString *out = files->links;
    const DnGraph *graph = result->machine->graph;
    double end_ps = (double)result->engine.end_ps;
    guint n;
    g_autofree guint32 *ids = dn_busiest_links(result, files->links_per_point, &n);
    for (guint i = 0; i < n; i++) {
        const DnLinkCounters *link = &result->engine.links[ids[i]];
        char name[160];
        add_sweep_cells(out, files->sweep, point);
        dn_csv_int(out, point);
        dn_csv_int(out, ids[i]);
        dn_csv_cell(out, dn_link_name(graph, ids[i], name));
        dn_csv_cell(out, graph->classes[graph->links[ids[i]].link_class].name);
        dn_csv_int(out, (gint64)link->bytes);
        dn_csv_int(out, (gint64)link->packets);
        add_seconds(out, (double)link->busy_ps * 1e-6);
        add_seconds(out, (double)link->stalled_ps * 1e-6);
        dn_csv_number(out, end_ps > 0.0 ? (double)link->busy_ps / end_ps : NAN, 6);
        add_lanes(out, &result->engine, ids[i]);
        dn_csv_end_row(out);
    }
}

/* What each NIC that sent anything counted, as Aries' counters do: requests only. */
static void add_nics(DnRunFiles *files, guint point, const DnRunResult *result)
{
    GString *out = files->nics;
    const DnGraph *graph = result->machine->graph;
    double clock_hz = result->machine->hardware.clock_hz;
    for (guint32 t = 0; result->engine.nics != NULL && t < graph->size.terminals; t++) {
        const DnNicCounters *nic = &result->engine.nics[t];
        char name[64];
        if (nic->request_packets == 0)
            continue;
        add_sweep_cells(out, files->sweep, point);
        dn_csv_int(out, point);
        dn_csv_cell(out, dn_vertex_name(graph, graph->terminals[t], name));
        dn_csv_int(out, (gint64)nic->request_packets);
        dn_csv_int(out, (gint64)nic->request_flits);
        dn_csv_number(out, floor((double)nic->stalled_ps * 1e-12 * clock_hz), 0);
        dn_csv_int(out, (gint64)nic->responses);
        add_seconds(out, (double)nic->latency_ps_sum * 1e-6);
        dn_csv_end_row(out);
    }
}

static JsonNode *timing_of(guint point, const DnRunSpec *spec, const DnRunResult *result)
{
    const DnEngineResult *e = &result->engine;
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    dn_json_int(json, "point", point);
    dn_json_int(json, "threads", spec->threads);
    dn_json_int(json, "events", (gint64)e->events);
    dn_json_number(json, "cpu_s", e->cpu_s);
    dn_json_number(json, "packet_hops_per_cpu_s",
                   e->cpu_s > 0.0 ? (double)e->packet_hops / e->cpu_s : NAN);
    json_builder_end_object(json);
    return json_builder_get_root(json);
}

gboolean dn_run_files_add(DnRunFiles *files, guint point, const DnRunSpec *spec,
                          const DnRunResult *result, const DnBeside *beside, GError **error)
{
    for (guint j = 0; j < result->n_jobs; j++)
        add_result(files, point, result, &result->jobs[j]);
    add_links(files, point, result);
    add_nics(files, point, result);
    g_autoptr(JsonBuilder) json = json_builder_new();
    dn_summary_json_point(json, files->sweep, point, spec, result, beside);
    g_ptr_array_add(files->points, json_builder_get_root(json));
    g_ptr_array_add(files->timing, timing_of(point, spec, result));
    files->done++;
    files->cpu_s += result->engine.cpu_s;
    files->packet_hops += result->engine.packet_hops;
    files->events += result->engine.events;
    return dn_run_files_flush(files, error);
}

static void add_array(JsonBuilder *json, const char *member, const GPtrArray *nodes)
{
    dn_json_list(json, member);
    for (guint i = 0; i < nodes->len; i++)
        json_builder_add_value(json, json_node_ref(g_ptr_array_index(nodes, i)));
    json_builder_end_array(json);
}

static char *summary_text(const DnRunFiles *files)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    dn_json_string(json, "darner", dn_version);
    dn_json_string(json, "run", files->run_name);
    dn_json_int(json, "points_total", files->n_points);
    dn_json_int(json, "points_done", files->done);
    dn_json_flag(json, "complete", files->done == files->n_points);
    json_builder_set_member_name(json, "links_csv_rows_per_point_at_most");
    if (files->links_per_point > 0)
        json_builder_add_int_value(json, files->links_per_point);
    else
        json_builder_add_null_value(json);
    add_array(json, "points", files->points);
    json_builder_end_object(json);
    g_autoptr(JsonNode) root = json_builder_get_root(json);
    return dn_json_text(root);
}

static char *timing_text(const DnRunFiles *files)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    if (files->file != NULL)
        dn_json_string(json, "run_file", files->file);
    dn_json_list(json, "set");
    for (guint i = 0; files->set != NULL && files->set[i] != NULL; i++)
        json_builder_add_string_value(json, files->set[i]);
    json_builder_end_array(json);
    dn_json_number(json, "cpu_s", files->cpu_s);
    dn_json_int(json, "packet_hops", (gint64)files->packet_hops);
    dn_json_int(json, "events", (gint64)files->events);
    add_array(json, "points", files->timing);
    json_builder_end_object(json);
    g_autoptr(JsonNode) root = json_builder_get_root(json);
    return dn_json_text(root);
}

static gboolean replace(const DnRunFiles *files, const char *name, const char *text, GError **error)
{
    g_autofree char *path = g_build_filename(files->dir, name, NULL);
    g_autoptr(GError) problem = NULL;
    if (dn_file_write(path, text, &problem))
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s; give another folder with -o",
                problem->message);
    return FALSE;
}

/* timeline.json, timeline-0.paje, ... */
static gboolean is_timeline(const char *name)
{
    gsize prefix = strlen("timeline");
    if (strncmp(name, "timeline", prefix) != 0)
        return FALSE;
    const char *rest = name + prefix;
    if (*rest == '-')
        rest += 1 + strspn(rest + 1, "0123456789");
    return strcmp(rest, ".json") == 0 || strcmp(rest, ".paje") == 0;
}

/* What `darner explain` and --timeline made of an older run. */
static void remove_older(const DnRunFiles *files)
{
    g_autoptr(GDir) dir = g_dir_open(files->dir, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        if (strcmp(name, "explain.json") != 0 && strcmp(name, "blame.csv") != 0 &&
            !is_timeline(name))
            continue;
        g_autofree char *path = g_build_filename(files->dir, name, NULL);
        g_unlink(path);
    }
}

gboolean dn_run_files_flush(DnRunFiles *files, GError **error)
{
    g_autofree char *summary = summary_text(files);
    g_autofree char *timing = timing_text(files);
    if (!files->written)
        remove_older(files);
    files->written = TRUE;
    return replace(files, "results.csv", files->results->str, error) &&
           replace(files, "links.csv", files->links->str, error) &&
           replace(files, "nics.csv", files->nics->str, error) &&
           replace(files, "summary.json", summary, error) &&
           replace(files, "timing.json", timing, error);
}
