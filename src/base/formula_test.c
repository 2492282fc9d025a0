/* formula_test.c - precedence, extremes, names, and each thing that can be wrong. */
#include "base/formula.h"
#include <math.h>
#include <string.h>

/* {a} is 6, {b c} is 4, {none} NAN; others do not exist. */
static gboolean look_up(void *data, const char *name, double *value, GError **error)
{
    guint *calls = data;
    (*calls)++;
    *value = strcmp(name, "a") == 0 ? 6 : strcmp(name, "b c") == 0 ? 4 : NAN;
    if (!isnan(*value) || strcmp(name, "none") == 0)
        return TRUE;
    g_set_error(error, DN_ERROR, DN_ERROR_UNKNOWN, "no '%s'", name);
    return FALSE;
}

static double value_of(const char *text)
{
    g_autoptr(GError) error = NULL;
    guint calls = 0;
    double value = 0;
    gboolean good = dn_formula(text, look_up, &calls, &value, &error);
    g_assert_no_error(error);
    g_assert_true(good);
    return value;
}

static void test_values(void)
{
    g_assert_cmpfloat(value_of("1 + 2 * 3"), ==, 7);
    g_assert_cmpfloat(value_of(" ( 1 + 2 ) * 3 "), ==, 9);
    g_assert_cmpfloat(value_of("8 - 2 - 1"), ==, 5); /* from the left */
    g_assert_cmpfloat(value_of("8 / 2 / 2"), ==, 2);
    g_assert_cmpfloat(value_of("2 - -3"), ==, 5);
    g_assert_cmpfloat(value_of("1 - {b c} / { a }"), ==, 1 - 4.0 / 6);
    g_assert_cmpfloat(value_of("max(1, {a} - 1, 3) - min(2, 7)"), ==, 3);
    g_assert_cmpfloat(value_of("1.5e3"), ==, 1500);
    g_assert_cmpfloat_with_epsilon(value_of("2 * log10({a} * 100 + 400)"), 6, 1e-12);
    g_assert_true(isnan(value_of("log10({a} - 6)")));
    g_assert_cmpfloat(value_of("above({a}, {b c}, 1, {none})"), ==, 1);
    g_assert_cmpfloat(value_of("2 * above({b c}, 4, 1, 3)"), ==, 6);
    g_assert_true(isnan(value_of("above({none}, 4, 1, 3)")));
    /* a value that is not known makes everything unknown, on either side of a minimum */
    g_assert_true(isnan(value_of("min(1, {none})")));
    g_assert_true(isnan(value_of("max({none}, 1)")));
    g_assert_true(isnan(value_of("{none} * 0")));
    g_assert_true(isinf(value_of("1 / 0")));
}

static void formula_wrong(const char *text, const char *said)
{
    g_autoptr(GError) error = NULL;
    guint calls = 0;
    double value;
    g_assert_false(dn_formula(text, look_up, &calls, &value, &error));
    g_assert_nonnull(error);
    if (strstr(error->message, said) == NULL)
        g_error("'%s' said '%s', not '%s'", text, error->message, said);
}

static void test_errors(void)
{
    formula_wrong("", "column 1: a number");
    formula_wrong("1 +", "column 4: a number");
    formula_wrong("log10(1, 2)", "log10 has one argument");
    formula_wrong("above(1, 2, 3)", "above has four");
    formula_wrong("1 2", "column 3: +, -, * or / expected");
    formula_wrong("(1", "column 3: ')' expected");
    formula_wrong("min(1; 2)", "column 6: ')' or ','");
    formula_wrong("{a", "'}' is missing");
    formula_wrong("{x}", "no 'x'");
    formula_wrong("inf", "a number");
    g_autoptr(GString) deep = g_string_new(NULL);
    for (guint i = 0; i < 100000; i++)
        g_string_append_c(deep, '(');
    formula_wrong(deep->str, "too many brackets");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/base/formula/values", test_values);
    g_test_add_func("/base/formula/errors", test_errors);
    return g_test_run();
}
