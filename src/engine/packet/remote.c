/* remote.c - see remote.h. */
#include "engine/packet/remote.h"

#include "engine/packet/word_packing.h"

#include <string.h>
#include <time.h>

/* An event as it is sent. An arrival's packet has another number there: RemotePacket's words that
 * are not zero follow, @a says which. */
typedef struct {
    gint64 when_ps;
    guint32 domain;
    guint32 what, a, b; /* DnEvent */
} RemoteHead;

/* A packet, and what its message needs where it ends. Times are how long before the event (of the
 * tail: after it). */
typedef struct {
    gint64 tail_ps, birth_ps, born_ps;
    guint64 number; /* of a message of several packets */
    DnMessage message;
    DnRouteState route;
    guint32 wire_bytes, feedback;
    guint32 origin; /* process + 1 */
    guint32 origin_id;
    guint32 kind; /* the packet's last word, with the message's rail + 1 for its output */
} RemotePacket;

#define AHEAD 8 /* events whose state is asked for before they are packed */
#define PACKET_WORDS (sizeof(RemotePacket) / sizeof(guint32))
#define MOST_BYTES (sizeof(RemoteHead) + sizeof(RemotePacket))
#define KIND_OFFSET G_STRUCT_OFFSET(DnPacket, out_port)
G_STATIC_ASSERT(PACKET_WORDS * sizeof(guint32) == sizeof(RemotePacket));
G_STATIC_ASSERT(PACKET_WORDS <= DN_PACKED_WORDS);
G_STATIC_ASSERT(KIND_OFFSET + sizeof(guint32) == sizeof(DnPacket));

/* ---- set-up ---- */

/* Notifications of congestion control go to any source; all else crosses a link. */
static void find_neighbours(DnPacketEngine *e)
{
    DnPacketThreads *threads = &e->threads;
    guint n = threads->processes->n;
    g_autofree guint8 *near = g_new0(guint8, n);
    for (guint p = 0; p < n; p++)
        near[p] = e->features.control != NULL;
    for (guint32 d = 0; d < e->net.n_domains; d++) {
        guint32 first = e->net.states[e->net.domain_first[d]].first_port;
        guint32 last = e->net.states[e->net.domain_first[d + 1]].first_port;
        for (guint32 i = first; threads->partition_of[d] < threads->n_partitions && i < last; i++) {
            guint to = threads->partition_of[dn_port(e, i)->peer_domain];
            if (to >= threads->n_partitions)
                near[to - threads->n_partitions] = TRUE;
        }
    }
    near[threads->processes->rank] = FALSE;
    threads->neighbours = g_new0(DnNeighbour, n);
    for (guint p = 0; p < n; p++)
        if (near[p])
            threads->neighbours[threads->n_neighbours++] =
                (DnNeighbour){.process = p, .out = g_byte_array_new()};
}

void dn_remote_init(DnPacketEngine *e)
{
    const DnProcesses *processes = e->threads.processes;
    if (processes == NULL)
        return;
    find_neighbours(e);
    for (guint i = 0; i < e->threads.n_partitions; i++) {
        struct DnRemote *remote = g_new0(struct DnRemote, 1);
        remote->out = g_new0(DnMailbox, processes->n);
        remote->packed = g_new0(GByteArray *, e->threads.n_neighbours + 1);
        for (guint k = 0; k < e->threads.n_neighbours; k++)
            remote->packed[k] = g_byte_array_new();
        remote->earliest_slot = G_MAXINT64;
        e->threads.partitions[i].remote = remote;
    }
    processes->open(e->threads.neighbours, e->threads.n_neighbours);
}

