/* machine_bounds_test.c - forwarding indices, throughput and bisections of whole fabrics against
 * closed forms; the parts of a traffic; loads of routing algorithms. */
#include "analysis/bisection.h"
#include "analysis/link_load.h"
#include "analysis/machine_rate.h"
#include "analysis/path_diversity.h"
#include "analysis/path_lengths.h"
#include "analysis/routing_index.h"

#include <math.h>
#include <string.h>

#define EQUAL(a, b) g_assert_cmpfloat_with_epsilon(a, b, 1e-9 * (1 + fabs((double)(b))))
#define GBPS 1e9

#define HARDWARE                                                                                   \
    "links: {terminal: &c {bandwidth: 100 Gb/s, latency: 10 ns, buffer: 64 KiB, source: test}, "

static DnMachine *load_text(const char *text, guint32 nodes)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) node = dn_config_parse(text, "machine.yaml", &error);
    g_assert_no_error(error);
    DnMachine *m = dn_machine_load(node, nodes, &error);
    g_assert_no_error(error);
    return m;
}

/* A bare fabric of @shape; all links 100 Gb/s. */
static DnMachine *bounds_fabric(const char *type, const char *shape)
{
    const char *classes = strcmp(type, "torus") == 0 || strcmp(type, "full_mesh") == 0 ? "link: *c"
                          : strcmp(type, "fat_tree") == 0 ? "level1: *c"
                                                          : "local: *c, global: *c";
    g_autofree char *text = g_strdup_printf(
        "source: test\nfabric: {type: %s, %s, switch: {latency: 100 ns}, " HARDWARE "%s}}\n", type,
        shape, classes);
    return load_text(text, 0);
}

typedef struct {
    DnMachine *m;
    DnTraffic *traffic;
    DnTrafficShares *parts;
    DnLinkLoads *loads;
} Site;

static Site site_new(DnMachine *m, const char *traffic)
{
    g_autoptr(GError) error = NULL;
    Site s = {.m = m};
    s.traffic = dn_traffic_new(m->graph, traffic, 7, &error);
    g_assert_no_error(error);
    s.parts = dn_traffic_shares(m->graph, s.traffic, (gsize)1 << 30, &error);
    g_assert_no_error(error);
    s.loads = dn_link_loads(m->graph, s.traffic, s.parts, DN_SPREAD_EQUAL, NULL);
    return s;
}

static void site_clear(Site *s)
{
    dn_link_loads_free(s->loads);
    dn_traffic_shares_free(s->parts);
    dn_traffic_free(s->traffic);
    dn_machine_free(s->m);
}

static const DnClassLoad *class_of(const Site *s, const char *name)
{
    for (guint32 c = 0; c < s->m->graph->n_classes; c++)
        if (strcmp(s->m->graph->classes[c].name, name) == 0)
            return &s->loads->classes[c];
    g_assert_not_reached();
}

/* Largest load of the links along the dimension of stride @stride. */
static double load_along(const Site *s, guint32 stride)
{
    double most = 0;
    for (guint32 l = 0; l < s->m->graph->size.links; l++) {
        const DnLink *k = &s->m->graph->links[l];
        if (MAX(k->src, k->dst) < s->m->graph->size.switches && k->dst == k->src + stride)
            most = MAX(most, s->loads->load[l]);
    }
    return most;
}

/* A torus, one terminal a switch. All ordered pairs go sum over x of dist(x) = floor(k^2 / 4) hops
 * along a ring of k, N / k * k ... together N * (N / k) * floor(k^2 / 4), over 2 N links: a link
 * carries N / k * floor(k^2 / 4) / 2 by symmetry (k > 2). */
