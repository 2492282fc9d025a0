/* replay_report.c - see replay_report.h. */
#include "report/replay_report.h"

#include <math.h>
#include <stdio.h>

#include "base/csv.h"
#include "base/file.h"
#include "base/units.h"
#include "experiment/results.h"
#include "report/point_record.h"
#include "report/run_files.h"
#include "report/table.h"
#include "report/timeline_files.h"
#include "trace/trace.h"

#define PS_PER_US 1e6

static gint64 call_time(const DnJobResult *job, guint32 rank, guint32 call)
{
    return job->trace.call_ps[(gsize)rank * job->trace.n_calls + call];
}

/* Of a graph the time in no call is that of waits. */
static const char *call_name(const DnJobResult *job, guint32 call)
{
    if (call != DN_CALL_NONE)
        return dn_call_name(call);
    return job->trace.computes_ps > 0 ? "waiting" : "other";
}

/* ---- tables ---- */

typedef struct {
    gint64 least, most;
    double sum;
} Spread;

static void spread_add(Spread *spread, gint64 value, gboolean first)
{
    spread->least = first ? value : MIN(spread->least, value);
    spread->most = first ? value : MAX(spread->most, value);
    spread->sum += (double)value;
}

static void spread_row(DnTable *table, const char *name, const Spread *spread, guint32 ranks,
                       double whole)
{
    dn_table_row(table);
    dn_table_cell(table, "%s", name);
    dn_table_number(table, (double)spread->least / PS_PER_US, 4);
    dn_table_number(table, spread->sum / ranks / PS_PER_US, 4);
    dn_table_number(table, (double)spread->most / PS_PER_US, 4);
    dn_table_cell(table, "%.1f", whole > 0 ? 100 * spread->sum / whole : 0);
}

static void calls_text(const DnRunSpec *spec, const DnRunResult *result, guint j, GString *out)
{
    const DnJobResult *job = &result->jobs[j];
    g_autoptr(DnTable) table = dn_table_new();
    Spread total = {0};
    dn_table_column(table, "time in", DN_ALIGN_LEFT);
    dn_table_column(table, "least us", DN_ALIGN_RIGHT);
    dn_table_column(table, "mean us", DN_ALIGN_RIGHT);
    dn_table_column(table, "most us", DN_ALIGN_RIGHT);
    dn_table_column(table, "share %", DN_ALIGN_RIGHT);
    for (guint32 r = 0; r < job->ranks; r++)
        spread_add(&total, job->done_ps[r] - spec->jobs[j].start_ps, r == 0);
    for (guint32 c = 0; c < job->trace.n_calls; c++) {
        Spread spread = {0};
        for (guint32 r = 0; r < job->ranks; r++)
            spread_add(&spread, call_time(job, r, c), r == 0);
        if (spread.most > 0)
            spread_row(table, call_name(job, c), &spread, job->ranks, total.sum);
    }
    spread_row(table, "all of a rank", &total, job->ranks, total.sum);
    g_autofree char *text = dn_table_text(table);
    g_string_append(out, text);
    if (job->trace.computes_ps > 0)
        g_string_append_printf(
            out,
            "\ncomputing %.4g us of a rank (mean), exposed communication %.4g us "
            "(%.1f %%)\n",
            (double)job->trace.computes_ps / job->ranks / PS_PER_US,
            ((double)total.sum - (double)job->trace.computes_ps) / job->ranks / PS_PER_US,
            100 * (1 - (double)job->trace.computes_ps / (double)total.sum));
}

/* Which ranks are on which node: rows of ranks that follow each other on one node. */
static void placement_text(const DnRunResult *result, guint j, GString *out)
{
    enum { MOST = 12 };
    const DnJobResult *job = &result->jobs[j];
    const DnGraph *graph = result->machine->graph;
    guint shown = 0;
    g_string_append(out, "placement:");
    for (guint32 r = 0, end; r < job->ranks; r = end) {
        guint32 node = graph->vertices[graph->endpoints[job->endpoints[r]]].node;
        for (end = r + 1; end < job->ranks; end++)
            if (graph->vertices[graph->endpoints[job->endpoints[end]]].node != node)
                break;
        if (shown++ == MOST) {
            g_string_append(out, ", ... (placement.csv has all)");
            break;
        }
        g_string_append_printf(out, end - r > 1 ? "%s ranks %u-%u" : "%s rank %u",
                               shown > 1 ? "," : "", r, end - 1);
        g_string_append_printf(out, " on node %u", node);
    }
    g_string_append(out, "\n\n");
}

