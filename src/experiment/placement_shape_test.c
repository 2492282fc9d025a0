/* placement_shape_test.c - nodes of a shape on a number of blades: counts, draws and errors. */
#include "experiment/placement.h"
#include "experiment/test_site.h"

#include <string.h>

enum { GROUPS = 3, GROUP_NODES = 12, NODES = GROUPS * GROUP_NODES };

/* Nodes of one endpoint, each group's on a switch of its own. */
static void make_site(TestSite *site)
{
    test_site_make(site, NODES, 1, GROUPS);
    for (guint32 n = 0; n < NODES; n++)
        site->switches[n] = NODES + n / GROUP_NODES;
    for (guint32 g = 0; g < GROUPS; g++)
        site->vertices[NODES + g].group = g;
}

/* The nodes of the last of @jobs as bits, on a machine with blades of @blade_nodes (0: it does not
 * say); 0 + error. */
static guint64 shape_place_on(guint32 blade_nodes, const char *jobs, guint64 seed, GError **error)
{
    TestSite site;
    g_autoptr(DnRunSpec) spec = test_site_spec(jobs, seed);
    make_site(&site);
    site.graph.size.blade_nodes = blade_nodes;
    g_autofree DnPlacement *placements = g_new0(DnPlacement, spec->n_jobs);
    guint64 nodes = 0;
    gboolean fine = dn_place_jobs(spec, &site.graph, placements, error);
    for (guint j = 0; j < spec->n_jobs; j++) {
        for (guint32 r = 0; fine && j + 1 == spec->n_jobs && r < placements[j].ranks; r++)
            nodes |= G_GUINT64_CONSTANT(1) << placements[j].endpoints[r];
        g_free(placements[j].endpoints);
    }
    return nodes;
}

static guint64 shape_place(const char *jobs, guint64 seed, GError **error)
{
    return shape_place_on(0, jobs, seed, error);
}

/* Blades of @each nodes with a node of @nodes. */
static guint shape_blades(guint64 nodes, guint each)
{
    guint n = 0;
    for (guint b = 0; b < NODES / each; b++)
        n += (nodes >> b * each & ((1u << each) - 1)) != 0;
    return n;
}

static guint nodes_of_group(guint64 nodes, guint group)
{
    return (guint)__builtin_popcountll(nodes >> group * GROUP_NODES & ((1u << GROUP_NODES) - 1));
}

#define JOB "- {workload: {type: alltoall, bytes: 1}, "

/* 5 and 3 nodes: on as many blades as asked for, from full blades to a blade a node; over the seeds
 * each node of the machine is chosen. */
static void test_blades(void)
{
    for (guint blades = 5; blades <= 8; blades++) {
        guint64 all = 0;
        g_autofree char *job =
            g_strdup_printf(JOB "placement: {nodes_per_group: [3, 5], blades: %u}}\n", blades);
        for (guint64 seed = 0; seed < 200; seed++) {
            g_autoptr(GError) error = NULL;
            guint64 nodes = shape_place(job, seed, &error);
            guint five = 0, three = 0;
            g_assert_no_error(error);
            for (guint g = 0; g < GROUPS; g++) {
                five += nodes_of_group(nodes, g) == 5;
                three += nodes_of_group(nodes, g) == 3;
            }
            g_assert_true(five == 1 && three == 1 && __builtin_popcountll(nodes) == 8);
            g_assert_cmpuint(shape_blades(nodes, 2), ==, blades);
            all |= nodes;
        }
        g_assert_cmphex(all, ==, (G_GUINT64_CONSTANT(1) << NODES) - 1);
    }
}

/* Blades of four; the nodes of one, which has no space for another job's, stay out. */
static void test_larger_blades(void)
{
    for (guint64 seed = 0; seed < 50; seed++) {
        g_autoptr(GError) error = NULL;
        guint64 nodes = shape_place(
            JOB
            "name: a, placement: [0, 1, 2, 3]}\n" JOB
            "name: b, placement: {nodes_per_group: [6, 3, 1], blades: 4, nodes_per_blade: 4}}\n",
            seed, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(shape_blades(nodes, 4), ==, 4);
        g_assert_cmphex(nodes & 15, ==, 0);
    }
}

/* The machine says how large its blades are, unless the job does. */
static void test_machine_blades(void)
{
    for (guint64 seed = 0; seed < 50; seed++)
        for (guint own = 0; own < 2; own++) {
            g_autoptr(GError) error = NULL;
            g_autofree char *job =
                g_strdup_printf(JOB "placement: {nodes_per_group: [6, 3, 1], blades: 4%s}}\n",
                                own ? ", nodes_per_blade: 6" : "");
            guint64 nodes = shape_place_on(4, job, seed, &error);
            g_assert_no_error(error);
            g_assert_cmpuint(shape_blades(nodes, own ? 6 : 4), ==, 4);
        }
}

/* A share with fewer nodes on more blades gets the group that alone has so many: of 12 nodes each,
 * two groups have only 8 left. */
static void test_largest_first(void)
{
    for (guint64 seed = 0; seed < 50; seed++) {
        g_autoptr(GError) error = NULL;
        guint64 nodes = shape_place(JOB
                                    "name: a, placement: [0, 1, 2, 3, 12, 13, 14, 15]}\n" JOB
                                    "name: b, placement: {nodes_per_group: [6, 5], blades: 8}}\n",
                                    seed, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(shape_blades(nodes, 2), ==, 8);
    }
}

static void expect_error(const char *placement, const char *in_message)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *job = g_strdup_printf(JOB "placement: %s}\n", placement);
    g_assert_cmphex(shape_place(job, 1, &error), ==, 0);
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_nonnull(strstr(error->message, ".yaml:4:"));
    g_assert_nonnull(strstr(error->message, in_message));
}

static void test_errors(void)
{
    expect_error("{nodes_per_group: [3, 5], blades: 4}", "blades: 4; allowed: 5 to 8");
    expect_error("{nodes_per_group: [3, 5], blades: 9}", "blades: 9; allowed: 5 to 8");
    /* a group has six blades */
    expect_error("{nodes_per_group: [7], blades: 7}", "blades: 7; allowed: 4 to 6");
    expect_error("{nodes_per_group: [13], blades: 7}", "no further group of this machine has 7 bl");
    expect_error("{hosts: n1, blades: 1}", "allowed beside nodes_per_group");
    expect_error("{nodes_per_group: [2], nodes_per_blade: 2}", "allowed beside blades");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/placement-shape/blades", test_blades);
    g_test_add_func("/placement-shape/larger-blades", test_larger_blades);
    g_test_add_func("/placement-shape/machine-blades", test_machine_blades);
    g_test_add_func("/placement-shape/largest-first", test_largest_first);
    g_test_add_func("/placement-shape/errors", test_errors);
    return g_test_run();
}
