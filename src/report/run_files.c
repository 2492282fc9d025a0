/* run_files.c - see run_files.h. */
#include "report/run_files.h"
#include "base/csv.h"
#include "base/file.h"
#include "report/summary_json.h"
#include "base/version.h"
#include "experiment/metrics.h"
#include "report/file_columns.h"
#include "report/json_list_file.h"
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
    GString *results, *links, *nics; /* rows that are not in their files yet */
    DnJsonListFile *summary, *timing;
    GPtrArray *made; /* folders that were not there before, outermost first */
    gboolean written;
};

static gboolean file_error(GError **error, const char *path, const char *what, const char *why)
{
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot %s: %s; give another folder with -o",
                path, what, why);
    return FALSE;
}

static void add_sweep_keys(GString *out, const DnSweep *sweep)
{
    for (guint k = 0; sweep != NULL && k < sweep->n_keys; k++)
        dn_csv_cell(out, sweep->keys[k]);
}

static void add_file_header(GString *out, const DnSweep *sweep, const DnFileColumn *columns)
{
    add_sweep_keys(out, sweep);
    for (; columns->column != NULL; columns++)
        dn_csv_cell(out, columns->column);
    dn_csv_end_row(out);
}

static void add_results_header(GString *out, const DnSweep *sweep)
{
    add_sweep_keys(out, sweep);
    for (const DnMetric *m = dn_metrics; m->help != NULL; m++)
        if (m->column != NULL)
            dn_csv_cell(out, m->column);
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
    files->summary = dn_json_list_file_new();
    files->timing = dn_json_list_file_new();
    files->made = g_ptr_array_new_with_free_func(g_free);
    add_results_header(files->results, sweep);
    add_file_header(files->links, sweep, dn_link_columns);
    add_file_header(files->nics, sweep, dn_nic_columns);
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
    dn_json_list_file_free(files->summary);
    dn_json_list_file_free(files->timing);
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

static void add_metric(GString *out, const DnMetric *m, const DnMetricSource *source)
{
    char buffer[DN_METRIC_TEXT_BYTES];
    const char *text = m->text != NULL ? m->text(source, buffer) : NULL;
    double value = m->value != NULL ? m->value(source) : NAN;
    switch (m->type) {
    case DN_METRIC_TEXT:
        dn_csv_cell(out, text != NULL ? text : "");
        break;
    case DN_METRIC_COUNT:
        dn_csv_int(out, (gint64)value);
        break;
    case DN_METRIC_TIME:
        dn_csv_number(out, value * 1e-6, DN_TIME_DECIMALS);
        break;
    case DN_METRIC_RATE:
        dn_csv_number(out, value, 0);
        break;
    case DN_METRIC_RATIO:
        dn_csv_number(out, value, 6);
        break;
    case DN_METRIC_FLAG:
        dn_csv_cell(out, isnan(value) ? "" : value != 0 ? "yes" : "no");
        break;
    }
}

static void add_result(DnRunFiles *files, guint point, const DnRunResult *result,
                       const DnJobResult *job)
{
    DnMetricSource source;
    dn_metric_source_init(&source, result, job, point);
    add_sweep_cells(files->results, files->sweep, point);
    for (const DnMetric *m = dn_metrics; m->help != NULL; m++)
        if (m->column != NULL)
            add_metric(files->results, m, &source);
    dn_csv_end_row(files->results);
}

static void add_cells(DnRunFiles *files, GString *out, const DnFileColumn *columns,
                      const DnCellSource *source)
{
    add_sweep_cells(out, files->sweep, source->point);
    for (; columns->column != NULL; columns++)
        columns->cell(out, source);
    dn_csv_end_row(out);
}

static void add_links(DnRunFiles *files, guint point, const DnRunResult *result)
{
    guint n;
    g_autofree guint32 *ids = dn_busiest_links(result, files->links_per_point, &n);
    for (guint i = 0; i < n; i++) {
        const DnCellSource source = {.result = result, .point = point, .id = ids[i]};
        add_cells(files, files->links, dn_link_columns, &source);
    }
}

/* Of each NIC that sent anything. */
static void add_nics(DnRunFiles *files, guint point, const DnRunResult *result)
{
    guint32 terminals = result->machine->graph->size.terminals;
    for (guint32 t = 0; result->engine.nics != NULL && t < terminals; t++) {
        const DnCellSource source = {.result = result, .point = point, .id = t};
        if (result->engine.nics[t].request_packets > 0)
            add_cells(files, files->nics, dn_nic_columns, &source);
    }
}

static JsonNode *timing_of(guint point, const DnRunResult *result)
{
    const DnEngineResult *e = &result->engine;
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    dn_json_int(json, "point", point);
    dn_json_int(json, "threads", result->threads);
    dn_json_int(json, "events", (gint64)e->events);
    dn_json_number(json, "cpu_s", e->cpu_s);
    dn_json_number(json, "packet_hops_per_cpu_s",
                   e->cpu_s > 0.0 ? (double)e->packet_hops / e->cpu_s : NAN);
    json_builder_end_object(json);
    return json_builder_get_root(json);
}

static JsonNode *summary_head(const DnRunFiles *files)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    dn_json_string(json, "darner", dn_version);
    dn_json_int(json, "schema_version", DN_SUMMARY_SCHEMA_VERSION);
    dn_json_string(json, "run", files->run_name);
    dn_json_int(json, "points_total", files->n_points);
    dn_json_int(json, "points_done", files->done);
    dn_json_flag(json, "complete", files->done == files->n_points);
    json_builder_set_member_name(json, "links_csv_rows_per_point_at_most");
    if (files->links_per_point > 0)
        json_builder_add_int_value(json, files->links_per_point);
    else
        json_builder_add_null_value(json);
    json_builder_end_object(json);
    return json_builder_get_root(json);
}

