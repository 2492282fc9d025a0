/* path_bounds.c - see path_bounds.h.
 *
 * A segment is explored in levels: level k holds the states that packets may be in after k links,
 * each with the least latency of all paths there and the links that all of them cross. Equal states
 * of a level are merged, so the work grows with the number of states, not of paths. Messages of a
 * pair often follow each other, so the bounds of recent pairs are kept. */
#include "engine/flow/path_bounds.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/rng.h"
#include "routing/path.h"
#include "topology/hop_latency.h"

#define MAX_CHOICES 65536
#define MAX_STATES 256  /* of a level */
#define MAX_FAILURES 64 /* explorations; then no more are begun */
#define MAX_LEVELS 64
#define MAX_KEPT (1u << 20) /* segments */
#define MAX_ROWS_BYTES ((gsize)256 << 20)
#define PAIR_BITS 16 /* pairs of endpoints whose bounds are kept: 2^16 */

/* A state of a level. A segment with more forced links than fit is not explored. */
typedef struct {
    DnRouteState state;
    guint32 vertex;
    guint n_forced;
    gint64 latency_ps;
    guint32 forced[MAX_LEVELS];
} Reached;

/* All paths of a segment. */
typedef struct {
    gint64 latency_ps; /* the least */
    guint n_forced;
    guint32 *forced;
} Segment;

struct DnPathBounds {
    const DnRouter *router;
    const DnGraph *graph;
    const double *capacity; /* [links] */
    Reached *levels[2];     /* [MAX_STATES] this one and the next */
    DnHop *hops;
    DnRouteState *after;
    GArray *firsts, *lasts; /* guint32: first and last links of the segment being explored */
    GHashTable *fabric;     /* guint64 switches -> Segment; NULL: too many choices */
    gint64 **rows;          /* [switches] least latency from each switch; NULL: not yet */
    gsize rows_bytes;
    guint failures;
    GArray *forced;     /* guint32: of the answer */
    guint32 *place;     /* [1 << PAIR_BITS] by hash of a pair: index into pairs; 0: none */
    DnPathBound *pairs; /* [(1 << PAIR_BITS) + 1]; one pair of each hash, entries in use first */
    guint32 n_pairs;
    DnPathBound *last; /* the last answer; NULL: none yet */
    DnPathBound other; /* an answer with more forced links than `pairs` has space for */
    DnPathBoundCount count;
    void *count_data;
};

static void segment_free(gpointer data)
{
    Segment *s = data;
    if (s != NULL)
        g_free(s->forced);
    g_free(s);
}

DnPathBounds *dn_path_bounds_new(const DnRouter *router, const double *capacity,
                                 DnPathBoundCount count, void *data)
{
    DnPathBounds *b = g_new0(DnPathBounds, 1);
    b->count = count;
    b->count_data = data;
    b->router = router;
    b->graph = router->machine->graph;
    b->capacity = capacity;
    for (guint i = 0; i < 2; i++)
        b->levels[i] = g_new(Reached, MAX_STATES);
    b->hops = g_new(DnHop, MAX_CHOICES);
    b->after = g_new(DnRouteState, MAX_CHOICES);
    b->firsts = g_array_new(FALSE, FALSE, sizeof(guint32));
    b->lasts = g_array_new(FALSE, FALSE, sizeof(guint32));
    b->forced = g_array_new(FALSE, FALSE, sizeof(guint32));
    b->fabric = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, segment_free);
    b->rows = g_new0(gint64 *, b->graph->size.switches + 1);
    b->place = g_new0(guint32, (gsize)1 << PAIR_BITS);
    b->pairs = g_new0(DnPathBound, ((gsize)1 << PAIR_BITS) + 1);
    return b;
}

