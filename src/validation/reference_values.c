/* reference_values.c - see reference_values.h. */
#include "validation/reference_values.h"
#include "experiment/experiment.h"
#include <math.h>
#include <string.h>

static const char *const columns[] = {"job",      "metric", "measured", "tolerance_percent",
                                      "evidence", "reason", "run",      "relation",
                                      NULL};
enum { JOB, METRIC, MEASURED, TOLERANCE, EVIDENCE, REASON, RUN, RELATION, N_COLUMNS };
static const char *const relations[] = {"<=", "=", ">=", NULL};

void dn_checked_point_free(gpointer data)
{
    DnCheckedPoint *point = data;
    g_free(point->run);
    g_strfreev(point->keys);
    g_strfreev(point->values);
    g_free(point->job);
    g_free(point->metric);
    g_free(point->reason);
    g_free(point->over_key);
    g_free(point->echo);
    g_free(point->known_cause);
    g_strfreev(point->over_values);
    g_free(point);
}

typedef struct {
    const DnCsv *csv;
    int index[N_COLUMNS]; /* -1: absent, allowed for run and relation */
    const GPtrArray *plans;
    const char *as; /* the only run that counts; or NULL */
} Expected;

static int find_name(const char *const *known, const char *word)
{
    for (int i = 0; known[i] != NULL; i++)
        if (strcmp(known[i], word) == 0)
            return i;
    return -1;
}

/* Index of @text, of @column, in @known, or -1 and an error that lists them. */
static int reference_choose(const Expected *in, const DnCsvRow *row, int column, const char *text,
                            const char *const *known, GError **error)
{
    int found = find_name(known, text);
    if (found < 0) {
        g_autofree char *list = g_strjoinv(", ", (char **)known);
        dn_csv_error(in->csv, row, (guint)in->index[column], DN_ERROR_UNKNOWN, error,
                     "unknown %s '%s'; known: %s", columns[column], text, list);
    }
    return found;
}

static int read_choice(const Expected *in, const DnCsvRow *row, int column,
                       const char *const *known, GError **error)
{
    return reference_choose(in, row, column, row->cells[in->index[column]], known, error);
}

static const DnMetric *choose_metric(const Expected *in, const DnCsvRow *row, const char *name,
                                     GError **error)
{
    return reference_choose(in, row, METRIC, name, dn_metric_references(), error) < 0
               ? NULL
               : dn_metric_of_reference(name);
}

static const DnPlan *run_of(const Expected *in, const DnCsvRow *row, GError **error)
{
    if (in->as != NULL)
        return g_ptr_array_index(in->plans, 0);
    if (in->index[RUN] < 0) {
        if (in->plans->len == 1)
            return g_ptr_array_index(in->plans, 0);
        dn_csv_error(in->csv, row, 0, DN_ERROR_MISSING, error,
                     "the case has %u runs; say which in a column 'run'", in->plans->len);
        return NULL;
    }
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < in->plans->len; i++)
        g_ptr_array_add(names, ((const DnPlan *)g_ptr_array_index(in->plans, i))->name);
    g_ptr_array_add(names, NULL);
    int found = read_choice(in, row, RUN, (const char *const *)names->pdata, error);
    return found < 0 ? NULL : g_ptr_array_index(in->plans, (guint)found);
}

/* Columns that are none of ours name swept keys: filled where the row's run sweeps the key, empty
 * where it does not. */
