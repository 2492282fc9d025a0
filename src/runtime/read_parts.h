/* read_parts.h - A message that is read may come in parts: one over each NIC (`read_rails`), or, by
 * a read queue (read_queues.h), one after the other.
 *
 * A queue fetches a message in chunks, each of which is asked for when the queue has served those
 * that waited before it; a message that its library does not cut is one chunk. A chunk longer than
 * half of what the queue asks for at a time, its window, comes in two parts. When the first is
 * here, the rest has been asked for, and the queue goes on. The second part is the window, or half
 * of a chunk that is shorter than two. So messages of a window or less follow one another without a
 * pause, as longer ones do. */
#pragma once
#include "runtime/runtime_internal.h"

/* Sends the parts of @whole, which the receiver reads, or those of its first chunk. @record: of the
 * send, which waits until all has been read. */
void dn_read_send(DnRankContext *s, const DnMessage *whole, guint32 record, const DnCosts *costs);
/* Sends the parts of chunk @chunk of the send in @record, which the receiver has asked for. */
void dn_read_send_chunk(DnRankContext *s, guint32 record, guint32 chunk);
/* Sends the second part of that chunk, whose first has left. */
void dn_read_send_tail(DnRankContext *s, guint32 record, guint32 chunk);

/* What an arrived part means for its receive. */
typedef struct {
    gboolean last;        /* the message is whole */
    gboolean chunk_asked; /* all of its chunk has been asked for */
    gboolean more;        /* another chunk has not been asked for */
    gint64 bytes;         /* that have come, all where `last` */
} DnReadArrival;

/* Counts @part, which has come for the receive in @record. */
DnReadArrival dn_read_part_arrive(DnRankContext *s, const DnMessage *part, guint32 record);
/* Returns the chunk of @receive that is asked for next; 0: the first. */
guint32 dn_read_chunk_next(const DnRecord *receive);
/* Asks for chunk @chunk of the receive in @record, not its first. */
void dn_read_ask_chunk(DnRankContext *s, guint32 record, guint32 chunk);
