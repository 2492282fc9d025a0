/* larger_packets.c - see larger_packets.h. */
#include "engine/packet/larger_packets.h"

#include "base/sparse_array.h"
#include "engine/packet/inject.h"
#include "engine/packet/queue.h"

#include <string.h>

#define LEAST_PACKETS 64 /* of a message, as far as whole parts allow */
#define LEAST_OF_REST 4  /* of what is left of a message, likewise */
#define OF_BUFFER 4      /* a packet is at most such a part of a buffer */
#define LOOK_AHEAD 64    /* waiting messages that are looked at */
#define WHOLE_LINK 65536
#define SLACK 656 /* rates that exceed the link by 1 % still share it */

static gboolean shares_buffers(const DnGraph *g)
{
    for (guint i = 0; i < g->n_classes; i++)
        if (g->classes[i].shared_buffer_bytes > 0)
            return TRUE;
    return FALSE;
}

/* Returns the smallest buffer of all links in bytes; G_MAXINT64: none has a limit. */
static gint64 least_buffer(const DnGraph *g)
{
    gint64 least = G_MAXINT64;
    for (guint i = 0; i < g->n_classes; i++)
        if (g->classes[i].buffer_bytes > 0)
            least = MIN(least, g->classes[i].buffer_bytes);
    return least;
}

gint64 dn_engine_part_bytes(const DnMachine *machine, gint64 packet_bytes,
                            const guint8 *aggregation, guint n_jobs)
{
    const DnHardware *hardware = &machine->hardware;
    for (guint j = 0; aggregation != NULL && j < n_jobs; j++)
        if (aggregation[j] > 1)
            return packet_bytes;
    gboolean whole = hardware->input_buffers == DN_INPUT_FIFO || shares_buffers(machine->graph);
    return whole ? packet_bytes : MIN(packet_bytes, hardware->packet_bytes);
}

gint64 dn_engine_most_bytes(const DnMachine *machine, gint64 packet_bytes, gint64 part_bytes)
{
    gint64 most = least_buffer(machine->graph) / OF_BUFFER / part_bytes * part_bytes;
    return part_bytes < packet_bytes ? MIN(packet_bytes, MAX(part_bytes, most)) : packet_bytes;
}

gint64 dn_engine_turns_bytes(const DnMachine *machine, gint64 part_bytes)
{
    gint64 parts = least_buffer(machine->graph) / (2 * OF_BUFFER) / part_bytes;
    return CLAMP(parts, 1, G_MAXINT32) * part_bytes;
}

gint64 dn_engine_cut_bytes(gint64 message_bytes, gint64 left_bytes, gint64 part_bytes,
                           gint64 most_bytes)
{
    gint64 cut = MIN(left_bytes / LEAST_OF_REST, message_bytes / LEAST_PACKETS);
    cut = MAX(part_bytes, (cut + part_bytes - 1) / part_bytes * part_bytes);
    return MIN(left_bytes, MIN(cut, most_bytes));
}

void dn_larger_packets_set(DnPacketEngine *e)
{
    const DnEngineRun *run = e->run;
    gint64 part = dn_engine_part_bytes(run->router->machine, run->packet_bytes, run->aggregation,
                                       run->n_jobs);
    gboolean parts = part < run->packet_bytes;
    e->net.packet_bytes =
        (guint32)dn_engine_most_bytes(run->router->machine, run->packet_bytes, part);
    e->net.sizes.own_bytes = (guint32)part;
    e->net.sizes.parts_in_turns =
        (guint32)(dn_engine_turns_bytes(run->router->machine, part) / part);
    e->net.sizes.most_wire_bytes = dn_larger_wire_bytes(e, e->net.packet_bytes);
    e->net.sizes.first_wire_bytes = parts ? e->net.sizes.own_bytes + e->net.header_bytes
                                          : G_MAXINT32;
}

void dn_larger_packets_init(DnPacketEngine *e)
{
    if (e->net.sizes.own_bytes == e->net.packet_bytes)
        return;
    e->features.larger = dn_sparse_of(struct DnLargerOnLink, e->graph->size.links + 1);
    e->features.aggregation = &dn_larger_packet_hooks;
}

/* ---- the shape of a packet ---- */

