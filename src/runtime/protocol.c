/* protocol.c - The protocol decides how a message leaves: eager or by rendezvous, in the order of
 * sending.
 *
 *   eager       The data goes at once; the receiver keeps it until a receive agrees. The send
 *               completes when the data has left, or, acknowledged, when DONE has come back from
 *               the receiver's adapter.
 *   rendezvous  RTS (in order with eager messages) -> a receive agrees -> CTS -> data, which goes
 *               straight to its receive; the send completes when the data has left.
 *   by read     As rendezvous, but the CTS is the request of the receiver's adapter, which the
 *               sender's serves without its process; when the data has come, DONE goes back and
 *               completes the send.
 *   by get      As by read, but the RTS says how much there is, and the receiver's adapter asks
 *               for it packet by packet; the data are the responses.
 *   triggered   The posted receive itself sends the CTS; the send waits for it.
 * The numbers that a message carries stand in wire.h. */
#include "runtime/protocol.h"

#include "runtime/host_staging.h"
#include "runtime/message_mode.h"
#include "runtime/rank_streams.h"
#include "runtime/read_parts.h"
#include "runtime/service_stages.h"
#include "runtime/unasked_messages.h"

/* Returns the tag of data that this rank reads from @peer: as if @peer had sent them. */
static guint64 read_tag(const DnRankContext *s, DnWire kind, guint32 peer, guint32 tag)
{
    return dn_wire_tag_pack(
        (DnWireTag){.tag = tag, .source = peer, .kind = kind, .local = s->rank->local});
}

/* @staging: what a word has no space for. */
static void control_send(const DnRankContext *s, DnWire kind, guint32 peer, guint32 tag,
                         DnWireWord word, guint32 staging)
{
    const DnCosts *costs = dn_rank_context_control(s, peer, tag);
    gint64 bytes = costs->control_bytes, request_bytes = s->job->job.request_bytes;
    if (kind == DN_WIRE_CTS && costs->handshake == DN_HANDSHAKE_GET && request_bytes > 0)
        bytes = MIN(bytes, request_bytes);
    dn_send_unasked(s, (DnWireTag){.kind = kind, .tag = tag}, peer, word,
                    (DnMessage){.bytes = bytes,
                                .staging = staging,
                                .by_nics = costs->path.by_nics & 1,
                                .cookie = DN_NO_COOKIE});
}

void dn_control_send(DnRankContext *s, DnWire kind, guint32 peer, guint32 tag, DnWireWord word)
{
    control_send(s, kind, peer, tag, word, 0);
}

void dn_ask_again(DnRankContext *s, guint32 peer, guint32 tag, guint32 record, gint64 bytes)
{
    control_send(s, DN_WIRE_AGAIN, peer, tag,
                 (DnWireWord){.number = record, .remote = (guint32)bytes}, (guint32)(bytes >> 32));
}

void dn_send_again(DnRankContext *s, guint32 peer, guint32 tag, guint32 record, gint64 bytes)
{
    const DnCosts *costs = dn_rank_context_costs(s, dn_rank_context_rule(s, peer, tag, bytes));
    dn_send_unasked(s, (DnWireTag){.kind = DN_WIRE_DATA, .tag = tag}, peer,
                    (DnWireWord){.number = record},
                    (DnMessage){.bytes = bytes,
                                .rate_bps = costs->rate_bps,
                                .by_nics = costs->path.by_nics & 1,
                                .cookie = DN_NO_COOKIE});
}

DnWire dn_send_wire(const DnSend *send)
{
    if (send->flags & DN_OP_ONE_SIDED)
        return DN_WIRE_ONE_SIDED;
    return send->granted ? DN_WIRE_DATA : DN_WIRE_EAGER;
}

gboolean dn_peer_is_apart(const DnRankContext *s, guint32 peer)
{
    const DnReplayJob *job = &s->job->job;
    return job->endpoints[s->rank->rank] != job->endpoints[peer];
}

