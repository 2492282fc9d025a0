/* vertex.c - a window, domain by domain: the events of its vertices in order, their state in cache.
 */
#include "engine/packet/packet_aggregation.h"
#include "engine/packet/congestion_control.h"
#include "engine/packet/hooks.h"
#include "engine/packet/nic.h"

/* The whole message is here. With packets @answered, its source still counts the responses, and
 * frees the message with the last. */
static void deliver(DnPart *part, DnVertexState *v, guint32 id, gboolean answered)
{
    DnPacketEngine *e = part->engine;
    const DnFlight *flight = dn_flight(e, id);
    DnMessage message = flight->m;
    gint64 born = flight->born_ps;
    part->totals.messages_delivered++;
    if (G_UNLIKELY(dn_has_hooks(e)))
        dn_hooks_delivered(part, &message, born);
    if (!answered)
        dn_pool_give(&e->net.flights, &part->free_flights, id);
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
                    gboolean whole, gboolean answered)
{
    DnFlight *flight = dn_flight(part->engine, id);
    part->totals.payload_bytes += (guint64)payload_bytes;
    if (!whole) {
        flight->received_bytes += payload_bytes;
        whole = flight->received_bytes == flight->m.bytes;
    }
    if (whole)
        deliver(part, v, id, answered);
}

static void arrive_at_target(DnPart *part, DnVertexState *v, guint32 id)
{
    const DnPacketEngine *e = part->engine;
    const DnPacket *packet = dn_packet(e, id);
    if (G_UNLIKELY(packet->response)) {
        dn_response_arrives(part, v, id);
        return;
    }
    gboolean answered = dn_is_answered(e, &packet->route);
    if (packet->route.target_switch != DN_NONE)
        count_way(part, packet);
    if (answered)
        dn_respond(part, v, packet);
    part->totals.packets_delivered++;
    part->totals.packet_latency_ps_sum += part->now_ps - packet->birth_ps;
    guint32 flight = packet->message;
    gint64 payload = dn_payload(e, packet);
    gboolean whole = packet->first && packet->last;
    if (G_UNLIKELY(dn_has_hooks(e)))
        dn_hooks_came(part, id);
    dn_pool_give(&part->engine->net.packets, &part->free_packets, id);
    receive(part, v, flight, payload, whole, answered);
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
        packet->in_port == v->first_port + e->net.uplink_of[v->nic])
        dn_nic_response_passes(part, v, packet);
    if (!dn_has_hooks(e) || dn_hooks_arrive(part, v, id))
        dn_port_onward(part, v, id);
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

static void serve_rare(DnPart *part, DnVertexState *v, const DnEvent *event)
{
    const DnPacketEngine *e = part->engine;
    switch (dn_event_kind(event)) {
    case DN_EVENT_ARRIVE:
    case DN_EVENT_CREDIT:
        break; /* serve_event() */
    case DN_EVENT_NOTICE:
        e->features.control->told(part, v, event->a, event->b);
        break;
    case DN_EVENT_WAKE:
        dn_port(e, v->first_port + event->a)->wake_set = 0;
        dn_port_try(part, v, event->a);
        break;
    case DN_EVENT_SLIP:
        dn_train_slip(part, v, event->a);
        break;
    case DN_EVENT_TAIL:
        dn_train_tail(part, v, event->a, dn_event_aux(event), event->b);
        break;
    case DN_EVENT_READY:
        dn_port_enqueue(part, v, dn_packet(e, event->a)->out_port, event->a);
        break;
    case DN_EVENT_FIRST:
        dn_port_onward(part, v, event->a);
        break;
    case DN_EVENT_INJECT:
        dn_inject_message(part, v, event->a);
        break;
    case DN_EVENT_LOCAL:
        receive(part, v, event->a, dn_flight(e, event->a)->m.bytes, TRUE, FALSE);
        break;
    case DN_EVENT_SENT:
    case DN_EVENT_TIMER:
        call_client(part, v, event);
        break;
    }
}

static inline void serve_event(DnPart *part, DnVertexState *states, const DnEvent *event)
{
    DnVertexState *v = part->state = &states[dn_event_slot(event)];
    part->now_ps = part->slot_start_ps + event->offset_ps;
    if (dn_event_kind(event) == DN_EVENT_ARRIVE)
        arrive(part, v, event->a);
    else if (dn_event_kind(event) == DN_EVENT_CREDIT)
        dn_port_credit(part, v, event->b, dn_event_aux(event), event->a);
    else
        serve_rare(part, v, event);
}

/* To GCC a function that only prefetches has no effect, and is dropped with its loop: what it does
 * not understand is kept. */
static inline void prefetch(const void *line)
{
    __builtin_prefetch(line, 1);
    __asm__ volatile("");
}

static void prefetch_lines(const void *from, gsize bytes)
{
    for (gsize at = 0; at < bytes; at += 64)
        prefetch((const char *)from + at);
}

/* A domain's vertices and ports. */
static void prefetch_domain(const DnPacketEngine *e, guint32 domain)
{
    const DnVertexState *first = &e->net.states[e->net.domain_first[domain]];
    const DnVertexState *last = &e->net.states[e->net.domain_first[domain + 1]];
    prefetch_lines(first, (gsize)(last - first) * sizeof *first);
    prefetch_lines(dn_port(e, first->first_port), (gsize)(last->first_port - first->first_port)
                                                      << e->net.port_shift);
}

