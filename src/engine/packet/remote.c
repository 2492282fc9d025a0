/* remote.c - see remote.h. */
#include "engine/packet/remote.h"

#include <string.h>
#include <time.h>

typedef struct {
    gint64 when_ps;
    guint32 domain;
    guint32 packet; /* 1: a RemotePacket follows */
    DnEvent event;
} RemoteHead;

typedef struct {
    DnPacket packet;
    DnMessage message;
    gint64 born_ps, number;
    guint32 target, source, rail;
    guint32 origin, origin_id; /* process + 1, and the message there */
    guint32 pad;
} RemotePacket;

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
                (DnNeighbour){p, g_byte_array_new(), g_byte_array_new()};
}

void dn_remote_init(DnPacketEngine *e)
{
    const DnProcesses *processes = e->threads.processes;
    if (processes == NULL)
        return;
    find_neighbours(e);
    for (guint i = 0; i < e->threads.n_partitions; i++) {
        struct DnRemote *remote = g_new0(struct DnRemote, 1);
        remote->out = g_new0(GByteArray *, processes->n);
        for (guint k = 0; k < e->threads.n_neighbours; k++)
            remote->out[e->threads.neighbours[k].process] = g_byte_array_new();
        remote->earliest_slot = G_MAXINT64;
        remote->arriving = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
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
        for (guint k = 0; k < e->threads.n_neighbours; k++)
            g_byte_array_unref(remote->out[e->threads.neighbours[k].process]);
        g_hash_table_unref(remote->arriving);
        g_free(remote->out);
        g_free(remote);
    }
    for (guint k = 0; k < e->threads.n_neighbours; k++) {
        g_byte_array_unref(e->threads.neighbours[k].out);
        g_byte_array_unref(e->threads.neighbours[k].in);
    }
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
                                   (guint64)partition->index << 40 | partition->remote->numbered++);
}

gboolean dn_remote_arrived(DnPartition *partition, const DnMessageState *msg, gint64 payload_bytes)
{
    typedef struct {
        gint64 number, bytes;
    } Part;
    GHashTable *arriving = partition->remote->arriving;
    Part *part = g_hash_table_lookup(arriving, &msg->received_bytes);
    if (part == NULL) {
        part = g_new(Part, 1);
        *part = (Part){.number = msg->received_bytes};
        g_hash_table_add(arriving, part);
    }
    part->bytes += payload_bytes;
    if (part->bytes < msg->m.bytes)
        return FALSE;
    g_hash_table_remove(arriving, part);
    return TRUE;
}

/* ---- out ---- */

static RemotePacket packet_pack(DnPartition *partition, guint32 id)
{
    DnPacketEngine *e = partition->engine;
    const DnPacket *packet = dn_packet(e, id);
    DnMessageState *msg = dn_message_state(e, packet->message);
    gboolean copy = msg->origin != 0;
    RemotePacket out = {
        .packet = *packet,
        .message = msg->m,
        .born_ps = msg->born_ps,
        .number = msg->received_bytes,
        .target = msg->target,
        .source = msg->source,
        .rail = msg->rail,
        .origin = copy ? msg->origin : e->threads.processes->rank + 1,
        .origin_id = copy ? msg->origin_id : packet->message,
    };
    if (copy || (msg->held > 0 && __atomic_sub_fetch(&msg->held, 1, __ATOMIC_ACQ_REL) == 0))
        dn_pool_give(&e->net.message_states, &partition->free_message_states, packet->message);
    dn_pool_give(&e->net.packets, &partition->free_packets, id);
    return out;
}

void dn_remote_add(DnPartition *partition, guint process, guint32 domain, gint64 when_ps,
                   DnEvent event)
{
    GByteArray *out = partition->remote->out[process];
    gboolean arrives = dn_event_kind(&event) == DN_EVENT_ARRIVE;
    RemoteHead head = {when_ps, domain, arrives, event};
    partition->remote->events++;
    g_byte_array_append(out, (const guint8 *)&head, sizeof head);
    if (arrives) {
        RemotePacket packet = packet_pack(partition, event.a);
        g_byte_array_append(out, (const guint8 *)&packet, sizeof packet);
    }
    partition->remote->earliest_slot =
        MIN(partition->remote->earliest_slot, when_ps >> partition->wheel.shift);
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

void dn_remote_exchange(DnPacketEngine *e, DnVote *vote)
{
    for (guint i = 0; i < e->threads.n_partitions; i++) {
        struct DnRemote *remote = e->threads.partitions[i].remote;
        for (guint k = 0; k < e->threads.n_neighbours; k++) {
            GByteArray *out = remote->out[e->threads.neighbours[k].process];
            g_byte_array_append(e->threads.neighbours[k].out, out->data, out->len);
            g_byte_array_set_size(out, 0);
        }
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
static guint32 message_of(DnPartition *partition, const RemotePacket *in)
{
    DnPacketEngine *e = partition->engine;
    if (in->origin == e->threads.processes->rank + 1 && is_vertex_here(e, in->packet.route.target))
        return in->origin_id;
    guint32 id = dn_pool_take(&e->net.message_states, &partition->free_message_states);
    if (G_UNLIKELY(id == 0)) {
        e->end.out_of = "messages";
        return 0;
    }
    DnMessageState *msg = dn_message_state(e, id);
    msg->m = in->message;
    msg->born_ps = in->born_ps;
    msg->received_bytes = in->number;
    msg->target = in->target;
    msg->source = in->source;
    msg->rail = in->rail;
    msg->origin = in->origin;
    msg->origin_id = in->origin_id;
    msg->held = 0;
    return id;
}

static guint32 packet_unpack(DnPartition *partition, const RemotePacket *in)
{
    DnPacketEngine *e = partition->engine;
    guint32 id = dn_pool_take(&e->net.packets, &partition->free_packets);
    if (G_UNLIKELY(id == 0)) {
        e->end.out_of = "packets";
        return 0;
    }
    DnPacket *packet = dn_packet(e, id);
    *packet = in->packet;
    packet->message = message_of(partition, in);
    return id;
}

static void take_all(DnPartition *partition, const GByteArray *in)
{
    const guint16 *partition_of = partition->engine->threads.partition_of;
    for (const guint8 *at = in->data, *end = at + in->len; at < end;) {
        RemoteHead head;
        RemotePacket packet;
        memcpy(&head, at, sizeof head);
        at += sizeof head + (head.packet ? sizeof packet : 0);
        if (partition_of[head.domain] != partition->index)
            continue;
        if (head.packet) {
            memcpy(&packet, at - sizeof packet, sizeof packet);
            head.event.a = packet_unpack(partition, &packet);
        }
        dn_wheel_add(&partition->wheel, head.domain, head.when_ps, head.event);
    }
}

void dn_remote_receive(DnPartition *partition)
{
    const DnPacketThreads *threads = &partition->engine->threads;
    for (guint k = 0; k < threads->n_neighbours; k++)
        take_all(partition, threads->neighbours[k].in);
}
