/* throttle.c - congestion control at the endpoints, per destination, as Slingshot has it.
 *
 * De Sensi, Di Girolamo, McMahon, Roweth, Hoefler, "An In-Depth Analysis of the Slingshot
 * Interconnect", SC 2020, section II-D: the network tells apart who causes endpoint congestion and
 * slows down those sources towards that destination only, fast and stably, so that an incast does
 * not spread; other traffic of the same source goes on. Its algorithm is not published. Here:
 * when a packet joins a queue for its destination at the last switch that is longer than the
 * target, the switch tells the packet's source: the queue as time B, and the number N of sources
 * with packets in it. The source paces what it sends to that destination at a rate r (a part of its
 * link's), changed at most once a round trip:
 *   told of B > target:                       r falls to its share 1 / N; if it is there already,
 *                                             to r / 2: others wait behind other queues;
 *   a response says the queue is < target / 2: r grows to 5/4 r, far below its share
 *                                             to 2 r; at the link's rate it is forgotten.
 * assumed: the constants, and that the notice takes the slowest hop's latency for every hop it goes
 * back, unhindered; the target is `hardware.throttle_target`.
 * A message has no more packets without response than fill an idle network's longest round trip.
 * LIMITATIONS: packets already under way when a queue begins to build still spread it, for about a
 * round trip. */
#include "engine/packet/core.h"

#define LOWEST_RATE (1.0 / 1024)
#define GROWTH 1.25

typedef struct {
    guint32 destination; /* endpoint */
    double rate;         /* of the link's, 0..1 */
    gint64 next_ps;      /* its next packet not before */
    gint64 changed_ps;
} Held;

/* Sources with packets queued for one terminal, and how many. */
struct DnWaiting {
    guint32 source, packets;
};

void dn_crowd_join(struct DnCrowd *crowd, guint32 source)
{
    for (guint i = 0; i < crowd->n; i++)
        if (crowd->waiting[i].source == source) {
            crowd->waiting[i].packets++;
            return;
        }
    if (crowd->n == crowd->capacity) {
        crowd->capacity = MAX(8, 2 * crowd->capacity);
        crowd->waiting = g_renew(struct DnWaiting, crowd->waiting, crowd->capacity);
    }
    crowd->waiting[crowd->n++] = (struct DnWaiting){source, 1};
}

guint dn_crowd_leave(struct DnCrowd *crowd, guint32 source)
{
    guint n = crowd->n;
    for (guint i = 0; i < n; i++)
        if (crowd->waiting[i].source == source && --crowd->waiting[i].packets == 0) {
            crowd->waiting[i] = crowd->waiting[--crowd->n];
            break;
        }
    return n;
}

struct DnCrowd *dn_crowds_new(guint32 n)
{
    return g_new0(struct DnCrowd, n + 1);
}

struct DnCrowd *dn_crowd(struct DnCrowd *crowds, guint32 terminal)
{
    return &crowds[terminal];
}

void dn_crowds_free(struct DnCrowd *crowds, guint32 n)
{
    for (guint32 i = 0; crowds != NULL && i < n; i++)
        g_free(crowds[i].waiting);
    g_free(crowds);
}

/* A short list: a source is held back from few destinations at a time. */
struct DnThrottle {
    guint n, capacity;
    Held *held;
};

static Held *find(struct DnThrottle *t, guint32 destination)
{
    for (guint i = 0; t != NULL && i < t->n; i++)
        if (t->held[i].destination == destination)
            return &t->held[i];
    return NULL;
}

static double link_ps_per_byte(const DnPacketEngine *e, const DnVertexState *v)
{
    const DnPort *port = dn_port(e, v->first_port);
    return (double)e->speeds[port->speed].ps_per_byte_fp / (1 << 20);
}

gint64 dn_throttle_release(DnPart *part, DnVertexState *v, const DnFlight *flight)
{
    const DnPacketEngine *e = part->engine;
    Held *held = find(v->throttle, flight->m.dst);
    if (held == NULL)
        return part->now_ps;
    if (held->next_ps > part->now_ps)
        return held->next_ps;
    double bytes = (double)(MIN(flight->left_bytes, (gint64)e->packet_bytes) + e->header_bytes);
    held->next_ps = part->now_ps + (gint64)(bytes * link_ps_per_byte(e, v) / held->rate + 0.5);
    return part->now_ps;
}

static Held *hold(DnVertexState *v, guint32 destination)
{
    if (v->throttle == NULL)
        v->throttle = g_new0(struct DnThrottle, 1);
    struct DnThrottle *t = v->throttle;
    if (t->n == t->capacity) {
        t->capacity = MAX(4, 2 * t->capacity);
        t->held = g_renew(Held, t->held, t->capacity);
    }
    t->held[t->n] = (Held){.destination = destination, .rate = 1, .changed_ps = G_MININT64 / 2};
    return &t->held[t->n++];
}

void dn_throttle_notify(DnPart *part, const DnPort *last_hop, const DnPacket *packet)
{
    const DnPacketEngine *e = part->engine;
    gint64 backlog = dn_port_serial_ps(e, last_hop, last_hop->queued_bytes);
    if (backlog <= e->hardware->throttle_target_ps)
        return;
    const DnFlight *flight = dn_flight(e, packet->message);
    guint32 state = e->state_of[flight->source];
    guint sources = dn_crowd(e->crowds, e->states[e->state_of[last_hop->peer]].nic)->n;
    guint8 hops = (guint8)MIN(packet->route.hops + 2, 255);
    dn_emit(part, dn_domain_of(e, state), part->now_ps + hops * e->slowest_hop_ps,
            (DnEvent){.kind = DN_EVENT_NOTICE,
                      .aux = hops,
                      .slot = e->states[state].slot,
                      .a = flight->m.dst,
                      .b = dn_crowding(sources, backlog)});
}

void dn_throttle_told(DnPart *part, DnVertexState *v, guint32 destination, guint32 crowding,
                      guint hops)
{
    const DnPacketEngine *e = part->engine;
    Held *held = find(v->throttle, destination);
    if (held == NULL)
        held = hold(v, destination);
    if (part->now_ps < held->changed_ps + 2 * hops * e->slowest_hop_ps)
        return; /* what left since the last change cannot have been seen yet */
    double share = 1.0 / dn_crowding_sources(crowding);
    held->changed_ps = part->now_ps;
    held->rate = MAX(held->rate > share ? share : held->rate / 2, LOWEST_RATE);
}

void dn_throttle_answer(DnPart *part, DnVertexState *v, guint32 destination, gint64 sent_ps,
                        guint32 crowding)
{
    Held *held = find(v->throttle, destination);
    if (held == NULL || sent_ps < held->changed_ps)
        return; /* it left at the rate before */
    if (2 * dn_crowding_backlog_ps(crowding) >= part->engine->hardware->throttle_target_ps)
        return;
    held->changed_ps = part->now_ps;
    held->rate *= held->rate < 0.25 / dn_crowding_sources(crowding) ? 2 : GROWTH;
    if (held->rate >= 1)
        *held = v->throttle->held[--v->throttle->n];
}

void dn_throttle_free(struct DnThrottle *t)
{
    if (t != NULL)
        g_free(t->held);
    g_free(t);
}
