/* delay_attribution.c - see delay_attribution.h. */
#include "engine/packet/delay_attribution_internal.h"

#include "engine/packet/fifo.h"
#include "engine/packet/hooks.h"

#define LOOK_BACK 8

struct DnWaits *dn_waits_new(const DnPacketEngine *e)
{
    gsize links = e->graph->size.links + 1, queues = links * e->net.queues;
    struct DnWaits *w = g_new0(struct DnWaits, 1);
    w->logs = g_new0(GArray *, links);
    w->rooms = g_new0(GArray *, queues);
    w->held = g_new0(GArray *, queues);
    w->crossing = g_new0(guint16, links);
    w->live = g_new0(guint32, e->graph->n_vertices + 1);
    w->ways = g_array_new(FALSE, TRUE, sizeof(DnWay));
    w->sent = g_array_new(FALSE, TRUE, sizeof(guint32));
    w->n_logs = links;
    w->n_rooms = queues;
    return w;
}

static void arrays_free(GArray **arrays, gsize n)
{
    for (gsize i = 0; i < n; i++)
        if (arrays[i] != NULL)
            g_array_unref(arrays[i]);
    g_free(arrays);
}

void dn_waits_free(struct DnWaits *w)
{
    if (w == NULL)
        return;
    arrays_free(w->logs, w->n_logs);
    arrays_free(w->rooms, w->n_rooms);
    arrays_free(w->held, w->n_rooms);
    for (guint i = 0; i < w->ways->len; i++)
        if (g_array_index(w->ways, DnWay, i).parts != NULL)
            g_array_unref(g_array_index(w->ways, DnWay, i).parts);
    g_array_unref(w->ways);
    g_array_unref(w->sent);
    g_free(w->crossing);
    g_free(w->live);
    g_free(w);
}

DnWay *dn_way_of(struct DnWaits *w, guint32 id)
{
    if (id >= w->ways->len)
        g_array_set_size(w->ways, MAX(id + 1, 2 * w->ways->len));
    DnWay *way = &g_array_index(w->ways, DnWay, id);
    if (way->parts == NULL)
        way->parts = g_array_new(FALSE, FALSE, sizeof(DnWayPart));
    return way;
}

/* ---- the parts of a way ---- */

static gboolean same_place(const DnWayPart *a, const DnWayPart *b)
{
    return a->kind == b->kind && a->lane == b->lane && a->job == b->job && a->link == b->link &&
           a->root == b->root;
}

/* Turns at a link between a few jobs are few parts, not one a turn. */
static DnWayPart *find_part(const GArray *parts, const DnWayPart *part)
{
    for (guint i = parts->len; i > 0 && i + LOOK_BACK > parts->len; i--) {
        DnWayPart *known = &g_array_index(parts, DnWayPart, i - 1);
        if (same_place(known, part))
            return known;
    }
    return NULL;
}

static void add_part(DnLeaving *l, guint32 link, DnCulprit what, gint64 until_ps)
{
    DnWay *way = l->way;
    DnWayPart part = {.kind = what.kind,
                      .lane = (guint8)dn_lane_of(l->engine, l->q),
                      .job = what.job,
                      .link = link,
                      .root = what.root,
                      .ps = until_ps - way->at_ps};
    if (part.ps <= 0)
        return;
    way->at_ps = until_ps;
    DnWayPart *known = find_part(way->parts, &part);
    if (known != NULL)
        known->ps += part.ps;
    else
        g_array_append_val(way->parts, part);
    if (!dn_way_waits(what.kind) || part.ps <= l->worst_ps)
        return;
    l->worst_ps = part.ps;
    l->worst = what;
    if (what.root == DN_NONE)
        l->worst.root = link;
    if (part.ps > way->blamed_ps) {
        way->blamed_ps = part.ps;
        way->blamed = l->worst;
    }
}

/* Behind a packet of its own message, which had waited for @why. At its source, and where a link is
 * the slowest so far, it would without any others; for more the others are to blame that held up
 * its message, here or before. */
