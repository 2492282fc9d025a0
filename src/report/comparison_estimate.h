/* comparison_estimate.h - The estimate of the CPU time and memory of a comparison of engines,
 * reported after its first second as that of a run is (estimate_notice.h).
 *
 * LIMITATIONS: until engine flow has run, it is assumed to take as long as packet, and bound 0.3 of
 * that. An alltoall of large messages takes less on flow, one of single packets up to 100 times as
 * much. */
#pragma once
#include "experiment/engine_comparison.h"
#include "report/estimate_notice.h"

typedef struct DnComparisonEstimate DnComparisonEstimate;

/* Returns (transfer full) the estimate of @comparison, which must outlive it, and sets the
 * callbacks of @how. @allowed: the comparison may take more than an hour. */
DnComparisonEstimate *dn_comparison_estimate_new(const DnEngineComparison *comparison,
                                                 DnComparisonHow *how, gboolean allowed);
void dn_comparison_estimate_free(DnComparisonEstimate *estimate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnComparisonEstimate, dn_comparison_estimate_free)
