/* routing_index.c - see routing_index.h. */
#include "analysis/routing_index.h"

#include "routing/path.h"

#include <string.h>

#define PORTS_A_CHOICE                                                                             \
    64                  /* of a next switch or group: choices at one switch are fewer than so
                             many for each switch of the fabric */
#define MOST_STEPS 1024 /* links of one path: more is a routing that does not arrive */

typedef struct {
    guint32 vertex;
    DnRouteState state;
    double amount;
} Front;

typedef struct {
    const DnRouter *router;
    const DnNet *fabric;
    GArray *front, *next; /* Front: packets at a switch, in equal states together */
    DnHop *hops;
    DnRouteState *after, *starts;
    double *load, carried;
    guint64 steps, max_steps;
    guint max; /* elements of hops, after and starts */
} Walk;

static gboolean same_state(const DnRouteState *a, const DnRouteState *b)
{
    return a->target == b->target && a->target_switch == b->target_switch && a->via == b->via &&
           a->flow == b->flow && a->phase == b->phase && a->hops == b->hops && a->mode == b->mode &&
           a->exit == b->exit;
}

static void routing_arrive(Walk *x, guint32 vertex, const DnRouteState *state, double amount)
{
    for (guint i = x->next->len; i-- > 0;) {
        x->steps++;
        Front *f = &g_array_index(x->next, Front, i);
        if (f->vertex != vertex || !same_state(&f->state, state))
            continue;
        f->amount += amount;
        return;
    }
    Front f = {vertex, *state, amount};
    g_array_append_val(x->next, f);
}

/* @amount at @vertex over the @n hops found, equally. */
static void routing_spread(Walk *x, guint32 vertex, double amount, guint n)
{
    const DnGraph *g = x->router->machine->graph;
    g_assert(n > 0);
    amount /= n;
    x->steps += n;
    for (guint i = 0; i < n; i++) {
        guint32 l = dn_route_link(x->router, vertex, x->hops[i].port), v = g->links[l].dst;
        if (v < g->size.switches) {
            x->load[x->fabric->link_arc[l]] += amount;
            x->carried += amount;
        }
        /* Once at the NIC, or at the target's switch, the rest is given. */
        if (v < g->size.switches && v != x->after[i].target_switch)
            routing_arrive(x, v, &x->after[i], amount);
    }
}

static void routing_step(Walk *x, const Front *f)
{
    guint n = dn_route_choices(x->router, f->vertex, &f->state, x->hops, x->after, x->max);
    routing_spread(x, f->vertex, f->amount, n);
}

/* First hops: what dn_route_choices() does there, but the starts weigh alike whatever the number of
 * hops from each. Channels do not matter here. */
static void routing_start(Walk *x, guint32 vertex, const DnRouteState *state, double amount)
{
    const DnRoutingType *type = x->router->type;
    if (type->starts == NULL) {
        guint n = dn_route_choices(x->router, vertex, state, x->hops, x->after, x->max);
        routing_spread(x, vertex, amount, n);
        return;
    }
    guint n_starts = type->starts(x->router, vertex, state, x->starts, x->max);
    for (guint s = 0; s < n_starts; s++) {
        guint n = type->choices(x->router, vertex, &x->starts[s], x->hops, x->after, x->max);
        for (guint i = 0; i < n; i++)
            x->after[i].hops++;
        routing_spread(x, vertex, amount / n_starts, n);
    }
}

/* Enters the walk at the first switch: the path up to it lies inside the node. */
static void routing_enter(Walk *x, guint32 source, guint32 target, double amount)
{
    guint32 switches = x->router->machine->graph->size.switches;
    DnPath path = dn_path_begin(x->router, source, target, x->router->mode, DN_RAIL_OWN);
    while (path.vertex >= switches)
        dn_path_first(&path, x->hops, x->after, x->max);
    routing_start(x, path.vertex, &path.state, amount);
}

static gboolean walk_pair(Walk *x, guint32 source, guint32 target, double amount)
{
    g_array_set_size(x->next, 0);
    routing_enter(x, source, target, amount);
    for (guint links = 0; x->next->len > 0 && x->steps <= x->max_steps; links++) {
        g_assert(links < MOST_STEPS);
        GArray *swap = x->front;
        x->front = x->next;
        x->next = swap;
        g_array_set_size(x->next, 0);
        for (guint i = 0; i < x->front->len; i++)
            routing_step(x, &g_array_index(x->front, Front, i));
    }
    return x->steps <= x->max_steps;
}

/* [R]: an endpoint's vertex on each switch, DN_NONE where there is none. */
static guint32 *routing_representatives(const DnGraph *g)
{
    guint32 *of = g_new(guint32, g->size.switches + 1);
    memset(of, 0xff, g->size.switches * sizeof *of);
    for (guint32 e = g->size.endpoints; e-- > 0;)
        of[g->terminal_switch[g->endpoint_terminal[e]]] = g->endpoints[e];
    return of;
}

/* Like @of, but the last ones: two endpoints of different nodes where the first ones share one. */
static guint32 *last_representatives(const DnGraph *g)
{
    guint32 *of = g_new(guint32, g->size.switches + 1);
    memset(of, 0xff, g->size.switches * sizeof *of);
    for (guint32 e = 0; e < g->size.endpoints; e++)
        of[g->terminal_switch[g->endpoint_terminal[e]]] = g->endpoints[e];
    return of;
}

static gboolean walk_all(Walk *x, const DnTrafficShares *shares, double *demanded)
{
    const DnGraph *g = x->router->machine->graph;
    g_autofree guint32 *first = routing_representatives(g), *last = last_representatives(g);
    guint32 r = g->size.switches;
    for (guint32 s = 0; s < r; s++)
        for (guint32 t = 0; t < r; t++) {
            double amount = shares->switches[(gsize)s * r + t];
            if (amount <= 0)
                continue;
            *demanded += amount;
            if (s == t)
                continue;
            guint32 target = first[t];
            if (g->vertices[target].node == g->vertices[first[s]].node)
                target = last[t];
            if (!walk_pair(x, first[s], target, amount))
                return FALSE;
        }
    return TRUE;
}

gboolean dn_routing_load(const DnRouter *router, const DnTrafficShares *shares, guint64 max_steps,
                         double *load, /* NOLINT(readability-non-const-parameter): written */
                         double *mean_hops, GError **error)
{
    if (shares->fabric == NULL) {
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "%s has no fabric: paths inside a node are the shortest, whatever the routing",
                    router->machine->name);
        return FALSE;
    }
    guint max = PORTS_A_CHOICE * MAX(64, router->machine->graph->size.switches);
    Walk x = {.router = router,
              .fabric = shares->fabric,
              .front = g_array_new(FALSE, FALSE, sizeof(Front)),
              .next = g_array_new(FALSE, FALSE, sizeof(Front)),
              .hops = g_new(DnHop, max),
              .after = g_new(DnRouteState, max),
              .starts = g_new(DnRouteState, max),
              .max = max,
              .load = load,
              .max_steps = max_steps};
    double demanded = 0;
    gboolean done = walk_all(&x, shares, &demanded);
    *mean_hops = demanded > 0 ? x.carried / demanded : 0;
    if (!done)
        g_set_error(error, DN_ERROR, DN_ERROR_RANGE,
                    "routing '%s' allows too many paths here to follow each (more than "
                    "%" G_GUINT64_FORMAT " hops); take a part of the machine with --nodes",
                    router->type->name, max_steps);
    g_array_unref(x.front);
    g_array_unref(x.next);
    g_free(x.hops);
    g_free(x.after);
    g_free(x.starts);
    return done;
}
