/* timeline_files.h - a timeline for other programs to draw.
 *
 * Chrome's trace format (Google, "Trace Event Format"; Perfetto and chrome://tracing open it): a
 * process for each job with a thread for each rank (and stream), one for the links with a thread
 * each; slices as complete events, messages as flow events (arrows) between the slices of stream 0
 * in which they left and arrived, times in us. And Paje's (Schnorr, "Paje trace file format", 2013;
 * ViTE, pj_dump and SimGrid's friends read it): a container for each, states pushed and popped and
 * links begun and ended in the order of time, times in s. Both have every ps; only an arrow of
 * Chrome's begins and ends 1 ps early, inside the slice that its message ends. */
#pragma once
#include "experiment/result_folder.h"
#include "experiment/simulate.h"

/* Reads --timeline=@text into DnTimelineParts: "ranks", "links", "all" (or ""); NULL: nothing is
 * shown. FALSE + error. */
gboolean dn_timeline_parts(const char *text, guint *parts, GError **error);
/* Sorts @timeline and writes @name.json and @name.paje into @folder, with a warning on standard
 * error where the timeline is cut. FALSE + DN_ERROR_FILE; a file is whole or not there. */
gboolean dn_timeline_write(DnTimeline *timeline, const DnRunResult *result,
                           const DnResultFolder *folder, const char *name, GError **error);
