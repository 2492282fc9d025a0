/* inject.c - Messages become packets at their source, one at a time and only when a port accepts
 * them.
 *
 * Messages that share a port are served packet by packet, round robin. At most INJECT_AHEAD packets
 * of the vertex's own wait in a port, so memory follows the buffers of the network, not the load
 * offered to it, and a packet's path is chosen when it leaves, from the queues of that moment.
 *
 * At a vertex that forwards packets of others, such as a GPU, local packets are one more input of a
 * crossbar, besides those of the links: a local packet leaves when each of these inputs was served
 * once. Arbitration by age does not work here: it serves a source in proportion to its packets in
 * flight (Little's law), and a local source has none in flight yet, so it would wait until the
 * others are done.
 * LIMITATIONS: links behind the NIC's that are slower than a message's rate cap add the time of its
 * last packet there; the inputs served are recorded only while local messages wait, and only the
 * oldest packet of each queue is considered. */
#include "engine/packet/longest_path.h"
#include "engine/packet/inject.h"

#include "base/expensive.h"
#include "base/rate.h"
#include "engine/packet/congestion_control.h"
#include "engine/packet/hooks.h"
#include "engine/packet/larger_packets.h"
#include "engine/packet/message_pack.h"
#include "engine/packet/nic.h"
#include "engine/packet/queue.h"
#include "engine/packet/remote.h"
#include "routing/settled.h"

#define FIRST_PORT_VARIES G_MAXUINT16 /* DnMessageState.first_port; 0: not known yet */
#define HEAD_START_PS (G_GINT64_CONSTANT(1000000000000)) /* 1 s: older than all from links */

/* Returns the shape of the next packet of a message that has @left bytes to send, were it a single
 * one. */
static inline DnPacketShape single_shape(const DnPacketEngine *e, const DnMessageState *msg,
                                         gint64 left)
{
    return (DnPacketShape){
        .payload = MIN(left, (gint64)e->net.packet_bytes),
        .count = 1,
        .lane = msg->m.lane,
        .most_wire_bytes = MIN(e->net.sizes.most_wire_bytes, e->net.sizes.first_wire_bytes)};
}

/* The same of the packet that it is. */
static inline DnPacketShape next_shape(const DnPacketEngine *e, const DnMessageState *msg,
                                       gint64 left)
{
    DnPacketShape shape = single_shape(e, msg, left);
    if (G_UNLIKELY(e->features.aggregation != NULL))
        e->features.aggregation->shape(e, msg, left, &shape);
    return shape;
}

/* TRUE when the port accepts one more local packet of @shape over @channel: each input with a
 * packet that can leave was served, or no other packet can leave. */
static inline __attribute__((always_inline)) gboolean
has_queue_space(const DnPacketEngine *e, const DnVertexState *v, guint32 index,
                const DnPacketShape *shape, guint channel)
{
    DnPort *port = dn_port(e, v->first_port + index);
    const guint first = shape->lane * e->net.channels;
    gboolean other_can = FALSE;
    if (G_UNLIKELY(shape->passes))
        return !shape->begins || dn_larger_turn(e, port, 1) == 0;
    /* Where they are equal but for 2^16 packets more, the next packet that leaves ends it. */
    if (port->uplink || port->queued == port->own)
        return !dn_inject_is_ahead(e, port);
    if (port->own > 0)
        return FALSE;
    for (guint q = first; q < first + e->net.channels; q++) {
        const DnQueue *queue = &dn_port_queues(e, port)[q];
        if (!dn_queue_holds(e, port, q) || port->credit_bytes[q] < queue->head_bytes)
            continue;
        if (!(e->net.cold[v->first_port + index].local_served &
              dn_input_bit(v, dn_packet(e, queue->head))))
            return FALSE;
        other_can = TRUE;
    }
    return other_can || port->credit_bytes[first + channel] >= (gint32)shape->most_wire_bytes;
}

/* Returns the time that a message's rate cap takes for a packet's bytes, at most twice that of the
 * longest run. */
static gint64 capped_ps(const DnMessageState *msg, const DnPacketShape *shape)
{
    return MIN(dn_rate_time_ps((double)shape->payload, (double)msg->m.rate_bps),
               2 * DN_RUN_MOST_PS);
}

