/* topo.c - `darner topo MACHINE`: what a machine is made of, whence its numbers; a drawing.
 *
 * The cost of a run is an estimate: packet-hops of one message from every endpoint, over the mean
 * distance, at a speed measured on a 1,056-terminal dragonfly (scripts/bench); congestion and
 * collectives change it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <json-glib/json-glib.h>

#include "base/units.h"
#include "commands/commands.h"
#include "commands/topo_convert.h"
#include "report/json.h"
#include "base/number.h"
#include "report/table.h"
#include "topology/graph_metrics.h"
#include "topology/machine.h"

#define PROBE_BYTES ((gint64)1 << 20)
#define HOPS_PER_SECOND 5e6 /* of the order scripts/bench prints; machines differ */

typedef struct {
    gint nodes;
    char *dot;
    gboolean json, sources;
    char **set;
} Options;

static void options_clear(Options *options)
{
    g_free(options->dot);
    g_strfreev(options->set);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Options, options_clear)

typedef struct {
    guint sourced, assumed, missing;
} Counts;

static Counts counts_of(const DnMachine *m)
{
    Counts t = {0};
    for (guint i = 0; i < m->provenance->len; i++) {
        const DnProvenance *p = m->provenance->pdata[i];
        if (p->source != NULL)
            t.sourced++;
        else if (p->assumed != NULL)
            t.assumed++;
        else
            t.missing++;
    }
    return t;
}

/* Links a packet crosses between two nodes, roughly, on the mean: those of the fabric, one to it
 * and one from it, and inside each node two (GPU to PCIe switch or CPU to NIC), in a bare fabric
 * none. */
static double mean_hops(const DnMachine *m, const DnGraphMetrics *metrics)
{
    gboolean bare = m->graph->size.node_vertices == 1;
    if (m->type == NULL)
        return 2; /* a GPU to its switch or neighbour and on */
    return metrics->edge_mean_distance + 2 + (bare ? 0 : 4);
}

static double probe_hops(const DnMachine *m, const DnGraphMetrics *metrics)
{
    double packets = (double)(PROBE_BYTES + m->hardware.packet_bytes - 1) /
                     (double)m->hardware.packet_bytes;
    return (double)m->graph->size.endpoints * packets * mean_hops(m, metrics);
}

/* "8 gpu, 1 cpu, 4 nic"; a switch inside a node is one, NVSwitch or not. */
static char *members_text(const DnGraph *g)
{
    guint32 n[DN_VERTEX_KINDS] = {0};
    GString *out = g_string_new(NULL);
    for (guint32 i = 0; i < g->size.node_vertices && g->size.nodes > 0; i++)
        n[g->vertices[g->size.switches + i].kind]++;
    for (guint k = 0; k < DN_VERTEX_KINDS; k++)
        if (n[k] > 0)
            g_string_append_printf(out, "%s%u %s", out->len > 0 ? ", " : "", n[k],
                                   k == DN_VERTEX_NVSWITCH ? "switch"
                                                           : dn_vertex_kind_name((DnVertexKind)k));
    return g_string_free(out, FALSE);
}

static const char *endpoint_kind(const DnGraph *g)
{
    return dn_vertex_kind_name((DnVertexKind)g->vertices[g->endpoints[0]].kind);
}

