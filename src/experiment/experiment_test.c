/* experiment_test.c - iterations until the median is certain, and jobs alone, on four GPUs behind
 * one switch. */
#include "experiment/experiment.h"
#include "config/test_run_spec.h"
#include "experiment/results.h"

#include "stats/summary.h"

#include <math.h>
#include <string.h>

static DnRunResult *experiment_study(const char *text, guint32 *iterations)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnRunSpec) spec = test_run_spec(text, NULL, &error);
    g_assert_no_error(error);
    DnRunResult *result = dn_experiment_run(spec, NULL, NULL, &error);
    g_assert_no_error(error);
    *iterations = result->jobs[0].iterations;
    return result;
}

/* Nothing varies: the first look is certain. */
static void test_certain(void)
{
    guint32 iterations;
    g_autoptr(DnRunResult) s = experiment_study(
        "machine: h200x4\njobs:\n - {workload: {type: pingpong, bytes: 1 MiB}, ranks: 2, "
        "iterations: {until: 1 %, min: 4}}\n",
        &iterations);
    g_assert_cmpuint(iterations, ==, 4);
    g_assert_cmpuint(s->jobs[0].n_iterations, ==, 4);
    g_assert_cmpuint(s->warnings->len, ==, 0);
}

#define VARIES                                                                                     \
    "machine: h200x4\njobs:\n - {workload: {type: pingpong, bytes: 4 MiB}, placement: [0, 1], "    \
    "iterations: "
#define NEIGHBOUR                                                                                  \
    " - {name: back, workload: {type: uniform, bytes: 1 MiB, load: 0.5, rate: 3 Tb/s}, "           \
    "placement: [0, 1, 2, 3], background: yes}\n"

/* Beside random traffic iterations differ: more of them, doubled from 4, until the interval is as
 * narrow as asked; the short run is the beginning of the long one. */
static void test_converges(void)
{
    guint32 iterations, few;
    g_autoptr(DnRunResult)
        s = experiment_study(VARIES "{until: 6 %, min: 4}}\n" NEIGHBOUR, &iterations);
    g_autoptr(DnRunResult) first = experiment_study(VARIES "4}\n" NEIGHBOUR, &few);
    DnSummary sum = dn_summary_us(s->jobs[0].iteration_ps, s->jobs[0].n_iterations);
    g_assert_cmpuint(iterations, >, 4);
    g_assert_cmpuint(iterations % 4, ==, 0);
    g_assert_cmpuint(s->jobs[0].n_iterations, ==, iterations);
    g_assert_cmpfloat(dn_summary_uncertainty(&sum), <=, 0.06);
    g_assert_cmpmem(first->jobs[0].iteration_ps, 4 * sizeof(gint64), s->jobs[0].iteration_ps,
                    4 * sizeof(gint64));
}

#define SPREAD                                                                                     \
    "machine: {fabric: {type: hyperx, dims: [4, 4], terminals_per_switch: %u, links: {terminal: "  \
    "{bandwidth: 100 Gb/s, latency: 20 ns, buffer: 64 KiB}, link: {bandwidth: 100 Gb/s, latency: " \
    "50 ns, buffer: 64 KiB}}}}\njobs:\n - {workload: {type: alltoall, bytes: %s, algorithm: "      \
    "spread}, mechanism: {t_start: 1 ns}}\nengine: %s\n"

/* All hosts of a switch send to the next switch first: flows take as long as packets only where
 * the other messages need not wait for these. */
static void test_spread(void)
{
    guint32 iterations;
    double us[2];
    for (guint e = 0; e < G_N_ELEMENTS(us); e++) {
        g_autofree char *text = g_strdup_printf(SPREAD, 6u, "16 KiB", e == 0 ? "packet" : "flow");
        g_autoptr(DnRunResult) s = experiment_study(text, &iterations);
        g_assert_cmpuint(s->warnings->len, ==, 0);
        us[e] = (double)s->jobs[0].iteration_ps[0] * 1e-6;
    }
    g_assert_cmpfloat(us[1] / us[0], >, 0.8);
    g_assert_cmpfloat(us[1] / us[0], <, 1.1);
}

