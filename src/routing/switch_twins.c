/* switch_twins.c - see switch_twins.h. */
#include "routing/switch_twins.h"

#include "base/rng.h"

#include <string.h>

static guint64 neighbours_hash(const DnNeighbours *neighbours, guint32 s)
{
    guint64 hash = neighbours->first[s + 1] - neighbours->first[s];
    for (guint32 i = neighbours->first[s]; i < neighbours->first[s + 1]; i++)
        hash =
            dn_mix64(hash ^ ((guint64)neighbours->list[i].peer << 32 | neighbours->list[i].port));
    return hash;
}

static gboolean are_twins(const DnNeighbours *neighbours, guint32 a, guint32 b)
{
    guint32 n = neighbours->first[a + 1] - neighbours->first[a];
    return n > 0 && n == neighbours->first[b + 1] - neighbours->first[b] &&
           memcmp(neighbours->list + neighbours->first[a], neighbours->list + neighbours->first[b],
                  n * sizeof *neighbours->list) == 0;
}

void dn_switch_twins_init(DnSwitchTwins *twins, const DnNeighbours *neighbours,
                          const guint32 *switches, guint32 n, guint32 all_switches)
{
    g_autoptr(GHashTable) known = g_hash_table_new(g_int64_hash, g_int64_equal);
    g_autofree guint64 *hashes = g_new(guint64, n + 1);
    g_autofree guint32 *sample = g_new(guint32, n + 1); /* a switch of each class */
    *twins = (DnSwitchTwins){.of = g_new(guint32, all_switches + 1),
                             .first = g_new0(guint32, n + 2),
                             .members = g_new(guint32, n + 1)};
    for (guint32 i = 0; i < n; i++) {
        guint32 s = switches[i];
        hashes[i] = neighbours_hash(neighbours, s);
        gpointer found = NULL;
        gboolean twin = g_hash_table_lookup_extended(known, &hashes[i], NULL, &found) &&
                        are_twins(neighbours, s, sample[GPOINTER_TO_UINT(found)]);
        twins->of[s] = twin ? GPOINTER_TO_UINT(found) : twins->n++;
        if (!twin) {
            sample[twins->of[s]] = s;
            g_hash_table_insert(known, &hashes[i], GUINT_TO_POINTER(twins->of[s]));
        }
        twins->first[twins->of[s] + 1]++;
    }
    for (guint32 c = 0; c < twins->n; c++)
        twins->first[c + 1] += twins->first[c];
    for (guint32 i = 0; i < n; i++) /* sample: the next place of each class from now on */
        sample[twins->of[switches[i]]] = twins->first[twins->of[switches[i]]];
    for (guint32 i = 0; i < n; i++)
        twins->members[sample[twins->of[switches[i]]]++] = switches[i];
}

void dn_switch_twins_clear(DnSwitchTwins *twins)
{
    g_free(twins->of);
    g_free(twins->first);
    g_free(twins->members);
}
