/* expected_hops.c - see expected_hops.h. */
#include "experiment/expected_hops.h"

#include "base/rng.h"
#include "engine/engine.h"
#include "routing/path.h"
#include "trace/trace.h"

#define SAMPLED_RANKS 256u
#define SAMPLED_OPS 100000u
#define MOST_OPS 1000000u       /* of one rank */
#define MOST_TRACE_OPS 20000000 /* of one rank of a trace, which may have a few that do much */
#define ROUTES 2048u /* looked up inside nodes, and between them; then every EVERY-th message */
#define EVERY 64u
#define CUT_PACKETS 512u /* of a message that are cut one by one */
#define MOST_BEGUN 4096u /* sends kept until the next wait */
/* Parts that endpoint_throttle lets a packet have: an eighth of its window, which is some 24 of the
 * machine's packets at first (engine/packet/throttle.c) and grows. */
#define THROTTLED_PARTS 3
/* A destination that gets so many times what a rank sends on average: its senders' share of the
 * window is so small that an eighth of it is one packet. */
#define INCAST 3

/* A message that has begun: those that begin before the next wait are sent at once. */
typedef struct {
    DnOp op;
    gboolean inside;
} Begun;

/* What the messages to a destination take: in packets as the run cuts them, and in the smaller ones
 * that endpoint_throttle permits in an incast. */
typedef struct {
    double bytes, hops, throttled_hops;
} Destination;

typedef struct {
    const DnReplayJob *job;
    const DnRouter *router;
    gint64 packet_bytes, own_bytes; /* own: of the parts of a larger packet; else the same */
    gint64 inside_bytes; /* of a packet between endpoints of a node, which nothing throttles */
    gint64 turns_bytes;  /* of a packet where many messages of an endpoint take turns */
    gboolean throttled;
    guint aggregation;
    guint32 rank, ops, messages;
    guint32 from, to;                /* of the route looked up last */
    double between;                  /* its hops */
    double route_hops[2], routes[2]; /* of those looked up, [inside a node]: together, how many */
    double hops, bytes;              /* of the ranks walked */
    double direct;                   /* their packets between neighbours, which have no hops */
    guint32 senders;                 /* of them */
    GHashTable *persistent;          /* request + 1 to DnOp* */
    GArray *begun;                   /* Begun, since the last wait */
    GHashTable *open;                /* request + 1 to the messages that leave the node under it */
    guint32 n_open;
    GHashTable *destinations; /* rank to Destination*; where they are throttled */
} Count;

/* Returns the vertices between two endpoints on an idle machine; once ROUTES are looked up, for
 * most messages (not to the endpoints of the last route) the mean of those so far. */
static double hops_between(Count *c, guint32 from, guint32 to, gboolean inside, guint32 rail)
{
    if (c->between > 0 && from == c->from && to == c->to)
        return c->between;
    guint32 n = c->messages++;
    if (c->routes[inside] >= ROUTES && n % EVERY != 0)
        return c->route_hops[inside] / c->routes[inside];
    guint64 key = dn_draw_key(1, DN_DRAW_ESTIMATE, (guint64)from << 32 | to);
    const guint32 *endpoints = c->router->machine->graph->endpoints;
    DnPath path = dn_path_begin(c->router, endpoints[from], endpoints[to], c->job->mode, rail);
    while (dn_path_next(&path, &dn_load_idle, dn_draw(key, path.hops)))
        continue;
    double hops = path.hops > 0 ? path.hops - 1 : 0;
    c->route_hops[inside] += hops;
    c->routes[inside]++;
    c->from = from;
    c->to = to;
    c->between = hops;
    return hops;
}

/* As the engine cuts a message, into packets of at most @most. */
static double packets_of(const Count *c, gint64 bytes, gint64 most)
{
    gint64 left = bytes;
    double packets = 0;
    while (c->own_bytes < most && packets < CUT_PACKETS && left > c->own_bytes) {
        left -= dn_engine_cut_bytes(bytes, left, c->own_bytes, most);
        packets++;
    }
    gint64 size = most * MAX(1, c->aggregation);
    return packets + (double)MAX(1, (left + size - 1) / size);
}

