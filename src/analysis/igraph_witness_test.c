/* igraph_witness_test.c - igraph, which shares no code with this project, on every topology:
 * distances, diameter, connectivity, and edge betweenness, which is the forwarding index under
 * equal splitting.
 *
 * Without igraph at build time every test is skipped, loudly. */
#include <glib.h>

#ifdef DN_HAVE_IGRAPH
#include "analysis/link_load.h"
#include "topology/graph_metrics.h"
#include "topology/machine.h"

#include <igraph.h>
#include <math.h>

static DnMachine *igraph_witness_load(const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) node = dn_config_parse(text, "machine.yaml", &error);
    g_assert_no_error(error);
    DnMachine *m = dn_machine_load(node, 0, &error);
    g_assert_no_error(error);
    return m;
}

/* Undirected, every physical link an edge. @arc_of[edge]: the arc from the lower vertex. */
static void to_igraph(const DnNet *net, igraph_t *graph, GArray *arc_of)
{
    igraph_vector_int_t ends;
    igraph_vector_int_init(&ends, 0);
    for (guint32 a = 0; a < net->n_arcs; a++)
        for (guint32 i = 0; net->from[a] < net->to[a] && i < (guint32)net->width[a]; i++) {
            igraph_vector_int_push_back(&ends, net->from[a]);
            igraph_vector_int_push_back(&ends, net->to[a]);
            g_array_append_val(arc_of, a);
        }
    igraph_create(graph, &ends, (igraph_integer_t)net->n, IGRAPH_UNDIRECTED);
    igraph_vector_int_destroy(&ends);
}

static void check_distances(const DnNet *net, const igraph_t *graph, guint32 planes)
{
    igraph_matrix_t d;
    igraph_matrix_init(&d, 0, 0);
    igraph_distances(graph, &d, igraph_vss_all(), igraph_vss_all(), IGRAPH_ALL);
    g_autofree guint32 *distance = g_new(guint32, net->n);
    g_autofree guint32 *order = g_new(guint32, net->n);
    for (guint32 s = 0; s < net->n; s++) {
        g_assert_cmpuint(dn_net_search(net, s, distance, order), ==, net->n / planes);
        for (guint32 t = 0; t < net->n; t++)
            g_assert_cmpfloat(MATRIX(d, s, t), ==,
                              distance[t] == G_MAXUINT32 ? INFINITY : distance[t]);
    }
    igraph_matrix_destroy(&d);
}

/* igraph counts each unordered pair once, over both directions of an edge: with a symmetric demand
 * that is the load of one direction. Parallel edges are paths of their own there too. */
static void check_betweenness(const DnNet *net, const igraph_t *graph, const GArray *arc_of,
                              guint32 planes)
{
    igraph_vector_t b;
    igraph_vector_init(&b, 0);
    igraph_edge_betweenness(graph, &b, IGRAPH_UNDIRECTED, NULL);
    g_autofree double *demand = g_new(double, (gsize)net->n * net->n);
    g_autofree double *load = g_new0(double, net->n_arcs);
    for (gsize i = 0; i < (gsize)net->n * net->n; i++)
        demand[i] = i % (net->n + 1) != 0 && i / net->n % planes == i % net->n % planes;
    dn_split_equally(net, demand, TRUE, load);
    for (guint e = 0; e < arc_of->len; e++) {
        guint32 a = g_array_index(arc_of, guint32, e);
        g_assert_cmpfloat_with_epsilon(VECTOR(b)[e], load[a] / net->width[a], 1e-6 * load[a]);
        g_assert_cmpfloat_with_epsilon(load[net->reverse[a]], load[a], 1e-6 * load[a]);
    }
    igraph_vector_destroy(&b);
}

static void check_net(const DnNet *net, guint32 planes)
{
    igraph_t graph;
    igraph_bool_t connected;
    g_autoptr(GArray) arc_of = g_array_new(FALSE, FALSE, sizeof(guint32));
    to_igraph(net, &graph, arc_of);
    igraph_is_connected(&graph, &connected, IGRAPH_WEAK);
    g_assert_true(connected == (planes == 1));
    check_distances(net, &graph, planes);
    check_betweenness(net, &graph, arc_of, planes);
    igraph_destroy(&graph);
}

/* The two figures that other commands print. */
static void check_metrics(const DnMachine *m, const DnNet *net)
{
    igraph_t graph;
    igraph_real_t diameter, mean;
    g_autoptr(GArray) arc_of = g_array_new(FALSE, FALSE, sizeof(guint32));
    DnGraphMetrics metrics;
    to_igraph(net, &graph, arc_of);
    igraph_diameter(&graph, &diameter, NULL, NULL, NULL, NULL, IGRAPH_UNDIRECTED, 1);
    igraph_average_path_length(&graph, &mean, NULL, IGRAPH_UNDIRECTED, 1);
    dn_graph_metrics(m->graph, &metrics);
    g_assert_cmpfloat(diameter, ==, metrics.diameter);
    g_assert_cmpfloat_with_epsilon(mean, metrics.mean_distance, 1e-9);
    dn_graph_metrics_clear(&metrics);
    igraph_destroy(&graph);
}

