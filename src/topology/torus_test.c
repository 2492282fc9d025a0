/* torus_test.c - counts, diameters and distances of tori and meshes. */
#include "topology/fabric_test.h"

extern const DnTopologyType dn_topology_torus;
#define TYPE (&dn_topology_torus)

/* Cables: each line of k switches has k with wrap (k > 2), k - 1 without; diameter: the sum of
 * floor(k / 2), or k - 1. Written out per case. */
static const struct {
    const char *dims, *wrap;
    guint32 switches, cables, diameter;
} cases[] = {
    {"[1]", NULL, 1, 0, 0},
    {"[2]", NULL, 2, 1, 1},
    {"[2]", "[false]", 2, 1, 1},
    {"[3]", NULL, 3, 3, 1},
    {"[3]", "[false]", 3, 2, 2},
    {"[8]", NULL, 8, 8, 4},
    {"[4, 2]", NULL, 8, 2 * 4 + 4 * 1, 3}, /* APEnet's 4 x 2 */
    {"[2, 2, 2]", NULL, 8, 12, 3},         /* the cube */
    {"[4, 1, 3]", NULL, 12, 3 * 4 + 4 * 3, 3},
    {"[5, 3, 2]", NULL, 30, 6 * 5 + 10 * 3 + 15, 4},
    {"[5, 3, 2]", "[no, yes, no]", 30, 6 * 4 + 10 * 3 + 15, 6},
    {"[4, 4]", "[true, false]", 16, 4 * 4 + 4 * 3, 5},
    {"[3, 3, 3, 3]", NULL, 81, 4 * 81, 4},
    {"[6, 5]", "[false, false]", 30, 5 * 5 + 6 * 4, 9},
};

static void test_shapes(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        DnGraphMetrics m;
        g_autofree char *yaml = g_strdup_printf("dims: %s\n%s%s\n", cases[i].dims,
                                                cases[i].wrap ? "wrap: " : "",
                                                cases[i].wrap ? cases[i].wrap : "");
        TestFabric f = test_fabric_new(TYPE, yaml);
        g_assert_cmpuint(f.size.switches, ==, cases[i].switches);
        g_assert_cmpuint(f.size.terminals, ==, cases[i].switches);
        g_assert_cmpuint(f.size.cables, ==, cases[i].cables);
        dn_graph_metrics(f.graph, &m);
        g_assert_cmpuint(m.diameter, ==, cases[i].diameter);
        test_distances(TYPE, &f);
        dn_graph_metrics_clear(&m);
        test_fabric_clear(&f);
    }
}

/* Switch x + 4 y of a 4 x 2 torus: 0 is linked to 1, 3 (wrap) and 4, by two links each. */
static void test_neighbours(void)
{
    static const guint32 links[] = {0, 2, 0, 2, 2, 0, 0, 0};
    TestFabric f =
        test_fabric_new(TYPE, "{dims: [4, 2], terminals_per_switch: 3, parallel_links: 2}");
    for (guint32 v = 1; v < 8; v++)
        g_assert_cmpuint(test_links_between(f.graph, 0, v, 1), ==, links[v]);
    g_assert_cmpuint(f.size.cables, ==, 24);
    g_assert_cmpuint(TYPE->terminal_switch(f.params, 23), ==, 7);
    g_assert_cmpuint(dn_graph_degree(f.graph, 7), ==, 3 + 6);
    test_fabric_clear(&f);
    f = test_fabric_new(TYPE, "{dims: [4, 2], parallel_links: 2, parallel: bundled}");
    g_assert_cmpuint(f.size.cables, ==, 12);
    g_assert_cmpuint(test_links_between(f.graph, 0, 3, 1), ==, 2);
    test_fabric_clear(&f);
}

static void test_errors(void)
{
    test_refused(TYPE, "dims: []", DN_ERROR_RANGE, "t.yaml:1:7:", "0 dimensions; 1 to 10");
    test_refused(TYPE, "dims: [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]", DN_ERROR_RANGE,
                 "t.yaml:1:7:", "11 dimensions");
    test_refused(TYPE, "dims: [4, 0]", DN_ERROR_RANGE, "t.yaml:1:11:", "dims");
    test_refused(TYPE, "dims: [4, 2]\nwrap: [true]", DN_ERROR_RANGE,
                 "t.yaml:2:7:", "1 values for 2 dimensions");
    test_refused(TYPE, "dims: [4, 2]\nwrap: []", DN_ERROR_RANGE,
                 "t.yaml:2:7:", "0 values for 2 dimensions");
    test_refused(TYPE, "dims: [1000000, 1000000, 1000000, 1000000]", DN_ERROR_RANGE,
                 "t.yaml:1:7:", "too large");
    test_refused(TYPE, "wrap: [true]", DN_ERROR_MISSING, "t.yaml:1:1:", "dims");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/torus/shapes", test_shapes);
    g_test_add_func("/torus/neighbours", test_neighbours);
    g_test_add_func("/torus/errors", test_errors);
    return g_test_run();
}
