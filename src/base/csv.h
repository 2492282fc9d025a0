/* csv.h - RFC 4180 rows out, and a small whole-file reader that knows where each cell stands.
 *
 * The first line holds the column names. Lines that begin with '#' are comments for people. Cells
 * with commas, quotes or line breaks are quoted. */
#pragma once
#include "base/error.h"

/* A cell, quoted when it must be; a comma first unless it begins the line. */
void dn_csv_cell(GString *out, const char *text);
void dn_csv_number(GString *out, double value, int decimals); /* empty for NAN */
void dn_csv_int(GString *out, gint64 value);
void dn_csv_end_row(GString *out);

typedef struct {
    char **cells;   /* [n_columns] */
    guint line;     /* 1-based */
    guint *columns; /* [n_columns] 1-based byte column of each cell */
} DnCsvRow;

typedef struct {
    char *file;
    char **names; /* [n_columns] */
    guint n_columns;
    GPtrArray *rows; /* DnCsvRow* */
} DnCsv;

/* (transfer full). Every row must have as many cells as the header. */
DnCsv *dn_csv_parse(const char *text, const char *file, GError **error) G_GNUC_WARN_UNUSED_RESULT;
DnCsv *dn_csv_load(const char *file, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void dn_csv_free(DnCsv *csv);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnCsv, dn_csv_free)

/* Index of the column, or -1. */
int dn_csv_column(const DnCsv *csv, const char *name);
/* A finite number, else DN_ERROR_SYNTAX at the cell. */
gboolean dn_csv_read_number(const DnCsv *csv, const DnCsvRow *row, guint column, double *value,
                            GError **error);
/* Prefixes file:line:col. */
void dn_csv_error(const DnCsv *csv, const DnCsvRow *row, guint column, DnError code, GError **error,
                  const char *format, ...) G_GNUC_PRINTF(6, 7);
