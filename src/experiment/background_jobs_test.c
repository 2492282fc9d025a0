/* background_jobs_test.c - drawn jobs fill the nodes that are left, to the share asked for, each
 * node once. */
#include "experiment/background_jobs.h"
#include "experiment/test_site.h"
#include "workload/program.h"

#include <math.h>
#include <string.h>

enum { NODES = 100, PER_NODE = 2, ENDPOINTS = NODES * PER_NODE };

/* A fabric whose switches have ten nodes each. */
static void make_site(TestSite *site)
{
    test_site_make(site, NODES, PER_NODE, 1);
    for (guint32 e = 0; e < ENDPOINTS; e++)
        site->switches[e] = ENDPOINTS + e / PER_NODE / 10;
}

/* Beside a job on nodes 0 and 1. */
static GArray *background_draw(const char *background, DnBackgroundMetrics *metrics,
                               GPtrArray *warnings, GError **error)
{
    TestSite site;
    g_autoptr(GError) problem = NULL;
    g_autofree char *text =
        g_strdup_printf("machine: none\njobs:\n - {workload: {type: ring}, placement: [0, 2]}\n"
                        "background: %s\n",
                        background);
    g_autoptr(DnRunSpec) spec = test_run_spec(text, NULL, &problem);
    g_assert_no_error(problem);
    make_site(&site);
    DnPlacement placement = {0};
    g_assert_true(dn_place_jobs(spec, &site.graph, &placement, error));
    GArray *jobs = dn_background_jobs_draw(spec, &site.graph, &placement, metrics, warnings, error);
    g_free(placement.endpoints);
    return jobs;
}

static GArray *draw_well(const char *background, DnBackgroundMetrics *metrics)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    GArray *jobs = background_draw(background, metrics, warnings, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(warnings->len, ==, 0);
    return jobs;
}

/* 98 nodes are left: half of them is 49; jobs of four nodes with two ranks each: twelve, and one of
 * the node that is over, which sends nothing. */
static void test_share(void)
{
    DnBackgroundMetrics metrics;
    guint seen[ENDPOINTS] = {0};
    g_autoptr(GArray)
        jobs = draw_well("{utilisation: 50 %, sizes: {4: 1}, ranks_per_node: 2}", &metrics);
    g_assert_cmpuint(metrics.nodes, ==, 49);
    g_assert_cmpuint(metrics.jobs, ==, 12);
    g_assert_cmpuint(metrics.ranks, ==, 96);
    g_assert_cmpuint(jobs->len, ==, 12);
    for (guint i = 0; i < jobs->len; i++) {
        const DnDrawnJob *job = &g_array_index(jobs, DnDrawnJob, i);
        g_assert_true(job->job.background);
        for (guint32 r = 0; r < job->placement.ranks; r++) {
            g_assert_cmpuint(job->placement.endpoints[r], >=, 4);
            g_assert_cmpuint(++seen[job->placement.endpoints[r]], ==, 1);
        }
    }
}

/* A drawn job goes on for as long as the run: it has no second iteration, which would begin its
 * first pattern anew. */
static void test_one_iteration(void)
{
    DnBackgroundMetrics metrics;
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) jobs = draw_well("{utilisation: 100 %, sizes: {8: 1}, traffic: {type: "
                                       "tenant, rate: 1 Gb/s, lifetime: 1 ms}}",
                                       &metrics);
    const DnDrawnJob *job = &g_array_index(jobs, DnDrawnJob, 0);
    g_autoptr(DnProgram)
        program = dn_program_new(job->job.workload, job->placement.ranks, G_MAXINT32, 1, &error);
    g_assert_no_error(error);
    DnCursor cursor = {0};
    for (guint sends = 0; sends < 3000;) {
        DnOp op;
        dn_program_next(program, 0, &cursor, &op);
        g_assert_cmpint(op.kind, !=, DN_OP_MARK);
        sends += op.kind == DN_OP_SEND;
    }
    g_assert_cmpuint(cursor.step, >, 0); /* jobs ended meanwhile */
}

/* At 20 % a fifth of the ranks sends within the first message's time, 1.3 us at 100 Gb/s (standard
 * deviation 4 %): time 0 is no silence, unless the traffic says so. */
