/* host_staging.c - Staged messages are forwarded by hosts: to the source's host, to the target's,
 * to the target. Each leg is a message of its own over the machine's links, which begins when the
 * leg before it is complete. Hosts have no rank; all state travels with the message. */
#include "runtime/host_staging.h"

static gboolean inside_node(const DnReplayJob *job, const DnMessage *message)
{
    guint32 source = job->endpoints[dn_wire_tag_unpack(message->tag).source];
    return job->node_of != NULL && job->node_of[source] == job->node_of[message->staging];
}

/* Injection cap of @message, one leg of a staged message; 0: the links' own. */
static gint64 leg_bps(const DnReplayJob *job, const DnCosts *costs, const DnMessage *message)
{
    gboolean to_host = message->dst != message->staging;
    if (!to_host || costs->staging.host_bps == 0 || !inside_node(job, message))
        return costs->rate_bps;
    return costs->rate_bps > 0 ? MIN(costs->rate_bps, costs->staging.host_bps)
                               : costs->staging.host_bps;
}

void dn_staged_deliver(DnReplay *replay, DnContext *context, guint32 endpoint,
                       const DnMessage *message)
{
    const DnReplayJob *job = &replay->jobs[message->job].job;
    guint32 tag = dn_wire_tag_unpack(message->tag).tag;
    const DnMechanism *m = dn_job_mechanism_of(job, tag);
    guint8 rule = (guint8)dn_mechanism_rule(m, message->bytes, inside_node(job, message), FALSE);
    if (m != &job->mechanism)
        rule = dn_job_rule(rule, tag);
    const DnCosts *costs = dn_job_costs(job, rule);
    gboolean from_device = dn_replay_has_ranks(replay, message->src);
    gint64 delay_ps = from_device ? costs->staging.host_ps : 0;
    if (endpoint == job->host_of[message->staging]) {
        if (from_device)
            delay_ps += dn_time_at_rate(message->bytes, costs->staging.host_bps);
        delay_ps += costs->staging.device_ps;
    }
    guint32 record = dn_record_keep(&replay->endpoints[endpoint].pool,
                                    (DnRecord){.kind = DN_RECORD_STAGED,
                                               .rule = rule,
                                               .job = message->job,
                                               .peer = message->staging,
                                               .bytes = message->bytes,
                                               .staged = {message->tag, message->word}});
    if (delay_ps == 0)
        dn_staged_go_on(replay, context, endpoint, record);
    else
        dn_context_timer(context, dn_context_now(context) + delay_ps,
                         dn_cookie_of_record(DN_COOKIE_STAGED, 0, record, 0));
}

void dn_staged_go_on(DnReplay *replay, DnContext *context, guint32 endpoint, guint32 record)
{
    DnReplayEndpoint *e = &replay->endpoints[endpoint];
    const DnRecord *r = dn_record_at(&e->pool, record, DN_RECORD_STAGED);
    const DnReplayJob *job = &replay->jobs[r->job].job;
    guint32 last = job->host_of[r->peer];
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
    message.rate_bps = leg_bps(job, dn_job_costs(job, r->rule), &message);
    dn_record_give(&e->pool, record);
    dn_context_send(context, &message);
}
