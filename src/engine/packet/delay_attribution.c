/* delay_attribution.c - see delay_attribution.h. */
#include "engine/packet/delay_attribution_internal.h"

#include "engine/packet/fifo.h"
#include "engine/packet/hooks.h"
#include "engine/packet/queue.h"

#define LOOK_BACK 8

struct DnDelayLog *dn_delay_log_new(const DnPacketEngine *e)
{
    gsize links = e->graph->size.links + 1, queues = links * e->net.queues;
    struct DnDelayLog *w = g_new0(struct DnDelayLog, 1);
    w->logs = g_new0(GArray *, links);
    w->credit_times = g_new0(GArray *, queues);
    w->buffered = g_new0(GArray *, queues);
    w->crossbar = g_new0(DnDelayCause, links);
    w->live = g_new0(guint32, e->graph->n_vertices + 1);
    w->packet_delays = g_array_new(FALSE, TRUE, sizeof(DnPacketDelays));
    w->sent = g_array_new(FALSE, TRUE, sizeof(guint32));
    w->n_logs = links;
    w->n_credit_times = queues;
    return w;
}

static void arrays_free(GArray **arrays, gsize n)
{
    for (gsize i = 0; i < n; i++)
        if (arrays[i] != NULL)
            g_array_unref(arrays[i]);
    g_free(arrays);
}

void dn_delay_log_free(struct DnDelayLog *w)
{
    if (w == NULL)
        return;
    arrays_free(w->logs, w->n_logs);
    arrays_free(w->credit_times, w->n_credit_times);
    arrays_free(w->buffered, w->n_credit_times);
    for (guint i = 0; i < w->packet_delays->len; i++)
        if (g_array_index(w->packet_delays, DnPacketDelays, i).spans != NULL)
            g_array_unref(g_array_index(w->packet_delays, DnPacketDelays, i).spans);
    g_array_unref(w->packet_delays);
    g_array_unref(w->sent);
    g_free(w->crossbar);
    g_free(w->live);
    g_free(w);
}

/* ---- delay spans ---- */

static gboolean same_place(const DnDelaySpan *a, const DnDelaySpan *b)
{
    return a->kind == b->kind && a->lane == b->lane && a->job == b->job && a->link == b->link &&
           a->root == b->root && a->src == b->src && a->dst == b->dst;
}

/* Finds a recent span with the cause of @span: a few jobs that alternate on a link then make a few
 * spans, not one for each packet. */
static DnDelaySpan *find_span(const GArray *spans, const DnDelaySpan *span)
{
    for (guint i = spans->len; i > 0 && i + LOOK_BACK > spans->len; i--) {
        DnDelaySpan *known = &g_array_index(spans, DnDelaySpan, i - 1);
        if (same_place(known, span))
            return known;
    }
    return NULL;
}

static void add_span(DnDeparture *l, guint32 link, DnDelayCause what, gint64 until_ps)
{
    DnPacketDelays *delays = l->delays;
    DnDelaySpan span = {.kind = what.kind,
                        .lane = (guint8)dn_lane_of(l->engine, l->q),
                        .job = what.job,
                        .link = link,
                        .root = what.root,
                        .src = what.src,
                        .dst = what.dst,
                        .ps = until_ps - delays->at_ps};
    if (span.ps <= 0)
        return;
    delays->at_ps = until_ps;
    DnDelaySpan *known = find_span(delays->spans, &span);
    if (known != NULL)
        known->ps += span.ps;
    else
        g_array_append_val(delays->spans, span);
    if (!dn_delay_is_contention(what.kind) || span.ps <= l->worst_ps)
        return;
    l->worst_ps = span.ps;
    l->worst = what;
    if (what.root == DN_NONE)
        l->worst.root = link;
    if (span.ps > delays->main_cause_ps) {
        delays->main_cause_ps = span.ps;
        delays->main_cause = l->worst;
    }
}

