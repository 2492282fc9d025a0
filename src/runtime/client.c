/* client.c - the runtime as an engine's client: each callback finds its rank, and its cookie or tag
 * says which file serves it. */
#include "runtime/arrivals.h"
#include "runtime/host_staging.h"
#include "runtime/protocol.h"
#include "runtime/rank_streams.h"
#include "runtime/read_parts.h"

static DnRankContext rank_context_at(DnReplay *replay, DnContext *context, guint32 endpoint,
                                     guint32 local)
{
    DnReplayEndpoint *e = &replay->endpoints[endpoint];
    g_assert(local < e->n);
    DnRank *rank = &e->ranks[local];
    return (DnRankContext){.replay = replay,
                           .context = context,
                           .endpoint = e,
                           .rank = rank,
                           .job = &replay->jobs[rank->job],
                           .now_ps = dn_context_now(context)};
}

static void on_start(void *client, DnContext *context, guint32 endpoint)
{
    DnReplay *replay = client;
    dn_replay_endpoint_start(replay, endpoint);
    for (guint32 local = 0; local < replay->endpoints[endpoint].n; local++) {
        DnRankContext s = rank_context_at(replay, context, endpoint, local);
        if (!s.job->job.muted)
            dn_unfinished_add(&s, s.job->job.program->streams);
        for (guint32 i = 0; i < s.job->job.program->streams; i++)
            dn_stream_begin(&s, i);
    }
}

static void on_sent(void *client, DnContext *context, guint32 endpoint, guint64 cookie)
{
    DnCookie c = dn_cookie_unpack(cookie);
    if (c.kind == DN_COOKIE_STAGED) {
        dn_staged_left(client, context, c);
        return;
    }
    DnRankContext s = rank_context_at(client, context, endpoint, c.local);
    if (c.kind == DN_COOKIE_TAIL) {
        dn_read_send_tail(&s, c.lower, c.upper);
        return;
    }
    DnCompletion done = dn_cookie_completion(c);
    if (c.kind != DN_COOKIE_UNKNOWN) {
        dn_send_left(&s, done);
        return;
    }
    gint64 ack_ps = (gint64)done.entries * 1000; /* in this kind of cookie it is ack_ns */
    done.entries = 0;
    dn_rank_context_timer(&s, s.now_ps + ack_ps,
                          dn_cookie_of_completion(DN_COOKIE_KNOWN, s.rank->local, done));
}

static void on_delivered(void *client, DnContext *context, guint32 endpoint,
                         const DnMessage *message)
{
    DnReplay *replay = client;
    if (replay->endpoints[endpoint].n == 0) {
        dn_staged_deliver(replay, context, endpoint, message);
        return;
    }
    DnRankContext s =
        rank_context_at(client, context, endpoint, dn_wire_tag_unpack(message->tag).local);
    dn_pending_add(&s, -1);
    if (s.job->stages_in_turn && dn_staged_ends(&s, message))
        dn_send_staged_next(&s);
    dn_message_arrive(&s, message);
}

static void on_timer(void *client, DnContext *context, guint32 endpoint, guint64 cookie)
{
    DnCookie c = dn_cookie_unpack(cookie);
    if (c.kind == DN_COOKIE_STAGED && !dn_replay_has_ranks(client, endpoint)) {
        dn_staged_timer(client, context, endpoint, c);
        return;
    }
    DnRankContext s = rank_context_at(client, context, endpoint, c.local);
    DnSend send;
    dn_pending_add(&s, -1);
    switch (c.kind) {
    case DN_COOKIE_WAKE:
        dn_stream_run(&s, dn_rank_context_stream(&s, c.lower));
        return;
    case DN_COOKIE_ISSUED:
        dn_stream_issued(&s, dn_rank_context_stream(&s, c.lower));
        return;
    case DN_COOKIE_STARTED:
        send = dn_send_take(&s, c.lower);
        dn_send_advance(&s, &send, c.upper);
        return;
    case DN_COOKIE_ARRIVING:
        dn_arrival_advance(&s, c.lower, c.upper);
        return;
    case DN_COOKIE_LOCAL:
        dn_send_copied(&s, c.lower);
        return;
    case DN_COOKIE_NOTICED:
        dn_receive_noticed(&s, c.lower);
        return;
    case DN_COOKIE_RECEIVED:
        dn_request_complete(&s, dn_cookie_completion(c));
        return;
    case DN_COOKIE_CLEAR:
        dn_receive_clear(&s, c.lower);
        return;
    case DN_COOKIE_TURN:
        dn_receive_ask(&s, c.lower);
        return;
    case DN_COOKIE_ASK:
        dn_send_ask(&s, c.lower);
        return;
    case DN_COOKIE_GRANTED:
        dn_send_granted(&s, c.lower);
        return;
    case DN_COOKIE_KNOWN:
        dn_send_left(&s, dn_cookie_completion(c));
        return;
    case DN_COOKIE_STAGED:
        dn_send_staged_next(&s);
        return;
    case DN_COOKIE_TAIL:
    case DN_COOKIE_LEFT:
    case DN_COOKIE_UNKNOWN:
        break;
    }
    g_assert_not_reached();
}

