/* run_estimate.c - see run_estimate.h. */
#include "report/run_estimate.h"

#include "base/number.h"
#include "base/units.h"
#include "report/work_fit.h"

#include <math.h>

/* A point of more than so many times the work of the only one done has no estimate. */
#define FAR 2
/* Rates of two parts of a run that differ by more are no ground for an estimate. */
#define UNEVEN 2.0
/* No packet-hop takes longer: whole machines and full queues take up to 2 us. The first points may
 * be so short that their times differ by chance only. */
#define SLOWEST_HOP_S 1e-5

/* A point in progress: what its process has used for it, its clock and its packet-hops. */
typedef struct {
    double cpu_s;
    gint64 now_ps;
    guint64 packet_hops;
} Sample;

struct DnRunEstimate {
    DnEstimatePoint *points; /* [n_points] .work: of all its runs, by hops or by simulated time */
    guint n_points;
    gboolean by_hops; /* their work is packet-hops */
    double before_s;
    const char *noun;
    double *cpu_s;       /* [n_points] of points simulated to their end, else 0 */
    guint followed;      /* the point followed; DN_NONE: none */
    double setup_s;      /* its CPU time before its first event */
    Sample first, last;  /* of its present run */
    Sample previous;     /* the one before last */
    Sample middle, mark; /* of the same, after 1/4 to 1/2 and 1/2 to 1 of the CPU time till last */
    guint64 bytes_begun; /* of the largest point so far */
};

DnEstimatePoint dn_estimate_point_of_plan(const DnPlan *plan, guint point)
{
    return (DnEstimatePoint){.hops = plan->hops[point],
                             .work = plan->work[point],
                             .runs = plan->runs[point],
                             .until_ps = plan->until_ps[point],
                             .bytes = plan->bytes[point]};
}

DnRunEstimate *dn_run_estimate_new(const DnEstimatePoint *points, guint n, double before_s,
                                   const char *noun)
{
    DnRunEstimate *e = g_new0(DnRunEstimate, 1);
    e->by_hops = TRUE;
    e->points = g_memdup2(points, n * sizeof *points);
    e->n_points = n;
    e->before_s = before_s;
    e->noun = noun;
    e->cpu_s = g_new0(double, n);
    e->followed = DN_NONE;
    for (guint p = 0; p < n; p++)
        e->by_hops = e->by_hops && points[p].work > 0.0;
    for (guint p = 0; p < n; p++)
        e->points[p].work = points[p].runs *
                            (e->by_hops ? points[p].work : (double)points[p].until_ps);
    return e;
}

void dn_run_estimate_free(DnRunEstimate *e)
{
    if (e == NULL)
        return;
    g_free(e->points);
    g_free(e->cpu_s);
    g_free(e);
}

static void begin_point(DnRunEstimate *e, guint point)
{
    e->bytes_begun = MAX(e->bytes_begun, e->points[point].bytes);
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
        e->first = e->middle = e->mark = e->last = now;
    if (cpu_s - e->first.cpu_s >= 2 * (e->mark.cpu_s - e->first.cpu_s)) {
        e->middle = e->mark;
        e->mark = now;
    }
    e->followed = point;
    e->previous = e->last;
    e->last = now;
}

void dn_run_estimate_done(DnRunEstimate *e, guint point, double cpu_s)
{
    begin_point(e, point);
    e->points[point].done = TRUE;
    e->cpu_s[point] = cpu_s;
    if (e->followed == point)
        e->followed = DN_NONE;
}

/* Returns the part of the point followed that was simulated from @from to the last sample; 0:
 * unknown. */
static double followed_share(const DnRunEstimate *e, const Sample *from)
{
    double share = 0.0;
    const DnEstimatePoint *point = &e->points[e->followed];
    if (point->until_ps > 0)
        share = (double)(e->last.now_ps - from->now_ps) / (double)point->until_ps;
    if (point->hops > 0.0 && e->last.packet_hops > from->packet_hops)
        share = MAX(share, (double)(e->last.packet_hops - from->packet_hops) / point->hops);
    return share;
}

