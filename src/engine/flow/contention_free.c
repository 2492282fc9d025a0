/* contention_free.c - Contention-free times of messages, and lower bounds of a run from its bytes:
 * for engine `bound`.
 *
 * The time of a single message is bounded by rates that no split over its paths can exceed: those
 * of links that all paths cross, and the sums over the links they use at its first and at its last
 * vertex. The time of a run is bounded by the bytes that must cross a link whatever the routing
 * chooses, and by the bytes of each endpoint over all its links: (largest load) / (capacity), the
 * bound of the edge forwarding index (Heydemann, Meyer, Sotteau, Discrete Applied Mathematics
 * 23(2), 1989) for loads that are not uniform.
 * LIMITATIONS: a message takes the NIC that the order of sends gives it; cuts other than one link
 * or one endpoint are not looked at (`darner analyze` does). */
#include <math.h>

#include "base/rate.h"
#include "engine/flow/flow.h"
#include "engine/flow/path_bounds.h"

void dn_flow_alone_init(DnFlow *flow)
{
    gsize places = flow->graph->size.endpoints + flow->graph->size.hosts;
    flow->totals = (DnFlowTotals){
        .forced = g_new0(double, flow->graph->size.links + 1),
        .sent = g_new0(double, places + 1),
        .received = g_new0(double, places + 1),
    };
    flow->bounds = dn_path_bounds_new(flow->run->router, flow->capacity);
}

void dn_flow_alone_clear(DnFlow *flow)
{
    g_free(flow->totals.forced);
    g_free(flow->totals.sent);
    g_free(flow->totals.received);
    dn_path_bounds_free(flow->bounds);
}

guint32 dn_flow_alone_uplink(DnFlow *flow, const DnFlowMessage *message)
{
    const DnGraph *g = flow->graph;
    DnPathBound bound = dn_path_bound(flow->bounds, g->endpoints[message->m.src],
                                      g->endpoints[message->m.dst], message->m.mode, message->rail);
    for (guint i = 0; i < bound.n_forced; i++) {
        const DnLink *link = &g->links[bound.forced[i]];
        if (g->vertices[link->src].kind != DN_VERTEX_SWITCH &&
            g->vertices[link->dst].kind == DN_VERTEX_SWITCH)
            return bound.forced[i];
    }
    return DN_NONE;
}

/* The last byte leaves the source at the rate of the source's links: later links may be slower, and
 * buffer bytes in between. */
gint64 dn_flow_alone_left_ps(DnFlow *flow, DnFlowMessage *message, double bytes)
{
    const DnGraph *g = flow->graph;
    message->latency_ps = 0;
    if (flow->run->message_ps > 0)
        return flow->run->message_ps;
    DnPathBound bound = dn_path_bound(flow->bounds, g->endpoints[message->m.src],
                                      g->endpoints[message->m.dst], message->m.mode, message->rail);
    double rate = INFINITY;
    for (guint i = 0; i < bound.n_forced; i++) {
        rate = MIN(rate, flow->capacity[bound.forced[i]]);
        flow->totals.forced[bound.forced[i]] += bytes;
        flow->result->links[bound.forced[i]].packets += message->packets;
    }
    flow->result->packet_hops += (guint64)message->packets * bound.n_forced;
    flow->totals.sent[message->m.src] += bytes;
    flow->totals.received[message->m.dst] += bytes;
    gint64 capped_ps = 0;
    if (message->m.rate_bps > 0)
        capped_ps = dn_rate_time_ps((double)message->m.bytes, (double)message->m.rate_bps);
    gint64 left_ps = MAX(capped_ps, llround(bytes / bound.out * 1e6));
    gint64 there_ps = MAX(capped_ps, llround(bytes / MIN(rate, MIN(bound.out, bound.in)) * 1e6));
    message->latency_ps = bound.latency_ps + there_ps - left_ps;
    return left_ps;
}

gint64 dn_flow_alone_end_ps(DnFlow *flow)
{
    const DnGraph *g = flow->graph;
    double end_us = 0.0;
    for (guint32 l = 0; l < g->size.links; l++) {
        double busy_us = flow->totals.forced[l] / flow->capacity[l];
        flow->result->links[l].bytes = (guint64)llround(flow->totals.forced[l]);
        flow->result->links[l].busy_ps = llround(busy_us * 1e6);
        end_us = MAX(end_us, busy_us);
    }
    for (guint32 e = 0; e < g->size.endpoints + g->size.hosts; e++) {
        double out = 0.0, in = 0.0;
        guint32 v = g->endpoints[e];
        for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++) {
            out += flow->capacity[g->ports[p]];
            in += flow->capacity[g->ports[p] ^ 1];
        }
        end_us = MAX(end_us, MAX(flow->totals.sent[e] / out, flow->totals.received[e] / in));
    }
    return llround(end_us * 1e6);
}
