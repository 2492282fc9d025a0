/* measurements_blink.c - blink's results (D. De Sensi, github.com/DanieleDeSensi/blink).
 *
 * A run is a folder with data.csv: a column for each application and what it measures,
 * "0_Transfer Time_s", a row for each iteration. description.csv lists runs: app_mix, system,
 * numnodes, allocation_mode, allocation_split, ppn, out_format, extra, path. The last word of
 * app_mix is the size ("1GiB", "2MiB_plus_incast").
 * LIMITATIONS: of several applications of a run the first that has times. */
#include "base/csv.h"
#include "calibration/measurements.h"
#include "stats/summary.h"
#include <string.h>

static const struct {
    const char *end;
    double us;
} units[] = {{"_ns", 1e-3}, {"_us", 1}, {"_ms", 1e3}, {"_s", 1e6}};

/* us of one of the column's unit; 0: no time. */
static double time_unit(const char *name)
{
    g_autofree char *low = g_ascii_strdown(name, -1);
    if (!g_ascii_isdigit(*low) || (strstr(low, "time") == NULL && strstr(low, "duration") == NULL))
        return 0;
    for (guint i = 0; i < G_N_ELEMENTS(units); i++)
        if (g_str_has_suffix(low, units[i].end))
            return units[i].us;
    return 0;
}

/* The slowest rank's where there are several, as the papers' figures have it; else the first. */
static int time_column(const DnCsv *csv)
{
    int first = -1;
    for (guint c = 0; c < csv->n_columns; c++) {
        if (time_unit(csv->names[c]) == 0)
            continue;
        if (strstr(csv->names[c], "Max-Duration") != NULL)
            return (int)c;
        first = first < 0 ? (int)c : first;
    }
    return first;
}

/* (caller frees) Times of @csv in us, in its order; *@n 0: none. FALSE + error: not a number. */
static gboolean read_times(const DnCsv *csv, double **us, guint *n, GError **error)
{
    int column = time_column(csv);
    *n = 0;
    *us = g_new(double, csv->rows->len + 1);
    for (guint r = 0; column >= 0 && r < csv->rows->len; r++) {
        const DnCsvRow *row = g_ptr_array_index(csv->rows, r);
        if (*row->cells[column] == '\0')
            continue; /* another application ran longer */
        if (!dn_csv_read_number(csv, row, (guint)column, &(*us)[*n], error))
            return FALSE;
        (*us)[(*n)++] *= time_unit(csv->names[column]);
    }
    return TRUE;
}

static gboolean is_blink(const DnMeasurementFile *file)
{
    if (file->text == NULL) {
        g_autofree char *list = g_build_filename(file->path, "description.csv", NULL);
        g_autofree char *data = g_build_filename(file->path, "data", "description.csv", NULL);
        return g_file_test(list, G_FILE_TEST_EXISTS) || g_file_test(data, G_FILE_TEST_EXISTS);
    }
    g_autofree char *head = g_strndup(file->text, strcspn(file->text, "\r\n"));
    g_auto(GStrv) names = g_strsplit(head, ",", -1);
    return names[0] != NULL && g_ascii_isdigit(names[0][0]) && strchr(names[0], '_') != NULL &&
           time_unit(names[0]) > 0;
}

static gboolean convert_run(const DnMeasurementFile *file, GString *out, GError **error)
{
    g_autoptr(DnCsv) csv = dn_csv_parse(file->text, file->path, error);
    g_autofree double *us = NULL;
    guint n = 0;
    if (csv == NULL || !read_times(csv, &us, &n, error))
        return FALSE;
    g_string_append(out, "iteration,time_us\n");
    for (guint i = 0; i < n; i++) {
        dn_csv_int(out, i);
        dn_measurement_cell(out, us[i]);
        dn_csv_end_row(out);
    }
    if (n > 0)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s:1:1: no times", file->path);
    return FALSE;
}

/* ---- a folder of runs ---- */

enum { MIX, SYSTEM, NODES, PPN, EXTRA, PATH, N_COLUMNS };
static const char *const columns[N_COLUMNS] = {"app_mix", "system", "numnodes",
                                               "ppn",     "extra",  "path"};

/* (transfer full): the run's data.csv; @path is written "./data/alps/2024-03-19_23:07:44". */
static char *run_file(const char *folder, const char *path)
{
    g_autofree char *name = g_path_get_basename(path);
    g_autofree char *above = g_path_get_dirname(path);
    g_autofree char *system = g_path_get_basename(above);
    return g_build_filename(folder, system, name, "data.csv", NULL);
}