/* Sets the initial state at the source of a message just sent, or taken from a pack. */
static void inject_keep(DnPartition *partition, const DnVertexState *v, DnMessageState *msg,
                        guint32 target, guint32 rail)
{
    msg->received_bytes = 0;
    msg->left_bytes = msg->m.bytes;
    msg->next_ps = msg->born_ps;
    msg->target = target;
    msg->next = 0;
    msg->source = v->vertex;
    msg->unanswered = msg->awaits_response = msg->first_port = msg->counted = 0;
    msg->rail = rail;
    const DnPacketEngine *e = partition->engine;
    msg->window =
        e->features.congestion_states == NULL
            ? 0
            : (guint16)e->features.first_window[dn_apart(e->graph, msg->m.src, msg->m.dst)];
    if (partition->remote != NULL)
        dn_remote_begin(partition, msg);
}

static gboolean is_untouched(const DnMessageState *msg)
{
    return msg->left_bytes == msg->m.bytes;
}

/* Inserts a message that begins into the waiting list at the place that dn_larger_turn() gives.
 * FALSE: it goes before all others, and was not inserted. */
static gboolean push_in_turn(DnPacketEngine *e, DnPort *port, guint32 id)
{
    guint32 parts = dn_larger_parts(e, port, dn_message_state(e, id));
    guint32 after = dn_larger_turn(e, port, parts);
    if (after == 0)
        return FALSE;
    DnMessageState *before = dn_message_state(e, after);
    dn_message_state(e, id)->next = before->next;
    before->next = id;
    if (after == port->inject_tail)
        port->inject_tail = id;
    return TRUE;
}

/* Adds message @id, which waits and of which no packet has left, to the pack at the end of the
 * list: TRUE. FALSE: *@id has to be added to the list, the message or a new pack with it. In
 * received_bytes such messages number those of them in a row. */
static gboolean join_pack(DnPartition *partition, const DnPort *port, guint32 *id)
{
    const DnPacketEngine *e = partition->engine;
    DnMessageState *msg = dn_message_state(e, *id);
    const DnMessageState *tail = dn_message_state(e, port->inject_tail);
    if (!is_untouched(msg))
        return FALSE;
    if (dn_is_pack(tail))
        return dn_pack_add(partition, port->inject_tail, *id);
    msg->received_bytes = is_untouched(tail) ? tail->received_bytes + 1 : 1;
    if (msg->received_bytes < e->features.pack_from)
        return FALSE;
    guint32 pack = dn_pack_new(partition);
    if (pack != 0 && dn_pack_add(partition, pack, *id))
        *id = pack;
    return FALSE;
}

void dn_inject_push(DnPartition *partition, DnPort *port, guint32 id, gboolean front)
{
    DnPacketEngine *e = partition->engine;
    if (e->features.pack_from > 0 && !front && port->inject_tail != 0 &&
        join_pack(partition, port, &id))
        return;
    DnMessageState *msg = dn_message_state(e, id);
    if (G_UNLIKELY(e->features.larger != NULL))
        dn_larger_on_link(e, port)->waiting++;
    if (port->inject_tail == 0) {
        msg->next = id;
        port->inject_tail = id;
        return;
    }
    gboolean in_turn = e->features.larger != NULL && is_untouched(msg) && !front;
    if (in_turn && push_in_turn(e, port, id))
        return;
    front |= in_turn;
    DnMessageState *tail = dn_message_state(e, port->inject_tail);
    msg->next = tail->next;
    tail->next = id;
    if (!front)
        port->inject_tail = id;
}

static void list_remove_first(const DnPacketEngine *e, DnPort *port)
{
    DnMessageState *tail = dn_message_state(e, port->inject_tail);
    guint32 id = tail->next;
    if (id == port->inject_tail) {
        port->inject_tail = 0;
        return;
    }
    tail->next = dn_message_state(e, id)->next;
    const char *next = (const char *)dn_message_state(e, tail->next);
    __builtin_prefetch(next, 1); /* its turn comes soon, and it was sent long ago */
    __builtin_prefetch(next + 64, 1);
}

