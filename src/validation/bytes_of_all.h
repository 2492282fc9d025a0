/* bytes_of_all.h - Sizes of nccl-tests, which counts all bytes of a rank's buffer, against those of
 * a job's workload, which counts what goes to or comes from each rank. */
#pragma once
#include "config/run_spec.h"

/* How many times the bytes of nccl-tests are the workload's: the ranks of @job in an alltoall, an
 * allgather or a reduce_scatter, else 1. 0: an error; the file does not say how many ranks. */
gint64 dn_bytes_of_all(const DnJobSpec *job, GError **error) G_GNUC_WARN_UNUSED_RESULT;
