/* run_files.h - out/<run>/: results.csv, links.csv, nics.csv, summary.json and
 * timing.json.
 *
 * Valid while the run goes on: rows of a point are appended to the CSV files as soon as it is
 * finished; the JSON files are replaced whole, at intervals (json_list_file.h) and at the end, also
 * that of a run that is interrupted. So the bytes written are proportional to the points. A run
 * that is killed leaves the rows of all points that finished (of one that finishes at that moment
 * perhaps not all), and a summary.json that may be some seconds behind them.
 * results.csv, links.csv, nics.csv and summary.json depend on the run file and the version only;
 * wall-clock times and the place of the run file are in timing.json. */
#pragma once
#include "report/reference_table.h"
#include "experiment/results.h"

typedef struct DnRunFiles DnRunFiles;

/* (transfer full). Makes @dir where needed and tries a file in it; writes nothing yet.
 * DN_ERROR_FILE when that fails. @sweep: borrowed, or NULL; @links: rows of links.csv a point,
 * 0: all. */
DnRunFiles *dn_run_files_new(const char *dir, const char *run_name, const DnSweep *sweep,
                             guint links, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_run_files_free(DnRunFiles *files);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRunFiles, dn_run_files_free)

/* For timing.json: which file was run, and with which --set (or NULL). */
void dn_run_files_origin(DnRunFiles *files, const char *file, char *const *set);
/* One finished point. @references: [jobs], or NULL. */
gboolean dn_run_files_add(DnRunFiles *files, guint point, const DnRunSpec *spec,
                          const DnRunResult *result, const DnReferences *references,
                          GError **error);
/* Brings all files up to date: before the first point they are replaced by headers alone, so that
 * no older run's rows stay behind; when no more points will come, the JSON files are completed. */
gboolean dn_run_files_flush(DnRunFiles *files, GError **error);
/* Removes folders that dn_run_files_new() made and nothing was written to. */
void dn_run_files_abandon(DnRunFiles *files);