/* Ranks of an alltoall in pairs drift apart, in flows as in packets. */
static void test_in_pairs(void)
{
    guint32 iterations;
    double us[3];
    static const char *const engines[] = {"packet", "flow", "flow\nflow: {grain: 0}"};
    for (guint e = 0; e < G_N_ELEMENTS(us); e++) {
        g_autofree char *text = g_strdup_printf(
            "machine: {fabric: {type: torus, dims: [4, 3, 4, 2, 3], links: {terminal: {bandwidth: "
            "54.4 Gb/s, latency: 50 ns, buffer: 32 KiB}, link: {bandwidth: 54.4 Gb/s, latency: 100 "
            "ns, buffer: 32 KiB}}, switch: {latency: 80 ns}}}\nengine: %s\njobs: [{ranks: 144, "
            "workload: {type: alltoall, bytes: 64 KiB}, mechanism: {t_start: 1 ns}}]\n",
            engines[e]);
        g_autoptr(DnRunResult) s = experiment_study(text, &iterations);
        us[e] = (double)s->jobs[0].iteration_ps[0] * 1e-6;
    }
    g_test_message("%.1f us by packets, %.1f and %.1f by flows", us[0], us[1], us[2]);
    g_assert_cmpfloat(us[1] / us[0], >, 0.8);
    g_assert_cmpfloat_with_epsilon(us[1], us[2], 0.001);
}

#define OVERLOADED                                                                                 \
    "measure: {warmup: 20 us, window: 20 us}\nengine: flow\njobs:\n - {workload: {type: uniform, " \
    "bytes: 64 KiB, load: 1, rate: 200 Gb/s}}\n"

/* Of 288 endpoints in a run of a given length, which may be overloaded, each has 16 messages. */
static void test_waited(void)
{
    guint32 iterations;
    g_autofree char *spread = g_strdup_printf(SPREAD, 18u, "1 B", "flow");
    g_autoptr(DnRunResult) all = experiment_study(spread, &iterations);
    g_assert_cmpuint(all->warnings->len, ==, 0);
    *strstr(spread, "jobs:") = '\0';
    g_autofree char *text = g_strconcat(spread, OVERLOADED, NULL);
    g_autoptr(DnRunResult) s = experiment_study(text, &iterations);
    g_assert_true(test_warned(s->warnings, "fewer than 16 of their source"));
}

/* Both pairs of GPUs go over the first of two switches, in twice the time of one; a vertex with the
 * links of both takes half of that. */
static void test_parallel_switches(void)
{
    static const char *const said[] = {"2 equal switches join node 0 gpu0 and node 0 gpu1", NULL};
    const char *const vertex[] = {"{name: sw, kind: nvswitch, count: 2}",
                                  "{name: sw, kind: nvswitch}"};
    for (guint k = 0; k < 2; k++) {
        guint32 iterations;
        g_autofree char *text = g_strdup_printf(
            "machine: {node: {vertices: [{name: gpu, kind: gpu, count: 4}, %s], links: {w: "
            "{bandwidth: 100 Gb/s, latency: 0.1 us, buffer: 64 KiB}}, edges: [{each: [gpu, sw], "
            "class: w, count: %u}]}}\njobs: [{workload: {type: disjoint, bytes: 1 MB}}]\n",
            vertex[k], 1 + k);
        g_autoptr(DnRunResult) s = experiment_study(text, &iterations);
        g_assert_cmpuint(s->warnings->len, ==, said[k] != NULL);
        if (said[k] != NULL)
            g_assert_true(g_str_has_prefix(g_ptr_array_index(s->warnings, 0), said[k]));
        g_assert_cmpfloat_with_epsilon((double)s->jobs[0].iteration_ps[0] * 1e-6,
                                       k == 0 ? 80.0 : 40.0, 0.5);
    }
}

static void test_gives_up(void)
{
    guint32 iterations;
    g_autoptr(DnRunResult)
        s = experiment_study(VARIES "{until: 0.001 %, min: 4, max: 10}}\n" NEIGHBOUR, &iterations);
    g_assert_cmpuint(iterations, ==, 10);
    g_assert_cmpuint(s->warnings->len, ==, 1);
    g_assert_nonnull(strstr(g_ptr_array_index(s->warnings, 0), "after 10 iterations"));
}

