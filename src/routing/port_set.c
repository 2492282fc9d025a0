/* port_set.c - see port_set.h. */
#include "routing/port_set.h"

#include <string.h>

const char *const dn_pick_names[] = {"random", "hashed", "adaptive", NULL};

static guint list_hash(gconstpointer key)
{
    const guint16 *list = key;
    guint64 h = 0, word = 0;
    for (guint n = list[0] + 1u, i = 0; i < n; i += 4) { /* four ports at a time */
        memcpy(&word, list + i, MIN(4, n - i) * sizeof *list);
        h = dn_mix64(h ^ word);
    }
    return (guint)h;
}

static gboolean list_equal(gconstpointer a, gconstpointer b)
{
    const guint16 *x = a, *y = b;
    return x[0] == y[0] && memcmp(x, y, (x[0] + 1u) * sizeof *x) == 0;
}

DnPortSets *dn_port_sets_new(void)
{
    DnPortSets *sets = g_new0(DnPortSets, 1);
    sets->known = g_hash_table_new_full(list_hash, list_equal, g_free, NULL);
    return sets;
}

void dn_port_sets_free(DnPortSets *sets)
{
    if (sets == NULL)
        return;
    dn_port_sets_close(sets);
    g_free(sets->ports);
    g_free(sets);
}

DnPortSet dn_port_sets_add(DnPortSets *sets, const guint16 *ports, guint n, DnPortSet guess)
{
    g_assert(n > 0 && n < 65536 && sets->known != NULL);
    if (n == 1)
        return DN_PORT_SET_SINGLE | ports[0];
    if (!(guess & DN_PORT_SET_SINGLE) && sets->ports[guess] == n &&
        memcmp(sets->ports + guess + 1, ports, n * sizeof *ports) == 0)
        return guess;
    if (n + 1 > sets->wanted_capacity) {
        sets->wanted_capacity = 2 * (n + 1);
        sets->wanted = g_renew(guint16, sets->wanted, sets->wanted_capacity);
    }
    guint16 *list = sets->wanted;
    list[0] = (guint16)n;
    memcpy(list + 1, ports, n * sizeof *ports);
    gpointer found;
    if (g_hash_table_lookup_extended(sets->known, list, NULL, &found))
        return GPOINTER_TO_UINT(found);
    if (sets->n + n + 1 > sets->capacity) {
        sets->capacity = 2 * (sets->capacity + n + 1);
        sets->ports = g_renew(guint16, sets->ports, sets->capacity);
    }
    guint32 at = sets->n;
    memcpy(sets->ports + at, list, (n + 1) * sizeof *list);
    sets->n += n + 1;
    list = g_memdup2(list, (n + 1) * sizeof *list);
    g_hash_table_insert(sets->known, list, GUINT_TO_POINTER(at));
    return at;
}

void dn_port_sets_close(DnPortSets *sets)
{
    g_clear_pointer(&sets->known, g_hash_table_unref);
    g_clear_pointer(&sets->wanted, g_free);
}

guint32 dn_port_least_loaded(const guint16 *ports, guint n, const DnLoadView *load, guint64 draw)
{
    guint start = dn_draw_below(draw, n);
    guint32 best = ports[start];
    gint64 least = load->port_bytes(load, best);
    for (guint i = 1; i < n && least > 0; i++) {
        guint at = start + i < n ? start + i : start + i - n;
        gint64 bytes = load->port_bytes(load, ports[at]);
        if (bytes < least) {
            least = bytes;
            best = ports[at];
        }
    }
    return best;
}
