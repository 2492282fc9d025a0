/* waits.c - see waits.h. */
#include "engine/packet/waits.h"

#include "engine/packet/fifo.h"

#define MOST_JOBS 16
#define LOOK_BACK 8
#define MOST_DEPTH 32 /* of a tree of congestion */

/* Whose fault it is that a packet waited. */
typedef struct {
    guint8 kind; /* DnWayKind; DN_WAY_LATENCY: nobody's */
    guint16 job;
    guint32 root;
} Culprit;

/* Of one message, or of a packet: what a port did, one after another. */
typedef struct {
    gint64 start_ps, end_ps;
    gint64 born_ps; /* with flight: which message */
    guint32 flight;
    guint32 starved; /* queues that had packets and no credit when it began */
    guint16 job;
    Culprit idle;  /* why the port stood still before */
    Culprit worst; /* of the packet's waits here */
} Sent;

typedef struct {
    GArray *parts;   /* DnWayPart; kept for the next packet of this id */
    gint64 at_ps;    /* they reach to */
    gint64 first_ps; /* an input buffer left in order: behind a packet of @first_job until then */
    guint16 first_job;
    guint32 before;    /* packets of its message that left the source before it */
    gint64 slowest_ps; /* of a full packet, on the slowest link so far */
    Culprit blamed;    /* the longest of its waits so far */
    gint64 blamed_ps;
} Way;

struct DnWaits {
    GArray **logs;     /* [links] Sent, by engine port; NULL: nothing yet */
    GArray **rooms;    /* [links * queues] gint64: when credits come back; NULL: nothing yet */
    GArray **held;     /* [links * queues] guint32: packets on the link, or at its far end */
    guint16 *crossing; /* [links] job of the packet that last left the input */
    guint32 *live;     /* [vertices] messages that have not wholly left, by state */
    GArray *ways;      /* Way, by packet */
    GArray *sent;      /* guint32, by flight: packets that left the source */
    guint32 last;      /* the packet that came last */
    gsize n_logs, n_rooms;
};

/* A packet about to leave. */
typedef struct {
    struct DnWaits *waits;
    const DnPacketEngine *engine;
    const DnPacket *packet;
    const DnFlight *flight;
    Way *way;
    guint32 port; /* engine port */
    guint32 q;
    gint64 start_ps;
    gboolean looked; /* at who holds the room: */
    Culprit holder;
    gint64 own_ps; /* it would wait here for its own message without any others */
    Culprit worst; /* of its waits here */
    gint64 worst_ps;
} Leaving;

struct DnWaits *dn_waits_new(const DnPacketEngine *e)
{
    gsize links = e->graph->size.links + 1, queues = links * e->queues;
    struct DnWaits *w = g_new0(struct DnWaits, 1);
    w->logs = g_new0(GArray *, links);
    w->rooms = g_new0(GArray *, queues);
    w->held = g_new0(GArray *, queues);
    w->crossing = g_new0(guint16, links);
    w->live = g_new0(guint32, e->graph->n_vertices + 1);
    w->ways = g_array_new(FALSE, TRUE, sizeof(Way));
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
        if (g_array_index(w->ways, Way, i).parts != NULL)
            g_array_unref(g_array_index(w->ways, Way, i).parts);
    g_array_unref(w->ways);
    g_array_unref(w->sent);
    g_free(w->crossing);
    g_free(w->live);
    g_free(w);
}

