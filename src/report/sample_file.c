/* sample_file.c - see sample_file.h. */
#include "report/sample_file.h"
#include "base/csv.h"
#include "base/file.h"
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static void group_free(gpointer data)
{
    DnSampleGroup *group = data;
    g_free(group->key);
    g_array_unref(group->times_s);
    g_array_unref(group->repetition);
    g_free(group);
}

void dn_sample_file_free(DnSampleFile *file)
{
    if (file == NULL)
        return;
    g_free(file->swept);
    g_ptr_array_unref(file->groups);
    g_free(file);
}

DnSample dn_sample_group_sample(const DnSampleGroup *group)
{
    return (DnSample){.values = (const double *)(const void *)group->times_s->data,
                      .n = group->times_s->len,
                      .group_n = (const guint32 *)(const void *)group->repetition->data,
                      .n_groups = group->repetition->len};
}

/* The bytes of @from through @converter into @to. */
static gboolean file_convert(const char *from, const char *to, GConverter *converter,
                             GError **error)
{
    g_autoptr(GFile) source = g_file_new_for_path(from), target = g_file_new_for_path(to);
    g_autoptr(GFileInputStream) in = g_file_read(source, NULL, error);
    if (in == NULL)
        return FALSE;
    g_autoptr(GFileOutputStream)
        raw = g_file_replace(target, NULL, FALSE, G_FILE_CREATE_NONE, NULL, error);
    if (raw == NULL)
        return FALSE;
    g_autoptr(GOutputStream) out = g_converter_output_stream_new(G_OUTPUT_STREAM(raw), converter);
    return g_output_stream_splice(out, G_INPUT_STREAM(in), G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET,
                                  NULL, error) >= 0;
}

gboolean dn_sample_file_compress(const char *folder, GError **error)
{
    g_autofree char *plain = g_build_filename(folder, "samples.csv", NULL);
    g_autofree char *packed = g_build_filename(folder, "samples.csv.gz", NULL);
    g_autoptr(GError) problem = NULL;
    g_autoptr(GZlibCompressor) gzip = g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1);
    if (file_convert(plain, packed, G_CONVERTER(gzip), &problem)) {
        g_unlink(plain);
        return TRUE;
    }
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "%s: cannot write it: %s", packed,
                problem->message);
    return FALSE;
}

/* (transfer full): the text of samples.csv, or of samples.csv.gz. */
static char *read_samples(const char *folder, char **path, GError **error)
{
    *path = g_build_filename(folder, "samples.csv", NULL);
    g_autofree char *packed = g_strconcat(*path, ".gz", NULL);
    if (g_file_test(*path, G_FILE_TEST_EXISTS) || !g_file_test(packed, G_FILE_TEST_EXISTS))
        return dn_file_read(*path, error);
    g_free(*path);
    *path = g_strdup(packed);
    return dn_file_read_gzip(packed, error);
}

typedef struct {
    guint job, point, repetition, iteration, alone, time;
    int flow; /* below 0: a file of a version without it */
} Columns;

static gboolean find_columns(const DnCsv *csv, Columns *columns, GError **error)
{
    static const char *const names[] = {"job",       "point", "repetition",
                                        "iteration", "alone", "time_s"};
    guint *const at[] = {&columns->job,       &columns->point, &columns->repetition,
                         &columns->iteration, &columns->alone, &columns->time};
    for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
        int found = dn_csv_column(csv, names[i]);
        if (found < 0) {
            g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX,
                        "%s:1:1: no column %s; wanted: samples.csv as a run writes it", csv->file,
                        names[i]);
            return FALSE;
        }
        *at[i] = (guint)found;
    }
    columns->flow = dn_csv_column(csv, "flow");
    return TRUE;
}

static DnSampleGroup *find_group(DnSampleFile *file, GHashTable *by_key, const DnCsvRow *row,
                                 guint job)
{
    g_autoptr(GString) key = g_string_new(row->cells[job]);
    for (guint c = 0; c < job; c++)
        g_string_append_printf(key, ", %s", row->cells[c]);
    DnSampleGroup *group = g_hash_table_lookup(by_key, key->str);
    if (group != NULL)
        return group;
    group = g_new0(DnSampleGroup, 1);
    group->key = g_strdup(key->str);
    group->times_s = g_array_new(FALSE, FALSE, sizeof(double));
    group->repetition = g_array_new(FALSE, TRUE, sizeof(guint32));
    g_ptr_array_add(file->groups, group);
    g_hash_table_insert(by_key, group->key, group);
    return group;
}

