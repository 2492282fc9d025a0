/* critical_path.c - see critical_path.h. */
#include "runtime/critical_path.h"

#include "runtime/runtime_internal.h"

/* A callback and its cause: the interval from its parent's time to its own. It is kept while a
 * pending timer or message, or another node, refers to it. */
typedef struct {
    gint64 at_ps;
    DnDelaySpan *spans; /* delay spans of a message; NULL: none */
    guint32 n_spans;
    guint32 parent; /* 0: none, or before the iteration */
    guint32 refs;
    guint8 kind; /* DnBreakdownKind */
} Node;

/* A pending timer, or a message in flight. */
typedef struct {
    guint64 cookie, word; /* the client's */
    DnDelaySpan *left, *came;
    guint32 n_left, n_came;
    guint32 cause; /* node */
    guint32 next_free;
    guint8 kind; /* DnBreakdownKind, of a timer */
    guint8 ends; /* callbacks that are still to come */
} Record;

struct DnCriticalPath {
    DnReplay *replay;
    DnCriticalPathQuery *asked;
    GArray *nodes, *records; /* Node, Record; item 0 is unused */
    guint32 free_node, free_record;
    guint32 now;    /* node of the callback being served */
    guint32 end;    /* node in which the iteration ended; 0: not yet */
    gint64 tail_ps; /* from there to its end: of the endpoint */
};

struct DnContext {
    const DnContextOps *ops;
    DnContext *inner;
    DnCriticalPath *critical_path;
    guint32 endpoint;
};

void dn_critical_path_query_init(DnCriticalPathQuery *asked, guint job, guint32 iteration,
                                 gint64 from_ps, gint64 to_ps)
{
    *asked = (DnCriticalPathQuery){
        .job = job, .iteration = iteration, .from_ps = from_ps, .to_ps = to_ps};
    asked->path = dn_delay_breakdown_new();
    asked->messages = dn_delay_breakdown_new();
}

void dn_critical_path_query_clear(DnCriticalPathQuery *asked)
{
    g_clear_pointer(&asked->path, dn_delay_breakdown_free);
    g_clear_pointer(&asked->messages, dn_delay_breakdown_free);
}

/* ---- nodes and records ---- */

static Node *node_at(const DnCriticalPath *c, guint32 id)
{
    return &g_array_index(c->nodes, Node, id);
}

static Record *record_at(const DnCriticalPath *c, guint32 id)
{
    g_assert(id > 0 && id < c->records->len);
    return &g_array_index(c->records, Record, id);
}

static guint32 node_ref(const DnCriticalPath *c, guint32 id)
{
    if (id != 0)
        node_at(c, id)->refs++;
    return id;
}

/* Drops a reference, without recursion: chains are long. */
static void node_unref(DnCriticalPath *c, guint32 id)
{
    while (id != 0 && --node_at(c, id)->refs == 0) {
        Node *node = node_at(c, id);
        guint32 parent = node->parent;
        g_clear_pointer(&node->spans, g_free);
        node->parent = c->free_node;
        c->free_node = id;
        id = parent;
    }
}

/* Makes a node at @at_ps, after @cause (takes its reference); it has one reference. Events before
 * the iteration need no cause. */
static guint32 node_new(DnCriticalPath *c, guint32 cause, gint64 at_ps, DnBreakdownKind kind)
{
    guint32 id = c->free_node;
    if (id != 0) {
        c->free_node = node_at(c, id)->parent;
    } else {
        id = c->nodes->len;
        g_array_set_size(c->nodes, id + 1);
    }
    if (at_ps <= c->asked->from_ps) {
        node_unref(c, cause);
        cause = 0;
    }
    *node_at(c, id) = (Node){.at_ps = at_ps, .parent = cause, .refs = 1, .kind = (guint8)kind};
    return id;
}

static guint32 record_new(DnCriticalPath *c, guint ends)
{
    guint32 id = c->free_record;
    if (id != 0) {
        c->free_record = record_at(c, id)->next_free;
    } else {
        id = c->records->len;
        g_array_set_size(c->records, id + 1);
    }
    *record_at(c, id) = (Record){.cause = node_ref(c, c->now), .ends = (guint8)ends};
    return id;
}

static void record_end(DnCriticalPath *c, guint32 id)
{
    Record *r = record_at(c, id);
    if (--r->ends > 0)
        return;
    g_clear_pointer(&r->left, g_free);
    g_clear_pointer(&r->came, g_free);
    node_unref(c, r->cause);
    r->next_free = c->free_record;
    c->free_record = id;
}

/* ---- calls of the client to the engine ---- */

static gint64 inner_now(const DnContext *context)
{
    return dn_context_now(context->inner);
}

static gboolean inner_nic(const DnContext *context, DnNicCounters *counters)
{
    return dn_context_nic(context->inner, counters);
}

