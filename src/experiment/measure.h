/* measure.h - Measurement of open-loop traffic in steady state: the warm-up, the windows, and the
 * test for convergence.
 *
 * A run is cut into a warm-up, two windows of equal length, and one more of that length in which
 * messages born in the windows still arrive while sources send on (Dally & Towles, "Principles and
 * Practices of Interconnection Networks", 2004, section 23.3: warm-up, measurement, drain).
 *   latency        of messages born in the two windows
 *   offered load   bytes born in them, accepted load: bytes that arrive in them, whenever they were
 *                  born: of a network that cannot keep up the births say nothing
 * Steady means: the windows' mean latencies agree within the tolerance; at least 1 - tolerance of
 * the offered load arrives; 99 % of the messages born in the windows arrived before the end; and,
 * where the window's length is automatic, it is at least twice the mean latency.
 * Automatic lengths begin at MEASURE_MESSAGES messages over all ranks, at least
 * MEASURE_RANK_MESSAGES of each, and double until the run is steady, at most MEASURE_ATTEMPTS
 * times. Each attempt starts anew with the same draws, so the outcome does not depend on threads.
 * Doubling ends early where two attempts in succession accept the same and less than offered:
 * saturated, which no length mends. The accepted load is then good, latencies are those of the
 * moment. */
#pragma once
#include "config/run_spec.h"
#include "runtime/runtime.h"

#define DN_MEASURE_MESSAGES 4096.0
#define DN_MEASURE_RANK_MESSAGES 16.0
#define DN_MEASURE_ATTEMPTS 9u

typedef struct {
    gint64 warmup_ps, window_ps, until_ps;
    gboolean automatic; /* another attempt can be longer */
} DnMeasureSchedule;

/* The results of an attempt for a job, per sending rank. */
typedef struct {
    double offered_bps, accepted_bps;
    double latency_ps[DN_MEASURE_WINDOWS]; /* means; NAN: nothing arrived */
    double arrived;                        /* share of the messages born in the windows */
} DnMeasured;

/* @attempt counts from 0. @programs: at least one is open loop. */
DnMeasureSchedule dn_measure_schedule(const DnMeasureSpec *measure,
                                      const DnProgram *const *programs, guint n, guint attempt);
DnMeasured dn_measure_job(const DnProgram *program, const DnMeasureSchedule *schedule,
                          const DnMeasureWindow *windows);
gboolean dn_measure_steady(const DnMeasureSpec *measure, const DnMeasureSchedule *schedule,
                           const DnMeasured *m);
/* The attempt before and this one accept the same, and less than is offered. */
gboolean dn_measure_saturated(const DnMeasureSpec *measure, const DnMeasured *before,
                              const DnMeasured *m);
