/* vertex.c - a window, domain by domain: the events of its vertices in order, their state in cache.
 */
#include "engine/packet/congestion_control.h"
#include "engine/packet/hooks.h"
#include "engine/packet/nic.h"
#include "engine/packet/remote.h"

/* Delivers message @id, which is complete. With @answered packets its source still counts the
 * responses, and frees the message with the last. */
static void vertex_deliver(DnPartition *partition, DnVertexState *v, guint32 id, gboolean answered)
{
    DnPacketEngine *e = partition->engine;
    const DnMessageState *msg = dn_message_state(e, id);
    DnMessage message = msg->m;
    gint64 born = msg->born_ps;
    partition->totals.messages_delivered++;
    if (G_UNLIKELY(dn_is_hooked(e, DN_HOOKED_MESSAGES)))
        dn_hooks_delivered(partition, &message, born);
    if (!answered)
        dn_pool_give(&e->net.message_states, &partition->free_message_states, id);
    if (e->run->observer.message != NULL)
        e->run->observer.message(e->run->observer.data, &message, born, partition->now_ps);
    DnContext context = {&dn_packet_context, partition, v->endpoint};
    e->run->client->delivered(e->run->client_data, &context, v->endpoint, &message);
}

static void count_minimal(DnPartition *partition, const DnPacket *packet)
{
    guint job = dn_message_state(partition->engine, packet->message)->m.job;
    if (job >= partition->engine->run->n_jobs)
        return;
    if (packet->detour)
        partition->job_packets[job].non_minimal++;
    else
        partition->job_packets[job].minimal++;
}

static void vertex_receive(DnPartition *partition, DnVertexState *v, guint32 id,
                           gint64 payload_bytes, gboolean whole, gboolean answered)
{
    DnMessageState *msg = dn_message_state(partition->engine, id);
    partition->totals.payload_bytes += (guint64)payload_bytes;
    gboolean copy = !whole && msg->origin != 0;
    if (G_UNLIKELY(copy)) {
        whole = dn_remote_arrived(partition, msg, payload_bytes);
    } else if (!whole) {
        msg->received_bytes += payload_bytes;
        whole = msg->received_bytes == msg->m.bytes;
    }
    if (whole)
        vertex_deliver(partition, v, id, answered);
    else if (G_UNLIKELY(copy) && !answered)
        dn_pool_give(&partition->engine->net.message_states, &partition->free_message_states, id);
}

/* Ends a read whose data are all here: the message counts as sent and delivered at once. */
static void read_ends(DnPartition *partition, DnVertexState *v, guint32 id)
{
    const DnMessageState *msg = dn_message_state(partition->engine, id);
    partition->totals.payload_bytes += (guint64)msg->m.bytes;
    if (msg->m.cookie != DN_NO_COOKIE)
        dn_emit_self(partition, partition->now_ps, dn_event_cookie(DN_EVENT_SENT, msg->m.cookie));
    vertex_deliver(partition, v, id, FALSE);
}

/* Serves a response, or the request of a read, whose bytes come with the responses. */
static void read_or_response(DnPartition *partition, DnVertexState *v, guint32 id)
{
    const DnPacket *packet = dn_packet(partition->engine, id);
    guint32 msg = packet->message;
    if (packet->response && packet->read && packet->route.target_switch != DN_NONE)
        count_minimal(partition, packet);
    if (packet->response) {
        if (dn_response_arrives(partition, v, id))
            read_ends(partition, v, msg);
        return;
    }
    dn_respond(partition, v, packet);
    partition->totals.packets_delivered++;
    partition->totals.packet_latency_ps_sum += partition->now_ps - packet->birth_ps;
    dn_pool_give(&partition->engine->net.packets, &partition->free_packets, id);
}

static void arrive_at_target(DnPartition *partition, DnVertexState *v, guint32 id)
{
    const DnPacketEngine *e = partition->engine;
    const DnPacket *packet = dn_packet(e, id);
    if (G_UNLIKELY(packet->response || packet->read)) {
        read_or_response(partition, v, id);
        return;
    }
    gboolean answered = dn_is_answered(e, &packet->route);
    if (packet->route.target_switch != DN_NONE)
        count_minimal(partition, packet);
    if (answered)
        dn_respond(partition, v, packet);
    partition->totals.packets_delivered++;
    partition->totals.packet_latency_ps_sum += partition->now_ps - packet->birth_ps;
    guint32 msg = packet->message;
    gint64 payload = dn_payload(e, packet);
    gboolean whole = packet->first && packet->last;
    if (G_UNLIKELY(dn_is_hooked(e, DN_HOOKED_MESSAGES)))
        dn_hooks_came(partition, id);
    dn_pool_give(&partition->engine->net.packets, &partition->free_packets, id);
    vertex_receive(partition, v, msg, payload, whole, answered);
}