static void print_counts(const DnMachine *m, const DnGraphMetrics *metrics)
{
    const DnGraphSize *s = &m->graph->size;
    char buf[DN_UNIT_BUF], duration[DN_NUMBER_BUF];
    g_autofree char *members = members_text(m->graph);
    printf("%s: %s\n\n", m->name, m->description);
    if (m->type != NULL) {
        printf("fabric     %s, %u switch%s in %u group%s of %u\n", m->type->name, s->switches,
               s->switches == 1 ? "" : "es", s->groups, s->groups == 1 ? "" : "s",
               s->group_switches);
        printf("radix      %u to %u ports of a switch in use\n", metrics->radix_min,
               metrics->radix_max);
        printf("distance   %u switch hops at most, %.3f on the mean, between switches with nodes\n",
               metrics->edge_diameter, metrics->edge_mean_distance);
    }
    printf("nodes      %u of %u, each %s\n", s->nodes, m->whole_nodes, members);
    printf("endpoints  %u (%s)", s->endpoints, endpoint_kind(m->graph));
    if (s->terminals > 0)
        printf(", over %u NICs", s->terminals);
    printf("\n");
    printf("packet     %s", dn_format_bytes(m->hardware.packet_bytes, buf));
    printf(" and a header of %s; %u lane%s\n", dn_format_bytes(m->hardware.header_bytes, buf),
           m->hardware.lanes, m->hardware.lanes == 1 ? "" : "s");
    double hops = probe_hops(m, metrics);
    printf("memory     %s for the graph\n", dn_format_bytes((gint64)dn_graph_memory_bytes(s), buf));
    printf("a run      1 MiB from every endpoint to another at random: about ");
    if (hops < 1e6)
        printf("%.0f packet-hops, under a second\n\n", hops);
    else
        printf("%.3g %s packet-hops, %s\n\n", hops < 999.5e6 ? hops / 1e6 : hops / 1e9,
               hops < 999.5e6 ? "million" : "billion",
               dn_format_duration(hops / HOPS_PER_SECOND, duration));
}

/* Which of the machine's mechanisms are defaults: "mpi-host (host), gpu-mpi (gpu), d2d". */
static char *mechanisms_text(const DnMachine *m)
{
    static const char *const kinds[] = {"host", "gpu", "ccl", NULL};
    GString *out = g_string_new(NULL);
    for (guint i = 0; m->mechanisms != NULL && i < m->mechanisms->children->len; i++) {
        const char *one = g_ptr_array_index(m->mechanisms->keys, i);
        g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "", one);
        for (guint k = 0; m->default_mechanism != NULL && kinds[k] != NULL; k++) {
            const DnConfigNode *name = dn_config_get(m->default_mechanism, kinds[k]);
            if (name != NULL && strcmp(name->scalar, one) == 0)
                g_string_append_printf(out, " (default of %s)", kinds[k]);
        }
    }
    if (out->len == 0)
        g_string_assign(out, "none: only the wires take time");
    return g_string_free(out, FALSE);
}

static void print_links(const DnGraph *g, const DnGraphMetrics *metrics)
{
    static const char *const left[] = {"links", NULL};
    static const char *const right[] = {"cables",     "links each", "bandwidth",   "latency",
                                        "efficiency", "buffer",     "all, one way"};
    g_autoptr(DnTable) table = dn_table_new();
    dn_table_column(table, left[0], DN_ALIGN_LEFT);
    for (guint i = 0; i < G_N_ELEMENTS(right); i++)
        dn_table_column(table, right[i], DN_ALIGN_RIGHT);
    for (guint32 c = 0; c < g->n_classes; c++) {
        const DnLinkClass *k = &g->classes[c];
        guint32 cables = metrics->class_cables[c];
        double ports = (double)metrics->class_ports[c];
        char buf[DN_UNIT_BUF];
        dn_table_row(table);
        dn_table_cell(table, "%s", k->name);
        dn_table_cell(table, "%u", cables);
        dn_table_cell(table, "%.3g", cables > 0 ? ports / cables : 0.0);
        dn_table_cell(table, "%s", dn_format_rate((double)k->bandwidth_bps, buf));
        dn_table_cell(table, "%s", dn_format_time(k->latency_ps, buf));
        dn_table_cell(table, "%.1f %%", 100 * k->efficiency);
        dn_table_cell(table, "%s", dn_format_bytes(k->buffer_bytes, buf));
        dn_table_cell(table, "%s", dn_format_rate(ports * (double)k->bandwidth_bps, buf));
    }
    g_autofree char *text = dn_table_text(table);
    fputs(text, stdout);
}

static void print_sources(const DnMachine *m, gboolean all)
{
    Counts t = counts_of(m);
    g_autofree char *mechanisms = mechanisms_text(m);
    printf("\nmechanisms %s\n", mechanisms);
    printf("\n%u numbers: %u with a source, %u assumed, %u without either%s\n", m->provenance->len,
           t.sourced, t.assumed, t.missing, all ? "" : "; --sources lists them");
    for (guint i = 0; all && i < m->provenance->len; i++) {
        const DnProvenance *p = m->provenance->pdata[i];
        const char *how = p->source != NULL ? "source" : p->assumed != NULL ? "assumed" : "none";
        printf("  %s = %s  (%s:%u)\n    %s%s%s\n", p->key, p->text, p->file, p->line, how,
               p->source != NULL || p->assumed != NULL ? ": " : "",
               p->source != NULL    ? p->source
               : p->assumed != NULL ? p->assumed
                                    : "");
    }
}

