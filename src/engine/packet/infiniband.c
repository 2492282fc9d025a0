/* infiniband.c - Congestion control of the InfiniBand Architecture Specification.
 *
 * InfiniBand Trade Association, "InfiniBand Architecture Specification", volume 1, release 1.2.1,
 * annex A10; Pfister et al., "Solving Hot Spot Contention Using InfiniBand Architecture Congestion
 * Control", HPI-DC 2005; Gran et al., "First Experiences with Congestion Control in InfiniBand
 * Hardware", IPDPS 2010. Names are the specification's; OpenSM's options begin with cc_.
 *   switch       A lane of an output port is in congestion while more waits for it than Threshold
 *                allows. It is the root of the congestion, and not a victim of it, while it has
 *                credits. Of the packets of at least Packet_Size that leave a root one of
 *                (Marking_Rate + 1) in the mean is marked (FECN).
 *   destination  returns a notification (BECN) for each marked packet.
 *   source       keeps an index CCTI into the congestion control table for each flow (a queue
 *                pair: all it sends to one destination). A notification raises it by
 *                CCTI_Increase, up to CCTI_Limit; each CCTI_Timer lowers all by one. Between two
 *                packets of a flow is a pause of the table's entry: 14 bits of times and 2 of
 *                shift, in what the first of them takes on the link.
 * Left to the vendor, and assumed here: Threshold T lets (16 - T) / 16 of an input buffer wait;
 * the table's pauses grow with the square of the index, as those that Lawrence Livermore National
 * Laboratory and Simula chose (LLNL, opensm-cc-optimizer), up to `cct_longest` packet times, so
 * that `cct_longest` + 1 flows at most share a link evenly; and where CCTI_Timer is not given, it
 * is (Marking_Rate + 1) cct_longest packet times: a port that marks all the time then raises the
 * indices of so many flows as fast as their timers lower them. Fewer flows leave more of the link
 * idle, more flows are not slowed down enough. Packet_Size 512 B and CCTI_Increase 1 are the
 * defaults of Mellanox's manager (MLNX_OFED user manual, "Congestion Control Manager": there with
 * Threshold 15 and Marking_Rate 10; table and timer it makes from the number of hosts, by a rule of
 * its own).
 * LIMITATIONS: DN_INFINIBAND_LIMITS (congestion_control.h). */
#include "engine/packet/infiniband.h"

#include "base/sparse_array.h"
#include "engine/packet/hooks.h"
#include "engine/packet/packet_aggregation.h"
#include "engine/packet/congestion_control.h"
#include "engine/packet/queue.h"

#define THRESHOLDS 16
#define MOST_TIMES ((1u << 14) - 1)

struct DnMarks {
    gint64 *queued_bytes; /* [links * request_lanes] */
    guint16 *table;       /* [ccti_limit + 1] */
    gint64 timer_ps;
};

/* ---- the table ---- */

guint16 dn_cct_entry(double packets)
{
    guint shift = 3;
    while (shift > 0 && packets * (1u << shift) > MOST_TIMES)
        shift--;
    double times = MIN(packets * (1u << shift) + 0.5, MOST_TIMES);
    return (guint16)(shift << 14 | (guint)times);
}

gint64 dn_cct_pause_ps(guint16 entry, gint64 packet_ps)
{
    return packet_ps * (entry & MOST_TIMES) >> (entry >> 14);
}

/* ---- at a switch ---- */

static gint64 *queued_bytes(const DnPacketEngine *e, guint32 port, const DnPacket *packet)
{
    return &e->features.marks->queued_bytes[(gsize)port * e->net.request_lanes +
                                            dn_lane_of(e, packet->out_queue)];
}

static gboolean is_switch(const DnPacketEngine *e, const DnVertexState *v)
{
    return v->vertex < e->graph->size.switches;
}

static void infiniband_join(DnPartition *partition, const DnVertexState *v, guint32 port,
                            const DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    if (is_switch(e, v))
        *queued_bytes(e, port, packet) += packet->wire_bytes;
}

/* Returns the bytes that may wait for an output, by the buffer that @packet was in. */
static gint64 allowed_bytes(const DnPacketEngine *e, const DnPacket *packet)
{
    gint64 steps = THRESHOLDS - e->net.hardware->cc_threshold;
    return e->net.cold[packet->in_port].buffer_bytes * steps / THRESHOLDS;
}

static gboolean is_root(const DnPacketEngine *e, const DnPort *port, const DnPacket *packet)
{
    guint32 q = dn_queue_for(e, packet, packet->out_queue);
    guint32 most = dn_most_of_lane(e, dn_lane_of(e, q));
    return port->ejection || port->credit_bytes[q] >= (gint32)most;
}

/* Returns how many of the packets in @packet are marked, each with the same probability. */
static guint32 marks_of(DnPartition *partition, DnVertexState *v, const DnPacket *packet)
{
    guint32 each = partition->engine->net.hardware->cc_marking_rate + 1;
    return (
        guint32)((dn_vertex_draw(v) % each + dn_packets_represented(partition->engine, packet)) /
                 each);
}

