/* collective_bounds.c - see collective_bounds.h. */
#include "analysis/collective_bounds.h"

#include "base/rate.h"

#include <math.h>

#define MOST_RINGS 50000 /* 9 vertices all linked to each other have 40,320 */

static gboolean is_complete(const DnNet *net)
{
    for (guint32 v = 0; v < net->n; v++)
        if (net->first[v + 1] - net->first[v] != net->n - 1)
            return FALSE;
    return TRUE;
}

/* Every endpoint alone: bytes sent are at least 2 (n - 1) buffers (trees.c). */
static double injection_bound(const DnNet *net, const guint8 *is, guint32 endpoints)
{
    double sum = 0;
    for (guint32 v = 0; v < net->n; v++)
        sum += is[v] ? dn_net_injection_bps(net, v) : 0;
    return sum / (2.0 * (endpoints - 1.0));
}

void dn_allreduce_bounds(const DnNet *net, const DnGraph *graph, double seconds,
                         DnAllreduceBounds *out)
{
    guint32 n;
    g_autofree guint8 *is = dn_net_endpoints(net, graph, &n);
    g_assert(n >= 2);
    *out = (DnAllreduceBounds){.rings = dn_rings_pack(net, graph, MOST_RINGS, seconds),
                               .trees = dn_trees_pack(net, graph),
                               .most_bps = injection_bound(net, is, n)};
    if (out->rings != NULL && out->rings->count > 0) {
        out->ring_bps = out->rings->count * out->rings->least_bps / 2;
        out->ring_exact_bps = out->ring_bps * n / (n - 1.0);
    }
    if (out->trees != NULL) {
        out->tree_bps = out->trees->count > 0 ? out->trees->count * out->trees->least_bps : 0;
        out->most_bps = MIN(out->most_bps, out->trees->most_bps);
    }
    out->complete_graph = n == net->n && is_complete(net);
    if (!out->complete_graph)
        return;
    out->star_bps = INFINITY;
    for (guint32 v = 0; v < n; v++)
        out->star_bps = fmin(out->star_bps, dn_net_injection_bps(net, v));
}

void dn_allreduce_bounds_clear(DnAllreduceBounds *bounds)
{
    g_clear_pointer(&bounds->rings, dn_rings_free);
    g_clear_pointer(&bounds->trees, dn_trees_free);
}

/* Rounds in which news of one reaches n, or of n one: each doubles at most. */
static guint coll_bounds_doublings(guint32 n)
{
    guint rounds = 0;
    while (rounds < 32 && (G_GUINT64_CONSTANT(1) << rounds) < n)
        rounds++;
    return rounds;
}

void dn_collective_bounds(guint32 n, guint32 per_node, DnCollectiveBound bounds[DN_COLLECTIVES])
{
    g_assert(per_node >= 1 && n >= 2 * per_node);
    guint rounds = coll_bounds_doublings(n);
    double part = 1.0 - (double)per_node / n, share = 1.0 / per_node;
    const DnCollectiveBound all[DN_COLLECTIVES] = {
        {"broadcast", rounds, share, "what the root has"},
        {"reduce", rounds, share, "what each has"},
        {"allreduce", rounds, 2 * part * share, "what each has"},
        {"allgather", rounds, part * share, "what each has in the end"},
        {"reduce-scatter", rounds, part * share, "what each has at first"},
        {"alltoall", rounds, part, "what each has, a part for each and itself"},
    };
    for (guint i = 0; i < DN_COLLECTIVES; i++)
        bounds[i] = all[i];
}

double dn_collective_time_ps(const DnCollectiveBound *bound, double bytes, double alpha_ps,
                             double injection_bps)
{
    return fmax(bound->rounds * alpha_ps, dn_rate_time(bound->send_factor * bytes, injection_bps));
}
