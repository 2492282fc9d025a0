/* mpi_machine_test.c - What a job gets that names no mechanism: of MPI the costs, the library's
 * choice and the staging of its machine; of NCCL its channels and window; and that a run that names
 * no routing has its machine's. */
#include "config/test_run_spec.h"
#include "experiment/simulate.h"
#include "runtime/mode_rules.h"

/* (transfer full): on two nodes of @machine. */
static DnRunResult *mpi_machine_run(const char *machine, const char *workload,
                                    const char *mechanism)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *yaml = g_strdup_printf(
        "machine: %s\nnodes: 2\njobs:\n - {workload: {%s}%s%s}\n", machine, workload,
        mechanism != NULL ? ", mechanism: " : "", mechanism != NULL ? mechanism : "");
    g_autoptr(DnRunSpec) spec = test_run_spec(yaml, NULL, &error);
    g_assert_no_error(error);
    DnRunResult *result = dn_simulate(spec, NULL, NULL, &error);
    g_assert_no_error(error);
    return result;
}

typedef struct {
    const char *machine, *workload; /* as a user writes them */
    const char *written_out;        /* what they stand for */
    const char *mechanism;
    const char *chosen;
} Default;

#define CRAY "algorithm: auto, library: cray_mpich, "
#define OMPI "algorithm: auto, library: ompi, "
static const Default defaults[] = {
    {"leonardo", "type: allreduce, bytes: 1 MiB", OMPI "staged: yes, type: allreduce, bytes: 1 MiB",
     "mpi-host-staged", "rabenseifner"},
    {"leonardo", "type: alltoall, bytes: 16 KiB", OMPI "type: alltoall, bytes: 16 KiB",
     "gpu-mpi-all", "linear_sync"},
    {"leonardo", "type: bcast, bytes: 16 KiB", OMPI "type: bcast, bytes: 16 KiB", "gpu-mpi",
     "binomial"},
    {"lumi", "type: allreduce, bytes: 10 MiB",
     CRAY "staged: yes, group: 8, block: 8 MiB, type: allreduce, bytes: 10 MiB", "gpu-mpi-reduce",
     "reduce_scatter_allgather"},
    {"frontier", "type: allreduce, bytes: 10 MiB",
     CRAY "staged: yes, group: 8, block: 8 MiB, type: allreduce, bytes: 10 MiB", "gpu-mpi-reduce",
     "reduce_scatter_allgather"},
    {"lumi", "type: alltoall, bytes: 8 B", CRAY "group: 8, type: alltoall, bytes: 8 B", "gpu-mpi",
     "brucks"},
    {"alps", "type: allreduce, bytes: 64 KiB",
     CRAY "staged: yes, group: 4, block: 8 MiB, type: allreduce, bytes: 64 KiB", "gpu-mpi-reduce",
     "smp"},
    {"{name: lumi, endpoints: cpu}", "type: allreduce, bytes: 16 KiB",
     CRAY "group: 4, type: allreduce, bytes: 16 KiB", "mpi-host", "smp"},
    {"lumi", "type: alltoall, bytes: 256 KiB, library: nccl",
     "algorithm: auto, library: rccl, channels: 16, window: 1, group: 8, type: alltoall, bytes: "
     "256 "
     "KiB",
     "ccl-group", "grouped send/recv, Simple"},
    {"alps", "type: alltoall, bytes: 256 KiB, library: nccl",
     "algorithm: auto, library: nccl, channels: 8, window: 8, group: 4, type: alltoall, bytes: 256 "
     "KiB",
     "ccl-group", "grouped send/recv, Simple"},
    /* an algorithm that is named is MPI's own, on no staging buffer */
    {"leonardo", "algorithm: ring, type: allreduce, bytes: 1 MiB",
     OMPI "algorithm: ring, type: allreduce, bytes: 1 MiB", "gpu-mpi", NULL},
};

/* A job by the machine's defaults takes as long as one that writes all of them out. */
static void test_default(gconstpointer data)
{
    const Default *d = data;
    g_autoptr(DnRunResult) by_default = mpi_machine_run(d->machine, d->workload, NULL);
    const char *text = d->chosen != NULL ? d->written_out : d->workload;
    g_autoptr(DnRunResult) written = mpi_machine_run(d->machine, text, d->mechanism);
    g_assert_cmpint(by_default->jobs[0].iteration_ps[0], ==, written->jobs[0].iteration_ps[0]);
    g_assert_cmpstr(by_default->jobs[0].chosen, ==, d->chosen);
}

/* What a run names holds: another library, no staging; with another mechanism than the default its
 * costs are all. */
