/* what_if_test.c - Runs without the costs of endpoints. */
#include "config/test_run_spec.h"
#include "experiment/simulate.h"

/* Without endpoint costs an exchange takes what its wires take, also where sends wait for their
 * acknowledgement: t_ack and t_progress are costs of the ends. */
static void test_what_if_endpoint(void)
{
    static const char *const costs[] = {
        "{type: host_mpi, acknowledged: true}",
        "{type: host_mpi, acknowledged: true, t_ack: 5 us, t_progress: 3 us, t_recv: 2 us}"};
    gint64 times_ps[2];
    for (guint i = 0; i < 2; i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = g_strdup_printf(
            "machine: torus-4x4x4\njobs:\n - {ranks: 4, workload: {type: allgather, "
            "bytes: 512 B, algorithm: ring}, mechanism: %s}\n",
            costs[i]);
        g_autoptr(DnRunSpec) spec = test_run_spec(text, NULL, &error);
        g_assert_no_error(error);
        const DnRunOptions options = {.what_if = {.unlimited = i == 1 ? DN_WHAT_IF_ENDPOINT : 0}};
        g_autoptr(DnRunResult) result = dn_simulate(spec, &options, NULL, &error);
        g_assert_no_error(error);
        times_ps[i] = result->jobs[0].iteration_ps[0];
    }
    g_assert_cmpint(times_ps[0], ==, times_ps[1]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/what-if/endpoint", test_what_if_endpoint);
    return g_test_run();
}
