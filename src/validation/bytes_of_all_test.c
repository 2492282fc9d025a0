/* bytes_of_all_test.c - sizes of nccl-tests, by workload and ranks of a job. */
#include "validation/bytes_of_all.h"
#include "base/error.h"

static gint64 find_divisor(const char *job_yaml, guint32 ranks, GError **error)
{
    g_autoptr(DnConfigNode) node = dn_config_parse(job_yaml, "run.yaml", error);
    DnJobSpec job = {.name = (char *)"a",
                     .ranks = ranks,
                     .workload = dn_config_get(node, "workload"),
                     .node = node};
    return dn_bytes_of_all(&job, error);
}

static void test_divisor(void)
{
    static const struct {
        const char *job;
        guint32 ranks;
        gint64 divisor;
    } rows[] = {{"workload: {type: alltoall}", 4, 4},
                {"workload: {type: allgather}", 6, 6},
                {"workload: {type: reduce_scatter}", 2, 2},
                {"workload: {type: allreduce}", 4, 1},
                {"workload: {type: allreduce}", 0, 1},
                {"workload: alltoall", 8, 8},
                {"workload: {type: alltoall, communicator: [0, 2]}", 16, 2},
                {"workload: {type: allgather, communicator: [0, 2, 4]}", 0, 3}};
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_cmpint(find_divisor(rows[i].job, rows[i].ranks, &error), ==, rows[i].divisor);
        g_assert_no_error(error);
    }
}

static void test_unknown_ranks(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_cmpint(find_divisor("workload: {type: alltoall}", 0, &error), ==, 0);
    g_assert_error(error, DN_ERROR, DN_ERROR_MISSING);
    g_assert_cmpstr(error->message, ==,
                    "run.yaml:1:1: nccl-tests counts the bytes of all ranks, and job a does not "
                    "say how many it has; wanted: ranks, or divide_bytes in the mapping of the "
                    "measurements");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/bytes_of_all/divisor", test_divisor);
    g_test_add_func("/bytes_of_all/unknown-ranks", test_unknown_ranks);
    return g_test_run();
}
