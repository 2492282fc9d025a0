/* summary.h - what a sample of times or latencies says: quantiles, median with its interval.
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
} DnSummary;

DnSummary dn_summary(const double *sample, gsize n);
/* As above for ps, in us. */
DnSummary dn_summary_us(const gint64 *sample_ps, gsize n);

/* @sorted ascending, n >= 1, 0 <= p <= 1. */
double dn_quantile_sorted(const double *sorted, gsize n, double p);
