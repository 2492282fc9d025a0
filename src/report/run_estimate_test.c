/* run_estimate_test.c - Seconds of a whole run from a part of one point. */
#include "report/run_estimate.h"
#include <math.h>
#include <string.h>

static const guint points[] = {0, 1, 2};
static const double runs[] = {1.0, 1.0, 1.0};

/* A quarter of the packet-hops of point 1 took 2 s: 8 s for it, 4 s and 16 s for the others;
 * with repetitions three times and twice as much. */
static void test_hops(void)
{
    static const double hops[] = {50.0, 100.0, 200.0};
    static const gint64 until_ps[] = {0, 0, 0};
    DnEstimateSample sample = {.point = 1, .elapsed_s = 2.0, .now_ps = 5, .packet_hops = 25};
    g_assert_cmpfloat_with_epsilon(dn_run_estimate_s(hops, until_ps, runs, points, 3, &sample),
                                   28.0, 1e-9);
    g_assert_cmpfloat_with_epsilon(dn_run_estimate_s(hops, until_ps, runs, points + 2, 1, &sample),
                                   16.0, 1e-9);
    static const double repeated[] = {1.0, 3.0, 2.0};
    g_assert_cmpfloat_with_epsilon(dn_run_estimate_s(hops, until_ps, repeated, points, 3, &sample),
                                   60.0, 1e-9);
    sample.packet_hops = 0;
    g_assert_true(isnan(dn_run_estimate_s(hops, until_ps, runs, points, 3, &sample)));
}

/* The clock of each stops at a known time, whatever moves until then. */
static void test_until(void)
{
    static const double hops[] = {0.0, 7.0, 0.0};
    static const gint64 until_ps[] = {1000, 2000, 4000}, one_open[] = {1000, 2000, 0};
    DnEstimateSample sample = {.point = 0, .elapsed_s = 3.0, .now_ps = 500, .packet_hops = 1};
    g_assert_cmpfloat_with_epsilon(dn_run_estimate_s(hops, until_ps, runs, points, 3, &sample),
                                   42.0, 1e-9);
    g_assert_true(isnan(dn_run_estimate_s(hops, one_open, runs, points, 3, &sample)));
}

static void test_text(void)
{
    g_autofree char *text = dn_run_estimate_text(7200.0, 1);
    g_assert_nonnull(strstr(text, "about 2 h 0 min in one process for 1 point, "));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/run-estimate/hops", test_hops);
    g_test_add_func("/run-estimate/until", test_until);
    g_test_add_func("/run-estimate/text", test_text);
    return g_test_run();
}
