/* delay_attribution_buffers.c - The occupancy of buffers: when space at the far end of a link comes
 * free, and who holds it. */
#include "engine/packet/delay_attribution_internal.h"
#include "engine/packet/queue.h"

#define MOST_JOBS 16
#define MOST_DEPTH 32 /* ports that root_of() follows */

gboolean dn_credits_just_returned(const DnDeparture *l)
{
    GArray *coming = l->log_state->credit_times[(gsize)l->port * l->engine->net.queues + l->q];
    gboolean just_now = FALSE;
    guint kept = 0;
    for (guint i = 0; coming != NULL && i < coming->len; i++) {
        gint64 when_ps = g_array_index(coming, gint64, i);
        just_now = just_now || when_ps == l->start_ps;
        if (when_ps > l->start_ps)
            g_array_index(coming, gint64, kept++) = when_ps;
    }
    if (coming != NULL)
        g_array_set_size(coming, kept);
    return just_now;
}

static GArray *array_at(GArray **arrays, gsize i, guint bytes)
{
    if (arrays[i] == NULL)
        arrays[i] = g_array_new(FALSE, FALSE, bytes);
    return arrays[i];
}

static void credits_return(const DnDeparture *l, gsize queue, gint64 when_ps)
{
    g_array_append_val(array_at(l->log_state->credit_times, queue, sizeof(gint64)), when_ps);
}

void dn_buffer_move(const DnDeparture *l, guint32 id, gint64 tail_ps, gboolean ends)
{
    const DnPacketEngine *e = l->engine;
    const DnPacket *packet = l->packet;
    const DnLinkTiming *timing = &e->net.link_timings[dn_port(e, l->port)->timing];
    gsize here = (gsize)l->port * e->net.queues + l->q;
    if (packet->in_port != DN_NONE) {
        const DnPort *back = dn_port(e, packet->in_port);
        gsize before = (gsize)back->peer_port * e->net.queues +
                       dn_queue_for(e, packet, packet->in_queue);
        GArray *buffered = array_at(l->log_state->buffered, before, sizeof(guint32));
        guint i = 0;
        while (i < buffered->len && g_array_index(buffered, guint32, i) != id)
            i++;
        g_assert(i < buffered->len);
        g_array_remove_index(buffered, i);
        credits_return(l, before, tail_ps + e->net.link_timings[back->timing].credit_latency_ps);
    }
    if (ends)
        credits_return(l, here, tail_ps + timing->latency_ps + timing->credit_latency_ps);
    else
        g_array_append_val(array_at(l->log_state->buffered, here, sizeof(guint32)), id);
}

/* Returns the engine port that packet @id waits for at the far end of @port's link; DN_NONE: the
 * packet has not arrived there. */
static guint32 waits_at(const DnDeparture *l, guint32 port, guint32 id)
{
    const DnPacketEngine *e = l->engine;
    const DnVertexState *there = &e->net.states[e->net.state_of[dn_port(e, port)->peer]];
    const DnPacket *packet = dn_packet(e, id);
    if (dn_packet_delays_of(l->log_state, id)->at_ps > l->start_ps ||
        packet->out_port >= there->degree)
        return DN_NONE;
    return there->first_port + packet->out_port;
}

/* Follows the congestion tree from @port to its root: a busy port that has credits. */
static guint32 root_of(const DnDeparture *l, guint32 port)
{
    const DnPacketEngine *e = l->engine;
    for (guint depth = 0; depth < MOST_DEPTH && port != DN_NONE; depth++) {
        DnPort *p = dn_port(e, port);
        if (!p->stalled || p->mask == 0)
            break;
        guint q = (guint)__builtin_ctz(p->mask);
        gsize queue = (gsize)port * e->net.queues +
                      (dn_queue_holds(e, p, q) ? q : dn_queue_twin(e, q));
        const GArray *buffered = l->log_state->buffered[queue];
        guint32 next = buffered != NULL && buffered->len > 0
                           ? waits_at(l, port, g_array_index(buffered, guint32, 0))
                           : DN_NONE;
        if (next == DN_NONE)
            break;
        port = next;
    }
    return port;
}

