/* summary.c - Order statistics and moments of a sample.
 *
 * What is printed is computed here, in doubles: GSL takes `long double`, which is another type on
 * each processor, and its build for arm64 fuses multiplications with additions. */
#include "stats/summary.h"
#include "stats/sort.h"
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define ONE_TAIL 0.025         /* of a 95 % interval */
#define MOST_UNITS 4000000000U /* what GSL's binomial counts in */

double dn_quantile_sorted(const double *sorted, gsize n, double p)
{
    g_assert(n >= 1 && p >= 0.0 && p <= 1.0);
    double at = p * (double)(n - 1);
    gsize below = (gsize)at;
    double share = at - (double)below;
    return below + 1 >= n ? sorted[n - 1]
                          : (1.0 - share) * sorted[below] + share * sorted[below + 1];
}

/* A sum whose rounding errors are summed beside it (Neumaier, ZAMM 54, 1974). */
typedef struct {
    double all, lost;
} Sum;

static void sum_add(Sum *sum, double value)
{
    double next = sum->all + value;
    sum->lost += fabs(sum->all) >= fabs(value) ? (sum->all - next) + value
                                               : (value - next) + sum->all;
    sum->all = next;
}

/* Returns the mean but for *@rest, what rounding took from it. */
static double mean_and_rest(const double *values, gsize n, double *rest)
{
    Sum sum = {0};
    for (gsize i = 0; i < n; i++)
        sum_add(&sum, values[i]);
    double share = sum.all / (double)n;
    *rest = (fma(-share, (double)n, sum.all) + sum.lost) / (double)n;
    return share;
}

static double summary_mean(const double *values, gsize n)
{
    double rest, mean = mean_and_rest(values, n, &rest);
    return mean + rest;
}

double dn_correlation(const double *x, const double *y, gsize n)
{
    double rest_x, mean_x = mean_and_rest(x, n, &rest_x);
    double rest_y, mean_y = mean_and_rest(y, n, &rest_y);
    Sum xx = {0}, yy = {0}, xy = {0};
    for (gsize i = 0; i < n; i++) {
        double dx = x[i] - mean_x - rest_x, dy = y[i] - mean_y - rest_y;
        sum_add(&xx, dx * dx);
        sum_add(&yy, dy * dy);
        sum_add(&xy, dx * dy);
    }
    double of_x = sqrt(xx.all + xx.lost), of_y = sqrt(yy.all + yy.lost);
    return n > 2 && of_x > 0.0 && of_y > 0.0 ? (xy.all + xy.lost) / (of_x * of_y) : NAN;
}

/* Returns the autocorrelation of neighbours in the order given. */
static double summary_autocorrelation(const double *values, gsize n)
{
    double rest, mean = mean_and_rest(values, n, &rest), before = 0.0;
    Sum products = {0}, squares = {0};
    for (gsize i = 0; i < n; i++) {
        double here = values[i] - mean - rest;
        sum_add(&products, before * here);
        sum_add(&squares, here * here);
        before = here;
    }
    return (products.all + products.lost) / (squares.all + squares.lost);
}

gboolean dn_quantile_supported(gsize n, double p)
{
    double tail = MIN(p, 1.0 - p);
    return n >= 1 && (tail >= 0.25 || (double)n * tail >= 1.0 - 1e-9);
}

/* P(fewer than l of n values lie below the median) = P(B(n, 1/2) <= l - 1). */
gsize dn_median_interval_rank(gsize n)
{
    guint units = (guint)MIN(n, MOST_UNITS);
    /* The normal approximation is within a few ranks of the exact one, from where it is walked. */
    double guess = floor(units / 2.0 - 0.98 * sqrt((double)units));
    guint rank = guess > 0.0 ? (guint)guess : 0;
    while (rank > 0 && gsl_cdf_binomial_P(rank - 1, 0.5, units) > ONE_TAIL)
        rank--;
    while (2 * (rank + 1) <= units && gsl_cdf_binomial_P(rank, 0.5, units) <= ONE_TAIL)
        rank++;
    return rank;
}

static double supported_quantile(const double *sorted, gsize n, double p)
{
    return dn_quantile_supported(n, p) ? dn_quantile_sorted(sorted, n, p) : NAN;
}

/* The deviations from the median rise on both sides of it: the smaller of two is taken until the
 * middle is reached. */
static double median_deviation(const double *sorted, gsize n, double median)
{
    gsize above = 0;
    while (above < n && sorted[above] < median)
        above++;
    gsize below = above; /* values not taken yet: [0, below) and [above, n) */
    double last = 0.0, before = 0.0;
    for (gsize taken = 0; taken <= n / 2; taken++) {
        double down = below > 0 ? median - sorted[below - 1] : INFINITY;
        double up = above < n ? sorted[above] - median : INFINITY;
        before = last;
        last = MIN(down, up);
        if (down < up)
            below--;
        else
            above++;
    }
    return n % 2 == 1 ? last : (before + last) / 2.0;
}

/* Returns a value in millionths of its unit: of times in us, picoseconds. */
static double whole_millionths(double value)
{
    return rint(value * 1e6);
}

/* Four times the quantile of @quarters / 4, in millionths. */
static double quartile_fourfold(const double *sorted, gsize n, gsize quarters)
{
    gsize at = quarters * (n - 1), below = at / 4, share = at % 4;
    return (double)(4 - share) * whole_millionths(sorted[below]) +
           (double)share * whole_millionths(sorted[MIN(below + 1, n - 1)]);
}

