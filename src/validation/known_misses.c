/* known_misses.c - see known_misses.h. */
#include "validation/known_misses.h"
#include <string.h>

enum { CASE, RUN, POINT, JOB, METRIC, CAUSE, N_COLUMNS };
static const char *const columns[] = {"case", "run", "point", "job", "metric", "cause"};

typedef struct {
    char *cells[N_COLUMNS];
} Miss;

static void miss_free(gpointer data)
{
    Miss *miss = data;
    for (guint c = 0; c < N_COLUMNS; c++)
        g_free(miss->cells[c]);
    g_free(miss);
}

static gboolean read_row(const DnCsv *csv, const DnCsvRow *row, GPtrArray *misses, GError **error)
{
    Miss *miss = g_new0(Miss, 1);
    g_ptr_array_add(misses, miss);
    for (guint c = 0; c < N_COLUMNS; c++)
        miss->cells[c] = g_strdup(row->cells[c]);
    if (*miss->cells[CAUSE] != '\0')
        return TRUE;
    dn_csv_error(csv, row, CAUSE, DN_ERROR_MISSING, error,
                 "a known miss needs a cause; describe what the model lacks");
    return FALSE;
}

GPtrArray *dn_known_misses_read(const char *folder, GError **error)
{
    g_autoptr(GPtrArray) misses = g_ptr_array_new_with_free_func(miss_free);
    g_autofree char *file = g_build_filename(folder, "known-misses.csv", NULL);
    if (!g_file_test(file, G_FILE_TEST_EXISTS))
        return g_steal_pointer(&misses);
    g_autoptr(DnCsv) csv = dn_csv_load(file, error);
    if (csv == NULL)
        return NULL;
    for (guint c = 0; c < N_COLUMNS; c++)
        if (csv->n_columns != N_COLUMNS || strcmp(csv->names[c], columns[c]) != 0) {
            g_set_error(error, DN_ERROR, DN_ERROR_MISSING, "%s: wrong columns; column %u is %s",
                        file, c + 1, columns[c]);
            return NULL;
        }
    for (guint r = 0; r < csv->rows->len; r++)
        if (!read_row(csv, g_ptr_array_index(csv->rows, r), misses, error))
            return NULL;
    return g_steal_pointer(&misses);
}

char *dn_known_misses_point(const DnCheckedPoint *point)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; point->keys[i] != NULL; i++)
        g_string_append_printf(out, "%s%s %s", i > 0 ? ", " : "", point->keys[i], point->values[i]);
    return g_string_free(out, FALSE);
}

static gboolean is_of(const Miss *miss, const DnCase *case_, const DnCheckedPoint *point,
                      const char *name)
{
    return strcmp(miss->cells[CASE], case_->name) == 0 &&
           strcmp(miss->cells[RUN], point->run) == 0 && strcmp(miss->cells[POINT], name) == 0 &&
           strcmp(miss->cells[JOB], point->job) == 0 &&
           strcmp(miss->cells[METRIC], point->metric) == 0;
}

void dn_known_misses_mark(const GPtrArray *misses, DnCase *case_)
{
    for (guint i = 0; i < case_->points->len; i++) {
        DnCheckedPoint *point = g_ptr_array_index(case_->points, i);
        g_autofree char *name = dn_known_misses_point(point);
        for (guint k = 0; k < misses->len && point->known_cause == NULL; k++) {
            const Miss *miss = g_ptr_array_index(misses, k);
            if (is_of(miss, case_, point, name))
                point->known_cause = g_strdup(miss->cells[CAUSE]);
        }
    }
}

const char *dn_known_misses_of_figure(const GPtrArray *misses, const char *id)
{
    for (guint k = 0; k < misses->len; k++) {
        const Miss *miss = g_ptr_array_index(misses, k);
        if (strcmp(miss->cells[CASE], DN_FIGURES_CASE) == 0 && strcmp(miss->cells[RUN], id) == 0)
            return miss->cells[CAUSE];
    }
    return NULL;
}
