/* partition_test.c - Tests of which domains run together. */
#include "engine/packet/packet_bench.h"

static void no_start(void *data, DnContext *context, guint32 endpoint)
{
}

static const DnClient idle_client = {.start = no_start};

/* Active endpoints of each of two threads; those of the first @n_active take part. */
static void active_of_threads(guint n_active, guint16 jobs, guint counts[2])
{
    Bench b;
    DnPacketEngine e;
    GError *error = NULL;
    guint32 active[40];
    guint16 active_jobs[40];
    bench_open(&b, BENCH_DRAGONFLY(""), NULL);
    for (guint32 i = 0; i < n_active; i++) {
        active[i] = i;
        active_jobs[i] = (guint16)(i * jobs / n_active);
    }
    DnEngineRun run = {.router = b.router,
                       .packet_bytes = 1024,
                       .threads = 2,
                       .active = active,
                       .active_jobs = active_jobs,
                       .n_active = n_active,
                       .n_jobs = jobs,
                       .client = &idle_client};
    dn_packet_engine_init(&e, &run, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(e.threads.n_partitions, ==, 2);
    counts[0] = counts[1] = 0;
    for (guint i = 0; i < n_active; i++) {
        guint32 state = e.net.state_of[b.machine->graph->endpoints[i]];
        counts[e.threads.partition_of[dn_domain_of(&e, state)]]++;
    }
    dn_packet_engine_clear(&e);
    bench_close(&b);
}

/* A job on the first 16 of 40 endpoints is shared, not given to one thread with its ports. */
static void test_load_is_shared(void)
{
    guint counts[2];
    active_of_threads(16, 1, counts);
    g_assert_cmpuint(MIN(counts[0], counts[1]), >=, 4);
    active_of_threads(40, 1, counts);
    g_assert_cmpuint(MIN(counts[0], counts[1]), >=, 14);
}

/* Two jobs that do not talk to each other: each runs mostly in a thread of its own. */
static void test_jobs_stay_together(void)
{
    guint counts[2];
    active_of_threads(40, 2, counts);
    g_assert_cmpuint(MIN(counts[0], counts[1]), >=, 14);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/partition/load-is-shared", test_load_is_shared);
    g_test_add_func("/partition/jobs-stay-together", test_jobs_stay_together);
    return g_test_run();
}
