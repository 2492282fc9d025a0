/* queue.c - Removal of the oldest packet of a queue; the number of packets in all of a port. */
#include "engine/packet/queue.h"

/* Returns the packet after the next of @newer, which precedes @older. @after: a constant. */
static inline guint32 packet_after(const DnPacketEngine *e, guint32 newer, guint32 older,
                                   DnHeapAfter after)
{
    if (after == DN_AFTER_NOWHERE)
        return dn_packet(e, older)->next;
    const DnPacket *packet = dn_packet(e, newer);
    return after == DN_AFTER_APART ? packet->after : packet->after_in_tail;
}

/* Joins the heaps of @list in pairs; returns the list of these, longest waiting first. */
static inline __attribute__((always_inline)) guint32 join_pairs(const DnPacketEngine *e,
                                                                guint32 list, DnHeapAfter after)
{
    guint32 pairs = 0;
    while (list != 0) {
        guint32 newer = list, older = dn_packet(e, newer)->next;
        guint32 root = newer;
        list = 0;
        if (older != 0) {
            list = packet_after(e, newer, older, after);
            __builtin_prefetch(dn_packet(e, list));
            root = dn_queue_join(e, older, newer, after);
        }
        dn_packet(e, root)->next = pairs;
        pairs = root;
    }
    return pairs;
}

static inline __attribute__((always_inline)) guint32 join_all(const DnPacketEngine *e, guint32 list,
                                                              DnHeapAfter after)
{
    guint32 pairs = join_pairs(e, list, after);
    guint32 all = pairs;
    pairs = dn_packet(e, all)->next;
    while (pairs != 0) {
        guint32 later = dn_packet(e, pairs)->next;
        all = dn_queue_join(e, all, pairs, after);
        pairs = later;
    }
    dn_packet(e, all)->next = 0;
    return all;
}

guint32 dn_queue_join_all(const DnPacketEngine *e, guint32 list)
{
    if (e->features.heap_after == DN_AFTER_APART)
        return join_all(e, list, DN_AFTER_APART);
    if (e->features.heap_after == DN_AFTER_IN_TAIL)
        return join_all(e, list, DN_AFTER_IN_TAIL);
    return join_all(e, list, DN_AFTER_NOWHERE);
}

guint32 dn_queue_count(const DnPacketEngine *e, DnPort *port)
{
    guint32 n = 0;
    g_autoptr(GArray) lists = g_array_new(FALSE, FALSE, sizeof(guint32));
    for (guint q = 0; q < e->net.queues; q++)
        if (dn_queue_holds(e, port, q)) {
            n++;
            g_array_append_val(lists, dn_port_queues(e, port)[q].child);
        }
    while (lists->len > 0) {
        guint32 id = g_array_index(lists, guint32, lists->len - 1);
        g_array_set_size(lists, lists->len - 1);
        for (; id != 0; id = dn_packet(e, id)->next, n++)
            if (dn_packet(e, id)->child != 0)
                g_array_append_val(lists, dn_packet(e, id)->child);
    }
    return n;
}

gboolean dn_queue_is_ordered(const DnPacketEngine *e, const DnQueue *queue)
{
    for (guint32 id = queue->child; id != 0; id = dn_packet(e, id)->next)
        if (dn_packet(e, id)->birth_ps < queue->birth_ps)
            return FALSE;
    return TRUE;
}