static guint ranks_in_burst(const char *steady)
{
    DnBackgroundMetrics metrics;
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strdup_printf(
        "{utilisation: 100 %%, sizes: {98: 1}, traffic: {rate: 100 Gb/s, intensity: {20 %%: 1}, "
        "alltoall: 1, halo: 0, incast: 0, io: 0%s}}",
        steady);
    g_autoptr(GArray) jobs = draw_well(text, &metrics);
    const DnDrawnJob *job = &g_array_index(jobs, DnDrawnJob, 0);
    g_autoptr(DnProgram)
        program = dn_program_new(job->job.workload, job->placement.ranks, G_MAXINT32, 1, &error);
    g_assert_no_error(error);
    guint in_burst = 0;
    for (guint32 rank = 0; rank < job->placement.ranks; rank++) {
        DnCursor cursor = {0};
        DnOp op;
        dn_program_next(program, rank, &cursor, &op);
        g_assert_cmpint(op.kind, ==, DN_OP_COMPUTE);
        in_burst += op.duration_ps <= 1310720;
    }
    return in_burst;
}

static void test_steady(void)
{
    g_assert_cmpuint(ranks_in_burst(", steady: no"), ==, 0);
    g_assert_cmpuint(ranks_in_burst(""), >=, 8);
    g_assert_cmpuint(ranks_in_burst(""), <=, 32);
    g_assert_cmpuint(ranks_in_burst(", steady: yes"), ==, ranks_in_burst(""));
}

/* Weights of jobs: half of the jobs has one node, so one of five nodes is theirs; of nodes: half of
 * the nodes. 98 nodes; the mean of 200 seeds within three standard deviations: a job of four nodes
 * more or less, sqrt(98 / 2.5) of them at most, over sqrt(200). */
static double share_of_single(const char *weights)
{
    double single = 0;
    for (guint seed = 0; seed < 200; seed++) {
        DnBackgroundMetrics metrics;
        g_autofree char *text = g_strdup_printf(
            "{utilisation: 100 %%, sizes: {1: 1, 4: 1}%s}\nseed: %u", weights, seed);
        g_autoptr(GArray) jobs = draw_well(text, &metrics);
        g_assert_cmpuint(jobs->len, >, 0);
        g_assert_cmpuint(metrics.nodes, ==, 98);
        single += 1 - (double)metrics.ranks / 98;
    }
    return single / 200;
}

static void test_weights(void)
{
    double within = 3 * 4 * sqrt(98 / 2.5) / 98 / sqrt(200);
    g_assert_cmpfloat_with_epsilon(share_of_single(""), 0.2, within);
    g_assert_cmpfloat_with_epsilon(share_of_single(", weights: nodes"), 0.5, within);
}

/* By switch a job of ten nodes sits on one or two switches; contiguous in order. */
static void test_placement(void)
{
    DnBackgroundMetrics metrics;
    g_autoptr(GArray) jobs =
        draw_well("{utilisation: 100 %, sizes: {10: 1}, placement: random_switch}", &metrics);
    for (guint i = 0; i < jobs->len; i++) {
        const DnPlacement *p = &g_array_index(jobs, DnDrawnJob, i).placement;
        guint switches = 0, seen = 0;
        for (guint32 r = 0; r < p->ranks; r++)
            seen |= 1u << p->endpoints[r] / PER_NODE / 10;
        for (; seen != 0; seen &= seen - 1)
            switches++;
        g_assert_cmpuint(switches, <=, 2);
    }
    g_autoptr(GArray)
        ordered = draw_well("{utilisation: 100 %, sizes: {2: 1}, placement: contiguous}", &metrics);
    const DnPlacement *p = &g_array_index(ordered, DnDrawnJob, 0).placement;
    g_assert_cmpuint(p->endpoints[0], ==, 4);
    g_assert_cmpuint(p->endpoints[1], ==, 6);
}

/* Four nodes of 100 at 12, 37, 62 and 87 are of every job, its last ranks, and of none alone; the
 * run's own job has nodes 0 and 1. */
