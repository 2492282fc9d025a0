/* deadlock_check.c - The deadlock check builds the channel dependencies of a routed machine and
 * proves that none is cyclic.
 *
 * Dally & Seitz, IEEE Trans. Computers C-36(5), 1987, theorem 1: routing is free of deadlock when
 * the graph of dependencies between channels has no cycle. A channel is (link, virtual channel) of
 * fabric and nodes; lanes never mix and are copies of each other. A packet whose head waits at the
 * end of channel a for channel b is an edge a -> b. Every edge any packet can cause is collected:
 * nothing is sampled. Nodes of a machine are alike, so all endpoints of node 0 and one endpoint
 * behind every switch stand for all.
 *
 * Adaptive channels (DnRouter.adaptive_channels) have no edges into them. A packet is queued for
 * one only when the far buffer has space for it behind all packets queued for it before
 * (DnLoadView.has_credit); that space cannot be lost, so the packet waits for the link alone, which
 * always becomes free. Cut-through keeps a blocked packet in one buffer, so every packet that waits
 * for credits waits at one channel for another that is not adaptive. In a deadlock each of a set of
 * packets waits for a channel full of packets of the set: following them leads round a cycle of
 * edges between channels that are waited for. When there is none and every switch offers a hop on a
 * channel that is not adaptive (asserted), there is no deadlock (Duato, IEEE TPDS 7(8), 1996, for
 * cut-through: a subfunction that is always offered, with an acyclic graph of its own).
 *
 * Two walks (the tests check that the second has every edge of the first; it may have a few more,
 * see group_moves.c):
 *   target by target  every (source, target) over choices(): O(targets * channels), times detours
 *   by goals          over moves(): each (goal, vertex, phase) is a junction of the graph, reached
 *                     from the channels that packets for that goal come over, and leading to those
 *                     they wait for; so nothing is multiplied out. See group_moves.c, torus_path.c.
 *                     Stretches inside nodes do not depend on the fabric's and are walked apart. */
#include "routing/deadlock_check.h"

#include "base/interrupt.h"
#include "base/memory.h"
#include "base/rng.h"
#include "base/units.h"
#include "routing/settled.h"

#define MAX_CHOICES (1u << 16)
#define MAX_CHANNEL_IDS (1u << 28)

typedef struct {
    guint32 vertex;
    guint32 channel_id; /* link * channels + channel, DN_NONE at the source */
    DnRouteState state;
} Visit;

/* Packets at a switch, heading for a goal: a junction. */
typedef struct {
    guint32 vertex, goal, node;
    guint8 phase;
} Junction;

typedef struct {
    const DnRouter *router;
    const DnGraph *g;
    DnWaitGraph *graph;
    guint64 max_bytes; /* of walk and graph */
    DnKeySet visited;  /* Visits on paths to one target */
    DnKeySet edges;    /* between channels, target by target */
    GArray *stack;     /* Visit */
    DnHop *hops;
    DnRouteState *after;
    gboolean by_goals;
    DnKeySet junctions;
    GArray *open;     /* Junction: to be expanded */
    guint32 *leaving; /* [R] the junction where packets leave the fabric, DN_NONE */
} Walk;

static void walk_init(Walk *w, const DnRouter *router, gboolean by_goals, guint64 max_bytes,
                      DnWaitGraph *graph)
{
    const DnGraph *g = router->machine->graph;
    guint32 n = g->size.links * router->channels;
    *graph = (DnWaitGraph){.n_channels = n, .n_nodes = n};
    graph->edges = g_array_new(FALSE, FALSE, sizeof(guint64));
    *w = (Walk){
        .router = router, .g = g, .graph = graph, .max_bytes = max_bytes, .by_goals = by_goals};
    dn_key_set_init(&w->visited);
    dn_key_set_init(&w->edges);
    dn_key_set_init(&w->junctions);
    w->stack = g_array_new(FALSE, FALSE, sizeof(Visit));
    w->open = g_array_new(FALSE, FALSE, sizeof(Junction));
    w->hops = g_new(DnHop, MAX_CHOICES);
    w->after = g_new(DnRouteState, MAX_CHOICES);
    w->leaving = g_new(guint32, w->g->size.switches + 1);
    for (guint32 s = 0; s < w->g->size.switches; s++)
        w->leaving[s] = DN_NONE;
}