/* Two equal transfers over one pair of GPUs each take twice what they take alone. */
static void test_slowdown(void)
{
    guint32 iterations;
    g_autoptr(DnRunResult) s =
        experiment_study("machine: h200x4\nslowdown: yes\njobs:\n"
                         " - {name: a, workload: {type: flows, flows: [[0, 1]], bytes: 64 MiB}, "
                         "placement: [0, 1]}\n"
                         " - {name: b, workload: {type: flows, flows: [[0, 1]], bytes: 64 MiB}, "
                         "placement: [0, 1]}\n",
                         &iterations);
    for (guint j = 0; j < 2; j++) {
        g_assert_cmpuint(s->jobs[j].alone.n, ==, 1);
        g_assert_cmpfloat(dn_experiment_slowdown(&s->jobs[j]), >, 1.95);
        g_assert_cmpfloat(dn_experiment_slowdown(&s->jobs[j]), <, 2.05);
    }
}

/* Repetition r is the run with seed + r: its iterations are those of that run alone, one after the
 * other, and so is what is said of them. */
static void test_repetitions(void)
{
    enum { EACH = 4, REPETITIONS = 3 };
    guint32 iterations;
    g_autoptr(DnRunResult) s = experiment_study(
        "repeat: 3\nseed: 7\nslowdown: yes\n" VARIES "4}\n" NEIGHBOUR, &iterations);
    const DnJobResult *job = &s->jobs[0];
    g_assert_cmpuint(s->repetitions, ==, REPETITIONS);
    g_assert_cmpuint(s->seed, ==, 7);
    g_assert_cmpuint(job->n_iterations, ==, EACH * REPETITIONS);
    g_assert_cmpuint(job->alone.n, ==, EACH * REPETITIONS);
    for (guint r = 0; r < REPETITIONS; r++) {
        g_autofree char *text = g_strdup_printf("seed: %u\n" VARIES "4}\n" NEIGHBOUR, 7 + r);
        g_autoptr(DnRunResult) one = experiment_study(text, &iterations);
        g_assert_cmpuint(job->per_repetition[r], ==, EACH);
        g_assert_cmpmem(job->iteration_ps + EACH * r, EACH * sizeof(gint64),
                        one->jobs[0].iteration_ps, EACH * sizeof(gint64));
        g_assert_cmpmem(job->end_ps + EACH * r, EACH * sizeof(gint64), one->jobs[0].end_ps,
                        EACH * sizeof(gint64));
    }
    DnJobMetrics f = dn_job_metrics(job, s->repetitions);
    g_assert_cmpuint(f.medians_us.n, ==, REPETITIONS);
    g_assert_true(isnan(f.time_us.ci_low)); /* three repetitions say too little */
    g_assert_true(f.within_mad_us > 0.0 && f.medians_us.min < f.medians_us.max);
}

enum { BIAS_NONE, BIAS_TIME, BIAS_AGGREGATED, BIAS_EQUAL, BIAS_PART, BIAS_NOT_COMPARED };

/* The machine's own packets are of 4 KiB; whole runs are compared where both are short, else up to
 * a part of the time, unless that says nothing. */
