/* node_bounds_test.c - the expected peaks inside a node that De Sensi et al., SC 2024, section IV
 * print, and graphs whose answers are known in closed form. */
#include "analysis/collective_bounds.h"
#include "analysis/expectations.h"
#include "analysis/link_load.h"
#include "analysis/throughput.h"

#include <math.h>

#define GBPS 1e9
#define EQUAL(a, b) g_assert_cmpfloat_with_epsilon(a, b, 1e-9 * (1 + fabs((double)(b))))

static DnMachine *node_bounds_load(const char *name, guint32 nodes)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strdup_printf("\"%s\"", name);
    g_autoptr(DnConfigNode) node = dn_config_parse(text, "test", &error);
    g_assert_no_error(error);
    DnMachine *m = dn_machine_load(node, nodes, &error);
    g_assert_no_error(error);
    return m;
}

static double load_between(const DnNet *net, const double *loads, guint32 u, guint32 v)
{
    guint32 a = dn_net_arc(net, u, v);
    g_assert_cmpuint(a, !=, DN_NONE);
    return loads[a];
}

/* Section IV.A: "the most loaded link is the one between GCD 1 and 5 (and that between GCD 7 and
 * 3), which is used in four separate paths ... 100 Gb/s between any pair ... 600 Gb/s". */
static void test_lumi_alltoall(void)
{
    g_autoptr(DnMachine) m = node_bounds_load("lumi", 1);
    g_autoptr(DnNet) net = dn_net_node(m->graph, 0, TRUE);
    g_assert_cmpuint(net->n, ==, 8);
    g_assert_cmpuint(net->n_arcs, ==, 24);
    g_autofree double *loads = g_new0(double, net->n_arcs);
    DnNodeAlltoall a = dn_node_alltoall(net, m->graph, DN_SPREAD_EQUAL, loads);
    EQUAL(load_between(net, loads, 1, 5), 4);
    EQUAL(load_between(net, loads, 5, 1), 4);
    EQUAL(load_between(net, loads, 3, 7), 4);
    EQUAL(load_between(net, loads, 7, 3), 4);
    /* Of the links of one cable only these four directions have four paths; the others have three,
     * or four over two or four cables. */
    for (guint32 i = 0; i < net->n_arcs; i++) {
        gboolean busiest = loads[i] / net->width[i] > 3.5;
        guint32 u = MIN(net->from[i], net->to[i]), v = MAX(net->from[i], net->to[i]);
        g_assert_cmpint(busiest, ==, (u == 1 && v == 5) || (u == 3 && v == 7));
    }
    EQUAL(a.index.per_link, 4);
    EQUAL(a.pair_bps, 100 * GBPS);
    EQUAL(a.injection_bps, 6 * 400 * GBPS);
    EQUAL(a.endpoint_bps, 600 * GBPS);
    EQUAL(a.exact_endpoint_bps, 700 * GBPS);
}

static void check_complete_node(const char *name, double peak_gbps)
{
    g_autoptr(DnMachine) m = node_bounds_load(name, 1);
    g_autoptr(DnNet) net = dn_net_node(m->graph, 0, TRUE);
    g_autofree double *loads = g_new0(double, net->n_arcs);
    DnNodeAlltoall a = dn_node_alltoall(net, m->graph, DN_SPREAD_EQUAL, loads);
    EQUAL(a.index.paths, 1);
    EQUAL(a.pair_bps, peak_gbps / 3 * GBPS);
    EQUAL(a.endpoint_bps, peak_gbps * GBPS);
    EQUAL(a.exact_endpoint_bps, peak_gbps * GBPS);
    DnAllreduceBounds b;
    dn_allreduce_bounds(net, m->graph, 5, &b);
    g_assert_true(b.complete_graph);
    EQUAL(b.star_bps, peak_gbps * GBPS);
    /* Four endpoints, each sending at the peak, and 2 x 3 buffers to be sent: 4/6 of it. Spanning
     * trees reach it: a third of the links of three pairs each. */
    EQUAL(b.most_bps, peak_gbps * GBPS * 4 / 6);
    EQUAL(b.tree_bps, b.most_bps);
    dn_allreduce_bounds_clear(&b);
}