static void algorithms_text(const DnJobResult *job, GString *out)
{
    const GArray *all = job->trace.algorithms;
    char least[DN_UNIT_BUF], most[DN_UNIT_BUF];
    if (all == NULL || all->len == 0)
        return;
    g_autoptr(DnTable) table = dn_table_new();
    dn_table_column(table, "collective", DN_ALIGN_LEFT);
    dn_table_column(table, "algorithm", DN_ALIGN_LEFT);
    dn_table_column(table, "ranks", DN_ALIGN_RIGHT);
    dn_table_column(table, "times", DN_ALIGN_RIGHT);
    dn_table_column(table, "from", DN_ALIGN_RIGHT);
    dn_table_column(table, "to", DN_ALIGN_RIGHT);
    for (guint i = 0; i < all->len; i++) {
        const DnTraceAlgorithm *a = &g_array_index(all, DnTraceAlgorithm, i);
        dn_table_row(table);
        dn_table_cell(table, "%s", dn_call_name(a->call));
        dn_table_cell(table, "%s", a->name);
        dn_table_cell(table, "%u", a->ranks);
        dn_table_cell(table, "%" G_GUINT64_FORMAT, a->calls / a->ranks);
        dn_table_cell(table, "%s", dn_format_bytes(a->least_bytes, least));
        dn_table_cell(table, "%s", dn_format_bytes(a->most_bytes, most));
    }
    g_autofree char *text = dn_table_text(table);
    g_string_append_printf(out, "\n%s", text);
}

static void what_if_line(GString *out, const char *name, gint64 makespan_ps, gint64 what_if_ps)
{
    char buf[DN_UNIT_BUF];
    if (what_if_ps > 0)
        g_string_append_printf(out, "  %-19s %-12s %.3f\n", name, dn_format_time(what_if_ps, buf),
                               (double)makespan_ps / (double)what_if_ps);
}

static char *replay_text(const DnRunSpec *spec, const DnRunResult *result, guint j,
                         const DnReplayIdeals *ideals)
{
    const DnJobResult *job = &result->jobs[j];
    gint64 makespan_ps = dn_replay_makespan(spec, result, j);
    char buf[DN_UNIT_BUF];
    GString *out = g_string_new(NULL);
    g_string_append_printf(out,
                           "\njob %s: %u ranks, %" G_GUINT64_FORMAT " messages, makespan %s\n\n",
                           job->name, job->ranks, job->messages, dn_format_time(makespan_ps, buf));
    if (job->note != NULL)
        g_string_append_printf(out, "note: %s\n\n", job->note);
    placement_text(result, j, out);
    calls_text(spec, result, j, out);
    algorithms_text(job, out);
    if (ideals->both_ps > 0) {
        g_string_append(out, "\nslowdown against a network of\n");
        what_if_line(out, "infinite bandwidth", makespan_ps, ideals->bandwidth_ps);
        what_if_line(out, "zero latency", makespan_ps, ideals->latency_ps);
        what_if_line(out, "both", makespan_ps, ideals->both_ps);
    }
    return g_string_free(out, FALSE);
}

/* ---- files ---- */

static void add_time(GString *out, gint64 time_ps)
{
    dn_csv_number(out, time_ps > 0 ? (double)time_ps / PS_PER_US : NAN, 6);
}

static void add_call(GString *out, const DnJobResult *job, guint32 rank, const char *call,
                     gint64 time_ps)
{
    dn_csv_cell(out, job->name);
    dn_csv_int(out, rank);
    dn_csv_int(out, job->endpoints[rank]);
    dn_csv_cell(out, call);
    add_time(out, time_ps);
    dn_csv_end_row(out);
}

static void add_calls(GString *out, const DnJobResult *job, gint64 start_ps)
{
    for (guint32 r = 0; r < job->ranks; r++) {
        for (guint32 c = 0; c < job->trace.n_calls; c++)
            if (call_time(job, r, c) > 0)
                add_call(out, job, r, call_name(job, c), call_time(job, r, c));
        add_call(out, job, r, "total", job->done_ps[r] - start_ps);
    }
}

static void add_placement(GString *out, const DnRunResult *result, const DnJobResult *job)
{
    const DnGraph *graph = result->machine->graph;
    char name[64];
    for (guint32 r = 0; r < job->ranks; r++) {
        guint32 vertex = graph->endpoints[job->endpoints[r]];
        dn_csv_cell(out, job->name);
        dn_csv_int(out, r);
        dn_csv_int(out, graph->vertices[vertex].node);
        dn_csv_int(out, job->endpoints[r]);
        dn_csv_cell(out, dn_vertex_name(graph, vertex, name));
        dn_csv_end_row(out);
    }
}

