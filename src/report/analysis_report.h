/* analysis_report.h - an analysis as text, as JSON and as a drawing. */
#pragma once
#include "analysis/analysis.h"

/* Onto standard output. */
void dn_analysis_print(const DnAnalysis *analysis);
/* (transfer full) */
char *dn_analysis_json(const DnAnalysis *analysis);
/* Draws the machine, or its groups when it has many vertices, links coloured by load. Runs
 * Graphviz' `dot`; FALSE + DN_ERROR_MISSING when there is none. */
gboolean dn_analysis_draw(const DnAnalysis *analysis, const char *file, GError **error);
