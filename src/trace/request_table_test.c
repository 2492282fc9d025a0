/* request_table_test.c - a table of requests against GLib's, over random additions and removals. */
#include "base/rng.h"
#include "trace/request_table.h"

static void check_same(const DnRequestTable *table, GHashTable *known, guint64 handle)
{
    gpointer number;
    gboolean there = g_hash_table_lookup_extended(known, GSIZE_TO_POINTER(handle), NULL, &number);
    g_assert_cmpuint(dn_request_table_find(table, handle), ==,
                     there ? GPOINTER_TO_UINT(number) : DN_REQUEST_NONE);
}

/* Handles a power of two apart, as addresses are, and in a row, as counters are. */
static void test_random(void)
{
    for (guint shift = 0; shift < 40; shift += 13) {
        DnRequestTable table = {0};
        g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
        guint64 key = dn_draw_key(shift, DN_DRAW_TEST, 0), n = 0;
        for (guint step = 0; step < 5000; step++) {
            guint64 handle = (guint64)dn_draw_below(dn_draw(key, n++), 1 + step % 200) << shift;
            check_same(&table, known, handle);
            if (g_hash_table_remove(known, GSIZE_TO_POINTER(handle))) {
                dn_request_table_remove(&table, handle);
            } else {
                g_hash_table_insert(known, GSIZE_TO_POINTER(handle), GUINT_TO_POINTER(step));
                dn_request_table_add(&table, handle, step);
            }
            g_assert_cmpuint(table.n, ==, g_hash_table_size(known));
        }
        for (guint64 h = 0; h < 200; h++)
            check_same(&table, known, h << shift);
        dn_request_table_clear(&table);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/request-table/random", test_random);
    return g_test_run();
}
