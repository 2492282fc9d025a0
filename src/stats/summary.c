/* summary.c - order statistics of a sample, over GSL. */
#include "stats/summary.h"
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

double dn_quantile_sorted(const double *sorted, gsize n, double p)
{
    g_assert(n >= 1 && p >= 0.0 && p <= 1.0);
    return gsl_stats_quantile_from_sorted_data(sorted, 1, n, p);
}

/* @work is sorted in place. */
static DnSummary summary_summarise(double *work, gsize n)
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
    double iqr = s.q3 - s.q1;
    double notch = 1.57 * iqr / sqrt((double)n);
    s.ci_low = s.median - notch;
    s.ci_high = s.median + notch;
    s.qcd = s.q3 + s.q1 > 0.0 ? iqr / (s.q3 + s.q1) : 0.0;
    for (gsize i = 0; i < n; i++)
        s.outliers += work[i] < s.q1 - 1.5 * iqr || work[i] > s.q3 + 1.5 * iqr;
    return s;
}

const DnSummaryField dn_summary_fields[] = {
    {"n", offsetof(DnSummary, n), TRUE, "samples"},
    {"min", offsetof(DnSummary, min), FALSE, "least"},
    {"q1", offsetof(DnSummary, q1), FALSE, "first quartile"},
    {"median", offsetof(DnSummary, median), FALSE, "median"},
    {"q3", offsetof(DnSummary, q3), FALSE, "third quartile"},
    {"p95", offsetof(DnSummary, p95), FALSE, "95th percentile"},
    {"p99", offsetof(DnSummary, p99), FALSE, "99th percentile"},
    {"max", offsetof(DnSummary, max), FALSE, "largest"},
    {"mean", offsetof(DnSummary, mean), FALSE, "arithmetic mean"},
    {"median_ci_low", offsetof(DnSummary, ci_low), FALSE, "lower end of the median's notch"},
    {"median_ci_high", offsetof(DnSummary, ci_high), FALSE, "upper end of the median's notch"},
    {"qcd", offsetof(DnSummary, qcd), FALSE, "quartile coefficient of dispersion"},
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
    double half = (s->ci_high - s->ci_low) / 2;
    return half <= 0.0 ? 0.0 : half / s->median;
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
        .qcd = NAN,
    };
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
