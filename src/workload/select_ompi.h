/* select_ompi.h - rows of the fixed decisions of Open MPI's tuned component; see select_ompi.c. */
#pragma once
#include "workload/select.h"

typedef struct {
    DnCollKind kind;
    guint32 ranks_from, ranks_below;
    gint64 bytes_from, bytes_below;
    const char *chosen, *here; /* its name in Open MPI; of DnCollAlgorithm */
} DnOmpiRow;

static inline gboolean dn_ompi_row_fits(const DnOmpiRow *row, DnCollKind kind, guint32 n,
                                        gint64 bytes)
{
    return row->kind == kind && n >= row->ranks_from && n < row->ranks_below &&
           bytes >= row->bytes_from && bytes < row->bytes_below;
}

/* Of a reduction whose operation does not commute: sets @out's algorithm. */
void dn_select_ompi_ordered(const DnCollCall *call, DnCollKind kind, DnSelection *out);
