/* blind.c - see blind.h. */
#include "validation/blind.h"
#include "base/csv.h"
#include "report/table.h"
#include "stats/summary.h"
#include <math.h>
#include <string.h>

enum { RUN, POINT, JOB, METRIC, N_NAMES, VALUE = N_NAMES, DATE, VERSION, N_COLUMNS };
static const char *const predicted_columns[] = {"run",       "point", "job",    "metric",
                                                "predicted", "date",  "version"};
static const char *const measured_columns[] = {"run", "point", "job", "metric", "measured"};

typedef struct {
    DnCsv *csv;
    int index[N_COLUMNS];
} Table;

static void table_clear(Table *table)
{
    g_clear_pointer(&table->csv, dn_csv_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Table, table_clear)

static gboolean blind_load(Table *table, const char *file, const char *const *columns, guint n,
                           GError **error)
{
    table->csv = dn_csv_load(file, error);
    if (table->csv == NULL)
        return FALSE;
    for (guint c = 0; c < n; c++) {
        table->index[c] = dn_csv_column(table->csv, columns[c]);
        if (table->index[c] >= 0)
            continue;
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s:1:1: no column '%s'", file, columns[c]);
        return FALSE;
    }
    return TRUE;
}

static const char *blind_cell(const Table *table, const DnCsvRow *row, guint column)
{
    return row->cells[table->index[column]];
}

static gboolean blind_same(const Table *a, const DnCsvRow *x, const Table *b, const DnCsvRow *y)
{
    for (guint c = 0; c < N_NAMES; c++)
        if (strcmp(blind_cell(a, x, c), blind_cell(b, y, c)) != 0)
            return FALSE;
    return TRUE;
}

static gboolean read_value(const Table *table, const DnCsvRow *row, double *value, GError **error)
{
    guint column = (guint)table->index[VALUE];
    if (!dn_csv_read_number(table->csv, row, column, value, error))
        return FALSE;
    if (*value > 0.0)
        return TRUE;
    dn_csv_error(table->csv, row, column, DN_ERROR_RANGE, error,
                 "%g is out of range; a value is above 0", *value);
    return FALSE;
}

/* NULL + error: nothing was registered for that row. */
static const DnCsvRow *blind_find(const Table *predicted, const Table *measured,
                                  const DnCsvRow *row, GError **error)
{
    for (guint i = 0; i < predicted->csv->rows->len; i++) {
        const DnCsvRow *other = g_ptr_array_index(predicted->csv->rows, i);
        if (blind_same(predicted, other, measured, row))
            return other;
    }
    dn_csv_error(measured->csv, row, (guint)measured->index[RUN], DN_ERROR_UNKNOWN, error,
                 "no prediction is registered for run '%s', point '%s', job '%s', metric '%s'",
                 blind_cell(measured, row, RUN), blind_cell(measured, row, POINT),
                 blind_cell(measured, row, JOB), blind_cell(measured, row, METRIC));
    return NULL;
}

static DnTable *new_table(void)
{
    DnTable *table = dn_table_new();
    static const char *const heads[] = {"run", "point", "job", "metric"};
    static const char *const numbers[] = {"predicted", "measured", "error %"};
    for (guint i = 0; i < G_N_ELEMENTS(heads); i++)
        dn_table_column(table, heads[i], DN_ALIGN_LEFT);
    for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
        dn_table_column(table, numbers[i], DN_ALIGN_RIGHT);
    dn_table_column(table, "registered", DN_ALIGN_LEFT);
    dn_table_column(table, "version", DN_ALIGN_LEFT);
    return table;
}

static void add_row(DnTable *table, const Table *predicted, const DnCsvRow *row, double value,
                    double measured)
{
    dn_table_row(table);
    for (guint c = 0; c < N_NAMES; c++)
        dn_table_cell(table, "%s", blind_cell(predicted, row, c));
    dn_table_number(table, value, 4);
    dn_table_number(table, measured, 4);
    dn_table_cell(table, "%+.2f", 100.0 * (value / measured - 1.0));
    dn_table_cell(table, "%s", blind_cell(predicted, row, DATE));
    dn_table_cell(table, "%s", blind_cell(predicted, row, VERSION));
}

char *dn_blind_compare(const char *folder, const char *measurements, GError **error)
{
    g_autofree char *file = g_build_filename(folder, "blind", "predictions.csv", NULL);
    g_auto(Table) predicted = {0}, measured = {0};
    if (!blind_load(&predicted, file, predicted_columns, G_N_ELEMENTS(predicted_columns), error) ||
        !blind_load(&measured, measurements, measured_columns, G_N_ELEMENTS(measured_columns),
                    error))
        return NULL;
    g_autoptr(DnTable) table = new_table();
    guint n = measured.csv->rows->len;
    g_autofree double *errors = g_new(double, n + 1);
    for (guint i = 0; i < n; i++) {
        const DnCsvRow *row = g_ptr_array_index(measured.csv->rows, i);
        const DnCsvRow *own = blind_find(&predicted, &measured, row, error);
        double value = 0.0, truth = 0.0;
        if (own == NULL || !read_value(&predicted, own, &value, error) ||
            !read_value(&measured, row, &truth, error))
            return NULL;
        errors[i] = 100.0 * fabs(value / truth - 1.0);
        add_row(table, &predicted, own, value, truth);
    }
    if (n == 0) {
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s:1:1: no row below the header",
                    measurements);
        return NULL;
    }
    DnSummary s = dn_summary(errors, n);
    g_autofree char *rows = dn_table_text(table);
    return g_strdup_printf(
        "%s%u of %u predictions compared: median |error| %.2f %%, worst %.2f %%\n", rows, n,
        predicted.csv->rows->len, s.median, s.max);
}
