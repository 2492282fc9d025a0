/* arrivals.c - receives, and how a message comes in: through the stages after the wire, in the
 * order of sending, to the receive that agrees with it. */
#include "runtime/arrivals.h"

#include "runtime/protocol.h"
#include "runtime/rank_streams.h"
#include "runtime/read_parts.h"
#include "runtime/read_queues.h"
#include "runtime/service_stages.h"

typedef struct {
    guint32 source, tag, remote;
    DnWire kind;
    guint8 rule; /* of the mechanism; control messages have none */
    gint64 bytes;
} Incoming;

/* ---- receives ---- */

static DnCompletion receive_completion(const DnRecord *receive)
{
    return (DnCompletion){.request = receive->receive.request,
                          .stream = receive->receive.stream,
                          .entries = receive->receive.entries};
}

static void note_flow(const DnRankContext *s, const DnRecord *receive, gint64 when_ps)
{
    DnFlowTime *flow = dn_rank_context_flow(s, receive->receive.stream, receive->tag);
    if (flow != NULL)
        flow->end_ps = when_ps;
}

void dn_receive_noticed(DnRankContext *s, guint32 record)
{
    DnRecord receive = *dn_record_at(&s->endpoint->pool, record, DN_RECORD_RECEIVE);
    dn_record_give(&s->endpoint->pool, record);
    gint64 work_ps = (gint64)dn_rank_context_costs(s, receive.rule)->receive.progress_ns * 1000;
    gint64 when_ps = dn_cpu_work(s, dn_host_ps(s, work_ps));
    note_flow(s, &receive, when_ps);
    dn_rank_context_timer(
        s, when_ps,
        dn_cookie_of_completion(DN_COOKIE_RECEIVED, s->rank->local, receive_completion(&receive)));
}

/* Completes @receive, whose message of @rule is whole in memory at @when_ps. */
static void receive_finish(DnRankContext *s, const DnRecord *receive, gint64 when_ps, guint8 rule)
{
    if (dn_rank_context_costs(s, rule)->receive.progress_ns > 0) {
        DnRecord noticed = *receive;
        noticed.rule = rule;
        guint32 record = dn_record_keep(&s->endpoint->pool, noticed);
        if (when_ps <= s->now_ps)
            dn_receive_noticed(s, record);
        else
            dn_rank_context_timer(
                s, when_ps, dn_cookie_of_record(DN_COOKIE_NOTICED, s->rank->local, record, 0));
        return;
    }
    DnCompletion done = receive_completion(receive);
    note_flow(s, receive, MAX(when_ps, s->now_ps));
    if (when_ps <= s->now_ps)
        dn_request_complete(s, done);
    else
        dn_rank_context_timer(s, when_ps,
                              dn_cookie_of_completion(DN_COOKIE_RECEIVED, s->rank->local, done));
}

/* FALSE: the two sides disagree, and the rank has stopped. */
static gboolean sizes_agree(DnRankContext *s, const DnRecord *receive, const Incoming *in)
{
    gboolean exact = receive->receive.flags & DN_OP_EXACT;
    if (exact ? in->bytes == receive->bytes : receive->bytes == 0 || in->bytes <= receive->bytes)
        return TRUE;
    dn_rank_fail(s, g_strdup_printf("sizes disagree: rank %u receives %" G_GINT64_FORMAT
                                    " B%s, tag %u, from rank "
                                    "%u, which sends %" G_GINT64_FORMAT " B",
                                    s->rank->rank, receive->bytes, exact ? "" : " at most", in->tag,
                                    in->source, in->bytes));
    return FALSE;
}

/* Keeps @receive, matched by an RTS, in a record until its data come, and asks for them. */
static void request_data(DnRankContext *s, const DnRecord *receive, const Incoming *in)
{
    DnRecord waiting = *receive;
    waiting.peer = in->source;
    waiting.tag = in->tag;
    waiting.receive.remote = in->remote;
    waiting.get_bytes = (guint32)in->bytes; /* of the RTS */
    guint32 record = dn_record_keep(&s->endpoint->pool, waiting);
    const DnCosts *costs = dn_rank_context_control(s, in->source, in->tag);
    gint64 when_ps = s->now_ps;
    gint64 notice_ps = (gint64)costs->receive.progress_ns * 1000;
    if (costs->control_ps > 0) /* else the adapter answers by itself */
        when_ps = dn_cpu_work(s, dn_host_ps(s, notice_ps)) + costs->control_ps;
    when_ps += dn_rank_context_connect_ps(s, in->source, in->tag);
    if (when_ps > s->now_ps)
        dn_rank_context_timer(s, when_ps,
                              dn_cookie_of_record(DN_COOKIE_CLEAR, s->rank->local, record, 0));
    else
        dn_receive_clear(s, record);
}