void dn_path_bounds_free(DnPathBounds *b)
{
    if (b == NULL)
        return;
    for (guint i = 0; i < 2; i++)
        g_free(b->levels[i]);
    for (guint32 s = 0; s < b->graph->size.switches; s++)
        g_free(b->rows[s]);
    g_free(b->rows);
    g_free(b->hops);
    g_free(b->after);
    g_array_unref(b->firsts);
    g_array_unref(b->lasts);
    g_array_unref(b->forced);
    g_hash_table_unref(b->fabric);
    g_free(b->place);
    g_free(b->pairs);
    g_free(b);
}

static void links_add(GArray *links, guint32 link)
{
    for (guint i = 0; i < links->len; i++)
        if (g_array_index(links, guint32, i) == link)
            return;
    g_array_append_val(links, link);
}

static double links_capacity(const DnPathBounds *b, const GArray *links)
{
    double sum = 0.0;
    for (guint i = 0; i < links->len; i++)
        sum += b->capacity[g_array_index(links, guint32, i)];
    return sum;
}

/* Merges another path to the state @to: keeps the smaller latency and the links that both cross. */
static void reached_merge(Reached *to, const Reached *path)
{
    guint kept = 0;
    for (guint i = 0; i < to->n_forced; i++)
        for (guint j = 0; j < path->n_forced; j++)
            if (to->forced[i] == path->forced[j]) {
                to->forced[kept++] = to->forced[i];
                break;
            }
    to->n_forced = kept;
    to->latency_ps = MIN(to->latency_ps, path->latency_ps);
}

static void reached_copy(Reached *to, const Reached *from)
{
    memcpy(to, from, offsetof(Reached, forced) + from->n_forced * sizeof *from->forced);
}

/* FALSE: the level is full. */
static gboolean level_add(Reached *level, guint *n, const Reached *path)
{
    for (guint i = 0; i < *n; i++)
        if (level[i].vertex == path->vertex &&
            memcmp(&level[i].state, &path->state, sizeof path->state) == 0) {
            reached_merge(&level[i], path);
            return TRUE;
        }
    if (*n == MAX_STATES)
        return FALSE;
    reached_copy(&level[(*n)++], path);
    return TRUE;
}

/* Returns TRUE when a segment ends at @vertex: at @end, or (DN_NONE) at the first switch. */
static gboolean is_end(const DnPathBounds *b, guint32 vertex, guint32 end)
{
    return end == DN_NONE ? vertex < b->graph->size.switches : vertex == end;
}

/* The step from one level to the next. */
typedef struct {
    guint32 end; /* see is_end() */
    guint level; /* 0: its first links are being crossed */
    Reached *next;
    guint n_next, n_ends;
} Step;

/* Adds the states one link after @at to the next level, or merges them into @ends. FALSE: too
 * many. */
static gboolean state_expand(DnPathBounds *b, const Reached *at, Step *step, Reached *ends)
{
    guint choices =
        dn_route_choices(b->router, at->vertex, &at->state, b->hops, b->after, MAX_CHOICES);
    Reached path;
    for (guint i = 0; i < choices; i++) {
        guint32 link = dn_route_link(b->router, at->vertex, b->hops[i].port);
        reached_copy(&path, at);
        if (path.n_forced == MAX_LEVELS)
            return FALSE;
        path.state = b->after[i];
        path.vertex = b->graph->links[link].dst;
        path.latency_ps += dn_hop_latency_ps(b->graph, link);
        path.forced[path.n_forced++] = link;
        if (step->level == 0)
            links_add(b->firsts, link);
        if (!is_end(b, path.vertex, step->end)) {
            if (!level_add(step->next, &step->n_next, &path))
                return FALSE;
            continue;
        }
        links_add(b->lasts, link);
        if (step->n_ends++ == 0)
            reached_copy(ends, &path);
        else
            reached_merge(ends, &path);
    }
    return TRUE;
}

/* Explores a segment from @state at @vertex. FALSE: there are too many paths. *@out: the state at
 * its end, with the least latency and the forced links of all paths. */
