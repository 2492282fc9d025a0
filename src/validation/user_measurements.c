/* user_measurements.c - see user_measurements.h. */
#include "validation/user_measurements.h"
#include "validation/bytes_of_all.h"
#include "validation/case_estimate.h"
#include "validation/repetition_kinds.h"
#include "base/file.h"
#include "base/input_files.h"
#include "calibration/calibrate_data.h"
#include "calibration/measurements.h"
#include "stats/summary.h"
#include <math.h>
#include <string.h>

#define MOST_KEYS 8

const DnParamSpec dn_user_measurement_keys[] = {
    {"format", DN_PARAM_STRING, "", 0, 0, NULL, "of the measurements"},
    {"rows", DN_PARAM_NODE, "", 0, 0, NULL, "columns and the values rows must have"},
    {"bytes", DN_PARAM_STRING, "", 0, 0, NULL, "column of sizes"},
    {"divide_bytes", DN_PARAM_INT, "", 1, 1 << 24, NULL, "the file's bytes over the run's"},
    {"keys", DN_PARAM_NODE, "", 0, 0, NULL, "further keys of the run and their columns"},
    {"time", DN_PARAM_STRING, "", 0, 0, NULL, "column of times"},
    {"goodput", DN_PARAM_STRING, "", 0, 0, NULL, "column of rates"},
    {"scale", DN_PARAM_REAL, "1", 1e-9, 1e9, NULL, "factor on the file's values"},
    {"job", DN_PARAM_STRING, "", 0, 0, NULL, "whose metric it is"},
    {"metric", DN_PARAM_STRING, "", 0, 0, NULL, "what is measured"},
    {"tolerance", DN_PARAM_REAL, "20 %", 0, 10, NULL, "largest allowed error"},
    {0},
};

typedef struct {
    char *name;    /* of the run: "jobs[0].workload.bytes" */
    guint column;  /* of the measurements */
    gint64 divide; /* 0: the cell's own text */
} Key;

typedef struct {
    DnParams *map;
    DnConfigNode *root;
    DnRunSpec *spec; /* the run as it is */
    DnCsv *csv;
    const DnMeasurementFormat *format;
    guint job;
    Key keys[MOST_KEYS];
    guint n_keys, value;
    double scale; /* of the value's column to the metric's unit */
    const char *metric;
    char *hash, *raw_hash; /* of the measurements as CSV, and of the file (calibrate_data.h) */
} UserMeasurements;

static void user_measurements_clear(UserMeasurements *a)
{
    for (guint k = 0; k < a->n_keys; k++)
        g_free(a->keys[k].name);
    g_clear_pointer(&a->map, dn_params_free);
    g_clear_pointer(&a->root, dn_config_free);
    g_clear_pointer(&a->spec, dn_run_spec_free);
    g_clear_pointer(&a->csv, dn_csv_free);
    g_free(a->hash);
    g_free(a->raw_hash);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(UserMeasurements, user_measurements_clear)

/* ---- columns ---- */

/* The error at @key of the map, or in general. */
static gboolean column_error(const UserMeasurements *a, const char *key, const char *name,
                             GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint c = 0; c < a->csv->n_columns; c++)
        g_ptr_array_add(names, a->csv->names[c]);
    g_ptr_array_add(names, NULL);
    gboolean mapped = key != NULL && dn_params_has(a->map, key);
    g_autofree char *where = g_strdup_printf(" in %s", a->csv->file);
    g_autofree char *unknown = dn_unknown_where(name, mapped ? where : "; a map says which",
                                                (const char *const *)names->pdata, "columns");
    if (mapped)
        dn_params_error(a->map, key, DN_ERROR_UNKNOWN, error, "no column %s", unknown);
    else
        g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s:1:1: no column %s", a->csv->file,
                    unknown);
    return FALSE;
}

static gboolean find_column(const UserMeasurements *a, const char *key, const char *name,
                            guint *column, GError **error)
{
    int found = dn_csv_column(a->csv, name);
    *column = (guint)found;
    return found >= 0 || column_error(a, key, name, error);
}

/* How many times the file's bytes are the run's; 0: an error. */
static gint64 user_divisor(const UserMeasurements *a, GError **error)
{
    if (dn_params_has(a->map, "divide_bytes"))
        return dn_params_int(a->map, "divide_bytes");
    return a->format->bytes_of_all ? dn_bytes_of_all(&a->spec->jobs[a->job], error) : 1;
}