void dn_receive_ask(DnRankContext *s, guint32 record)
{
    const DnRecord *r = dn_record_at(&s->endpoint->pool, record, DN_RECORD_RECEIVE);
    guint32 chunk = dn_read_chunk_next(r);
    if (chunk > 0)
        dn_read_ask_chunk(s, record, chunk);
    else if (r->get_bytes > 0)
        dn_receive_get(s, record);
    else
        dn_control_send(s, DN_WIRE_CTS, r->peer, r->tag,
                        (DnWireWord){.number = r->receive.remote, .remote = record});
}

void dn_receive_clear(DnRankContext *s, guint32 record)
{
    if (dn_read_begins(s, record))
        dn_receive_ask(s, record);
}

/* Lets a receive ask for its data, which waited in a read queue; of another rank, as that rank. */
static void give_turn(DnRankContext *s, const DnReadWaiting *waiting)
{
    DnRankContext other = dn_rank_context_other(s, waiting->endpoint, waiting->local);
    if (other.rank == s->rank) {
        dn_receive_ask(s, waiting->record);
        return;
    }
    guint64 cookie = dn_cookie_of_record(DN_COOKIE_TURN, waiting->local, waiting->record, 0);
    dn_pending_add(&other, 1);
    if (other.endpoint == s->endpoint)
        dn_context_timer(s->context, s->now_ps, cookie);
    else
        dn_context_node_timer(s->context, waiting->endpoint, s->now_ps, cookie);
}

/* All that was asked for of the receive in @record is under way: its read queue goes on with those
 * that wait, and with the receive's next chunk after them (@more). */
static void read_turn_end(DnRankContext *s, guint32 record, gboolean more)
{
    DnRecord receive = *dn_record_at(&s->endpoint->pool, record, DN_RECORD_RECEIVE);
    dn_read_asked(s, &receive);
    if (more && dn_read_begins(s, record))
        dn_receive_ask(s, record);
    DnReadWaiting next;
    while (dn_read_next(s, &receive, &next))
        give_turn(s, &next);
}

/* Asks the sender to repeat a dropped message, which then goes straight to its receive. */
static void request_again(DnRankContext *s, const DnRecord *receive, const Incoming *in)
{
    DnRecord waiting = *receive;
    waiting.peer = in->source;
    waiting.tag = in->tag;
    waiting.rule = in->rule;
    waiting.receive.again = TRUE;
    guint32 record = dn_record_keep(&s->endpoint->pool, waiting);
    dn_ask_again(s, in->source, in->tag, record, in->bytes);
}

/* From a message's arrival until it is complete at its receiver. The sender of an eager one did not
 * wait for the connection. */
static gint64 late_ps(const DnRankContext *s, const Incoming *in)
{
    gboolean connects = in->kind == DN_WIRE_EAGER || in->kind == DN_WIRE_ONE_SIDED;
    return dn_rank_context_costs(s, in->rule)->receive.recv_ps +
           (connects ? dn_rank_context_connect_ps(s, in->source, in->tag) : 0);
}

static void receive_match(DnRankContext *s, const DnRecord *receive, const Incoming *in,
                          gint64 arrived_ps)
{
    if (in->kind == DN_WIRE_RTS)
        request_data(s, receive, in);
    else if (in->kind == DN_WIRE_AGAIN)
        request_again(s, receive, in);
    else if (sizes_agree(s, receive, in))
        receive_finish(s, receive, arrived_ps + late_ps(s, in), in->rule);
}

/* FALSE: the CTS of a triggered receive has nowhere to go, and the rank has stopped. */
static gboolean receive_ready(DnRankContext *s, const DnOp *op)
{
    if (op->peer == DN_ANY || op->tag == DN_ANY) {
        dn_rank_fail(s, g_strdup_printf("rank %u receives from any source or any tag; a triggered "
                                        "receive clears one sender",
                                        s->rank->rank));
        return FALSE;
    }
    if (dn_peer_is_apart(s, op->peer))
        dn_control_send(s, DN_WIRE_READY, op->peer, op->tag, (DnWireWord){0});
    return TRUE;
}

