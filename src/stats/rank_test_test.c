/* rank_test_test.c - the rank test against R, and both tests on samples that (do not) differ. */
#include "stats/rank_test.h"
#include <math.h>

/* Hollander & Wolfe, "Nonparametric Statistical Methods", 1973, p. 69 (the example of R's
 * wilcox.test): W = 35, exact two-sided p = 0.2544. */
static void test_exact(void)
{
    const double x[] = {0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46};
    const double y[] = {1.15, 0.88, 0.90, 0.74, 1.21};
    DnMannWhitney test = dn_mann_whitney(x, 10, y, 5);
    g_assert_true(test.exact);
    g_assert_cmpfloat(test.u, ==, 35.0);
    g_assert_cmpfloat(fabs(test.p - 0.2544), <, 5e-5);
}

/* All of a below all of b: 2 / C(6, 3) = 0.1. */
static void test_smallest(void)
{
    const double a[] = {1, 2, 3}, b[] = {4, 5, 6};
    g_assert_cmpfloat(fabs(dn_mann_whitney(a, 3, b, 3).p - 0.1), <, 1e-12);
    g_assert_cmpfloat(fabs(dn_mann_whitney(b, 3, a, 3).p - 0.1), <, 1e-12);
}

/* With ties, by hand: ranks of a = 1, 3, 3, 5.5 sum to 12.5, u = 2.5; ties 3^3 - 3 + 2^3 - 2 = 30;
 * variance = 16/12 (9 - 30/56) = 11.2857; z = (8 - 2.5 - 0.5) / 3.35942 = 1.48835; p = 0.13666. */
static void test_ties(void)
{
    const double a[] = {1, 2, 2, 3}, b[] = {2, 3, 4, 5};
    DnMannWhitney test = dn_mann_whitney(a, 4, b, 4);
    g_assert_false(test.exact);
    g_assert_cmpfloat(test.u, ==, 2.5);
    g_assert_cmpfloat(fabs(test.p - 0.13666), <, 5e-5);
    const double same[] = {7, 7, 7};
    g_assert_cmpfloat(dn_mann_whitney(same, 3, same, 3).p, ==, 1.0);
    g_assert_true(isnan(dn_mann_whitney(a, 0, b, 4).p));
}

static void test_permutation(void)
{
    double a[20], b[20];
    for (guint i = 0; i < 20; i++) {
        a[i] = i;
        b[i] = i + 0.5;
    }
    g_assert_cmpfloat(dn_permutation_p(a, 20, b, 20), >, 0.5);
    for (guint i = 0; i < 20; i++)
        b[i] += 20;
    g_assert_cmpfloat(dn_permutation_p(a, 20, b, 20), <=, 0.001);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/stats/rank_test/exact", test_exact);
    g_test_add_func("/stats/rank_test/smallest", test_smallest);
    g_test_add_func("/stats/rank_test/ties", test_ties);
    g_test_add_func("/stats/rank_test/permutation", test_permutation);
    return g_test_run();
}
