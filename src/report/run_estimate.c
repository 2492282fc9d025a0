/* run_estimate.c - see run_estimate.h. */
#include "report/run_estimate.h"
#include "base/number.h"
#include "base/units.h"

#include <math.h>
#include <sys/resource.h>

/* Seconds of point @p, by the sample of another of the same run; NAN: unknown. */
static double point_seconds(const double *hops, const gint64 *until_ps, guint p,
                            const DnEstimateSample *sample)
{
    if (until_ps[p] > 0 && until_ps[sample->point] > 0 && sample->now_ps > 0)
        return sample->elapsed_s * (double)until_ps[p] / (double)sample->now_ps;
    if (hops[p] > 0.0 && sample->packet_hops > 0)
        return sample->elapsed_s * hops[p] / (double)sample->packet_hops;
    return NAN;
}

double dn_run_estimate_s(const double *hops, const gint64 *until_ps, const double *runs,
                         const guint *points, guint n, const DnEstimateSample *sample)
{
    double sum = 0.0;
    for (guint i = 0; i < n; i++)
        sum += runs[points[i]] * point_seconds(hops, until_ps, points[i], sample);
    return sum;
}

char *dn_run_estimate_text(double seconds, guint n_points)
{
    char time[DN_NUMBER_BUF], memory[DN_UNIT_BUF];
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return g_strdup_printf(
        "estimate, by the first seconds: about %s in one process for %u point%s, %s "
        "of memory",
        dn_format_duration(seconds, time), n_points, n_points == 1 ? "" : "s",
        dn_format_bytes((gint64)usage.ru_maxrss * 1024, memory));
}
