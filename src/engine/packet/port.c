/* port.c - an output port: queues, credits, arbitration, and the packet on the wire.
 *
 * Virtual cut-through (Kermani & Kleinrock, Computer Networks 3, 1979): a packet leaves when the
 * link is free and the far buffer has room for all of it; its head is at the next vertex one latency
 * later. Credits return over the wire when the packet's tail has left the buffer. Lanes take turns
 * (round robin); within a lane the packet that was queued here first goes first. */
#include "engine/packet/core.h"

/* The queue whose head goes next, or G_MAXUINT when every head lacks credit. */
static guint choose_queue(const DnPacketEngine *e, const DnPort *port, const DnQueue *queues)
{
    guint best = G_MAXUINT, best_turn = G_MAXUINT;
    guint32 best_order = 0;
    for (guint32 bits = port->mask; bits != 0; bits &= bits - 1) {
        guint q = (guint)__builtin_ctz(bits);
        const DnPacket *head = dn_packet(e, queues[q].head);
        if (queues[q].credit_bytes < (gint32)head->wire_bytes)
            continue;
        guint lane = e->lanes == 1 ? 0 : q / e->channels;
        guint turn = lane >= port->next_lane ? lane - port->next_lane
                                             : lane + e->lanes - port->next_lane;
        gboolean older = (gint32)(head->order - best_order) < 0;
        if (best == G_MAXUINT || turn < best_turn || (turn == best_turn && older)) {
            best = q;
            best_turn = turn;
            best_order = head->order;
        }
    }
    if (best != G_MAXUINT && e->lanes > 1) {
        guint lane = best / e->channels;
        ((DnPort *)port)->next_lane = (guint8)(lane + 1 == e->lanes ? 0 : lane + 1);
    }
    return best;
}

static void set_wake(DnPart *part, DnPort *port, guint32 index)
{
    if (port->wake_set)
        return;
    port->wake_set = 1;
    dn_emit_self(part, port->free_ps, (DnEvent){.kind = DN_EVENT_WAKE, .a = index});
}

static guint32 take_head(DnPacketEngine *e, DnPort *port, DnQueue *queue, guint q)
{
    guint32 id = queue->head;
    DnPacket *packet = dn_packet(e, id);
    queue->head = packet->next;
    if (packet->next == 0)
        port->mask &= ~(1u << q);
    queue->credit_bytes -= (gint32)packet->wire_bytes;
    port->unacked_bytes += packet->wire_bytes;
    port->queued_bytes -= packet->wire_bytes;
    port->queued--;
    return id;
}

/* The packet goes over the wire now; what it leaves behind goes upstream as credit. */
static void transmit(DnPart *part, const DnVertexState *v, DnPort *port, guint q, guint32 id)
{
    DnPacketEngine *e = part->engine;
    DnPacket *packet = dn_packet(e, id);
    gint64 serial = dn_port_serial_ps(port, packet->wire_bytes);
    gint64 tail = part->now_ps + serial;
    port->free_ps = tail;
    if (packet->in_port != DN_SELF_PORT) {
        const DnPort *back = &e->ports[v->first_port + packet->in_port];
        dn_emit(part, back->peer, tail + back->credit_latency_ps,
                (DnEvent){.port = back->peer_port, .kind = DN_EVENT_CREDIT,
                          .aux = packet->in_queue, .a = packet->wire_bytes});
    } else {
        packet->birth_ps = part->now_ps;
        const DnFlight *f = dn_flight(e, packet->message);
        if (packet->last && f->m.cookie != DN_NO_COOKIE)
            dn_emit_self(part, tail, (DnEvent){.kind = DN_EVENT_SENT, .a = (guint32)f->m.cookie,
                                               .b = (guint32)(f->m.cookie >> 32)});
    }
    packet->tail_ps = tail + port->latency_ps;
    packet->in_port = port->peer_port;
    packet->in_queue = (guint8)q;
    gboolean ends = port->peer == packet->route.target; /* memory takes it when it is whole */
    gint64 when = ends ? packet->tail_ps : part->now_ps + port->latency_ps;
    dn_emit(part, port->peer, when,
            (DnEvent){.port = port->peer_port, .kind = DN_EVENT_ARRIVE, .a = id});
}

void dn_port_try(DnPart *part, DnVertexState *v, guint32 index)
{
    DnPacketEngine *e = part->engine;
    DnPort *port = &e->ports[v->first_port + index];
    if (port->mask == 0)
        return;
    if (port->free_ps > part->now_ps) {
        set_wake(part, port, index);
        return;
    }
    DnQueue *queues = &e->queues_of[(gsize)(v->first_port + index) * e->queues];
    guint q = choose_queue(e, port, queues);
    if (q == G_MAXUINT) {
        if (port->stalled_since_ps < 0)
            port->stalled_since_ps = part->now_ps;
        return;
    }
    if (port->stalled_since_ps >= 0) {
        e->counters[v->first_port + index].stalled_ps += part->now_ps - port->stalled_since_ps;
        port->stalled_since_ps = -1;
    }
    guint32 id = take_head(e, port, &queues[q], q);
    DnPortCounters *counters = &e->counters[v->first_port + index];
    counters->bytes += dn_packet(e, id)->wire_bytes;
    counters->packets++;
    transmit(part, v, port, q, id);
    if (port->inject_tail != 0)
        dn_inject_pull(part, v, index);
    if (port->mask != 0)
        set_wake(part, port, index);
}

void dn_port_enqueue(DnPart *part, DnVertexState *v, guint32 index, guint32 id)
{
    DnPacketEngine *e = part->engine;
    DnPort *port = &e->ports[v->first_port + index];
    DnPacket *packet = dn_packet(e, id);
    DnQueue *queue =
        &e->queues_of[(gsize)(v->first_port + index) * e->queues + packet->out_queue];
    packet->next = 0;
    packet->order = port->order++;
    if (port->mask >> packet->out_queue & 1)
        dn_packet(e, queue->tail)->next = id;
    else
        queue->head = id;
    queue->tail = id;
    port->mask |= 1u << packet->out_queue;
    port->queued_bytes += packet->wire_bytes;
    port->queued++;
    if (port->free_ps <= part->now_ps)
        dn_port_try(part, v, index);
    else
        set_wake(part, port, index);
}

void dn_port_credit(DnPart *part, DnVertexState *v, guint32 index, guint32 queue, guint32 bytes)
{
    DnPacketEngine *e = part->engine;
    DnPort *port = &e->ports[v->first_port + index];
    e->queues_of[(gsize)(v->first_port + index) * e->queues + queue].credit_bytes += (gint32)bytes;
    port->unacked_bytes -= bytes;
    if (port->mask != 0 && !port->wake_set)
        dn_port_try(part, v, index);
}
