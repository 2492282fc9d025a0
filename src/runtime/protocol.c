/* protocol.c - how a message goes: eager or by rendezvous, in the order of sending.
 *
 *   eager       the data goes at once; the receiver keeps it until a receive agrees
 *   rendezvous  RTS (in order with eager messages) -> a receive agrees -> CTS -> data, which goes
 *               straight to its receive; the send completes when the data has left
 * Every number a message carries stands in runtime.h. */
#include "runtime/runtime_internal.h"

typedef struct {
    guint32 source, tag, remote;
    DnWire kind;
    gint64 bytes;
} Incoming;

/* ---- sends: launch, turn, start, wire ---- */

guint32 dn_send_keep(DnScene *s, const DnSend *send)
{
    guint32 record = dn_record_take(&s->endpoint->pool);
    s->endpoint->pool.items[record] = (DnRecord){.peer = send->peer,
                                                 .tag = send->tag,
                                                 .request = (guint16)send->request,
                                                 .stream = send->stream,
                                                 .flags = send->flags,
                                                 .order = send->order,
                                                 .remote = send->remote,
                                                 .bytes = send->bytes,
                                                 .value = send->granted};
    return record;
}

DnSend dn_send_take(DnScene *s, guint32 record)
{
    const DnRecord *r = &s->endpoint->pool.items[record];
    DnSend send = {.bytes = r->bytes,
                   .peer = r->peer,
                   .tag = r->tag,
                   .request = r->request,
                   .order = r->order,
                   .remote = r->remote,
                   .flags = r->flags,
                   .stream = r->stream,
                   .granted = r->value != 0};
    dn_record_give(&s->endpoint->pool, record);
    return send;
}

static guint64 wire_tag(const DnScene *s, DnWire kind, guint32 peer, guint32 tag)
{
    return tag | (guint64)s->rank->rank << 32 | (guint64)kind << 53 |
           (guint64)s->job->local[peer] << 56;
}

static void control_send(DnScene *s, DnWire kind, guint32 peer, guint32 tag, guint64 word)
{
    const DnReplayJob *job = &s->job->job;
    DnMessage message = {
        .src = job->endpoints[s->rank->rank],
        .dst = job->endpoints[peer],
        .bytes = dn_costs(s, peer, G_MAXINT64)->control_bytes,
        .tag = wire_tag(s, kind, peer, tag),
        .cookie = DN_NO_COOKIE,
        .job = (guint16)s->rank->job,
        .lane = job->lane,
        .mode = job->mode,
        .word = word,
    };
    dn_scene_send(s, &message);
}

static DnWire wire_kind(const DnSend *send)
{
    if (send->flags & DN_OP_ONE_SIDED)
        return DN_WIRE_ONE_SIDED;
    return send->granted ? DN_WIRE_DATA : DN_WIRE_EAGER;
}

/* Words that were put one by one, in as many messages as the mechanism makes of them. */
static void send_messages(DnScene *s, const DnMessage *whole, guint32 messages)
{
    DnMessage message = *whole;
    gint64 left = whole->bytes;
    message.cookie = DN_NO_COOKIE;
    if (messages > 1)
        dn_unfinished_add(s, messages - 1); /* the program knows of one */
    for (guint32 i = messages; i > 1; i--) {
        message.bytes = whole->bytes / messages;
        left -= message.bytes;
        dn_scene_send(s, &message);
    }
    message.bytes = left;
    message.cookie = whole->cookie;
    dn_scene_send(s, &message);
}
static guint32 wire_messages(const DnSend *send, const DnCosts *costs)
{
    if (!(send->flags & DN_OP_ONE_SIDED))
        return 1;
    guint32 together = MAX(1, costs->coalesce);
    return (send->order + together - 1) / together;
}

/* Without counters (another engine) it goes by what is known at first. */
static guint8 aware_mode(DnScene *s, gint64 bytes)
{
    const DnAwareRule *rule = s->job->job.aware;
    DnNicCounters nic = {0};
    gboolean chosen;
    (void)dn_context_nic(s->context, &nic);
    guint8 mode = dn_aware_select(rule, s->rank->aware, bytes, &nic, &chosen);
    if (chosen)
        s->rank->owed_ps += rule->read_ps;
    return mode;
}

static guint8 message_mode(DnScene *s, gint64 bytes)
{
    const DnReplayJob *job = &s->job->job;
    if (job->aware != NULL)
        return aware_mode(s, bytes);
    return job->modes.n > 0 ? dn_mode_rules_mode(&job->modes, bytes) : job->mode;
}

