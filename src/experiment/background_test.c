/* background_test.c - traffic behind the job under study: aggregated, it disturbs as much. */
#include "experiment/results.h"
#include "config/test_run_spec.h"

#include <math.h>
#include <string.h>

static DnRunResult *background_simulate(const char *text, GError **error)
{
    g_autoptr(DnRunSpec) spec = test_run_spec(text, NULL, error);
    return spec != NULL ? dn_simulate(spec, NULL, NULL, error) : NULL;
}

/* 5 groups of 4 leaves with 8 nodes each; links of 200 Gb/s between switches, as in Leonardo. */
#define MACHINE                                                                                    \
    "machine:\n"                                                                                   \
    "  fabric:\n"                                                                                  \
    "    type: dragonfly_plus\n    assumed: a small one\n"                                         \
    "    groups: 5\n    leaves_per_group: 4\n    spines_per_group: 4\n"                            \
    "    terminals_per_leaf: 8\n    global_links_per_spine: 4\n"                                   \
    "    links:\n"                                                                                 \
    "      terminal: {bandwidth: 100 Gb/s, latency: 15 ns, buffer: 64 KiB}\n"                      \
    "      local: {bandwidth: 200 Gb/s, latency: 42 ns, buffer: 64 KiB}\n"                         \
    "      global: {bandwidth: 200 Gb/s, latency: 91 ns, buffer: 64 KiB}\n"                        \
    "    switch: {latency: 130 ns}\n"                                                              \
    "  hardware: {assumed: likewise, packet: 4 KiB, header: 26 B, lanes: 2}\n"                     \
    "routing: {algorithm: minimal, choice: adaptive}\n"

typedef struct {
    double median_us, p95_us;
    guint64 events;
} Delays;

static int background_ascending(gconstpointer a, gconstpointer b)
{
    gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;
    return x < y ? -1 : x > y;
}

/* Ping-pong between two groups beside nodes that send 64 KiB to random others. */
static Delays delays_of(const char *study, const char *others, guint aggregation)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = g_strdup_printf(
        MACHINE "jobs:\n"
                " - {name: study, ranks: 2, placement: [0, 32], start: 100 us, %s}\n"
                " - {name: others, background: true, packet_aggregation: %u, %s}\n",
        study, aggregation, others);
    g_autoptr(DnRunResult) s = background_simulate(text, &error);
    g_assert_no_error(error);
    DnJobResult *job = &s->jobs[0];
    qsort(job->iteration_ps, job->n_iterations, sizeof *job->iteration_ps, background_ascending);
    guint32 n = job->n_iterations;
    gint64 median = job->iteration_ps[n / 2], p95 = job->iteration_ps[n * 19 / 20];
    return (Delays){.median_us = 1e-6 * (double)median,
                    .p95_us = 1e-6 * (double)p95,
                    .events = s->engine.events};
}

#define UNIFORM(load) "workload: {type: uniform, bytes: 64 KiB, load: " load ", rate: 100 Gb/s}"
#define SMALL "workload: {type: pingpong, bytes: 8 B}, iterations: 1500"

static void expect_near(double value, double wanted, double share)
{
    g_assert_cmpfloat_with_epsilon(value, wanted, share * wanted);
}

/* Links at a quarter of their rate: small messages wait as long, the median within 2 % and the
 * 95th percentile within 6 %, for less than half and a quarter of the events. */
static void test_delay(void)
{
    Delays one = delays_of(SMALL, UNIFORM("0.25"), 1);
    Delays four = delays_of(SMALL, UNIFORM("0.25"), 4);
    Delays eight = delays_of(SMALL, UNIFORM("0.25"), 8);
    g_assert_cmpfloat(one.p95_us, >,
                      1.2 * 0.729); /* 0.729 us alone: there is something to wait for */
    expect_near(four.median_us, one.median_us, 0.02);
    expect_near(eight.median_us, one.median_us, 0.02);
    expect_near(four.p95_us, one.p95_us, 0.06);
    expect_near(eight.p95_us, one.p95_us, 0.06);
    g_assert_cmpuint(four.events, <, one.events / 2);
    g_assert_cmpuint(eight.events, <, one.events / 4);
}

/* Sixteen in one: at a tenth of the rate within 2 % and 4 %; on another lane, where parts and
 * packets take turns, at two fifths within 2 % and 6 %. */
