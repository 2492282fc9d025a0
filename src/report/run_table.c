/* run_table.c - rows are kept until the end, because the columns depend on all of them. */
#include "report/run_table.h"
#include "base/number.h"
#include "report/table.h"
#include "experiment/metrics.h"
#include <math.h>
#include <string.h>

/* A metric that has a heading, in the order of the columns, and whether any row has a value. */
typedef struct {
    const DnMetric *metric;
    gboolean shown;
} Column;

typedef struct {
    double value; /* NAN: none */
    char *text;   /* of a text, or NULL */
} Cell;

typedef struct {
    guint point;
    Cell *cells;                          /* [columns] */
    double bound_us;                      /* NAN: not asked for */
    double measured_value, error_percent; /* of the first measured metric; NAN: none */
    char *busiest;                        /* "97 % nvlink" */
} Row;

/* What drawn jobs did, over the points: least and most of each. */
enum { JOBS, NODES, MESSAGES, LOAD, BACKGROUND_VALUES };

typedef struct {
    gboolean asked; /* by any point */
    guint points;
    double least[BACKGROUND_VALUES], most[BACKGROUND_VALUES];
} Background;

struct DnRunTable {
    const DnSweep *sweep;
    GArray *columns; /* Column, in the order of their places */
    GArray *rows;    /* Row */
    double most_busy;
    guint most_busy_point;
    char *bottleneck; /* of the point with the busiest link */
    Background background;
};

static void row_free(Row *row, guint n_columns)
{
    for (guint c = 0; c < n_columns; c++)
        g_free(row->cells[c].text);
    g_free(row->cells);
    g_free(row->busiest);
}

static gint compare_places(gconstpointer a, gconstpointer b)
{
    guint x = ((const Column *)a)->metric->place, y = ((const Column *)b)->metric->place;
    return x < y ? -1 : x > y;
}

DnRunTable *dn_run_table_new(const DnSweep *sweep)
{
    DnRunTable *table = g_new0(DnRunTable, 1);
    table->sweep = sweep;
    table->columns = g_array_new(FALSE, TRUE, sizeof(Column));
    for (const DnMetric *m = dn_metrics; m->help != NULL; m++) {
        Column column = {.metric = m};
        if (m->heading != NULL)
            g_array_append_val(table->columns, column);
    }
    g_array_sort(table->columns, compare_places);
    table->rows = g_array_new(FALSE, TRUE, sizeof(Row));
    table->most_busy = -1.0;
    return table;
}

void dn_run_table_free(DnRunTable *table)
{
    if (table == NULL)
        return;
    for (guint r = 0; r < table->rows->len; r++)
        row_free(&g_array_index(table->rows, Row, r), table->columns->len);
    g_array_unref(table->rows);
    g_array_unref(table->columns);
    g_free(table->bottleneck);
    g_free(table);
}

static char *busiest_text(const DnRunResult *result, const DnBottleneck *limit)
{
    if (limit->link == DN_NONE)
        return g_strdup("-");
    const DnGraph *graph = result->machine->graph;
    return g_strdup_printf("%.0f %% %s", 100.0 * limit->busy,
                           graph->classes[graph->links[limit->link].link_class].name);
}

/* A job of a point: its cells, the busiest link, and the bound, measured value and error. */
#define ROW_TYPE "(a(bdms)sddd)"
/* And how busy the busiest link is, and which it is; whether there is a background, and what it
 * did. */
#define POINT_TYPE "(a" ROW_TYPE "ds(bdddd))"

static GVariant *cells_record(const DnRunTable *table, const DnMetricSource *source)
{
    GVariantBuilder cells;
    g_variant_builder_init(&cells, G_VARIANT_TYPE("a(bdms)"));
    for (guint c = 0; c < table->columns->len; c++) {
        const DnMetric *m = g_array_index(table->columns, Column, c).metric;
        char buffer[DN_METRIC_TEXT_BYTES];
        gboolean applies = m->applies == NULL || m->applies(source);
        gboolean text = applies && m->type == DN_METRIC_TEXT;
        const char *said = text ? m->text(source, buffer) : NULL;
        g_variant_builder_add(&cells, "(bdms)", applies, applies && !text ? m->value(source) : NAN,
                              said);
    }
    return g_variant_builder_end(&cells);
}

static GVariant *row_record(const DnRunTable *table, guint point, const DnRunResult *result,
                            guint j, const DnReferences *references)
{
    DnMetricSource source;
    dn_metric_source_init(&source, result, &result->jobs[j], point);
    DnBottleneck limit = dn_bottleneck(result);
    g_autofree char *busiest = busiest_text(result, &limit);
    double bound_us = NAN, measured = NAN, error_percent = NAN;
    if (references != NULL)
        bound_us = references[j].bound_us;
    if (references != NULL && references[j].measured->len > 0) {
        const DnReferenceValue *m = &g_array_index(references[j].measured, DnReferenceValue, 0);
        measured = m->measured;
        error_percent = dn_reference_error_percent(m);
    }
    return g_variant_new("(@a(bdms)sddd)", cells_record(table, &source), busiest, bound_us,
                         measured, error_percent);
}

