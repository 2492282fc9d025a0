/* time_left.c - see time_left.h. */
#include "report/time_left.h"

#include "report/work_fit.h"

#include <math.h>

#define TRUSTED_SHARE 0.9 /* beyond it the expected packet-hops may have been too few */
#define LEAST_SHARE 0.02
#define LEAST_SECONDS 0.3

typedef enum { WAITS, RUNS, DONE, SKIPPED } State;

typedef struct {
    State state;
    double work;
    gint64 until_ps, begun_us, ended_us, now_ps;
    guint64 packet_hops;
    gboolean again; /* it simulates more than once: its share says nothing */
} Point;

struct DnTimeLeft {
    guint n, jobs, done, running, skipped;
    Point *points;
    gint64 begun_us; /* when the last point ended: one without an update began there */
};

DnTimeLeft *dn_time_left_new(guint n_points, guint jobs, const double *work, const gint64 *until_ps,
                             gint64 now_us)
{
    DnTimeLeft *left = g_new0(DnTimeLeft, 1);
    left->begun_us = now_us;
    left->n = n_points;
    left->jobs = MAX(1, jobs);
    left->points = g_new0(Point, n_points);
    for (guint p = 0; p < n_points; p++) {
        left->points[p].work = work[p];
        left->points[p].until_ps = until_ps[p];
    }
    return left;
}

void dn_time_left_free(DnTimeLeft *left)
{
    if (left == NULL)
        return;
    g_free(left->points);
    g_free(left);
}

void dn_time_left_update(DnTimeLeft *left, guint point, gint64 now_ps, guint64 packet_hops,
                         gint64 now_us)
{
    Point *p = &left->points[point];
    if (p->state == WAITS) {
        p->state = RUNS;
        p->begun_us = now_us;
        left->running++;
    }
    p->again = p->again || now_ps < p->now_ps;
    p->now_ps = now_ps;
    p->packet_hops = packet_hops;
}

void dn_time_left_done(DnTimeLeft *left, guint point, gint64 now_us)
{
    Point *p = &left->points[point];
    if (p->state == RUNS)
        left->running--;
    else
        /* it ended before its first update */
        p->begun_us = now_us - left->jobs * (now_us - left->begun_us);
    if (p->state != DONE)
        left->done++;
    p->state = DONE;
    p->ended_us = now_us;
    left->begun_us = now_us;
}

void dn_time_left_skip(DnTimeLeft *left, guint point)
{
    left->points[point].state = SKIPPED;
    left->skipped++;
}

guint dn_time_left_points_done(const DnTimeLeft *left)
{
    return left->done + left->skipped;
}

guint dn_time_left_points_running(const DnTimeLeft *left)
{
    return left->running;
}

static double point_share(const Point *p)
{
    double share = NAN;
    if (p->state == DONE || p->state == SKIPPED)
        return 1.0;
    if (p->until_ps > 0)
        share = (double)p->now_ps / (double)p->until_ps;
    else if (p->work > 0.0)
        share = (double)p->packet_hops / p->work;
    if (p->again || isnan(share))
        return NAN;
    return MIN(share, 0.99); /* an estimate; done is said elsewhere */
}

double dn_time_left_share(const DnTimeLeft *left, guint point)
{
    return point_share(&left->points[point]);
}

static double seconds_between(gint64 begun_us, gint64 ended_us)
{
    return (double)(ended_us - begun_us) * 1e-6;
}

/* The whole time of a point in progress, by its share; NAN: it is not known yet. */
static double projected_s(const Point *p, gint64 now_us)
{
    double share = point_share(p), here_s = seconds_between(p->begun_us, now_us);
    return p->state == RUNS && share >= LEAST_SHARE && share <= TRUSTED_SHARE &&
                   here_s >= LEAST_SECONDS
               ? here_s / share
               : NAN;
}

static DnWorkFit fit_points(const DnTimeLeft *left, gint64 now_us)
{
    DnWorkFit fit = {0};
    for (guint i = 0; i < left->n; i++) {
        const Point *p = &left->points[i];
        double projected = projected_s(p, now_us);
        if (p->state == DONE)
            dn_work_fit_add(&fit, p->work, seconds_between(p->begun_us, p->ended_us));
        else if (!isnan(projected))
            dn_work_fit_add(&fit, p->work, projected);
    }
    return fit;
}

/* Returns the time that point @p still takes. */
static double point_left_s(const Point *p, const DnWorkFit *fit, gint64 now_us)
{
    double whole = projected_s(p, now_us);
    if (p->state == DONE || p->state == SKIPPED)
        return 0.0;
    if (isnan(whole) && fit->n > 0.0 && p->work <= DN_TIME_LEFT_BEYOND * fit->most)
        whole = dn_work_fit_seconds(fit, p->work);
    if (p->state != RUNS)
        return whole;
    double here_s = seconds_between(p->begun_us, now_us);
    return whole > here_s ? whole - here_s : NAN; /* longer than expected: for how long? */
}

double dn_time_left_seconds(const DnTimeLeft *left, gint64 now_us)
{
    DnWorkFit fit = fit_points(left, now_us);
    double sum = 0.0, longest = 0.0;
    for (guint i = 0; i < left->n; i++) {
        double here = point_left_s(&left->points[i], &fit, now_us);
        if (isnan(here))
            return NAN;
        sum += here;
        longest = MAX(longest, here);
    }
    return MAX(longest, sum / left->jobs);
}
