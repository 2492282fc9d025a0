/* experiment.h - one specification run as often as its questions need.
 *
 * `repeat: N`: N times, each with a seed one higher (repetitions.h).
 * `iterations: {until: 5 %, min: 10, max: 1000}`: runs, looks at the interval of the median of
 * every such job (summary.h), and runs again with twice the iterations of those that are not
 * certain yet. A run with more iterations begins like the shorter one, so nothing but time is lost.
 * `slowdown: yes`: each job that is not background then runs alone, on the endpoints and with the
 * draws it had among the others; its slowdown is the ratio of the medians. */
#pragma once
#include "experiment/simulate.h"

/* Does what dn_simulate() does, with `alone` of the jobs, and pools all repetitions; the jobs'
 * `iterations` are those of the last run. The machine is built once, or taken from @cache. */
DnRunResult *dn_experiment_run(const DnRunSpec *spec, const DnRunOptions *options,
                               DnNetworkCache *cache, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* One repetition alone: of @spec as dn_run_spec_repetition() gives it. For callers that run
 * repetitions apart and pool them (repetitions.h). */
DnRunResult *dn_experiment_repetition(const DnRunSpec *spec, const DnRunOptions *options,
                                      DnNetworkCache *cache,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Median among the others over median alone; NAN when one of them is missing. */
double dn_experiment_slowdown(const DnJobResult *job);