static void test_torus(void)
{
    const struct {
        const char *shape;
        guint32 n, k[3];
    } cases[] = {{"dims: [5]", 5, {5, 1, 1}},
                 {"dims: [4, 6]", 24, {4, 6, 1}},
                 {"dims: [5, 3]", 15, {5, 3, 1}},
                 {"dims: [4, 3, 5]", 60, {4, 3, 5}}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        Site s = site_new(bounds_fabric("torus", cases[i].shape), "alltoall");
        guint32 stride = 1;
        double most = 0;
        for (guint d = 0; d < 3 && cases[i].k[d] > 1; stride *= cases[i].k[d++]) {
            guint32 k = cases[i].k[d];
            double expected = (double)cases[i].n / k * floor(k * k / 4.0) / 2;
            EQUAL(load_along(&s, stride), expected);
            most = MAX(most, expected);
        }
        EQUAL(class_of(&s, "link")->paths_max, most);
        EQUAL(s.loads->rate_bps, 100 * GBPS / MAX(most, cases[i].n - 1));
        /* Edge-symmetric along the fullest dimension, so that no other paths carry more. */
        DnMachineRate rate;
        dn_machine_rate(s.m->graph, s.parts, 1e8, &rate);
        double fabric_bps = 100 * GBPS / most;
        g_assert_cmpfloat(rate.fabric.lower_bps, <=, fabric_bps * (1 + 1e-6));
        g_assert_cmpfloat_with_epsilon(rate.fabric.upper_bps, fabric_bps, 0.02 * fabric_bps);
        site_clear(&s);
    }
}

static Site site_routed(DnMachine *m, const char *traffic, const char *routing, double *hops)
{
    g_autoptr(GError) error = NULL;
    Site s = site_new(m, traffic);
    g_autoptr(DnConfigNode) node = dn_config_parse(routing, "routing.yaml", &error);
    g_assert_no_error(error);
    g_autoptr(DnRouter) router = dn_router_new(m, node, &error);
    g_assert_no_error(error);
    g_autofree double *load = g_new0(double, s.parts->fabric->n_arcs);
    g_assert_true(dn_routing_load(router, s.parts, 100000000, load, hops, &error));
    dn_link_loads_free(s.loads);
    s.loads = dn_link_loads(m->graph, s.traffic, s.parts, DN_SPREAD_GIVEN, load);
    return s;
}

#define BALANCED                                                                                   \
    "groups: 9, switches_per_group: 4, terminals_per_switch: 2, global_links_per_switch: 2"

/* A dragonfly of a, p, h with g = a h + 1 under minimal routing: one path between any two switches,
 * with one global link. Global link: all pairs of its two groups, (a p)^2. Local link: between its
 * switches p^2; on the first hop to the h groups behind the far switch, p * h * a p; on the last
 * likewise. At a = 2p = 2h all are about equally used: Kim et al., ISCA 2008, section 3.1. */
static void test_dragonfly(void)
{
    double a = 4, p = 2, h = 2, hops;
    Site s = site_routed(bounds_fabric("dragonfly", BALANCED), "alltoall", "{algorithm: minimal}",
                         &hops);
    EQUAL(class_of(&s, "global")->paths_max, (a * p) * (a * p));
    EQUAL(class_of(&s, "local")->paths_max, p * p + 2 * p * h * a * p);
    EQUAL(class_of(&s, "local")->per_link_mean, p * p + 2 * p * h * a * p);
    EQUAL(class_of(&s, "terminal")->paths_max, 71);
    /* Locals carry 68, terminals 71: the NICs limit, as the topology's balance wants. */
    EQUAL(s.loads->endpoint_bps, 100 * GBPS);
    DnMachineRate rate;
    dn_machine_rate(s.m->graph, s.parts, 1e9, &rate);
    EQUAL(rate.upper_bps, 100 * GBPS / 71);
    g_assert_cmpstr(rate.limit, ==, "NIC");
    site_clear(&s);
    /* The shortest paths of the graph have two global links in a row where that saves a hop: more
     * of the same links than minimal routing takes. */
    s = site_new(bounds_fabric("dragonfly", BALANCED), "alltoall");
    g_assert_cmpfloat(class_of(&s, "global")->paths_max, >, 64);
    site_clear(&s);
}