static void test_packet_bias(void)
{
    static const char *const said[BIAS_NOT_COMPARED + 1] = {
        [BIAS_TIME] = "packets of 32 KiB, not the machine's own of 4 KiB: job pair takes ",
        [BIAS_AGGREGATED] = "packets aggregated to packets of 32 KiB, not the machine's own of 4 K",
        [BIAS_PART] = "whole runs, which may differ more or less, were not compared",
        [BIAS_NOT_COMPARED] = "what that changes was not compared, as the run takes some "};
    static const struct {
        const char *machine, *size;
        guint32 hops, whole_hops, kib, compared;
    } runs[] = {
        {"apenet-4x2", "32 KiB", 4000000, 0, 64, BIAS_TIME},
        {"h200x4", "32 KiB", 4000000, 0, 64, BIAS_EQUAL},
        {"h200x4", "32 KiB", 4000000, 2000000, 131072, BIAS_EQUAL},
        {"h200x4", "32 KiB", 4000000, 0, 131072, BIAS_PART},
        {"h200x4", "32 KiB", 150, 2000000, 131072, BIAS_NOT_COMPARED}, /* too small a part */
        {"apenet-4x2", "32 KiB", 20, 0, 64, BIAS_NOT_COMPARED},        /* nothing has arrived */
        {"h200x4", "4 KiB", 100000, 0, 64, BIAS_NONE},
        {"h200x4", "32 KiB", 0, 0, 64, BIAS_NONE},
        {"apenet-4x2", "4 KiB", 4000000, 0, 64, BIAS_AGGREGATED}};
    for (guint i = 0; i < G_N_ELEMENTS(runs); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text =
            g_strdup_printf("machine: %s\npacket: {size: %s}\njobs:\n - "
                            "{name: pair, mechanism: direct, workload: {type: alltoall, "
                            "bytes: %u KiB}, ranks: 4, iterations: 2, packet_aggregation: %u}\n",
                            runs[i].machine, runs[i].size, runs[i].kib,
                            runs[i].compared == BIAS_AGGREGATED ? 8 : 1);
        g_autoptr(DnRunSpec) spec = test_run_spec(text, NULL, &error);
        g_assert_no_error(error);
        const DnRunOptions options = {.packet_bias_hops = runs[i].hops,
                                      .packet_bias_whole_hops = runs[i].whole_hops};
        g_autoptr(DnRunResult) s = dn_experiment_run(spec, &options, NULL, &error);
        g_assert_no_error(error);
        guint compared = runs[i].compared;
        const DnPacketBias *bias = &s->packet_bias;
        g_assert_cmpint(bias->own_bytes, ==, compared != BIAS_NONE ? 4096 : 0);
        g_assert_cmpint(bias->share == 1, ==, compared >= BIAS_TIME && compared <= BIAS_EQUAL);
        g_assert_cmpint(bias->share > 0 && bias->share < 1, ==, compared == BIAS_PART);
        g_assert_true(compared != BIAS_PART ||
                      (bias->job == s->n_jobs && MIN(bias->arrived, bias->own_arrived) >= 0.01));
        g_assert_cmpuint(s->warnings->len, ==, said[compared] != NULL);
        if (said[compared] != NULL)
            g_assert_nonnull(strstr(g_ptr_array_index(s->warnings, 0), said[compared]));
    }
}

/* The second flow begins where the first ends, 10 us after that has arrived; the third is beside
 * them. Ranks do not wait for each other between iterations: the second one's second flow ends the
 * run. */
static void test_flow_times(void)
{
    guint32 iterations;
    g_autoptr(DnRunResult) s = experiment_study(
        "machine: h200x4\njobs:\n - {workload: {type: flows, bytes: 64 KiB, flows: [{src: 0, dst: "
        "1}, {src: 1, dst: 2, start: 10 us, after: [0]}, {src: 3, dst: 0, bytes: 1 KiB}]}, "
        "iterations: 2}\n",
        &iterations);
    const DnFlowTimes *flows = &s->jobs[0].flows;
    g_assert_cmpuint(flows->n, ==, 3);
    g_assert_cmpuint(flows->n_times, ==, 6);
    g_assert_cmpint(flows->times[1].start_ps, ==, flows->times[0].end_ps + 10000000);
    for (guint i = 0; i < 2; i++) {
        const DnFlowTime *t = flows->times + 3 * (gsize)i;
        g_assert_cmpint(t[1].start_ps, >=, t[0].end_ps + 10000000);
        g_assert_cmpint(t[0].end_ps - t[0].start_ps, ==, t[1].end_ps - t[1].start_ps);
        g_assert_cmpint(t[2].end_ps - t[2].start_ps, <, t[0].end_ps - t[0].start_ps);
    }
    g_assert_cmpint(flows->times[4].end_ps, ==, s->jobs[0].end_ps[1]);
}

/* An allreduce on a machine that has mechanisms, but no default of MPI between its GPUs, says that
 * and why; with a mechanism, or on a fabric that has none, nothing is said. */
