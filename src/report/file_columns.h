/* file_columns.h - the columns of links.csv and nics.csv: one row a column, with its cell and what
 * it means. With `repeat` both are of the first repetition, as are the loads and the bottleneck in
 * summary.json. Those of results.csv are metrics (experiment/metrics.h). */
#pragma once
#include "experiment/results.h"

typedef struct {
    const DnRunResult *result;
    guint point;
    guint32 id; /* of the link, or of the terminal */
} DnCellSource;

typedef struct {
    const char *column, *unit, *help; /* a NULL column ends a table */
    void (*cell)(GString *out, const DnCellSource *source);
} DnFileColumn;

extern const DnFileColumn dn_link_columns[];
extern const DnFileColumn dn_nic_columns[]; /* what each NIC counted, as Aries' counters do */

/* Twelve decimals of a second lose nothing of a ps. */
#define DN_TIME_DECIMALS 12
