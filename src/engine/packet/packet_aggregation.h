/* packet_aggregation.h - packets of background jobs that stand for several: DnEngineRun.coarse.
 *
 * A job that nobody looks at closely may send N packets as one train: their payload and headers,
 * one set of events. For the packets of other jobs it stays what it is, N packets that come one
 * after the other:
 *   - a train is sent on as soon as its head is there, and arrives no sooner than its last part. A
 *     port counts, for each lane, the work of trains that has come (as fast as each comes in) and
 *     that has been sent; a packet goes when what came before it has been sent, so it waits where
 *     trains together come faster than they leave, and is not held up by one that does not.
 *   - it goes between two parts of a train that is on the link, which is so much longer busy; on
 *     another lane it takes turns with the parts.
 *   - trains have buffers of their own, as large as a packet's and 2 (N - 1) packets more: a buffer
 *     of few large pieces fills sooner than one of many small ones. They give their room back when
 *     the middle part has left. Where they have none left, there is none for packets either.
 *   - a train is as old as its last part.
 * LIMITATIONS: a train takes one way, where its packets would be spread; behind buffers full of
 * trains a packet waits for up to 2 (N - 1) packets a buffer more; what a train does downstream is
 * not moved when packets go between; adaptive routing counts a train whole as soon as it leaves;
 * weights of lanes do not hold between a train on the link and the packets that go between. Whoever
 * asks who waits for whom (delay_attribution.h) sees packets: then N is 1. */
#pragma once
#include "engine/packet/core.h"

#define DN_MAX_AGGREGATION 64

/* The train on a port's link. */
struct DnAggregateOnLink {
    gint64
        interleave_free_ps; /* a packet that goes between its parts has left by then; 0: none did */
    guint32 lane;           /* DN_NONE: this vertex is its source */
    guint8 on;              /* the link has been a train's since the last packet left */
    guint8 interleave_set;  /* an event will come between two parts */
};

/* Of one lane of a port, in 2^-16 ps of its link's time. */
struct DnAggregateBacklog {
    gint64 arrived, sent; /* sent: of trains whose turn has come */
    gint64 since_ps;      /* arrived is of then */
    gint64 rate;          /* of arrival since then, by ps */
};

/* Packets that one of the flight's stands for. */
static inline guint32 dn_aggregation_of(const DnPacketEngine *e, const DnMessageState *msg)
{
    return e->features.aggregates == NULL ? 1 : e->run->aggregation[msg->m.job];
}

static inline gint64 dn_most_payload(const DnPacketEngine *e, const DnMessageState *msg)
{
    return (gint64)e->net.packet_bytes * dn_aggregation_of(e, msg);
}

/* How many packets @payload of it are. */
static inline guint32 dn_packets_in_payload(const DnPacketEngine *e, const DnMessageState *msg,
                                            gint64 payload)
{
    if (dn_aggregation_of(e, msg) == 1 || payload <= (gint64)e->net.packet_bytes)
        return 1;
    return (guint32)((payload + e->net.packet_bytes - 1) / e->net.packet_bytes);
}

/* How many packets @packet is. */
static inline guint32 dn_packets_represented(const DnPacketEngine *e, const DnPacket *packet)
{
    guint32 unit = packet->response ? (guint32)e->net.hardware->response_bytes
                                    : e->net.packet_bytes + e->net.header_bytes;
    return packet->aggregated ? (packet->wire_bytes + unit - 1) / unit : 1;
}

static inline guint32 dn_payload(const DnPacketEngine *e, const DnPacket *packet)
{
    return packet->wire_bytes - dn_packets_represented(e, packet) * e->net.header_bytes;
}

/* Responses to a train are short: nobody goes between. */
static inline gboolean dn_is_aggregate(const DnPacket *packet)
{
    return packet->aggregated && !packet->response;
}

/* From the first part to the last one, as they leave @port. */
static inline gint64 dn_aggregate_span_ps(const DnPacketEngine *e, const DnPort *port,
                                          const DnPacket *packet)
{
    if (!dn_is_aggregate(packet))
        return 0;
    return dn_port_serial_ps(e, port,
                             packet->wire_bytes - e->net.packet_bytes - e->net.header_bytes);
}

/* Of queue @q, when a packet's queues have @credit. */
static inline gint32 dn_aggregation_credit(const DnPacketEngine *e, guint32 q, gint32 credit)
{
    gboolean aggregates = e->features.aggregate_lane != 0 &&
                          q >= e->features.aggregate_lane * e->net.channels;
    gint32 more = (gint32)(2 * (e->features.max_aggregation - 1) *
                           (e->net.packet_bytes + e->net.header_bytes));
    return aggregates ? credit + more : credit;
}

/* The largest packet of @lane. */
static inline guint32 dn_most_of_lane(const DnPacketEngine *e, guint lane)
{
    guint32 count = e->features.aggregate_lane != 0 && lane >= e->features.aggregate_lane
                        ? e->features.max_aggregation
                        : 1;
    return count * (e->net.packet_bytes + e->net.header_bytes);
}

/* Room at the end of @port for a packet of queue @q: where trains fill the buffer there is none. */
static inline gboolean dn_has_credits(const DnPacketEngine *e, const DnPort *port, guint q,
                                      guint32 bytes)
{
    if (port->credit_bytes[q] < (gint32)bytes)
        return FALSE;
    if (e->features.aggregates == NULL || q >= e->net.request_lanes * e->net.channels)
        return TRUE;
    gint32 aggregate = (gint32)dn_most_of_lane(e, e->features.aggregate_lane);
    return port->credit_bytes[q + e->features.aggregate_lane * e->net.channels] >= aggregate;
}

/* Lanes for trains, if the run has any. */
void dn_aggregation_init(DnPacketEngine *engine);
void dn_aggregation_clear(DnPacketEngine *engine);
/* DN_EVENT_TAIL: the end of a train has come that came at @rate. */
void dn_aggregate_tail(DnPartition *partition, DnVertexState *v, guint32 index, guint32 lane,
                       guint32 rate);
/* DN_EVENT_INTERLEAVE: a part of the train on the link of port @index ends; a packet may go
 * between. */
void dn_aggregate_interleave(DnPartition *partition, DnVertexState *v, guint32 index);
/* What came before @packet has been sent. */
gboolean dn_aggregate_permits(const DnPartition *partition, const DnPort *port, guint lane,
                              const DnPacket *packet);
