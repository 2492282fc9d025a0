/* run_files.h - The files of a run: results.csv, samples.csv, statistics.csv, links.csv,
 * nics.csv, summary.json and timing.json, from the records of its points (point_record.h).
 *
 * Rows are appended to the CSV files as points finish, in the order of points; the JSON files are
 * written at the end. So the number of bytes written is proportional to that of points. All files
 * except timing.json depend on the run file and the version only; wall-clock times and the path of
 * the run file are in timing.json. */
#pragma once
#include "report/run_rows.h"

typedef struct DnRunFiles DnRunFiles;

/* NULL-terminated names of the files. */
extern const char *const dn_run_files_names[];

/* (transfer full). @dir: a folder that is there; nothing is written yet. @sweep: borrowed, or NULL;
 * @links: rows of links.csv a point, 0: all. */
DnRunFiles *dn_run_files_new(const char *dir, const char *run_name, const DnSweep *sweep,
                             guint links);
void dn_run_files_free(DnRunFiles *files);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRunFiles, dn_run_files_free)

/* Set the CPU seconds and the memory of the run in timing.json: the estimate, and what its
 * processes took (CPU seconds of all, memory of the largest). */
void dn_run_files_estimate(DnRunFiles *files, double cpu_s, guint64 bytes);
void dn_run_files_process(DnRunFiles *files, double cpu_s, guint64 bytes);
/* Sets, for timing.json, the run file, its --set (or NULL), and lines "HASH PATH" of the files that
 * were read for it (base/input_files.h), of which that of the run file is left out. */
void dn_run_files_origin(DnRunFiles *files, const char *file, char *const *set, const char *inputs);
/* Adds the record of the next point, in memory. */
void dn_run_files_add(DnRunFiles *files, GVariant *record);
/* Appends the points added since the last call to the CSV files; the first call replaces files of
 * those names. FALSE + DN_ERROR_FILE. */
gboolean dn_run_files_put(DnRunFiles *files, GError **error);
/* Does the same after the last point, and writes the JSON files. */
gboolean dn_run_files_flush(DnRunFiles *files, GError **error);
/* Returns TRUE for a result file, or one that `darner explain` or --timeline made, of an older
 * run. */
gboolean dn_run_files_stale(const char *name);
