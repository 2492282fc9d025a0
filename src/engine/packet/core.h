/* core.h - state of the packet engine, laid out for the loop that touches it.
 *
 * A vertex (switch, NIC, GPU) owns its ports, queues, injection lists and packets waiting there;
 * vertices meet only through timestamped events that cross a link. Time is cut into slots no longer
 * than the smallest link latency: nothing sent inside a slot can arrive inside it. A domain is a
 * few switches and the nodes on them (a dragonfly's group), or a node; a window is as many slots as
 * fit into the smallest latency of a link between two domains. So all slots of a domain in a window
 * run one after another, their state in cache, the events of each vertex in the order (time, input
 * port, order of sending on that link), which nothing outside can change. That order, not the one
 * in which domains run, makes results bit-identical on any number of threads.
 *
 * Vertices are renumbered domain by domain (a "state" index), ports state by state.
 *
 * The life of a packet; in capitals the events (event.h), each from who emits it to who serves it:
 *
 *     client sends: packet_engine.c ──LOCAL──► vertex.c, to the sender itself
 *          │
 *          ▼            INJECT: its rate cap or congestion control let the message go on
 *     source.c  ◄───────┘   inject.c makes it into packets while its port accepts them
 *          │
 *          ▼            READY: enough of the packet is here, or the NIC's message rate allows it
 *     port.c    ◄───────┘   goes at once, or joins a queue
 *          │    ◄───────┐
 *          │            WAKE: the link is free again; arbiter.c chooses the next packet
 *          │            INTERLEAVE, TAIL: packet_aggregation.c, within an aggregated packet
 *          │ leaves ────SENT──► vertex.c: the client, when the last byte has left its source
 *          ├───────────CREDIT──► credit.c, of the vertex before: buffer space is free again
 *          │     NOTIFICATION──► congestion control of the source, from a switch on the path
 *          ▼
 *       ARRIVE at the next vertex, vertex.c
 *          ├─ on its path: routing, then port.c as above (FIRST: fifo.c, once it is the first of
 *          │  an input buffer that is left in order)
 *          └─ at its target: CREDIT (none into a sink), a response if any (responses.c), and
 *             with the last packet of a message the client, which may set a TIMER
 *
 * Calls point down: vertex.c and packet_engine.c; source.c, responses.c; port.c, which pulls the
 * next packets of waiting messages as it gets free; inject.c, nic.c and arbiter.c.
 *
 * Units: ps, bytes. Ids are 32-bit indices into pools; index 0 is "none" in queues and lists. */
#pragma once
#include "base/processes.h"
#include "base/rng.h"
#include "engine/engine.h"
#include "engine/packet/barrier.h"
#include "engine/packet/event_sort.h"

typedef struct {
    union {
        gint64 tail_ps; /* when its last byte is at the vertex of its head; of a queued single
                           packet: the aggregated backlog ahead of it (packet_aggregation.h) */
        guint32 after_in_tail; /* DnHeapAfter (queue.h) */
    };
    gint64 birth_ps; /* head left the source; once past it, the source's NIC */
    guint32 next;    /* in its queue, below another: its sibling in the heap */
    guint32 wire_bytes;
    guint32 message;
    guint32 child; /* in its queue, below another: below it (queue.h) */
    DnRouteState route;
    guint32 in_port; /* whose buffer it fills; DN_NONE: none, at its source */
    union {
        guint32 feedback; /* congestion seen by switches (congestion_control.h) */
        guint32 after;    /* DnHeapAfter (queue.h) */
    };
    guint16 out_port; /* index at the vertex */
    union {
        struct {
            guint8 in_queue : 5, aggregated : 1, last : 1, response : 1;
        }; /* in_queue at its source: sent() due; aggregated: several in one (queue.h) */
        guint8 in_bits;
    };
    guint8 out_queue : 5, detour : 1, first : 1, read : 1; /* of a read: responses bring data */
} DnPacket;
G_STATIC_ASSERT(sizeof(DnPacket) == 64);

/* A queue that is in its port's mask: its oldest packet (queue.h), and what arbitration, and the
 * next packet to join or to leave, ask of that packet: they need not look at it. */
typedef struct {
    gint64 birth_ps __attribute__((packed, aligned(4)));
    guint32 head;
    gint32 head_bytes;
    guint32 child; /* below the head */
} DnQueue;
G_STATIC_ASSERT(3 * sizeof(DnQueue) <= 64);