/* Counts values beyond the fences, eight times of which are whole numbers: exact up to 450 s. */
static gsize count_outliers(const double *sorted, gsize n)
{
    double q1 = quartile_fourfold(sorted, n, 1), q3 = quartile_fourfold(sorted, n, 3);
    double low = 5 * q1 - 3 * q3, high = 5 * q3 - 3 * q1;
    gsize below = 0, above = 0;
    while (below < n && 8 * whole_millionths(sorted[below]) < low)
        below++;
    while (above < n && 8 * whole_millionths(sorted[n - 1 - above]) > high)
        above++;
    return below + above;
}

DnSummary dn_summary_sorted(const double *sorted, gsize n)
{
    DnSummary s = {
        .n = n,
        .min = sorted[0],
        .max = sorted[n - 1],
        .mean = summary_mean(sorted, n),
        .p5 = supported_quantile(sorted, n, 0.05),
        .q1 = dn_quantile_sorted(sorted, n, 0.25),
        .median = dn_quantile_sorted(sorted, n, 0.5),
        .q3 = dn_quantile_sorted(sorted, n, 0.75),
        .p95 = supported_quantile(sorted, n, 0.95),
        .p99 = supported_quantile(sorted, n, 0.99),
        .ci_low = NAN,
        .ci_high = NAN,
        .lag1 = NAN,
    };
    double iqr = s.q3 - s.q1;
    s.qcd = s.q3 + s.q1 > 0.0 ? iqr / (s.q3 + s.q1) : 0.0;
    s.mad = median_deviation(sorted, n, s.median);
    s.outliers = count_outliers(sorted, n);
    return s;
}

/* @work is sorted in place. */
static DnSummary summary_summarise(double *work, gsize n)
{
    double lag1 = n >= 3 ? summary_autocorrelation(work, n) : NAN;
    dn_doubles_sort(work, n);
    DnSummary s = dn_summary_sorted(work, n);
    gsize rank = dn_median_interval_rank(n);
    s.lag1 = s.min < s.max ? lag1 : NAN;
    if (rank > 0) {
        s.ci_low = work[rank - 1];
        s.ci_high = work[n - rank];
    }
    return s;
}

const DnSummaryField dn_summary_fields[] = {
    {"n", offsetof(DnSummary, n), TRUE, "samples"},
    {"min", offsetof(DnSummary, min), FALSE, "least"},
    {"p5", offsetof(DnSummary, p5), FALSE, "5th percentile; null below 20 samples"},
    {"q1", offsetof(DnSummary, q1), FALSE, "first quartile"},
    {"median", offsetof(DnSummary, median), FALSE, "median"},
    {"q3", offsetof(DnSummary, q3), FALSE, "third quartile"},
    {"p95", offsetof(DnSummary, p95), FALSE, "95th percentile; null below 20 samples"},
    {"p99", offsetof(DnSummary, p99), FALSE, "99th percentile; null below 100 samples"},
    {"max", offsetof(DnSummary, max), FALSE, "largest"},
    {"mean", offsetof(DnSummary, mean), FALSE, "arithmetic mean"},
    {"median_ci_low", offsetof(DnSummary, ci_low), FALSE,
     "lower end of the median's 95 % interval (order statistics); null below 6 samples"},
    {"median_ci_high", offsetof(DnSummary, ci_high), FALSE, "upper end of it"},
    {"qcd", offsetof(DnSummary, qcd), FALSE, "quartile coefficient of dispersion"},
    {"mad", offsetof(DnSummary, mad), FALSE, "median absolute deviation from the median"},
    {"lag1", offsetof(DnSummary, lag1), FALSE, "autocorrelation of neighbours in the sample"},
    {"outliers", offsetof(DnSummary, outliers), TRUE,
     "samples beyond 1.5 interquartile ranges of a quartile"},
    {0},
};

double dn_summary_value(const DnSummary *summary, const DnSummaryField *field)
{
    const char *at = (const char *)summary + field->offset;
    return field->whole ? (double)*(const gsize *)(const void *)at
                        : *(const double *)(const void *)at;
}

double dn_summary_uncertainty(const DnSummary *s)
{
    if (s->n > 1 && s->min >= s->max)
        return 0.0;
    if (!(s->ci_low <= s->ci_high))
        return INFINITY;
    return MAX(s->median - s->ci_low, s->ci_high - s->median) / s->median;
}

gboolean dn_summary_correlated(const DnSummary *s)
{
    return s->n >= 10 && fabs(s->lag1) > 1.96 / sqrt((double)s->n);
}

static DnSummary empty_summary(void)
{
    DnSummary s = {.n = 0};
    for (const DnSummaryField *f = dn_summary_fields; f->name != NULL; f++)
        if (!f->whole)
            *(double *)(void *)((char *)&s + f->offset) = NAN;
    return s;
}

DnSummary dn_summary(const double *sample, gsize n)
{
    if (n == 0)
        return empty_summary();
    g_autofree double *work = g_new(double, n);
    memcpy(work, sample, n * sizeof *work);
    return summary_summarise(work, n);
}

DnSummary dn_summary_us(const gint64 *sample_ps, gsize n)
{
    if (n == 0)
        return empty_summary();
    g_autofree double *work = g_new(double, n);
    for (gsize i = 0; i < n; i++)
        work[i] = (double)sample_ps[i] * 1e-6;
    return summary_summarise(work, n);
}
