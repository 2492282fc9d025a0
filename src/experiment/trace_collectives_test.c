/* trace_collectives_test.c - A collective of a trace takes as long as the same workload: by one
 * algorithm on the ranks of each node, with the same costs, staged and in blocks alike. */
#include "config/test_run_spec.h"
#include "experiment/simulate.h"
#include "trace/trace_test.h"

#define RANKS 16
#define TOLERANCE 0.02

/* (transfer full): the lines of @calls, "name arguments" each, of all ranks in SimGrid's format. */
static char *trace_of(const char *calls)
{
    g_auto(GStrv) lines = g_strsplit(calls, "\n", -1);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint r = 0; r < RANKS; r++) {
        g_string_append_printf(text, "%u init\n", r);
        for (guint i = 0; lines[i] != NULL; i++)
            g_string_append_printf(text, "%u %s\n", r, lines[i]);
        g_string_append_printf(text, "%u finalize\n", r);
    }
    return test_file("calls.ti", text->str, -1);
}

/* Returns the time (ps) of a job with @workload and @keys on @machine. */
static double job_ps(const char *machine, const char *workload, const char *keys)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *yaml =
        g_strdup_printf("machine: %s\nnodes: 8\njobs:\n - {ranks: %d, workload: {%s}%s}\n", machine,
                        RANKS, workload, keys);
    g_autoptr(DnRunSpec) spec = test_run_spec(yaml, NULL, &error);
    g_assert_no_error(error);
    g_autoptr(DnRunResult) result = dn_simulate(spec, NULL, NULL, &error);
    g_assert_no_error(error);
    return (double)result->jobs[0].iteration_ps[0];
}

/* @more: keys of the workload. */
static double trace_by_ps(const char *machine, const char *calls, const char *more,
                          const char *keys)
{
    char *path = trace_of(calls);
    g_autofree char *workload = g_strdup_printf("type: trace, file: %s%s", path, more);
    double ps = job_ps(machine, workload, keys);
    test_file_free(path);
    return ps;
}

static double trace_ps(const char *machine, const char *calls, const char *keys)
{
    return trace_by_ps(machine, calls, "", keys);
}

/* The line of a trace for a collective of @bytes. */
static char *call_of(const char *type, guint bytes)
{
    if (strcmp(type, "barrier") == 0)
        return g_strdup(type);
    if (strcmp(type, "allgather") == 0 || strcmp(type, "alltoall") == 0)
        return g_strdup_printf("%s %u %u 6 6", type, bytes, bytes);
    return g_strdup_printf(strcmp(type, "reduce") == 0 ? "%s %u 0 0 6" : "%s %u 0 6", type, bytes);
}

static void expect_alike(const char *machine, const char *type, guint bytes, const char *keys)
{
    g_autofree char *call = call_of(type, bytes);
    g_autofree char *workload = strcmp(type, "barrier") == 0
                                    ? g_strdup("type: barrier")
                                    : g_strdup_printf("type: %s, bytes: %u B", type, bytes);
    double expected = job_ps(machine, workload, keys), ps = trace_ps(machine, call, keys);
    if (ABS(ps / expected - 1) > TOLERANCE)
        g_error("%s of %u B on %s%s: %.0f ps as a trace, %.0f as a workload", type, bytes, machine,
                keys, ps, expected);
}

#define ON_CPUS(machine) "{name: " machine ", endpoints: cpu}"

static void test_alike(gconstpointer machine)
{
    static const char *const types[] = {"allreduce", "reduce", "bcast", "allgather", "alltoall"};
    for (guint i = 0; i < G_N_ELEMENTS(types); i++) {
        expect_alike(machine, types[i], 8, "");
        expect_alike(machine, types[i], 65536, "");
    }
    expect_alike(machine, "allreduce", 1 << 20, "");
    expect_alike(machine, "barrier", 0, "");
}

/* Nodes of unequal numbers of ranks, of which the library takes each to be a node. */
static void test_uneven(void)
{
    static const char keys[] =
        ", placement: [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]";
    expect_alike(ON_CPUS("lumi"), "allreduce", 8, keys);
    double even = trace_ps(ON_CPUS("lumi"), "allreduce 8 0 6", "");
    g_assert_cmpfloat(trace_ps(ON_CPUS("lumi"), "allreduce 8 0 6", keys), !=, even);
}