GVariant *dn_run_table_record(const DnRunTable *table, guint point, const DnRunResult *result,
                              const DnReferences *references)
{
    DnBottleneck limit = dn_bottleneck(result);
    g_autofree char *bottleneck = dn_bottleneck_text(result);
    GVariantBuilder rows;
    g_variant_builder_init(&rows, G_VARIANT_TYPE("a" ROW_TYPE));
    for (guint j = 0; j < result->n_jobs; j++)
        g_variant_builder_add_value(&rows, row_record(table, point, result, j, references));
    const DnBackgroundMetrics *m = &result->background_metrics;
    return g_variant_new("(@a" ROW_TYPE "ds(bdddd))", g_variant_builder_end(&rows), limit.busy,
                         bottleneck != NULL ? bottleneck : "", m->asked, (double)m->jobs,
                         (double)m->nodes, (double)m->messages, m->node_load_bps);
}

static Cell *read_cells(DnRunTable *table, GVariantIter *from)
{
    Cell *cells = g_new0(Cell, table->columns->len);
    for (guint c = 0; c < table->columns->len; c++) {
        Column *column = &g_array_index(table->columns, Column, c);
        gboolean applies = FALSE;
        const char *text = NULL;
        cells[c].value = NAN;
        if (!g_variant_iter_next(from, "(bdm&s)", &applies, &cells[c].value, &text) || !applies)
            continue;
        column->shown = TRUE;
        if (column->metric->type == DN_METRIC_TEXT)
            cells[c].text = g_strdup(text);
    }
    return cells;
}

static void add_background(Background *b, gboolean asked, const double values[BACKGROUND_VALUES])
{
    b->asked |= asked;
    for (guint v = 0; v < BACKGROUND_VALUES; v++) {
        b->least[v] = b->points == 0 ? values[v] : MIN(b->least[v], values[v]);
        b->most[v] = b->points == 0 ? values[v] : MAX(b->most[v], values[v]);
    }
    b->points++;
}

gboolean dn_run_table_add(DnRunTable *table, guint point, GVariant *record)
{
    if (!g_variant_is_of_type(record, G_VARIANT_TYPE(POINT_TYPE)))
        return FALSE;
    g_autoptr(GVariantIter) rows = NULL;
    double busy, did[BACKGROUND_VALUES];
    const char *bottleneck;
    gboolean asked;
    g_variant_get(record, "(a" ROW_TYPE "d&s(bdddd))", &rows, &busy, &bottleneck, &asked,
                  &did[JOBS], &did[NODES], &did[MESSAGES], &did[LOAD]);
    add_background(&table->background, asked, did);
    for (;;) {
        GVariantIter *cells = NULL;
        Row row = {.point = point};
        if (!g_variant_iter_next(rows, "(a(bdms)sddd)", &cells, &row.busiest, &row.bound_us,
                                 &row.measured_value, &row.error_percent))
            break;
        row.cells = read_cells(table, cells);
        g_variant_iter_free(cells);
        g_array_append_val(table->rows, row);
    }
    if (busy <= table->most_busy)
        return TRUE;
    table->most_busy = busy;
    table->most_busy_point = point;
    g_free(table->bottleneck);
    table->bottleneck = bottleneck[0] != '\0' ? g_strdup(bottleneck) : NULL;
    return TRUE;
}

/* Returns the last name of a key: "bytes" of "jobs[0].workload.bytes", unless another swept key
 * ends with it. */
static const char *short_key(const DnSweep *sweep, guint k)
{
    const char *key = sweep->keys[k];
    const char *dot = strrchr(key, '.');
    const char *tail = dot != NULL ? dot + 1 : key;
    for (guint other = 0; other < sweep->n_keys; other++)
        if (other != k && g_str_has_suffix(sweep->keys[other], tail))
            return key;
    return tail;
}

/* The columns of baselines, which stand after those of lower places. */
typedef struct {
    gboolean bound, measured;
} Baselines;

static Baselines shown_baselines(const DnRunTable *table)
{
    Baselines shown = {0};
    for (guint r = 0; r < table->rows->len; r++) {
        const Row *row = &g_array_index(table->rows, Row, r);
        shown.bound = shown.bound || !isnan(row->bound_us);
        shown.measured = shown.measured || !isnan(row->measured_value);
    }
    return shown;
}

static void add_baseline_columns(DnTable *out, const Baselines *shown)
{
    if (shown->bound)
        dn_table_column(out, "bound (us)", DN_ALIGN_RIGHT);
    if (shown->measured) {
        dn_table_column(out, "measured", DN_ALIGN_RIGHT);
        dn_table_column(out, "error %", DN_ALIGN_RIGHT);
    }
}

