/* host_staging.c - staged messages at the hosts on their way: to the source's host, to the
 * target's, to the target, each leg a message of its own over the machine's links, begun when the
 * one before it is whole. No rank lives there; all that is known travels with the message. */
#include "runtime/runtime_internal.h"

static gboolean inside_node(const DnReplayJob *job, const DnMessage *message)
{
    guint32 source = job->endpoints[message->tag >> 32 & (DN_REPLAY_MAX_RANKS - 1)];
    return job->node_of != NULL && job->node_of[source] == job->node_of[message->relay];
}

static const DnCosts *costs_of(const DnReplayJob *job, const DnMessage *message)
{
    return dn_mechanism_costs(&job->mechanism, message->bytes, inside_node(job, message));
}

/* Of the leg that begins here; 0: the links'. */
static gint64 leg_bps(const DnReplayJob *job, const DnMessage *message)
{
    const DnCosts *costs = costs_of(job, message);
    gboolean to_host = message->dst != message->relay;
    if (!to_host || costs->host_bps == 0 || !inside_node(job, message))
        return costs->rate_bps;
    return costs->rate_bps > 0 ? MIN(costs->rate_bps, costs->host_bps) : costs->host_bps;
}

static guint32 keep(DnReplayEndpoint *e, const DnMessage *message)
{
    guint32 record = dn_record_take(&e->pool);
    e->pool.items[record] = (DnRecord){.sequence = message->dst,
                                       .peer = message->relay,
                                       .request = message->job,
                                       .order = (guint32)message->word,
                                       .remote = (guint32)(message->word >> 32),
                                       .bytes = message->bytes,
                                       .value = (gint64)message->tag};
    return record;
}

void dn_relay_deliver(DnReplay *replay, DnContext *context, guint32 endpoint,
                      const DnMessage *message)
{
    const DnReplayJob *job = &replay->jobs[message->job].job;
    const DnCosts *costs = costs_of(job, message);
    gboolean from_device = replay->endpoints[message->src].n > 0;
    guint32 last = job->host_of[message->relay];
    gint64 delay_ps = from_device ? costs->host_ps : 0;
    DnMessage next = *message;
    next.dst = last;
    if (endpoint == last) {
        if (from_device)
            delay_ps += dn_time_at_rate(message->bytes, costs->host_bps);
        delay_ps += costs->device_ps;
        next.dst = message->relay;
    }
    guint32 record = keep(&replay->endpoints[endpoint], &next);
    if (delay_ps == 0)
        dn_relay_go_on(replay, context, endpoint, record);
    else
        dn_context_timer(context, dn_context_now(context) + delay_ps,
                         (guint64)DN_RELAYED << 56 | record);
}

void dn_relay_go_on(DnReplay *replay, DnContext *context, guint32 endpoint, guint32 record)
{
    DnReplayEndpoint *e = &replay->endpoints[endpoint];
    const DnRecord *r = &e->pool.items[record];
    const DnReplayJob *job = &replay->jobs[r->request].job;
    DnMessage message = {
        .src = endpoint,
        .dst = r->sequence,
        .relay = r->peer,
        .bytes = r->bytes,
        .tag = (guint64)r->value,
        .cookie = DN_NO_COOKIE,
        .job = r->request,
        .lane = job->lane,
        .mode = job->mode,
        .word = (guint64)r->remote << 32 | r->order,
    };
    message.rate_bps = leg_bps(job, &message);
    dn_record_give(&e->pool, record);
    dn_context_send(context, &message);
}
