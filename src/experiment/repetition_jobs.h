/* repetition_jobs.h - The repetitions of a point at once: the first one here, the others in worker
 * processes (worker_pool.h), pooled in their order (repetitions.h). */
#pragma once
#include "experiment/experiment.h"

/* As dn_experiment_run() without its warnings, of a specification with several repetitions;
 * @options->jobs is at least 2. */
DnRunResult *dn_repetition_jobs_run(const DnRunSpec *spec, const DnRunOptions *options,
                                    DnNetworkCache *cache, GError **error);
