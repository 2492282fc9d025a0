/* run_report.c - see run_report.h. */
#include "report/run_report.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "base/units.h"
#include "report/progress.h"
#include "report/run_files.h"
#include "report/run_table.h"
#include "report/timeline_files.h"
#include <stdio.h>
#include <unistd.h>

struct DnRunReport {
    const DnPlan *plan;
    const char *dir;
    gboolean quiet;
    DnRunFiles *files;
    DnProgress *progress;
    DnRunTable *table;
    DnTimeline *timeline; /* NULL: not asked for */
    DnRunObserver observer;
    gboolean begun;
    double hops_left; /* packet-hops expected of this point and those after it */
    double cpu_s;     /* of the engine, in all points */
};

/* Every point has a time line to show. After a signal the loop over the points ends the run. */
static gboolean check_timeline(const DnPlan *plan, GError **error)
{
    for (guint point = 0; point < plan->sweep->n_points && !dn_interrupted(); point++) {
        g_autoptr(DnRunSpec) spec = dn_plan_spec(plan, point, error);
        if (spec == NULL)
            return FALSE;
        if (dn_engine_queues(spec->engine))
            continue;
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "--timeline: only the packet engine has one; this run is for engine %s",
                    spec->engine);
        return FALSE;
    }
    return TRUE;
}

DnRunReport *dn_run_report_new(const DnPlan *plan, const DnRunReportOptions *options,
                               GError **error)
{
    if (options->timeline && !check_timeline(plan, error))
        return NULL;
    const char *dir = options->dir != NULL ? options->dir : plan->output;
    DnRunFiles *files = dn_run_files_new(dir, plan->name, plan->sweep, options->links, error);
    if (files == NULL)
        return NULL;
    dn_run_files_origin(files, plan->file, plan->overrides);
    DnRunReport *report = g_new0(DnRunReport, 1);
    gboolean shown = !options->quiet && isatty(STDERR_FILENO);
    report->plan = plan;
    report->dir = dir;
    report->quiet = options->quiet;
    report->files = files;
    report->progress = dn_progress_new(stderr, shown, plan->sweep->n_points);
    report->table = dn_run_table_new(plan->sweep);
    report->timeline = options->timeline ? dn_timeline_new(DN_TIMELINE_MOST) : NULL;
    report->observer.timeline = report->timeline;
    for (guint point = 0; point < plan->sweep->n_points; point++)
        report->hops_left += plan->hops[point];
    return report;
}

void dn_run_report_free(DnRunReport *report)
{
    if (report == NULL)
        return;
    dn_run_files_free(report->files);
    dn_progress_free(report->progress);
    dn_run_table_free(report->table);
    g_clear_pointer(&report->timeline, dn_timeline_free);
    g_free(report);
}

DnRunObserver *dn_run_report_observer(DnRunReport *report)
{
    return report->timeline != NULL ? &report->observer : NULL;
}

void dn_run_report_begin(DnRunReport *report, guint point, const DnRunSpec *spec)
{
    double hops = report->plan->hops[point];
    report->hops_left -= hops;
    dn_progress_point(report->progress, point, hops, MAX(0.0, report->hops_left), hops,
                      spec->until_ps);
}

/* Once the engine runs, nothing is wrong with the input any more: the report opens, and an older
 * run's rows leave the folder. */
static gboolean report_open(DnRunReport *report, GError **error)
{
    if (report->begun)
        return TRUE;
    report->begun = TRUE;
    if (!report->quiet) {
        fputs(report->plan->heading, stdout);
        fflush(stdout);
    }
    return dn_run_files_flush(report->files, error);
}

gboolean dn_run_report_progress(DnRunReport *report, gint64 now_ps, guint64 packet_hops,
                                GError **error)
{
    if (!report_open(report, error))
        return FALSE;
    dn_progress_update(report->progress, now_ps, packet_hops);
    return TRUE;
}

