/* replay_report.h - The report of `darner replay` on a trace's job: the time of its ranks by MPI
 * call, the network's share of it, and the link with most of that. */
#pragma once
#include "experiment/replay.h"
#include "experiment/result_folder.h"

/* Onto standard output; warnings to stderr. */
void dn_replay_print(const DnRunSpec *spec, const DnRunResult *result,
                     const DnReplayIdeals *ideals);
/* Replaces the results in @folder by the files of a run (run_files.h), whose run file is @file and
 * whose --set are @set, and
 * calls.csv       job,rank,endpoint,call,time_us: a row for each call a rank spent time in, and for
 *                 `total`
 * replay.csv      a row a job, its makespan and those of ideal networks (empty: not run)
 * placement.csv   job,rank,node,endpoint,name
 * algorithms.csv  job,call,algorithm,ranks,collectives,min_bytes,max_bytes: what each collective
 *                 ran; bytes as the algorithm counts them
 * and @timeline, unless it is NULL, as timeline.json and timeline.paje. */
gboolean dn_replay_write(const DnRunSpec *spec, const DnRunResult *result,
                         const DnReplayIdeals *ideals, DnTimeline *timeline, DnResultFolder *folder,
                         const char *file, char *const *set, const char *inputs, GError **error);
