/* run_table.c - rows are kept until the end, because the columns depend on all of them. */
#include "report/run_table.h"
#include "report/table.h"
#include "experiment/experiment.h"
#include <math.h>
#include <string.h>

typedef struct {
    guint point;
    char *job;
    char *chosen; /* its algorithm; NULL: it was not to choose */
    guint32 ranks;
    DnJobFigures figures;
    gboolean one_sided, measured, steady;
    double slowdown; /* NAN: not asked for */
    double offered_load, accepted_load;
    double bound_us;                      /* NAN: not asked for */
    double measured_value, error_percent; /* of the first measured metric; NAN: none */
    char *busiest;                        /* "97 % nvlink" */
} Row;

struct DnRunTable {
    const DnSweep *sweep;
    GArray *rows; /* Row */
    double most_busy;
    guint most_busy_point;
    char *bottleneck; /* of the point with the busiest link */
};

static void row_clear(gpointer data)
{
    Row *row = data;
    g_free(row->job);
    g_free(row->chosen);
    g_free(row->busiest);
}

DnRunTable *dn_run_table_new(const DnSweep *sweep)
{
    DnRunTable *table = g_new0(DnRunTable, 1);
    table->sweep = sweep;
    table->rows = g_array_new(FALSE, TRUE, sizeof(Row));
    g_array_set_clear_func(table->rows, row_clear);
    table->most_busy = -1.0;
    return table;
}

