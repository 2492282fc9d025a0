/* larger_packets.h - Packets larger than the machine's own: a run may set packet.size to more than
 * the machine's packet, and each such packet then stands for several of the machine's, its parts.
 *
 * A run with them takes less time to simulate; its results should be those of the machine's own
 * packets. So:
 *   - Each part has its header on the wire.
 *   - A message is cut into at least LEAST_PACKETS, and the more finely the less of it is left:
 *     messages that share a source end together, as they do when their parts take turns.
 *   - A packet is forwarded as soon as its head has arrived (cut-through), and its tail leaves no
 *     sooner than it has arrived. Packets that arrive more slowly than their output link sends
 *     share that link, as long as their rates together do not exceed the link's.
 *   - A packet is at most a quarter of the machine's smallest buffer, and an eighth where four or
 *     more messages take turns, so that a buffer has packets for many destinations.
 *   - A packet leaves when the buffer has space for its first part; its credit returns as long
 *     after that as the last part's would. At a source at most as many bytes wait in the port as
 *     with the machine's packets, plus one larger packet.
 *   - A message that begins where others wait takes its turn when the middle one of its first
 *     packet's parts would, not behind whole packets of all others.
 *   - A message of one part passes the parts of larger packets that are younger, at a boundary of
 *     parts: the parts of a packet are taken as born one after another. At its source it takes its
 *     turn among the parts of the messages that wait there.
 *   - Where packets are answered, the response to a larger one stands for those to its parts, and
 *     passes like a message of one part; windows count parts, and a packet has at most an eighth of
 *     its message's window. The data of reads return in the machine's own packets.
 *   - Adaptive routing counts of a packet on a link the bytes that its parts would have in flight.
 * Packets have no parts where jobs have aggregated packets, where input buffers are FIFOs, and
 * where channels share a buffer.
 * LIMITATIONS: DN_LARGER_LIMITS. */
#pragma once
#include "engine/packet/hooks.h"

#define DN_LARGER_LIMITS                                                                           \
    "all parts of a larger packet take one path, where the machine chooses for each; of two that " \
    "wait for a link one goes first as a whole; a buffer holds up to one of them beyond its "      \
    "bytes; fewer packets in a buffer are of fewer messages"

#define DN_LARGER_SHARES 4

/* The state of a port's link with larger packets. Bits of DnPort tell whether it must be accessed:
 * `alone`: one larger packet has the link to itself; `shared`: packets have shared the link since
 * one last had it to itself; `interleave_set`: an event at one of its boundaries of parts is
 * due. */
struct DnLargerOnLink {
    gint64 start_ps, span_ps, birth_ps; /* of the packet that has the link to itself */
    guint32 waiting;                    /* messages that inject here */
    guint32 singles;                    /* queued requests of one part, which may pass it */
    guint32 rate[DN_LARGER_SHARES];     /* of each packet that shares the link, in 2^-16 of it */
    gint64 begin_ps[DN_LARGER_SHARES];
    gint64 end_ps[DN_LARGER_SHARES]; /* when its tail has been sent; in the past: a free place */
} __attribute__((aligned(64)));
G_STATIC_ASSERT(sizeof(struct DnLargerOnLink) == 128);

/* Returns the bytes on the wire of a packet of @payload bytes, with a header for each part. */
static inline guint32 dn_larger_wire_bytes(const DnPacketEngine *e, guint32 payload)
{
    guint32 own = e->net.sizes.own_bytes;
    return payload + MAX(1, (payload + own - 1) / own) * e->net.header_bytes;
}

/* The share of its output link that a packet takes. */
typedef struct {
    gint64 start_ps, serial_ps;
    gint64 tail_in_ps; /* when its tail arrives; 0: it begins here */
    gint64 free_ps;    /* when another packet may follow */
    guint32 rate;      /* in 2^-16 of the link */
    gboolean shares;
    guint place;
} DnLargerShare;

/* TRUE when @packet does not leave @port as a single packet on its own does: dn_larger_share(). */
static inline gboolean dn_larger_shares(const DnPacketEngine *e, const DnPort *port,
                                        const DnPacket *packet)
{
    return e->features.larger != NULL && (packet->aggregated || port->shared);
}

static inline struct DnLargerOnLink *dn_larger_on_link(const DnPacketEngine *e, const DnPort *port)
{
    return &e->features.larger[dn_port_index(e, port)];
}

/* Returns the number of parts of the next packet of @msg at @port. */
guint32 dn_larger_parts(const DnPacketEngine *e, const DnPort *port, const DnMessageState *msg);
/* Returns the message waiting at @port behind which a new one, whose first packet has @parts, takes
 * its turn; 0: it goes before all. */
guint32 dn_larger_turn(const DnPacketEngine *e, const DnPort *port, guint32 parts);
/* TRUE: a larger packet is on the link of @port, or first in one of its queues. */
gboolean dn_larger_is_ahead(const DnPartition *partition, DnPort *port);
/* Returns the share of a packet whose tail would leave at @tail_ps if it had the link to itself. */
DnLargerShare dn_larger_share(const DnPacketEngine *e, const DnPort *port, const DnPacket *packet,
                              gint64 tail_ps);
/* The tail of a packet leaves then. */
static inline gint64 dn_larger_share_tail_ps(const DnLargerShare *share)
{
    return share->shares ? share->tail_in_ps : MAX(share->free_ps, share->tail_in_ps);
}
/* Half of the time that the parts after the first take: a packet is as old as its middle part. */
gint64 dn_larger_span_ps(const DnPacketEngine *e, const DnPort *port, const DnPacket *packet);
/* Returns when @packet may go on, whose tail allows it at @ready_ps: a larger one with its head. */
static inline gint64 dn_larger_ready_ps(const DnPartition *partition, const DnPacket *packet,
                                        gint64 ready_ps)
{
    return packet->aggregated ? partition->now_ps : ready_ps;
}
/* Returns the time by which the credit that @packet frees goes back later. */
gint64 dn_larger_credit_delay_ps(const DnPacketEngine *e, const DnPort *port,
                                 const DnPacket *packet, const DnLargerShare *share);
/* @packet leaves @port at @start_ps. */
void dn_larger_leave(const DnPacketEngine *e, DnPort *port, const DnPacket *packet,
                     const DnLargerShare *share, gint64 start_ps);
/* Packets may wait for port @index of @v, whose link a larger packet has to itself. */
void dn_larger_wait(DnPartition *partition, DnVertexState *v, guint32 index);

static inline gboolean dn_larger_is_single(const DnPacket *packet)
{
    gboolean single = packet->response ? !packet->read : packet->first && packet->last;
    return single && !packet->aggregated;
}

/* @packet has joined (@n is 1) or left (-1) a queue of @port. */
static inline void dn_larger_queued(const DnPacketEngine *e, const DnPort *port,
                                    const DnPacket *packet, gint32 n)
{
    if (!packet->response && dn_larger_is_single(packet))
        dn_larger_on_link(e, port)->singles += (guint32)n;
}

/* Returns the load of @port that adaptive routing compares, in bytes (DnLoadView.port_bytes()). */
gint64 dn_larger_port_bytes(const DnPartition *partition, const DnPort *port);
/* Limits the packet @shape to @parts. */
void dn_larger_limit(const DnPacketEngine *e, guint32 parts, DnPacketShape *shape);
/* Set up a run: the first sets the sizes in DnPacketNet, the second, called later, allocates the
 * state of links where packets have parts. */
void dn_larger_packets_set(DnPacketEngine *engine);
void dn_larger_packets_init(DnPacketEngine *engine);
