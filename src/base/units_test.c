/* units_test.c - units read and written; every way to get one wrong. */
#include "base/units.h"

#include <string.h>

static void units_check(const char *text, DnUnit unit, double expected)
{
    double value = -1;
    g_autoptr(GError) error = NULL;
    gboolean ok = dn_unit_parse(text, unit, &value, &error);
    g_assert_no_error(error);
    g_assert_true(ok);
    g_assert_cmpfloat_with_epsilon(value, expected, 1e-9 * (1 + expected));
}

static void test_parse(void)
{
    units_check("350 ns", DN_UNIT_TIME, 350e3);
    units_check("350ns", DN_UNIT_TIME, 350e3);
    units_check("  2.5 us ", DN_UNIT_TIME, 2.5e6);
    units_check("2.5 \302\265s", DN_UNIT_TIME, 2.5e6);
    units_check("1 ms", DN_UNIT_TIME, 1e9);
    units_check("1e-3 s", DN_UNIT_TIME, 1e9);
    units_check("7 ps", DN_UNIT_TIME, 7);
    units_check("4 kB", DN_UNIT_BYTES, 4000);
    units_check("0.0e99 B", DN_UNIT_BYTES, 0);
    units_check("-0", DN_UNIT_BYTES, 0);
    units_check("4 KiB", DN_UNIT_BYTES, 4096);
    units_check("2MiB", DN_UNIT_BYTES, 2097152);
    units_check("1 TiB", DN_UNIT_BYTES, 1099511627776.0);
    units_check("10 m", DN_UNIT_LENGTH, 10);
    units_check("30 cm", DN_UNIT_LENGTH, 0.3);
    units_check("1.5 M/s", DN_UNIT_PER_SECOND, 1.5e6);
    units_check("80 %", DN_UNIT_NONE, 0.8);
    units_check("-.5", DN_UNIT_NONE, -0.5);
    units_check("0", DN_UNIT_TIME, 0); /* nothing of anything needs no unit */
    units_check("0.0", DN_UNIT_RATE, 0);
}

/* 8 bits a byte: 200 Gb/s is the line rate of a link that moves 25 GB/s. */
static void test_bits_and_bytes(void)
{
    units_check("200 Gb/s", DN_UNIT_RATE, 200e9);
    units_check("25 GB/s", DN_UNIT_RATE, 200e9);
    units_check("200 Gbit/s", DN_UNIT_RATE, 200e9);
    units_check("1 GiB/s", DN_UNIT_RATE, 8589934592.0);
    units_check("1 Gib/s", DN_UNIT_RATE, 1073741824.0);
    units_check("1 B/s", DN_UNIT_RATE, 8);
}