/* Returns the first packet of the job with most bytes at the link's far end, the packet's own
 * message not counted; 0: none. Only the first MOST_JOBS jobs are compared. */
static guint32 main_holder(const DnDeparture *l, const GArray *buffered)
{
    const DnPacketEngine *e = l->engine;
    struct {
        guint16 job;
        guint32 first;
        gint64 bytes;
    } jobs[MOST_JOBS];
    guint n = 0, best = 0;
    for (guint i = 0; i < buffered->len; i++) {
        guint32 id = g_array_index(buffered, guint32, i);
        const DnPacket *packet = dn_packet(e, id);
        guint16 job = dn_message_state(e, packet->message)->m.job;
        guint k = 0;
        if (packet->message == l->packet->message)
            continue;
        while (k < n && jobs[k].job != job)
            k++;
        if (k == MOST_JOBS)
            continue;
        if (k == n) {
            jobs[n].job = job;
            jobs[n].first = id;
            jobs[n++].bytes = 0;
        }
        jobs[k].bytes += packet->wire_bytes;
    }
    for (guint k = 1; k < n; k++)
        best = jobs[k].bytes > jobs[best].bytes ? k : best;
    return n > 0 ? jobs[best].first : 0;
}

/* Finds the cause of the missing credits: the job that fills the buffer at the link's far end. If
 * the packet's own message alone fills it, the cause is the packet last sent ahead of it there, or
 * the cause of that packet's longest wait. */
static DnDelayCause find_holder(const DnDeparture *l)
{
    const DnPacketEngine *e = l->engine;
    gsize queue = (gsize)l->port * e->net.queues + l->q;
    const GArray *buffered = l->log_state->buffered[queue], *aggregates = NULL;
    guint32 id = buffered != NULL ? main_holder(l, buffered) : 0;
    /* Where aggregated packets have no credits left, single packets have none either. */
    if (id == 0 && e->features.aggregates != NULL && l->q < e->net.request_lanes * e->net.channels)
        aggregates =
            l->log_state->buffered[queue + (gsize)e->features.aggregate_lane * e->net.channels];
    if (aggregates != NULL)
        id = main_holder(l, aggregates);
    if (id == 0 && buffered != NULL && buffered->len > 0)
        id = g_array_index(buffered, guint32, 0);
    guint32 root = id != 0 ? waits_at(l, l->port, id) : DN_NONE;
    guint32 far = root_of(l, root);
    guint32 link = far != DN_NONE ? e->net.link_of[far] : DN_NONE;
    if (id != 0 && dn_packet(e, id)->message != l->packet->message)
        return dn_delay_behind(DN_DELAY_CREDIT, &dn_message_state(e, dn_packet(e, id)->message)->m,
                               link);
    const GArray *log = root != DN_NONE ? l->log_state->logs[root] : NULL;
    const DnSent *last = log != NULL && log->len > 0 ? &g_array_index(log, DnSent, log->len - 1)
                                                     : NULL;
    if (last == NULL || last->end_ps <= l->delays->at_ps)
        return dn_own_delay(l, DN_DELAY_SERIAL);
    if (dn_is_own_message(l, last->msg, last->born_ps) && dn_delay_is_contention(last->worst.kind))
        return (DnDelayCause){DN_DELAY_CREDIT, last->worst.job, last->worst.root, last->worst.src,
                              last->worst.dst};
    if (dn_is_own_message(l, last->msg, last->born_ps))
        return dn_own_delay(l, DN_DELAY_SERIAL);
    return dn_delay_behind_sent(DN_DELAY_CREDIT, last, link);
}

DnDelayCause dn_buffer_holder(DnDeparture *l)
{
    if (!l->looked)
        l->holder = find_holder(l);
    l->looked = TRUE;
    return l->holder;
}
