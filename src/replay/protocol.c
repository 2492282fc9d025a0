/* protocol.c - how a message goes: eager or by rendezvous, in the order of sending.
 *
 *   eager       the data goes at once; the receiver keeps it until a receive agrees
 *   rendezvous  RTS (in order with eager messages) -> a receive agrees -> CTS -> data, which goes
 *               straight to its receive; the send completes when the data has left
 * Every number a message carries stands in replay.h. */
#include "replay/replay_internal.h"

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
        .bytes = job->mechanism.control_bytes,
        .tag = wire_tag(s, kind, peer, tag),
        .cookie = DN_NO_COOKIE,
        .job = (guint16)s->rank->job,
        .lane = job->lane,
        .mode = job->mode,
        .word = word,
    };
    dn_context_send(s->context, &message);
}

static DnWire wire_kind(const DnSend *send)
{
    if (send->flags & DN_OP_ONE_SIDED)
        return DN_WIRE_ONE_SIDED;
    return send->granted ? DN_WIRE_DATA : DN_WIRE_EAGER;
}

void dn_send_transmit(DnScene *s, const DnSend *send)
{
    const DnReplayJob *job = &s->job->job;
    guint32 here = job->endpoints[s->rank->rank], there = job->endpoints[send->peer];
    if (here == there) {
        gint64 copy_ps = dn_time_at_rate(send->bytes, job->mechanism.copy_bps);
        guint32 record = dn_send_keep(s, send);
        dn_context_timer(s->context, s->now_ps + copy_ps, dn_cookie(DN_LOCAL, s->rank, 0, record));
        return;
    }
    DnReplayWindow *window = dn_window_at(s->replay, s->rank, s->now_ps);
    if (window != NULL) {
        window->born++;
        window->born_bytes += send->bytes;
    }
    DnMessage message = {
        .src = here,
        .dst = there,
        .bytes = send->bytes,
        .tag = wire_tag(s, wire_kind(send), send->peer, send->tag),
        .cookie = dn_cookie(DN_LEFT, s->rank, send->request, send->stream),
        .rate_bps = job->mechanism.rate_bps,
        .job = (guint16)s->rank->job,
        .lane = job->lane,
        .mode = job->mode,
        .word = send->granted ? send->remote : send->order,
    };
    dn_context_send(s->context, &message);
}

/* The copy's turn: start-up, then the wire. */
static void send_begin(DnScene *s, const DnSend *send)
{
    const DnMechanism *m = &s->job->job.mechanism;
    gint64 delay_ps = m->start_ps;
    if (send->bytes >= m->setup_threshold_bytes)
        delay_ps += m->setup_ps;
    if (delay_ps == 0) {
        dn_send_transmit(s, send);
        return;
    }
    guint32 record = dn_send_keep(s, send);
    dn_context_timer(s->context, s->now_ps + delay_ps, dn_cookie(DN_STARTED, s->rank, 0, record));
}

