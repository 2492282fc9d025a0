/* deadlock_check.c - the channel dependency graph of a routing, and a proof that it has no cycle.
 *
 * Dally & Seitz, IEEE Trans. Computers C-36(5), 1987, theorem 1: routing is free of deadlock when
 * no cycle of channels waits on itself. A channel here is (link, virtual channel); lanes never mix
 * and are copies of each other. Every transition that any packet can make is walked: from each
 * source, towards each target, over every choice the algorithm leaves open. Nodes of a machine are
 * alike, so all endpoints of node 0 and one endpoint behind every switch stand for all.
 * Cost: O(targets * channels reached); whole LUMI well under a second. */
#include "base/rng.h"
#include "routing/routing.h"

#include <string.h>

#define MAX_CHOICES 1024

typedef struct {
    guint32 link;  /* the packet's last link; DN_NONE: at its source */
    guint32 vertex;
    guint32 channel_id; /* link * channels + channel, DN_NONE at the source */
    DnRouteState state;
} Visit;

typedef struct {
    guint64 *keys; /* 0: empty */
    guint32 *stamps; /* a key counts only with the present stamp; NULL: forever */
    guint32 stamp;
    gsize mask, n;
} KeySet;

static void set_init(KeySet *set, gboolean stamped)
{
    set->mask = 1023;
    set->n = 0;
    set->stamp = 1;
    set->keys = g_new0(guint64, set->mask + 1);
    set->stamps = stamped ? g_new0(guint32, set->mask + 1) : NULL;
}

static void set_clear(KeySet *set)
{
    g_free(set->keys);
    g_free(set->stamps);
}

static gboolean slot_used(const KeySet *set, gsize i)
{
    return set->keys[i] != 0 && (set->stamps == NULL || set->stamps[i] == set->stamp);
}

static gboolean set_put(KeySet *set, guint64 key)
{
    gsize i = dn_mix64(key) & set->mask;
    for (; slot_used(set, i); i = (i + 1) & set->mask)
        if (set->keys[i] == key)
            return FALSE;
    set->keys[i] = key;
    if (set->stamps != NULL)
        set->stamps[i] = set->stamp;
    set->n++;
    return TRUE;
}

/* TRUE when @key is new. */
static gboolean set_add(KeySet *set, guint64 key)
{
    key++; /* 0 means empty */
    if (2 * set->n > set->mask) {
        KeySet old = *set;
        set->mask = 2 * old.mask + 1;
        set->n = 0;
        set->keys = g_new0(guint64, set->mask + 1);
        set->stamps = old.stamps != NULL ? g_new0(guint32, set->mask + 1) : NULL;
        for (gsize i = 0; i <= old.mask; i++)
            if (slot_used(&old, i))
                set_put(set, old.keys[i]);
        set_clear(&old);
    }
    return set_put(set, key);
}

static void set_empty(KeySet *set)
{
    g_assert(set->stamps != NULL);
    set->stamp++;
    set->n = 0;
}

typedef struct {
    const DnRouter *router;
    const DnGraph *g;
    KeySet edges;        /* from channel << 32 | to channel */
    KeySet visited;      /* states on the way to one target */
    GArray *stack;       /* Visit */
    DnHop *hops;
    DnRouteState *after;
} Walk;

static void visit(Walk *w, const Visit *from, const DnHop *hop, const DnRouteState *after)
{
    guint32 link = w->g->ports[w->g->port_first[from->vertex] + hop->port];
    guint32 id = link * w->router->channels + hop->channel;
    g_assert(hop->channel < w->router->channels);
    if (from->channel_id != DN_NONE)
        set_add(&w->edges, (guint64)from->channel_id << 32 | id);
    guint64 key = dn_mix64((guint64)after->via << 32 | (guint64)after->phase << 16 |
                           (guint64)after->hops << 8 | after->exit) ^ ((guint64)id << 24);
    if (!set_add(&w->visited, key))
        return;
    Visit next = {link, w->g->links[link].dst, id, *after};
    if (next.vertex != after->target)
        g_array_append_val(w->stack, next);
}

static void walk_from(Walk *w, guint32 source, guint32 target)
{
    Visit first = {DN_NONE, source, DN_NONE, {0}};
    dn_route_init(w->router, source, target, 0, &first.state);
    g_array_append_val(w->stack, first);
    while (w->stack->len > 0) {
        Visit at = g_array_index(w->stack, Visit, w->stack->len - 1);
        g_array_set_size(w->stack, w->stack->len - 1);
        guint n = dn_route_choices(w->router, at.vertex, &at.state, w->hops, w->after,
                                   MAX_CHOICES);
        g_assert(n > 0);
        for (guint i = 0; i < n; i++)
            visit(w, &at, &w->hops[i], &w->after[i]);
    }
}