static void check_error(const char *text, DnUnit unit, DnError code, const char *message)
{
    double value = 0;
    g_autoptr(GError) error = NULL;
    g_assert_false(dn_unit_parse(text, unit, &value, &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    if (strstr(error->message, message) == NULL)
        g_error("'%s' does not say '%s'", error->message, message);
}

static void test_errors(void)
{
    static const char SIZES[] = "allowed: B, kB, MB, GB, TB, KiB, MiB, GiB, TiB";
    check_error("5", DN_UNIT_BYTES, DN_ERROR_UNIT, "'5' has no unit: a size is wanted");
    check_error("5", DN_UNIT_BYTES, DN_ERROR_UNIT, SIZES);
    check_error("5 MB", DN_UNIT_TIME, DN_ERROR_UNIT, "is a size where a time is wanted");
    check_error("5 MB", DN_UNIT_TIME, DN_ERROR_UNIT, "allowed: ps, ns, us, ms, s");
    check_error("5 parsecs", DN_UNIT_LENGTH, DN_ERROR_UNIT, "unknown unit 'parsecs'");
    check_error("5 parsecs", DN_UNIT_LENGTH, DN_ERROR_UNIT, "allowed: mm, cm, m, km");
    /* case separates bits from bytes, so it is never guessed at; sizes in bits are refused */
    check_error("5 Mb", DN_UNIT_BYTES, DN_ERROR_UNIT, "unknown unit 'Mb'");
    check_error("5 gb/s", DN_UNIT_RATE, DN_ERROR_UNIT,
                "unknown unit 'gb/s' in '5 gb/s' for a rate; did you mean 'Gb/s'? allowed: b/s");
    check_error("5 gB/s", DN_UNIT_RATE, DN_ERROR_UNIT,
                "unknown unit 'gB/s' in '5 gB/s' for a rate; did you mean 'GB/s'? allowed: b/s");
    check_error("50Gbps", DN_UNIT_RATE, DN_ERROR_UNIT,
                "unknown unit 'Gbps' in '50Gbps' for a rate; did you mean 'Gb/s'? allowed: b/s");
    check_error("5 Mbps", DN_UNIT_RATE, DN_ERROR_UNIT, "did you mean 'Mb/s'? allowed");
    check_error("5 Kbps", DN_UNIT_RATE, DN_ERROR_UNIT, "did you mean 'kb/s'? allowed");
    check_error("5 GBps", DN_UNIT_RATE, DN_ERROR_UNIT, "did you mean 'GB/s'? allowed");
    check_error("5 GiBps", DN_UNIT_RATE, DN_ERROR_UNIT, "did you mean 'GiB/s'? allowed");
    check_error("5 bps", DN_UNIT_RATE, DN_ERROR_UNIT, "did you mean 'b/s'? allowed");
    check_error("5 Gbit/sec", DN_UNIT_RATE, DN_ERROR_UNIT, "did you mean 'Gbit/s'? allowed");
    check_error("5 ps", DN_UNIT_RATE, DN_ERROR_UNIT, "is a time where a rate is wanted");
    check_error("1 Mib", DN_UNIT_BYTES, DN_ERROR_UNIT,
                "unknown unit 'Mib' in '1 Mib' for a size; did you mean 'MiB'? allowed: B, kB");
    check_error("25 GB", DN_UNIT_RATE, DN_ERROR_UNIT, "is a size where a rate is wanted");
    check_error("5 ns", DN_UNIT_NONE, DN_ERROR_UNIT, "without a unit");
    check_error("0 B", DN_UNIT_TIME, DN_ERROR_UNIT, "is a size where a time is wanted");
    check_error("50 %", DN_UNIT_BYTES, DN_ERROR_UNIT, "unknown unit '%'");
    check_error("ns", DN_UNIT_TIME, DN_ERROR_SYNTAX, "'ns' is not a number with a unit");
    check_error("", DN_UNIT_NONE, DN_ERROR_SYNTAX, "'' is not a number");
    check_error("nan", DN_UNIT_NONE, DN_ERROR_SYNTAX, "'nan' is not a number");
    check_error("inf s", DN_UNIT_TIME, DN_ERROR_SYNTAX, "is not a number");
    check_error("0x10", DN_UNIT_NONE, DN_ERROR_SYNTAX, "is not a number");
    check_error("1e999 s", DN_UNIT_TIME, DN_ERROR_RANGE, "is too large");
    check_error("1e-999 s", DN_UNIT_TIME, DN_ERROR_RANGE, "is too small");
    check_error("0.5e-999999999 B", DN_UNIT_BYTES, DN_ERROR_RANGE, "is too small");
    check_error("1e300 Tb/s", DN_UNIT_RATE, DN_ERROR_RANGE, "is too large");
}

static void test_format(void)
{
    char b[DN_UNIT_BUF];
    g_assert_cmpstr(dn_format_time(2580000, b), ==, "2.58 us");
    g_assert_cmpstr(dn_format_time(0, b), ==, "0 s");
    g_assert_cmpstr(dn_format_time(1, b), ==, "1 ps");
    g_assert_cmpstr(dn_format_time(999, b), ==, "999 ps");
    g_assert_cmpstr(dn_format_time(1000, b), ==, "1 ns");
    /* 999.96 ns to four digits is 1000 ns, which is written 1 us */
    g_assert_cmpstr(dn_format_time(999960, b), ==, "1 us");
    g_assert_cmpstr(dn_format_time(999940, b), ==, "999.9 ns");
    g_assert_cmpstr(dn_format_time(-2580000, b), ==, "-2.58 us");
    g_assert_cmpstr(dn_format_time(G_GINT64_CONSTANT(3600000000000000), b), ==, "3600 s");
    g_assert_cmpstr(dn_format_bytes(4096, b), ==, "4 KiB");
    g_assert_cmpstr(dn_format_bytes(1023, b), ==, "1023 B");
    g_assert_cmpstr(dn_format_bytes(0, b), ==, "0 B");
    g_assert_cmpstr(dn_format_bytes(1000000, b), ==, "976.6 KiB"); /* 976.5625 */
    g_assert_cmpstr(dn_format_bytes(1048575, b), ==, "1 MiB");     /* 1023.999 KiB */
    g_assert_cmpstr(dn_format_rate(395e9, b), ==, "395 Gb/s");
    g_assert_cmpstr(dn_format_rate(25.6e12, b), ==, "25.6 Tb/s");
    g_assert_cmpstr(dn_format_length(0.3, b), ==, "30 cm");
    g_assert_cmpstr(dn_format_length(0, b), ==, "0 m");
    g_assert_cmpstr(dn_format_per_second(1.5e6, b), ==, "1.5 M/s");
    g_assert_cmpuint(strlen(dn_format_time(G_MAXINT64, b)), <, DN_UNIT_BUF);
    g_assert_cmpuint(strlen(dn_format_bytes(G_MININT64, b)), <, DN_UNIT_BUF);
    g_assert_cmpuint(strlen(dn_format_rate(-1e308, b)), <, DN_UNIT_BUF);
}

/* What is printed with four digits reads back within half a unit of the last: 5e-4 of the value. */
static void test_round_trip(void)
{
    char b[DN_UNIT_BUF];
    double value = 0;
    for (gint64 ps = 1; ps < G_MAXINT64 / 7; ps = ps * 3 + 1) {
        g_assert_true(dn_unit_parse(dn_format_time(ps, b), DN_UNIT_TIME, &value, NULL));
        g_assert_cmpfloat_with_epsilon(value / (double)ps, 1, 5.1e-4);
        g_assert_true(dn_unit_parse(dn_format_bytes(ps, b), DN_UNIT_BYTES, &value, NULL));
        g_assert_cmpfloat_with_epsilon(value / (double)ps, 1, 5.1e-4);
        g_assert_true(dn_unit_parse(dn_format_rate((double)ps, b), DN_UNIT_RATE, &value, NULL));
        g_assert_cmpfloat_with_epsilon(value / (double)ps, 1, 5.1e-4);
        g_assert_true(
            dn_unit_parse(dn_format_per_second((double)ps, b), DN_UNIT_PER_SECOND, &value, NULL));
        g_assert_cmpfloat_with_epsilon(value / (double)ps, 1, 5.1e-4);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/units/parse", test_parse);
    g_test_add_func("/units/bits-and-bytes", test_bits_and_bytes);
    g_test_add_func("/units/errors", test_errors);
    g_test_add_func("/units/format", test_format);
    g_test_add_func("/units/round-trip", test_round_trip);
    return g_test_run();
}
