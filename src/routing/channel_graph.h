/* channel_graph.h - a set of 64-bit keys, and the search for a cycle among channels.
 *
 * For the deadlock check: channels are numbers 0..n-1, an edge from << 32 | to. */
#pragma once
#include <glib.h>

typedef struct {
    guint64 *keys;   /* key + 1; 0: empty */
    guint32 *stamps; /* a key counts only with the present stamp; NULL: forever */
    guint32 stamp;
    gsize mask, n;
} DnKeySet;

void dn_key_set_init(DnKeySet *set, gboolean can_empty);
void dn_key_set_clear(DnKeySet *set);
/* TRUE when @key (< 2^64 - 1) is new. */
gboolean dn_key_set_add(DnKeySet *set, guint64 key);
gboolean dn_key_set_has(const DnKeySet *set, guint64 key);
void dn_key_set_empty(DnKeySet *set); /* O(1) */

/* (transfer full): the channels (guint32) of a cycle of @edges in order, or NULL. O(n + edges). */
GArray *dn_find_cycle(const DnKeySet *edges, guint32 n);
