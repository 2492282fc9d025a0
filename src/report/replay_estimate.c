/* replay_estimate.c - see replay_estimate.h. */
#include "report/replay_estimate.h"

#include "base/cpu_clock.h"

struct DnReplayEstimate {
    DnEstimateNotice notice;
};

DnReplayEstimate *dn_replay_estimate_new(const DnRunSpec *spec, DnReplayHow *how, gboolean allowed,
                                         GError **error)
{
    const DnRunOptions options = {.threads = how->threads};
    DnRunCheck check;
    gboolean good = dn_simulate_check(spec, &options, how->networks, &check, error);
    double hops = check.background ? 0.0 : check.hops;
    guint64 bytes = check.bytes;
    dn_run_check_clear(&check);
    if (!good)
        return NULL;
    DnEstimatePoint points[DN_REPLAY_RUNS];
    for (guint run = 0; run < DN_REPLAY_RUNS; run++) {
        double weight = dn_replay_run_weight(run);
        /* below 1: engine `bound`, whose packet hops are not those of routed packets */
        points[run] = (DnEstimatePoint){.hops = weight < 1.0 ? 0.0 : hops,
                                        .work = hops * weight,
                                        .runs = 1.0,
                                        .until_ps = spec->until_ps,
                                        .bytes = bytes};
    }
    DnReplayEstimate *e = g_new0(DnReplayEstimate, 1);
    e->notice.estimate =
        dn_run_estimate_new(points, how->ideals ? DN_REPLAY_RUNS : 1, dn_cpu_clock_s(), "run");
    e->notice.allowed = allowed;
    how->progress = dn_estimate_notice_update;
    how->done = dn_estimate_notice_done;
    how->data = &e->notice;
    return e;
}

void dn_replay_estimate_free(DnReplayEstimate *e)
{
    if (e == NULL)
        return;
    dn_run_estimate_free(e->notice.estimate);
    g_free(e);
}