/* TRUE: the memory limit is reached, or the user interrupts. */
static gboolean walk_stops(const Walk *w)
{
    guint64 nodes = (guint64)w->graph->n_channels + w->junctions.n;
    guint64 bytes = dn_wait_graph_memory_bytes(w->graph, nodes) +
                    dn_key_set_memory_bytes(&w->visited) + dn_key_set_memory_bytes(&w->edges) +
                    dn_key_set_memory_bytes(&w->junctions) + w->stack->len * 2 * sizeof(Visit) +
                    w->open->len * 2 * sizeof(Junction);
    w->graph->is_full |= bytes > w->max_bytes;
    return w->graph->is_full || dn_interrupted();
}

static void walk_clear(Walk *w)
{
    w->graph->n_nodes += w->junctions.n;
    dn_key_set_clear(&w->visited);
    dn_key_set_clear(&w->edges);
    dn_key_set_clear(&w->junctions);
    g_array_unref(w->stack);
    g_array_unref(w->open);
    g_free(w->hops);
    g_free(w->after);
    g_free(w->leaving);
}

static guint32 channel_id(const DnRouter *router, guint32 vertex, guint32 port, guint channel)
{
    const DnGraph *g = router->machine->graph;
    g_assert(channel < router->channels);
    return g->ports[g->port_first[vertex] + port] * router->channels + channel;
}

/* Returns TRUE for links between switches: inside nodes and at their NICs packets wait on every
 * channel. */
static gboolean is_adaptive(const DnRouter *router, guint32 id)
{
    const DnLink *link = &router->machine->graph->links[id / router->channels];
    guint32 switches = router->machine->graph->size.switches;
    return link->src < switches && link->dst < switches &&
           (router->adaptive_channels >> id % router->channels & 1);
}

static void add_edge(Walk *w, guint32 from, guint32 to)
{
    gboolean is_new;
    if (from == DN_NONE || is_adaptive(w->router, to))
        return;
    dn_key_set_add(&w->edges, (guint64)from << 32 | to, &is_new);
    if (is_new)
        dn_wait_graph_add(w->graph, from, to);
}

/* The node of a junction; a new one is to be expanded. */
static guint32 deadlock_junction(Walk *w, guint32 goal, guint32 vertex, guint8 phase)
{
    if (goal == DN_GOAL_LEAVE)
        phase = 0;
    g_assert(goal < 1u << 28 && vertex < 1u << 28);
    gboolean is_new;
    guint32 number =
        dn_key_set_add(&w->junctions, (guint64)goal << 36 | (guint64)phase << 28 | vertex, &is_new);
    g_assert(number < G_MAXUINT32 - w->graph->n_channels);
    Junction at = {vertex, goal, w->graph->n_channels + number, phase};
    if (is_new)
        g_array_append_val(w->open, at);
    return at.node;
}

static void deadlock_visit(Walk *w, const Visit *from, const DnHop *hop, const DnRouteState *after)
{
    guint32 id = channel_id(w->router, from->vertex, hop->port, hop->channel);
    add_edge(w, from->channel_id, id);
    guint64 key = dn_mix64((guint64)after->via << 32 | (guint64)after->phase << 16 |
                           (guint64)after->hops << 8 | after->exit) ^
                  ((guint64)id << 24);
    gboolean is_new;
    dn_key_set_add(&w->visited, key, &is_new);
    if (!is_new)
        return;
    Visit next = {w->g->links[id / w->router->channels].dst, id, *after};
    if (next.vertex == after->target)
        return;
    if (w->by_goals && next.vertex < w->g->size.switches)
        dn_wait_graph_add(w->graph, id, deadlock_junction(w, DN_GOAL_ENTER, next.vertex, 0));
    else
        g_array_append_val(w->stack, next);
}

