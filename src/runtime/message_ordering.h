/* message_ordering.h - Numbers the messages between two ranks, so that they match receives in the
 * order of sending.
 *
 * MPI 4.0, section 3.5: two messages between the same processes that match the same receive are
 * received in the order sent, although adaptive routing may let the later one arrive first. Each
 * message carries its number in its pair of ranks; the receiver defers one that arrives too early.
 * NCCL's channels are connections of their own: a message on one has its number there, among those
 * between the same two ranks.
 * Memory: a hash table of the peers with which a rank has exchanged messages; once these are an
 * eighth of all ranks, an array with 2 B for each peer, or more after a counter has passed 255. A
 * pair's counters are never freed: neither end knows when nothing is in flight. */
#pragma once
#include <glib.h>

typedef struct {
    guint32 key;      /* peer + 1; 0: free */
    guint32 count[2]; /* sent, arrived */
} DnPairCount;

#define DN_ORDER_FEW_BITS 2

/* The counters of a rank. It must not be moved in memory after the first message. */
typedef struct {
    guint32 ranks, channels, used; /* pairs: ranks * (1 + channels), those without channel first */
    guint8 bits;
    guint8 width;                            /* bytes of a counter in dense: 1, 2 or 4 */
    DnPairCount *slots;                      /* [1 << bits] */
    void *dense;                             /* [2 * pairs] counters, pair by pair; then no slots */
    DnPairCount few[1 << DN_ORDER_FEW_BITS]; /* `slots`, while they are so few */
} DnOrder;

/* Bits of a number: without channel a count, modulo 2^31; else 1, channel (11), count (20). */
#define DN_ORDER_MOST_CHANNELS 2047 /* numbers of one more would be wild tags (program.h) */

/* Returns on how many of @channels messages between @ranks ranks can have numbers of their own. */
guint32 dn_order_channels(guint32 ranks, guint32 channels);
/* Returns the number of the next message to @peer, and counts it. */
guint32 dn_order_send(DnOrder *order, guint32 peer);
/* The same on @channel, below DnOrder.channels. */
guint32 dn_order_send_on(DnOrder *order, guint32 peer, guint32 channel);
/* Returns the number that follows @number in its pair. */
guint32 dn_order_next(guint32 number);
/* Returns TRUE, and counts it, when message @number from @peer is the next one; FALSE: too
 * early. */
gboolean dn_order_arrive(DnOrder *order, guint32 peer, guint32 number);
void dn_order_clear(DnOrder *order);
