/* message_pack.c - see message_pack.h.
 *
 * A pack and all that belongs to it are records of the pool of messages:
 *   the pack   m, born_ps, rail: the message taken last; received_bytes: messages in it; target,
 *              source: where the next one is read (chunk, byte); unanswered: its end
 *   its end    m, born_ps, rail: the message added last; target, source: where the next one is
 *              written
 *   chunks     CHUNK_BYTES of messages, then the next chunk
 * A message is a mask of the values that differ from those of the message before it, and the
 * differences; all are numbers of 7 bits a byte, the lowest first. */
#include "engine/packet/message_pack.h"

#include <string.h>

#define PACK_MARK (-1)
#define CHUNK_BYTES (sizeof(DnMessageState) - sizeof(guint32))
#define VALUES 11u
#define MOST_BYTES (2u + VALUES * 10u)
G_STATIC_ASSERT(MOST_BYTES <= CHUNK_BYTES);

/* Lists the values that may differ between two messages of a source, the most frequent first. */
static void values_of(const DnMessageState *msg, guint64 values[VALUES])
{
    const DnMessage *m = &msg->m;
    values[0] = m->dst;
    values[1] = (guint32)m->word;
    values[2] = m->tag << 8 | m->tag >> 56; /* clients number receivers in the highest bits */
    values[3] = (guint64)msg->born_ps;
    values[4] = msg->rail;
    values[5] = m->word >> 32;
    values[6] = (guint64)m->bytes;
    values[7] = m->staging - m->dst;
    values[8] = m->cookie;
    values[9] = (guint64)m->rate_bps;
    values[10] = m->job | (guint64)m->lane << 16 | (guint64)m->by_nics << 22 |
                 (guint64)m->read << 23 | (guint64)m->mode << 24 | (guint64)m->rail << 28;
}

static void values_set(const guint64 values[VALUES], DnMessageState *msg)
{
    DnMessage *m = &msg->m;
    m->dst = (guint32)values[0];
    m->word = (guint32)values[1] | values[5] << 32;
    m->tag = values[2] >> 8 | values[2] << 56;
    msg->born_ps = (gint64)values[3];
    msg->rail = (guint32)values[4];
    m->bytes = (gint64)values[6];
    m->staging = (guint32)values[7] + m->dst;
    m->cookie = values[8];
    m->rate_bps = (gint64)values[9];
    m->job = (guint16)values[10];
    m->lane = values[10] >> 16 & 63;
    m->by_nics = values[10] >> 22 & 1;
    m->read = values[10] >> 23 & 1;
    m->mode = values[10] >> 24 & 15;
    m->rail = values[10] >> 28 & 15;
}

/* ---- chunks ---- */

static guint32 record_take(DnPartition *partition)
{
    DnPacketEngine *e = partition->engine;
    return dn_pool_take(&e->net.message_states, &partition->free_message_states);
}

static void message_give(DnPartition *partition, guint32 id)
{
    dn_pool_give(&partition->engine->net.message_states, &partition->free_message_states, id);
}

/* Frees a record that was no message; cleared, as a new message does not set every member. */
static void record_give(DnPartition *partition, guint32 id)
{
    *dn_message_state(partition->engine, id) = (DnMessageState){0};
    message_give(partition, id);
}

static guint8 *chunk_bytes(const DnPacketEngine *e, guint32 chunk)
{
    return (guint8 *)dn_message_state(e, chunk);
}

static guint32 chunk_next(const DnPacketEngine *e, guint32 chunk)
{
    guint32 next;
    memcpy(&next, chunk_bytes(e, chunk) + CHUNK_BYTES, sizeof next);
    return next;
}

static guint8 byte_read(DnPartition *partition, DnMessageState *pack)
{
    const DnPacketEngine *e = partition->engine;
    if (pack->source == CHUNK_BYTES) {
        guint32 next = chunk_next(e, pack->target);
        record_give(partition, pack->target);
        pack->target = next;
        pack->source = 0;
    }
    return chunk_bytes(e, pack->target)[pack->source++];
}

static guint64 number_read(DnPartition *partition, DnMessageState *pack)
{
    guint64 number = 0;
    for (guint shift = 0;; shift += 7) {
        guint8 byte = byte_read(partition, pack);
        number |= (guint64)(byte & 127) << shift;
        if (byte < 128)
            return number;
    }
}