/* What the @n events at @event will touch: packets, the queues of ports that wake, and ports unless
 * all the domain's are coming. */
static inline void prefetch_events(const DnPacketEngine *e, const DnVertexState *states,
                                   const DnEvent *event, guint n, gboolean ports)
{
    for (const DnEvent *end = event + n; event < end; event++) {
        DnEventKind kind = dn_event_kind(event);
        guint32 packet = event->a & -(guint32)(kind == DN_EVENT_ARRIVE); /* no branch to guess */
        prefetch(dn_packet(e, packet));
        if (kind == DN_EVENT_WAKE) { /* something waits there */
            guint32 port = states[dn_event_slot(event)].first_port + event->a;
            prefetch(dn_port_queues(e, dn_port(e, port)));
        }
        if (ports && kind < DN_EVENT_NOTICE)
            prefetch(dn_port(e, event->b));
    }
}

/* What @turn will touch, on its way while the turn before is served: of a busy domain all ports
 * and vertices, once a window; of an idle one those that the events name; and packets. What the
 * turn being served adds to it is missed. */
static void prefetch_turn(const DnPart *part, DnTurn turn, gboolean entered)
{
    const DnPacketEngine *e = part->engine;
    const DnWheel *wheel = &part->wheel;
    if (turn.domain == DN_NONE)
        return;
    guint32 at = *dn_turn_bucket(wheel, turn);
    guint32 id = (at - 1) / DN_CHUNK_PLACES;
    guint n = (at - 1) % DN_CHUNK_PLACES;
    const guint32 *first = &e->net.domain_first[turn.domain];
    guint32 ports = e->net.states[first[1]].first_port - e->net.states[first[0]].first_port;
    gboolean busy = 2 * n * wheel->span > ports || dn_chunk(wheel, id)->older != 0;
    if (busy && entered)
        prefetch_domain(e, turn.domain);
    const DnVertexState *states = &e->net.states[first[0]];
    for (; id != 0; id = dn_chunk(wheel, id)->older, n = DN_CHUNK_EVENTS)
        if (busy)
            prefetch_events(e, states, dn_chunk(wheel, id)->events, n, FALSE);
        else
            prefetch_events(e, states, dn_chunk(wheel, id)->events, n, TRUE);
}

/* A packet that ends here is wanted with its message; the packet has come by now. */
static inline void prefetch_message(const DnPacketEngine *e, const DnEvent *event)
{
    gboolean ends = (event->what & 0xffff) == (DN_EVENT_ARRIVE | 1 << 8);
    guint32 packet = event->a & -(guint32)ends; /* no branch to guess */
    prefetch(dn_flight(e, dn_packet(e, packet)->message));
}

#define STANDSTILL_EVENTS 50000000u

#define MESSAGES_AHEAD 8

/* The vertex's own events before @until_ps (in the slot); FALSE: they never end. */
static gboolean serve_own(DnPart *part, DnVertexState *states, guint32 until_ps)
{
    DnSelfEvents *self = &part->self;
    guint64 served = 0;
    while (self->at < self->n && self->events[self->at].offset_ps < until_ps) {
        DnEvent own = self->events[self->at++]; /* serving it may move the others */
        serve_event(part, states, &own);
        part->events++;
        if (G_UNLIKELY(++served > STANDSTILL_EVENTS)) {
            part->engine->end.time_stands_still = TRUE;
            return FALSE;
        }
    }
    return TRUE;
}

static void serve_turn(DnPart *part, DnTurn turn)
{
    const DnPacketEngine *e = part->engine;
    DnVertexState *states = &e->net.states[e->net.domain_first[turn.domain]];
    const DnSelfEvents *self = &part->self;
    DnBatch *batch = &part->batch;
    dn_batch_load(&part->sort, &part->wheel, turn, batch);
    part->domain = turn.domain;
    part->slot_start_ps = (part->wheel.first + turn.ahead) << part->wheel.shift;
    part->slot_end_ps = part->slot_start_ps + (G_GINT64_CONSTANT(1) << part->wheel.shift);
    const DnEvent *event = batch->events, *end = event + batch->n;
    for (; event < end; event++) {
        if (self->at < self->n && !serve_own(part, states, event->offset_ps))
            return;
        const DnEvent *later = event + MESSAGES_AHEAD;
        prefetch_message(e, later < end ? later : event);
        serve_event(part, states, event);
    }
    part->events += batch->n;
    serve_own(part, states, G_MAXUINT32);
    part->totals.last_ps = MAX(part->totals.last_ps, part->now_ps);
}

void dn_window_serve(DnPart *part)
{
    const DnWheel *wheel = &part->wheel;
    DnTurn turn = dn_wheel_next_turn(wheel, (DnTurn){0, 0});
    prefetch_turn(part, turn, TRUE);
    while (turn.domain != DN_NONE) {
        DnTurn after = {turn.domain, turn.ahead + 1};
        DnTurn next = dn_wheel_next_turn(wheel, after);
        prefetch_turn(part, next, next.domain != turn.domain);
        serve_turn(part, turn);
        turn = dn_wheel_next_turn(wheel, after); /* which may be an earlier one by now */
    }
}
