/* run_table.h - the terminal's table of a run: one row per point and job. */
#pragma once
#include "report/reference_table.h"
#include "experiment/results.h"

typedef struct DnRunTable DnRunTable;

DnRunTable *dn_run_table_new(const DnSweep *sweep);
void dn_run_table_free(DnRunTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DnRunTable, dn_run_table_free)

/* Copies the values it shows; @result may be freed. */
void dn_run_table_add(DnRunTable *table, guint point, const DnRunResult *result);
/* Adds the references of the jobs added last: [@n_jobs]. */
void dn_run_table_references(DnRunTable *table, const DnReferences *references, guint n_jobs);
/* Rows and the bottleneck line: (transfer full). */
char *dn_run_table_text(const DnRunTable *table);
