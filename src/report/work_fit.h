/* work_fit.h - The CPU time of a point as a + b * work, fitted to samples by least squares with
 * a, b >= 0. */
#pragma once

/* Sums over samples of a point's work and seconds; zeros: none. */
typedef struct {
    double n, w, t, ww, wt, most;
} DnWorkFit;

void dn_work_fit_add(DnWorkFit *fit, double work, double seconds);
/* Returns the estimated seconds of @work; there is at least one sample. When all samples have the
 * same work, it is their mean for any work. */
double dn_work_fit_seconds(const DnWorkFit *fit, double work);
