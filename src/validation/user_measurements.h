/* user_measurements.h - A user's own measurements become a validation case: `darner validate
 * --against`.
 *
 * The measurements are any that `darner import` reads. A map relates them to the run:
 *
 *   format: osu            default: by the content (calibration/measurements.h)
 *   rows: {system: lumi}   only rows with these values in these columns
 *   bytes: size_bytes      column that is swept as jobs[i].workload.bytes; default: `bytes` or
 *                          `size_bytes`, where there is one; none: the run as it is
 *   divide_bytes: 8        the run's bytes are so many times fewer: nccl-tests gives all that a
 *                          rank sends, Darner's alltoall what it sends to each; default: for
 *                          nccl-tests the job's `ranks`, when the workload is alltoall,
 *                          allgather or reduce_scatter
 *   keys: {"jobs[0].ranks": gpus}   further keys of the run, and the columns that have their values
 *   time: median_us        column of times (_ns, _us, _ms, _s); default: time_us or median_us
 *   goodput: algbw_gbps    or one of rates (_gbps), of the run's own convention
 *   scale: 0.5             times the file's values; round trips are 0.5
 *   job: NAME              whose metric it is; default: the run's first
 *   metric: time_p95_us    default: time_us or goodput_gbps
 *   tolerance: 20 %
 *
 * Rows alike in all keys are repetitions: their median counts. Where another column of words, or of
 * nodes, ranks, processes or gpus, differs between them, a warning says so. Sizes of 0 are left
 * out. */
#pragma once
#include "validation/validation_case.h"

/* (transfer full): the same case, simulated and judged, as the only one of the array; its rows also
 * go to the file @expected before, unless it is NULL. @yes: also above an hour of CPU time. */
GPtrArray *dn_against_run(const char *measurements, const char *map, const char *run,
                          const char *expected, gboolean yes,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Keys of a mapping of measurements to a run. */
extern const DnParamSpec dn_user_measurement_keys[];
