/* arbiter.c - which queue of an output port goes next.
 *
 * Between lanes: turns (round robin), bytes in proportion to weights (deficit round robin:
 * Shreedhar & Varghese, IEEE/ACM Trans. Networking 4(3), 1996), or strictly the highest.
 * Within a lane, the packet that was queued at the port first, over its virtual channels.
 * Crossbar: with a finite speed-up an input port feeds one output at a time, `speedup` times as
 * fast as its link; an output passes over packets whose input is busy, LOOK_AHEAD of a queue. */
#include "engine/packet/core.h"

#define LOOK_AHEAD 16

typedef struct {
    guint queue;      /* G_MAXUINT: none */
    guint32 prev, id; /* the packet and the one before it in its queue (0: it is the head) */
    gint64 retry_ps;
} Choice;

/* The first packet of queue choice->queue that can go: credit, and a free way through the crossbar. */
static gboolean first_ready(const DnPart *part, DnPort *port, Choice *choice)
{
    const DnPacketEngine *e = part->engine;
    const DnQueue *queue = &dn_port_queues(e, port)[choice->queue];
    gint32 credit = port->credit_bytes[choice->queue];
    if (credit < queue->head_bytes)
        return FALSE;
    choice->prev = 0;
    choice->id = queue->head;
    if (e->hardware->speedup == 0)
        return TRUE;
    for (guint depth = 0; depth < LOOK_AHEAD && choice->id != 0; depth++) {
        const DnPacket *packet = dn_packet(e, choice->id);
        if (credit < (gint32)packet->wire_bytes)
            return FALSE;
        gint64 free_ps = packet->in_port == DN_NONE ? 0 : e->cold[packet->in_port].crossbar_free_ps;
        if (free_ps <= part->now_ps)
            return TRUE;
        choice->retry_ps = MIN(choice->retry_ps, free_ps);
        choice->prev = choice->id;
        choice->id = packet->next;
    }
    return FALSE;
}

/* The oldest packet of @lane that can go. */
static gboolean oldest_of_lane(const DnPart *part, DnPort *port, guint lane, Choice *best)
{
    const DnPacketEngine *e = part->engine;
    guint32 bits = port->mask >> (lane * e->channels);
    if (e->channels < 32)
        bits &= (1u << e->channels) - 1;
    Choice c = {.retry_ps = best->retry_ps};
    gboolean found = FALSE;
    guint32 found_order = 0;
    for (; bits != 0; bits &= bits - 1) {
        c.queue = lane * e->channels + (guint)__builtin_ctz(bits);
        if (!first_ready(part, port, &c))
            continue;
        guint32 order = dn_packet(e, c.id)->order;
        if (found && (gint32)(order - found_order) >= 0)
            continue;
        found = TRUE;
        found_order = order;
        *best = c;
    }
    best->retry_ps = MIN(best->retry_ps, c.retry_ps);
    return found;
}

static gboolean in_turns(DnPart *part, DnPort *port, Choice *choice)
{
    const guint lanes = part->engine->lanes;
    for (guint k = 0, lane = port->next_lane; k < lanes; k++) {
        guint next = lane + 1 == lanes ? 0 : lane + 1;
        if (oldest_of_lane(part, port, lane, choice)) {
            port->next_lane = (guint8)next;
            return TRUE;
        }
        lane = next;
    }
    return FALSE;
}

static gboolean strictly(DnPart *part, DnPort *port, Choice *choice)
{
    for (guint lane = part->engine->lanes; lane-- > 0;)
        if (oldest_of_lane(part, port, lane, choice))
            return TRUE;
    return FALSE;
}

/* A lane whose turn comes gets a quantum of a largest packet times its weight, and goes on while
 * that lasts. A lane without packets keeps nothing. */
static gboolean by_weight(DnPart *part, DnPort *port, guint32 index, Choice *choice)
{
    const DnPacketEngine *e = part->engine;
    gint32 *deficit = &e->deficits[(gsize)index * e->lanes];
    guint lane = port->next_lane;
    for (guint k = 0; k <= e->lanes; k++, lane = lane + 1 == e->lanes ? 0 : lane + 1) {
        if (!oldest_of_lane(part, port, lane, choice)) {
            deficit[lane] = 0;
            continue;
        }
        gint32 bytes = (gint32)dn_packet(e, choice->id)->wire_bytes;
        if (deficit[lane] < bytes) {
            if (k == 0)
                continue; /* its turn is over */
            guint32 weight = e->hardware->lane_weights[lane % e->request_lanes];
            deficit[lane] += (gint32)(weight * (e->packet_bytes + e->header_bytes));
        }
        deficit[lane] -= bytes;
        port->next_lane = (guint8)lane;
        return TRUE;
    }
    return FALSE;
}

guint dn_arbitrate(DnPart *part, DnPort *port, guint32 index, guint32 *prev, gint64 *retry_ps)
{
    const DnPacketEngine *e = part->engine;
    Choice choice = {.queue = G_MAXUINT, .retry_ps = G_MAXINT64};
    gboolean found;
    if (e->lanes == 1)
        found = oldest_of_lane(part, port, 0, &choice);
    else if (e->hardware->arbitration == DN_ARBITRATION_WEIGHTED)
        found = by_weight(part, port, index, &choice);
    else if (e->hardware->arbitration == DN_ARBITRATION_STRICT)
        found = strictly(part, port, &choice);
    else
        found = in_turns(part, port, &choice);
    *prev = choice.prev;
    *retry_ps = choice.retry_ps;
    return found ? choice.queue : G_MAXUINT;
}
