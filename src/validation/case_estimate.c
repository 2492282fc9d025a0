/* case_estimate.c - see case_estimate.h. */
#include "validation/case_estimate.h"

#include "base/number.h"
#include "base/units.h"
#include "report/estimate_notice.h"
#include "stats/summary.h"

#include <string.h>

/* Means of the quick tier's runs, on a processor of 3 GHz: of a packet hop, of a simulation, and of
 * one whose hops nobody knows before, for a background or a `measure:`. */
#define HOP_S 0.2e-6
#define SIMULATION_S 2.5e-3
#define UNKNOWN_S 1.0

DnCaseCpu dn_case_estimate_foreseen(const DnCase *case_, guint run)
{
    const DnPlan *plan = g_ptr_array_index(case_->plans, run);
    DnCaseCpu cpu = {0};
    gboolean all = TRUE;
    for (guint p = 0; p < plan->sweep->n_points; p++) {
        if (!dn_case_wants(case_, plan, p))
            continue;
        all = all && plan->hops[p] > 0.0;
        cpu.hops += plan->runs[p] * plan->hops[p];
        cpu.simulations += plan->runs[p];
    }
    if (!all)
        cpu.hops = 0.0;
    return cpu;
}

static double by_hops(const DnCaseCpu *cpu)
{
    return cpu->hops > 0.0 ? SIMULATION_S * cpu->simulations + HOP_S * cpu->hops
                           : UNKNOWN_S * cpu->simulations;
}

/* Returns the median time of kept runs over that by hops: of those whose hops are known or unknown
 * as those of @like are, and whose names begin with @prefix; 0 without any. */
static double kept_ratio(GHashTable *known, const DnCaseCpu *like, const char *prefix)
{
    g_autofree double *ratios = g_new(double, g_hash_table_size(known) + 1);
    guint n = 0;
    GHashTableIter iter;
    gpointer key, value;
    g_hash_table_iter_init(&iter, known);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const DnCaseCpu *cpu = value;
        if (g_str_has_prefix(key, prefix) && (cpu->hops > 0.0) == (like->hops > 0.0) &&
            by_hops(cpu) > 0.0)
            ratios[n++] = cpu->cpu_s / by_hops(cpu);
    }
    return n > 0 ? dn_summary(ratios, n).median : 0.0;
}

static double unkept_s(GHashTable *known, const DnCase *case_, const DnCaseCpu *now)
{
    g_autofree char *prefix = g_strconcat(case_->name, "/", NULL);
    double ratio = kept_ratio(known, now, prefix);
    if (ratio <= 0.0)
        ratio = kept_ratio(known, now, "");
    return by_hops(now) * (ratio > 0.0 ? ratio : 1.0);
}

static double kept_s(const DnCaseCpu *then, const DnCaseCpu *now)
{
    if (then->hops > 0.0 && now->hops > 0.0)
        return then->cpu_s * now->hops / then->hops;
    return then->simulations > 0.0 ? then->cpu_s * now->simulations / then->simulations
                                   : then->cpu_s;
}

void dn_case_estimate_add(DnCaseEstimate *estimate, const DnCase *case_, guint run)
{
    const DnPlan *plan = g_ptr_array_index(case_->plans, run);
    const DnCaseCpu now = dn_case_estimate_foreseen(case_, run);
    const DnCaseCpu *then = dn_case_cpu_find(estimate->known, case_->name, plan->name);
    estimate->runs++;
    estimate->kept += then != NULL;
    estimate->cpu_s += then != NULL ? kept_s(then, &now) : unkept_s(estimate->known, case_, &now);
    for (guint p = 0; p < plan->sweep->n_points; p++)
        if (dn_case_wants(case_, plan, p))
            estimate->bytes = MAX(estimate->bytes, plan->bytes[p]);
}

gboolean dn_case_estimate_print(const DnCaseEstimate *estimate, gboolean allowed, GError **error)
{
    char time[DN_NUMBER_BUF], memory[DN_UNIT_BUF];
    const char *by = estimate->kept == 0                ? "packet hops"
                     : estimate->kept == estimate->runs ? "earlier runs"
                                                        : "earlier runs and packet hops";
    if (estimate->cpu_s < DN_CASE_ESTIMATE_FROM_S)
        return TRUE;
    g_autofree char *text = g_strdup_printf(
        "estimate, by %s: about %s of CPU time in one process for %u run%s of cases, %s of memory",
        by, dn_format_duration(estimate->cpu_s, time), estimate->runs,
        estimate->runs == 1 ? "" : "s",
        dn_format_bytes((gint64)(dn_resident_bytes() + estimate->bytes), memory));
    if (!allowed && estimate->cpu_s > DN_ESTIMATE_MOST_S)
        return dn_run_estimate_refuse(text, error);
    g_printerr("%s\n", text);
    return TRUE;
}
