/* arbiter.c - The arbiter chooses the queue of an output port that sends next.
 *
 * Between lanes: round robin, bytes in proportion to weights (deficit round robin, Shreedhar &
 * Varghese, IEEE/ACM Trans. Networking 4(3), 1996), or strictly the highest. Within a lane the
 * oldest packet of all its virtual channels, by the time when it left its source, or later its NIC.
 * Age is fair to sources near and far (Dally & Towles, "Principles and Practices of
 * Interconnection Networks", 2004, section 25.3): a packet that waited at every switch of its path
 * does not lose to one just injected, whose buffer may be of any depth. Packets injected at a
 * vertex that forwards others are arbitrated against those in inject.c.
 * Crossbar: with a finite speed-up an input port feeds one output at a time, `speedup` times as
 * fast as its link; an output passes over packets whose input is busy, LOOK_AHEAD of a queue. */
#include "engine/packet/hooks.h"
#include "engine/packet/queue.h"

#define LOOK_AHEAD 16

/* Moves the head of queue @q to the list *@aside. */
static void set_aside(const DnPacketEngine *e, DnPort *port, guint q, guint32 *aside)
{
    guint32 id = dn_port_queues(e, port)[q].head;
    dn_queue_drop_head(e, port, q);
    dn_packet(e, id)->next = *aside;
    *aside = id;
}

static void put_back(const DnPacketEngine *e, DnPort *port, guint q, guint32 aside)
{
    while (aside != 0) {
        guint32 id = aside;
        aside = dn_packet(e, id)->next;
        dn_queue_add(e, port, q, id);
    }
}

void dn_queue_take(const DnPacketEngine *e, DnPort *port, guint q, guint32 id)
{
    guint32 aside = 0;
    while (dn_port_queues(e, port)[q].head != id)
        set_aside(e, port, q, &aside);
    dn_queue_drop_head(e, port, q);
    put_back(e, port, q, aside);
}

void dn_crossbar_take(DnPartition *partition, const DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    const DnPort *in =
        dn_port(e, packet->in_port); /* as fast as the link it came by, times speedup */
    double serial = (double)dn_port_serial_ps(e, in, packet->wire_bytes);
    e->net.cold[packet->in_port].crossbar_free_ps =
        partition->now_ps + (gint64)(serial / e->net.hardware->speedup + 0.5);
}

/* Finds the first of the LOOK_AHEAD oldest packets of queue @q whose crossbar input is free. */
static gboolean first_with_crossbar(const DnPartition *partition, DnPort *port, guint q,
                                    DnArbiterChoice *choice)
{
    const DnPacketEngine *e = partition->engine;
    const DnQueue *queue = &dn_port_queues(e, port)[q];
    guint32 aside = 0;
    gboolean ready = FALSE;
    for (guint depth = 0; depth < LOOK_AHEAD && dn_queue_holds(e, port, q); depth++) {
        choice->id = queue->head;
        choice->birth_ps = queue->birth_ps;
        if (!dn_has_credits(e, port, q, (guint32)queue->head_bytes))
            break;
        guint32 in_port = dn_packet(e, choice->id)->in_port;
        gint64 free_ps = in_port == DN_NONE ? 0 : e->net.cold[in_port].crossbar_free_ps;
        ready = free_ps <= partition->now_ps;
        if (ready)
            break;
        choice->retry_ps = MIN(choice->retry_ps, free_ps);
        set_aside(e, port, q, &aside);
    }
    put_back(e, port, q, aside);
    return ready;
}

/* Finds the first packet of queue @q that has credits and a free crossbar input. */
static gboolean first_ready(const DnPartition *partition, DnPort *port, guint q,
                            DnArbiterChoice *choice)
{
    const DnPacketEngine *e = partition->engine;
    const DnQueue *queue = &dn_port_queues(e, port)[q];
    if (!dn_has_credits(e, port, q, (guint32)queue->head_bytes))
        return FALSE;
    choice->id = queue->head;
    choice->birth_ps = queue->birth_ps;
    return e->net.hardware->speedup == 0 || first_with_crossbar(partition, port, q, choice);
}

/* Returns the bits in the mask of @port of the queues of @lane. @shared, a constant at each call:
 * the run has aggregated packets. */
static inline guint32 lane_bits(const DnPacketEngine *e, const DnPort *port, guint lane,
                                gboolean shared)
{
    guint first = lane * e->net.channels;
    guint32 bits = port->mask >> (shared ? dn_queue_bit(e, first) : first);
    return e->net.channels < 32 ? bits & ((1u << e->net.channels) - 1) : bits;
}

