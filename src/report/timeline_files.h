/* timeline_files.h - a time line for other programs to draw.
 *
 * Chrome's trace format (Google, "Trace Event Format"; Perfetto and chrome://tracing open it): a
 * process for each job with a thread for each rank (and stream), one for the links with a thread
 * each; slices as complete events, times in us. And Paje's (Schnorr, "Paje trace file format",
 * 2013; ViTE, pj_dump and SimGrid's friends read it): a container for each, states pushed and
 * popped in the order of time, times in s. Both have every ps. */
#pragma once
#include "experiment/simulate.h"

/* Sorts @timeline. FALSE + DN_ERROR_FILE; a file is whole or not there. */
gboolean dn_timeline_write_chrome(DnTimeline *timeline, const DnRunResult *result, const char *path,
                                  GError **error);
gboolean dn_timeline_write_paje(DnTimeline *timeline, const DnRunResult *result, const char *path,
                                GError **error);
