/* path_diversity.c - see path_diversity.h. */
#include "analysis/path_diversity.h"

#include <math.h>

gboolean dn_path_diversity(const DnNet *net, const double *weight, DnPathDiversity *out)
{
    g_autofree guint32 *distance = g_new(guint32, net->n + 1);
    g_autofree guint32 *order = g_new(guint32, net->n + 1);
    g_autofree double *paths = g_new(double, net->n + 1);
    *out = (DnPathDiversity){.least = INFINITY};
    for (guint32 s = 0; s < net->n; s++) {
        if (weight[s] <= 0)
            continue;
        guint32 reached = dn_net_search(net, s, distance, order);
        for (guint32 v = 0; v < net->n; v++)
            paths[v] = v == s;
        for (guint32 i = 0; i < reached; i++) {
            guint32 u = order[i];
            if (u != s && weight[u] > 0) {
                out->least = fmin(out->least, paths[u]);
                out->most = fmax(out->most, paths[u]);
                out->mean += paths[u];
                out->pairs += 1;
            }
            for (guint32 a = net->first[u]; a < net->first[u + 1]; a++)
                if (distance[net->to[a]] == distance[u] + 1 && (u == s || net->transit[u]))
                    paths[net->to[a]] += paths[u] * net->width[a];
        }
    }
    if (out->pairs < 1)
        return FALSE;
    out->mean /= out->pairs;
    return TRUE;
}
