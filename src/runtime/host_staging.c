/* host_staging.c - Staged messages are forwarded by hosts: to the source's host, to the target's,
 * to the target. Each leg is a message of its own over the machine's links, which begins when the
 * leg before it is complete. Hosts have no rank; all state travels with the message. Whether the
 * processes at both ends are free stands in their ranks, which are in the same node as the host. */
#include "runtime/host_staging.h"

typedef enum {
    STAGED_GO_ON,  /* the next leg begins */
    STAGED_ARRIVE, /* the message is in the memory of the target's process */
} DnStagedStep;

static gboolean inside_node(const DnReplayJob *job, guint32 source, guint32 target)
{
    return job->node_of != NULL && job->node_of[job->endpoints[source]] == job->node_of[target];
}

/* Injection cap of @message, one leg of a staged message; 0: the links' own. */
static gint64 leg_bps(const DnReplayJob *job, const DnCosts *costs, const DnMessage *message)
{
    gboolean to_host = message->dst != message->staging;
    guint32 source = dn_wire_tag_unpack(message->tag).source;
    if (!to_host || costs->path.host_bps == 0 || !inside_node(job, source, message->staging))
        return costs->rate_bps;
    return costs->rate_bps > 0 ? MIN(costs->rate_bps, costs->path.host_bps) : costs->path.host_bps;
}

/* ---- the turns of processes ---- */

/* A context without a rank of its own, for dn_rank_context_other(). */
static DnRankContext context_of(DnReplay *replay, DnContext *context)
{
    return (DnRankContext){.replay = replay, .context = context, .now_ps = dn_context_now(context)};
}

/* The rank to which the message of @r goes. */
static DnRankContext target_of(const DnRankContext *s, const DnRecord *r)
{
    return dn_rank_context_other(s, r->peer, dn_wire_tag_unpack(r->staged.tag).local);
}

gboolean dn_staged_take(const DnRankContext *s, guint32 messages)
{
    if (s->rank->staging.holds > 0)
        return FALSE;
    s->rank->staging.holds = messages;
    return TRUE;
}

/* The process of @s takes the message of @record out of the memory of @host, its part of the copy
 * between hosts, if it was not free meanwhile, and begins to copy it to its GPU. */
static void arrived_begin(const DnRankContext *s, guint32 host, guint32 record)
{
    const DnRecord *r = dn_record_at(&s->replay->endpoints[host].pool, record, DN_RECORD_STAGED);
    const DnReplayJob *job = &s->job->job;
    const DnPathCosts *costs = &dn_job_costs(job, r->rule)->path;
    gint64 copy_ps = 0;
    if (inside_node(job, dn_wire_tag_unpack(r->staged.tag).source, r->peer))
        copy_ps = costs->host_ps + dn_time_at_rate(r->bytes, costs->host_bps);
    gint64 when_ps = MAX(s->now_ps, s->rank->staging.free_ps + copy_ps) + costs->device_ps;
    s->rank->staging.holds = 1;
    dn_context_node_timer(s->context, host, when_ps,
                          dn_cookie_of_record(DN_COOKIE_STAGED, 0, record, STAGED_GO_ON));
}

gboolean dn_staged_give(DnRankContext *s)
{
    DnRankStaging *staging = &s->rank->staging;
    g_assert(staging->holds > 0);
    if (--staging->holds > 0)
        return FALSE;
    staging->free_ps = s->now_ps;
    guint32 record = staging->arrived.head;
    if (record == 0)
        return TRUE;
    const DnReplayJob *job = &s->job->job;
    guint32 host = job->host_of[job->endpoints[s->rank->rank]];
    staging->arrived.head = s->replay->endpoints[host].pool.items[record].next;
    arrived_begin(s, host, record);
    return FALSE;
}

gboolean dn_staged_ends(const DnRankContext *s, const DnMessage *message)
{
    if (dn_replay_has_ranks(s->replay, message->src))
        return FALSE;
    DnWireTag t = dn_wire_tag_unpack(message->tag);
    guint8 rule = dn_rank_context_rule(s, t.source, t.tag, message->bytes);
    return dn_costs_stages_in_turn(dn_rank_context_costs(s, rule));
}

/* The process of rank @local of @endpoint, which sent a message, is free at @when_ps. */
static void sender_free(const DnRankContext *s, guint32 endpoint, guint8 local, gint64 when_ps)
{
    DnRankContext sender = dn_rank_context_other(s, endpoint, local);
    dn_pending_add(&sender, 1);
    dn_context_node_timer(s->context, endpoint, when_ps,
                          dn_cookie_of_record(DN_COOKIE_STAGED, local, 0, 0));
}

