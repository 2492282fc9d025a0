/* delay_breakdown.c - see delay_breakdown.h. */
#include "runtime/delay_breakdown.h"

#include "base/rng.h"

struct DnTally {
    GArray *rows;      /* DnSpent */
    GHashTable *index; /* DnSpent* -> row number + 1; looked up only */
    GPtrArray *keys;
};

static guint64 place_of(const DnSpent *s)
{
    if (s->kind != DN_SPENT_NETWORK)
        return 0;
    return dn_mix64(dn_mix64((guint64)s->way.link << 32 | s->way.root) ^
                    ((guint64)s->way.job << 16 | (guint64)s->way.kind << 8 | s->way.lane));
}

static guint hash(gconstpointer key)
{
    const DnSpent *s = key;
    return (guint)(place_of(s) ^ s->kind);
}

static gboolean equal(gconstpointer a, gconstpointer b)
{
    const DnSpent *x = a, *y = b;
    if (x->kind != y->kind)
        return FALSE;
    return x->kind != DN_SPENT_NETWORK ||
           (x->way.kind == y->way.kind && x->way.lane == y->way.lane && x->way.job == y->way.job &&
            x->way.link == y->way.link && x->way.root == y->way.root);
}

DnTally *dn_tally_new(void)
{
    DnTally *tally = g_new0(DnTally, 1);
    tally->rows = g_array_new(FALSE, FALSE, sizeof(DnSpent));
    tally->index = g_hash_table_new(hash, equal);
    tally->keys = g_ptr_array_new_with_free_func(g_free);
    return tally;
}

void dn_tally_free(DnTally *tally)
{
    if (tally == NULL)
        return;
    g_hash_table_unref(tally->index);
    g_ptr_array_unref(tally->keys);
    g_array_unref(tally->rows);
    g_free(tally);
}

void dn_tally_add(DnTally *tally, const DnSpent *spent)
{
    gsize row = GPOINTER_TO_SIZE(g_hash_table_lookup(tally->index, spent));
    if (row == 0) {
        DnSpent *key = g_memdup2(spent, sizeof *spent);
        g_ptr_array_add(tally->keys, key);
        g_array_append_val(tally->rows, *spent);
        g_hash_table_insert(tally->index, key, GSIZE_TO_POINTER(tally->rows->len));
        return;
    }
    g_array_index(tally->rows, DnSpent, row - 1).way.ps += spent->way.ps;
}

const DnSpent *dn_tally_rows(const DnTally *tally, guint *n)
{
    *n = tally->rows->len;
    return (const DnSpent *)(const void *)tally->rows->data;
}

gint64 dn_tally_sum(const DnTally *tally)
{
    gint64 sum = 0;
    for (guint i = 0; i < tally->rows->len; i++)
        sum += g_array_index(tally->rows, DnSpent, i).way.ps;
    return sum;
}
