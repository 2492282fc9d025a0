/* trace_report.h - The reports that `darner trace` prints and draws. */
#pragma once
#include "trace/matrix.h"
#include "trace/dry_run.h"

/* (transfer full) */
char *dn_trace_info_text(const DnTrace *trace);
char *dn_trace_info_json(const DnTrace *trace);

char *dn_trace_matrix_text(const DnTraceMatrix *matrix);
gboolean dn_trace_matrix_svg(const DnTraceMatrix *matrix, const char *title, const char *path,
                             GError **error);
gboolean dn_trace_matrix_csv(const DnTraceMatrix *matrix, const char *path, GError **error);
/* Onto standard output: the first operations that never end or do not fit, a line each. FALSE +
 * error: there are some. */
gboolean dn_trace_print_check(const DnProgram *program, const char *path,
                              const DnDryRunResult *result, GError **error);
