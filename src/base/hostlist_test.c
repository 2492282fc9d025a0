/* hostlist_test.c - lists as slurm.conf(5) writes them, and what is none. */
#include "base/hostlist.h"

static void hostlist_expect(const char *text, const char *names)
{
    g_autoptr(GPtrArray) list = dn_hostlist_expand(text);
    g_assert_nonnull(list);
    g_autoptr(GString) got = g_string_new(NULL);
    for (guint i = 0; i < list->len; i++)
        g_string_append_printf(got, "%s%s", i > 0 ? " " : "", (const char *)list->pdata[i]);
    g_assert_cmpstr(got->str, ==, names);
}

static void test_lists(void)
{
    hostlist_expect("login1", "login1");
    hostlist_expect("a[08-10]", "a08 a09 a10");
    hostlist_expect("tux[0-1,12],b", "tux0 tux1 tux12 b");
    hostlist_expect("r[1-2]n[3-4]", "r1n3 r1n4 r2n3 r2n4");
}

static void test_refused(void)
{
    static const char *const wrong[] = {
        "", ",a", "a,", "a[", "a]", "a[]", "a[2-1]", "a[x]", "a[1-999999]", "a[0-9999]b[0-9999]"};
    for (guint i = 0; i < G_N_ELEMENTS(wrong); i++)
        g_assert_null(dn_hostlist_expand(wrong[i]));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/base/hostlist/lists", test_lists);
    g_test_add_func("/base/hostlist/refused", test_refused);
    return g_test_run();
}