/* NCCL's calls: rings, trees and grouped sends, by the protocol that each call has. */
static void test_nccl(gconstpointer machine)
{
    static const char *const types[] = {"allreduce", "allgather", "alltoall", "bcast"};
    static const guint bytes[] = {8, 65536, 1 << 20};
    for (guint i = 0; i < G_N_ELEMENTS(types); i++)
        for (guint b = 0; b < G_N_ELEMENTS(bytes); b++) {
            g_autofree char *call = call_of(types[i], bytes[b]);
            g_autofree char *workload = g_strdup_printf(
                "type: %s, bytes: %u B, library: nccl, algorithm: auto", types[i], bytes[b]);
            double expected = job_ps(machine, workload, "");
            double ps = trace_by_ps(machine, call, ", library: nccl", "");
            if (ABS(ps / expected - 1) > TOLERANCE)
                g_error("%s of %u B on %s: %.0f ps as a trace, %.0f as a workload", types[i],
                        bytes[b], (const char *)machine, ps, expected);
        }
}

/* NCCL's rings and trees go by node there, and where ranks go around the nodes. */
static void test_nccl_uneven(void)
{
    static const char *const types[] = {"allreduce", "allgather"};
    static const char *const endpoints[] = {
        "[0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]",
        "[0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15]"};
    for (guint k = 0; k < G_N_ELEMENTS(endpoints); k++)
        for (guint i = 0; i < G_N_ELEMENTS(types); i++) {
            g_autofree char *call = call_of(types[i], 1 << 20);
            g_autofree char *keys =
                g_strconcat(", mechanism: direct, placement: ", endpoints[k], NULL);
            g_autofree char *workload =
                g_strdup_printf("type: %s, bytes: 1 MiB, library: nccl, algorithm: auto", types[i]);
            double expected = job_ps("alps", workload, keys);
            double ps = trace_by_ps("alps", call, ", library: nccl", keys);
            g_assert_cmpfloat(ABS(ps / expected - 1), <, TOLERANCE);
        }
}

/* Longer than a block of the machine's MPI, which does one after another. */
static void test_blocks(void)
{
    expect_alike("lumi", "allreduce", 10 << 20, "");
}

/* A mechanism that is named is all that a job has; rules by protocol are still of each call. */
static void test_named(void)
{
    expect_alike("leonardo", "allreduce", 65536, ", mechanism: gpu-mpi");
    expect_alike("lumi", "allreduce", 65536, ", mechanism: gpu-mpi-reduce");
    expect_alike("lumi", "allreduce", 1 << 20, ", mechanism: gpu-mpi-reduce");
}

/* Each call of a trace has its own costs: together about as long as one after the other. */
static void test_mixed(void)
{
    static const char *const calls[] = {"reduce 65536 0 0 6", "alltoall 65536 65536 6 6",
                                        "allreduce 65536 0 6", "bcast 65536 0 6"};
    g_autofree char *all = g_strjoin("\n", calls[0], calls[1], calls[2], calls[3], NULL);
    double sum = 0;
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
        sum += trace_ps("leonardo", calls[i], "");
    double ps = trace_ps("leonardo", all, "");
    g_assert_cmpfloat(ps, >, 0.8 * sum);
    g_assert_cmpfloat(ps, <, 1.05 * sum);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/trace-collectives/alps", "alps", test_alike);
    g_test_add_data_func("/trace-collectives/alps-cpu", ON_CPUS("alps"), test_alike);
    g_test_add_data_func("/trace-collectives/lumi", "lumi", test_alike);
    g_test_add_data_func("/trace-collectives/lumi-cpu", ON_CPUS("lumi"), test_alike);
    g_test_add_data_func("/trace-collectives/leonardo", "leonardo", test_alike);
    g_test_add_data_func("/trace-collectives/frontier", "frontier", test_alike);
    g_test_add_data_func("/trace-collectives/nccl-alps", "alps", test_nccl);
    g_test_add_data_func("/trace-collectives/nccl-leonardo", "leonardo", test_nccl);
    g_test_add_func("/trace-collectives/uneven", test_uneven);
    g_test_add_func("/trace-collectives/nccl-uneven", test_nccl_uneven);
    g_test_add_func("/trace-collectives/blocks", test_blocks);
    g_test_add_func("/trace-collectives/named", test_named);
    g_test_add_func("/trace-collectives/mixed", test_mixed);
    return g_test_run();
}
