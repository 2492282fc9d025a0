/* message_ordering.h - numbers the messages between two ranks, so that they match in the order of
 * sending.
 *
 * MPI 4.0, section 3.5: messages between two processes that a receive could take are taken in the
 * order sent, whatever the network does (adaptive routing lets a later one arrive first). Each send
 * carries its number among those of its pair; a receiver defers messages that arrive too early.
 * Memory: a hash table of the peers a rank has exchanged messages with; once these are an eighth of
 * all ranks, a plain array, 2 B a peer until a counter of some pair passes 255. A pair's counters
 * stay: neither end knows when nothing is in flight. */
#pragma once
#include <glib.h>

typedef struct {
    guint32 key;      /* peer + 1; 0: free */
    guint32 count[2]; /* sent, arrived */
} DnPairCount;

#define DN_ORDER_FEW_BITS 2

/* Stays where it is once it counts. */
typedef struct {
    guint32 ranks, used;
    guint8 bits;
    guint8 width;                            /* bytes of a counter in dense: 1, 2 or 4 */
    DnPairCount *slots;                      /* [1 << bits] */
    void *dense;                             /* [2 * ranks] counters, peer by peer; then no slots */
    DnPairCount few[1 << DN_ORDER_FEW_BITS]; /* `slots`, while they are so few */
} DnOrder;

/* Number of the next message to @peer. */
guint32 dn_order_send(DnOrder *order, guint32 peer);
/* TRUE, and counted, when message @number from @peer is the next. */
gboolean dn_order_arrive(DnOrder *order, guint32 peer, guint32 number);
void dn_order_clear(DnOrder *order);
