/* explain_estimate.h - The estimate of the CPU time and memory of an explanation, reported after
 * its first second as that of a run is (estimate_notice.h).
 *
 * LIMITATIONS: how many changes will be tried is known late: the most are foreseen. Each is taken
 * to last as long as the run that is explained. Long queues make the critical path's run slower as
 * it goes on, so the estimate of an alltoall of long messages is too short. */
#pragma once
#include "experiment/explanation.h"
#include "report/estimate_notice.h"

typedef struct DnExplainEstimate DnExplainEstimate;

/* Returns (transfer full) the estimate of the explanation of @spec, and sets the callbacks of
 * @query. Both must outlive it. @allowed: it may take more than an hour. NULL + an error of
 * dn_simulate_check(). */
DnExplainEstimate *dn_explain_estimate_new(const DnRunSpec *spec, DnExplainQuery *query,
                                           gboolean allowed, GError **error);
void dn_explain_estimate_free(DnExplainEstimate *estimate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnExplainEstimate, dn_explain_estimate_free)
