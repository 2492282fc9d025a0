/* deadlock_check.c - what waits on what in a routed machine, and a proof that no cycle does.
 *
 * Dally & Seitz, IEEE Trans. Computers C-36(5), 1987, theorem 1: routing is free of deadlock when
 * the graph of dependencies between channels has no cycle. A channel is (link, virtual channel) of
 * fabric and nodes; lanes never mix and are copies of each other. A packet whose head waits at the
 * end of channel a for channel b is an edge a -> b. Every edge any packet can cause is collected:
 * nothing is sampled. Nodes of a machine are alike, so all endpoints of node 0 and one endpoint
 * behind every switch stand for all.
 *
 * Adaptive channels (DnRouter.adaptive_channels) have no edges into them. A packet is queued for one
 * only when the far buffer has room for it behind all that is queued there before it
 * (DnLoadView.has_credit); that room cannot be lost, so it waits for the link alone, which always
 * becomes free. Cut-through keeps a blocked packet in one buffer, so every packet that waits for
 * room waits at one channel for another that is not adaptive. In a deadlock each of a set of packets
 * waits for a channel full of packets of the set: following them leads round a cycle of edges
 * between channels that are waited for. When there is none and every switch offers a hop on a
 * channel that is not adaptive (asserted), there is no deadlock (Duato, IEEE TPDS 7(8), 1996, for
 * cut-through: a subfunction that is always offered, with an acyclic graph of its own).
 *
 * Two walks, equal in outcome (the tests hold one against the other):
 *   target by target  every (source, target) over choices(): O(targets * channels), times detours
 *   by goals          over moves(): O(goals * channels), see group_moves.c and torus_path.c; the
 *                     stretches inside nodes do not depend on the fabric's and are walked apart. */
#include "routing/deadlock_check.h"

#include "base/rng.h"

#define MAX_CHOICES (1u << 16)
#define MAX_CHANNEL_IDS (1u << 28)

typedef struct {
    guint32 vertex;
    guint32 channel_id; /* link * channels + channel, DN_NONE at the source */
    DnRouteState state;
} Visit;

/* A packet at a switch, heading for a goal. */
typedef struct {
    guint32 vertex, channel_id, goal;
    guint8 phase;
} Item;

typedef struct {
    const DnRouter *router;
    const DnGraph *g;
    DnKeySet *edges;
    DnKeySet visited;    /* Visits on the way to one target */
    GArray *stack;       /* Visit */
    DnHop *hops;
    DnRouteState *after;
    GArray *entries;     /* Item; not NULL: walks end at the first switch, here */
} Walk;

static void walk_init(Walk *w, const DnRouter *router, DnKeySet *edges)
{
    *w = (Walk){.router = router, .g = router->machine->graph, .edges = edges};
    dn_key_set_init(&w->visited, TRUE);
    w->stack = g_array_new(FALSE, FALSE, sizeof(Visit));
    w->hops = g_new(DnHop, MAX_CHOICES);
    w->after = g_new(DnRouteState, MAX_CHOICES);
}

static void walk_clear(Walk *w)
{
    dn_key_set_clear(&w->visited);
    g_array_unref(w->stack);
    g_free(w->hops);
    g_free(w->after);
}

static guint32 channel_id(const DnRouter *router, guint32 vertex, guint32 port, guint channel)
{
    const DnGraph *g = router->machine->graph;
    g_assert(channel < router->channels);
    return g->ports[g->port_first[vertex] + port] * router->channels + channel;
}

/* Only between switches: inside nodes and at their doors packets wait on every channel. */
static gboolean is_adaptive(const DnRouter *router, guint32 id)
{
    const DnLink *link = &router->machine->graph->links[id / router->channels];
    guint32 switches = router->machine->graph->size.switches;
    return link->src < switches && link->dst < switches &&
           (router->adaptive_channels >> id % router->channels & 1);
}

static void add_edge(Walk *w, guint32 from, guint32 to)
{
    if (from != DN_NONE && !is_adaptive(w->router, to))
        dn_key_set_add(w->edges, (guint64)from << 32 | to);
}

static void visit(Walk *w, const Visit *from, const DnHop *hop, const DnRouteState *after)
{
    guint32 id = channel_id(w->router, from->vertex, hop->port, hop->channel);
    add_edge(w, from->channel_id, id);
    guint64 key = dn_mix64((guint64)after->via << 32 | (guint64)after->phase << 16 |
                           (guint64)after->hops << 8 | after->exit) ^ ((guint64)id << 24);
    if (!dn_key_set_add(&w->visited, key))
        return;
    Visit next = {w->g->links[id / w->router->channels].dst, id, *after};
    if (next.vertex == after->target)
        return;
    if (w->entries != NULL && next.vertex < w->g->size.switches) {
        Item entry = {next.vertex, id, DN_GOAL_ENTER, 0};
        g_array_append_val(w->entries, entry);
    } else {
        g_array_append_val(w->stack, next);
    }
}

