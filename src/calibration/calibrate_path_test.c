/* calibrate_path_test.c - the path that calibration subtracts is the one that the engines take. */
#include "calibration/calibrate_path.h"

#include "engine/packet/packet_bench.h"

#define LINK "{bandwidth: 40 Gb/s, latency: 20 ns, buffer: 32 KiB}"
#define TORUS(nic)                                                                                 \
    "{fabric: {type: torus, assumed: for a test, dims: [4, 4, 4], terminals_per_switch: 1, "       \
    "links: {terminal: " LINK ", link: " LINK "}, switch: {latency: 100 ns}}, " nic                \
    "hardware: {assumed: for a test, packet: 1 KiB, header: 0 B}}"

/* From terminal 0 to its neighbour: three wires and two switches, 260 ns; 100 ns of the source's
 * NIC and 300 ns of the target's when these take 400 ns. A message without bytes takes as long. */
static void calibrate_path_check(const char *machine, double expected_us)
{
    DnCalibratePath path;
    GError *error = NULL;
    g_assert_true(dn_calibrate_path(machine, "0,1", &path, &error));
    g_assert_no_error(error);
    g_assert_cmpfloat_with_epsilon(path.latency_us, expected_us, 1e-9);
    for (const DnEngineType *const *type = dn_engine_types; *type != NULL; type++) {
        Bench b;
        DnMessage message = {.src = 0, .dst = 1};
        bench_open(&b, machine, NULL);
        b.engine = (*type)->name;
        bench_run(&b, &message, 1, FALSE, 1024);
        g_assert_cmpfloat_with_epsilon((double)packet_bench_at(&b, 0) * 1e-6, expected_us, 1e-9);
        bench_close(&b);
    }
}

static void test_latency(void)
{
    calibrate_path_check(TORUS(""), 0.26);
}

static void test_nic_latency(void)
{
    calibrate_path_check(TORUS("nic: {latency: 400 ns}, "), 0.66);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/calibrate-path/latency", test_latency);
    g_test_add_func("/calibrate-path/nic-latency", test_nic_latency);
    return g_test_run();
}