void dn_remote_clear(DnPacketEngine *e)
{
    if (e->threads.neighbours == NULL)
        return;
    e->threads.processes->close();
    for (guint i = 0; i < e->threads.n_partitions; i++) {
        struct DnRemote *remote = e->threads.partitions[i].remote;
        for (guint k = 0; k < e->threads.n_neighbours; k++) {
            g_byte_array_unref(remote->packed[k]);
            g_free(remote->out[e->threads.neighbours[k].process].remote_events);
        }
        dn_arrival_table_clear(&remote->arriving);
        g_free(remote->packed);
        g_free(remote->out);
        g_free(remote);
    }
    for (guint k = 0; k < e->threads.n_neighbours; k++)
        g_byte_array_unref(e->threads.neighbours[k].out);
    g_free(e->threads.neighbours);
}

/* ---- messages ---- */

static gboolean is_vertex_here(const DnPacketEngine *e, guint32 vertex)
{
    return dn_is_here(e, e->net.state_of[vertex]);
}

void dn_remote_begin(DnPartition *partition, DnMessageState *msg)
{
    const DnPacketEngine *e = partition->engine;
    msg->origin = msg->held = 0;
    if (is_vertex_here(e, e->graph->endpoints[msg->m.dst]))
        return;
    gboolean answered = e->net.answers && e->graph->size.switches > 0;
    msg->held = !answered;
    msg->received_bytes = (gint64)((guint64)e->threads.processes->rank << 48 |
                                   (guint64)partition->index << 40 | ++partition->remote->numbered);
}

gboolean dn_remote_arrived(DnPartition *partition, const DnMessageState *msg, gint64 payload_bytes)
{
    return dn_arrival_table_add(&partition->remote->arriving, (guint64)msg->received_bytes,
                                payload_bytes, msg->m.bytes);
}

/* ---- out ---- */

static RemotePacket packet_export(const DnPacketEngine *e, const DnPacket *packet,
                                  const DnMessageState *msg, gint64 when_ps)
{
    DnPacket kind = *packet;
    gboolean copy = msg->origin != 0;
    RemotePacket out = {
        .tail_ps = packet->tail_ps - when_ps,
        .birth_ps = when_ps - packet->birth_ps,
        .born_ps = when_ps - msg->born_ps,
        .number = packet->first && packet->last ? 0 : (guint64)msg->received_bytes,
        .message = msg->m,
        .route = packet->route,
        .wire_bytes = packet->wire_bytes,
        .feedback = packet->feedback,
        .origin = copy ? msg->origin : e->threads.processes->rank + 1,
        .origin_id = copy ? msg->origin_id : packet->message,
    };
    out.message.cookie ^= DN_NO_COOKIE;
    kind.out_port = (guint16)(msg->rail + 1);
    memcpy(&out.kind, (const guint8 *)&kind + KIND_OFFSET, sizeof out.kind);
    return out;
}

/* Packet @id becomes bytes at @at, and its record free; returns the mask of its words. */
static guint32 packet_pack(DnPartition *partition, guint32 id, gint64 when_ps, guint8 *at,
                           gsize *bytes)
{
    DnPacketEngine *e = partition->engine;
    const DnPacket *packet = dn_packet(e, id);
    guint32 message = packet->message;
    DnMessageState *msg = dn_message_state(e, message);
    guint32 words[PACKET_WORDS];
    RemotePacket out = packet_export(e, packet, msg, when_ps);
    memcpy(words, &out, sizeof words);
    if (msg->origin != 0 ||
        (msg->held > 0 && __atomic_sub_fetch(&msg->held, 1, __ATOMIC_ACQ_REL) == 0))
        dn_pool_give(&e->net.message_states, &partition->free_message_states, message);
    dn_pool_give(&e->net.packets, &partition->free_packets, id);
    return dn_words_pack(words, PACKET_WORDS, at, bytes);
}

/* Asks for what packing an event will read: @near its message, else its packet. */
static void prefetch_event(const DnPacketEngine *e, const DnEvent *event, gboolean near)
{
    if (dn_event_kind(event) != DN_EVENT_ARRIVE)
        return;
    const DnPacket *packet = dn_packet(e, event->a);
    if (near) {
        const DnMessageState *msg = dn_message_state(e, packet->message);
        __builtin_prefetch(msg, 1);
        __builtin_prefetch((const guint8 *)msg + 64, 1);
    } else {
        __builtin_prefetch(packet);
    }
    __asm__ volatile(""); /* else GCC drops the call, as one without effect */
}

