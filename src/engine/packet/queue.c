/* queue.c - Removal of the oldest packet of a queue. */
#include "engine/packet/queue.h"

/* Joins the heaps of @list in pairs; returns the list of these, longest waiting first. @after, a
 * constant: packets know the one after the next. */
static inline __attribute__((always_inline)) guint32 join_pairs(const DnPacketEngine *e,
                                                                guint32 list, gboolean after)
{
    guint32 pairs = 0;
    while (list != 0) {
        guint32 newer = list, older = dn_packet(e, newer)->next;
        guint32 root = newer;
        list = 0;
        if (older != 0) {
            list = after ? dn_packet(e, newer)->after : dn_packet(e, older)->next;
            __builtin_prefetch(dn_packet(e, list));
            root = dn_queue_join(e, older, newer);
        }
        dn_packet(e, root)->next = pairs;
        pairs = root;
    }
    return pairs;
}

guint32 dn_queue_join_all(const DnPacketEngine *e, guint32 list)
{
    guint32 pairs = dn_heap_knows_after(e) ? join_pairs(e, list, TRUE) : join_pairs(e, list, FALSE);
    guint32 all = pairs;
    pairs = dn_packet(e, all)->next;
    while (pairs != 0) {
        guint32 after = dn_packet(e, pairs)->next;
        all = dn_queue_join(e, all, pairs);
        pairs = after;
    }
    dn_packet(e, all)->next = 0;
    return all;
}
