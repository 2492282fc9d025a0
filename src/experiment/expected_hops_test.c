/* expected_hops_test.c - packet hops expected before a run against those that it made. */
#include "config/test_run_spec.h"
#include "experiment/expected_hops.h"
#include "experiment/simulate.h"

#include <math.h>

/* Hops that were expected over those that were made. */
static double expected_over_made(const char *text)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnRunSpec) spec = test_run_spec(text, NULL, &error);
    g_assert_no_error(error);
    g_auto(DnRunCheck) check = {0};
    g_assert_true(dn_simulate_check(spec, NULL, NULL, &check, &error));
    g_autoptr(DnRunResult) result = dn_simulate(spec, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpfloat(check.packets, ==, 0.0);
    return check.hops / (double)result->engine.packet_hops;
}

#define FABRIC                                                                                     \
    "machine: {fabric: {type: fat_tree, levels: 2, down: [8, 8], up: [8], links: {terminal: "      \
    "{bandwidth: 100 Gb/s, latency: 20 ns, buffer: 64 KiB}, level1: {bandwidth: 100 Gb/s, "        \
    "latency: 20 ns, buffer: 64 KiB}}, switch: {latency: 100 ns}}, hardware: {packet: 4 KiB}}\n"
#define JOB(workload_) "jobs:\n - {name: a, iterations: 3, workload: {" workload_ "}}\n"

/* On a fat tree every path is a shortest one: with all ranks the count is exact, but for
 * routes that are not looked up. */
static void test_fat_tree(void)
{
    static const struct {
        const char *job;
        double most;
    } rows[] = {
        {JOB("type: alltoall, algorithm: spread, bytes: 64 B"), 0.02},
        {JOB("type: alltoall, algorithm: pairwise, bytes: 10 KiB"), 0.02},
        {JOB("type: halo, grid: [8, 8], bytes: 20 KiB"), 0.1},
        {JOB("type: allreduce, algorithm: ring, bytes: 1 MiB"), 0.1},
        {JOB("type: barrier"), 0.1},
        {"jobs:\n - {name: a, iterations: 3, mechanism: {type: host_mpi, acknowledged: true}, "
         "workload: {type: alltoall, algorithm: spread, bytes: 64 B}}\n",
         0.02},
        {JOB("type: bcast, algorithm: binomial, bytes: 40 KiB"), 0.35},
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autofree char *text = g_strconcat(FABRIC, rows[i].job, NULL);
        double ratio = expected_over_made(text);
        g_test_message("%s: %.4f", rows[i].job, ratio);
        g_assert_cmpfloat(fabs(ratio - 1), <=, rows[i].most);
    }
}

/* Handshakes, copies inside a node, packets larger than the machine's, responses of NICs: within
 * the factor of two that is promised. */
static void test_machines(void)
{
    static const char *const rows[] = {
        "machine: lumi\nnodes: 8\njobs:\n - {workload: {type: alltoall, bytes: 64 KiB}}\n",
        "machine: lumi\nnodes: 8\njobs:\n - {workload: {type: alltoall, bytes: 256 B}}\n",
        ("machine: lumi\nnodes: 8\npacket: {size: 32 KiB}\n"
         "jobs:\n - {workload: {type: halo, grid: [8, 8], bytes: 1 MiB}}\n"),
        ("machine: lumi\nnodes: 1\npacket: {size: 32 KiB}\n"
         "jobs:\n - {workload: {type: alltoall, bytes: 4 MiB}}\n"),
        "machine: leonardo\nnodes: 8\njobs:\n - {workload: {type: allreduce, bytes: 1 MiB}}\n",
        /* most messages of a ring stay inside a node, the others have more packets and hops */
        ("machine: lumi\nnodes: 32\n"
         "jobs:\n - {workload: {type: allreduce, algorithm: ring, bytes: 256 KiB}}\n"),
        /* larger packets: of many messages that take turns, and of senders that are throttled */
        ("machine: leonardo\nnodes: 16\npacket: {size: 64 KiB}\njobs:\n - {ranks: 16, placement: "
         "spread, workload: {type: alltoall, algorithm: linear, bytes: 2 MiB}}\n"),
        ("machine: leonardo\nnodes: 16\npacket: {size: 64 KiB}\njobs:\n - {ranks: 16, placement: "
         "spread, workload: {type: halo, grid: [4, 4], bytes: 4 MiB}}\n"),
        ("machine: lumi\nnodes: 16\npacket: {size: 16 KiB}\njobs:\n - {ranks: 16, placement: "
         "spread, workload: {type: incast, bytes: 1 MiB}}\n"),
        "machine: piz-daint\nnodes: 16\njobs:\n - {workload: {type: alltoall, bytes: 16 KiB}}\n",
    };
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        double ratio = expected_over_made(rows[i]);
        g_test_message("%s: %.4f", rows[i], ratio);
        g_assert_cmpfloat(ratio, >, 0.6);
        g_assert_cmpfloat(ratio, <, 1.7);
    }
}