static void add_own(DnLeaving *l, guint32 link, DnCulprit why, gint64 until_ps)
{
    DnWay *way = l->way;
    gint64 alone_ps = l->packet->in_port == DN_NONE ? until_ps : way->at_ps + l->own_ps;
    if (until_ps <= way->at_ps)
        return;
    if (!dn_way_waits(why.kind))
        why = way->blamed;
    if (!dn_way_waits(why.kind))
        alone_ps = until_ps;
    alone_ps = MIN(alone_ps, until_ps);
    l->own_ps -= MIN(l->own_ps, alone_ps - way->at_ps);
    add_part(l, link, dn_own(l, DN_WAY_SERIAL), alone_ps);
    if (why.kind == DN_WAY_QUEUE && why.root == link)
        why.root = DN_NONE;
    add_part(l, link, why, until_ps);
}

/* ---- why a port stood still ---- */

/* Why the port did not serve @l before, though it was idle. */
static DnCulprit why_idle(DnLeaving *l, gboolean just_now)
{
    const DnPacket *packet = l->packet;
    const DnPort *port = dn_port(l->engine, l->port);
    if (just_now)
        return dn_room_holder(l);
    if (packet->in_port != DN_NONE && l->engine->net.hardware->speedup > 0)
        return (DnCulprit){DN_WAY_CROSSBAR, l->waits->crossing[packet->in_port], DN_NONE};
    if (packet->in_port == DN_NONE || port->uplink)
        return dn_own(l, DN_WAY_INJECT);
    return dn_room_holder(l);
}

/* ---- a wait, cut by the log ---- */

static guint first_after(const GArray *log, gint64 when_ps)
{
    guint i = log->len;
    while (i > 0 && g_array_index(log, DnSent, i - 1).end_ps > when_ps)
        i--;
    return i;
}

/* What kept @sent kept @l behind it; unless it was its own affair. */
static DnCulprit idle_before(const DnLeaving *l, const DnSent *sent, DnCulprit mine)
{
    if (sent->idle.kind == DN_WAY_LATENCY || sent->idle.kind == DN_WAY_INJECT)
        return mine;
    if (sent->idle.kind == DN_WAY_SERIAL && !dn_is_own(l, sent->flight, sent->born_ps))
        return (DnCulprit){DN_WAY_CREDIT, sent->job, DN_NONE};
    return sent->idle;
}

static void add_idle(DnLeaving *l, guint32 link, DnCulprit why, gint64 until_ps)
{
    if (why.kind == DN_WAY_SERIAL)
        add_own(l, link, (DnCulprit){.kind = DN_WAY_LATENCY}, until_ps);
    else
        add_part(l, link, why, until_ps);
}

/* Until it leaves; returns why the port was idle just before, or nobody. */
static DnCulprit explain_wait(DnLeaving *l, const GArray *log, guint32 link)
{
    gboolean just_now = dn_room_came(l);
    if (l->way->at_ps == l->start_ps)
        return (DnCulprit){.kind = DN_WAY_LATENCY};
    DnCulprit idle = why_idle(l, just_now);
    for (guint i = first_after(log, l->way->at_ps); i < log->len; i++) {
        const DnSent *sent = &g_array_index(log, DnSent, i);
        add_idle(l, link, idle_before(l, sent, idle), MIN(sent->start_ps, l->start_ps));
        DnCulprit busy = {DN_WAY_QUEUE, sent->job, DN_NONE};
        if (sent->starved >> l->q & 1)
            add_idle(l, link, dn_room_holder(l), MIN(sent->end_ps, l->start_ps));
        else if (dn_is_own(l, sent->flight, sent->born_ps))
            add_own(l, link, sent->worst, MIN(sent->end_ps, l->start_ps));
        else
            add_part(l, link, busy, MIN(sent->end_ps, l->start_ps));
    }
    if (l->way->at_ps == l->start_ps)
        return (DnCulprit){.kind = DN_WAY_LATENCY};
    add_idle(l, link, idle, l->start_ps);
    return idle;
}

/* Others than the one that is served: those behind in that one wait for it. */
static guint32 starved_queues(const DnPacketEngine *e, DnPort *port, guint served)
{
    guint32 starved = 0;
    for (guint32 bits = port->mask & ~(1u << served); bits != 0; bits &= bits - 1) {
        guint q = (guint)__builtin_ctz(bits);
        if (port->credit_bytes[q] < dn_port_queues(e, port)[q].head_bytes)
            starved |= 1u << q;
    }
    return starved;
}

