/* channel_graph.c - see channel_graph.h. */
#include "routing/channel_graph.h"

#include "base/rng.h"

void dn_key_set_init(DnKeySet *set, gboolean can_empty)
{
    set->mask = 1023;
    set->n = 0;
    set->stamp = 1;
    set->keys = g_new0(guint64, set->mask + 1);
    set->stamps = can_empty ? g_new0(guint32, set->mask + 1) : NULL;
}

void dn_key_set_clear(DnKeySet *set)
{
    g_free(set->keys);
    g_free(set->stamps);
}

static gboolean slot_used(const DnKeySet *set, gsize i)
{
    return set->keys[i] != 0 && (set->stamps == NULL || set->stamps[i] == set->stamp);
}

/* The slot of @stored, or the empty one where it belongs. */
static gsize slot_of(const DnKeySet *set, guint64 stored)
{
    gsize i = dn_mix64(stored) & set->mask;
    while (slot_used(set, i) && set->keys[i] != stored)
        i = (i + 1) & set->mask;
    return i;
}

static gboolean put(DnKeySet *set, guint64 stored)
{
    gsize i = slot_of(set, stored);
    if (slot_used(set, i))
        return FALSE;
    set->keys[i] = stored;
    if (set->stamps != NULL)
        set->stamps[i] = set->stamp;
    set->n++;
    return TRUE;
}

gboolean dn_key_set_add(DnKeySet *set, guint64 key)
{
    if (2 * set->n > set->mask) {
        DnKeySet old = *set;
        set->mask = 2 * old.mask + 1;
        set->n = 0;
        set->keys = g_new0(guint64, set->mask + 1);
        set->stamps = old.stamps != NULL ? g_new0(guint32, set->mask + 1) : NULL;
        for (gsize i = 0; i <= old.mask; i++)
            if (slot_used(&old, i))
                put(set, old.keys[i]);
        dn_key_set_clear(&old);
    }
    return put(set, key + 1);
}

gboolean dn_key_set_has(const DnKeySet *set, guint64 key)
{
    return slot_used(set, slot_of(set, key + 1));
}

void dn_key_set_empty(DnKeySet *set)
{
    g_assert(set->stamps != NULL);
    set->stamp++;
    set->n = 0;
}

/* Edges by source channel: first[c] .. first[c + 1] in to[]. */
typedef struct {
    guint32 *first, *to;
} Dependencies;

static void dependencies_init(Dependencies *d, const DnKeySet *edges, guint32 n)
{
    d->first = g_new0(guint32, (gsize)n + 2);
    d->to = g_new(guint32, edges->n + 1);
    for (gsize i = 0; i <= edges->mask; i++)
        if (edges->keys[i] != 0)
            d->first[((edges->keys[i] - 1) >> 32) + 2]++;
    for (guint32 i = 1; i <= n; i++)
        d->first[i + 1] += d->first[i];
    for (gsize i = 0; i <= edges->mask; i++) /* moves each first[c + 1] to its end */
        if (edges->keys[i] != 0)
            d->to[d->first[((edges->keys[i] - 1) >> 32) + 1]++] = (guint32)(edges->keys[i] - 1);
}

GArray *dn_find_cycle(const DnKeySet *edges, guint32 n)
{
    Dependencies d;
    dependencies_init(&d, edges, n);
    g_autofree guint32 *first = d.first, *to = d.to;
    g_autofree guint8 *colour = g_new0(guint8, (gsize)n + 1); /* 0 new, 1 on the path, 2 done */
    g_autofree guint32 *at = g_memdup2(first, ((gsize)n + 1) * sizeof *at);
    g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 root = 0; root < n; root++) {
        if (colour[root] != 0)
            continue;
        g_array_append_val(path, root);
        colour[root] = 1;
        while (path->len > 0) {
            guint32 c = g_array_index(path, guint32, path->len - 1);
            if (at[c] == first[c + 1]) {
                colour[c] = 2;
                g_array_set_size(path, path->len - 1);
                continue;
            }
            guint32 next = to[at[c]++];
            if (colour[next] == 1) {
                guint start = 0;
                while (g_array_index(path, guint32, start) != next)
                    start++;
                g_array_remove_range(path, 0, start);
                return g_steal_pointer(&path);
            }
            if (colour[next] == 0) {
                colour[next] = 1;
                g_array_append_val(path, next);
            }
        }
    }
    return NULL;
}