static guint32 pop_from_pack(DnPartition *partition, const DnVertexState *v, DnPort *port,
                             guint32 pack)
{
    const DnPacketEngine *e = partition->engine;
    guint32 id = dn_pack_take(partition, pack);
    if (dn_pack_is_empty(e, pack)) {
        list_remove_first(e, port);
        dn_pack_free(partition, pack);
    }
    if (G_UNLIKELY(id == 0))
        return 0;
    DnMessageState *msg = dn_message_state(e, id);
    inject_keep(partition, v, msg, dn_endpoint_vertex(e->graph, msg->m.dst), msg->rail);
    return id;
}

guint32 dn_inject_pop(DnPartition *partition, const DnVertexState *v, DnPort *port)
{
    const DnPacketEngine *e = partition->engine;
    guint32 id = dn_message_state(e, port->inject_tail)->next;
    DnMessageState *msg = dn_message_state(e, id);
    if (G_UNLIKELY(e->features.larger != NULL))
        dn_larger_on_link(e, port)->waiting--;
    if (G_UNLIKELY(dn_is_pack(msg)))
        return pop_from_pack(partition, v, port, id);
    list_remove_first(e, port);
    if (e->features.pack_from > 0 && is_untouched(msg))
        msg->received_bytes = 0;
    return id;
}

/* The port of the NIC by which a message that leaves its node enters the fabric; NULL: it stays, or
 * there is none. The NIC is of the vertex's node, and so of its domain. */
static const DnPort *fabric_port(const DnPacketEngine *e, const DnVertexState *v,
                                 const DnMessageState *msg)
{
    const DnGraph *g = e->graph;
    guint32 t = v->endpoint != DN_NONE ? g->endpoint_terminal[v->endpoint] : DN_NONE;
    if (t == DN_NONE || g->terminal_switch[t] == DN_NONE ||
        (g->vertices[v->vertex].node == g->vertices[msg->target].node && dn_rail_stays(msg->rail)))
        return NULL;
    return dn_port(e, e->net.states[e->net.state_of[g->terminals[t]]].first_port +
                          e->net.uplink_of[t]);
}

/* Returns how long before the cap's time a packet of @shape begins, so that its last byte leaves
 * the slower of its first link and the NIC's with the cap: the packet size does not affect the time
 * of a capped message. */
static gint64 lead_ps(const DnPacketEngine *e, const DnVertexState *v, const DnMessageState *msg,
                      const DnPort *first, const DnPacketShape *shape)
{
    guint32 wire_bytes = (guint32)shape->payload + shape->count * e->net.header_bytes;
    const DnPort *uplink = fabric_port(e, v, msg);
    gint64 first_ps = dn_port_serial_ps(e, first, wire_bytes);
    return uplink != NULL ? MAX(first_ps, dn_port_serial_ps(e, uplink, wire_bytes)) : first_ps;
}

/* FALSE: the message's cap lets the packet of @shape go later; an event continues the message. */
static gboolean cap_allows(DnPartition *partition, DnVertexState *v, guint32 id,
                           const DnPort *first, const DnPacketShape *shape)
{
    DnMessageState *msg = dn_message_state(partition->engine, id);
    if (msg->m.rate_bps == 0)
        return TRUE;
    gint64 start_ps = msg->next_ps + capped_ps(msg, shape) -
                      lead_ps(partition->engine, v, msg, first, shape);
    if (start_ps <= partition->now_ps)
        return TRUE;
    dn_emit_self(partition, start_ps, dn_event_own(DN_EVENT_INJECT, id));
    return FALSE;
}

/* Makes the packet of @shape; @left bytes of the message after it. Returns its id when it joins the
 * port now; 0: the message rate makes it wait, or there is no memory for it. */
