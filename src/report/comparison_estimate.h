/* comparison_estimate.h - The estimate of what a comparison of engines takes, said after the first
 * second as that of a run is (estimate_notice.h).
 *
 * LIMITATIONS: until flow runs, it is taken to cost as much as packet, and bound 0.3 of that: an
 * alltoall of large messages costs less on flow, one of single packets up to 100 times as much. */
#pragma once
#include "experiment/engine_comparison.h"
#include "report/estimate_notice.h"

typedef struct DnComparisonEstimate DnComparisonEstimate;

/* Returns (transfer full) the estimate of @comparison, which outlives it; sets what @how calls.
 * @allowed: it may take more than an hour. */
DnComparisonEstimate *dn_comparison_estimate_new(const DnEngineComparison *comparison,
                                                 DnComparisonHow *how, gboolean allowed);
void dn_comparison_estimate_free(DnComparisonEstimate *estimate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnComparisonEstimate, dn_comparison_estimate_free)