static Way *way_of(struct DnWaits *w, guint32 id)
{
    if (id >= w->ways->len)
        g_array_set_size(w->ways, MAX(id + 1, 2 * w->ways->len));
    Way *way = &g_array_index(w->ways, Way, id);
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

static void add_part(Leaving *l, guint32 link, Culprit what, gint64 until_ps)
{
    Way *way = l->way;
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

static Culprit own(const Leaving *l, DnWayKind kind)
{
    return (Culprit){(guint8)kind, l->flight->m.job, DN_NONE};
}

static gboolean is_own(const Leaving *l, guint32 flight, gint64 born_ps)
{
    return flight == l->packet->message && born_ps == l->flight->born_ps;
}

/* Behind a packet of its own message, which had waited for @why. At its source, and where a link is
 * the slowest so far, it would without any others; for more the others are to blame that held up
 * its message, here or before. */
static void add_own(Leaving *l, guint32 link, Culprit why, gint64 until_ps)
{
    Way *way = l->way;
    gint64 alone_ps = l->packet->in_port == DN_NONE ? until_ps : way->at_ps + l->own_ps;
    if (until_ps <= way->at_ps)
        return;
    if (!dn_way_waits(why.kind))
        why = way->blamed;
    if (!dn_way_waits(why.kind))
        alone_ps = until_ps;
    alone_ps = MIN(alone_ps, until_ps);
    l->own_ps -= MIN(l->own_ps, alone_ps - way->at_ps);
    add_part(l, link, own(l, DN_WAY_SERIAL), alone_ps);
    if (why.kind == DN_WAY_QUEUE && why.root == link)
        why.root = DN_NONE;
    add_part(l, link, why, until_ps);
}

/* ---- why a port stood still ---- */

/* Has room come free for @l at this very moment? */
static gboolean room_came(Leaving *l)
{
    GArray *coming = l->waits->rooms[(gsize)l->port * l->engine->queues + l->q];
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

/* The engine port that packet @id waits for at the far end of @port's link; DN_NONE: it is not
 * there yet. */
static guint32 waits_at(const Leaving *l, guint32 port, guint32 id)
{
    const DnPacketEngine *e = l->engine;
    const DnVertexState *there = &e->states[e->state_of[dn_port(e, port)->peer]];
    const DnPacket *packet = dn_packet(e, id);
    if (way_of(l->waits, id)->at_ps > l->start_ps || packet->out_port >= there->degree)
        return DN_NONE;
    return there->first_port + packet->out_port;
}

/* From @port, which holds others up, along the tree of the congestion to its root: the port that
 * has room ahead and is busy. */
static guint32 root_of(const Leaving *l, guint32 port)
{
    const DnPacketEngine *e = l->engine;
    for (guint depth = 0; depth < MOST_DEPTH && port != DN_NONE; depth++) {
        const DnPort *p = dn_port(e, port);
        if (!p->stalled || p->mask == 0)
            break;
        gsize queue = (gsize)port * e->queues + (guint)__builtin_ctz(p->mask);
        const GArray *held = l->waits->held[queue];
        guint32 next = held != NULL && held->len > 0
                           ? waits_at(l, port, g_array_index(held, guint32, 0))
                           : DN_NONE;
        if (next == DN_NONE)
            break;
        port = next;
    }
    return port;
}

/* Of the others' packets at the link's far end those of the job that has most bytes there: the
 * first of them; 0: there are none. Of the first MOST_JOBS jobs that have any. */
static guint32 main_holder(const Leaving *l, const GArray *held)
{
    const DnPacketEngine *e = l->engine;
    struct {
        guint16 job;
        guint32 first;
        gint64 bytes;
    } jobs[MOST_JOBS];
    guint n = 0, best = 0;
    for (guint i = 0; i < held->len; i++) {
        guint32 id = g_array_index(held, guint32, i);
        const DnPacket *packet = dn_packet(e, id);
        guint16 job = dn_flight(e, packet->message)->m.job;
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

/* Who holds the room at the link's far end. If its own message alone does: who was ahead of that
 * there, or what the packet of it that left last had waited for. */
static Culprit find_holder(const Leaving *l)
{
    const DnPacketEngine *e = l->engine;
    const GArray *held = l->waits->held[(gsize)l->port * e->queues + l->q];
    guint32 id = held != NULL ? main_holder(l, held) : 0;
    if (id == 0 && held != NULL && held->len > 0)
        id = g_array_index(held, guint32, 0);
    guint32 root = id != 0 ? waits_at(l, l->port, id) : DN_NONE;
    guint32 far = root_of(l, root);
    guint32 link = far != DN_NONE ? e->link_of[far] : DN_NONE;
    if (id != 0 && dn_packet(e, id)->message != l->packet->message)
        return (Culprit){DN_WAY_CREDIT, dn_flight(e, dn_packet(e, id)->message)->m.job, link};
    const GArray *log = root != DN_NONE ? l->waits->logs[root] : NULL;
    const Sent *last = log != NULL && log->len > 0 ? &g_array_index(log, Sent, log->len - 1) : NULL;
    if (last == NULL || last->end_ps <= l->way->at_ps)
        return own(l, DN_WAY_SERIAL);
    if (is_own(l, last->flight, last->born_ps) && dn_way_waits(last->worst.kind))
        return (Culprit){DN_WAY_CREDIT, last->worst.job, last->worst.root};
    if (is_own(l, last->flight, last->born_ps))
        return own(l, DN_WAY_SERIAL);
    return (Culprit){DN_WAY_CREDIT, last->job, link};
}

static Culprit who_holds(Leaving *l)
{
    if (!l->looked)
        l->holder = find_holder(l);
    l->looked = TRUE;
    return l->holder;
}

/* Why the port did not serve @l before, though it was idle. */
static Culprit why_idle(Leaving *l, gboolean just_now)
{
    const DnPacket *packet = l->packet;
    const DnPort *port = dn_port(l->engine, l->port);
    if (just_now)
        return who_holds(l);
    if (packet->in_port != DN_NONE && l->engine->hardware->speedup > 0)
        return (Culprit){DN_WAY_CROSSBAR, l->waits->crossing[packet->in_port], DN_NONE};
    if (packet->in_port == DN_NONE || port->uplink)
        return own(l, DN_WAY_INJECT);
    return who_holds(l);
}

/* ---- a wait, cut by the log ---- */

static guint first_after(const GArray *log, gint64 when_ps)
{
    guint i = log->len;
    while (i > 0 && g_array_index(log, Sent, i - 1).end_ps > when_ps)
        i--;
    return i;
}

/* What kept @sent kept @l behind it; unless it was its own affair. */
static Culprit idle_before(const Leaving *l, const Sent *sent, Culprit mine)
{
    if (sent->idle.kind == DN_WAY_LATENCY || sent->idle.kind == DN_WAY_INJECT)
        return mine;
    if (sent->idle.kind == DN_WAY_SERIAL && !is_own(l, sent->flight, sent->born_ps))
        return (Culprit){DN_WAY_CREDIT, sent->job, DN_NONE};
    return sent->idle;
}

static void add_idle(Leaving *l, guint32 link, Culprit why, gint64 until_ps)
{
    if (why.kind == DN_WAY_SERIAL)
        add_own(l, link, (Culprit){.kind = DN_WAY_LATENCY}, until_ps);
    else
        add_part(l, link, why, until_ps);
}

/* Until it leaves; returns why the port was idle just before, or nobody. */
static Culprit explain_wait(Leaving *l, const GArray *log, guint32 link)
{
    gboolean just_now = room_came(l);
    if (l->way->at_ps == l->start_ps)
        return (Culprit){.kind = DN_WAY_LATENCY};
    Culprit idle = why_idle(l, just_now);
    for (guint i = first_after(log, l->way->at_ps); i < log->len; i++) {
        const Sent *sent = &g_array_index(log, Sent, i);
        add_idle(l, link, idle_before(l, sent, idle), MIN(sent->start_ps, l->start_ps));
        Culprit busy = {DN_WAY_QUEUE, sent->job, DN_NONE};
        if (sent->starved >> l->q & 1)
            add_idle(l, link, who_holds(l), MIN(sent->end_ps, l->start_ps));
        else if (is_own(l, sent->flight, sent->born_ps))
            add_own(l, link, sent->worst, MIN(sent->end_ps, l->start_ps));
        else
            add_part(l, link, busy, MIN(sent->end_ps, l->start_ps));
    }
    if (l->way->at_ps == l->start_ps)
        return (Culprit){.kind = DN_WAY_LATENCY};
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

static void log_sent(GArray *log, const Sent *sent)
{
    Sent *last = log->len > 0 ? &g_array_index(log, Sent, log->len - 1) : NULL;
    if (last != NULL && last->flight == sent->flight && last->born_ps == sent->born_ps &&
        last->end_ps == sent->start_ps && last->starved == sent->starved) {
        last->end_ps = sent->end_ps;
        last->worst = sent->worst;
    } else {
        g_array_append_val(log, *sent);
    }
}

/* ---- a packet's steps ---- */

static gint64 full_packet_ps(const Leaving *l)
{
    const DnPacketEngine *e = l->engine;
    return dn_port_serial_ps(e, dn_port(e, l->port), e->packet_bytes + e->header_bytes);
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
static void become_ready(Leaving *l)
{
    const DnPacketEngine *e = l->engine;
    const DnPacket *packet = l->packet;
    if (packet->in_port == DN_NONE) {
        g_array_set_size(l->way->parts, 0);
        *l->way = (Way){.parts = l->way->parts, .at_ps = l->flight->born_ps};
        l->way->before = count_sent(l->waits, packet);
        l->way->slowest_ps = full_packet_ps(l);
        return;
    }
    gint64 full_ps = full_packet_ps(l);
    l->own_ps = l->way->before * MAX(0, full_ps - l->way->slowest_ps);
    l->way->slowest_ps = MAX(l->way->slowest_ps, full_ps);
    guint32 came_by = e->link_of[packet->in_port] ^ 1;
    if (l->way->first_ps > l->way->at_ps)
        add_part(l, came_by, (Culprit){DN_WAY_QUEUE, l->way->first_job, DN_NONE}, l->way->first_ps);
    l->way->first_ps = 0;
    gint64 whole_ps = dn_port_serial_ps(e, dn_port(e, l->port), packet->wire_bytes);
    add_part(l, came_by, own(l, DN_WAY_SERIAL), MIN(packet->tail_ps - whole_ps, l->start_ps));
}

static GArray *array_at(GArray **arrays, gsize i, guint bytes)
{
    if (arrays[i] == NULL)
        arrays[i] = g_array_new(FALSE, FALSE, bytes);
    return arrays[i];
}

static void room_comes(const Leaving *l, gsize queue, gint64 when_ps)
{
    g_array_append_val(array_at(l->waits->rooms, queue, sizeof(gint64)), when_ps);
}

/* The room it leaves behind, and, at its end, the room it takes there; else it holds that. */
static void make_room(const Leaving *l, guint32 id, gint64 tail_ps, gboolean ends)
{
    const DnPacketEngine *e = l->engine;
    const DnPacket *packet = l->packet;
    const DnSpeed *speed = &e->speeds[dn_port(e, l->port)->speed];
    gsize here = (gsize)l->port * e->queues + l->q;
    if (packet->in_port != DN_NONE) {
        const DnPort *back = dn_port(e, packet->in_port);
        gsize before = (gsize)back->peer_port * e->queues + packet->in_queue;
        GArray *held = array_at(l->waits->held, before, sizeof(guint32));
        guint i = 0;
        while (g_array_index(held, guint32, i) != id)
            i++;
        g_array_remove_index(held, i);
        room_comes(l, before, tail_ps + e->speeds[back->speed].credit_latency_ps);
    }
    if (ends)
        room_comes(l, here, tail_ps + speed->latency_ps + speed->credit_latency_ps);
    else
        g_array_append_val(array_at(l->waits->held, here, sizeof(guint32)), id);
}

/* Whoever is next in the buffer that @l leaves in order. */
static void tell_next(const Leaving *l)
{
    const DnPacketEngine *e = l->engine;
    if (e->fifos == NULL || l->packet->in_port == DN_NONE)
        return;
    guint32 next = e->fifos[(gsize)l->packet->in_port * e->queues + l->packet->in_queue].head;
    if (next == 0)
        return;
    Way *way = way_of(l->waits, next);
    way->first_ps = l->start_ps;
    way->first_job = l->flight->m.job;
}

/* The message has wholly left its source. */
static void left_source(const DnVertexState *v, Leaving *l, gint64 tail_ps)
{
    const DnObserver *observer = &l->engine->run->observer;
    l->waits->live[v - l->engine->states]--;
    if (observer->way == NULL)
        return;
    g_autoptr(GArray) parts = g_array_copy(l->way->parts);
    DnWayPart whole = {.kind = DN_WAY_SERIAL,
                       .lane = (guint8)dn_lane_of(l->engine, l->q),
                       .job = l->flight->m.job,
                       .link = l->engine->link_of[l->port],
                       .root = DN_NONE,
                       .ps = tail_ps - l->start_ps};
    if (whole.ps > 0)
        g_array_append_val(parts, whole);
    observer->way(observer->data, &l->flight->m, l->flight->born_ps, FALSE,
                  (const DnWayPart *)(void *)parts->data, parts->len);
}

static Culprit step(Leaving *l, GArray *log, guint32 link)
{
    l->way = way_of(l->waits, (guint32)(l->packet - (DnPacket *)l->engine->packets.base));
    become_ready(l);
    return explain_wait(l, log, link);
}

static void cross(Leaving *l, guint32 link, gint64 tail_ps, gboolean ends)
{
    const DnSpeed *speed = &l->engine->speeds[dn_port(l->engine, l->port)->speed];
    add_part(l, link, own(l, DN_WAY_LATENCY), l->start_ps + speed->latency_ps);
    if (ends)
        add_part(l, link, own(l, DN_WAY_SERIAL), tail_ps + speed->latency_ps);
}

void dn_waits_born(DnPart *part, const DnMessage *message)
{
    const DnPacketEngine *e = part->engine;
    if (message->src != message->dst)
        e->waits->live[part->state - e->states]++;
}

/* Nobody waits here any more who would look back, and what was sent is out. */
static gboolean forgettable(const DnPart *part, const DnVertexState *v, const DnPort *port,
                            const GArray *log)
{
    const DnPacketEngine *e = part->engine;
    return log->len > 0 && port->mask == 0 && port->inject_tail == 0 &&
           e->waits->live[v - e->states] == 0 &&
           g_array_index(log, Sent, log->len - 1).end_ps <= part->now_ps;
}

void dn_waits_leave(DnPart *part, const DnVertexState *v, guint32 index, guint q, guint32 id,
                    gint64 start_ps)
{
    const DnPacketEngine *e = part->engine;
    struct DnWaits *w = e->waits;
    const DnPacket *packet = dn_packet(e, id);
    const DnFlight *flight = dn_flight(e, packet->message);
    Leaving l = {.waits = w,
                 .engine = e,
                 .packet = packet,
                 .flight = flight,
                 .port = v->first_port + index,
                 .q = q,
                 .start_ps = start_ps};
    DnPort *port = dn_port(e, l.port);
    guint32 link = e->link_of[l.port];
    gint64 tail_ps = port->free_ps;
    gboolean ends = port->peer == packet->route.target;
    if (w->logs[l.port] == NULL)
        w->logs[l.port] = g_array_new(FALSE, FALSE, sizeof(Sent));
    GArray *log = w->logs[l.port];
    Sent sent = {start_ps,
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
    make_room(&l, id, tail_ps, ends);
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

void dn_waits_came(DnPart *part, guint32 id)
{
    part->engine->waits->last = id;
}

void dn_waits_delivered(DnPart *part, const DnMessage *message, gint64 born_ps)
{
    const DnPacketEngine *e = part->engine;
    const DnObserver *observer = &e->run->observer;
    if (observer->way == NULL)
        return;
    const GArray *parts = way_of(e->waits, e->waits->last)->parts;
    gboolean apart = message->src != message->dst;
    observer->way(observer->data, message, born_ps, TRUE,
                  (const DnWayPart *)(const void *)parts->data, apart ? parts->len : 0);
}

void dn_waits_stalled(DnPart *part, guint32 port, gint64 since_ps)
{
    const DnPacketEngine *e = part->engine;
    if (e->run->observer.channel != NULL)
        e->run->observer.channel(e->run->observer.data, e->link_of[port], 0, since_ps, part->now_ps,
                                 TRUE);
}
