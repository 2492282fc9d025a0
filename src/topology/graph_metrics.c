/* graph_metrics.c - distances, radix and link counts of a graph (graph_metrics.h).
 *
 * The search runs from 64 switches at once, one bit each, as in Then, Kaufmann, Chirigati,
 * Hoang-Vu, Pham, Kemper, Neumann, Vo, "The More the Merrier: Efficient Multi-Source Graph
 * Traversal", PVLDB 8(4), 2014. */
#include "topology/graph_metrics.h"

/* Switch-to-switch neighbours, each once. */
typedef struct {
    guint32 n;
    guint32 *first; /* [n + 1] */
    guint32 *to;
    guint8 *edge; /* [n] has terminals */
} SwitchGraph;

typedef struct {
    guint64 pairs, hops; /* reached ordered pairs, and their distances summed */
    guint32 farthest;
    guint32 sources;
} Counts;

#define BATCH 64 /* switches searched from at once */

#define MOST_VISITS G_GUINT64_CONSTANT(3000000000) /* some four seconds */

static void switch_graph_fill(const DnGraph *g, SwitchGraph *s)
{
    s->n = g->size.switches;
    s->first = g_new0(guint32, s->n + 1);
    s->to = g_new(guint32, g->size.links);
    s->edge = g_new0(guint8, s->n);
    g_autofree guint32 *seen_from = g_new0(guint32, s->n); /* v + 1 that listed it last */
    guint32 n_to = 0;
    for (guint32 v = 0; v < s->n; v++) {
        for (guint32 i = g->port_first[v]; i < g->port_first[v + 1]; i++) {
            guint32 dst = g->links[g->ports[i]].dst;
            if (dst >= s->n || seen_from[dst] == v + 1)
                continue;
            seen_from[dst] = v + 1;
            s->to[n_to++] = dst;
        }
        s->first[v + 1] = n_to;
    }
    /* Every NIC cable counts, not only a terminal's first. */
    for (guint32 t = 0; t < g->size.terminals; t++) {
        guint32 v = g->terminals[t];
        for (guint32 i = g->port_first[v]; i < g->port_first[v + 1]; i++)
            if (g->links[g->ports[i]].dst < s->n)
                s->edge[g->links[g->ports[i]].dst] = 1;
    }
}

static void switch_graph_clear(SwitchGraph *s)
{
    g_free(s->first);
    g_free(s->to);
    g_free(s->edge);
}

static void counts_add(Counts *counts, guint64 arrived, guint32 hops)
{
    guint count = (guint)__builtin_popcountll(arrived);
    if (count == 0)
        return;
    counts->pairs += count;
    counts->hops += (guint64)count * hops;
    counts->farthest = MAX(counts->farthest, hops);
}

/* Searches from switches @base .. @base + 63; @seen, @visit, @next: [n] scratch. Returns how often
 * it visited a switch or a link. */
static guint64 search_batch(const SwitchGraph *s, guint32 base, guint64 *seen, guint64 *visit,
                            guint64 *next, Counts *all, Counts *edge)
{
    guint64 edge_sources = 0, visits = 0;
    gboolean moved = TRUE;
    memset(seen, 0, s->n * sizeof *seen);
    memset(visit, 0, s->n * sizeof *visit);
    for (guint32 i = 0; i < BATCH && base + i < s->n; i++) {
        seen[base + i] = visit[base + i] = G_GUINT64_CONSTANT(1) << i;
        edge_sources |= (guint64)s->edge[base + i] << i;
        all->sources++;
        edge->sources += s->edge[base + i];
    }
    for (guint32 hops = 1; moved; hops++) {
        moved = FALSE;
        memset(next, 0, s->n * sizeof *next);
        visits += 2 * s->n;
        for (guint32 v = 0; v < s->n; v++) {
            if (visit[v] == 0)
                continue;
            for (guint32 i = s->first[v]; i < s->first[v + 1]; i++)
                next[s->to[i]] |= visit[v];
            visits += s->first[v + 1] - s->first[v];
        }
        for (guint32 v = 0; v < s->n; v++) {
            visit[v] = next[v] & ~seen[v];
            seen[v] |= visit[v];
            moved |= visit[v] != 0;
            counts_add(all, visit[v], hops);
            if (s->edge[v])
                counts_add(edge, visit[v] & edge_sources, hops);
        }
    }
    return visits;
}

