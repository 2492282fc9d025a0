/* dag_executor.c - A rank's graph is executed: an operation starts when its conditions are met, in
 * the order in which that happened (of the same instant: in the order of the file).
 *
 * Stream 0 issues messages and collectives; one stream for each cpu computes; collectives have
 * their workers. The rank's state says what is ready; an event wakes a stream that has nothing to
 * do, and stream 0, which the others wake, wakes the cpus. */
#include "trace/lower.h"

#include "trace/store.h"

#define MAIN_EVENT 0
#define NOBODY G_MAXUINT32

typedef struct {
    guint8 call;
    guint16 cpu;
    guint32 need, left; /* conditions; not yet met */
    guint32 first;      /* in after */
    guint32 peer, tag, root, comm;
    gint64 size; /* bytes, or ps */
    guint64 at;
} Node;

/* A queue of numbers, first in, first out. */
typedef struct {
    guint32 *items;
    guint32 head, count, capacity; /* space: a power of two */
} Queue;

struct DnDagRank {
    Node *nodes; /* [n + 1] */
    guint32 n, done;
    guint32 *after;                      /* who waits: number << 1 | for the start */
    Queue issue, collectives, *computes; /* [cpus] */
    guint32 *computing;                  /* [cpus] what a cpu's stream runs; NOBODY */
    gboolean *cpu_asleep, asleep;
    guint32 *slot_node; /* [slots] by request */
    GArray *free_slots; /* guint32 */
    guint32 slots;
    guint32 *worker_node, *worker_left; /* [workers] streams still to end */
    guint32 signal_worker, signalled;   /* of a collective being started; NOBODY */
    guint32 farewell;
};

/* ---- queues ---- */

static void unfold_push(Queue *q, guint32 item)
{
    if (q->count == q->capacity) {
        guint32 capacity = MAX(16, 2 * q->capacity), *items = g_new(guint32, capacity);
        for (guint32 i = 0; i < q->count; i++)
            items[i] = q->items[(q->head + i) & (q->capacity - 1)];
        g_free(q->items);
        q->items = items;
        q->head = 0;
        q->capacity = capacity;
    }
    q->items[(q->head + q->count++) & (q->capacity - 1)] = item;
}

static guint32 unfold_pop(Queue *q)
{
    guint32 item = q->items[q->head];
    q->head = (q->head + 1) & (q->capacity - 1);
    q->count--;
    return item;
}

/* ---- conditions ---- */

static void make_ready(struct DnDagRank *g, guint32 node)
{
    const Node *v = &g->nodes[node];
    if (v->call == DN_CALL_COMPUTE)
        unfold_push(&g->computes[v->cpu], node);
    else if (dn_call_is_collective(v->call))
        unfold_push(&g->collectives, node);
    else
        unfold_push(&g->issue, node);
}

/* Its start, or its end, is a condition less for those behind it. */
static void unfold_met(struct DnDagRank *g, guint32 node, guint32 start)
{
    for (guint32 i = g->nodes[node].first; i < g->nodes[node + 1].first; i++)
        if ((g->after[i] & 1) == start && --g->nodes[g->after[i] >> 1].left == 0)
            make_ready(g, g->after[i] >> 1);
}

static void unfold_begun(struct DnDagRank *g, guint32 node)
{
    unfold_met(g, node, 1);
}

static void unfold_over(struct DnDagRank *g, guint32 node)
{
    g->done++;
    unfold_met(g, node, 0);
}

static gboolean main_has_work(const DnLower *lower, const struct DnDagRank *g)
{
    if (g->issue.count > 0 || g->collectives.count > 0 || g->done == g->n)
        return TRUE;
    for (guint32 c = 0; c < lower->cpus; c++)
        if (g->computes[c].count > 0 && g->cpu_asleep[c])
            return TRUE;
    return FALSE;
}

/* ---- stream 0 ---- */

static void unfold_reset(const DnLower *lower, struct DnDagRank *g)
{
    g->done = g->farewell = 0;
    g->asleep = FALSE;
    g->signal_worker = NOBODY;
    for (guint32 v = 0; v < g->n; v++) {
        g->nodes[v].left = g->nodes[v].need;
        if (g->nodes[v].need == 0)
            make_ready(g, v);
    }
    /* A cpu may sleep already, having ended the iteration before: cpu_asleep[] stays. */
    for (guint32 c = 0; c < lower->cpus; c++)
        g->computing[c] = NOBODY;
    for (guint32 w = 0; w < lower->n_workers; w++)
        g->worker_node[w] = NOBODY;
}