static gboolean read_keys(const Expected *in, const DnCsvRow *row, const DnPlan *plan,
                          DnCheckedPoint *point, GError **error)
{
    g_autoptr(GStrvBuilder) keys = g_strv_builder_new();
    g_autoptr(GStrvBuilder) values = g_strv_builder_new();
    const DnSweep *sweep = plan->sweep;
    for (guint k = 0; in->as == NULL && k < sweep->n_keys; k++)
        if (dn_csv_column(in->csv, sweep->keys[k]) < 0) {
            dn_csv_error(in->csv, row, 0, DN_ERROR_MISSING, error,
                         "run '%s' sweeps %s: there must be a column of that name", plan->name,
                         sweep->keys[k]);
            return FALSE;
        }
    for (guint c = 0; c < in->csv->n_columns; c++) {
        if (find_name(columns, in->csv->names[c]) >= 0 || (int)c == in->index[EVIDENCE])
            continue;
        gboolean swept = in->as != NULL ? *row->cells[c] != '\0'
                                        : dn_sweep_has_key(sweep, in->csv->names[c]);
        if (in->as == NULL && swept != (*row->cells[c] != '\0')) {
            dn_csv_error(in->csv, row, c, DN_ERROR_UNKNOWN, error,
                         swept ? "run '%s' sweeps %s; give its value"
                               : "run '%s' does not sweep %s; leave the cell empty",
                         plan->name, in->csv->names[c]);
            return FALSE;
        }
        if (swept) {
            g_strv_builder_add(keys, in->csv->names[c]);
            g_strv_builder_add(values, row->cells[c]);
        }
    }
    point->keys = g_strv_builder_end(keys);
    point->values = g_strv_builder_end(values);
    return TRUE;
}

static gboolean reference_sweeps(const DnSweep *sweep, const char *key, const char *value)
{
    for (guint k = 0; k < sweep->n_keys; k++)
        for (guint p = 0; strcmp(sweep->keys[k], key) == 0 && p < sweep->n_points; p++)
            if (dn_expected_same_value(sweep->values[p][k], value))
                return TRUE;
    return FALSE;
}

/* "KEY=VALUE|VALUE" */
static gboolean read_over(const Expected *in, const DnCsvRow *row, const DnPlan *plan,
                          const char *text, DnCheckedPoint *point, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, "=", 2);
    point->over_key = g_strdup(g_strstrip(parts[0]));
    point->over_values = g_strsplit(parts[1], "|", -1);
    for (guint i = 0; point->over_values[i] != NULL; i++)
        if (!reference_sweeps(plan->sweep, point->over_key, point->over_values[i])) {
            dn_csv_error(in->csv, row, (guint)in->index[METRIC], DN_ERROR_UNKNOWN, error,
                         "over %s=%s: run '%s' does not sweep to that", point->over_key,
                         point->over_values[i], plan->name);
            return FALSE;
        }
    return TRUE;
}

static gboolean read_metric(const Expected *in, const DnCsvRow *row, const DnPlan *plan,
                            DnCheckedPoint *point, GError **error)
{
    const char *text = row->cells[in->index[METRIC]];
    g_auto(GStrv) parts = g_strsplit(text, " over ", 2);
    point->metric = g_strdup(text);
    point->of = parts[0] == NULL ? NULL : choose_metric(in, row, parts[0], error);
    if (point->of == NULL || parts[1] == NULL)
        return point->of != NULL;
    if (strchr(parts[1], '=') != NULL)
        return read_over(in, row, plan, parts[1], point, error);
    point->by = choose_metric(in, row, parts[1], error);
    return point->by != NULL;
}

static gboolean read_relation(const Expected *in, const DnCsvRow *row, DnCheckedPoint *point,
                              GError **error)
{
    if (in->index[RELATION] < 0 || *row->cells[in->index[RELATION]] == '\0')
        return TRUE;
    int found = read_choice(in, row, RELATION, relations, error);
    point->relation = found - 1;
    return found >= 0;
}

static gboolean read_point(const Expected *in, const DnCsvRow *row, DnCheckedPoint *point,
                           GError **error)
{
    const DnPlan *plan = run_of(in, row, error);
    if (plan == NULL || !read_keys(in, row, plan, point, error))
        return FALSE;
    if (!read_metric(in, row, plan, point, error) || !read_relation(in, row, point, error))
        return FALSE;
    int evidence = read_choice(in, row, EVIDENCE, dn_evidence_names, error);
    if (evidence < 0)
        return FALSE;
    if (!dn_csv_read_number(in->csv, row, (guint)in->index[MEASURED], &point->measured, error) ||
        !dn_csv_read_number(in->csv, row, (guint)in->index[TOLERANCE], &point->tolerance_percent,
                            error))
        return FALSE;
    if (point->measured <= 0.0 || point->tolerance_percent < 0.0) {
        dn_csv_error(in->csv, row, (guint)in->index[point->measured <= 0.0 ? MEASURED : TOLERANCE],
                     DN_ERROR_RANGE, error,
                     "out of range; a measured value is above 0, a "
                     "tolerance 0 or more");
        return FALSE;
    }
    for (guint k = 0; k < DN_NULLS; k++)
        point->null[k] = NAN;
    point->run = g_strdup(plan->name);
    point->job = g_strdup(row->cells[in->index[JOB]]);
    point->reason = g_strdup(row->cells[in->index[REASON]]);
    point->stated = point->evidence = (DnEvidence)evidence;
    dn_expected_reset(point);
    return TRUE;
}

