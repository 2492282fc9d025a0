/* dragonfly_test.c - counts, invariants, arrangements and distances of the dragonfly. */
#include "topology/fabric_test.h"

extern const DnTopologyType dn_topology_dragonfly;
#define TYPE (&dn_topology_dragonfly)
enum { TERMINAL, LOCAL, GLOBAL };

static const char *const arrangements[] = {"absolute", "relative", "circulant"};

static TestFabric dragonfly_make(guint g, guint a, guint p, guint h, const char *more)
{
    g_autofree char *yaml =
        g_strdup_printf("groups: %u\nswitches_per_group: %u\nterminals_per_switch: %u\n"
                        "global_links_per_switch: %u\n%s",
                        g, a, p, h, more);
    return test_fabric_new(TYPE, yaml);
}

/* Each pair of groups has exactly @copies links; no switch has more than @h, and the switches of a
 * group differ by at most one. */
static void check_globals(const TestFabric *f, guint32 copies, guint32 h)
{
    const DnGraph *g = f->graph;
    guint32 groups = f->size.groups, a = f->size.group_switches;
    g_autofree guint32 *between = g_new0(guint32, (gsize)groups * groups);
    for (guint32 l = 0; l < g->size.links; l++)
        if (g->links[l].link_class == GLOBAL)
            between[g->links[l].src / a * groups + g->links[l].dst / a] += g->links[l].width;
    for (guint32 i = 0; i < groups; i++)
        for (guint32 j = 0; j < groups; j++)
            g_assert_cmpuint(between[i * groups + j], ==, i == j ? 0 : copies);
    guint32 low = (groups - 1) * copies / a, high = ((groups - 1) * copies + a - 1) / a;
    g_assert_cmpuint(high, <=, h);
    for (guint32 v = 0; v < f->size.switches; v++) {
        g_assert_cmpuint(test_ports_of(g, v, GLOBAL), >=, low);
        g_assert_cmpuint(test_ports_of(g, v, GLOBAL), <=, high);
        g_assert_cmpuint(g->vertices[v].group, ==, v / a);
        g_assert_cmpuint(g->vertices[v].local, ==, v % a);
        g_assert_cmpuint(g->vertices[v].level, ==, 0);
    }
}

/* K defaults to floor(a h / (g - 1)), as many as fit evenly. */
static void test_full_groups(void)
{
    guint tried = 0;
    for (guint g = 1; g <= 8; g++) {
        for (guint a = 1; a <= 5; a++) {
            for (guint h = 0; h <= 4; h++) {
                if (a * h < g - 1)
                    continue;
                g_autofree char *more =
                    g_strdup_printf("arrangement: %s\n", arrangements[tried++ % 3]);
                TestFabric f = dragonfly_make(g, a, 2, h, more);
                guint copies = g == 1 ? 0 : a * h / (g - 1);
                g_assert_cmpuint(f.size.switches, ==, g * a);
                g_assert_cmpuint(f.size.terminals, ==, g * a * 2);
                g_assert_cmpuint(f.size.cables, ==, g * a * (a - 1) / 2 + g * (g - 1) / 2 * copies);
                check_globals(&f, copies, h);
                test_distances(TYPE, &f);
                test_fabric_clear(&f);
            }
        }
    }
    g_assert_cmpuint(tried, >, 100);
}

/* Rows of b switches in each of c chassis, columns of c with 3 links (1 local, 2 global ports). */
static void test_grids(void)
{
    guint tried = 0;
    for (guint c = 1; c <= 4; c++) {
        for (guint b = 1; b <= 4; b++) {
            for (guint g = 1; g <= MIN(2 * b * c + 1, 6); g++) {
                g_autofree char *yaml = g_strdup_printf(
                    "{groups: %u, intra_group: grid, chassis: %u, blades: %u, arrangement: %s, "
                    "terminals_per_switch: 1, global_links_per_switch: 2%s}",
                    g, c, b, arrangements[tried++ % 3], g > 1 ? ", links_per_group_pair: 1" : "");
                TestFabric f = test_fabric_new(TYPE, yaml);
                guint local = c * (b * (b - 1) / 2) + b * (c * (c - 1) / 2) * 3;
                g_assert_cmpuint(f.size.cables, ==, g * local + g * (g - 1) / 2);
                check_globals(&f, g == 1 ? 0 : 1, 2);
                g_assert_cmpuint(test_ports_of(f.graph, 0, LOCAL), ==, b - 1 + 3 * (c - 1));
                test_distances(TYPE, &f);
                test_fabric_clear(&f);
            }
        }
    }
    g_assert_cmpuint(tried, >, 60);
}

/* Kim et al., ISCA 2008, section III: N = a p (a h + 1). Fig. 5: p = h = 2, a = 4 gives 72
 * terminals on radix-7 switches (p + a - 1 + h); a = 8, p = h = 4 gives 1,056 on radix 15. Largest
 * distance: local, global, local. */
