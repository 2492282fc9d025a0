/* replay_estimate.c - see replay_estimate.h. */
#include "report/replay_estimate.h"

#include "base/cpu_clock.h"

struct DnReplayEstimate {
    DnEstimateNotice notice;
    /* as DnEstimatePoints has them; hops 0 of runs on engine `bound`, which counts others */
    double hops[DN_REPLAY_RUNS], work[DN_REPLAY_RUNS], runs[DN_REPLAY_RUNS];
    gint64 until_ps[DN_REPLAY_RUNS];
    guint64 bytes[DN_REPLAY_RUNS];
};

static gboolean replay_estimate_update(void *data, guint run, gint64 now_ps, guint64 packet_hops,
                                       double cpu_s, GError **error)
{
    DnReplayEstimate *e = data;
    dn_run_estimate_update(e->notice.estimate, run, now_ps, packet_hops, cpu_s);
    return dn_estimate_notice_print(&e->notice, error);
}

static gboolean replay_estimate_done(void *data, guint run, double cpu_s, GError **error)
{
    DnReplayEstimate *e = data;
    dn_run_estimate_done(e->notice.estimate, run, cpu_s);
    return dn_estimate_notice_print(&e->notice, error);
}

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
    DnReplayEstimate *e = g_new0(DnReplayEstimate, 1);
    guint8 done[DN_REPLAY_RUNS] = {0};
    guint n = how->ideals ? DN_REPLAY_RUNS : 1;
    for (guint run = 0; run < n; run++) {
        e->work[run] = hops * dn_replay_run_weight(run);
        e->hops[run] = dn_replay_run_weight(run) < 1.0 ? 0.0 : hops;
        e->until_ps[run] = spec->until_ps;
        e->runs[run] = 1.0;
        e->bytes[run] = bytes;
    }
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
    how->progress = replay_estimate_update;
    how->done = replay_estimate_done;
    how->data = e;
    return e;
}

void dn_replay_estimate_free(DnReplayEstimate *e)
{
    if (e == NULL)
        return;
    dn_run_estimate_free(e->notice.estimate);
    g_free(e);
}