static DnBreakdownKind kind_of_timer(const DnContext *context, guint64 cookie)
{
    const DnReplay *replay = context->critical_path->replay;
    DnCookie c = dn_cookie_unpack(cookie);
    if (c.kind != DN_COOKIE_WAKE)
        return DN_BREAKDOWN_ENDPOINT;
    const DnRank *rank = &replay->endpoints[context->endpoint].ranks[c.local];
    const DnStream *stream = &rank->streams[c.lower];
    return stream->doing == DN_DOING_WAITED ? DN_BREAKDOWN_ENDPOINT : DN_BREAKDOWN_COMPUTE;
}

/* Returns the record of a timer that the callback being served sets. */
static guint32 timer_record(DnCriticalPath *c, guint64 cookie, DnBreakdownKind kind)
{
    guint32 id = record_new(c, 1);
    record_at(c, id)->cookie = cookie;
    record_at(c, id)->kind = (guint8)kind;
    return id;
}

static void inner_timer(DnContext *context, gint64 when, guint64 cookie)
{
    DnBreakdownKind kind = kind_of_timer(context, cookie);
    dn_context_timer(context->inner, when, timer_record(context->critical_path, cookie, kind));
}

static void inner_node_timer(DnContext *context, guint32 endpoint, gint64 when, guint64 cookie)
{
    guint32 id = timer_record(context->critical_path, cookie, DN_BREAKDOWN_ENDPOINT);
    dn_context_node_timer(context->inner, endpoint, when, id);
}

static void inner_send(DnContext *context, const DnMessage *message)
{
    DnCriticalPath *c = context->critical_path;
    gboolean notifies = message->cookie != DN_NO_COOKIE;
    guint32 id = record_new(c, notifies ? 2 : 1);
    record_at(c, id)->cookie = message->cookie;
    record_at(c, id)->word = message->word;
    DnMessage kept = *message;
    kept.word = id;
    kept.cookie = notifies ? id : DN_NO_COOKIE;
    dn_context_send(context->inner, &kept);
}

static const DnContextOps inner_ops = {.now = inner_now,
                                       .send = inner_send,
                                       .timer = inner_timer,
                                       .node_timer = inner_node_timer,
                                       .nic = inner_nic};

/* ---- the callbacks ---- */

static DnContext critical_path_around(DnCriticalPath *c, DnContext *inner, guint32 endpoint)
{
    return (DnContext){&inner_ops, inner, c, endpoint};
}

/* Begins a callback caused by record @id, whose delay spans become the node's. */
static void critical_path_enter(DnCriticalPath *c, guint32 id, gint64 now_ps, DnBreakdownKind kind,
                                DnDelaySpan **spans, guint32 n)
{
    guint32 node = node_new(c, node_ref(c, record_at(c, id)->cause), now_ps, kind);
    if (spans != NULL) {
        node_at(c, node)->spans = g_steal_pointer(spans);
        node_at(c, node)->n_spans = n;
    }
    c->now = node;
}

static void critical_path_leave(DnCriticalPath *c, guint32 id)
{
    node_unref(c, c->now);
    c->now = 0;
    if (id != 0)
        record_end(c, id);
}

static void on_start(void *client, DnContext *inner, guint32 endpoint)
{
    DnCriticalPath *c = client;
    DnContext context = critical_path_around(c, inner, endpoint);
    c->now = node_new(c, 0, 0, DN_BREAKDOWN_COMPUTE);
    dn_replay_client.start(c->replay, &context, endpoint);
    critical_path_leave(c, 0);
}

static void on_sent(void *client, DnContext *inner, guint32 endpoint, guint64 cookie)
{
    DnCriticalPath *c = client;
    DnContext context = critical_path_around(c, inner, endpoint);
    guint32 id = (guint32)cookie;
    Record *r = record_at(c, id);
    guint64 own = r->cookie;
    critical_path_enter(c, id, dn_context_now(inner), DN_BREAKDOWN_NETWORK, &r->left, r->n_left);
    dn_replay_client.sent(c->replay, &context, endpoint, own);
    critical_path_leave(c, id);
}

static void on_delivered(void *client, DnContext *inner, guint32 endpoint, const DnMessage *message)
{
    DnCriticalPath *c = client;
    DnContext context = critical_path_around(c, inner, endpoint);
    guint32 id = (guint32)message->word;
    Record *r = record_at(c, id);
    DnMessage own = *message;
    own.word = r->word;
    own.cookie = r->cookie;
    critical_path_enter(c, id, dn_context_now(inner), DN_BREAKDOWN_NETWORK, &r->came, r->n_came);
    dn_replay_client.delivered(c->replay, &context, endpoint, &own);
    critical_path_leave(c, id);
}

static void on_timer(void *client, DnContext *inner, guint32 endpoint, guint64 cookie)
{
    DnCriticalPath *c = client;
    DnContext context = critical_path_around(c, inner, endpoint);
    guint32 id = (guint32)cookie;
    const Record *r = record_at(c, id);
    guint64 own = r->cookie;
    critical_path_enter(c, id, dn_context_now(inner), r->kind, NULL, 0);
    dn_replay_client.timer(c->replay, &context, endpoint, own);
    critical_path_leave(c, id);
}

static guint critical_path_blocked(void *client, GString *account, guint max_lines)
{
    return dn_replay_client.blocked(((DnCriticalPath *)client)->replay, account, max_lines);
}