gboolean dn_run_report_result(DnRunReport *report, const DnRunResult *result, GError **error)
{
    dn_progress_clear(report->progress);
    if (!report_open(report, error))
        return FALSE;
    for (guint i = 0; result->warnings != NULL && i < result->warnings->len; i++)
        g_printerr("warning: %s\n", (const char *)g_ptr_array_index(result->warnings, i));
    report->cpu_s += result->engine.cpu_s;
    return TRUE;
}

/* timeline.json and timeline.paje, of several points timeline-0.json, ... */
static gboolean write_timeline(const DnRunReport *report, guint point, const DnRunResult *result,
                               GError **error)
{
    DnTimeline *timeline = report->timeline;
    g_autofree char *name = report->plan->sweep->n_points > 1
                                ? g_strdup_printf("timeline-%u", point)
                                : g_strdup("timeline");
    g_autofree char *stem = g_build_filename(report->dir, name, NULL);
    g_autofree char *chrome = g_strconcat(stem, ".json", NULL);
    g_autofree char *paje = g_strconcat(stem, ".paje", NULL);
    char cut[DN_UNIT_BUF];
    if (timeline->cut_ps != G_MAXINT64)
        g_printerr("warning: %s ends at %s: it holds no more than %u slices; shorten the run, e.g. "
                   "with `until:`\n",
                   chrome, dn_format_time(timeline->cut_ps, cut), timeline->most);
    return dn_timeline_write_chrome(timeline, result, chrome, error) &&
           dn_timeline_write_paje(timeline, result, paje, error);
}

gboolean dn_run_report_point(DnRunReport *report, guint point, const DnRunSpec *spec,
                             const DnRunResult *result, const DnReferences *references,
                             GError **error)
{
    dn_run_table_add(report->table, point, result);
    dn_run_table_references(report->table, references, result->n_jobs);
    return dn_run_files_add(report->files, point, spec, result, references, error) &&
           (report->timeline == NULL || write_timeline(report, point, result, error));
}

static void print_end(const DnRunReport *report)
{
    g_autofree char *text = dn_run_table_text(report->table);
    const char *timelines = report->plan->sweep->n_points > 1 ? " timeline-*.json timeline-*.paje"
                                                              : " timeline.json timeline.paje";
    printf("\n%swritten: %s/ results.csv links.csv nics.csv summary.json%s\n", text, report->dir,
           report->timeline != NULL ? timelines : "");
    fflush(stdout);
    /* Standard output is the same every time; the clock on the wall is for a terminal. */
    char buf[DN_NUMBER_BUF];
    if (isatty(STDERR_FILENO))
        g_printerr("%s of CPU time in the engine\n", dn_format_duration(report->cpu_s, buf));
}

/* The files of the points that are complete are whole, too, whatever the @problem of the next. */
static void close_files(DnRunReport *report, guint done, const GError *problem)
{
    g_autoptr(GError) late = NULL;
    if (done == 0)
        dn_run_files_abandon(report->files);
    else if (problem != NULL && !g_error_matches(problem, DN_ERROR, DN_ERROR_FILE) &&
             !dn_run_files_flush(report->files, &late))
        g_printerr("%s\n", late->message);
}

gboolean dn_run_report_end(DnRunReport *report, guint done, GError *problem, GError **error)
{
    dn_progress_clear(report->progress);
    close_files(report, done, problem);
    if (!report->quiet && done > 0)
        print_end(report);
    if (problem == NULL)
        return TRUE;
    if (!g_error_matches(problem, DN_ERROR, DN_ERROR_INTERRUPTED)) {
        g_propagate_error(error, problem);
        return FALSE;
    }
    g_set_error(error, DN_ERROR, DN_ERROR_INTERRUPTED,
                "interrupted; %u of %u points are complete in %s", done,
                report->plan->sweep->n_points, report->dir);
    g_error_free(problem);
    return FALSE;
}