static void test_coarsest(void)
{
    Delays one = delays_of(SMALL, UNIFORM("0.1"), 1), many = delays_of(SMALL, UNIFORM("0.1"), 16);
    expect_near(many.median_us, one.median_us, 0.02);
    expect_near(many.p95_us, one.p95_us, 0.04);
    g_assert_cmpuint(many.events, <, one.events / 4);
    one = delays_of(SMALL ", service_level: 1", UNIFORM("0.4"), 1);
    many = delays_of(SMALL ", service_level: 1", UNIFORM("0.4"), 16);
    expect_near(many.median_us, one.median_us, 0.02);
    expect_near(many.p95_us, one.p95_us, 0.06);
}

/* Large messages among links at two fifths: within 2 %. */
static void test_goodput(void)
{
    static const char large[] = "workload: {type: pingpong, bytes: 1 MiB}, iterations: 30";
    Delays one = delays_of(large, UNIFORM("0.4"), 1), four = delays_of(large, UNIFORM("0.4"), 4);
    expect_near(four.median_us, one.median_us, 0.02);
    expect_near(four.p95_us, one.p95_us, 0.02);
}

/* Two flows of a job and two beside it share a link: each gets a quarter of it. Of a full link
 * aggregated packets get more, which a run says. */
static void test_full_link(void)
{
    for (guint aggregation = 1; aggregation <= 4; aggregation += 3) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = g_strdup_printf(
            "machine: {fabric: {type: edges, switches: 2, terminals_per_switch: 4, edges: [[0, 1]],"
            " links: {terminal: {bandwidth: 10 GB/s, latency: 100 ns, buffer: 64 KiB}, link: "
            "{bandwidth: 10 GB/s, latency: 100 ns, buffer: 64 KiB}}, switch: {latency: 0}}}\n"
            "jobs:\n - {ranks: 4, placement: [0, 4, 1, 5], workload: {type: disjoint, bytes: 4 "
            "MiB}}"
            "\n - {ranks: 4, placement: [2, 6, 3, 7], background: yes, packet_aggregation: %u, "
            "workload: {type: disjoint, bytes: 4 MiB}}\n",
            aggregation);
        g_autoptr(DnRunResult) s = background_simulate(text, &error);
        g_assert_no_error(error);
        double took_us = 1e-6 * (double)s->jobs[0].iteration_ps[0];
        if (aggregation == 1)
            g_assert_cmpfloat_with_epsilon(took_us, 4 * 4194304 / 1e4, 10.0);
        guint warned = 0;
        for (guint i = 0; i < s->warnings->len; i++)
            warned += strstr(s->warnings->pdata[i], "is full: of a full link") != NULL;
        g_assert_cmpuint(warned, ==, aggregation > 1);
    }
}

/* Ranks of a background job that have nothing to do rest, whatever the engine; what repeats without
 * taking time is refused. */
static void test_idle(void)
{
    static const char *const engines[] = {"packet", "flow", "bound"};
    for (guint e = 0; e < G_N_ELEMENTS(engines); e++)
        for (guint empty = 0; empty < 2; empty++) {
            g_autoptr(GError) error = NULL;
            g_autofree char *text = g_strdup_printf(
                MACHINE "engine: %s\njobs:\n"
                        " - {ranks: 2, workload: {type: ring, bytes: 64 KiB}}\n"
                        " - {name: others, ranks: 5, background: true, workload: {type: %s}}\n",
                engines[e],
                empty ? "flows, bytes: 1 B, flows: [[0, 0]]" : "pingpong, bytes: 1 KiB");
            g_autoptr(DnRunResult) s = background_simulate(text, &error);
            if (empty) {
                g_assert_nonnull(error);
                g_assert_true(g_regex_match_simple("^[^:]+:[0-9]+:[0-9]+: rank 0 of background job "
                                                   "others repeats without end at one time",
                                                   error->message, 0, 0));
                continue;
            }
            g_assert_no_error(error);
            g_assert_cmpuint(s->jobs[1].n_iterations, >, 1);
        }
}

static guint warnings_with(const DnRunResult *s, const char *part)
{
    guint found = 0;
    for (guint i = 0; i < s->warnings->len; i++)
        found += strstr(s->warnings->pdata[i], part) != NULL;
    return found;
}

/* Drawn jobs: 158 nodes are left, all of them send at a tenth of 100 Gb/s in bursts with light
 * tails, so 1.25 GB/s each within a tenth over 400 us. */
static void test_drawn(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnRunResult) s = background_simulate(
        MACHINE "jobs: [{ranks: 2, workload: {type: pingpong, bytes: 8 B}, start: 400 us}]\n"
                "background: {utilisation: 100 %, sizes: {79: 1}, traffic: {intensity: {10 %: 1}, "
                "shape: 5, burst: 10 us, alltoall: 1, halo: 0, incast: 0, io: 0}}\n",
        &error);
    g_assert_no_error(error);
    const DnBackgroundMetrics *m = &s->background_metrics;
    g_assert_true(m->asked);
    g_assert_cmpuint(m->jobs, ==, 2);
    g_assert_cmpuint(m->nodes, ==, 158);
    g_assert_cmpfloat(m->payload_bytes, ==, (double)m->messages * 16384);
    expect_near(m->node_load_bps, 10e9, 0.1);
    g_assert_cmpuint(warnings_with(s, "background"), ==, 0);
}

