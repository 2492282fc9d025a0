/* progress.c - the progress line.
 *
 * LIMITATIONS: time left is an estimate: the hops of a point are guessed from its payload and the
 * mean path between random endpoints, and the rate is taken as constant. */
#include "report/progress.h"
#include "base/number.h"
#include "base/units.h"
#include <math.h>

struct DnProgress {
    FILE *out;
    gboolean shown, drawn;
    guint n_points, point;
    gint64 started_us, point_started_us;
    double work, work_after, hops;
    gint64 until_ps;
};

DnProgress *dn_progress_new(FILE *out, gboolean shown, guint n_points)
{
    DnProgress *p = g_new0(DnProgress, 1);
    p->out = out;
    p->shown = shown;
    p->n_points = n_points;
    p->started_us = g_get_monotonic_time();
    return p;
}

void dn_progress_free(DnProgress *progress)
{
    if (progress == NULL)
        return;
    dn_progress_clear(progress);
    g_free(progress);
}

void dn_progress_point(DnProgress *progress, guint point, double work, double work_after,
                       double hops, gint64 until_ps)
{
    progress->point = point;
    progress->point_started_us = g_get_monotonic_time();
    progress->work = work;
    progress->work_after = work_after;
    progress->hops = hops;
    progress->until_ps = until_ps;
}

double dn_progress_share(gint64 now_ps, gint64 until_ps, double hops, double hops_expected)
{
    double share = NAN;
    if (until_ps > 0)
        share = (double)now_ps / (double)until_ps;
    else if (hops_expected > 0.0)
        share = hops / hops_expected;
    return isnan(share) ? share : MIN(share, 0.99); /* an estimate; done is said elsewhere */
}

char *dn_progress_text(guint point, guint n_points, double share, double hops_per_s, gint64 now_ps,
                       double left_s)
{
    char buf[DN_NUMBER_BUF], time[DN_UNIT_BUF];
    GString *out = g_string_new(NULL);
    if (n_points > 1)
        g_string_append_printf(out, "point %u of %u: ", point + 1, n_points);
    if (!isnan(share))
        g_string_append_printf(out, "%.0f %%, ", 100.0 * share);
    g_string_append_printf(out, "%s simulated, %s M packet-hops/s", dn_format_time(now_ps, time),
                           dn_format_digits(hops_per_s * 1e-6, 3, buf));
    if (!isnan(left_s))
        g_string_append_printf(out, ", about %s left", dn_format_duration(left_s, buf));
    return g_string_free(out, FALSE);
}

void dn_progress_update(DnProgress *p, gint64 now_ps, guint64 packet_hops)
{
    if (!p->shown)
        return;
    double here_s = (double)(g_get_monotonic_time() - p->point_started_us) * 1e-6;
    double share = dn_progress_share(now_ps, p->until_ps, (double)packet_hops, p->hops);
    double left_s = NAN;
    if (share > 0.0 && here_s > 0.5) {
        double whole_s = here_s / share;
        left_s = whole_s - here_s;
        if (p->work > 0.0)
            left_s += whole_s * p->work_after / p->work;
    }
    g_autofree char *text = dn_progress_text(p->point, p->n_points, share,
                                             here_s > 0.0 ? (double)packet_hops / here_s : 0.0,
                                             now_ps, left_s);
    fprintf(p->out, "\r%s\033[K", text);
    fflush(p->out);
    p->drawn = TRUE;
}

void dn_progress_clear(DnProgress *progress)
{
    if (!progress->drawn)
        return;
    fputs("\r\033[K", progress->out);
    fflush(progress->out);
    progress->drawn = FALSE;
}
