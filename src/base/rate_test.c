/* rate_test.c - bytes, rates and times by hand. */
#include "base/rate.h"

static void test_time(void)
{
    g_assert_cmpfloat(dn_rate_time(1000, 80e9), ==, 100000.0); /* 80 Gb/s: 100 ps a byte */
    g_assert_cmpint(dn_rate_time_ps(1000, 80e9), ==, 100000);
    g_assert_cmpint(dn_rate_time_ps(1, 3e12), ==, 3);   /* 2.67 */
    g_assert_cmpint(dn_rate_time_ps(1, 3.2e12), ==, 3); /* 2.5: upward */
    g_assert_cmpint(dn_rate_time_ps(1, 6e12), ==, 1);   /* 1.33 */
    g_assert_cmpint(dn_rate_time_ps(0, 1), ==, 0);
    g_assert_cmpint(dn_rate_time_ps(1e18, 1), ==, G_MAXINT64);
}

static void test_inverse(void)
{
    g_assert_cmpfloat(dn_rate_bytes(100000, 80e9), ==, 1000.0);
    g_assert_cmpfloat(dn_rate_bps(1000, 100000), ==, 80e9);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rate/time", test_time);
    g_test_add_func("/rate/inverse", test_inverse);
    return g_test_run();
}
