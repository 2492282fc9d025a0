/* calibrate_data.c - see calibrate_data.h. */
#include "calibration/calibrate_data.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/file.h"
#include "stats/summary.h"

#define MOST_SIZES 4096

/* Names of the optional column `test`, which says what a row measures. */
static const char *const kind_names[] = {"one_way", "stream", "overhead", NULL};

/* Words of names that say that more than one message was under way. */
static const char *const group_words[] = {
    "a2a",    "allgather", "allgatherv", "allreduce", "alltoall",  "alltoallv",
    "ar",     "barrier",   "bcast",      "bidir",     "broadcast", "disjoint",
    "gather", "halo",      "incast",     "outcast",   "reduce",    "reducescatter",
    "ring",   "scan",      "scatter",    NULL};

typedef struct {
    const DnCalibrateQuery *query;
    DnCsv *csv;
    int bytes, time, test; /* columns; test -1: none */
    double us;             /* of the time column's unit, times the query's scale */
    GArray *conditions;    /* Condition */
    char *hash;            /* of the file */
} Table;

typedef struct {
    guint column;
    char *value;
} Condition;

static void condition_clear(gpointer item)
{
    g_free(((Condition *)item)->value);
}

static void table_clear(Table *table)
{
    dn_csv_free(table->csv);
    g_free(table->hash);
    if (table->conditions != NULL)
        g_array_unref(table->conditions);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Table, table_clear)

/* ---- the file ---- */

char *dn_calibrate_data_hash(const char *csv)
{
    char *digits = g_compute_checksum_for_string(G_CHECKSUM_SHA256, csv, -1);
    digits[16] = '\0';
    return digits;
}

/* *@hash: (transfer full). */
static DnCsv *load_csv(const char *file, char **hash, GError **error)
{
    g_autofree char *text = g_str_has_suffix(file, ".gz") ? dn_file_read_gzip(file, error)
                                                          : dn_file_read(file, error);
    *hash = text != NULL ? dn_calibrate_data_hash(text) : NULL;
    return text != NULL ? dn_csv_parse(text, file, error) : NULL;
}

/* ---- columns ---- */

static gboolean unknown_column(const Table *t, const char *name, const char *what, GError **error)
{
    const DnCsv *csv = t->csv;
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < csv->n_columns; i++)
        g_ptr_array_add(names, csv->names[i]);
    g_ptr_array_add(names, NULL);
    g_autofree char *where = g_strconcat(" ", what, NULL);
    g_autofree char *unknown =
        dn_unknown_where(name, where, (const char *const *)names->pdata, "columns");
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "%s:1:1: no column %s", csv->file, unknown);
    return FALSE;
}

static gboolean find_column(const Table *t, const char *given, const char *const *usual,
                            const char *what, int *column, GError **error)
{
    *column = given != NULL ? dn_csv_column(t->csv, given) : -1;
    for (guint i = 0; given == NULL && *column < 0 && usual[i] != NULL; i++)
        *column = dn_csv_column(t->csv, usual[i]);
    return *column >= 0 || unknown_column(t, given != NULL ? given : usual[0], what, error);
}

/* The unit a column's name ends in. */
static gboolean time_unit(Table *t, GError **error)
{
    static const struct {
        const char *suffix;
        double us;
    } units[] = {{"_ps", 1e-6}, {"_ns", 1e-3}, {"_us", 1.0}, {"_ms", 1e3}, {"_s", 1e6}};
    const char *name = t->csv->names[t->time];
    for (guint i = 0; i < G_N_ELEMENTS(units); i++)
        if (g_str_has_suffix(name, units[i].suffix)) {
            t->us = units[i].us * t->query->scale;
            return TRUE;
        }
    g_autofree char *shown = dn_quote(name);
    g_set_error(error, DN_ERROR, DN_ERROR_UNIT,
                "%s:1:1: the column %s does not say its unit; a time ends in _ps, _ns, _us, _ms or "
                "_s",
                t->csv->file, shown);
    return FALSE;
}

