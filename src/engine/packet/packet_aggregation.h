/* packet_aggregation.h - Aggregated packets: one packet of a background job stands for several
 * (DnEngineRun.aggregation).
 *
 * A job whose details do not matter may send N packets as one aggregated packet: their payload and
 * headers, one set of events. To the packets of other jobs, single packets, it remains a sequence
 * of N packets:
 *   - An aggregated packet is forwarded as soon as its head has arrived, and its tail arrives no
 *     sooner than that of its last packet. A port counts, for each lane, the work of aggregated
 *     packets that has arrived (at the rate of each) and that has been sent; a single packet leaves
 *     when the work that arrived before it has been sent. So it waits where aggregated packets
 *     together arrive faster than they leave, and not otherwise.
 *   - A single packet is interleaved between two packets of an aggregated one on the link, which is
 *     busy for so much longer; on another lane the two alternate.
 *   - Aggregated packets have buffers of their own, larger by 2 (N - 1) packets, N of the job with
 *     the most: a buffer of few large units fills sooner than one of many small ones. Their credits
 *     return when the middle packet has left. Where they have no credits left, single packets have
 *     none either.
 *   - The age of an aggregated packet is that of its last packet.
 * LIMITATIONS: DN_AGGREGATION_LIMITS. */
#pragma once
#include "engine/packet/core.h"

#define DN_MAX_AGGREGATION 64
#define DN_AGGREGATION_LIMITS                                                                      \
    "an aggregated packet takes one path, where its N packets would be spread; behind buffers "    \
    "full of aggregated packets a single packet waits for up to 2 (N - 1) packets more in each "   \
    "buffer; the arrival of an aggregated packet downstream is not delayed by packets "            \
    "interleaved with it; adaptive routing counts all of it as soon as it leaves; weights of "     \
    "lanes do not apply between it and the packets interleaved with it"

/* The aggregated packet on a port's link. */
struct DnAggregateOnLink {
    gint64 interleave_free_ps; /* end of the last interleaved packet; 0: none */
    guint32 lane;              /* DN_NONE: this vertex is its source */
    guint8 on;                 /* an aggregated packet was the last to take the link */
    guint8 interleave_set;     /* an event is set at its next packet boundary */
};

/* The backlog of one lane of a port, in 2^-16 ps of its link's time. */
struct DnAggregateBacklog {
    gint64 arrived, sent; /* sent: of aggregated packets that began to leave */
    gint64 since_ps;      /* arrived is of then */
    gint64 rate;          /* of arrival since then, by ps */
};

/* Returns the number of packets that one packet of the message stands for; those of reads are not
 * aggregated. */
static inline guint32 dn_aggregation_of(const DnPacketEngine *e, const DnMessageState *msg)
{
    return e->features.aggregates == NULL || msg->m.read ? 1 : e->run->aggregation[msg->m.job];
}

/* Returns the input buffer at the end of a link; 0: no limit. Where the run's packets are larger
 * than the machine's own, and the buffer holds more of those than its link needs to stay busy, it
 * holds as many of the run's. */
static inline gint64 dn_larger_buffer(const DnPacketEngine *e, const DnLinkClass *class_)
{
    gint64 buffer = class_->buffer_bytes, all = buffer + class_->shared_buffer_bytes;
    gint64 header = e->net.header_bytes;
    gint64 own = e->net.hardware->packet_bytes + header, wire = e->net.sizes.most_wire_bytes;
    double needed = 2e-12 * (double)class_->latency_ps * (double)class_->bandwidth_bps / 8;
    if (wire <= own || e->net.sizes.own_bytes < e->net.packet_bytes ||
        e->net.hardware->input_buffers == DN_INPUT_FIFO || (double)all < needed + 2 * (double)own)
        return buffer;
    return (gint64)((double)buffer * (double)wire / (double)own);
}

/* Returns the bytes on the wire of an aggregated packet that stands for @count full ones. */
static inline guint32 dn_aggregated_bytes(const DnPacketEngine *e, guint32 count)
{
    return count * (e->net.packet_bytes + e->net.header_bytes);
}

/* Returns the credits of queue @q, when queues of single packets have @credit. */
static inline gint32 dn_aggregation_credit(const DnPacketEngine *e, guint32 q, gint32 credit)
{
    gboolean aggregates = e->features.aggregate_lane != 0 &&
                          q >= e->features.aggregate_lane * e->net.channels;
    gint32 more = (gint32)dn_aggregated_bytes(e, 2 * (e->features.max_aggregation - 1));
    return aggregates ? credit + more : credit;
}

/* The largest packet of @lane. */
static inline guint32 dn_most_of_lane(const DnPacketEngine *e, guint lane)
{
    guint32 count = e->features.aggregate_lane != 0 && lane >= e->features.aggregate_lane
                        ? e->features.max_aggregation
                        : 1;
    return dn_aggregated_bytes(e, count);
}

/* Adds lanes for aggregated packets, if the run has any. */
void dn_aggregation_init(DnPacketEngine *engine);
void dn_aggregation_clear(DnPacketEngine *engine);