/* Some hop of each state must be on a channel that may be waited for. */
static void check_escape(const Walk *w, guint32 vertex, guint n)
{
    gboolean escape = FALSE;
    for (guint i = 0; i < n; i++)
        escape |= !is_adaptive(w->router, channel_id(w->router, vertex, w->hops[i].port,
                                                     w->hops[i].channel));
    g_assert(escape);
}

static void walk_from(Walk *w, const Visit *first)
{
    g_array_append_val(w->stack, *first);
    while (w->stack->len > 0) {
        Visit at = g_array_index(w->stack, Visit, w->stack->len - 1);
        g_array_set_size(w->stack, w->stack->len - 1);
        guint n = dn_route_choices(w->router, at.vertex, &at.state, w->hops, w->after,
                                   MAX_CHOICES);
        check_escape(w, at.vertex, n);
        for (guint i = 0; i < n; i++)
            visit(w, &at, &w->hops[i], &w->after[i]);
    }
}

static void walk_pair(Walk *w, guint32 source, guint32 target)
{
    Visit first = {source, DN_NONE, {0}};
    dn_route_init(w->router, source, target, 0, &first.state);
    walk_from(w, &first);
}

/* Endpoint vertices that stand for all: node 0 whole, and one behind every switch. */
static GArray *representatives(const DnGraph *g)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(guint32));
    g_autofree guint8 *seen = g_new0(guint8, g->size.switches + 1);
    for (guint32 e = 0; e < g->size.endpoints; e++) {
        guint32 v = g->endpoints[e], t = g->endpoint_terminal[e];
        guint32 s = t == DN_NONE ? DN_NONE : g->terminal_switch[t];
        if (g->vertices[v].node != 0 && (s == DN_NONE || seen[s]))
            continue;
        if (s != DN_NONE)
            seen[s] = 1;
        g_array_append_val(list, v);
    }
    return list;
}

static gboolean on_fabric(const DnGraph *g, guint32 vertex)
{
    return g->endpoint_terminal[g->endpoint_of[vertex]] != DN_NONE;
}

static gboolean apart(const DnGraph *g, guint32 a, guint32 b)
{
    return g->vertices[a].node != g->vertices[b].node;
}

/* Pairs of @ends; @within: only inside a node. */
static void walk_pairs(Walk *w, const GArray *ends, gboolean within)
{
    for (guint t = 0; t < ends->len; t++) {
        guint32 target = g_array_index(ends, guint32, t);
        dn_key_set_empty(&w->visited);
        for (guint s = 0; s < ends->len; s++) {
            guint32 source = g_array_index(ends, guint32, s);
            gboolean far = apart(w->g, source, target);
            if (source == target || (far && within) ||
                (far && !(on_fabric(w->g, source) && on_fabric(w->g, target))))
                continue;
            walk_pair(w, source, target);
        }
    }
}

/* An endpoint of another node that can be reached from @vertex, or DN_NONE. */
static guint32 partner(const DnGraph *g, guint32 vertex)
{
    for (guint32 e = 0; on_fabric(g, vertex) && e < g->size.endpoints; e++)
        if (apart(g, g->endpoints[e], vertex) && g->endpoint_terminal[e] != DN_NONE)
            return g->endpoints[e];
    return DN_NONE;
}

/* From each source to its switch: what follows does not change with the target. */
static GArray *walk_sources(Walk *w, const GArray *ends)
{
    w->entries = g_array_new(FALSE, FALSE, sizeof(Item));
    for (guint s = 0; s < ends->len; s++) {
        guint32 source = g_array_index(ends, guint32, s), target = partner(w->g, source);
        dn_key_set_empty(&w->visited);
        if (target != DN_NONE)
            walk_pair(w, source, target);
    }
    return g_steal_pointer(&w->entries);
}

/* Packets that leave the fabric at a switch: @arrivals are Items, their channels wait for that of
 * each target's port, and from there on the way inside the node. */