static gboolean find_bytes(UserMeasurements *a, GError **error)
{
    static const char *const usual[] = {"bytes", "size_bytes"};
    const char *name = dn_params_string(a->map, "bytes");
    for (guint i = 0; name == NULL && i < G_N_ELEMENTS(usual); i++)
        if (dn_csv_column(a->csv, usual[i]) >= 0)
            name = usual[i];
    if (name == NULL)
        return TRUE;
    Key *key = &a->keys[0];
    if (!find_column(a, "bytes", name, &key->column, error))
        return FALSE;
    key->name = g_strdup_printf("jobs[%u].workload.bytes", a->job);
    key->divide = user_divisor(a, error);
    a->n_keys = 1;
    return key->divide > 0;
}

static gboolean find_keys(UserMeasurements *a, GError **error)
{
    const DnConfigNode *keys = dn_params_node(a->map, "keys");
    if (keys == NULL)
        return TRUE;
    if (!dn_config_expect(keys, DN_CONFIG_MAP, error))
        return FALSE;
    dn_config_consume(keys);
    for (guint i = 0; i < keys->keys->len; i++) {
        const DnConfigNode *column = g_ptr_array_index(keys->children, i);
        if (!dn_config_expect(column, DN_CONFIG_SCALAR, error))
            return FALSE;
        if (a->n_keys == MOST_KEYS) {
            dn_config_error(keys, DN_ERROR_RANGE, error, "keys: more than %d", MOST_KEYS);
            return FALSE;
        }
        Key *key = &a->keys[a->n_keys];
        if (!find_column(a, "keys", column->scalar, &key->column, error))
            return FALSE;
        key->name = g_strdup(g_ptr_array_index(keys->keys, i));
        a->n_keys++;
    }
    return TRUE;
}

/* us, or Gb/s, of one of the column's unit. */
static gboolean value_unit(UserMeasurements *a, GError **error)
{
    static const struct {
        const char *end;
        double scale;
    } units[] = {{"_ns", 1e-3}, {"_us", 1}, {"_ms", 1e3}, {"_s", 1e6}, {"_gbps", 1}};
    const char *name = a->csv->names[a->value];
    for (guint i = 0; i < G_N_ELEMENTS(units); i++)
        if (g_str_has_suffix(name, units[i].end)) {
            a->scale = units[i].scale * dn_params_real(a->map, "scale");
            return TRUE;
        }
    g_autofree char *shown = dn_quote(name);
    g_set_error(
        error, DN_ERROR, DN_ERROR_UNIT,
        "%s:1:1: the column %s does not say its unit; it ends in _ns, _us, _ms, _s or _gbps",
        a->csv->file, shown);
    return FALSE;
}

static gboolean find_value(UserMeasurements *a, GError **error)
{
    static const char *const usual[] = {"time_us", "median_us", "goodput_gbps"};
    const char *key = dn_params_has(a->map, "goodput") ? "goodput" : "time";
    const char *name = dn_params_string(a->map, key);
    for (guint i = 0; name == NULL && i < G_N_ELEMENTS(usual); i++)
        if (dn_csv_column(a->csv, usual[i]) >= 0)
            name = usual[i];
    if (!find_column(a, key, name != NULL ? name : usual[0], &a->value, error) ||
        !value_unit(a, error))
        return FALSE;
    gboolean rate = g_str_has_suffix(a->csv->names[a->value], "_gbps");
    a->metric = rate ? "goodput_gbps" : "time_us";
    if (!dn_params_has(a->map, "metric"))
        return TRUE;
    a->metric = dn_params_string(a->map, "metric");
    if (dn_metric_of_reference(a->metric) != NULL)
        return TRUE;
    g_autofree char *unknown = dn_unknown(a->metric, dn_metric_references(), "known");
    dn_params_error(a->map, "metric", DN_ERROR_UNKNOWN, error, "unknown metric %s", unknown);
    return FALSE;
}

static gboolean find_job(UserMeasurements *a, GError **error)
{
    const char *name = dn_params_string(a->map, "job");
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint j = 0; j < a->spec->n_jobs; j++) {
        if (name == NULL || strcmp(a->spec->jobs[j].name, name) == 0) {
            a->job = j;
            return TRUE;
        }
        g_ptr_array_add(names, a->spec->jobs[j].name);
    }
    g_ptr_array_add(names, NULL);
    g_autofree char *unknown =
        dn_unknown(name, (const char *const *)names->pdata, "jobs of the run");
    dn_params_error(a->map, "job", DN_ERROR_UNKNOWN, error, "no job %s", unknown);
    return FALSE;
}

