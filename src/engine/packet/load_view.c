/* load_view.c - What routing sees of the vertex where a packet is: queues, credits, registers. */
#include "base/sparse_array.h"
#include "engine/packet/larger_packets.h"
#include "engine/packet/queue.h"

static const DnPartition *part_of_view(const DnLoadView *view)
{
    return (const DnPartition *)((const char *)view - G_STRUCT_OFFSET(DnPartition, load));
}

static gint64 port_load(const DnLoadView *view, guint32 port)
{
    const DnPartition *partition = part_of_view(view);
    const DnPort *p = dn_port(partition->engine, partition->state->first_port + port);
    return dn_port_queued(partition->engine, p) + p->unacked_bytes;
}

static gint64 port_load_larger(const DnLoadView *view, guint32 port)
{
    const DnPartition *partition = part_of_view(view);
    return dn_larger_port_bytes(partition,
                                dn_port(partition->engine, partition->state->first_port + port));
}

gint64 dn_port_waiting_bytes(const DnPacketEngine *e, const DnPort *port)
{
    gint64 bytes = dn_port_queued(e, port) + port->unacked_bytes;
    return MAX(0, bytes - e->net.link_timings[port->timing].in_flight_bytes);
}

static gint64 port_waiting(const DnLoadView *view, guint32 port)
{
    const DnPartition *partition = part_of_view(view);
    const DnPacketEngine *e = partition->engine;
    return dn_port_waiting_bytes(e, dn_port(e, partition->state->first_port + port));
}

static gint64 port_waiting_larger(const DnLoadView *view, guint32 port)
{
    const DnPartition *partition = part_of_view(view);
    const DnPacketEngine *e = partition->engine;
    const DnPort *p = dn_port(e, partition->state->first_port + port);
    return MAX(0,
               dn_larger_port_bytes(partition, p) - e->net.link_timings[p->timing].in_flight_bytes);
}

/* A port's load as routing sees it: the bytes at its first reading in @interval. */
struct DnLoadRegister {
    guint32 bytes, interval;
};

static gint64 port_register(const DnLoadView *view, guint32 port)
{
    const DnPartition *partition = part_of_view(view);
    const DnPacketEngine *e = partition->engine;
    struct DnLoadRegister *r = &e->features.registers[partition->state->first_port + port];
    guint32 interval = (guint32)((guint64)partition->now_ps / (guint64)e->router->load_refresh_ps) +
                       1;
    if (r->interval != interval) {
        gint64 bytes = e->features.larger ? port_load_larger(view, port) : port_load(view, port);
        *r = (struct DnLoadRegister){(guint32)MIN(bytes, G_MAXUINT32), interval};
    }
    return r->bytes;
}

/* TRUE when the credits suffice for one more packet of the largest size behind those queued
 * here. */
static inline __attribute__((always_inline)) gboolean
has_credit(const DnLoadView *view, guint32 port, guint8 channel, gboolean shared)
{
    const DnPartition *partition = part_of_view(view);
    const DnPacketEngine *e = partition->engine;
    DnPort *p = dn_port(e, partition->state->first_port + port);
    guint q = partition->lane * e->net.channels + channel;
    gboolean holds = shared ? dn_queue_holds(e, p, q) : (p->mask >> q & 1) != 0;
    gint64 waiting = holds ? dn_port_queued(e, p) : 0;
    return p->credit_bytes[q] >=
           waiting + MIN(e->net.sizes.most_wire_bytes, e->net.sizes.first_wire_bytes);
}

static gboolean port_has_credit(const DnLoadView *view, guint32 port, guint8 channel)
{
    return has_credit(view, port, channel, FALSE);
}

static gboolean port_has_credit_shared(const DnLoadView *view, guint32 port, guint8 channel)
{
    return has_credit(view, port, channel, TRUE);
}

/* Returns the bytes queued at a port anywhere, without bytes and credits on the wire. */
static gint64 remote_load(const DnLoadView *view, guint32 vertex, guint32 port)
{
    const DnPartition *partition = part_of_view(view);
    const DnPacketEngine *e = partition->engine;
    const DnPort *p = dn_port(e, e->net.states[e->net.state_of[vertex]].first_port + port);
    return dn_port_queued(e, p);
}

void dn_load_views_init(DnPacketEngine *e)
{
    if (e->router->load_refresh_ps > 0)
        e->features.registers = dn_sparse_of(struct DnLoadRegister, e->graph->size.links + 1);
    gboolean larger = e->features.larger != NULL;
    for (guint i = 0; i < e->threads.n_partitions; i++)
        e->threads.partitions[i].load = (DnLoadView){
            .port_bytes = e->features.registers ? port_register
                          : larger              ? port_load_larger
                                                : port_load,
            .has_credit = e->features.aggregate_lane > 0 ? port_has_credit_shared : port_has_credit,
            .remote_port_bytes = e->router->type->omniscient ? remote_load : NULL,
            .waiting_bytes = larger ? port_waiting_larger : port_waiting};
}
