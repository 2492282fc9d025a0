/* run_rows.c - see run_rows.h. */
#include "report/run_rows.h"

#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/version.h"
#include "experiment/metrics.h"
#include "report/file_columns.h"
#include "report/sample_rows.h"
#include "report/summary_json.h"

const char *const dn_rows_file_names[DN_ROWS_FILES + 1] = {[DN_ROWS_RESULTS] = "results.csv",
                                                           [DN_ROWS_SAMPLES] = "samples.csv",
                                                           [DN_ROWS_STATISTICS] = "statistics.csv",
                                                           [DN_ROWS_LINKS] = "links.csv",
                                                           [DN_ROWS_NICS] = "nics.csv"};

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

/* A column with the name of a swept key, as `seed`, is the file's own. */
static void add_sample_header(GString *out, const DnSweep *sweep, const DnSampleColumn *columns)
{
    add_sweep_keys(out, sweep);
    for (; columns->column != NULL; columns++) {
        gboolean swept = dn_sweep_has_key(sweep, columns->column);
        g_autofree char *name = g_strconcat(swept ? "own_" : "", columns->column, NULL);
        dn_csv_cell(out, name);
    }
    dn_csv_end_row(out);
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

static void add_result(DnRunRows *rows, guint point, const DnRunResult *result,
                       const DnJobResult *job)
{
    DnMetricSource source;
    dn_metric_source_init(&source, result, job, point);
    add_sweep_cells(rows->text[DN_ROWS_RESULTS], rows->sweep, point);
    for (const DnMetric *m = dn_metrics; m->help != NULL; m++)
        if (m->column != NULL)
            add_metric(rows->text[DN_ROWS_RESULTS], m, &source);
    dn_csv_end_row(rows->text[DN_ROWS_RESULTS]);
}

static void add_cells(DnRunRows *rows, GString *out, const DnFileColumn *columns,
                      const DnCellSource *source)
{
    add_sweep_cells(out, rows->sweep, source->point);
    for (; columns->column != NULL; columns++)
        columns->cell(out, source);
    dn_csv_end_row(out);
}

static void add_links(DnRunRows *rows, guint point, const DnRunResult *result)
{
    guint n;
    g_autofree guint32 *ids = dn_busiest_links(result, rows->links_per_point, &n);
    for (guint i = 0; i < n; i++) {
        const DnCellSource source = {.result = result, .point = point, .id = ids[i]};
        add_cells(rows, rows->text[DN_ROWS_LINKS], dn_link_columns, &source);
    }
}

/* Adds a row for each NIC that sent anything. */
static void add_nics(DnRunRows *rows, guint point, const DnRunResult *result)
{
    guint32 terminals = result->machine->graph->size.terminals;
    for (guint32 t = 0; result->engine.nics != NULL && t < terminals; t++) {
        const DnCellSource source = {.result = result, .point = point, .id = t};
        if (result->engine.nics[t].request_packets > 0)
            add_cells(rows, rows->text[DN_ROWS_NICS], dn_nic_columns, &source);
    }
}

DnRunRows *dn_run_rows_new(const char *run_name, const DnSweep *sweep, guint links_per_point)
{
    DnRunRows *rows = g_new0(DnRunRows, 1);
    rows->run_name = g_strdup(run_name);
    rows->sweep = sweep;
    rows->n_points = sweep != NULL ? sweep->n_points : 1;
    rows->links_per_point = links_per_point;
    for (guint f = 0; f < DN_ROWS_FILES; f++)
        rows->text[f] = g_string_new(NULL);
    add_results_header(rows->text[DN_ROWS_RESULTS], sweep);
    add_sample_header(rows->text[DN_ROWS_SAMPLES], sweep, dn_sample_columns);
    add_sample_header(rows->text[DN_ROWS_STATISTICS], sweep, dn_statistic_columns);
    add_file_header(rows->text[DN_ROWS_LINKS], sweep, dn_link_columns);
    add_file_header(rows->text[DN_ROWS_NICS], sweep, dn_nic_columns);
    return rows;
}

void dn_run_rows_free(DnRunRows *rows)
{
    if (rows == NULL)
        return;
    g_free(rows->run_name);
    for (guint f = 0; f < DN_ROWS_FILES; f++)
        g_string_free(rows->text[f], TRUE);
    g_free(rows);
}

void dn_run_rows_add(DnRunRows *rows, guint point, const DnRunResult *result)
{
    for (guint j = 0; j < result->n_jobs; j++)
        add_result(rows, point, result, &result->jobs[j]);
    g_autoptr(GString) swept = g_string_new(NULL);
    add_sweep_cells(swept, rows->sweep, point);
    dn_sample_rows_add(rows->text[DN_ROWS_SAMPLES], swept->str, point, result);
    dn_statistic_rows_add(rows->text[DN_ROWS_STATISTICS], swept->str, point, result);
    add_links(rows, point, result);
    add_nics(rows, point, result);
    rows->done++;
}

JsonNode *dn_run_rows_summary_point(const DnRunRows *rows, guint point, const DnRunSpec *spec,
                                    const DnRunResult *result, const DnReferences *references)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    dn_summary_json_point(json, rows->sweep, point, spec, result, references);
    return json_builder_get_root(json);
}

JsonNode *dn_run_rows_summary_head(const DnRunRows *rows)
{
    g_autoptr(JsonBuilder) json = json_builder_new();
    json_builder_begin_object(json);
    dn_json_string(json, "darner", dn_version);
    dn_json_int(json, "schema_version", DN_SUMMARY_SCHEMA_VERSION);
    dn_json_string(json, "run", rows->run_name);
    dn_json_int(json, "points_total", rows->n_points);
    dn_json_int(json, "points_done", rows->done);
    dn_json_flag(json, "complete", rows->done == rows->n_points);
    json_builder_set_member_name(json, "links_csv_rows_per_point_at_most");
    if (rows->links_per_point > 0)
        json_builder_add_int_value(json, rows->links_per_point);
    else
        json_builder_add_null_value(json);
    json_builder_end_object(json);
    return json_builder_get_root(json);
}
