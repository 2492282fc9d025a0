/* message_ordering.c - see message_ordering.h. */
#include "runtime/message_ordering.h"

static DnPairCount *slot_of(const DnOrder *order, guint32 key)
{
    guint32 mask = (1u << order->bits) - 1;
    guint32 i = key * 0x9e3779b1u >> (32 - order->bits); /* Knuth, TAOCP 3, 6.4 */
    while (order->slots[i].key != 0 && order->slots[i].key != key)
        i = (i + 1) & mask;
    return &order->slots[i];
}

static void make_dense(DnOrder *order)
{
    order->dense = g_new0(guint32, 2 * (gsize)order->ranks);
    for (guint32 i = 0; i < 1u << order->bits; i++) {
        const DnPairCount *slot = &order->slots[i];
        if (slot->key == 0)
            continue;
        order->dense[2 * (gsize)(slot->key - 1)] = slot->count[0];
        order->dense[2 * (gsize)(slot->key - 1) + 1] = slot->count[1];
    }
    g_free(g_steal_pointer(&order->slots));
}

static void ordering_grow(DnOrder *order)
{
    DnPairCount *old = order->slots;
    guint32 n = old ? 1u << order->bits : 0;
    order->bits = old ? order->bits + 1 : 2;
    order->slots = g_new0(DnPairCount, (gsize)1 << order->bits);
    for (guint32 i = 0; i < n; i++)
        if (old[i].key != 0)
            *slot_of(order, old[i].key) = old[i];
    g_free(old);
}

/* The two counters of @peer: sent, arrived. */
static guint32 *ordering_counters(DnOrder *order, guint32 peer)
{
    g_assert(peer < order->ranks);
    if (!order->dense && order->slots && order->used >= 8 && order->used > order->ranks / 8)
        make_dense(order);
    if (order->dense)
        return &order->dense[2 * (gsize)peer];
    if (!order->slots || order->used >= 3u << order->bits >> 2)
        ordering_grow(order);
    DnPairCount *slot = slot_of(order, peer + 1);
    if (slot->key == 0) {
        slot->key = peer + 1;
        order->used++;
    }
    return slot->count;
}

guint32 dn_order_send(DnOrder *order, guint32 peer)
{
    return ordering_counters(order, peer)[0]++;
}

gboolean dn_order_arrive(DnOrder *order, guint32 peer, guint32 number)
{
    guint32 *arrived = &ordering_counters(order, peer)[1];
    if (*arrived != number)
        return FALSE;
    ++*arrived;
    return TRUE;
}

void dn_order_clear(DnOrder *order)
{
    g_free(order->slots);
    g_free(order->dense);
    *order = (DnOrder){0};
}
