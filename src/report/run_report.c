/* run_report.c - see run_report.h. */
#include "report/run_report.h"
#include "base/cpu_clock.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "base/units.h"
#include "experiment/point_shards.h"
#include "experiment/repetition_store.h"
#include "experiment/result_folder.h"
#include "experiment/run_identity.h"
#include "experiment/worker_pool.h"
#include "report/estimate_notice.h"
#include "report/point_record.h"
#include "report/progress.h"
#include "report/run_files.h"
#include "report/sample_file.h"
#include "report/timeline_files.h"
#include <stdio.h>
#include <math.h>
#include <sys/resource.h>
#include <unistd.h>

struct DnRunReport {
    const DnPlan *plan;
    const char *dir;
    gboolean quiet, compress;
    DnResultFolder *folder;
    DnShard shard;
    DnPointShards *store;
    char *identity; /* of the run (run_identity.h) */
    DnRunFiles *files;
    DnRunRows *rows; /* to work with */
    DnProgress *progress;
    DnRunTable *table;
    DnTimeline *timeline; /* NULL: not asked for */
    DnRunObserver observer;
    gboolean begun;
    DnEstimateNotice notice;
    GHashTable *warned; /* char*: the texts of warnings that were printed */
    guint warned_again; /* warnings of later points with such a text */
    guint next;         /* the first point that is not in the files yet */
    double cpu_s;       /* of the engine, in all points */
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

/* The store of the run's points: new, or that of the same run when it was cut. */
static gboolean open_store(DnRunReport *report, const DnRunReportOptions *options, GError **error)
{
    guint n_points = report->plan->sweep->n_points;
    const char *work = dn_result_folder_work(report->folder);
    g_autoptr(GError) problem = NULL;
    report->identity = dn_run_identity(report->plan, options->links, options->timeline);
    if (options->restart)
        dn_result_folder_drop(report->folder);
    report->store = dn_point_shards_open(work, options->collect ? NULL : &report->shard,
                                         report->identity, n_points, &problem);
    if (report->store != NULL)
        return TRUE;
    if (g_error_matches(problem, DN_ERROR, DN_ERROR_FILE))
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s; give another folder with -o",
                    problem->message);
    else
        g_set_error(error, DN_ERROR, problem->code,
                    "%s; give --restart to begin anew, or another folder with -o",
                    problem->message);
    return FALSE;
}

static gboolean open_folder(DnRunReport *report, const DnRunReportOptions *options, GError **error)
{
    const DnPlan *plan = report->plan;
    g_autofree char *lock = dn_shard_lock(&report->shard);
    report->folder = dn_result_folder_open(report->dir, lock, error);
    if (report->folder == NULL ||
        !dn_result_folder_alone(report->folder, report->shard.n == 0, error) ||
        !dn_result_folder_check(report->folder, dn_run_files_names, error) ||
        !open_store(report, options, error))
        return FALSE;
    const char *work = dn_result_folder_work(report->folder);
    report->files = dn_run_files_new(work, plan->name, plan->sweep, options->links);
    g_autofree char *inputs = dn_run_identity_files(report->identity);
    dn_run_files_origin(report->files, plan->file, plan->overrides, inputs);
    return TRUE;
}

static DnProgressMode progress_mode(const DnRunReportOptions *options)
{
    if (options->quiet)
        return DN_PROGRESS_NONE;
    return isatty(STDERR_FILENO) ? DN_PROGRESS_TERMINAL : DN_PROGRESS_LINES;
}

static gboolean is_missing(const DnRunReport *report, guint point)
{
    return !dn_point_shards_has(report->store, point) && dn_shard_has(&report->shard, point);
}

static DnRunEstimate *new_estimate(const DnRunReport *report)
{
    const DnPlan *plan = report->plan;
    guint n = plan->sweep->n_points;
    g_autofree DnEstimatePoint *points = g_new(DnEstimatePoint, n);
    for (guint point = 0; point < n; point++) {
        points[point] = dn_estimate_point_of_plan(plan, point);
        points[point].done = !is_missing(report, point);
    }
    return dn_run_estimate_new(points, n, dn_cpu_clock_s(), "point");
}