/* Dragonfly+ of l leaves of p, s spines with one link to each other group. Local link: in the group
 * leaf to leaf over s spines, (l - 1) p^2 / s; up to other groups (g - 1) l p^2 / s. Global:
 * (l p)^2 / s pairs. Shpiner et al., HiPINEB 2017. */
static void test_dragonfly_plus(void)
{
    Site s = site_new(bounds_fabric("dragonfly_plus",
                                    "groups: 5, leaves_per_group: 3, spines_per_group: "
                                    "4, terminals_per_leaf: 2, global_links_per_spine: 4"),
                      "alltoall");
    EQUAL(class_of(&s, "global")->paths_max, 6.0 * 6 / 4);
    EQUAL(class_of(&s, "local")->paths_max, 2.0 * 4 / 4 + 4.0 * 3 * 4 / 4);
    DnPathDiversity d;
    double weight[35];
    for (guint v = 0; v < 35; v++)
        weight[v] = s.m->graph->vertices[v].level == 0;
    g_assert_true(dn_path_diversity(s.parts->fabric, weight, &d));
    EQUAL(d.least, 4);
    EQUAL(d.most, 4);
    EQUAL(d.pairs, 15 * 14);
    site_clear(&s);
}

static void test_full_mesh(void)
{
    Site s =
        site_new(bounds_fabric("full_mesh", "switches: 6, terminals_per_switch: 3"), "alltoall");
    EQUAL(class_of(&s, "link")->paths_max, 9);
    EQUAL(class_of(&s, "terminal")->paths_max, 17);
    site_clear(&s);
}

/* Every endpoint of a group to the next group: a p flows over the links of one pair of groups. With
 * minimal routing 1 / (a p) of a link each; on any paths about half of what g - 1 detours allow. */
static void test_group_adversarial(void)
{
    double hops;
    Site s = site_routed(bounds_fabric("dragonfly", BALANCED), "group_adversarial",
                         "{algorithm: minimal}", &hops);
    g_assert_cmpuint(s.traffic->n_flows, ==, 72);
    EQUAL(class_of(&s, "global")->paths_max, 8);
    EQUAL(s.loads->rate_bps, 100 * GBPS / 8);
    DnMachineRate rate;
    dn_machine_rate(s.m->graph, s.parts, 1e9, &rate);
    /* A group has 8 global links. Of its 8 flows d links' worth goes the direct path, d <= 1, the
     * rest takes two global links: d + 2 (8 r - d) <= 8, so r <= 9/16 of a link a flow. */
    g_assert_cmpfloat(rate.fabric.lower_bps, <=, 56.25 * GBPS);
    g_assert_cmpfloat(rate.fabric.upper_bps, <=, 56.25 * GBPS * 1.03);
    g_assert_cmpfloat(rate.fabric.lower_bps, >, 56.25 * GBPS * 0.95);
    site_clear(&s);
}

static void test_bisections(void)
{
    const struct {
        const char *type, *shape;
        double links;
    } cases[] = {
        {"torus", "dims: [4, 4]", 8}, /* 2 N / k */
        {"torus", "dims: [8, 4]", 8},
        {"torus", "dims: [8, 8, 8]", 128},
        {"torus", "dims: [8, 4], wrap: [false, false]", 4},
        {"full_mesh", "switches: 16, terminals_per_switch: 2", 64},
    };
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(DnMachine) m = bounds_fabric(cases[i].type, cases[i].shape);
        DnBisection b;
        g_assert_true(dn_bisect_fabric(m, &b));
        EQUAL(b.formula_bps, cases[i].links * 100 * GBPS);
        EQUAL(b.parts[0], b.parts[1]);
        g_assert_cmpfloat(b.cut_bps, >=, b.formula_bps * (1 - 1e-9));
        g_assert_cmpfloat(b.cut_bps, <=, b.formula_bps * (b.exact ? 1 + 1e-9 : 1.3));
    }
    g_autoptr(DnMachine) odd = bounds_fabric("torus", "dims: [5, 3]");
    DnBisection b;
    g_assert_true(dn_bisect_fabric(odd, &b));
    g_assert_true(isnan(b.formula_bps));
}

