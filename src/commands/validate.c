/* validate.c - `darner validate [CASE...]`: measured against simulated; status 1 for a miss. */
#include "validation/blind.h"
#include "base/interrupt.h"
#include "commands/commands.h"
#include "commands/validate_options.h"
#include "validation/case_choice.h"
#include "validation/validation_run.h"
#include <stdio.h>
#include <unistd.h>

/* Compares registered predictions; returns the exit status. */
static int compare_blind(const DnValidateOptions *options)
{
    GError *error = NULL;
    g_autofree char *folder = dn_case_folder(NULL, &error);
    g_autofree char *text = folder != NULL ? dn_blind_compare(folder, options->measurements, &error)
                                           : NULL;
    if (text == NULL)
        return dn_command_fail(error);
    printf("%s", text);
    return DN_EXIT_OK;
}

/* Validates cases; returns the exit status. */
static int validate_file(char **words, const DnValidateOptions *o)
{
    GError *error = NULL;
    const DnValidationQuery query = {.words = words,
                                     .full = o->full,
                                     .quiet = o->quiet,
                                     .stored = o->stored,
                                     .yes = o->yes || isatty(STDERR_FILENO),
                                     .packet_bias = o->packet_bias,
                                     .jobs = (guint)o->jobs,
                                     .shard = o->shard,
                                     .null_model = o->null_model,
                                     .keep = o->keep,
                                     .json = o->json,
                                     .pages = o->pages,
                                     .measurements = o->measurements,
                                     .map = o->map,
                                     .expected = o->expected};
    guint missed = 0;
    dn_interrupt_install();
    if (o->blind)
        return compare_blind(o);
    if (o->list ? !dn_validation_list(words, &error) : !dn_validation_run(&query, &missed, &error))
        return dn_command_fail(error);
    return missed > 0 ? DN_EXIT_MISSED : DN_EXIT_OK;
}

int dn_command_validate(int argc, char **argv)
{
    g_auto(DnValidateOptions) options = {.jobs = 1};
    const GOptionEntry entries[] = {
        {"list", 'l', 0, G_OPTION_ARG_NONE, &options.list, "name the cases, run nothing", NULL},
        {"full", 'f', 0, G_OPTION_ARG_NONE, &options.full, "also cases that take minutes", NULL},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &options.jobs,
         "simulate N runs at once, each in a process", "N"},
        {"shard", 0, 0, G_OPTION_ARG_STRING, &options.shard_text,
         "every N-th run, into --keep FOLDER, as a task of `darner sweep submit --validate`",
         "I/N"},
        {"json", 0, 0, G_OPTION_ARG_FILENAME, &options.json, "also write every point to FILE",
         "FILE"},
        {"page", 'p', 0, G_OPTION_ARG_FILENAME_ARRAY, &options.pages,
         "also write the agreement report of the papers' figures to FILE.md or FILE.html", "FILE"},
        {"keep", 'k', 0, G_OPTION_ARG_FILENAME, &options.keep,
         "keep each run's results in FOLDER; results there of the same inputs and program are "
         "taken, so that the same command goes on after a kill",
         "FOLDER"},
        {"stored", 0, 0, G_OPTION_ARG_NONE, &options.stored,
         "take the results in the folder of --keep, simulate nothing", NULL},
        {"null", 0, 0, G_OPTION_ARG_STRING, &options.null,
         "simulate a null model instead, `idle` (each job alone) or `bound` (engine bound), and "
         "keep its results in FOLDER: a value that it meets as well does not test the network",
         "MODEL"},
        {"against", 'a', 0, G_OPTION_ARG_FILENAME, &options.measurements,
         "measurements of your own, as `darner import` reads them: OSU, nccl-tests, blink, CSV; "
         "instead of CASE a run file",
         "FILE"},
        {"blind", 0, 0, G_OPTION_ARG_NONE, &options.blind,
         "compare the measurements of --against (columns run, point, job, metric, measured) with "
         "the predictions registered in validation/blind/",
         NULL},
        {"map", 'm', 0, G_OPTION_ARG_FILENAME, &options.map,
         "meaning of the measurements' columns and rows (validation/HOWTO.md)", "FILE.yaml"},
        {"expected", 'e', 0, G_OPTION_ARG_FILENAME, &options.expected,
         "also write the measurements to FILE, in the form of `measured:` and of expected.csv",
         "FILE.csv"},
        {"packet-bias", 0, 0, G_OPTION_ARG_NONE, &options.packet_bias,
         "warn of what packets larger than the machine's own change, as a shortened run shows",
         NULL},
        {"yes", 'y', 0, G_OPTION_ARG_NONE, &options.yes, "also if it takes over an hour", NULL},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "print the overview only", NULL},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    dn_validate_options_renamed(argc, argv);
    if (!dn_command_options(
            &argc, &argv, entries, "[CASE...|RUN.yaml]",
            "CASE: a name in validation/, a pattern ('h200x4-*'), or a folder's "
            "path; without CASE all cases of the quick tier.\nExit status: 0 all within "
            "their tolerance, 1 one is not, 2 a case is wrong.",
            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (!dn_validate_options_check(argc, &options, &error))
        return dn_command_fail(error);
    return validate_file(argv + 1, &options);
}