static void test_free_calls(void)
{
    static const struct {
        const char *machine, *mechanism;
        gboolean warns;
    } runs[] = {{"dgx-a100-4", "", TRUE},
                {"dgx-a100-4", "mechanism: direct, ", FALSE},
                {"tuolumne", "", FALSE},
                {"torus-4x4x4", "", FALSE}};
    for (guint i = 0; i < G_N_ELEMENTS(runs); i++) {
        g_autofree char *text = g_strdup_printf(
            "machine: %s\njobs:\n - {ranks: 8, %sworkload: {type: allreduce, bytes: 1 KiB}}\n",
            runs[i].machine, runs[i].mechanism);
        guint32 iterations;
        g_autoptr(DnRunResult) s = experiment_study(text, &iterations);
        g_assert_cmpint(test_warned(s->warnings, "gpu (the paper has NVSHMEM"), ==, runs[i].warns);
    }
}

/* Tofu-D: a Put of 8 B takes 0.49 us one way, one interface puts 6.35 GB/s (Ajima et al., IEEE
 * Cluster 2018). */
static void test_tofu(void)
{
    static const struct {
        const char *bytes;
        double least_ps, most_ps;
    } puts[] = {{"8 B", 485e3, 495e3}, {"1 MiB", 1048576 / 6.40e-3, 1048576 / 6.25e-3}};
    for (guint i = 0; i < G_N_ELEMENTS(puts); i++) {
        g_autofree char *text = g_strdup_printf(
            "machine: fugaku-rack\njobs:\n - {ranks: 2, ranks_per_node: 1, mechanism: utofu-put, "
            "workload: {type: pingpong, bytes: %s}}\n",
            puts[i].bytes);
        guint32 iterations;
        g_autoptr(DnRunResult) s = experiment_study(text, &iterations);
        g_assert_cmpfloat((double)s->jobs[0].iteration_ps[0], >, puts[i].least_ps);
        g_assert_cmpfloat((double)s->jobs[0].iteration_ps[0], <, puts[i].most_ps);
    }
}

/* 64 KiB from one Aries router's node to another's: 1,024 packets of five flits, and a response of
 * one flit to each. A bystander's switch sees none of them. */
static void test_switch_counters(void)
{
    guint32 iterations;
    g_autoptr(DnRunResult) s = experiment_study(
        "machine: {name: piz-daint, fabric.groups: 2, nodes: 768}\nrouting: {algorithm: minimal}\n"
        "jobs:\n - {placement: [0, 4], workload: {type: flows, bytes: 64 KiB, flows: [{src: 0, "
        "dst: 1}]}}\n - {placement: [400, 401], workload: {type: flows, bytes: 0 B, flows: [{src: "
        "0, dst: 1}]}}\n",
        &iterations);
    double end_us = (double)s->engine.end_ps * 1e-6;
    DnSwitchMetrics f = dn_job_switches(s, &s->jobs[0]), idle = dn_job_switches(s, &s->jobs[1]);
    g_assert_cmpfloat_with_epsilon(f.flits_per_us * 2 * end_us, 1024 * (5 + 1), 1e-6);
    g_assert_cmpfloat_with_epsilon(f.node_flits_per_us * 2 * end_us, 1024 * (5 + 1), 1e-6);
    g_assert_cmpfloat(f.stalled_cycles_per_us, >=, 0);
    g_assert_cmpfloat(idle.flits_per_us, ==, 0);
    g_assert_cmpfloat(idle.stalled_cycles_per_us, ==, 0);
    g_autoptr(DnRunResult) none = experiment_study(
        "machine: h200x4\njobs:\n - {workload: {type: pingpong, bytes: 1 B}, ranks: 2}\n",
        &iterations);
    g_assert_true(isnan(dn_job_switches(none, &none->jobs[0]).flits_per_us));
}

/* A pattern without a mechanism on a machine that has MPI's, a library that chooses nothing, a
 * collective whose reductions have no costs. */
