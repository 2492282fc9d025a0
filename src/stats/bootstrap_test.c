/* bootstrap_test.c - intervals by resampling: against theory, and how often they hold. */
#include "stats/bootstrap.h"
#include "base/rng.h"
#include <math.h>

/* Near normal: the sum of twelve uniform draws less six. */
static double normal_draw(guint64 key, guint64 n)
{
    double sum = -6.0;
    for (guint i = 0; i < 12; i++)
        sum += dn_draw_unit(dn_draw(key, 12 * n + i));
    return sum;
}

/* The mean of 100 normal values: 1.96 / 10 to both sides, within the noise of resampling. */
static void test_mean(void)
{
    double values[100];
    guint64 key = dn_draw_key(1, DN_DRAW_TEST, 0);
    for (guint i = 0; i < 100; i++)
        values[i] = 50.0 + normal_draw(key, i);
    DnSummary low, high, all = dn_summary(values, 100);
    g_assert_true(dn_bootstrap_summary(&(DnSample){.values = values, .n = 100}, &low, &high));
    g_assert_cmpfloat(low.mean, <, all.mean);
    g_assert_cmpfloat(fabs(high.mean - low.mean - 0.392), <, 0.08);
    g_assert_true(low.median >= all.min && high.median <= all.max);
    g_assert_true(low.p95 <= all.p95 && all.p95 <= high.p95);
}

/* 40 repetitions of 10 values that share an offset: one by one the values say ten times as much as
 * they know. Of 40 such samples the interval over groups holds the true mean 0 about 38 times. */
static void test_groups(void)
{
    enum { GROUPS = 40, EACH = 10, TRIALS = 40 };
    double values[GROUPS * EACH];
    guint32 group_n[GROUPS];
    guint held = 0, held_alone = 0;
    for (guint t = 0; t < TRIALS; t++) {
        guint64 key = dn_draw_key(2, DN_DRAW_TEST, t);
        for (guint g = 0; g < GROUPS; g++) {
            group_n[g] = EACH;
            for (guint i = 0; i < EACH; i++)
                values[g * EACH + i] = normal_draw(key, g) +
                                       0.1 * normal_draw(key, 1000 + g * EACH + i);
        }
        DnSummary low, high;
        DnSample sample = {.values = values, .n = GROUPS * EACH, .group_n = group_n};
        g_assert_true(dn_bootstrap_summary(&sample, &low, &high));
        held_alone += low.mean <= 0.0 && 0.0 <= high.mean;
        sample.n_groups = GROUPS;
        g_assert_true(dn_bootstrap_summary(&sample, &low, &high));
        held += low.mean <= 0.0 && 0.0 <= high.mean;
    }
    g_assert_cmpuint(held, >=, 34);
    g_assert_cmpuint(held_alone, <=, 24);
}

static void test_too_few(void)
{
    const double values[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const guint32 group_n[] = {4, 4};
    DnSummary low, high;
    g_assert_false(dn_bootstrap_summary(&(DnSample){.values = values, .n = 5}, &low, &high));
    g_assert_true(isnan(low.mean) && isnan(high.median));
    DnSample two = {.values = values, .n = 8, .group_n = group_n, .n_groups = 2};
    g_assert_false(dn_bootstrap_summary(&two, &low, &high));
    gsize n;
    g_autofree double *units = dn_sample_units(&two, &n);
    g_assert_cmpuint(n, ==, 2);
    g_assert_cmpfloat(units[0], ==, 2.5);
    g_assert_cmpfloat(units[1], ==, 6.5);
}

/* b is a, 10 later: the difference of medians is 10, and 0 is far outside. */
static void test_difference(void)
{
    double a[30], b[30];
    guint64 key = dn_draw_key(3, DN_DRAW_TEST, 0);
    for (guint i = 0; i < 30; i++) {
        a[i] = 100.0 + normal_draw(key, i);
        b[i] = 110.0 + normal_draw(key, 100 + i);
    }
    const DnSample x = {.values = a, .n = 30}, y = {.values = b, .n = 30};
    DnEstimate d = dn_bootstrap_difference(&x, &y, FALSE), r = dn_bootstrap_ratio(&x, &y, FALSE);
    g_assert_true(d.low < d.estimate && d.estimate < d.high && d.low > 9.0 && d.high < 11.0);
    g_assert_true(r.low > 1.08 && r.high < 1.12);
    DnEstimate again = dn_bootstrap_difference(&x, &y, FALSE);
    g_assert_cmpfloat(d.low, ==, again.low);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stats/bootstrap/mean", test_mean);
    g_test_add_func("/stats/bootstrap/groups", test_groups);
    g_test_add_func("/stats/bootstrap/too-few", test_too_few);
    g_test_add_func("/stats/bootstrap/difference", test_difference);
    return g_test_run();
}
