/* read_parts.c - see read_parts.h. */
#include "runtime/read_parts.h"

#include "runtime/unasked_messages.h"

#define MOST_CHUNKS (G_MAXUINT16 / 2) /* DnRecord.receive.parts counts two each */

/* Sends a part over each of @parts NICs; the last has the odd bytes. */
static void send_over_nics(const DnRankContext *s, const DnMessage *whole, guint parts)
{
    g_assert(parts > 0);
    DnMessage message = *whole;
    guint odd = (guint)(whole->bytes % parts);
    message.staging = dn_read_split(parts, odd);
    message.bytes = whole->bytes / parts;
    for (guint i = 0; i < parts; i++) {
        message.rail = i == 0 ? DN_RAIL_FIRST : (guint8)i;
        if (i + 1 == parts)
            message.bytes += odd;
        dn_rank_context_send(s, &message);
    }
}

static gint64 window_bytes(const DnCosts *costs)
{
    return (gint64)costs->receive.read_window_kib * 1024;
}

/* Returns the chunks, of about equal size, in which a queue fetches a message of @bytes; 0: it asks
 * for all of it at a time, or the message does not come by a queue. */
static guint32 chunks_of(const DnCosts *costs, gint64 bytes)
{
    if (costs->receive.read_queues == 0 || dn_costs_reads(costs) > 1 ||
        bytes <= window_bytes(costs) / 2 || bytes > G_MAXUINT32)
        return 0;
    gint64 chunk = MAX((gint64)costs->receive.read_chunk_kib * 1024, window_bytes(costs));
    gint64 chunks = costs->receive.read_chunk_kib > 0 ? (bytes + chunk - 1) / chunk : 1;
    return chunks <= MOST_CHUNKS ? (guint32)chunks : 1;
}

static gint64 chunk_bytes(gint64 bytes, guint32 chunk, guint32 chunks)
{
    g_assert(chunks > 0);
    return bytes * (chunk + 1) / chunks - bytes * chunk / chunks;
}

static gint64 tail_bytes(const DnCosts *costs, gint64 bytes, guint32 chunk, guint32 chunks)
{
    return MIN(window_bytes(costs), chunk_bytes(bytes, chunk, chunks) / 2);
}

void dn_read_send(DnRankContext *s, const DnMessage *whole, guint32 record, const DnCosts *costs)
{
    guint32 chunks = chunks_of(costs, whole->bytes);
    if (chunks == 0) {
        send_over_nics(s, whole, dn_costs_reads(costs));
        return;
    }
    DnMessage message = *whole;
    message.staging = dn_read_in_turn(chunks);
    message.bytes = chunk_bytes(whole->bytes, 0, chunks) -
                    tail_bytes(costs, whole->bytes, 0, chunks);
    message.cookie = dn_cookie_of_record(DN_COOKIE_TAIL, s->rank->local, record, 0);
    dn_rank_context_send(s, &message);
}

/* Sends a part after the first of the send in @record. */
static void send_later(DnRankContext *s, guint32 record, guint32 chunk, gboolean tail)
{
    const DnRecord *r = dn_record_at(&s->endpoint->pool, record, DN_RECORD_SEND);
    const DnCosts *costs = dn_rank_context_costs(s, r->rule);
    guint32 chunks = chunks_of(costs, r->bytes);
    gint64 bytes = tail_bytes(costs, r->bytes, chunk, chunks);
    guint64 cookie = DN_NO_COOKIE;
    if (!tail) {
        bytes = chunk_bytes(r->bytes, chunk, chunks) - bytes;
        cookie = dn_cookie_of_record(DN_COOKIE_TAIL, s->rank->local, record, chunk);
    }
    dn_send_unasked(s, (DnWireTag){.kind = DN_WIRE_DATA, .tag = r->tag}, r->peer,
                    (DnWireWord){.number = r->send.remote, .remote = record},
                    (DnMessage){.bytes = bytes,
                                .staging = dn_read_in_turn(chunks) | DN_READ_LATER,
                                .rate_bps = costs->rate_bps,
                                .by_nics = costs->path.by_nics & 1,
                                .cookie = cookie});
}

void dn_read_send_chunk(DnRankContext *s, guint32 record, guint32 chunk)
{
    send_later(s, record, chunk, FALSE);
}

void dn_read_send_tail(DnRankContext *s, guint32 record, guint32 chunk)
{
    send_later(s, record, chunk, TRUE);
}

DnReadArrival dn_read_part_arrive(DnRankContext *s, const DnMessage *part, guint32 record)
{
    DnRecord *r = dn_record_at(&s->endpoint->pool, record, DN_RECORD_RECEIVE);
    guint parts = ++r->receive.parts;
    if (!(part->staging & DN_READ_IN_TURN))
        return (DnReadArrival){.last = parts == dn_read_parts(part),
                               .chunk_asked = parts == 1,
                               .bytes = dn_read_bytes(part)};
    guint chunks = dn_read_chunks(part);
    r->receive.remote = dn_wire_word_unpack(part->word).remote;
    r->get_bytes += (guint32)part->bytes;
    return (DnReadArrival){.last = parts == 2 * chunks,
                           .chunk_asked = parts % 2 == 1,
                           .more = dn_read_chunk_next(r) < chunks,
                           .bytes = r->get_bytes};
}

guint32 dn_read_chunk_next(const DnRecord *receive)
{
    return (receive->receive.parts + 1u) / 2;
}

void dn_read_ask_chunk(DnRankContext *s, guint32 record, guint32 chunk)
{
    const DnRecord *r = dn_record_at(&s->endpoint->pool, record, DN_RECORD_RECEIVE);
    const DnCosts *costs = dn_rank_context_control(s, r->peer, r->tag);
    dn_send_unasked(s, (DnWireTag){.kind = DN_WIRE_CTS}, r->peer,
                    (DnWireWord){.number = r->receive.remote, .remote = record},
                    (DnMessage){.bytes = costs->control_bytes,
                                .staging = chunk,
                                .by_nics = costs->path.by_nics & 1,
                                .cookie = DN_NO_COOKIE});
}