/* The unfinished points of which finished repetitions are kept. */
static guint points_kept(const DnRunReport *report)
{
    return dn_repetition_store_count(dn_result_folder_work(report->folder));
}

DnRunReport *dn_run_report_new(const DnPlan *plan, const DnRunReportOptions *options,
                               GError **error)
{
    if (options->timeline != 0 && !check_timeline(plan, error))
        return NULL;
    g_autoptr(DnRunReport) report = g_new0(DnRunReport, 1);
    guint n_points = plan->sweep->n_points;
    report->plan = plan;
    report->dir = options->dir != NULL ? options->dir : plan->output;
    report->quiet = options->quiet;
    report->compress = options->compress;
    report->notice.allowed = options->yes || isatty(STDERR_FILENO);
    report->shard = options->shard;
    report->progress = dn_progress_new(stderr, progress_mode(options), n_points, options->jobs,
                                       plan->hops, plan->until_ps);
    report->table = dn_run_table_new(plan->sweep);
    report->warned = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    report->rows = dn_run_rows_new(plan->name, plan->sweep, options->links);
    if (options->timeline != 0)
        report->timeline = dn_timeline_new(DN_TIMELINE_MOST, options->timeline);
    report->observer.timeline = report->timeline;
    if (!open_folder(report, options, error))
        return NULL;
    report->notice.estimate = new_estimate(report);
    guint done = dn_point_shards_done(report->store);
    if (done > 0 && !options->quiet && !options->collect)
        g_printerr("%u of %u points are complete in %s: the run goes on with the others\n", done,
                   n_points, dn_result_folder_work(report->folder));
    if (points_kept(report) > 0 && !options->quiet && !options->collect)
        g_printerr("finished repetitions of %u points are kept in %s: the run goes on with the "
                   "others\n",
                   points_kept(report), dn_result_folder_work(report->folder));
    return g_steal_pointer(&report);
}

void dn_run_report_free(DnRunReport *report)
{
    if (report == NULL)
        return;
    dn_point_shards_free(report->store);
    g_free(report->identity);
    dn_run_files_free(report->files);
    dn_result_folder_free(report->folder);
    dn_progress_free(report->progress);
    dn_run_estimate_free(report->notice.estimate);
    dn_run_table_free(report->table);
    g_clear_pointer(&report->warned, g_hash_table_unref);
    dn_run_rows_free(report->rows);
    g_clear_pointer(&report->timeline, dn_timeline_free);
    g_free(report);
}

DnRunObserver *dn_run_report_observer(DnRunReport *report)
{
    return report->timeline != NULL ? &report->observer : NULL;
}

DnRepetitionKeep dn_run_report_keep(const DnRunReport *report)
{
    return (DnRepetitionKeep){.dir = dn_result_folder_work(report->folder),
                              .head = report->identity};
}

guint *dn_run_report_missing(const DnRunReport *report, guint *n)
{
    guint n_points = report->plan->sweep->n_points;
    guint *missing = g_new(guint, n_points);
    *n = 0;
    for (guint point = 0; point < n_points; point++)
        if (is_missing(report, point))
            missing[(*n)++] = point;
        else
            dn_progress_skip(report->progress, point);
    return missing;
}

gboolean dn_run_report_check(const DnRunReport *report, GError **error)
{
    guint missing, n = report->plan->sweep->n_points;
    g_autofree char *summary = g_build_filename(report->dir, "summary.json", NULL);
    g_free(dn_run_report_missing(report, &missing));
    if (missing == 0)
        return TRUE;
    if (missing == n && g_file_test(summary, G_FILE_TEST_EXISTS))
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "%s: nothing to collect: its results are whole", report->dir);
    else
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "%u of %u points are missing; `darner sweep submit` submits them, `darner run` "
                    "simulates them here",
                    missing, n);
    return FALSE;
}

/* ---- points ---- */

/* A warning that was printed for another point is only counted. */
static void print_warnings(DnRunReport *report, guint point, GVariant *record)
{
    g_auto(GStrv) warnings = dn_point_record_warnings(record);
    g_autofree char *at = dn_run_table_point_name(report->table, point);
    for (guint i = 0; warnings[i] != NULL; i++)
        if (g_hash_table_add(report->warned, g_strdup(warnings[i])))
            g_printerr("warning%s: %s\n", at, warnings[i]);
        else
            report->warned_again++;
}

