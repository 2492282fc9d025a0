/* vertex.c - one domain, one window: the events of its vertices in order, their state in cache. */
#include "engine/packet/fifo.h"
#include "engine/packet/nic.h"
#include "engine/packet/throttle.h"
#include "engine/packet/waits.h"

/* The whole message is here. */
static void deliver(DnPart *part, DnVertexState *v, guint32 id)
{
    DnPacketEngine *e = part->engine;
    const DnFlight *flight = dn_flight(e, id);
    DnMessage message = flight->m;
    gint64 born = flight->born_ps;
    part->totals.messages_delivered++;
    if (G_UNLIKELY(e->waits != NULL))
        dn_waits_delivered(part, &message, born);
    if (!e->answers || message.src == message.dst)
        dn_pool_give(&e->flights, &part->free_flights, id);
    /* else its source still counts the responses, and frees it with the last */
    if (e->run->observer.message != NULL)
        e->run->observer.message(e->run->observer.data, &message, born, part->now_ps);
    DnContext context = {&dn_packet_context, part, v->endpoint};
    e->run->client->delivered(e->run->client_data, &context, v->endpoint, &message);
}

static void count_way(DnPart *part, const DnPacket *packet)
{
    guint job = dn_flight(part->engine, packet->message)->m.job;
    if (job >= part->engine->run->n_jobs)
        return;
    if (packet->detour)
        part->job_packets[job].non_minimal++;
    else
        part->job_packets[job].minimal++;
}

static void receive(DnPart *part, DnVertexState *v, guint32 id, gint64 payload_bytes,
                    gboolean whole)
{
    DnFlight *flight = dn_flight(part->engine, id);
    part->totals.payload_bytes += (guint64)payload_bytes;
    if (!whole) {
        flight->received_bytes += payload_bytes;
        whole = flight->received_bytes == flight->m.bytes;
    }
    if (whole)
        deliver(part, v, id);
}

static void arrive_at_target(DnPart *part, DnVertexState *v, guint32 id)
{
    const DnPacketEngine *e = part->engine;
    const DnPacket *packet = dn_packet(e, id);
    if (G_UNLIKELY(packet->response)) {
        dn_response_arrives(part, v, id);
        return;
    }
    if (packet->route.target_switch != DN_NONE)
        count_way(part, packet);
    if (e->answers && packet->route.target_switch != DN_NONE)
        dn_respond(part, v, packet);
    part->totals.packets_delivered++;
    part->totals.packet_latency_ps_sum += part->now_ps - packet->birth_ps;
    guint32 flight = packet->message;
    gint64 payload = packet->wire_bytes - e->header_bytes;
    gboolean whole = packet->first && packet->last;
    if (G_UNLIKELY(e->waits != NULL))
        dn_waits_came(part, id);
    dn_pool_give(&part->engine->packets, &part->free_packets, id);
    receive(part, v, flight, payload, whole);
}

/* To the output that routing chooses, as soon as enough of it is here. */
static void route_onward(DnPart *part, DnVertexState *v, guint32 id)
{
    DnPacketEngine *e = part->engine;
    DnPacket *packet = dn_packet(e, id);
    part->lane = dn_lane_of(e, packet->in_queue);
    DnHop hop = dn_route_next(e->router, v->vertex, &packet->route, &part->load, dn_vertex_draw(v));
    packet->detour |= dn_route_detours(&packet->route);
    packet->out_port = (guint16)hop.port;
    packet->out_queue = dn_queue_of(e, packet->in_queue, hop.channel) & 31;
    /* A faster link must not run dry in the middle of a packet: it starts late enough. */
    const DnPort *port = dn_port(e, v->first_port + hop.port);
    gint64 ready = packet->tail_ps - dn_port_serial_ps(e, port, packet->wire_bytes);
    if (G_UNLIKELY(port->uplink) && packet->first && e->message_gap_ps > 0) {
        gint64 start = dn_nic_message_start(part, v);
        ready = MAX(ready, start);
    }
    if (ready > part->now_ps)
        dn_emit_self(part, ready, dn_event_own(DN_EVENT_READY, id));
    else
        dn_port_enqueue(part, v, hop.port, id);
}

static void arrive(DnPart *part, DnVertexState *v, guint32 id)
{
    DnPacketEngine *e = part->engine;
    DnPacket *packet = dn_packet(e, id);
    if (packet->route.target == v->vertex) {
        arrive_at_target(part, v, id);
        return;
    }
    part->hops++;
    if (G_UNLIKELY(packet->response) && v->nic != DN_NONE &&
        packet->in_port == v->first_port + e->uplink_of[v->nic])
        dn_nic_response_passes(part, v, packet);
    if (e->fifos == NULL || dn_fifo_is_first(e, v, id))
        route_onward(part, v, id);
}

static void call_client(DnPart *part, const DnVertexState *v, const DnEvent *event)
{
    const DnEngineRun *run = part->engine->run;
    DnContext context = {&dn_packet_context, part, v->endpoint};
    guint64 cookie = (guint64)event->b << 32 | event->a;
    if (dn_event_kind(event) == DN_EVENT_SENT)
        run->client->sent(run->client_data, &context, v->endpoint, cookie);
    else
        run->client->timer(run->client_data, &context, v->endpoint, cookie);
}