/* Some hop of each state must be on a channel that may be waited for. */
static void check_escape(const Walk *w, guint32 vertex, guint n)
{
    gboolean escape = FALSE;
    for (guint i = 0; i < n; i++)
        escape |= !is_adaptive(w->router,
                               channel_id(w->router, vertex, w->hops[i].port, w->hops[i].channel));
    g_assert(escape);
}

static void walk_from(Walk *w, const Visit *first)
{
    g_array_append_val(w->stack, *first);
    while (w->stack->len > 0 && !walk_stops(w)) {
        Visit at = g_array_index(w->stack, Visit, w->stack->len - 1);
        g_array_set_size(w->stack, w->stack->len - 1);
        guint n = dn_route_choices(w->router, at.vertex, &at.state, w->hops, w->after, MAX_CHOICES);
        check_escape(w, at.vertex, n);
        for (guint i = 0; i < n; i++)
            deadlock_visit(w, &at, &w->hops[i], &w->after[i]);
    }
}

/* Returns the number of rails that messages may take: any, or each endpoint's own and, where reads
 * are split, those after it. With leave_by_target a source leaves by any, as its targets have. */
static guint rails_walked(const DnRouter *router)
{
    if (router->leave_by_target)
        return MAX(1, router->nics);
    return MAX(1, router->rails > 0 ? router->rails : router->split_rails);
}

/* The @i-th of them. */
static guint32 rail_of(const DnRouter *router, guint i)
{
    if (router->rails > 0 || (router->leave_by_target && router->nics > 1))
        return i;
    return dn_router_rail_after(router, i);
}

static void walk_pair(Walk *w, guint32 source, guint32 target)
{
    for (guint i = 0; i < rails_walked(w->router); i++) {
        Visit first = {source, DN_NONE, {0}};
        dn_route_init_rail(w->router, source, target, 0, rail_of(w->router, i), &first.state);
        walk_from(w, &first);
    }
}

/* Endpoint vertices that stand for all: node 0 whole, and one behind every switch. */
static GArray *deadlock_representatives(const DnGraph *g)
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

static gboolean deadlock_apart(const DnGraph *g, guint32 a, guint32 b)
{
    return g->vertices[a].node != g->vertices[b].node;
}

/* Finds the @ends in the node of the @t-th, which are consecutive: from *@first on, up to *@end. */
static void ends_of_node(const DnGraph *g, const GArray *ends, guint t, guint *first, guint *end)
{
    const guint32 *all = (const guint32 *)(const void *)ends->data;
    *first = t;
    *end = t + 1;
    while (*first > 0 && !deadlock_apart(g, all[*first - 1], all[t]))
        --*first;
    while (*end < ends->len && !deadlock_apart(g, all[*end], all[t]))
        ++*end;
}

/* Pairs of @ends; @within: only inside a node. */
static void walk_pairs(Walk *w, const GArray *ends, gboolean within)
{
    guint first = 0, end = ends->len;
    for (guint t = 0; t < ends->len && !walk_stops(w); t++) {
        guint32 target = g_array_index(ends, guint32, t);
        dn_key_set_empty(&w->visited);
        if (within)
            ends_of_node(w->g, ends, t, &first, &end);
        for (guint s = first; s < end; s++) {
            guint32 source = g_array_index(ends, guint32, s);
            gboolean far = deadlock_apart(w->g, source, target);
            if (source == target || (far && !(on_fabric(w->g, source) && on_fabric(w->g, target))))
                continue;
            walk_pair(w, source, target);
        }
    }
}

/* An endpoint of another node that can be reached from @vertex, or DN_NONE. */
static guint32 deadlock_partner(const DnGraph *g, guint32 vertex)
{
    for (guint32 e = 0; on_fabric(g, vertex) && e < g->size.endpoints; e++)
        if (deadlock_apart(g, g->endpoints[e], vertex) && g->endpoint_terminal[e] != DN_NONE)
            return g->endpoints[e];
    return DN_NONE;
}

