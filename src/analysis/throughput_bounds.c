/* throughput_bounds.c - maximum concurrent flow from both sides (throughput.h).
 *
 * Below: any way of carrying all demand, with its busiest arc at u of its capacity per unit, shows
 * that a rate of 1 / u is possible. Above: for any arc lengths l >= 0, moving one unit of all
 * demand uses at least sum(demand * shortest distance) of length, and the net has sum(capacity *
 * l) of it a second (linear programming duality); their ratio is an upper bound, whatever l is.
 * The search for both: lengths grow exponentially with an arc's use, demand goes the shortest path
 * under these lengths, and the flow moves towards it as far as helps, as in Garg, Koenemann,
 * "Faster and simpler algorithms for multicommodity flow", FOCS 1998, and Fleischer, SIAM J.
 * Discrete Math. 13(4), 2000. Unlike there all sources step at once and demand splits evenly over
 * equally short paths, with a line search for the step (Frank, Wolfe 1956), and the first rounds
 * give all links of a kind one length: symmetric machines come close at once. No proof of how
 * fast; none is needed, since both bounds hold as such. */
#include "analysis/throughput.h"
#include "analysis/forwarding_index.h"

#include <math.h>
#include <string.h>

#define TIE (1 + 1e-9)
/* Length of an unused arc against a full one's 1: well above what TIE forgives. */
#define IDLE 1e-6
#define MOST_ROUNDS 5000

static const double kind_sharpness[] = {12, 3};

typedef struct {
    const DnNet *net;
    const double *demand;
    double *length, *length_in;         /* [arcs]; of the reverse arc, to read it in order */
    double *distance, *paths, *through; /* [n] from the present source */
    guint32 *order, *heap, *place;      /* [n]; heap of vertices by distance, place in it */
    guint32 heap_size;
} Search;

static void search_init(Search *x, const DnNet *net, const double *demand)
{
    guint32 n = net->n + 1;
    *x = (Search){.net = net,
                  .demand = demand,
                  .length = g_new(double, net->n_arcs + 1),
                  .length_in = g_new(double, net->n_arcs + 1),
                  .distance = g_new(double, n),
                  .paths = g_new(double, n),
                  .through = g_new(double, n),
                  .order = g_new(guint32, n),
                  .heap = g_new(guint32, n),
                  .place = g_new(guint32, n)};
}

static void search_clear(Search *x)
{
    g_free(x->length);
    g_free(x->length_in);
    g_free(x->distance);
    g_free(x->paths);
    g_free(x->through);
    g_free(x->order);
    g_free(x->heap);
    g_free(x->place);
}

static void heap_set(Search *x, guint32 i, guint32 v)
{
    x->heap[i] = v;
    x->place[v] = i;
}

static void heap_up(Search *x, guint32 v)
{
    guint32 i = x->place[v];
    for (; i > 0 && x->distance[x->heap[(i - 1) / 2]] > x->distance[v]; i = (i - 1) / 2)
        heap_set(x, i, x->heap[(i - 1) / 2]);
    heap_set(x, i, v);
}

static guint32 heap_pop(Search *x)
{
    guint32 top = x->heap[0], v = x->heap[--x->heap_size], i = 0;
    while (2 * i + 1 < x->heap_size) {
        guint32 c = 2 * i + 1;
        if (c + 1 < x->heap_size && x->distance[x->heap[c + 1]] < x->distance[x->heap[c]])
            c++;
        if (x->distance[x->heap[c]] >= x->distance[v])
            break;
        heap_set(x, i, x->heap[c]);
        i = c;
    }
    if (x->heap_size > 0)
        heap_set(x, i, v);
    return top;
}

/* Dijkstra; the vertices reached in order of distance; how many. */
static guint32 bounds_shortest(Search *x, guint32 s)
{
    const DnNet *net = x->net;
    guint32 reached = 0;
    for (guint32 v = 0; v < net->n; v++) {
        x->distance[v] = INFINITY;
        x->place[v] = DN_NONE;
    }
    x->distance[s] = 0;
    x->heap_size = 1;
    heap_set(x, 0, s);
    while (x->heap_size > 0) {
        guint32 u = heap_pop(x);
        x->order[reached++] = u;
        if (u != s && !net->transit[u])
            continue;
        double base = x->distance[u];
        for (guint32 a = net->first[u]; a < net->first[u + 1]; a++) {
            guint32 v = net->to[a];
            double d = base + x->length[a];
            if (d >= x->distance[v])
                continue;
            if (x->place[v] == DN_NONE)
                heap_set(x, x->heap_size++, v);
            x->distance[v] = d;
            heap_up(x, v);
        }
    }
    return reached;
}

