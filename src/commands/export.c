/* export.c - `darner export RUN.yaml`: a run for SimGrid's smpirun, to hold the two against each
 * other.
 *
 * smpirun shares links by its own models: the options below make it the max-min sharing of engine
 * `flow`, but for the bias of CM02 towards short routes. */
#include "commands/commands.h"
#include "experiment/smpi_export.h"

#include <stdio.h>

typedef struct {
    char *output;
    char **set;
} Options;

static void options_clear(Options *options)
{
    g_free(options->output);
    g_strfreev(options->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static void print_command(const char *folder, guint32 ranks)
{
    static const char *const options[] = {"network/model:CM02",
                                          "network/crosstraffic:no",
                                          "network/TCP-gamma:0",
                                          "smpi/bw-factor:0:1",
                                          "smpi/lat-factor:0:1",
                                          "smpi/host-speed:1Gf",
                                          NULL};
    printf("written: %s: platform.xml hosts.txt replay.txt trace.txt; the time by SimGrid:\n"
           "smpirun -np %u -hostfile %s/hosts.txt -platform %s/platform.xml -replay %s/replay.txt",
           folder, ranks, folder, folder, folder);
    for (guint i = 0; options[i] != NULL; i++)
        printf(" \\\n  --cfg=%s", options[i]);
    putchar('\n');
}

static gboolean export_check(int argc, const Options *options, GError **error)
{
    if (argc == 2 && options->output != NULL)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s; usage: darner export RUN.yaml -o FOLDER",
                argc == 2 ? "no --output" : "one run file is wanted");
    return FALSE;
}

int dn_command_export(int argc, char **argv)
{
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "folder to write to", "FOLDER"},
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &options.set, "set any key of the run",
         "KEY=VALUE"},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(&argc, &argv, entries, "RUN.yaml",
                            "Writes a run's machine, ranks and messages for SimGrid's smpirun, and "
                            "says how to replay them.",
                            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (!export_check(argc, &options, &error))
        return dn_command_fail(error);
    g_autoptr(DnRunSpec) spec = dn_run_spec_load(argv[1], (const char *const *)options.set, &error);
    guint32 ranks;
    if (spec == NULL || !dn_smpi_export(spec, options.output, &ranks, &error))
        return dn_command_fail(error);
    print_command(options.output, ranks);
    return DN_EXIT_OK;
}
