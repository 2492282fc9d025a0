/* replay_report.h - what `darner replay` says of a trace's job: how long its ranks took, in which
 * MPI calls, how much of that the network is to blame for, and which link. */
#pragma once
#include "experiment/simulate.h"

/* Makespans of the job on networks that no one can build; 0: not asked for. */
typedef struct {
    gint64 bandwidth_ps, latency_ps, both_ps;
} DnReplayIdeals;

/* From the job's start (its first rank's) to its last rank's end. */
gint64 dn_replay_makespan(const DnRunSpec *spec, const DnRunResult *result, guint job);

/* (transfer full) */
char *dn_replay_text(const DnRunSpec *spec, const DnRunResult *result, guint job,
                     const DnReplayIdeals *ideals);
/* calls.csv: job,rank,endpoint,call,time_us, a row for each call a rank spent time in, and for
 * `total`; replay.csv: a row a job, its makespan and those of ideal networks (empty: not run). */
gboolean dn_replay_write(const DnRunSpec *spec, const DnRunResult *result,
                         const DnReplayIdeals *ideals, const char *folder, GError **error);