/* What comes back when the last byte has left. */
static guint64 left_cookie(const DnScene *s, const DnSend *send, const DnCosts *costs)
{
    g_assert(costs->ack_ns == 0 || costs->send_entries == 0);
    return costs->ack_ns > 0 ? dn_cookie(DN_UNKNOWN, s->rank, send->request,
                                         dn_stream_entries(send->stream, costs->ack_ns))
                             : dn_cookie(DN_LEFT, s->rank, send->request,
                                         dn_stream_entries(send->stream, costs->send_entries));
}

static void send_transmit(DnScene *s, const DnSend *send, const DnCosts *costs)
{
    const DnReplayJob *job = &s->job->job;
    DnReplayWindow *window = dn_window_at(s->replay, s->rank, s->now_ps);
    if (window != NULL) {
        window->born++;
        window->born_bytes += send->bytes;
    }
    guint32 here = job->endpoints[s->rank->rank], there = job->endpoints[send->peer];
    DnMessage message = {
        .src = here,
        .dst = costs->via_host ? job->host_of[here] : there,
        .relay = there,
        .bytes = send->bytes,
        .tag = wire_tag(s, wire_kind(send), send->peer, send->tag),
        .cookie = left_cookie(s, send, costs),
        .rate_bps = costs->rate_bps,
        .job = (guint16)s->rank->job,
        .lane = job->lane,
        .mode = message_mode(s, send->bytes),
        .word = send->granted ? send->remote : send->order,
    };
    if (s->rank->nic != NULL) {
        dn_scene_count_nic(s);
        s->rank->nic->sent++;
    }
    send_messages(s, &message, wire_messages(send, costs));
}

void dn_send_advance(DnScene *s, const DnSend *send, guint32 stage)
{
    const DnReplayJob *job = &s->job->job;
    const DnCosts *costs = dn_costs(s, send->peer, send->bytes);
    if (job->endpoints[s->rank->rank] == job->endpoints[send->peer]) {
        gint64 copy_ps = dn_time_at_rate(send->bytes, costs->copy_bps);
        guint32 record = dn_send_keep(s, send);
        dn_scene_timer(s, s->now_ps + copy_ps, dn_cookie(DN_LOCAL, s->rank, 0, record));
        return;
    }
    for (; stage < costs->n_out; stage++) {
        gint64 when_ps = dn_stage_pass(s, &costs->out[stage], send->peer, send->bytes,
                                       wire_messages(send, costs));
        if (when_ps == s->now_ps)
            continue;
        guint32 record = dn_send_keep(s, send);
        dn_scene_timer(s, when_ps, dn_cookie(DN_STARTED, s->rank, stage + 1, record));
        return;
    }
    send_transmit(s, send, costs);
}

/* The copy's turn: start-up, then the stages and the wire. */
static void send_begin(DnScene *s, const DnSend *send)
{
    const DnCosts *costs = dn_costs(s, send->peer, send->bytes);
    gint64 delay_ps = costs->start_ps;
    if (send->bytes >= costs->setup_threshold_bytes)
        delay_ps += costs->setup_ps;
    if (delay_ps == 0) {
        dn_send_advance(s, send, 0);
        return;
    }
    guint32 record = dn_send_keep(s, send);
    dn_scene_timer(s, s->now_ps + delay_ps, dn_cookie(DN_STARTED, s->rank, 0, record));
}

static void send_queue(DnScene *s, const DnSend *send)
{
    DnRank *rank = s->rank;
    if (!dn_costs(s, send->peer, send->bytes)->serial) {
        send_begin(s, send);
        return;
    }
    if (!rank->copy_running) {
        rank->copy_running = TRUE;
        send_begin(s, send);
        return;
    }
    guint32 record = dn_send_keep(s, send);
    if (rank->copies.head == 0)
        rank->copies.head = record;
    else
        s->endpoint->pool.items[rank->copies.tail].next = record;
    rank->copies.tail = record;
}

static gboolean between_endpoints(const DnScene *s, guint32 peer)
{
    const DnReplayJob *job = &s->job->job;
    return job->endpoints[s->rank->rank] != job->endpoints[peer];
}

static guint32 send_await(DnScene *s, const DnSend *send)
{
    s->rank->uncleared++;
    s->rank->last_uncleared_peer = send->peer;
    s->rank->last_uncleared_tag = send->tag;
    return dn_send_keep(s, send);
}

