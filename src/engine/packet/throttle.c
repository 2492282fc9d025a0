/* throttle.c - Congestion control of endpoint congestion, per destination, as Slingshot has it.
 *
 * De Sensi, Di Girolamo, McMahon, Roweth, Hoefler, "An In-Depth Analysis of the Slingshot
 * Interconnect", SC 2020, section II-D: the network tracks what is in flight between every two
 * endpoints, identifies the causes of endpoint congestion and slows down those sources towards that
 * destination only, fast and stably, so that an incast does not spread; other traffic of the same
 * source goes on. Its algorithm is not published. Here:
 * The last switch knows the N sources with a message in progress to its terminal, and how long the
 * queue B for it is. When a packet joins a queue longer than the target T, the switch notifies the
 * packet's source; every response carries N and B as well. A notified source throttles its flow to
 * that destination: it has no more packets without response there than its share
 *     W = (R + T) / N        R: the longest idle round trip of endpoints as far apart; in packets
 * rounded up, so that all of them together fill the link and a queue of about T, whatever messages
 * the packets belong to: those that may not send wait in turn. Where a share is one packet or less
 * it leaves its packets N packet times apart, 5 % closer while B < T and 5 % further while B > T.
 * When B < T / 2, others take less than their share: W grows by a packet with each response, until
 * B > T. When B < T / 2, the flow of the only source left is no longer throttled.
 * A message of a flow that is not throttled begins with R packets and may have one more for each
 * response with B < T / 2 (its path may be a longer, non-minimal one), up to twelve of the slowest
 * hops, a non-minimal path and back.
 * assumed: the constants; that the notification takes the slowest hop's latency for every hop back,
 * without queues. T is `hardware.throttle_target`.
 * LIMITATIONS: DN_THROTTLE_LIMITS (congestion_control.h). */
#include "base/sparse_array.h"
#include "base/units.h"
#include "engine/packet/packet_aggregation.h"
#include "engine/packet/congestion_control.h"
#include "engine/packet/longest_path.h"
#include "engine/packet/queue.h"

/* Changes of the pause of N packet times between packets, in percent. */
#define CLOSER 95
#define FURTHER 105

/* The senders to one terminal, as seen by its last switch. */
struct DnCongestionState {
    guint n, capacity;
    struct DnWaiting *waiting;
};

/* The counts of one source at a last switch: messages begun and not ended, and packets in the
 * queue. A message may end there before it has begun, when packets overtake each other. */
struct DnWaiting {
    guint32 source, packets;
    gint32 open;
};

/* Sources (12 bits) and backlog (20 bits of 64 ns) in one word. */
static guint32 feedback_of(guint sources, gint64 backlog_ps)
{
    return (guint32)MIN(sources, 4095) << 20 | (guint32)MIN(backlog_ps / 64000, (1 << 20) - 1);
}

static gint64 backlog_ps(guint32 feedback)
{
    return (gint64)(feedback & ((1 << 20) - 1)) * 64000;
}

static guint throttle_sources(guint32 feedback)
{
    return MAX(1, feedback >> 20);
}

/* ---- at the last switch ---- */

static struct DnCongestionState *congestion_state_of(const DnPacketEngine *e, guint32 last_hop)
{
    return &e->features.congestion_states[last_hop];
}

static struct DnWaiting *waiting_of(struct DnCongestionState *congestion, guint32 source)
{
    for (guint i = 0; i < congestion->n; i++)
        if (congestion->waiting[i].source == source)
            return &congestion->waiting[i];
    if (congestion->n == congestion->capacity) {
        congestion->capacity = MAX(8, 2 * congestion->capacity);
        congestion->waiting = g_renew(struct DnWaiting, congestion->waiting, congestion->capacity);
    }
    congestion->waiting[congestion->n] = (struct DnWaiting){.source = source};
    return &congestion->waiting[congestion->n++];
}

static gint64 backlog_of(const DnPacketEngine *e, const DnPort *port)
{
    return dn_port_serial_ps(e, port, (guint32)MIN(dn_port_queued(e, port), G_MAXUINT32));
}

static void throttle_join(DnPartition *partition, const DnVertexState *v, guint32 port,
                          const DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    const DnPort *last_hop = dn_port(e, port);
    struct DnCongestionState *congestion = congestion_state_of(e, port);
    struct DnWaiting *w = waiting_of(congestion, dn_message_state(e, packet->message)->source);
    w->packets++;
    w->open += packet->first;
    gint64 backlog = backlog_of(e, last_hop);
    if (backlog > e->net.hardware->throttle_target_ps)
        dn_control_notify(partition, packet, partition->now_ps,
                          feedback_of(congestion->n, backlog));
}

