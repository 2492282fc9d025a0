/* summary.c - order statistics of a sample, over GSL. */
#include "stats/summary.h"
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <string.h>

double dn_quantile_sorted(const double *sorted, gsize n, double p)
{
    g_assert(n >= 1 && p >= 0.0 && p <= 1.0);
    return gsl_stats_quantile_from_sorted_data(sorted, 1, n, p);
}

/* @work is sorted in place. */
static DnSummary summarise(double *work, gsize n)
{
    gsl_sort(work, 1, n);
    DnSummary s = {
        .n = n,
        .min = work[0],
        .max = work[n - 1],
        .mean = gsl_stats_mean(work, 1, n),
        .p5 = dn_quantile_sorted(work, n, 0.05),
        .q1 = dn_quantile_sorted(work, n, 0.25),
        .median = dn_quantile_sorted(work, n, 0.5),
        .q3 = dn_quantile_sorted(work, n, 0.75),
        .p95 = dn_quantile_sorted(work, n, 0.95),
        .p99 = dn_quantile_sorted(work, n, 0.99),
    };
    double notch = 1.57 * (s.q3 - s.q1) / sqrt((double)n);
    s.ci_low = s.median - notch;
    s.ci_high = s.median + notch;
    return s;
}

static DnSummary empty_summary(void)
{
    return (DnSummary){
        .n = 0,
        .min = NAN,
        .max = NAN,
        .mean = NAN,
        .q1 = NAN,
        .median = NAN,
        .q3 = NAN,
        .ci_low = NAN,
        .ci_high = NAN,
        .p5 = NAN,
        .p95 = NAN,
        .p99 = NAN,
    };
}

DnSummary dn_summary(const double *sample, gsize n)
{
    if (n == 0)
        return empty_summary();
    g_autofree double *work = g_new(double, n);
    memcpy(work, sample, n * sizeof *work);
    return summarise(work, n);
}

DnSummary dn_summary_us(const gint64 *sample_ps, gsize n)
{
    if (n == 0)
        return empty_summary();
    g_autofree double *work = g_new(double, n);
    for (gsize i = 0; i < n; i++)
        work[i] = (double)sample_ps[i] * 1e-6;
    return summarise(work, n);
}