/* Returns the size of the adapter's buffer for eager messages without a receive, if @in is one that
 * may lie there; 0: it has no limit, or did not come through an adapter. */
static gint64 kept_bytes(const DnRankContext *s, const Incoming *in)
{
    const DnCosts *costs = dn_rank_context_costs(s, in->rule);
    gint64 bytes = (gint64)costs->receive.unexpected_kib * 1024;
    if (bytes == 0 || !dn_peer_is_apart(s, in->source))
        return 0;
    return costs->path.by_nics || !dn_rank_context_inside(s, in->source) ? bytes : 0;
}

void dn_receive_post(DnRankContext *s, const DnOp *op, guint32 stream, guint8 rule)
{
    DnRankMatching *match = &s->rank->match;
    DnRecordPool *pool = &s->endpoint->pool;
    const DnCosts *costs = dn_rank_context_costs(s, rule);
    if (costs->handshake == DN_HANDSHAKE_TRIGGERED && !receive_ready(s, op))
        return;
    DnRecord receive = {.kind = DN_RECORD_RECEIVE,
                        .peer = op->peer,
                        .tag = op->tag,
                        .bytes = op->bytes,
                        .receive = {.entries = costs->recv_entries,
                                    .request = (guint16)op->request,
                                    .stream = (guint16)stream,
                                    .flags = (guint8)op->flags}};
    guint32 message = dn_match_take(&match->unexpected, pool, op->peer, op->tag);
    if (message != 0) {
        const DnRecord *m = dn_record_at(pool, message, DN_RECORD_UNEXPECTED);
        Incoming in = {.source = m->peer,
                       .tag = m->tag,
                       .remote = m->unexpected.remote,
                       .kind = m->unexpected.wire,
                       .rule = m->rule,
                       .bytes = m->bytes};
        gint64 arrived_ps = m->unexpected.arrived_ps;
        if (in.kind == DN_WIRE_EAGER && kept_bytes(s, &in) > 0)
            match->unexpected_bytes -= in.bytes;
        dn_record_give(pool, message);
        receive_match(s, &receive, &in, arrived_ps);
        return;
    }
    dn_receives_add(&match->posted, pool, &receive);
}

/* ---- arrivals ---- */

/* FALSE: the adapter has no buffer for one more eager message without a receive. */
static gboolean unexpected_fits(const DnRankContext *s, const Incoming *in)
{
    gint64 limit = kept_bytes(s, in);
    return limit == 0 || s->rank->match.unexpected_bytes + in->bytes <= limit;
}

/* The message is the next of its pair: it goes to its receive, or is kept until there is one. */
static void take_in(DnRankContext *s, const Incoming *in)
{
    DnRankMatching *match = &s->rank->match;
    DnRecordPool *pool = &s->endpoint->pool;
    DnRecord receive;
    if (dn_receives_take(&match->posted, pool, in->source, in->tag, &receive)) {
        receive_match(s, &receive, in, s->now_ps);
        return;
    }
    DnWire kind = in->kind;
    if (kind == DN_WIRE_EAGER && !unexpected_fits(s, in))
        kind = DN_WIRE_AGAIN;
    else if (kind == DN_WIRE_EAGER && kept_bytes(s, in) > 0)
        match->unexpected_bytes += in->bytes;
    guint32 record = dn_record_keep(pool, (DnRecord){.kind = DN_RECORD_UNEXPECTED,
                                                     .rule = in->rule,
                                                     .peer = in->source,
                                                     .tag = in->tag,
                                                     .bytes = in->bytes,
                                                     .unexpected = {.arrived_ps = s->now_ps,
                                                                    .remote = in->remote,
                                                                    .wire = (guint8)kind}});
    dn_match_add(&match->unexpected, pool, record);
}

static void defer_arrival(DnRankContext *s, const Incoming *in, guint32 number)
{
    DnRecordPool *pool = &s->endpoint->pool;
    guint32 record = dn_record_keep(
        pool,
        (DnRecord){.kind = DN_RECORD_EARLY,
                   .rule = in->rule,
                   .peer = in->source,
                   .tag = number,
                   .bytes = in->bytes,
                   .early = {.tag = in->tag, .remote = in->remote, .wire = (guint8)in->kind}});
    dn_match_add(&s->rank->match.early, pool, record);
}

