/* machine_text.c - a machine for people to read.
 *
 * The cost of a run is an estimate: packet-hops of one message from every endpoint, over the mean
 * distance, at a speed measured on a 1,056-terminal dragonfly (scripts/bench); congestion and
 * collectives change it. */
#include "base/number.h"
#include "base/units.h"
#include "endpoint/mechanism.h"
#include "report/machine_cost.h"
#include "report/machine_report.h"
#include "report/table.h"

#include <stdio.h>
#include <string.h>

#define PROBE_BYTES ((gint64)1 << 20)
#define HOPS_PER_SECOND 5e6 /* of the order scripts/bench prints; machines differ */

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

/* A core is a CPU without any other link (topology/node_cores.c). */
static gboolean is_core(const DnGraph *g, guint32 v)
{
    return g->vertices[v].kind == DN_VERTEX_CPU && dn_graph_degree(g, v) == 1 &&
           strcmp(g->classes[g->links[g->ports[g->port_first[v]]].link_class].name, "core") == 0;
}

/* "8 gpu, 1 cpu, 4 nic"; a switch inside a node is one, NVSwitch or not. */
static char *members_text(const DnGraph *g)
{
    guint32 n[DN_VERTEX_KINDS] = {0};
    GString *out = g_string_new(NULL);
    guint32 cores = 0;
    for (guint32 i = 0; i < g->size.node_vertices && g->size.nodes > 0; i++) {
        guint32 v = g->size.switches + i;
        if (is_core(g, v))
            cores++;
        else
            n[g->vertices[v].kind]++;
    }
    for (guint k = 0; k < DN_VERTEX_KINDS; k++)
        if (n[k] > 0)
            g_string_append_printf(out, "%s%u %s", out->len > 0 ? ", " : "", n[k],
                                   k == DN_VERTEX_NVSWITCH ? "switch"
                                                           : dn_vertex_kind_name((DnVertexKind)k));
    if (cores > 0)
        g_string_append_printf(out, ", %u core", cores);
    return g_string_free(out, FALSE);
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
        const char *arrangement = dn_machine_arrangement(m);
        if (arrangement != NULL)
            printf("wiring     arrangement of the links between groups: %s\n", arrangement);
        if (m->failed_cables > 0)
            printf("failures   %u of the fabric's cables are out\n", m->failed_cables);
        printf("radix      %u to %u ports of a switch in use\n", metrics->radix_min,
               metrics->radix_max);
        printf("distance   %u switch hops at most, %.3f on the mean, between switches with nodes",
               metrics->edge_diameter, metrics->edge_mean_distance);
        if (metrics->sources < s->switches)
            printf("; from %u of the switches", metrics->sources);
        printf("\n");
    }
    printf("nodes      %u of %u, each %s\n", s->nodes, m->whole_nodes, members);
    printf("endpoints  %u (%s)", s->endpoints, dn_endpoint_kind_name(m->graph));
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

/* The machine's mechanisms: "mpi-host (default of host), gpu-mpi (default of gpu), d2d". */
static char *mechanisms_text(const DnMachine *m)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; m->mechanisms != NULL && i < m->mechanisms->children->len; i++) {
        const char *one = g_ptr_array_index(m->mechanisms->keys, i);
        g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "", one);
        const DnParamSpec *key = dn_default_mechanism_keys;
        for (; m->default_mechanism != NULL && key->key != NULL; key++) {
            const DnConfigNode *name = dn_config_get(m->default_mechanism, key->key);
            if (name != NULL && strcmp(name->scalar, one) == 0)
                g_string_append_printf(out, " (default of %s)", key->key);
        }
    }
    if (out->len == 0)
        g_string_assign(out, "none: only the wires take time");
    return g_string_free(out, FALSE);
}