/* Hops of the farthest pair, or DN_NONE unless the sources, of @n switches in @planes that are
 * equal, all reach the other switches of their plane. */
static guint32 counts_diameter(const Counts *counts, guint32 n, guint32 planes)
{
    guint32 others = n > planes ? n / planes - 1 : 0;
    return counts->pairs == (guint64)counts->sources * others ? counts->farthest : DN_NONE;
}

static double counts_mean(const Counts *counts)
{
    return counts->pairs == 0 ? 0 : (double)counts->hops / (double)counts->pairs;
}

static void measure_distances(const DnGraph *g, guint64 most_visits, DnGraphMetrics *m)
{
    SwitchGraph s;
    Counts all = {0}, edge = {0};
    switch_graph_fill(g, &s);
    g_autofree guint64 *seen = g_new(guint64, s.n);
    g_autofree guint64 *visit = g_new(guint64, s.n);
    g_autofree guint64 *next = g_new(guint64, s.n);
    guint64 batches = (s.n + BATCH - 1) / BATCH, searched = batches, first = 0;
    while (first < s.n && !s.edge[first])
        first++;
    for (guint64 i = 0; i < searched; i++) {
        guint64 batch = (first / BATCH + i * batches / searched) % batches;
        guint64 visits = search_batch(&s, (guint32)batch * BATCH, seen, visit, next, &all, &edge);
        if (i == 0) /* the others take about as many */
            searched = CLAMP(most_visits / MAX(1, visits), 1, batches);
    }
    m->sources = all.sources;
    for (guint32 v = 0; v < s.n; v++)
        m->edge_switches += s.edge[v];
    m->diameter = counts_diameter(&all, s.n, MAX(1, g->size.planes));
    m->mean_distance = counts_mean(&all);
    m->edge_diameter = counts_diameter(&edge, m->edge_switches, MAX(1, g->size.planes));
    m->edge_mean_distance = counts_mean(&edge);
    switch_graph_clear(&s);
}

void dn_graph_metrics_within(const DnGraph *graph, guint64 most_visits, DnGraphMetrics *metrics)
{
    *metrics = (DnGraphMetrics){.n_classes = graph->n_classes};
    metrics->class_cables = g_new0(guint32, graph->n_classes);
    metrics->class_ports = g_new0(guint64, graph->n_classes);
    for (guint32 l = 0; l < graph->size.links; l += 2) {
        metrics->class_cables[graph->links[l].link_class]++;
        metrics->class_ports[graph->links[l].link_class] += graph->links[l].width;
    }
    for (guint32 v = 0; v < graph->size.switches; v++) {
        guint32 radix = 0;
        for (guint32 i = graph->port_first[v]; i < graph->port_first[v + 1]; i++)
            radix += graph->links[graph->ports[i]].width;
        metrics->radix_min = v == 0 ? radix : MIN(metrics->radix_min, radix);
        metrics->radix_max = MAX(metrics->radix_max, radix);
    }
    measure_distances(graph, most_visits, metrics);
}

void dn_graph_metrics(const DnGraph *graph, DnGraphMetrics *metrics)
{
    dn_graph_metrics_within(graph, MOST_VISITS, metrics);
}

void dn_graph_metrics_clear(DnGraphMetrics *metrics)
{
    g_clear_pointer(&metrics->class_cables, g_free);
    g_clear_pointer(&metrics->class_ports, g_free);
}
