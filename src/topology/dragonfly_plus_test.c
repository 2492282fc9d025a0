/* dragonfly_plus_test.c - counts, invariants and distances of the dragonfly+. */
#include "topology/fabric_test.h"

extern const DnTopologyType dn_topology_dragonfly_plus;
#define TYPE (&dn_topology_dragonfly_plus)
enum { TERMINAL, LOCAL, GLOBAL };

static const char *const arrangements[] = {"absolute", "relative", "circulant"};

static TestFabric plus_make(guint g, guint leaves, guint spines, guint h, const char *more)
{
    g_autofree char *yaml = g_strdup_printf(
        "groups: %u\nleaves_per_group: %u\nspines_per_group: %u\nterminals_per_leaf: 2\n"
        "global_links_per_spine: %u\n%s",
        g, leaves, spines, h, more);
    return test_fabric_new(TYPE, yaml);
}

/* Levels and ports of each switch; exactly @copies links between each pair of groups. */
static void check_shape(const TestFabric *f, guint leaves, guint copies, guint h)
{
    const DnGraph *g = f->graph;
    guint32 n = f->size.group_switches, groups = f->size.groups, spines = n - leaves;
    for (guint32 v = 0; v < f->size.switches; v++) {
        gboolean leaf = v % n < leaves;
        g_assert_cmpuint(g->vertices[v].level, ==, leaf ? 0 : 1);
        g_assert_cmpuint(g->vertices[v].group, ==, v / n);
        g_assert_cmpuint(test_ports_of(g, v, TERMINAL), ==, leaf ? 2 : 0);
        g_assert_cmpuint(test_ports_of(g, v, LOCAL), ==, leaf ? spines : leaves);
        guint32 global = test_ports_of(g, v, GLOBAL);
        g_assert_cmpuint(global, <=, leaf ? 0 : h);
        g_assert_cmpuint(global, >=, leaf ? 0 : (groups - 1) * copies / spines);
    }
    g_autofree guint32 *between = g_new0(guint32, (gsize)groups * groups);
    for (guint32 l = 0; l < g->size.links; l++)
        if (g->links[l].link_class == GLOBAL)
            between[g->links[l].src / n * groups + g->links[l].dst / n]++;
    for (guint32 i = 0; i < groups * groups; i++)
        g_assert_cmpuint(between[i], ==, i / groups == i % groups ? 0 : copies);
}

static void test_shapes(void)
{
    guint tried = 0;
    for (guint g = 1; g <= 6; g++) {
        for (guint leaves = 1; leaves <= 3; leaves++) {
            for (guint spines = 1; spines <= 4; spines++) {
                for (guint h = 0; h <= 3; h++) {
                    if (spines * h < g - 1)
                        continue;
                    g_autofree char *more =
                        g_strdup_printf("arrangement: %s\n", arrangements[tried++ % 3]);
                    TestFabric f = plus_make(g, leaves, spines, h, more);
                    guint copies = g == 1 ? 0 : spines * h / (g - 1);
                    g_assert_cmpuint(f.size.terminals, ==, g * leaves * 2);
                    g_assert_cmpuint(f.size.cables, ==,
                                     g * leaves * spines + g * (g - 1) / 2 * copies);
                    check_shape(&f, leaves, copies, h);
                    test_distances(TYPE, &f);
                    test_fabric_clear(&f);
                }
            }
        }
    }
    g_assert_cmpuint(tried, >, 100);
}

/* Leonardo (Turisini, Cestari, Amati, "LEONARDO", JLSRF 8, 2023): 23 groups of 18 leaves and 18
 * spines, 22 global links a spine, so every spine has one link to each other group; 828 switches.
 * Leaf to leaf: up, across, down. */
static void test_leonardo(void)
{
    for (guint i = 0; i < 3; i++) {
        DnGraphMetrics m;
        g_autofree char *more = g_strdup_printf("arrangement: %s\n", arrangements[i]);
        TestFabric f = plus_make(23, 18, 18, 22, more);
        g_assert_cmpuint(f.size.switches, ==, 828);
        check_shape(&f, 18, 18, 22);
        for (guint32 spine = 18; spine < 36; spine++) {
            guint64 groups_seen = 0;
            for (guint32 v = 36; v < 828; v++)
                if (test_links_between(f.graph, spine, v, GLOBAL) > 0)
                    groups_seen |= G_GUINT64_CONSTANT(1) << (v / 36);
            g_assert_cmphex(groups_seen, ==, 0x7ffffe); /* 1..22 */
        }
        dn_graph_metrics(f.graph, &m);
        g_assert_cmpuint(m.edge_switches, ==, 23 * 18);
        g_assert_cmpuint(m.edge_diameter, ==, 3);
        g_assert_cmpuint(m.radix_max, ==, 40); /* QM8790: 18 + 22 */
        dn_graph_metrics_clear(&m);
        test_fabric_clear(&f);
    }
}

/* Terminal 2 * 3 + 1 is on leaf 3, which is leaf 0 of group 1: switch 5 with 3 leaves, 2 spines. */
static void test_terminals(void)
{
    TestFabric f = plus_make(2, 3, 2, 1, "links_per_leaf_spine: 3\nparallel: bundled\n");
    g_assert_cmpuint(TYPE->terminal_switch(f.params, 5), ==, 2);
    g_assert_cmpuint(TYPE->terminal_switch(f.params, 7), ==, 5);
    g_assert_cmpuint(test_links_between(f.graph, 0, 4, LOCAL), ==, 3);
    /* 2 * 3 * 2 bundles, and 2 links between the groups that join different spines */
    g_assert_cmpuint(f.size.cables, ==, 12 + 2);
    g_assert_cmpuint(TYPE->classes_used(f.params), ==, 3);
    test_fabric_clear(&f);
}

static void test_errors(void)
{
    static const char *const head =
        "leaves_per_group: 2\nspines_per_group: 2\nterminals_per_leaf: 2\n";
    const struct {
        const char *yaml, *place, *what;
    } cases[] = {
        {"global_links_per_spine: 2\ngroups: 6\n", "t.yaml:5:9:", "at most 5 groups"},
        {"global_links_per_spine: 2\ngroups: 3\nlinks_per_group_pair: 3\n",
         "t.yaml:6:23:", "at most 2"},
        {"global_links_per_spine: 0\ngroups: 1\nlinks_per_group_pair: 3\n",
         "t.yaml:6:23:", "there is one group"},
        {"global_links_per_spine: 1048576\ngroups: 1048576\n", "t.yaml:5:9:", "too large"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *yaml = g_strconcat(head, cases[i].yaml, NULL);
        test_refused(TYPE, yaml, DN_ERROR_RANGE, cases[i].place, cases[i].what);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/dragonfly_plus/shapes", test_shapes);
    g_test_add_func("/dragonfly_plus/leonardo", test_leonardo);
    g_test_add_func("/dragonfly_plus/terminals", test_terminals);
    g_test_add_func("/dragonfly_plus/errors", test_errors);
    return g_test_run();
}