static double control_packets(const DnCosts *costs, const DnOp *op)
{
    if (op->flags & DN_OP_ONE_SIDED)
        return 0;
    if (!dn_costs_by_rendezvous(costs, op->bytes))
        return costs->handshake == DN_HANDSHAKE_TRIGGERED || costs->receive.acknowledged;
    return dn_costs_reads(costs) > 0 ? 3 : 2;
}

static Destination *destination_of(Count *c, guint32 rank)
{
    gpointer key = GUINT_TO_POINTER(rank);
    Destination *found = g_hash_table_lookup(c->destinations, key);
    if (found == NULL)
        g_hash_table_insert(c->destinations, key, found = g_new0(Destination, 1));
    return found;
}

/* @together: messages that leave the node at once. */
static void count_send(Count *c, const DnOp *op, gboolean inside, guint32 together)
{
    const DnReplayJob *job = c->job;
    guint32 from = job->endpoints[c->rank], to = job->endpoints[op->peer];
    const DnMechanism *m = dn_job_mechanism_of(job, op->tag);
    guint rule = dn_mechanism_rule(m, op->bytes, inside, (op->flags & DN_OP_NONBLOCKING) != 0);
    const DnCosts *costs = &m->rules[rule].costs;
    guint32 rail = costs->path.by_nics ? dn_rail_by_nics(DN_RAIL_OWN) : DN_RAIL_OWN;
    inside = inside && dn_rail_stays(rail);
    gboolean answered = !inside && c->router->machine->hardware.window_packets > 0;
    gint64 most = inside                       ? c->inside_bytes
                  : together > DN_ENGINE_TURNS ? MIN(c->packet_bytes, c->turns_bytes)
                                               : c->packet_bytes;
    double control = control_packets(costs, op), packets = packets_of(c, op->bytes, most) + control;
    if (op->flags & DN_OP_ONE_SIDED && op->pieces > 1)
        packets = MAX(packets, (double)op->pieces / MAX(1, costs->coalesce));
    double hops = hops_between(c, from, to, inside, rail) * (answered ? 2 : 1);
    c->hops += hops * packets;
    c->direct += hops > 0 ? 0 : packets;
    if (inside || !c->throttled)
        return;
    Destination *d = destination_of(c, op->peer);
    d->bytes += (double)op->bytes;
    d->hops += hops * packets;
    d->throttled_hops += hops * MAX(packets, packets_of(c, op->bytes, c->own_bytes) + control);
}

static void count_begun(Count *c)
{
    for (guint i = 0; i < c->begun->len; i++) {
        const Begun *b = &g_array_index(c->begun, Begun, i);
        count_send(c, &b->op, b->inside, c->n_open);
    }
    g_array_set_size(c->begun, 0);
}

static void begin_send(Count *c, const DnOp *op)
{
    const DnReplayJob *job = c->job;
    guint32 from = job->endpoints[c->rank], to = job->endpoints[op->peer];
    c->bytes += (double)op->bytes;
    if (from == to)
        return;
    Begun b = {*op, job->node_of != NULL && job->node_of[from] == job->node_of[to]};
    g_array_append_val(c->begun, b);
    if (b.inside)
        return;
    gpointer key = GUINT_TO_POINTER(op->request + 1);
    guint32 before = GPOINTER_TO_UINT(g_hash_table_lookup(c->open, key));
    g_hash_table_insert(c->open, key, GUINT_TO_POINTER(before + 1));
    c->n_open++;
    if (c->begun->len >= MOST_BEGUN)
        count_begun(c);
}

static void end_sends(Count *c, guint32 request)
{
    gpointer key = GUINT_TO_POINTER(request + 1);
    count_begun(c);
    if (request == DN_ANY) {
        g_hash_table_remove_all(c->open);
        c->n_open = 0;
        return;
    }
    c->n_open -= GPOINTER_TO_UINT(g_hash_table_lookup(c->open, key));
    g_hash_table_remove(c->open, key);
}

static void count_op(Count *c, const DnOp *op)
{
    gpointer key = GUINT_TO_POINTER(op->request + 1);
    c->ops++;
    if (op->kind == DN_OP_WAIT)
        end_sends(c, op->request);
    if (op->kind == DN_OP_SEND && op->flags & DN_OP_PERSISTENT)
        g_hash_table_insert(c->persistent, key, g_memdup2(op, sizeof *op));
    else if (op->kind == DN_OP_SEND)
        begin_send(c, op);
    const DnOp *kept = op->kind == DN_OP_START ? g_hash_table_lookup(c->persistent, key) : NULL;
    if (kept != NULL)
        begin_send(c, kept);
}