static void json_counts(JsonBuilder *b, const DnMachine *m, const DnGraphMetrics *metrics)
{
    const DnGraphSize *s = &m->graph->size;
    dn_json_string(b, "name", m->name);
    dn_json_string(b, "description", m->description);
    dn_json_string(b, "fabric", m->type != NULL ? m->type->name : NULL);
    dn_json_int(b, "switches", s->switches);
    dn_json_int(b, "groups", m->type != NULL ? s->groups : 0);
    dn_json_int(b, "nodes", s->nodes);
    dn_json_int(b, "whole_nodes", m->whole_nodes);
    dn_json_int(b, "vertices_per_node", s->node_vertices);
    dn_json_int(b, "gpus_per_node", m->gpus_per_node);
    dn_json_int(b, "nics_per_node", m->nics_per_node);
    dn_json_int(b, "endpoints", s->endpoints);
    dn_json_string(b, "endpoint_kind", endpoint_kind(m->graph));
    dn_json_int(b, "terminals", s->terminals);
    dn_json_int(b, "radix_min", metrics->radix_min);
    dn_json_int(b, "radix_max", metrics->radix_max);
    dn_json_int(b, "diameter", m->type != NULL ? metrics->edge_diameter : 0);
    dn_json_number(b, "mean_distance", m->type != NULL ? metrics->edge_mean_distance : 0);
    dn_json_int(b, "packet_bytes", m->hardware.packet_bytes);
    dn_json_int(b, "header_bytes", m->hardware.header_bytes);
    dn_json_int(b, "lanes", m->hardware.lanes);
    dn_json_int(b, "memory_bytes", (gint64)dn_graph_memory_bytes(s));
}