/* Walks from each source to one target: the hops to its switch do not depend on the target. */
static void walk_sources(Walk *w, const GArray *ends)
{
    for (guint s = 0; s < ends->len && !walk_stops(w); s++) {
        guint32 source = g_array_index(ends, guint32, s), target = deadlock_partner(w->g, source);
        dn_key_set_empty(&w->visited);
        if (target != DN_NONE)
            walk_pair(w, source, target);
    }
}

static void deadlock_expand(Walk *w, const Junction *at, const DnMove *move)
{
    if (move->port == DN_NONE) {
        guint32 to = deadlock_junction(w, move->goal, at->vertex, move->phase);
        dn_wait_graph_add(w->graph, at->node, to);
        return;
    }
    guint channel = MIN((guint)move->channel, w->router->channels - 1);
    guint32 id = channel_id(w->router, at->vertex, move->port, channel);
    guint32 peer = w->g->links[id / w->router->channels].dst;
    if (!is_adaptive(w->router, id))
        dn_wait_graph_add(w->graph, at->node, id);
    dn_wait_graph_add(w->graph, id, deadlock_junction(w, move->goal, peer, move->phase));
}

/* Through the fabric goal by goal, until nothing new is reached. */
static void walk_goals(Walk *w)
{
    g_autoptr(GArray) moves = g_array_new(FALSE, FALSE, sizeof(DnMove));
    while (w->open->len > 0 && !walk_stops(w)) {
        Junction at = g_array_index(w->open, Junction, w->open->len - 1);
        g_array_set_size(w->open, w->open->len - 1);
        if (at.goal == DN_GOAL_LEAVE) {
            w->leaving[at.vertex] = at.node;
            continue;
        }
        g_array_set_size(moves, 0);
        w->router->type->moves(w->router, at.goal, at.vertex, at.phase, moves);
        for (guint i = 0; i < moves->len; i++)
            deadlock_expand(w, &at, &g_array_index(moves, DnMove, i));
    }
}

/* A packet that leaves the fabric towards @target over one rail waits for the port of that NIC. */
static void walk_target(Walk *w, guint32 source, guint32 target, guint32 rail)
{
    Visit at = {0, DN_NONE, {0}};
    dn_route_init_rail(w->router, source, target, 0, rail, &at.state);
    dn_route_enter_fabric(&at.state);
    at.vertex = at.state.target_switch;
    dn_key_set_empty(&w->visited);
    walk_from(w, &at);
    DnHop hop;
    DnRouteState after;
    dn_route_choices(w->router, at.vertex, &at.state, &hop, &after, 1);
    if (w->leaving[at.vertex] != DN_NONE)
        dn_wait_graph_add(w->graph, w->leaving[at.vertex],
                          channel_id(w->router, at.vertex, hop.port, hop.channel));
}

/* Walks the path inside the node, from the last switch on. */
static void walk_targets(Walk *w, const GArray *ends)
{
    for (guint t = 0; t < ends->len && !walk_stops(w); t++) {
        guint32 target = g_array_index(ends, guint32, t), source = deadlock_partner(w->g, target);
        for (guint i = 0; source != DN_NONE && i < rails_walked(w->router); i++)
            walk_target(w, source, target, rail_of(w->router, i));
    }
}

void dn_deadlock_graph(const DnRouter *router, gboolean by_goals, guint64 max_bytes,
                       DnWaitGraph *graph)
{
    Walk w;
    walk_init(&w, router, by_goals, max_bytes, graph);
    g_autoptr(GArray) ends = deadlock_representatives(w.g);
    walk_pairs(&w, ends, by_goals);
    if (by_goals) {
        walk_sources(&w, ends);
        walk_goals(&w);
        walk_targets(&w, ends);
    }
    walk_clear(&w);
}

/* Walks in place of walk_goals(): a packet that enters the fabric may leave it at any switch with
 * terminals. */
