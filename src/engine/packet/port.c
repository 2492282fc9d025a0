/* port.c - an output port: queues, credits, arbitration, and the packet on the wire.
 *
 * Virtual cut-through (Kermani & Kleinrock, Computer Networks 3, 1979): a packet leaves when the
 * link is free and the far buffer has room for all of it; its head is at the next vertex one latency
 * later. Credits return over the wire when the packet's tail has left the buffer. Lanes take turns
 * (round robin); within a lane the packet that was queued here first goes first. */
#include "engine/packet/core.h"

/* The queue whose head goes next, or G_MAXUINT when every head lacks credit. */
static guint choose_queue(const DnPacketEngine *e, DnPort *port)
{
    const DnQueue *queues = dn_port_queues(port);
    guint best = G_MAXUINT, best_turn = G_MAXUINT;
    guint32 best_order = 0;
    for (guint32 bits = port->mask; bits != 0; bits &= bits - 1) {
        guint q = (guint)__builtin_ctz(bits);
        if (queues[q].credit_bytes < queues[q].head_bytes)
            continue;
        if (bits == port->mask && (bits & (bits - 1)) == 0 && e->lanes == 1)
            return q; /* alone */
        guint lane = e->lanes == 1 ? 0 : q / e->channels;
        guint turn = lane >= port->next_lane ? lane - port->next_lane
                                             : lane + e->lanes - port->next_lane;
        guint32 order = dn_packet(e, queues[q].head)->order;
        gboolean older = (gint32)(order - best_order) < 0;
        if (best == G_MAXUINT || turn < best_turn || (turn == best_turn && older)) {
            best = q;
            best_turn = turn;
            best_order = order;
        }
    }
    if (best != G_MAXUINT && e->lanes > 1) {
        guint lane = best / e->channels;
        port->next_lane = (guint8)(lane + 1 == e->lanes ? 0 : lane + 1);
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

static guint32 take_head(DnPacketEngine *e, DnPort *port, guint q)
{
    DnQueue *queue = &dn_port_queues(port)[q];
    guint32 id = queue->head;
    DnPacket *packet = dn_packet(e, id);
    queue->head = packet->next;
    if (packet->next == 0)
        port->mask &= ~(1u << q);
    else
        queue->head_bytes = (gint32)dn_packet(e, packet->next)->wire_bytes;
    queue->credit_bytes -= (gint32)packet->wire_bytes;
    port->unacked_bytes += packet->wire_bytes;
    port->queued_bytes -= packet->wire_bytes;
    port->queued--;
    return id;
}

/* The room the packet takes in the buffer of @back's far end is free again at @tail_ps. */
static inline void return_credit(DnPart *part, const DnPacket *packet, gint64 tail_ps)
{
    const DnPacketEngine *e = part->engine;
    const DnPort *back = dn_port(e, packet->in_port);
    dn_emit(part, back->peer_domain, tail_ps + e->speeds[back->speed].credit_latency_ps,
            (DnEvent){.kind = DN_EVENT_CREDIT, .aux = packet->in_queue, .slot = back->peer_slot,
                      .a = packet->wire_bytes, .b = back->peer_port});
}

static void leave_source(DnPart *part, DnPacket *packet, gint64 tail_ps)
{
    const DnFlight *f = dn_flight(part->engine, packet->message);
    packet->birth_ps = part->now_ps;
    if (packet->in_queue && f->m.cookie != DN_NO_COOKIE)
        dn_emit_self(part, tail_ps, (DnEvent){.kind = DN_EVENT_SENT, .a = (guint32)f->m.cookie,
                                              .b = (guint32)(f->m.cookie >> 32)});
}

/* The packet goes over the wire now; what it leaves behind goes upstream as credit. */
static void transmit(DnPart *part, DnPort *port, guint q, guint32 id)
{
    DnPacketEngine *e = part->engine;
    DnPacket *packet = dn_packet(e, id);
    const DnSpeed *speed = &e->speeds[port->speed];
    gint64 tail = part->now_ps + dn_port_serial_ps(e, port, packet->wire_bytes);
    port->free_ps = tail;
    port->bytes += packet->wire_bytes;
    if (packet->in_port != DN_NONE)
        return_credit(part, packet, tail);
    else
        leave_source(part, packet, tail);
    packet->tail_ps = tail + speed->latency_ps;
    packet->in_port = port->peer_port;
    packet->in_queue = (guint8)q;
    gboolean ends = port->peer == packet->route.target; /* memory takes it when it is whole */
    gint64 when = ends ? packet->tail_ps : part->now_ps + speed->latency_ps;
    if (ends) /* and at once its buffer is free: the credit's way is known from here */
        dn_emit_self(part, packet->tail_ps + speed->credit_latency_ps,
                     (DnEvent){.kind = DN_EVENT_CREDIT, .aux = (guint8)q, .a = packet->wire_bytes,
                               .b = dn_port(e, port->peer_port)->peer_port});
    dn_emit(part, port->peer_domain, when,
            (DnEvent){.kind = DN_EVENT_ARRIVE, .slot = port->peer_slot, .a = id,
                      .b = port->peer_port});
}

static void note_stall(DnPart *part, DnPort *port, guint32 index, gboolean stalled)
{
    DnPortCold *cold = &part->engine->cold[index];
    port->stalled = stalled & 1;
    if (stalled)
        cold->stalled_since_ps = part->now_ps;
    else
        cold->stalled_ps += part->now_ps - cold->stalled_since_ps;
}

void dn_port_try(DnPart *part, DnVertexState *v, guint32 index)
{
    DnPacketEngine *e = part->engine;
    DnPort *port = dn_port(e, v->first_port + index);
    if (port->mask == 0)
        return;
    if (port->free_ps > part->now_ps) {
        set_wake(part, port, index);
        return;
    }
    guint q = choose_queue(e, port);
    gboolean stalled = q == G_MAXUINT;
    if (stalled != port->stalled)
        note_stall(part, port, v->first_port + index, stalled);
    if (stalled)
        return;
    transmit(part, port, q, take_head(e, port, q));
    if (port->inject_tail != 0)
        dn_inject_pull(part, v, index);
    if (port->mask != 0)
        set_wake(part, port, index);
}

void dn_port_enqueue(DnPart *part, DnVertexState *v, guint32 index, guint32 id)
{
    DnPacketEngine *e = part->engine;
    DnPort *port = dn_port(e, v->first_port + index);
    DnPacket *packet = dn_packet(e, id);
    DnQueue *queue = &dn_port_queues(port)[packet->out_queue];
    packet->next = 0;
    packet->order = port->order++;
    if (G_UNLIKELY(port->order == 0))
        e->cold[v->first_port + index].order_wraps++;
    if (port->mask >> packet->out_queue & 1) {
        dn_packet(e, queue->tail)->next = id;
    } else {
        queue->head = id;
        queue->head_bytes = (gint32)packet->wire_bytes;
    }
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
    DnPort *port = dn_port(part->engine, index);
    dn_port_queues(port)[queue].credit_bytes += (gint32)bytes;
    port->unacked_bytes -= bytes;
    if (port->mask != 0 && !port->wake_set)
        dn_port_try(part, v, index - v->first_port);
}