/* app_mix in its parts: "gpubench/a2a-nccl", bytes, what ran beside ("plus_incast"). */
static void add_mix(GString *out, const char *mix)
{
    g_autofree char *last = g_path_get_basename(mix);
    g_autofree char *above = g_path_get_dirname(mix);
    const char *bench = g_str_has_prefix(above, "./apps_mix/") ? above + strlen("./apps_mix/")
                                                               : above;
    char *neighbour = strchr(last, '_');
    if (neighbour != NULL)
        *neighbour++ = '\0';
    gint64 bytes = dn_measurement_size(last);
    dn_csv_cell(out, bytes < 0 ? mix : bench);
    dn_csv_cell(out, neighbour != NULL ? neighbour : "");
    if (bytes < 0)
        dn_csv_cell(out, "");
    else
        dn_csv_int(out, bytes);
}

static void add_run(GString *out, char *const *cells, const int *at, const double *us, guint n)
{
    DnSummary s = dn_summary(us, n);
    const double values[] = {s.median, s.mean, s.min, s.p5, s.q1, s.q3, s.p95, s.max};
    g_autofree char *run = g_path_get_basename(cells[at[PATH]]);
    dn_csv_cell(out, cells[at[SYSTEM]]);
    add_mix(out, cells[at[MIX]]);
    dn_csv_cell(out, cells[at[NODES]]);
    dn_csv_cell(out, cells[at[PPN]]);
    dn_csv_cell(out, cells[at[EXTRA]]);
    dn_csv_int(out, n);
    for (guint i = 0; i < G_N_ELEMENTS(values); i++)
        dn_measurement_cell(out, values[i]);
    dn_csv_cell(out, run);
    dn_csv_end_row(out);
}

/* A run that is not there, or has no times, is left out: artifacts are downloaded in parts. */
static gboolean add_listed(GString *out, const char *folder, char *const *cells, const int *at,
                           guint *runs, GError **error)
{
    g_autofree char *file = run_file(folder, cells[at[PATH]]);
    if (!g_file_test(file, G_FILE_TEST_EXISTS))
        return TRUE;
    g_autoptr(DnCsv) csv = dn_csv_load(file, error);
    g_autofree double *us = NULL;
    guint n = 0;
    if (csv == NULL || !read_times(csv, &us, &n, error))
        return FALSE;
    if (n > 0)
        add_run(out, cells, at, us, n);
    *runs += n > 0;
    return TRUE;
}

static gboolean convert_folder(const DnMeasurementFile *file, GString *out, GError **error)
{
    g_autofree char *data = g_build_filename(file->path, "data", NULL);
    const char *folder = g_file_test(data, G_FILE_TEST_IS_DIR) ? data : file->path;
    g_autofree char *list = g_build_filename(folder, "description.csv", NULL);
    g_autoptr(DnCsv) csv = dn_csv_load(list, error);
    int at[N_COLUMNS];
    guint runs = 0;
    if (csv == NULL)
        return FALSE;
    for (guint c = 0; c < N_COLUMNS; c++) {
        at[c] = dn_csv_column(csv, columns[c]);
        if (at[c] < 0) {
            g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s:1:1: no column '%s'", list,
                        columns[c]);
            return FALSE;
        }
    }
    g_string_append(out, "system,bench,beside,bytes,nodes,ppn,extra,n_iter,median_us,mean_us,"
                         "min_us,p5_us,q1_us,q3_us,p95_us,max_us,run\n");
    for (guint r = 0; r < csv->rows->len; r++) {
        const DnCsvRow *row = g_ptr_array_index(csv->rows, r);
        if (!add_listed(out, folder, row->cells, at, &runs, error))
            return FALSE;
    }
    if (runs > 0)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s:1:1: none of its runs is here", list);
    return FALSE;
}

static gboolean convert_blink(const DnMeasurementFile *file, GString *csv, GError **error)
{
    return file->text != NULL ? convert_run(file, csv, error) : convert_folder(file, csv, error);
}

const DnMeasurementFormat dn_measurement_blink = {
    .name = "blink",
    .summary = "data.csv of a blink run, or a folder with description.csv and its runs",
    .recognise = is_blink,
    .convert = convert_blink,
};