/* Messages get their number when they go: those that wait for a CTS may overtake each other. */
static void triggered_launch(DnScene *s, DnSend *send)
{
    DnRecordPool *pool = &s->endpoint->pool;
    guint32 clear = dn_match_take(&s->rank->cleared, pool, send->peer, send->tag);
    if (clear == 0) {
        dn_match_add(&s->rank->armed, pool, send_await(s, send));
        return;
    }
    dn_record_give(pool, clear);
    send->order = dn_order_send(&s->rank->order, send->peer);
    send_queue(s, send);
}

void dn_send_launch(DnScene *s, DnSend *send)
{
    const DnCosts *costs = dn_costs(s, send->peer, send->bytes);
    gboolean apart = between_endpoints(s, send->peer);
    if (send->flags & DN_OP_ONE_SIDED) {
        send_queue(s, send);
        return;
    }
    if (costs->triggered && apart) {
        triggered_launch(s, send);
        return;
    }
    send->order = dn_order_send(&s->rank->order, send->peer);
    gint64 from_bytes = costs->rendezvous_from_bytes;
    if (from_bytes == 0 || send->bytes < from_bytes || !apart) {
        send_queue(s, send);
        return;
    }
    guint32 record = send_await(s, send);
    control_send(s, DN_WIRE_RTS, send->peer, send->tag, (guint64)record << 32 | send->order);
}

void dn_send_granted(DnScene *s, guint32 record)
{
    DnSend send = dn_send_take(s, record);
    send.granted = TRUE;
    s->rank->uncleared--;
    send_queue(s, &send);
}

/* A triggered receive is ready for a message of that source and tag. */
static void ready_arrive(DnScene *s, guint32 source, guint32 tag)
{
    DnRecordPool *pool = &s->endpoint->pool;
    guint32 record = dn_match_take(&s->rank->armed, pool, source, tag);
    if (record == 0) {
        record = dn_record_take(pool);
        pool->items[record] = (DnRecord){.peer = source, .tag = tag};
        dn_match_add(&s->rank->cleared, pool, record);
        return;
    }
    DnSend send = dn_send_take(s, record);
    s->rank->uncleared--;
    send.order = dn_order_send(&s->rank->order, send.peer);
    send_queue(s, &send);
}

/* The last byte of a send left: the next copy's turn, then whoever waits. */
void dn_send_left(DnScene *s, guint32 stream, guint32 request)
{
    DnRank *rank = s->rank;
    guint32 record = rank->copies.head;
    if (record != 0) {
        rank->copies.head = s->endpoint->pool.items[record].next;
        DnSend send = dn_send_take(s, record);
        send_begin(s, &send);
    } else {
        rank->copy_running = FALSE;
    }
    dn_request_complete(s, stream, request);
}

/* ---- receives ---- */

static void receive_finish(DnScene *s, const DnRecord *receive, gint64 when_ps)
{
    guint32 stream = dn_stream_entries(receive->stream, receive->order);
    if (when_ps <= s->now_ps)
        dn_request_complete(s, stream, receive->request);
    else
        dn_scene_timer(s, when_ps, dn_cookie(DN_RECEIVED, s->rank, receive->request, stream));
}

/* FALSE: the two sides disagree, and the rank has stopped. */
static gboolean sizes_agree(DnScene *s, const DnRecord *receive, const Incoming *in)
{
    gboolean exact = receive->flags & DN_OP_EXACT;
    if (exact ? in->bytes == receive->bytes : receive->bytes == 0 || in->bytes <= receive->bytes)
        return TRUE;
    dn_rank_fail(s, g_strdup_printf("sizes disagree: rank %u receives %" G_GINT64_FORMAT
                                    " B%s, tag %u, from rank "
                                    "%u, which sends %" G_GINT64_FORMAT " B",
                                    s->rank->rank, receive->bytes, exact ? "" : " at most", in->tag,
                                    in->source, in->bytes));
    return FALSE;
}

static void request_data(DnScene *s, const DnRecord *receive, const Incoming *in)
{
    guint32 record = dn_record_take(&s->endpoint->pool);
    DnRecord *r = &s->endpoint->pool.items[record];
    *r = *receive;
    r->peer = in->source;
    r->tag = in->tag;
    r->remote = in->remote;
    gint64 control_ps = dn_costs(s, in->source, G_MAXINT64)->control_ps;
    if (control_ps > 0)
        dn_scene_timer(s, s->now_ps + control_ps, dn_cookie(DN_CLEAR, s->rank, 0, record));
    else
        dn_receive_clear(s, record);
}

void dn_receive_clear(DnScene *s, guint32 record)
{
    const DnRecord *r = &s->endpoint->pool.items[record];
    control_send(s, DN_WIRE_CTS, r->peer, 0, (guint64)record << 32 | r->remote);
}

