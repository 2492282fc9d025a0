/* dot.c - Graphviz's DOT language: the drawing of graph_dot.c. */
#include "topology/export/export.h"
#include "topology/graph_metrics.h"

static gboolean write_machine(const DnMachine *machine, DnExportRoute route, gpointer data,
                              GString *out, GError **error)
{
    dn_graph_write_dot(machine->graph, DN_DOT_ALL, out);
    return TRUE;
}

const DnExporter dn_exporter_dot = {
    .name = "dot",
    .summary = "Graphviz drawing",
    .write = write_machine,
};