static void add_baseline_cells(DnTable *out, const Row *row, const Baselines *shown)
{
    if (shown->bound)
        dn_table_number(out, row->bound_us, 4);
    if (shown->measured) {
        dn_table_number(out, row->measured_value, 4);
        dn_table_number(out, row->error_percent, 3);
    }
}

static void add_cell(DnTable *out, const DnMetric *m, const Cell *cell)
{
    if (m->type == DN_METRIC_TEXT)
        dn_table_cell(out, "%s", cell->text != NULL ? cell->text : "-");
    else if (isnan(cell->value))
        dn_table_cell(out, "-");
    else if (m->type == DN_METRIC_COUNT)
        dn_table_cell(out, "%.0f", cell->value);
    else if (m->type == DN_METRIC_FLAG)
        dn_table_cell(out, "%s", cell->value != 0 ? "yes" : "NO");
    else
        dn_table_number(out, m->type == DN_METRIC_RATE ? cell->value * 1e-9 : cell->value, 4);
}

/* Adds the columns; with @row NULL their headings. The baselines' columns stand before the first of
 * a later place. */
static void add_columns(const DnRunTable *table, DnTable *out, const Row *row,
                        const Baselines *baselines)
{
    gboolean before = TRUE;
    for (guint c = 0; c < table->columns->len; c++) {
        const Column *column = &g_array_index(table->columns, Column, c);
        const DnMetric *m = column->metric;
        gboolean left = m->type == DN_METRIC_TEXT || m->type == DN_METRIC_FLAG;
        if (before && m->place > DN_METRIC_PLACE_BASELINE) {
            before = FALSE;
            if (row == NULL)
                add_baseline_columns(out, baselines);
            else
                add_baseline_cells(out, row, baselines);
        }
        if (!column->shown)
            continue;
        if (row == NULL)
            dn_table_column(out, m->heading, left ? DN_ALIGN_LEFT : DN_ALIGN_RIGHT);
        else
            add_cell(out, m, &row->cells[c]);
    }
}

static DnTable *make_table(const DnRunTable *table)
{
    const DnSweep *sweep = table->sweep;
    Baselines baselines = shown_baselines(table);
    DnTable *out = dn_table_new();
    for (guint k = 0; sweep != NULL && k < sweep->n_keys; k++)
        dn_table_column(out, short_key(sweep, k), DN_ALIGN_RIGHT);
    add_columns(table, out, NULL, &baselines);
    dn_table_column(out, "busiest link", DN_ALIGN_LEFT);
    for (guint r = 0; r < table->rows->len; r++) {
        const Row *row = &g_array_index(table->rows, Row, r);
        dn_table_row(out);
        for (guint k = 0; sweep != NULL && k < sweep->n_keys; k++)
            dn_table_cell(out, "%s", sweep->values[row->point][k]);
        add_columns(table, out, row, &baselines);
        dn_table_cell(out, "%s", row->busiest);
    }
    return out;
}

char *dn_run_table_point_name(const DnRunTable *table, guint point)
{
    const DnSweep *sweep = table->sweep;
    GString *text = g_string_new(NULL);
    for (guint k = 0; sweep != NULL && k < sweep->n_keys; k++)
        g_string_append_printf(text, "%s%s %s", k > 0 ? ", " : " at ", short_key(sweep, k),
                               sweep->values[point][k]);
    return g_string_free(text, FALSE);
}

/* @digits: significant ones; 0: a whole number. */
static void append_range(GString *text, double least, double most, int digits)
{
    char low[DN_NUMBER_BUF], high[DN_NUMBER_BUF];
    if (digits == 0) {
        dn_format_fixed(least, 0, low);
        dn_format_fixed(most, 0, high);
    } else {
        dn_format_digits(least, digits, low);
        dn_format_digits(most, digits, high);
    }
    g_string_append(text, low);
    if (!g_str_equal(low, high))
        g_string_append_printf(text, " to %s", high);
}

static void append_background(GString *text, const Background *b)
{
    static const char *const after[] = {" jobs on ", " nodes, ", " messages, ", " GB/s a node\n"};
    if (!b->asked)
        return;
    g_string_append(text, "background: ");
    for (guint v = 0; v < BACKGROUND_VALUES; v++) {
        double scale = v == LOAD ? 1.25e-10 : 1;
        append_range(text, scale * b->least[v], scale * b->most[v], v == LOAD ? 3 : 0);
        g_string_append(text, after[v]);
    }
}

char *dn_run_table_text(const DnRunTable *table)
{
    g_autoptr(DnTable) out = make_table(table);
    g_autofree char *rows = dn_table_text(out);
    GString *text = g_string_new(rows);
    append_background(text, &table->background);
    if (table->bottleneck == NULL)
        return g_string_free(text, FALSE);
    g_autofree char *point = dn_run_table_point_name(table, table->most_busy_point);
    g_string_append_printf(text, "bottleneck%s: %s\n", point, table->bottleneck);
    return g_string_free(text, FALSE);
}
