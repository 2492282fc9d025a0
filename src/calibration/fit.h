/* fit.h - A fit finds what a message costs from measured times, by nonlinear least squares.
 *
 *   one way   T(b) = latency + b / rate, from `step_from_bytes` on also + step
 *   stream    T(b) = gap + b / rate           a message's share of a long window of them
 *   overhead  T(b) = overhead                 the sender's processor, a message
 *
 * LogGP's L + 2o, g, G and o (Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995) with one
 * step in size: a start-up of large messages, or a handshake. Residuals are ln(model / measured):
 * times span six decades, and a median of a microsecond scatters by as many per cent as one of a
 * second. Parameters are fitted as their logarithms, so that none turns negative (GSL,
 * Levenberg-Marquardt). A standard error is that of the logarithm times the value, from the
 * covariance at the minimum and the residuals' own variance.
 * The step is looked for between any two neighbouring sizes with two sizes on either side, and kept
 * when it lowers the Bayesian information criterion by more than 6 (Kass & Raftery, "Bayes
 * Factors", JASA 90, 1995: strong evidence).
 * A parameter that the data do not determine (standard error above the value) is left out of the
 * fit and NAN in the answer. As many points as parameters determine them, without an error (NAN).
 * LIMITATIONS: one rate for all rows, one step; what needs more is cut into ranges of size. Each
 * size counts the same. */
#pragma once
#include <glib.h>

#include "base/error.h"

typedef enum { DN_FIT_ONE_WAY, DN_FIT_STREAM, DN_FIT_OVERHEAD, DN_FIT_KINDS } DnFitKind;

typedef struct {
    DnFitKind kind;
    double bytes, time_us; /* time > 0 */
} DnFitPoint;

typedef struct {
    double value, error; /* NAN: not in the data */
} DnFitValue;

typedef struct {
    DnFitValue latency_us, gap_us, overhead_us, step_us, rate_bps;
    double step_from_bytes, step_after_bytes; /* smallest size with it, largest without; NAN */
    double *model_us;                         /* [n_points] */
    double rms, worst;                        /* of model / measured - 1, as a fraction */
    double chi2;                              /* sum of squared residuals */
    gsize n_points, worst_point;
    guint parameters;
} DnFit;

/* (transfer full). NULL + DN_ERROR_RANGE: fewer points than parameters, or nothing to fit. */
DnFit *dn_fit_messages(const DnFitPoint *points, gsize n, gboolean step,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_fit_free(DnFit *fit);

/* Ranges of size, each with a latency and a rate of its own: protocols that change with size. Where
 * they part is found by dynamic programming over all ways to cut the sizes (at least 3 in a range),
 * how many by the Bayesian information criterion, a boundary counting as a parameter. Scatter below
 * 0.3 % is no reason to cut.
 * @points: one-way, one for each size, ascending. @most: 1 .. DN_FIT_RANGES.
 * Returns the number of ranges, 0 + error as above. first[r] is the first point of range r, fits[r]
 * (transfer full) its fit. */
#define DN_FIT_RANGES 8 /* as many rules as a mechanism takes */
guint dn_fit_ranges(const DnFitPoint *points, gsize n, guint most, gsize first[DN_FIT_RANGES],
                    DnFit *fits[DN_FIT_RANGES], GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnFit, dn_fit_free)
