/* table.c - tables of results: cells of text, some columns of which are numbers throughout. */
#include "api/api_internal.h"
#include "base/csv.h"
#include <math.h>
#include <string.h>

struct darner_table {
    GPtrArray *names;  /* [columns] char* */
    GPtrArray *cells;  /* [rows * columns] char* */
    gboolean *numbers; /* [columns]; NULL until sealed */
};

darner_table *dn_api_table_new(void)
{
    darner_table *table = g_new0(darner_table, 1);
    table->names = g_ptr_array_new_with_free_func(g_free);
    table->cells = g_ptr_array_new_with_free_func(g_free);
    return table;
}

void dn_api_table_add_column(darner_table *table, const char *name)
{
    g_assert(table->cells->len == 0);
    g_ptr_array_add(table->names, g_strdup(name));
}

void dn_api_table_add_cell(darner_table *table, const char *text)
{
    g_ptr_array_add(table->cells, g_strdup(text));
}

/* NAN where the cell is not a number from its first to its last character. */
static double number_of(const char *text)
{
    char *end = NULL;
    double value = g_ascii_strtod(text, &end);
    return end != text && *end == '\0' ? value : NAN;
}

void dn_api_table_seal(darner_table *table)
{
    guint columns = table->names->len;
    table->numbers = g_new0(gboolean, columns + 1);
    for (guint c = 0; c < columns; c++) {
        gboolean filled = FALSE, all = TRUE;
        for (guint i = c; i < table->cells->len && all; i += columns) {
            const char *text = table->cells->pdata[i];
            all = *text == '\0' || !isnan(number_of(text));
            filled |= *text != '\0';
        }
        table->numbers[c] = all && filled;
    }
}

darner_table *dn_api_table_of_csv(const char *csv)
{
    darner_table *table = dn_api_table_new();
    g_autoptr(DnCsv) rows = dn_csv_parse(csv, "result", NULL);
    g_assert(rows != NULL); /* written by this library */
    for (guint c = 0; c < rows->n_columns; c++)
        dn_api_table_add_column(table, rows->names[c]);
    for (guint r = 0; r < rows->rows->len; r++) {
        const DnCsvRow *row = rows->rows->pdata[r];
        for (guint c = 0; c < rows->n_columns; c++)
            dn_api_table_add_cell(table, row->cells[c]);
    }
    dn_api_table_seal(table);
    return table;
}

size_t darner_table_rows(const darner_table *table)
{
    return table->names->len > 0 ? table->cells->len / table->names->len : 0;
}

size_t darner_table_columns(const darner_table *table)
{
    return table->names->len;
}

const char *darner_table_name(const darner_table *table, size_t column)
{
    return column < table->names->len ? table->names->pdata[column] : NULL;
}

ptrdiff_t darner_table_find(const darner_table *table, const char *name)
{
    for (guint c = 0; c < table->names->len; c++)
        if (strcmp(table->names->pdata[c], name) == 0)
            return (ptrdiff_t)c;
    return -1;
}

int darner_table_is_number(const darner_table *table, size_t column)
{
    return column < table->names->len && table->numbers[column];
}

const char *darner_table_text(const darner_table *table, size_t row, size_t column)
{
    if (column >= table->names->len || row >= darner_table_rows(table))
        return NULL;
    return table->cells->pdata[row * table->names->len + column];
}

double darner_table_number(const darner_table *table, size_t row, size_t column)
{
    const char *text = darner_table_text(table, row, column);
    return text != NULL ? number_of(text) : NAN;
}

void darner_table_free(darner_table *table)
{
    if (table == NULL)
        return;
    g_ptr_array_unref(table->names);
    g_ptr_array_unref(table->cells);
    g_free(table->numbers);
    g_free(table);
}