/* Index of the column `role`, as `evidence` was called; -1: none. */
static int find_old_name(const DnCsv *csv)
{
    int found = dn_csv_column(csv, "role");
    if (found >= 0)
        g_printerr("%s:1:1: warning: the column 'role' is now called 'evidence'\n", csv->file);
    return found;
}

static gboolean find_columns(Expected *in, GError **error)
{
    for (int c = 0; c < N_COLUMNS; c++) {
        in->index[c] = dn_csv_column(in->csv, columns[c]);
        if (in->index[c] < 0 && c == EVIDENCE)
            in->index[c] = find_old_name(in->csv);
        if (in->index[c] < 0 && c != RUN && c != RELATION) {
            g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s:1:1: no column '%s'", in->csv->file,
                        columns[c]);
            return FALSE;
        }
    }
    return TRUE;
}

GPtrArray *dn_expected_read(const DnCsv *csv, const GPtrArray *plans, const char *as,
                            GError **error)
{
    g_autoptr(GPtrArray) points = g_ptr_array_new_with_free_func(dn_checked_point_free);
    Expected in = {.csv = csv, .plans = plans, .as = as};
    if (!find_columns(&in, error))
        return NULL;
    for (guint r = 0; r < csv->rows->len; r++) {
        const DnCsvRow *row = g_ptr_array_index(csv->rows, r);
        if (as != NULL && in.index[RUN] >= 0 && strcmp(row->cells[in.index[RUN]], as) != 0)
            continue;
        DnCheckedPoint *point = g_new0(DnCheckedPoint, 1);
        g_ptr_array_add(points, point);
        if (!read_point(&in, row, point, error))
            return NULL;
    }
    if (points->len > 0)
        return g_steal_pointer(&points);
    if (as != NULL && csv->rows->len > 0) {
        g_autofree char *shown = dn_quote(as);
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s:1:1: no row of a run %s", csv->file,
                    shown);
    } else {
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s:1:1: no row below the header",
                    csv->file);
    }
    return NULL;
}

char *dn_expected_text(const GPtrArray *points)
{
    GString *out = g_string_new("run");
    const DnCheckedPoint *first = g_ptr_array_index(points, 0);
    for (guint k = 0; first->keys[k] != NULL; k++)
        dn_csv_cell(out, first->keys[k]);
    g_string_append(out, ",job,metric,measured,tolerance_percent,evidence,reason\n");
    for (guint i = 0; i < points->len; i++) {
        const DnCheckedPoint *p = g_ptr_array_index(points, i);
        char digits[G_ASCII_DTOSTR_BUF_SIZE];
        dn_csv_cell(out, p->run);
        for (guint k = 0; p->values[k] != NULL; k++)
            dn_csv_cell(out, p->values[k]);
        dn_csv_cell(out, p->job);
        dn_csv_cell(out, p->metric);
        dn_csv_cell(out, g_ascii_formatd(digits, sizeof digits, "%.9g", p->measured));
        dn_csv_cell(out, g_ascii_formatd(digits, sizeof digits, "%.9g", p->tolerance_percent));
        dn_csv_cell(out, dn_evidence_names[p->evidence]);
        dn_csv_cell(out, p->reason);
        dn_csv_end_row(out);
    }
    return g_string_free(out, FALSE);
}

/* ---- compare ---- */

gboolean dn_expected_same_value(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == ' ')
            a++;
        while (*b == ' ')
            b++;
        if (*a != *b)
            return FALSE;
        if (*a == '\0')
            return TRUE;
    }
}

static gboolean is_one_of(char *const *values, const char *value)
{
    for (; *values != NULL; values++)
        if (dn_expected_same_value(*values, value))
            return TRUE;
    return FALSE;
}