void dn_run_table_free(DnRunTable *table)
{
    if (table == NULL)
        return;
    g_array_unref(table->rows);
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

void dn_run_table_add(DnRunTable *table, guint point, const DnRunResult *result)
{
    DnBottleneck limit = dn_bottleneck(result);
    for (guint j = 0; j < result->n_jobs; j++) {
        const DnJobResult *job = &result->jobs[j];
        Row row = {
            .point = point,
            .job = g_strdup(job->name),
            .chosen = g_strdup(job->chosen),
            .ranks = job->ranks,
            .figures = dn_job_figures(job),
            .one_sided = job->one_sided_messages > 0 || job->measured,
            .measured = job->measured,
            .steady = job->steady,
            .offered_load = job->offered_load,
            .accepted_load = job->accepted_load,
            .slowdown = dn_experiment_slowdown(job),
            .bound_us = NAN,
            .measured_value = NAN,
            .error_percent = NAN,
            .busiest = busiest_text(result, &limit),
        };
        g_array_append_val(table->rows, row);
    }
    if (limit.busy <= table->most_busy)
        return;
    table->most_busy = limit.busy;
    table->most_busy_point = point;
    g_free(table->bottleneck);
    table->bottleneck = dn_bottleneck_text(result);
}

void dn_run_table_beside(DnRunTable *table, const DnBeside *beside, guint n_jobs)
{
    for (guint j = 0; j < n_jobs; j++) {
        Row *row = &g_array_index(table->rows, Row, table->rows->len - n_jobs + j);
        row->bound_us = beside[j].bound_us;
        if (beside[j].measured->len == 0)
            continue;
        const DnBesideMeasured *m = &g_array_index(beside[j].measured, DnBesideMeasured, 0);
        row->measured_value = m->measured;
        row->error_percent = dn_beside_error_percent(m);
    }
}

/* "jobs[0].workload.bytes" is "bytes" unless another swept key ends the same way. */
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

/* Which groups of columns any row fills. */
typedef struct {
    gboolean chosen, times, latency, load, slowdown, bound, beside;
} Columns;

static void add_columns(DnTable *out, const char *const *names, guint n)
{
    for (guint i = 0; i < n; i++)
        dn_table_column(out, names[i], DN_ALIGN_RIGHT);
}

static DnTable *with_columns(const DnSweep *sweep, const Columns *columns)
{
    DnTable *out = dn_table_new();
    for (guint k = 0; sweep != NULL && k < sweep->n_keys; k++)
        dn_table_column(out, short_key(sweep, k), DN_ALIGN_RIGHT);
    static const char *const times[] = {"iterations", "time (us)", "min (us)", "max (us)"};
    static const char *const loads[] = {"offered", "accepted"};
    static const char *const besides[] = {"measured", "error %"};
    static const char *const latencies[] = {"latency p50 (us)", "p95 (us)", "p99 (us)"};
    dn_table_column(out, "job", DN_ALIGN_LEFT);
    dn_table_column(out, "ranks", DN_ALIGN_RIGHT);
    if (columns->chosen)
        dn_table_column(out, "chosen", DN_ALIGN_LEFT);
    if (columns->times)
        add_columns(out, times, G_N_ELEMENTS(times));
    if (columns->load)
        add_columns(out, loads, G_N_ELEMENTS(loads));
    if (columns->slowdown)
        dn_table_column(out, "slowdown", DN_ALIGN_RIGHT);
    if (columns->bound)
        dn_table_column(out, "bound (us)", DN_ALIGN_RIGHT);
    if (columns->beside)
        add_columns(out, besides, G_N_ELEMENTS(besides));
    dn_table_column(out, "goodput (Gb/s)", DN_ALIGN_RIGHT);
    if (columns->load)
        dn_table_column(out, "latency mean (us)", DN_ALIGN_RIGHT);
    if (columns->latency)
        add_columns(out, latencies, G_N_ELEMENTS(latencies));
    if (columns->load)
        dn_table_column(out, "steady", DN_ALIGN_LEFT);
    dn_table_column(out, "busiest link", DN_ALIGN_LEFT);
    return out;
}

static void append_row(DnTable *out, const DnSweep *sweep, const Row *row, const Columns *columns)
{
    const DnSummary *time = &row->figures.time_us, *wait = &row->figures.latency_us;
    dn_table_row(out);
    for (guint k = 0; sweep != NULL && k < sweep->n_keys; k++)
        dn_table_cell(out, "%s", sweep->values[row->point][k]);
    dn_table_cell(out, "%s", row->job);
    dn_table_cell(out, "%u", row->ranks);
    if (columns->chosen)
        dn_table_cell(out, "%s", row->chosen != NULL ? row->chosen : "-");
    if (columns->times) {
        dn_table_cell(out, "%" G_GSIZE_FORMAT, time->n);
        dn_table_number(out, time->median, 4);
        dn_table_number(out, time->min, 4);
        dn_table_number(out, time->max, 4);
    }
    if (columns->load) {
        dn_table_number(out, row->measured ? row->offered_load : NAN, 4);
        dn_table_number(out, row->measured ? row->accepted_load : NAN, 4);
    }
    if (columns->slowdown)
        dn_table_number(out, row->slowdown, 4);
    if (columns->bound)
        dn_table_number(out, row->bound_us, 4);
    if (columns->beside) {
        dn_table_number(out, row->measured_value, 4);
        dn_table_number(out, row->error_percent, 3);
    }
    dn_table_number(out, row->figures.goodput_bps * 1e-9, 4);
    if (columns->load)
        dn_table_number(out, row->measured ? wait->mean : NAN, 4);
    if (columns->latency) {
        dn_table_number(out, row->one_sided ? wait->median : NAN, 4);
        dn_table_number(out, row->one_sided ? wait->p95 : NAN, 4);
        dn_table_number(out, row->one_sided ? wait->p99 : NAN, 4);
    }
    if (columns->load)
        dn_table_cell(out, "%s", !row->measured ? "-" : row->steady ? "yes" : "NO");
    dn_table_cell(out, "%s", row->busiest);
}

char *dn_run_table_text(const DnRunTable *table)
{
    Columns columns = {0};
    for (guint r = 0; r < table->rows->len; r++) {
        const Row *row = &g_array_index(table->rows, Row, r);
        columns.chosen = columns.chosen || row->chosen != NULL;
        columns.latency = columns.latency || row->one_sided;
        columns.load = columns.load || row->measured;
        columns.times = columns.times || !row->measured;
        columns.slowdown = columns.slowdown || !isnan(row->slowdown);
        columns.bound = columns.bound || !isnan(row->bound_us);
        columns.beside = columns.beside || !isnan(row->measured_value);
    }
    g_autoptr(DnTable) out = with_columns(table->sweep, &columns);
    for (guint r = 0; r < table->rows->len; r++)
        append_row(out, table->sweep, &g_array_index(table->rows, Row, r), &columns);
    g_autofree char *rows = dn_table_text(out);
    GString *text = g_string_new(rows);
    if (table->bottleneck == NULL)
        return g_string_free(text, FALSE);
    g_string_append(text, "bottleneck");
    const DnSweep *sweep = table->sweep;
    for (guint k = 0; sweep != NULL && k < sweep->n_keys; k++)
        g_string_append_printf(text, "%s%s %s", k > 0 ? ", " : " at ", short_key(sweep, k),
                               sweep->values[table->most_busy_point][k]);
    g_string_append_printf(text, ": %s\n", table->bottleneck);
    return g_string_free(text, FALSE);
}
