/* queue.c - Removal of the oldest packet of a queue. */
#include "engine/packet/queue.h"

guint32 dn_queue_join_all(const DnPacketEngine *e, guint32 list)
{
    guint32 pairs = 0;
    while (list != 0) { /* in pairs, then all of them, longest waiting first */
        guint32 newer = list, older = dn_packet(e, newer)->next;
        guint32 root = newer;
        list = 0;
        if (older != 0) {
            list = dn_packet(e, older)->next;
            root = dn_queue_join(e, older, newer);
        }
        dn_packet(e, root)->next = pairs;
        pairs = root;
    }
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
