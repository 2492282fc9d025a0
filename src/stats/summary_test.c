/* summary_test.c - quantiles and the median's interval against hand-worked and published values. */
#include "stats/summary.h"
#include <math.h>

static void summary_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        g_error("got %.12g, want %.12g", got, want);
}

/* 1..10, type 7: position (n-1)p = 9p, so q1 = 1 + 2.25, median = 1 + 4.5, q3 = 1 + 6.75:
 * what numpy.percentile([1..10], [25, 50, 75]) returns as well. */
static void test_type7(void)
{
    const double sample[] = {7, 3, 10, 1, 9, 2, 8, 4, 6, 5};
    DnSummary s = dn_summary(sample, G_N_ELEMENTS(sample));
    summary_near(s.q1, 3.25, 1e-12);
    summary_near(s.median, 5.5, 1e-12);
    summary_near(s.q3, 7.75, 1e-12);
    g_assert_true(isnan(s.p5) && isnan(s.p95) && isnan(s.p99)); /* of ten values: no */
    summary_near(s.min, 1.0, 0.0);
    summary_near(s.max, 10.0, 0.0);
    summary_near(s.mean, 5.5, 1e-12);
    g_assert_cmpfloat(sample[0], ==, 7.0); /* the caller's data stay as they were */
    /* P(B(10, 1/2) <= 1) = 11 / 1024 <= 0.025 < 56 / 1024 = P(B <= 2): x(2) and x(9). */
    summary_near(s.ci_low, 2.0, 0.0);
    summary_near(s.ci_high, 9.0, 0.0);
    summary_near(s.mad, 2.5, 1e-12); /* 0.5, 0.5, 1.5, 1.5, 2.5, 2.5, ... */
    /* (7.75 - 3.25) / (7.75 + 3.25) = 4.5 / 11 */
    summary_near(s.qcd, 4.5 / 11.0, 1e-12);
    summary_near(dn_summary_uncertainty(&s), 3.5 / 5.5, 1e-12);
    g_assert_cmpuint(s.outliers, ==, 0);
}

/* Newcomb's 66 light times (Stigler, "Do Robust Estimators Work with Real Data?", Annals of
 * Statistics 5(6), 1977, table 5): median 27, mean 26.21, minimum -44, maximum 40. */
static void test_newcomb(void)
{
    const double sample[] = {28, 26, 33, 24, 34, -44, 27, 16, 40, -2, 29, 22, 24, 21, 25, 30, 23,
                             29, 31, 19, 24, 20, 36,  32, 36, 28, 25, 21, 28, 29, 37, 25, 28, 26,
                             30, 32, 36, 26, 30, 22,  36, 23, 27, 27, 28, 27, 31, 27, 26, 33, 26,
                             32, 32, 24, 39, 28, 24,  25, 32, 25, 29, 27, 28, 29, 16, 23};
    DnSummary s = dn_summary(sample, G_N_ELEMENTS(sample));
    g_assert_cmpuint(s.n, ==, 66);
    summary_near(s.median, 27.0, 0.0);
    summary_near(s.mean, 26.21, 0.005);
    summary_near(s.min, -44.0, 0.0);
    summary_near(s.max, 40.0, 0.0);
    /* Quartiles by type 7: 24 and 30.75; fences 13.875 and 40.875: -44 and -2 lie outside. */
    summary_near(s.q1, 24.0, 0.0);
    summary_near(s.q3, 30.75, 0.0);
    g_assert_cmpuint(s.outliers, ==, 2);
    summary_near(s.mad, 3.0, 0.0);
    /* R's qbinom(0.025, 66, 0.5) = 25, so x(25) and x(42). */
    g_assert_cmpuint(dn_median_interval_rank(66), ==, 25);
    summary_near(s.ci_low, 26.0, 0.0);
    summary_near(s.ci_high, 29.0, 0.0);
}

/* Quartiles of k + 1 and k + 3 ns have their upper fence at k + 6, those of k and k + 2 ns their
 * lower one at k - 3: a value there is no outlier, but one a picosecond further out. */
static void test_fences(void)
{
    for (gint64 k = 10000; k < 2000000; k += 1000) {
        gint64 high[] = {k, k + 1000, k + 2000, k + 3000, k + 6000};
        gint64 low[] = {k - 3000, k, k + 1000, k + 2000, k + 3000};
        g_assert_cmpuint(dn_summary_us(high, 5).outliers, ==, 0);
        g_assert_cmpuint(dn_summary_us(low, 5).outliers, ==, 0);
        high[4]++;
        low[0]--;
        g_assert_cmpuint(dn_summary_us(high, 5).outliers, ==, 1);
        g_assert_cmpuint(dn_summary_us(low, 5).outliers, ==, 1);
    }
}