/* Sends words that were put one by one, in as many messages as the mechanism makes of them. */
static void send_messages(DnRankContext *s, const DnMessage *whole, guint32 messages)
{
    DnMessage message = *whole;
    gint64 left = whole->bytes;
    message.cookie = DN_NO_COOKIE;
    if (messages > 1)
        dn_unfinished_add(s, messages - 1); /* the program counts one */
    for (guint32 i = messages; i > 1; i--) {
        message.bytes = whole->bytes / messages;
        left -= message.bytes;
        dn_rank_context_send(s, &message);
    }
    message.bytes = left;
    message.cookie = whole->cookie;
    dn_rank_context_send(s, &message);
}

static guint32 wire_messages(const DnSend *send, const DnCosts *costs)
{
    if (!(send->flags & DN_OP_ONE_SIDED))
        return 1;
    guint32 together = MAX(1, costs->coalesce);
    return (send->number + together - 1) / together;
}

/* Returns the cookie of sent(), called when the last byte has left. */
static guint64 left_cookie(const DnRankContext *s, const DnSend *send, const DnCosts *costs)
{
    g_assert(costs->ack_ns == 0 || costs->send_entries == 0);
    gboolean known = costs->ack_ns == 0;
    DnCompletion done = {.request = send->request,
                         .stream = send->stream,
                         .entries = known ? costs->send_entries : costs->ack_ns,
                         .serial = costs->serial & 1};
    return dn_cookie_of_completion(known ? DN_COOKIE_LEFT : DN_COOKIE_UNKNOWN, s->rank->local,
                                   done);
}

static void count_nic(DnRankContext *s)
{
    if (s->rank->nic == NULL)
        return;
    dn_rank_context_count_nic(s);
    s->rank->nic->sent++;
}

static void count_born(const DnRankContext *s, gint64 bytes)
{
    DnMeasureWindow *window = dn_measure_window_at(s->replay, s->rank, s->now_ps);
    if (window == NULL)
        return;
    window->born++;
    window->born_bytes += bytes;
}

/* TRUE: an eager message of @bytes completes its send by DONE. */
static gboolean is_acknowledged(const DnCosts *costs, gint64 bytes)
{
    return costs->receive.acknowledged && !dn_costs_by_rendezvous(costs, bytes);
}

/* TRUE: the message has a number of its stream's, when it leaves: channels keep no common order. */
static gboolean is_by_channel(const DnRankContext *s, const DnSend *send)
{
    const DnCosts *costs = dn_rank_context_costs(s, send->rule);
    return costs->channel_bps > 0 && costs->rendezvous_from_bytes == 0 &&
           !(send->flags & DN_OP_ONE_SIDED) && send->stream < s->rank->match.order.channels;
}

static DnMessage data_message(DnRankContext *s, const DnSend *send, DnWireWord word,
                              const DnCosts *costs)
{
    const DnReplayJob *job = &s->job->job;
    guint32 here = job->endpoints[s->rank->rank], there = job->endpoints[send->peer];
    gboolean get = (send->flags & DN_OP_READ) != 0;
    return (DnMessage){
        .src = here,
        .dst = costs->path.via_host ? job->host_of[here] : there,
        .staging = there,
        .bytes = send->bytes,
        .tag = get ? read_tag(s, DN_WIRE_ONE_SIDED, send->peer, send->tag)
                   : dn_wire_tag_to(s, dn_send_wire(send), send->peer, send->tag),
        .cookie = DN_NO_COOKIE,
        .rate_bps = costs->rate_bps,
        .job = (guint16)s->rank->job,
        .lane = job->lane & 63,
        .by_nics = costs->path.by_nics & 1,
        .read = get & 1,
        .mode = dn_message_mode(s, send->peer, send->bytes, send->turn, get),
        .word = dn_wire_word_pack(word),
    };
}

