/* staging_test.c - messages staged through hosts over the real engines, in closed form.
 *
 * Every link: 100 Gb/s, 80 ps a byte, 1 us; a message of 125,000 B is one packet of T = 10 us, so
 * each leg is whole after T + 1 us a link. t_start 1, t_host 2, t_device 4, t_recv 8 us. */
#include "experiment/simulate.h"
#include "config/test_run_spec.h"

#include <string.h>

#define US G_GINT64_CONSTANT(1000000)
#define LINK "{bandwidth: 100 Gb/s, latency: 1 us, buffer: 1 MiB}"
#define REST                                                                                       \
    "\npacket: {size: 1 MiB}\n"                                                                    \
    "jobs:\n - {workload: {type: flows, bytes: 125000 B, flows: [[0, 1]]}, mechanism: {"           \
    "type: staging, t_start: 1 us, t_host: 2 us, t_device: 4 us, t_recv: 8 us, "                   \
    "host_rate: 200 Gb/s}}\n"

static DnRunResult *simulate_with(const char *machine, const char *rest, const char *engine,
                                  GError **error)
{
    g_autofree char *text = g_strconcat(machine, rest, engine, NULL);
    g_autoptr(DnRunSpec) spec = test_run_spec(text, NULL, error);
    return spec ? dn_simulate(spec, NULL, NULL, error) : NULL;
}

static DnRunResult *staging_simulate(const char *machine, const char *engine, GError **error)
{
    return simulate_with(machine, REST, engine, error);
}

/* The machine's packets are as large as those of the runs: none stands for several. */
#define OWN_PACKET "  hardware: {packet: 1 MiB}\n"
#define OWN_CPUS                                                                                   \
    "machine:\n" OWN_PACKET "  node:\n    vertices: [{name: gpu, kind: gpu, count: 2}, "           \
    "{name: cpu, kind: cpu, count: 2}]\n    links: {wire: " LINK "}\n    edges:\n"                 \
    "      - {pairwise: [gpu, cpu], class: wire}\n      - {link: [cpu0, cpu1], class: wire}\n"
#define ONE_CPU                                                                                    \
    "machine:\n" OWN_PACKET "  node:\n    vertices: [{name: gpu, kind: gpu, count: 2}, "           \
    "{name: cpu, kind: cpu}]\n    links: {wire: " LINK "}\n    edges:\n"                           \
    "      - {each: [gpu, cpu], class: wire}\n"
#define TWO_NODES                                                                                  \
    "machine:\n" OWN_PACKET "  nodes: 2\n  fabric:\n    type: full_mesh\n    switches: 1\n"        \
    "    terminals_per_switch: 2\n    links: {terminal: " LINK "}\n    switch: {latency: 0}\n"     \
    "  node:\n    vertices: [{name: gpu, kind: gpu}, {name: cpu, kind: cpu}, "                     \
    "{name: nic, kind: nic, latency: 0}]\n    links: {wire: " LINK "}\n    edges:\n"               \
    "      - {link: [gpu, cpu], class: wire}\n      - {link: [cpu, nic], class: wire}\n"           \
    "    nics: [{nic: nic, serves: [gpu, cpu]}]\n"

/* To the CPU T + 1; to the other CPU, whose copy at twice the wire's rate has ended when the last
 * byte leaves, T + 1; within one memory T / 2; or over CPU - NIC - switch - NIC - CPU T + 4; to the
 * GPU T + 1; and 15 us of costs. The engines that know no packets are within the rounding of their
 * clocks. */