/* Endpoint vertices that stand for all: node 0 whole, and one behind every switch. */
static GArray *representatives(const DnGraph *g)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autofree guint8 *seen = g_new0(guint8, g->size.switches + 1);
    for (guint32 e = 0; e < g->size.endpoints; e++) {
        guint32 v = g->endpoints[e], t = g->endpoint_terminal[e];
        guint32 s = t == DN_NONE ? g->size.switches : g->terminal_switch[t];
        if (g->vertices[v].node != 0 && (s == DN_NONE || seen[s]))
            continue;
        if (s != DN_NONE)
            seen[s] = 1;
        g_array_append_val(list, v);
    }
    return list;
}

static void walk_all(Walk *w)
{
    g_autoptr(GArray) ends = representatives(w->g);
    for (guint t = 0; t < ends->len; t++) {
        guint32 target = g_array_index(ends, guint32, t);
        set_empty(&w->visited);
        for (guint s = 0; s < ends->len; s++) {
            guint32 source = g_array_index(ends, guint32, s);
            gboolean apart = w->g->vertices[source].node != w->g->vertices[target].node;
            guint32 from = w->g->endpoint_of[source], to = w->g->endpoint_of[target];
            if (source == target || (apart && (w->g->endpoint_terminal[from] == DN_NONE ||
                                               w->g->endpoint_terminal[to] == DN_NONE)))
                continue;
            walk_from(w, source, target);
        }
    }
}

/* Edges by source channel: first[c] .. first[c + 1] in to[]. */
typedef struct {
    guint32 n;
    guint32 *first, *to;
} Dependencies;

static int compare_edges(const void *a, const void *b)
{
    guint64 x = *(const guint64 *)a, y = *(const guint64 *)b;
    return (x > y) - (x < y);
}

static void dependencies_init(Dependencies *d, const KeySet *edges, guint32 n)
{
    g_autofree guint64 *sorted = g_new(guint64, edges->n + 1);
    gsize m = 0;
    for (gsize i = 0; i <= edges->mask; i++)
        if (edges->keys[i] != 0)
            sorted[m++] = edges->keys[i] - 1;
    qsort(sorted, m, sizeof *sorted, compare_edges);
    d->n = n;
    d->first = g_new0(guint32, n + 1);
    d->to = g_new(guint32, m + 1);
    for (gsize i = 0; i < m; i++) {
        d->first[(sorted[i] >> 32) + 1]++;
        d->to[i] = (guint32)sorted[i];
    }
    for (guint32 i = 0; i < n; i++)
        d->first[i + 1] += d->first[i];
}

/* Depth first; the channels of a cycle in order, or NULL. */
static GArray *find_cycle(const Dependencies *d)
{
    g_autofree guint8 *colour = g_new0(guint8, d->n + 1); /* 0 new, 1 on the path, 2 done */
    g_autofree guint32 *at = g_memdup2(d->first, (d->n + 1) * sizeof *at);
    GArray *path = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 root = 0; root < d->n; root++) {
        if (colour[root] != 0)
            continue;
        g_array_append_val(path, root);
        colour[root] = 1;
        while (path->len > 0) {
            guint32 c = g_array_index(path, guint32, path->len - 1);
            if (at[c] == d->first[c + 1]) {
                colour[c] = 2;
                g_array_set_size(path, path->len - 1);
                continue;
            }
            guint32 next = d->to[at[c]++];
            if (colour[next] == 1) {
                while (g_array_index(path, guint32, 0) != next)
                    g_array_remove_index(path, 0);
                return path;
            }
            if (colour[next] == 0) {
                colour[next] = 1;
                g_array_append_val(path, next);
            }
        }
    }
    g_array_unref(path);
    return NULL;
}

static void report_cycle(const DnRouter *router, const GArray *cycle, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < cycle->len; i++) {
        guint32 id = g_array_index(cycle, guint32, i);
        char name[160];
        if (i == 12) {
            g_string_append_printf(text, " -> ... %u more", cycle->len - i);
            break;
        }
        g_string_append_printf(text, "%s%s channel %u", i > 0 ? " -> " : "",
                               dn_link_name(router->machine->graph, id / router->channels, name),
                               id % router->channels);
    }
    g_set_error(error, DN_ERROR, DN_ERROR_CYCLE,
                "routing '%s' with %u virtual channels can deadlock: %s -> the first again",
                router->type->name, router->channels, text->str);
}

gboolean dn_deadlock_check(const DnRouter *router, GError **error)
{
    const DnGraph *g = router->machine->graph;
    Walk w = {.router = router, .g = g};
    set_init(&w.edges, FALSE);
    set_init(&w.visited, TRUE);
    w.stack = g_array_new(FALSE, FALSE, sizeof(Visit));
    w.hops = g_new(DnHop, MAX_CHOICES);
    w.after = g_new(DnRouteState, MAX_CHOICES);
    walk_all(&w);
    Dependencies d;
    dependencies_init(&d, &w.edges, g->size.links * router->channels);
    g_autoptr(GArray) cycle = find_cycle(&d);
    if (cycle != NULL)
        report_cycle(router, cycle, error);
    g_free(d.first);
    g_free(d.to);
    g_free(w.hops);
    g_free(w.after);
    g_array_unref(w.stack);
    set_clear(&w.edges);
    set_clear(&w.visited);
    return cycle == NULL;
}
