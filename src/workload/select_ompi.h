/* select_ompi.h - rows of the fixed decisions of Open MPI's tuned component; see
 * select_ompi_tables.c. */
#pragma once
#include "workload/collective.h"

typedef struct {
    DnCollKind kind;
    guint32 ranks_from, ranks_below;
    gint64 bytes_from, bytes_below;
    const char *chosen, *here; /* its name in Open MPI, NULL: the end; of DnCollAlgorithm */
} DnOmpiRow;

/* Each ends with an empty row. Unequal: of gatherv and its like; one_count: of
 * reduce_scatter_block; ordered: of reductions whose operation does not commute. */
extern const DnOmpiRow dn_ompi_table[], dn_ompi_unequal_table[], dn_ompi_one_count_table[],
    dn_ompi_ordered_table[];
