/* baseline.h - Computes the baselines that a point's results are compared with.
 *
 * `bound: yes` in the run: the shortest iteration of each job on engine `bound`, of all
 * repetitions, or what its busiest link needs, whichever is longer (not of jobs in the background);
 * and for an alltoall or allreduce of all endpoints of one node the peak that De Sensi et al., SC
 * 2024, section IV expect of its graph.
 * `measured: FILE.csv`, or `{file: FILE.csv, run: NAME}`: rows as in a validation case
 * (reference_values.h) whose run is NAME (default: this run's file name). The path is relative to
 * the run file. */
#pragma once
#include "validation/reference_values.h"
#include "report/reference_table.h"

typedef struct DnBaseline DnBaseline;

/* (transfer full): of @plan, whose file may name measured values; NULL + the error in it. */
DnBaseline *dn_baseline_new(DnPlan *plan, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_baseline_free(DnBaseline *baseline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnBaseline, dn_baseline_free)

/* (transfer full): [jobs], for dn_references_free(); NULL + error when the bound fails. @options:
 * those of the run, whose threads and progress are the bound's too. */
DnReferences *dn_baseline_point(const DnBaseline *baseline, const DnRunSpec *spec,
                                const DnRunResult *result, const DnRunOptions *options,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
