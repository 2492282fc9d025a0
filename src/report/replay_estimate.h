/* replay_estimate.h - The estimate of the CPU time and memory of a replay with its runs on ideal
 * networks, reported after the first second as that of a run is (estimate_notice.h). */
#pragma once
#include "experiment/replay.h"
#include "report/estimate_notice.h"

typedef struct DnReplayEstimate DnReplayEstimate;

/* Returns (transfer full) the estimate of the replay of @spec, and sets the callbacks of @how. It
 * builds the replay's network into how->networks. @spec and @how must outlive the estimate.
 * @allowed: the replay may take more than an hour. NULL + an error of dn_simulate_check(). */
DnReplayEstimate *dn_replay_estimate_new(const DnRunSpec *spec, DnReplayHow *how, gboolean allowed,
                                         GError **error);
void dn_replay_estimate_free(DnReplayEstimate *estimate);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnReplayEstimate, dn_replay_estimate_free)
