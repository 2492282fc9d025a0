/* packet_aggregation.c - see packet_aggregation.h. */
#include "engine/packet/packet_aggregation.h"

#include "base/sparse_array.h"
#include "engine/packet/hooks.h"
#include "engine/packet/nic.h"
#include "engine/packet/queue.h"

#define WORK_SHIFT 16

/* Finds the least and the largest number of packets that one stands for, of jobs that aggregate
 * any; the largest is 1: none does. */
static void find_aggregations(DnPacketEngine *e)
{
    const DnEngineRun *run = e->run;
    guint32 least = G_MAXUINT32, most = 1;
    for (guint j = 0; run->aggregation != NULL && j < run->n_jobs; j++) {
        most = MAX(most, run->aggregation[j]);
        if (run->aggregation[j] > 1)
            least = MIN(least, run->aggregation[j]);
    }
    e->features.least_aggregation = MIN(least, most);
    e->features.max_aggregation = most;
}

void dn_aggregation_init(DnPacketEngine *e)
{
    gsize links = e->graph->size.links;
    find_aggregations(e);
    g_assert(e->features.max_aggregation <= DN_MAX_AGGREGATION);
    if (e->features.max_aggregation == 1)
        return;
    e->features.aggregate_lane = e->net.lanes;
    e->net.lanes += e->net.request_lanes;
    e->features.aggregates = dn_sparse_of(struct DnAggregateOnLink, links + 1);
    e->features.aggregate_backlog =
        dn_sparse_of(struct DnAggregateBacklog, links * e->net.request_lanes + 1);
}

void dn_aggregation_clear(DnPacketEngine *e)
{
    dn_sparse_free(e->features.aggregates);
    dn_sparse_free(e->features.aggregate_backlog);
}

/* ---- the shape of a packet ---- */

/* Responses to an aggregated packet are short: nothing is interleaved with them. */
static inline gboolean is_aggregate(const DnPacket *packet)
{
    return packet->aggregated && !packet->response;
}

static void aggregation_shape(const DnPacketEngine *e, const DnMessageState *msg, gint64 left,
                              DnPacketShape *shape)
{
    shape->payload = MIN(left, (gint64)e->net.packet_bytes * dn_aggregation_of(e, msg));
    if (shape->payload <= (gint64)e->net.packet_bytes)
        return;
    shape->count = (guint32)((shape->payload + e->net.packet_bytes - 1) / e->net.packet_bytes);
    shape->lane += e->features.aggregate_lane;
    shape->most_wire_bytes = dn_aggregated_bytes(e, dn_aggregation_of(e, msg));
}

static guint32 aggregation_represented(const DnPacketEngine *e, const DnPacket *packet)
{
    guint32 unit = packet->response ? (guint32)e->net.hardware->response_bytes
                                    : e->net.packet_bytes + e->net.header_bytes;
    return packet->aggregated ? (packet->wire_bytes + unit - 1) / unit : 1;
}

static gint64 aggregation_span_ps(const DnPacketEngine *e, const DnPort *port,
                                  const DnPacket *packet)
{
    if (!is_aggregate(packet))
        return 0;
    return dn_port_serial_ps(e, port,
                             packet->wire_bytes - e->net.packet_bytes - e->net.header_bytes);
}

/* The tail cannot leave before it has arrived. */
static gint64 aggregation_tail_ps(const DnPacketEngine *e G_GNUC_UNUSED,
                                  const DnPort *port G_GNUC_UNUSED, const DnPacket *packet,
                                  gint64 tail_ps)
{
    return is_aggregate(packet) && packet->in_port != DN_NONE ? MAX(tail_ps, packet->tail_ps)
                                                              : tail_ps;
}

/* Returns the time when the packet may be forwarded: as soon as its head is here. */
static gint64 aggregation_ready_ps(const DnPartition *partition, const DnPacket *packet,
                                   gint64 ready_ps)
{
    return is_aggregate(packet) ? partition->now_ps : ready_ps;
}

/* A single packet may leave only with credits for an aggregated one: the one that waits for the
 * same channel, or, if none waits, the smallest full one of the run. With the largest one of the
 * run, smaller ones that take each credit as it comes would starve single packets. */
