/* measure.c - see measure.h. */
#include "experiment/measure.h"

#include "base/rate.h"

#include <math.h>

/* Ranks that send: those of a permutation's fixed points do not. */
static double measure_senders(const DnProgram *program)
{
    return program->type->bytes_moved(program) / program->type->goodput_bytes(program);
}

static double first_window_ps(const DnProgram *const *programs, guint n)
{
    double longest = 0;
    for (guint j = 0; j < n; j++) {
        if (programs[j]->offered_bps <= 0)
            continue;
        double gap_ps = dn_rate_time((double)programs[j]->bytes, programs[j]->offered_bps);
        double messages =
            MAX(DN_MEASURE_RANK_MESSAGES, DN_MEASURE_MESSAGES / measure_senders(programs[j]));
        longest = MAX(longest, gap_ps * messages);
    }
    g_assert(longest > 0);
    return longest;
}

DnMeasureSchedule dn_measure_schedule(const DnMeasureSpec *measure,
                                      const DnProgram *const *programs, guint n, guint attempt)
{
    gint64 span_ps = (gint64)ceil(ldexp(first_window_ps(programs, n), (int)attempt));
    DnMeasureSchedule s = {
        .warmup_ps = measure->warmup_ps > 0 ? measure->warmup_ps : span_ps,
        .window_ps = measure->window_ps > 0 ? measure->window_ps : span_ps,
        .automatic = measure->warmup_ps == 0 || measure->window_ps == 0,
    };
    s.until_ps = s.warmup_ps + (DN_MEASURE_WINDOWS + 1) * s.window_ps;
    return s;
}

DnMeasured dn_measure_job(const DnProgram *program, const DnMeasureSchedule *schedule,
                          const DnMeasureWindow *windows)
{
    gint64 born_bytes = 0, arrived_bytes = 0;
    guint64 born = 0, arrived = 0;
    DnMeasured m = {0};
    for (guint w = 0; w < DN_MEASURE_WINDOWS; w++) {
        const DnMeasureWindow *in = &windows[w];
        born_bytes += in->born_bytes;
        arrived_bytes += in->arrived_bytes;
        born += in->born;
        arrived += in->arrived;
        m.latency_ps[w] = in->arrived > 0 ? (double)in->latency_ps_sum / (double)in->arrived : NAN;
    }
    double rank_s = measure_senders(program) * DN_MEASURE_WINDOWS * (double)schedule->window_ps *
                    1e-12;
    m.offered_bps = 8.0 * (double)born_bytes / rank_s;
    m.accepted_bps = 8.0 * (double)arrived_bytes / rank_s;
    m.arrived = born > 0 ? (double)arrived / (double)born : 0;
    return m;
}

gboolean dn_measure_steady(const DnMeasureSpec *measure, const DnMeasureSchedule *schedule,
                           const DnMeasured *m)
{
    double first = m->latency_ps[0], second = m->latency_ps[1];
    if (!(fabs(second - first) <= measure->tolerance * first)) /* NAN: nothing arrived */
        return FALSE;
    if (measure->window_ps == 0 && (double)schedule->window_ps < first + second)
        return FALSE;
    return m->arrived >= 0.99 && m->accepted_bps >= (1 - measure->tolerance) * m->offered_bps;
}

gboolean dn_measure_saturated(const DnMeasureSpec *measure, const DnMeasured *before,
                              const DnMeasured *m)
{
    double least = 1 - measure->tolerance;
    return before->accepted_bps < least * before->offered_bps &&
           m->accepted_bps < least * m->offered_bps && m->accepted_bps > 0 &&
           fabs(m->accepted_bps - before->accepted_bps) <= 0.02 * m->accepted_bps;
}