static guint8 *number_put(guint8 *at, guint64 number)
{
    for (; number >= 128; number >>= 7)
        *at++ = (guint8)(number | 128);
    *at++ = (guint8)number;
    return at;
}

/* Appends @n bytes to the pack; FALSE: there is no memory, and nothing was written. */
static gboolean bytes_write(DnPartition *partition, DnMessageState *end, const guint8 *bytes,
                            guint32 n)
{
    const DnPacketEngine *e = partition->engine;
    guint32 space = (guint32)CHUNK_BYTES - end->source, first = MIN(space, n), next = 0;
    if (n > space && (next = record_take(partition)) == 0)
        return FALSE;
    memcpy(chunk_bytes(e, end->target) + end->source, bytes, first);
    end->source += first;
    if (n > space) {
        memcpy(chunk_bytes(e, end->target) + CHUNK_BYTES, &next, sizeof next);
        memcpy(chunk_bytes(e, next), bytes + first, n - first);
        end->target = next;
        end->source = n - first;
    }
    return TRUE;
}

/* ---- packs ---- */

guint32 dn_pack_new(DnPartition *partition)
{
    const DnPacketEngine *e = partition->engine;
    guint32 ids[3]; /* the pack, its end, its first chunk */
    for (guint i = 0; i < 3; i++) {
        ids[i] = record_take(partition);
        if (ids[i] != 0)
            continue;
        while (i > 0)
            record_give(partition, ids[--i]);
        return 0;
    }
    *dn_message_state(e, ids[0]) =
        (DnMessageState){.left_bytes = PACK_MARK, .target = ids[2], .unanswered = ids[1]};
    *dn_message_state(e, ids[1]) = (DnMessageState){.target = ids[2]};
    return ids[0];
}

gboolean dn_pack_add(DnPartition *partition, guint32 pack, guint32 id)
{
    const DnPacketEngine *e = partition->engine;
    const DnMessageState *msg = dn_message_state(e, id);
    DnMessageState *p = dn_message_state(e, pack), *end = dn_message_state(e, p->unanswered);
    guint64 before[VALUES], values[VALUES];
    guint8 bytes[MOST_BYTES], *at = bytes;
    guint mask = 0;
    values_of(end, before);
    values_of(msg, values);
    for (guint i = 0; i < VALUES; i++)
        mask |= (guint)(values[i] != before[i]) << i;
    at = number_put(at, mask);
    for (guint i = 0; i < VALUES; i++) {
        guint64 more = values[i] - before[i];
        if (mask >> i & 1)
            at = number_put(at, more << 1 ^ (more >> 63 != 0 ? G_MAXUINT64 : 0));
    }
    if (!bytes_write(partition, end, bytes, (guint32)(at - bytes)))
        return FALSE;
    values_set(values, end);
    p->m.src = msg->m.src; /* of all: that of the port's vertex */
    p->received_bytes++;
    message_give(partition, id);
    return TRUE;
}

guint32 dn_pack_take(DnPartition *partition, guint32 pack)
{
    const DnPacketEngine *e = partition->engine;
    DnMessageState *p = dn_message_state(e, pack);
    guint32 id = record_take(partition);
    if (G_UNLIKELY(id == 0)) {
        __atomic_store_n(&partition->engine->end.out_of, "messages", __ATOMIC_RELAXED);
        return 0;
    }
    guint64 values[VALUES];
    values_of(p, values);
    guint64 mask = number_read(partition, p);
    for (guint i = 0; i < VALUES; i++)
        if (mask >> i & 1) {
            guint64 folded = number_read(partition, p);
            values[i] += folded >> 1 ^ (guint64) - (gint64)(folded & 1);
        }
    values_set(values, p);
    p->received_bytes--;
    DnMessageState *msg = dn_message_state(e, id);
    msg->m = p->m;
    msg->born_ps = p->born_ps;
    msg->rail = p->rail;
    return id;
}

gboolean dn_pack_is_empty(const DnPacketEngine *engine, guint32 pack)
{
    return dn_message_state(engine, pack)->received_bytes == 0;
}

void dn_pack_free(DnPartition *partition, guint32 pack)
{
    const DnMessageState *p = dn_message_state(partition->engine, pack);
    g_assert(p->received_bytes == 0);
    record_give(partition, p->target);
    record_give(partition, p->unanswered);
    record_give(partition, pack);
}