/* GPUs that a link joins have no vertex between them: their packets count, in the progress too. */
static void test_direct(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnRunSpec) spec = test_run_spec("machine: leonardo\nnodes: 1\njobs:\n - {ranks: 2, "
                                              "workload: {type: pingpong, bytes: 4 MiB}}\n",
                                              NULL, &error);
    g_assert_no_error(error);
    g_auto(DnRunCheck) check = {0};
    g_assert_true(dn_simulate_check(spec, NULL, NULL, &check, &error));
    g_autoptr(DnRunResult) result = dn_simulate(spec, NULL, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(result->engine.packet_hops, ==, 0);
    g_assert_cmpfloat(check.hops, >=, 2 * 1024);
    double made = (double)result->engine.events / DN_DIRECT_EVENTS;
    g_assert_cmpfloat(fabs(check.hops / made - 1.0), <, 0.02);
}

/* Collectives of a trace, whose streams wait for each other, and messages of a graph that begin
 * when others are over; the flow engine counts the same. */
static void test_traces(void)
{
    static const char *const calls =
        "0 init\n1 init\n2 init\n3 init\n0 alltoall 500000 500000\n1 alltoall 500000 500000\n"
        "2 alltoall 500000 500000\n3 alltoall 500000 500000\n0 send 2 0 300000\n"
        "2 recv 0 0 300000\n0 finalize\n1 finalize\n2 finalize\n3 finalize\n";
    static const char *const graph =
        "num_ranks 4\nrank 0 {\nl1: calc 5\nl2: send 900000b to 1\nl2 requires l1\n"
        "l3: send 900000b to 2\nl3 requires l2\nl4: calc 7\nl4 requires l3\n"
        "l5: send 900000b to 3\nl5 requires l4\n}\nrank 1 {\nl1: recv 900000b from 0\n}\n"
        "rank 2 {\nl1: recv 900000b from 0\n}\nrank 3 {\nl1: recv 900000b from 0\n}\n";
    static const char *const engines[] = {"packet", "flow"};
    const char *const traces[] = {calls, graph};
    for (guint i = 0; i < G_N_ELEMENTS(traces) * G_N_ELEMENTS(engines); i++) {
        g_autofree char *path = NULL;
        g_autoptr(GError) error = NULL;
        gint fd = g_file_open_tmp("darner-XXXXXX.txt", &path, &error);
        g_assert_no_error(error);
        g_assert_true(g_close(fd, NULL));
        g_assert_true(g_file_set_contents(path, traces[i / 2], -1, NULL));
        g_autofree char *text =
            g_strdup_printf("machine: leonardo\nnodes: 4\nengine: %s\njobs:\n - {ranks: 4, "
                            "placement: spread, workload: {type: trace, file: %s}}\n",
                            engines[i % 2], path);
        double ratio = expected_over_made(text);
        g_test_message("%s: %.4f", text, ratio);
        g_assert_cmpfloat(ratio, >, 0.6);
        g_assert_cmpfloat(ratio, <, 1.7);
        g_assert_cmpint(g_unlink(path), ==, 0);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/expected-hops/fat-tree", test_fat_tree);
    g_test_add_func("/expected-hops/machines", test_machines);
    g_test_add_func("/expected-hops/direct", test_direct);
    g_test_add_func("/expected-hops/traces", test_traces);
    return g_test_run();
}
