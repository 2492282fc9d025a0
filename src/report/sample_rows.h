/* sample_rows.h - the rows of samples.csv and statistics.csv: every iteration's time, and what can
 * be worked out from them, with intervals. */
#pragma once
#include "experiment/results.h"

/* Columns after those of the swept keys; the units and meanings are those of `darner help metrics`.
 * A NULL name ends a table. */
typedef struct {
    const char *column, *unit, *help;
} DnSampleColumn;
extern const DnSampleColumn dn_sample_columns[];
extern const DnSampleColumn dn_statistic_columns[];

/* @swept: the cells of the swept keys at this point, as they begin each row; "" without a sweep. */
void dn_sample_rows_add(GString *out, const char *swept, guint point, const DnRunResult *result);
/* Adds the statistics of jobs with two or more iterations. */
void dn_statistic_rows_add(GString *out, const char *swept, guint point, const DnRunResult *result);