static void call_client(DnPartition *partition, const DnVertexState *v, const DnEvent *event)
{
    const DnEngineRun *run = partition->engine->run;
    DnContext context = {&dn_packet_context, partition, v->endpoint};
    guint64 cookie = (guint64)event->b << 32 | event->a;
    if (dn_event_kind(event) == DN_EVENT_SENT)
        run->client->sent(run->client_data, &context, v->endpoint, cookie);
    else
        run->client->timer(run->client_data, &context, v->endpoint, cookie);
}

static void serve_rare(DnPartition *partition, DnVertexState *v, const DnEvent *event)
{
    const DnPacketEngine *e = partition->engine;
    switch (dn_event_kind(event)) {
    case DN_EVENT_ARRIVE:
    case DN_EVENT_CREDIT:
        break; /* serve_event() */
    case DN_EVENT_NOTIFICATION:
        e->features.control->notified(partition, v, event->a, event->b);
        break;
    case DN_EVENT_WAKE:
        dn_port(e, v->first_port + event->a)->wake_set = 0;
        dn_port_try(partition, v, event->a);
        break;
    case DN_EVENT_INTERLEAVE:
    case DN_EVENT_TAIL:
        e->features.aggregation->serve(partition, v, event);
        break;
    case DN_EVENT_READY:
        dn_port_enqueue(partition, v, dn_packet(e, event->a)->out_port, event->a);
        break;
    case DN_EVENT_FIRST:
        dn_port_onward(partition, v, event->a);
        break;
    case DN_EVENT_INJECT:
        dn_source_continue(partition, v, event->a);
        break;
    case DN_EVENT_LOCAL:
        vertex_receive(partition, v, event->a, dn_message_state(e, event->a)->m.bytes, TRUE, FALSE);
        break;
    case DN_EVENT_SENT:
    case DN_EVENT_TIMER:
        call_client(partition, v, event);
        break;
    }
}

static inline void serve_event(DnPartition *partition, DnVertexState *states, const DnEvent *event)
{
    DnVertexState *v = partition->state = &states[dn_event_slot(event)];
    partition->now_ps = partition->slot_start_ps + event->offset_ps;
    if (dn_event_kind(event) == DN_EVENT_ARRIVE && dn_event_aux(event) == 0)
        dn_port_arrive(partition, v, event->a);
    else if (dn_event_kind(event) == DN_EVENT_ARRIVE)
        arrive_at_target(partition, v, event->a);
    else if (dn_event_kind(event) == DN_EVENT_CREDIT)
        dn_port_credit(partition, v, event->b, dn_event_aux(event), event->a);
    else
        serve_rare(partition, v, event);
}

/* The empty asm statement keeps GCC from dropping a loop that only prefetches, as one without
 * effect. */
static inline void vertex_prefetch(const void *line)
{
    __builtin_prefetch(line, 1);
    __asm__ volatile("");
}

/* Prefetches @bytes at @from, in steps of four lines: up to three lines more. */
static void prefetch_lines(const void *from, gsize bytes)
{
    for (const char *at = from, *end = at + bytes; at < end; at += 256) {
        __builtin_prefetch(at, 1);
        __builtin_prefetch(at + 64, 1);
        __builtin_prefetch(at + 128, 1);
        __builtin_prefetch(at + 192, 1);
        __asm__ volatile("");
    }
}

/* A domain's vertices and ports. */
static void prefetch_domain(const DnPacketEngine *e, guint32 domain)
{
    const DnVertexState *first = &e->net.states[e->net.domain_first[domain]];
    const DnVertexState *last = &e->net.states[e->net.domain_first[domain + 1]];
    prefetch_lines(first, (gsize)(last - first) * sizeof *first);
    prefetch_lines(dn_port(e, first->first_port), (gsize)(last->first_port - first->first_port)
                                                      << e->net.ports.shift);
}

/* Prefetches the state that the @n events at @event will touch: packets, the queues of ports that
 * wake, and, with @ports, ports. */
static inline void prefetch_events(const DnPacketEngine *e, const DnVertexState *states,
                                   const DnEvent *event, guint n, gboolean ports)
{
    for (const DnEvent *end = event + n; event < end; event++) {
        DnEventKind kind = dn_event_kind(event);
        guint32 packet = event->a & -(guint32)(kind == DN_EVENT_ARRIVE); /* no branch to guess */
        vertex_prefetch(dn_packet(e, packet));
        if (kind == DN_EVENT_WAKE) { /* something waits there */
            guint32 port = states[dn_event_slot(event)].first_port + event->a;
            vertex_prefetch(dn_port_queues(e, dn_port(e, port)));
        }
        if (ports && kind < DN_EVENT_NOTIFICATION)
            vertex_prefetch(dn_port(e, event->b));
    }
}