/* Takes in message @number of its pair, and then the deferred ones that follow it; or defers it. */
static void arrive_in_order(DnRankContext *s, Incoming *in, guint32 number)
{
    DnRankMatching *match = &s->rank->match;
    DnRecordPool *pool = &s->endpoint->pool;
    if (!dn_order_arrive(&match->order, in->source, number)) {
        defer_arrival(s, in, number);
        return;
    }
    take_in(s, in);
    for (;;) {
        number = dn_order_next(number);
        guint32 record =
            match->early.count > 0 ? dn_match_take(&match->early, pool, in->source, number) : 0;
        if (record == 0)
            return;
        const DnRecord *r = dn_record_at(pool, record, DN_RECORD_EARLY);
        *in = (Incoming){.source = r->peer,
                         .tag = r->early.tag,
                         .remote = r->early.remote,
                         .kind = r->early.wire,
                         .rule = r->rule,
                         .bytes = r->bytes};
        dn_record_give(pool, record);
        gboolean next = dn_order_arrive(&match->order, in->source, number);
        g_assert(next);
        take_in(s, in);
    }
}

static void count_one_sided(DnRankContext *s, const Incoming *in)
{
    DnRankArrived *arrived = &s->rank->arrived;
    arrived->one_sided++;
    dn_unfinished_add(s, -1);
    gint64 there_ps = s->now_ps + late_ps(s, in);
    arrived->last_one_sided_ps = MAX(arrived->last_one_sided_ps, there_ps);
    if (s->replay->done != NULL)
        s->replay->done(s->replay->done_data, s->rank->job, DN_ANY, s->now_ps, there_ps);
}

/* The data of the rendezvous whose receive is in @record have come. */
static void data_arrive(DnRankContext *s, Incoming *in, guint32 record)
{
    DnRecord receive = *dn_record_at(&s->endpoint->pool, record, DN_RECORD_RECEIVE);
    dn_record_give(&s->endpoint->pool, record);
    if (in->remote != 0) /* it was read */
        dn_control_send(s, DN_WIRE_DONE, in->source, in->tag, (DnWireWord){.number = in->remote});
    receive_match(s, &receive, in, s->now_ps);
}

static void hand_over(DnRankContext *s, Incoming *in, guint32 number)
{
    s->rank->arrived.messages++;
    s->rank->arrived.bytes += in->bytes;
    if (in->kind == DN_WIRE_ONE_SIDED)
        count_one_sided(s, in);
    else if (in->kind == DN_WIRE_DATA)
        data_arrive(s, in, number);
    else
        arrive_in_order(s, in, number);
}

/* The message goes through the stages from @stage on, then to its receive. */
static void arrival_pass(DnRankContext *s, Incoming *in, guint32 number, guint32 stage)
{
    const DnCosts *costs = dn_rank_context_costs(s, in->rule);
    for (; stage < costs->n_in; stage++) {
        gint64 when_ps =
            dn_stage_arrive(s, &costs->in[stage], in->source, in->bytes, costs->rate_bps);
        if (when_ps == s->now_ps)
            continue;
        guint32 record = dn_record_keep(
            &s->endpoint->pool,
            (DnRecord){
                .kind = DN_RECORD_ARRIVING,
                .rule = in->rule,
                .peer = in->source,
                .tag = in->tag,
                .bytes = in->bytes,
                .arriving = {.number = number, .remote = in->remote, .wire = (guint8)in->kind}});
        dn_rank_context_timer(
            s, when_ps, dn_cookie_of_record(DN_COOKIE_ARRIVING, s->rank->local, record, stage + 1));
        return;
    }
    hand_over(s, in, number);
}

void dn_arrival_advance(DnRankContext *s, guint32 record, guint32 stage)
{
    const DnRecord *r = dn_record_at(&s->endpoint->pool, record, DN_RECORD_ARRIVING);
    Incoming in = {.source = r->peer,
                   .tag = r->tag,
                   .remote = r->arriving.remote,
                   .kind = r->arriving.wire,
                   .rule = r->rule,
                   .bytes = r->bytes};
    guint32 number = r->arriving.number;
    dn_record_give(&s->endpoint->pool, record);
    arrival_pass(s, &in, number, stage);
}

