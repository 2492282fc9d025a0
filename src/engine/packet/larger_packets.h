/* larger_packets.h - Packets larger than the machine's own (packet.size of a run) stand for several
 * of those, its parts.
 *
 * A run with them takes less time, and should otherwise be the same:
 *   - Each part has its header on the wire.
 *   - A message is cut into at least LEAST_PACKETS, and the more finely the less of it is left:
 *     messages that share a source end together, as they do when their parts take turns.
 *   - A packet is forwarded as soon as its head has arrived, and its tail leaves no sooner than it
 *     has arrived. While packets arrive more slowly than their link sends, others share the link;
 *     what they need together, and no more, the link gives.
 *   - A packet has at most a quarter of the machine's smallest buffer; an eighth where four
 *     messages or more take turns, so that a buffer has packets for many destinations.
 *   - A packet leaves when the buffer has space for its first part; its credit returns as long
 *     after that as the last part's would. At its source no more bytes wait than of the machine's
 *     packets, but for the last one's.
 *   - A message that begins where others wait takes its turn when the middle one of the parts of
 *     its first packet would, and not behind the whole packets of all others.
 *   - A message of one part passes the parts of larger packets that are younger, at a boundary of
 *     parts: the parts of a packet are taken as born one after another. At its source it takes its
 *     turn among the parts of the messages that wait there.
 *   - Where packets are answered, the response to a larger one stands for those to its parts, and
 *     passes like a message of one part; windows count parts, and a packet has at most an eighth of
 *     its message's window. What is read comes in the machine's own packets.
 *   - Adaptive routing sees of a packet on a link what its parts would have under way, while it
 *     is there.
 * Packets stay whole, as the run has them, where jobs have aggregated packets, with input buffers
 * left in order, and where channels share a buffer.
 * LIMITATIONS: DN_LARGER_LIMITS. */
#pragma once
#include "engine/packet/hooks.h"

#define DN_LARGER_LIMITS                                                                           \
    "all parts of a larger packet take one path, where the machine chooses for each; of two that " \
    "wait for a link one goes first as a whole; a buffer holds up to one of them beyond its "      \
    "bytes; fewer packets in a buffer are of fewer messages"

#define DN_LARGER_SHARES 4

/* What larger packets ask of the link of a port. DnPort has what says whether it must be looked at:
 * `alone`, a packet has the link alone; `shared`, packets shared it since then; `interleave_set`,
 * an event is set in the one alone. */
struct DnLargerOnLink {
    gint64 start_ps, span_ps, birth_ps; /* of the packet that has the link alone */
    guint32 waiting;                    /* messages that inject here */
    guint32 singles;                    /* of the queued packets those that need not wait for it */
    guint32 rate[DN_LARGER_SHARES];     /* of each packet that shares the link, 2^-16 */
    gint64 begin_ps[DN_LARGER_SHARES];
    gint64 end_ps[DN_LARGER_SHARES]; /* their tails arrive; past: none */
} __attribute__((aligned(64)));
G_STATIC_ASSERT(sizeof(struct DnLargerOnLink) == 128);

/* The bytes on the wire of @payload. */
static inline guint32 dn_larger_wire_bytes(const DnPacketEngine *e, guint32 payload)
{
    guint32 own = e->net.sizes.own_bytes;
    return payload + MAX(1, (payload + own - 1) / own) * e->net.header_bytes;
}

static inline struct DnLargerOnLink *dn_larger_on_link(const DnPacketEngine *e, const DnPort *port)
{
    gsize offset = (gsize)((const guint8 *)port - e->net.ports.base);
    return &e->features.larger[offset >> e->net.ports.shift];
}

/* Parts of the next packet of @msg at @port. */
guint32 dn_larger_parts(const DnPacketEngine *e, const DnPort *port, const DnMessageState *msg);
/* Returns the message waiting at @port after which one takes its turn that begins with a packet of
 * @parts; 0: it goes before all. */
guint32 dn_larger_turn(const DnPacketEngine *e, const DnPort *port, guint32 parts);
/* TRUE: a larger packet is on the link of @port, or first in one of its queues. */
gboolean dn_larger_is_ahead(const DnPartition *partition, DnPort *port);
/* Packet @id has joined (@n is 1) or left (-1) a queue of @port. */
void dn_larger_queued(const DnPacketEngine *e, const DnPort *port, guint32 id, gint32 n);
/* Bytes of DnLoadView.port_bytes(). */
gint64 dn_larger_port_bytes(const DnPartition *partition, const DnPort *port);
/* Cuts @shape to that many @parts. */
void dn_larger_limit(const DnPacketEngine *e, guint32 parts, DnPacketShape *shape);
/* Sets what a packet stands for (DnPacketNet), and the state of links if that is several. */
void dn_larger_packets_set(DnPacketEngine *engine);
void dn_larger_packets_init(DnPacketEngine *engine);
