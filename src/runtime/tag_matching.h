/* tag_matching.h - Tag matching finds the receive that takes a message: MPI's matching, by source
 * and tag, in order.
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

/* The meaning of a record, and the valid member of its union. */
typedef enum {
    DN_RECORD_SEND,
    DN_RECORD_RECEIVE,
    DN_RECORD_UNEXPECTED, /* a message that came before its receive */
    DN_RECORD_EARLY,      /* a message that came before an earlier one of its pair; tag: number */
    DN_RECORD_ARRIVING,   /* a message in the stages after the wire */
    DN_RECORD_CLEARED,    /* the CTS of a triggered receive that came before its send */
    DN_RECORD_STAGED,     /* a message at a host on its path; peer: endpoint of its receiver */
} DnRecordKind;

typedef struct {
    guint32 next; /* in a chain or a free list; 0: none */
    guint32 sequence;
    guint32 peer; /* source of a receive or message, destination of a send; DN_ANY */
    guint32 tag;  /* or DN_ANY */
    gint64 bytes;
    union {
        struct {
            guint32 number, remote;
            guint16 request, stream;
            guint8 flags, granted; /* flags: DnOpFlags */
            guint8 turn;           /* of its iteration, among the job's modes in turn */
        } send;
        struct {
            guint32 entries, remote; /* remote: record of the send, once its RTS came */
            guint16 request, stream;
            guint8 flags;  /* DnOpFlags */
            guint8 again;  /* of a message that was dropped and comes once more, by `rule` */
            guint16 parts; /* that have come, of a message that is read */
        } receive;
        struct {
            gint64 arrived_ps;
            guint32 remote;
            guint8 wire; /* DnWire */
        } unexpected;
        struct {
            guint32 tag, remote; /* tag: the program's */
            guint8 wire;
        } early;
        struct {
            guint32 number, remote;
            guint8 wire;
        } arriving;
        struct {
            guint64 tag, word; /* the message's */
        } staged;
    };
    guint8 kind; /* DnRecordKind */
    guint8 rule; /* of the mechanism of the message; a receive has none before that is there */
    guint16 job; /* staged: index */
    guint32 get_bytes; /* of a receive: that its adapter gets; 0: the sender's adapter sends */
} DnRecord;
G_STATIC_ASSERT(sizeof(DnRecord) == 48);

typedef struct {
    DnRecord *items; /* [capacity]; item 0 is unused */
    guint32 used, capacity, free;
} DnRecordPool;

/* Index of a fresh record; may move the items. */
guint32 dn_record_take(DnRecordPool *pool);
/* Index of a fresh record that holds @value; may move the items. */
static inline guint32 dn_record_keep(DnRecordPool *pool, DnRecord value)
{
    guint32 record = dn_record_take(pool);
    pool->items[record] = value;
    return record;
}
/* The record, which is of @kind; valid until the next one is taken. */
static inline DnRecord *dn_record_at(const DnRecordPool *pool, guint32 record, DnRecordKind kind)
{
    DnRecord *r = &pool->items[record];
    g_assert(r->kind == kind);
    return r;
}
void dn_record_give(DnRecordPool *pool, guint32 record);
void dn_record_pool_clear(DnRecordPool *pool);

typedef struct {
    guint32 head, tail;
} DnChain;

/* Adds @record, which is in no chain, behind the others of @chain. */
void dn_chain_append(DnChain *chain, DnRecordPool *pool, guint32 record);

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
/* Does what dn_match_take() does, and returns 0 also when the earliest was added after the one that
 * got @sequence; NULL: any is taken. */
guint32 dn_match_take_before(DnMatch *match, DnRecordPool *pool, guint32 peer, guint32 tag,
                             const guint32 *sequence);
/* TRUE: a record agrees with (@peer, @tag). */
gboolean dn_match_has(const DnMatch *match, const DnRecordPool *pool, guint32 peer, guint32 tag);
/* TRUE: a message with one of the tags is taken by a receive with the other. */
gboolean dn_tags_agree(guint32 a, guint32 b);
/* The earliest record, of a table of receives unless both are DN_ANY, with @request and @stream,
 * either of which may be DN_ANY; stays. O(count): for reports. */
guint32 dn_match_first(const DnMatch *match, const DnRecordPool *pool, guint32 request,
                       guint32 stream);
void dn_match_clear(DnMatch *match);
