/* rank_test.c - see rank_test.h. */
#include "stats/rank_test.h"
#include "base/rng.h"
#include "stats/sort.h"
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <string.h>

#define MOST_EXACT 50
#define PERMUTATIONS 9999

/* How many of the orders of @m and @n values have each u, as shares: counts(m, n)[u] =
 * m / (m + n) counts(m - 1, n)[u - n] + n / (m + n) counts(m, n - 1)[u]; (transfer full). */
static double *u_shares(gsize m, gsize n)
{
    gsize width = m * n + 1;
    double *table = g_new0(double, (n + 1) * width); /* of the row at hand: [n + 1][width] */
    g_autofree double *last = g_new0(double, (n + 1) * width);
    for (gsize i = 0; i <= m; i++) {
        memcpy(last, table, (n + 1) * width * sizeof *table);
        memset(table, 0, (n + 1) * width * sizeof *table);
        for (gsize j = 0; j <= n; j++) {
            double *row = table + j * width;
            if (i == 0 || j == 0) {
                row[0] = 1.0;
                continue;
            }
            double all = (double)(i + j);
            for (gsize u = 0; u <= i * j; u++)
                row[u] = (u >= j ? (double)i / all * last[j * width + u - j] : 0.0) +
                         (double)j / all * row[u - width];
        }
    }
    memmove(table, table + n * width, width * sizeof *table);
    return table;
}

static double exact_p(double u, gsize n_a, gsize n_b)
{
    g_autofree double *shares = u_shares(n_a, n_b);
    double mean = (double)n_a * (double)n_b / 2.0, tail = 0.0;
    double least = u > mean ? 2.0 * mean - u : u;
    for (gsize i = 0; (double)i <= least; i++)
        tail += shares[i];
    return MIN(1.0, 2.0 * tail);
}

static double normal_p(double u, gsize n_a, gsize n_b, double ties)
{
    double a = (double)n_a, b = (double)n_b, n = a + b;
    double variance = a * b / 12.0 * (n + 1.0 - ties / (n * (n - 1.0)));
    double far = fabs(u - a * b / 2.0) - 0.5;
    return variance > 0.0 ? MIN(1.0, 2.0 * gsl_cdf_ugaussian_Q(MAX(far, 0.0) / sqrt(variance)))
                          : 1.0;
}

DnMannWhitney dn_mann_whitney(const double *a, gsize n_a, const double *b, gsize n_b)
{
    DnMannWhitney test = {.u = NAN, .p = NAN};
    gsize n = n_a + n_b;
    if (n_a == 0 || n_b == 0)
        return test;
    g_autofree double *all = g_new(double, n);
    g_autofree gsize *order = g_new(gsize, n);
    memcpy(all, a, n_a * sizeof *a);
    memcpy(all + n_a, b, n_b * sizeof *b);
    gsl_sort_index(order, all, 1, n);
    double ranks = 0.0, ties = 0.0;
    for (gsize i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && all[order[end]] <= all[order[i]];)
            end++;
        double equal = (double)(end - i), rank = (double)(i + 1 + end) / 2.0;
        ties += equal * equal * equal - equal;
        for (gsize k = i; k < end; k++)
            ranks += order[k] < n_a ? rank : 0.0;
    }
    test.u = ranks - (double)n_a * ((double)n_a + 1.0) / 2.0;
    test.exact = ties <= 0.0 && n_a <= MOST_EXACT && n_b <= MOST_EXACT;
    test.p = test.exact ? exact_p(test.u, n_a, n_b) : normal_p(test.u, n_a, n_b, ties);
    return test;
}

static double median_of(double *work, gsize n)
{
    dn_doubles_sort(work, n);
    return gsl_stats_median_from_sorted_data(work, 1, n);
}

double dn_permutation_p(const double *a, gsize n_a, const double *b, gsize n_b)
{
    gsize n = n_a + n_b;
    if (n_a == 0 || n_b == 0)
        return NAN;
    g_autofree double *all = g_new(double, n), *work = g_new(double, n);
    memcpy(all, a, n_a * sizeof *a);
    memcpy(all + n_a, b, n_b * sizeof *b);
    memcpy(work, all, n * sizeof *all);
    double seen = fabs(median_of(work, n_a) - median_of(work + n_a, n_b));
    guint as_far = 0;
    for (guint p = 0; p < PERMUTATIONS; p++) {
        guint64 key = dn_draw_key(3, DN_DRAW_BOOTSTRAP, p);
        for (gsize i = 0; i < n_a; i++) { /* the first n_a of a shuffle (Fisher, Yates) */
            gsize k = i + dn_draw_below(dn_draw(key, i), (guint32)(n - i));
            double value = all[k];
            all[k] = all[i];
            all[i] = value;
        }
        memcpy(work, all, n * sizeof *all);
        double apart = fabs(median_of(work, n_a) - median_of(work + n_a, n_b));
        as_far += apart >= seen * (1.0 - 1e-12);
    }
    return (1.0 + as_far) / (1.0 + PERMUTATIONS);
}