/* Puts those points into the files that are next in order. */
static gboolean put_next(DnRunReport *report, GError **error)
{
    guint n_points = report->plan->sweep->n_points, before = report->next;
    if (report->shard.n > 0) /* the command that joins the shards does that */
        return TRUE;
    for (; report->next < n_points && dn_point_shards_has(report->store, report->next);
         report->next++) {
        g_autoptr(GVariant) record = dn_point_shards_get(report->store, report->next, error);
        if (record == NULL)
            return FALSE;
        g_autoptr(GVariant) rows = g_variant_lookup_value(record, "table", NULL);
        if (rows == NULL || !dn_run_table_add(report->table, report->next, rows)) {
            g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s: point %u: not what a run wrote",
                        dn_result_folder_work(report->folder), report->next);
            return FALSE;
        }
        print_warnings(report, report->next, record);
        dn_run_files_add(report->files, record);
        report->cpu_s += dn_point_record_number(record, "cpu_s");
    }
    return report->next == before || dn_run_files_put(report->files, error);
}

/* Once the engine runs, nothing is wrong with the input any more: the report opens. */
static gboolean report_open(DnRunReport *report, GError **error)
{
    if (report->begun)
        return TRUE;
    report->begun = TRUE;
    if (!report->quiet && report->shard.n == 0) {
        fputs(report->plan->heading, stdout);
        fflush(stdout);
    }
    return put_next(report, error);
}

/* Returns the CPU time of this process and of those that it started and that are over. */
static double taken_cpu_s(void)
{
    struct rusage others;
    getrusage(RUSAGE_CHILDREN, &others);
    return dn_cpu_clock_s() + (double)(others.ru_utime.tv_sec + others.ru_stime.tv_sec) +
           1e-6 * (double)(others.ru_utime.tv_usec + others.ru_stime.tv_usec);
}

/* Some CPU seconds after the first event: says how long the run takes. Ends one that is too long
 * for nobody to have said yes to it. */
static gboolean report_estimate(DnRunReport *report, GError **error)
{
    DnEstimateResult found;
    if (!dn_estimate_notice_check(&report->notice, &found, error))
        return FALSE;
    if (found.text == NULL)
        return TRUE;
    dn_progress_clear(report->progress);
    if (!report->quiet)
        g_printerr("%s\n", found.text);
    dn_run_files_estimate(report->files, found.seconds, found.bytes);
    g_free(found.text);
    return TRUE;
}

gboolean dn_run_report_progress(DnRunReport *report, guint point, gint64 now_ps,
                                guint64 packet_hops, GError **error)
{
    dn_run_estimate_update(report->notice.estimate, point, now_ps, packet_hops,
                           dn_worker_pool_item_cpu_s());
    if (!report_open(report, error) || !report_estimate(report, error))
        return FALSE;
    dn_progress_update(report->progress, point, now_ps, packet_hops);
    return TRUE;
}

/* timeline.json and timeline.paje, of several points timeline-0.json, ... */
static gboolean write_timeline(const DnRunReport *report, guint point, const DnRunResult *result,
                               GError **error)
{
    g_autofree char *name = report->plan->sweep->n_points > 1
                                ? g_strdup_printf("timeline-%u", point)
                                : g_strdup("timeline");
    return dn_timeline_write(report->timeline, result, report->folder, name, error);
}

GVariant *dn_run_report_record(const DnRunReport *report, guint point, const DnRunSpec *spec,
                               const DnRunResult *result, const DnReferences *references,
                               GError **error)
{
    if (report->timeline != NULL && !write_timeline(report, point, result, error))
        return NULL;
    return dn_point_record_new(report->rows, report->table, point, spec, result, references);
}

gboolean dn_run_report_done(DnRunReport *report, guint point, GVariant *record, GError **error)
{
    dn_progress_clear(report->progress);
    dn_progress_done(report->progress, point);
    dn_run_estimate_done(report->notice.estimate, point, dn_worker_pool_item_cpu_s());
    if (!dn_point_shards_add(report->store, point, record, error))
        return FALSE;
    dn_repetition_store_drop(dn_result_folder_work(report->folder), point);
    return report_open(report, error) && put_next(report, error) && report_estimate(report, error);
}

