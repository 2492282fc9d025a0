/* idle_gaps_test.c - work in the gaps of a server's time, by hand. */
#include "runtime/idle_gaps.h"

static void test_use(void)
{
    DnIdleGaps idle = {0};
    gint64 end_ps = 0;
    g_assert_cmpint(dn_idle_gaps_use(&idle, 0, 10, &end_ps), ==, 10);
    dn_idle_gaps_note(&idle, 0, 20);
    dn_idle_gaps_note(&idle, 20, 55);
    g_assert_cmpuint(idle.n, ==, 1);
    dn_idle_gaps_note(&idle, 60, 60); /* none */
    dn_idle_gaps_note(&idle, 61, 70);
    /* 50 of 5 to 55, 9 of 61 to 70, 5 are left */
    DnIdleGaps copy = idle;
    g_assert_cmpint(dn_idle_gaps_use(&copy, 5, 64, &end_ps), ==, 5);
    g_assert_cmpint(dn_idle_gaps_use(&copy, 5, 1, &end_ps), ==, 1);
    g_assert_cmpint(dn_idle_gaps_use(&copy, 0, 3, &end_ps), ==, 0); /* before 5 it was idle */
    g_assert_cmpint(end_ps, ==, 3);
    /* 10 to 40; then 40 to 55 and 61 to 63 */
    g_assert_cmpint(dn_idle_gaps_use(&idle, 10, 30, &end_ps), ==, 0);
    g_assert_cmpint(end_ps, ==, 40);
    g_assert_cmpint(dn_idle_gaps_use(&idle, 0, 17, &end_ps), ==, 0);
    g_assert_cmpint(end_ps, ==, 63);
    g_assert_cmpuint(idle.n, ==, 1);
}

/* Of more gaps than are kept the shortest is forgotten. */
static void test_many(void)
{
    DnIdleGaps idle = {0};
    gint64 end_ps = 0;
    for (gint64 i = 1; i <= DN_IDLE_GAPS; i++)
        dn_idle_gaps_note(&idle, 100 * i, 100 * i + 10 * i);
    dn_idle_gaps_note(&idle, 1000, 1005); /* shorter than all */
    g_assert_cmpint(dn_idle_gaps_use(&idle, 1000, 5, &end_ps), ==, 5);
    dn_idle_gaps_note(&idle, 2000, 2015);
    g_assert_cmpint(dn_idle_gaps_use(&idle, 0, 5, &end_ps), ==, 0);
    g_assert_cmpint(end_ps, ==, 205); /* the one from 100 on, of 10, is gone */
    g_assert_cmpint(dn_idle_gaps_use(&idle, 2000, 15, &end_ps), ==, 0);
    g_assert_cmpint(end_ps, ==, 2015);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/idle_gaps/use", test_use);
    g_test_add_func("/idle_gaps/many", test_many);
    return g_test_run();
}