#define MOST_SECONDS 1e6 /* of simulated time, that a run may take */
#define MOST_NUMBER 4e9  /* of a point, a repetition, an iteration */

/* A number from 0 to @most, whole or not. */
static gboolean read_within(const DnCsv *csv, const DnCsvRow *row, guint column, double most,
                            gboolean whole, double *value, GError **error)
{
    if (!dn_csv_read_number(csv, row, column, value, error))
        return FALSE;
    if (*value >= 0.0 && *value <= most && (!whole || floor(*value) == *value))
        return TRUE;
    dn_csv_error(csv, row, column, DN_ERROR_RANGE, error, "%s is %s; allowed: %s from 0 to %g",
                 csv->names[column], row->cells[column], whole ? "whole numbers" : "numbers", most);
    return FALSE;
}

/* TRUE: no row before was of the same job, point, repetition and iteration. */
static gboolean row_is_new(const DnCsv *csv, const DnCsvRow *row, const Columns *columns,
                           GHashTable *seen, GError **error)
{
    char *key = g_strjoin("\n", row->cells[columns->job], row->cells[columns->point],
                          row->cells[columns->repetition], row->cells[columns->iteration], NULL);
    if (g_hash_table_add(seen, key))
        return TRUE;
    dn_csv_error(
        csv, row, columns->iteration, DN_ERROR_RANGE, error,
        "iteration %s of repetition %s of point %s of job %s is there twice; allowed: once",
        row->cells[columns->iteration], row->cells[columns->repetition], row->cells[columns->point],
        row->cells[columns->job]);
    return FALSE;
}

/* TRUE: the row is of an iteration beside the other jobs. FALSE: it is not, or + error. */
static gboolean row_counts(const DnCsv *csv, const DnCsvRow *row, const Columns *columns,
                           GError **error)
{
    const char *alone = row->cells[columns->alone];
    if (strcmp(alone, "yes") != 0 && strcmp(alone, "no") != 0) {
        dn_csv_error(csv, row, columns->alone, DN_ERROR_SYNTAX, error,
                     "alone is '%s'; allowed: yes, no", alone);
        return FALSE;
    }
    return alone[0] == 'n' && (columns->flow < 0 || row->cells[columns->flow][0] == '\0');
}

static gboolean add_row(DnSampleFile *file, GHashTable *by_key, GHashTable *seen, const DnCsv *csv,
                        const DnCsvRow *row, const Columns *columns, GError **error)
{
    double time_s = 0.0, repetition = 0.0, other = 0.0;
    GError *problem = NULL;
    if (!row_counts(csv, row, columns, &problem)) {
        if (problem != NULL)
            g_propagate_error(error, problem);
        return problem == NULL;
    }
    if (!read_within(csv, row, columns->time, MOST_SECONDS, FALSE, &time_s, error) ||
        !read_within(csv, row, columns->repetition, MOST_NUMBER, TRUE, &repetition, error) ||
        !read_within(csv, row, columns->iteration, MOST_NUMBER, TRUE, &other, error) ||
        !read_within(csv, row, columns->point, MOST_NUMBER, TRUE, &other, error) ||
        !row_is_new(csv, row, columns, seen, error))
        return FALSE;
    DnSampleGroup *group = find_group(file, by_key, row, columns->job);
    guint r = (guint)CLAMP(repetition, 0.0, 1e6);
    if (r >= group->repetition->len)
        g_array_set_size(group->repetition, r + 1);
    g_array_index(group->repetition, guint32, r)++;
    g_array_append_val(group->times_s, time_s);
    return TRUE;
}

DnSampleFile *dn_sample_file_read(const char *folder, GError **error)
{
    g_autofree char *path = NULL;
    g_autofree char *text = read_samples(folder, &path, error);
    g_autoptr(DnCsv) csv = text != NULL ? dn_csv_parse(text, path, error) : NULL;
    Columns columns = {0};
    if (csv == NULL || !find_columns(csv, &columns, error))
        return NULL;
    g_autoptr(DnSampleFile) file = g_new0(DnSampleFile, 1);
    g_autoptr(GHashTable) by_key = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GString) swept = g_string_new(NULL);
    for (guint c = 0; c < columns.job; c++)
        g_string_append_printf(swept, "%s%s", c > 0 ? ", " : "", csv->names[c]);
    file->swept = g_strdup(swept->str);
    file->groups = g_ptr_array_new_with_free_func(group_free);
    for (guint i = 0; i < csv->rows->len; i++)
        if (!add_row(file, by_key, seen, csv, csv->rows->pdata[i], &columns, error))
            return NULL;
    return g_steal_pointer(&file);
}
