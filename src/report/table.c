/* table.c - column widths, then lines. */
#include "report/table.h"
#include "base/number.h"

typedef struct {
    char *header;
    DnAlign align;
} Column;

struct DnTable {
    GArray *columns; /* Column */
    GPtrArray *rows; /* GPtrArray* of char* */
};

static void column_clear(gpointer data)
{
    Column *column = data;
    g_free(column->header);
}

DnTable *dn_table_new(void)
{
    DnTable *table = g_new0(DnTable, 1);
    table->columns = g_array_new(FALSE, TRUE, sizeof(Column));
    g_array_set_clear_func(table->columns, column_clear);
    table->rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_ptr_array_unref);
    return table;
}

void dn_table_free(DnTable *table)
{
    if (table == NULL)
        return;
    g_array_unref(table->columns);
    g_ptr_array_unref(table->rows);
    g_free(table);
}

void dn_table_column(DnTable *table, const char *header, DnAlign align)
{
    g_assert(table->rows->len == 0);
    Column column = {g_strdup(header), align};
    g_array_append_val(table->columns, column);
}

void dn_table_row(DnTable *table)
{
    g_ptr_array_add(table->rows, g_ptr_array_new_with_free_func(g_free));
}

void dn_table_cell(DnTable *table, const char *format, ...)
{
    g_assert(table->rows->len > 0);
    GPtrArray *row = g_ptr_array_index(table->rows, table->rows->len - 1);
    g_assert(row->len < table->columns->len);
    va_list args;
    va_start(args, format);
    g_ptr_array_add(row, g_strdup_vprintf(format, args));
    va_end(args);
}

void dn_table_number(DnTable *table, double value, int digits)
{
    char buf[DN_NUMBER_BUF];
    dn_table_cell(table, "%s", dn_format_digits(value, digits, buf));
}

static glong width_of(const char *text)
{
    return g_utf8_strlen(text, -1);
}

static const char *cell_text(const GPtrArray *row, guint c)
{
    return c < row->len ? g_ptr_array_index(row, c) : "";
}

static void table_pad(GString *out, glong count)
{
    for (glong i = 0; i < count; i++)
        g_string_append_c(out, ' ');
}

static void append_cell(GString *out, const char *text, DnAlign align, glong width)
{
    glong gap = width - width_of(text);
    if (align == DN_ALIGN_RIGHT)
        table_pad(out, gap);
    g_string_append(out, text);
    if (align == DN_ALIGN_LEFT)
        table_pad(out, gap);
}

static void end_line(GString *out)
{
    while (out->len > 0 && out->str[out->len - 1] == ' ')
        g_string_truncate(out, out->len - 1);
    g_string_append_c(out, '\n');
}

char *dn_table_text(const DnTable *table)
{
    guint n = table->columns->len;
    g_autofree glong *widths = g_new0(glong, n + 1);
    for (guint c = 0; c < n; c++) {
        widths[c] = width_of(g_array_index(table->columns, Column, c).header);
        for (guint r = 0; r < table->rows->len; r++)
            widths[c] = MAX(widths[c], width_of(cell_text(g_ptr_array_index(table->rows, r), c)));
    }
    GString *out = g_string_new(NULL);
    for (guint c = 0; c < n; c++) {
        const Column *column = &g_array_index(table->columns, Column, c);
        g_string_append(out, c > 0 ? "  " : "");
        append_cell(out, column->header, column->align, widths[c]);
    }
    end_line(out);
    for (guint c = 0; c < n; c++) {
        g_string_append(out, c > 0 ? "  " : "");
        for (glong i = 0; i < widths[c]; i++)
            g_string_append_c(out, '-');
    }
    end_line(out);
    for (guint r = 0; r < table->rows->len; r++) {
        const GPtrArray *row = g_ptr_array_index(table->rows, r);
        for (guint c = 0; c < n; c++) {
            g_string_append(out, c > 0 ? "  " : "");
            append_cell(out, cell_text(row, c), g_array_index(table->columns, Column, c).align,
                        widths[c]);
        }
        end_line(out);
    }
    return g_string_free(out, FALSE);
}
