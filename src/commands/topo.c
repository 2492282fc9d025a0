/* topo.c - `darner topo MACHINE` prints the components of a machine and the sources of its numbers,
 * and draws it. */
#include <stdio.h>

#include "commands/commands.h"
#include "commands/topo_convert.h"
#include "commands/topo_machine.h"
#include "report/graphviz.h"
#include "report/machine_cost.h"
#include "report/machine_report.h"

typedef struct {
    gint nodes;
    char *dot, *svg;
    gboolean json, sources;
    char **set;
} Options;

static void options_clear(Options *options)
{
    g_free(options->dot);
    g_free(options->svg);
    g_strfreev(options->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

static gboolean topo_draw(const DnMachine *m, const Options *options, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    if (options->dot != NULL)
        dn_graph_write_dot(m->graph, DN_DOT_ALL, text);
    if (options->dot != NULL && !dn_command_write("--dot", options->dot, text->str, error))
        return FALSE;
    if (options->svg == NULL)
        return TRUE;
    g_autofree char *svg = dn_graphviz_machine(m->graph, "--svg", error);
    return svg != NULL && dn_command_write("--svg", options->svg, svg, error);
}

/* A drawing has standard output for itself. */
static gboolean topo_prints_drawing(const Options *options)
{
    return g_strcmp0(options->dot, "-") == 0 || g_strcmp0(options->svg, "-") == 0;
}

static gboolean topo_describe(const char *machine, const Options *options, GError **error)
{
    if (!dn_command_check_place("--dot", options->dot, error) ||
        !dn_command_check_place("--svg", options->svg, error))
        return FALSE;
    g_autoptr(DnMachine) m = dn_topo_machine(machine, options->set, (guint32)options->nodes, error);
    if (m == NULL || !topo_draw(m, options, error))
        return FALSE;
    if (topo_prints_drawing(options))
        return TRUE;
    DnGraphMetrics metrics;
    dn_graph_metrics(m->graph, &metrics);
    if (options->json) {
        g_autofree char *text = dn_machine_json(m, &metrics);
        puts(text);
    } else {
        dn_machine_print(m, &metrics, options->sources);
    }
    dn_graph_metrics_clear(&metrics);
    return TRUE;
}

/* Prints several machines side by side. */
static gboolean topo_compare(int n, char **names, const Options *options, GError **error)
{
    g_autoptr(GPtrArray) machines = g_ptr_array_new_with_free_func((GDestroyNotify)dn_machine_free);
    for (int i = 0; i < n; i++) {
        DnMachine *m = dn_topo_machine(names[i], options->set, (guint32)options->nodes, error);
        if (m == NULL)
            return FALSE;
        g_ptr_array_add(machines, m);
    }
    g_autofree char *text =
        dn_machines_table((DnMachine *const *)(void *)machines->pdata, machines->len);
    fputs(text, stdout);
    return TRUE;
}

static gboolean check_arguments(int argc, Options *options, GError **error)
{
    if (argc < 2) {
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "darner topo: no machine given; wanted: a name or a file, or several");
        return FALSE;
    }
    if (argc > 2 &&
        (options->dot != NULL || options->svg != NULL || options->json || options->sources)) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "darner topo: --dot, --svg, --json and --sources are of one machine; %d are "
                    "given",
                    argc - 1);
        return FALSE;
    }
    if (dn_option_in_range(&options->nodes, 1, G_MAXINT))
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "darner topo: --nodes %d; wanted: 1 or more",
                options->nodes);
    return FALSE;
}

int dn_command_topo(int argc, char **argv)
{
    int status;
    if (dn_topo_converts(argc, argv, &status))
        return status;
    g_auto(Options) options = {.nodes = DN_OPTION_LEFT_OUT};
    const GOptionEntry entries[] = {
        {"nodes", 'n', 0, G_OPTION_ARG_INT, &options.nodes, "only the first N nodes", "N"},
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &options.set,
         "set a key of the machine: endpoints=cpu", "KEY=VALUE"},
        {"dot", 'd', 0, G_OPTION_ARG_FILENAME, &options.dot,
         "write a graph for Graphviz; -: print it", "FILE"},
        {"svg", 0, 0, G_OPTION_ARG_FILENAME, &options.svg,
         "draw it as SVG (needs dot): all vertices up to 600, else its groups, one group and one "
         "node, or its switches; -: print it",
         "FILE"},
        {"json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print JSON", NULL},
        {"sources", 'S', 0, G_OPTION_ARG_NONE, &options.sources,
         "list each number with its source or assumption", NULL},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    dn_option_renamed(argc, argv, "-j", "--json");
    if (!dn_command_options(
            &argc, &argv, entries, "MACHINE...",
            "Describes a machine: a name in topologies/, or a file; several side by side.\n"
            "darner topo import FILE    makes a machine file of another tool's output\n"
            "darner topo export MACHINE writes its graph for other tools",
            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (!check_arguments(argc, &options, &error) ||
        !(argc > 2 ? topo_compare(argc - 1, argv + 1, &options, &error)
                   : topo_describe(argv[1], &options, &error)))
        return dn_command_fail_set(error, options.set);
    return DN_EXIT_OK;
}
