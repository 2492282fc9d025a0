/* csv.c - CSV by RFC 4180 (Shafranovich, 2005), read with positions. */
#include "base/csv.h"
#include "base/file.h"
#include "base/number.h"
#include <math.h>
#include <string.h>

static void csv_separate(GString *out)
{
    if (out->len > 0 && out->str[out->len - 1] != '\n')
        g_string_append_c(out, ',');
}

void dn_csv_cell(GString *out, const char *text)
{
    csv_separate(out);
    /* A first cell that begins with '#' would read back as a comment; an empty first cell would
     * hide the next separator: both are quoted. */
    gboolean first = out->len == 0 || out->str[out->len - 1] == '\n';
    gboolean quote = strpbrk(text, ",\"\r\n") != NULL || (first && (*text == '#' || *text == '\0'));
    if (!quote) {
        g_string_append(out, text);
        return;
    }
    g_string_append_c(out, '"');
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '"')
            g_string_append_c(out, '"');
        g_string_append_c(out, *p);
    }
    g_string_append_c(out, '"');
}

void dn_csv_number(GString *out, double value, int decimals)
{
    char buf[DN_NUMBER_BUF];
    dn_csv_cell(out, dn_format_fixed(value, decimals, buf));
}

void dn_csv_int(GString *out, gint64 value)
{
    csv_separate(out);
    g_string_append_printf(out, "%" G_GINT64_FORMAT, value);
}

void dn_csv_end_row(GString *out)
{
    g_string_append_c(out, '\n');
}

static void row_free(gpointer data)
{
    DnCsvRow *row = data;
    if (row == NULL)
        return;
    g_strfreev(row->cells);
    g_free(row->columns);
    g_free(row);
}

void dn_csv_free(DnCsv *csv)
{
    if (csv == NULL)
        return;
    g_free(csv->file);
    g_strfreev(csv->names);
    g_ptr_array_unref(csv->rows);
    g_free(csv);
}

/* strcspn(), but one that reads no further than it must: under a checker that looks at the whole of
 * its text each time, a large file would take its square. */
static gsize length_until(const char *text, const char *stops)
{
    gsize n = 0;
    while (text[n] != '\0' && strchr(stops, text[n]) == NULL)
        n++;
    return n;
}

typedef struct {
    const char *file, *at, *line_start;
    guint line;
} Reader;

static gboolean reader_error(const Reader *in, GError **error, const char *what)
{
    g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX, "%s:%u:%u: %s", in->file, in->line,
                (guint)(in->at - in->line_start) + 1, what);
    return FALSE;
}

static void next_line(Reader *in)
{
    if (*in->at == '\r')
        in->at++;
    if (*in->at == '\n')
        in->at++;
    in->line++;
    in->line_start = in->at;
}

static gboolean read_quoted(Reader *in, GString *cell, GError **error)
{
    const Reader quote = *in;
    for (in->at++; !(*in->at == '"' && in->at[1] != '"'); in->at++) {
        if (*in->at == '\0')
            return reader_error(&quote, error, "a quoted cell does not end; close it with \"");
        if (*in->at == '"')
            in->at++;
        g_string_append_c(cell, *in->at);
        if (*in->at == '\n') {
            in->line++;
            in->line_start = in->at + 1;
        }
    }
    in->at++;
    if (*in->at != ',' && *in->at != '\r' && *in->at != '\n' && *in->at != '\0')
        return reader_error(in, error, "text after a quoted cell; expected ',' or the line's end");
    return TRUE;
}

