/* table_test.c - columns line up, numbers carry the digits asked for. */
#include "base/number.h"
#include "report/table.h"
#include <math.h>

/* Widths: "job" 3 against "a2a" and "é" (one character, two bytes): 3. "time (us)" 9, right. */
static void test_alignment(void)
{
    g_autoptr(DnTable) table = dn_table_new();
    dn_table_column(table, "job", DN_ALIGN_LEFT);
    dn_table_column(table, "time (us)", DN_ALIGN_RIGHT);
    dn_table_column(table, "note", DN_ALIGN_LEFT);
    dn_table_row(table);
    dn_table_cell(table, "a2a");
    dn_table_number(table, 12.345, 4);
    dn_table_cell(table, "x");
    dn_table_row(table);
    dn_table_cell(table, "%s", "é");
    dn_table_number(table, NAN, 4);
    g_autofree char *text = dn_table_text(table);
    g_assert_cmpstr(text, ==,
                    "job  time (us)  note\n"
                    "---  ---------  ----\n"
                    "a2a      12.35  x\n"
                    "é            -\n");
}

static void expect_digits(double value, int digits, const char *want)
{
    char buf[DN_NUMBER_BUF];
    g_assert_cmpstr(dn_format_digits(value, digits, buf), ==, want);
}

static void test_digits(void)
{
    expect_digits(0.0, 3, "0.00");
    expect_digits(9.996, 3, "10.0"); /* the carry makes a new digit */
    expect_digits(9.994, 3, "9.99");
    expect_digits(-0.012345, 3, "-0.0123");
    expect_digits(123456.0, 3, "123456"); /* never an exponent, never lost digits */
    expect_digits(INFINITY, 3, "inf");
    expect_digits(2e15, 3, "2e+15");
}

static void expect_duration(double seconds, const char *want)
{
    char buf[DN_NUMBER_BUF];
    g_assert_cmpstr(dn_format_duration(seconds, buf), ==, want);
}

static void test_duration(void)
{
    expect_duration(0.04, "0.0 s");
    expect_duration(59.4, "59 s");
    expect_duration(59.6, "1 min 0 s");
    expect_duration(200.0, "3 min 20 s");
    expect_duration(7500.0, "2 h 5 min");
    expect_duration(9e12, "2.85e+05 years");
    expect_duration(NAN, "?");
    expect_duration(INFINITY, "?");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/report/table/alignment", test_alignment);
    g_test_add_func("/report/number/digits", test_digits);
    g_test_add_func("/report/number/duration", test_duration);
    return g_test_run();
}
