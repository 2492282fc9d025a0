/* source_buffer.c - The time at which the last byte of a message leaves its source.
 *
 * The buffer at the end of the first link takes what slower links further on cannot take yet, so
 * that the sender of a short message goes on before its transfer ends.
 * The transfers of a source leave it one after another, at the rate of its first link, while that
 * buffer keeps up: while it holds what they bring in more than the narrowest link of a node's side
 * takes out.
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

gboolean dn_flow_source_passes(DnFlow *flow, DnFlowMessage *message, double bytes)
{
    guint32 first = message->links[0];
    const DnLinkClass *class_ = &flow->graph->classes[flow->graph->links[first].link_class];
    DnFlowSource *source = &flow->sources[message->m.src];
    double out = flow->capacity[first];
    double rest = (source->bytes + bytes) * (1.0 - capacity_find(flow, message) / out);
    message->passed = class_->buffer_bytes == 0 || rest <= (double)class_->buffer_bytes;
    source->bytes += bytes;
    if (!message->passed)
        return FALSE;
    gint64 took_ps = llround(bytes / out * 1e6);
    if (message->m.rate_bps > 0)
        took_ps =
            MAX(took_ps, dn_rate_time_ps((double)message->m.bytes, (double)message->m.rate_bps));
    source->free_ps = MAX(source->free_ps, flow->now_ps) + took_ps;
    return TRUE;
}