static void test_legs(void)
{
    static const char *const machines[] = {OWN_CPUS, ONE_CPU, TWO_NODES};
    static const gint64 expected[] = {(11 + 11 + 11 + 15) * US, (11 + 5 + 11 + 15) * US,
                                      (11 + 14 + 11 + 15) * US};
    static const char *const engines[] = {"engine: packet\n", "engine: bound\n"};
    for (guint m = 0; m < G_N_ELEMENTS(machines); m++)
        for (guint e = 0; e < G_N_ELEMENTS(engines); e++) {
            g_autoptr(GError) error = NULL;
            g_autoptr(DnRunResult) s = staging_simulate(machines[m], engines[e], &error);
            g_assert_no_error(error);
            g_assert_cmpint(ABS(s->jobs[0].iteration_ps[0] - expected[m]), <=, 100);
            g_assert_cmpuint(s->jobs[0].messages, ==, 1);
        }
}

/* Packets of T / 10. Between the CPUs of a node at half the wire's rate: the last byte leaves when
 * all are copied, after 2 T, and takes 1. Between nodes as without. */
static void test_host_rate(void)
{
    static const char *const machines[] = {OWN_CPUS, TWO_NODES};
    static const gint64 expected[] = {(11 + 21 + 11 + 15) * US, (11 + 14 + 11 + 15) * US};
    g_auto(GStrv) parts = g_strsplit(REST, "host_rate: 200 Gb/s", 2);
    g_autofree char *slow = g_strconcat(parts[0], "host_rate: 50 Gb/s", parts[1], NULL);
    g_auto(GStrv) sizes = g_strsplit(slow, "1 MiB", 2);
    g_autofree char *rest = g_strjoinv("12500 B", sizes);
    for (guint m = 0; m < G_N_ELEMENTS(machines); m++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(DnRunResult) s = simulate_with(machines[m], rest, "", &error);
        g_assert_no_error(error);
        g_assert_cmpint(s->jobs[0].iteration_ps[0], ==, expected[m]);
    }
}

#define IN_TURN                                                                                    \
    "\npacket: {size: 1 MiB}\n"                                                                    \
    "jobs:\n - {workload: {type: flows, bytes: 125000 B, flows: [[0, 1], [0, 1], [0, 1]]}, "       \
    "mechanism: {type: staging, t_start: 1 us, t_device: 4 us, t_recv: 8 us"

/* Three messages at once; a process makes the copies of one after another. The sender's takes
 * 1 + 11 to its host, then 2 + 10 until the last byte has left for the other host, or 2 + 5 within
 * one memory. The receiver's takes as much as that copy, 2 + 5, and 4 + 11 to its GPU. Each message
 * comes after the one before it by the longer of the two. */
static void test_in_turn(void)
{
    static const char *const machines[] = {OWN_CPUS, ONE_CPU};
    static const gint64 alone[] = {(11 + 11 + 11 + 15) * US, (11 + 5 + 11 + 15) * US};
    static const gint64 each[] = {(1 + 11 + 2 + 10) * US, (2 + 5 + 4 + 11) * US};
    static const char *const engines[] = {"engine: packet\n", "engine: flow\n"};
    for (guint m = 0; m < G_N_ELEMENTS(machines); m++)
        for (guint e = 0; e < G_N_ELEMENTS(engines); e++) {
            g_autoptr(GError) error = NULL;
            g_autoptr(DnRunResult) s = simulate_with(
                machines[m], IN_TURN ", t_host: 2 us, host_rate: 200 Gb/s}}\n", engines[e], &error);
            g_assert_no_error(error);
            g_assert_cmpint(ABS(s->jobs[0].iteration_ps[0] - alone[m] - 2 * each[m]), <=, 1000);
        }
}

/* Without t_host and host_rate nobody is known to copy: the messages meet at the links alone, 10 us
 * each. */
static void test_together(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnRunResult) s = simulate_with(ONE_CPU, IN_TURN "}}\n", "", &error);
    g_assert_no_error(error);
    g_assert_cmpint(s->jobs[0].iteration_ps[0], ==, (1 + 11 + 4 + 11 + 8 + 2 * 10) * US);
}

static void expect_error(const char *machine, const char *in_message)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnRunResult) s = staging_simulate(machine, "", &error);
    g_assert_null(s);
    g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
    g_assert_nonnull(strstr(error->message, in_message));
}