static gboolean segment_explore(DnPathBounds *b, guint32 vertex, const DnRouteState *state,
                                guint32 end, Reached *out)
{
    guint n = 1;
    Step step = {.end = end};
    g_array_set_size(b->firsts, 0);
    g_array_set_size(b->lasts, 0);
    Reached *first = &b->levels[0][0];
    first->state = *state;
    first->vertex = vertex;
    first->n_forced = 0;
    first->latency_ps = 0;
    for (; n > 0; n = step.n_next, step.level++) {
        const Reached *now = b->levels[step.level & 1];
        step.next = b->levels[~step.level & 1];
        step.n_next = 0;
        for (guint i = 0; i < n; i++)
            if (!state_expand(b, &now[i], &step, out))
                return FALSE;
    }
    g_assert(step.n_ends > 0);
    return TRUE;
}

/* ---- the fabric ---- */

/* Least latencies from every switch to @to over any links: Bellman and Ford's, by a queue. */
static const gint64 *shortest_row(DnPathBounds *b, guint32 to)
{
    const DnGraph *g = b->graph;
    guint32 n = g->size.switches;
    if (b->rows[to] != NULL || (b->rows_bytes += n * sizeof(gint64)) > MAX_ROWS_BYTES)
        return b->rows[to];
    gint64 *row = b->rows[to] = g_new(gint64, n);
    g_autofree guint8 *queued = g_new0(guint8, n);
    g_autoptr(GArray) queue = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint32 s = 0; s < n; s++)
        row[s] = G_MAXINT64 / 2;
    row[to] = 0;
    g_array_append_val(queue, to);
    for (guint head = 0; head < queue->len; head++) {
        guint32 s = g_array_index(queue, guint32, head);
        queued[s] = 0;
        for (guint32 p = g->port_first[s]; p < g->port_first[s + 1]; p++) {
            guint32 back = g->ports[p] ^ 1, from = g->links[back].src;
            if (from >= n || row[s] + dn_hop_latency_ps(g, back) >= row[from])
                continue;
            row[from] = row[s] + dn_hop_latency_ps(g, back);
            if (!queued[from]) {
                queued[from] = 1;
                g_array_append_val(queue, from);
            }
        }
    }
    return row;
}

/* Returns the segment from the switch where packets enter to that of the target; NULL: it has too
 * many paths. */
static const Segment *fabric_segment(DnPathBounds *b, guint32 vertex, const DnRouteState *state)
{
    guint64 key = (guint64)vertex << 32 | state->target_switch;
    gpointer kept;
    if (g_hash_table_lookup_extended(b->fabric, &key, NULL, &kept))
        return kept;
    if (g_hash_table_size(b->fabric) >= MAX_KEPT)
        g_hash_table_remove_all(b->fabric);
    DnRouteState any = *state;
    any.flow = 0; /* the choices of a fabric do not depend on it */
    Reached out = {0};
    Segment *segment = NULL;
    if (b->failures < MAX_FAILURES &&
        segment_explore(b, vertex, &any, state->target_switch, &out)) {
        segment = g_new0(Segment, 1);
        *segment = (Segment){.latency_ps = out.latency_ps, .n_forced = out.n_forced};
        segment->forced = g_memdup2(out.forced, out.n_forced * sizeof *out.forced);
    }
    b->failures += segment == NULL;
    g_hash_table_insert(b->fabric, g_memdup2(&key, sizeof key), segment);
    return segment;
}

static void bound_add(DnPathBounds *b, DnPathBound *bound, gint64 latency_ps, const guint32 *forced,
                      guint n)
{
    bound->latency_ps += latency_ps;
    g_array_append_vals(b->forced, forced, n);
}

static void bound_fabric(DnPathBounds *b, guint32 vertex, const DnRouteState *state,
                         DnPathBound *bound)
{
    if (vertex == state->target_switch)
        return;
    const Segment *segment = fabric_segment(b, vertex, state);
    const gint64 *row = segment == NULL ? shortest_row(b, state->target_switch) : NULL;
    if (segment != NULL)
        bound_add(b, bound, segment->latency_ps, segment->forced, segment->n_forced);
    else if (row != NULL)
        bound->latency_ps += row[vertex];
}