static void infiniband_leave(DnPartition *partition, DnVertexState *v, guint32 index,
                             DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    if (!is_switch(e, v))
        return;
    const DnPort *port = dn_port(e, index);
    gint64 *queued = queued_bytes(e, index, packet);
    g_assert(*queued >= packet->wire_bytes);
    *queued -= packet->wire_bytes;
    if (e->net.hardware->cc_threshold > 0 && *queued > allowed_bytes(e, packet) &&
        packet->wire_bytes >= e->net.hardware->cc_packet_bytes && is_root(e, port, packet))
        packet->feedback += marks_of(partition, v, packet);
    if (port->last_hop && packet->feedback > 0)
        dn_control_notify(partition, packet,
                          port->free_ps + e->net.link_timings[port->timing].latency_ps,
                          packet->feedback);
}

/* ---- at the source ---- */

/* Timers since the start. */
static guint32 infiniband_timers(const DnPacketEngine *e, gint64 now_ps)
{
    return (guint32)(now_ps / e->features.marks->timer_ps);
}

static guint32 index_at(const DnPacketEngine *e, const DnThrottledFlow *flow, gint64 now_ps)
{
    return flow->level - MIN(flow->level, infiniband_timers(e, now_ps) - flow->extra);
}

static void infiniband_notified(DnPartition *partition, DnVertexState *v, guint32 destination,
                                guint32 marks)
{
    const DnPacketEngine *e = partition->engine;
    DnThrottledFlow *flow = dn_throttled_flow_find(v, destination);
    if (flow == NULL)
        flow = dn_throttled_flow_add(v, destination);
    guint64 raised = index_at(e, flow, partition->now_ps) +
                     (guint64)marks * e->net.hardware->ccti_increase;
    flow->level = (guint32)MIN(raised, e->net.hardware->ccti_limit);
    flow->extra = infiniband_timers(e, partition->now_ps);
}

static gint64 infiniband_release(DnPartition *partition, DnVertexState *v,
                                 const DnMessageState *msg)
{
    const DnPacketEngine *e = partition->engine;
    DnThrottledFlow *flow = dn_throttled_flow_find(v, msg->m.dst);
    if (flow == NULL)
        return partition->now_ps;
    guint32 index = index_at(e, flow, partition->now_ps);
    if (index > 0)
        return flow->sent_ps + flow->unit_ps +
               dn_cct_pause_ps(e->features.marks->table[index], flow->unit_ps);
    dn_throttled_flow_drop(v, flow);
    return partition->now_ps;
}

static void infiniband_sent(DnPartition *partition, DnVertexState *v, DnMessageState *msg,
                            gint64 payload, guint32 count)
{
    (void)count;
    const DnPacketEngine *e = partition->engine;
    DnThrottledFlow *flow = dn_throttled_flow_find(v, msg->m.dst);
    if (flow == NULL)
        return;
    flow->sent_ps = partition->now_ps;
    flow->unit_ps = e->features.packet_ps * payload / e->net.sizes.own_bytes;
}

static gboolean infiniband_describe(const DnPacketEngine *e, const DnThrottledFlow *flow,
                                    gint64 now_ps, GString *text)
{
    guint32 index = index_at(e, flow, now_ps);
    g_string_append_printf(text, "index %u of %u", index, e->net.hardware->ccti_limit);
    return index > 0;
}

/* ---- for a run ---- */

static void infiniband_init(DnPacketEngine *e)
{
    const DnHardware *h = e->net.hardware;
    e->features.marks = g_new0(struct DnMarks, 1);
    e->features.marks->queued_bytes =
        dn_sparse_of(gint64, (gsize)e->graph->size.links * e->net.request_lanes + 1);
    e->features.marks->table = g_new(guint16, h->ccti_limit + 1);
    for (guint32 i = 0; i <= h->ccti_limit; i++) {
        double partition = (double)i / h->ccti_limit;
        e->features.marks->table[i] = dn_cct_entry(partition * partition * h->cct_longest);
    }
    e->features.marks->timer_ps = h->ccti_timer_ps;
    if (h->ccti_timer_ps == 0)
        e->features.marks->timer_ps =
            (gint64)(h->cct_longest * (h->cc_marking_rate + 1) * (double)e->features.packet_ps);
}

static void infiniband_clear(DnPacketEngine *e)
{
    dn_sparse_free(e->features.marks->queued_bytes);
    g_free(e->features.marks->table);
    g_free(e->features.marks);
}

const struct DnControl dn_control_infiniband = {infiniband_init,
                                                infiniband_clear,
                                                infiniband_join,
                                                infiniband_leave,
                                                infiniband_release,
                                                infiniband_sent,
                                                NULL,
                                                infiniband_notified,
                                                NULL,
                                                infiniband_describe,
                                                .everywhere = TRUE};
