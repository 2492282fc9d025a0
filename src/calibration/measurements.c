/* measurements.c - see measurements.h: which format a file has, and what all of them need. */
#include "calibration/measurements.h"
#include "base/registry.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/units.h"
#include <math.h>
#include <string.h>

extern const DnMeasurementFormat dn_measurement_osu, dn_measurement_nccl_tests,
    dn_measurement_blink, dn_measurement_stream_triggering, dn_measurement_csv;

/* Formats in the order in which they are tried; the last one recognises anything. */
const DnMeasurementFormat *const dn_measurement_formats[] = {
    &dn_measurement_osu,   &dn_measurement_nccl_tests,
    &dn_measurement_blink, &dn_measurement_stream_triggering,
    &dn_measurement_csv,   NULL,
};

char **dn_measurement_lines(const char *text)
{
    char **lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line != NULL; line++) {
        const char *mark = **line == '[' ? strstr(*line, "<stdout>:") : NULL;
        if (mark != NULL)
            memmove(*line, mark + strlen("<stdout>:"), strlen(mark + strlen("<stdout>:")) + 1);
        g_strchomp(*line);
    }
    return lines;
}

char **dn_measurement_words(const char *line)
{
    g_autoptr(GStrvBuilder) words = g_strv_builder_new();
    g_auto(GStrv) parts = g_strsplit_set(line, " \t\r", -1);
    for (char **part = parts; *part != NULL; part++)
        if (**part != '\0')
            g_strv_builder_add(words, *part);
    return g_strv_builder_end(words);
}

gboolean dn_measurement_number(const char *word, double *value)
{
    char *end;
    *value = g_ascii_strtod(word, &end);
    return *word != '\0' && *end == '\0' && isfinite(*value);
}

void dn_measurement_cell(GString *csv, double value)
{
    char digits[G_ASCII_DTOSTR_BUF_SIZE];
    dn_csv_cell(csv, g_ascii_formatd(digits, sizeof digits, "%.12g", value));
}

gint64 dn_measurement_size(const char *text)
{
    static const struct {
        const char *unit;
        double bytes;
    } units[] = {{"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}};
    char *end;
    double value = g_ascii_strtod(text, &end);
    if (end == text || value < 0 || value > 1e6)
        return -1;
    while (*end == ' ')
        end++;
    for (guint i = 0; i < G_N_ELEMENTS(units); i++)
        if (strcmp(end, units[i].unit) == 0)
            return (gint64)(value * units[i].bytes);
    return -1;
}

static gboolean is_csv(const DnMeasurementFile *file)
{
    return file->text != NULL;
}

static gboolean has_number(const DnCsv *csv)
{
    double value;
    for (guint r = 0; r < csv->rows->len; r++) {
        const DnCsvRow *row = g_ptr_array_index(csv->rows, r);
        for (guint c = 0; c < csv->n_columns; c++)
            if (dn_measurement_number(row->cells[c], &value) ||
                dn_measurement_size(row->cells[c]) > 0)
                return TRUE;
    }
    return FALSE;
}

static gboolean convert_csv(const DnMeasurementFile *file, GString *csv, GError **error)
{
    g_autoptr(DnCsv) parsed = dn_csv_parse(file->text, file->path, error);
    if (parsed == NULL)
        return FALSE;
    if (!has_number(parsed) && (parsed->rows->len > 0 || parsed->n_columns < 2)) {
        g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX,
                    "%s:1:1: no measurements: not the output of a known benchmark, and a CSV would "
                    "have a header and rows with numbers",
                    file->path);
        return FALSE;
    }
    g_string_append(csv, file->text);
    return TRUE;
}

const DnMeasurementFormat dn_measurement_csv = {
    .name = "csv",
    .summary = "a CSV with a header",
    .recognise = is_csv,
    .convert = convert_csv,
};

/* ---- which one ---- */

static const DnMeasurementFormat *by_name(const char *name, GError **error)
{
    const DnMeasurementFormat *format = dn_registry_find(dn_measurement_formats, name);
    if (format != NULL)
        return format;
    g_autoptr(GPtrArray) names = dn_registry_names(dn_measurement_formats);
    g_ptr_array_add(names, NULL);
    g_autofree char *unknown =
        dn_unknown_where(name, " of measurements", (const char *const *)names->pdata, "known");
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "unknown format %s", unknown);
    return NULL;
}

static const DnMeasurementFormat *measurements_choose(const DnMeasurementFile *file,
                                                      const char *format, GError **error)
{
    const DnMeasurementFormat *known = format != NULL ? by_name(format, error) : NULL;
    if (format != NULL && known == NULL)
        return NULL;
    if (known != NULL && !known->recognise(file)) {
        g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s:1:1: not %s: %s", file->path, known->name,
                    known->summary);
        return NULL;
    }
    for (guint i = 0; known == NULL && dn_measurement_formats[i] != NULL; i++)
        if (dn_measurement_formats[i]->recognise(file))
            known = dn_measurement_formats[i];
    if (known == NULL)
        g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX,
                    "%s: a folder without description.csv; a folder of blink's runs has one",
                    file->path);
    return known;
}

char *dn_measurements_csv(const char *path, const char *format, const DnMeasurementFormat **found,
                          GError **error)
{
    gboolean folder = g_file_test(path, G_FILE_TEST_IS_DIR);
    g_autofree char *text = folder ? NULL : dn_file_read(path, error);
    if (text == NULL && !folder)
        return NULL;
    DnMeasurementFile file = {.path = path, .text = text};
    const DnMeasurementFormat *known = measurements_choose(&file, format, error);
    g_autoptr(GString) csv = g_string_new(NULL);
    if (known == NULL || !known->convert(&file, csv, error))
        return NULL;
    if (found != NULL)
        *found = known;
    return g_string_free(g_steal_pointer(&csv), FALSE);
}
