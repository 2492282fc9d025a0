/* graph_metrics_test.c - distances, radix and counts against closed forms; the drawing's parts. */
#include "topology/fabric_test.h"

static TestFabric graph_metrics_make(const char *type, const char *yaml)
{
    return test_fabric_new(dn_topology_find(type), yaml);
}

/* Ring of k: the hops from one switch to the k - 1 others sum to floor(k^2 / 4); k = 130 needs
 * three batches of 64 sources. */
static void test_ring(void)
{
    for (guint k = 2; k <= 130; k += k < 10 ? 1 : 60) {
        DnGraphMetrics m;
        g_autofree char *yaml = g_strdup_printf("{dims: [%u], terminals_per_switch: 2}", k);
        TestFabric f = graph_metrics_make("torus", yaml);
        dn_graph_metrics(f.graph, &m);
        g_assert_cmpuint(m.diameter, ==, k / 2);
        guint sum = k * k / 4;
        g_assert_cmpfloat_with_epsilon(m.mean_distance, (double)sum / (k - 1), 1e-12);
        g_assert_cmpuint(m.edge_diameter, ==, k / 2);
        g_assert_cmpfloat_with_epsilon(m.edge_mean_distance, m.mean_distance, 1e-12);
        g_assert_cmpuint(m.radix_min, ==, k == 2 ? 3 : 4);
        g_assert_cmpuint(m.radix_max, ==, k == 2 ? 3 : 4);
        dn_graph_metrics_clear(&m);
        test_fabric_clear(&f);
    }
}

/* From 64 switches only, those that a bound of visits allows: in a ring each sees the same. */
static void test_part_of_sources(void)
{
    DnGraphMetrics m;
    TestFabric f = graph_metrics_make("torus", "{dims: [1000], terminals_per_switch: 1}");
    dn_graph_metrics_within(f.graph, 1, &m);
    g_assert_cmpuint(m.sources, ==, 64);
    g_assert_cmpuint(m.diameter, ==, 500);
    g_assert_cmpfloat_with_epsilon(m.mean_distance, 250000.0 / 999, 1e-9);
    g_assert_cmpuint(m.edge_diameter, ==, 500);
    g_assert_cmpfloat_with_epsilon(m.edge_mean_distance, m.mean_distance, 1e-12);
    dn_graph_metrics_clear(&m);
    dn_graph_metrics(f.graph, &m);
    g_assert_cmpuint(m.sources, ==, 1000);
    dn_graph_metrics_clear(&m);
    test_fabric_clear(&f);
}

/* Two levels, 3 leaves (4 terminals each), 2 roots: leaf-leaf 2, leaf-root 1, root-root 2. All 20
 * ordered pairs: 12 at 1 hop, 8 at 2: mean 1.4; the 6 of leaves: 2. Links 2 wide. */
static void test_edge_switches(void)
{
    DnGraphMetrics m;
    TestFabric f = graph_metrics_make(
        "fat_tree", "{levels: 2, down: [4, 3], up: [2], parallel_links: [2], parallel: bundled}");
    dn_graph_metrics(f.graph, &m);
    g_assert_cmpuint(m.diameter, ==, 2);
    g_assert_cmpfloat_with_epsilon(m.mean_distance, 1.4, 1e-12);
    g_assert_cmpuint(m.edge_switches, ==, 3);
    g_assert_cmpuint(m.edge_diameter, ==, 2);
    g_assert_cmpfloat_with_epsilon(m.edge_mean_distance, 2.0, 1e-12);
    g_assert_cmpuint(m.radix_min, ==, 6); /* root: 3 * 2 */
    g_assert_cmpuint(m.radix_max, ==, 8); /* leaf: 4 + 2 * 2 */
    g_assert_cmpuint(m.class_cables[0], ==, 12);
    g_assert_cmpuint(m.class_cables[1], ==, 6);
    g_assert_cmpuint(m.class_ports[1], ==, 12);
    g_assert_cmpuint(m.class_cables[2], ==, 0);
    dn_graph_metrics_clear(&m);
    test_fabric_clear(&f);
}

/* No switch: nothing to measure. Two switches without a cable: no diameter. */
static void test_degenerate(void)
{
    DnGraphMetrics m;
    DnLinkClass k = {(char *)"cable", 200, 10, 1, 0, 0};
    DnGraphSize two = {.switches = 2, .groups = 1, .group_switches = 2};
    g_autoptr(DnGraph) g = dn_graph_builder_seal(dn_graph_builder_new(&two));
    dn_graph_metrics(g, &m);
    g_assert_cmpuint(m.diameter, ==, DN_NONE);
    dn_graph_metrics_clear(&m);
    DnGraphSize pair = {.nodes = 1, .node_vertices = 2, .endpoints = 2, .links = 2};
    DnGraphBuilder *b = dn_graph_builder_new(&pair);
    dn_graph_add_class(b, &k);
    dn_graph_add_cable(b, 0, 1, 0, 1);
    dn_graph_set_endpoint(b, 0, DN_NONE);
    dn_graph_set_endpoint(b, 1, DN_NONE);
    g_autoptr(DnGraph) node = dn_graph_builder_seal(b);
    dn_graph_metrics(node, &m);
    g_assert_cmpuint(m.diameter, ==, 0);
    g_assert_cmpfloat(m.mean_distance, ==, 0);
    g_assert_cmpuint(m.class_cables[0], ==, 1);
    dn_graph_metrics_clear(&m);
}