static void test_complete_nodes(void)
{
    check_complete_node("alps", 3600);     /* 3 x 6 x 200 Gb/s */
    check_complete_node("leonardo", 2400); /* 3 x 4 x 200 Gb/s */
}

/* Every ring is a permutation of the endpoints along links, and none uses a link more often than it
 * has cables. */
static void check_rings(const DnNet *net, const DnRings *rings)
{
    g_autofree double *used = g_new0(double, net->n_arcs);
    for (guint32 r = 0; r < rings->count; r++) {
        guint64 seen = 0;
        for (guint32 i = 0; i < net->n; i++) {
            guint32 u = rings->rings[r * net->n + i];
            guint32 v = rings->rings[r * net->n + (i + 1) % net->n];
            guint32 a = dn_net_arc(net, u, v);
            g_assert_cmpuint(a, !=, DN_NONE);
            used[a] += 1;
            g_assert_cmpfloat(used[a], <=, net->width[a]);
            seen |= G_GUINT64_CONSTANT(1) << u;
        }
        g_assert_cmpuint(seen, ==, (G_GUINT64_CONSTANT(1) << net->n) - 1);
    }
}

/* Section IV.C: four rings of 400 Gb/s each, twice the buffer sent: 800 Gb/s. No fifth exists: with
 * five, every ring would leave each pair of dies exactly once, over all its five outer cables; but
 * three come in at the even die and only two leave from the odd one. */
static void test_lumi_rings(void)
{
    g_autoptr(DnMachine) m = node_bounds_load("lumi", 1);
    g_autoptr(DnNet) net = dn_net_node(m->graph, 0, TRUE);
    DnAllreduceBounds b;
    dn_allreduce_bounds(net, m->graph, 5, &b);
    g_assert_cmpuint(b.rings->count, ==, 4);
    g_assert_cmpuint(b.rings->most, ==, 4);
    g_assert_true(b.rings->complete);
    check_rings(net, b.rings);
    EQUAL(b.ring_bps, 800 * GBPS);
    EQUAL(b.ring_exact_bps, 800 * GBPS * 8 / 7);
    g_assert_false(b.complete_graph);
    /* Four pairs of dies with ten cables among them: 10/3 of a cable; three whole trees. */
    EQUAL(b.most_bps, 4000 * GBPS / 3);
    g_assert_cmpuint(b.trees->count, ==, 3);
    g_assert_cmpuint(b.trees->parts, ==, 4);
    EQUAL(b.tree_bps, 1200 * GBPS);
    dn_allreduce_bounds_clear(&b);
}

/* Each tree spans, and together they use no cable twice. */
static void check_trees(const DnNet *net, const DnTrees *trees)
{
    g_autofree double *used = g_new0(double, net->n_arcs);
    for (guint32 t = 0; t < trees->count; t++) {
        g_autofree guint32 *part = g_new(guint32, net->n);
        for (guint32 v = 0; v < net->n; v++)
            part[v] = v;
        for (guint32 i = 0; i + 1 < net->n; i++) {
            const guint32 *edge = trees->edges + (t * (net->n - 1) + i) * 2;
            guint32 a = dn_net_arc(net, edge[0], edge[1]), from = part[edge[0]], to = part[edge[1]];
            used[a] += 1;
            g_assert_cmpfloat(used[a], <=, net->width[a]);
            g_assert_cmpuint(from, !=, to); /* no cycle */
            for (guint32 v = 0; v < net->n; v++)
                part[v] = part[v] == from ? to : part[v];
        }
    }
}

/* A node graph of @n GPUs: text of its edges. */
static DnMachine *node_machine(guint n, const char *edges)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strdup_printf(
        "source: test\nnode:\n  vertices:\n    - {name: gpu, kind: gpu, count: %u, transit: true}\n"
        "  links:\n    wire: {bandwidth: 100 Gb/s, latency: 100 ns, buffer: 64 KiB}\n"
        "  edges:\n%s",
        n, edges);
    g_autoptr(DnConfigNode) node = dn_config_parse(text, "node.yaml", &error);
    g_assert_no_error(error);
    DnMachine *m = dn_machine_load(node, 0, &error);
    g_assert_no_error(error);
    return m;
}

static DnMachine *complete_machine(guint n)
{
    return node_machine(n, "    - {all_to_all: gpu, class: wire}\n");
}

