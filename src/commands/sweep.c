/* sweep.c - `darner sweep`: a run's points on a cluster; two of its words stand here. */
#include <stdio.h>
#include <string.h>

#include "base/interrupt.h"
#include "commands/commands.h"
#include "commands/sweep_words.h"
#include "experiment/run_identity.h"
#include "experiment/sweep_cluster.h"
#include "report/run_report.h"
#include "validation/baseline.h"

typedef struct {
    char **set;
    char *output;
    gboolean quiet;
} Options;

static void options_clear(Options *options)
{
    g_strfreev(options->set);
    g_free(options->output);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

DnPlan *dn_sweep_plan(const char *file, char **set, GError **error)
{
    g_autoptr(DnPlan) plan = dn_plan_new(file, (const char *const *)set, error);
    g_autoptr(DnBaseline) baseline = plan != NULL ? dn_baseline_new(plan, error) : NULL;
    return baseline != NULL ? g_steal_pointer(&plan) : NULL;
}

/* The options of `status` and `collect`. FALSE: there is nothing to do but to return *@status. */
static gboolean read_options(int argc, char **argv, Options *options, const char *about,
                             int *status)
{
    const GOptionEntry entries[] = {
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &options->set,
         "as it was given to `darner sweep submit` or `darner run`", "KEY=VALUE"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options->output,
         "folder of the results (default: the run's output:, or out/<run>)", "DIR"},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &options->quiet, "warnings and errors only", NULL},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped = FALSE;
    if (dn_command_options(&argc, &argv, entries, "RUN.yaml", about, &helped, &error) && !helped &&
        argc != 2)
        g_set_error(&error, DN_ERROR, DN_ERROR_MISSING, "%s: %d run files given; wanted: one",
                    argv[0], argc - 1);
    *status = error != NULL ? dn_command_fail(error) : DN_EXIT_OK;
    return *status == DN_EXIT_OK && !helped;
}

static int sweep_status(int argc, char **argv)
{
    g_auto(Options) options = {0};
    GError *error = NULL;
    int status;
    if (!read_options(argc, argv, &options,
                      "Prints how many points of a run are complete, which parts are at work, and "
                      "whether the job is in the queue.",
                      &status))
        return status;
    g_autoptr(DnPlan) plan = dn_sweep_plan(argv[1], options.set, &error);
    g_autofree char *text = plan != NULL ? dn_sweep_cluster_status(plan, options.output, &error)
                                         : NULL;
    if (text == NULL)
        return dn_command_fail_set(error, options.set);
    fputs(text, stdout);
    return DN_EXIT_OK;
}

/* Reads the options with which the points were simulated. */
static gboolean read_asked(const DnPlan *plan, DnRunReportOptions *shown, GError **error)
{
    g_autofree char *work = g_build_filename(shown->dir != NULL ? shown->dir : plan->output,
                                             DN_RESULT_UNFINISHED, NULL);
    g_autofree char *head = NULL;
    gboolean read = dn_point_shards_head(work, &head, error);
    if (head != NULL)
        dn_run_identity_options(head, &shown->links, &shown->timeline);
    return read;
}

static gboolean collect_points(const DnPlan *plan, const Options *options, GError **error)
{
    DnRunReportOptions shown = {
        .dir = options->output, .jobs = 1, .quiet = options->quiet, .collect = TRUE};
    g_autoptr(DnRunReport)
        report = read_asked(plan, &shown, error) ? dn_run_report_new(plan, &shown, error) : NULL;
    if (report == NULL)
        return FALSE;
    return dn_run_report_check(report, error) && dn_run_report_end(report, NULL, error);
}

static int sweep_collect(int argc, char **argv)
{
    g_auto(Options) options = {0};
    GError *error = NULL;
    int status;
    if (!read_options(argc, argv, &options,
                      "Puts the points together that the parts of a run have finished, and writes "
                      "what `darner run` writes:\nthe same bytes. Exit status: 0 done, 2 points "
                      "are missing.",
                      &status))
        return status;
    dn_interrupt_install();
    g_autoptr(DnPlan) plan = dn_sweep_plan(argv[1], options.set, &error);
    if (plan == NULL || !collect_points(plan, &options, &error))
        return dn_command_fail_set(error, options.set);
    return DN_EXIT_OK;
}

int dn_command_sweep(int argc, char **argv)
{
    static const struct {
        const char *word;
        int (*run)(int argc, char **argv);
    } words[] = {{"submit", dn_sweep_submit}, {"status", sweep_status}, {"collect", sweep_collect}};
    for (guint i = 0; argc > 1 && i < G_N_ELEMENTS(words); i++) {
        if (strcmp(argv[1], words[i].word) != 0)
            continue;
        g_autofree char *name = g_strdup_printf("darner sweep %s", words[i].word);
        argv[1] = name;
        return words[i].run(argc - 1, argv + 1);
    }
    const GOptionEntry none[] = {G_OPTION_ENTRY_NULL};
    GError *error = NULL;
    gboolean helped;
    if (dn_command_options(
            &argc, &argv, none, "submit|status|collect RUN.yaml",
            "Simulates the points of a run as the tasks of a job array. `darner sweep "
            "submit --help`\nand so on list the options.",
            &helped, &error) &&
        helped)
        return DN_EXIT_OK;
    if (error == NULL)
        g_set_error(&error, DN_ERROR, DN_ERROR_MISSING,
                    "darner sweep: wanted: submit, status or collect, and a run file");
    return dn_command_fail(error);
}
