/* table.h - aligned columns on a terminal, plain text in a pipe.
 *
 * Widths count characters, not bytes (UTF-8). Units stand in the header, once. No colour: a report
 * reads the same in a file. */
#pragma once
#include <glib.h>

typedef enum { DN_ALIGN_LEFT, DN_ALIGN_RIGHT } DnAlign;

typedef struct DnTable DnTable;

DnTable *dn_table_new(void);
void dn_table_free(DnTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnTable, dn_table_free)

/* All columns before the first row. */
void dn_table_column(DnTable *table, const char *header, DnAlign align);
/* Cells of the row one by one; a row may stop early, the rest is blank. */
void dn_table_row(DnTable *table);
void dn_table_cell(DnTable *table, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* @digits significant digits, "-" for NAN. */
void dn_table_number(DnTable *table, double value, int digits);
/* (transfer full): header, rule, rows; each line ends in '\n' without trailing blanks. */
char *dn_table_text(const DnTable *table);