static void log_sent(GArray *log, const DnSent *sent)
{
    DnSent *last = log->len > 0 ? &g_array_index(log, DnSent, log->len - 1) : NULL;
    if (last != NULL && last->flight == sent->flight && last->born_ps == sent->born_ps &&
        last->end_ps == sent->start_ps && last->starved == sent->starved) {
        last->end_ps = sent->end_ps;
        last->worst = sent->worst;
    } else {
        g_array_append_val(log, *sent);
    }
}

/* ---- a packet's steps ---- */

static gint64 full_packet_ps(const DnLeaving *l)
{
    const DnPacketEngine *e = l->engine;
    return dn_port_serial_ps(e, dn_port(e, l->port), e->net.packet_bytes + e->net.header_bytes);
}

/* One more of its message leaves the source; how many have before. */
static guint32 count_sent(struct DnWaits *w, const DnPacket *packet)
{
    if (packet->message >= w->sent->len)
        g_array_set_size(w->sent, MAX(packet->message + 1, 2 * w->sent->len));
    guint32 *sent = &g_array_index(w->sent, guint32, packet->message);
    if (packet->first)
        *sent = 0;
    return (*sent)++;
}

/* Its own length on the link it came by, where this one is faster; and its turn in a buffer left in
 * order. */
static void become_ready(DnLeaving *l)
{
    const DnPacketEngine *e = l->engine;
    const DnPacket *packet = l->packet;
    if (packet->in_port == DN_NONE) {
        g_array_set_size(l->way->parts, 0);
        *l->way = (DnWay){.parts = l->way->parts, .at_ps = l->flight->born_ps};
        l->way->before = count_sent(l->waits, packet);
        l->way->slowest_ps = full_packet_ps(l);
        return;
    }
    gint64 full_ps = full_packet_ps(l);
    l->own_ps = l->way->before * MAX(0, full_ps - l->way->slowest_ps);
    l->way->slowest_ps = MAX(l->way->slowest_ps, full_ps);
    guint32 came_by = e->net.link_of[packet->in_port] ^ 1;
    if (l->way->first_ps > l->way->at_ps)
        add_part(l, came_by, (DnCulprit){DN_WAY_QUEUE, l->way->first_job, DN_NONE},
                 l->way->first_ps);
    l->way->first_ps = 0;
    gint64 whole_ps = dn_port_serial_ps(e, dn_port(e, l->port), packet->wire_bytes);
    add_part(l, came_by, dn_own(l, DN_WAY_SERIAL), MIN(packet->tail_ps - whole_ps, l->start_ps));
}

/* Whoever is next in the buffer that @l leaves in order. */
static void tell_next(const DnLeaving *l)
{
    const DnPacketEngine *e = l->engine;
    if (e->features.fifos == NULL || l->packet->in_port == DN_NONE)
        return;
    guint32 next =
        e->features.fifos[(gsize)l->packet->in_port * e->net.queues + l->packet->in_queue].head;
    if (next == 0)
        return;
    DnWay *way = dn_way_of(l->waits, next);
    way->first_ps = l->start_ps;
    way->first_job = l->flight->m.job;
}

/* The message has wholly left its source. */
static void left_source(const DnVertexState *v, DnLeaving *l, gint64 tail_ps)
{
    const DnObserver *observer = &l->engine->run->observer;
    l->waits->live[v - l->engine->net.states]--;
    if (observer->way == NULL)
        return;
    g_autoptr(GArray) parts = g_array_copy(l->way->parts);
    DnWayPart whole = {.kind = DN_WAY_SERIAL,
                       .lane = (guint8)dn_lane_of(l->engine, l->q),
                       .job = l->flight->m.job,
                       .link = l->engine->net.link_of[l->port],
                       .root = DN_NONE,
                       .ps = tail_ps - l->start_ps};
    if (whole.ps > 0)
        g_array_append_val(parts, whole);
    observer->way(observer->data, &l->flight->m, l->flight->born_ps, FALSE,
                  (const DnWayPart *)(void *)parts->data, parts->len);
}

static DnCulprit step(DnLeaving *l, GArray *log, guint32 link)
{
    l->way = dn_way_of(l->waits, (guint32)(l->packet - (DnPacket *)l->engine->net.packets.base));
    become_ready(l);
    return explain_wait(l, log, link);
}

