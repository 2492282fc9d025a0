/* case_store.c - points of a case to a file and back; see the header. */
#include "validation/case_store.h"
#include "validation/known_misses.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/input_files.h"
#include <math.h>
#include <string.h>

enum { RUN, POINT, JOB, METRIC, SIMULATED, BYTES, N_COLUMNS };
static const char *const columns[] = {"run", "point", "job", "metric", "simulated", "bytes"};

gboolean dn_case_store(const DnCase *case_, const char *run, const char *file, GError **error)
{
    g_autofree char *program = dn_program_hash();
    g_autoptr(GString) out = g_string_new(NULL);
    g_string_append_printf(out, "# inputs %s program %s\n", case_->inputs, program);
    for (guint c = 0; c < N_COLUMNS; c++)
        dn_csv_cell(out, columns[c]);
    dn_csv_end_row(out);
    for (guint i = 0; i < case_->points->len; i++) {
        const DnCheckedPoint *p = g_ptr_array_index(case_->points, i);
        if (run != NULL && strcmp(run, p->run) != 0)
            continue;
        g_autofree char *name = dn_known_misses_point(p);
        char number[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_formatd(number, sizeof number, run != NULL ? "%.17g" : "%.9g", p->simulated);
        dn_csv_cell(out, p->run);
        dn_csv_cell(out, name);
        dn_csv_cell(out, p->job);
        dn_csv_cell(out, p->metric);
        dn_csv_cell(out, isfinite(p->simulated) ? number : "");
        dn_csv_int(out, p->bytes);
        dn_csv_end_row(out);
    }
    return dn_file_write(file, out->str, error);
}

static gboolean is_point(const DnCheckedPoint *p, char *const *cells)
{
    g_autofree char *name = dn_known_misses_point(p);
    return strcmp(p->run, cells[RUN]) == 0 && strcmp(name, cells[POINT]) == 0 &&
           strcmp(p->job, cells[JOB]) == 0 && strcmp(p->metric, cells[METRIC]) == 0;
}

/* Each point of @run (NULL: of all runs) has a row of @csv. */
static gboolean has_all(const DnCase *case_, const char *run, const DnCsv *csv)
{
    for (guint i = 0; i < case_->points->len; i++) {
        const DnCheckedPoint *p = g_ptr_array_index(case_->points, i);
        gboolean found = run != NULL && strcmp(run, p->run) != 0;
        for (guint r = 0; !found && r < csv->rows->len; r++)
            found = is_point(p, ((const DnCsvRow *)g_ptr_array_index(csv->rows, r))->cells);
        if (!found)
            return FALSE;
    }
    return TRUE;
}

/* @null_model: -1: the simulated value. */
static gboolean restore_row(DnCase *case_, const DnCsv *csv, const DnCsvRow *row, int null_model,
                            GError **error)
{
    double simulated = NAN, bytes;
    if (*row->cells[SIMULATED] != '\0' &&
        !dn_csv_read_number(csv, row, SIMULATED, &simulated, error))
        return FALSE;
    if (!dn_csv_read_number(csv, row, BYTES, &bytes, error))
        return FALSE;
    for (guint i = 0; i < case_->points->len; i++) {
        DnCheckedPoint *p = g_ptr_array_index(case_->points, i);
        if (!is_point(p, row->cells))
            continue;
        if (null_model >= 0) {
            p->null[null_model] = simulated;
            continue;
        }
        p->simulated = simulated;
        p->bytes = (gint64)bytes;
    }
    return TRUE;
}

DnStored dn_case_stored_age(const DnCase *case_, const char *file)
{
    g_autofree char *text = NULL;
    if (!g_file_get_contents(file, &text, NULL, NULL))
        return DN_STORED_NONE;
    g_autofree char *program = dn_program_hash();
    g_autofree char *same = g_strdup_printf("# inputs %s program %s\n", case_->inputs, program);
    g_autofree char *old = g_strdup_printf("# inputs %s ", case_->inputs);
    if (g_str_has_prefix(text, same))
        return DN_STORED_SAME;
    return g_str_has_prefix(text, old) ? DN_STORED_OLD : DN_STORED_STALE;
}

static DnCsv *case_store_load(const char *file, GError **error)
{
    g_autoptr(DnCsv) csv = dn_csv_load(file, error);
    if (csv == NULL)
        return NULL;
    for (guint c = 0; c < N_COLUMNS; c++)
        if (csv->n_columns != N_COLUMNS || strcmp(csv->names[c], columns[c]) != 0) {
            g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX,
                        "%s:1:1: not results of a case; one begins with run,point,job,metric",
                        file);
            return NULL;
        }
    return g_steal_pointer(&csv);
}

gboolean dn_case_restore(DnCase *case_, const char *run, const char *file, DnStored *stored,
                         GError **error)
{
    *stored = dn_case_stored_age(case_, file);
    if (*stored == DN_STORED_NONE)
        return TRUE;
    g_autoptr(DnCsv) csv = case_store_load(file, error);
    if (csv == NULL)
        return FALSE;
    for (guint r = 0; r < csv->rows->len; r++)
        if (!restore_row(case_, csv, g_ptr_array_index(csv->rows, r), -1, error))
            return FALSE;
    if (!has_all(case_, run, csv))
        *stored = DN_STORED_STALE;
    dn_case_judge(case_);
    return TRUE;
}

char *dn_case_null_file(const DnCase *case_, const char *folder, int null_model)
{
    g_autofree char *name = g_strconcat(case_->name, ".csv", NULL);
    return g_build_filename(folder, dn_null_names[null_model], name, NULL);
}

gboolean dn_case_restore_nulls(DnCase *case_, const char *folder, GError **error)
{
    for (int k = 0; k < DN_NULLS; k++) {
        g_autofree char *file = dn_case_null_file(case_, folder, k);
        if (!g_file_test(file, G_FILE_TEST_EXISTS))
            continue;
        g_autoptr(DnCsv) csv = case_store_load(file, error);
        if (csv == NULL)
            return FALSE;
        for (guint r = 0; r < csv->rows->len; r++)
            if (!restore_row(case_, csv, g_ptr_array_index(csv->rows, r), k, error))
                return FALSE;
    }
    for (guint i = 0; i < case_->points->len; i++) {
        DnCheckedPoint *p = g_ptr_array_index(case_->points, i);
        if (g_str_has_prefix(p->metric, "slowdown")) /* of a job that nobody slows down */
            p->null[DN_NULL_IDLE] = p->null[DN_NULL_BOUND] = 1.0;
    }
    return TRUE;
}
