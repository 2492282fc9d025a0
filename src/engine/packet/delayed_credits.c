/* delayed_credits.c - Credits that tell the switches before a gateway of the queue at its global
 * link: `credits: delayed` of ugal_l and par.
 *
 * Kim, Dally, Scott, Abts, ISCA 2008, section 4.3 ("credit round trip latency"): a switch that
 * decides by its own queues learns of a remote queue only when the buffers between the two are
 * full. A packet's credit is therefore returned later by the queueing delay of the output it goes
 * to, less the least such delay of the switch's global outputs; bytes without credit, which UGAL
 * counts, then grow with the remote queue itself. Credits of global links are not delayed, nor are
 * those of terminals, which choose no path. The paper measures the delay of an output by the round
 * trips of its credits; here it is the bytes that wait there and beyond its link (those that
 * routing at this switch sees), over the link's bandwidth, as the packet leaves. That is the
 * switch's own state alone, so results are the same on any number of threads. */
#include "base/sparse_array.h"
#include "engine/packet/domains.h"
#include "engine/packet/hooks.h"

typedef enum { LEVEL_TERMINAL, LEVEL_GROUP, LEVEL_GLOBAL } LinkLevel;

void dn_delayed_credits_init(DnPacketEngine *e)
{
    const DnGraph *g = e->graph;
    if (!e->router->delays_credits)
        return;
    e->features.link_levels = dn_sparse_of(guint8, g->size.links + 1);
    for (guint32 i = 0; i < g->size.links; i++) {
        const DnLink *link = &g->links[e->net.link_of[i]];
        if (!dn_is_own_port(e, i) || link->src >= g->size.switches || link->dst >= g->size.switches)
            continue;
        gboolean inside = g->vertices[link->src].group == g->vertices[link->dst].group;
        e->features.link_levels[i] = inside ? LEVEL_GROUP : LEVEL_GLOBAL;
    }
}

static double queueing_ps(const DnPacketEngine *e, const DnPort *port)
{
    double ps_per_byte = (double)e->net.link_timings[port->timing].ps_per_byte_fp / (1 << 20);
    return (double)dn_port_waiting_bytes(e, port) * ps_per_byte;
}

static gint64 delayed_credits_ps(const DnPartition *partition, const DnVertexState *v,
                                 guint32 index, const DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    const guint8 *levels = e->features.link_levels;
    if (levels[v->first_port + index] != LEVEL_GLOBAL || levels[packet->in_port] != LEVEL_GROUP)
        return 0;
    double own_ps = queueing_ps(e, dn_port(e, v->first_port + index)), least_ps = own_ps;
    for (guint32 i = v->first_port; i < v->first_port + v->degree && least_ps > 0; i++)
        if (levels[i] == LEVEL_GLOBAL)
            least_ps = MIN(least_ps, queueing_ps(e, dn_port(e, i)));
    return (gint64)(own_ps - least_ps);
}

const struct DnPortHooks dn_hooks_delayed_credits = {.credit_delay_ps = delayed_credits_ps};