#define DN_MAX_QUEUES 32 /* bits of a port's mask; those of aggregated packets come beside */

/* An output port. Queue = lane * channels + channel. With up to four queues a packet that need not
 * wait accesses one cache line of it; with up to 20 a port is two. */
typedef struct {
    gint64 free_ps;                      /* its link is busy until then */
    guint32 bytes;                       /* sent so far, modulo 2^32 */
    guint32 peer;                        /* vertex (of the graph) */
    guint32 peer_port;                   /* engine port of the opposite direction */
    guint32 mask;                        /* queues that hold packets (dn_queue_holds()) */
    guint32 queued_bytes, unacked_bytes; /* here (dn_port_queued()); sent, not yet credited */
    guint32 inject_tail;                 /* circular list of messages that inject here; 0: none */
    guint16 peer_domain, peer_slot;
    guint16 packets; /* sent so far, modulo 2^16 */
    guint16 queued;  /* packets, modulo 2^16: for the few that may be injected beside others */
    guint16 timing;  /* index into speeds */
    guint8 next_lane : 5, alone : 1, shared : 1, interleave_set : 1; /* larger_packets.h */
    guint8 wake_set : 1, stalled : 1, uplink : 1, last_hop : 1;
    guint8 ejection : 1; /* all packets end there and its buffer never fills: no credits are kept */
    guint8 own : 2, many : 1; /* packets queued here whose message begins at this vertex (0 on
                                 uplinks); queued_bytes has passed 2^32 */
    gint32 credit_bytes[]; /* [queues] free space at the far end, partly shared (shared_buffer.h) */
} DnPort;
G_STATIC_ASSERT(G_STRUCT_OFFSET(DnPort, credit_bytes) + 4 * sizeof(gint32) == 64);
#define DN_MAX_DOMAINS G_MAXUINT16 /* bits of peer_domain */

/* The timing that ports of one kind share. */
typedef struct {
    guint64 ps_per_byte_fp;   /* 2^-20 ps */
    gint64 latency_ps;        /* head: own output port, wire, peer until it can be queued there */
    gint64 credit_latency_ps; /* latency of a returned credit: port logic, wire, port logic */
    gint64 in_flight_bytes;   /* sent and not yet credited on a busy link without congestion */
} DnLinkTiming;

/* The limits of every NIC on a fabric. */
typedef struct {
    gint64 message_gap_ps; /* from the start of a message to that of the next */
    guint32 window;        /* packets without response; 0: responses are not modelled (nic.c) */
    guint32 response_mask; /* queues of responses */
    gint64 flit_ps;        /* a cycle */
} DnNicLimits;

/* The state of a NIC on a fabric, and the counters of a real one. */
typedef struct {
    gint64 next_message_ps; /* message rate: no message starts before */
    guint32 unanswered;     /* request packets without response */
    DnNicCounters counters; /* but for requests'; stalled_ps: by the link alone, not for credit */
    gint64 link_busy_until_ps;
    gint64 response_stalled_ps, response_stalled_since_ps; /* the uplink, while a response waits */
    gboolean response_stalled;
} DnNic;

/* The state of a port that few events access. */
typedef struct {
    gint64 stalled_ps, stalled_since_ps;
    gint64 crossbar_free_ps; /* as an input: the crossbar serves it until then */
    guint32 packet_wraps, byte_wraps, queued_wraps; /* times the counters passed 2^16, 2^32 */
    gint32 full_credit_bytes;                       /* each queue */
    gint32 buffer_bytes;                            /* as an input: of a queue here */
    guint32 local_served; /* inputs (modulo 32) served since the last local packet */
} DnPortCold;

typedef struct {
    guint64 draw_key, draws;
    guint32 vertex; /* of the graph */
    guint32 first_port;
    guint32 endpoint; /* DN_NONE: none */
    guint16 degree;
    guint16 slot;                           /* in its domain */
    guint32 next_rail;                      /* of its messages, round robin */
    guint32 nic;                            /* terminal, DN_NONE: not a NIC on a fabric */
    guint64 request_packets, request_flits; /* the NIC's, kept here: this cache line is loaded */
    struct DnThrottledFlows *throttled;     /* flows of this endpoint; NULL: none */
} DnVertexState;