/* An iteration of @rank; FALSE: it is too long. */
static gboolean count_rank(Count *c, guint32 rank)
{
    const DnProgram *program = c->job->program;
    guint32 first = c->ops;
    double before = c->bytes;
    c->rank = rank;
    c->messages = 0;
    for (guint32 stream = 0; stream < program->streams; stream++) {
        DnCursor cursor = {.stream = stream};
        DnOp op;
        g_hash_table_remove_all(c->persistent);
        do {
            if (c->ops - first >= MOST_OPS)
                return FALSE;
            dn_program_next(program, rank, &cursor, &op);
            count_op(c, &op);
        } while (op.kind != DN_OP_MARK && op.kind != DN_OP_END);
        end_sends(c, DN_ANY);
    }
    c->senders += c->bytes > before;
    return TRUE;
}

/* ---- ranks of traces ---- */

/* Where a stream of a rank is. */
typedef struct {
    DnCursor cursor;
    guint32 awaits; /* the event; DN_ANY: none */
    gboolean over;
} Stream;

/* A rank of a trace. Its streams wait for each other: another stream starts that of a
 * collective, and in a graph messages begin when others end. A message ends when no stream can
 * go on without. */
typedef struct {
    Count *c;
    guint32 rank;
    guint64 ops;
    Stream *streams;
    GArray *events;  /* guint32 by event: how often it was signalled and not awaited */
    GArray *pending; /* DnOp that are not over, of stream 0 */
} TraceRank;

static guint32 *trace_event(TraceRank *t, guint32 event)
{
    if (event >= t->events->len)
        g_array_set_size(t->events, event + 1);
    return &g_array_index(t->events, guint32, event);
}

/* FALSE: the stream has to wait for an event. */
static gboolean trace_op(TraceRank *t, guint32 s, const DnOp *op)
{
    count_op(t->c, op);
    if (op->kind == DN_OP_SIGNAL)
        ++*trace_event(t, op->tag);
    if (s == 0 && (op->kind == DN_OP_SEND || op->kind == DN_OP_RECV) &&
        (op->flags & DN_OP_PERSISTENT) == 0)
        g_array_append_val(t->pending, *op);
    if (op->kind == DN_OP_AWAIT)
        t->streams[s].awaits = op->tag;
    return op->kind != DN_OP_AWAIT;
}

/* Stream @s until it waits for an event or is over; FALSE: it could not begin. */
static gboolean walk_stream(TraceRank *t, guint32 s)
{
    Stream *stream = &t->streams[s];
    DnOp op;
    if (stream->over || (stream->awaits != DN_ANY && *trace_event(t, stream->awaits) == 0))
        return FALSE;
    if (stream->awaits != DN_ANY)
        --*trace_event(t, stream->awaits);
    stream->awaits = DN_ANY;
    do {
        dn_program_next(t->c->job->program, t->rank, &stream->cursor, &op);
        stream->over = op.kind == DN_OP_MARK || op.kind == DN_OP_END || ++t->ops > MOST_TRACE_OPS;
    } while (!stream->over && trace_op(t, s, &op));
    return TRUE;
}

/* Ends all pending messages; FALSE: there were none. */
static gboolean end_pending(TraceRank *t)
{
    const DnProgram *program = t->c->job->program;
    guint n = t->pending->len;
    end_sends(t->c, DN_ANY);
    for (guint i = 0; i < n; i++) {
        guint32 request = g_array_index(t->pending, DnOp, i).request;
        guint32 event = program->type->completed(program, t->rank, 0, request);
        if (event != DN_ANY)
            ++*trace_event(t, event);
    }
    g_array_set_size(t->pending, 0);
    return n > 0;
}