/* Prefetches the state that @item will touch, while the work item before it is served: of a busy
 * domain all ports and vertices, once a window; of an idle one those that the events name; and
 * packets. Events that the item being served adds are missed. */
static void prefetch_work_item(const DnPartition *partition, DnWorkItem item, gboolean entered)
{
    const DnPacketEngine *e = partition->engine;
    const DnWheel *wheel = &partition->wheel;
    if (item.domain == DN_NONE)
        return;
    guint32 at = *dn_work_item_bucket(wheel, item);
    guint32 id = (at - 1) / DN_CHUNK_PLACES;
    guint n = (at - 1) % DN_CHUNK_PLACES;
    const guint32 *first = e->net.domain_first + item.domain;
    guint32 ports = e->net.states[first[1]].first_port - e->net.states[first[0]].first_port;
    gboolean busy = 2 * n * wheel->span > ports || dn_chunk(wheel, id)->older != 0;
    if (busy && entered)
        prefetch_domain(e, item.domain);
    const DnVertexState *states = &e->net.states[first[0]];
    for (; id != 0; id = dn_chunk(wheel, id)->older, n = DN_CHUNK_EVENTS)
        if (busy)
            prefetch_events(e, states, dn_chunk(wheel, id)->events, n, FALSE);
        else
            prefetch_events(e, states, dn_chunk(wheel, id)->events, n, TRUE);
}

/* Prefetches the state that prefetched lines refer to: the message of a packet that ends here, and
 * the oldest packet of the first queue of a port that wakes, with its child in the heap. The port
 * of an arrival or a credit is prefetched again, as it may have left the first cache; where `b` is
 * no port, some other line is, at no harm. */
static inline void prefetch_ahead(const DnPacketEngine *e, const DnVertexState *states,
                                  const DnEvent *event)
{
    gboolean ends = (event->what & 0xffff) == (DN_EVENT_ARRIVE | 1 << 8);
    guint32 packet = event->a & -(guint32)ends; /* no branch to guess */
    vertex_prefetch(dn_message_state(e, dn_packet(e, packet)->message));
    vertex_prefetch(dn_port(e, event->b));
    if (dn_event_kind(event) != DN_EVENT_WAKE)
        return;
    DnPort *port = dn_port(e, states[dn_event_slot(event)].first_port + event->a);
    if (port->mask != 0) {
        const DnQueue *queue = &dn_port_queues(e, port)[__builtin_ctz(port->mask)];
        vertex_prefetch(dn_packet(e, queue->head));
        vertex_prefetch(dn_packet(e, queue->child));
    }
}

/* Prefetches the tables that routing will read for a packet that arrives on its path. */
static inline void prefetch_route(const DnPacketEngine *e, const DnVertexState *states,
                                  const DnEvent *event)
{
    if ((event->what & 0xffff) == DN_EVENT_ARRIVE)
        dn_route_prefetch_next(e->router, states[dn_event_slot(event)].vertex,
                               &dn_packet(e, event->a)->route);
}

#define STANDSTILL_EVENTS 50000000u

#define MESSAGES_AHEAD 8

/* Serves the next event of a vertex to itself, and those that follow before @until_ps (in the
 * slot); FALSE: they never end. */
static gboolean serve_own(DnPartition *partition, DnVertexState *states, guint32 until_ps)
{
    DnSelfEvents *self = &partition->self;
    guint64 served = 0;
    do {
        DnEvent own = self->events[self->at++]; /* serving it may move the others */
        serve_event(partition, states, &own);
        partition->events++;
        if (G_UNLIKELY(++served > STANDSTILL_EVENTS)) {
            __atomic_store_n(&partition->engine->end.time_stands_still, TRUE, __ATOMIC_RELAXED);
            return FALSE;
        }
    } while (self->at < self->n && self->events[self->at].offset_ps < until_ps);
    return TRUE;
}

/* Returns the time (in the slot) before which events of a vertex to itself precede @event: all of
 * them where @event is of the next vertex. */
static inline guint32 until_next(const DnSelfEvents *self, const DnEvent *event, gboolean by_vertex)
{
    gboolean next = dn_event_slot(event) != dn_event_slot(&self->events[self->at]);
    return by_vertex && next ? G_MAXUINT32 : event->offset_ps;
}

/* TRUE when an event of a vertex to itself precedes @event. */
static inline gboolean own_is_next(const DnSelfEvents *self, const DnEvent *event,
                                   gboolean by_vertex)
{
    return self->at < self->n &&
           self->events[self->at].offset_ps < until_next(self, event, by_vertex);
}