static void json_links(JsonBuilder *b, const DnGraph *g, const DnGraphMetrics *metrics)
{
    dn_json_list(b, "links");
    for (guint32 c = 0; c < g->n_classes; c++) {
        const DnLinkClass *k = &g->classes[c];
        json_builder_begin_object(b);
        dn_json_string(b, "name", k->name);
        dn_json_int(b, "cables", metrics->class_cables[c]);
        dn_json_int(b, "physical_links", (gint64)metrics->class_ports[c]);
        dn_json_int(b, "bandwidth_bps", k->bandwidth_bps);
        dn_json_int(b, "latency_ps", k->latency_ps);
        dn_json_number(b, "efficiency", k->efficiency);
        dn_json_int(b, "buffer_bytes", k->buffer_bytes);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void json_sources(JsonBuilder *b, const DnMachine *m)
{
    dn_json_list(b, "provenance");
    for (guint i = 0; i < m->provenance->len; i++) {
        const DnProvenance *p = m->provenance->pdata[i];
        json_builder_begin_object(b);
        dn_json_string(b, "key", p->key);
        dn_json_string(b, "value", p->text);
        dn_json_string(b, "source", p->source);
        dn_json_string(b, "assumed", p->assumed);
        dn_json_string(b, "file", p->file);
        dn_json_int(b, "line", p->line);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void print_json(const DnMachine *m, const DnGraphMetrics *metrics)
{
    g_autoptr(JsonBuilder) b = json_builder_new();
    json_builder_begin_object(b);
    json_counts(b, m, metrics);
    json_links(b, m->graph, metrics);
    json_sources(b, m);
    json_builder_end_object(b);
    JsonNode *root = json_builder_get_root(b);
    g_autofree char *text = json_to_string(root, TRUE);
    json_node_unref(root);
    puts(text);
}

static gboolean write_dot(const DnMachine *m, const char *file, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    dn_graph_write_dot(m->graph, text);
    return dn_command_write("--dot", file, text->str, error);
}

DnConfigNode *dn_topo_argument(const char *machine, char **set, GError **error)
{
    g_autoptr(GString) text = g_string_new(set != NULL ? "{name: \"" : "\"");
    for (const char *p = machine; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\')
            g_string_append_c(text, '\\');
        g_string_append_c(text, *p);
    }
    g_string_append(text, set != NULL ? "\"}" : "\"");
    g_autoptr(DnConfigNode) node = dn_config_parse(text->str, "command line", error);
    if (node == NULL)
        return NULL;
    for (guint i = 0; set != NULL && set[i] != NULL; i++)
        if (!dn_config_override(node, set[i], error))
            return NULL;
    return g_steal_pointer(&node);
}

static gboolean topo_describe(const char *machine, const Options *options, GError **error)
{
    g_autoptr(DnConfigNode) node = dn_topo_argument(machine, options->set, error);
    g_autoptr(DnMachine) m = NULL;
    if (node == NULL || (m = dn_machine_load(node, (guint32)options->nodes, error)) == NULL)
        return FALSE;
    if (options->dot != NULL && !write_dot(m, options->dot, error))
        return FALSE;
    if (options->dot != NULL && g_str_equal(options->dot, "-"))
        return TRUE; /* the drawing has standard output for itself */
    DnGraphMetrics metrics;
    dn_graph_metrics(m->graph, &metrics);
    if (options->json) {
        print_json(m, &metrics);
    } else {
        print_counts(m, &metrics);
        print_links(m->graph, &metrics);
        print_sources(m, options->sources);
    }
    dn_graph_metrics_clear(&metrics);
    return TRUE;
}

static gboolean check_arguments(int argc, const Options *options, GError **error)
{
    if (argc != 2) {
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING,
                    "darner topo: %d machines given; wanted: one, a name or a file", argc - 1);
        return FALSE;
    }
    if (options->nodes >= 0)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "darner topo: --nodes %d; wanted: 1 or more",
                options->nodes);
    return FALSE;
}

/* `darner topo import ...` and `export ...`; FALSE: neither, so it names a machine. */
static gboolean topo_converts(int argc, char **argv, int *status)
{
    static const struct {
        const char *word, *program;
        int (*run)(int argc, char **argv);
    } others[] = {{"import", "darner topo import", dn_topo_import},
                  {"export", "darner topo export", dn_topo_export}};
    for (guint i = 0; argc > 1 && i < G_N_ELEMENTS(others); i++) {
        if (!g_str_equal(argv[1], others[i].word))
            continue;
        argv[1] = (char *)others[i].program;
        *status = others[i].run(argc - 1, argv + 1);
        return TRUE;
    }
    return FALSE;
}

int dn_command_topo(int argc, char **argv)
{
    int status;
    if (topo_converts(argc, argv, &status))
        return status;
    g_auto(Options) options = {0};
    const GOptionEntry entries[] = {
        {"nodes", 'n', 0, G_OPTION_ARG_INT, &options.nodes, "only the first N nodes", "N"},
        {"set", 's', 0, G_OPTION_ARG_STRING_ARRAY, &options.set,
         "set a key of the machine: endpoints=cpu", "KEY=VALUE"},
        {"dot", 'd', 0, G_OPTION_ARG_FILENAME, &options.dot, "draw it for Graphviz; - : print",
         "FILE"},
        {"json", 'j', 0, G_OPTION_ARG_NONE, &options.json, "print JSON", NULL},
        {"sources", 'S', 0, G_OPTION_ARG_NONE, &options.sources,
         "list each number with its source or assumption", NULL},
        G_OPTION_ENTRY_NULL,
    };
    GError *error = NULL;
    gboolean helped;
    if (!dn_command_options(
            &argc, &argv, entries, "MACHINE",
            "Describes a machine: a name in topologies/, or a file.\n"
            "darner topo import FILE    makes a machine file of another tool's output\n"
            "darner topo export MACHINE writes its graph for other tools",
            &helped, &error))
        return dn_command_fail(error);
    if (helped)
        return DN_EXIT_OK;
    if (!check_arguments(argc, &options, &error) || !topo_describe(argv[1], &options, &error))
        return dn_command_fail_set(error, options.set);
    return DN_EXIT_OK;
}