static void send_transmit(DnRankContext *s, const DnSend *send, const DnCosts *costs)
{
    gboolean read = dn_costs_reads(costs) > 0 && send->granted;
    gboolean done = dn_send_wire(send) == DN_WIRE_EAGER && is_acknowledged(costs, send->bytes);
    guint32 number = is_by_channel(s, send)
                         ? dn_order_send_on(&s->rank->match.order, send->peer, send->stream)
                         : send->number;
    DnWireWord word = {.number = send->granted ? send->remote : number,
                       .remote = read || done ? dn_send_keep(s, send) : 0};
    count_born(s, send->bytes);
    DnMessage message = data_message(s, send, word, costs);
    count_nic(s);
    if (!read) {
        message.cookie = done ? DN_NO_COOKIE : left_cookie(s, send, costs);
        send_messages(s, &message, wire_messages(send, costs));
    } else {
        dn_read_send(s, &message, word.remote, costs);
    }
}

void dn_send_advance(DnRankContext *s, const DnSend *send, guint32 stage)
{
    const DnCosts *costs = dn_rank_context_costs(s, send->rule);
    if (!dn_peer_is_apart(s, send->peer)) {
        dn_work_note(s, DN_WORK_LOCAL);
        gint64 copy_ps = send->bytes > 0 ? costs->local.copy_ps +
                                               dn_time_at_rate(send->bytes, costs->local.copy_bps)
                                         : 0;
        guint32 record = dn_send_keep(s, send);
        dn_rank_context_timer(s, s->now_ps + copy_ps,
                              dn_cookie_of_record(DN_COOKIE_LOCAL, s->rank->local, record, 0));
        return;
    }
    for (; stage < costs->n_out; stage++) {
        gint64 when_ps = dn_stage_pass(s, &costs->out[stage], send->peer, send->bytes,
                                       wire_messages(send, costs));
        if (when_ps == s->now_ps)
            continue;
        guint32 record = dn_send_keep(s, send);
        dn_rank_context_timer(
            s, when_ps, dn_cookie_of_record(DN_COOKIE_STARTED, s->rank->local, record, stage + 1));
        return;
    }
    send_transmit(s, send, costs);
}

static gint64 start_ps(const DnCosts *costs, gint64 bytes)
{
    return costs->start_ps + (bytes >= costs->setup_threshold_bytes ? costs->setup_ps : 0);
}

/* Begins a copy that may run now: start-up (of a read it was before the RTS), then the stages and
 * the wire. */
static void send_begin(DnRankContext *s, const DnSend *send)
{
    const DnCosts *costs = dn_rank_context_costs(s, send->rule);
    gboolean read = dn_costs_reads(costs) > 0 && send->granted;
    gboolean apart = dn_peer_is_apart(s, send->peer);
    gint64 delay_ps = read || !apart ? 0 : start_ps(costs, send->bytes);
    if (costs->channel_bps > 0 && apart)
        delay_ps = dn_channel_take(s, send->stream, send->peer, s->now_ps + delay_ps,
                                   dn_time_at_rate(send->bytes, costs->channel_bps)) -
                   s->now_ps;
    if (apart && !dn_costs_by_rendezvous(costs, send->bytes))
        delay_ps = dn_initiator_take(s, send->peer, send->tag, s->now_ps + delay_ps) - s->now_ps;
    if (delay_ps == 0) {
        dn_send_advance(s, send, 0);
        return;
    }
    guint32 record = dn_send_keep(s, send);
    dn_rank_context_timer(s, s->now_ps + delay_ps,
                          dn_cookie_of_record(DN_COOKIE_STARTED, s->rank->local, record, 0));
}

static void send_queue(DnRankContext *s, const DnSend *send)
{
    DnRank *rank = s->rank;
    const DnCosts *costs = dn_rank_context_costs(s, send->rule);
    if (dn_costs_stages_in_turn(costs) && dn_peer_is_apart(s, send->peer)) {
        if (dn_staged_take(s, wire_messages(send, costs)))
            send_begin(s, send);
        else
            dn_chain_append(&rank->staging.sends, &s->endpoint->pool, dn_send_keep(s, send));
        return;
    }
    if (!costs->serial) {
        send_begin(s, send);
        return;
    }
    if (!rank->copies.running) {
        rank->copies.running = TRUE;
        send_begin(s, send);
        return;
    }
    dn_chain_append(&rank->copies.waiting, &s->endpoint->pool, dn_send_keep(s, send));
}

