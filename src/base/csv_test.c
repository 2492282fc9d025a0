/* csv_test.c - A CSV file that is written reads back; what is broken is named with its place. */
#include "base/csv.h"
#include <math.h>

/* RFC 4180 section 2: commas, quotes and line breaks inside cells survive a round trip. */
static void test_round_trip(void)
{
    const char *const cells[] = {"", "a,b", "say \"x\"", "two\nlines", "#hash", "plain"};
    g_autoptr(GString) out = g_string_new(NULL);
    for (guint c = 0; c < 6; c++) {
        g_autofree char *name = g_strdup_printf("c%u", c);
        dn_csv_cell(out, name);
    }
    dn_csv_end_row(out);
    for (guint shift = 0; shift < 6; shift++) { /* each odd cell in each place, the first too */
        for (guint c = 0; c < 6; c++)
            dn_csv_cell(out, cells[(c + shift) % 6]);
        dn_csv_end_row(out);
    }
    g_autoptr(GError) error = NULL;
    g_autoptr(DnCsv) csv = dn_csv_parse(out->str, "x.csv", &error);
    g_assert_no_error(error);
    g_assert_cmpuint(csv->rows->len, ==, 6);
    for (guint shift = 0; shift < 6; shift++) {
        const DnCsvRow *row = g_ptr_array_index(csv->rows, shift);
        for (guint c = 0; c < 6; c++)
            g_assert_cmpstr(row->cells[c], ==, cells[(c + shift) % 6]);
    }
    g_assert_cmpint(dn_csv_column(csv, "c3"), ==, 3);
    g_assert_cmpint(dn_csv_column(csv, "c9"), ==, -1);
}

static void test_numbers(void)
{
    g_autoptr(GString) out = g_string_new(NULL);
    dn_csv_int(out, G_MININT64);
    dn_csv_number(out, 1.0 / 3.0, 6);
    dn_csv_number(out, NAN, 6);
    dn_csv_end_row(out);
    g_assert_cmpstr(out->str, ==, "-9223372036854775808,0.333333,\n");
}

/* The comment is line 1, the header 2, the row 3; CRLF ends are taken too. */
static void test_positions(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnCsv) csv = dn_csv_parse("# why\r\nname,value\r\nab,12x\r\n", "x.csv", &error);
    g_assert_no_error(error);
    double value;
    const DnCsvRow *row = g_ptr_array_index(csv->rows, 0);
    g_assert_false(dn_csv_read_number(csv, row, 1, &value, &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_SYNTAX);
    g_assert_true(g_str_has_prefix(error->message, "x.csv:3:4: '12x' in column 'value'"));
}

static void expect_error(const char *text, const char *prefix)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(dn_csv_parse(text, "x.csv", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_SYNTAX);
    if (!g_str_has_prefix(error->message, prefix))
        g_error("'%s' does not begin with '%s'", error->message, prefix);
}

/* Spreadsheets write empty columns; nobody asks for them. */
static void test_nameless_columns(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnCsv) csv = dn_csv_parse("a,,\n1,,\n", "x.csv", &error);
    g_assert_no_error(error);
    g_assert_cmpuint(csv->n_columns, ==, 3);
}

static void test_errors(void)
{
    expect_error("", "x.csv:1:1: no header");
    expect_error("# only\n", "x.csv:2:1: no header");
    expect_error("a,b\n1\n", "x.csv:2:1: this line has 1 cells; the header names 2");
    expect_error("a,b\n1,\"2\n", "x.csv:2:3: a quoted cell does not end");
    expect_error("a,b\n\"1\",\"2\n3,4\n", "x.csv:2:5: a quoted cell does not end");
    expect_error("a,b\n\"1\"x,2\n", "x.csv:2:4: text after a quoted cell");
    expect_error("# why\na,b,a\n1,2,3\n", "x.csv:2:5: two columns are called 'a'; allowed: each");
    g_autoptr(GError) error = NULL;
    g_assert_null(dn_csv_load("/nonexistent/x.csv", &error));
    g_assert_error(error, DN_ERROR, DN_ERROR_FILE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report/csv/round-trip", test_round_trip);
    g_test_add_func("/report/csv/numbers", test_numbers);
    g_test_add_func("/report/csv/positions", test_positions);
    g_test_add_func("/report/csv/nameless-columns", test_nameless_columns);
    g_test_add_func("/report/csv/errors", test_errors);
    return g_test_run();
}
