/* case_cpu.c - see case_cpu.h. */
#include "validation/case_cpu.h"

#include "base/compare.h"
#include "base/csv.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>

#define FILE_NAME "cpu_seconds.csv"
#define PART_ENDING ".cpu"

enum { CASE, RUN, CPU_S, HOPS, SIMULATIONS, N_COLUMNS };
static const char *const columns[] = {"case", "run", "cpu_s", "hops", "simulations"};

static char *cpu_key(const char *case_name, const char *run)
{
    return g_strconcat(case_name, "/", run, NULL);
}

static gboolean read_row(GHashTable *known, const DnCsv *csv, const DnCsvRow *row, GError **error)
{
    DnCaseCpu cpu = {0};
    double *const values[] = {&cpu.cpu_s, &cpu.hops, &cpu.simulations};
    for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
        if (!dn_csv_read_number(csv, row, CPU_S + i, values[i], error))
            return FALSE;
        if (*values[i] < 0.0) {
            dn_csv_error(csv, row, CPU_S + i, DN_ERROR_RANGE, error,
                         "%s; allowed: numbers from 0 on", row->cells[CPU_S + i]);
            return FALSE;
        }
    }
    g_hash_table_insert(known, cpu_key(row->cells[CASE], row->cells[RUN]),
                        g_memdup2(&cpu, sizeof cpu));
    return TRUE;
}

static gboolean read_file(GHashTable *known, const char *file, GError **error)
{
    if (!g_file_test(file, G_FILE_TEST_EXISTS))
        return TRUE;
    g_autoptr(DnCsv) csv = dn_csv_load(file, error);
    if (csv == NULL)
        return FALSE;
    for (guint c = 0; c < N_COLUMNS; c++)
        if (csv->n_columns != N_COLUMNS || strcmp(csv->names[c], columns[c]) != 0) {
            g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX,
                        "%s:1:1: not CPU seconds of cases; those begin with "
                        "case,run,cpu_s,hops,simulations",
                        file);
            return FALSE;
        }
    for (guint r = 0; r < csv->rows->len; r++)
        if (!read_row(known, csv, g_ptr_array_index(csv->rows, r), error))
            return FALSE;
    return TRUE;
}

static gboolean write_file(GHashTable *known, const char *file, GError **error)
{
    guint n;
    g_autofree gpointer *keys = g_hash_table_get_keys_as_array(known, &n);
    g_autoptr(GString) out = g_string_new(NULL);
    qsort(keys, n, sizeof *keys, dn_compare_texts);
    for (guint c = 0; c < N_COLUMNS; c++)
        dn_csv_cell(out, columns[c]);
    dn_csv_end_row(out);
    for (guint i = 0; i < n; i++) {
        const char *key = keys[i], *slash = strchr(key, '/');
        const DnCaseCpu *cpu = g_hash_table_lookup(known, key);
        const double values[] = {cpu->cpu_s, cpu->hops, cpu->simulations};
        g_autofree char *case_name = g_strndup(key, (gsize)(slash - key));
        dn_csv_cell(out, case_name);
        dn_csv_cell(out, slash + 1);
        for (guint v = 0; v < G_N_ELEMENTS(values); v++) {
            char number[G_ASCII_DTOSTR_BUF_SIZE];
            dn_csv_cell(out, g_ascii_formatd(number, sizeof number, "%.4g", values[v]));
        }
        dn_csv_end_row(out);
    }
    return dn_file_write(file, out->str, error);
}

GHashTable *dn_case_cpu_table(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

gboolean dn_case_cpu_load(GHashTable *known, const char *folder, GError **error)
{
    g_autofree char *file = g_build_filename(folder, FILE_NAME, NULL);
    return read_file(known, file, error);
}

const DnCaseCpu *dn_case_cpu_find(GHashTable *known, const char *case_name, const char *run)
{
    g_autofree char *key = cpu_key(case_name, run);
    return g_hash_table_lookup(known, key);
}

static char *part_path(const char *parts, const char *run)
{
    g_autofree char *name = g_strconcat(run, PART_ENDING, NULL);
    return g_build_filename(parts, name, NULL);
}

gboolean dn_case_cpu_store(const char *parts, const char *case_name, const char *run,
                           const DnCaseCpu *cpu, GError **error)
{
    g_autoptr(GHashTable) one = dn_case_cpu_table();
    g_autofree char *file = part_path(parts, run);
    g_hash_table_insert(one, cpu_key(case_name, run), g_memdup2(cpu, sizeof *cpu));
    return write_file(one, file, error);
}

/* TRUE: @key is a run of @case_name that @runs lacks. */
static gboolean is_gone(const char *key, const char *case_name, const GPtrArray *runs)
{
    gsize n = strlen(case_name);
    if (strncmp(key, case_name, n) != 0 || key[n] != '/')
        return FALSE;
    for (guint i = 0; i < runs->len; i++)
        if (strcmp(key + n + 1, g_ptr_array_index(runs, i)) == 0)
            return FALSE;
    return TRUE;
}

gboolean dn_case_cpu_collect(const char *parts, const char *folder, const char *case_name,
                             const GPtrArray *runs, GError **error)
{
    g_autoptr(GHashTable) known = dn_case_cpu_table();
    if (!dn_case_cpu_load(known, folder, error))
        return FALSE;
    GHashTableIter iter;
    gpointer key;
    g_hash_table_iter_init(&iter, known);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        if (is_gone(key, case_name, runs))
            g_hash_table_iter_remove(&iter);
    for (guint i = 0; i < runs->len; i++) {
        g_autofree char *file = part_path(parts, g_ptr_array_index(runs, i));
        if (!read_file(known, file, error))
            return FALSE;
    }
    g_autofree char *file = g_build_filename(folder, FILE_NAME, NULL);
    return write_file(known, file, error);
}