static guint32 take_slot(struct DnDagRank *g, guint32 node)
{
    guint32 slot = g->slots;
    if (g->free_slots->len > 0) {
        slot = g_array_index(g->free_slots, guint32, g->free_slots->len - 1);
        g_array_set_size(g->free_slots, g->free_slots->len - 1);
    } else {
        if ((g->slots & (g->slots - 1)) == 0)
            g->slot_node = g_renew(guint32, g->slot_node, MAX(1, 2 * g->slots));
        g->slots++;
    }
    g->slot_node[slot] = node;
    return slot;
}

static void unfold_issue(const DnLower *lower, guint32 r, DnOp *op)
{
    struct DnDagRank *g = lower->ranks[r].graph;
    guint32 node = unfold_pop(&g->issue);
    const Node *v = &g->nodes[node];
    const DnTraceComm *comm = dn_trace_comm(lower->trace, r, v->comm, NULL);
    gboolean sends = v->call == DN_CALL_ISEND;
    *op = (DnOp){.kind = sends ? DN_OP_SEND : DN_OP_RECV,
                 .flags = sends ? DN_OP_NONBLOCKING : 0, /* of a graph none waits */
                 .peer = v->peer == DN_ANY ? DN_ANY : dn_trace_world_rank(comm, v->peer),
                 .tag = dn_lower_tag(comm, v->tag),
                 .bytes = v->size,
                 .request = take_slot(g, node),
                 .call = v->call,
                 .at = v->at};
    unfold_begun(g, node);
}

/* Gives a waiting collective a free worker; FALSE: none waits, or none is free. */
static gboolean begin_collective(DnLower *lower, guint32 r)
{
    struct DnDagRank *g = lower->ranks[r].graph;
    guint32 w = 0;
    while (w < lower->n_workers && g->worker_node[w] != NOBODY)
        w++;
    if (g->collectives.count == 0 || w == lower->n_workers)
        return FALSE;
    guint32 node = unfold_pop(&g->collectives);
    const Node *v = &g->nodes[node];
    DnTraceOp op = {
        .call = v->call, .comm = v->comm, .root = v->root, .bytes = v->size, .at = v->at};
    unfold_begun(g, node);
    if (!dn_lower_collective(lower, r, w, &op, v->tag)) {
        unfold_over(g, node);
        return TRUE;
    }
    g->worker_node[w] = node;
    g->worker_left[w] = lower->ranks[r].workers[w].streams;
    g->signal_worker = w;
    g->signalled = 0;
    return TRUE;
}

static gboolean raise_event(DnOp *op, guint32 event)
{
    *op = (DnOp){.kind = DN_OP_SIGNAL, .tag = event};
    return TRUE;
}

/* FALSE: nothing of this sort to hand out. */
static gboolean start_worker(const DnLower *lower, struct DnDagRank *g, DnOp *op)
{
    guint32 w = g->signal_worker;
    if (w == NOBODY)
        return FALSE;
    raise_event(op, dn_lower_start_event(lower, w, g->signalled++));
    if (g->signalled == g->worker_left[w])
        g->signal_worker = NOBODY;
    return TRUE;
}

static gboolean wake_cpu(const DnLower *lower, struct DnDagRank *g, DnOp *op)
{
    for (guint32 c = 0; c < lower->cpus; c++)
        if (g->computes[c].count > 0 && g->cpu_asleep[c]) {
            g->cpu_asleep[c] = FALSE;
            return raise_event(op, 1 + c);
        }
    return FALSE;
}

/* Notifies all streams at the end. */
static gboolean say_farewell(const DnLower *lower, struct DnDagRank *g, DnOp *op)
{
    guint32 k = g->farewell++, streams = lower->n_workers * lower->channels_each;
    if (k < lower->cpus)
        return raise_event(op, 1 + k);
    k -= lower->cpus;
    return k < streams && raise_event(op, dn_lower_start_event(lower, k / lower->channels_each,
                                                               k % lower->channels_each));
}