static gboolean aggregation_permits(const DnPacketEngine *e, const DnPort *port, guint q)
{
    if (q >= e->net.request_lanes * e->net.channels)
        return TRUE;
    guint aggregated = q + e->features.aggregate_lane * e->net.channels;
    const DnQueue *queue = &dn_port_queues(e, (DnPort *)port)[aggregated];
    gint32 full = (gint32)dn_aggregated_bytes(e, e->features.least_aggregation);
    gint32 needed = queue->head != 0 ? MAX(full, queue->head_bytes) : full;
    return port->credit_bytes[aggregated] >= needed;
}

/* ---- backlog of a lane: arrived and sent ---- */

static struct DnAggregateBacklog *work_of(const DnPacketEngine *e, guint32 index, guint lane)
{
    return &e->features.aggregate_backlog[(gsize)index * e->net.request_lanes + lane];
}

static void bring_up(const DnPartition *partition, struct DnAggregateBacklog *work)
{
    work->arrived += work->rate * (partition->now_ps - work->since_ps);
    work->since_ps = partition->now_ps;
}

/* Adds @packet to the backlog: the bytes already here at once, the others at the rate at which they
 * arrive. A source's own packets are not counted. */
static void count_aggregate(DnPartition *partition, guint32 index, guint32 port_index, guint lane,
                            const DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    struct DnAggregateBacklog *work = work_of(e, index, lane);
    gint64 all = dn_port_serial_ps(e, dn_port(e, index), packet->wire_bytes) << WORK_SHIFT;
    gint64 left_ps = packet->tail_ps - partition->now_ps;
    gint64 rate = left_ps > 0 ? MIN(all / left_ps, G_MAXUINT32) : 0;
    bring_up(partition, work);
    work->arrived += rate > 0 ? all - rate * left_ps : all;
    work->rate += rate;
    if (rate == 0)
        return;
    DnEvent tail = {.what = DN_EVENT_TAIL | lane << 8, .a = port_index, .b = (guint32)rate};
    dn_emit_self(partition, packet->tail_ps, tail);
}

static void aggregate_join(DnPartition *partition, DnVertexState *v, guint32 index,
                           DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    guint lane = dn_lane_of(e, packet->out_queue);
    if (is_aggregate(packet)) {
        if (packet->in_port != DN_NONE)
            count_aggregate(partition, v->first_port + index, index, lane, packet);
    } else if (lane < e->net.request_lanes) {
        struct DnAggregateBacklog *work = work_of(e, v->first_port + index, lane);
        bring_up(partition, work);
        packet->tail_ps = work->arrived;
    }
}

/* The tail of an aggregated packet that arrived at @rate is here. */
static void aggregate_tail(DnPartition *partition, DnVertexState *v, guint32 index, guint32 lane,
                           guint32 rate)
{
    struct DnAggregateBacklog *work = work_of(partition->engine, v->first_port + index, lane);
    bring_up(partition, work);
    work->rate -= rate;
}

/* Notes whether the packet that takes the link of a port is an aggregated one. */
static void aggregate_leave(DnPartition *partition, DnVertexState *v, guint32 port, guint q,
                            guint32 id, gint64 start_ps)
{
    const DnPacketEngine *e = partition->engine;
    const DnPacket *packet = dn_packet(e, id);
    guint32 index = v->first_port + port;
    struct DnAggregateOnLink *aggregate = &e->features.aggregates[index];
    aggregate->on = is_aggregate(packet) & 1;
    if (!aggregate->on)
        return;
    guint lane = dn_lane_of(e, packet->out_queue);
    gboolean counted = packet->in_port != DN_NONE;
    aggregate->lane = counted ? lane : DN_NONE;
    aggregate->interleave_free_ps = 0;
    gint64 serial_ps = dn_port_serial_ps(e, dn_port(e, index), packet->wire_bytes);
    if (counted)
        work_of(e, index, lane)->sent += serial_ps << WORK_SHIFT;
}

