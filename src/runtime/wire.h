/* wire.h - The layouts of the 64-bit values that the runtime passes to an engine and gets back: a
 * message's tag and word, and the cookie of a timer or of a message that has left. An engine does
 * not read them; only this file knows the position of a bit.
 *
 *   tag      0-31  the program's tag
 *           32-52  the source rank           (jobs of at most DN_REPLAY_MAX_RANKS)
 *           53-55  DnWire, the message's kind
 *           56-63  the receiver among the destination endpoint's ranks
 *                                            (at most DN_REPLAY_MAX_SHARING)
 *   word     0-31  eager, RTS: the message's number in its pair of ranks; one-sided: unused;
 *                  CTS, done: the record of the send; data, again: the record of the receive
 *           32-63  RTS, data that was read, eager that is acknowledged: the record of the send;
 *                  CTS: the record of the receive; again: the message's bytes (those beyond
 *                  32 bits: DnMessage.staging)
 *   cookie   0-35  a stream, a record, or a completion: stream (0-11) and what it gives back
 *                  (12-34: entries, or for DN_COOKIE_UNKNOWN the ack_ns still to pass;
 *                   35: the copy engine)
 *           36-51  a request, or the stage that the record goes to
 *           52-59  the rank among the endpoint's ranks
 *           60-63  DnCookieKind */
#pragma once
#include "runtime/runtime.h"

/* A message's kind on the wire. READY is the CTS of a triggered receive, which no RTS asked for;
 * DONE says that the data of a rendezvous was read, or that the receiver's adapter has an eager
 * message; AGAIN asks for an eager message that was
 * dropped. */
typedef enum {
    DN_WIRE_EAGER,
    DN_WIRE_ONE_SIDED,
    DN_WIRE_RTS,
    DN_WIRE_CTS,
    DN_WIRE_DATA,
    DN_WIRE_READY,
    DN_WIRE_DONE,
    DN_WIRE_AGAIN,
} DnWire;

static inline gboolean dn_wire_controls(DnWire kind)
{
    return kind == DN_WIRE_RTS || kind == DN_WIRE_CTS || kind == DN_WIRE_READY ||
           kind == DN_WIRE_DONE || kind == DN_WIRE_AGAIN;
}

typedef struct {
    guint32 tag, source;
    DnWire kind;
    guint8 local; /* the receiver among the destination endpoint's ranks */
} DnWireTag;

static inline guint64 dn_wire_tag_pack(DnWireTag t)
{
    return t.tag | (guint64)t.source << 32 | (guint64)t.kind << 53 | (guint64)t.local << 56;
}

static inline DnWireTag dn_wire_tag_unpack(guint64 tag)
{
    return (DnWireTag){.tag = (guint32)tag,
                       .source = tag >> 32 & (DN_REPLAY_MAX_RANKS - 1),
                       .kind = tag >> 53 & 7,
                       .local = (guint8)(tag >> 56)};
}

typedef struct {
    guint32 number; /* of the message in its pair, or the record at the receiver of this message */
    guint32 remote; /* the record at the sender of this message */
} DnWireWord;

static inline guint64 dn_wire_word_pack(DnWireWord w)
{
    return (guint64)w.remote << 32 | w.number;
}

static inline DnWireWord dn_wire_word_unpack(guint64 word)
{
    return (DnWireWord){.number = (guint32)word, .remote = (guint32)(word >> 32)};
}

/* Returns DnMessage.staging of the data of a rendezvous by read: the number of parts into which it
 * is split over several rails, and by how many bytes the last part is larger than each other. */
static inline guint32 dn_read_split(guint parts, guint odd)
{
    return parts | odd << 8;
}

/* DnMessage.staging of a part of a read that a queue fetches (read_parts.h): chunks of the
 * message, of two parts each; LATER: of any part but the first. */
#define DN_READ_IN_TURN (1u << 31)
#define DN_READ_LATER (1u << 30)

static inline guint32 dn_read_in_turn(guint32 chunks)
{
    return chunks | DN_READ_IN_TURN;
}

static inline guint32 dn_read_chunks(const DnMessage *part)
{
    return part->staging & (DN_READ_LATER - 1);
}

static inline guint dn_read_parts(const DnMessage *part)
{
    return part->staging & 0xff;
}

/* Returns the bytes of all parts, which are sent over one rail each; @part: any of them. */
static inline gint64 dn_read_bytes(const DnMessage *part)
{
    guint parts = dn_read_parts(part), odd = part->staging >> 8;
    return (part->bytes - (part->rail + 1u == parts ? odd : 0)) * parts + odd;
}