/* What a machine's traffic has to cross whatever the routing: counted by hand on two nodes of
 * Leonardo, 4 GPUs with a NIC each. A GPU sends to 3 inside and 4 outside. */
static void test_parts(void)
{
    Site s = site_new(load_text("leonardo", 2), "alltoall");
    EQUAL(s.parts->nic_out[0], 4);
    EQUAL(s.parts->nic_in[7], 4);
    EQUAL(class_of(&s, "nvlink")->paths_max, 1);
    EQUAL(class_of(&s, "terminal")->paths_max, 4);
    EQUAL(class_of(&s, "pcie")->paths_max, 4);
    EQUAL(class_of(&s, "local")->paths_max, 0); /* both under leaf 0 */
    EQUAL(s.parts->switches[0], 32);
    EQUAL(s.loads->rate_bps, 25 * GBPS);
    site_clear(&s);
}

/* The sum of loads over fabric links is demand times hops, for any way of routing. */
static void check_routing(const char *type, const char *shape, const char *routing, double hops)
{
    g_autoptr(GError) error = NULL;
    Site s = site_new(bounds_fabric(type, shape), "alltoall");
    g_autoptr(DnConfigNode) node = dn_config_parse(routing, "routing.yaml", &error);
    g_assert_no_error(error);
    g_autoptr(DnRouter) router = dn_router_new(s.m, node, &error);
    g_assert_no_error(error);
    g_autofree double *load = g_new0(double, s.parts->fabric->n_arcs);
    double mean;
    g_assert_true(dn_routing_load(router, s.parts, 100000000, load, &mean, &error));
    double demand = 0, sum = 0;
    for (guint32 i = 0; i < s.m->graph->size.switches * s.m->graph->size.switches; i++)
        demand += s.parts->switches[i];
    for (guint32 a = 0; a < s.parts->fabric->n_arcs; a++)
        sum += load[a];
    EQUAL(sum, demand * mean);
    if (hops > 0)
        EQUAL(mean, hops);
    /* Minimal routing with one path for each pair: the shortest ones. */
    if (strcmp(type, "full_mesh") == 0 && hops > 0)
        for (guint32 a = 0; a < s.parts->fabric->n_arcs; a++)
            EQUAL(load[a], 9);
    g_assert_false(dn_routing_load(router, s.parts, 3, load, &mean, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    site_clear(&s);
}

/* Dragonfly of 3 groups of 2 switches: minimal paths cross at most a local, the global and a local
 * link. On a full mesh they have one hop, Valiant's two. */
static void test_path_lengths(void)
{
    static const struct {
        const char *type, *shape, *routing;
        guint32 longest_minimal, longest;
    } rows[] = {
        {"full_mesh", "switches: 6, terminals_per_switch: 3", "{algorithm: minimal}", 1, 1},
        {"full_mesh", "switches: 6, terminals_per_switch: 3", "{algorithm: valiant}", 0, 2},
        {"dragonfly",
         "groups: 3, switches_per_group: 2, terminals_per_switch: 2, global_links_per_switch: 1",
         "{algorithm: minimal}", 3, 3},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        Site s = site_new(bounds_fabric(rows[i].type, rows[i].shape), "alltoall");
        g_autoptr(DnConfigNode) node = dn_config_parse(rows[i].routing, "routing.yaml", &error);
        g_assert_no_error(error);
        g_autoptr(DnRouter) router = dn_router_new(s.m, node, &error);
        g_assert_no_error(error);
        DnPathLengths lengths;
        dn_path_lengths(router, 2000, 1, &lengths);
        g_assert_cmpuint(lengths.shortest, ==, 0); /* two terminals of a switch */
        g_assert_cmpuint(lengths.longest_minimal, ==, rows[i].longest_minimal);
        g_assert_cmpuint(lengths.longest, ==, rows[i].longest);
        g_assert_cmpuint(lengths.paths, >, 1000);
        site_clear(&s);
    }
}

/* Valiant on a full mesh of 6: a packet to another switch passes over one of the four others, each
 * as likely: two hops for 15 of 17 pairs, and twice minimal routing's 9 on every link. */
static void test_valiant(void)
{
    double hops;
    Site s = site_routed(bounds_fabric("full_mesh", "switches: 6, terminals_per_switch: 3"),
                         "alltoall", "{algorithm: valiant}", &hops);
    const DnClassLoad *k = class_of(&s, "link");
    EQUAL(hops, 30.0 / 17);
    EQUAL(k->per_link_max, 18);
    EQUAL(k->per_link_mean, 18);
    site_clear(&s);
}

static void test_routings(void)
{
    /* 17 others, 2 on the same switch: 15 of 17 pairs one hop */
    check_routing("full_mesh", "switches: 6, terminals_per_switch: 3", "{algorithm: minimal}",
                  15.0 / 17);
    /* distances in a 4 x 4 torus: mean of 15 others 32 / 15 */
    check_routing("torus", "dims: [4, 4]", "{algorithm: dimension_order}", 32.0 / 15);
    check_routing("torus", "dims: [4, 4]", "{algorithm: minimal_adaptive}", 32.0 / 15);
    check_routing("dragonfly",
                  "groups: 5, switches_per_group: 2, terminals_per_switch: 2, "
                  "global_links_per_switch: 2",
                  "{algorithm: valiant}", 0);
}

static void test_errors(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnMachine) m = bounds_fabric("torus", "dims: [4, 4]");
    g_assert_null(dn_traffic_new(m->graph, "alltoal", 1, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_UNKNOWN);
    g_assert_nonnull(strstr(error->message, "did you mean 'alltoall'"));
    g_clear_error(&error);
    g_autoptr(DnTraffic) traffic = dn_traffic_new(m->graph, "shift", 1, &error);
    g_assert_no_error(error);
    g_assert_null(dn_traffic_shares(m->graph, traffic, 100, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_MEMORY);
    g_clear_error(&error);
    g_autoptr(DnMachine) one = bounds_fabric("torus", "dims: [1]");
    g_assert_null(dn_traffic_new(one->graph, "alltoall", 1, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
}

/* Nobody to itself, everybody once, and another seed is another permutation. */
static void test_random_permutation(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnMachine) m = bounds_fabric("torus", "dims: [8, 8]");
    g_autoptr(DnTraffic) a = dn_traffic_new(m->graph, "random_permutation", 1, &error);
    g_autoptr(DnTraffic) b = dn_traffic_new(m->graph, "random_permutation", 2, &error);
    guint64 seen = 0, same = 0;
    g_assert_cmpuint(a->n_flows, ==, 64);
    for (guint i = 0; i < 64; i++) {
        g_assert_cmpuint(a->flows[i].src, !=, a->flows[i].dst);
        seen |= G_GUINT64_CONSTANT(1) << a->flows[i].dst;
        same += a->flows[i].dst == b->flows[i].dst;
    }
    g_assert_cmpuint(seen, ==, G_MAXUINT64);
    g_assert_cmpuint(same, <, 16);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/bound/machine/torus", test_torus);
    g_test_add_func("/bound/machine/dragonfly", test_dragonfly);
    g_test_add_func("/bound/machine/dragonfly-plus", test_dragonfly_plus);
    g_test_add_func("/bound/machine/full-mesh", test_full_mesh);
    g_test_add_func("/bound/machine/group-adversarial", test_group_adversarial);
    g_test_add_func("/bound/machine/bisections", test_bisections);
    g_test_add_func("/bound/machine/parts", test_parts);
    g_test_add_func("/bound/machine/routings", test_routings);
    g_test_add_func("/bound/machine/valiant", test_valiant);
    g_test_add_func("/bound/machine/path-lengths", test_path_lengths);
    g_test_add_func("/bound/machine/errors", test_errors);
    g_test_add_func("/bound/machine/random-permutation", test_random_permutation);
    return g_test_run();
}
