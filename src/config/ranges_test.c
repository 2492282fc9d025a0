/* ranges_test.c - ranges are lists, in files and in --set; wrong ones are refused. */
#include "base/cpu_clock.h"
#include "config/config.h"

static void reads_as(const char *text, const char *want)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) root = dn_config_parse(text, "r.yaml", &error);
    g_assert_no_error(error);
    g_autofree char *shown = dn_config_to_string(root);
    g_assert_cmpstr(shown, ==, want);
}

static void refuses_range(const char *text, DnError code, const char *message)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(dn_config_parse(text, "r.yaml", &error));
    g_assert_error(error, DN_ERROR, (gint)code);
    g_assert_cmpstr(error->message, ==, message);
}

static void test_forms(void)
{
    reads_as("seed: 1..5\n", "seed: [1, 2, 3, 4, 5]\n");
    reads_as("seed: 7..7\n", "seed: [7]\n");
    reads_as("x: -2..1\n", "x: [-2, -1, 0, 1]\n");
    reads_as("seed: {from: 1, to: 3}\n", "seed: [1, 2, 3]\n");
    reads_as("seed: {from: 1, to: 12, step: 5}\n", "seed: [1, 6, 11]\n");
    reads_as("bytes: {from: 1 KiB, to: 9 KiB, times: 2}\n",
             "bytes: [1 KiB, 2 KiB, 4 KiB, 8 KiB]\n");
    reads_as("bytes: {from: 256 KiB, to: 1 MiB, times: 2}\n",
             "bytes: [256 KiB, 512 KiB, 1024 KiB]\n");
    reads_as("bytes: {from: 1 MiB, to: 4095 KiB, step: 1}\n", "bytes: [1 MiB, 2 MiB, 3 MiB]\n");
    reads_as("x: {from: -2 us, to: -500 ns}\n", "x: [-2 us, -1 us]\n");
    reads_as("x: {from: 250 us, to: 1ms, step: 250}\n", "x: [250 us, 500 us, 750 us, 1000 us]\n");
    reads_as("x: {from: 1 GB/s, to: 24 Gb/s}\n", "x: [1 GB/s, 2 GB/s, 3 GB/s]\n");
    reads_as("x: {from: 9 mm, to: 1 cm}\n", "x: [9 mm, 10 mm]\n");
    reads_as("a: {b: [0..2, 8, {from: 10, to: 11}]}\n", "a: {b: [0, 1, 2, 8, 10, 11]}\n");
    reads_as("a: [[0, 1], [2..3]]\n", "a: [[0, 1], [2, 3]]\n");
}

/* What only looks like one. */
static void test_others(void)
{
    /* numbers beyond 2^62 are not counted to */
    reads_as("a: -99999999999999999999..5\n", "a: -99999999999999999999..5\n");
    reads_as("a: '1..3'\n", "a: \"1..3\"\n");
    reads_as("a: ../x\n", "a: ../x\n");
    reads_as("a: {from: gpu, to: host}\n", "a: {from: gpu, to: host}\n");
    reads_as("a: {from: 1, to: 2, into: 3}\n", "a: {from: 1, to: 2, into: 3}\n");
}

static void test_refused(void)
{
    refuses_range("a:\n  b: 3..1\n", DN_ERROR_RANGE,
                  "r.yaml:2:6: a range from 3 to 1 holds nothing; allowed: rising ones");
    refuses_range("a: 1..100001\n", DN_ERROR_RANGE,
                  "r.yaml:1:4: a range of more than 100000 numbers");
    refuses_range(
        "a: {from: 1 KiB, to: 2 us}\n", DN_ERROR_UNIT,
        "r.yaml:1:4: the ends of a range have units of different kinds; allowed: the same of both, "
        "or of one kind, as KiB and MiB");
    refuses_range("a: {from: 1, to: 2 KiB}\n", DN_ERROR_UNIT,
                  "r.yaml:1:4: the ends of a range have units of different kinds; allowed: the "
                  "same of both, or of one kind, as KiB and MiB");
    refuses_range("a: {from: 2 MiB, to: 64 KiB}\n", DN_ERROR_RANGE,
                  "r.yaml:1:4: a range from 2 MiB to 64 KiB holds nothing; allowed: rising ones");
    refuses_range("a: {from: 0, to: 8, times: 2}\n", DN_ERROR_RANGE,
                  "r.yaml:1:4: times: a range from at least 1 is wanted, without `step`");
    refuses_range("a: {from: 0, to: 8, step: 0}\n", DN_ERROR_RANGE,
                  "r.yaml:1:27: step: '0' is out of range; allowed: 1 to 1000000000000000");
}

/* Each of 200,000 ranges puts two numbers in its place: less than a second, as in one of a million
 * the next would be moved each time. */
static void test_many(void)
{
    enum { RANGES = 200000 };
    g_autoptr(GError) error = NULL;
    GString *text = g_string_new("a: [");
    for (guint i = 0; i < RANGES; i++)
        g_string_append(text, "1..2,");
    g_string_append(text, "]\n");
    g_autofree char *file = g_string_free(text, FALSE);
    double begin_s = dn_cpu_clock_s();
    g_autoptr(DnConfigNode) root = dn_config_parse(file, "r.yaml", &error);
    g_assert_no_error(error);
    g_assert_cmpuint(dn_config_get(root, "a")->children->len, ==, 2 * RANGES);
    g_assert_cmpfloat(dn_cpu_clock_s() - begin_s, <, 20.0);
}

static void test_override(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(DnConfigNode) root = dn_config_parse("a: 1\n", "r.yaml", &error);
    g_assert_no_error(error);
    g_assert_true(dn_config_override(root, "a=4..6", &error));
    g_autofree char *shown = dn_config_to_string(root);
    g_assert_cmpstr(shown, ==, "a: [4, 5, 6]\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/config/ranges/forms", test_forms);
    g_test_add_func("/config/ranges/others", test_others);
    g_test_add_func("/config/ranges/refused", test_refused);
    g_test_add_func("/config/ranges/many", test_many);
    g_test_add_func("/config/ranges/override", test_override);
    return g_test_run();
}