/* An iteration of @rank of a trace; FALSE: it is too long. */
static gboolean count_trace_rank(Count *c, guint32 rank)
{
    guint32 n = c->job->program->streams;
    double before = c->bytes;
    g_autofree Stream *streams = g_new0(Stream, n);
    g_autoptr(GArray) events = g_array_new(FALSE, TRUE, sizeof(guint32));
    g_autoptr(GArray) pending = g_array_new(FALSE, FALSE, sizeof(DnOp));
    TraceRank t = {.c = c, .rank = rank, .streams = streams, .events = events, .pending = pending};
    c->rank = rank;
    c->messages = 0;
    g_hash_table_remove_all(c->persistent);
    for (guint32 s = 0; s < n; s++)
        streams[s] = (Stream){.cursor = {.stream = s}, .awaits = DN_ANY};
    gboolean moved;
    do {
        moved = FALSE;
        for (guint32 s = 0; s < n; s++)
            moved |= walk_stream(&t, s);
    } while (moved || end_pending(&t));
    c->senders += c->bytes > before;
    return t.ops <= MOST_TRACE_OPS;
}

/* Returns the @i-th rank to walk: of few ranks all, of many a sample that follows neither nodes nor
 * neighbours. Steps by the golden ratio (Knuth, TAOCP 3, 6.4) leave no large gap. */
static guint32 sampled_rank(guint32 i, guint32 ranks)
{
    return ranks <= SAMPLED_RANKS ? i : (guint32)((guint64)(i * 0x9e3779b1u) * ranks >> 32);
}

/* Adds what throttling costs to destinations of an incast, which get INCAST times what a rank sends
 * on average or more: each of many senders has a small share of their window. */
static void add_throttled(Count *c)
{
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, c->destinations);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const Destination *d = value;
        if (d->bytes * c->senders >= INCAST * c->bytes)
            c->hops += d->throttled_hops - d->hops;
    }
}

static void count_clear(Count *c)
{
    g_hash_table_unref(c->persistent);
    g_hash_table_unref(c->open);
    g_hash_table_unref(c->destinations);
    g_array_unref(c->begun);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Count, count_clear)

double dn_expected_hops(const DnReplayJob *job, guint32 iterations, const DnRouter *router,
                        gint64 packet_bytes, guint aggregation)
{
    const DnProgram *program = job->program;
    const DnHardware *hardware = &router->machine->hardware;
    if (program->endless || program->ranks == 0 || job->background)
        return 0;
    const guint8 level = (guint8)MIN(aggregation, G_MAXUINT8);
    gint64 own_bytes = dn_engine_part_bytes(router->machine, packet_bytes, &level, 1);
    gint64 most_bytes = dn_engine_most_bytes(router->machine, packet_bytes, own_bytes);
    gboolean throttled = hardware->congestion == DN_CONGESTION_ENDPOINT_THROTTLE &&
                         aggregation <= 1;
    if (throttled)
        most_bytes = MIN(most_bytes, own_bytes * THROTTLED_PARTS);
    g_auto(Count) c = {.job = job,
                       .router = router,
                       .packet_bytes = most_bytes,
                       .own_bytes = own_bytes,
                       .turns_bytes = own_bytes < packet_bytes
                                          ? dn_engine_turns_bytes(router->machine, own_bytes)
                                          : packet_bytes,
                       .throttled = throttled && own_bytes < packet_bytes,
                       .aggregation = aggregation,
                       .persistent = g_hash_table_new_full(NULL, NULL, NULL, g_free),
                       .begun = g_array_new(FALSE, FALSE, sizeof(Begun)),
                       .open = g_hash_table_new(NULL, NULL),
                       .destinations = g_hash_table_new_full(NULL, NULL, NULL, g_free)};
    guint32 sampled = MIN(program->ranks, SAMPLED_RANKS), walked = 0;
    c.inside_bytes = dn_engine_most_bytes(router->machine, packet_bytes, own_bytes);
    gboolean whole = TRUE, trace = dn_trace_of_program(program) != NULL;
    while (whole && walked < sampled && c.ops < SAMPLED_OPS) {
        guint32 rank = sampled_rank(walked, program->ranks);
        whole = trace ? count_trace_rank(&c, rank) : count_rank(&c, rank);
        walked += whole;
    }
    count_begun(&c);
    add_throttled(&c);
    if (!whole)
        return -1; /* its bytes would take as long to count */
    double hops = c.hops > 0 ? c.hops : c.direct;
    double moved = program->type->bytes_moved != NULL ? program->type->bytes_moved(program) : 0;
    if (c.bytes > 0 && moved > 0)
        return hops * moved / c.bytes * iterations;
    return walked > 0 ? hops * program->ranks / walked * iterations : 0;
}
