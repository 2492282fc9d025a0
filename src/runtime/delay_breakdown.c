/* delay_breakdown.c - see delay_breakdown.h. */
#include "runtime/delay_breakdown.h"

#include "base/rng.h"

struct DnDelayBreakdown {
    GArray *rows;      /* DnBreakdownRow */
    GHashTable *index; /* DnBreakdownRow* -> row number + 1; looked up only */
    GPtrArray *keys;
};

static guint64 place_of(const DnBreakdownRow *s)
{
    if (s->kind != DN_BREAKDOWN_NETWORK)
        return 0;
    return dn_mix64(dn_mix64((guint64)s->span.link << 32 | s->span.root) ^
                    dn_mix64((guint64)s->span.src << 32 | s->span.dst) ^
                    ((guint64)s->span.job << 16 | (guint64)s->span.kind << 8 | s->span.lane));
}

static guint breakdown_hash(gconstpointer key)
{
    const DnBreakdownRow *s = key;
    return (guint)(place_of(s) ^ s->kind);
}

static gboolean breakdown_equal(gconstpointer a, gconstpointer b)
{
    const DnBreakdownRow *x = a, *y = b;
    if (x->kind != y->kind)
        return FALSE;
    return x->kind != DN_BREAKDOWN_NETWORK ||
           (x->span.kind == y->span.kind && x->span.lane == y->span.lane &&
            x->span.job == y->span.job && x->span.link == y->span.link &&
            x->span.root == y->span.root && x->span.src == y->span.src &&
            x->span.dst == y->span.dst);
}

DnDelayBreakdown *dn_delay_breakdown_new(void)
{
    DnDelayBreakdown *breakdown = g_new0(DnDelayBreakdown, 1);
    breakdown->rows = g_array_new(FALSE, FALSE, sizeof(DnBreakdownRow));
    breakdown->index = g_hash_table_new(breakdown_hash, breakdown_equal);
    breakdown->keys = g_ptr_array_new_with_free_func(g_free);
    return breakdown;
}

void dn_delay_breakdown_free(DnDelayBreakdown *breakdown)
{
    if (breakdown == NULL)
        return;
    g_hash_table_unref(breakdown->index);
    g_ptr_array_unref(breakdown->keys);
    g_array_unref(breakdown->rows);
    g_free(breakdown);
}

void dn_delay_breakdown_add(DnDelayBreakdown *breakdown, const DnBreakdownRow *item)
{
    gsize row = GPOINTER_TO_SIZE(g_hash_table_lookup(breakdown->index, item));
    if (row == 0) {
        DnBreakdownRow *key = g_memdup2(item, sizeof *item);
        g_ptr_array_add(breakdown->keys, key);
        g_array_append_val(breakdown->rows, *item);
        g_hash_table_insert(breakdown->index, key, GSIZE_TO_POINTER(breakdown->rows->len));
        return;
    }
    g_array_index(breakdown->rows, DnBreakdownRow, row - 1).span.ps += item->span.ps;
}

const DnBreakdownRow *dn_delay_breakdown_rows(const DnDelayBreakdown *breakdown, guint *n)
{
    *n = breakdown->rows->len;
    return (const DnBreakdownRow *)(const void *)breakdown->rows->data;
}

gint64 dn_delay_breakdown_sum(const DnDelayBreakdown *breakdown)
{
    gint64 sum = 0;
    for (guint i = 0; i < breakdown->rows->len; i++)
        sum += g_array_index(breakdown->rows, DnBreakdownRow, i).span.ps;
    return sum;
}