static void walk_targets(Walk *w, const GArray *ends, const GArray *arrivals)
{
    g_autofree guint32 *first = g_new0(guint32, w->g->size.switches + 2);
    g_autofree guint32 *ids = g_new(guint32, arrivals->len + 1);
    for (guint i = 0; i < arrivals->len; i++)
        first[g_array_index(arrivals, Item, i).vertex + 2]++;
    for (guint32 s = 1; s <= w->g->size.switches; s++)
        first[s + 1] += first[s];
    for (guint i = 0; i < arrivals->len; i++) {
        const Item *at = &g_array_index(arrivals, Item, i);
        ids[first[at->vertex + 1]++] = at->channel_id;
    }
    for (guint t = 0; t < ends->len; t++) {
        guint32 target = g_array_index(ends, guint32, t), source = partner(w->g, target);
        if (source == DN_NONE)
            continue;
        Visit at = {0, DN_NONE, {0}};
        dn_route_init(w->router, source, target, 0, &at.state);
        at.state.exit = DN_EXIT_NONE;
        at.vertex = at.state.target_switch;
        dn_key_set_empty(&w->visited);
        walk_from(w, &at);
        guint32 port = w->router->exit_port[target - w->g->size.switches];
        guint32 exit = channel_id(w->router, at.vertex, port, 0);
        for (guint32 i = first[at.vertex]; i < first[at.vertex + 1]; i++)
            add_edge(w, ids[i], exit);
    }
}

static void put_item(GArray *stack, DnKeySet *seen, const Item *item)
{
    guint8 phase = item->goal == DN_GOAL_LEAVE ? 0 : item->phase;
    g_assert(item->goal < 1u << 28);
    guint64 key = (guint64)item->goal << 36 | (guint64)phase << 28 | item->channel_id;
    if (dn_key_set_add(seen, key))
        g_array_append_vals(stack, item, 1);
}

/* From @entries goal by goal; returns where packets leave, as Items. */
static GArray *walk_goals(Walk *w, const GArray *entries)
{
    GArray *arrivals = g_array_new(FALSE, FALSE, sizeof(Item));
    g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(Item));
    g_autoptr(GArray) moves = g_array_new(FALSE, FALSE, sizeof(DnMove));
    DnKeySet seen;
    dn_key_set_init(&seen, FALSE);
    for (guint i = 0; i < entries->len; i++)
        put_item(stack, &seen, &g_array_index(entries, Item, i));
    while (stack->len > 0) {
        Item at = g_array_index(stack, Item, stack->len - 1);
        g_array_set_size(stack, stack->len - 1);
        if (at.goal == DN_GOAL_LEAVE) {
            g_array_append_val(arrivals, at);
            continue;
        }
        g_array_set_size(moves, 0);
        w->router->type->moves(w->router, at.goal, at.vertex, at.phase, moves);
        for (guint i = 0; i < moves->len; i++) {
            const DnMove *move = &g_array_index(moves, DnMove, i);
            Item next = {at.vertex, at.channel_id, move->goal, move->phase};
            if (move->port != DN_NONE) {
                guint channel = MIN((guint)move->channel, w->router->channels - 1);
                next.channel_id = channel_id(w->router, at.vertex, move->port, channel);
                next.vertex = w->g->links[next.channel_id / w->router->channels].dst;
                add_edge(w, at.channel_id, next.channel_id);
            }
            put_item(stack, &seen, &next);
        }
    }
    dn_key_set_clear(&seen);
    return arrivals;
}

void dn_deadlock_edges(const DnRouter *router, gboolean by_goals, DnKeySet *edges)
{
    Walk w;
    walk_init(&w, router, edges);
    g_autoptr(GArray) ends = representatives(w.g);
    walk_pairs(&w, ends, by_goals);
    if (by_goals) {
        g_autoptr(GArray) entries = walk_sources(&w, ends);
        g_autoptr(GArray) arrivals = walk_goals(&w, entries);
        walk_targets(&w, ends, arrivals);
    }
    walk_clear(&w);
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
    g_autofree char *needs =
        router->channels < router->channels_needed
            ? g_strdup_printf(" (it needs %u)", router->channels_needed)
            : g_strdup("");
    g_set_error(error, DN_ERROR, DN_ERROR_CYCLE,
                "routing '%s' with %u virtual channels%s can deadlock: %s -> the first again",
                router->type->name, router->channels, needs, text->str);
}

gboolean dn_deadlock_check(const DnRouter *router, GError **error)
{
    guint64 ids = (guint64)router->machine->graph->size.links * router->channels;
    if (ids >= MAX_CHANNEL_IDS) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "%" G_GUINT64_FORMAT " virtual channels; the deadlock check counts up to %u", ids,
                    MAX_CHANNEL_IDS);
        return FALSE;
    }
    /* moves() of an adaptive routing leaves its adaptive channels out, which is wrong as soon as one
     * falls together with an escape channel. */
    gboolean folded = router->adaptive_channels != 0 && router->channels < router->channels_needed;
    DnKeySet edges;
    dn_key_set_init(&edges, FALSE);
    dn_deadlock_edges(router, router->type->moves != NULL && !folded, &edges);
    g_autoptr(GArray) cycle = dn_find_cycle(&edges, (guint32)ids);
    if (cycle != NULL)
        report_cycle(router, cycle, error);
    dn_key_set_clear(&edges);
    return cycle == NULL;
}
