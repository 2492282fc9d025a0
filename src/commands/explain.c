/* explain.c - `darner explain OUT/RUN`: why an iteration took as long as it did, whose packets were
 * ahead, and what to change first. */
#include "base/interrupt.h"
#include "commands/commands.h"
#include "experiment/run_origin.h"
#include "report/explain_estimate.h"
#include "report/explanation_report.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <unistd.h>

typedef struct {
    char *job;
    int point, repetition, iteration, top, threads;
    gboolean no_reruns, yes;
} Options;

static gboolean explain_file(const char *folder, const Options *o, GError **error)
{
    g_autoptr(DnRunOrigin) origin = dn_run_origin_read(folder, error);
    if (origin == NULL)
        return FALSE;
    g_autoptr(DnRunSpec) spec = dn_run_origin_spec(origin, (guint)o->point, error);
    if (spec == NULL || !dn_explanation_possible(spec, folder, error))
        return FALSE;
    if (g_access(folder, W_OK) != 0) { /* said now, not after the simulations */
        g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot write there: %s", folder,
                    g_strerror(errno));
        return FALSE;
    }
    DnExplainQuery query = {.job = o->job,
                            .repetition = o->repetition,
                            .iteration = (guint)o->iteration,
                            .threads = (guint)o->threads,
                            .no_reruns = o->no_reruns};
    g_autoptr(DnExplainEstimate)
        estimate = dn_explain_estimate_new(spec, &query, o->yes || isatty(STDERR_FILENO), error);
    if (estimate == NULL)
        return FALSE;
    g_autoptr(DnExplanation) x = dn_explanation_new(
        spec, origin->name != NULL ? origin->name : folder, (guint)o->point, &query, error);
    if (x == NULL || !dn_explain_write(x, origin->folder, error))
        return FALSE;
    g_autofree char *text = dn_explain_text(x, (guint)o->top);
    printf("%s\nwritten: %s/ explain.json delay_attribution.csv delaying_flows.csv\n", text,
           origin->folder);
    return TRUE;
}

static gboolean check_arguments(int argc, Options *options, GError **error)
{
    const char *wrong = NULL;
    if (argc != 2)
        wrong = "one folder that a run wrote is wanted, e.g. darner explain out/quickstart";
    else if (options->point < 0)
        wrong = "--point is out of range; allowed: 0 or more";
    else if (options->repetition < -1)
        wrong = "--repetition is out of range; allowed: 0 or more";
    else if (options->iteration < 0)
        wrong = "--iteration is out of range; allowed: 1 or more";
    else if (options->top < 1 || options->top > 100000)
        wrong = "--top is out of range; allowed: 1 to 100000";
    else if (!dn_option_in_range(&options->threads, 1, DN_MAX_THREADS))
        wrong = DN_THREADS_WRONG;
    if (wrong != NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "%s", wrong);
    return wrong == NULL;
}

int dn_command_explain(int argc, char **argv)
{
    Options options = {.top = 10, .repetition = -1, .threads = DN_OPTION_LEFT_OUT};
    g_autofree char *job = NULL;
    const GOptionEntry entries[] = {
        {"point", 'p', 0, G_OPTION_ARG_INT, &options.point,
         "number of the sweep's point, as in results.csv (default: 0)", "N"},
        {"job", 0, 0, G_OPTION_ARG_STRING, &job,
         "job to explain (default: the first that is not background)", "NAME"},
        {"repetition", 'r', 0, G_OPTION_ARG_INT, &options.repetition,
         "number of the repetition, from 0 on (default: that of the slowest iteration)", "N"},
        {"iteration", 'i', 0, G_OPTION_ARG_INT, &options.iteration,
         "number of the iteration, from 1 on (default: the slowest)", "N"},
        {"top", 0, 0, G_OPTION_ARG_INT, &options.top,
         "rows of a table of waits (default: 10); delay_attribution.csv has all", "N"},
        {"no-reruns", 0, 0, G_OPTION_ARG_NONE, &options.no_reruns,
         "do not simulate the changes that could help", NULL},
        {"threads", 't', 0, G_OPTION_ARG_INT, &options.threads,
         "threads of the engine; results do not depend on it", "N"},
        {"yes", 'y', 0, G_OPTION_ARG_NONE, &options.yes, "also if it takes over an hour", NULL},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    dn_option_renamed(argc, argv, "-j", "--job");
    if (!dn_command_options(
            &argc, &argv, entries, "OUT/RUN",
            "Runs OUT/RUN again and shows one iteration's critical path: computation, endpoints, "
            "injection, wire\nand waits, by link and lane; whose packets were ahead; and what to "
            "change first: each\nresource is made ideal in a run of its own. Writes explain.json, "
            "delay_attribution.csv and\ndelaying_flows.csv into OUT/RUN.\nExit status: 0 done, 2 "
            "wrong input, 130 interrupted.",
            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    options.job = job;
    dn_interrupt_install();
    if (!check_arguments(argc, &options, &error) || !explain_file(argv[1], &options, &error))
        return dn_command_fail(error);
    return DN_EXIT_OK;
}