/* The run ends when every awaited job has ended, or when no timer or message of one is pending any
 * more: dn_replay_stalled() */
static gboolean on_awaits(const void *client, gint64 work[DN_AWAITED])
{
    const DnReplay *replay = client;
    work[0] = __atomic_load_n(&replay->unfinished, __ATOMIC_RELAXED);
    work[1] = __atomic_load_n(&replay->pending, __ATOMIC_RELAXED);
    return replay->background;
}

gboolean dn_replay_stalled(const DnReplay *replay)
{
    return replay->background && replay->unfinished > 0 && replay->pending == 0;
}

/* Of a rank with its streams and servers, as most mechanisms have them; of fewer the last are the
 * next rank's. */
#define PREFETCHED_LINES 17u
#define LINE_BYTES 64
/* Lines of a rank that hold what few programs use: not prefetched. */
#define FIRST_RARE_LINE ((guint)(offsetof(DnRank, match.armed) / LINE_BYTES) + 1)
#define AFTER_RARE_LINES ((guint)(sizeof(DnRank) / LINE_BYTES) + 1)

/* Prefetches in steps: the endpoint, then its rank with what names its program, then what that
 * program reads. */
static void on_prefetch(const void *client, guint32 endpoint, guint step)
{
    const DnReplay *replay = client;
    const DnReplayEndpoint *e = &replay->endpoints[endpoint];
    if (step == DN_PREFETCH_STEPS - 1) {
        __builtin_prefetch(e, 1);
        return;
    }
    if (e->n != 1)
        return;
    if (step == DN_PREFETCH_STEPS - 2) {
        for (guint i = 0; i < FIRST_RARE_LINE; i++)
            __builtin_prefetch((const char *)e->ranks + (gsize)LINE_BYTES * i, 1);
        for (guint i = AFTER_RARE_LINES; i < PREFETCHED_LINES; i++)
            __builtin_prefetch((const char *)e->ranks + (gsize)LINE_BYTES * i, 1);
        for (guint i = 0; i < 3 && e->pool.items != NULL; i++)
            __builtin_prefetch((const char *)e->pool.items + LINE_BYTES * i, 1);
    }
    if (e->program != NULL)
        e->program->type->prefetch(e->program, e->rank, step);
}

const DnClient dn_replay_client = {
    .start = on_start,
    .sent = on_sent,
    .delivered = on_delivered,
    .timer = on_timer,
    .prefetch = on_prefetch,
    .blocked = dn_replay_blocked,
    .awaits = on_awaits,
};

void dn_replay_observe(DnReplay *replay, const DnMessage *message, gint64 sent_ps,
                       gint64 delivered_ps)
{
    DnWireTag t = dn_wire_tag_unpack(message->tag);
    const DnReplayEndpoint *e = &replay->endpoints[message->read ? message->src : message->dst];
    if (dn_wire_controls(t.kind) || e->n == 0)
        return;
    DnRank *rank = &e->ranks[t.local];
    gboolean later = t.kind == DN_WIRE_DATA && (message->staging & DN_READ_LATER) != 0;
    gint64 latency_ps = delivered_ps - sent_ps;
    if (rank->windows == NULL) {
        if (!later)
            dn_sampler_add(&rank->arrived.latency, latency_ps);
        return;
    }
    DnMeasureWindow *arrival = dn_measure_window_at(replay, rank, delivered_ps);
    if (arrival != NULL)
        arrival->arrived_bytes += message->bytes;
    DnMeasureWindow *birth = dn_measure_window_at(replay, rank, sent_ps);
    if (birth == NULL || later)
        return;
    dn_sampler_add(&rank->arrived.latency, latency_ps);
    birth->arrived++;
    birth->latency_ps_sum += latency_ps;
}