static void cross(DnLeaving *l, guint32 link, gint64 tail_ps, gboolean ends)
{
    const DnSpeed *speed = &l->engine->net.speeds[dn_port(l->engine, l->port)->speed];
    add_part(l, link, dn_own(l, DN_WAY_LATENCY), l->start_ps + speed->latency_ps);
    if (ends)
        add_part(l, link, dn_own(l, DN_WAY_SERIAL), tail_ps + speed->latency_ps);
}

static void born(DnPart *part, const DnMessage *message)
{
    const DnPacketEngine *e = part->engine;
    if (message->src != message->dst)
        e->features.waits->live[part->state - e->net.states]++;
}

/* Nobody waits here any more who would look back, and what was sent is out. */
static gboolean forgettable(const DnPart *part, const DnVertexState *v, const DnPort *port,
                            const GArray *log)
{
    const DnPacketEngine *e = part->engine;
    return log->len > 0 && port->mask == 0 && port->inject_tail == 0 &&
           e->features.waits->live[v - e->net.states] == 0 &&
           g_array_index(log, DnSent, log->len - 1).end_ps <= part->now_ps;
}

static void leave(DnPart *part, DnVertexState *v, guint32 index, guint q, guint32 id,
                  gint64 start_ps)
{
    const DnPacketEngine *e = part->engine;
    struct DnWaits *w = e->features.waits;
    const DnPacket *packet = dn_packet(e, id);
    const DnFlight *flight = dn_flight(e, packet->message);
    DnLeaving l = {.waits = w,
                   .engine = e,
                   .packet = packet,
                   .flight = flight,
                   .port = v->first_port + index,
                   .q = q,
                   .start_ps = start_ps};
    DnPort *port = dn_port(e, l.port);
    guint32 link = e->net.link_of[l.port];
    gint64 tail_ps = port->free_ps;
    gboolean ends = port->peer == packet->route.target;
    if (w->logs[l.port] == NULL)
        w->logs[l.port] = g_array_new(FALSE, FALSE, sizeof(DnSent));
    GArray *log = w->logs[l.port];
    DnSent sent = {start_ps,
                   tail_ps,
                   flight->born_ps,
                   packet->message,
                   starved_queues(e, port, q),
                   flight->m.job,
                   {0},
                   {0}};
    if (!packet->response) {
        sent.idle = step(&l, log, link);
        sent.worst = l.worst;
        if (packet->in_port == DN_NONE && packet->last)
            left_source(v, &l, tail_ps);
        cross(&l, link, tail_ps, ends);
    }
    dn_room_move(&l, id, tail_ps, ends);
    tell_next(&l);
    if (packet->in_port != DN_NONE)
        w->crossing[packet->in_port] = flight->m.job;
    if (forgettable(part, v, port, log))
        g_array_set_size(log, 0);
    log_sent(log, &sent);
    if (e->run->observer.channel != NULL)
        e->run->observer.channel(e->run->observer.data, link, flight->m.job, start_ps, tail_ps,
                                 FALSE);
}

static void came(DnPart *part, guint32 id)
{
    part->engine->features.waits->last = id;
}

static void delivered(DnPart *part, const DnMessage *message, gint64 born_ps)
{
    const DnPacketEngine *e = part->engine;
    const DnObserver *observer = &e->run->observer;
    if (observer->way == NULL)
        return;
    const GArray *parts = dn_way_of(e->features.waits, e->features.waits->last)->parts;
    gboolean apart = message->src != message->dst;
    observer->way(observer->data, message, born_ps, TRUE,
                  (const DnWayPart *)(const void *)parts->data, apart ? parts->len : 0);
}

static void stalled(DnPart *part, guint32 port, gint64 since_ps)
{
    const DnPacketEngine *e = part->engine;
    if (e->run->observer.channel != NULL)
        e->run->observer.channel(e->run->observer.data, e->net.link_of[port], 0, since_ps,
                                 part->now_ps, TRUE);
}

const struct DnPortHooks dn_hooks_attribution = {
    .leave = leave, .stalled = stalled, .born = born, .came = came, .delivered = delivered};