static guint32 send_await(DnRankContext *s, const DnSend *send)
{
    DnRankUncleared *awaiting_cts = &s->rank->awaiting_cts;
    awaiting_cts->n++;
    awaiting_cts->last_peer = send->peer;
    awaiting_cts->last_tag = send->tag;
    return dn_send_keep(s, send);
}

/* Messages get their number no sooner than they are cleared: those that wait may overtake each
 * other. */
static void triggered_queue(DnRankContext *s, DnSend *send)
{
    if (!is_by_channel(s, send))
        send->number = dn_order_send(&s->rank->match.order, send->peer);
    send_queue(s, send);
}

static void triggered_launch(DnRankContext *s, DnSend *send)
{
    DnRecordPool *pool = &s->endpoint->pool;
    guint32 clear = dn_match_take(&s->rank->match.cleared, pool, send->peer, send->tag);
    if (clear == 0) {
        dn_match_add(&s->rank->match.armed, pool, send_await(s, send));
        return;
    }
    dn_record_give(pool, clear);
    triggered_queue(s, send);
}

void dn_send_launch(DnRankContext *s, DnSend *send)
{
    const DnCosts *costs = dn_rank_context_costs(s, send->rule);
    gboolean apart = dn_peer_is_apart(s, send->peer);
    if (send->flags & DN_OP_ONE_SIDED) {
        send_queue(s, send);
        return;
    }
    if (costs->handshake == DN_HANDSHAKE_TRIGGERED && apart) {
        triggered_launch(s, send);
        return;
    }
    if (!apart || !is_by_channel(s, send))
        send->number = dn_order_send(&s->rank->match.order, send->peer);
    if (!dn_costs_by_rendezvous(costs, send->bytes) || !apart) {
        send_queue(s, send);
        return;
    }
    guint32 record = send_await(s, send);
    gint64 ready_ps = s->now_ps + (dn_costs_reads(costs) > 0 ? start_ps(costs, send->bytes) : 0);
    gint64 delay_ps = dn_initiator_take(s, send->peer, send->tag, ready_ps) - s->now_ps +
                      dn_rank_context_connect_ps(s, send->peer, send->tag);
    if (delay_ps > 0)
        dn_rank_context_timer(s, s->now_ps + delay_ps,
                              dn_cookie_of_record(DN_COOKIE_ASK, s->rank->local, record, 0));
    else
        dn_send_ask(s, record);
}

/* Returns the bytes that the receiver gets by its own requests; 0: this side sends them. */
static guint32 get_bytes(const DnRankContext *s, const DnRecord *send)
{
    const DnCosts *costs = dn_rank_context_costs(s, send->rule);
    gboolean gets = costs->handshake == DN_HANDSHAKE_GET && s->job->job.gets;
    return gets && send->bytes <= G_MAXUINT32 ? (guint32)send->bytes : 0;
}

void dn_send_ask(DnRankContext *s, guint32 record)
{
    const DnRecord *r = dn_record_at(&s->endpoint->pool, record, DN_RECORD_SEND);
    control_send(s, DN_WIRE_RTS, r->peer, r->tag,
                 (DnWireWord){.number = r->send.number, .remote = record}, get_bytes(s, r));
}

void dn_receive_get(DnRankContext *s, guint32 record)
{
    const DnReplayJob *job = &s->job->job;
    const DnRecord *r = dn_record_at(&s->endpoint->pool, record, DN_RECORD_RECEIVE);
    gint64 bytes = r->get_bytes;
    const DnCosts *costs =
        dn_rank_context_costs(s, dn_rank_context_rule(s, r->peer, r->tag, bytes));
    DnWireWord word = {.number = record, .remote = r->receive.remote};
    guint32 iteration = dn_rank_context_stream(s, r->receive.stream)->cursor.iteration;
    count_born(s, bytes);
    DnMessage message = {
        .src = job->endpoints[s->rank->rank],
        .dst = job->endpoints[r->peer],
        .staging = dn_read_split(1, 0),
        .bytes = bytes,
        .tag = read_tag(s, DN_WIRE_DATA, r->peer, r->tag),
        .cookie = DN_NO_COOKIE,
        .rate_bps = costs->rate_bps,
        .job = (guint16)s->rank->job,
        .lane = job->lane & 63,
        .by_nics = costs->path.by_nics & 1,
        .read = 1,
        .mode = dn_message_mode(s, r->peer, bytes, dn_message_turn(s->job, iteration), TRUE),
        .word = dn_wire_word_pack(word),
    };
    count_nic(s);
    dn_rank_context_send(s, &message);
}

