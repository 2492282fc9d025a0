/* read_queues.c - see read_queues.h. */
#include "runtime/read_queues.h"

/* Of the fabric address of a source: shs-cassini-headers, c1_lpe_cfg_get_fq_hash. */
static const guint32 hash_masks[] = {348745, 697490, 2340};
G_STATIC_ASSERT(DN_READ_QUEUES == 1u << G_N_ELEMENTS(hash_masks));

/* Returns the queue of what comes from @peer; NULL: it is not queued. */
static DnReadQueue *queue_of(const DnRankContext *s, guint32 peer, gint64 *window_bytes)
{
    const DnReceiveCosts *costs = &dn_rank_context_control(s, peer)->receive;
    if (s->rank->reads == NULL || costs->read_queues == 0)
        return NULL;
    const DnReplayJob *job = &s->job->job;
    guint32 address = job->endpoints[peer], hash = 0;
    if (job->nic_address != NULL)
        address = job->nic_address[address];
    for (guint i = 0; i < G_N_ELEMENTS(hash_masks); i++)
        hash |= (guint32)__builtin_parity(address & hash_masks[i]) << i;
    *window_bytes = (gint64)costs->read_window_kib * 1024;
    return &s->rank->reads[hash % costs->read_queues];
}

/* Returns what the queue has under way of a message while it asks for it. The size of a receive is
 * an upper bound; of one without it, all that fits. */
static gint64 asked_bytes(const DnRecord *receive, gint64 window_bytes)
{
    return receive->bytes > 0 ? MIN(receive->bytes, window_bytes) : window_bytes;
}

static gboolean has_turn(const DnReadQueue *q, gint64 bytes, gint64 window_bytes)
{
    return q->bytes == 0 || q->bytes + bytes <= window_bytes;
}

gboolean dn_read_begins(DnRankContext *s, guint32 record)
{
    DnRecord *receive = dn_record_at(&s->endpoint->pool, record, DN_RECORD_RECEIVE);
    gint64 window_bytes = 0;
    DnReadQueue *q = queue_of(s, receive->peer, &window_bytes);
    if (q == NULL)
        return TRUE;
    gint64 bytes = asked_bytes(receive, window_bytes);
    if (q->waiting.head == 0 && has_turn(q, bytes, window_bytes)) {
        q->bytes += bytes;
        return TRUE;
    }
    receive->next = 0;
    if (q->waiting.head == 0)
        q->waiting.head = record;
    else
        s->endpoint->pool.items[q->waiting.tail].next = record;
    q->waiting.tail = record;
    return FALSE;
}

void dn_read_asked(DnRankContext *s, const DnRecord *asked)
{
    gint64 window_bytes = 0;
    DnReadQueue *q = queue_of(s, asked->peer, &window_bytes);
    if (q == NULL)
        return;
    q->bytes -= asked_bytes(asked, window_bytes);
    g_assert(q->bytes >= 0);
}

guint32 dn_read_next(DnRankContext *s, const DnRecord *asked)
{
    gint64 window_bytes = 0;
    DnReadQueue *q = queue_of(s, asked->peer, &window_bytes);
    if (q == NULL || q->waiting.head == 0)
        return 0;
    guint32 record = q->waiting.head;
    const DnRecord *receive = dn_record_at(&s->endpoint->pool, record, DN_RECORD_RECEIVE);
    gint64 bytes = asked_bytes(receive, window_bytes);
    if (!has_turn(q, bytes, window_bytes))
        return 0;
    q->waiting.head = receive->next;
    q->bytes += bytes;
    return record;
}