/* Adds the wait behind a packet of the same message, which had itself waited for @why. At the
 * source, and where a link is the slowest so far, this wait occurs without other traffic; the rest
 * is attributed to the traffic that delayed the message, here or before. */
static void add_own(DnDeparture *l, guint32 link, DnDelayCause why, gint64 until_ps)
{
    DnPacketDelays *delays = l->delays;
    gint64 alone_ps = l->packet->in_port == DN_NONE ? until_ps : delays->at_ps + l->own_ps;
    if (until_ps <= delays->at_ps)
        return;
    if (!dn_delay_is_contention(why.kind))
        why = delays->main_cause;
    if (!dn_delay_is_contention(why.kind))
        alone_ps = until_ps;
    alone_ps = MIN(alone_ps, until_ps);
    l->own_ps -= MIN(l->own_ps, alone_ps - delays->at_ps);
    add_span(l, link, dn_own_delay(l, DN_DELAY_SERIAL), alone_ps);
    if (why.kind == DN_DELAY_QUEUE && why.root == link)
        why.root = DN_NONE;
    add_span(l, link, why, until_ps);
}

/* ---- why a port was idle ---- */

/* Returns why the port was idle before @l departed. */
static DnDelayCause why_idle(DnDeparture *l, gboolean just_now)
{
    const DnPacket *packet = l->packet;
    const DnPort *port = dn_port(l->engine, l->port);
    if (just_now)
        return dn_buffer_holder(l);
    if (packet->in_port != DN_NONE && l->engine->net.hardware->speedup > 0)
        return l->log_state->crossbar[packet->in_port];
    if (packet->in_port == DN_NONE || port->uplink)
        return dn_own_delay(l, DN_DELAY_INJECT);
    return dn_buffer_holder(l);
}

/* ---- a wait, cut by the log ---- */

static guint first_after(const GArray *log, gint64 when_ps)
{
    guint i = log->len;
    while (i > 0 && g_array_index(log, DnSent, i - 1).end_ps > when_ps)
        i--;
    return i;
}

/* Returns the cause, for @l queued behind @sent, of the idle time before @sent; @mine when @sent
 * was late for reasons of its own (latency, injection). */
static DnDelayCause idle_before(const DnDeparture *l, const DnSent *sent, DnDelayCause mine)
{
    if (sent->idle.kind == DN_DELAY_LATENCY || sent->idle.kind == DN_DELAY_INJECT)
        return mine;
    if (sent->idle.kind == DN_DELAY_SERIAL && !dn_is_own_message(l, sent->msg, sent->born_ps))
        return dn_delay_behind_sent(DN_DELAY_CREDIT, sent, DN_NONE);
    return sent->idle;
}

static void add_idle(DnDeparture *l, guint32 link, DnDelayCause why, gint64 until_ps)
{
    if (why.kind == DN_DELAY_SERIAL)
        add_own(l, link, (DnDelayCause){.kind = DN_DELAY_LATENCY}, until_ps);
    else
        add_span(l, link, why, until_ps);
}

/* Adds the causes of the wait until @l leaves; returns why the port was idle before, if it was. */
static DnDelayCause explain_wait(DnDeparture *l, const GArray *log, guint32 link)
{
    gboolean just_now = dn_credits_just_returned(l);
    if (l->delays->at_ps == l->start_ps)
        return (DnDelayCause){.kind = DN_DELAY_LATENCY};
    DnDelayCause idle = why_idle(l, just_now);
    for (guint i = first_after(log, l->delays->at_ps); i < log->len; i++) {
        const DnSent *sent = &g_array_index(log, DnSent, i);
        add_idle(l, link, idle_before(l, sent, idle), MIN(sent->start_ps, l->start_ps));
        DnDelayCause busy = dn_delay_behind_sent(DN_DELAY_QUEUE, sent, DN_NONE);
        if (sent->stalled_queues >> l->q & 1)
            add_idle(l, link, dn_buffer_holder(l), MIN(sent->end_ps, l->start_ps));
        else if (dn_is_own_message(l, sent->msg, sent->born_ps))
            add_own(l, link, sent->worst, MIN(sent->end_ps, l->start_ps));
        else
            add_span(l, link, busy, MIN(sent->end_ps, l->start_ps));
    }
    if (l->delays->at_ps == l->start_ps)
        return (DnDelayCause){.kind = DN_DELAY_LATENCY};
    add_idle(l, link, idle, l->start_ps);
    return idle;
}

