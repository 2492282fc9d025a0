/* run.c - `darner run RUN.yaml`: simulates each point, prints a table, keeps the files valid. */
#include "base/interrupt.h"
#include "commands/commands.h"
#include "experiment/sweep_run.h"
#include "report/run_report.h"
#include "validation/baseline.h"

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

/* What a point's results go through: what they are held against, and the report. */
typedef struct {
    DnBaseline *baseline;
    DnRunReport *report;
} Run;

static void point_begin(void *data, guint point, const DnRunSpec *spec)
{
    dn_run_report_begin(((const Run *)data)->report, point, spec);
}

static gboolean point_progress(void *data, gint64 now_ps, guint64 packet_hops, GError **error)
{
    return dn_run_report_progress(((const Run *)data)->report, now_ps, packet_hops, error);
}

static gboolean point_end(void *data, guint point, const DnRunSpec *spec, const DnRunResult *result,
                          const DnRunOptions *options, GError **error)
{
    const Run *run = data;
    if (!dn_run_report_result(run->report, result, error))
        return FALSE;
    DnReferences *references = dn_baseline_point(run->baseline, spec, result, options, error);
    gboolean ok = references != NULL &&
                  dn_run_report_point(run->report, point, spec, result, references, error);
    dn_references_free(references, result->n_jobs);
    return ok;
}

static gboolean run_points(DnPlan *plan, const Options *options, GError **error)
{
    g_autoptr(DnBaseline) baseline = dn_baseline_new(plan, error);
    if (baseline == NULL)
        return FALSE;
    const DnRunReportOptions shown = {.dir = options->output,
                                      .links = (guint)options->links,
                                      .quiet = options->quiet,
                                      .timeline = options->timeline};
    g_autoptr(DnRunReport) report = dn_run_report_new(plan, &shown, error);
    if (report == NULL)
        return FALSE;
    Run run = {.baseline = baseline, .report = report};
    const DnSweepSink sink = {
        .begin = point_begin, .progress = point_progress, .end = point_end, .data = &run};
    const DnRunOptions how = {.threads = (guint)options->threads,
                              .observer = dn_run_report_observer(report)};
    GError *problem = NULL;
    guint done = 0;
    dn_sweep_run(plan->sweep, plan->networks, &how, &sink, &done, &problem);
    return dn_run_report_end(report, done, problem, error);
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
    if (plan == NULL || !run_points(plan, &options, &error))
        return dn_command_fail_set(error, options.set);
    return DN_EXIT_OK;
}