static inline __attribute__((always_inline)) guint32
make_packet(DnPartition *partition, DnVertexState *v, guint32 message_id, const DnHop *hop,
            const DnRouteState *route, const DnPacketShape *shape, gint64 left)
{
    DnPacketEngine *e = partition->engine;
    DnMessageState *msg = dn_message_state(e, message_id);
    guint32 id = dn_pool_take(&e->net.packets, &partition->free_packets);
    if (G_UNLIKELY(id == 0)) {
        __atomic_store_n(&e->end.out_of, "packets", __ATOMIC_RELAXED);
        return 0;
    }
    if (left > 0 && msg->held > 0)
        __atomic_add_fetch(&msg->held, 1, __ATOMIC_ACQ_REL);
    DnPacket *packet = dn_packet(e, id);
    *packet = (DnPacket){
        .birth_ps = partition->now_ps - (shape->passes ? 2 : 1) * HEAD_START_PS, /* until it
                                                                                     leaves */
        .wire_bytes = msg->m.read ? (guint32)e->net.hardware->response_bytes
                                  : (guint32)shape->payload + shape->count * e->net.header_bytes,
        .message = message_id,
        .route = *route,
        .in_port = DN_NONE,
        .in_queue = left == 0 && msg->m.cookie != DN_NO_COOKIE && !msg->m.read,
        .first = left + shape->payload == msg->m.bytes,
        .last = left == 0,
        .aggregated = shape->count > 1,
        .read = msg->m.read,
        .out_port = (guint16)hop->port,
        .out_queue = (msg->m.lane * e->net.channels + hop->channel) & 31,
    };
    partition->totals.packets_made++;
    gint64 start = partition->now_ps;
    if (e->net.nic.message_gap_ps > 0 && packet->first &&
        dn_port(e, v->first_port + hop->port)->uplink)
        start = dn_nic_message_start(partition, v);
    if (start <= partition->now_ps)
        return id;
    dn_emit_self(partition, start, dn_event_own(DN_EVENT_READY, id));
    return 0;
}

/* Returns TRUE when congestion control delays the message: a timer, a response, or one to another
 * message of its flow will bring it back. */
static gboolean held_back(DnPartition *partition, DnVertexState *v, guint32 id)
{
    DnMessageState *msg = dn_message_state(partition->engine, id);
    gint64 release = partition->engine->features.control->release(partition, v, msg);
    if (release <= partition->now_ps)
        return FALSE;
    if (release == G_MAXINT64)
        msg->awaits_response = 1;
    else if (release == DN_RELEASE_BY_FLOW)
        dn_throttled_flow_wait(partition->engine, v, id);
    else
        dn_emit_self(partition, release, dn_event_own(DN_EVENT_INJECT, id));
    return TRUE;
}

static inline __attribute__((always_inline)) DnHop first_hop(DnPartition *partition,
                                                             DnVertexState *v, DnRouteState *route)
{
    const DnPacketEngine *e = partition->engine;
    DnHop hop;
    if (!dn_route_settled(e->router, v->vertex, route, &hop))
        return dn_route_next(e->router, v->vertex, route, &partition->load, dn_vertex_draw(v));
    v->draws++;
    return hop;
}

/* The port of @hop was full for @msg: where its path has no choice, further tries meet it again. */
static void keep_first_hop(const DnPacketEngine *e, const DnVertexState *v, DnMessageState *msg,
                           DnHop hop)
{
    gboolean fixed = dn_route_starts_fixed(e->router, v->vertex, msg->target, msg->rail);
    msg->first_port = fixed ? (guint16)(hop.port + 1) : FIRST_PORT_VARIES;
    msg->first_channel = hop.channel;
}

DnInjectOutcome dn_inject_one(DnPartition *partition, DnVertexState *v, guint32 id,
                              DnInjected *injected)
{
    DnPacketEngine *e = partition->engine;
    DnMessageState *msg = dn_message_state(e, id);
    if (G_UNLIKELY(e->features.control != NULL) && held_back(partition, v, id))
        return DN_INJECT_PARKED;
    DnPacketShape shape = next_shape(e, msg, msg->left_bytes);
    shape.begins = injected->begins;
    DnRouteState route;
    dn_route_init_rail(e->router, v->vertex, msg->target, msg->m.mode, msg->rail, &route);
    if (G_UNLIKELY(e->features.larger != NULL) && e->features.control != NULL &&
        e->features.control->at_once != NULL && dn_is_answered(e, &route))
        dn_larger_limit(e, e->features.control->at_once(e, v, msg), &shape);
    partition->lane = shape.lane;
    DnHop hop = first_hop(partition, v, &route);
    injected->port = hop.port;
    DnPort *port = dn_port(e, v->first_port + hop.port);
    shape.passes = shape.passes && dn_larger_is_ahead(partition, port);
    if (G_UNLIKELY(e->features.larger != NULL))
        dn_larger_limit(e, dn_larger_parts(e, port, msg), &shape);
    if (!cap_allows(partition, v, id, port, &shape))
        return DN_INJECT_PARKED;
    if (!has_queue_space(e, v, hop.port, &shape, hop.channel)) {
        if (msg->first_port == 0)
            keep_first_hop(e, v, msg, hop);
        return DN_INJECT_PORT_FULL;
    }
    msg->left_bytes -= shape.payload;
    injected->last = msg->left_bytes == 0;
    if (msg->m.rate_bps > 0)
        msg->next_ps = MAX(msg->next_ps + capped_ps(msg, &shape),
                           partition->now_ps + lead_ps(e, v, msg, port, &shape));
    guint32 count = e->features.larger != NULL ? shape.count : 1;
    if (!dn_is_answered(e, &route) && !msg->m.read)
        count = 0;
    msg->unanswered += count;
    if (G_UNLIKELY(v->throttled != NULL))
        e->features.control->sent(partition, v, msg, shape.payload, count);
    injected->packet = make_packet(partition, v, id, &hop, &route, &shape, msg->left_bytes);
    return DN_INJECT_SENT;
}

