/* tag_matching.h - which receive takes which message: MPI's matching, by source and tag, in order.
 *
 * A table holds records of one kind of one rank: receives that wait for messages, or messages that
 * came before their receive. Chains by source, doubled as they fill, so that thousands outstanding
 * from as many sources cost O(1) each; receives from any source have a chain of their own, and the
 * lower sequence number wins. Records live in the endpoint's pool, by index: no allocation each.
 * Messages of equal source and tag are taken in the order they are added (message_ordering.h
 * restores the order of sending).
 * LIMITATIONS: thousands outstanding from one source with different tags are searched one by one.
 * */
#pragma once
#include <glib.h>

typedef struct {
    guint32 next; /* in a chain or a free list; 0: none */
    guint32 sequence;
    guint32 peer; /* source of a receive or message, destination of a send; DN_ANY */
    guint32 tag;  /* or DN_ANY */
    guint16 request;
    guint8 stream;
    guint8 flags;   /* of a send or receive: DnOpFlags; of a message: its kind on the wire */
    guint32 order;  /* of a send: its number; of a message held back: its tag */
    guint32 remote; /* record at the far end of a rendezvous */
    gint64 bytes;
    gint64 value; /* of an unexpected message: when it arrived, ps */
} DnRecord;

typedef struct {
    DnRecord *items; /* [capacity]; 0 is nobody */
    guint32 used, capacity, free;
} DnRecordPool;

/* Index of a fresh record; may move the items. */
guint32 dn_record_take(DnRecordPool *pool);
void dn_record_give(DnRecordPool *pool, guint32 record);
void dn_record_pool_clear(DnRecordPool *pool);

typedef struct {
    guint32 head, tail;
} DnChain;

typedef struct {
    DnChain *buckets; /* [1 << bits]; NULL: only `one` */
    DnChain one, any;
    guint32 bits, count, sequence;
} DnMatch;

/* Adds @record, whose peer and tag are set, behind all others. */
void dn_match_add(DnMatch *match, DnRecordPool *pool, guint32 record);
/* The earliest record that agrees with (@peer, @tag), each of which may be DN_ANY, unlinked but
 * not given back; 0: none. */
guint32 dn_match_take(DnMatch *match, DnRecordPool *pool, guint32 peer, guint32 tag);
/* The earliest record with @request and @stream, either of which may be DN_ANY; stays. O(count):
 * for reports. */
guint32 dn_match_first(const DnMatch *match, const DnRecordPool *pool, guint32 request,
                       guint32 stream);
void dn_match_clear(DnMatch *match);
