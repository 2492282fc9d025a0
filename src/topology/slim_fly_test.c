/* slim_fly_test.c - counts, degree and diameter of the McKay-Miller-Siran graphs, against the sizes
 * that Besta & Hoefler, SC 2014, state: 2 q^2 routers of (3 q - d) / 2 links, diameter 2. */
#include "topology/fabric_test.h"

extern const DnTopologyType dn_topology_slim_fly;
#define TYPE (&dn_topology_slim_fly)

static void test_counts(void)
{
    static const struct {
        guint32 q, switches, degree, terminals;
    } rows[] = {{3, 18, 5, 3},     {5, 50, 7, 4}, /* the Hoffman-Singleton graph */
                {7, 98, 11, 6},    {11, 242, 17, 9},
                {13, 338, 19, 10}, {19, 722, 29, 15}}; /* 10,830 endpoints, the paper's example */
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        DnGraphMetrics m;
        g_autofree char *yaml = g_strdup_printf("{q: %u}", rows[i].q);
        TestFabric f = test_fabric_new(TYPE, yaml);
        dn_graph_metrics(f.graph, &m);
        g_assert_cmpuint(f.size.switches, ==, rows[i].switches);
        g_assert_cmpuint(f.size.cables, ==, rows[i].switches * rows[i].degree / 2);
        g_assert_cmpuint(f.size.terminals, ==, rows[i].switches * rows[i].terminals);
        g_assert_cmpuint(m.radix_min, ==, rows[i].degree + rows[i].terminals);
        g_assert_cmpuint(m.radix_max, ==, rows[i].degree + rows[i].terminals);
        g_assert_cmpuint(m.diameter, ==, 2);
        if (rows[i].q <= 7)
            test_distances(TYPE, &f);
        dn_graph_metrics_clear(&m);
        test_fabric_clear(&f);
    }
}

static void test_errors(void)
{
    test_refused(TYPE, "{q: 9}", DN_ERROR_RANGE, "t.yaml:1:5:", "9 is no odd prime");
    test_refused(TYPE, "{q: 4}", DN_ERROR_RANGE, "t.yaml:1:5:", "4 is no odd prime");
    test_refused(TYPE, "{q: 2}", DN_ERROR_RANGE, "t.yaml:1:5:", "out of range");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/slim_fly/counts", test_counts);
    g_test_add_func("/slim_fly/errors", test_errors);
    return g_test_run();
}
