/* run_rows.h - the rows of the CSV files of a run and the members of summary.json, as text in
 * memory: for the files of a run (run_files.h) and for the tables of the library. */
#pragma once
#include "experiment/results.h"
#include "report/json.h"
#include "report/reference_table.h"

typedef enum {
    DN_ROWS_RESULTS,
    DN_ROWS_SAMPLES,
    DN_ROWS_STATISTICS,
    DN_ROWS_LINKS,
    DN_ROWS_NICS,
    DN_ROWS_FILES
} DnRowsFile;
extern const char *const dn_rows_file_names[DN_ROWS_FILES + 1]; /* "results.csv", ...; NULL */

typedef struct {
    char *run_name;
    const DnSweep *sweep; /* borrowed; NULL without */
    guint n_points, done, links_per_point;
    GString *text[DN_ROWS_FILES]; /* header first; the caller may take rows out */
} DnRunRows;

/* (transfer full). @sweep: borrowed, or NULL; @links_per_point: rows of links a point, 0: all. */
DnRunRows *dn_run_rows_new(const char *run_name, const DnSweep *sweep, guint links_per_point);
void dn_run_rows_free(DnRunRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRunRows, dn_run_rows_free)

/* Appends the rows of a finished point. */
void dn_run_rows_add(DnRunRows *rows, guint point, const DnRunResult *result);
/* (transfer full): the point's item in the list "points" of summary.json. @references: [jobs], or
 * NULL. */
JsonNode *dn_run_rows_summary_point(const DnRunRows *rows, guint point, const DnRunSpec *spec,
                                    const DnRunResult *result, const DnReferences *references);
/* (transfer full): the other members of summary.json, of the points added so far. */
JsonNode *dn_run_rows_summary_head(const DnRunRows *rows);