/* Fifteen send to one over a link of 10 GB/s and never wait for one another: its goodput is what
 * that link carries, within 2 % of 80 Gb/s, and its iterations have no times; a barrier gives them
 * some. */
static void test_unpaced(void)
{
    for (guint barrier = 0; barrier < 2; barrier++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = g_strdup_printf(
            "machine: {fabric: {type: edges, switches: 2, terminals_per_switch: 9, edges: [[0, 1]],"
            " links: {terminal: {bandwidth: 10 GB/s, latency: 100 ns, buffer: 64 KiB}, link: "
            "{bandwidth: 100 GB/s, latency: 100 ns, buffer: 64 KiB}}, switch: {latency: 0}}}\n"
            "jobs:\n - {ranks: 2, workload: {type: pingpong, bytes: 1 MiB}, iterations: 20}"
            "\n - {ranks: 16, background: yes, workload: {type: incast, bytes: 64 KiB%s}}\n",
            barrier ? ", barrier: yes" : "");
        g_autoptr(DnRunResult) s = background_simulate(text, &error);
        g_assert_no_error(error);
        const DnJobResult *job = &s->jobs[1];
        DnJobMetrics m = dn_job_metrics(job, 1);
        g_assert_cmpuint(job->n_iterations, >, 10);
        if (barrier) {
            g_assert_cmpuint(m.time_us.n, ==, job->n_iterations);
            continue;
        }
        g_assert_cmpuint(m.time_us.n, ==, 0);
        g_assert_true(isnan(m.time_us.min));
        expect_near(m.goodput_bps, 80e9, 0.02);
        g_assert_cmpuint(dn_job_metrics(&s->jobs[0], 1).time_us.n, ==, 20);
    }
}

/* What is asked for in the background and never is, a run says: of jobs that begin after its end,
 * of drawn ones that sent nothing in it, of keys without effect. */
static void test_warnings(void)
{
    static const struct {
        const char *run, *says;
    } runs[] = {
        {"background: true, start: 1 s}", "job others was to start in the background at 1 s, but"},
        {"background: true, iterations: 3}", "job others: `iterations` has no effect"},
        {"background: true, burst: 4}", "job others: `burst` has no effect without a `pause`"},
        {"background: true, burst: 4, pause: 0}", NULL},
        {"burst: 1}\nbackground: {utilisation: 100 %, sizes: {8: 1}, traffic: {steady: no, "
         "intensity: {1 %: 1}, burst: 1 ms}}",
         "background: no message of its 19 jobs arrived"},
    };
    for (guint i = 0; i < G_N_ELEMENTS(runs); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = g_strdup_printf(
            MACHINE "jobs:\n - {ranks: 2, workload: {type: ring, bytes: 64 KiB}}\n"
                    " - {name: others, ranks: 5, workload: {type: ring, bytes: 1 KiB}, %s\n",
            runs[i].run);
        g_autoptr(DnRunResult) s = background_simulate(text, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(warnings_with(s, "no effect") + warnings_with(s, "was to start") +
                             warnings_with(s, "background: no"),
                         ==, runs[i].says != NULL);
        g_assert_true(runs[i].says == NULL || warnings_with(s, runs[i].says) == 1);
    }
}

static void test_errors(void)
{
    static const char *const wrong[] = {"packet_aggregation: 0", "packet_aggregation: 65",
                                        "packet_aggregation: fine"};
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = g_strdup_printf(
            MACHINE "jobs: [{workload: {type: ring, bytes: 1 B}}]\nbackground: {%s}\n", wrong[i]);
        g_assert_null(background_simulate(text, &error));
        g_assert_nonnull(error);
        g_assert_nonnull(strstr(error->message, "packet_aggregation"));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/background/delay", test_delay);
    g_test_add_func("/background/coarsest", test_coarsest);
    g_test_add_func("/background/goodput", test_goodput);
    g_test_add_func("/background/full-link", test_full_link);
    g_test_add_func("/background/idle", test_idle);
    g_test_add_func("/background/drawn", test_drawn);
    g_test_add_func("/background/unpaced", test_unpaced);
    g_test_add_func("/background/warnings", test_warnings);
    g_test_add_func("/background/errors", test_errors);
    return g_test_run();
}
