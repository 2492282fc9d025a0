/* summary.h - A summary describes a sample of times or latencies: quantiles, median with its
 * interval.
 *
 * Quantiles are type 7 of Hyndman & Fan, "Sample Quantiles in Statistical Packages", The American
 * Statistician 50(4), 1996: linear between order statistics at (n - 1) p, as GSL, numpy and R do
 * by default. The interval of the median is the notch of McGill, Tukey & Larsen, "Variations of
 * Box Plots", The American Statistician 32(1), 1978: median +- 1.57 IQR / sqrt(n), about 95 %;
 * it assumes independent samples, which iterations of a deterministic run are not: it then shows
 * spread, not confidence.
 * Units: those of the sample. An empty sample has n = 0 and NAN everywhere. */
#pragma once
#include <glib.h>

typedef struct {
    gsize n;
    double min, max, mean;
    double q1, median, q3;
    double ci_low, ci_high; /* notch of the median */
    double p5, p95, p99;
    double qcd; /* quartile coefficient of dispersion, (q3 - q1) / (q3 + q1) */
    gsize
        outliers; /* beyond 1.5 (q3 - q1) of a quartile (Tukey, Exploratory Data Analysis, 1977) */
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

/* Half the width of the median's interval, of the median; 0 when the sample does not vary. */
double dn_summary_uncertainty(const DnSummary *summary);

/* @sorted ascending, n >= 1, 0 <= p <= 1. */
double dn_quantile_sorted(const double *sorted, gsize n, double p);
