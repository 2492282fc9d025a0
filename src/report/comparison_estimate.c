/* comparison_estimate.c - see comparison_estimate.h. */
#include "report/comparison_estimate.h"

#include "base/cpu_clock.h"

/* CPU time of an engine where another takes 1, until it is known. */
static const double weights[DN_COMPARED_ENGINES] = {1.0, 1.0, 0.3};

/* Each engine of a point is a point of the estimate. */
struct DnComparisonEstimate {
    DnEstimateNotice notice;
    double *hops, *work, *runs; /* [points * DN_COMPARED_ENGINES] as DnEstimatePoints has them */
    gint64 *until_ps;
    guint64 *bytes;
    double *begun_s; /* [points * DN_COMPARED_ENGINES] CPU time of the point before this engine */
};

/* Engines of @point before @engine are over. */
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

/* The engines of all points as points of the estimate; hops 0 of bound, which counts others. */
static void points_fill(DnComparisonEstimate *e, const DnPlan *plan, guint n)
{
    e->hops = g_new0(double, n);
    e->work = g_new0(double, n);
    e->runs = g_new0(double, n);
    e->until_ps = g_new0(gint64, n);
    e->bytes = g_new0(guint64, n);
    e->begun_s = g_new0(double, n);
    for (guint i = 0; i < n; i++) {
        guint p = i / DN_COMPARED_ENGINES, engine = i % DN_COMPARED_ENGINES;
        e->hops[i] = engine == DN_COMPARED_BOUND ? 0.0 : plan->hops[p];
        e->work[i] = weights[engine] * plan->work[p];
        e->runs[i] = plan->runs[p];
        e->until_ps[i] = plan->until_ps[p];
        e->bytes[i] = plan->bytes[p];
    }
}

DnComparisonEstimate *dn_comparison_estimate_new(const DnEngineComparison *comparison,
                                                 DnComparisonHow *how, gboolean allowed)
{
    const DnPlan *plan = comparison->plans[DN_COMPARED_PACKET];
    guint n = plan->sweep->n_points * DN_COMPARED_ENGINES;
    g_autofree guint8 *done = g_new0(guint8, n);
    DnComparisonEstimate *e = g_new0(DnComparisonEstimate, 1);
    points_fill(e, plan, n);
    const DnEstimatePoints points = {.n_points = n,
                                     .hops = e->hops,
                                     .work = e->work,
                                     .until_ps = e->until_ps,
                                     .runs = e->runs,
                                     .bytes = e->bytes,
                                     .done = done,
                                     .before_s = dn_cpu_clock_s(),
                                     .noun = "run"};
    e->notice = (DnEstimateNotice){.estimate = dn_run_estimate_new(&points), .allowed = allowed};
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
    g_free(e->hops);
    g_free(e->work);
    g_free(e->runs);
    g_free(e->until_ps);
    g_free(e->bytes);
    g_free(e->begun_s);
    g_free(e);
}
