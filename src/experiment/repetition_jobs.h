/* repetition_jobs.h - The repetitions of a point, pooled in their order (repetitions.h): one after
 * another, or at once, the first one here and the others in worker processes (worker_pool.h). Those
 * that a run that was cut has kept are not simulated again (repetition_store.h). */
#pragma once
#include "experiment/experiment.h"

/* Does what dn_experiment_run() does, without its warnings, for a specification with several
 * repetitions. */
DnRunResult *dn_repetition_jobs_run(const DnRunSpec *spec, const DnRunOptions *options,
                                    DnNetworkCache *cache, GError **error);