/* TRUE when the next packet of @msg would take the first hop that keep_first_hop() kept. */
static gboolean is_first_hop(DnPartition *partition, const DnVertexState *v,
                             const DnMessageState *msg)
{
    const DnPacketEngine *e = partition->engine;
    DnVertexState same = *v;
    DnRouteState route;
    dn_route_init_rail(e->router, v->vertex, msg->target, msg->m.mode, msg->rail, &route);
    DnHop hop = first_hop(partition, &same, &route);
    return hop.port + 1 == msg->first_port && hop.channel == msg->first_channel;
}

gboolean dn_inject_is_refused(DnPartition *partition, DnVertexState *v, guint32 index)
{
    const DnPacketEngine *e = partition->engine;
    const DnPort *port = dn_port(e, v->first_port + index);
    guint32 id = dn_message_state(e, port->inject_tail)->next;
    DnMessageState *msg = dn_message_state(e, id);
    gboolean passes = e->features.larger != NULL && msg->m.bytes <= e->net.sizes.own_bytes;
    if (dn_is_pack(msg) || msg->first_port != index + 1 || msg->m.rate_bps > 0 || passes ||
        e->features.aggregates != NULL)
        return FALSE;
    dn_check(is_first_hop(partition, v, msg));
    DnPacketShape shape = single_shape(e, msg, 0);
    if (has_queue_space(e, v, index, &shape, msg->first_channel))
        return FALSE;
    if (e->features.control != NULL &&
        e->features.control->release(partition, v, msg) > partition->now_ps)
        return FALSE;
    if (e->features.pack_from > 0 && is_untouched(msg))
        msg->received_bytes = 0;
    v->draws++; /* as routing draws once for each try */
    return TRUE;
}

DnInjectOutcome dn_inject_new(DnPartition *partition, DnVertexState *v, guint32 id, guint32 rail,
                              DnInjected *injected)
{
    DnPacketEngine *e = partition->engine;
    DnMessageState *msg = dn_message_state(e, id);
    guint32 target = dn_endpoint_vertex(e->graph, msg->m.dst);
    DnPacketShape shape = next_shape(e, msg, msg->m.bytes);
    gboolean single = shape.payload == msg->m.bytes && msg->m.rate_bps == 0;
    if (!single || e->features.keeps_messages) {
        inject_keep(partition, v, msg, target, rail);
        injected->begins = TRUE;
        return dn_inject_one(partition, v, id, injected);
    }
    shape.begins = TRUE;
    DnRouteState route;
    dn_route_init_rail(e->router, v->vertex, target, msg->m.mode, rail, &route);
    partition->lane = shape.lane;
    DnHop hop = first_hop(partition, v, &route);
    *injected = (DnInjected){.port = hop.port, .last = TRUE};
    shape.passes = shape.passes &&
                   dn_larger_is_ahead(partition, dn_port(e, v->first_port + hop.port));
    if (has_queue_space(e, v, hop.port, &shape, hop.channel)) {
        injected->packet = make_packet(partition, v, id, &hop, &route, &shape, 0);
        return DN_INJECT_SENT;
    }
    inject_keep(partition, v, msg, target, rail);
    return DN_INJECT_PORT_FULL;
}
