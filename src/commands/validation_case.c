/* validation_case.c - reads a case, simulates its runs, compares. */
#include "commands/validation_case.h"
#include "commands/interrupt.h"
#include "commands/plan.h"
#include "base/csv.h"
#include "report/results.h"
#include "stats/study.h"
#include <math.h>
#include <string.h>

const char *const dn_role_names[] = {"calibrated", "predicted", "observed", NULL};
/* metric_of() has their values. */
static const char *const metrics[] = {"time_us",
                                      "time_mean_us",
                                      "time_p95_us",
                                      "time_p99_us",
                                      "time_qcd",
                                      "goodput_gbps",
                                      "latency_us",
                                      "latency_mean_us",
                                      "latency_p95_us",
                                      "latency_p99_us",
                                      "accepted_load",
                                      "slowdown",
                                      NULL};
static const char *const columns[] = {"job",  "metric", "measured", "tolerance_percent",
                                      "role", "reason", "run",      NULL};
enum { JOB, METRIC, MEASURED, TOLERANCE, ROLE, REASON, RUN, N_COLUMNS };

static const char *const tiers[] = {"quick", "full", NULL};

static const DnParamSpec case_keys[] = {
    {"tier", DN_PARAM_CHOICE, "quick", 0, 0, tiers, "full: only when asked for"},
    {"description", DN_PARAM_STRING, "", 0, 0, NULL, "what the case shows"},
    {"median_percent", DN_PARAM_REAL, "", 0, 1000, NULL, "largest median |error|, per role"},
    {"worst_percent", DN_PARAM_REAL, "", 0, 1000, NULL, "largest |error|, per role"},
    {0},
};

static void point_free(gpointer data)
{
    DnCheckedPoint *point = data;
    g_free(point->run);
    g_strfreev(point->keys);
    g_strfreev(point->values);
    g_free(point->job);
    g_free(point->metric);
    g_free(point->reason);
    g_free(point);
}

void dn_case_free(DnCase *case_)
{
    if (case_ == NULL)
        return;
    g_free(case_->name);
    g_free(case_->dir);
    g_free(case_->description);
    g_ptr_array_unref(case_->points);
    g_clear_pointer(&case_->plans, g_ptr_array_unref);
    g_free(case_);
}

/* (transfer full): of case.yaml; all defaults without one. */
static DnParams *read_case_yaml(const char *dir, GError **error)
{
    g_autofree char *file = g_build_filename(dir, "case.yaml", NULL);
    if (!g_file_test(file, G_FILE_TEST_EXISTS))
        return dn_params_read(NULL, case_keys, NULL, error);
    g_autoptr(DnConfigNode) root = dn_config_load(file, NULL, error);
    return root != NULL ? dn_params_read(root, case_keys, NULL, error) : NULL;
}

gboolean dn_case_is_full(const char *dir, gboolean *full, GError **error)
{
    g_autoptr(DnParams) params = read_case_yaml(dir, error);
    if (params == NULL)
        return FALSE;
    *full = dn_params_int(params, "tier") == 1;
    return TRUE;
}

static gboolean read_limits(DnCase *case_, GError **error)
{
    case_->median_limit = case_->worst_limit = NAN;
    g_autoptr(DnParams) params = read_case_yaml(case_->dir, error);
    if (params == NULL)
        return FALSE;
    if (dn_params_has(params, "description"))
        case_->description = g_strdup(dn_params_string(params, "description"));
    if (dn_params_has(params, "median_percent"))
        case_->median_limit = dn_params_real(params, "median_percent");
    if (dn_params_has(params, "worst_percent"))
        case_->worst_limit = dn_params_real(params, "worst_percent");
    return TRUE;
}

/* ---- the runs ---- */

static gint by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* (transfer full): paths of the case's runs, sorted. */
static GPtrArray *list_runs(const char *dir, GError **error)
{
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) folder = g_dir_open(dir, 0, NULL);
    const char *name;
    while (folder != NULL && (name = g_dir_read_name(folder)) != NULL)
        if (g_str_has_suffix(name, ".yaml") && strcmp(name, "case.yaml") != 0)
            g_ptr_array_add(files, g_build_filename(dir, name, NULL));
    if (files->len == 0) {
        g_set_error(error, DN_ERROR, DN_ERROR_FILE,
                    "%s: not a validation case; one holds a run (*.yaml) and expected.csv", dir);
        return NULL;
    }
    g_ptr_array_sort(files, by_name);
    return g_steal_pointer(&files);
}

/* (transfer full): DnPlan* for each run file. */
static GPtrArray *plan_runs(const char *dir, GError **error)
{
    g_autoptr(GPtrArray) files = list_runs(dir, error);
    if (files == NULL)
        return NULL;
    g_autoptr(GPtrArray) plans = g_ptr_array_new_with_free_func((GDestroyNotify)dn_plan_free);
    for (guint i = 0; i < files->len; i++) {
        DnPlan *plan = dn_plan_new(g_ptr_array_index(files, i), NULL, 0, error);
        if (plan == NULL)
            return NULL;
        g_ptr_array_add(plans, plan);
    }
    return g_steal_pointer(&plans);
}