/* NULL at the end of the text (no error) or on an error. */
static DnCsvRow *read_row(Reader *in, GError **error)
{
    while (*in->at == '#' || *in->at == '\n' || *in->at == '\r') {
        in->at += length_until(in->at, "\r\n");
        next_line(in);
    }
    if (*in->at == '\0')
        return NULL;
    g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GArray) columns = g_array_new(FALSE, FALSE, sizeof(guint));
    guint line = in->line;
    for (;;) {
        guint column = (guint)(in->at - in->line_start) + 1;
        g_autoptr(GString) cell = g_string_new(NULL);
        if (*in->at == '"') {
            if (!read_quoted(in, cell, error))
                return NULL;
        } else {
            gsize n = length_until(in->at, ",\r\n");
            g_string_append_len(cell, in->at, (gssize)n);
            in->at += n;
        }
        g_array_append_val(columns, column);
        g_ptr_array_add(cells, g_strdup(cell->str));
        if (*in->at != ',')
            break;
        in->at++;
    }
    next_line(in);
    DnCsvRow *row = g_new0(DnCsvRow, 1);
    g_ptr_array_add(cells, NULL);
    row->cells = (char **)g_ptr_array_steal(cells, NULL);
    row->line = line;
    row->columns = (guint *)(gpointer)g_array_free(g_steal_pointer(&columns), FALSE);
    return row;
}

static gboolean add_row(DnCsv *csv, DnCsvRow *row, GError **error)
{
    g_ptr_array_add(csv->rows, row);
    guint n = g_strv_length(row->cells);
    if (n == csv->n_columns)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX,
                "%s:%u:1: this line has %u cells; the header names %u columns", csv->file,
                row->line, n, csv->n_columns);
    return FALSE;
}

/* Two columns of one name would leave it to chance which is read. Those without a name are never
 * looked for. */
static gboolean check_names(const DnCsvRow *header, const char *file, GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint c = 0; header->cells[c] != NULL; c++) {
        char *name = header->cells[c];
        if (name[0] == '\0' || g_hash_table_add(seen, name))
            continue;
        g_autofree char *quoted = dn_quote(name);
        g_set_error(error, DN_ERROR, DN_ERROR_SYNTAX,
                    "%s:%u:%u: two columns are called %s; allowed: each name once", file,
                    header->line, header->columns[c], quoted);
        return FALSE;
    }
    return TRUE;
}

DnCsv *dn_csv_parse(const char *text, const char *file, GError **error)
{
    Reader in = {.file = file, .at = text, .line_start = text, .line = 1};
    g_autoptr(GError) problem = NULL;
    DnCsvRow *header = read_row(&in, &problem);
    if (header == NULL) {
        if (problem == NULL)
            reader_error(&in, &problem, "no header line; expected column names");
        g_propagate_error(error, g_steal_pointer(&problem));
        return NULL;
    }
    if (!check_names(header, file, error)) {
        row_free(header);
        return NULL;
    }
    g_autoptr(DnCsv) csv = g_new0(DnCsv, 1);
    csv->file = g_strdup(file);
    csv->rows = g_ptr_array_new_with_free_func(row_free);
    csv->names = g_steal_pointer(&header->cells);
    csv->n_columns = g_strv_length(csv->names);
    row_free(header);
    DnCsvRow *row;
    while ((row = read_row(&in, &problem)) != NULL)
        if (!add_row(csv, row, &problem))
            break;
    if (problem != NULL) {
        g_propagate_error(error, g_steal_pointer(&problem));
        return NULL;
    }
    return g_steal_pointer(&csv);
}

DnCsv *dn_csv_load(const char *file, GError **error)
{
    g_autofree char *text = dn_file_read(file, error);
    return text != NULL ? dn_csv_parse(text, file, error) : NULL;
}

int dn_csv_column(const DnCsv *csv, const char *name)
{
    for (guint c = 0; c < csv->n_columns; c++)
        if (strcmp(csv->names[c], name) == 0)
            return (int)c;
    return -1;
}

gboolean dn_csv_read_number(const DnCsv *csv, const DnCsvRow *row, guint column, double *value,
                            GError **error)
{
    const char *text = row->cells[column];
    char *end = NULL;
    *value = g_ascii_strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(*value))
        return TRUE;
    dn_csv_error(csv, row, column, DN_ERROR_SYNTAX, error,
                 "'%s' in column '%s' is not a number; write it plain, e.g. 12.5", text,
                 csv->names[column]);
    return FALSE;
}

void dn_csv_error(const DnCsv *csv, const DnCsvRow *row, guint column, DnError code, GError **error,
                  const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *what = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, DN_ERROR, (gint)code, "%s:%u:%u: %s", csv->file, row->line,
                row->columns[column], what);
}