/* The meaning of a timer or of a message that left, and the fields in a cookie's lower half. */
typedef enum {
    DN_COOKIE_WAKE,     /* stream: its computation, copy, reduction or wait is over */
    DN_COOKIE_ISSUED,   /* stream: the transfer that it was busy issuing begins */
    DN_COOKIE_STARTED,  /* record of a send, stage: it goes to this stage, or to the wire */
    DN_COOKIE_ARRIVING, /* record of a message, stage: it goes to this stage, or to its receive */
    DN_COOKIE_LOCAL,    /* record of a send: it has been copied within the endpoint */
    DN_COOKIE_RECEIVED, /* completion: recv_ps is over, and the processor's progress_ns */
    DN_COOKIE_NOTICED,  /* record of a receive: recv_ps is over, progress begins */
    DN_COOKIE_CLEAR,    /* record of a receive: its CTS is sent */
    DN_COOKIE_TURN,     /* record of a receive: its read queue serves it */
    DN_COOKIE_ASK,      /* record of a send: its RTS is sent */
    DN_COOKIE_GRANTED,  /* record of a send: its CTS has been handled */
    DN_COOKIE_STAGED,   /* at a host, record of a message, DnStagedStep; at a rank: its process
                           has done its part of a staged message */
    DN_COOKIE_TAIL,     /* record of a send, chunk: of its two parts the first left */
    DN_COOKIE_LEFT,     /* completion: the last byte left */
    DN_COOKIE_UNKNOWN,  /* completion with ack_ns: the last byte left, unknown to the sender yet */
    DN_COOKIE_KNOWN, /* completion: the sender knows that the last byte left or was acknowledged */
} DnCookieKind;

#define DN_COOKIE_STREAM_BITS 12
#define DN_COOKIE_ENTRIES_BITS 23

/* A request that is complete, and what it gives back: entries of the rank's pool, and the copy
 * engine of a serial mechanism if the send occupied it. */
typedef struct {
    guint32 request, entries;
    guint16 stream;
    guint8 serial;
} DnCompletion;

typedef struct {
    DnCookieKind kind;
    guint8 local;  /* the rank among the endpoint's */
    guint16 upper; /* request or stage */
    guint32 lower; /* stream, record, or stream and entries */
    guint8 above;  /* the four bits of entries above it */
} DnCookie;

G_STATIC_ASSERT(DN_COOKIE_KNOWN < 16 && DN_STREAMS == 1 << DN_COOKIE_STREAM_BITS);

static inline guint64 dn_cookie_pack(DnCookie c)
{
    return (guint64)c.kind << 60 | (guint64)c.local << 52 | (guint64)c.upper << 36 |
           (guint64)c.above << 32 | c.lower;
}

static inline DnCookie dn_cookie_unpack(guint64 cookie)
{
    return (DnCookie){.kind = (DnCookieKind)(cookie >> 60),
                      .local = (guint8)(cookie >> 52),
                      .upper = (guint16)(cookie >> 36),
                      .above = cookie >> 32 & 15,
                      .lower = (guint32)cookie};
}

static inline guint64 dn_cookie_of_stream(DnCookieKind kind, guint8 local, guint32 stream)
{
    return dn_cookie_pack((DnCookie){.kind = kind, .local = local, .lower = stream});
}

static inline guint64 dn_cookie_of_record(DnCookieKind kind, guint8 local, guint32 record,
                                          guint32 stage)
{
    return dn_cookie_pack(
        (DnCookie){.kind = kind, .local = local, .upper = (guint16)stage, .lower = record});
}

static inline guint64 dn_cookie_of_completion(DnCookieKind kind, guint8 local, DnCompletion done)
{
    guint64 both = (guint64)(done.serial & 1) << (DN_COOKIE_ENTRIES_BITS + DN_COOKIE_STREAM_BITS) |
                   (guint64)done.entries << DN_COOKIE_STREAM_BITS | done.stream;
    return dn_cookie_pack((DnCookie){.kind = kind,
                                     .local = local,
                                     .upper = (guint16)done.request,
                                     .lower = (guint32)both,
                                     .above = both >> 32 & 15});
}

static inline DnCompletion dn_cookie_completion(DnCookie c)
{
    guint64 both = (guint64)c.above << 32 | c.lower;
    return (DnCompletion){.request = c.upper,
                          .entries = both >> DN_COOKIE_STREAM_BITS &
                                     ((1u << DN_COOKIE_ENTRIES_BITS) - 1),
                          .stream = both & (DN_STREAMS - 1),
                          .serial = both >> (DN_COOKIE_ENTRIES_BITS + DN_COOKIE_STREAM_BITS) & 1};
}