static JsonNode *timing_head(const DnRunFiles *files)
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
    json_builder_end_object(json);
    return json_builder_get_root(json);
}

/* ---- writing ---- */

static gboolean is_written(gboolean ok, GError *problem, GError **error)
{
    if (ok)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s; give another folder with -o",
                problem->message);
    g_error_free(problem);
    return FALSE;
}

/* Appends the rows to @name, or makes it of them; they are then gone from memory. */
static gboolean put_rows(const DnRunFiles *files, const char *name, GString *rows, GError **error)
{
    g_autofree char *path = g_build_filename(files->dir, name, NULL);
    GError *problem = NULL;
    gboolean ok = files->written ? dn_file_append(path, rows->str, &problem)
                                 : dn_file_write(path, rows->str, &problem);
    g_string_truncate(rows, 0);
    return is_written(ok, problem, error);
}

static gboolean put_list(const DnRunFiles *files, const char *name, DnJsonListFile *list,
                         JsonNode *head, GError **error)
{
    g_autofree char *path = g_build_filename(files->dir, name, NULL);
    GError *problem = NULL;
    gboolean ok = dn_json_list_file_write(list, path, head, "points", &problem);
    json_node_unref(head);
    return is_written(ok, problem, error);
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

static gboolean put_all_rows(DnRunFiles *files, GError **error)
{
    if (!files->written)
        remove_older(files);
    gboolean ok = put_rows(files, "results.csv", files->results, error) &&
                  put_rows(files, "links.csv", files->links, error) &&
                  put_rows(files, "nics.csv", files->nics, error);
    files->written = TRUE;
    return ok;
}

gboolean dn_run_files_flush(DnRunFiles *files, GError **error)
{
    return put_all_rows(files, error) &&
           put_list(files, "summary.json", files->summary, summary_head(files), error) &&
           put_list(files, "timing.json", files->timing, timing_head(files), error);
}

gboolean dn_run_files_add(DnRunFiles *files, guint point, const DnRunSpec *spec,
                          const DnRunResult *result, const DnReferences *references, GError **error)
{
    for (guint j = 0; j < result->n_jobs; j++)
        add_result(files, point, result, &result->jobs[j]);
    add_links(files, point, result);
    add_nics(files, point, result);
    g_autoptr(JsonBuilder) json = json_builder_new();
    dn_summary_json_point(json, files->sweep, point, spec, result, references);
    g_autoptr(JsonNode) summary = json_builder_get_root(json);
    g_autoptr(JsonNode) timing = timing_of(point, result);
    dn_json_list_file_add(files->summary, summary);
    dn_json_list_file_add(files->timing, timing);
    files->done++;
    files->cpu_s += result->engine.cpu_s;
    files->packet_hops += result->engine.packet_hops;
    files->events += result->engine.events;
    if (files->done == files->n_points || dn_json_list_file_is_due(files->summary))
        return dn_run_files_flush(files, error);
    return put_all_rows(files, error);
}
