/* expected_hops.c - see expected_hops.h. */
#include "experiment/expected_hops.h"

#include "base/rng.h"
#include "engine/engine.h"
#include "routing/path.h"

#define SAMPLED_RANKS 256u
#define SAMPLED_OPS 100000u
#define MOST_OPS 1000000u /* of one rank */
#define ROUTES 2048u /* are looked up, inside nodes and between them, and then every EVERY-th */
#define EVERY 64u
#define CUT_PACKETS 512u /* of a message are cut one by one */
/* Parts that endpoint_throttle lets a packet have: an eighth of its window, which is some 24 of the
 * machine's packets at first (engine/packet/throttle.c) and grows. */
#define THROTTLED_PARTS 3

typedef struct {
    const DnReplayJob *job;
    const DnRouter *router;
    gint64 packet_bytes, own_bytes; /* own: of the parts of a larger packet; else the same */
    gint64 inside_bytes; /* of a packet between endpoints of a node, which nothing throttles */
    guint aggregation;
    guint32 rank, ops, messages;
    guint32 from, to;                /* of the route looked up last */
    double between;                  /* its hops */
    double route_hops[2], routes[2]; /* of those looked up, [inside a node]: together, how many */
    double hops, bytes;              /* of the ranks walked */
    GHashTable *persistent;          /* request + 1 to DnOp* */
} Count;

/* Vertices between the two on an idle machine; of most messages that do not follow one of the same
 * two the mean of those before. */
static double hops_between(Count *c, guint32 from, guint32 to, gboolean inside)
{
    if (c->between > 0 && from == c->from && to == c->to)
        return c->between;
    guint32 n = c->messages++;
    if (c->routes[inside] >= ROUTES && n % EVERY != 0)
        return c->route_hops[inside] / c->routes[inside];
    guint64 key = dn_draw_key(1, DN_DRAW_ESTIMATE, (guint64)from << 32 | to);
    const guint32 *endpoints = c->router->machine->graph->endpoints;
    DnPath path =
        dn_path_begin(c->router, endpoints[from], endpoints[to], c->job->mode, DN_RAIL_OWN);
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

/* As the engine cuts a message. */
static double packets_of(const Count *c, gint64 bytes, gboolean inside)
{
    gint64 left = bytes, most = inside ? c->inside_bytes : c->packet_bytes;
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
    if (op->flags & DN_OP_ONE_SIDED || costs->rendezvous_from_bytes == 0 ||
        op->bytes < costs->rendezvous_from_bytes)
        return costs->handshake == DN_HANDSHAKE_TRIGGERED && !(op->flags & DN_OP_ONE_SIDED);
    return dn_costs_reads(costs) > 0 ? 3 : 2;
}

static void count_send(Count *c, const DnOp *op)
{
    const DnReplayJob *job = c->job;
    guint32 from = job->endpoints[c->rank], to = job->endpoints[op->peer];
    c->bytes += (double)op->bytes;
    if (from == to)
        return;
    gboolean inside = job->node_of != NULL && job->node_of[from] == job->node_of[to];
    guint rule = job->mechanism.n_rules > 1 ? dn_mechanism_rule(&job->mechanism, op->bytes, inside)
                                            : 0;
    const DnCosts *costs = &job->mechanism.rules[rule].costs;
    gboolean answered = !inside && c->router->machine->hardware.window_packets > 0;
    double packets = packets_of(c, op->bytes, inside) + control_packets(costs, op);
    if (op->flags & DN_OP_ONE_SIDED && op->pieces > 1)
        packets = MAX(packets, (double)op->pieces / MAX(1, costs->coalesce));
    c->hops += hops_between(c, from, to, inside) * packets * (answered ? 2 : 1);
}

static void count_op(Count *c, const DnOp *op)
{
    gpointer key = GUINT_TO_POINTER(op->request + 1);
    c->ops++;
    if (op->kind == DN_OP_SEND && op->flags & DN_OP_PERSISTENT)
        g_hash_table_insert(c->persistent, key, g_memdup2(op, sizeof *op));
    else if (op->kind == DN_OP_SEND)
        count_send(c, op);
    const DnOp *kept = op->kind == DN_OP_START ? g_hash_table_lookup(c->persistent, key) : NULL;
    if (kept != NULL)
        count_send(c, kept);
}

/* An iteration of @rank; FALSE: it is too long. */
static gboolean count_rank(Count *c, guint32 rank)
{
    const DnProgram *program = c->job->program;
    guint32 first = c->ops;
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
    }
    return TRUE;
}

/* The @i-th of the ranks walked through: of few all, of many some that nodes and neighbours do not
 * follow too. Steps by the golden ratio (Knuth, TAOCP 3, 6.4) leave no large gap. */
static guint32 sampled_rank(guint32 i, guint32 ranks)
{
    return ranks <= SAMPLED_RANKS ? i : (guint32)((guint64)(i * 0x9e3779b1u) * ranks >> 32);
}

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
    if (hardware->congestion == DN_CONGESTION_ENDPOINT_THROTTLE && aggregation <= 1)
        most_bytes = MIN(most_bytes, own_bytes * THROTTLED_PARTS);
    Count c = {.job = job,
               .router = router,
               .packet_bytes = most_bytes,
               .own_bytes = own_bytes,
               .aggregation = aggregation,
               .persistent = g_hash_table_new_full(NULL, NULL, NULL, g_free)};
    guint32 sampled = MIN(program->ranks, SAMPLED_RANKS), walked = 0;
    c.inside_bytes = dn_engine_most_bytes(router->machine, packet_bytes, own_bytes);
    gboolean whole = TRUE;
    while (whole && walked < sampled && c.ops < SAMPLED_OPS) {
        whole = count_rank(&c, sampled_rank(walked, program->ranks));
        walked += whole;
    }
    g_hash_table_unref(c.persistent);
    double moved = program->type->bytes_moved != NULL ? program->type->bytes_moved(program) : 0;
    if (c.bytes > 0 && moved > 0)
        return c.hops * moved / c.bytes * iterations;
    return whole && walked > 0 ? c.hops * program->ranks / walked * iterations : 0;
}