static void larger_shape(const DnPacketEngine *e, const DnMessageState *msg, gint64 left,
                         DnPacketShape *shape)
{
    gint64 own = e->net.sizes.own_bytes;
    gint64 most = msg->m.read ? own : shape->payload;
    shape->payload = dn_engine_cut_bytes(msg->m.bytes, left, own, most);
    shape->count = (guint32)MAX(1, (shape->payload + own - 1) / own);
    shape->passes = msg->m.bytes <= own;
}

void dn_larger_limit(const DnPacketEngine *e, guint32 parts, DnPacketShape *shape)
{
    if (shape->count <= parts)
        return;
    shape->count = parts;
    shape->payload = (gint64)parts * e->net.sizes.own_bytes;
}

/* Returns how many parts in the queues of @port, all of messages that begin there, would still wait
 * for their round if they were single packets. */
static guint32 queued_ahead(const DnPacketEngine *e, const DnPort *port)
{
    guint32 parts = (guint32)(dn_port_queued(e, port) / e->net.sizes.first_wire_bytes);
    gboolean own = port->uplink || port->queued == port->own;
    return own && parts > DN_INJECT_AHEAD ? parts - DN_INJECT_AHEAD : 0;
}

guint32 dn_larger_parts(const DnPacketEngine *e, const DnPort *port, const DnMessageState *msg)
{
    DnPacketShape shape = {.payload = MIN(msg->left_bytes, (gint64)e->net.packet_bytes)};
    larger_shape(e, msg, msg->left_bytes, &shape);
    return dn_larger_on_link(e, port)->waiting < DN_ENGINE_TURNS
               ? shape.count
               : MIN(shape.count, e->net.sizes.parts_in_turns);
}

/* Sent singly, the parts would leave one in each round over the waiting messages, and the middle
 * one after half of the rounds: the message is inserted there. */
guint32 dn_larger_turn(const DnPacketEngine *e, const DnPort *port, guint32 parts)
{
    if (port->inject_tail == 0)
        return 0;
    guint32 before = dn_larger_on_link(e, port)->waiting * (parts + 1) / 2;
    guint32 served = queued_ahead(e, port), after = 0;
    guint32 id = dn_message_state(e, port->inject_tail)->next;
    for (guint n = 0; n < LOOK_AHEAD; n++) {
        const DnMessageState *msg = dn_message_state(e, id);
        served += dn_larger_parts(e, port, msg);
        if (served > before)
            return after;
        after = id;
        if (id == port->inject_tail)
            break;
        id = msg->next;
    }
    return port->inject_tail;
}

gboolean dn_larger_is_ahead(const DnPartition *partition, DnPort *port)
{
    const DnPacketEngine *e = partition->engine;
    if (port->alone && port->free_ps > partition->now_ps)
        return TRUE;
    for (guint32 bits = port->mask; bits != 0; bits &= bits - 1)
        if (dn_packet(e, dn_port_queues(e, port)[__builtin_ctz(bits)].head)->aggregated)
            return TRUE;
    return FALSE;
}

static guint32 larger_represented(const DnPacketEngine *e, const DnPacket *packet)
{
    guint32 own = e->net.sizes.first_wire_bytes;
    if (packet->response && !packet->read)
        own = (guint32)e->net.hardware->response_bytes;
    return packet->aggregated || packet->response ? (packet->wire_bytes + own - 1) / own : 1;
}

static gint64 part_ps(const DnPacketEngine *e, const DnPort *port)
{
    return MAX(1, dn_port_serial_ps(e, port, e->net.sizes.first_wire_bytes));
}

gint64 dn_larger_span_ps(const DnPacketEngine *e, const DnPort *port, const DnPacket *packet)
{
    if (!packet->aggregated)
        return 0;
    return dn_port_serial_ps(e, port, packet->wire_bytes - e->net.sizes.first_wire_bytes) / 2;
}

/* ---- a link that packets share ---- */

/* Returns a free place on @link at @now_ps; DN_LARGER_SHARES: none. To *@work it adds the time that
 * the packets sharing the link still take of it, in 2^-16 ps, to *@rate their rates. */
static guint larger_place(const struct DnLargerOnLink *link, gint64 now_ps, gint64 *work,
                          guint32 *rate)
{
    guint place = DN_LARGER_SHARES;
    for (guint i = 0; i < DN_LARGER_SHARES; i++) {
        if (link->end_ps[i] <= now_ps) {
            place = i;
            continue;
        }
        *work += link->rate[i] * (link->end_ps[i] - now_ps);
        *rate += link->rate[i];
    }
    return place;
}