static void test_service_nodes(void)
{
    DnBackgroundMetrics metrics;
    g_autoptr(GArray)
        jobs = draw_well("{utilisation: 100 %, sizes: {10: 1}, service_nodes: 4}", &metrics);
    g_assert_cmpuint(jobs->len, ==, 10);
    for (guint i = 0; i < jobs->len; i++) {
        const DnPlacement *p = &g_array_index(jobs, DnDrawnJob, i).placement;
        for (guint32 r = 0; r < p->ranks; r++) {
            guint32 node = p->endpoints[r] / PER_NODE;
            gboolean service = node == 12 || node == 37 || node == 62 || node == 87;
            g_assert_true(service == (r + 4 >= p->ranks));
        }
    }
}

static void background_warns(const char *background, const char *part)
{
    DnBackgroundMetrics metrics;
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GArray) jobs = background_draw(background, &metrics, warnings, &error);
    g_assert_no_error(error);
    g_assert_true(metrics.asked);
    g_assert_cmpuint(warnings->len, ==, 1);
    g_assert_nonnull(strstr(warnings->pdata[0], part));
}

static void test_nobody_sends(void)
{
    background_warns("{service_nodes: 400}", "of 98 free nodes 98 are service nodes and 0 have");
    background_warns("{sizes: {1: 1}, utilisation: 100 %}",
                     "of 98 free nodes 0 are service nodes and 98 have");
    background_warns("{utilisation: 0}", "background: none of its jobs has two nodes");
    background_warns("[{sizes: {4: 1}}, {utilisation: 0}]", "background[1]: none");
}

static void background_refuses(const char *background, const char *part)
{
    DnBackgroundMetrics metrics;
    g_autoptr(GError) error = NULL;
    g_assert_null(background_draw(background, &metrics, NULL, &error));
    g_assert_nonnull(strstr(error->message, part));
    g_assert_nonnull(strstr(error->message, ".yaml:4:"));
}

static void test_errors(void)
{
    background_refuses("{utilisation: 2}", "out of range");
    background_refuses("{sizes: {a: 1}}", "sizes");
    background_refuses("{sizes: {0: 1}}", "sizes");
    background_refuses("{sizes: {4: 0}}", "no value has a weight");
    background_refuses("{sizes: [4]}", "mapping");
    background_refuses("{traffic: 3}", "mapping");
    background_refuses("{traffic: {type: uniform}}", "'uniform' cannot be drawn");
    background_refuses("{traffic: {type: [tenant]}}", "type");
    background_refuses("{weights: cores}", "unknown weights");
    background_refuses("{traffic: {intensity: {0 %: 1}}}", "nobody sends");
    background_refuses("{placement: spread}", "unknown placement");
}

/* Two populations: the first as without the second, whose jobs have half of the other nodes. */
static void test_populations(void)
{
    DnBackgroundMetrics metrics;
    g_autoptr(GArray) one = draw_well("{utilisation: 50 %, sizes: {7: 1}}", &metrics);
    g_autoptr(GArray) two = draw_well("[{utilisation: 50 %, sizes: {7: 1}}, {utilisation: 50 %, "
                                      "sizes: {3: 1}, placement: contiguous}]",
                                      &metrics);
    guint taken[NODES] = {0};
    g_assert_cmpuint(one->len, ==, 7);
    g_assert_cmpuint(two->len, ==, 7 + 8); /* 24.5 nodes, rounded up: one is left over */
    g_assert_cmpuint(metrics.nodes, ==, 49 + 25);
    for (guint i = 0; i < two->len; i++) {
        const DnPlacement *p = &g_array_index(two, DnDrawnJob, i).placement;
        for (guint32 r = 0; r < p->ranks; r++)
            g_assert_cmpuint(taken[p->endpoints[r] / PER_NODE]++, ==, 0);
        if (i < one->len)
            g_assert_cmpmem(p->endpoints, p->ranks * sizeof(guint32),
                            g_array_index(one, DnDrawnJob, i).placement.endpoints,
                            p->ranks * sizeof(guint32));
    }
    background_refuses("[3]", "unknown population");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/population/service-nodes", test_service_nodes);
    g_test_add_func("/population/several", test_populations);
    g_test_add_func("/population/share", test_share);
    g_test_add_func("/population/one-iteration", test_one_iteration);
    g_test_add_func("/population/steady", test_steady);
    g_test_add_func("/population/weights", test_weights);
    g_test_add_func("/population/nobody-sends", test_nobody_sends);
    g_test_add_func("/population/placement", test_placement);
    g_test_add_func("/population/errors", test_errors);
    return g_test_run();
}
