/* topo_export.c - `darner topo export MACHINE --format F`: a machine's graph for other tools. */
#include "commands/commands.h"
#include "commands/topo_convert.h"
#include "commands/topo_machine.h"
#include "routing/idle_path.h"
#include "topology/export/export.h"

typedef struct {
    gint nodes;
    char *format, *output;
    char **set;
} Options;

static void options_clear(Options *options)
{
    g_free(options->format);
    g_free(options->output);
    g_strfreev(options->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static gboolean topo_export_export(const char *name, const Options *options, GError **error)
{
    const DnExporter *exporter = dn_exporter_find(options->format, error);
    if (exporter == NULL || !dn_command_check_place("--output", options->output, error))
        return FALSE;
    g_autoptr(DnMachine)
        machine = dn_topo_machine(name, options->set, (guint32)options->nodes, error);
    g_autoptr(DnRouter) router = machine != NULL ? dn_router_new(machine, machine->routing, error)
                                                 : NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    return router != NULL && exporter->write(machine, dn_idle_path, router, text, error) &&
           dn_command_write("--output", options->output, text->str, error);
}

static char *topo_export_formats(void)
{
    GString *out = g_string_new("Writes a machine's graph for other tools.\nFormats:\n");
    for (const DnExporter *const *e = dn_exporters; *e != NULL; e++)
        g_string_append_printf(out, "  %-14s %s%s%s\n", (*e)->name, (*e)->summary,
                               (*e)->limits != NULL ? "\n                 LIMITATIONS: " : "",
                               (*e)->limits != NULL ? (*e)->limits : "");
    return g_string_free(out, FALSE);
}

static gboolean topo_export_check(int argc, Options *options, GError **error)
{
    if (argc != 2)
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "darner topo export: %d machines given; wanted: one, a name or a file",
                    argc - 1);
    else if (options->format == NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "darner topo export: no --format; see --help for those there are");
    else if (!dn_option_in_range(&options->nodes, 1, G_MAXINT))
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "darner topo export: --nodes %d; wanted: 1 or more", options->nodes);
    else
        return TRUE;
    return FALSE;
}

int dn_topo_export(int argc, char **argv)
{
    g_auto(Options) options = {.nodes = DN_OPTION_LEFT_OUT};
    g_autofree char *about = topo_export_formats();
    const GOptionEntry entries[] = {
        {"format", 'f', 0, G_OPTION_ARG_STRING, &options.format, "what to write", "FORMAT"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output,
         "where to; default: standard output", "FILE"},
        {"nodes", 'n', 0, G_OPTION_ARG_INT, &options.nodes, "only the first N nodes", "N"},
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &options.set,
         "set a key of the machine: endpoints=cpu", "KEY=VALUE"},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(&argc, &argv, entries, "MACHINE", about, &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (!topo_export_check(argc, &options, &error) ||
        !topo_export_export(argv[1], &options, &error))
        return dn_command_fail(error);
    return DN_EXIT_OK;
}