DnLargerShare dn_larger_share(const DnPacketEngine *e, const DnPort *port, const DnPacket *packet,
                              gint64 tail_ps)
{
    DnLargerShare s = {.place = DN_LARGER_SHARES - 1, .rate = WHOLE_LINK};
    gint64 work = 0;
    guint32 others = 0;
    s.serial_ps = dn_port_serial_ps(e, port, packet->wire_bytes);
    s.start_ps = tail_ps - s.serial_ps;
    if (packet->aggregated && packet->in_port != DN_NONE)
        s.tail_in_ps = packet->tail_ps;
    if (port->shared)
        s.place = larger_place(dn_larger_on_link(e, port), s.start_ps, &work, &others);
    if (s.tail_in_ps > tail_ps)
        s.rate = (guint32)(s.serial_ps * WHOLE_LINK / (s.tail_in_ps - s.start_ps));
    s.shares = s.place < DN_LARGER_SHARES && s.rate < WHOLE_LINK &&
               others + s.rate <= WHOLE_LINK + SLACK;
    s.free_ps = s.shares ? s.start_ps + MIN(s.serial_ps, part_ps(e, port))
                         : tail_ps + work / WHOLE_LINK;
    return s;
}

static gint64 larger_tail_ps(const DnPacketEngine *e, const DnPort *port, const DnPacket *packet,
                             gint64 tail_ps)
{
    DnLargerShare share = dn_larger_share(e, port, packet, tail_ps);
    return dn_larger_share_tail_ps(&share);
}

void dn_larger_leave(const DnPacketEngine *e, DnPort *port, const DnPacket *packet,
                     const DnLargerShare *share, gint64 start_ps)
{
    struct DnLargerOnLink *link = dn_larger_on_link(e, port);
    port->free_ps = share->free_ps;
    port->alone = packet->aggregated && !share->shares;
    if (share->shares) {
        port->shared = 1;
        link->begin_ps[share->place] = start_ps;
        link->end_ps[share->place] = share->tail_in_ps;
        link->rate[share->place] = share->rate;
        return;
    }
    if (port->shared)
        memset(link->end_ps, 0, sizeof link->end_ps);
    port->shared = 0;
    if (!port->alone)
        return;
    link->start_ps = start_ps;
    link->span_ps = MAX(share->serial_ps, share->tail_in_ps - start_ps);
    link->birth_ps = packet->birth_ps;
}

/* Returns the bytes that adaptive routing counts, beyond the credits that are taken, of a packet on
 * the link from @begin_ps to @end_ps at @rate: what its parts would have in flight. Before the
 * first of them would have returned its credit, the credits of all are taken, so that bytes not yet
 * sent are subtracted. */
static gint64 seen_of_packet(const DnPacketEngine *e, const DnPort *port, gint64 now_ps,
                             gint64 begin_ps, gint64 end_ps, guint32 rate)
{
    const DnLinkTiming *timing = &e->net.link_timings[port->timing];
    if (end_ps <= now_ps)
        return 0;
    gint64 seen = rate * timing->in_flight_bytes / WHOLE_LINK;
    gint64 credited_ps = begin_ps + timing->latency_ps + timing->credit_latency_ps +
                         part_ps(e, port);
    if (now_ps < credited_ps)
        seen -= (gint64)((double)(end_ps - begin_ps) * rate / WHOLE_LINK * (1 << 20) /
                         (double)timing->ps_per_byte_fp);
    return seen;
}

gint64 dn_larger_port_bytes(const DnPartition *partition, const DnPort *port)
{
    const DnPacketEngine *e = partition->engine;
    const struct DnLargerOnLink *link = dn_larger_on_link(e, port);
    gint64 bytes = dn_port_queued(e, port) + port->unacked_bytes;
    if (port->alone)
        bytes += seen_of_packet(e, port, partition->now_ps, link->start_ps,
                                link->start_ps + link->span_ps, WHOLE_LINK);
    for (guint i = 0; port->shared && i < DN_LARGER_SHARES; i++)
        bytes += seen_of_packet(e, port, partition->now_ps, link->begin_ps[i], link->end_ps[i],
                                link->rate[i]);
    return MAX(0, bytes);
}

/* The credits of all parts are taken with the first; the delay makes them return, on average, when
 * those of single parts would. */