void dn_send_granted(DnRankContext *s, guint32 record)
{
    DnSend send = dn_send_take(s, record);
    send.granted = TRUE;
    s->rank->awaiting_cts.n--;
    send_queue(s, &send);
}

void dn_send_clear(DnRankContext *s, guint32 record, guint32 remote)
{
    DnRecord *r = dn_record_at(&s->endpoint->pool, record, DN_RECORD_SEND);
    gint64 control_ps = dn_rank_context_control(s, r->peer, r->tag)->control_ps +
                        dn_rank_context_connect_ps(s, r->peer, r->tag);
    if (dn_costs_reads(dn_rank_context_costs(s, r->rule)) > 0)
        control_ps = 0;
    r->send.remote = remote;
    if (control_ps > 0)
        dn_rank_context_timer(s, s->now_ps + control_ps,
                              dn_cookie_of_record(DN_COOKIE_GRANTED, s->rank->local, record, 0));
    else
        dn_send_granted(s, record);
}

void dn_send_done(DnRankContext *s, guint32 record)
{
    DnSend send = dn_send_take(s, record);
    const DnCosts *costs = dn_rank_context_costs(s, send.rule);
    DnCompletion done = dn_send_completion(s, &send);
    gint64 ack_ps = is_acknowledged(costs, send.bytes) ? (gint64)costs->ack_ns * 1000 : 0;
    /* get: the data went without a CTS */
    if (!send.granted && dn_costs_by_rendezvous(costs, send.bytes))
        s->rank->awaiting_cts.n--;
    if (ack_ps == 0)
        dn_send_left(s, done);
    else
        dn_rank_context_timer(s, s->now_ps + ack_ps,
                              dn_cookie_of_completion(DN_COOKIE_KNOWN, s->rank->local, done));
}

void dn_send_ready(DnRankContext *s, guint32 source, guint32 tag)
{
    DnRecordPool *pool = &s->endpoint->pool;
    guint32 record = dn_match_take(&s->rank->match.armed, pool, source, tag);
    if (record == 0) {
        record =
            dn_record_keep(pool, (DnRecord){.kind = DN_RECORD_CLEARED, .peer = source, .tag = tag});
        dn_match_add(&s->rank->match.cleared, pool, record);
        return;
    }
    DnSend send = dn_send_take(s, record);
    s->rank->awaiting_cts.n--;
    triggered_queue(s, &send);
}

/* The copy engine is free: the next copy that waits for it begins. */
static void next_copy_begin(DnRankContext *s)
{
    DnRankCopies *copies = &s->rank->copies;
    guint32 record = copies->waiting.head;
    if (record == 0) {
        copies->running = FALSE;
        return;
    }
    copies->waiting.head = s->endpoint->pool.items[record].next;
    DnSend send = dn_send_take(s, record);
    send_begin(s, &send);
}

void dn_send_staged_next(DnRankContext *s)
{
    DnRankStaging *staging = &s->rank->staging;
    if (!dn_staged_give(s) || staging->sends.head == 0)
        return;
    guint32 record = staging->sends.head;
    staging->sends.head = s->endpoint->pool.items[record].next;
    DnSend send = dn_send_take(s, record);
    (void)dn_staged_take(s, wire_messages(&send, dn_rank_context_costs(s, send.rule)));
    send_begin(s, &send);
}

void dn_send_left(DnRankContext *s, DnCompletion done)
{
    if (done.serial)
        next_copy_begin(s);
    dn_request_complete(s, done);
}
