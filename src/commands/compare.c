/* compare.c - `darner compare RUN.yaml`: the same run on every engine, side by side. */
#include "base/interrupt.h"
#include "commands/commands.h"
#include "experiment/worker_pool.h"
#include "report/comparison_estimate.h"
#include "report/comparison_text.h"

#include <math.h>
#include <unistd.h>

#define NO_LIMIT (-G_MAXDOUBLE)

typedef struct {
    char **set;
    double max_percent;
    int threads, jobs;
    gboolean yes;
} Options;

static void options_clear(Options *options)
{
    g_strfreev(options->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static gboolean check_arguments(int argc, Options *options, GError **error)
{
    const char *wrong = NULL;
    if (argc != 2)
        wrong = argc < 2 ? "no run file given; usage: darner compare RUN.yaml"
                         : "one run file at a time; usage: darner compare RUN.yaml, or "
                           "darner compare-runs OUT/A OUT/B for two runs' results";
    else if (!dn_option_in_range(&options->threads, 1, DN_MAX_THREADS))
        wrong = DN_THREADS_WRONG;
    else if (options->max_percent != NO_LIMIT &&
             !(options->max_percent >= 0.0 && isfinite(options->max_percent)))
        wrong = "--max-percent is out of range; allowed: 0 or more";
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s", wrong);
    return wrong == NULL && dn_worker_pool_check(options->jobs, error);
}

/* Returns the exit status. */
static int compare_verdict(const DnEngineComparison *c, double max_percent)
{
    if (max_percent == NO_LIMIT)
        return DN_EXIT_OK;
    gboolean missed = c->compared == 0 || c->apart_percent > max_percent ||
                      c->better_percent > DN_COMPARISON_BETTER_PERCENT;
    return missed ? DN_EXIT_MISSED : DN_EXIT_OK;
}

static int compare_file(const char *file, const Options *options)
{
    GError *error = NULL;
    g_autoptr(DnEngineComparison)
        c = dn_engine_comparison_new(file, (const char *const *)options->set, &error);
    if (c == NULL)
        return dn_command_fail(error);
    dn_interrupt_install();
    dn_comparison_print_heading(c);
    DnComparisonHow how = {.threads = (guint)options->threads, .jobs = (guint)options->jobs};
    g_autoptr(DnComparisonEstimate) estimate G_GNUC_UNUSED = /* which `how` points to */
        dn_comparison_estimate_new(c, &how, options->yes || isatty(STDERR_FILENO));
    if (!dn_engine_comparison_run(c, &how, &error))
        return dn_command_fail(error);
    dn_comparison_print(c);
    if (c->compared > 0 && isatty(STDERR_FILENO))
        g_printerr("CPU time: packet %.2f s, flow %.2f s, bound %.2f s\n",
                   c->cpu_s[DN_COMPARED_PACKET], c->cpu_s[DN_COMPARED_FLOW],
                   c->cpu_s[DN_COMPARED_BOUND]);
    return compare_verdict(c, options->max_percent);
}

int dn_command_compare(int argc, char **argv)
{
    g_auto(Options) options = {.max_percent = NO_LIMIT, .threads = DN_OPTION_LEFT_OUT, .jobs = 1};
    const GOptionEntry entries[] = {
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &options.set,
         "set any key of the run, e.g. jobs[0].workload.bytes=1MiB; may be repeated", "KEY=VALUE"},
        {"max-percent", 'm', 0, G_OPTION_ARG_DOUBLE, &options.max_percent,
         "fail when flow and packet differ by more than P %, or one is better than the bound", "P"},
        {"threads", 't', 0, G_OPTION_ARG_INT, &options.threads, "threads of the packet engine",
         "N"},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &options.jobs,
         "simulate N points at once, each in a process", "N"},
        {"yes", 'y', 0, G_OPTION_ARG_NONE, &options.yes,
         "run although it takes more than an hour; not needed on a terminal", NULL},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(
            &argc, &argv, entries, "RUN.yaml",
            "Runs every point on the engines packet, flow and bound; writes no "
            "files. Rates of an alltoall inside a node are listed by pair as well.\n"
            "Exit status: 0 done, 1 --max-percent is exceeded, 2 wrong "
            "input, 130 interrupted.",
            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    return check_arguments(argc, &options, &error) ? compare_file(argv[1], &options)
                                                   : dn_command_fail(error);
}
