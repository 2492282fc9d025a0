/* run.c - `darner run RUN.yaml`: simulates each point, prints a table, keeps the files valid. */
#include "validation/baseline.h"
#include "commands/commands.h"
#include "base/interrupt.h"
#include "experiment/sweep_plan.h"
#include "base/number.h"
#include "base/units.h"
#include "report/progress.h"
#include "report/run_files.h"
#include "report/run_table.h"
#include "report/timeline_files.h"
#include "experiment/experiment.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    char **set;
    char *output;
    gboolean quiet;
    int threads;
    int links;
    gboolean timeline;
} Options;

static void options_clear(Options *options)
{
    g_strfreev(options->set);
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

/* What a run needs at its beats. */
typedef struct {
    DnRunFiles *files;
    DnProgress *progress;
    const DnBaseline *baseline;
    const char *heading; /* NULL: quiet */
    const char *dir;
    DnTimeline *timeline; /* NULL: not asked for */
    DnRunObserver observer;
    DnRunOptions options;
    gboolean begun;
    double hops_left; /* packet-hops expected of this point and those after it */
    double cpu_s;     /* of the engine, in all points */
    GError *error;    /* of writing during a beat */
} Run;

/* Once the engine runs, nothing is wrong with the input any more: the report opens, and an older
 * run's rows leave the folder. */
static gboolean run_begin(Run *run)
{
    if (run->begun)
        return TRUE;
    run->begun = TRUE;
    if (run->heading != NULL) {
        fputs(run->heading, stdout);
        fflush(stdout);
    }
    return dn_run_files_flush(run->files, &run->error);
}

static gboolean report_progress(void *data, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    Run *run = data;
    (void)events;
    if (!run_begin(run))
        return FALSE;
    dn_progress_update(run->progress, now_ps, packet_hops);
    return !dn_interrupted();
}

static void print_warnings(const DnRunResult *result)
{
    for (guint i = 0; result->warnings != NULL && i < result->warnings->len; i++)
        g_printerr("warning: %s\n", (const char *)g_ptr_array_index(result->warnings, i));
}

static gboolean write_point(const DnRunSpec *spec, guint point, const DnRunResult *result, Run *run,
                            DnRunTable *table, GError **error)
{
    DnReferences *references = dn_baseline_point(run->baseline, spec, result, &run->options, error);
    if (references != NULL)
        dn_run_table_references(table, references, result->n_jobs);
    gboolean ok = references != NULL &&
                  dn_run_files_add(run->files, point, spec, result, references, error);
    dn_references_free(references, result->n_jobs);
    return ok;
}

/* Every point has a time line to show. */
static gboolean can_show(const DnPlan *plan, GError **error)
{
    for (guint point = 0; point < plan->sweep->n_points; point++) {
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

/* timeline.json and timeline.paje, of several points timeline-0.json, ... */
static gboolean write_timeline(const DnPlan *plan, guint point, const Run *run,
                               const DnRunResult *result, GError **error)
{
    g_autofree char *name = plan->sweep->n_points > 1 ? g_strdup_printf("timeline-%u", point)
                                                      : g_strdup("timeline");
    g_autofree char *stem = g_build_filename(run->dir, name, NULL);
    g_autofree char *chrome = g_strconcat(stem, ".json", NULL);
    g_autofree char *paje = g_strconcat(stem, ".paje", NULL);
    char cut[DN_UNIT_BUF];
    if (run->timeline->cut_ps != G_MAXINT64)
        g_printerr("warning: %s ends at %s: it holds no more than %u slices; shorten the run, e.g. "
                   "with `until:`\n",
                   chrome, dn_format_time(run->timeline->cut_ps, cut), run->timeline->most);
    return dn_timeline_write_chrome(run->timeline, result, chrome, error) &&
           dn_timeline_write_paje(run->timeline, result, paje, error);
}

static gboolean run_point(DnPlan *plan, guint point, Run *run, DnRunTable *table, GError **error)
{
    g_autoptr(DnRunSpec) spec = dn_plan_spec(plan, point, error);
    if (spec == NULL)
        return FALSE;
    run->hops_left -= plan->hops[point];
    dn_progress_point(run->progress, point, plan->hops[point], MAX(0.0, run->hops_left),
                      plan->hops[point], spec->until_ps);
    g_autoptr(DnRunResult) result = dn_experiment_run(spec, &run->options, plan->networks, error);
    dn_progress_clear(run->progress);
    if (result != NULL)
        run_begin(run);
    if (run->error != NULL) {
        g_clear_error(error);
        g_propagate_error(error, g_steal_pointer(&run->error));
        return FALSE;
    }
    if (result == NULL)
        return FALSE;
    print_warnings(result);
    dn_run_table_add(table, point, result);
    run->cpu_s += result->engine.cpu_s;
    return write_point(spec, point, result, run, table, error) &&
           (run->timeline == NULL || write_timeline(plan, point, run, result, error));
}

/* Standard output is the same every time; the clock on the wall is for a terminal. */
static void print_speed(double cpu_s)
{
    char buf[DN_NUMBER_BUF];
    if (isatty(STDERR_FILENO))
        g_printerr("%s of CPU time in the engine\n", dn_format_duration(cpu_s, buf));
}

/* Returns how many points are complete; their files are, too, whatever the @problem of the next. */
static guint run_each(DnPlan *plan, Run *run, DnRunTable *table, GError **problem)
{
    const guint n = plan->sweep->n_points;
    guint done = 0;
    for (guint point = 0; point < n; point++)
        run->hops_left += plan->hops[point];
    while (done < n && *problem == NULL && run_point(plan, done, run, table, problem)) {
        done++;
        if (dn_interrupted() && done < n)
            g_set_error(problem, DN_ERROR, DN_ERROR_INTERRUPTED, "%s", "interrupted");
    }
    if (done == 0)
        dn_run_files_abandon(run->files);
    if (done == 0 || *problem == NULL || g_error_matches(*problem, DN_ERROR, DN_ERROR_FILE))
        return done;
    g_autoptr(GError) late = NULL;
    if (!dn_run_files_flush(run->files, &late))
        g_printerr("%s\n", late->message);
    return done;
}

static void print_end(const DnRunTable *table, const char *dir, guint n_points, gboolean timeline)
{
    g_autofree char *text = dn_run_table_text(table);
    printf("\n%swritten: %s/ results.csv links.csv nics.csv summary.json%s\n", text, dir,
           !timeline      ? ""
           : n_points > 1 ? " timeline-*.json timeline-*.paje"
                          : " timeline.json timeline.paje");
    fflush(stdout);
}

static gboolean run_points(DnPlan *plan, const char *dir, const Options *options, GError **error)
{
    g_autoptr(DnBaseline) baseline = dn_baseline_new(plan, error);
    if (baseline == NULL || (options->timeline && !can_show(plan, error)))
        return FALSE;
    g_autoptr(DnRunFiles)
        files = dn_run_files_new(dir, plan->name, plan->sweep, (guint)options->links, error);
    if (files == NULL)
        return FALSE;
    dn_run_files_origin(files, plan->file, plan->overrides);
    guint n = plan->sweep->n_points;
    gboolean shown = !options->quiet && isatty(STDERR_FILENO);
    g_autoptr(DnProgress) progress = dn_progress_new(stderr, shown, n);
    g_autoptr(DnRunTable) table = dn_run_table_new(plan->sweep);
    g_autoptr(DnTimeline) timeline = options->timeline ? dn_timeline_new(DN_TIMELINE_MOST) : NULL;
    Run run = {
        .files = files,
        .progress = progress,
        .baseline = baseline,
        .dir = dir,
        .timeline = timeline,
        .observer = {.timeline = timeline},
        .heading = options->quiet ? NULL : plan->heading,
    };
    run.options = (DnRunOptions){.threads = (guint)options->threads,
                                 .observer = timeline != NULL ? &run.observer : NULL,
                                 .progress = {.call = report_progress, .data = &run}};
    g_autoptr(GError) problem = NULL;
    guint done = run_each(plan, &run, table, &problem);
    if (!options->quiet && done > 0) {
        print_end(table, dir, n, options->timeline);
        print_speed(run.cpu_s);
    }
    if (problem == NULL)
        return TRUE;
    if (g_error_matches(problem, DN_ERROR, DN_ERROR_INTERRUPTED))
        g_set_error(error, DN_ERROR, DN_ERROR_INTERRUPTED,
                    "interrupted; %u of %u points are complete in %s", done, n, dir);
    else
        g_propagate_error(error, g_steal_pointer(&problem));
    return FALSE;
}

static gboolean check_arguments(int argc, const Options *options, GError **error)
{
    const char *wrong = NULL;
    if (argc != 2)
        wrong = argc < 2 ? "no run file given; usage: darner run RUN.yaml"
                         : "one run file at a time; usage: darner run RUN.yaml";
    else if (options->threads < 0 || options->threads > 256)
        wrong = "--threads is out of range; allowed: 1 to 256";
    else if (options->links < 0)
        wrong = "--links is out of range; allowed: 0 (all) or more";
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s", wrong);
    return wrong == NULL;
}

int dn_command_run(int argc, char **argv)
{
    g_auto(Options) options = {.links = 256};
    const GOptionEntry entries[] = {
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &options.set,
         "set any key of the run, e.g. jobs[0].workload.bytes=1MiB; may be repeated", "KEY=VALUE"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
         "folder of the results (default: the run's output:, or out/<run>)", "DIR"},
        {"threads", 't', 0, G_OPTION_ARG_INT, &options.threads,
         "threads of the engine; results do not depend on it", "N"},
        {"links", 0, 0, G_OPTION_ARG_INT, &options.links,
         "busiest links a point in links.csv; 0: all (default 256)", "N"},
        {"timeline", 0, 0, G_OPTION_ARG_NONE, &options.timeline,
         "also write what ranks and links did when: timeline.json for Perfetto, timeline.paje",
         NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "files and errors only", NULL},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(
            &argc, &argv, entries, "RUN.yaml",
            "Writes results.csv, links.csv, nics.csv, summary.json and timing.json. Exit "
            "status: 0 done, 2 wrong input,\n130 interrupted: the files then hold "
            "the points that finished.",
            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (!check_arguments(argc, &options, &error))
        return dn_command_fail(error);
    dn_interrupt_install();
    g_autoptr(DnPlan) plan = dn_plan_new(argv[1], (const char *const *)options.set, &error);
    if (plan == NULL)
        return dn_command_fail_set(error, options.set);
    if (!run_points(plan, options.output != NULL ? options.output : plan->output, &options, &error))
        return dn_command_fail_set(error, options.set);
    return DN_EXIT_OK;
}
