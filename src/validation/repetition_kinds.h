/* repetition_kinds.h - Warns when measurements of several kinds, such as two algorithms, would
 * count as repetitions of one. */
#pragma once
#include "base/csv.h"

/* Where @row and @first, both of one group of repetitions, differ in a column of words, or of
 * nodes, ranks, processes or gpus, which is not marked in @used, [n_columns]: a warning, and the
 * mark. */
void dn_repetition_kinds_warn(const DnCsv *csv, const DnCsvRow *row, const DnCsvRow *first,
                              gboolean *used);
