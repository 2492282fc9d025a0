/* remote.c - see remote.h. */
#include "engine/packet/remote.h"

#include "engine/packet/word_packing.h"

#include <string.h>
#include <time.h>

/* An event as it is sent. Behind an arrival follow the words of its packet that are not zero: @a
 * says which, instead of the packet's id, and (above RECORD_SHIFT) how many bytes they are. */
typedef struct {
    gint64 when_ps;
    guint32 domain;
    guint32 what, a, b; /* DnEvent */
} RemoteHead;

/* The words of a packet, and of its message as its destination needs it: members that are seldom
 * zero in pairs, the others alone. Times are relative: before the event (of the tail: after it). */
enum {
    TAIL_BIRTH_PS,     /* their lower halves */
    BORN_PS_BYTES,     /* likewise */
    WIRE_BYTES_ORIGIN, /* process + 1 */
    ORIGIN_ID_KIND,    /* the packet's last word, with the message's rail + 1 for its output */
    SRC_DST,
    TARGET_SWITCH, /* of the route */
    VIA_FLOW,
    ROUTE_MESSAGE, /* what is left of DnRouteState, DnMessage: ROUTE_REST, MESSAGE_REST */
    NUMBER,        /* of a message of several packets */
    TAG,
    COOKIE,
    RATE_BPS,
    WORD,
    STAGING_FEEDBACK,
    TAIL_BIRTH_UPPER,
    BORN_BYTES_UPPER,
    PACKET_WORDS
};