static DnMachine *ring_machine(guint n)
{
    g_autoptr(GString) edges = g_string_new(NULL);
    for (guint i = 0; i < n; i++)
        g_string_append_printf(edges, "    - {link: [gpu%u, gpu%u], class: wire}\n", i,
                               (i + 1) % n);
    return node_machine(n, edges->str);
}

static DnMachine *hypercube_machine(guint dims)
{
    g_autoptr(GString) edges = g_string_new(NULL);
    for (guint v = 0; v < 1u << dims; v++)
        for (guint d = 0; d < dims; d++)
            if (!(v >> d & 1))
                g_string_append_printf(edges, "    - {link: [gpu%u, gpu%u], class: wire}\n", v,
                                       v | 1u << d);
    return node_machine(1u << dims, edges->str);
}

static DnNodeAlltoall alltoall_of(DnMachine *m)
{
    g_autoptr(DnNet) net = dn_net_node(m->graph, 0, TRUE);
    g_autofree double *loads = g_new0(double, net->n_arcs);
    return dn_node_alltoall(net, m->graph, DN_SPREAD_EQUAL, loads);
}

/* Behind a switch all peers share an endpoint's only link: the links' rate over the index is that
 * of a pair. Two pairs of GPUs whose mates are joined by eight wires: each of those carries four
 * paths of 800 Gb/s, each single wire two of 100, and 900 over two would be more than three
 * times the 50 Gb/s of a pair. */
static void test_not_as_printed(void)
{
    g_autoptr(DnMachine) switched = node_bounds_load("h200x4", 1);
    DnNodeAlltoall a = alltoall_of(switched);
    g_assert_false(a.as_printed);
    EQUAL(a.endpoint_bps, a.exact_endpoint_bps);
    EQUAL(a.endpoint_bps, 3 * a.pair_bps);
    g_autoptr(DnMachine)
        uneven = node_machine(4, "    - {link: [gpu0, gpu1], class: wire, count: 8}\n"
                                 "    - {link: [gpu2, gpu3], class: wire, count: 8}\n"
                                 "    - {link: [gpu0, gpu2], class: wire}\n"
                                 "    - {link: [gpu1, gpu3], class: wire}\n");
    a = alltoall_of(uneven);
    g_assert_false(a.as_printed);
    EQUAL(a.pair_bps, 50 * GBPS);
    EQUAL(a.endpoint_bps, 150 * GBPS);
    g_autoptr(DnMachine) ring = ring_machine(5);
    g_assert_true(alltoall_of(ring).as_printed);
}

/* Tillson 1980: the complete directed graph on n vertices falls into n - 1 Hamiltonian rings,
 * unless n is 4 or 6: there n - 2 at most. Trees: n (n - 1) / 2 edges make floor(n / 2). */
static void test_complete_packings(void)
{
    const struct {
        guint n, rings;
    } cases[] = {{3, 2}, {4, 2}, {5, 4}, {6, 4}, {7, 6}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(DnMachine) m = complete_machine(cases[i].n);
        g_autoptr(DnNet) net = dn_net_node(m->graph, 0, TRUE);
        g_autoptr(DnRings) rings = dn_rings_pack(net, m->graph, 50000, 20);
        g_autoptr(DnTrees) trees = dn_trees_pack(net, m->graph);
        check_rings(net, rings);
        check_trees(net, trees);
        g_assert_cmpuint(rings->count, ==, cases[i].rings);
        g_assert_cmpuint(rings->count, <=, rings->most);
        g_assert_cmpuint(trees->count, ==, cases[i].n / 2);
    }
}

/* Cut off: what is said to be at least is at least that, and the bound still a bound. */
static void test_rings_cut_off(void)
{
    g_autoptr(DnMachine) m = complete_machine(7);
    g_autoptr(DnNet) net = dn_net_node(m->graph, 0, TRUE);
    g_autoptr(DnRings) rings = dn_rings_pack(net, m->graph, 10, 20);
    g_assert_false(rings->complete);
    g_assert_cmpuint(rings->count, >=, 1);
    g_assert_cmpuint(rings->most, ==, 6);
    check_rings(net, rings);
}

