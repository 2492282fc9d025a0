/* vertex.c - one vertex, one window: its events in order, its state in cache. */
#include "engine/packet/core.h"

#include <string.h>

static inline guint64 event_key(const DnEvent *event)
{
    return (guint64)event->offset_ps << 16 | event->port;
}

static void insertion_sort(DnEvent *events, guint n)
{
    for (guint i = 1; i < n; i++) {
        DnEvent moved = events[i];
        guint64 key = event_key(&moved);
        guint j = i;
        for (; j > 0 && event_key(&events[j - 1]) > key; j--)
            events[j] = events[j - 1];
        events[j] = moved;
    }
}

/* Stable, by (offset, port): equal keys keep the order in which their one sender sent them. */
static void sort_events(DnEvent *events, guint n)
{
    if (n <= 32) {
        insertion_sort(events, n);
        return;
    }
    guint half = n / 2;
    sort_events(events, half);
    sort_events(events + half, n - half);
    g_autofree DnEvent *left = g_memdup2(events, half * sizeof *left);
    guint i = 0, j = half, k = 0;
    while (i < half && j < n)
        events[k++] = event_key(&events[j]) < event_key(&left[i]) ? events[j++] : left[i++];
    memcpy(events + k, left + i, (half - i) * sizeof *left);
}

void dn_deliver(DnPart *part, DnVertexState *v, guint32 id, gint64 payload_bytes)
{
    DnPacketEngine *e = part->engine;
    DnFlight *flight = dn_flight(e, id);
    flight->received_bytes += payload_bytes;
    part->payload_bytes += (guint64)payload_bytes;
    if (flight->received_bytes < flight->m.bytes)
        return;
    DnMessage message = flight->m;
    gint64 born = flight->born_ps;
    part->messages_delivered++;
    dn_pool_give(&part->free_flights, id);
    if (e->run->observer.message != NULL)
        e->run->observer.message(e->run->observer.data, &message, born, part->now_ps);
    DnContext context = {part, v->endpoint};
    e->run->client->delivered(e->run->client_data, &context, v->endpoint, &message);
}

static void arrive_at_target(DnPart *part, DnVertexState *v, guint32 id)
{
    DnPacketEngine *e = part->engine;
    DnPacket *packet = dn_packet(e, id);
    const DnPort *back = &e->ports[v->first_port + packet->in_port];
    dn_emit(part, back->peer, part->now_ps + back->credit_latency_ps,
            (DnEvent){.port = back->peer_port, .kind = DN_EVENT_CREDIT, .aux = packet->in_queue,
                      .a = packet->wire_bytes});
    part->packets_delivered++;
    part->packet_latency_ps_sum += part->now_ps - packet->birth_ps;
    guint32 flight = packet->message;
    gint64 payload = packet->wire_bytes - e->header_bytes;
    dn_pool_give(&part->free_packets, id);
    dn_deliver(part, v, flight, payload);
}

static void arrive(DnPart *part, DnVertexState *v, guint32 id)
{
    DnPacketEngine *e = part->engine;
    DnPacket *packet = dn_packet(e, id);
    if (packet->route.target == part->vertex) {
        arrive_at_target(part, v, id);
        return;
    }
    part->hops++;
    DnHop hop = dn_route_next(e->router, part->vertex, &packet->route, &part->load,
                              dn_vertex_draw(v));
    packet->out_port = (guint16)hop.port;
    packet->out_queue = (guint8)(packet->lane * e->channels + hop.channel);
    /* A faster link must not run dry in the middle of a packet: it starts late enough. */
    const DnPort *port = &e->ports[v->first_port + hop.port];
    gint64 ready = packet->tail_ps - dn_port_serial_ps(port, packet->wire_bytes);
    if (ready > part->now_ps)
        dn_emit_self(part, ready, (DnEvent){.kind = DN_EVENT_READY, .a = id});
    else
        dn_port_enqueue(part, v, hop.port, id);
}

static void serve_event(DnPart *part, DnVertexState *v, const DnEvent *event)
{
    const DnPacketEngine *e = part->engine;
    const DnClient *client = e->run->client;
    DnContext context = {part, v->endpoint};
    switch ((DnEventKind)event->kind) {
    case DN_EVENT_ARRIVE:
        arrive(part, v, event->a);
        break;
    case DN_EVENT_CREDIT:
        dn_port_credit(part, v, event->port, event->aux, event->a);
        break;
    case DN_EVENT_WAKE:
        e->ports[v->first_port + event->a].wake_set = 0;
        dn_port_try(part, v, event->a);
        break;
    case DN_EVENT_READY:
        dn_port_enqueue(part, v, dn_packet(e, event->a)->out_port, event->a);
        break;
    case DN_EVENT_INJECT:
        dn_inject_message(part, v, event->a);
        break;
    case DN_EVENT_LOCAL:
        dn_deliver(part, v, event->a, dn_flight(e, event->a)->m.bytes);
        break;
    case DN_EVENT_SENT:
        client->sent(e->run->client_data, &context, v->endpoint,
                     (guint64)event->b << 32 | event->a);
        break;
    case DN_EVENT_TIMER:
        client->timer(e->run->client_data, &context, v->endpoint,
                      (guint64)event->b << 32 | event->a);
        break;
    }
}

static void prefetch_batch(const DnPacketEngine *e, const DnVertexState *v, const DnEvent *batch,
                           guint n)
{
    for (guint i = 0; i < n; i++) {
        if (batch[i].kind == DN_EVENT_ARRIVE)
            __builtin_prefetch(dn_packet(e, batch[i].a), 1);
        if (batch[i].port != DN_SELF_PORT) {
            __builtin_prefetch(&e->ports[v->first_port + batch[i].port], 1);
            __builtin_prefetch(&e->queues_of[(gsize)(v->first_port + batch[i].port) * e->queues],
                               1);
        }
    }
}

#define STANDSTILL_EVENTS 20000000u

void dn_vertex_serve(DnPart *part, guint32 vertex)
{
    DnPacketEngine *e = part->engine;
    DnVertexState *v = &e->vertices[vertex];
    DnSelfEvents *self = &part->self;
    guint n = dn_wheel_take(&part->wheel, vertex, &part->batch, &part->batch_capacity), i = 0;
    guint64 served = 0;
    prefetch_batch(e, v, part->batch, n);
    sort_events(part->batch, n);
    part->vertex = vertex;
    while (i < n || self->at < self->n) {
        DnEvent event;
        if (i < n && (self->at == self->n ||
                      event_key(&part->batch[i]) <= event_key(&self->events[self->at])))
            event = part->batch[i++];
        else
            event = self->events[self->at++];
        part->now_ps = part->window_start_ps + event.offset_ps;
        serve_event(part, v, &event);
        if (G_UNLIKELY(++served > STANDSTILL_EVENTS)) {
            e->time_stands_still = TRUE;
            break;
        }
    }
    part->events += served;
    part->last_ps = MAX(part->last_ps, part->now_ps);
}