G_STATIC_ASSERT(sizeof(DnVertexState) == 64);

/* A message in flight. A message of one packet that leaves at once accesses the first cache line
 * alone. */
typedef struct {
    DnMessage m;
    gint64 born_ps;
    gint64 received_bytes;   /* destination's alone; of another process: its number (remote.h) */
    gint64 left_bytes;       /* source's from here on: not yet made into packets; below 0: it is
                                several messages (message_pack.h) */
    gint64 next_ps;          /* rate cap: what has left has so by then */
    guint32 target;          /* vertex; not of a copy */
    guint32 next;            /* in a port's injection list, or waiting for its flow's responses */
    guint32 source;          /* vertex; of a copy: with responses or congestion control alone */
    guint32 unanswered;      /* packets without response, when there are responses */
    guint8 awaits_response;  /* for a response, before it sends on */
    guint8 first_channel;    /* of first_port */
    guint16 first_port;      /* + 1: the only one by which its packets leave here (inject.c) */
    guint32 rail;            /* as dn_route_init_rail() has it */
    guint16 window, counted; /* packets without response (throttle.c): limit, in flow's in_flight */
    guint32 origin;          /* of a copy: the process that made it, + 1; 0: it was made here */
    guint32 origin_id;       /* there */
    guint32 held; /* of one that ends in another process: packets here, + 1 while more come */
} __attribute__((aligned(128))) DnMessageState;
G_STATIC_ASSERT(sizeof(DnMessageState) == 128);

typedef struct DnPacketEngine DnPacketEngine;
typedef struct DnPartition DnPartition;

/* The counters of each partition, which dn_totals() combines: sums, or the latest of times. */
/* clang-format off */
#define DN_TOTALS(SUM, LATEST)                                                                     \
    SUM(guint64, packets_made)                                                                     \
    SUM(guint64, packets_delivered)                                                                \
    SUM(guint64, messages_made)                                                                    \
    SUM(guint64, messages_delivered)                                                               \
    SUM(guint64, payload_bytes)                                                                    \
    SUM(guint64, responses_made)                                                                   \
    SUM(guint64, responses_delivered)                                                              \
    SUM(gint64, packet_latency_ps_sum)                                                             \
    LATEST(gint64, last_ps)    /* latest event served */                                           \
    LATEST(gint64, ejected_ps) /* when the latest packet into a sink would have been credited */
#define DN_TOTALS_MEMBER(type, name) type name;
typedef struct {
    DN_TOTALS(DN_TOTALS_MEMBER, DN_TOTALS_MEMBER)
} DnTotals;
/* clang-format on */

/* An event for another partition. */
typedef struct {
    gint64 when_ps;
    guint32 domain, pad;
    DnEvent event;
} DnRemoteEvent;

typedef struct {
    DnRemoteEvent *remote_events;
    gsize n, capacity;
} DnMailbox;

/* The state owned by one thread: some vertices, their events, and free lists. */
struct DnPartition {
    DnPacketEngine *engine;
    guint index;
    gint64 next_slot;        /* the other threads read it between barriers */
    gboolean lost_events;    /* as of the last barrier: for the first thread to read */
    DnMailbox *mailboxes;    /* [partitions]; each is emptied by its receiver */
    struct DnRemote *remote; /* events for other processes (remote.h); NULL: there are none */
    DnWheel wheel;
    DnFreeList free_packets, free_message_states;
    guint32 domain;       /* being served */
    DnVertexState *state; /* the vertex of it */
    guint32 lane;         /* of the packet being routed */
    gint64 now_ps, slot_start_ps, slot_end_ps;
    DnBatch batch; /* of the work item being served */
    DnSort sort;
    DnSelfEvents self; /* of the domain being served, inside the slot */
    DnLoadView load;
    guint64 events, hops;
    DnTotals totals;
    DnJobPackets *job_packets; /* [run->n_jobs] */
};

/* All ports, and the queues of each. */
typedef struct {
    guint8 *base;   /* [links] DnPort, 2^shift bytes apart */
    guint8 *queues; /* [links] arrays of DnQueue, 2^queues_shift times as far apart */
    guint shift, queues_shift;
    gsize bytes; /* of both */
} DnPortArrays;

