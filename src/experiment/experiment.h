/* experiment.h - An experiment runs one specification as often as its keys ask for.
 *
 * `repeat: N`: N runs, each with a seed one higher (repetitions.h).
 * `iterations: {until: 5 %, min: 10, max: 1000}`: a run, repeated with twice the iterations of
 * every such job until the confidence interval of each job's median is narrow enough (summary.h).
 * A run with more iterations begins like the shorter one, so nothing but time is lost.
 * `slowdown: yes`: afterwards a run of each job alone, without the others and the background
 * traffic, on the same endpoints and with the same random draws; its slowdown is the ratio of the
 * medians. */
#pragma once
#include "experiment/simulate.h"

/* Runs the experiment and returns (transfer full) its result: as dn_simulate() does, with all
 * repetitions pooled and with DnJobResult.alone; the jobs' `iterations` are those of the last run.
 * The machine is built once, or taken from @cache. NULL + error: as dn_simulate(). */
DnRunResult *dn_experiment_run(const DnRunSpec *spec, const DnRunOptions *options,
                               DnNetworkCache *cache, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Runs one repetition: @spec as dn_run_spec_repetition() returns it. For callers that run
 * repetitions in several processes and pool the results (repetitions.h). */
DnRunResult *dn_experiment_repetition(const DnRunSpec *spec, const DnRunOptions *options,
                                      DnNetworkCache *cache,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns the median time with the other jobs divided by the median alone; NAN: one is missing. */
double dn_experiment_slowdown(const DnJobResult *job);