/* Explores a segment inside a node, which has few paths, and adds it to @bound. Returns the state
 * at its end. */
static Reached segment_in_node(DnPathBounds *b, guint32 vertex, const DnRouteState *state,
                               guint32 end, DnPathBound *bound)
{
    Reached out = {.vertex = vertex, .state = *state};
    gboolean whole = segment_explore(b, vertex, state, end, &out);
    g_assert(whole);
    bound_add(b, bound, out.latency_ps, out.forced, out.n_forced);
    return out;
}

/* Sets the members that follow from the links that all paths cross. */
static void bound_links(const DnPathBounds *b, DnPathBound *bound)
{
    const DnGraph *g = b->graph;
    bound->rate = INFINITY;
    bound->uplink = DN_NONE;
    for (guint i = bound->n_forced; i > 0; i--) {
        guint32 l = bound->forced[i - 1];
        bound->rate = MIN(bound->rate, b->capacity[l]);
        if (g->vertices[g->links[l].src].kind != DN_VERTEX_SWITCH &&
            g->vertices[g->links[l].dst].kind == DN_VERTEX_SWITCH)
            bound->uplink = l;
    }
}

static DnPathBound path_bound_find(DnPathBounds *b, guint32 source, guint32 target, guint mode,
                                   guint32 rail)
{
    DnPathBound bound = {.source = source, .target = target, .rail = rail, .mode = (guint16)mode};
    DnRouteState state;
    g_array_set_size(b->forced, 0);
    dn_route_init_rail(b->router, source, target, mode, rail, &state);
    gboolean inside = state.target_switch == DN_NONE;
    Reached at = segment_in_node(b, source, &state, inside ? target : DN_NONE, &bound);
    bound.out = links_capacity(b, b->firsts);
    if (!inside) {
        bound_fabric(b, at.vertex, &at.state, &bound);
        at.state.hops = 0;
        segment_in_node(b, state.target_switch, &at.state, target, &bound);
    }
    bound.in = links_capacity(b, b->lasts);
    bound.forced = (const guint32 *)(const void *)b->forced->data;
    bound.n_forced = (guint16)b->forced->len;
    bound_links(b, &bound);
    return bound;
}

static gboolean is_bound_of(const DnPathBound *bound, guint32 source, guint32 target, guint mode,
                            guint32 rail)
{
    return bound->source == source && bound->target == target && bound->rail == rail &&
           bound->mode == mode;
}

static void bound_count(const DnPathBounds *b, DnPathBound *bound)
{
    if (bound->packets > 0)
        b->count(b->count_data, bound);
    bound->bytes = 0.0;
    bound->packets = 0;
}

DnPathBound *dn_path_bound(DnPathBounds *b, guint32 source, guint32 target, guint mode,
                           guint32 rail)
{
    if (b->last != NULL && is_bound_of(b->last, source, target, mode, rail))
        return b->last;
    guint64 key = ((guint64)source << 32 | target) ^ (guint64)(rail + 1) << 24 ^
                  (guint64)mode << 56;
    guint32 *place = &b->place[dn_mix64(key) >> (64 - PAIR_BITS)];
    if (*place == 0)
        *place = ++b->n_pairs;
    DnPathBound *pair = &b->pairs[*place];
    b->last = pair;
    if (is_bound_of(pair, source, target, mode, rail))
        return pair;
    bound_count(b, &b->other); /* its links are those of the answer before */
    DnPathBound bound = path_bound_find(b, source, target, mode, rail);
    if (bound.n_forced > DN_PATH_BOUND_FORCED) {
        b->other = bound;
        b->last = &b->other;
        return b->last;
    }
    bound_count(b, pair);
    *pair = bound;
    memcpy(pair->kept, bound.forced, bound.n_forced * sizeof *bound.forced);
    pair->forced = pair->kept;
    return pair;
}

void dn_path_bounds_count(DnPathBounds *b)
{
    bound_count(b, &b->other);
    for (guint32 i = 1; i <= b->n_pairs; i++)
        bound_count(b, &b->pairs[i]);
}