#define FABRIC(type, shape, classes)                                                               \
    "{source: test, fabric: {type: " type ", " shape ", switch: {latency: 100 ns}, links: "        \
    "{terminal: &c {bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB}, " classes "}}}"

static const char *const fabrics[] = {
    FABRIC("torus", "dims: [7]", "link: *c"),
    FABRIC("torus", "dims: [4, 6]", "link: *c"),
    FABRIC("torus", "dims: [3, 4, 5]", "link: *c"),
    FABRIC("torus", "dims: [4, 3], wrap: [false, true], parallel_links: 2", "link: *c"),
    FABRIC("torus", "dims: [2, 2, 2, 2], parallel: bundled, parallel_links: 3", "link: *c"),
    FABRIC("full_mesh", "switches: 9, terminals_per_switch: 2", "link: *c"),
    FABRIC("fat_tree", "levels: 3, down: [2, 3, 4], up: [2, 2]", "level1: *c"),
    FABRIC("fat_tree", "levels: 2, down: [4, 6], up: [3]", "level1: *c"),
    FABRIC("fat_tree", "levels: 3, down: [2, 3, 4], up: [2, 2], planes: 3", "level1: *c"),
    FABRIC("dragonfly",
           "groups: 9, switches_per_group: 4, terminals_per_switch: 2, global_links_per_switch: 2",
           "local: *c, global: *c"),
    FABRIC("dragonfly",
           "groups: 5, switches_per_group: 4, terminals_per_switch: 1, global_links_per_switch: 2, "
           "links_per_group_pair: 2, arrangement: circulant, parallel: bundled",
           "local: *c, global: *c"),
    FABRIC("dragonfly",
           "groups: 4, intra_group: grid, chassis: 3, blades: 4, chassis_links: 2, "
           "terminals_per_switch: 1, global_links_per_switch: 1, links_per_group_pair: 1",
           "local: *c, global: *c"),
    FABRIC("dragonfly_plus",
           "groups: 5, leaves_per_group: 3, spines_per_group: 4, terminals_per_leaf: 2, "
           "global_links_per_spine: 4",
           "local: *c, global: *c"),
    FABRIC("hyperx", "dims: [3, 4, 2], terminals_per_switch: 2, parallel_links: [1, 2, 1]",
           "link: *c"),
    FABRIC("slim_fly", "q: 5", "link: *c"),
    FABRIC("slim_fly", "q: 7, terminals_per_switch: 1", "link: *c"),
    FABRIC("edges",
           "switches: 7, terminals_per_switch: 1, edges: [[0, 1], [1, 2, 2], [2, 3], [3, 0], "
           "[3, 4], [4, 5], [5, 6, 3], [6, 4]]",
           "link: *c"),
};

static void test_fabrics(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(fabrics); i++) {
        g_test_message("%s", fabrics[i]);
        g_autoptr(DnMachine) m = igraph_witness_load(fabrics[i]);
        g_autoptr(DnNet) net = dn_net_fabric(m->graph);
        check_net(net, MAX(1, m->graph->size.planes));
        check_metrics(m, net);
    }
}

/* Node graphs in which everything forwards, and whole machines' fabrics. */
static void test_machines(void)
{
    const char *const nodes[] = {"lumi", "alps", "leonardo", "frontier", "h200x4"};
    for (guint i = 0; i < G_N_ELEMENTS(nodes); i++) {
        g_autoptr(DnMachine) m = igraph_witness_load(nodes[i]);
        g_autoptr(DnNet) net = dn_net_node(m->graph, 0, TRUE);
        for (guint32 v = 0; v < net->n; v++)
            net->transit[v] = 1;
        check_net(net, 1);
    }
    const char *const whole[] = {"leonardo", "lumi", "tuolumne", "apenet-4x2"};
    for (guint i = 0; i < G_N_ELEMENTS(whole); i++) {
        g_autoptr(DnMachine) m = igraph_witness_load(whole[i]);
        g_autoptr(DnNet) net = dn_net_fabric(m->graph);
        check_net(net, 1);
        check_metrics(m, net);
    }
}
#else
static void test_fabrics(void)
{
    g_test_skip("built WITHOUT igraph: no independent witness; apt-get install libigraph-dev");
}
static void test_machines(void)
{
    test_fabrics();
}
#endif

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/bound/igraph/fabrics", test_fabrics);
    g_test_add_func("/bound/igraph/machines", test_machines);
    return g_test_run();
}
