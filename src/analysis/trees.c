/* trees.c - packing spanning trees, and the bound that no allreduce beats (rings.h).
 *
 * The bound: let the endpoints be split into p parts and each part work as one. Reducing a byte
 * over p participants and telling all the result takes at least 2 (p - 1) transfers of a byte
 * (Patarasuk, Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", J.
 * Parallel Distributed Computing 69(2), 2009), all over links between parts, which carry twice the
 * (one-way) cut. So the buffer's size over the time is at most cut / (p - 1). The least over all
 * partitions is what Nash-Williams' theorem says trees can reach (in fractions of a link): the
 * bound is tight. */
#include "analysis/rings.h"

#include <math.h>
#include <string.h>

#define MOST_VERTICES 11 /* Bell(11) = 678,570 partitions */

typedef struct {
    const DnNet *net;
    guint32 *part; /* [n] restricted growth string */
    double best, best_links;
    guint32 *best_part, best_parts;
} Partitions;

static void trees_weigh(Partitions *x, guint32 parts)
{
    const DnNet *net = x->net;
    double cut = 0, links = 0;
    for (guint32 a = 0; a < net->n_arcs; a++)
        if (net->from[a] < net->to[a] && x->part[net->from[a]] != x->part[net->to[a]]) {
            cut += net->capacity_bps[a];
            links += net->width[a];
        }
    x->best_links = MIN(x->best_links, floor(links / (parts - 1)));
    if (cut / (parts - 1) >= x->best)
        return;
    x->best = cut / (parts - 1);
    x->best_parts = parts;
    memcpy(x->best_part, x->part, net->n * sizeof *x->part);
}

static void trees_partition(Partitions *x, guint32 v, guint32 parts)
{
    if (v == x->net->n) {
        if (parts > 1)
            trees_weigh(x, parts);
        return;
    }
    for (guint32 p = 0; p <= parts; p++) {
        x->part[v] = p;
        trees_partition(x, v + 1, MAX(parts, p + 1));
    }
}

/* ---- matroid union ---- */

typedef struct {
    guint32 n, n_edges, k;
    guint32 *u, *v;  /* [n_edges] physical links */
    guint32 *forest; /* [n_edges] 0..k-1; k: none */
    guint32 *parent; /* [n_edges] why it was reached; DN_NONE */
    guint32 *queue;
    guint8 *reached;
    guint32 *into; /* [n] scratch: edge by which a search came */
} Union;

/* Edges of the path from u to v in forest @f are appended to the queue unless reached before, with
 * @why as their parent. FALSE: no path, so the edge fits. */
static gboolean walk_forest(Union *x, guint32 f, guint32 why, guint32 *tail)
{
    guint32 stack[MOST_VERTICES * 8], depth = 0, start = x->u[why], end = x->v[why];
    g_assert(x->n <= G_N_ELEMENTS(stack));
    for (guint32 i = 0; i < x->n; i++)
        x->into[i] = DN_NONE;
    stack[depth++] = start;
    while (depth > 0 && x->into[end] == DN_NONE) {
        guint32 at = stack[--depth];
        for (guint32 e = 0; e < x->n_edges; e++) {
            if (x->forest[e] != f || (x->u[e] != at && x->v[e] != at))
                continue;
            guint32 next = x->u[e] ^ x->v[e] ^ at;
            if (next == start || x->into[next] != DN_NONE)
                continue;
            x->into[next] = e;
            stack[depth++] = next;
        }
    }
    if (x->into[end] == DN_NONE)
        return FALSE;
    for (guint32 at = end; at != start;) {
        guint32 e = x->into[at];
        if (!x->reached[e]) {
            x->reached[e] = 1;
            x->parent[e] = why;
            x->queue[(*tail)++] = e;
        }
        at ^= x->u[e] ^ x->v[e];
    }
    return TRUE;
}

