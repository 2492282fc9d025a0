/* hooks.h - Hooks let optional features of the engine take part in the life of a packet.
 *
 * A feature is one table: input buffers left in order (fifo.c), packet aggregation, delay
 * attribution, delayed credits. Set-up lists those that the machine and the run ask for, in the
 * order below. A hook that a feature does not need is NULL. Congestion control and larger packets,
 * which most runs of real machines have, are called directly, after the features with a table.
 * Without any of these, ports run code that is compiled without their calls (port.c). */
#pragma once
#include "engine/packet/congestion_control.h"

struct DnPortHooks {
    /* Packet @id came to a vertex on its path; FALSE: it waits, and the feature brings it back. */
    gboolean (*arrive)(DnPartition *partition, DnVertexState *v, guint32 id);
    /* @packet has joined a queue of port @index of @v. */
    void (*join)(DnPartition *partition, DnVertexState *v, guint32 index, DnPacket *packet);
    /* Packets may wait for port @index of @v, whose link is busy. */
    void (*wait)(DnPartition *partition, DnVertexState *v, guint32 index);
    /* Packet @id leaves queue @q of port @index of @v at @start_ps; its place and tail are still
     * those at @v. */
    void (*leave)(DnPartition *partition, DnVertexState *v, guint32 index, guint q, guint32 id,
                  gint64 start_ps);
    /* Returns the time by which the credit that @packet frees, as it leaves over port @index of @v,
     * goes back later (ps). */
    gint64 (*credit_delay_ps)(const DnPartition *partition, const DnVertexState *v, guint32 index,
                              const DnPacket *packet);
    /* Engine port @port had no credit from @since_ps until now. */
    void (*stalled)(DnPartition *partition, guint32 port, gint64 since_ps);
    /* The client has sent @message; packet @id has reached its destination; @message is
     * delivered. */
    void (*born)(DnPartition *partition, const DnMessage *message);
    void (*came)(DnPartition *partition, guint32 id);
    void (*delivered)(DnPartition *partition, const DnMessage *message, gint64 born_ps);
};

/* The hooks of features in use, as bits: where there is none, no table is looked through. */
typedef enum {
    DN_HOOKED_ARRIVE = 1,
    DN_HOOKED_JOIN = 2,
    DN_HOOKED_WAIT = 4,
    DN_HOOKED_STALLED = 8,
    DN_HOOKED_MESSAGES = 16, /* born, came, delivered */
    DN_HOOKED_CREDIT = 32,
    DN_HOOKED_LEAVE = 64,
} DnHooked;

/* The next packet of a message. */
typedef struct {
    gint64 payload; /* bytes */
    guint32 count;  /* packets that it stands for */
    guint32 lane;
    guint32 most_wire_bytes; /* of any packet on that lane */
    gboolean passes, begins; /* a whole message among larger packets; it has just been sent */
} DnPacketShape;

/* A queue that an arbiter chose (arbiter.c). */
typedef struct DnArbiterChoice {
    guint queue; /* G_MAXUINT: none */
    guint32 id;
    gint64 birth_ps; /* of the packet */
    gint64 retry_ps; /* when to try again without an event to say so; or G_MAXINT64 */
} DnArbiterChoice;

/* arbiter.c: the oldest packet of @lane that can go, where there are aggregated packets. */
gboolean dn_arbiter_oldest(const DnPartition *partition, DnPort *port, guint lane,
                           DnArbiterChoice *best);

/* The functions of packets that stand for several: aggregated packets (packet_aggregation.h) or
 * larger ones (larger_packets.h). DnPacketFeatures.aggregation is NULL in runs without either. */