static void throttle_leave(DnPartition *partition, DnVertexState *v, guint32 port, DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    const DnPort *last_hop = dn_port(e, port);
    struct DnCongestionState *congestion = congestion_state_of(e, port);
    guint n = congestion->n;
    struct DnWaiting *w = waiting_of(congestion, dn_message_state(e, packet->message)->source);
    w->packets--;
    w->open -= packet->last;
    if (w->packets == 0 && w->open == 0)
        *w = congestion->waiting[--congestion->n];
    packet->feedback = feedback_of(n, backlog_of(e, last_hop));
}

/* ---- at the source ---- */

static gint64 pace_ps(const DnPacketEngine *e, const DnThrottledFlow *flow)
{
    gboolean crowded = backlog_ps(flow->level) > e->net.hardware->throttle_target_ps;
    return throttle_sources(flow->level) * e->features.packet_ps / 100 *
           (crowded ? FURTHER : CLOSER);
}

/* Returns the window of @flow; G_MAXUINT32 when @flow is NULL: not throttled. */
static guint32 throttle_window(const DnPacketEngine *e, const DnThrottledFlow *flow,
                               guint32 aggregation)
{
    if (flow == NULL)
        return G_MAXUINT32;
    guint32 n = throttle_sources(flow->level);
    return MAX(1,
               ((e->features.shared_window[flow->apart] + n - 1) / n + flow->extra) / aggregation);
}

/* Returns how many packets more of @flow may be in flight. */
static guint32 flow_space(const DnPacketEngine *e, const DnThrottledFlow *flow)
{
    guint32 window = throttle_window(e, flow, 1);
    return window > flow->in_flight ? window - flow->in_flight : 0;
}

static guint32 throttle_at_once(const DnPacketEngine *e, const DnVertexState *v,
                                const DnMessageState *msg)
{
    const DnThrottledFlow *flow = dn_throttled_flow_find(v, msg->m.dst);
    guint32 limit = MIN(throttle_window(e, flow, 1), MAX(1, msg->window));
    guint32 left = limit > msg->unanswered ? limit - msg->unanswered : 1;
    if (flow != NULL)
        left = MIN(left, flow_space(e, flow));
    return MAX(1, MIN(left, limit / 8));
}

static gint64 throttle_release(DnPartition *partition, DnVertexState *v, const DnMessageState *msg)
{
    const DnPacketEngine *e = partition->engine;
    guint32 aggregation = dn_aggregation_of(e, msg), own = MAX(1, msg->window / aggregation);
    const DnThrottledFlow *flow = dn_throttled_flow_find(v, msg->m.dst);
    guint32 window = throttle_window(e, flow, aggregation);
    if (msg->unanswered >= MIN(window, own))
        return G_MAXINT64;
    if (flow != NULL && flow->in_flight > 0 && flow_space(e, flow) < aggregation)
        return DN_RELEASE_BY_FLOW;
    return flow != NULL && window == 1 ? flow->sent_ps + aggregation * pace_ps(e, flow)
                                       : partition->now_ps;
}

static void throttle_sent(DnPartition *partition, DnVertexState *v, DnMessageState *msg,
                          gint64 payload, guint32 count)
{
    (void)payload;
    DnThrottledFlow *flow = dn_throttled_flow_find(v, msg->m.dst);
    if (flow == NULL)
        return;
    flow->sent_ps = partition->now_ps;
    count = MIN(count, (guint32)G_MAXUINT16 - msg->counted);
    msg->counted = (guint16)(msg->counted + count);
    flow->in_flight += count * dn_aggregation_of(partition->engine, msg);
}

/* Takes @count packets of @msg, which were responded to, from what its flow has in flight; those
 * that left before the flow was throttled are taken to be responded to first. */
static void count_answer(DnThrottledFlow *flow, DnMessageState *msg, guint32 count,
                         guint32 aggregation)
{
    guint32 before = msg->unanswered - MIN(msg->unanswered, msg->counted);
    count = MIN(count - MIN(count, before), msg->counted);
    msg->counted = (guint16)(msg->counted - count);
    if (flow != NULL)
        flow->in_flight -= MIN(flow->in_flight, count * aggregation);
}

