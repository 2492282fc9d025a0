/* full_mesh_test.c - counts and distances of the complete graph, and the registry. */
#include "topology/fabric_test.h"

extern const DnTopologyType dn_topology_full_mesh;
#define TYPE (&dn_topology_full_mesh)

static void test_counts(void)
{
    for (guint n = 1; n <= 9; n++) {
        DnGraphMetrics m;
        g_autofree char *yaml =
            g_strdup_printf("{switches: %u, terminals_per_switch: 3, parallel_links: 2}", n);
        TestFabric f = test_fabric_new(TYPE, yaml);
        g_assert_cmpuint(f.size.cables, ==, n * (n - 1)); /* 2 * n (n - 1) / 2 */
        g_assert_cmpuint(f.size.terminals, ==, 3 * n);
        dn_graph_metrics(f.graph, &m);
        g_assert_cmpuint(m.diameter, ==, n > 1);
        g_assert_cmpuint(m.radix_max, ==, 3 + 2 * (n - 1));
        test_distances(TYPE, &f);
        dn_graph_metrics_clear(&m);
        test_fabric_clear(&f);
    }
}

static void test_bundled(void)
{
    TestFabric f = test_fabric_new(
        TYPE, "{switches: 4, terminals_per_switch: 1, parallel_links: 5, parallel: bundled}");
    g_assert_cmpuint(f.size.cables, ==, 6);
    g_assert_cmpuint(test_links_between(f.graph, 0, 3, 1), ==, 5);
    test_fabric_clear(&f);
}

static void test_errors(void)
{
    test_refused(TYPE, "switches: 4", DN_ERROR_MISSING, "t.yaml:1:1:", "terminals_per_switch");
    /* C(100000, 2) = 5e9 cables */
    test_refused(TYPE, "{switches: 100000, terminals_per_switch: 1}", DN_ERROR_RANGE,
                 "t.yaml:1:12:", "too large");
    /* no sum of ours wraps at the largest values the keys allow */
    test_refused(TYPE, "{switches: 1048576, terminals_per_switch: 1048576, parallel_links: 1024}",
                 DN_ERROR_RANGE, "t.yaml:1:12:", "too large");
}

static void test_registry(void)
{
    g_assert_true(dn_topology_find("full_mesh") == TYPE);
    g_assert_null(dn_topology_find("full_mush"));
    static const char *const names[] = {"dragonfly", "dragonfly_plus", "torus", "fat_tree"};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        g_assert_cmpstr(dn_topology_find(names[i])->name, ==, names[i]);
    for (guint i = 0; dn_topology_types[i] != NULL; i++)
        g_assert_cmpstr(dn_topology_types[i]->link_classes[0], ==, "terminal");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/full_mesh/counts", test_counts);
    g_test_add_func("/full_mesh/bundled", test_bundled);
    g_test_add_func("/full_mesh/errors", test_errors);
    g_test_add_func("/full_mesh/registry", test_registry);
    return g_test_run();
}