static void serve_event(DnPart *part, DnVertexState *v, const DnEvent *event)
{
    const DnPacketEngine *e = part->engine;
    switch (dn_event_kind(event)) {
    case DN_EVENT_ARRIVE:
        arrive(part, v, event->a);
        break;
    case DN_EVENT_CREDIT:
        dn_port_credit(part, v, event->b, dn_event_aux(event), event->a);
        break;
    case DN_EVENT_NOTICE:
        dn_throttle_told(part, v, event->a, event->b);
        break;
    case DN_EVENT_WAKE:
        dn_port(e, v->first_port + event->a)->wake_set = 0;
        dn_port_try(part, v, event->a);
        break;
    case DN_EVENT_READY:
        dn_port_enqueue(part, v, dn_packet(e, event->a)->out_port, event->a);
        break;
    case DN_EVENT_FIRST:
        route_onward(part, v, event->a);
        break;
    case DN_EVENT_INJECT:
        dn_inject_message(part, v, event->a);
        break;
    case DN_EVENT_LOCAL:
        receive(part, v, event->a, dn_flight(e, event->a)->m.bytes, TRUE);
        break;
    case DN_EVENT_SENT:
    case DN_EVENT_TIMER:
        call_client(part, v, event);
        break;
    }
}

static void prefetch_lines(const void *from, gsize bytes)
{
    for (gsize at = 0; at < bytes; at += 64)
        __builtin_prefetch((const char *)from + at, 1);
}

/* What the batch will touch, on its way while the domain before is served: all of a busy domain's
 * ports and vertices, of an idle one's those that the events name; and packets. Notes those that
 * end here: with them their messages will be wanted. */
static void prefetch_batch(const DnPacketEngine *e, DnBatch *batch)
{
    guint32 first = e->domain_first[batch->domain], last = e->domain_first[batch->domain + 1];
    const DnVertexState *states = &e->states[first];
    guint32 ports = e->states[last].first_port - states->first_port;
    gboolean busy = 2 * batch->n > ports;
    prefetch_lines(states, busy ? (last - first) * sizeof *states : sizeof *states);
    if (busy)
        prefetch_lines(dn_port(e, states->first_port), ports * e->port_stride);
    guint ends = 0;
    for (guint i = 0; i < batch->n; i++) {
        const DnEvent *event = &batch->events[i];
        gboolean arrives = dn_event_kind(event) == DN_EVENT_ARRIVE;
        guint32 packet = arrives ? event->a : 0;
        __builtin_prefetch(dn_packet(e, packet), 1);
        batch->ends[ends] = packet;
        ends += arrives && dn_event_aux(event);
        if (dn_event_kind(event) == DN_EVENT_WAKE) { /* something waits there */
            guint32 port = states[dn_event_slot(event)].first_port + event->a;
            __builtin_prefetch(dn_port_queues(e, dn_port(e, port)), 1);
        }
        if (!busy && dn_event_kind(event) < DN_EVENT_NOTICE)
            __builtin_prefetch(dn_port(e, event->b), 1);
    }
    batch->n_ends = ends;
}

static void load_batch(DnPart *part, DnBatch *batch, guint32 from)
{
    batch->domain = dn_wheel_next_domain(&part->wheel, from);
    if (batch->domain == DN_NONE)
        return;
    guint32 after = dn_wheel_next_domain(&part->wheel, batch->domain + 1);
    if (after != DN_NONE)
        dn_wheel_prefetch(&part->wheel, after);
    dn_batch_load(&part->sort, &part->wheel, batch->domain, batch);
    prefetch_batch(part->engine, batch);
}

/* Their packets have come by now. */
static void prefetch_messages(const DnPacketEngine *e, const DnBatch *batch)
{
    for (guint i = 0; i < batch->n_ends; i++)
        __builtin_prefetch(dn_flight(e, dn_packet(e, batch->ends[i])->message), 1);
}

#define STANDSTILL_EVENTS 50000000u

static void serve_batch(DnPart *part, const DnBatch *batch)
{
    DnPacketEngine *e = part->engine;
    DnVertexState *states = &e->states[e->domain_first[batch->domain]];
    DnSelfEvents *self = &part->self;
    guint64 served = 0;
    guint i = 0;
    part->domain = batch->domain;
    prefetch_messages(e, batch);
    while (i < batch->n || self->at < self->n) {
        const DnEvent *event = &batch->events[i];
        DnEvent own;
        if (self->at < self->n &&
            (i == batch->n || self->events[self->at].offset_ps < event->offset_ps)) {
            own = self->events[self->at++]; /* serving it may move the others */
            event = &own;
        } else {
            i++;
        }
        part->now_ps = part->window_start_ps + event->offset_ps;
        part->state = &states[dn_event_slot(event)];
        serve_event(part, part->state, event);
        if (G_UNLIKELY(++served > STANDSTILL_EVENTS)) {
            e->time_stands_still = TRUE;
            break;
        }
    }
    part->events += served;
    part->totals.last_ps = MAX(part->totals.last_ps, part->now_ps);
}

void dn_window_serve(DnPart *part)
{
    DnBatch *batch = &part->batches[0], *next = &part->batches[1];
    load_batch(part, batch, 0);
    while (batch->domain != DN_NONE) {
        load_batch(part, next, batch->domain + 1);
        serve_batch(part, batch);
        DnBatch *served = batch;
        batch = next;
        next = served;
    }
}
