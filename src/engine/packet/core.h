/* core.h - state of the packet engine, laid out for the loop that touches it.
 *
 * A vertex (switch, NIC, GPU) owns its ports, queues, injection lists and packets waiting there;
 * vertices meet only through timestamped events that cross a link. Time is cut into windows no
 * longer than the smallest link latency: nothing sent inside a window can arrive inside it, so all
 * events of one vertex in a window run together, its state in cache, in the order
 * (time, input port, order of sending on that link), which no other vertex can change. That order,
 * not the order in which vertices run, makes results bit-identical on any number of threads.
 *
 * Units: ps, bytes. Ids are 32-bit indices into pools; index 0 is "none" in queues and lists. */
#pragma once
#include "base/rng.h"
#include "engine/engine.h"
#include "engine/packet/pool.h"

#define DN_SELF_PORT G_MAXUINT16 /* an event of the vertex itself: after arrivals of that instant */

typedef enum {
    DN_EVENT_ARRIVE,  /* a: packet; port: where it came in */
    DN_EVENT_CREDIT,  /* a: bytes; port, aux: queue */
    DN_EVENT_WAKE,    /* a: port: its link is free again */
    DN_EVENT_READY,   /* a: packet: enough of it is here to leave without a gap */
    DN_EVENT_INJECT,  /* a: message whose next packet may leave now */
    DN_EVENT_SENT,    /* a, b: cookie */
    DN_EVENT_LOCAL,   /* a: message to the sender itself */
    DN_EVENT_TIMER,   /* a, b: cookie */
} DnEventKind;

typedef struct {
    guint32 offset_ps; /* within its window */
    guint16 port;
    guint8 kind, aux;
    guint32 a, b;
} DnEvent;
G_STATIC_ASSERT(sizeof(DnEvent) == 16);

typedef struct {
    gint64 tail_ps;   /* when its last byte is at the vertex where its head is */
    gint64 birth_ps;  /* head left the source */
    guint32 next;     /* in its queue */
    guint32 wire_bytes;
    guint32 message;
    guint32 order;    /* of queueing at the port: oldest first */
    DnRouteState route;
    guint16 in_port;  /* where the buffer it fills belongs; DN_SELF_PORT: none, at its source */
    guint16 out_port;
    guint8 in_queue, out_queue;
    guint8 lane;
    guint8 last;      /* last packet of its message */
} DnPacket;
G_STATIC_ASSERT(sizeof(DnPacket) == 64);

/* An output port. Queues q = lane * channels + channel. */
typedef struct {
    gint64 free_ps;         /* its link is busy until then */
    gint64 stalled_since_ps; /* has packets, no credit, since then; -1: not stalled */
    guint64 ps_per_byte_fp; /* 2^-20 ps */
    guint32 latency_ps;     /* to the peer's port, and through the peer */
    guint32 credit_latency_ps; /* of the wire alone: the way a credit comes back from here */
    guint32 peer;           /* vertex */
    guint32 mask;           /* queues that hold packets */
    guint32 queued_bytes, unacked_bytes; /* here; sent and not yet credited */
    guint32 order;          /* next packet's */
    guint32 inject_tail;    /* circular list of messages that inject here; 0: none */
    guint16 peer_port;
    guint16 queued;         /* packets */
    guint8 next_lane;       /* round robin */
    guint8 wake_set;
    guint16 pad;
} DnPort;
G_STATIC_ASSERT(sizeof(DnPort) == 64);

typedef struct {
    guint32 head, tail; /* packets; 0: empty */
    gint32 credit_bytes;
    guint32 pad;
} DnQueue;

typedef struct {
    guint64 bytes, packets;
    gint64 stalled_ps;
} DnPortCounters;

typedef struct {
    guint64 draw_key, draws;
    guint32 first_port; /* into ports */
    guint16 degree;
    guint8 transit;
    guint8 kind;
    guint32 endpoint; /* DN_NONE: none */
    guint32 latency_ps;
} DnVertexState;

typedef struct {
    DnMessage m;
    gint64 left_bytes;      /* not yet made into packets */
    gint64 received_bytes;  /* destination's alone */
    gint64 next_ps;         /* rate cap: not before */
    gint64 born_ps;
    guint32 source, target; /* vertices */
    guint32 next;           /* in a port's injection list */
} DnFlight;

