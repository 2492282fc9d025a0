/* read_queues.c - see read_queues.h. */
#include "runtime/read_queues.h"

/* Masks of a source's fabric address: shs-cassini-headers, c1_lpe_cfg_get_fq_hash. */
static const guint32 hash_masks[] = {348745, 697490, 2340};
G_STATIC_ASSERT(DN_READ_QUEUES == 1u << G_N_ELEMENTS(hash_masks));

static gboolean reads_few(const DnRankContext *s, const DnReceiveCosts *costs)
{
    return costs->read_peers > 0 && s->job->job.program->ranks > costs->read_peers_above;
}

static guint32 adapter_of(const DnReplayJob *job, guint32 endpoint)
{
    return job->adapter_of != NULL ? job->adapter_of[endpoint] : endpoint;
}

void dn_read_queues_start(DnReplay *replay, guint32 endpoint, const DnReplayJob *job)
{
    DnReplayEndpoint *adapter = &replay->endpoints[adapter_of(job, endpoint)];
    if (adapter->reads == NULL)
        adapter->reads = g_new0(DnReadQueue, DN_READ_QUEUES);
}

void dn_read_queues_clear(DnReplayEndpoint *adapter)
{
    for (guint i = 0; i < DN_READ_QUEUES; i++)
        g_free(adapter->reads[i].waiting);
    g_clear_pointer(&adapter->reads, g_free);
}

/* Returns the queue of reads from @peer; NULL: they are not queued. *@window: the most in flight,
 * in bytes, or in messages where the mechanism limits those. */
static DnReadQueue *queue_of(const DnRankContext *s, guint32 peer, guint32 tag, gint64 *window)
{
    const DnReceiveCosts *costs = &dn_rank_context_control(s, peer, tag)->receive;
    *window = costs->read_peers;
    if (costs->read_queues == 0)
        return reads_few(s, costs) ? s->rank->few_reads : NULL;
    const DnReplayJob *job = &s->job->job;
    guint32 address = job->endpoints[peer], hash = 0;
    if (job->nic_address != NULL)
        address = job->nic_address[address];
    for (guint i = 0; i < G_N_ELEMENTS(hash_masks); i++)
        hash |= (guint32)__builtin_parity(address & hash_masks[i]) << i;
    *window = (gint64)costs->read_window_kib * 1024;
    guint32 adapter = adapter_of(job, job->endpoints[s->rank->rank]);
    return &s->replay->endpoints[adapter].reads[hash % costs->read_queues];
}

gboolean dn_reads_whole(const DnRankContext *s, guint32 peer, guint32 tag)
{
    const DnReceiveCosts *costs = &dn_rank_context_control(s, peer, tag)->receive;
    return costs->read_queues == 0 && reads_few(s, costs);
}

/* Returns the share of the window that a read takes: one message, or its bytes, of which the size
 * of the receive is an upper bound; the whole window for a receive without a size. */
static gint64 asked_share(const DnRankContext *s, const DnRecord *receive, gint64 window)
{
    if (dn_reads_whole(s, receive->peer, receive->tag))
        return 1;
    return receive->bytes > 0 ? MIN(receive->bytes, window) : window;
}

static gboolean has_turn(const DnReadQueue *q, gint64 more, gint64 window)
{
    return q->in_flight == 0 || q->in_flight + more <= window;
}

static void queue_append(DnReadQueue *q, DnReadWaiting waiting)
{
    if (q->n == q->capacity) {
        guint32 capacity = MAX(16, 2 * q->capacity);
        q->waiting = g_renew(DnReadWaiting, q->waiting, capacity);
        for (guint32 i = 0; i < q->first; i++) /* the ring's end, which began the array */
            q->waiting[q->capacity + i] = q->waiting[i];
        q->capacity = capacity;
    }
    q->waiting[(q->first + q->n++) & (q->capacity - 1)] = waiting;
}

gboolean dn_read_begins(DnRankContext *s, guint32 record)
{
    const DnRecord *receive = dn_record_at(&s->endpoint->pool, record, DN_RECORD_RECEIVE);
    gint64 window = 0;
    DnReadQueue *q = queue_of(s, receive->peer, receive->tag, &window);
    if (q == NULL)
        return TRUE;
    gint64 more = asked_share(s, receive, window);
    if (q->n == 0 && has_turn(q, more, window)) {
        q->in_flight += more;
        return TRUE;
    }
    queue_append(q, (DnReadWaiting){.endpoint = s->job->job.endpoints[s->rank->rank],
                                    .record = record,
                                    .local = s->rank->local});
    return FALSE;
}

void dn_read_asked(DnRankContext *s, const DnRecord *receive)
{
    gint64 window = 0;
    DnReadQueue *q = queue_of(s, receive->peer, receive->tag, &window);
    if (q == NULL)
        return;
    q->in_flight -= asked_share(s, receive, window);
    g_assert(q->in_flight >= 0);
}

gboolean dn_read_next(const DnRankContext *s, const DnRecord *receive, DnReadWaiting *next)
{
    gint64 window = 0;
    DnReadQueue *q = queue_of(s, receive->peer, receive->tag, &window);
    if (q == NULL || q->n == 0)
        return FALSE;
    *next = q->waiting[q->first];
    DnRankContext other = dn_rank_context_other(s, next->endpoint, next->local);
    const DnRecord *waiting = dn_record_at(&other.endpoint->pool, next->record, DN_RECORD_RECEIVE);
    queue_of(&other, waiting->peer, waiting->tag, &window);
    gint64 more = asked_share(&other, waiting, window);
    if (!has_turn(q, more, window))
        return FALSE;
    q->first = (q->first + 1) & (q->capacity - 1);
    q->n--;
    q->in_flight += more;
    return TRUE;
}
