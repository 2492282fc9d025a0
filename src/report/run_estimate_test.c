/* run_estimate_test.c - CPU seconds and memory of a whole run from a part of one point, or from the
 * points that are done. */
#include "report/run_estimate.h"
#include <math.h>
#include <string.h>

#define M 1000000 /* packet-hops: what some seconds are enough for */

static const double once[] = {1.0, 1.0, 1.0};
static const gint64 open_end[3];

static DnRunEstimate *estimate_new(const double *hops, const gint64 *until_ps, const double *runs)
{
    DnEstimatePoint points[3];
    for (guint p = 0; p < 3; p++)
        points[p] = (DnEstimatePoint){
            .hops = hops[p], .work = hops[p], .until_ps = until_ps[p], .runs = runs[p]};
    return dn_run_estimate_new(points, 3, 1.0, "point");
}

static void assert_s(const DnRunEstimate *e, double seconds)
{
    g_assert_cmpfloat_with_epsilon(dn_run_estimate_s(e), seconds, 1e-9);
}

/* A quarter of the packet-hops of point 1 took 2 s: 8 s for it, 4 s and 16 s for the others; before
 * the first event of each half a second, and a second before all. */
static void test_hops(void)
{
    static const double hops[] = {50.0 * M, 100.0 * M, 200.0 * M}, repeated[] = {1.0, 3.0, 2.0};
    g_autoptr(DnRunEstimate) e = estimate_new(hops, open_end, once);
    g_assert_true(isnan(dn_run_estimate_s(e)));
    dn_run_estimate_update(e, 1, 0, 0, 0.5);
    g_assert_true(isnan(dn_run_estimate_s(e)));
    dn_run_estimate_update(e, 1, 5, 25 * M, 2.5);
    assert_s(e, 1.0 + 3 * 0.5 + 28.0);
    g_assert_cmpfloat_with_epsilon(dn_run_estimate_seen_s(e), 2.0, 1e-9);
    dn_run_estimate_update(e, 2, 5, 25 * M, 7.0); /* another job's point */
    assert_s(e, 1.0 + 3 * 0.5 + 28.0);
    g_autoptr(DnRunEstimate) many = estimate_new(hops, open_end, repeated);
    dn_run_estimate_update(many, 1, 0, 0, 0.0);
    dn_run_estimate_update(many, 1, 5, 25 * M, 2.0);
    assert_s(many, 1.0 + 4.0 + 24.0 + 32.0);
    /* The next repetition, twice as slow. */
    dn_run_estimate_update(many, 1, 0, 0, 8.0);
    dn_run_estimate_update(many, 1, 5, 25 * M, 12.0);
    assert_s(many, 1.0 + 8.0 + 48.0 + 64.0);
}

/* The clock of each stops at a known time, whatever moves until then. */
static void test_until(void)
{
    static const double hops[] = {0.0, 7.0, 0.0};
    static const gint64 until_ps[] = {1000, 2000, 4000};
    g_autoptr(DnRunEstimate) e = estimate_new(hops, until_ps, once);
    dn_run_estimate_update(e, 0, 0, 0, 0.0);
    dn_run_estimate_update(e, 0, 500, 1, 3.0);
    assert_s(e, 1.0 + 6.0 + 12.0 + 24.0);
}

/* An estimate waits while a point does much without a packet, and while it goes at a new rate. */
static void test_steady(void)
{
    static const double hops[] = {100.0 * M, 0.0, 0.0};
    static const struct {
        double cpu_s;
        guint64 hops;
        gboolean steady;
    } updates[] = {{1.0, 1 * M, TRUE},  {1.5, 1 * M, FALSE}, {1.9, 1 * M, FALSE},
                   {2.2, 4 * M, FALSE}, {2.6, 8 * M, FALSE}, {3.0, 12 * M, TRUE}};
    g_autoptr(DnRunEstimate) e = estimate_new(hops, open_end, once);
    g_assert_true(dn_run_estimate_steady(e));
    dn_run_estimate_update(e, 0, 0, 0, 0.0);
    for (guint i = 0; i < G_N_ELEMENTS(updates); i++) {
        dn_run_estimate_update(e, 0, 5 + i, updates[i].hops, updates[i].cpu_s);
        g_assert_cmpint(dn_run_estimate_steady(e), ==, updates[i].steady);
    }
    dn_run_estimate_done(e, 0, 4.0);
    g_assert_true(dn_run_estimate_steady(e));
}