/* @over: where the point's over_key has another value. */
static gboolean is_at(const DnCheckedPoint *point, const DnPlan *plan, guint sweep_point,
                      gboolean over)
{
    const DnSweep *sweep = plan->sweep;
    if (strcmp(point->run, plan->name) != 0)
        return FALSE;
    for (guint i = 0; point->keys[i] != NULL; i++)
        for (guint k = 0; k < sweep->n_keys; k++) {
            const char *value = sweep->values[sweep_point][k];
            if (strcmp(sweep->keys[k], point->keys[i]) != 0)
                continue;
            if (over && strcmp(point->keys[i], point->over_key) == 0) {
                if (!is_one_of(point->over_values, value))
                    return FALSE;
            } else if (!dn_expected_same_value(value, point->values[i])) {
                return FALSE;
            }
        }
    return TRUE;
}

gboolean dn_expected_matches(const DnCheckedPoint *point, const DnPlan *plan, guint sweep_point)
{
    return is_at(point, plan, sweep_point, FALSE);
}

gboolean dn_expected_is_over(const DnCheckedPoint *point, const DnPlan *plan, guint sweep_point)
{
    return point->over_key != NULL && is_at(point, plan, sweep_point, TRUE);
}

static double metric_of(const DnRunResult *result, const DnJobResult *job, const DnMetric *metric)
{
    DnMetricSource source;
    dn_metric_source_init(&source, result, job, 0);
    return dn_metric_reference_value(metric, &source);
}

void dn_expected_reset(DnCheckedPoint *point)
{
    point->own = point->over = point->simulated = point->error_percent = NAN;
    point->n_over = 0;
}

static const DnJobResult *job_of(const DnCheckedPoint *point, const DnRunResult *result)
{
    for (guint j = 0; j < result->n_jobs; j++)
        if (strcmp(result->jobs[j].name, point->job) == 0)
            return &result->jobs[j];
    return NULL;
}

static void reference_divide(DnCheckedPoint *point)
{
    if (point->over_key == NULL && point->by == NULL)
        point->simulated = point->own;
    else if (point->over_key == NULL || point->n_over == g_strv_length(point->over_values))
        point->simulated = point->own / point->over;
}

void dn_expected_compare(DnCheckedPoint *point, const DnRunResult *result)
{
    const DnJobResult *job = job_of(point, result);
    if (job == NULL)
        return;
    point->own = metric_of(result, job, point->of);
    if (point->by != NULL)
        point->over = metric_of(result, job, point->by);
    point->bytes = job->bytes;
    reference_divide(point);
}

void dn_expected_compare_over(DnCheckedPoint *point, const DnRunResult *result)
{
    const DnJobResult *job = job_of(point, result);
    if (job == NULL)
        return;
    double value = metric_of(result, job, point->of);
    point->over = point->n_over == 0 ? value : MIN(point->over, value);
    point->n_over++;
    reference_divide(point);
}

/* Returns the error in percent of the measured value; 0 on the allowed side of an inequality. */
static double error_of(const DnCheckedPoint *point, double value)
{
    double error = 100.0 * (value / point->measured - 1.0);
    return error * point->relation > 0.0 ? 0.0 : error;
}

static gboolean is_vacuous(const DnCheckedPoint *point)
{
    gboolean counts = point->evidence == DN_EVIDENCE_DEVELOPED ||
                      point->evidence == DN_EVIDENCE_PREDICTED;
    gboolean passes = FALSE;
    for (guint k = DN_NULL_IDLE; k <= DN_NULL_BOUND; k++)
        passes = passes || fabs(error_of(point, point->null[k])) <= point->tolerance_percent;
    return counts && point->within && passes;
}

void dn_expected_judge(DnCheckedPoint *point)
{
    double error = error_of(point, point->simulated);
    point->error_percent = error;
    point->within = fabs(error) <= point->tolerance_percent;
    point->vacuous = is_vacuous(point);
    point->passed = point->within != (point->known_cause != NULL);
    if (point->evidence == DN_EVIDENCE_OBSERVED || isnan(point->simulated))
        point->passed = point->evidence == DN_EVIDENCE_OBSERVED && !isnan(point->simulated);
}
