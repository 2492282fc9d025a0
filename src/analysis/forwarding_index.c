/* forwarding_index.c - see forwarding_index.h. */
#include "analysis/forwarding_index.h"

#include <math.h>

typedef struct {
    guint32 *distance, *order;
    double *paths;   /* shortest paths from the source */
    double *through; /* demand that passes or ends here */
} Scratch;

static void scratch_init(Scratch *s, guint32 n)
{
    *s = (Scratch){g_new(guint32, n + 1), g_new(guint32, n + 1), g_new(double, n + 1),
                   g_new(double, n + 1)};
}

static void scratch_clear(Scratch *s)
{
    g_free(s->distance);
    g_free(s->order);
    g_free(s->paths);
    g_free(s->through);
}

static gboolean has_demand(const double *row, guint32 n, guint32 s)
{
    for (guint32 t = 0; t < n; t++)
        if (row[t] > 0 && t != s)
            return TRUE;
    return FALSE;
}

/* Arcs into v are the reverses of those out of v, whose other ends can be read in order. */
static inline gboolean comes_from(const DnNet *net, const Scratch *x, guint32 s, guint32 v,
                                  guint32 u)
{
    return x->distance[u] + 1 == x->distance[v] && (u == s || net->transit[u]);
}

static void split_from(const DnNet *net, guint32 s, const double *row, gboolean by_links,
                       Scratch *x, double *load)
{
    guint32 reached = dn_net_search(net, s, x->distance, x->order);
    for (guint32 v = 0; v < net->n; v++) {
        x->paths[v] = v == s;
        x->through[v] = v == s ? 0 : row[v];
        g_assert(v == s || row[v] <= 0 || x->distance[v] != G_MAXUINT32);
    }
    for (guint32 i = 1; i < reached; i++) {
        guint32 v = x->order[i];
        for (guint32 b = net->first[v]; b < net->first[v + 1]; b++)
            if (comes_from(net, x, s, v, net->to[b]))
                x->paths[v] += x->paths[net->to[b]] * (by_links ? net->width[b] : 1);
    }
    /* Vertices from the farthest back: the load of v came over its predecessors in proportion to
     * their paths. */
    for (guint32 i = reached; i-- > 1;) {
        guint32 v = x->order[i];
        if (x->through[v] <= 0)
            continue;
        double part = x->through[v] / x->paths[v];
        for (guint32 b = net->first[v]; b < net->first[v + 1]; b++) {
            guint32 u = net->to[b];
            if (!comes_from(net, x, s, v, u))
                continue;
            double amount = part * x->paths[u] * (by_links ? net->width[b] : 1);
            load[net->reverse[b]] += amount;
            x->through[u] += amount;
        }
    }
}

void dn_split_equally(const DnNet *net, const double *demand, gboolean by_links, double *load)
{
    Scratch x;
    scratch_init(&x, net->n);
    for (guint32 s = 0; s < net->n; s++)
        if (has_demand(demand + (gsize)s * net->n, net->n, s))
            split_from(net, s, demand + (gsize)s * net->n, by_links, &x, load);
    scratch_clear(&x);
}

static void fix_from(const DnNet *net, guint32 s, const double *row, Scratch *x, guint32 *into,
                     double *load)
{
    guint32 reached = dn_net_search(net, s, x->distance, x->order);
    for (guint32 v = 0; v < net->n; v++) {
        into[v] = DN_NONE;
        x->through[v] = row[v];
    }
    for (guint32 i = 0; i < reached; i++) {
        guint32 u = x->order[i];
        for (guint32 a = net->first[u]; a < net->first[u + 1]; a++)
            if (into[net->to[a]] == DN_NONE && comes_from(net, x, s, net->to[a], u))
                into[net->to[a]] = a;
    }
    for (guint32 i = reached; i-- > 1;) {
        guint32 v = x->order[i];
        load[into[v]] += x->through[v];
        x->through[net->from[into[v]]] += x->through[v];
    }
}

void dn_route_fixed(const DnNet *net, const double *demand, double *load)
{
    Scratch x;
    scratch_init(&x, net->n);
    g_autofree guint32 *into = g_new(guint32, net->n + 1);
    for (guint32 s = 0; s < net->n; s++)
        if (has_demand(demand + (gsize)s * net->n, net->n, s))
            fix_from(net, s, demand + (gsize)s * net->n, &x, into, load);
    scratch_clear(&x);
}

DnIndex dn_index_of(const DnNet *net, const double *load)
{
    /* Sums of doubles in different orders: equal loads may differ in the last digits. */
    const double above = 1 + 1e-9;
    DnIndex index = {
        .paths_arc = DN_NONE, .link_arc = DN_NONE, .rate_bps = INFINITY, .rate_arc = DN_NONE};
    for (guint32 a = 0; a < net->n_arcs; a++) {
        if (load[a] <= 0)
            continue;
        if (load[a] > index.paths * above) {
            index.paths = load[a];
            index.paths_arc = a;
            index.paths_ties = 0;
        }
        index.paths_ties += load[a] * above > index.paths;
        if (load[a] / net->width[a] > index.per_link * above) {
            index.per_link = load[a] / net->width[a];
            index.link_arc = a;
        }
        if (net->capacity_bps[a] / load[a] * above < index.rate_bps) {
            index.rate_bps = net->capacity_bps[a] / load[a];
            index.rate_arc = a;
        }
    }
    return index;
}
