/* channel_graph.c - see channel_graph.h. */
#include "routing/channel_graph.h"

#include "base/rng.h"

static void set_alloc(DnKeySet *set, gsize slots)
{
    set->mask = slots - 1;
    set->keys = g_new0(guint64, slots);
    set->number = g_new(guint32, slots);
}

void dn_key_set_init(DnKeySet *set)
{
    *set = (DnKeySet){0};
    set_alloc(set, 1024);
}

void dn_key_set_clear(DnKeySet *set)
{
    g_free(set->keys);
    g_free(set->number);
}

static gboolean slot_used(const DnKeySet *set, gsize i)
{
    return set->keys[i] != 0 && set->number[i] >= set->first;
}

/* The slot of @stored, or the empty one where it belongs. */
static gsize slot_of(const DnKeySet *set, guint64 stored)
{
    gsize i = dn_mix64(stored) & set->mask;
    while (slot_used(set, i) && set->keys[i] != stored)
        i = (i + 1) & set->mask;
    return i;
}

static void channel_graph_grow(DnKeySet *set)
{
    DnKeySet old = *set;
    set_alloc(set, 2 * (old.mask + 1));
    for (gsize i = 0; i <= old.mask; i++) {
        if (!slot_used(&old, i))
            continue;
        gsize slot = slot_of(set, old.keys[i]);
        set->keys[slot] = old.keys[i];
        set->number[slot] = old.number[i];
    }
    dn_key_set_clear(&old);
}

guint32 dn_key_set_add(DnKeySet *set, guint64 key, gboolean *is_new)
{
    if (2 * (gsize)set->n > set->mask)
        channel_graph_grow(set);
    gsize i = slot_of(set, key + 1);
    *is_new = !slot_used(set, i);
    if (*is_new) {
        g_assert(set->n < G_MAXUINT32 - set->first);
        set->keys[i] = key + 1;
        set->number[i] = set->first + set->n++;
    }
    return set->number[i] - set->first;
}

void dn_key_set_empty(DnKeySet *set)
{
    set->first += set->n;
    set->n = 0;
    if (set->first < G_MAXUINT32 / 2)
        return;
    dn_key_set_clear(set);
    dn_key_set_init(set);
}

guint64 dn_key_set_memory_bytes(const DnKeySet *set)
{
    /* The old table and one of twice its size. */
    return 3 * (guint64)(set->mask + 1) * (sizeof *set->keys + sizeof *set->number);
}

guint64 dn_wait_graph_memory_bytes(const DnWaitGraph *graph, guint64 n_nodes)
{
    /* The array of edges grows to powers of two; the search has an index of the edges, and for each
     * node its first edge, the next one, a place on the path and a colour. */
    return graph->edges->len * (2 * sizeof(guint64) + sizeof(guint32)) +
           n_nodes * (3 * sizeof(guint32) + sizeof(guint8));
}

void dn_wait_index_init(DnWaitIndex *index, const DnWaitGraph *graph)
{
    const guint64 *edges = (const guint64 *)(gconstpointer)graph->edges->data;
    guint32 n = graph->n_nodes, n_edges = graph->edges->len;
    index->first = g_new0(guint32, (gsize)n + 2);
    index->to = g_new(guint32, (gsize)n_edges + 1);
    for (guint32 i = 0; i < n_edges; i++)
        index->first[(edges[i] >> 32) + 2]++;
    for (guint32 i = 1; i <= n; i++)
        index->first[i + 1] += index->first[i];
    for (guint32 i = 0; i < n_edges; i++) /* moves each first[node + 1] to its end */
        index->to[index->first[(edges[i] >> 32) + 1]++] = (guint32)edges[i];
}

void dn_wait_index_clear(DnWaitIndex *index)
{
    g_free(index->first);
    g_free(index->to);
}

/* The channels of @path from where @node stands in it. */
static GArray *channels_from(const DnWaitGraph *graph, const GArray *path, guint32 node)
{
    GArray *cycle = g_array_new(FALSE, FALSE, sizeof(guint32));
    guint start = path->len;
    while (g_array_index(path, guint32, --start) != node) {
    }
    for (guint i = start; i < path->len; i++)
        if (g_array_index(path, guint32, i) < graph->n_channels)
            g_array_append_val(cycle, g_array_index(path, guint32, i));
    g_assert(cycle->len > 0);
    return cycle;
}

enum { NEW, ON_PATH, DONE };

/* Depth first from @root. */
static GArray *channel_graph_search(const DnWaitGraph *graph, const DnWaitIndex *index,
                                    guint32 root, guint32 *at, guint8 *colour, GArray *path)
{
    g_array_append_val(path, root);
    colour[root] = ON_PATH;
    while (path->len > 0) {
        guint32 node = g_array_index(path, guint32, path->len - 1);
        if (at[node] == index->first[node + 1]) {
            colour[node] = DONE;
            g_array_set_size(path, path->len - 1);
            continue;
        }
        guint32 next = index->to[at[node]++];
        if (colour[next] == ON_PATH)
            return channels_from(graph, path, next);
        if (colour[next] == NEW) {
            colour[next] = ON_PATH;
            g_array_append_val(path, next);
        }
    }
    return NULL;
}

GArray *dn_wait_graph_cycle(const DnWaitGraph *graph)
{
    gsize n = graph->n_nodes;
    DnWaitIndex index;
    dn_wait_index_init(&index, graph);
    g_autofree guint8 *colour = g_new0(guint8, n + 1);
    g_autofree guint32 *at = g_memdup2(index.first, (n + 1) * sizeof *at);
    g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint32));
    GArray *cycle = NULL;
    for (guint32 root = 0; root < n && cycle == NULL; root++)
        if (colour[root] == NEW)
            cycle = channel_graph_search(graph, &index, root, at, colour, path);
    dn_wait_index_clear(&index);
    return cycle;
}
