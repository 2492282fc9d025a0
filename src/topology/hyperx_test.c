/* hyperx_test.c - counts and distances of the HyperX. */
#include "topology/fabric_test.h"

extern const DnTopologyType dn_topology_hyperx;
#define TYPE (&dn_topology_hyperx)

/* R (S_k - 1) / 2 K_k cables a dimension; the diameter is the number of dimensions. */
static void test_counts(void)
{
    static const struct {
        const char *yaml;
        guint32 switches, cables, radix, diameter;
    } rows[] = {
        {"{dims: [5], terminals_per_switch: 2}", 5, 10, 6, 1},
        {"{dims: [3, 4], terminals_per_switch: 2}", 12, 12 + 18, 7, 2},
        {"{dims: [2, 2, 2, 2], terminals_per_switch: 1}", 16, 32, 5, 4}, /* a hypercube */
        {"{dims: [3, 4], terminals_per_switch: 2, parallel_links: [2, 1]}", 12, 24 + 18, 9, 2},
        {"{dims: [3, 1, 3], terminals_per_switch: 1}", 9, 18, 5, 2},
        {"{dims: [3, 4], terminals_per_switch: 2, parallel_links: [2, 1], parallel: bundled}", 12,
         30, 9, 2},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        DnGraphMetrics m;
        TestFabric f = test_fabric_new(TYPE, rows[i].yaml);
        dn_graph_metrics(f.graph, &m);
        g_assert_cmpuint(f.size.switches, ==, rows[i].switches);
        g_assert_cmpuint(f.size.cables, ==, rows[i].cables);
        g_assert_cmpuint(m.radix_min, ==, rows[i].radix);
        g_assert_cmpuint(m.radix_max, ==, rows[i].radix);
        g_assert_cmpuint(m.diameter, ==, rows[i].diameter);
        test_distances(TYPE, &f);
        dn_graph_metrics_clear(&m);
        test_fabric_clear(&f);
    }
}

static void test_errors(void)
{
    test_refused(TYPE, "{dims: [1, 2, 3, 4, 5, 6, 7, 8, 9], terminals_per_switch: 1}",
                 DN_ERROR_RANGE, "t.yaml:1:8:", "9 dimensions");
    test_refused(TYPE, "{dims: [3, 4], terminals_per_switch: 1, parallel_links: [2]}",
                 DN_ERROR_RANGE, "t.yaml:1:", "1 values; 'dims' has 2");
    test_refused(TYPE, "{dims: [65536, 65536], terminals_per_switch: 1}", DN_ERROR_RANGE,
                 "t.yaml:1:8:", "too large");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/hyperx/counts", test_counts);
    g_test_add_func("/hyperx/errors", test_errors);
    return g_test_run();
}
