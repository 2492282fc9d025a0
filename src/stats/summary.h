/* summary.h - A summary describes a sample of times or latencies: quantiles, the median with its
 * interval, and how widely the sample spreads.
 *
 * Quantiles are type 7 of Hyndman & Fan, "Sample Quantiles in Statistical Packages", The American
 * Statistician 50(4), 1996: linear between order statistics at (n - 1) p, as GSL, numpy and R do
 * by default. A quantile that the sample cannot support is NAN: p is supported by at least
 * 1 / min(p, 1 - p) values, so that one of them can be expected beyond it (p95: 20, p99: 100).
 * The interval of the median is that of order statistics x(l), x(n + 1 - l) (David & Nagaraja,
 * "Order Statistics", 3rd ed., 2003, section 7.1): the largest l for which a binomial count of n
 * halves covers 95 % or more. It assumes no distribution, but independent values; below 6 values
 * there is none. Where a sample has groups that are drawn anew (repetitions), its values are not
 * independent, and the interval is that of stats/bootstrap.h over the groups.
 * QCD = (q3 - q1) / (q3 + q1) (De Sensi et al., "Mitigating Network Noise on Dragonfly Networks
 * through Application-Aware Routing", SC 2019, section 3.3). MAD = median of |x - median|, without
 * a factor (Hampel, "The Influence Curve and its Role in Robust Estimation", JASA 69(346), 1974).
 * Outliers lie beyond 1.5 (q3 - q1) of a quartile (Tukey, "Exploratory Data Analysis", 1977), as
 * counted in millionths of the unit, picoseconds of us: a value on the fence is none.
 * Units: those of the sample. An empty sample has n = 0 and NAN everywhere. */
#pragma once
#include <glib.h>

typedef struct {
    gsize n;
    double min, max, mean;
    double q1, median, q3;
    double ci_low, ci_high; /* 95 % interval of the median; NAN: the sample is too small */
    double p5, p95, p99;    /* NAN: the sample cannot support it */
    double qcd;             /* quartile coefficient of dispersion */
    double mad;             /* median absolute deviation from the median */
    double lag1;            /* autocorrelation of neighbours in the order given; NAN: n < 3, or
                               nothing varies */
    gsize outliers;
} DnSummary;

/* Its members under the names that files have, in their order there. */
typedef struct {
    const char *name; /* NULL: the end */
    gsize offset;     /* of a double, or (whole) of a gsize */
    gboolean whole;
    const char *help;
} DnSummaryField;
extern const DnSummaryField dn_summary_fields[];
double dn_summary_value(const DnSummary *summary, const DnSummaryField *field);

DnSummary dn_summary(const double *sample, gsize n);
/* As above for ps, in us. */
DnSummary dn_summary_us(const gint64 *sample_ps, gsize n);
/* As above of values in ascending order, without the interval and lag1 (NAN). */
DnSummary dn_summary_sorted(const double *sorted, gsize n);

/* The farther end of the median's interval from the median, as a share of the median; 0 when two
 * or more values do not vary, INFINITY when there is no interval. */
double dn_summary_uncertainty(const DnSummary *summary);

/* TRUE: neighbours depend on each other: |lag1| > 1.96 / sqrt(n), which one sample in twenty of
 * independent values exceeds; at least 10 values. */
gboolean dn_summary_correlated(const DnSummary *summary);

/* Pearson's; NAN for fewer than 3 values, and when one of the samples does not vary. */
double dn_correlation(const double *x, const double *y, gsize n);

/* @sorted ascending, n >= 1, 0 <= p <= 1. */
double dn_quantile_sorted(const double *sorted, gsize n, double p);
/* TRUE: @n values are enough for quantile @p; the quartiles and the median need one. */
gboolean dn_quantile_supported(gsize n, double p);
/* Rank l (from 1) of the interval's lower end x(l), the upper being x(n + 1 - l); 0: none. */
gsize dn_median_interval_rank(gsize n);