/* The ranks of Conover, "Practical Nonparametric Statistics", 3rd ed., 1999, section 3.2: exact
 * binomial tails; below 6 values two ends cannot hold 95 %. */
static void test_interval_ranks(void)
{
    static const gsize want[][2] = {{1, 0},  {5, 0},  {6, 1},  {8, 1},   {9, 2},    {12, 3},
                                    {16, 4}, {20, 6}, {25, 8}, {30, 10}, {100, 40}, {1000, 469}};
    for (guint i = 0; i < G_N_ELEMENTS(want); i++)
        g_assert_cmpuint(dn_median_interval_rank(want[i][0]), ==, want[i][1]);
}

/* Both ends are values of the sample: of skewed ones the notch's lower end was below the least. */
static void test_inside(void)
{
    double sample[30];
    for (guint i = 0; i < 30; i++)
        sample[i] = 1148.2 + (i < 20 ? 0.1 * i : 500.0 * i);
    DnSummary s = dn_summary(sample, 30);
    g_assert_cmpfloat(s.ci_low, >=, s.min);
    g_assert_cmpfloat(s.ci_high, <=, s.max);
    g_assert_true(isfinite(s.p95) && isnan(s.p99));
    g_assert_true(dn_quantile_supported(100, 0.99) && !dn_quantile_supported(99, 0.99));
    g_assert_true(dn_quantile_supported(20, 0.05) && dn_quantile_supported(1, 0.25));
}

/* 1, 2, ... 12: every value is near its neighbours. */
static void test_correlated(void)
{
    double rising[12], swinging[12];
    for (guint i = 0; i < 12; i++) {
        rising[i] = i;
        swinging[i] = (i * 7) % 12;
    }
    DnSummary up = dn_summary(rising, 12), mixed = dn_summary(swinging, 12);
    g_assert_true(dn_summary_correlated(&up));
    g_assert_false(dn_summary_correlated(&mixed));
}

/* The same bits on every processor: fused, 0.03 a + 0.97 b would end in a03; the one
 * between +-1e16 is lost without the sum's rest; of 1 to 7 less 4: 16 / 28. */
static void test_same_bits(void)
{
    const double sorted[] = {0, 0, 0x1.2cb8385358316p-1, 0x1.8271bb54e9c0bp-1};
    g_assert_cmpfloat(dn_quantile_sorted(sorted, 4, 0.99), ==, 0x1.7fdf5dcd2fa04p-1);
    const double apart[] = {1e16, 1, -1e16};
    g_assert_cmpfloat(dn_summary(apart, 3).mean, ==, 1.0 / 3.0);
    const double tenths[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7};
    g_assert_cmpfloat(dn_summary(tenths, 7).mean, ==, 0.4);
    summary_near(dn_summary(tenths, 7).lag1, 16.0 / 28.0, 1e-15);
}

/* By hand: deviations -1, 0, 1 and -1, 1, 0: 1 / (sqrt(2) sqrt(2)). */
static void test_correlation(void)
{
    const double x[] = {1, 2, 3}, y[] = {1, 3, 2}, line[] = {10, 8, 6}, flat[] = {4, 4, 4};
    summary_near(dn_correlation(x, y, 3), 0.5, 1e-15);
    summary_near(dn_correlation(x, line, 3), -1.0, 1e-15);
    g_assert_true(isnan(dn_correlation(x, flat, 3)));
    g_assert_true(isnan(dn_correlation(x, y, 2)));
}

static void test_one_and_none(void)
{
    const gint64 one[] = {2500000}; /* 2.5 us */
    DnSummary s = dn_summary_us(one, 1);
    summary_near(s.median, 2.5, 1e-12);
    g_assert_true(isnan(s.ci_low) && isnan(s.p99)); /* one value says nothing of the rest */
    g_assert_true(isinf(dn_summary_uncertainty(&s)));
    DnSummary none = dn_summary_us(NULL, 0);
    g_assert_cmpuint(none.n, ==, 0);
    g_assert_true(isnan(none.median) && isnan(none.p99) && isnan(none.ci_low));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stats/summary/type7", test_type7);
    g_test_add_func("/stats/summary/newcomb", test_newcomb);
    g_test_add_func("/stats/summary/fences", test_fences);
    g_test_add_func("/stats/summary/interval-ranks", test_interval_ranks);
    g_test_add_func("/stats/summary/inside", test_inside);
    g_test_add_func("/stats/summary/correlated", test_correlated);
    g_test_add_func("/stats/summary/same-bits", test_same_bits);
    g_test_add_func("/stats/summary/correlation", test_correlation);
    g_test_add_func("/stats/summary/one-and-none", test_one_and_none);
    return g_test_run();
}