/* TRUE when the arc into v that arc @b out of v is the reverse of ends a shortest path of @s. */
static inline gboolean on_path(const Search *x, guint32 s, guint32 b, double to_v)
{
    guint32 u = x->net->to[b];
    double d = x->distance[u];
    return d < to_v && d + x->length_in[b] <= to_v * TIE && (u == s || x->net->transit[u]);
}

/* Adds the demand of @s on its shortest paths to @flow; returns demand times distance. */
static double route_from(Search *x, guint32 s, double *flow)
{
    const DnNet *net = x->net;
    const double *row = x->demand + (gsize)s * net->n;
    guint32 reached = bounds_shortest(x, s);
    double used = 0;
    for (guint32 i = 0; i < reached; i++) {
        guint32 v = x->order[i];
        double to_v = x->distance[v], paths = v == s;
        x->through[v] = v == s ? 0 : row[v];
        if (v != s)
            used += row[v] > 0 ? row[v] * to_v : 0;
        for (guint32 b = net->first[v]; b < net->first[v + 1]; b++)
            if (on_path(x, s, b, to_v))
                paths += x->paths[net->to[b]] * net->width[b];
        x->paths[v] = paths;
    }
    for (guint32 i = reached; i-- > 1;) {
        guint32 v = x->order[i];
        double to_v = x->distance[v];
        g_assert(x->paths[v] > 0);
        double part = x->through[v] / x->paths[v];
        for (guint32 b = net->first[v]; part > 0 && b < net->first[v + 1]; b++) {
            if (!on_path(x, s, b, to_v))
                continue;
            double amount = part * x->paths[net->to[b]] * net->width[b];
            flow[net->reverse[b]] += amount;
            x->through[net->to[b]] += amount;
        }
    }
    return used;
}

static gboolean is_source(const Search *x, guint32 s)
{
    for (guint32 t = 0; t < x->net->n; t++)
        if (t != s && x->demand[(gsize)s * x->net->n + t] > 0)
            return TRUE;
    return FALSE;
}

/* All demand the shortest path into @flow; returns the upper bound that the lengths prove. */
static double route_all(Search *x, double *flow)
{
    double used = 0, capacity = 0;
    memset(flow, 0, x->net->n_arcs * sizeof *flow);
    for (guint32 s = 0; s < x->net->n; s++)
        if (is_source(x, s))
            used += route_from(x, s, flow);
    for (guint32 a = 0; a < x->net->n_arcs; a++)
        capacity += x->net->capacity_bps[a] * x->length[a];
    return used > 0 ? capacity / used : INFINITY;
}

/* Largest use of an arc, of (1 - step) * flow + step * other. */
static double bounds_busiest(const DnNet *net, const double *flow, const double *other, double step)
{
    double most = 0;
    for (guint32 a = 0; a < net->n_arcs; a++)
        most = MAX(most, ((1 - step) * flow[a] + step * other[a]) / net->capacity_bps[a]);
    return most;
}

/* exp() of less is lost beside the busiest arc's 1 in a sum over any number of arcs. */
#define LEAST_EXPONENT -60

/* Returns TRUE when the smooth maximum log sum exp(sharpness * use / top) over the arcs grows with
 * the step: the sign of its derivative. */
static gboolean bounds_rises(const DnNet *net, const double *flow, const double *other, double step,
                             double top, double sharpness)
{
    double slope = 0, most = bounds_busiest(net, flow, other, step);
    for (guint32 a = 0; a < net->n_arcs; a++) {
        double use = ((1 - step) * flow[a] + step * other[a]) / net->capacity_bps[a];
        double exponent = sharpness * (use - most) / top;
        if (exponent > LEAST_EXPONENT)
            slope += exp(exponent) * (other[a] - flow[a]) / net->capacity_bps[a];
    }
    return slope > 0;
}

/* The step at which the smooth maximum is least; it is convex. */
static double line_search(const DnNet *net, const double *flow, const double *other, double top,
                          double sharpness)
{
    double low = 0, high = 1;
    for (guint i = 0; i < 14; i++) {
        double middle = (low + high) / 2;
        if (bounds_rises(net, flow, other, middle, top, sharpness))
            high = middle;
        else
            low = middle;
    }
    return (low + high) / 2;
}

static void set_length(Search *x, guint32 a, double length)
{
    x->length[a] = (length + IDLE) / x->net->capacity_bps[a];
    x->length_in[x->net->reverse[a]] = x->length[a];
}