static gboolean main_next(DnLower *lower, guint32 r, DnCursor *cursor, DnOp *op)
{
    struct DnDagRank *g = lower->ranks[r].graph;
    if (cursor->step == 0) {
        cursor->step = 1;
        lower->ranks[r].finished = cursor->iteration;
        unfold_reset(lower, g);
    }
    g->asleep = FALSE;
    do {
        if (start_worker(lower, g, op) || wake_cpu(lower, g, op))
            return TRUE;
        if (g->issue.count > 0 && (g->free_slots->len > 0 || g->slots < DN_REQUESTS - 16)) {
            unfold_issue(lower, r, op);
            return TRUE;
        }
    } while (begin_collective(lower, r));
    if (g->done == g->n) {
        lower->ranks[r].finished = cursor->iteration + 1;
        return say_farewell(lower, g, op);
    }
    g->asleep = TRUE;
    *op = (DnOp){.kind = DN_OP_AWAIT, .tag = MAIN_EVENT};
    return TRUE;
}

/* ---- the others ---- */

/* Wakes stream 0 if there is something for it. */
static gboolean wake_main(const DnLower *lower, struct DnDagRank *g)
{
    if (!g->asleep || !main_has_work(lower, g))
        return FALSE;
    g->asleep = FALSE;
    return TRUE;
}

/* The end of the computation on CPU stream @c. */
static void end_compute(struct DnDagRank *g, guint32 c)
{
    unfold_over(g, g->computing[c]);
    g->computing[c] = NOBODY;
}

/* cursor->a: a computation has begun, and its operation is next. */
static gboolean cpu_next(const DnLower *lower, guint32 r, DnCursor *cursor, DnOp *op)
{
    struct DnDagRank *g = lower->ranks[r].graph;
    guint32 c = cursor->stream - 1;
    if (cursor->step > 0 && cursor->iteration < lower->ranks[r].finished)
        return FALSE;
    cursor->step = 1;
    if (cursor->a == 0) {
        if (g->computing[c] != NOBODY) {
            end_compute(g, c);
            if (wake_main(lower, g))
                return raise_event(op, MAIN_EVENT);
        }
        if (g->computes[c].count == 0) {
            g->cpu_asleep[c] = TRUE;
            *op = (DnOp){.kind = DN_OP_AWAIT, .tag = 1 + c};
            return TRUE;
        }
        g->computing[c] = unfold_pop(&g->computes[c]);
        unfold_begun(g, g->computing[c]);
        cursor->a = 1;
        if (wake_main(lower, g)) /* for what need not wait until the end */
            return raise_event(op, MAIN_EVENT);
    }
    cursor->a = 0;
    const Node *v = &g->nodes[g->computing[c]];
    *op = (DnOp){.kind = DN_OP_COMPUTE,
                 .duration_ps = dn_lower_compute_ps(lower, v->size),
                 .call = v->call,
                 .at = v->at};
    return TRUE;
}

static gboolean worker_next(const DnLower *lower, guint32 r, DnCursor *cursor, DnOp *op)
{
    struct DnDagRank *g = lower->ranks[r].graph;
    guint32 w = (cursor->stream - 1 - lower->cpus) / lower->channels_each;
    if (!dn_lower_worker_next(lower, r, cursor, op))
        return FALSE;
    if (op->kind != DN_OP_SIGNAL || op->tag != dn_lower_done_event(lower, w))
        return TRUE;
    if (--g->worker_left[w] == 0) {
        guint32 node = g->worker_node[w];
        g->worker_node[w] = NOBODY;
        unfold_over(g, node);
        if (wake_main(lower, g))
            op->tag = MAIN_EVENT;
    }
    return TRUE;
}

gboolean dn_dag_rank_next(const DnProgram *program, guint32 r, DnCursor *cursor, DnOp *op)
{
    DnLower *lower = program->data;
    if (cursor->stream == 0)
        return main_next(lower, r, cursor, op);
    return cursor->stream <= lower->cpus ? cpu_next(lower, r, cursor, op)
                                         : worker_next(lower, r, cursor, op);
}

guint32 dn_dag_rank_completed(const DnProgram *program, guint32 r, guint32 stream, guint32 request)
{
    const DnLower *lower = program->data;
    if (!lower->graph || stream != 0)
        return DN_ANY;
    struct DnDagRank *g = lower->ranks[r].graph;
    g_array_append_val(g->free_slots, request);
    unfold_over(g, g->slot_node[request]);
    return wake_main(lower, g) ? MAIN_EVENT : DN_ANY;
}

