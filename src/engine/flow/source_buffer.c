/* source_buffer.c - The time at which the last byte of a message leaves its source.
 *
 * The buffer at the end of the first link takes what slower links further on cannot take yet, so
 * that the sender of a short message goes on before its transfer ends.
 * The transfers of a first link leave it one after another, at its rate, while that buffer keeps
 * up: while it holds what they bring in more than the narrowest link of a node's side takes out. A
 * message with a rate of its own does not leave before the time that it takes by it.
 * LIMITATIONS: links shared with other sources, and those between switches, are taken to be free; a
 * longer message has left when its transfer ends. */
#include <math.h>

#include "base/rate.h"
#include "engine/flow/flow.h"

/* Returns the capacity of the narrowest link of @message that has an end outside of switches. */
static double capacity_find(const DnFlow *flow, const DnFlowMessage *message)
{
    const DnGraph *g = flow->graph;
    double capacity = flow->capacity[message->links[0]];
    for (guint32 i = 1; i < message->n_links; i++) {
        const DnLink *link = &g->links[message->links[i]];
        if (g->vertices[link->src].kind != DN_VERTEX_SWITCH ||
            g->vertices[link->dst].kind != DN_VERTEX_SWITCH)
            capacity = MIN(capacity, flow->capacity[message->links[i]]);
    }
    return capacity;
}

gint64 dn_flow_first_take(DnFlow *flow, DnFlowMessage *message, double bytes)
{
    guint32 link = message->links[0];
    const DnLinkClass *class_ = &flow->graph->classes[flow->graph->links[link].link_class];
    DnFlowFirst *first = &flow->first[link];
    double out = flow->capacity[link], narrow = capacity_find(flow, message);
    first->bytes += bytes;
    double rest = first->bytes * (1.0 - narrow / out);
    message->passed = narrow < out &&
                      (class_->buffer_bytes == 0 || rest <= (double)class_->buffer_bytes);
    if (!message->passed)
        return 0;
    first->free_ps = MAX(first->free_ps, flow->now_ps) + llround(bytes / out * 1e6);
    gint64 rate_bps = message->m.rate_bps; /* its own: others go on beside it */
    gint64 took_ps = rate_bps > 0 ? dn_rate_time_ps((double)message->m.bytes, (double)rate_bps) : 0;
    return MAX(first->free_ps, flow->now_ps + took_ps);
}

void dn_flow_first_give(DnFlow *flow, const DnFlowMessage *message, double bytes)
{
    DnFlowFirst *first = &flow->first[message->links[0]];
    first->bytes = MAX(0.0, first->bytes - bytes);
}