/* Returns the queues without credits, except @served: packets behind in that one wait for it. */
static guint64 find_stalled_queues(const DnPacketEngine *e, DnPort *port, guint served)
{
    guint64 stalled_queues = 0;
    for (guint q = 0; port->mask != 0 && q < e->net.queues; q++)
        if (q != served && dn_queue_holds(e, port, q) &&
            port->credit_bytes[q] < dn_port_queues(e, port)[q].head_bytes)
            stalled_queues |= G_GUINT64_CONSTANT(1) << q;
    return stalled_queues;
}

/* @sent interrupts the aggregated packet on the link, whose entry is split in two: its second part
 * ends later by the time of @sent. */
static void log_interleaved(GArray *log, const DnSent *sent)
{
    DnSent *around = &g_array_index(log, DnSent, log->len - 1);
    DnSent rest = *around;
    rest.start_ps = sent->end_ps;
    rest.end_ps = around->end_ps + sent->end_ps - sent->start_ps;
    rest.idle = (DnDelayCause){.kind = DN_DELAY_LATENCY};
    around->end_ps = sent->start_ps;
    g_array_append_val(log, *sent);
    g_array_append_val(log, rest);
}

static void log_sent(GArray *log, const DnSent *sent)
{
    DnSent *last = log->len > 0 ? &g_array_index(log, DnSent, log->len - 1) : NULL;
    if (last != NULL && last->msg == sent->msg && last->born_ps == sent->born_ps &&
        last->end_ps == sent->start_ps && last->stalled_queues == sent->stalled_queues) {
        last->end_ps = sent->end_ps;
        last->worst = sent->worst;
    } else if (last != NULL && last->end_ps > sent->start_ps) {
        log_interleaved(log, sent);
    } else {
        g_array_append_val(log, *sent);
    }
}

/* ---- a packet's steps ---- */

static gint64 full_packet_ps(const DnDeparture *l)
{
    const DnPacketEngine *e = l->engine;
    return dn_port_serial_ps(e, dn_port(e, l->port), e->net.packet_bytes + e->net.header_bytes);
}

/* Counts @packet, which leaves its source; returns how many packets of its message left before. */
static guint32 count_sent(struct DnDelayLog *w, const DnPacket *packet)
{
    if (packet->message >= w->sent->len)
        g_array_set_size(w->sent, MAX(packet->message + 1, 2 * w->sent->len));
    guint32 *sent = &g_array_index(w->sent, guint32, packet->message);
    if (packet->first)
        *sent = 0;
    return (*sent)++;
}

/* Adds the packet's serialisation on its input link, where this link is faster, and its wait in an
 * input FIFO. */
static void become_ready(DnDeparture *l)
{
    const DnPacketEngine *e = l->engine;
    const DnPacket *packet = l->packet;
    if (packet->in_port == DN_NONE) {
        g_array_set_size(l->delays->spans, 0);
        *l->delays = (DnPacketDelays){.spans = l->delays->spans, .at_ps = l->msg->born_ps};
        l->delays->before = count_sent(l->log_state, packet);
        l->delays->slowest_ps = full_packet_ps(l);
        return;
    }
    gint64 full_ps = full_packet_ps(l);
    l->own_ps = l->delays->before * MAX(0, full_ps - l->delays->slowest_ps);
    l->delays->slowest_ps = MAX(l->delays->slowest_ps, full_ps);
    guint32 came_by = e->net.link_of[packet->in_port] ^ 1;
    if (l->delays->first_ps > l->delays->at_ps)
        add_span(l, came_by, l->delays->first, l->delays->first_ps);
    l->delays->first_ps = 0;
    gint64 tail_ps = l->delays->tail_ps != 0 ? l->delays->tail_ps : packet->tail_ps;
    gint64 whole_ps = dn_port_serial_ps(e, dn_port(e, l->port), packet->wire_bytes);
    add_span(l, came_by, dn_own_delay(l, DN_DELAY_SERIAL), MIN(tail_ps - whole_ps, l->start_ps));
    l->delays->tail_ps = 0;
}