/* Takes a part of a message that is read; TRUE: it is the last. *@bytes: of the whole message. */
static gboolean part_arrive(DnRankContext *s, const DnMessage *message, guint32 record,
                            gint64 *bytes)
{
    DnReadArrival part = dn_read_part_arrive(s, message, record);
    const DnRecord *receive = dn_record_at(&s->endpoint->pool, record, DN_RECORD_RECEIVE);
    guint32 peer = receive->peer, tag = receive->tag;
    *bytes = part.bytes;
    if (dn_reads_whole(s, peer, tag) ? part.last : part.chunk_asked)
        read_turn_end(s, record, part.more);
    return part.last;
}

/* Sends the acknowledgement of this rank's adapter for an eager message, which has all come. */
static void arrival_acknowledge(DnRankContext *s, Incoming *in)
{
    dn_control_send(s, DN_WIRE_DONE, in->source, in->tag, (DnWireWord){.number = in->remote});
    in->remote = 0;
}

/* @record: of the receive, if @in are its data. */
static guint8 rule_of_arrival(const DnRankContext *s, const Incoming *in, guint32 record)
{
    const DnMechanism *m = dn_rank_context_mechanism(s, in->tag);
    if (G_LIKELY(!m->by_send))
        return dn_rank_context_rule(s, in->source, in->tag, in->bytes);
    if (in->kind == DN_WIRE_DATA) {
        const DnRecord *r = dn_record_at(&s->endpoint->pool, record, DN_RECORD_RECEIVE);
        if (r->receive.again)
            return r->rule;
    }
    guint rule = dn_mechanism_rule_of_arrival(m, in->bytes, dn_rank_context_inside(s, in->source),
                                              in->kind == DN_WIRE_DATA);
    return m == &s->job->job.mechanism ? (guint8)rule : dn_job_rule(rule, in->tag);
}

/* TRUE: the adapter has no buffer for @in, for which no receive waits, so that nobody copies it. */
static gboolean is_dropped(const DnRankContext *s, const Incoming *in)
{
    return in->kind == DN_WIRE_EAGER && !unexpected_fits(s, in) &&
           !dn_receives_has(&s->rank->match.posted, &s->endpoint->pool, in->source, in->tag);
}

void dn_message_arrive(DnRankContext *s, const DnMessage *message)
{
    DnWireTag t = dn_wire_tag_unpack(message->tag);
    DnWireWord w = dn_wire_word_unpack(message->word);
    Incoming in = {.source = t.source,
                   .tag = t.tag,
                   .remote = w.remote,
                   .kind = t.kind,
                   .bytes = message->bytes};
    if (t.kind == DN_WIRE_CTS && message->staging > 0) {
        dn_read_send_chunk(s, w.number, message->staging);
    } else if (t.kind == DN_WIRE_CTS) {
        dn_send_clear(s, w.number, w.remote);
    } else if (t.kind == DN_WIRE_DONE) {
        dn_send_done(s, w.number);
    } else if (t.kind == DN_WIRE_AGAIN) {
        dn_send_again(s, t.source, t.tag, w.number, w.remote | (gint64)message->staging << 32);
    } else if (t.kind == DN_WIRE_READY) {
        dn_send_ready(s, t.source, t.tag);
    } else if (t.kind == DN_WIRE_RTS) {
        in.bytes = message->staging;
        arrive_in_order(s, &in, w.number);
    } else if (t.kind != DN_WIRE_DATA || w.remote == 0 ||
               part_arrive(s, message, w.number, &in.bytes)) {
        if (t.kind == DN_WIRE_EAGER && w.remote != 0)
            arrival_acknowledge(s, &in);
        in.rule = rule_of_arrival(s, &in, w.number);
        if (is_dropped(s, &in)) {
            in.kind = DN_WIRE_AGAIN;
            hand_over(s, &in, w.number);
        } else {
            arrival_pass(s, &in, w.number, 0);
        }
    }
}

void dn_send_copied(DnRankContext *s, guint32 record)
{
    DnSend send = dn_send_take(s, record);
    DnRankContext there = *s;
    there.rank = &s->endpoint->ranks[s->job->local[send.peer]];
    Incoming in = {.source = s->rank->rank,
                   .tag = send.tag,
                   .kind = dn_send_wire(&send),
                   .rule = send.rule,
                   .bytes = send.bytes};
    dn_send_left(s, dn_send_completion(s, &send));
    hand_over(&there, &in, send.number);
}