static void events_pack(DnPartition *partition, DnMailbox *mailbox, GByteArray *out)
{
    gsize used = out->len, last = mailbox->n;
    const DnRemoteEvent *events = mailbox->remote_events;
    g_byte_array_set_size(out, (guint)(used + last * MOST_BYTES));
    for (gsize i = 0; i < last; i++) {
        const DnEvent *event = &events[i].event;
        RemoteHead head = {events[i].when_ps, events[i].domain, event->what, event->a, event->b};
        gsize bytes = 0;
        if (i + 2 * AHEAD < last)
            prefetch_event(partition->engine, &events[i + 2 * AHEAD].event, FALSE);
        if (i + AHEAD < last)
            prefetch_event(partition->engine, &events[i + AHEAD].event, TRUE);
        if (dn_event_kind(event) == DN_EVENT_ARRIVE)
            head.a = packet_pack(partition, event->a, head.when_ps, out->data + used + sizeof head,
                                 &bytes);
        memcpy(out->data + used, &head, sizeof head);
        used += sizeof head + bytes;
        partition->remote->earliest_slot =
            MIN(partition->remote->earliest_slot, head.when_ps >> partition->wheel.shift);
    }
    partition->remote->events += last;
    mailbox->n = 0;
    g_byte_array_set_size(out, (guint)used);
}

void dn_remote_pack(DnPartition *partition)
{
    const DnPacketThreads *threads = &partition->engine->threads;
    struct DnRemote *remote = partition->remote;
    for (guint k = 0; k < threads->n_neighbours; k++)
        events_pack(partition, &remote->out[threads->neighbours[k].process], remote->packed[k]);
}