void dn_staged_left(DnReplay *replay, DnContext *context, DnCookie cookie)
{
    DnRankContext s = context_of(replay, context);
    sender_free(&s, cookie.lower, cookie.local, s.now_ps);
}

/* ---- hosts ---- */

static void staged_go_on(DnReplay *replay, DnContext *context, guint32 endpoint, guint32 record)
{
    DnReplayEndpoint *e = &replay->endpoints[endpoint];
    const DnRecord *r = dn_record_at(&e->pool, record, DN_RECORD_STAGED);
    const DnRunningJob *running = &replay->jobs[r->job];
    const DnReplayJob *job = &running->job;
    const DnCosts *costs = dn_job_costs(job, r->rule);
    guint32 last = job->host_of[r->peer], source = dn_wire_tag_unpack(r->staged.tag).source;
    DnMessage message = {
        .src = endpoint,
        .dst = endpoint == last ? r->peer : last,
        .staging = r->peer,
        .bytes = r->bytes,
        .tag = r->staged.tag,
        .cookie = DN_NO_COOKIE,
        .job = r->job,
        .lane = job->lane,
        .mode = job->mode,
        .word = r->staged.word,
    };
    if (endpoint != last && dn_costs_stages_in_turn(costs) && inside_node(job, source, r->peer))
        message.cookie = dn_cookie_of_record(DN_COOKIE_STAGED, running->local[source],
                                             job->endpoints[source], 0);
    message.rate_bps = leg_bps(job, costs, &message);
    dn_record_give(&e->pool, record);
    dn_context_send(context, &message);
}

static void staged_arrive(DnReplay *replay, DnContext *context, guint32 endpoint, guint32 record)
{
    DnRecordPool *pool = &replay->endpoints[endpoint].pool;
    const DnRankContext s = context_of(replay, context);
    DnRankContext target = target_of(&s, dn_record_at(pool, record, DN_RECORD_STAGED));
    if (target.rank->staging.holds > 0)
        dn_chain_append(&target.rank->staging.arrived, pool, record);
    else
        arrived_begin(&target, endpoint, record);
}

void dn_staged_timer(DnReplay *replay, DnContext *context, guint32 endpoint, DnCookie cookie)
{
    if (cookie.upper == STAGED_ARRIVE)
        staged_arrive(replay, context, endpoint, cookie.lower);
    else
        staged_go_on(replay, context, endpoint, cookie.lower);
}

/* Returns the rule of the mechanism for @message. */
static guint8 rule_of(const DnReplayJob *job, const DnMessage *message, DnWireTag t)
{
    const DnMechanism *m = dn_job_mechanism_of(job, t.tag);
    gboolean inside = inside_node(job, t.source, message->staging);
    guint8 rule = (guint8)dn_mechanism_rule(m, message->bytes, inside, FALSE);
    return m != &job->mechanism ? dn_job_rule(rule, t.tag) : rule;
}

void dn_staged_deliver(DnReplay *replay, DnContext *context, guint32 endpoint,
                       const DnMessage *message)
{
    const DnRunningJob *running = &replay->jobs[message->job];
    const DnReplayJob *job = &running->job;
    DnWireTag t = dn_wire_tag_unpack(message->tag);
    guint8 rule = rule_of(job, message, t);
    const DnCosts *costs = dn_job_costs(job, rule);
    gboolean from_device = dn_replay_has_ranks(replay, message->src);
    gboolean last = endpoint == job->host_of[message->staging];
    gboolean in_turn = dn_costs_stages_in_turn(costs);
    gint64 delay_ps = from_device ? costs->path.host_ps : 0;
    if (last && from_device)
        delay_ps += dn_time_at_rate(message->bytes, costs->path.host_bps);
    const DnRankContext s = context_of(replay, context);
    gboolean sent = last || !inside_node(job, t.source, message->staging);
    if (sent && from_device && in_turn)
        sender_free(&s, message->src, running->local[t.source], s.now_ps + delay_ps);
    if (last && !in_turn)
        delay_ps += costs->path.device_ps;
    guint32 record = dn_record_keep(&replay->endpoints[endpoint].pool,
                                    (DnRecord){.kind = DN_RECORD_STAGED,
                                               .rule = rule,
                                               .job = message->job,
                                               .peer = message->staging,
                                               .bytes = message->bytes,
                                               .staged = {message->tag, message->word}});
    guint64 cookie = dn_cookie_of_record(DN_COOKIE_STAGED, 0, record,
                                         last && in_turn ? STAGED_ARRIVE : STAGED_GO_ON);
    if (delay_ps == 0)
        dn_staged_timer(replay, context, endpoint, dn_cookie_unpack(cookie));
    else
        dn_context_timer(context, s.now_ps + delay_ps, cookie);
}