static void test_published(void)
{
    for (guint i = 0; i < 3; i++) {
        DnGraphMetrics m;
        g_autofree char *more = g_strdup_printf("arrangement: %s\n", arrangements[i]);
        TestFabric f = dragonfly_make(9, 4, 2, 2, more);
        g_assert_cmpuint(f.size.terminals, ==, 72);
        dn_graph_metrics(f.graph, &m);
        g_assert_cmpuint(m.diameter, ==, 3);
        g_assert_cmpuint(m.radix_min, ==, 7);
        g_assert_cmpuint(m.radix_max, ==, 7);
        dn_graph_metrics_clear(&m);
        test_fabric_clear(&f);
    }
    TestFabric f = dragonfly_make(33, 8, 4, 4, "");
    g_assert_cmpuint(f.size.terminals, ==, 1056);
    g_assert_cmpuint(dn_graph_degree(f.graph, 100), ==, 15);
    test_fabric_clear(&f);
}

/* Aries (Cray WP-Aries01-1112): 40 network tiles a router: 15 to its chassis, 5 x 3 between
 * chassis, 10 optical. A group of 96 routers: 6 * C(16,2) + 16 * C(6,2) * 3 = 1,440 local links. */
static void test_aries(void)
{
    static const char yaml[] = "{groups: 5, intra_group: grid, chassis: 6, blades: 16, "
                               "terminals_per_switch: 4, global_links_per_switch: 10}";
    DnGraphMetrics m;
    TestFabric f = test_fabric_new(TYPE, yaml);
    dn_graph_metrics(f.graph, &m);
    g_assert_cmpuint(m.class_cables[LOCAL], ==, 5 * 1440);
    g_assert_cmpuint(m.class_cables[GLOBAL], ==, 10 * 240); /* K = 960 / 4 */
    g_assert_cmpuint(m.radix_min, ==, 4 + 40);
    g_assert_cmpuint(m.radix_max, ==, 4 + 40);
    g_assert_cmpuint(test_links_between(f.graph, 0, 15, LOCAL), ==, 1); /* same chassis */
    g_assert_cmpuint(test_links_between(f.graph, 0, 16, LOCAL), ==, 3); /* same blade */
    g_assert_cmpuint(test_links_between(f.graph, 0, 17, LOCAL), ==, 0);
    dn_graph_metrics_clear(&m);
    test_fabric_clear(&f);
}

/* a = 4, h = 2, g = 9: port k of a group sits on its switch k / 2. Group each port of group 2 leads
 * to, by the definitions of Hastings et al. 2015, section II. */
static void test_arrangements(void)
{
    static const guint32 leads_to[3][8] = {
        {0, 1, 3, 4, 5, 6, 7, 8}, /* absolute: k, or k + 1 from 2 on */
        {3, 4, 5, 6, 7, 8, 0, 1}, /* relative: 2 + k + 1 mod 9 */
        {3, 1, 4, 0, 5, 8, 6, 7}, /* circulant: 2 +1 -1 +2 -2 +3 -3 +4 -4 mod 9 */
    };
    for (guint i = 0; i < 3; i++) {
        g_autofree char *more = g_strdup_printf("arrangement: %s\n", arrangements[i]);
        TestFabric f = dragonfly_make(9, 4, 2, 2, more);
        for (guint32 k = 0; k < 8; k++) {
            guint32 found = 0;
            for (guint32 v = 0; v < 4; v++)
                found += test_links_between(f.graph, 2 * 4 + k / 2, leads_to[i][k] * 4 + v, GLOBAL);
            g_assert_cmpuint(found, ==, 1);
        }
        test_fabric_clear(&f);
    }
}

/* g = 3, a = 4, h = 4: K = 8, slot c * 2 + port sits on switch slot / 4, so copies 2s and 2s + 1 of
 * each pair join switch s to switch s: bundled, 4 cables of width 2 a pair. Local links 2 wide. */
static void test_bundled(void)
{
    DnGraphMetrics m;
    TestFabric f = dragonfly_make(3, 4, 1, 4, "parallel: bundled\nlocal_links: 2\n");
    g_assert_cmpuint(f.size.cables, ==, 3 * 6 + 3 * 4);
    dn_graph_metrics(f.graph, &m);
    g_assert_cmpuint(m.class_ports[LOCAL], ==, 3 * 6 * 2);
    g_assert_cmpuint(m.class_ports[GLOBAL], ==, 3 * 8);
    g_assert_cmpuint(test_links_between(f.graph, 1, 5, GLOBAL), ==, 2);
    check_globals(&f, 8, 4);
    test_distances(TYPE, &f);
    dn_graph_metrics_clear(&m);
    test_fabric_clear(&f);
    /* odd sizes: sealing asserts the count, and bundles never repeat a pair of switches */
    for (guint g = 2; g <= 7; g++) {
        f = dragonfly_make(g, 3, 1, 5, "parallel: bundled\narrangement: circulant\n");
        check_globals(&f, 15 / (g - 1), 5);
        for (guint32 v = 0; v < f.size.switches; v++)
            for (guint32 i = f.graph->port_first[v] + 1; i < f.graph->port_first[v + 1]; i++)
                for (guint32 k = f.graph->port_first[v]; k < i; k++)
                    g_assert_cmpuint(f.graph->links[f.graph->ports[i]].dst, !=,
                                     f.graph->links[f.graph->ports[k]].dst);
        test_fabric_clear(&f);
    }
}

