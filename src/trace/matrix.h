/* matrix.h - The communication matrix of a recorded program. */
#pragma once
#include "trace/trace.h"

/* Bytes and messages between ranks; of many ranks, between groups of neighbouring ones. */
typedef struct {
    guint32 ranks, cells; /* a side */
    double *bytes;        /* [cells * cells] from row to column */
    guint64 messages;
    double total, largest, computed_s;
    double *sent, *received; /* [ranks] */
    guint64 sizes[64];       /* messages of 2^(i-1) to 2^i - 1 bytes */
} DnTraceMatrix;

/* FALSE + error when the program cannot end. */
gboolean dn_trace_matrix(const DnProgram *program, DnTraceMatrix *matrix, GError **error);
void dn_trace_matrix_clear(DnTraceMatrix *matrix);
