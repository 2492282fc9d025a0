/* protocol.h - The protocol of messages: it takes a send from the program to the wire, eagerly, by
 * rendezvous (RTS, CTS, data; or a read by the receiver), triggered or one-sided. */
#pragma once
#include "runtime/runtime_internal.h"

/* Returns TRUE when rank @peer of the job is on another endpoint. */
gboolean dn_peer_is_apart(const DnRankContext *s, guint32 peer);
/* Returns the kind of message that carries the data of @send. */
DnWire dn_send_wire(const DnSend *send);
/* Stores a send until a timer or a message refers to it, and returns its record. */
guint32 dn_send_keep(DnRankContext *s, const DnSend *send);
/* Returns the send in @record and frees the record. */
DnSend dn_send_take(DnRankContext *s, guint32 record);

/* Begins a send of the program. */
void dn_send_launch(DnRankContext *s, DnSend *send);
/* Passes the send to stage @stage of its mechanism's outgoing stages, or after the last to the
 * wire. */
void dn_send_advance(DnRankContext *s, const DnSend *send, guint32 stage);
/* Serves the CTS of the send in @record: clear on its arrival, granted when its cost has passed.
 * @remote: the record of the receive. */
void dn_send_clear(DnRankContext *s, guint32 record, guint32 remote);
void dn_send_granted(DnRankContext *s, guint32 record);
/* Sends the RTS of the send in @record, which has started. */
void dn_send_ask(DnRankContext *s, guint32 record);
/* Has the receive in @record read its message from the sender's memory (GET). */
void dn_receive_get(DnRankContext *s, guint32 record);
/* Completes the send in @record: the receiver has read its data, or its adapter has acknowledged
 * an eager message. */
void dn_send_done(DnRankContext *s, guint32 record);
/* Asks @peer for an eager message of @bytes that was dropped here (DN_WIRE_AGAIN), for the receive
 * in @record; the sender sends it again. */
void dn_ask_again(DnRankContext *s, guint32 peer, guint32 tag, guint32 record, gint64 bytes);
void dn_send_again(DnRankContext *s, guint32 peer, guint32 tag, guint32 record, gint64 bytes);
/* Tells rank @source that a triggered receive is ready for its message with @tag. */
void dn_send_ready(DnRankContext *s, guint32 source, guint32 tag);
/* Returns the request, entries and copy engine that a send frees when it has left. */
DnCompletion dn_send_completion(const DnRankContext *s, const DnSend *send);
/* The process has done its part of a staged message: the next that waits for it begins. */
void dn_send_staged_next(DnRankContext *s);
/* Called when the last byte of a send has left: if it occupied the copy engine, the next copy
 * begins; then its request is complete. */
void dn_send_left(DnRankContext *s, DnCompletion done);

/* Sends a control message (dn_wire_controls()) to rank @peer. */
void dn_control_send(DnRankContext *s, DnWire kind, guint32 peer, guint32 tag, DnWireWord word);