/* ---- making ---- */

/* Called twice: with @next NULL it counts in nodes[].first who waits for whom, then it fills. */
static void load_edges(DnLower *lower, guint32 r, struct DnDagRank *g, guint32 *next)
{
    DnTraceCursor *cursor = &lower->ranks[r].cursor;
    DnTraceOp op;
    dn_trace_cursor_rewind(cursor);
    for (guint32 v = 0; dn_trace_cursor_next(cursor, &op); v++)
        for (guint32 i = 0; i < op.n_deps; i++) {
            guint32 before = op.deps[i].op;
            if (next)
                g->after[next[before]++] = v << 1 | (op.deps[i].start != 0);
            else
                g->nodes[before + 1].first++;
        }
}

static void load_nodes(DnLower *lower, guint32 r, GArray *nodes)
{
    DnLowerRank *rank = &lower->ranks[r];
    DnTraceOp op;
    dn_trace_cursor_rewind(&rank->cursor);
    while (dn_trace_cursor_next(&rank->cursor, &op)) {
        Node v = {.call = op.call,
                  .cpu = op.cpu,
                  .need = op.n_deps,
                  .peer = op.peer,
                  .tag = op.tag,
                  .root = op.root,
                  .comm = op.comm,
                  .size = op.call == DN_CALL_COMPUTE ? op.duration_ps : MAX(0, op.bytes),
                  .at = op.at};
        if (dn_call_is_collective(op.call)) /* the k-th of its communicator, in file order */
            v.tag = rank->sequence[op.comm]++;
        lower->cpus = MAX(lower->cpus, op.cpu + 1u);
        g_array_append_val(nodes, v);
    }
}

void dn_dag_rank_load(DnLower *lower)
{
    for (guint32 r = 0; r < lower->trace->ranks; r++) {
        struct DnDagRank *g = lower->ranks[r].graph = g_new0(struct DnDagRank, 1);
        GArray *nodes = g_array_new(FALSE, TRUE, sizeof(Node));
        load_nodes(lower, r, nodes);
        g->n = nodes->len;
        g_array_set_size(nodes, g->n + 1);
        g->nodes = (Node *)(gpointer)g_array_free(nodes, FALSE);
        load_edges(lower, r, g, NULL);
        g_autofree guint32 *next = g_new(guint32, g->n + 1);
        for (guint32 v = 0; v <= g->n; v++) {
            g->nodes[v].first += v > 0 ? g->nodes[v - 1].first : 0;
            next[v] = g->nodes[v].first;
        }
        g->after = g_new(guint32, g->nodes[g->n].first + 1);
        load_edges(lower, r, g, next);
        g->free_slots = g_array_new(FALSE, FALSE, sizeof(guint32));
    }
    for (guint32 r = 0; r < lower->trace->ranks; r++) {
        struct DnDagRank *g = lower->ranks[r].graph;
        g->computes = g_new0(Queue, lower->cpus);
        g->computing = g_new0(guint32, lower->cpus);
        g->cpu_asleep = g_new0(gboolean, lower->cpus);
        g->worker_node = g_new0(guint32, lower->n_workers + 1);
        g->worker_left = g_new0(guint32, lower->n_workers + 1);
    }
}

gint64 dn_dag_rank_computes(const DnLower *lower, guint32 r, guint32 cpu)
{
    const struct DnDagRank *g = lower->ranks[r].graph;
    double ps = 0;
    for (guint32 v = 0; v < g->n; v++)
        if (g->nodes[v].call == DN_CALL_COMPUTE && g->nodes[v].cpu == cpu)
            ps += (double)g->nodes[v].size * lower->compute_scale;
    return (gint64)MIN(ps, DN_LOWER_LONGEST_PS);
}

void dn_dag_rank_free(struct DnDagRank *g, guint32 cpus)
{
    if (!g)
        return;
    for (guint32 c = 0; g->computes && c < cpus; c++)
        g_free(g->computes[c].items);
    g_free(g->nodes);
    g_free(g->after);
    g_free(g->issue.items);
    g_free(g->collectives.items);
    g_free(g->computes);
    g_free(g->computing);
    g_free(g->cpu_asleep);
    g_free(g->slot_node);
    g_array_unref(g->free_slots);
    g_free(g->worker_node);
    g_free(g->worker_left);
    g_free(g);
}