static DnIndex index_of(const DnMachine *m, DnSpread spread, double *rate)
{
    g_autoptr(DnNet) net = dn_net_node(m->graph, 0, TRUE);
    g_autofree double *loads = g_new0(double, net->n_arcs);
    DnNodeAlltoall a = dn_node_alltoall(net, m->graph, spread, loads);
    g_autofree double *demand = dn_alltoall_demand(net, m->graph);
    DnThroughput t;
    gboolean solved = dn_throughput_exact(net, demand, 1000000, &t);
    g_assert_true(solved);
    *rate = t.upper_bps;
    return a.index;
}

/* One direction of a link. Ring of n: floor(n^2 / 4) / 2. Hypercube of d dimensions: 2^(d-1).
 * Complete graph: 1. (Heydemann, Meyer, Sotteau 1989, theorems 4.x, which count both directions.)
 * All are edge-transitive, where equal splitting is the best there is: the exact throughput of an
 * alltoall is the link rate over the index. */
static void test_closed_forms(void)
{
    double rate;
    for (guint n = 3; n < 12; n++) {
        g_autoptr(DnMachine) m = ring_machine(n);
        DnIndex index = index_of(m, DN_SPREAD_EQUAL, &rate);
        EQUAL(index.paths, floor(n * n / 4.0) / 2);
        g_assert_cmpuint(index.paths_ties, ==, 2 * n);
        g_assert_cmpfloat_with_epsilon(rate, 100 * GBPS / index.paths, 1e-6 * rate);
    }
    for (guint d = 2; d < 5; d++) {
        g_autoptr(DnMachine) m = hypercube_machine(d);
        DnIndex index = index_of(m, DN_SPREAD_EQUAL, &rate);
        EQUAL(index.paths, 1u << (d - 1));
        g_assert_cmpfloat_with_epsilon(rate, 100 * GBPS / index.paths, 1e-6 * rate);
    }
    for (guint n = 2; n < 9; n++) {
        g_autoptr(DnMachine) m = complete_machine(n);
        EQUAL(index_of(m, DN_SPREAD_EQUAL, &rate).paths, 1);
        EQUAL(index_of(m, DN_SPREAD_FIXED, &rate).paths, 1);
        g_assert_cmpfloat_with_epsilon(rate, 100 * GBPS, 1e-6 * rate);
    }
}

/* A cube has pairs with 2 and with 6 shortest paths. Whole paths: 24 arcs, 8 x 12 hops, so at least
 * 4 on one; local search must find an assignment with 4. Fixed paths: more than that. */
static void test_best_paths(void)
{
    g_autoptr(DnMachine) m = hypercube_machine(3);
    g_autoptr(DnNet) net = dn_net_node(m->graph, 0, TRUE);
    g_autofree double *loads = g_new0(double, net->n_arcs);
    g_autofree double *demand = dn_alltoall_demand(net, m->graph);
    DnBestPaths best;
    g_assert_true(dn_route_best(net, demand, 1000, loads, &best));
    EQUAL(best.bound, 4);
    EQUAL(best.per_link, 4);
    double sum = 0;
    for (guint32 a = 0; a < net->n_arcs; a++)
        sum += loads[a];
    EQUAL(sum, 96);
    g_assert_false(dn_route_best(net, demand, 50, loads, &best));
    /* On LUMI's node single paths can do no better than four on a cable. */
    g_autoptr(DnMachine) lumi = node_bounds_load("lumi", 1);
    g_autoptr(DnNet) node = dn_net_node(lumi->graph, 0, TRUE);
    g_autofree double *pairs = dn_alltoall_demand(node, lumi->graph);
    g_assert_true(dn_route_best(node, pairs, 1000, loads, &best));
    EQUAL(best.per_link, best.bound);
    g_assert_cmpfloat(best.per_link, <=, 4);
}

/* The approximation's two sides hold the exact value between them, and come within the gap
 * asked. */
