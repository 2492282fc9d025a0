/* replay_report.h - The report of `darner replay` on a trace's job: how long its ranks took, in
 * which MPI calls, how much of that the network is to blame for, and which link. */
#pragma once
#include "experiment/replay.h"

/* Onto standard output; warnings to stderr. */
void dn_replay_print(const DnRunSpec *spec, const DnRunResult *result,
                     const DnReplayIdeals *ideals);
/* calls.csv: job,rank,endpoint,call,time_us, a row for each call a rank spent time in, and for
 * `total`; replay.csv: a row a job, its makespan and those of ideal networks (empty: not run). */
gboolean dn_replay_write(const DnRunSpec *spec, const DnRunResult *result,
                         const DnReplayIdeals *ideals, const char *folder, GError **error);