/* ---- expected.csv ---- */

typedef struct {
    DnCsv *csv;
    int index[N_COLUMNS]; /* -1: absent, allowed for run only */
    const GPtrArray *plans;
} Expected;

static int find_name(const char *const *known, const char *word)
{
    for (int i = 0; known[i] != NULL; i++)
        if (strcmp(known[i], word) == 0)
            return i;
    return -1;
}

/* Index of the cell's text in @known, or -1 and an error that lists them. */
static int read_choice(const Expected *in, const DnCsvRow *row, int column,
                       const char *const *known, GError **error)
{
    const char *text = row->cells[in->index[column]];
    int found = find_name(known, text);
    if (found < 0) {
        g_autofree char *list = g_strjoinv(", ", (char **)known);
        dn_csv_error(in->csv, row, (guint)in->index[column], DN_ERROR_UNKNOWN, error,
                     "unknown %s '%s'; known: %s", columns[column], text, list);
    }
    return found;
}

static const DnPlan *run_of(const Expected *in, const DnCsvRow *row, GError **error)
{
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
    for (guint k = 0; k < sweep->n_keys; k++)
        if (dn_csv_column(in->csv, sweep->keys[k]) < 0) {
            dn_csv_error(in->csv, row, 0, DN_ERROR_MISSING, error,
                         "run '%s' sweeps %s: there must be a column of that name", plan->name,
                         sweep->keys[k]);
            return FALSE;
        }
    for (guint c = 0; c < in->csv->n_columns; c++) {
        if (find_name(columns, in->csv->names[c]) >= 0)
            continue;
        gboolean swept = FALSE;
        for (guint k = 0; k < sweep->n_keys; k++)
            swept = swept || strcmp(sweep->keys[k], in->csv->names[c]) == 0;
        if (swept != (*row->cells[c] != '\0')) {
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

static gboolean read_point(const Expected *in, const DnCsvRow *row, DnCheckedPoint *point,
                           GError **error)
{
    const DnPlan *plan = run_of(in, row, error);
    if (plan == NULL || !read_keys(in, row, plan, point, error))
        return FALSE;
    int metric = read_choice(in, row, METRIC, metrics, error);
    if (metric < 0)
        return FALSE;
    int role = read_choice(in, row, ROLE, dn_role_names, error);
    if (role < 0)
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
    point->run = g_strdup(plan->name);
    point->job = g_strdup(row->cells[in->index[JOB]]);
    point->metric = g_strdup(metrics[metric]);
    point->reason = g_strdup(row->cells[in->index[REASON]]);
    point->role = (DnRole)role;
    point->simulated = point->error_percent = NAN;
    return TRUE;
}

static gboolean read_expected(DnCase *case_, const GPtrArray *plans, GError **error)
{
    g_autofree char *file = g_build_filename(case_->dir, "expected.csv", NULL);
    g_autoptr(DnCsv) csv = dn_csv_load(file, error);
    if (csv == NULL)
        return FALSE;
    Expected in = {.csv = csv, .plans = plans};
    for (int c = 0; c < N_COLUMNS; c++) {
        in.index[c] = dn_csv_column(csv, columns[c]);
        if (in.index[c] < 0 && c != RUN) {
            g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s:1:1: no column '%s'", file,
                        columns[c]);
            return FALSE;
        }
    }
    for (guint r = 0; r < csv->rows->len; r++) {
        DnCheckedPoint *point = g_new0(DnCheckedPoint, 1);
        g_ptr_array_add(case_->points, point);
        if (!read_point(&in, g_ptr_array_index(csv->rows, r), point, error))
            return FALSE;
    }
    if (csv->rows->len > 0)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s:1:1: no row below the header", file);
    return FALSE;
}

/* ---- simulate and compare ---- */

/* "1 MiB" and "1MiB" are the same value. */
gboolean dn_case_same_value(const char *a, const char *b)
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

static gboolean matches(const DnCheckedPoint *point, const DnPlan *plan, guint sweep_point)
{
    const DnSweep *sweep = plan->sweep;
    if (strcmp(point->run, plan->name) != 0)
        return FALSE;
    for (guint i = 0; point->keys[i] != NULL; i++)
        for (guint k = 0; k < sweep->n_keys; k++)
            if (strcmp(sweep->keys[k], point->keys[i]) == 0 &&
                !dn_case_same_value(sweep->values[sweep_point][k], point->values[i]))
                return FALSE;
    return TRUE;
}

/* By name, as in metrics[]. */
static double metric_of(const DnJobResult *job, const char *metric)
{
    DnJobFigures f = dn_job_figures(job);
    const double values[] = {f.time_us.median,
                             f.time_us.mean,
                             f.time_us.p95,
                             f.time_us.p99,
                             f.time_us.qcd,
                             f.goodput_bps * 1e-9,
                             f.latency_us.median,
                             f.latency_us.mean,
                             f.latency_us.p95,
                             f.latency_us.p99,
                             job->measured ? job->accepted_load : NAN,
                             dn_study_slowdown(job)};
    G_STATIC_ASSERT(G_N_ELEMENTS(values) == G_N_ELEMENTS(metrics) - 1);
    for (guint i = 0; i < G_N_ELEMENTS(values); i++)
        if (strcmp(metric, metrics[i]) == 0)
            return values[i];
    g_assert_not_reached();
}

static void compare(DnCheckedPoint *point, const DnSimulation *simulation)
{
    for (guint j = 0; j < simulation->n_jobs; j++) {
        const DnJobResult *job = &simulation->jobs[j];
        if (strcmp(job->name, point->job) != 0)
            continue;
        point->simulated = metric_of(job, point->metric);
        point->bytes = job->bytes;
    }
}

static gboolean go_on(void *data, gint64 now_ps, guint64 events, guint64 packet_hops)
{
    (void)data;
    (void)now_ps;
    (void)events;
    (void)packet_hops;
    return !dn_interrupted();
}

static gboolean simulate_run(const DnCase *case_, const DnPlan *plan, GError **error)
{
    for (guint p = 0; p < plan->sweep->n_points; p++) {
        g_autoptr(GError) problem = NULL;
        g_autoptr(DnScenario) scenario = dn_plan_scenario(plan, p, error);
        if (scenario == NULL)
            return FALSE;
        g_autoptr(DnSimulation) simulation = dn_study(scenario, go_on, NULL, &problem);
        if (dn_interrupted()) {
            g_set_error(error, DN_ERROR, DN_ERROR_INTERRUPTED, "interrupted in case %s",
                        case_->name);
            return FALSE;
        }
        if (simulation == NULL)
            g_printerr("%s\n", problem->message); /* its points are missing, so they fail */
        for (guint i = 0; simulation != NULL && i < case_->points->len; i++) {
            DnCheckedPoint *point = g_ptr_array_index(case_->points, i);
            if (matches(point, plan, p))
                compare(point, simulation);
        }
    }
    return TRUE;
}

static void judge_point(DnCheckedPoint *point)
{
    point->error_percent = 100.0 * (point->simulated / point->measured - 1.0);
    point->passed = point->role == DN_ROLE_OBSERVED
                        ? !isnan(point->simulated)
                        : fabs(point->error_percent) <= point->tolerance_percent;
}

void dn_case_judge(DnCase *case_)
{
    g_autofree double *errors = g_new(double, case_->points->len);
    case_->passed = TRUE;
    for (guint i = 0; i < case_->points->len; i++)
        judge_point(g_ptr_array_index(case_->points, i));
    for (guint role = 0; role < DN_ROLES; role++) {
        DnRoleResult *r = &case_->roles[role];
        gboolean missing = FALSE;
        *r = (DnRoleResult){.median_percent = NAN, .worst_percent = NAN};
        for (guint i = 0; i < case_->points->len; i++) {
            const DnCheckedPoint *point = g_ptr_array_index(case_->points, i);
            if (point->role != role)
                continue;
            errors[r->n++] = fabs(point->error_percent);
            r->missed += !point->passed;
            missing = missing || isnan(point->error_percent);
        }
        if (r->n > 0 && !missing) {
            DnSummary s = dn_summary(errors, r->n);
            r->median_percent = s.median;
            r->worst_percent = s.max;
        }
        gboolean gates = role != DN_ROLE_OBSERVED;
        r->passed = r->missed == 0 && !(gates && r->median_percent > case_->median_limit) &&
                    !(gates && r->worst_percent > case_->worst_limit);
        case_->passed = case_->passed && r->passed;
    }
}

DnCase *dn_case_read(const char *dir, GError **error)
{
    g_autoptr(DnCase) case_ = g_new0(DnCase, 1);
    case_->dir = g_strdup(dir);
    case_->name = g_path_get_basename(dir);
    case_->points = g_ptr_array_new_with_free_func(point_free);
    if (!read_limits(case_, error))
        return NULL;
    case_->plans = plan_runs(dir, error);
    if (case_->plans == NULL || !read_expected(case_, case_->plans, error))
        return NULL;
    return g_steal_pointer(&case_);
}

gboolean dn_case_simulate(DnCase *case_, GError **error)
{
    for (guint i = 0; i < case_->plans->len; i++)
        if (!simulate_run(case_, g_ptr_array_index(case_->plans, i), error))
            return FALSE;
    dn_case_judge(case_);
    return TRUE;
}
