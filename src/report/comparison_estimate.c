/* comparison_estimate.c - see comparison_estimate.h. */
#include "report/comparison_estimate.h"

#include "base/cpu_clock.h"

/* CPU time of each engine relative to packet's, assumed until the engine has run. */
static const double weights[DN_COMPARED_ENGINES] = {1.0, 1.0, 0.3};

/* Each engine of a point is a point of the estimate. */
struct DnComparisonEstimate {
    DnEstimateNotice notice;
    double *begun_s; /* [points * DN_COMPARED_ENGINES] CPU time of the point before this engine */
};

/* Marks the engines of @point before @engine as done; the CPU time since the last update of one is
 * that engine's. */
static void comparison_estimate_begin(DnComparisonEstimate *e, guint point, guint engine,
                                      double cpu_s)
{
    double *begun_s = &e->begun_s[(gsize)point * DN_COMPARED_ENGINES];
    guint before = 0;
    if (begun_s[engine] > 0.0)
        return;
    for (guint i = 1; i < engine; i++)
        before = begun_s[i] > 0.0 ? i : before;
    for (guint i = before; i < engine; i++)
        dn_run_estimate_done(e->notice.estimate, point * DN_COMPARED_ENGINES + i,
                             i == before ? cpu_s - begun_s[i] : 0.0);
    begun_s[engine] = cpu_s;
}

static gboolean comparison_estimate_update(void *data, guint point, DnComparedEngine engine,
                                           gint64 now_ps, guint64 packet_hops, double cpu_s,
                                           GError **error)
{
    DnComparisonEstimate *e = data;
    guint at = point * DN_COMPARED_ENGINES + engine;
    if (engine > 0)
        comparison_estimate_begin(e, point, engine, cpu_s);
    dn_run_estimate_update(e->notice.estimate, at, now_ps, packet_hops, cpu_s - e->begun_s[at]);
    return dn_estimate_notice_print(&e->notice, error);
}

static gboolean comparison_estimate_done(void *data, guint point, double cpu_s, GError **error)
{
    DnComparisonEstimate *e = data;
    guint last = DN_COMPARED_ENGINES - 1, at = point * DN_COMPARED_ENGINES + last;
    comparison_estimate_begin(e, point, last, cpu_s);
    dn_run_estimate_done(e->notice.estimate, at, cpu_s - e->begun_s[at]);
    return dn_estimate_notice_print(&e->notice, error);
}

DnComparisonEstimate *dn_comparison_estimate_new(const DnEngineComparison *comparison,
                                                 DnComparisonHow *how, gboolean allowed)
{
    const DnPlan *plan = comparison->plans[DN_COMPARED_PACKET];
    guint n = plan->sweep->n_points * DN_COMPARED_ENGINES;
    g_autofree DnEstimatePoint *points = g_new(DnEstimatePoint, n);
    for (guint i = 0; i < n; i++) {
        guint engine = i % DN_COMPARED_ENGINES;
        points[i] = dn_estimate_point_of_plan(plan, i / DN_COMPARED_ENGINES);
        points[i].work *= weights[engine];
        if (engine == DN_COMPARED_BOUND) /* whose packet hops are not those of routed packets */
            points[i].hops = 0.0;
    }
    DnComparisonEstimate *e = g_new0(DnComparisonEstimate, 1);
    e->begun_s = g_new0(double, n);
    e->notice.estimate = dn_run_estimate_new(points, n, dn_cpu_clock_s(), "run");
    e->notice.allowed = allowed;
    how->progress = comparison_estimate_update;
    how->done = comparison_estimate_done;
    how->data = e;
    return e;
}

void dn_comparison_estimate_free(DnComparisonEstimate *e)
{
    if (e == NULL)
        return;
    dn_run_estimate_free(e->notice.estimate);
    g_free(e->begun_s);
    g_free(e);
}
