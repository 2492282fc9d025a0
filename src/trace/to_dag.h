/* to_dag.h - A program becomes a trace that is a graph: its messages and computations, and the
 * operations that each waits for. */
#pragma once
#include "trace/trace.h"

/* (transfer full). NULL + error where it cannot end. */
DnTrace *dn_trace_to_dag(const DnProgram *program, GError **error);
/* Writing needs programs that end: FALSE + the ranks that block. */
gboolean dn_trace_require_end(const DnProgram *program, GArray *blocked, GError **error);
/* "rank 3: receive of 8 B from rank 1, tag 5 (bcast at a.txt:7)" (transfer full) */
char *dn_trace_describe(const DnProgram *program, guint32 rank, const DnOp *op);
