/* case_estimate.c - see case_estimate.h. */
#include "validation/case_estimate.h"

#include "base/number.h"
#include "report/run_estimate.h"

/* Means of the quick tier's runs, on a processor of 3 GHz: of a packet hop, of a simulation, and of
 * one whose hops nobody knows before, for a background or a `measure:`. */
#define HOP_S 0.2e-6
#define SIMULATION_S 2.5e-3
#define UNKNOWN_S 1.0

void dn_case_estimate_add(DnCaseEstimate *estimate, const DnCase *case_, guint run)
{
    const DnPlan *plan = g_ptr_array_index(case_->plans, run);
    estimate->runs++;
    for (guint p = 0; p < plan->sweep->n_points; p++)
        if (dn_case_wants(case_, plan, p))
            estimate->cpu_s += plan->runs[p] * (plan->hops[p] > 0.0
                                                    ? SIMULATION_S + HOP_S * plan->hops[p]
                                                    : UNKNOWN_S);
}

gboolean dn_case_estimate_print(const DnCaseEstimate *estimate, gboolean allowed, GError **error)
{
    char time[DN_NUMBER_BUF];
    if (estimate->cpu_s < DN_CASE_ESTIMATE_FROM_S)
        return TRUE;
    g_autofree char *text = g_strdup_printf(
        "estimate, by packet hops: about %s of CPU time in one process for %u run%s of cases",
        dn_format_duration(estimate->cpu_s, time), estimate->runs, estimate->runs == 1 ? "" : "s");
    if (!allowed && estimate->cpu_s > DN_ESTIMATE_MOST_S)
        return dn_run_estimate_refuse(text, error);
    g_printerr("%s\n", text);
    return TRUE;
}
