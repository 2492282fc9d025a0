/* message_ordering.c - see message_ordering.h. */
#include "runtime/message_ordering.h"

#define BY_CHANNEL (1u << 31)
#define CHANNEL_SHIFT 20

guint32 dn_order_channels(guint32 ranks, guint32 channels)
{
    guint32 most = MIN(DN_ORDER_MOST_CHANNELS, G_MAXINT32 / MAX(1, ranks) - 1);
    return MIN(channels, most);
}

static guint32 pairs_of(const DnOrder *order)
{
    return order->ranks * (1 + order->channels);
}

static void slots_free(const DnOrder *order, DnPairCount *slots)
{
    if (slots != order->few)
        g_free(slots);
}

static DnPairCount *slot_of(const DnOrder *order, guint32 key)
{
    guint32 mask = (1u << order->bits) - 1;
    guint32 i = key * 0x9e3779b1u >> (32 - order->bits); /* Knuth, TAOCP 3, 6.4 */
    while (order->slots[i].key != 0 && order->slots[i].key != key)
        i = (i + 1) & mask;
    return &order->slots[i];
}

static guint32 dense_count(const DnOrder *order, gsize i)
{
    if (order->width == 1)
        return ((const guint8 *)order->dense)[i];
    return order->width == 2 ? ((const guint16 *)order->dense)[i]
                             : ((const guint32 *)order->dense)[i];
}

static void dense_set(const DnOrder *order, gsize i, guint32 count)
{
    if (order->width == 1)
        ((guint8 *)order->dense)[i] = (guint8)count;
    else if (order->width == 2)
        ((guint16 *)order->dense)[i] = (guint16)count;
    else
        ((guint32 *)order->dense)[i] = count;
}

/* Doubles the bytes of all counters, because one of them would overflow. */
static void dense_widen(DnOrder *order)
{
    gsize n = 2 * (gsize)pairs_of(order);
    DnOrder wider = *order;
    wider.width = (guint8)(2 * order->width);
    wider.dense = g_malloc0_n(n, wider.width);
    for (gsize i = 0; i < n; i++)
        dense_set(&wider, i, dense_count(order, i));
    g_free(order->dense);
    *order = wider;
}

static void dense_add_one(DnOrder *order, gsize i)
{
    guint32 count = dense_count(order, i) + 1;
    if (order->width < 4 && count >> 8 * order->width != 0)
        dense_widen(order);
    dense_set(order, i, count);
}

static void make_dense(DnOrder *order)
{
    order->width = 1;
    for (guint32 i = 0; i < 1u << order->bits; i++)
        while (order->width < 4 &&
               (order->slots[i].count[0] | order->slots[i].count[1]) >> 8 * order->width != 0)
            order->width = (guint8)(2 * order->width);
    order->dense = g_malloc0_n(2 * (gsize)pairs_of(order), order->width);
    for (guint32 i = 0; i < 1u << order->bits; i++) {
        const DnPairCount *slot = &order->slots[i];
        if (slot->key == 0)
            continue;
        dense_set(order, 2 * (gsize)(slot->key - 1), slot->count[0]);
        dense_set(order, 2 * (gsize)(slot->key - 1) + 1, slot->count[1]);
    }
    slots_free(order, g_steal_pointer(&order->slots));
}

static void ordering_grow(DnOrder *order)
{
    DnPairCount *old = order->slots;
    guint32 n = old ? 1u << order->bits : 0;
    order->bits = (guint8)(old ? order->bits + 1 : DN_ORDER_FEW_BITS);
    order->slots = old == NULL ? order->few : g_new0(DnPairCount, (gsize)1 << order->bits);
    for (guint32 i = 0; i < n; i++)
        if (old[i].key != 0)
            *slot_of(order, old[i].key) = old[i];
    slots_free(order, old);
}

/* Returns the two counters of @pair, sent and arrived; NULL: they are in the dense array. */
static guint32 *ordering_counters(DnOrder *order, guint32 pair)
{
    g_assert(pair < pairs_of(order));
    if (!order->dense && order->slots && order->used >= 8 && order->used > pairs_of(order) / 8)
        make_dense(order);
    if (order->dense)
        return NULL;
    if (!order->slots || order->used >= 3u << order->bits >> 2)
        ordering_grow(order);
    DnPairCount *slot = slot_of(order, pair + 1);
    if (slot->key == 0) {
        slot->key = pair + 1;
        order->used++;
    }
    return slot->count;
}

static guint32 count_sent(DnOrder *order, guint32 pair)
{
    guint32 *counters = ordering_counters(order, pair);
    if (counters != NULL)
        return counters[0]++;
    guint32 number = dense_count(order, 2 * (gsize)pair);
    dense_add_one(order, 2 * (gsize)pair);
    return number;
}

static guint32 count_mask(guint32 number)
{
    return number & BY_CHANNEL ? (1u << CHANNEL_SHIFT) - 1 : BY_CHANNEL - 1;
}

static guint32 pair_on(const DnOrder *order, guint32 peer, guint32 channel)
{
    return order->ranks * (1 + channel) + peer;
}

guint32 dn_order_send(DnOrder *order, guint32 peer)
{
    return count_sent(order, peer) & count_mask(0);
}

guint32 dn_order_send_on(DnOrder *order, guint32 peer, guint32 channel)
{
    guint32 count = count_sent(order, pair_on(order, peer, channel));
    return BY_CHANNEL | channel << CHANNEL_SHIFT | (count & count_mask(BY_CHANNEL));
}

guint32 dn_order_next(guint32 number)
{
    guint32 mask = count_mask(number);
    return (number & ~mask) | ((number + 1) & mask);
}

gboolean dn_order_arrive(DnOrder *order, guint32 peer, guint32 number)
{
    guint32 channel = (number & ~BY_CHANNEL) >> CHANNEL_SHIFT;
    guint32 pair = number & BY_CHANNEL ? pair_on(order, peer, channel) : peer;
    guint32 *counters = ordering_counters(order, pair);
    guint32 arrived = counters != NULL ? counters[1] : dense_count(order, 2 * (gsize)pair + 1);
    if (((arrived ^ number) & count_mask(number)) != 0)
        return FALSE;
    if (counters != NULL)
        counters[1]++;
    else
        dense_add_one(order, 2 * (gsize)pair + 1);
    return TRUE;
}

void dn_order_clear(DnOrder *order)
{
    slots_free(order, order->slots);
    g_free(order->dense);
    *order = (DnOrder){0};
}
