/* machine.c - machines in the public interface. */
#include "api/api_internal.h"
#include "experiment/checked_machine.h"
#include <stdio.h>

darner_machine *darner_machine_load(const char *name, unsigned nodes, darner_error **error)
{
    GError *problem = NULL;
    if (!dn_api_given(name, "darner_machine_load: name", error))
        return NULL;
    g_autofree char *quoted = dn_config_quote(name);
    g_autoptr(DnConfigNode) node = dn_config_parse(quoted, "darner_machine_load", &problem);
    DnMachine *machine = node != NULL ? dn_checked_machine_load(node, nodes, NULL, &problem) : NULL;
    if (machine == NULL) {
        dn_api_error_give(error, problem);
        return NULL;
    }
    darner_machine *m = g_new0(darner_machine, 1);
    m->machine = machine;
    return m;
}

void darner_machine_free(darner_machine *machine)
{
    if (machine == NULL)
        return;
    dn_machine_free(machine->machine);
    g_free(machine);
}

const char *darner_machine_name(const darner_machine *machine)
{
    return machine->machine->name;
}

const char *darner_machine_description(const darner_machine *machine)
{
    return machine->machine->description != NULL ? machine->machine->description : "";
}

uint64_t darner_machine_count(const darner_machine *machine, darner_count what)
{
    const DnGraphSize *size = &machine->machine->graph->size;
    switch (what) {
    case DARNER_COUNT_NODES:
        return size->nodes;
    case DARNER_COUNT_ENDPOINTS:
        return size->endpoints;
    case DARNER_COUNT_SWITCHES:
        return size->switches;
    case DARNER_COUNT_LINKS:
        return size->links;
    }
    return 0;
}

static void add_number(darner_table *table, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    dn_api_table_add_cell(table, g_ascii_formatd(text, sizeof text, "%.15g", value));
}

darner_table *darner_machine_links(const darner_machine *machine)
{
    static const char *const columns[] = {"link",  "from",          "to",
                                          "class", "bandwidth_bps", "latency_s"};
    const DnGraph *graph = machine->machine->graph;
    darner_table *table = dn_api_table_new();
    for (guint c = 0; c < G_N_ELEMENTS(columns); c++)
        dn_api_table_add_column(table, columns[c]);
    for (guint32 l = 0; l < graph->size.links; l++) {
        char name[64];
        add_number(table, l);
        dn_api_table_add_cell(table, dn_vertex_name(graph, graph->links[l].src, name));
        dn_api_table_add_cell(table, dn_vertex_name(graph, graph->links[l].dst, name));
        dn_api_table_add_cell(table, graph->classes[graph->links[l].link_class].name);
        add_number(table, (double)dn_link_bandwidth_bps(graph, l));
        add_number(table, (double)dn_link_latency_ps(graph, l) / 1e12);
    }
    dn_api_table_seal(table);
    return table;
}