/* Notes that the next packet of the FIFO that @l leaves waited for @l until now. */
static void mark_next(const DnDeparture *l)
{
    const DnPacketEngine *e = l->engine;
    if (e->features.fifos == NULL || l->packet->in_port == DN_NONE)
        return;
    guint32 next = e->features
                       .fifos[(gsize)l->packet->in_port * e->net.queues +
                              dn_queue_for(e, l->packet, l->packet->in_queue)]
                       .head;
    if (next == 0)
        return;
    DnPacketDelays *delays = dn_packet_delays_of(l->log_state, next);
    delays->first_ps = l->start_ps;
    delays->first = dn_delay_behind(DN_DELAY_QUEUE, &l->msg->m, DN_NONE);
}

/* The message has wholly left its source. */
static void left_source(const DnVertexState *v, DnDeparture *l, gint64 tail_ps)
{
    const DnObserver *observer = &l->engine->run->observer;
    l->log_state->live[v - l->engine->net.states]--;
    if (observer->delays == NULL)
        return;
    g_autoptr(GArray) spans = g_array_copy(l->delays->spans);
    DnDelaySpan whole = {.kind = DN_DELAY_SERIAL,
                         .lane = (guint8)dn_lane_of(l->engine, l->q),
                         .job = l->msg->m.job,
                         .link = l->engine->net.link_of[l->port],
                         .root = DN_NONE,
                         .src = DN_NONE,
                         .dst = DN_NONE,
                         .ps = tail_ps - l->start_ps};
    if (whole.ps > 0)
        g_array_append_val(spans, whole);
    observer->delays(observer->data, &l->msg->m, l->msg->born_ps, FALSE,
                     (const DnDelaySpan *)(void *)spans->data, spans->len);
}

static DnDelayCause delay_step(DnDeparture *l, GArray *log, guint32 link)
{
    l->delays = dn_packet_delays_of(l->log_state,
                                    (guint32)(l->packet - (DnPacket *)l->engine->net.packets.base));
    become_ready(l);
    return explain_wait(l, log, link);
}

static void delay_cross(DnDeparture *l, guint32 link, gint64 tail_ps, gboolean ends)
{
    const DnLinkTiming *timing = &l->engine->net.link_timings[dn_port(l->engine, l->port)->timing];
    add_span(l, link, dn_own_delay(l, DN_DELAY_LATENCY), l->start_ps + timing->latency_ps);
    if (ends)
        add_span(l, link, dn_own_delay(l, DN_DELAY_SERIAL), tail_ps + timing->latency_ps);
}

static void delay_born(DnPartition *partition, const DnMessage *message)
{
    const DnPacketEngine *e = partition->engine;
    if (message->src != message->dst)
        e->features.delay_log->live[partition->state - e->net.states]++;
}

/* TRUE: the log may be emptied: no waiting packet will read it, and its last packet has left. */
static gboolean delay_forgettable(const DnPartition *partition, const DnVertexState *v,
                                  const DnPort *port, const GArray *log)
{
    const DnPacketEngine *e = partition->engine;
    return log->len > 0 && port->mask == 0 && port->inject_tail == 0 &&
           e->features.delay_log->live[v - e->net.states] == 0 &&
           g_array_index(log, DnSent, log->len - 1).end_ps <= partition->now_ps;
}