/* Brings edge @e into some forest, moving others to make space; FALSE when there is none. */
static gboolean trees_augment(Union *x, guint32 e)
{
    guint32 tail = 0;
    memset(x->reached, 0, x->n_edges);
    x->reached[e] = 1;
    x->parent[e] = DN_NONE;
    x->queue[tail++] = e;
    for (guint32 head = 0; head < tail; head++) {
        guint32 at = x->queue[head];
        for (guint32 f = 0; f < x->k; f++) {
            if (f == x->forest[at] || walk_forest(x, f, at, &tail))
                continue;
            while (at != DN_NONE) {
                guint32 left = x->forest[at];
                x->forest[at] = f;
                f = left;
                at = x->parent[at];
            }
            return TRUE;
        }
    }
    return FALSE;
}

static void union_init(Union *x, const DnNet *net)
{
    guint32 most = 0;
    *x = (Union){.n = net->n};
    for (guint32 a = 0; a < net->n_arcs; a++)
        most += (guint32)net->width[a];
    x->u = g_new(guint32, most + 1);
    x->v = g_new(guint32, most + 1);
    x->forest = g_new(guint32, most + 1);
    x->parent = g_new(guint32, most + 1);
    x->queue = g_new(guint32, most + 1);
    x->reached = g_new(guint8, most + 1);
    x->into = g_new(guint32, net->n);
    for (guint32 a = 0; a < net->n_arcs; a++)
        for (guint32 i = 0; net->from[a] < net->to[a] && i < (guint32)net->width[a]; i++) {
            x->u[x->n_edges] = net->from[a];
            x->v[x->n_edges++] = net->to[a];
        }
}

static void union_clear(Union *x)
{
    g_free(x->u);
    g_free(x->v);
    g_free(x->forest);
    g_free(x->parent);
    g_free(x->queue);
    g_free(x->reached);
    g_free(x->into);
}

/* TRUE when @k spanning trees were packed. */
static gboolean trees_pack(Union *x, guint32 k)
{
    guint32 placed = 0;
    x->k = k;
    for (guint32 e = 0; e < x->n_edges; e++)
        x->forest[e] = k;
    for (guint32 e = 0; e < x->n_edges; e++)
        placed += trees_augment(x, e);
    return placed == k * (x->n - 1);
}

static void trees_take(const Union *x, const DnNet *net, DnTrees *out)
{
    guint32 at = 0;
    out->edges = g_new(guint32, (gsize)x->k * (x->n - 1) * 2 + 1);
    for (guint32 f = 0; f < x->k; f++)
        for (guint32 e = 0; e < x->n_edges; e++) {
            if (x->forest[e] != f)
                continue;
            guint32 a = dn_net_arc(net, x->u[e], x->v[e]);
            out->least_bps = MIN(out->least_bps, net->capacity_bps[a] / net->width[a]);
            out->edges[at++] = x->u[e];
            out->edges[at++] = x->v[e];
        }
}

DnTrees *dn_trees_pack(const DnNet *net, const DnGraph *graph)
{
    guint32 endpoints;
    g_autofree guint8 *is G_GNUC_UNUSED = dn_net_endpoints(net, graph, &endpoints);
    if (endpoints != net->n || net->n < 2 || net->n > MOST_VERTICES)
        return NULL;
    DnTrees *out = g_new0(DnTrees, 1);
    g_autofree guint32 *part = g_new0(guint32, net->n);
    out->n = net->n;
    out->part = g_new0(guint32, net->n);
    out->least_bps = INFINITY;
    Partitions all = {
        .net = net, .part = part, .best = INFINITY, .best_links = INFINITY, .best_part = out->part};
    trees_partition(&all, 1, 1);
    out->most_bps = all.best;
    out->parts = all.best_parts;
    out->most = out->count = (guint32)all.best_links;
    Union x;
    union_init(&x, net);
    /* Nash-Williams and Tutte: so many exist. */
    gboolean packed = trees_pack(&x, out->count);
    g_assert(packed);
    trees_take(&x, net, out);
    union_clear(&x);
    return out;
}

void dn_trees_free(DnTrees *trees)
{
    if (trees == NULL)
        return;
    g_free(trees->edges);
    g_free(trees->part);
    g_free(trees);
}