struct DnAggregationHooks {
    /* Changes @shape, that of a single packet, of a message with @left bytes to go. */
    void (*shape)(const DnPacketEngine *e, const DnMessageState *msg, gint64 left,
                  DnPacketShape *shape);
    /* Packets that @packet stands for. */
    guint32 (*represented)(const DnPacketEngine *e, const DnPacket *packet);
    /* Time from its first packet to its last one, as they leave @port. */
    gint64 (*span_ps)(const DnPacketEngine *e, const DnPort *port, const DnPacket *packet);
    /* Returns the times when its tail leaves and when it may start, after those of a single
     * packet. */
    gint64 (*tail_ps)(const DnPacketEngine *e, const DnPort *port, const DnPacket *packet,
                      gint64 tail_ps);
    gint64 (*ready_ps)(const DnPartition *partition, const DnPacket *packet, gint64 ready_ps);
    /* TRUE when a packet of queue @q, which has credits, may use them. */
    gboolean (*permits)(const DnPacketEngine *e, const DnPort *port, guint q);
    /* The next packet of @lane into @best; FALSE: none can go. */
    gboolean (*oldest)(const DnPartition *partition, DnPort *port, guint lane,
                       DnArbiterChoice *best);
    /* Serves DN_EVENT_TAIL and DN_EVENT_INTERLEAVE. */
    void (*serve)(DnPartition *partition, DnVertexState *v, const DnEvent *event);
};

extern const struct DnPortHooks dn_hooks_attribution, dn_hooks_aggregation, dn_hooks_fifo,
    dn_hooks_delayed_credits;
extern const struct DnAggregationHooks dn_aggregation_hooks, dn_larger_packet_hooks;

static inline gboolean dn_is_hooked(const DnPacketEngine *e, DnHooked hooks)
{
    return (e->features.hooked & hooks) != 0;
}

/* Packets that @packet stands for. */
static inline guint32 dn_packets_represented(const DnPacketEngine *e, const DnPacket *packet)
{
    return G_LIKELY(e->features.aggregation == NULL)
               ? 1
               : e->features.aggregation->represented(e, packet);
}

static inline guint32 dn_payload(const DnPacketEngine *e, const DnPacket *packet)
{
    return packet->wire_bytes - dn_packets_represented(e, packet) * e->net.header_bytes;
}

/* TRUE when @port has credits for a packet of queue @q. */
static inline gboolean dn_has_credits(const DnPacketEngine *e, const DnPort *port, guint q,
                                      guint32 bytes)
{
    return port->credit_bytes[q] >= (gint32)bytes &&
           (e->features.aggregates == NULL || e->features.aggregation->permits(e, port, q));
}

/* TRUE when congestion control follows @packet, as it joins or leaves the queues of @port. */
static inline gboolean dn_control_counts(const DnPacketEngine *e, const DnPort *port,
                                         const DnPacket *packet)
{
    const struct DnControl *control = e->features.control;
    return control != NULL && !packet->response && (port->last_hop || control->everywhere);
}

void dn_hooks_join(DnPartition *partition, DnVertexState *v, guint32 index, DnPacket *packet);

/* @packet has joined a queue of port @index of @v. @hooked, a constant at each call: the run may
 * have features with a table. */
static inline void dn_hooks_joined(DnPartition *partition, DnVertexState *v, guint32 index,
                                   DnPacket *packet, gboolean hooked)
{
    const DnPacketEngine *e = partition->engine;
    guint32 port = v->first_port + index;
    if (hooked && dn_is_hooked(e, DN_HOOKED_JOIN))
        dn_hooks_join(partition, v, index, packet);
    if (dn_control_counts(e, dn_port(e, port), packet))
        e->features.control->join(partition, v, port, packet);
}

/* Called when all features are set up: lists them, and chooses what ports run. */
void dn_hooks_init(DnPacketEngine *engine);
gboolean dn_hooks_arrive(DnPartition *partition, DnVertexState *v, guint32 id);
void dn_hooks_wait(DnPartition *partition, DnVertexState *v, guint32 index);
void dn_hooks_leave(DnPartition *partition, DnVertexState *v, guint32 index, guint q, guint32 id,
                    gint64 start_ps);
gint64 dn_hooks_credit_delay_ps(const DnPartition *partition, const DnVertexState *v, guint32 index,
                                const DnPacket *packet);
void dn_hooks_stalled(DnPartition *partition, guint32 port, gint64 since_ps);
void dn_hooks_born(DnPartition *partition, const DnMessage *message);
void dn_hooks_came(DnPartition *partition, guint32 id);
void dn_hooks_delivered(DnPartition *partition, const DnMessage *message, gint64 born_ps);