static void test_bounds_hold_the_exact_value(void)
{
    g_autoptr(DnMachine) m = node_bounds_load("lumi", 1);
    for (guint shift = 1; shift < 8; shift++) {
        g_autoptr(DnNet) net = dn_net_node(m->graph, 0, TRUE);
        g_autofree double *demand = dn_alltoall_demand(net, m->graph);
        for (guint32 i = 0; i < 64 && shift < 7; i++) /* the last is the alltoall */
            demand[i] = (i / 8 + shift) % 8 == i % 8;
        DnThroughput exact, bounds;
        g_assert_true(dn_throughput_exact(net, demand, 1000000, &exact));
        dn_throughput_bounds(net, demand, 0.02, 1e9, &bounds);
        g_test_message("shift %u: %.1f <= %.1f <= %.1f, %u rounds", shift, bounds.lower_bps / GBPS,
                       exact.lower_bps / GBPS, bounds.upper_bps / GBPS, bounds.rounds);
        g_assert_cmpfloat(bounds.lower_bps, <=, exact.upper_bps * (1 + 1e-6));
        g_assert_cmpfloat(bounds.upper_bps, >=, exact.lower_bps * (1 - 1e-6));
        g_assert_cmpfloat(bounds.upper_bps, <=, 1.02 * bounds.lower_bps);
    }
}

/* Section V.C: 100 Gb/s a GPU on LUMI and Leonardo, 200 on Alps. */
static void test_expectations(void)
{
    const struct {
        const char *name;
        double asymptotic_gbps, node_gbps;
        guint32 g;
    } cases[] = {{"lumi", 100, 600, 8}, {"leonardo", 100, 2400, 4}, {"alps", 200, 3600, 4}};
    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(DnMachine) m = node_bounds_load(cases[i].name, 20);
        DnExpectations e;
        g_assert_true(dn_expectations(m->graph, cases[i].node_gbps * GBPS, &e));
        EQUAL(e.inter_node_bps, cases[i].asymptotic_gbps * GBPS);
        guint32 g = cases[i].g;
        g_assert_cmpuint(e.node_endpoints, ==, g);
        EQUAL(dn_expected_alltoall_bps(&e, g), cases[i].node_gbps * GBPS);
        EQUAL(dn_expected_alltoall_bps(&e, 2 * g), 2 * e.inter_node_bps); /* half leaves */
        EQUAL(dn_pairs_inside(&e, 2 * g), (g - 1.0) / (2 * g - 1));
        g_assert_cmpfloat(dn_expected_alltoall_bps(&e, 1u << 20), <, e.inter_node_bps * 1.0001);
    }
}

/* An allreduce of 1 MiB by 8 at 1 Gb/s: 2 * 7/8 * 8 Mib / 1 Gb/s = 14.680 ms; of one byte: three
 * doublings of the latency. */
static void test_collective_times(void)
{
    DnCollectiveBound b[DN_COLLECTIVES];
    dn_collective_bounds(8, 1, b);
    g_assert_cmpstr(b[2].name, ==, "allreduce");
    EQUAL(dn_collective_time_ps(&b[2], 1 << 20, 1e6, 1e9), 1.75 * 8388608 * 1e3);
    EQUAL(dn_collective_time_ps(&b[2], 1, 1e6, 1e9), 3e6);
    dn_collective_bounds(9, 1, b);
    g_assert_cmpuint(b[0].rounds, ==, 4);
    dn_collective_bounds(8, 4, b); /* two nodes, each of which combines before it sends */
    EQUAL(b[0].send_factor, 0.25);
    EQUAL(b[2].send_factor, 2 * 0.5 / 4);
    EQUAL(b[5].send_factor, 0.5); /* an alltoall has nothing to combine */
    g_assert_cmpuint(b[2].rounds, ==, 3);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/bound/node/lumi-alltoall", test_lumi_alltoall);
    g_test_add_func("/bound/node/not_as_printed", test_not_as_printed);
    g_test_add_func("/bound/node/complete", test_complete_nodes);
    g_test_add_func("/bound/node/lumi-rings", test_lumi_rings);
    g_test_add_func("/bound/node/complete-packings", test_complete_packings);
    g_test_add_func("/bound/node/rings-cut-off", test_rings_cut_off);
    g_test_add_func("/bound/node/closed-forms", test_closed_forms);
    g_test_add_func("/bound/node/best-paths", test_best_paths);
    g_test_add_func("/bound/node/bounds-hold-exact", test_bounds_hold_the_exact_value);
    g_test_add_func("/bound/node/expectations", test_expectations);
    g_test_add_func("/bound/node/collective-times", test_collective_times);
    return g_test_run();
}
