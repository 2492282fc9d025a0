/* bootstrap.h - A bootstrap resamples a sample to say how far its figures may be off.
 *
 * Efron & Tibshirani, "An Introduction to the Bootstrap", 1993: percentile intervals (chapter 13)
 * of 1,000 resamples. A sample whose values come in groups that were drawn anew (the repetitions of
 * a run: placement, background and noise of each are its own) is resampled by whole groups, as its
 * values depend on each other within one (Davison & Hinkley, "Bootstrap Methods and their
 * Application", 1997, section 3.8). The draws are functions of their index alone (base/rng.h), so
 * the same sample has the same intervals.
 * LIMITATIONS: percentile intervals of few values are too narrow, the more so those of a tail's
 * quantiles; below 6 values, or 6 groups where there are several, there are none. */
#pragma once
#include "stats/summary.h"

#define DN_BOOTSTRAP_LEAST 6
#define DN_BOOTSTRAP_RESAMPLES 1000

/* A sample, or one of several groups: values of a group stand side by side. */
typedef struct {
    const double *values;
    gsize n;
    const guint32 *group_n; /* [n_groups] values of each group; NULL: one group */
    guint n_groups;         /* 0 or 1: its values are resampled one by one */
} DnSample;

/* The ends of the 95 % intervals of every member of a summary; those without one are NAN. FALSE:
 * too few values or groups, all NAN. */
gboolean dn_bootstrap_summary(const DnSample *sample, DnSummary *low, DnSummary *high);

/* Comparison of the medians of two samples: b's less a's, or over a's. */
typedef struct {
    double estimate, low, high; /* the interval NAN: too few values or groups */
} DnEstimate;
/* Resampled apart; with @paired, group i of both together: they then have equally many groups. */
DnEstimate dn_bootstrap_difference(const DnSample *a, const DnSample *b, gboolean paired);
DnEstimate dn_bootstrap_ratio(const DnSample *a, const DnSample *b, gboolean paired);

/* (transfer full): [n_groups] the groups' medians; of one group its values: what is independent.
 * *@n of them. */
double *dn_sample_units(const DnSample *sample, gsize *n);