static gboolean critical_path_awaits(const void *client, gint64 work[DN_AWAITED])
{
    return dn_replay_client.awaits(((const DnCriticalPath *)client)->replay, work);
}

const DnClient dn_critical_path_client = {
    .start = on_start,
    .sent = on_sent,
    .delivered = on_delivered,
    .timer = on_timer,
    .blocked = critical_path_blocked,
    .awaits = critical_path_awaits,
};

/* ---- delay spans from the engine ---- */

static void breakdown_message(DnCriticalPathQuery *asked, const DnDelaySpan *spans, guint n)
{
    asked->n_messages++;
    for (guint i = 0; i < n; i++) {
        dn_delay_breakdown_add(asked->messages, &(DnBreakdownRow){DN_BREAKDOWN_NETWORK, spans[i]});
        asked->messages_ps += spans[i].ps;
    }
}

void dn_critical_path_delays(DnCriticalPath *c, const DnMessage *message, gint64 born_ps,
                             gboolean arrived, const DnDelaySpan *spans, guint n)
{
    DnCriticalPathQuery *asked = c->asked;
    if (born_ps >= asked->to_ps)
        return;
    if (arrived && message->job == asked->job && born_ps >= asked->from_ps)
        breakdown_message(asked, spans, n);
    Record *r = record_at(c, (guint32)message->word);
    if (arrived) {
        r->came = g_memdup2(spans, n * sizeof *spans);
        r->n_came = n;
    } else if (message->cookie != DN_NO_COOKIE) {
        r->left = g_memdup2(spans, n * sizeof *spans);
        r->n_left = n;
    }
}

/* Notes that a rank of @job finishes @iteration, or a receiver a one-sided message (DN_ANY), at
 * @when_ps: the end of the path if it is the iteration's end. */
static void critical_path_done(void *data, guint job, guint32 iteration, gint64 now_ps,
                               gint64 when_ps)
{
    DnCriticalPath *c = data;
    const DnCriticalPathQuery *asked = c->asked;
    if (c->end != 0 || job != asked->job || when_ps != asked->to_ps ||
        (iteration != asked->iteration && iteration != DN_ANY))
        return;
    c->end = node_ref(c, c->now);
    c->tail_ps = when_ps - now_ps;
}

DnCriticalPath *dn_critical_path_new(DnReplay *replay, DnCriticalPathQuery *asked)
{
    DnCriticalPath *c = g_new0(DnCriticalPath, 1);
    c->replay = replay;
    c->asked = asked;
    c->nodes = g_array_new(FALSE, TRUE, sizeof(Node));
    c->records = g_array_new(FALSE, TRUE, sizeof(Record));
    g_array_set_size(c->nodes, 1);
    g_array_set_size(c->records, 1);
    replay->done = critical_path_done;
    replay->done_data = c;
    return c;
}

void dn_critical_path_free(DnCriticalPath *c)
{
    if (c == NULL)
        return;
    for (guint32 i = 1; i < c->nodes->len; i++)
        if (node_at(c, i)->refs > 0)
            g_free(node_at(c, i)->spans);
    for (guint32 i = 1; i < c->records->len; i++)
        if (record_at(c, i)->ends > 0) {
            g_free(record_at(c, i)->left);
            g_free(record_at(c, i)->came);
        }
    g_array_unref(c->nodes);
    g_array_unref(c->records);
    g_free(c);
}

/* ---- the path ---- */

/* Adds the last @ps of the time that led to @node. */
static void breakdown_step(DnDelayBreakdown *path, const Node *node, gint64 ps)
{
    for (guint32 i = node->n_spans; node->spans != NULL && i > 0 && ps > 0; i--) {
        DnBreakdownRow item = {DN_BREAKDOWN_NETWORK, node->spans[i - 1]};
        item.span.ps = MIN(item.span.ps, ps);
        ps -= item.span.ps;
        dn_delay_breakdown_add(path, &item);
    }
    g_assert(ps == 0 || node->spans == NULL);
    if (ps > 0)
        dn_delay_breakdown_add(path, &(DnBreakdownRow){node->kind, {.ps = ps}});
}

void dn_critical_path_finish(DnCriticalPath *c)
{
    DnCriticalPathQuery *asked = c->asked;
    asked->found = c->end != 0;
    if (c->tail_ps > 0)
        dn_delay_breakdown_add(asked->path,
                               &(DnBreakdownRow){DN_BREAKDOWN_ENDPOINT, {.ps = c->tail_ps}});
    for (guint32 id = c->end; id != 0 && node_at(c, id)->at_ps > asked->from_ps;) {
        const Node *node = node_at(c, id);
        gint64 before_ps = node->parent != 0 ? node_at(c, node->parent)->at_ps : 0;
        breakdown_step(asked->path, node, node->at_ps - MAX(before_ps, asked->from_ps));
        asked->steps++;
        id = node->parent;
    }
    g_assert(!asked->found || dn_delay_breakdown_sum(asked->path) == asked->to_ps - asked->from_ps);
}
