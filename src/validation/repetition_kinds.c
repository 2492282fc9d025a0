/* repetition_kinds.c - see repetition_kinds.h. */
#include "validation/repetition_kinds.h"
#include <string.h>

/* TRUE: cells of that column separate kinds of measurements: words, and how many took part.
 * Other numbers, such as a seed, may differ between repetitions. */
static gboolean separates_kinds(const char *column, const char *cell)
{
    static const char *const counts[] = {"nodes", "ranks", "processes", "gpus", NULL};
    char *end = NULL;
    g_ascii_strtod(cell, &end);
    return end == cell || *end != '\0' || g_strv_contains(counts, column);
}

void dn_repetition_kinds_warn(const DnCsv *csv, const DnCsvRow *row, const DnCsvRow *first,
                              gboolean *used)
{
    for (guint c = 0; c < csv->n_columns; c++) {
        if (used[c] || strcmp(row->cells[c], first->cells[c]) == 0 ||
            !separates_kinds(csv->names[c], row->cells[c]))
            continue;
        g_autofree char *here = dn_quote(row->cells[c]), *before = dn_quote(first->cells[c]);
        g_printerr("%s:%u:%u: warning: column '%s' has %s here and %s in line %u, and both rows "
                   "count as repetitions; a map takes the rows of one value (`rows:`) or makes "
                   "the column a key (`keys:`)\n",
                   csv->file, row->line, row->columns[c], csv->names[c], here, before, first->line);
        used[c] = TRUE;
    }
}
