/* remote_test.c - Tests of what processes exchange: messages in parts, records as few words. */
#include "base/rng.h"
#include "engine/packet/arrival_table.h"
#include "engine/packet/word_packing.h"

/* Ten thousand messages of 1 to 16 parts in random order, beside a table of GLib: each is whole
 * with its last part. */
static void test_parts(void)
{
    enum { MESSAGES = 10000, PARTS = 200000 };
    DnArrivalTable table = {0};
    g_autoptr(GHashTable) left = g_hash_table_new(g_direct_hash, NULL);
    guint64 key = dn_draw_key(1, DN_DRAW_WORKLOAD, 1), whole = 0;
    for (guint64 i = 0; i < PARTS; i++) {
        guint64 slot = dn_draw_below(dn_draw(key, i), MESSAGES);
        guint64 number = slot << 40 | (slot % 7 + 1); /* that differ in few bits */
        gpointer name = GSIZE_TO_POINTER(number);
        guint total = (guint)slot % 16 + 1;
        guint before = GPOINTER_TO_UINT(g_hash_table_lookup(left, name));
        gboolean last = before + 1 == total;
        g_assert_cmpint(dn_arrival_table_add(&table, number, 4096, 4096 * (gint64)total), ==, last);
        if (last)
            g_hash_table_remove(left, name);
        else
            g_hash_table_insert(left, name, GUINT_TO_POINTER(before + 1));
        whole += last;
        g_assert_cmpuint(table.n, ==, g_hash_table_size(left));
    }
    g_assert_cmpuint(whole, >, MESSAGES);
    dn_arrival_table_clear(&table);
    g_assert_null(table.entries);
}

/* Every record comes back, and takes as many words as are not zero. */
static void test_words(void)
{
    guint64 key = dn_draw_key(1, DN_DRAW_WORKLOAD, 2);
    for (guint64 i = 0; i < 1000; i++) {
        guint64 record[DN_PACKED_WORDS] = {0}, again[DN_PACKED_WORDS] = {0};
        guint8 bytes[sizeof record];
        guint filled = 0;
        gsize packed;
        for (guint w = 0; w < DN_PACKED_WORDS; w++) {
            guint64 draw = dn_draw(key, i * DN_PACKED_WORDS + w);
            record[w] = draw % 1000 < i ? draw | 1 : 0;
            filled += record[w] != 0;
        }
        guint32 mask = dn_words_pack(record, DN_PACKED_WORDS, bytes, &packed);
        g_assert_cmpuint(packed, ==, filled * sizeof *record);
        g_assert_cmpuint(dn_words_unpack(again, mask, bytes), ==, packed);
        g_assert_cmpmem(record, sizeof record, again, sizeof again);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/arrival-table/parts", test_parts);
    g_test_add_func("/word-packing/words", test_words);
    return g_test_run();
}