/* Lets messages go on that wait for @flow, as many as may send a packet each. */
static void wake_waiting(DnPartition *partition, DnVertexState *v, DnThrottledFlow *flow)
{
    const DnPacketEngine *e = partition->engine;
    guint32 space = flow->first_waiting != 0 ? flow_space(e, flow) : 0;
    for (; space > 0 && flow->first_waiting != 0; space--) {
        guint32 id = flow->first_waiting;
        flow->first_waiting = dn_message_state(e, id)->next;
        dn_source_continue(partition, v, id);
    }
}

/* Ends the throttling of @flow. */
static void throttle_end(DnPartition *partition, DnVertexState *v, DnThrottledFlow *flow)
{
    guint32 id = flow->first_waiting;
    dn_throttled_flow_drop(v, flow);
    while (id != 0) {
        guint32 next = dn_message_state(partition->engine, id)->next;
        dn_source_continue(partition, v, id);
        id = next;
    }
}

static void throttle_notified(DnPartition *partition, DnVertexState *v, guint32 destination,
                              guint32 feedback)
{
    DnThrottledFlow *flow = dn_throttled_flow_find(v, destination);
    if (flow == NULL) {
        const DnGraph *g = partition->engine->graph;
        flow = dn_throttled_flow_add(v, destination);
        flow->apart = dn_apart(g, g->endpoint_of[v->vertex], destination);
    }
    flow->level = feedback;
    flow->extra = 0;
}

static void throttle_answer(DnPartition *partition, DnVertexState *v, DnMessageState *msg,
                            guint32 feedback, guint32 count)
{
    const DnPacketEngine *e = partition->engine;
    gboolean quiet = 2 * backlog_ps(feedback) < e->net.hardware->throttle_target_ps;
    if (quiet && msg->window < e->features.message_window)
        msg->window = (guint16)MIN(msg->window + count, G_MAXUINT16);
    DnThrottledFlow *flow = dn_throttled_flow_find(v, msg->m.dst);
    guint32 aggregation = dn_aggregation_of(e, msg);
    count_answer(flow, msg, count / aggregation, aggregation);
    if (flow == NULL)
        return;
    flow->level = feedback;
    if (backlog_ps(feedback) > e->net.hardware->throttle_target_ps)
        flow->extra = 0;
    else if (quiet)
        flow->extra += count;
    if (quiet && throttle_sources(feedback) == 1)
        throttle_end(partition, v, flow);
    else
        wake_waiting(partition, v, flow);
}

/* ---- windows ---- */

/* Packets that fill a link for @time_ps, with those being sent and received. */
static guint32 packets_of(const DnPacketEngine *e, gint64 time_ps)
{
    return (guint32)MIN(time_ps / e->features.packet_ps + 3, (gint64)G_MAXUINT16);
}

static void throttle_init(DnPacketEngine *e)
{
    gint64 longest_ps[DN_APARTS];
    G_STATIC_ASSERT(DN_APARTS == G_N_ELEMENTS(e->features.first_window));
    dn_longest_paths(e->router, longest_ps);
    e->features.congestion_states =
        dn_sparse_of(struct DnCongestionState, e->graph->size.links + 1);
    for (guint i = 0; i < DN_APARTS; i++) {
        e->features.first_window[i] = packets_of(e, 2 * longest_ps[i]);
        e->features.shared_window[i] =
            packets_of(e, 2 * longest_ps[i] + e->net.hardware->throttle_target_ps);
    }
    e->features.message_window =
        MAX(e->features.first_window[DN_APART_FABRIC], packets_of(e, 12 * e->net.slowest_hop_ps));
}

static void throttle_clear(DnPacketEngine *e)
{
    for (guint32 i = 0; i < e->graph->size.links; i++)
        g_free(e->features.congestion_states[i].waiting);
    dn_sparse_free(e->features.congestion_states);
}

static gboolean throttle_describe(const DnPacketEngine *e, const DnThrottledFlow *flow,
                                  gint64 now_ps, GString *text)
{
    char backlog[DN_UNIT_BUF];
    g_string_append_printf(text, "one of %u sources, %s of queue there",
                           throttle_sources(flow->level),
                           dn_format_time(backlog_ps(flow->level), backlog));
    return TRUE;
}

const struct DnControl dn_control_throttle = {
    throttle_init,    throttle_clear,    throttle_join,      throttle_leave,
    throttle_release, throttle_sent,     throttle_answer,    throttle_notified,
    throttle_at_once, throttle_describe, .everywhere = FALSE};