static gboolean read_conditions(Table *t, GError **error)
{
    const char *const *where = t->query->where;
    t->conditions = g_array_new(FALSE, FALSE, sizeof(Condition));
    g_array_set_clear_func(t->conditions, condition_clear);
    for (guint i = 0; where != NULL && where[i] != NULL; i++) {
        const char *equals = strchr(where[i], '=');
        if (equals == NULL) {
            g_autofree char *shown = dn_quote(where[i]);
            g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX,
                        "--where %s; expected COLUMN=VALUE, e.g. experiment=p2p", shown);
            return FALSE;
        }
        g_autofree char *name = g_strndup(where[i], (gsize)(equals - where[i]));
        int column = dn_csv_column(t->csv, name);
        if (column < 0)
            return unknown_column(t, name, "for --where", error);
        Condition c = {(guint)column, g_strdup(equals + 1)};
        g_array_append_val(t->conditions, c);
    }
    return TRUE;
}

static gboolean open_table(Table *t, GError **error)
{
    static const char *const bytes_names[] = {"bytes", "size_bytes", NULL};
    static const char *const time_names[] = {"time_us", "median_us", NULL};
    t->csv = load_csv(t->query->file, &t->hash, error);
    if (t->csv == NULL)
        return FALSE;
    t->test = dn_csv_column(t->csv, "test");
    return find_column(t, t->query->bytes_column, bytes_names, "of sizes", &t->bytes, error) &&
           find_column(t, t->query->time_column, time_names, "of times", &t->time, error) &&
           time_unit(t, error) && read_conditions(t, error);
}

/* ---- rows ---- */

static gboolean calibrate_data_chosen(const Table *t, const DnCsvRow *row)
{
    for (guint i = 0; i < t->conditions->len; i++) {
        const Condition *c = &g_array_index(t->conditions, Condition, i);
        if (strcmp(row->cells[c->column], c->value) != 0)
            return FALSE;
    }
    return TRUE;
}

/* Repetitions, and what was counted or computed from them: free to differ between rows. */
static gboolean may_differ(const Table *t, guint column)
{
    static const char *const names[] = {"iteration",  "iterations", "n_iter", "iters",
                                        "repetition", "run",        "time",   NULL};
    static const char *const units[] = {"_ps", "_ns", "_us", "_ms", "_s", "bps", "per_s", NULL};
    const char *name = t->csv->names[column];
    if ((int)column == t->bytes || (int)column == t->time || (int)column == t->test)
        return TRUE;
    for (guint i = 0; units[i] != NULL; i++)
        if (g_str_has_suffix(name, units[i]))
            return TRUE;
    return g_strv_contains(names, name);
}

/* "ar-nccl", "incast2": a word of the list, digits after it aside. */
static gboolean names_group(const char *cell)
{
    g_autofree char *low = g_ascii_strdown(cell, -1);
    g_auto(GStrv) words = g_strsplit_set(low, "-_ /.", -1);
    for (guint w = 0; words[w] != NULL; w++) {
        gsize n = strlen(words[w]);
        while (n > 0 && g_ascii_isdigit(words[w][n - 1]))
            n--;
        words[w][n] = '\0';
        if (g_strv_contains(group_words, words[w]))
            return TRUE;
    }
    return FALSE;
}

static gboolean check_point_to_point(const Table *t, const DnCsvRow *row, GError **error)
{
    for (guint c = 0; c < t->csv->n_columns; c++) {
        if (!names_group(row->cells[c]))
            continue;
        g_autofree char *shown = dn_quote(row->cells[c]);
        dn_csv_error(t->csv, row, c, DN_ERROR_RANGE, error,
                     "%s is several messages at once; a mechanism is calibrated on messages "
                     "between two ends alone, choose them with --where, and collectives are "
                     "predicted",
                     shown);
        return FALSE;
    }
    return TRUE;
}

static gboolean check_alike(const Table *t, const DnCsvRow *first, const DnCsvRow *row,
                            GError **error)
{
    for (guint c = 0; c < t->csv->n_columns; c++) {
        if (may_differ(t, c) || strcmp(first->cells[c], row->cells[c]) == 0)
            continue;
        g_autofree char *one = dn_quote(first->cells[c]), *other = dn_quote(row->cells[c]);
        dn_csv_error(t->csv, row, c, DN_ERROR_RANGE, error,
                     "rows of %s and of %s in column %s; choose one, e.g. --where %s=%s", one,
                     other, t->csv->names[c], t->csv->names[c], first->cells[c]);
        return FALSE;
    }
    return TRUE;
}

/* `darner import` keeps the name that a benchmark prints: "OSU MPI-CUDA Latency Test v7.0" has the
 * times of one way. */
static gboolean is_latency_test(const char *name)
{
    g_autofree char *small = g_ascii_strdown(name, -1);
    return strstr(small, "latency test") != NULL && strstr(small, "multi") == NULL;
}