static guint graph_metrics_count(const char *text, const char *what)
{
    guint n = 0;
    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what))
        n++;
    return n;
}

/* 3 groups of 2, one terminal a switch, K = 2 links a pair, local links doubled: 3 clusters, 12
 * vertices, lines: 3 local (x2), 6 terminal, and 6 global. Each pair of groups has slots c * 2 +
 * port on switch slot / 2, so copy c joins switch c to switch c: 6 lines. */
static void test_dot(void)
{
    TestFabric f = graph_metrics_make("dragonfly",
                                      "{groups: 3, switches_per_group: 2, terminals_per_switch: 1, "
                                      "global_links_per_switch: 2, local_links: 2}");
    g_autoptr(GString) dot = g_string_new(NULL);
    dn_graph_write_dot(f.graph, DN_DOT_ALL, dot);
    g_assert_true(g_str_has_prefix(dot->str, "graph darner {\n"));
    g_assert_true(g_str_has_suffix(dot->str, "}\n"));
    g_assert_cmpuint(graph_metrics_count(dot->str, "subgraph cluster_group"), ==, 3);
    g_assert_cmpuint(graph_metrics_count(dot->str, "subgraph cluster_node"), ==, 0);
    g_assert_cmpuint(graph_metrics_count(dot->str, " -- "), ==, 3 + 6 + 6);
    g_assert_cmpuint(graph_metrics_count(dot->str, "label=\"x2\""), ==, 3);
    g_assert_cmpuint(graph_metrics_count(dot->str, "label=\"s"), ==, 6);
    g_assert_cmpuint(graph_metrics_count(dot->str, "label=\"n"), ==, 6);
    g_assert_cmpuint(graph_metrics_count(dot->str, "color=\"#D55E00\", penwidth=2"), ==,
                     3); /* local */
    g_assert_nonnull(strstr(dot->str, "global 200 Gb/s"));
    test_fabric_clear(&f);
}

/* The same machine by its groups: 3 with 3 lines, K = 2 links each; group 0 of 2 switches with one
 * line; node 0 with its switch. */
static void test_dot_groups(void)
{
    TestFabric f = graph_metrics_make("dragonfly",
                                      "{groups: 3, switches_per_group: 2, terminals_per_switch: 1, "
                                      "global_links_per_switch: 2, local_links: 2}");
    g_autoptr(GString) dot = g_string_new(NULL);
    dn_graph_write_dot_groups(f.graph, dot);
    g_assert_cmpuint(graph_metrics_count(dot->str, "\ngraph "), ==, 2); /* and the first */
    g_assert_cmpuint(graph_metrics_count(dot->str, " -- "), ==, 3 + 1 + 1);
    g_assert_nonnull(strstr(dot->str, "label=\"6 switches in 3 groups; links between two groups: "
                                      "2\""));
    g_assert_nonnull(strstr(dot->str, "label=\"group 0: 2 switches, each with 1 links to nodes, 2 "
                                      "inside the group, 2 to other groups\""));
    g_assert_nonnull(strstr(dot->str, "label=\"node 0 of 6\""));
    test_fabric_clear(&f);
    f = graph_metrics_make("dragonfly_plus",
                           "{groups: 2, leaves_per_group: 2, spines_per_group: 3, "
                           "terminals_per_leaf: 1, global_links_per_spine: 1}");
    g_string_truncate(dot, 0);
    dn_graph_write_dot_groups(f.graph, dot);
    g_assert_cmpuint(graph_metrics_count(dot->str, " -- "), ==, 1 + 6 + 1);
    g_assert_nonnull(strstr(dot->str, "3 switches, each with 0 links to nodes, 2 inside the group, "
                                      "1 to other groups\""));
    test_fabric_clear(&f);
}

/* The same machine of 6 nodes, each one vertex: a box around each of the 3 groups, the 6 nodes
 * outside; a box and a node share one line, two boxes too. Its switches alone: 3 boxes. */