static void send_queue(DnScene *s, const DnSend *send)
{
    DnRank *rank = s->rank;
    if (!s->job->job.mechanism.serial) {
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

static gboolean by_rendezvous(const DnScene *s, const DnSend *send)
{
    const DnReplayJob *job = &s->job->job;
    gint64 from_bytes = job->mechanism.rendezvous_from_bytes;
    return from_bytes > 0 && send->bytes >= from_bytes && !(send->flags & DN_OP_ONE_SIDED) &&
           job->endpoints[s->rank->rank] != job->endpoints[send->peer];
}

void dn_send_launch(DnScene *s, DnSend *send)
{
    if (!(send->flags & DN_OP_ONE_SIDED))
        send->order = dn_order_send(&s->rank->order, send->peer);
    if (!by_rendezvous(s, send)) {
        send_queue(s, send);
        return;
    }
    guint32 record = dn_send_keep(s, send);
    s->rank->uncleared++;
    s->rank->last_uncleared_peer = send->peer;
    s->rank->last_uncleared_tag = send->tag;
    control_send(s, DN_WIRE_RTS, send->peer, send->tag, (guint64)record << 32 | send->order);
}

void dn_send_granted(DnScene *s, guint32 record)
{
    DnSend send = dn_send_take(s, record);
    send.granted = TRUE;
    s->rank->uncleared--;
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

static void receive_finish(DnScene *s, guint32 stream, guint32 request, gint64 when_ps)
{
    if (when_ps <= s->now_ps)
        dn_request_complete(s, stream, request);
    else
        dn_context_timer(s->context, when_ps, dn_cookie(DN_RECEIVED, s->rank, request, stream));
}

/* FALSE: the two sides disagree, and the rank has stopped. */
static gboolean sizes_agree(DnScene *s, const DnRecord *receive, const Incoming *in)
{
    gboolean exact = receive->flags & DN_OP_EXACT;
    if (exact ? in->bytes == receive->bytes : receive->bytes == 0 || in->bytes <= receive->bytes)
        return TRUE;
    dn_rank_fail(s, g_strdup_printf("rank %u receives %" G_GINT64_FORMAT " B%s, tag %u, from rank "
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
    gint64 control_ps = s->job->job.mechanism.control_ps;
    if (control_ps > 0)
        dn_context_timer(s->context, s->now_ps + control_ps,
                         dn_cookie(DN_CLEAR, s->rank, 0, record));
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
        receive_finish(s, receive->stream, receive->request,
                       arrived_ps + s->job->job.mechanism.recv_ps);
}

void dn_receive_post(DnScene *s, const DnOp *op, guint32 stream)
{
    DnRank *rank = s->rank;
    DnRecordPool *pool = &s->endpoint->pool;
    DnRecord receive = {.peer = op->peer,
                        .tag = op->tag,
                        .request = (guint16)op->request,
                        .stream = (guint8)stream,
                        .flags = (guint8)op->flags,
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

static void count_one_sided(DnScene *s)
{
    s->rank->one_sided++;
    dn_unfinished_add(s, -1);
    s->rank->last_one_sided_ps =
        MAX(s->rank->last_one_sided_ps, s->now_ps + s->job->job.mechanism.recv_ps);
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
    gint64 control_ps = s->job->job.mechanism.control_ps;
    s->endpoint->pool.items[record].remote = (guint32)(word >> 32);
    if (control_ps > 0)
        dn_context_timer(s->context, s->now_ps + control_ps,
                         dn_cookie(DN_GRANTED, s->rank, 0, record));
    else
        dn_send_granted(s, record);
}

void dn_message_arrive(DnScene *s, const DnMessage *message)
{
    DnWire kind = message->tag >> 53 & 7;
    Incoming in = {.source = message->tag >> 32 & (DN_REPLAY_MAX_RANKS - 1),
                   .tag = (guint32)message->tag,
                   .remote = (guint32)(message->word >> 32),
                   .kind = kind,
                   .bytes = message->bytes};
    if (kind == DN_WIRE_CTS) {
        clear_arrive(s, message->word);
        return;
    }
    if (kind != DN_WIRE_RTS)
        s->rank->messages++;
    if (kind == DN_WIRE_ONE_SIDED)
        count_one_sided(s);
    else if (kind == DN_WIRE_DATA)
        data_arrive(s, &in, (guint32)message->word);
    else
        arrive_in_order(s, &in, (guint32)message->word);
}

/* A send within the endpoint: leaves and arrives at once. */
void dn_send_copied(DnScene *s, guint32 record)
{
    DnSend send = dn_send_take(s, record);
    DnScene there = *s;
    there.rank = &s->replay->ranks[s->endpoint->first + s->job->local[send.peer]];
    Incoming in = {
        .source = s->rank->rank, .tag = send.tag, .kind = wire_kind(&send), .bytes = send.bytes};
    dn_send_left(s, send.stream, send.request);
    there.rank->messages++;
    if (in.kind == DN_WIRE_ONE_SIDED)
        count_one_sided(&there);
    else
        arrive_in_order(&there, &in, send.order);
}
