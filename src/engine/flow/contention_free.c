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

/* Counts the messages of a pair. The sums are of whole numbers, so their order does not matter. */
static void alone_count(void *data, const DnPathBound *bound)
{
    DnFlow *flow = data;
    for (guint i = 0; i < bound->n_forced; i++) {
        flow->totals.forced[bound->forced[i]] += bound->bytes;
        flow->result->links[bound->forced[i]].packets += bound->packets;
    }
    flow->totals.sent[bound->source] += bound->bytes;
    flow->totals.received[bound->target] += bound->bytes;
}

void dn_flow_alone_init(DnFlow *flow)
{
    flow->totals = (DnFlowTotals){
        .forced = g_new0(double, flow->graph->size.links + 1),
        .sent = g_new0(double, flow->graph->n_vertices + 1),
        .received = g_new0(double, flow->graph->n_vertices + 1),
    };
    flow->bounds = dn_path_bounds_new(flow->run->router, flow->capacity, alone_count, flow);
}

void dn_flow_alone_clear(DnFlow *flow)
{
    g_free(flow->totals.forced);
    g_free(flow->totals.sent);
    g_free(flow->totals.received);
    dn_path_bounds_free(flow->bounds);
}

static DnPathBound *bound_of(DnFlow *flow, const DnFlowMessage *message)
{
    const guint32 *vertices = flow->graph->endpoints;
    return dn_path_bound(flow->bounds, vertices[message->m.src], vertices[message->m.dst],
                         message->m.mode, message->rail);
}

guint32 dn_flow_alone_uplink(DnFlow *flow, const DnFlowMessage *message)
{
    return bound_of(flow, message)->uplink;
}

/* Returns a time in ps; one that no run may take counts as twice the longest. */
static gint64 whole_ps(double us)
{
    return llround(MIN(us * 1e6, 2.0 * (double)DN_RUN_MOST_PS));
}

/* Sets the time until the last byte has left the source, at the rate of the source's links since
 * slower links further on may be hidden by buffers, and until it arrives without latency. */
static void set_times(DnPathBound *bound, const DnMessage *m, double bytes)
{
    gint64 capped_ps = 0;
    if (m->rate_bps > 0)
        capped_ps = MIN(dn_rate_time_ps((double)m->bytes, (double)m->rate_bps), 2 * DN_RUN_MOST_PS);
    bound->left_ps = MAX(capped_ps, whole_ps(bytes / bound->out));
    bound->there_ps =
        MAX(capped_ps, whole_ps(bytes / MIN(bound->rate, MIN(bound->out, bound->in))));
    bound->size_bytes = m->bytes;
    bound->cap_bps = m->rate_bps;
}

gint64 dn_flow_alone_left_ps(DnFlow *flow, DnFlowMessage *message, double bytes)
{
    const DnMessage *m = &message->m;
    message->latency_ps = 0;
    if (flow->run->message_ps > 0 && !flow->run->message_latency)
        return flow->run->message_ps;
    DnPathBound *bound = bound_of(flow, message);
    if (flow->run->message_ps > 0) {
        message->latency_ps = bound->latency_ps;
        return flow->run->message_ps;
    }
    bound->bytes += bytes;
    bound->packets += message->packets;
    flow->result->packet_hops += (guint64)message->packets * bound->n_forced;
    if (bound->size_bytes == 0 || bound->size_bytes != m->bytes || bound->cap_bps != m->rate_bps)
        set_times(bound, m, bytes);
    message->latency_ps = bound->latency_ps + bound->there_ps - bound->left_ps;
    return bound->left_ps;
}

gint64 dn_flow_alone_end_ps(DnFlow *flow, gint64 cut_ps)
{
    const DnGraph *g = flow->graph;
    double end_us = 0.0;
    dn_path_bounds_count(flow->bounds);
    for (guint32 l = 0; l < g->size.links; l++) {
        double bytes = flow->totals.forced[l], busy_us = bytes / flow->capacity[l];
        gint64 busy_ps = whole_ps(busy_us);
        end_us = MAX(end_us, busy_us);
        if (busy_ps > cut_ps) {
            bytes *= (double)cut_ps / (double)busy_ps;
            busy_ps = cut_ps;
        }
        flow->result->links[l].bytes = (guint64)llround(MIN(bytes, 9e18));
        flow->result->links[l].busy_ps = busy_ps;
    }
    for (guint32 e = 0; e < g->size.endpoints + g->size.hosts; e++) {
        double out = 0.0, in = 0.0;
        guint32 v = g->endpoints[e];
        for (guint32 p = g->port_first[v]; p < g->port_first[v + 1]; p++) {
            out += flow->capacity[g->ports[p]];
            in += flow->capacity[g->ports[p] ^ 1];
        }
        end_us = MAX(end_us, MAX(flow->totals.sent[v] / out, flow->totals.received[v] / in));
    }
    return MIN(whole_ps(end_us), cut_ps);
}