static void add_algorithms(GString *out, const DnJobResult *job)
{
    for (guint i = 0; i < job->trace.algorithms->len; i++) {
        const DnTraceAlgorithm *a = &g_array_index(job->trace.algorithms, DnTraceAlgorithm, i);
        dn_csv_cell(out, job->name);
        dn_csv_cell(out, dn_call_name(a->call));
        dn_csv_cell(out, a->name);
        dn_csv_int(out, a->ranks);
        dn_csv_int(out, (gint64)(a->calls / a->ranks));
        dn_csv_int(out, a->least_bytes);
        dn_csv_int(out, a->most_bytes);
        dn_csv_end_row(out);
    }
}

static gboolean write_file(const DnResultFolder *folder, const char *name, const GString *text,
                           GError **error)
{
    g_autofree char *path = dn_result_folder_file(folder, name);
    return dn_file_write(path, text->str, error);
}

static gboolean write_tables(const DnRunSpec *spec, const DnRunResult *result,
                             const DnReplayIdeals *ideals, const DnResultFolder *folder,
                             GError **error)
{
    g_autoptr(GString) calls = g_string_new("job,rank,endpoint,call,time_us\n");
    g_autoptr(GString) jobs = g_string_new(
        "job,ranks,messages,makespan_us,infinite_bandwidth_us,zero_latency_us,both_us\n");
    g_autoptr(GString) placement = g_string_new("job,rank,node,endpoint,name\n");
    g_autoptr(GString)
        algorithms = g_string_new("job,call,algorithm,ranks,collectives,min_bytes,max_bytes\n");
    for (guint j = 0; j < result->n_jobs; j++) {
        const DnJobResult *job = &result->jobs[j];
        if (job->trace.n_calls == 0)
            continue;
        add_calls(calls, job, spec->jobs[j].start_ps);
        add_placement(placement, result, job);
        add_algorithms(algorithms, job);
        dn_csv_cell(jobs, job->name);
        dn_csv_int(jobs, job->ranks);
        dn_csv_int(jobs, (gint64)job->messages);
        add_time(jobs, dn_replay_makespan(spec, result, j));
        add_time(jobs, ideals[j].bandwidth_ps);
        add_time(jobs, ideals[j].latency_ps);
        add_time(jobs, ideals[j].both_ps);
        dn_csv_end_row(jobs);
    }
    return write_file(folder, "calls.csv", calls, error) &&
           write_file(folder, "replay.csv", jobs, error) &&
           write_file(folder, "placement.csv", placement, error) &&
           write_file(folder, "algorithms.csv", algorithms, error);
}

gboolean dn_replay_write(const DnRunSpec *spec, const DnRunResult *result,
                         const DnReplayIdeals *ideals, DnTimeline *timeline, DnResultFolder *folder,
                         const char *file, char *const *set, const char *inputs, GError **error)
{
    enum { LINKS = 256 };
    g_autofree char *name = g_path_get_basename(dn_result_folder_dir(folder));
    g_autoptr(DnRunFiles)
        files = dn_run_files_new(dn_result_folder_work(folder), name, NULL, LINKS);
    g_autoptr(DnRunRows) rows = dn_run_rows_new(name, NULL, LINKS);
    g_autoptr(DnRunTable) table = dn_run_table_new(NULL);
    g_autoptr(GVariant)
        record = g_variant_ref_sink(dn_point_record_new(rows, table, 0, spec, result, NULL));
    dn_run_files_origin(files, file, set, inputs);
    dn_run_files_add(files, record);
    return dn_run_files_flush(files, error) && write_tables(spec, result, ideals, folder, error) &&
           (timeline == NULL || dn_timeline_write(timeline, result, folder, "timeline", error)) &&
           dn_result_folder_publish(folder, "summary.json", dn_run_files_stale, error);
}

void dn_replay_print(const DnRunSpec *spec, const DnRunResult *result, const DnReplayIdeals *ideals)
{
    for (guint i = 0; i < result->warnings->len; i++)
        g_printerr("warning: %s\n", (const char *)g_ptr_array_index(result->warnings, i));
    const DnGraphSize *size = &result->machine->graph->size;
    printf("machine  %s: nodes %u, endpoints %u (%s)\nengine   %s; not modelled: %s\n",
           result->machine->name, size->nodes, size->endpoints,
           dn_endpoint_kind_name(result->machine->graph), result->engine_type->name,
           result->engine_type->limits);
    for (guint j = 0; j < result->n_jobs; j++) {
        if (result->jobs[j].trace.n_calls == 0)
            continue;
        g_autofree char *text = replay_text(spec, result, j, &ideals[j]);
        fputs(text, stdout);
    }
    g_autofree char *link = dn_bottleneck_text(result);
    if (link != NULL)
        printf("\nbottleneck %s\n", link);
}