static void test_named(void)
{
    g_autoptr(DnRunResult)
        staged = mpi_machine_run("leonardo", "type: allreduce, bytes: 1 MiB", NULL);
    g_autoptr(DnRunResult)
        plain = mpi_machine_run("leonardo", "staged: no, type: allreduce, bytes: 1 MiB", NULL);
    g_assert_cmpint(staged->jobs[0].iteration_ps[0], >, 2 * plain->jobs[0].iteration_ps[0]);
    g_autoptr(DnRunResult)
        named = mpi_machine_run("leonardo", "type: allreduce, bytes: 1 MiB", "gpu-mpi");
    g_assert_cmpint(named->jobs[0].iteration_ps[0], ==, plain->jobs[0].iteration_ps[0]);
    g_assert_cmpstr(named->jobs[0].chosen, ==, "rabenseifner");
    g_autoptr(DnRunResult)
        own = mpi_machine_run("leonardo", "type: allreduce, bytes: 1 MiB", "mpi-host-staged");
    g_assert_cmpint(own->jobs[0].iteration_ps[0], ==, staged->jobs[0].iteration_ps[0]);
    g_autoptr(DnRunResult)
        other = mpi_machine_run("lumi", "library: mpich, type: alltoall, bytes: 8 B", NULL);
    g_assert_cmpstr(other->jobs[0].chosen, ==, "brucks");
}

static gint64 machine_ps(const char *machine, const char *workload, const char *mechanism)
{
    g_autoptr(DnRunResult) result = mpi_machine_run(machine, workload, mechanism);
    return result->jobs[0].iteration_ps[0];
}

/* A barrier's messages have no buffer: between processes with GPUs it has the costs of MPI between
 * hosts, or less where those of the GPUs are less, and so has any message of 0 bytes. One of 1
 * byte has the GPUs', as have costs that a run writes out itself. */
static void test_barrier(void)
{
    static const char *const gpu[][2] = {{"alps", "gpu-mpi"},         {"leonardo", "gpu-mpi"},
                                         {"frontier", "mpi-kernels"}, {"lumi", "gpu-mpi"},
                                         {"frontier", "gpu-mpi"},     {"tuolumne", "gpu-mpi"},
                                         {"tuolumne", "mpi-kernels"}};
    static const gboolean by_host[] = {TRUE, TRUE, TRUE, FALSE, FALSE, FALSE, TRUE};
    static const char *const empty[] = {"type: barrier", "type: pingpong, bytes: 0 B"};
    for (guint i = 0; i < G_N_ELEMENTS(gpu); i++) {
        const char *machine = gpu[i][0];
        for (guint w = 0; w < G_N_ELEMENTS(empty); w++) {
            gint64 ps = machine_ps(machine, empty[w], gpu[i][1]);
            gint64 host_ps = machine_ps(machine, empty[w], "mpi-host");
            g_assert_cmpfloat((double)ps, <=, 1.05 * (double)host_ps);
            g_assert_true((double)ps >= 0.95 * (double)host_ps || !by_host[i]);
        }
        g_assert_cmpint(machine_ps(machine, "type: pingpong, bytes: 1 B", gpu[i][1]), !=,
                        machine_ps(machine, "type: pingpong, bytes: 1 B", "mpi-host"));
    }
    /* and so has the barrier before a reduction by kernels, whose own messages start after 17 us */
    g_assert_cmpint(machine_ps("lumi", "type: allreduce, bytes: 1 MiB, barrier: yes", NULL), <,
                    machine_ps("lumi", "type: allreduce, bytes: 1 MiB", NULL) + 5000000);
    static const char written[] = "{type: gpu_mpi, t_start: 1 ms}";
    g_assert_cmpint(machine_ps("alps", "type: barrier", written), >, 1000000000);
}

/* A run that names no routing is routed as the machine is: on Aries packet by packet, alltoalls by
 * a mode of their own. */
static void test_aries(void)
{
    static const char *const machines[] = {"cori", "piz-daint"};
    static const char *const modes[] = {"ADAPTIVE_0", "ADAPTIVE_1"};
    static const char *const workloads[] = {"pingpong", "alltoall"};
    for (guint i = 0; i < 4; i++) {
        g_autofree char *workload = g_strdup_printf("type: %s, bytes: 8 B", workloads[i & 1]);
        g_autoptr(DnRunResult) result = mpi_machine_run(machines[i >> 1], workload, NULL);
        const DnRouter *router = result->router;
        guint8 mode = dn_mode_default(router, NULL, workloads[i & 1]);
        g_assert_cmpstr(router->type->name, ==, "aries");
        g_assert_cmpstr(router->type->modes[mode], ==, modes[i & 1]);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(defaults); i++) {
        g_autofree char *path = g_strdup_printf("/mpi-machine/default/%u", i);
        g_test_add_data_func(path, &defaults[i], test_default);
    }
    g_test_add_func("/mpi-machine/named", test_named);
    g_test_add_func("/mpi-machine/barrier", test_barrier);
    g_test_add_func("/mpi-machine/aries", test_aries);
    return g_test_run();
}
