/* export_test.c - graphs written for other tools: GraphML read back is the same graph. */
#include <string.h>

#include "topology/export/export.h"
#include "topology/graph_metrics.h"
#include "topology/import/import.h"

static DnMachine *export_load(const char *yaml, guint32 nodes)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) node = dn_config_parse(yaml, "test", &error);
    g_assert_no_error(error);
    DnMachine *machine = dn_machine_load(node, nodes, &error);
    g_assert_no_error(error);
    return machine;
}

static GString *export_file(const DnMachine *machine, const char *format)
{
    g_autoptr(GError) error = NULL;
    const DnExporter *exporter = dn_exporter_find(format, &error);
    g_assert_no_error(error);
    GString *out = g_string_new(NULL);
    g_assert_true(exporter->write(machine, NULL, NULL, out, &error));
    g_assert_no_error(error);
    return out;
}

/* A fabric's switches come back as switches inside the one node; all else is equal, in order. */
static void assert_equal_vertices(const DnGraph *a, const DnGraph *b)
{
    g_assert_cmpuint(a->n_vertices, ==, b->n_vertices);
    for (guint32 v = 0; v < a->n_vertices; v++) {
        const DnVertex *x = &a->vertices[v], *y = &b->vertices[v];
        guint kind = x->kind == DN_VERTEX_SWITCH ? DN_VERTEX_NVSWITCH : x->kind;
        g_assert_cmpuint(kind, ==, y->kind);
        g_assert_cmpuint(x->transit, ==, y->transit);
        g_assert_cmpuint(x->endpoint, ==, y->endpoint);
        g_assert_cmpint(x->latency_ps, ==, y->latency_ps);
        g_assert_cmpuint(a->endpoint_of[v], ==, b->endpoint_of[v]);
    }
}

static void assert_equal_links(const DnGraph *a, const DnGraph *b)
{
    g_assert_cmpuint(a->size.links, ==, b->size.links);
    for (guint32 l = 0; l < a->size.links; l++) {
        const DnLink *x = &a->links[l], *y = &b->links[l];
        const DnLinkClass *p = &a->classes[x->link_class], *q = &b->classes[y->link_class];
        g_assert_cmpuint(x->src, ==, y->src);
        g_assert_cmpuint(x->dst, ==, y->dst);
        g_assert_cmpuint(x->width, ==, y->width);
        g_assert_cmpstr(p->name, ==, q->name);
        g_assert_cmpint(p->bandwidth_bps, ==, q->bandwidth_bps);
        g_assert_cmpint(p->latency_ps, ==, q->latency_ps);
        g_assert_cmpfloat(p->efficiency, ==, q->efficiency);
        g_assert_cmpint(p->buffer_bytes, ==, q->buffer_bytes);
    }
}

static guint32 nic_vertex(const DnGraph *g, guint32 e)
{
    return g->endpoint_terminal[e] == DN_NONE ? DN_NONE : g->terminals[g->endpoint_terminal[e]];
}

static void assert_equal_graphs(const DnGraph *a, const DnGraph *b)
{
    assert_equal_vertices(a, b);
    assert_equal_links(a, b);
    g_assert_cmpuint(a->size.endpoints, ==, b->size.endpoints);
    for (guint32 e = 0; e < a->size.endpoints; e++)
        g_assert_cmpuint(nic_vertex(a, e), ==, nic_vertex(b, e));
}

static DnMachine *read_back(const GString *graphml)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnImportText)
        text = dn_import_text_new("g.graphml", graphml->str, graphml->len, &error);
    g_assert_no_error(error);
    const DnImporter *importer;
    g_autofree char *yaml = dn_import(text, NULL, &importer, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(importer->name, ==, "graphml");
    return export_load(yaml, 0);
}

typedef struct {
    const char *name, *yaml;
    guint32 nodes;
} Case;

/* One node; nodes on a fabric; endpoints on CPUs; bare fabrics of each kind; bundles and parallel
 * links; GPUs that forward. */
static const Case cases[] = {
    {"h200x4", "h200x4", 0},
    {"dgx-a100-4", "dgx-a100-4", 0},
    {"apenet-4x2", "apenet-4x2", 0},
    {"lumi", "{name: lumi, nodes: 3}", 0},
    {"leonardo-cpus", "{name: leonardo, endpoints: cpu}", 5},
    {"dragonfly-1056", "dragonfly-1056", 0},
};

static void test_round_trip(gconstpointer data)
{
    const Case *c = data;
    g_autoptr(DnMachine) machine = export_load(c->yaml, c->nodes);
    g_autoptr(GString) text = export_file(machine, "graphml");
    g_autoptr(DnMachine) back = read_back(text);
    assert_equal_graphs(machine->graph, back->graph);
    if (back->graph->n_vertices > 300)
        return; /* the rest would show no more, slowly */
    /* and the copy's copy is the same again */
    g_autoptr(GString) again = export_file(back, "graphml");
    g_autoptr(DnMachine) third = read_back(again);
    assert_equal_graphs(back->graph, third->graph);
}

