/* replay_estimate.h - The estimate of what a replay and its runs on ideal networks take, said after
 * the first second as that of a run is (estimate_notice.h). */
#pragma once
#include "experiment/replay.h"
#include "report/estimate_notice.h"

typedef struct DnReplayEstimate DnReplayEstimate;

/* Returns (transfer full) the estimate of @spec's replay, whose network is then in
 * @how->networks; sets what @how calls. @allowed: it may take more than an hour. @spec and @how
 * outlive it. NULL + what dn_simulate() gives before it runs. */
DnReplayEstimate *dn_replay_estimate_new(const DnRunSpec *spec, DnReplayHow *how, gboolean allowed,
                                         GError **error);
void dn_replay_estimate_free(DnReplayEstimate *estimate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnReplayEstimate, dn_replay_estimate_free)