/* ---- the end ---- */

static void print_end(const DnRunReport *report, gboolean complete)
{
    g_autofree char *text = dn_run_table_text(report->table);
    if (report->warned_again > 0)
        g_printerr("%u more warning%s of the same words at other points; summary.json has each\n",
                   report->warned_again, report->warned_again == 1 ? "" : "s");
    const char *timelines = report->plan->sweep->n_points > 1 ? " timeline-*.json timeline-*.paje"
                                                              : " timeline.json timeline.paje";
    printf("\n%swritten: %s/ results.csv samples.csv statistics.csv links.csv nics.csv "
           "summary.json%s\n",
           text, complete ? report->dir : dn_result_folder_work(report->folder),
           report->timeline != NULL ? timelines : "");
    fflush(stdout);
    /* Standard output is the same every time; wall-clock time goes to a terminal only. */
    char buf[DN_NUMBER_BUF];
    if (isatty(STDERR_FILENO))
        g_printerr("%s of CPU time in the engine\n", dn_format_duration(report->cpu_s, buf));
}

static gboolean finish_complete(DnRunReport *report, GError **error)
{
    dn_run_files_process(report->files, taken_cpu_s(), dn_resident_bytes());
    if (!report_open(report, error) || !dn_run_files_flush(report->files, error) ||
        (report->compress &&
         !dn_sample_file_compress(dn_result_folder_work(report->folder), error)) ||
        !dn_result_folder_publish(report->folder, "summary.json", dn_run_files_stale, error))
        return FALSE;
    if (!report->quiet)
        print_end(report, TRUE);
    return TRUE;
}

/* Ends a shard: its points stay in the store for the command that joins the shards. */
static gboolean finish_shard(const DnRunReport *report)
{
    if (!report->quiet)
        printf("shard %u/%u: %u of %u points of the run are complete in %s\n", report->shard.i,
               report->shard.n, dn_point_shards_done(report->store), report->plan->sweep->n_points,
               dn_result_folder_work(report->folder));
    return TRUE;
}

/* Keeps the results of a run that was cut, so that a later run goes on with them. */
static void finish_cut(DnRunReport *report, const GError *problem)
{
    g_autoptr(GError) late = NULL;
    if (dn_point_shards_done(report->store) == 0 && report->shard.n == 0 &&
        points_kept(report) == 0)
        dn_result_folder_drop(report->folder);
    if (dn_point_shards_done(report->store) == 0 || report->shard.n > 0)
        return;
    gboolean full = g_error_matches(problem, DN_ERROR, DN_ERROR_FILE);
    if (!full && report_open(report, &late) && dn_run_files_flush(report->files, &late) &&
        !report->quiet && report->next > 0)
        print_end(report, FALSE);
    if (late != NULL)
        g_printerr("%s\n", late->message);
}

/* (transfer full): what is there to go on with. */
static char *describe_cut(const DnRunReport *report)
{
    guint done = dn_point_shards_done(report->store), kept = points_kept(report);
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%u of %u points are complete", done,
                           report->plan->sweep->n_points);
    if (kept > 0)
        g_string_append_printf(out, ", and finished repetitions of %u more are kept", kept);
    if (done + kept > 0)
        g_string_append_printf(out, " in %s; the same command goes on from there",
                               dn_result_folder_work(report->folder));
    return g_string_free(out, FALSE);
}

gboolean dn_run_report_end(DnRunReport *report, GError *problem, GError **error)
{
    dn_progress_clear(report->progress);
    if (problem == NULL &&
        (report->shard.n > 0 ? finish_shard(report) : finish_complete(report, &problem)))
        return TRUE;
    finish_cut(report, problem);
    g_autofree char *state = describe_cut(report);
    if (g_error_matches(problem, DN_ERROR, DN_ERROR_INTERRUPTED)) {
        g_set_error(error, DN_ERROR, DN_ERROR_INTERRUPTED, "interrupted; %s", state);
        g_error_free(problem);
        return FALSE;
    }
    if (dn_point_shards_done(report->store) + points_kept(report) > 0)
        g_printerr("%s\n", state);
    g_propagate_error(error, problem);
    return FALSE;
}