static void delay_leave(DnPartition *partition, DnVertexState *v, guint32 index, guint q,
                        guint32 id, gint64 start_ps)
{
    const DnPacketEngine *e = partition->engine;
    struct DnDelayLog *w = e->features.delay_log;
    const DnPacket *packet = dn_packet(e, id);
    const DnMessageState *msg = dn_message_state(e, packet->message);
    DnDeparture l = {.log_state = w,
                     .engine = e,
                     .packet = packet,
                     .msg = msg,
                     .port = v->first_port + index,
                     .q = q,
                     .start_ps = start_ps};
    DnPort *port = dn_port(e, l.port);
    guint32 link = e->net.link_of[l.port];
    gint64 tail_ps = e->features.aggregation != NULL
                         ? e->features.aggregation->tail_ps(e, port, packet, port->free_ps)
                         : port->free_ps;
    gboolean ends = dn_route_ends(&packet->route, port->peer);
    if (w->logs[l.port] == NULL)
        w->logs[l.port] = g_array_new(FALSE, FALSE, sizeof(DnSent));
    GArray *log = w->logs[l.port];
    DnSent sent = {.start_ps = start_ps,
                   .end_ps = port->free_ps,
                   .born_ps = msg->born_ps,
                   .msg = packet->message,
                   .src = msg->m.src,
                   .dst = msg->m.dst,
                   .stalled_queues = find_stalled_queues(e, port, q),
                   .job = msg->m.job};
    if (!packet->response) {
        sent.idle = delay_step(&l, log, link);
        sent.worst = l.worst;
        if (packet->in_port == DN_NONE && packet->last)
            left_source(v, &l, tail_ps);
        delay_cross(&l, link, tail_ps, ends);
    }
    dn_buffer_move(&l, id, tail_ps, ends);
    mark_next(&l);
    if (packet->in_port != DN_NONE)
        w->crossbar[packet->in_port] = dn_delay_behind(DN_DELAY_CROSSBAR, &msg->m, DN_NONE);
    if (delay_forgettable(partition, v, port, log))
        g_array_set_size(log, 0);
    log_sent(log, &sent);
    if (e->run->observer.channel != NULL)
        e->run->observer.channel(e->run->observer.data, link, msg->m.job, start_ps, port->free_ps,
                                 FALSE);
}

/* Keeps the time of the tail: aggregation overwrites tail_ps with a position in its backlog. */
static void delay_join(DnPartition *partition, DnVertexState *v, guint32 index, DnPacket *packet)
{
    const DnPacketEngine *e = partition->engine;
    (void)v;
    (void)index;
    guint32 id = (guint32)(packet - (DnPacket *)e->net.packets.base);
    dn_packet_delays_of(e->features.delay_log, id)->tail_ps = packet->tail_ps;
}

static void delay_came(DnPartition *partition, guint32 id)
{
    partition->engine->features.delay_log->last = id;
}

static void delay_delivered(DnPartition *partition, const DnMessage *message, gint64 born_ps)
{
    const DnPacketEngine *e = partition->engine;
    const DnObserver *observer = &e->run->observer;
    if (observer->delays == NULL)
        return;
    const GArray *spans =
        dn_packet_delays_of(e->features.delay_log, e->features.delay_log->last)->spans;
    gboolean apart = message->src != message->dst && !message->read; /* responses are not logged */
    observer->delays(observer->data, message, born_ps, TRUE,
                     (const DnDelaySpan *)(const void *)spans->data, apart ? spans->len : 0);
}

static void delay_stalled(DnPartition *partition, guint32 port, gint64 since_ps)
{
    const DnPacketEngine *e = partition->engine;
    if (e->run->observer.channel != NULL)
        e->run->observer.channel(e->run->observer.data, e->net.link_of[port], 0, since_ps,
                                 partition->now_ps, TRUE);
}

const struct DnPortHooks dn_hooks_attribution = {.join = delay_join,
                                                 .leave = delay_leave,
                                                 .stalled = delay_stalled,
                                                 .born = delay_born,
                                                 .came = delay_came,
                                                 .delivered = delay_delivered};