static double clock_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void exchange_timed(DnPacketThreads *threads, DnVote *vote)
{
    DnExchanges *exchanges = &threads->exchanges;
    double wall_s = clock_seconds(CLOCK_MONOTONIC);
    double cpu_s = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
    if (exchanges->windows++ > 0)
        exchanges->work_s += cpu_s - threads->exchanged_s;
    threads->processes->exchange(vote);
    wall_s = clock_seconds(CLOCK_MONOTONIC) - wall_s;
    exchanges->wall_s += wall_s;
    exchanges->least_s = exchanges->windows == 1 ? wall_s : MIN(exchanges->least_s, wall_s);
    threads->exchanged_s = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

/* What @from has is appended to @to; with one partition it becomes it. */
static void bytes_move(GByteArray **from, GByteArray **to)
{
    if ((*to)->len == 0) {
        GByteArray *empty = *to;
        *to = *from;
        *from = empty;
        return;
    }
    g_byte_array_append(*to, (*from)->data, (*from)->len);
    g_byte_array_set_size(*from, 0);
}

void dn_remote_exchange(DnPacketEngine *e, DnVote *vote)
{
    for (guint i = 0; i < e->threads.n_partitions; i++) {
        struct DnRemote *remote = e->threads.partitions[i].remote;
        for (guint k = 0; k < e->threads.n_neighbours; k++)
            bytes_move(&remote->packed[k], &e->threads.neighbours[k].out);
        vote->earliest = MIN(vote->earliest, remote->earliest_slot);
        e->threads.exchanges.events += remote->events;
        remote->events = 0;
        remote->earliest_slot = G_MAXINT64;
    }
    for (guint k = 0; k < e->threads.n_neighbours; k++)
        e->threads.exchanges.bytes += e->threads.neighbours[k].out->len;
    exchange_timed(&e->threads, vote);
}

/* ---- in ---- */

/* Returns the state of a packet's message: its own if it was made and ends here; or a copy. */
static guint32 message_import(DnPartition *partition, const RemotePacket *in, gint64 when_ps,
                              guint16 rail)
{
    DnPacketEngine *e = partition->engine;
    if (in->origin == e->threads.processes->rank + 1 && is_vertex_here(e, in->route.target))
        return in->origin_id;
    guint32 id = dn_pool_take(&e->net.message_states, &partition->free_message_states);
    if (G_UNLIKELY(id == 0)) {
        e->end.out_of = "messages";
        return 0;
    }
    DnMessageState *msg = dn_message_state(e, id);
    msg->m = in->message;
    msg->born_ps = when_ps - in->born_ps;
    msg->received_bytes = (gint64)in->number;
    if (e->net.answers || e->features.control != NULL)
        msg->source = e->graph->endpoints[in->message.src];
    msg->rail = (guint32)rail - 1;
    msg->origin = in->origin;
    msg->origin_id = in->origin_id;
    msg->held = 0;
    return id;
}

/* Returns the record of the packet that @words are, which arrives at @head's port. */
static guint32 packet_import(DnPartition *partition, const RemoteHead *head, const guint32 *words)
{
    DnPacketEngine *e = partition->engine;
    RemotePacket in;
    guint32 id = dn_pool_take(&e->net.packets, &partition->free_packets);
    if (G_UNLIKELY(id == 0)) {
        e->end.out_of = "packets";
        return 0;
    }
    memcpy(&in, words, sizeof in);
    in.message.cookie ^= DN_NO_COOKIE;
    DnPacket packet = {
        .tail_ps = head->when_ps + in.tail_ps,
        .birth_ps = head->when_ps - in.birth_ps,
        .wire_bytes = in.wire_bytes,
        .route = in.route,
        .in_port = head->b,
        .feedback = in.feedback,
    };
    memcpy((guint8 *)&packet + KIND_OFFSET, &in.kind, sizeof in.kind);
    packet.message = message_import(partition, &in, head->when_ps, packet.out_port);
    *dn_packet(e, id) = packet;
    return id;
}

/* Asks for the records that the packets to come will get. */
static void prefetch_records(const DnPartition *partition)
{
    const DnPacketEngine *e = partition->engine;
    const DnFreeList *packets = &partition->free_packets;
    const DnFreeList *messages = &partition->free_message_states;
    if (packets->n > AHEAD)
        __builtin_prefetch(dn_packet(e, packets->ids[packets->n - AHEAD]), 1);
    if (messages->n > AHEAD) {
        const DnMessageState *msg = dn_message_state(e, messages->ids[messages->n - AHEAD]);
        __builtin_prefetch(msg, 1);
        __builtin_prefetch((const guint8 *)msg + 64, 1);
    }
    __asm__ volatile("");
}

static void take_all(DnPartition *partition, const DnNeighbour *from)
{
    const guint16 *partition_of = partition->engine->threads.partition_of;
    for (const guint8 *at = from->in, *end = at + from->in_bytes; at < end;) {
        RemoteHead head;
        memcpy(&head, at, sizeof head);
        at += sizeof head;
        DnEvent event = {.what = head.what, .a = head.a, .b = head.b};
        gboolean arrives = dn_event_kind(&event) == DN_EVENT_ARRIVE;
        gboolean here = partition_of[head.domain] == partition->index;
        if (here && arrives) {
            prefetch_records(partition);
            guint32 words[PACKET_WORDS] = {0};
            dn_words_unpack(words, head.a, at);
            event.a = packet_import(partition, &head, words);
        }
        if (here)
            dn_wheel_add(&partition->wheel, head.domain, head.when_ps, event);
        if (arrives)
            at += (gsize)__builtin_popcount(head.a) * sizeof(guint32);
    }
}

void dn_remote_receive(DnPartition *partition)
{
    const DnPacketThreads *threads = &partition->engine->threads;
    for (guint k = 0; k < threads->n_neighbours; k++)
        take_all(partition, &threads->neighbours[k]);
}
