/* fat_tree_test.c - counts, diameters and distances of extended generalised fat trees. */
#include "topology/fabric_test.h"

extern const DnTopologyType dn_topology_fat_tree;
#define TYPE (&dn_topology_fat_tree)

/* XGFT(h; m; w): level l has prod_{j<=l} w_j * prod_{j>l} m_j switches, each non-leaf m_l children;
 * terminals prod m. Diameter: leaf to leaf over the roots, 2 (h - 1); or root to root, the same. */
static const struct {
    const char *yaml;
    guint32 switches, terminals, cables, diameter;
} cases[] = {
    {"{levels: 1, down: [5], up: []}", 1, 5, 0, 0},
    {"{levels: 1, down: [5]}", 1, 5, 0, 0},
    {"{levels: 2, down: [4, 3], up: [2]}", 3 + 2, 12, 3 * 2, 2},
    /* a single root has no equal: two leaves under it */
    {"{levels: 2, down: [4, 2], up: [1]}", 3, 8, 2, 2},
    /* 3-ary 3-tree: n k^(n-1) = 27 switches, k^n = 27 terminals (Petrini & Vanneschi 1997) */
    {"{levels: 3, down: [3, 3, 3], up: [3, 3]}", 27, 27, 54, 4},
    /* k = 4 ports: k^3/4 = 16 terminals, 5 k^2/4 = 20 switches (Al-Fares et al., SIGCOMM 2008) */
    {"{levels: 3, down: [2, 2, 4], up: [2, 2]}", 20, 16, 32, 4},
    /* 12 leaves, 2 * 4 above, 2 * 3 roots: unequal everywhere */
    {"{levels: 3, down: [5, 3, 4], up: [2, 3]}", 12 + 8 + 6, 60, 24 + 24, 4},
    {"{levels: 4, down: [1, 2, 3, 2], up: [2, 1, 3]}", 12 + 12 + 4 + 6, 12, 24 + 12 + 12, 6},
    {"{levels: 3, down: [2, 2, 2], up: [2, 2], parallel_links: [3, 1]}", 12, 8, 24 + 8, 4},
    {"{levels: 3, down: [2, 2, 2], up: [2, 2], parallel_links: [3, 1], parallel: bundled}", 12, 8,
     16, 4},
    /* four planes: four times as much of each, and no path between them */
    {"{levels: 2, down: [4, 3], up: [2], planes: 4}", 4 * 5, 4 * 12, 4 * 6, 2},
    {"{levels: 3, down: [5, 3, 4], up: [2, 3], planes: 2}", 2 * 26, 2 * 60, 2 * 48, 4},
};

static void test_shapes(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        DnGraphMetrics m;
        TestFabric f = test_fabric_new(TYPE, cases[i].yaml);
        g_assert_cmpuint(f.size.switches, ==, cases[i].switches);
        g_assert_cmpuint(f.size.terminals, ==, cases[i].terminals);
        g_assert_cmpuint(f.size.cables, ==, cases[i].cables);
        dn_graph_metrics(f.graph, &m);
        g_assert_cmpuint(m.diameter, ==, cases[i].diameter);
        test_distances(TYPE, &f);
        dn_graph_metrics_clear(&m);
        test_fabric_clear(&f);
    }
}

/* Down [5, 3, 4], up [2, 3]: leaves 0..11 with 5 terminals and 2 parents, 8 switches with 3
 * children and 3 parents, 6 roots with 4 children. Class i joins levels i - 1 and i. */
static void test_levels(void)
{
    static const guint32 ports[3][3] = {{5, 2, 0}, {0, 3, 3}, {0, 0, 4}}; /* [level][class] */
    TestFabric f = test_fabric_new(TYPE, "{levels: 3, down: [5, 3, 4], up: [2, 3]}");
    for (guint32 v = 0; v < 26; v++) {
        guint level = v < 12 ? 0 : v < 20 ? 1 : 2;
        g_assert_cmpuint(f.graph->vertices[v].level, ==, level);
        for (guint32 c = 0; c < 3; c++)
            g_assert_cmpuint(test_ports_of(f.graph, v, c), ==, ports[level][c]);
    }
    g_assert_cmpuint(TYPE->terminal_switch(f.params, 59), ==, 11);
    g_assert_cmpuint(TYPE->classes_used(f.params), ==, 3);
    test_fabric_clear(&f);
}

static void test_errors(void)
{
    test_refused(TYPE, "levels: 2\ndown: [4]\nup: [2]\n", DN_ERROR_RANGE,
                 "t.yaml:2:7:", "'down' has 1 values; 2 wanted");
    test_refused(TYPE, "levels: 2\ndown: [4, 2]\nup: [2, 2]\n", DN_ERROR_RANGE,
                 "t.yaml:3:5:", "'up' has 2 values; 1 wanted");
    test_refused(TYPE, "levels: 2\ndown: [4, 2]\n", DN_ERROR_RANGE,
                 "t.yaml:1:1:", "'up' has 0 values; 1 wanted");
    test_refused(TYPE, "levels: 2\ndown: [4, 2]\nup: [2]\nparallel_links: [1, 1]\n", DN_ERROR_RANGE,
                 "t.yaml:4:17:", "'parallel_links' has 2 values; 1 wanted");
    test_refused(TYPE, "levels: 2\ndown: [4, 0]\nup: [2]\n", DN_ERROR_RANGE,
                 "t.yaml:2:11:", "down");
    test_refused(TYPE, "levels: 9\ndown: [4]\n", DN_ERROR_RANGE, "t.yaml:1:9:", "levels");
    test_refused(TYPE, "levels: 4\ndown: [60000, 60000, 60000, 60000]\nup: [1, 1, 1]\n",
                 DN_ERROR_RANGE, "t.yaml:2:7:", "too large");
    test_refused(TYPE,
                 "levels: 8\ndown: [1, 65536, 65536, 65536, 65536, 65536, 65536, 65536]\n"
                 "up: [65536, 65536, 65536, 65536, 65536, 65536, 65536]\n",
                 DN_ERROR_RANGE, "t.yaml:2:7:", "too large");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/fat_tree/shapes", test_shapes);
    g_test_add_func("/fat_tree/levels", test_levels);
    g_test_add_func("/fat_tree/errors", test_errors);
    return g_test_run();
}
