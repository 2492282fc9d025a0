/* channel_graph.h - The channel dependency graph says who waits for whom: channels, junctions
 * between them, and the search for a cycle.
 *
 * Nodes 0..n_channels-1 are channels, from there on junctions: what packets of several channels may
 * wait for together. An edge a -> b of channels may lead over any number of junctions. */
#pragma once
#include <glib.h>

/* Distinct 64-bit keys, numbered in the order they came. */
typedef struct {
    guint64 *keys;   /* key + 1; 0: empty */
    guint32 *number; /* [slots] of the key there, plus .first */
    gsize mask;
    guint32 n;     /* keys since the last emptying */
    guint32 first; /* numbers below count as empty */
} DnKeySet;

void dn_key_set_init(DnKeySet *set);
void dn_key_set_clear(DnKeySet *set);
/* The number of @key (< 2^64 - 1); *is_new: it just came. */
guint32 dn_key_set_add(DnKeySet *set, guint64 key, gboolean *is_new);
void dn_key_set_empty(DnKeySet *set); /* O(1) */
/* Returns the memory that the set has now, and while it grows next. */
guint64 dn_key_set_memory_bytes(const DnKeySet *set);

typedef struct {
    guint32 n_channels, n_nodes;
    GArray *edges;    /* guint64: from << 32 | to; may repeat */
    gboolean is_full; /* the walk that collects it met its limit of memory: edges are missing */
} DnWaitGraph;

static inline void dn_wait_graph_add(DnWaitGraph *graph, guint32 from, guint32 to)
{
    guint64 edge = (guint64)from << 32 | to;
    g_array_append_val(graph->edges, edge);
}

/* Edges by source: to[first[node] .. first[node + 1]). */
typedef struct {
    guint32 *first, *to;
} DnWaitIndex;
void dn_wait_index_init(DnWaitIndex *index, const DnWaitGraph *graph);
void dn_wait_index_clear(DnWaitIndex *index);

/* Returns the memory that @graph with @n_nodes and dn_wait_graph_cycle() take. */
guint64 dn_wait_graph_memory_bytes(const DnWaitGraph *graph, guint64 n_nodes);

/* (transfer full): the channels (guint32) of a cycle in order, or NULL. O(nodes + edges). A cycle
 * of junctions alone is a bug (asserted). */
GArray *dn_wait_graph_cycle(const DnWaitGraph *graph);