static void receive_match(DnScene *s, const DnRecord *receive, const Incoming *in,
                          gint64 arrived_ps)
{
    if (in->kind == DN_WIRE_RTS)
        request_data(s, receive, in);
    else if (sizes_agree(s, receive, in))
        receive_finish(s, receive, arrived_ps + dn_costs(s, in->source, in->bytes)->recv_ps);
}

/* FALSE: the CTS of a triggered receive has nowhere to go, and the rank has stopped. */
static gboolean receive_ready(DnScene *s, const DnOp *op)
{
    if (op->peer == DN_ANY || op->tag == DN_ANY) {
        dn_rank_fail(s, g_strdup_printf("rank %u receives from any source or any tag; a triggered "
                                        "receive clears one sender",
                                        s->rank->rank));
        return FALSE;
    }
    if (between_endpoints(s, op->peer))
        control_send(s, DN_WIRE_READY, op->peer, op->tag, 0);
    return TRUE;
}

void dn_receive_post(DnScene *s, const DnOp *op, guint32 stream)
{
    DnRank *rank = s->rank;
    DnRecordPool *pool = &s->endpoint->pool;
    const DnCosts *costs = dn_costs(s, op->peer, op->bytes);
    if (costs->triggered && !receive_ready(s, op))
        return;
    DnRecord receive = {.peer = op->peer,
                        .tag = op->tag,
                        .request = (guint16)op->request,
                        .stream = (guint8)stream,
                        .flags = (guint8)op->flags,
                        .order = costs->recv_entries,
                        .bytes = op->bytes};
    guint32 message = dn_match_take(&rank->unexpected, pool, op->peer, op->tag);
    if (message != 0) {
        const DnRecord *m = &pool->items[message];
        Incoming in = {.source = m->peer,
                       .tag = m->tag,
                       .remote = m->remote,
                       .kind = m->flags,
                       .bytes = m->bytes};
        gint64 arrived_ps = m->value;
        dn_record_give(pool, message);
        receive_match(s, &receive, &in, arrived_ps);
        return;
    }
    guint32 record = dn_record_take(pool);
    pool->items[record] = receive;
    dn_match_add(&rank->posted, pool, record);
}

/* ---- arrivals ---- */

static void take_in(DnScene *s, const Incoming *in)
{
    DnRank *rank = s->rank;
    DnRecordPool *pool = &s->endpoint->pool;
    guint32 record = dn_match_take(&rank->posted, pool, in->source, in->tag);
    if (record != 0) {
        DnRecord receive = pool->items[record];
        dn_record_give(pool, record);
        receive_match(s, &receive, in, s->now_ps);
        return;
    }
    record = dn_record_take(pool);
    pool->items[record] = (DnRecord){.peer = in->source,
                                     .tag = in->tag,
                                     .flags = (guint8)in->kind,
                                     .remote = in->remote,
                                     .bytes = in->bytes,
                                     .value = s->now_ps};
    dn_match_add(&rank->unexpected, pool, record);
}

static void hold_back(DnScene *s, const Incoming *in, guint32 number)
{
    DnRecordPool *pool = &s->endpoint->pool;
    guint32 record = dn_record_take(pool);
    pool->items[record] = (DnRecord){.peer = in->source,
                                     .tag = number,
                                     .flags = (guint8)in->kind,
                                     .order = in->tag,
                                     .remote = in->remote,
                                     .bytes = in->bytes};
    dn_match_add(&s->rank->held, pool, record);
}

/* Message @number of its pair; then those that waited for it. */
static void arrive_in_order(DnScene *s, Incoming *in, guint32 number)
{
    DnRank *rank = s->rank;
    DnRecordPool *pool = &s->endpoint->pool;
    if (!dn_order_arrive(&rank->order, in->source, number)) {
        hold_back(s, in, number);
        return;
    }
    take_in(s, in);
    for (;;) {
        /* Number DN_ANY would agree with all: it is never held longer than the one before it. */
        guint32 record =
            rank->held.count > 0 ? dn_match_take(&rank->held, pool, in->source, ++number) : 0;
        if (record == 0)
            return;
        const DnRecord *held = &pool->items[record];
        *in = (Incoming){.source = held->peer,
                         .tag = held->order,
                         .remote = held->remote,
                         .kind = held->flags,
                         .bytes = held->bytes};
        dn_record_give(pool, record);
        gboolean next = dn_order_arrive(&rank->order, in->source, number);
        g_assert(next);
        take_in(s, in);
    }
}

