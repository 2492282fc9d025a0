/* job_times.h - the time of a job in a result, and its lower bound. */
#pragma once
#include "experiment/results.h"

/* Sets the times of a replayed graph (@program): its computation is that of the processor that
 * computes most, as DN_CALL_COMPUTE; the rest of a rank's time in no call is DN_CALL_NONE, waits.
 * Other jobs stay as they are. */
void dn_graph_times(const DnProgram *program, DnJobResult *job);
/* Mean time of an iteration; NAN: none is complete, or iterations have no times. */
double dn_mean_us(const DnJobResult *job);
/* Returns the mean time of job @j on engine `bound`, which ran alone (DnRunOptions.isolated_job):
 * of an iteration without contention, and no less than the busiest link needs
 * (engine/flow/contention_free.c). NAN: none is complete. */
double dn_bound_us(const DnRunResult *bound, guint j);
/* The same of the shortest iteration. */
double dn_least_bound_us(const DnRunResult *bound, guint j);