typedef struct {
    guint32 flits;     /* data flits of a full packet */
    guint32 own_bytes; /* payload of the packets that it stands for (larger_packets.h) */
    guint32 most_wire_bytes, parts_in_turns; /* of a full packet; where messages take turns */
    guint32 first_wire_bytes;                /* of one of those that it stands for; else no limit */
} DnPacketSizes;

/* The network: machine, routing and packet parameters, and the state of every port. */
typedef struct {
    const DnHardware *hardware;
    guint32 channels, lanes, queues; /* queues = lanes * channels, a port; responses have lanes of
                                        their own, after those of the requests */
    guint8 lane_of_queue[4 * DN_MAX_QUEUES]; /* its second half: by the lower 6 bits of in_bits */
    guint32 request_lanes;
    gboolean no_contest; /* the only queue with packets goes next, if it has credits */
    gboolean plain;      /* one lane, crossbar without limit, no congestion control */
    gboolean answers;    /* every packet that crosses the fabric has a response */
    guint32 packet_bytes, header_bytes;
    DnPacketSizes sizes;
    DnNicLimits nic;    /* of each NIC */
    DnNic *nics;        /* [terminals] */
    guint16 *uplink_of; /* [terminals] the NIC's port towards the fabric */
    guint32 n_domains;
    guint32 *domain_first; /* [n_domains + 1] into states */
    DnVertexState *states; /* [vertices of the graph] domain by domain; those of this process */
    guint32 *state_of;     /* [vertices of the graph] */
    DnPortArrays ports;
    DnPortCold *cold;    /* [links] */
    guint32 *link_of;    /* [links] graph link of each engine port */
    gint32 *deficits;    /* [links * lanes] weighted arbitration; or NULL */
    guint64 *lane_bytes; /* [links * lanes], lane 0 sent the port's rest; NULL with one lane */
    DnLinkTiming *link_timings;
    guint32 n_link_timings;
    gint64 slowest_hop_ps;
    DnPoolBudget budget;            /* of these and of the wheels' events */
    DnPool packets, message_states; /* DnPacket, DnMessageState */
} DnPacketNet;

/* State of optional features; all zero when none is in use. */
typedef struct {
    const struct DnPortHooks *hooks[5]; /* of those that the run has (hooks.h) */
    guint n_hooks;
    guint hooked;                /* DnHooked: what any of them takes part in */
    guint port_mode, heap_after; /* DnPortMode (port_mode.h), DnHeapAfter (queue.h) */
    gboolean keeps_messages; /* the source's state of a message is needed while it is in flight */
    const struct DnControl *control;             /* of congestion (congestion_control.h); or NULL */
    struct DnCongestionState *congestion_states; /* [links] with endpoint_throttle; or NULL */
    struct DnMarks *marks;                       /* with infiniband; or NULL */
    /* endpoint_throttle: packets without response of a message when it begins, and at most; of all
     * to one destination (throttle.c), by how far it is (longest_path.h) */
    guint32 first_window[3], message_window, shared_window[3];
    gint64 packet_ps;     /* with congestion control: a packet's time on a terminal's link */
    struct DnFifo *fifos; /* [links * queues] input buffers left in order (fifo.h); or NULL */
    struct DnSharedBuffer
        *shared_buffers;          /* [links] of several queues (shared_buffer.h); or NULL */
    gint32 *shared_used;          /* [links * queues] bytes that each takes there; or NULL */
    struct DnDelayLog *delay_log; /* with delay attribution (delay_attribution.h); or NULL */
    const struct DnAggregationHooks *aggregation; /* (hooks.h); NULL: every packet is single */
    struct DnAggregateOnLink *aggregates;         /* [links] (packet_aggregation.h); NULL: none */
    struct DnAggregateBacklog *aggregate_backlog; /* [links * request_lanes] */
    struct DnLargerOnLink *larger; /* [links] packets larger than the machine's; or NULL */
    guint32 aggregate_lane;        /* first lane of aggregated packets, after all others; 0: none */
    guint32 least_aggregation, max_aggregation; /* of the run's jobs that have any */
    guint32 pack_from; /* untouched messages of a port before a pack (message_pack.h); 0: none */
    struct DnLoadRegister *registers; /* [links] with router->load_refresh_ps; or NULL */
    guint8 *link_levels; /* [links] with router->delays_credits (delayed_credits.c); or NULL */
} DnPacketFeatures;