/* TRUE when the work that arrived before @packet has been sent. */
static gboolean aggregate_permits(const DnPartition *partition, const DnPort *port, guint lane,
                                  const DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    guint32 index = dn_port_index(e, port);
    if (packet->in_port == DN_NONE)
        return TRUE; /* arbitrated in inject.c */
    gint64 ahead = packet->tail_ps - work_of(e, index, lane)->sent;
    if (e->features.aggregates[index].on && port->free_ps > partition->now_ps &&
        e->features.aggregates[index].lane == lane)
        ahead += (port->free_ps - partition->now_ps) << WORK_SHIFT;
    return ahead <= 0;
}

/* Chooses the older one of an aggregated and a single packet of @lane. */
static gboolean aggregation_oldest(const DnPartition *partition, DnPort *port, guint lane,
                                   DnArbiterChoice *best)
{
    const DnPacketEngine *e = partition->engine;
    if (lane >= e->features.aggregate_lane) /* with the lane that it is of */
        return FALSE;
    DnArbiterChoice aggregate = *best;
    gboolean single = dn_arbiter_oldest(partition, port, lane, best);
    if (lane >= e->net.request_lanes)
        return single;
    gboolean other =
        dn_arbiter_oldest(partition, port, e->features.aggregate_lane + lane, &aggregate);
    best->retry_ps = MIN(best->retry_ps, aggregate.retry_ps);
    if (!other)
        return single;
    if (single && best->birth_ps < aggregate.birth_ps &&
        aggregate_permits(partition, port, lane, dn_packet(e, best->id)))
        return TRUE;
    aggregate.retry_ps = best->retry_ps;
    *best = aggregate;
    return TRUE;
}

/* ---- interleaving ---- */

/* Returns the next packet boundary of the aggregated packet on the link of @port. */
static gint64 gap_ps(const DnPartition *partition, const DnPort *port)
{
    const DnPacketEngine *e = partition->engine;
    gint64 part_ps = MAX(1, dn_port_serial_ps(e, port, e->net.packet_bytes + e->net.header_bytes));
    gint64 left_ps = (port->free_ps - partition->now_ps) % part_ps;
    return partition->now_ps + (left_ps > 0 ? left_ps : part_ps);
}

/* TRUE when an aggregated packet waits that could leave and is not younger than @packet. */
static gboolean older_aggregate(const DnPacketEngine *e, DnPort *port, guint lane,
                                const DnPacket *packet)
{
    for (guint q = (e->features.aggregate_lane + lane) * e->net.channels, end = q + e->net.channels;
         q < end; q++) {
        const DnQueue *queue = &dn_port_queues(e, port)[q];
        if (dn_queue_holds(e, port, q) && queue->birth_ps <= packet->birth_ps &&
            port->credit_bytes[q] >= queue->head_bytes)
            return TRUE;
    }
    return FALSE;
}

/* TRUE when @packet may be interleaved now: lanes alternate; within the aggregated packet's lane
 * older work goes first. */
static gboolean is_due(const DnPartition *partition, DnPort *port, guint q, const DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    const struct DnAggregateOnLink *aggregate = &e->features.aggregates[dn_port_index(e, port)];
    guint lane = dn_lane_of(e, q);
    if (aggregate->lane == lane)
        return aggregate_permits(partition, port, lane, packet) &&
               !older_aggregate(e, port, lane, packet);
    gint64 part_ps = dn_port_serial_ps(e, port, e->net.packet_bytes + e->net.header_bytes);
    return aggregate->interleave_free_ps == 0 ||
           aggregate->interleave_free_ps + part_ps <= partition->now_ps;
}

static gboolean has_free_path(const DnPartition *partition, const DnPort *port, guint q,
                              const DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    if (!dn_has_credits(e, port, q, packet->wire_bytes))
        return FALSE;
    return e->net.hardware->speedup == 0 || packet->in_port == DN_NONE ||
           e->net.cold[packet->in_port].crossbar_free_ps <= partition->now_ps;
}

/* Finds the packet to interleave now, and returns its queue; G_MAXUINT: none. @wait: one may
 * later. */