/* ---- rows ---- */

static gboolean check_rows(const UserMeasurements *a, GError **error)
{
    const DnConfigNode *rows = dn_params_node(a->map, "rows");
    guint column;
    if (rows == NULL)
        return TRUE;
    if (!dn_config_expect(rows, DN_CONFIG_MAP, error))
        return FALSE;
    dn_config_consume(rows);
    for (guint i = 0; i < rows->keys->len; i++)
        if (!dn_config_expect(g_ptr_array_index(rows->children, i), DN_CONFIG_SCALAR, error) ||
            !find_column(a, "rows", g_ptr_array_index(rows->keys, i), &column, error))
            return FALSE;
    return TRUE;
}

static gboolean is_chosen(const UserMeasurements *a, const DnCsvRow *row)
{
    const DnConfigNode *rows = dn_params_node(a->map, "rows");
    for (guint i = 0; rows != NULL && i < rows->keys->len; i++) {
        const DnConfigNode *value = g_ptr_array_index(rows->children, i);
        int column = dn_csv_column(a->csv, g_ptr_array_index(rows->keys, i));
        if (strcmp(row->cells[column], value->scalar) != 0)
            return FALSE;
    }
    return TRUE;
}

/* Returns TRUE when the cell can stand in the list of a sweep as one value. */
static gboolean is_value(const UserMeasurements *a, const Key *key, const DnCsvRow *row,
                         GError **error)
{
    const char *cell = row->cells[key->column];
    g_autoptr(DnConfigNode) value = dn_config_parse(cell, a->csv->file, NULL);
    if (value != NULL && (value->kind != DN_CONFIG_SCALAR || strpbrk(cell, ",[]{}#\n") == NULL))
        return TRUE;
    g_autofree char *shown = dn_quote(cell);
    dn_csv_error(a->csv, row, key->column, DN_ERROR_SYNTAX, error, "%s is no value of %s", shown,
                 key->name);
    return FALSE;
}

/* (transfer full): the key's value as the run takes it; NULL + error. *@skip: a size of 0. */
static char *key_value(const UserMeasurements *a, const Key *key, const DnCsvRow *row,
                       gboolean *skip, GError **error)
{
    double bytes;
    if (key->divide == 0)
        return is_value(a, key, row, error) ? g_strdup(row->cells[key->column]) : NULL;
    if (!dn_csv_read_number(a->csv, row, key->column, &bytes, error))
        return NULL;
    if (bytes < 0 || bytes > 1e15 || bytes != floor(bytes)) {
        dn_csv_error(a->csv, row, key->column, DN_ERROR_RANGE, error,
                     "a size is a whole number of bytes, 0 to 1e15");
        return NULL;
    }
    gint64 share = (gint64)bytes / key->divide;
    *skip = *skip || share == 0;
    return g_strdup_printf("%" G_GINT64_FORMAT " B", share);
}

/* Points of equal keys: the values measured, to become one. */
typedef struct {
    DnCheckedPoint *point;
    const DnCsvRow *first;
    GArray *values; /* double */
} Group;

static void group_free(gpointer data)
{
    g_array_unref(((Group *)data)->values);
    g_free(data);
}

static Group *group_of(GPtrArray *groups, GPtrArray *points, const UserMeasurements *a,
                       char **values, const char *run)
{
    for (guint i = 0; i < groups->len; i++) {
        Group *group = g_ptr_array_index(groups, i);
        if (g_strv_equal((const char *const *)group->point->values, (const char *const *)values))
            return group;
    }
    Group *group = g_new0(Group, 1);
    group->values = g_array_new(FALSE, FALSE, sizeof(double));
    group->point = g_new0(DnCheckedPoint, 1);
    g_ptr_array_add(groups, group);
    g_ptr_array_add(points, group->point);
    group->point->run = g_strdup(run);
    group->point->keys = g_new0(char *, a->n_keys + 1);
    for (guint k = 0; k < a->n_keys; k++)
        group->point->keys[k] = g_strdup(a->keys[k].name);
    group->point->values = g_strdupv(values);
    group->point->job = g_strdup(a->spec->jobs[a->job].name);
    group->point->metric = g_strdup(a->metric);
    group->point->reason = g_strdup("");
    for (guint k = 0; k < DN_NULLS; k++)
        group->point->null[k] = NAN;
    group->point->stated = group->point->evidence = DN_EVIDENCE_PREDICTED;
    group->point->tolerance_percent = 100.0 * dn_params_real(a->map, "tolerance");
    group->point->of = dn_metric_of_reference(a->metric);
    dn_expected_reset(group->point);
    return group;
}