typedef struct DnPacketEngine DnPacketEngine;
typedef struct DnPart DnPart;
#include "engine/packet/event_wheel.h"

/* What one thread owns: some vertices, their events, and free lists. */
struct DnPart {
    DnPacketEngine *engine;
    DnWheel wheel;
    DnFreeList free_packets, free_flights;
    guint32 vertex;           /* being served */
    gint64 now_ps, window_start_ps, window_end_ps;
    DnEvent *batch;           /* of the vertex being served */
    guint batch_capacity;
    DnSelfEvents self;        /* of the vertex being served, inside the window */
    DnLoadView load;
    guint64 events, hops, packets_made, packets_delivered, messages_made, messages_delivered;
    guint64 payload_bytes;
    gint64 packet_latency_ps_sum;
    gint64 last_ps;           /* latest event served */
};

struct DnPacketEngine {
    const DnEngineRun *run;
    const DnRouter *router;
    const DnGraph *graph;
    guint32 channels, lanes, queues; /* queues = lanes * channels, a port */
    guint32 packet_bytes, header_bytes;
    DnVertexState *vertices;
    DnPort *ports;          /* [links], vertex by vertex */
    DnQueue *queues_of;     /* [links * queues] */
    DnPortCounters *counters; /* [links] */
    DnPool packets, flights; /* DnPacket, DnFlight */
    gint32 *full_credit;    /* [links] bytes, each queue */
    DnPart part;
    gint64 lookahead_ps;
    const char *out_of;     /* what a pool ran out of, or NULL */
    gboolean time_stands_still;
    gint64 last_beat_us;
};

struct DnContext {
    DnPart *part;
    guint32 endpoint;
};

static inline gint64 dn_port_serial_ps(const DnPort *port, guint32 bytes)
{
    return (gint64)((bytes * port->ps_per_byte_fp + (1u << 19)) >> 20);
}

static inline DnPacket *dn_packet(const DnPacketEngine *e, guint32 id)
{
    return (DnPacket *)e->packets.base + id;
}

static inline DnFlight *dn_flight(const DnPacketEngine *e, guint32 id)
{
    return (DnFlight *)e->flights.base + id;
}

static inline guint64 dn_vertex_draw(DnVertexState *v)
{
    return dn_draw(v->draw_key, v->draws++);
}

/* An event of another vertex, at least one link latency away. */
static inline void dn_emit(DnPart *part, guint32 vertex, gint64 when_ps, DnEvent event)
{
    dn_wheel_add(&part->wheel, vertex, when_ps, event);
}

/* An event of the vertex being served, at any time from now on. */
static inline void dn_emit_self(DnPart *part, gint64 when_ps, DnEvent event)
{
    event.port = DN_SELF_PORT;
    if (when_ps < part->window_end_ps)
        dn_self_events_add(&part->self, (guint32)(when_ps - part->window_start_ps), event);
    else
        dn_wheel_add(&part->wheel, part->vertex, when_ps, event);
}

/* port.c */
void dn_port_enqueue(DnPart *part, DnVertexState *v, guint32 port, guint32 packet);
void dn_port_try(DnPart *part, DnVertexState *v, guint32 port);
void dn_port_credit(DnPart *part, DnVertexState *v, guint32 port, guint32 queue, guint32 bytes);
/* vertex.c: all events of one vertex in the present window. */
void dn_vertex_serve(DnPart *part, guint32 vertex);
/* inject.c */
void dn_inject_pull(DnPart *part, DnVertexState *v, guint32 port);
void dn_inject_message(DnPart *part, DnVertexState *v, guint32 flight);
void dn_deliver(DnPart *part, DnVertexState *v, guint32 flight, gint64 payload_bytes);
/* watchdog.c: whatever is still held when nothing moves, in words. */
void dn_watchdog_report(DnPacketEngine *engine, GError **error);
/* setup.c */
gboolean dn_packet_engine_init(DnPacketEngine *engine, const DnEngineRun *run, GError **error);
void dn_packet_engine_clear(DnPacketEngine *engine);
