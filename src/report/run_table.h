/* run_table.h - the terminal's table of a run: one row per point and job. */
#pragma once
#include "report/reference_table.h"
#include "experiment/results.h"

typedef struct DnRunTable DnRunTable;

DnRunTable *dn_run_table_new(const DnSweep *sweep);
void dn_run_table_free(DnRunTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRunTable, dn_run_table_free)

/* (floating): the values of a point that a table shows, of any table. @references: [jobs], or
 * NULL. */
GVariant *dn_run_table_record(const DnRunTable *table, guint point, const DnRunResult *result,
                              const DnReferences *references);
/* Adds the rows of such values; FALSE: @record is something else. */
gboolean dn_run_table_add(DnRunTable *table, guint point, GVariant *record);
/* (transfer full): " at bytes 1 MiB", what was swept at @point; "" without a sweep. */
char *dn_run_table_point_name(const DnRunTable *table, guint point);
/* Rows and the bottleneck line: (transfer full). */
char *dn_run_table_text(const DnRunTable *table);