static void walk_around(Walk *w)
{
    guint32 fabric = deadlock_junction(w, DN_GOAL_ENTER, w->g->size.switches, 0);
    for (; w->open->len > 0; g_array_set_size(w->open, w->open->len - 1)) {
        const Junction *at = &g_array_index(w->open, Junction, w->open->len - 1);
        if (at->node != fabric)
            dn_wait_graph_add(w->graph, at->node, fabric);
    }
    for (guint32 t = 0; t < w->g->size.terminals; t++) {
        guint32 s = w->g->terminal_switch[t];
        if (s == DN_NONE || w->leaving[s] != DN_NONE)
            continue;
        w->leaving[s] = deadlock_junction(w, DN_GOAL_LEAVE, s, 0);
        dn_wait_graph_add(w->graph, fabric, w->leaving[s]);
    }
}

gboolean dn_deadlock_graph_around(const DnRouter *router, guint64 max_bytes, DnWaitGraph *graph)
{
    Walk w;
    if (router->type->ascends == NULL || !router->type->ascends(router))
        return FALSE;
    walk_init(&w, router, TRUE, max_bytes, graph);
    g_autoptr(GArray) ends = deadlock_representatives(w.g);
    walk_pairs(&w, ends, TRUE);
    walk_sources(&w, ends);
    walk_around(&w);
    walk_targets(&w, ends);
    walk_clear(&w);
    return TRUE;
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
    g_autofree char *needs = router->channels < router->channels_needed
                                 ? g_strdup_printf(" (it needs %u)", router->channels_needed)
                                 : g_strdup("");
    g_set_error(error, DN_ERROR, DN_ERROR_CYCLE,
                "routing '%s' with %u virtual channels%s can deadlock: %s -> the first again",
                router->type->name, router->channels, needs, text->str);
}

/* TRUE: the short proof holds. */
static gboolean deadlock_short_proof(const DnRouter *router, guint64 max_bytes)
{
    DnWaitGraph graph;
    if (!dn_deadlock_graph_around(router, max_bytes, &graph))
        return FALSE;
    gboolean stopped = graph.is_full || dn_interrupted();
    g_autoptr(GArray) cycle = stopped ? NULL : dn_wait_graph_cycle(&graph);
    g_array_unref(graph.edges);
    return cycle == NULL && !graph.is_full;
}

static gboolean deadlock_no_memory(const DnRouter *router, guint64 max_bytes, GError **error)
{
    char text[DN_UNIT_BUF];
    g_set_error(error, DN_ERROR, DN_ERROR_MEMORY,
                "the deadlock check of routing '%s' takes more than the %s that are left beside "
                "the machine; a larger packet.max_memory or fewer virtual channels",
                router->type->name, dn_format_bytes((gint64)MIN(max_bytes, G_MAXINT64), text));
    return FALSE;
}

gboolean dn_deadlock_check_within(const DnRouter *router, guint64 max_bytes, GError **error)
{
    guint64 ids = (guint64)router->machine->graph->size.links * router->channels;
    if (ids >= MAX_CHANNEL_IDS) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "%" G_GUINT64_FORMAT " virtual channels; the deadlock check counts up to %u",
                    ids, MAX_CHANNEL_IDS);
        return FALSE;
    }
    /* moves() of an adaptive routing leaves its adaptive channels out, which is wrong as soon as
     * one falls together with an escape channel. */
    gboolean folded = router->adaptive_channels != 0 && router->channels < router->channels_needed;
    if (!folded && deadlock_short_proof(router, max_bytes))
        return dn_interrupt_check(error);
    DnWaitGraph graph;
    dn_deadlock_graph(router, router->type->moves != NULL && !folded, max_bytes, &graph);
    gboolean stopped = graph.is_full || dn_interrupted();
    g_autoptr(GArray) cycle = stopped ? NULL : dn_wait_graph_cycle(&graph);
    if (cycle != NULL)
        report_cycle(router, cycle, error);
    g_array_unref(graph.edges);
    if (cycle != NULL || !dn_interrupt_check(error))
        return FALSE;
    return !graph.is_full || deadlock_no_memory(router, max_bytes, error);
}

gboolean dn_deadlock_check(const DnRouter *router, GError **error)
{
    return dn_deadlock_check_within(router, dn_memory_limit(0), error);
}
