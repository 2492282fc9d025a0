/* sweep_processes.h - The points of a run that several processes share (base/processes.h): the
 * first one knows which are to be done and takes the results; the others follow it. */
#pragma once
#include "experiment/sweep_run.h"

/* Called in the first process, before dn_sweep_run_jobs(): sends the others the points, or that
 * there is an error: then FALSE, and *@error stays. With one process (@processes NULL) it sends
 * nothing. */
gboolean dn_sweep_lead(const DnProcesses *processes, const guint *points, guint n, GError **error);
/* Called in the other processes: simulates those points. FALSE + error, that of the first process
 * if it had one. */
gboolean dn_sweep_follow(const DnProcesses *processes, const DnSweep *sweep, DnNetworkCache *cache,
                         const DnRunOptions *options, GError **error);