/* Prints why a library has no default mechanism. */
static void print_reasons(const DnMachine *m)
{
    for (const DnParamSpec *key = dn_no_mechanism_keys; key->key != NULL; key++) {
        const DnConfigNode *why = m->no_mechanism != NULL ? dn_config_get(m->no_mechanism, key->key)
                                                          : NULL;
        gboolean has = m->default_mechanism != NULL &&
                       dn_config_get(m->default_mechanism, key->key) != NULL;
        if (why != NULL && !has)
            printf("           none for %s: %s\n", key->key, why->scalar);
    }
}

/* The largest message of @m that leaves before its receiver is there; G_MAXINT64: of any size.
 * @nonblocking: of a send that does not wait. */
static gint64 largest_eager(const DnMechanism *m, gboolean inside, gboolean nonblocking)
{
    gint64 first = G_MAXINT64;
    for (guint i = 0; i < MAX(1, m->n_rules); i++) {
        const DnMechanismRule *rule = &m->rules[i];
        const gint64 candidates[] = {rule->costs.rendezvous_from_bytes,
                                     rule->to_bytes == G_MAXINT64 ? 0 : rule->to_bytes + 1};
        for (guint k = 0; k < G_N_ELEMENTS(candidates); k++) {
            gint64 bytes = candidates[k];
            guint used = dn_mechanism_rule(m, bytes, inside, nonblocking);
            gint64 from = m->rules[used].costs.rendezvous_from_bytes;
            if (bytes > 0 && from > 0 && bytes >= from)
                first = MIN(first, bytes);
        }
    }
    return first == G_MAXINT64 ? first : first - 1;
}

static char *eager_text(gint64 bytes)
{
    char buf[DN_UNIT_BUF];
    return bytes == G_MAXINT64 ? g_strdup("any size")
                               : g_strdup_printf("up to %s", dn_format_bytes(bytes, buf));
}

static void print_eager_limits(const char *name, const DnMechanism *m, gboolean nonblocking)
{
    gint64 inside = largest_eager(m, TRUE, nonblocking);
    gint64 between = largest_eager(m, FALSE, nonblocking);
    g_autofree char *here = eager_text(inside), *there = eager_text(between);
    printf("           %s sends %s%s%s%s before the receiver is there%s\n", name, here,
           inside == between ? "" : " in a node, ", inside == between ? "" : there,
           inside == between ? "" : " between nodes,",
           nonblocking ? ", by calls that do not wait" : "");
}

/* Prints up to which size messages of MPI's default mechanisms leave at once. */
static void print_eager(const DnMachine *m)
{
    static const char *const kinds[] = {"host", "gpu"};
    for (guint k = 0; m->default_mechanism != NULL && k < G_N_ELEMENTS(kinds); k++) {
        const DnConfigNode *name = dn_config_get(m->default_mechanism, kinds[k]);
        DnMechanism mechanism = {0};
        if (name == NULL || !dn_mechanism_read(name, m->mechanisms, &mechanism, NULL))
            continue;
        print_eager_limits(name->scalar, &mechanism, FALSE);
        if (mechanism.by_send)
            print_eager_limits(name->scalar, &mechanism, TRUE);
    }
}

static void print_buffer(DnTable *table, const DnLinkClass *class_)
{
    char own[DN_UNIT_BUF], shared[DN_UNIT_BUF];
    dn_format_bytes(class_->buffer_bytes, own);
    if (class_->shared_buffer_bytes == 0)
        dn_table_cell(table, "%s", own);
    else
        dn_table_cell(table, "%s + %s", own, dn_format_bytes(class_->shared_buffer_bytes, shared));
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
        print_buffer(table, k);
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
    print_eager(m);
    print_reasons(m);
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

void dn_machine_print(const DnMachine *m, const DnGraphMetrics *metrics, gboolean sources)
{
    print_counts(m, metrics);
    print_links(m->graph, metrics);
    g_autoptr(GString) cost = g_string_new(NULL);
    dn_machine_cost_text(m, cost);
    fputs(cost->str, stdout);
    print_sources(m, sources);
}
