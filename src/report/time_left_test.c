/* time_left_test.c - Tests of the time left: with a clock of their own, points whose time is a
 * constant plus a multiple of their packet-hops. */
#include "report/time_left.h"

#include <math.h>

#define S G_USEC_PER_SEC

static const gint64 no_until[16];

/* A clock that stops at 100: 25 is a quarter, whatever the hops say. */
static void test_share(void)
{
    const double work[3] = {10.0, 4.0, 0.0};
    const gint64 until_ps[3] = {100, 0, 0};
    g_autoptr(DnTimeLeft) left = dn_time_left_new(3, 1, work, until_ps, 0);
    dn_time_left_update(left, 0, 25, 9, 0);
    dn_time_left_update(left, 1, 25, 3, 0);
    dn_time_left_update(left, 2, 25, 3, 0);
    g_assert_cmpfloat(dn_time_left_share(left, 0), ==, 0.25);
    g_assert_cmpfloat(dn_time_left_share(left, 1), ==, 0.75);
    g_assert_true(isnan(dn_time_left_share(left, 2)));
    g_assert_true(isnan(dn_time_left_seconds(left, S)));
    dn_time_left_update(left, 1, 25, 8, 0); /* more than expected */
    g_assert_cmpfloat(dn_time_left_share(left, 1), ==, 0.99);
}

/* One point of 10 s: its share says so; beyond what was expected nobody knows, rather than "0 s".
 * */
static void test_single(void)
{
    const double work[1] = {100.0};
    g_autoptr(DnTimeLeft) left = dn_time_left_new(1, 1, work, no_until, 0);
    dn_time_left_update(left, 0, 1, 0, 0);
    g_assert_true(isnan(dn_time_left_seconds(left, 1 * S)));
    dn_time_left_update(left, 0, 25, 25, 2.5 * S);
    g_assert_cmpfloat_with_epsilon(dn_time_left_seconds(left, 2.5 * S), 7.5, 1e-6);
    dn_time_left_update(left, 0, 250, 250, 25 * S);
    g_assert_true(isnan(dn_time_left_seconds(left, 25 * S)));
}

/* Points of 1 s + 10 ms a hop, in order: after two of them the rest is known. */
static void test_fit(void)
{
    const double work[4] = {100.0, 200.0, 300.0, 400.0};
    g_autoptr(DnTimeLeft) left = dn_time_left_new(4, 1, work, no_until, 0);
    dn_time_left_update(left, 0, 1, 1, 0);
    dn_time_left_done(left, 0, 2 * S);
    dn_time_left_update(left, 1, 1, 1, 2 * S);
    dn_time_left_done(left, 1, 5 * S);
    g_assert_cmpfloat_with_epsilon(dn_time_left_seconds(left, 5 * S), 9.0, 1e-6);
    dn_time_left_update(left, 2, 1, 1, 5 * S);
    g_assert_cmpfloat_with_epsilon(dn_time_left_seconds(left, 6 * S), 8.0, 1e-6);
    g_assert_cmpuint(dn_time_left_points_done(left), ==, 2);
    g_assert_cmpuint(dn_time_left_points_running(left), ==, 1);
}

/* Equal points, four at once: a quarter of their sum, but no less than one of them. Those that were
 * done by an earlier process cost nothing and say nothing. */
static void test_jobs(void)
{
    double work[16];
    for (guint p = 0; p < 16; p++)
        work[p] = 50.0;
    g_autoptr(DnTimeLeft) left = dn_time_left_new(16, 4, work, no_until, 0);
    for (guint p = 0; p < 3; p++)
        dn_time_left_skip(left, p);
    g_assert_true(isnan(dn_time_left_seconds(left, 1 * S)));
    for (guint p = 3; p < 7; p++)
        dn_time_left_update(left, p, 0, 0, 0);
    for (guint p = 3; p < 7; p++)
        dn_time_left_done(left, p, 4 * S);
    g_assert_cmpfloat_with_epsilon(dn_time_left_seconds(left, 4 * S), 9.0, 1e-6);
    for (guint p = 7; p < 15; p++)
        dn_time_left_skip(left, p);
    g_assert_cmpfloat_with_epsilon(dn_time_left_seconds(left, 4 * S), 4.0, 1e-6);
}

/* A point that is a thousand times larger than any before says nothing until it is under way. */
static void test_larger(void)
{
    const double work[2] = {10.0, 10000.0};
    g_autoptr(DnTimeLeft) left = dn_time_left_new(2, 1, work, no_until, 0);
    dn_time_left_done(left, 0, S / 100);
    g_assert_true(isnan(dn_time_left_seconds(left, S / 100)));
    dn_time_left_update(left, 1, 1, 0, 0);
    dn_time_left_update(left, 1, 2, 1000, 10 * S);
    g_assert_cmpfloat_with_epsilon(dn_time_left_seconds(left, 10 * S), 90.0, 1e-6);
    dn_time_left_update(left, 1, 0, 10, 11 * S); /* it begins again: as often as it likes */
    g_assert_true(isnan(dn_time_left_seconds(left, 11 * S)));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report/time-left/share", test_share);
    g_test_add_func("/report/time-left/single", test_single);
    g_test_add_func("/report/time-left/fit", test_fit);
    g_test_add_func("/report/time-left/jobs", test_jobs);
    g_test_add_func("/report/time-left/larger", test_larger);
    return g_test_run();
}