/* Serves @n events of a batch from @event on; @by_vertex, a constant at each call: those of one
 * vertex, then those of the next, as is done where the state exceeds the cache. */
static inline __attribute__((always_inline)) void serve_batch(DnPartition *partition,
                                                              DnVertexState *states,
                                                              const DnEvent *event, guint n,
                                                              gboolean by_vertex)
{
    const DnPacketEngine *e = partition->engine;
    const DnSelfEvents *self = &partition->self;
    gboolean routes = by_vertex && e->router->type->prefetch != NULL;
    gint64 last_ps = partition->totals.last_ps;
    const DnEvent *end = event + n, *all = partition->batch.events + partition->batch.n;
    while (event < end) {
        const DnEvent *ahead = event + MIN(MESSAGES_AHEAD, all - event);
        const DnEvent *until = MIN(ahead, end);
        const DnEvent *prefetched = ahead + MIN(MESSAGES_AHEAD, all - ahead);
        for (; ahead < prefetched; ahead++) {
            prefetch_ahead(e, states, ahead);
            if (routes)
                prefetch_route(e, states, ahead);
        }
        for (; event < until; event++) {
            if (own_is_next(self, event, by_vertex)) {
                if (!serve_own(partition, states, until_next(self, event, by_vertex)))
                    return;
                if (by_vertex)
                    last_ps = MAX(last_ps, partition->now_ps);
            }
            serve_event(partition, states, event);
            if (by_vertex)
                last_ps = MAX(last_ps, partition->now_ps);
        }
    }
    partition->events += n;
    if (self->at < self->n)
        serve_own(partition, states, G_MAXUINT32);
    partition->totals.last_ps = MAX(last_ps, partition->now_ps);
}

static __attribute__((noinline)) void serve_in_time(DnPartition *partition, DnVertexState *states,
                                                    const DnEvent *events, guint n)
{
    serve_batch(partition, states, events, n, FALSE);
}

#define CLIENTS_AHEAD 48 /* events of a batch: their client state fits into the second cache */

/* Has the client prefetch its state for the first events of a batch that call it. */
static __attribute__((noinline)) void
prefetch_clients(const DnPacketEngine *e, const DnVertexState *states, const DnBatch *batch)
{
    const DnEngineRun *run = e->run;
    guint32 endpoints[CLIENTS_AHEAD], n = 0;
    for (guint32 i = 0; i < batch->n && n < CLIENTS_AHEAD; i++) {
        const DnEvent *event = &batch->events[i];
        gboolean ends = (event->what & 0xffff) == (DN_EVENT_ARRIVE | 1 << 8);
        if (ends || dn_event_kind(event) == DN_EVENT_SENT || dn_event_kind(event) == DN_EVENT_TIMER)
            endpoints[n++] = states[dn_event_slot(event)].endpoint;
    }
    for (guint step = DN_PREFETCH_STEPS; step > 0; step--)
        for (guint32 i = 0; i < n; i++)
            run->client->prefetch(run->client_data, endpoints[i], step - 1);
}

static void serve_work_item(DnPartition *partition, DnWorkItem item)
{
    const DnPacketEngine *e = partition->engine;
    DnVertexState *states = &e->net.states[e->net.domain_first[item.domain]];
    const guint32 *first = e->net.domain_first + item.domain;
    DnBatch *batch = &partition->batch;
    dn_batch_load(&partition->sort, &partition->wheel, item, first[1] - first[0], batch);
    if (e->run->n_active >= DN_PREFETCH_FROM && e->run->client->prefetch != NULL)
        prefetch_clients(e, states, batch);
    partition->domain = item.domain;
    partition->slot_start_ps = (partition->wheel.first + item.ahead) << partition->wheel.shift;
    partition->slot_end_ps = partition->slot_start_ps +
                             (G_GINT64_CONSTANT(1) << partition->wheel.shift);
    if (batch->by_vertex) {
        serve_batch(partition, states, batch->events, batch->n, TRUE);
        return;
    }
    serve_in_time(partition, states, batch->events, batch->first);
    serve_in_time(partition, states, batch->events + batch->first, batch->n - batch->first);
}

void dn_lookahead_window_serve(DnPartition *partition)
{
    const DnWheel *wheel = &partition->wheel;
    DnWorkItem item = dn_wheel_next_work_item(wheel, (DnWorkItem){0, 0});
    prefetch_work_item(partition, item, TRUE);
    while (item.domain != DN_NONE) {
        DnWorkItem after = {item.domain, item.ahead + 1};
        DnWorkItem next = dn_wheel_next_work_item(wheel, after);
        prefetch_work_item(partition, next, next.domain != item.domain);
        serve_work_item(partition, item);
        item = dn_wheel_next_work_item(wheel, after); /* which may be an earlier one by now */
    }
}
