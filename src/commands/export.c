/* export.c - `darner export RUN.yaml`: a run for SimGrid's smpirun, to hold the two against each
 * other.
 *
 * Writes the machine's platform with the routes of its own routing, the ranks' program as a
 * time-independent trace in which collectives are their messages, and where each rank sits.
 * LIMITATIONS: one job, one iteration; what a mechanism costs at the ends is not in a platform, nor
 * are headers of packets; smpirun shares links by its own models (the options below make it the
 * max-min sharing of engine `flow`, but for the bias of CM02 towards short routes). */
#include "commands/commands.h"
#include "commands/topo_convert.h"
#include "experiment/placement.h"
#include "routing/routing.h"
#include "topology/export/export.h"
#include "trace/trace.h"

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

static gboolean write_file(const char *folder, const char *name, const GString *text,
                           GError **error)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    return dn_command_write("--output", path, text->str, error);
}

/* (transfer full); NULL + error. */
static GString *platform_of(const DnMachine *machine, const DnRunSpec *spec, GError **error)
{
    const DnExporter *exporter = dn_exporter_find("simgrid", error);
    g_autoptr(DnRouter) router = dn_router_new(machine, spec->routing, error);
    GString *text = g_string_new(NULL);
    if (router != NULL && exporter->write(machine, dn_topo_route, router, text, error))
        return text;
    g_string_free(text, TRUE);
    return NULL;
}

static gboolean write_hosts(const DnPlacement *placement, const char *folder, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint32 r = 0; r < placement->ranks; r++)
        g_string_append_printf(text, "e%u\n", placement->endpoints[r]);
    return write_file(folder, "hosts.txt", text, error);
}

static gboolean write_trace(const DnProgram *program, const char *folder, GError **error)
{
    const DnTraceWriter *writer = dn_trace_writer_find("ti");
    g_autofree char *path = g_build_filename(folder, "trace.txt", NULL);
    g_assert(writer != NULL);
    return writer->write(program, path, error);
}

/* smpirun wants a list of traces: of one line when all ranks are in one. */
static gboolean write_list(const char *folder, GError **error)
{
    g_autofree char *path = g_build_filename(folder, "trace.txt", NULL);
    g_autofree char *whole = g_canonicalize_filename(path, NULL);
    g_autoptr(GString) text = g_string_new(whole);
    g_string_append_c(text, '\n');
    return write_file(folder, "replay.txt", text, error);
}

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

static gboolean make_folder(const char *folder, GError **error)
{
    if (g_mkdir_with_parents(folder, 0777) == 0)
        return TRUE;
    g_autofree char *shown = dn_quote(folder);
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "--output: cannot make the folder %s", shown);
    return FALSE;
}

/* Nothing is written before all is known to be right. */
static gboolean export_job(const DnRunSpec *spec, const DnMachine *machine,
                           const DnPlacement *placement, const char *folder, GError **error)
{
    g_autoptr(DnProgram)
        program = dn_program_new(spec->jobs[0].workload, placement->ranks, 1, spec->seed, error);
    g_autoptr(GString) platform = program != NULL ? platform_of(machine, spec, error) : NULL;
    return platform != NULL && make_folder(folder, error) && write_trace(program, folder, error) &&
           write_list(folder, error) && write_file(folder, "platform.xml", platform, error) &&
           write_hosts(placement, folder, error);
}

static gboolean export_spec(const DnRunSpec *spec, const char *folder, GError **error)
{
    DnPlacement placement = {0};
    if (spec->n_jobs != 1) {
        dn_config_error(dn_config_get(spec->root, "jobs"), DN_ERROR_RANGE, error,
                        "%u jobs; a trace is of one", spec->n_jobs);
        return FALSE;
    }
    g_autoptr(DnMachine) machine = dn_machine_load(spec->machine, spec->nodes, error);
    gboolean ok = machine != NULL && dn_place_jobs(spec, machine->graph, &placement, error) &&
                  export_job(spec, machine, &placement, folder, error);
    if (ok)
        print_command(folder, placement.ranks);
    g_free(placement.endpoints);
    return ok;
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
    if (spec == NULL || !export_spec(spec, options.output, &error))
        return dn_command_fail(error);
    return DN_EXIT_OK;
}