static gboolean add_row(const UserMeasurements *a, const DnCsvRow *row, const char *run,
                        GPtrArray *groups, GPtrArray *points, gboolean *used, GError **error)
{
    g_auto(GStrv) values = g_new0(char *, a->n_keys + 1);
    gboolean skip = FALSE;
    double value;
    for (guint k = 0; k < a->n_keys; k++) {
        values[k] = key_value(a, &a->keys[k], row, &skip, error);
        if (values[k] == NULL)
            return FALSE;
    }
    if (skip)
        return TRUE;
    if (!dn_csv_read_number(a->csv, row, a->value, &value, error))
        return FALSE;
    if (value <= 0.0) {
        dn_csv_error(a->csv, row, a->value, DN_ERROR_RANGE, error, "a measured value is above 0");
        return FALSE;
    }
    value *= a->scale;
    Group *group = group_of(groups, points, a, values, run);
    if (group->first == NULL)
        group->first = row;
    dn_repetition_kinds_warn(a->csv, row, group->first, used);
    g_array_append_val(group->values, value);
    return TRUE;
}

static GPtrArray *read_points(const UserMeasurements *a, const char *run, GError **error)
{
    g_autoptr(GPtrArray) groups = g_ptr_array_new_with_free_func(group_free);
    g_autoptr(GPtrArray) points = g_ptr_array_new_with_free_func(dn_checked_point_free);
    g_autofree gboolean *used = g_new0(gboolean, a->csv->n_columns);
    used[a->value] = TRUE;
    for (guint k = 0; k < a->n_keys; k++)
        used[a->keys[k].column] = TRUE;
    for (guint r = 0; r < a->csv->rows->len; r++) {
        const DnCsvRow *row = g_ptr_array_index(a->csv->rows, r);
        if (is_chosen(a, row) && !add_row(a, row, run, groups, points, used, error))
            return NULL;
    }
    for (guint i = 0; i < groups->len; i++) {
        const Group *group = g_ptr_array_index(groups, i);
        group->point->measured =
            dn_summary((const double *)(const void *)group->values->data, group->values->len)
                .median;
    }
    if (points->len > 0)
        return g_steal_pointer(&points);
    g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s:1:1: no row%s", a->csv->file,
                dn_params_has(a->map, "rows") ? " has what `rows` of the map asks for"
                                              : " with a size above 0");
    return NULL;
}

/* ---- the case ---- */

/* (transfer full): "sweep={key: [values], ...}": each value once. */
static char *sweep_of(const UserMeasurements *a, const GPtrArray *points)
{
    GString *out = g_string_new("sweep={");
    for (guint k = 0; k < a->n_keys; k++) {
        g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
        g_string_append_printf(out, "%s\"%s\": [", k > 0 ? ", " : "", a->keys[k].name);
        for (guint i = 0; i < points->len; i++) {
            const DnCheckedPoint *point = g_ptr_array_index(points, i);
            if (g_hash_table_add(seen, point->values[k]))
                g_string_append_printf(out, "%s%s", i > 0 ? ", " : "", point->values[k]);
        }
        g_string_append(out, "]");
    }
    g_string_append(out, "}");
    return g_string_free(out, FALSE);
}

static gboolean read_map(UserMeasurements *a, const char *map, GError **error)
{
    if (map != NULL) {
        a->root = dn_config_load(map, NULL, error);
        if (a->root == NULL)
            return FALSE;
    }
    a->map = dn_params_read(a->root, dn_user_measurement_keys, NULL, error);
    if (a->map == NULL || !dn_params_has(a->map, "time") || !dn_params_has(a->map, "goodput"))
        return a->map != NULL;
    dn_params_error(a->map, "goodput", DN_ERROR_RANGE, error,
                    "goodput: allowed: `time` or `goodput`, not both");
    return FALSE;
}

