/* sort_test.c - numbers in order, against GSL's sort. */
#include "stats/sort.h"

#include "base/rng.h"

#include <gsl/gsl_sort.h>
#include <string.h>

/* @n multiples of @scale, of @kinds different ones; with @negative a third of them below 0. */
static void sort_once(gsize n, guint32 kinds, double scale, gboolean negative)
{
    guint64 key = dn_draw_key(1, DN_DRAW_TEST, (guint32)n);
    g_autofree double *values = g_new(double, n + 1);
    g_autofree double *wanted = g_new(double, n + 1);
    for (gsize i = 0; i < n; i++) {
        guint64 draw = dn_draw(key, i);
        values[i] = (double)dn_draw_below(draw, kinds) * scale;
        if (negative && draw % 3 == 0)
            values[i] = -1.0 - values[i];
    }
    memcpy(wanted, values, n * sizeof *values);
    gsl_sort(wanted, 1, n);
    dn_doubles_sort(values, n);
    g_assert_cmpmem(values, n * sizeof *values, wanted, n * sizeof *wanted);
}

static void test_as_gsl(void)
{
    static const gsize sizes[] = {0, 1, 2, 1000, 4095, 4096, 4097, 100000};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (guint negative = 0; negative < 2; negative++) {
            sort_once(sizes[i], 1u << 31, 1e-6, negative == 1);
            sort_once(sizes[i], 1000, 1e200, negative == 1);
            sort_once(sizes[i], 1, 1.0, negative == 1); /* equal ones */
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sort/as-gsl", test_as_gsl);
    return g_test_run();
}