static void set_lengths(Search *x, const double *flow, double top, double sharpness)
{
    for (guint32 a = 0; a < x->net->n_arcs; a++)
        set_length(x, a, exp(sharpness * (flow[a] / x->net->capacity_bps[a] / top - 1)));
}

/* Equal lengths for links of a kind, by the mean use of the kind: on a symmetric machine that is
 * the shape of the best lengths. */
static void set_kind_lengths(Search *x, const double *flow, double sharpness)
{
    guint32 kinds = 0;
    for (guint32 a = 0; a < x->net->n_arcs; a++)
        kinds = MAX(kinds, x->net->kind[a] + 1);
    g_autofree double *use = g_new0(double, kinds + 1);
    g_autofree double *capacity = g_new0(double, kinds + 1);
    double top = 0;
    for (guint32 a = 0; a < x->net->n_arcs; a++) {
        use[x->net->kind[a]] += flow[a];
        capacity[x->net->kind[a]] += x->net->capacity_bps[a];
    }
    for (guint32 k = 0; k < kinds; k++)
        top = capacity[k] > 0 ? fmax(top, use[k] / capacity[k]) : top;
    for (guint32 a = 0; a < x->net->n_arcs; a++) {
        guint32 k = x->net->kind[a];
        set_length(x, a, exp(sharpness * (use[k] / capacity[k] / top - 1)));
    }
}

/* Returns how much less length @other uses than @flow, as a share of the most that is possible. */
static double bounds_slack(const Search *x, const double *flow, const double *other, double top)
{
    double less = 0, all = 0;
    for (guint32 a = 0; a < x->net->n_arcs; a++) {
        less += x->length[a] * (flow[a] - other[a]);
        all += x->length[a] * x->net->capacity_bps[a];
    }
    return less / (all * top);
}

/* One round: lengths from @flow, the shortest paths, and @flow moved towards them; then perhaps
 * sharper lengths. Blunt ones see far, sharp ones the last per cent: log(arcs) / sharpness is what
 * the smooth maximum may hide, so it is time once the flow is as good as this one can tell. */
static void bounds_improve(Search *x, double *flow, double *other, double *sharpness,
                           double sharpest, DnThroughput *out)
{
    guint round = out->rounds++;
    gboolean by_kind = round < G_N_ELEMENTS(kind_sharpness);
    double top = bounds_busiest(x->net, flow, other, 0), blur = log(x->net->n_arcs + 1.0);
    if (by_kind)
        set_kind_lengths(x, flow, kind_sharpness[round]);
    else
        set_lengths(x, flow, top, *sharpness);
    out->upper_bps = fmin(out->upper_bps, route_all(x, other));
    double left = bounds_slack(x, flow, other, top);
    double step = line_search(x->net, flow, other, top, by_kind ? sharpest : *sharpness);
    for (guint32 a = 0; a < x->net->n_arcs; a++)
        flow[a] = (1 - step) * flow[a] + step * other[a];
    out->lower_bps = fmax(out->lower_bps, 1 / bounds_busiest(x->net, flow, other, 0));
    if (by_kind)
        *sharpness = fmax(2, blur / (out->upper_bps / out->lower_bps - 1));
    else if (left < blur / *sharpness / 2)
        *sharpness *= 1.5;
    *sharpness = fmin(*sharpness, sharpest);
}

void dn_throughput_bounds(const DnNet *net, const double *demand, double gap, double max_visits,
                          DnThroughput *out)
{
    Search x;
    search_init(&x, net, demand);
    g_autofree double *flow = g_new0(double, net->n_arcs + 1);
    g_autofree double *other = g_new0(double, net->n_arcs + 1);
    double round = 0, sharpness = 2, sharpest = 4 * log(net->n_arcs + 1.0) / gap;
    for (guint32 s = 0; s < net->n; s++)
        round += is_source(&x, s) ? net->n_arcs : 0;
    dn_split_equally(net, demand, TRUE, flow);
    double top = bounds_busiest(net, flow, other, 0);
    *out = (DnThroughput){.lower_bps = top > 0 ? 1 / top : INFINITY, .upper_bps = INFINITY};
    double most = fmin(fmax(max_visits / round, 1), MOST_ROUNDS);
    while (top > 0 && out->upper_bps > (1 + gap) * out->lower_bps && out->rounds < most)
        bounds_improve(&x, flow, other, &sharpness, sharpest, out);
    search_clear(&x);
}

void dn_throughput(const DnNet *net, const double *demand, double max_visits, DnThroughput *out)
{
    if (!dn_throughput_exact(net, demand, DN_EXACT_COLUMNS, out))
        dn_throughput_bounds(net, demand, DN_BOUND_GAP, max_visits, out);
}