#define AHEAD 8 /* events whose state is prefetched before they are packed */
#define MOST_BYTES (sizeof(RemoteHead) + PACKET_WORDS * sizeof(guint64))
#define RECORD_SHIFT 16
#define KIND_OFFSET G_STRUCT_OFFSET(DnPacket, out_port)
#define RAIL_SHIFT (G_BYTE_ORDER == G_LITTLE_ENDIAN ? 0 : 16) /* where the output was */
#define ROUTE_REST G_STRUCT_OFFSET(DnRouteState, phase)
#define MESSAGE_REST G_STRUCT_OFFSET(DnMessage, job)
G_STATIC_ASSERT((int)PACKET_WORDS <= DN_PACKED_WORDS && (int)PACKET_WORDS <= RECORD_SHIFT);
G_STATIC_ASSERT(KIND_OFFSET + sizeof(guint32) == sizeof(DnPacket));
G_STATIC_ASSERT(ROUTE_REST + sizeof(guint32) == sizeof(DnRouteState));
G_STATIC_ASSERT(MESSAGE_REST + sizeof(guint32) == G_STRUCT_OFFSET(DnMessage, staging));
G_STATIC_ASSERT(sizeof(DnMessage) == 56 && sizeof(DnRouteState) == 20); /* all is sent */

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
        for (guint32 i = first; dn_is_own(e, d) && i < last; i++) {
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

static guint32 word_at(const void *record, gsize offset)
{
    guint32 word;
    memcpy(&word, (const guint8 *)record + offset, sizeof word);
    return word;
}

static void word_set(void *record, gsize offset, guint32 word)
{
    memcpy((guint8 *)record + offset, &word, sizeof word);
}

static guint64 words_join(guint32 lower, guint32 upper)
{
    return (guint64)upper << 32 | lower;
}

static guint32 lower_of(guint64 word)
{
    return (guint32)word;
}

static guint32 upper_of(guint64 word)
{
    return (guint32)(word >> 32);
}

/* Whole words, as in event.h. */
static inline void packet_export(const DnPacketEngine *e, const DnPacket *packet,
                                 const DnMessageState *msg, gint64 when_ps,
                                 guint64 words[PACKET_WORDS])
{
    const DnMessage *m = &msg->m;
    const DnRouteState *route = &packet->route;
    gboolean copy = msg->origin != 0, whole = packet->first && packet->last;
    guint32 origin = copy ? msg->origin : e->threads.processes->rank + 1;
    guint64 tail_ps = (guint64)(packet->tail_ps - when_ps);
    guint64 birth_ps = (guint64)(when_ps - packet->birth_ps);
    guint64 born_ps = (guint64)(when_ps - msg->born_ps), bytes = (guint64)m->bytes;
    guint32 kind = word_at(packet, KIND_OFFSET) & ~((guint32)G_MAXUINT16 << RAIL_SHIFT);
    kind |= (guint32)(guint16)(msg->rail + 1) << RAIL_SHIFT;
    guint32 feedback = e->features.control != NULL ? packet->feedback : 0;
    words[TAIL_BIRTH_PS] = words_join(lower_of(tail_ps), lower_of(birth_ps));
    words[BORN_PS_BYTES] = words_join(lower_of(born_ps), lower_of(bytes));
    words[WIRE_BYTES_ORIGIN] = words_join(packet->wire_bytes, origin);
    words[ORIGIN_ID_KIND] = words_join(copy ? msg->origin_id : packet->message, kind);
    words[SRC_DST] = words_join(m->src, m->dst);
    words[TARGET_SWITCH] = words_join(route->target, route->target_switch);
    words[VIA_FLOW] = words_join(route->via, route->flow);
    words[ROUTE_MESSAGE] = words_join(word_at(route, ROUTE_REST), word_at(m, MESSAGE_REST));
    words[NUMBER] = whole ? 0 : (guint64)msg->received_bytes;
    words[TAG] = m->tag;
    words[COOKIE] = m->cookie ^ DN_NO_COOKIE;
    words[RATE_BPS] = (guint64)m->rate_bps;
    words[WORD] = m->word;
    words[STAGING_FEEDBACK] = words_join(m->staging, feedback);
    words[TAIL_BIRTH_UPPER] = words_join(upper_of(tail_ps), upper_of(birth_ps));
    words[BORN_BYTES_UPPER] = words_join(upper_of(born_ps), upper_of(bytes));
}

/* Writes packet @id to @at and frees its record; returns the mask of its words. */
static guint32 packet_pack(DnPartition *partition, guint32 id, gint64 when_ps, guint8 *at,
                           gsize *bytes)
{
    DnPacketEngine *e = partition->engine;
    const DnPacket *packet = dn_packet(e, id);
    guint32 message = packet->message;
    DnMessageState *msg = dn_message_state(e, message);
    guint64 words[PACKET_WORDS];
    packet_export(e, packet, msg, when_ps, words);
    if (msg->origin != 0 ||
        (msg->held > 0 && __atomic_sub_fetch(&msg->held, 1, __ATOMIC_ACQ_REL) == 0))
        dn_pool_give(&e->net.message_states, &partition->free_message_states, message);
    dn_pool_give(&e->net.packets, &partition->free_packets, id);
    return dn_words_pack(words, PACKET_WORDS, at, bytes);
}

/* Prefetches what packing an event will read: @near its message, else its packet. */
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
        head.a |= (guint32)bytes << RECORD_SHIFT; /* 0 without a packet */
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

/* Appends the bytes of @from to @to; with one partition @from becomes @to. */
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

static gint64 words_join_lower(guint64 lower, guint64 upper)
{
    return (gint64)words_join(lower_of(lower), lower_of(upper));
}

static gint64 words_join_upper(guint64 lower, guint64 upper)
{
    return (gint64)words_join(upper_of(lower), upper_of(upper));
}

/* Returns the state of a packet's message: its own if it was made and ends here; or a copy. */
static guint32 message_import(DnPartition *partition, const guint64 *in, gint64 when_ps)
{
    DnPacketEngine *e = partition->engine;
    guint32 origin = upper_of(in[WIRE_BYTES_ORIGIN]);
    if (origin == e->threads.processes->rank + 1 && is_vertex_here(e, lower_of(in[TARGET_SWITCH])))
        return lower_of(in[ORIGIN_ID_KIND]);
    guint32 id = dn_pool_take(&e->net.message_states, &partition->free_message_states);
    if (G_UNLIKELY(id == 0)) {
        __atomic_store_n(&e->end.out_of, "messages", __ATOMIC_RELAXED);
        return 0;
    }
    DnMessageState *msg = dn_message_state(e, id);
    msg->m = (DnMessage){.src = lower_of(in[SRC_DST]),
                         .dst = upper_of(in[SRC_DST]),
                         .bytes = words_join_upper(in[BORN_PS_BYTES], in[BORN_BYTES_UPPER]),
                         .tag = in[TAG],
                         .cookie = in[COOKIE] ^ DN_NO_COOKIE,
                         .rate_bps = (gint64)in[RATE_BPS],
                         .staging = lower_of(in[STAGING_FEEDBACK]),
                         .word = in[WORD]};
    word_set(&msg->m, MESSAGE_REST, upper_of(in[ROUTE_MESSAGE]));
    msg->born_ps = when_ps - words_join_lower(in[BORN_PS_BYTES], in[BORN_BYTES_UPPER]);
    msg->received_bytes = (gint64)in[NUMBER];
    if (e->net.answers || e->features.control != NULL)
        msg->source = e->graph->endpoints[msg->m.src];
    msg->rail = (upper_of(in[ORIGIN_ID_KIND]) >> RAIL_SHIFT & G_MAXUINT16) - 1;
    msg->origin = origin;
    msg->origin_id = lower_of(in[ORIGIN_ID_KIND]);
    msg->held = 0;
    return id;
}

/* Makes a packet of the words @in, which arrives at @head's port; returns its record. */
static guint32 packet_import(DnPartition *partition, const RemoteHead *head, const guint64 *in)
{
    DnPacketEngine *e = partition->engine;
    guint32 id = dn_pool_take(&e->net.packets, &partition->free_packets);
    if (G_UNLIKELY(id == 0)) {
        __atomic_store_n(&e->end.out_of, "packets", __ATOMIC_RELAXED);
        return 0;
    }
    DnPacket *packet = dn_packet(e, id);
    *packet = (DnPacket){
        .tail_ps = head->when_ps + words_join_lower(in[TAIL_BIRTH_PS], in[TAIL_BIRTH_UPPER]),
        .birth_ps = head->when_ps - words_join_upper(in[TAIL_BIRTH_PS], in[TAIL_BIRTH_UPPER]),
        .wire_bytes = lower_of(in[WIRE_BYTES_ORIGIN]),
        .message = message_import(partition, in, head->when_ps),
        .route = {.target = lower_of(in[TARGET_SWITCH]),
                  .target_switch = upper_of(in[TARGET_SWITCH]),
                  .via = lower_of(in[VIA_FLOW]),
                  .flow = upper_of(in[VIA_FLOW])},
        .in_port = head->b,
        .feedback = upper_of(in[STAGING_FEEDBACK]),
    };
    word_set(&packet->route, ROUTE_REST, lower_of(in[ROUTE_MESSAGE]));
    word_set(packet, KIND_OFFSET, upper_of(in[ORIGIN_ID_KIND]));
    return id;
}

/* Prefetches the records that the next packets and messages will get. */
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
            guint64 words[PACKET_WORDS] = {0};
            dn_words_unpack(words, head.a & ((1u << RECORD_SHIFT) - 1), at);
            event.a = packet_import(partition, &head, words);
        }
        if (here)
            dn_wheel_add(&partition->wheel, head.domain, head.when_ps, event);
        if (arrives)
            at += head.a >> RECORD_SHIFT;
    }
}

void dn_remote_receive(DnPartition *partition)
{
    const DnPacketThreads *threads = &partition->engine->threads;
    for (guint k = 0; k < threads->n_neighbours; k++)
        take_all(partition, &threads->neighbours[k]);
}
