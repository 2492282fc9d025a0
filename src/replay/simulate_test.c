/* simulate_test.c - a run file to results over the real engine, and what is found before it starts.
 *
 * The machine is named by DARNER_ROOT's topologies: h200x4, four GPUs behind an NVSwitch. */
#include "replay/simulate.h"

#include <glib/gstdio.h>
#include <string.h>

static DnSimulation *simulate(const char *text, gboolean (*beat)(void *, gint64, guint64, guint64),
                              GError **error)
{
    g_autofree char *path = NULL;
    g_autoptr(GError) problem = NULL;
    gint fd = g_file_open_tmp("darner-XXXXXX.yaml", &path, &problem);
    g_assert_no_error(problem);
    g_assert_true(g_close(fd, NULL));
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    g_autoptr(DnScenario) scenario = dn_scenario_load(path, NULL, NULL, 0, error);
    g_assert_cmpint(g_unlink(path), ==, 0);
    if (!scenario)
        return NULL;
    return dn_simulate(scenario, beat, NULL, error);
}

static DnSimulation *simulate_well(const char *text)
{
    g_autoptr(GError) error = NULL;
    DnSimulation *simulation = simulate(text, NULL, &error);
    g_assert_no_error(error);
    return simulation;
}

/* Two jobs on their own pairs of GPUs: what each gets is what it asked for; a larger message takes
 * longer by its bytes at no more than the link's rate. */
static void test_jobs(void)
{
    g_autoptr(DnSimulation) s = simulate_well(
        "machine: h200x4\njobs:\n"
        " - {name: small, workload: {type: pingpong, bytes: 1 B}, ranks: 2, iterations: 4}\n"
        " - {name: large, workload: {type: pingpong, bytes: 64 MiB}, ranks: 2, iterations: 3}\n");
    g_assert_cmpuint(s->n_jobs, ==, 2);
    const DnJobResult *small = &s->jobs[0], *large = &s->jobs[1];
    g_assert_cmpstr(small->name, ==, "small");
    g_assert_cmpstr(small->workload, ==, "pingpong");
    g_assert_cmpuint(small->n_iterations, ==, 4);
    g_assert_cmpuint(large->n_iterations, ==, 3);
    g_assert_cmpuint(small->messages, ==, 8);
    g_assert_cmpuint(large->messages, ==, 6);
    g_assert_cmpuint(large->n_latency, ==, 6);
    g_assert_cmpuint(large->endpoints[0], ==, 2);
    g_assert_cmpuint(large->endpoints[1], ==, 3);
    g_assert_cmpfloat(large->goodput_bytes, ==, 64.0 * (1 << 20));
    /* 18 links of 26.562 GB/s a GPU (nvlink.txt): 64 MiB take at least 140 us. */
    gint64 wire_ps = (gint64)(64.0 * (1 << 20) / (18 * 26.562e9) * 1e12);
    g_assert_cmpint(large->iteration_ps[1] - small->iteration_ps[1], >, wire_ps);
    g_assert_cmpint(large->iteration_ps[1] - small->iteration_ps[1], <, wire_ps * 3 / 2);
    /* Nothing else moves: iterations are alike but for the rounding of half a picosecond. */
    g_assert_cmpint(ABS(large->iteration_ps[1] - large->iteration_ps[2]), <=, 1);
    g_assert_cmpuint(s->engine.messages, ==, 14);
    g_assert_cmpuint(s->warnings->len, ==, 0);
}