static gboolean row_kind(const Table *t, const DnCsvRow *row, DnFitKind *kind, GError **error)
{
    *kind = DN_FIT_ONE_WAY;
    if (t->test < 0 || is_latency_test(row->cells[t->test]))
        return TRUE;
    for (guint i = 0; kind_names[i] != NULL; i++)
        if (strcmp(row->cells[t->test], kind_names[i]) == 0) {
            *kind = (DnFitKind)i;
            return TRUE;
        }
    g_autofree char *unknown = dn_unknown(row->cells[t->test], kind_names, "allowed");
    dn_csv_error(t->csv, row, (guint)t->test, DN_ERROR_UNKNOWN, error, "unknown test %s", unknown);
    return FALSE;
}

static gboolean read_point(const Table *t, const DnCsvRow *row, DnFitPoint *point, GError **error)
{
    if (!row_kind(t, row, &point->kind, error) ||
        !dn_csv_read_number(t->csv, row, (guint)t->bytes, &point->bytes, error) ||
        !dn_csv_read_number(t->csv, row, (guint)t->time, &point->time_us, error))
        return FALSE;
    if (point->bytes < 0.0 || point->bytes > 1e15 || point->bytes != floor(point->bytes)) {
        dn_csv_error(t->csv, row, (guint)t->bytes, DN_ERROR_RANGE, error,
                     "a size is a whole number of bytes, 0 to 1e15");
        return FALSE;
    }
    point->time_us *= t->us;
    if (point->time_us < 1e-6 || point->time_us > 1e12) {
        dn_csv_error(t->csv, row, (guint)t->time, DN_ERROR_RANGE, error, "a time is 1 ps to 1e6 s");
        return FALSE;
    }
    return TRUE;
}

static gboolean read_rows(const Table *t, GArray *points, GError **error)
{
    const DnCsvRow *first = NULL;
    for (guint i = 0; i < t->csv->rows->len; i++) {
        const DnCsvRow *row = t->csv->rows->pdata[i];
        DnFitPoint point;
        if (!calibrate_data_chosen(t, row))
            continue;
        first = first != NULL ? first : row;
        if (!check_point_to_point(t, row, error) || !check_alike(t, first, row, error) ||
            !read_point(t, row, &point, error))
            return FALSE;
        g_array_append_val(points, point);
    }
    if (points->len > 0)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s:1:1: no row %s", t->csv->file,
                t->conditions->len > 0 ? "has all that --where asks for" : "after the header");
    return FALSE;
}

/* ---- medians ---- */

static int compare_points(gconstpointer a, gconstpointer b)
{
    const DnFitPoint *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return (x->time_us > y->time_us) - (x->time_us < y->time_us);
}

/* Sorted points to one for each kind and size, in place. */
static void take_medians(GArray *points)
{
    DnFitPoint *all = (DnFitPoint *)(void *)points->data;
    guint kept = 0;
    g_autofree double *times = g_new(double, points->len);
    for (guint i = 0, end; i < points->len; i = end) {
        for (end = i;
             end < points->len && all[end].kind == all[i].kind && all[end].bytes == all[i].bytes;
             end++)
            times[end - i] = all[end].time_us;
        all[kept] = all[i];
        all[kept++].time_us = dn_quantile_sorted(times, end - i, 0.5);
    }
    g_array_set_size(points, kept);
}

gboolean dn_calibrate_read(const DnCalibrateQuery *query, DnCalibrateData *data, GError **error)
{
    g_auto(Table) table = {.query = query};
    g_autoptr(GArray) points = g_array_new(FALSE, FALSE, sizeof(DnFitPoint));
    if (!open_table(&table, error) || !read_rows(&table, points, error))
        return FALSE;
    data->n_rows = points->len;
    g_array_sort(points, compare_points);
    take_medians(points);
    if (points->len > MOST_SIZES) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "%s:1:1: %u sizes; at most %d are fitted, choose them with --where",
                    query->file, points->len, MOST_SIZES);
        return FALSE;
    }
    data->n_points = points->len;
    data->hash = g_steal_pointer(&table.hash);
    data->points = (DnFitPoint *)(void *)g_array_steal(points, NULL);
    return TRUE;
}

void dn_calibrate_data_clear(DnCalibrateData *data)
{
    g_clear_pointer(&data->points, g_free);
    g_clear_pointer(&data->hash, g_free);
}