static void test_unnamed(void)
{
    static const struct {
        const char *machine, *job, *says;
    } runs[] = {
        {"fugaku-rack", "workload: {type: pingpong, bytes: 8 B}",
         "its messages are free, only the wires take time, as by `mechanism: direct`; MPI's costs "
         "are `mechanism: mpi-host`"},
        {"fugaku-rack", "mechanism: direct, workload: {type: pingpong, bytes: 8 B}", NULL},
        {"torus-4x4x4", "workload: {type: pingpong, bytes: 8 B}", NULL},
        {"fugaku-rack", "background: true, workload: {type: ring, bytes: 8 B}", NULL},
        {"fugaku-rack", "workload: {type: allreduce_ring, bytes: 8 B, library: mpich}",
         "`library: mpich` chooses nothing, allreduce_ring goes by its own default"},
        {"fugaku-rack", "workload: {type: alltoall, bytes: 8 B, library: mpich}", NULL},
        {"fugaku-rack", "workload: {type: alltoall, bytes: 8 B, library: mpich, algorithm: auto}",
         NULL},
        {"fugaku-rack", "workload: {type: bcast, bytes: 8 B, library: mpich}", NULL},
        {"fugaku-rack", "iterations: 2, workload: {type: bcast, bytes: 8 B}",
         "its iterations overlap, since a rank of a bcast goes on when its own part is done"},
        {"fugaku-rack", "iterations: 2, workload: {type: bcast, bytes: 8 B, barrier: yes}", NULL},
        {"fugaku-rack", "iterations: 2, workload: {type: allreduce, bytes: 8 B}", NULL},
        {"fugaku-rack", "mechanism: {t_start: 1 us}, workload: {type: allreduce, bytes: 8 B}",
         "its reductions are free, only its messages take time: its mechanism, inline, has no "
         "`reduce_rate`"},
        {"fugaku-rack", "mechanism: {t_start: 1 us}, workload: {type: alltoall, bytes: 8 B}", NULL},
        {"fugaku-rack", "mechanism: direct, workload: {type: allreduce, bytes: 8 B}", NULL},
        {"fugaku-rack", "mechanism: mpi-host, workload: {type: allreduce, bytes: 8 B}", NULL}};
    for (guint i = 0; i < G_N_ELEMENTS(runs); i++) {
        g_autofree char *text = g_strdup_printf(
            "machine: %s\njobs:\n - {ranks: 4, %s}\n"
            " - {ranks: 2, mechanism: direct, workload: {type: pingpong, bytes: 8 B}}\n",
            runs[i].machine, runs[i].job);
        guint32 iterations;
        g_autoptr(DnRunResult) s = experiment_study(text, &iterations);
        gboolean found = FALSE;
        for (guint w = 0; w < s->warnings->len; w++) {
            const char *warning = g_ptr_array_index(s->warnings, w);
            found |= runs[i].says != NULL && strstr(warning, runs[i].says) != NULL;
            g_assert_true(runs[i].says != NULL || (strstr(warning, "are free") == NULL &&
                                                   strstr(warning, "chooses nothing") == NULL &&
                                                   strstr(warning, "overlap") == NULL));
        }
        g_assert_cmpint(found, ==, runs[i].says != NULL);
    }
}

/* NCCL's rings go node by node wherever ranks are; a named ring goes in the order of ranks. */
static void test_rank_order(void)
{
#define ALLREDUCE ", workload: {type: allreduce, bytes: 1 KiB, "
    static const struct {
        const char *job;
        gboolean warns;
    } rows[] = {{"ranks: 6" ALLREDUCE "library: nccl}", FALSE},
                {"placement: spread, ranks: 8" ALLREDUCE "library: nccl}", FALSE},
                {"placement: spread, ranks: 8" ALLREDUCE "library: nccl, group: 4}", TRUE},
                {"placement: spread, ranks: 8" ALLREDUCE "algorithm: nccl_ring}", TRUE},
                {"placement: spread, ranks: 4" ALLREDUCE "algorithm: nccl_ring, rings: [[0, 2, 1, "
                 "3]]}",
                 FALSE},
                {"placement: spread, ranks: 8" ALLREDUCE "algorithm: ring}", FALSE},
                {"ranks: 7" ALLREDUCE "algorithm: nccl_ring}", FALSE}};
#undef ALLREDUCE
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text =
            g_strdup_printf("machine: alps\nnodes: 2\njobs:\n - {%s}\n", rows[i].job);
        guint32 iterations;
        g_autoptr(DnRunResult) s = experiment_study(text, &iterations);
        g_assert_cmpint(test_warned(s->warnings, "in the order of ranks"), ==, rows[i].warns);
    }
}