/* Equal seeds, equal results; another seed, other traffic; two equal jobs do not send in step. */
static void test_seed(void)
{
    gint64 end[3], first[3][2];
    for (guint i = 0; i < 3; i++) {
        g_autofree char *text = g_strdup_printf(
            "machine: h200x4\nseed: %u\njobs:\n"
            " - {name: a, workload: {type: uniform, bytes: 64 KiB, load: 0.5, rate: 3 Tb/s,"
            " messages: 50}, placement: [0, 1, 2, 3]}\n"
            " - {name: b, workload: {type: uniform, bytes: 64 KiB, load: 0.5, rate: 3 Tb/s,"
            " messages: 50}, placement: [0, 1, 2, 3]}\n",
            i == 2 ? 9u : 8u);
        g_autoptr(DnSimulation) s = simulate_well(text);
        g_assert_cmpuint(s->jobs[0].one_sided_messages, ==, 200);
        end[i] = s->engine.end_ps;
        first[i][0] = s->jobs[0].iteration_ps[0];
        first[i][1] = s->jobs[1].iteration_ps[0];
    }
    g_assert_cmpint(end[0], ==, end[1]);
    g_assert_cmpint(first[0][0], ==, first[1][0]);
    g_assert_cmpint(first[0][1], ==, first[1][1]);
    g_assert_cmpint(end[0], !=, end[2]);
    g_assert_cmpint(first[0][0], !=, first[0][1]);
}

static void test_until(void)
{
    g_autoptr(DnSimulation)
        s = simulate_well("machine: h200x4\nuntil: 100 us\njobs:\n"
                          " - {workload: {type: ring, bytes: 16 MiB}, iterations: 50}\n");
    g_assert_cmpuint(s->jobs[0].n_iterations, >=, 1);
    g_assert_cmpuint(s->jobs[0].n_iterations, <, 5);
    g_assert_cmpuint(s->warnings->len, ==, 1);
    g_assert_nonnull(strstr(g_ptr_array_index(s->warnings, 0), "of 50 iterations before `until`"));
}

static gboolean stop(void *data, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    return FALSE;
}

static void test_interrupted(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(simulate("machine: h200x4\njobs:\n"
                           " - {workload: {type: ring, bytes: 1 GiB}, iterations: 1000}\n",
                           stop, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_INTERRUPTED);
}

static void expect_error(const char *text, DnError code, const char *in_message)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(simulate(text, NULL, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    if (!strstr(error->message, in_message))
        g_error("'%s' lacks '%s'", error->message, in_message);
}

static void test_errors(void)
{
#define RING "jobs:\n - {workload: {type: ring, bytes: 1 B}"
    expect_error("machine: h200x4\nengine: pocket\n" RING "}\n", DN_ERROR_UNKNOWN,
                 ":2:9: unknown engine 'pocket'; did you mean 'packet'");
    expect_error("machine: h200x5\n" RING "}\n", DN_ERROR_UNKNOWN, "h200x4");
    expect_error("machine: h200x4\n" RING ", ranks: 5}\n", DN_ERROR_RANGE, ":3:48: ");
    expect_error("machine: h200x4\n" RING ", service_level: 15}\n", DN_ERROR_RANGE,
                 "service level 15");
    expect_error("machine: h200x4\n" RING ", mechanism: d2e}\n", DN_ERROR_UNKNOWN,
                 "did you mean 'd2d'");
    expect_error("machine: h200x4\nrouting: {algorithm: minimal, colour: red}\n" RING "}\n",
                 DN_ERROR_UNKNOWN, "colour");
    expect_error("machine: h200x4\njobs:\n - {workload: alltoal}\n", DN_ERROR_UNKNOWN,
                 "no workload 'alltoal'");
    expect_error("machine: h200x4\npacket: {max_memory: 1 MiB}\njobs:\n"
                 " - {workload: {type: ring, bytes: 1 B}, iterations: 1000000}\n",
                 DN_ERROR_MEMORY, "packet.max_memory allows 1 MiB");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/simulate/jobs", test_jobs);
    g_test_add_func("/simulate/seed", test_seed);
    g_test_add_func("/simulate/until", test_until);
    g_test_add_func("/simulate/interrupted", test_interrupted);
    g_test_add_func("/simulate/errors", test_errors);
    return g_test_run();
}
