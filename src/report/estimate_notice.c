/* estimate_notice.c - see estimate_notice.h. */
#include "report/estimate_notice.h"

#include <math.h>
#include <sys/resource.h>

guint64 dn_resident_bytes(void)
{
    struct rusage own, others;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &others);
    return (guint64)MAX(own.ru_maxrss, others.ru_maxrss) * 1024;
}

gboolean dn_estimate_notice_check(DnEstimateNotice *notice, DnEstimateResult *found, GError **error)
{
    const DnRunEstimate *estimate = notice->estimate;
    gboolean soon = !notice->estimated && dn_run_estimate_steady(estimate);
    *found = (DnEstimateResult){0};
    if (notice->judged ||
        dn_run_estimate_seen_s(estimate) < (soon ? DN_ESTIMATE_AFTER_S : DN_ESTIMATE_SURE_S))
        return TRUE;
    double seconds = dn_run_estimate_s(estimate);
    if (isnan(seconds))
        return TRUE;
    gboolean first = !notice->estimated;
    notice->judged = notice->estimated || notice->allowed;
    notice->estimated = TRUE;
    guint64 bytes = dn_run_estimate_bytes(estimate, dn_resident_bytes());
    g_autofree char *text = dn_run_estimate_text(estimate, seconds, bytes);
    if (!notice->allowed && seconds > DN_ESTIMATE_MOST_S * (first ? DN_ESTIMATE_BEYOND : 1.0))
        return dn_run_estimate_refuse(text, error);
    if (first)
        *found = (DnEstimateResult){g_steal_pointer(&text), seconds, bytes};
    return TRUE;
}

gboolean dn_estimate_notice_print(DnEstimateNotice *notice, GError **error)
{
    DnEstimateResult found;
    if (!dn_estimate_notice_check(notice, &found, error))
        return FALSE;
    if (found.text != NULL)
        g_printerr("%s\n", found.text);
    g_free(found.text);
    return TRUE;
}

gboolean dn_estimate_notice_update(void *data, guint run, gint64 now_ps, guint64 packet_hops,
                                   double cpu_s, GError **error)
{
    DnEstimateNotice *notice = data;
    dn_run_estimate_update(notice->estimate, run, now_ps, packet_hops, cpu_s);
    return dn_estimate_notice_print(notice, error);
}

gboolean dn_estimate_notice_done(void *data, guint run, double cpu_s, GError **error)
{
    DnEstimateNotice *notice = data;
    dn_run_estimate_done(notice->estimate, run, cpu_s);
    return dn_estimate_notice_print(notice, error);
}
