/* explain_estimate.c - see explain_estimate.h. */
#include "report/explain_estimate.h"

#include "base/cpu_clock.h"

/* CPU time of the run with its critical path relative to the run: 20 to 90 where a link is full. */
#define PATH_WEIGHT 20

struct DnExplainEstimate {
    DnEstimateNotice notice;
};

DnExplainEstimate *dn_explain_estimate_new(const DnRunSpec *spec, DnExplainQuery *query,
                                           gboolean allowed, GError **error)
{
    const DnRunOptions options = {.threads = query->threads};
    g_auto(DnRunCheck) check = {0};
    if (!dn_simulate_check(spec, &options, NULL, &check, error))
        return NULL;
    DnEstimatePoint points[DN_EXPLAIN_RUNS];
    for (guint run = 0; run < DN_EXPLAIN_RUNS; run++)
        points[run] =
            (DnEstimatePoint){.hops = check.background ? 0.0 : check.hops,
                              .work = check.hops * (run == DN_EXPLAIN_PATH ? PATH_WEIGHT : 1),
                              .runs = run == DN_EXPLAIN_ALL ? spec->repeat : 1.0,
                              .until_ps = spec->until_ps,
                              .bytes = check.bytes,
                              .done = !dn_explain_wants(query, spec, run)};
    DnExplainEstimate *e = g_new0(DnExplainEstimate, 1);
    e->notice.estimate = dn_run_estimate_new(points, DN_EXPLAIN_RUNS, dn_cpu_clock_s(), "run");
    e->notice.allowed = allowed;
    query->progress = dn_estimate_notice_update;
    query->done = dn_estimate_notice_done;
    query->data = &e->notice;
    return e;
}

void dn_explain_estimate_free(DnExplainEstimate *e)
{
    if (e == NULL)
        return;
    dn_run_estimate_free(e->notice.estimate);
    g_free(e);
}