/* Partitions of the network, one per thread, and the lookahead windows that synchronise them. */
typedef struct {
    DnPartition *partitions;
    guint n_partitions;
    guint16 *partition_of; /* [n_domains]; from n_partitions on: process, plus n_partitions */
    const DnProcesses *processes; /* that share the run; NULL: this one is alone */
    DnNeighbour *neighbours;
    guint n_neighbours;
    DnExchanges exchanges;
    double exchanged_s; /* CPU time after the last one */
    gint64 agreed_slot; /* of all processes: the next one with events */
    DnBarrier barrier;
    guint slot_shift; /* slots of 2^slot_shift ps: no event reaches another vertex sooner */
    guint32 lookahead_slots, step_slots; /* slots of a window; of a step in it (windows.c) */
} DnPacketThreads;

/* The reason for which the run ends; set between two barriers, read after the next. */
typedef struct {
    gboolean stop;
    GError *error;      /* why */
    const char *out_of; /* items that a pool ran out of, or NULL; atomic: any thread sets it */
    gboolean time_stands_still; /* likewise */
    gboolean interrupted;       /* by the observer */
    gboolean finished;          /* the client stopped the run: messages in flight are dropped */
    guint progress_counter;     /* windows served */
    gint64 last_progress_us, asked_events; /* of the last time; served when it was asked for */
} DnPacketEnd;

struct DnPacketEngine {
    const DnEngineRun *run;
    const DnRouter *router;
    const DnGraph *graph;
    DnPacketNet net;
    DnPacketFeatures features;
    DnPacketThreads threads;
    DnPacketEnd end;
    guint16 *timing_of; /* [graph links] index into net.link_timings; during set-up, then NULL */
};

struct DnContext {
    const DnContextOps *ops; /* dn_packet_context */
    DnPartition *partition;
    guint32 endpoint;
};

static inline DnPort *dn_port(const DnPacketEngine *e, guint32 index)
{
    return (DnPort *)(e->net.ports.base + ((gsize)index << e->net.ports.shift));
}
static inline guint32 dn_port_index(const DnPacketEngine *e, const DnPort *port)
{
    return (guint32)((gsize)((const guint8 *)port - e->net.ports.base) >> e->net.ports.shift);
}

/* TRUE when a packet has a response: one of a NIC, so none inside a node. */
static inline gboolean dn_is_answered(const DnPacketEngine *e, const DnRouteState *route)
{
    return e->net.answers && route->target_switch != DN_NONE;
}

static inline DnQueue *dn_port_queues(const DnPacketEngine *e, DnPort *port)
{
    gsize offset = (gsize)((guint8 *)port - e->net.ports.base);
    return (DnQueue *)(e->net.ports.queues + (offset << e->net.ports.queues_shift));
}

static inline gint64 dn_link_serial_ps(const DnLinkTiming *timing, guint32 bytes)
{
    return (gint64)((bytes * timing->ps_per_byte_fp + (1u << 19)) >> 20);
}

static inline gint64 dn_port_serial_ps(const DnPacketEngine *e, const DnPort *port, guint32 bytes)
{
    return dn_link_serial_ps(&e->net.link_timings[port->timing], bytes);
}

static inline DnPacket *dn_packet(const DnPacketEngine *e, guint32 id)
{
    return (DnPacket *)e->net.packets.base + id;
}

static inline DnMessageState *dn_message_state(const DnPacketEngine *e, guint32 id)
{
    return (DnMessageState *)e->net.message_states.base + id;
}

static inline guint64 dn_vertex_draw(DnVertexState *v)
{
    return dn_draw(v->draw_key, v->draws++);
}

/* partition.c: to a domain of another part. */
void dn_mailbox_add(DnPartition *partition, guint32 domain, gint64 when_ps, guint32 what, guint32 a,
                    guint32 b);

/* An event of another domain or vertex, at least one link latency away. */
static inline void dn_emit(DnPartition *partition, guint32 domain, gint64 when_ps, DnEvent event)
{
    if (partition->mailboxes == NULL ||
        partition->engine->threads.partition_of[domain] == partition->index)
        dn_wheel_add(&partition->wheel, domain, when_ps, event);
    else
        dn_mailbox_add(partition, domain, when_ps, event.what, event.a, event.b);
}

