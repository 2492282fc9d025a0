/* placement_test.c - each kind on 3 nodes of 4 endpoints, jobs together, and what does not fit. */
#include "experiment/placement.h"
#include "experiment/test_site.h"

#include <glib/gstdio.h>
#include <string.h>

#include "config/config.h"

enum { NODES = 3, PER_NODE = 4, ENDPOINTS = NODES * PER_NODE };

enum { GROUPS = 2 };

/* Nodes 0 and 2 hang on switch 0 of group 0, node 1 on switch 1 of group 1. */
static void make_site(TestSite *site)
{
    test_site_make(site, NODES, PER_NODE, GROUPS);
    site->vertices[ENDPOINTS + 1].group = 1;
    for (guint32 e = 0; e < ENDPOINTS; e++)
        site->switches[e] = ENDPOINTS + e / PER_NODE % 2;
}

/* @jobs: the YAML list. Returns the placements as "0 1 2|3 4", or NULL + error. */
static char *placement_place(const char *jobs, guint64 seed, GError **error)
{
    TestSite site;
    g_autoptr(DnRunSpec) spec = test_site_spec(jobs, seed);
    make_site(&site);
    g_autofree DnPlacement *placements = g_new0(DnPlacement, spec->n_jobs);
    gboolean fine = dn_place_jobs(spec, &site.graph, placements, error);
    GString *out = g_string_new(NULL);
    for (guint j = 0; j < spec->n_jobs; j++) {
        for (guint32 r = 0; fine && r < placements[j].ranks; r++)
            g_string_append_printf(out, "%s%u", r ? " " : j ? "|" : "", placements[j].endpoints[r]);
        g_free(placements[j].endpoints);
    }
    return g_string_free(out, !fine);
}

static void placement_expect(const char *jobs, const char *placement)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *got = placement_place(jobs, 1, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(got, ==, placement);
}

#define JOB " - {workload: {type: ring, bytes: 1 B}, "

static void test_kinds(void)
{
    placement_expect(JOB "ranks: 5}\n", "0 1 2 3 4");
    placement_expect(JOB "ranks: 5, placement: spread}\n", "0 4 8 1 5");
    placement_expect(JOB "placement: [7, 2, 11]}\n", "7 2 11");
    placement_expect(JOB "placement: contiguous}\n", "0 1 2 3 4 5 6 7 8 9 10 11");
    placement_expect(JOB "placement: spread}\n", "0 4 8 1 5 9 2 6 10 3 7 11");
    placement_expect(JOB "ranks: 5, placement: spread_switch}\n", "0 4 1 5 2");
    placement_expect(JOB "ranks: 5, placement: spread_group}\n", "0 4 1 5 2");
    placement_expect(JOB "ranks_per_node: 2}\n", "0 1 4 5 8 9");
    placement_expect(JOB "ranks_per_node: 1, placement: spread}\n" JOB "name: b}\n",
                     "0 4 8|1 2 3 5 6 7 9 10 11");
}

/* What a job leaves of its nodes goes to others, unless it is exclusive; an exclusive job takes no
 * node that somebody is on. */
static void test_exclusive(void)
{
    placement_expect(JOB "ranks: 2, ranks_per_node: 1}\n" JOB "name: b}\n",
                     "0 4|1 2 3 5 6 7 8 9 10 11");
    placement_expect(JOB "ranks: 2, ranks_per_node: 1, exclusive: yes}\n" JOB "name: b}\n",
                     "0 4|8 9 10 11");
    placement_expect(JOB "ranks: 1}\n" JOB "name: b, exclusive: yes}\n", "0|4 5 6 7 8 9 10 11");
    placement_expect(JOB "ranks: 1, placement: [5], exclusive: yes}\n" JOB "name: b}\n",
                     "5|0 1 2 3 8 9 10 11");
    placement_expect(JOB "ranks: 1, placement: {hosts: 'n1'}, exclusive: yes}\n" JOB "name: b}\n",
                     "0|4 5 6 7 8 9 10 11");
}