static void test_terminals(void)
{
    TestFabric f = dragonfly_make(9, 4, 3, 2, "");
    g_assert_cmpuint(TYPE->terminal_switch(f.params, 0), ==, 0);
    g_assert_cmpuint(TYPE->terminal_switch(f.params, 2), ==, 0);
    g_assert_cmpuint(TYPE->terminal_switch(f.params, 3), ==, 1);
    g_assert_cmpuint(TYPE->terminal_switch(f.params, 9 * 4 * 3 - 1), ==, 35);
    for (guint32 v = 0; v < f.size.switches; v++)
        g_assert_cmpuint(test_ports_of(f.graph, v, TERMINAL), ==, 3);
    g_assert_cmpuint(TYPE->classes_used(f.params), ==, 3);
    test_fabric_clear(&f);
    f = dragonfly_make(1, 4, 3, 0, "");
    g_assert_cmpuint(TYPE->classes_used(f.params), ==, 2);
    test_fabric_clear(&f);
}

static void test_errors(void)
{
    static const char *const head = "terminals_per_switch: 1\nglobal_links_per_switch: 2\n";
    const struct {
        const char *yaml;
        DnError code;
        const char *place, *what;
    } cases[] = {
        {"switches_per_group: 4\ngroups: 10\n", DN_ERROR_RANGE, "t.yaml:4:9:", "at most 9 groups"},
        {"switches_per_group: 4\ngroups: 5\nlinks_per_group_pair: 3\n", DN_ERROR_RANGE,
         "t.yaml:5:23:", "at most 2"},
        {"switches_per_group: 4\ngroups: 1\nlinks_per_group_pair: 3\n", DN_ERROR_RANGE,
         "t.yaml:5:23:", "there is one group"},
        {"groups: 3\n", DN_ERROR_MISSING, "t.yaml:1:1:", "missing key 'switches_per_group'"},
        {"groups: 3\nswitches_per_group: 4\nchassis: 2\n", DN_ERROR_RANGE,
         "t.yaml:5:10:", "belongs to intra_group: grid"},
        {"groups: 3\nintra_group: grid\nchassis: 2\n", DN_ERROR_MISSING,
         "t.yaml:1:1:", "missing key 'blades'"},
        {"groups: 3\nintra_group: grid\nblades: 2\n", DN_ERROR_MISSING,
         "t.yaml:1:1:", "missing key 'chassis'"},
        {"groups: 3\nintra_group: grid\nblades: 2\nchassis: 2\nswitches_per_group: 5\n",
         DN_ERROR_RANGE, "t.yaml:7:21:", "is not chassis * blades = 4"},
        {"groups: 3\nintra_group: grid\nblades: 65536\nchassis: 65536\n", DN_ERROR_RANGE,
         "t.yaml:6:10:", "4294967296 switches in a group"},
        {"groups: 1000000\nswitches_per_group: 1000000\n", DN_ERROR_RANGE,
         "t.yaml:3:9:", "the fabric is too large"},
        {"groups: 0\nswitches_per_group: 4\n", DN_ERROR_RANGE, "t.yaml:3:9:", "groups"},
        {"groups: 3\nswitches_per_group: 4\narrangement: relativ\n", DN_ERROR_UNKNOWN,
         "t.yaml:5:14:", "relative"},
        {"groups: 3\nswitches_per_groop: 4\n", DN_ERROR_UNKNOWN,
         "t.yaml:4:1:", "switches_per_group"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *yaml = g_strconcat(head, cases[i].yaml, NULL);
        test_refused(TYPE, yaml, cases[i].code, cases[i].place, cases[i].what);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/dragonfly/full-groups", test_full_groups);
    g_test_add_func("/dragonfly/grids", test_grids);
    g_test_add_func("/dragonfly/published", test_published);
    g_test_add_func("/dragonfly/aries", test_aries);
    g_test_add_func("/dragonfly/arrangements", test_arrangements);
    g_test_add_func("/dragonfly/bundled", test_bundled);
    g_test_add_func("/dragonfly/terminals", test_terminals);
    g_test_add_func("/dragonfly/errors", test_errors);
    return g_test_run();
}
