/* run_estimate.c - see run_estimate.h. */
#include "report/run_estimate.h"

#include "base/number.h"
#include "base/units.h"
#include "report/work_fit.h"

#include <math.h>

#define FAR 2 /* times the work of the only point that is done */

/* A point in progress: what its process has used for it, its clock and its packet-hops. */
typedef struct {
    double cpu_s;
    gint64 now_ps;
    guint64 packet_hops;
} Sample;

struct DnRunEstimate {
    DnEstimatePoints points;
    double *work;        /* [n_points] 0: unknown */
    double *cpu_s;       /* [n_points] of those done here, else 0 */
    guint8 *done;        /* [n_points] here or before */
    guint followed;      /* DN_NONE: none */
    double setup_s;      /* of it, before its first event */
    Sample first, last;  /* of its present run */
    guint64 bytes_begun; /* of the largest point so far */
};

DnRunEstimate *dn_run_estimate_new(const DnEstimatePoints *points)
{
    DnRunEstimate *e = g_new0(DnRunEstimate, 1);
    guint n = points->n_points;
    const double *work = points->work != NULL ? points->work : points->hops;
    gboolean by_hops = TRUE;
    e->points = *points;
    e->work = g_new0(double, n);
    e->cpu_s = g_new0(double, n);
    e->done = g_memdup2(points->done, n);
    e->followed = DN_NONE;
    for (guint p = 0; p < n; p++)
        by_hops = by_hops && work[p] > 0.0;
    for (guint p = 0; p < n; p++)
        e->work[p] = points->runs[p] * (by_hops ? work[p] : (double)points->until_ps[p]);
    return e;
}

void dn_run_estimate_free(DnRunEstimate *e)
{
    if (e == NULL)
        return;
    g_free(e->work);
    g_free(e->cpu_s);
    g_free(e->done);
    g_free(e);
}

static void begin_point(DnRunEstimate *e, guint point)
{
    if (e->points.bytes != NULL)
        e->bytes_begun = MAX(e->bytes_begun, e->points.bytes[point]);
}

void dn_run_estimate_update(DnRunEstimate *e, guint point, gint64 now_ps, guint64 packet_hops,
                            double cpu_s)
{
    const Sample now = {cpu_s, now_ps, packet_hops};
    begin_point(e, point);
    if (e->followed != DN_NONE && e->followed != point)
        return; /* of several at once one is followed until it is done */
    if (e->followed == DN_NONE)
        e->setup_s = cpu_s;
    if (e->followed == DN_NONE || now_ps < e->last.now_ps)
        e->first = now;
    e->followed = point;
    e->last = now;
}

void dn_run_estimate_done(DnRunEstimate *e, guint point, double cpu_s)
{
    begin_point(e, point);
    e->done[point] = 1;
    e->cpu_s[point] = cpu_s;
    if (e->followed == point)
        e->followed = DN_NONE;
}

/* Returns the whole CPU time of the point followed; NAN: unknown. */
static double followed_s(const DnRunEstimate *e)
{
    guint p = e->followed;
    const DnEstimatePoints *all = &e->points;
    double share = 0.0;
    if (p == DN_NONE)
        return NAN;
    if (all->until_ps[p] > 0)
        share = (double)(e->last.now_ps - e->first.now_ps) / (double)all->until_ps[p];
    if (all->hops[p] > 0.0 && e->last.packet_hops > e->first.packet_hops)
        share = MAX(share, (double)(e->last.packet_hops - e->first.packet_hops) / all->hops[p]);
    if (share <= 0.0)
        return NAN;
    double once = (e->last.cpu_s - e->first.cpu_s) / MIN(1.0, share);
    return MAX(e->last.cpu_s, e->setup_s + all->runs[p] * once);
}

static DnWorkFit fit_points(const DnRunEstimate *e, double followed)
{
    DnWorkFit fit = {0};
    for (guint p = 0; p < e->points.n_points; p++)
        if (e->cpu_s[p] > 0.0)
            dn_work_fit_add(&fit, e->work[p], e->cpu_s[p]);
    if (!isnan(followed))
        dn_work_fit_add(&fit, e->work[e->followed], followed);
    return fit;
}

static double other_s(const DnRunEstimate *e, const DnWorkFit *fit, double followed, double work)
{
    if (fit->n == 0.0)
        return NAN;
    if (fit->n > 1.0 || fit->w <= 0.0)
        return dn_work_fit_seconds(fit, work);
    if (isnan(followed) && work > FAR * fit->w)
        return NAN; /* how much of its time went with its work? */
    double fixed = isnan(followed) ? 0.0 : e->setup_s;
    return fixed + (fit->t - fixed) * work / fit->w;
}

double dn_run_estimate_seen_s(const DnRunEstimate *e)
{
    double sum = e->followed != DN_NONE ? e->last.cpu_s - e->setup_s : 0.0;
    for (guint p = 0; p < e->points.n_points; p++)
        sum += e->cpu_s[p];
    return sum;
}

double dn_run_estimate_s(const DnRunEstimate *e)
{
    double followed = followed_s(e), sum = e->points.before_s;
    DnWorkFit fit = fit_points(e, followed);
    for (guint p = 0; p < e->points.n_points; p++)
        if (e->done[p])
            sum += e->cpu_s[p];
        else
            sum += p == e->followed && !isnan(followed) ? followed
                                                        : other_s(e, &fit, followed, e->work[p]);
    return sum;
}

guint64 dn_run_estimate_bytes(const DnRunEstimate *e, guint64 resident)
{
    guint64 most = e->bytes_begun;
    for (guint p = 0; e->points.bytes != NULL && p < e->points.n_points; p++)
        most = MAX(most, e->points.bytes[p]);
    return resident + most - e->bytes_begun;
}

char *dn_run_estimate_text(const DnRunEstimate *e, double seconds, guint64 bytes)
{
    char time[DN_NUMBER_BUF], memory[DN_UNIT_BUF];
    guint n = 0;
    for (guint p = 0; p < e->points.n_points; p++)
        n += !e->done[p] || e->cpu_s[p] > 0.0;
    return g_strdup_printf(
        "estimate, by the first seconds: about %s of CPU time in one process for "
        "%u %s%s, %s of memory",
        dn_format_duration(seconds, time), n, e->points.noun != NULL ? e->points.noun : "point",
        n == 1 ? "" : "s", dn_format_bytes((gint64)bytes, memory));
}