/* @shared: as lane_bits() has it. */
static inline __attribute__((always_inline)) gboolean arbiter_oldest(const DnPartition *partition,
                                                                     DnPort *port, guint lane,
                                                                     DnArbiterChoice *best,
                                                                     gboolean shared)
{
    const DnPacketEngine *e = partition->engine;
    guint32 bits = lane_bits(e, port, lane, shared);
    DnArbiterChoice c = {.retry_ps = best->retry_ps};
    gboolean found = FALSE;
    for (; bits != 0; bits &= bits - 1) {
        c.queue = lane * e->net.channels + (guint)__builtin_ctz(bits);
        if (shared && !dn_queue_holds(e, port, c.queue))
            continue;
        if (!first_ready(partition, port, c.queue, &c))
            continue;
        if (found && c.birth_ps >= best->birth_ps)
            continue;
        found = TRUE;
        *best = c;
    }
    best->retry_ps = MIN(best->retry_ps, c.retry_ps);
    return found;
}

gboolean dn_arbiter_oldest(const DnPartition *partition, DnPort *port, guint lane,
                           DnArbiterChoice *best)
{
    return arbiter_oldest(partition, port, lane, best, TRUE);
}

static __attribute__((noinline)) gboolean oldest_single(const DnPartition *partition, DnPort *port,
                                                        guint lane, DnArbiterChoice *best)
{
    return arbiter_oldest(partition, port, lane, best, FALSE);
}

static inline gboolean oldest_of_lane(const DnPartition *partition, DnPort *port, guint lane,
                                      DnArbiterChoice *best)
{
    const DnPacketEngine *e = partition->engine;
    if (G_LIKELY(e->features.aggregates == NULL))
        return lane_bits(e, port, lane, FALSE) != 0 && oldest_single(partition, port, lane, best);
    return e->features.aggregation->oldest(partition, port, lane, best);
}

static gboolean in_turns(DnPartition *partition, DnPort *port, DnArbiterChoice *choice)
{
    const guint lanes = partition->engine->net.lanes;
    for (guint k = 0, lane = port->next_lane; k < lanes; k++) {
        guint next = lane + 1 == lanes ? 0 : lane + 1;
        if (oldest_of_lane(partition, port, lane, choice)) {
            port->next_lane = next & 31;
            return TRUE;
        }
        lane = next;
    }
    return FALSE;
}

static gboolean arbiter_strictly(DnPartition *partition, DnPort *port, DnArbiterChoice *choice)
{
    for (guint lane = partition->engine->net.lanes; lane-- > 0;)
        if (oldest_of_lane(partition, port, lane, choice))
            return TRUE;
    return FALSE;
}

/* Each lane served in round robin gets a quantum of its weight times the largest packet, and sends
 * while the quantum lasts. A lane without packets loses its deficit. */
static gboolean by_weight(DnPartition *partition, DnPort *port, guint32 index,
                          DnArbiterChoice *choice)
{
    const DnPacketEngine *e = partition->engine;
    gint32 *deficit = e->net.deficits + (gsize)index * e->net.lanes;
    guint lane = port->next_lane;
    for (guint k = 0; k <= e->net.lanes; k++, lane = lane + 1 == e->net.lanes ? 0 : lane + 1) {
        if (!oldest_of_lane(partition, port, lane, choice)) {
            deficit[lane] = 0;
            continue;
        }
        gint32 bytes = (gint32)dn_packet(e, choice->id)->wire_bytes;
        if (deficit[lane] < bytes) {
            if (k == 0)
                continue; /* its quantum is spent */
            guint32 weight = e->net.hardware->lane_weights[lane % e->net.request_lanes];
            deficit[lane] += (gint32)(weight * e->net.sizes.most_wire_bytes);
        }
        deficit[lane] -= bytes;
        port->next_lane = lane & 31;
        return TRUE;
    }
    return FALSE;
}

guint dn_arbitrate(DnPartition *partition, DnPort *port, guint32 index, guint32 *id,
                   gint64 *retry_ps)
{
    const DnPacketEngine *e = partition->engine;
    DnArbiterChoice choice = {.queue = G_MAXUINT, .retry_ps = G_MAXINT64};
    gboolean found;
    if (e->net.lanes == 1)
        found = oldest_of_lane(partition, port, 0, &choice);
    else if (e->net.hardware->arbitration == DN_ARBITRATION_WEIGHTED)
        found = by_weight(partition, port, index, &choice);
    else if (e->net.hardware->arbitration == DN_ARBITRATION_STRICT)
        found = arbiter_strictly(partition, port, &choice);
    else
        found = in_turns(partition, port, &choice);
    *id = choice.id;
    *retry_ps = choice.retry_ps;
    return found ? choice.queue : G_MAXUINT;
}