static void test_errors(void)
{
    expect_error("machine: h200x4", "has no CPU to stage through");
    g_auto(GStrv) parts = g_strsplit(TWO_NODES, ", cpu]}]", 2);
    g_autofree char *no_nic = g_strconcat(parts[0], "]}]", parts[1], NULL);
    expect_error(no_nic, "has a CPU that no NIC serves");
    g_auto(GStrv) cut = g_strsplit(OWN_CPUS, "      - {link: [cpu0, cpu1], class: wire}\n", 2);
    g_autofree char *apart =
        g_strconcat(cut[0], "      - {link: [gpu0, gpu1], class: wire}\n", NULL);
    expect_error(apart, "has a CPU without a path to the others of its node");
}

/* A mechanism between hosts is none of ranks on GPUs. */
static void test_endpoints(void)
{
    static const char *const machines[] = {"machine: {name: apenet-ib8, endpoints: cpu}",
                                           "machine: apenet-ib8"};
    for (guint i = 0; i < G_N_ELEMENTS(machines); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(DnRunResult) s = simulate_with(
            machines[i], "\njobs:\n - {workload: {type: ring, bytes: 32 B}, mechanism: openmpi}\n",
            "", &error);
        if (i == 0) {
            g_assert_no_error(error);
            continue;
        }
        g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
        g_assert_nonnull(strstr(error->message, "is for ranks on cpus, and here they are on gpus"));
    }
}

/* Many messages at once by the APEnet+ cluster's libraries: a process waits for each copy from its
 * GPU, so that up to some KiB the card's reading of GPU memory is faster (figure 7). */
static void test_synchronous_copies(void)
{
    static const char *const machines[] = {"machine: apenet-4x2", "machine: apenet-ib8"};
    static const char *const mechanisms[] = {"peer-to-peer", "mvapich2"};
    gint64 took[2];
    for (guint i = 0; i < G_N_ELEMENTS(machines); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *rest =
            g_strdup_printf("\njobs:\n - {workload: {type: bandwidth, bytes: 32 B, window: 64}, "
                            "ranks: 2, mechanism: %s}\n",
                            mechanisms[i]);
        g_autoptr(DnRunResult) s = simulate_with(machines[i], rest, "", &error);
        g_assert_no_error(error);
        took[i] = s->jobs[0].iteration_ps[0];
    }
    g_assert_cmpint(took[0], <, took[1]);
    g_assert_cmpint(took[1], >, 64 * 10 * US);
}

/* Ranks of two nodes may not have a mechanism that is for messages inside a node. */
static void test_inside(void)
{
    static const char *const mechanisms[] = {"d2d",
                                             "[{to: 1 KiB, use: {t_start: 1 us}}, {use: d2d}]"};
    for (guint i = 0; i < G_N_ELEMENTS(mechanisms); i++)
        for (guint32 ranks = 8; ranks <= 9; ranks++) {
            g_autoptr(GError) error = NULL;
            g_autofree char *rest = g_strdup_printf("\nnodes: 2\njobs:\n - {workload: {type: ring, "
                                                    "bytes: 8 KiB}, ranks: %u, mechanism: %s}\n",
                                                    ranks, mechanisms[i]);
            g_autoptr(DnRunResult) s = simulate_with("machine: lumi", rest, "", &error);
            if (ranks == 8) {
                g_assert_no_error(error);
                continue;
            }
            g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
            g_assert_nonnull(strstr(error->message, "ranks 0 and 8 are on nodes 0 and 1; allowed"));
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/staging/legs", test_legs);
    g_test_add_func("/staging/host-rate", test_host_rate);
    g_test_add_func("/staging/in-turn", test_in_turn);
    g_test_add_func("/staging/together", test_together);
    g_test_add_func("/staging/errors", test_errors);
    g_test_add_func("/staging/inside", test_inside);
    g_test_add_func("/staging/endpoints", test_endpoints);
    g_test_add_func("/staging/synchronous-copies", test_synchronous_copies);
    return g_test_run();
}