/* Points that are too short to be followed: 2 s and 3 s for 100 and 200 hops are 1 s a point and
 * 1 s for 100 hops. Without known work each is as long as the mean. */
static void test_done(void)
{
    static const double hops[] = {100.0 * M, 200.0 * M, 1000.0 * M}, unknown[3];
    g_autoptr(DnRunEstimate) e = estimate_new(hops, open_end, once);
    dn_run_estimate_done(e, 0, 2.0);
    g_assert_true(isnan(dn_run_estimate_s(e))); /* one point says nothing of ten times its work */
    dn_run_estimate_done(e, 1, 3.0);
    assert_s(e, 1.0 + 2.0 + 3.0 + 11.0);
    g_assert_cmpfloat_with_epsilon(dn_run_estimate_seen_s(e), 5.0, 1e-9);
    g_autoptr(DnRunEstimate) blind = estimate_new(unknown, open_end, once);
    dn_run_estimate_update(blind, 0, 10, 0, 1.0);
    g_assert_true(isnan(dn_run_estimate_s(blind)));
    dn_run_estimate_done(blind, 0, 2.0);
    dn_run_estimate_done(blind, 1, 4.0);
    assert_s(blind, 1.0 + 2.0 + 4.0 + 3.0);
}

/* With background traffic the share of a point in progress is unknown, but the packet hops of its
 * own jobs tell the points apart: 1 s a point and 1 s for 100 hops. */
static void test_background(void)
{
    static const DnEstimatePoint points[] = {{.work = 100.0 * M, .runs = 1.0},
                                             {.work = 200.0 * M, .runs = 1.0},
                                             {.work = 1000.0 * M, .runs = 1.0}};
    g_autoptr(DnRunEstimate) e = dn_run_estimate_new(points, 3, 0.0, "point");
    dn_run_estimate_update(e, 0, 5, 70 * M, 1.0);
    g_assert_true(isnan(dn_run_estimate_s(e)));
    dn_run_estimate_done(e, 0, 2.0);
    dn_run_estimate_update(e, 1, 5, 70 * M, 2.0);
    g_assert_true(isnan(dn_run_estimate_s(e)));
    dn_run_estimate_done(e, 1, 3.0);
    assert_s(e, 2.0 + 3.0 + 11.0);
}

/* Two points of a few hops differ by chance; the third cannot take more than 10 us for each hop. */
static void test_chance(void)
{
    static const double hops[] = {2.0, 4.0, 8000.0};
    g_autoptr(DnRunEstimate) e = estimate_new(hops, open_end, once);
    dn_run_estimate_done(e, 0, 0.4);
    dn_run_estimate_done(e, 1, 0.6);
    assert_s(e, 1.0 + 0.4 + 0.6 + 0.5 + 0.08);
}

/* The resident size is that with point 0; point 2 takes 900 bytes more. */
static void test_bytes(void)
{
    static const DnEstimatePoint points[] = {
        {.hops = 1.0, .work = 1.0, .runs = 1.0, .bytes = 100},
        {.hops = 1.0, .work = 1.0, .runs = 1.0, .bytes = 50},
        {.hops = 1.0, .work = 1.0, .runs = 1.0, .bytes = 1000}};
    g_autoptr(DnRunEstimate) e = dn_run_estimate_new(points, 3, 0.0, "point");
    dn_run_estimate_update(e, 0, 0, 0, 0.0);
    g_assert_cmpuint(dn_run_estimate_bytes(e, 5000), ==, 5900);
    dn_run_estimate_done(e, 2, 1.0);
    g_assert_cmpuint(dn_run_estimate_bytes(e, 5000), ==, 5000);
}

static void test_text(void)
{
    static const double hops[] = {1.0, 1.0, 1.0};
    g_autoptr(DnRunEstimate) e = estimate_new(hops, open_end, once);
    g_autofree char *text = dn_run_estimate_text(e, 7200.0, 5 << 20);
    g_assert_nonnull(
        strstr(text, "about 2 h 0 min of CPU time in one process for 3 points, 5 MiB"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/run-estimate/hops", test_hops);
    g_test_add_func("/run-estimate/until", test_until);
    g_test_add_func("/run-estimate/steady", test_steady);
    g_test_add_func("/run-estimate/done", test_done);
    g_test_add_func("/run-estimate/background", test_background);
    g_test_add_func("/run-estimate/chance", test_chance);
    g_test_add_func("/run-estimate/bytes", test_bytes);
    g_test_add_func("/run-estimate/text", test_text);
    return g_test_run();
}