/* Names inside one node survive; a name with markup characters does. */
static void test_names(void)
{
    g_autoptr(DnMachine) machine = export_load("h200x4", 0);
    g_autoptr(GString) text = export_file(machine, "graphml");
    g_autoptr(DnMachine) back = read_back(text);
    for (guint32 v = 0; v < machine->graph->n_vertices; v++)
        g_assert_cmpstr(machine->graph->vertex_names[v], ==, back->graph->vertex_names[v]);
    g_autoptr(DnMachine)
        odd = export_load("{node: {vertices: [{name: \"a<&>\\\"b\", kind: gpu, count: 2}], "
                          "links: {x: {bandwidth: 1 Gb/s, latency: 1 ns, buffer: 1 KiB}}, "
                          "edges: [{all_to_all: \"a<&>\\\"b\", class: x}]}}",
                          0);
    g_autoptr(GString) odd_text = export_file(odd, "graphml");
    g_autoptr(DnMachine) odd_back = read_back(odd_text);
    assert_equal_graphs(odd->graph, odd_back->graph);
}

static void test_dot(void)
{
    g_autoptr(DnMachine) machine = export_load("h200x4", 0);
    g_autoptr(GString) text = export_file(machine, "dot"), drawn = g_string_new(NULL);
    dn_graph_write_dot(machine->graph, DN_DOT_ALL, drawn);
    g_assert_cmpstr(text->str, ==, drawn->str);
}

/* A star by hand: the two links of a path in h200x4 over the only switch, vertex 4. */
static gboolean over_the_switch(gpointer data, guint32 source, guint32 target, GArray *links,
                                GError **error)
{
    const DnGraph *g = data;
    guint32 up = g->ports[g->port_first[source]];
    for (guint32 p = g->port_first[4]; p < g->port_first[5]; p++)
        if (g->links[g->ports[p]].dst == target) {
            guint32 method[2] = {up, g->ports[p]};
            g_array_append_vals(links, method, 2);
        }
    return TRUE;
}

/* 18 * 212.496 Gb/s * 83.03 % / 8 = 396978...; a link into the switch has three quarters of its 100
 * ns, one out of it the last. */
static void test_simgrid(void)
{
    g_autoptr(DnMachine) machine = export_load("h200x4", 0);
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) out = g_string_new(NULL);
    const DnExporter *exporter = dn_exporter_find("simgrid", &error);
    g_assert_true(exporter->write(machine, over_the_switch, machine->graph, out, &error));
    double rate = 18 * 212.496e9 * 0.8303 / 8;
    g_autofree char *up =
        g_strdup_printf("<link id=\"l0\" bandwidth=\"%.3fBps\" latency=\"351000ps\"/>", rate);
    g_autofree char *down = g_strdup_printf("<link id=\"l1\" bandwidth=\"%.3fBps\" "
                                            "latency=\"301000ps\"/>",
                                            rate);
    g_assert_nonnull(strstr(out->str, up));
    g_assert_nonnull(strstr(out->str, down));
    g_assert_nonnull(strstr(out->str, "<route src=\"e0\" dst=\"e3\" symmetrical=\"NO\">"
                                      "<link_ctn id=\"l0\"/><link_ctn id=\"l7\"/></route>"));
    guint routes = 0;
    for (const char *p = out->str; (p = strstr(p, "<route ")) != NULL; p++)
        routes++;
    g_assert_cmpuint(routes, ==, 4 * 3);
}

static void test_refused(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(dn_exporter_find("simgird", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_UNKNOWN);
    g_assert_cmpstr(
        error->message, ==,
        "--format: unknown format 'simgird'; did you mean 'simgrid'? known: dot, graphml, "
        "simgrid");
    g_clear_error(&error);
    g_autoptr(DnMachine) machine = export_load("dragonfly-1056", 0);
    g_autoptr(GString) out = g_string_new(NULL);
    g_assert_false(dn_exporter_find("simgrid", NULL)->write(machine, NULL, NULL, out, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_nonnull(strstr(error->message, "1056 endpoints"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = g_strdup_printf("/export/graphml/%s", cases[i].name);
        g_test_add_data_func(path, &cases[i], test_round_trip);
    }
    g_test_add_func("/export/graphml/names", test_names);
    g_test_add_func("/export/dot", test_dot);
    g_test_add_func("/export/simgrid", test_simgrid);
    g_test_add_func("/export/refused", test_refused);
    return g_test_run();
}