static void test_dot_boxes(void)
{
    TestFabric f = graph_metrics_make("dragonfly",
                                      "{groups: 3, switches_per_group: 2, terminals_per_switch: 1, "
                                      "global_links_per_switch: 2, local_links: 2}");
    const DnDotSize inside[3] = {{1, 1}, {1, 1}, {1, 1}};
    g_autoptr(GString) dot = g_string_new(NULL);
    g_assert_cmpuint(dn_dot_boxes(f.graph, f.graph->n_vertices), ==, 3);
    g_assert_cmpuint(dn_dot_boxes(f.graph, f.graph->size.switches), ==, 3);
    g_assert_cmpuint(dn_dot_box(f.graph, 5), ==, 2);
    g_assert_cmpuint(dn_dot_box(f.graph, 6), ==, DN_NONE);
    dn_graph_write_dot_boxes(f.graph, f.graph->n_vertices, dot);
    g_assert_cmpuint(graph_metrics_count(dot->str, "graph box"), ==, 3);
    g_assert_cmpuint(graph_metrics_count(dot->str, " -- "), ==, 3);
    g_string_truncate(dot, 0);
    dn_graph_write_dot_outside(f.graph, f.graph->n_vertices, inside, dot);
    g_assert_cmpuint(graph_metrics_count(dot->str, " -- "), ==, 3 + 6);
    DnDotPlace vertices[12], middles[3] = {{10, 20}, {30, 40}, {50, 60}};
    for (guint32 v = 0; v < 12; v++)
        vertices[v] = (DnDotPlace){v, v};
    DnDotSize sizes[3] = {{1, 1}, {1, 1}, {1, 1}};
    DnDotPlaces places = {vertices, middles, sizes, {7, 8}};
    g_string_truncate(dot, 0);
    dn_graph_write_dot_placed(f.graph, f.graph->n_vertices, &places, dot);
    g_assert_cmpuint(graph_metrics_count(dot->str, "subgraph cluster_"), ==, 3);
    g_assert_cmpuint(graph_metrics_count(dot->str, "label=\"group "), ==, 3);
    g_assert_cmpuint(graph_metrics_count(dot->str, " -- "), ==, 3 + 6 + 6);
    g_assert_nonnull(strstr(dot->str, "legend [pos=\"504.00,576.00\", "));
    g_assert_nonnull(strstr(dot->str, "v6 [pos=\"432.00,432.00\", "));
    test_fabric_clear(&f);
}

/* Nodes of two vertices are boxes; a name is quoted; a cable of width 6 is labelled, 7 is drawn no
 * thicker. */
static void test_dot_nodes(void)
{
    DnGraphSize size = {.nodes = 2, .node_vertices = 2, .endpoints = 1, .links = 4};
    DnLinkClass k = {(char *)"a<b", 200, 10, 1, 0, 0};
    DnGraphBuilder *b = dn_graph_builder_new(&size);
    dn_graph_add_class(b, &k);
    dn_graph_name_vertex(b, 0, "the \"first\"");
    dn_graph_set_endpoint(b, 3, DN_NONE);
    dn_graph_add_cable(b, 0, 1, 0, 7);
    dn_graph_add_cable(b, 2, 3, 0, 6);
    g_autoptr(DnGraph) g = dn_graph_builder_seal(b);
    g_autoptr(GString) dot = g_string_new(NULL);
    dn_graph_write_dot(g, DN_DOT_ALL, dot);
    g_assert_cmpuint(graph_metrics_count(dot->str, "subgraph cluster_node"), ==, 2);
    g_assert_cmpuint(graph_metrics_count(dot->str, "label=\"the \\\"first\\\"\""), ==, 2);
    g_assert_cmpuint(graph_metrics_count(dot->str, "label=\"nic1\""), ==, 2);
    g_assert_cmpuint(graph_metrics_count(dot->str, "style=filled"), ==, 1);
    g_assert_cmpuint(graph_metrics_count(dot->str, "penwidth=6"), ==, 2);
    g_assert_nonnull(strstr(dot->str, "label=\"x7\""));
    g_assert_nonnull(strstr(dot->str, "a&lt;b"));
}

/* 180 vertices and 2,700 lines take Graphviz minutes with curves; a ring of 60 does not. */
static void test_dot_splines(void)
{
    g_assert_cmpstr(dn_dot_splines(180, 2700), ==, "line");
    g_assert_cmpstr(dn_dot_splines(60, 60), ==, "true");
    TestFabric f = graph_metrics_make("full_mesh", "{switches: 60, terminals_per_switch: 2}");
    g_autoptr(GString) dot = g_string_new(NULL);
    dn_graph_write_dot(f.graph, DN_DOT_ALL, dot);
    g_assert_nonnull(strstr(dot->str, "splines=line"));
    test_fabric_clear(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/graph_metrics/ring", test_ring);
    g_test_add_func("/graph_metrics/part-of-sources", test_part_of_sources);
    g_test_add_func("/graph_metrics/edge-switches", test_edge_switches);
    g_test_add_func("/graph_metrics/degenerate", test_degenerate);
    g_test_add_func("/graph_metrics/dot", test_dot);
    g_test_add_func("/graph_metrics/dot-groups", test_dot_groups);
    g_test_add_func("/graph_metrics/dot-boxes", test_dot_boxes);
    g_test_add_func("/graph_metrics/dot-nodes", test_dot_nodes);
    g_test_add_func("/graph_metrics/dot-splines", test_dot_splines);
    return g_test_run();
}