/* Units keep their endpoints together and in order; over the seeds each order of them occurs. */
static void test_random_units(void)
{
    static const struct {
        const char *kind;
        const char *orders[6];
    } cases[] = {
        {"random_node",
         {"0 1 2 3 4 5 6 7 8 9 10 11", "0 1 2 3 8 9 10 11 4 5 6 7", "4 5 6 7 0 1 2 3 8 9 10 11",
          "4 5 6 7 8 9 10 11 0 1 2 3", "8 9 10 11 0 1 2 3 4 5 6 7", "8 9 10 11 4 5 6 7 0 1 2 3"}},
        {"random_switch", {"0 1 2 3 8 9 10 11 4 5 6 7", "4 5 6 7 0 1 2 3 8 9 10 11"}},
        {"random_group", {"0 1 2 3 8 9 10 11 4 5 6 7", "4 5 6 7 0 1 2 3 8 9 10 11"}},
    };
    for (guint c = 0; c < G_N_ELEMENTS(cases); c++) {
        guint seen[6] = {0}, n = 0;
        g_autofree char *job = g_strdup_printf(JOB "placement: %s}\n", cases[c].kind);
        while (n < 6 && cases[c].orders[n] != NULL)
            n++;
        for (guint64 seed = 0; seed < 100; seed++) {
            g_autofree char *got = placement_place(job, seed, NULL);
            guint k = 0;
            while (k < n && strcmp(got, cases[c].orders[k]) != 0)
                k++;
            g_assert_cmpuint(k, <, n);
            seen[k]++;
        }
        for (guint k = 0; k < n; k++)
            g_assert_cmpuint(seen[k], >, 0);
    }
}

/* Two of three nodes, each pair of them over the seeds, and always in the order of nodes, of which
 * the last may be left part full. */
static void test_random_sorted(void)
{
    static const char *const pairs[] = {"0 1 4", "0 1 8", "4 5 8"};
    guint seen[G_N_ELEMENTS(pairs)] = {0};
    for (guint64 seed = 0; seed < 60; seed++) {
        g_autofree char *got = placement_place(
            JOB "ranks: 3, ranks_per_node: 2, placement: random_node_sorted}\n", seed, NULL);
        guint k = 0;
        while (k < G_N_ELEMENTS(pairs) && strcmp(got, pairs[k]) != 0)
            k++;
        g_assert_cmpuint(k, <, G_N_ELEMENTS(pairs));
        seen[k]++;
    }
    for (guint k = 0; k < G_N_ELEMENTS(pairs); k++)
        g_assert_cmpuint(seen[k], >, 0);
}

/* Nodes by name, from number 5 on; shapes: two nodes only fit group 0, which are 0 and 2, one node
 * then only group 1. */
static void test_nodes(void)
{
    placement_expect(JOB "placement: {hosts: 'nid[006-007]', first: 5}}\n", "4 5 6 7 8 9 10 11");
    placement_expect(JOB "placement: {hosts: ['nid006', 'nid007'], first: 5}}\n",
                     "4 5 6 7 8 9 10 11");
    placement_expect(JOB "ranks: 3, placement: {hosts: 'n5,n7', first: 5}, ranks_per_node: 2}\n",
                     "0 1 8");
    placement_expect(JOB "placement: {nodes_per_group: [1, 2]}, ranks_per_node: 1}\n", "0 4 8");
    placement_expect(JOB "placement: {nodes_per_group: 'x1204:2'}, ranks_per_node: 1}\n", "0 8");
    placement_expect(JOB "name: a}\n" JOB "name: b, placement: {hosts: 'n1'}}\n",
                     "4 5 6 7 8 9 10 11|0 1 2 3");
    /* the switch of group 0 has nodes 0 and 2, with node 1 of another between them */
    placement_expect(
        JOB "placement: {routers_per_group: [1], nodes_per_router: 2}, ranks_per_node: 1}\n",
        "0 8");
    placement_expect(JOB "placement: {routers_per_group: [1, 1]}}\n", "0 1 2 3 4 5 6 7 8 9 10 11");
    g_autofree char *path = NULL;
    g_autoptr(GError) error = NULL;
    gint fd = g_file_open_tmp("darner-XXXXXX.csv", &path, &error);
    g_assert_no_error(error);
    g_assert_true(g_close(fd, NULL));
    g_assert_true(g_file_set_contents(path, "run,nodes_per_group\nr1,1:1\nr2,7:2\n", -1, NULL));
    g_autofree char *job =
        g_strdup_printf(JOB "placement: {file: '%s', run: r2}, ranks_per_node: 1}\n", path);
    placement_expect(job, "0 8");
    g_assert_cmpint(g_unlink(path), ==, 0);
}

/* Lists first, then by file order from what is left; node 0 has one endpoint left, node 1 three. */
static void test_jobs_together(void)
{
    placement_expect(JOB "ranks: 2}\n" JOB "ranks: 3, placement: spread}\n" JOB
                         "placement: [0, 5]}\n" JOB "name: rest}\n",
                     "1 2|3 4 8|0 5|6 7 9 10 11");
    placement_expect(JOB "placement: [3, 4]}\n" JOB "placement: [4, 5]}\n", "3 4|4 5");
}

/* A permutation; another with another seed, and for the second job. Over 240 seeds each endpoint
 * is rank 0 about 20 times, standard deviation 4.3; within five of those. */
