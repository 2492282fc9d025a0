/* point_record.h - A point record is all that the files and the table of a run take from a
 * simulated point: as a dictionary, which goes from one process to another and into a point store.
 *
 *   results.csv, links.csv, nics.csv   the point's rows, as text
 *   summary, timing                    its items in summary.json and timing.json, as text
 *   table                              its rows of the terminal's table (run_table.h)
 *   cpu_s, packet_hops, events         of the engine
 *   warnings                           list of texts */
#pragma once
#include "report/run_rows.h"
#include "report/run_table.h"

/* (floating). @rows, @table: any of the run's; those rows are used for work and then cleared. */
GVariant *dn_point_record_new(DnRunRows *rows, const DnRunTable *table, guint point,
                              const DnRunSpec *spec, const DnRunResult *result,
                              const DnReferences *references);
/* Text @name, "" where it is missing; it lives as long as @record. */
const char *dn_point_record_text(GVariant *record, const char *name);
double dn_point_record_number(GVariant *record, const char *name);
guint64 dn_point_record_count(GVariant *record, const char *name);
/* (transfer full): an array of texts, NULL-terminated. */
char **dn_point_record_warnings(GVariant *record);
