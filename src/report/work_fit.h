/* work_fit.h - The time of a point by its work, a + b * work, fitted to samples by least squares
 * with neither part below 0. */
#pragma once

/* Sums over samples of a point's work and seconds; zeros: none. */
typedef struct {
    double n, w, t, ww, wt, most;
} DnWorkFit;

void dn_work_fit_add(DnWorkFit *fit, double work, double seconds);
/* Returns the seconds of @work, by at least one sample. Where all have the same work: their mean,
 * for any work. */
double dn_work_fit_seconds(const DnWorkFit *fit, double work);