gint64 dn_larger_credit_delay_ps(const DnPacketEngine *e, const DnPort *port,
                                 const DnPacket *packet, const DnLargerShare *share)
{
    if (!packet->aggregated)
        return 0;
    gint64 span_ps = dn_larger_share_tail_ps(share) - share->start_ps;
    gint64 rest_bytes = (gint64)packet->wire_bytes - e->net.sizes.first_wire_bytes;
    return dn_larger_span_ps(e, port, packet) / 2 - span_ps * rest_bytes / packet->wire_bytes;
}

/* ---- messages of one part, and responses ---- */

/* Returns the queue whose first packet is the oldest of those of one part that have credits;
 * G_MAXUINT: there is none. */
static guint find_single(const DnPacketEngine *e, DnPort *port)
{
    guint best = G_MAXUINT;
    gint64 oldest_ps = G_MAXINT64;
    for (guint32 bits = port->mask; bits != 0; bits &= bits - 1) {
        guint q = (guint)__builtin_ctz(bits);
        const DnQueue *queue = &dn_port_queues(e, port)[q];
        if (queue->birth_ps >= oldest_ps || port->credit_bytes[q] < queue->head_bytes ||
            !dn_larger_is_single(dn_packet(e, queue->head)))
            continue;
        oldest_ps = queue->birth_ps;
        best = q;
    }
    return best;
}

/* Returns when the parts on the link of @port that are older than @birth_ps have left. */
static gint64 due_ps(const DnPartition *partition, const DnPort *port, gint64 birth_ps)
{
    const DnPacketEngine *e = partition->engine;
    const struct DnLargerOnLink *link = dn_larger_on_link(e, port);
    gint64 older_ps = birth_ps - link->birth_ps + link->span_ps / 2;
    gint64 due = MAX(link->start_ps + CLAMP(older_ps, 0, link->span_ps), partition->now_ps);
    return due >= port->free_ps ? due : due + (port->free_ps - due) % part_ps(e, port);
}

void dn_larger_wait(DnPartition *partition, DnVertexState *v, guint32 index)
{
    const DnPacketEngine *e = partition->engine;
    DnPort *port = dn_port(e, v->first_port + index);
    if (!port->alone || port->interleave_set || port->free_ps <= partition->now_ps ||
        ((port->mask & e->net.nic.response_mask) == 0 && dn_larger_on_link(e, port)->singles == 0))
        return;
    guint q = find_single(e, port);
    if (q == G_MAXUINT)
        return;
    gint64 when_ps = due_ps(partition, port, dn_port_queues(e, port)[q].birth_ps);
    if (when_ps >= port->free_ps)
        return;
    port->interleave_set = 1;
    dn_emit_self(partition, when_ps, dn_event_own(DN_EVENT_INTERLEAVE, index));
}

/* Interleaves the head of queue @q: delays the link, not the tail of the packet on it. */
static void larger_interleave(DnPartition *partition, DnVertexState *v, guint32 index, guint q)
{
    const DnPacketEngine *e = partition->engine;
    DnPort *port = dn_port(e, v->first_port + index);
    guint32 id = dn_port_queues(e, port)[q].head;
    gint64 free_ps = port->free_ps + dn_port_serial_ps(e, port, dn_packet(e, id)->wire_bytes);
    dn_port_send(partition, v, index, q, id);
    port->free_ps = free_ps;
    port->alone = 1;
    if (port->inject_tail != 0)
        dn_port_pull(partition, v, index);
}

static void larger_serve(DnPartition *partition, DnVertexState *v, const DnEvent *event)
{
    const DnPacketEngine *e = partition->engine;
    DnPort *port = dn_port(e, v->first_port + event->a);
    port->interleave_set = 0;
    if (!port->alone || port->free_ps <= partition->now_ps)
        return;
    guint q = find_single(e, port);
    if (q != G_MAXUINT &&
        due_ps(partition, port, dn_port_queues(e, port)[q].birth_ps) <= partition->now_ps)
        larger_interleave(partition, v, event->a, q);
    dn_larger_wait(partition, v, event->a);
}

const struct DnAggregationHooks dn_larger_packet_hooks = {
    .shape = larger_shape,
    .represented = larger_represented,
    .span_ps = dn_larger_span_ps,
    .tail_ps = larger_tail_ps,
    .ready_ps = dn_larger_ready_ps,
    .serve = larger_serve,
};
