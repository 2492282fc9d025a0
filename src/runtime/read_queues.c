/* read_queues.c - see read_queues.h. */
#include "runtime/read_queues.h"

/* Masks of a source's fabric address: shs-cassini-headers, c1_lpe_cfg_get_fq_hash. */
static const guint32 hash_masks[] = {348745, 697490, 2340};
G_STATIC_ASSERT(DN_READ_QUEUES == 1u << G_N_ELEMENTS(hash_masks));

static gboolean reads_few(const DnRankContext *s, const DnReceiveCosts *costs)
{
    return costs->read_peers > 0 && s->job->job.program->ranks > costs->read_peers_above;
}

/* Returns the queue of reads from @peer; NULL: they are not queued. *@window: the most in flight,
 * in bytes, or in messages where the mechanism limits those. */
static DnReadQueue *queue_of(const DnRankContext *s, guint32 peer, gint64 *window)
{
    const DnReceiveCosts *costs = &dn_rank_context_control(s, peer)->receive;
    if (s->rank->reads == NULL || (costs->read_queues == 0 && !reads_few(s, costs)))
        return NULL;
    *window = costs->read_peers;
    if (costs->read_queues == 0)
        return &s->rank->reads[0];
    const DnReplayJob *job = &s->job->job;
    guint32 address = job->endpoints[peer], hash = 0;
    if (job->nic_address != NULL)
        address = job->nic_address[address];
    for (guint i = 0; i < G_N_ELEMENTS(hash_masks); i++)
        hash |= (guint32)__builtin_parity(address & hash_masks[i]) << i;
    *window = (gint64)costs->read_window_kib * 1024;
    return &s->rank->reads[hash % costs->read_queues];
}

gboolean dn_reads_whole(const DnRankContext *s, guint32 peer)
{
    const DnReceiveCosts *costs = &dn_rank_context_control(s, peer)->receive;
    return costs->read_queues == 0 && reads_few(s, costs);
}

/* Returns the share of the window that a read takes: one message, or its bytes, of which the size
 * of the receive is an upper bound; the whole window for a receive without a size. */
static gint64 asked_share(const DnRankContext *s, const DnRecord *receive, gint64 window)
{
    if (dn_reads_whole(s, receive->peer))
        return 1;
    return receive->bytes > 0 ? MIN(receive->bytes, window) : window;
}

static gboolean has_turn(const DnReadQueue *q, gint64 more, gint64 window)
{
    return q->in_flight == 0 || q->in_flight + more <= window;
}

gboolean dn_read_begins(DnRankContext *s, guint32 record)
{
    const DnRecord *receive = dn_record_at(&s->endpoint->pool, record, DN_RECORD_RECEIVE);
    gint64 window = 0;
    DnReadQueue *q = queue_of(s, receive->peer, &window);
    if (q == NULL)
        return TRUE;
    gint64 more = asked_share(s, receive, window);
    if (q->waiting.head == 0 && has_turn(q, more, window)) {
        q->in_flight += more;
        return TRUE;
    }
    dn_chain_append(&q->waiting, &s->endpoint->pool, record);
    return FALSE;
}

void dn_read_asked(DnRankContext *s, const DnRecord *receive)
{
    gint64 window = 0;
    DnReadQueue *q = queue_of(s, receive->peer, &window);
    if (q == NULL)
        return;
    q->in_flight -= asked_share(s, receive, window);
    g_assert(q->in_flight >= 0);
}

guint32 dn_read_next(DnRankContext *s, const DnRecord *receive)
{
    gint64 window = 0;
    DnReadQueue *q = queue_of(s, receive->peer, &window);
    if (q == NULL || q->waiting.head == 0)
        return 0;
    guint32 record = q->waiting.head;
    const DnRecord *next = dn_record_at(&s->endpoint->pool, record, DN_RECORD_RECEIVE);
    gint64 more = asked_share(s, next, window);
    if (!has_turn(q, more, window))
        return 0;
    q->waiting.head = next->next;
    q->in_flight += more;
    return record;
}