/* Eight ranks in a chain: alone 7 messages one after another. Without a barrier an iteration ends
 * one message after the one before; with one each takes as long as alone, but for how far apart
 * ranks leave the barrier. */
static void test_barrier(void)
{
    static const struct {
        const char *keys;
        double least, most; /* of an iteration's time over that of one alone */
    } runs[] = {{"iterations: 1", 1, 1}, {"iterations: 4", 0.1, 0.3}, {NULL, 0.7, 1.1}};
    gint64 alone_ps = 0;
    for (guint i = 0; i < G_N_ELEMENTS(runs); i++) {
        g_autofree char *text = g_strdup_printf(
            "machine: fugaku-rack\njobs:\n - {ranks: 8, ranks_per_node: 1, %s, workload: {type: "
            "bcast, algorithm: pipeline, segment: 1 GiB, bytes: 64 KiB%s}}\n",
            runs[i].keys ? runs[i].keys : "iterations: 4", runs[i].keys ? "" : ", barrier: yes");
        guint32 iterations;
        g_autoptr(DnRunResult) s = experiment_study(text, &iterations);
        const DnJobResult *job = &s->jobs[0];
        if (i == 0)
            alone_ps = job->iteration_ps[0];
        for (guint32 k = 1; k < job->n_iterations; k++) {
            double share = (double)job->iteration_ps[k] / (double)alone_ps;
            g_assert_cmpfloat(share, >=, runs[i].least);
            g_assert_cmpfloat(share, <=, runs[i].most);
        }
        g_assert_cmpuint(job->n_iterations, ==, i == 0 ? 1 : 4);
    }
}

/* A rank of several streams begins with all of them, and not before its last one has ended the
 * iteration before: iterations take equal times, and no more than they are apart. */
static void test_barrier_streams(void)
{
    static const char *const algorithms[] = {"kary_tree", "double_binary_tree", "nccl_tree",
                                             "rccl_tree"};
    for (guint i = 0; i < G_N_ELEMENTS(algorithms); i++) {
        g_autofree char *text = g_strdup_printf(
            "machine: fugaku-rack\njobs:\n - {ranks: 8, ranks_per_node: 1, mechanism: direct, "
            "iterations: 4, workload: {type: allreduce, algorithm: %s, bytes: 1 MiB, barrier: yes, "
            "communicator: [7, 1, 2, 3, 4, 5, 6]}}\n",
            algorithms[i]);
        guint32 iterations;
        g_autoptr(DnRunResult) s = experiment_study(text, &iterations);
        const DnJobResult *job = &s->jobs[0];
        g_assert_cmpuint(job->n_iterations, ==, 4);
        g_assert_true(job->after_barrier);
        for (guint32 k = 1; k < 4; k++) {
            gint64 apart_ps = job->end_ps[k] - job->end_ps[k - 1];
            double share = (double)job->iteration_ps[k] / (double)job->iteration_ps[1];
            g_assert_cmpint(job->iteration_ps[k], <, apart_ps);
            g_assert_cmpfloat_with_epsilon(share, 1, 0.05);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/experiment/certain", test_certain);
    g_test_add_func("/experiment/settles", test_converges);
    g_test_add_func("/experiment/gives-up", test_gives_up);
    g_test_add_func("/experiment/spread", test_spread);
    g_test_add_func("/experiment/in-pairs", test_in_pairs);
    g_test_add_func("/experiment/waited", test_waited);
    g_test_add_func("/experiment/parallel-switches", test_parallel_switches);
    g_test_add_func("/experiment/slowdown", test_slowdown);
    g_test_add_func("/experiment/switch-counters", test_switch_counters);
    g_test_add_func("/experiment/repetitions", test_repetitions);
    g_test_add_func("/experiment/packet-bias", test_packet_bias);
    g_test_add_func("/experiment/unnamed", test_unnamed);
    g_test_add_func("/experiment/rank-order", test_rank_order);
    g_test_add_func("/experiment/flow-times", test_flow_times);
    g_test_add_func("/experiment/free-calls", test_free_calls);
    g_test_add_func("/experiment/tofu", test_tofu);
    g_test_add_func("/experiment/barrier", test_barrier);
    g_test_add_func("/experiment/barrier-streams", test_barrier_streams);
    return g_test_run();
}