gboolean dn_run_estimate_steady(const DnRunEstimate *e)
{
    if (e->followed == DN_NONE || e->last.cpu_s <= e->previous.cpu_s)
        return TRUE;
    double later = followed_share(e, &e->middle) / (e->last.cpu_s - e->middle.cpu_s);
    double now = followed_share(e, &e->previous) / (e->last.cpu_s - e->previous.cpu_s);
    return now <= UNEVEN * later && later <= UNEVEN * now;
}

/* Returns the whole CPU time of the point followed; NAN: unknown. The rest is taken to go as the
 * latest part: queues that fill make a run slower than it began. */
static double followed_s(const DnRunEstimate *e)
{
    if (e->followed == DN_NONE)
        return NAN;
    double share = followed_share(e, &e->first), later = followed_share(e, &e->middle);
    if (share <= 0.0 || later <= 0.0)
        return NAN;
    double once = e->last.cpu_s - e->first.cpu_s +
                  MAX(0.0, 1.0 - share) / later * (e->last.cpu_s - e->middle.cpu_s);
    return MAX(e->last.cpu_s, e->setup_s + e->points[e->followed].runs * once);
}

static DnWorkFit fit_points(const DnRunEstimate *e, double followed)
{
    DnWorkFit fit = {0};
    for (guint p = 0; p < e->n_points; p++)
        if (e->cpu_s[p] > 0.0)
            dn_work_fit_add(&fit, e->points[p].work, e->cpu_s[p]);
    if (!isnan(followed))
        dn_work_fit_add(&fit, e->points[e->followed].work, followed);
    return fit;
}

static double other_s(const DnRunEstimate *e, const DnWorkFit *fit, double followed, double work)
{
    if (fit->n == 0.0)
        return NAN;
    if (fit->n > 1.0 || fit->w <= 0.0) {
        double most_s = e->by_hops ? fit->t / fit->n + work * SLOWEST_HOP_S : INFINITY;
        return MIN(dn_work_fit_seconds(fit, work), most_s);
    }
    if (isnan(followed) && work > FAR * fit->w)
        return NAN; /* it is unknown how much of its time is fixed */
    double fixed = isnan(followed) ? 0.0 : e->setup_s;
    return fixed + (fit->t - fixed) * work / fit->w;
}

double dn_run_estimate_seen_s(const DnRunEstimate *e)
{
    double sum = e->followed != DN_NONE ? e->last.cpu_s - e->setup_s : 0.0;
    for (guint p = 0; p < e->n_points; p++)
        sum += e->cpu_s[p];
    return sum;
}

double dn_run_estimate_s(const DnRunEstimate *e)
{
    double followed = followed_s(e), sum = e->before_s;
    DnWorkFit fit = fit_points(e, followed);
    for (guint p = 0; p < e->n_points; p++)
        if (e->points[p].done)
            sum += e->cpu_s[p];
        else if (p == e->followed && !isnan(followed))
            sum += followed;
        else
            sum += other_s(e, &fit, followed, e->points[p].work);
    return sum;
}

guint64 dn_run_estimate_bytes(const DnRunEstimate *e, guint64 resident)
{
    guint64 most = e->bytes_begun;
    for (guint p = 0; p < e->n_points; p++)
        most = MAX(most, e->points[p].bytes);
    return resident + most - e->bytes_begun;
}

char *dn_run_estimate_text(const DnRunEstimate *e, double seconds, guint64 bytes)
{
    char time[DN_NUMBER_BUF], memory[DN_UNIT_BUF];
    guint n = 0;
    for (guint p = 0; p < e->n_points; p++)
        n += !e->points[p].done || e->cpu_s[p] > 0.0;
    return g_strdup_printf(
        "estimate, by the first seconds: about %s of CPU time in one process for "
        "%u %s%s, %s of memory",
        dn_format_duration(seconds, time), n, e->noun, n == 1 ? "" : "s",
        dn_format_bytes((gint64)bytes, memory));
}

gboolean dn_run_estimate_refuse(const char *text, GError **error)
{
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                "%s; off a terminal a run of more than an hour needs --yes", text);
    return FALSE;
}