static void test_random(void)
{
    guint first[ENDPOINTS] = {0};
    g_autoptr(GError) error = NULL;
    for (guint64 seed = 0; seed < 240; seed++) {
        g_autofree char *got = placement_place(JOB "placement: random}\n", seed, &error);
        g_assert_no_error(error);
        g_auto(GStrv) words = g_strsplit(got, " ", 0);
        guint seen = 0;
        for (guint i = 0; words[i]; i++)
            seen |= 1u << g_ascii_strtoull(words[i], NULL, 10);
        g_assert_cmpuint(g_strv_length(words), ==, ENDPOINTS);
        g_assert_cmpuint(seen, ==, (1u << ENDPOINTS) - 1);
        first[g_ascii_strtoull(words[0], NULL, 10)]++;
    }
    for (guint e = 0; e < ENDPOINTS; e++)
        g_assert_true(first[e] > 0 && first[e] < 42);
    g_autofree char *once = placement_place(JOB "placement: random}\n", 5, &error);
    g_autofree char *again = placement_place(JOB "placement: random}\n", 5, &error);
    g_assert_cmpstr(once, ==, again);
}

static void expect_error(const char *jobs, const char *position, const char *in_message)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *got = placement_place(jobs, 1, &error);
    g_assert_null(got);
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_nonnull(strstr(error->message, position));
    g_assert_nonnull(strstr(error->message, in_message));
}

static void test_errors(void)
{
    expect_error(JOB "ranks: 13}\n", ".yaml:4:48: ", "13 ranks; 12 of");
    expect_error(JOB "ranks: 8}\n" JOB "ranks: 5}\n", ".yaml:5:48: ", "5 ranks; 4 of");
    expect_error(JOB "name: a}\n" JOB "name: b}\n", ".yaml:5:", "job b wants");
    expect_error(JOB "placement: [0, 12]}\n", ".yaml:4:56: ", "0 to 11");
    expect_error(JOB "ranks: 1}\n" JOB "name: b, ranks: 9, exclusive: yes}\n",
                 ".yaml:5:", "8 of the machine's 12 endpoints are free on nodes of its own");
    expect_error(JOB "placement: [0, 4], exclusive: yes}\n" JOB "name: b, placement: [8, 5]}\n",
                 ".yaml:5:61: ", "endpoint 5 is on a node that job job0 has alone (exclusive)");
    expect_error(JOB "ranks: 4, ranks_per_node: 1}\n", ".yaml:4:48: ", "3 of the machine's");
    expect_error(JOB "ranks: 4, ranks_per_node: 5}\n", ".yaml:4:",
                 "ranks_per_node: 5; a node of this machine has 4 endpoints, one rank each");
    expect_error(JOB "placement: {hosts: 'n[1-4]'}}\n", ".yaml:4:", "'n4' is no node");
    expect_error(JOB "placement: {hosts: 'n1,n1'}}\n", ".yaml:4:", "'n1' is listed twice");
    expect_error(JOB "placement: {hosts: 'n['}}\n", ".yaml:4:", "not a host list");
    expect_error(JOB "placement: {hosts: []}}\n", ".yaml:4:", "not a host list");
    expect_error(JOB "placement: [0, 1, 2, 3]}\n" JOB "placement: {hosts: 'n1'}}\n",
                 ".yaml:5:", "'n1' is taken");
    expect_error(JOB "placement: {nodes_per_group: [3]}}\n", ".yaml:4:", "3 nodes free");
    expect_error(JOB "placement: {nodes_per_group: [1, 1, 1]}}\n", ".yaml:4:", "1 nodes free");
    expect_error(JOB "placement: {routers_per_group: [2], nodes_per_router: 1}}\n",
                 ".yaml:4:", "2 routers free");
    expect_error(JOB "placement: {routers_per_group: [1], nodes_per_router: 3}}\n",
                 ".yaml:4:", "1 routers free");
    expect_error(JOB "placement: {nodes_per_group: 'a'}}\n", ".yaml:4:", "not a shape");
    expect_error(JOB "placement: {nodes_per_group: [1], hosts: n1}}\n", ".yaml:4:", "just one of");
    expect_error(JOB "ranks: 5, placement: {hosts: n1}}\n", ".yaml:4:48: ", "1 nodes have 4");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/placement/kinds", test_kinds);
    g_test_add_func("/placement/exclusive", test_exclusive);
    g_test_add_func("/placement/jobs-together", test_jobs_together);
    g_test_add_func("/placement/random", test_random);
    g_test_add_func("/placement/random-units", test_random_units);
    g_test_add_func("/placement/random-sorted", test_random_sorted);
    g_test_add_func("/placement/nodes", test_nodes);
    g_test_add_func("/placement/errors", test_errors);
    return g_test_run();
}
