/* run.c - `darner run RUN.yaml`: simulates each point, prints a table, keeps the files valid. */
#include "base/interrupt.h"
#include "commands/commands.h"
#include "commands/run_arguments.h"
#include "experiment/packet_bias.h"
#include "experiment/sweep_processes.h"
#include "report/run_report.h"
#include "validation/baseline.h"

/* Sweeps of more points leave out how many latencies each has in a row. */
#define MOST_COUNTED 100

/* State of a run: the reference values that results are compared with, and the report. */
typedef struct {
    DnBaseline *baseline;
    DnRunReport *report;
} Run;

static GVariant *point_record(void *data, guint point, const DnRunSpec *spec,
                              const DnRunResult *result, const DnRunOptions *options,
                              GError **error)
{
    const Run *run = data;
    DnReferences *references = dn_baseline_point(run->baseline, spec, result, options, error);
    if (references == NULL)
        return NULL;
    GVariant *record = dn_run_report_record(run->report, point, spec, result, references, error);
    dn_references_free(references, result->n_jobs);
    return record;
}

static gboolean point_progress(void *data, guint point, gint64 now_ps, guint64 packet_hops,
                               GError **error)
{
    return dn_run_report_progress(((const Run *)data)->report, point, now_ps, packet_hops, error);
}

static gboolean point_done(void *data, guint point, GVariant *record, GError **error)
{
    return dn_run_report_done(((const Run *)data)->report, point, record, error);
}

static gboolean run_points(DnPlan *plan, const DnRunArguments *options, GError **error)
{
    DnRunOptions how = {.threads = (guint)options->threads, .processes = dn_processes()};
    const DnProcesses *processes = how.processes;
    how.count_steps = plan->sweep->n_points <= MOST_COUNTED;
    how.packet_bias_hops = how.count_steps ? DN_PACKET_BIAS_HOPS : 0;
    how.packet_bias_whole_hops =
        MIN(DN_PACKET_BIAS_WHOLE_HOPS, DN_PACKET_BIAS_ALL_HOPS / MAX(1, plan->sweep->n_points));
    if (processes != NULL && processes->rank > 0)
        return dn_sweep_follow(processes, plan->sweep, plan->networks, &how, error);
    const DnRunReportOptions shown = {.dir = options->output,
                                      .links = (guint)options->links,
                                      .jobs = (guint)options->jobs,
                                      .quiet = options->quiet,
                                      .timeline = options->timeline,
                                      .compress = options->compress,
                                      .yes = options->yes,
                                      .restart = options->restart,
                                      .shard = options->shard};
    g_autoptr(DnBaseline) baseline = dn_baseline_new(plan, error);
    g_autoptr(DnRunReport) report = baseline != NULL ? dn_run_report_new(plan, &shown, error)
                                                     : NULL;
    guint n = 0;
    g_autofree guint *points = report != NULL ? dn_run_report_missing(report, &n) : NULL;
    if (!dn_sweep_lead(processes, points, n, error))
        return FALSE;
    Run run = {.baseline = baseline, .report = report};
    const DnSweepReceiver receiver = {
        .record = point_record, .progress = point_progress, .done = point_done, .data = &run};
    GError *problem = NULL;
    how.observer = dn_run_report_observer(report);
    how.keep = dn_run_report_keep(report);
    dn_sweep_run_jobs(plan->sweep, plan->networks, &how, points, n, shown.jobs, &receiver,
                      &problem);
    return dn_run_report_end(report, problem, error);
}

int dn_command_run(int argc, char **argv)
{
    g_auto(DnRunArguments) options = {.links = 256, .jobs = 1, .threads = DN_OPTION_LEFT_OUT};
    const GOptionEntry entries[] = {
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &options.set,
         "set any key of the run, e.g. jobs[0].workload.bytes=1MiB; may be repeated", "KEY=VALUE"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
         "folder of the results (default: the run's output:, or out/<run>)", "DIR"},
        {"threads", 't', 0, G_OPTION_ARG_INT, &options.threads,
         "threads of the engine; results do not depend on it", "N"},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &options.jobs,
         "simulate N points (or repetitions) at once, each in a process; same results", "N"},
        {"shard", 0, 0, G_OPTION_ARG_STRING, &options.shard_text,
         "every N-th point from the I-th on, for `darner sweep collect`", "I/N"},
        {"restart", 0, 0, G_OPTION_ARG_NONE, &options.restart,
         "drop the finished points of an interrupted run, and begin anew", NULL},
        {"yes", 'y', 0, G_OPTION_ARG_NONE, &options.yes,
         "run although it takes more than an hour; not needed on a terminal", NULL},
        {"links", 0, 0, G_OPTION_ARG_INT, &options.links,
         "busiest links a point in links.csv; 0: all (default 256)", "N"},
        {"timeline", 0, 0, G_OPTION_ARG_STRING, &options.timeline_text,
         "record what ranks, links or both do: timeline.json, .paje", "[ranks|links|all]"},
        {"compress", 'z', 0, G_OPTION_ARG_NONE, &options.compress,
         "write samples.csv.gz in place of samples.csv", NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet,
         "no progress and no tables; warnings and errors only", NULL},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(&argc, &argv, entries, "RUN.yaml",
                            "Writes results.csv, samples.csv, statistics.csv, links.csv, nics.csv, "
                            "summary.json and timing.json. Exit status: 0 done, 2 wrong input,\n"
                            "130 interrupted: the points that finished are then in DIR/unfinished, "
                            "and the same command goes on.",
                            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (!dn_run_arguments_check(argc, &options, &error))
        return dn_command_fail(error);
    dn_interrupt_install();
    g_autoptr(DnPlan) plan = dn_plan_new(argv[1], (const char *const *)options.set, &error);
    if (plan == NULL || !run_points(plan, &options, &error))
        return dn_command_fail_set(error, options.set);
    return DN_EXIT_OK;
}