static guint aggregate_passer(const DnPartition *partition, DnPort *port, guint32 *id,
                              gboolean *wait)
{
    const DnPacketEngine *e = partition->engine;
    guint32 bits = port->mask;
    gint64 oldest_ps = G_MAXINT64;
    guint best = G_MAXUINT;
    *wait = FALSE;
    for (; bits != 0; bits &= bits - 1) {
        guint q = (guint)__builtin_ctz(bits);
        guint32 head = dn_port_queues(e, port)[q].head;
        if (head == 0) /* aggregated packets alone */
            continue;
        *wait = TRUE;
        const DnPacket *packet = dn_packet(e, head);
        if (packet->birth_ps >= oldest_ps || !is_due(partition, port, q, packet) ||
            !has_free_path(partition, port, q, packet))
            continue;
        oldest_ps = packet->birth_ps;
        best = q;
        *id = head;
    }
    return best;
}

/* Schedules an event at the next packet boundary of the aggregated packet in transmission, where a
 * waiting packet can be interleaved. */
static void set_interleave(DnPartition *partition, const DnVertexState *v, guint32 index,
                           gint64 when_ps)
{
    const DnPacketEngine *e = partition->engine;
    const DnPort *port = dn_port(e, v->first_port + index);
    struct DnAggregateOnLink *aggregate = &e->features.aggregates[v->first_port + index];
    if (!aggregate->on || aggregate->interleave_set || port->mask == 0 || when_ps >= port->free_ps)
        return;
    aggregate->interleave_set = 1;
    dn_emit_self(partition, when_ps, dn_event_own(DN_EVENT_INTERLEAVE, index));
}

/* Serves a packet boundary of the aggregated packet on the link of port @index: a waiting packet
 * may be interleaved. */
static void aggregate_interleave(DnPartition *partition, DnVertexState *v, guint32 index)
{
    DnPacketEngine *e = partition->engine;
    DnPort *port = dn_port(e, v->first_port + index);
    struct DnAggregateOnLink *aggregate = &e->features.aggregates[v->first_port + index];
    guint32 id = 0;
    gboolean waits = FALSE;
    aggregate->interleave_set = 0;
    if (!aggregate->on || port->free_ps <= partition->now_ps ||
        (port->uplink && !dn_nic_may_send(partition, v)))
        return;
    guint q = aggregate_passer(partition, port, &id, &waits);
    if (!waits)
        return;
    if (q == G_MAXUINT) {
        set_interleave(partition, v, index, gap_ps(partition, port));
        return;
    }
    gint64 serial_ps = dn_port_serial_ps(e, port, dn_packet(e, id)->wire_bytes);
    gint64 free_ps = port->free_ps + serial_ps;
    dn_port_send(partition, v, index, q, id);
    port->free_ps = free_ps;
    aggregate->on = 1;
    aggregate->interleave_free_ps = partition->now_ps + serial_ps;
    if (port->inject_tail != 0)
        dn_port_pull(partition, v, index);
    set_interleave(partition, v, index, aggregate->interleave_free_ps);
}

static void wait_behind(DnPartition *partition, DnVertexState *v, guint32 index)
{
    const DnPort *port = dn_port(partition->engine, v->first_port + index);
    if (port->free_ps > partition->now_ps)
        set_interleave(partition, v, index, gap_ps(partition, port));
}

const struct DnPortHooks dn_hooks_aggregation = {
    .join = aggregate_join, .wait = wait_behind, .leave = aggregate_leave};

static void aggregation_serve(DnPartition *partition, DnVertexState *v, const DnEvent *event)
{
    if (dn_event_kind(event) == DN_EVENT_TAIL)
        aggregate_tail(partition, v, event->a, dn_event_aux(event), event->b);
    else
        aggregate_interleave(partition, v, event->a);
}

const struct DnAggregationHooks dn_aggregation_hooks = {
    .shape = aggregation_shape,
    .represented = aggregation_represented,
    .span_ps = aggregation_span_ps,
    .tail_ps = aggregation_tail_ps,
    .ready_ps = aggregation_ready_ps,
    .permits = aggregation_permits,
    .oldest = aggregation_oldest,
    .serve = aggregation_serve,
};