static void count_one_sided(DnScene *s, const Incoming *in)
{
    s->rank->one_sided++;
    dn_unfinished_add(s, -1);
    gint64 there_ps = s->now_ps + dn_costs(s, in->source, in->bytes)->recv_ps;
    s->rank->last_one_sided_ps = MAX(s->rank->last_one_sided_ps, there_ps);
    if (s->replay->done != NULL)
        s->replay->done(s->replay->done_data, s->rank->job, DN_ANY, s->now_ps, there_ps);
}

/* The data of a rendezvous is here: its receive stands in @record. */
static void data_arrive(DnScene *s, Incoming *in, guint32 record)
{
    DnRecord receive = s->endpoint->pool.items[record];
    dn_record_give(&s->endpoint->pool, record);
    in->kind = DN_WIRE_DATA;
    receive_match(s, &receive, in, s->now_ps);
}

static void clear_arrive(DnScene *s, guint64 word)
{
    guint32 record = (guint32)word;
    guint32 peer = s->endpoint->pool.items[record].peer;
    gint64 control_ps = dn_costs(s, peer, G_MAXINT64)->control_ps;
    s->endpoint->pool.items[record].remote = (guint32)(word >> 32);
    if (control_ps > 0)
        dn_scene_timer(s, s->now_ps + control_ps, dn_cookie(DN_GRANTED, s->rank, 0, record));
    else
        dn_send_granted(s, record);
}

static void hand_over(DnScene *s, Incoming *in, guint32 word)
{
    s->rank->messages++;
    if (in->kind == DN_WIRE_ONE_SIDED)
        count_one_sided(s, in);
    else if (in->kind == DN_WIRE_DATA)
        data_arrive(s, in, word);
    else
        arrive_in_order(s, in, word);
}

/* Through the stages from @stage on, then to its receive. */
static void arrival_pass(DnScene *s, Incoming *in, guint32 word, guint32 stage)
{
    const DnCosts *costs = dn_costs(s, in->source, in->bytes);
    for (; stage < costs->n_in; stage++) {
        gint64 when_ps =
            dn_stage_arrive(s, &costs->in[stage], in->source, in->bytes, costs->rate_bps);
        if (when_ps == s->now_ps)
            continue;
        guint32 record = dn_record_take(&s->endpoint->pool);
        s->endpoint->pool.items[record] = (DnRecord){.peer = in->source,
                                                     .tag = in->tag,
                                                     .flags = (guint8)in->kind,
                                                     .order = word,
                                                     .remote = in->remote,
                                                     .bytes = in->bytes};
        dn_scene_timer(s, when_ps, dn_cookie(DN_ARRIVING, s->rank, stage + 1, record));
        return;
    }
    hand_over(s, in, word);
}

void dn_arrival_advance(DnScene *s, guint32 record, guint32 stage)
{
    const DnRecord *r = &s->endpoint->pool.items[record];
    Incoming in = {
        .source = r->peer, .tag = r->tag, .remote = r->remote, .kind = r->flags, .bytes = r->bytes};
    guint32 word = r->order;
    dn_record_give(&s->endpoint->pool, record);
    arrival_pass(s, &in, word, stage);
}

void dn_message_arrive(DnScene *s, const DnMessage *message)
{
    DnWire kind = message->tag >> 53 & 7;
    Incoming in = {.source = message->tag >> 32 & (DN_REPLAY_MAX_RANKS - 1),
                   .tag = (guint32)message->tag,
                   .remote = (guint32)(message->word >> 32),
                   .kind = kind,
                   .bytes = message->bytes};
    if (kind == DN_WIRE_CTS)
        clear_arrive(s, message->word);
    else if (kind == DN_WIRE_READY)
        ready_arrive(s, in.source, in.tag);
    else if (kind == DN_WIRE_RTS)
        arrive_in_order(s, &in, (guint32)message->word);
    else
        arrival_pass(s, &in, (guint32)message->word, 0);
}

/* A send within the endpoint: leaves and arrives at once. */
void dn_send_copied(DnScene *s, guint32 record)
{
    DnSend send = dn_send_take(s, record);
    DnScene there = *s;
    there.rank = &s->replay->ranks[s->endpoint->first + s->job->local[send.peer]];
    Incoming in = {
        .source = s->rank->rank, .tag = send.tag, .kind = wire_kind(&send), .bytes = send.bytes};
    guint32 entries = dn_costs(s, send.peer, send.bytes)->send_entries;
    dn_send_left(s, dn_stream_entries(send.stream, entries), send.request);
    hand_over(&there, &in, send.order);
}