/* An event of the vertex being served, at any time from now on. */
static inline void dn_emit_self(DnPartition *partition, gint64 when_ps, DnEvent event)
{
    event.what |= (guint32)partition->state->slot << 16;
    if (when_ps < partition->slot_end_ps)
        dn_self_events_add(&partition->self, (guint32)(when_ps - partition->slot_start_ps), event);
    else
        dn_wheel_add(&partition->wheel, partition->domain, when_ps, event);
}

static inline guint32 dn_lane_of(const DnPacketEngine *e, guint32 queue)
{
    return e->net.lane_of_queue[queue];
}

/* partition.c: the domain of @state. */
guint32 dn_domain_of(const DnPacketEngine *engine, guint32 state);

/* @domain is this process's; others' state is zeros (sparse_array.h). */
static inline gboolean dn_is_own(const DnPacketEngine *e, guint32 domain)
{
    return e->threads.partition_of[domain] < e->threads.n_partitions;
}

static inline gboolean dn_is_here(const DnPacketEngine *e, guint32 state)
{
    return dn_is_own(e, dn_domain_of(e, state));
}

/* port.c */
void dn_port_enqueue(DnPartition *partition, DnVertexState *v, guint32 port, guint32 packet);
/* A packet comes to @v on its path; it goes on, as soon as enough of it is here. */
void dn_port_arrive(DnPartition *partition, DnVertexState *v, guint32 packet);
void dn_port_onward(DnPartition *partition, DnVertexState *v, guint32 packet);
void dn_port_try(DnPartition *partition, DnVertexState *v, guint32 port);
/* Packet @id leaves queue @q of @port now. */
void dn_port_send(DnPartition *partition, DnVertexState *v, guint32 port, guint q, guint32 id);
/* credit.c; @port: an engine port of @v. */
void dn_port_credit(DnPartition *partition, DnVertexState *v, guint32 port, guint32 queue,
                    guint32 bytes);
extern const DnContextOps dn_packet_context; /* packet_engine.c */
/* vertex.c: every domain with events in the present window. */
void dn_lookahead_window_serve(DnPartition *partition);
/* Local messages that wait at @port become packets while it accepts them. */
void dn_port_pull(DnPartition *partition, DnVertexState *v, guint32 port);
/* source.c: a message just sent, of which only m and born_ps are set; over NIC @rail. */
void dn_source_start(DnPartition *partition, DnVertexState *v, guint32 msg, guint32 rail);
/* The message goes on: its rate cap, congestion control or a response let it. */
void dn_source_continue(DnPartition *partition, DnVertexState *v, guint32 msg);
/* watchdog.c: describes the packets and messages that are stuck. */
void dn_watchdog_report(DnPacketEngine *engine, GError **error);
/* arbiter.c: the queue of @port (engine port @index) that goes next, and which packet of it (@id);
 * G_MAXUINT: none can. @retry_ps: when to try again without an event to say so; or G_MAXINT64. */
guint dn_arbitrate(DnPartition *partition, DnPort *port, guint32 index, guint32 *id,
                   gint64 *retry_ps);
/* partition.c: assigns domains to partitions, and empties the mailboxes of remote events. */
void dn_partition(DnPacketEngine *engine, guint threads);
void dn_partitions_clear(DnPacketEngine *engine);
void dn_partition_receive(DnPartition *partition);
/* load_view.c */
void dn_load_views_init(DnPacketEngine *engine);
/* Bytes of DnLoadView.waiting_bytes(). */
gint64 dn_port_waiting_bytes(const DnPacketEngine *engine, const DnPort *port);
/* delayed_credits.c */
void dn_delayed_credits_init(DnPacketEngine *engine);
/* windows.c */
gboolean dn_lookahead_windows_run(DnPacketEngine *engine, GError **error);
guint64 dn_count_events(const DnPacketEngine *engine, guint64 *hops);
DnTotals dn_totals(const DnPacketEngine *engine);
/* packet_setup.c */
/* Index of the timing of graph link @l, during set-up. */
guint16 dn_link_timing_of(const DnPacketEngine *engine, guint32 l);
guint64 dn_packet_engine_memory_bytes(const DnGraphSize *size);
gboolean dn_packet_engine_init(DnPacketEngine *engine, const DnEngineRun *run, GError **error);
void dn_packet_engine_clear(DnPacketEngine *engine);