/* A file that the run reads, such as an included mechanism, says that it was calibrated on these
 * measurements (report/calibration_yaml.c): then none of them is predicted. @files: lines
 * "HASH PATH". */
static gboolean calibrated_on(const char *files, const char *hash)
{
    g_autofree char *mark = g_strconcat("; data ", hash, NULL);
    g_auto(GStrv) lines = g_strsplit(files, "\n", -1);
    gboolean found = FALSE;
    for (guint i = 0; lines[i] != NULL && !found; i++) {
        const char *path = strchr(lines[i], ' ');
        g_autofree char *text = NULL;
        found = path != NULL && g_str_has_suffix(path, ".yaml") &&
                g_file_get_contents(path + 1, &text, NULL, NULL) && strstr(text, mark) != NULL;
    }
    return found;
}

static void class_points(const UserMeasurements *a, const GPtrArray *points)
{
    g_autofree char *files = dn_input_files_end();
    if (!calibrated_on(files, a->hash) && !calibrated_on(files, a->raw_hash))
        return;
    for (guint i = 0; i < points->len; i++) {
        DnCheckedPoint *point = g_ptr_array_index(points, i);
        point->stated = point->evidence = DN_EVIDENCE_CALIBRATED;
    }
}

static gboolean read_measurements(UserMeasurements *a, const char *file, GError **error)
{
    const char *format = dn_params_string(a->map, "format");
    g_autofree char *text = dn_measurements_csv(file, format, &a->format, error);
    g_autofree char *raw = NULL;
    a->csv = text != NULL ? dn_csv_parse(text, file, error) : NULL;
    if (a->csv == NULL)
        return FALSE;
    a->hash = dn_calibrate_data_hash(text);
    gboolean plain = g_file_get_contents(file, &raw, NULL, NULL);
    a->raw_hash = dn_calibrate_data_hash(plain ? raw : text);
    return TRUE;
}

/* (transfer full): of one run, nothing simulated yet. @map: file, or NULL: all defaults. */
static DnCase *user_measurements(const char *measurements, const char *map, const char *run,
                                 GError **error)
{
    g_auto(UserMeasurements) a = {.n_keys = 0};
    if (!read_map(&a, map, error) || !read_measurements(&a, measurements, error))
        return NULL;
    a.spec = dn_run_spec_load(run, NULL, error);
    if (a.spec == NULL || !find_job(&a, error) || !find_bytes(&a, error) || !find_keys(&a, error) ||
        !find_value(&a, error) || !check_rows(&a, error))
        return NULL;
    g_autoptr(DnCase) case_ = g_new0(DnCase, 1);
    case_->name = g_path_get_basename(measurements);
    case_->median_limit = case_->worst_limit = NAN;
    g_autoptr(DnPlan) plain = dn_plan_new(run, NULL, error);
    case_->points = plain != NULL ? read_points(&a, plain->name, error) : NULL;
    if (case_->points == NULL)
        return NULL;
    g_autofree char *sweep = sweep_of(&a, case_->points);
    const char *const set[] = {sweep, NULL};
    DnPlan *plan = dn_plan_new(run, a.n_keys > 0 ? set : NULL, error);
    if (plan == NULL)
        return NULL;
    class_points(&a, case_->points);
    case_->plans = g_ptr_array_new_with_free_func((GDestroyNotify)dn_plan_free);
    g_ptr_array_add(case_->plans, plan);
    return g_steal_pointer(&case_);
}

GPtrArray *dn_against_run(const char *file, const char *map, const char *run, const char *expected,
                          gboolean yes, GError **error)
{
    g_autoptr(GHashTable) none = dn_case_cpu_table();
    DnCaseEstimate estimate = {.known = none};
    g_autoptr(DnCase) case_ = user_measurements(file, map, run, error);
    g_autofree char *rows = case_ != NULL ? dn_expected_text(case_->points) : NULL;
    if (case_ != NULL)
        dn_case_estimate_add(&estimate, case_, 0);
    if (case_ == NULL || (expected != NULL && !dn_file_write(expected, rows, error)) ||
        !dn_case_estimate_print(&estimate, yes, error) ||
        !dn_case_simulate_run(case_, 0, FALSE, error))
        return NULL;
    dn_case_judge(case_);
    GPtrArray *cases = g_ptr_array_new_with_free_func((GDestroyNotify)dn_case_free);
    g_ptr_array_add(cases, g_steal_pointer(&case_));
    return cases;
}
