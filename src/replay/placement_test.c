/* placement_test.c - each kind on 3 nodes of 4 endpoints, jobs together, and what does not fit. */
#include "replay/placement.h"

#include <glib/gstdio.h>
#include <string.h>

#include "config/config.h"

enum { NODES = 3, PER_NODE = 4, ENDPOINTS = NODES * PER_NODE };

/* Only what placement reads. */
typedef struct {
    DnGraph graph;
    DnVertex vertices[ENDPOINTS];
    guint32 endpoints[ENDPOINTS];
} Site;

static void make_site(Site *site)
{
    memset(site, 0, sizeof *site);
    site->graph.size.endpoints = ENDPOINTS;
    site->graph.vertices = site->vertices;
    site->graph.endpoints = site->endpoints;
    for (guint32 e = 0; e < ENDPOINTS; e++) {
        site->endpoints[e] = e;
        site->vertices[e].node = e / PER_NODE;
    }
}

/* @jobs: the YAML list. Returns the placements as "0 1 2|3 4", or NULL + error. */
static char *place(const char *jobs, guint64 seed, GError **error)
{
    Site site;
    g_autoptr(GError) problem = NULL;
    g_autofree char *path = NULL;
    g_autofree char *text =
        g_strdup_printf("machine: none\nseed: %" G_GUINT64_FORMAT "\njobs:\n%s", seed, jobs);
    gint fd = g_file_open_tmp("darner-XXXXXX.yaml", &path, &problem);
    g_assert_no_error(problem);
    g_assert_true(g_close(fd, NULL));
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    g_autoptr(DnScenario) scenario = dn_scenario_load(path, NULL, NULL, 0, &problem);
    g_assert_no_error(problem);
    g_assert_cmpint(g_unlink(path), ==, 0);
    make_site(&site);
    g_autofree DnPlacement *placements = g_new0(DnPlacement, scenario->n_jobs);
    gboolean fine = dn_place_jobs(scenario, &site.graph, placements, error);
    GString *out = g_string_new(NULL);
    for (guint j = 0; j < scenario->n_jobs; j++) {
        for (guint32 r = 0; fine && r < placements[j].ranks; r++)
            g_string_append_printf(out, "%s%u", r ? " " : j ? "|" : "", placements[j].endpoints[r]);
        g_free(placements[j].endpoints);
    }
    return g_string_free(out, !fine);
}

static void expect(const char *jobs, const char *placement)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *got = place(jobs, 1, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(got, ==, placement);
}

#define JOB " - {workload: {type: ring, bytes: 1 B}, "

static void test_kinds(void)
{
    expect(JOB "ranks: 5}\n", "0 1 2 3 4");
    expect(JOB "ranks: 5, placement: spread}\n", "0 4 8 1 5");
    expect(JOB "placement: [7, 2, 11]}\n", "7 2 11");
    expect(JOB "placement: contiguous}\n", "0 1 2 3 4 5 6 7 8 9 10 11");
    expect(JOB "placement: spread}\n", "0 4 8 1 5 9 2 6 10 3 7 11");
}

/* Lists first, then by file order from what is left; node 0 has one endpoint left, node 1 three. */
static void test_jobs_together(void)
{
    expect(JOB "ranks: 2}\n" JOB "ranks: 3, placement: spread}\n" JOB "placement: [0, 5]}\n" JOB
               "name: rest}\n",
           "1 2|3 4 8|0 5|6 7 9 10 11");
    expect(JOB "placement: [3, 4]}\n" JOB "placement: [4, 5]}\n", "3 4|4 5");
}

/* A permutation; another with another seed, and for the second job. Over 240 seeds each endpoint
 * is rank 0 about 20 times, standard deviation 4.3; within five of those. */
static void test_random(void)
{
    guint first[ENDPOINTS] = {0};
    g_autoptr(GError) error = NULL;
    for (guint64 seed = 0; seed < 240; seed++) {
        g_autofree char *got = place(JOB "placement: random}\n", seed, &error);
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
    g_autofree char *once = place(JOB "placement: random}\n", 5, &error);
    g_autofree char *again = place(JOB "placement: random}\n", 5, &error);
    g_assert_cmpstr(once, ==, again);
}

static void expect_error(const char *jobs, const char *position, const char *in_message)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *got = place(jobs, 1, &error);
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
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/placement/kinds", test_kinds);
    g_test_add_func("/placement/jobs-together", test_jobs_together);
    g_test_add_func("/placement/random", test_random);
    g_test_add_func("/placement/errors", test_errors);
    return g_test_run();
}
