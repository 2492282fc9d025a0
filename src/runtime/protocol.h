/* protocol.h - The protocol takes a send from the program to the wire. */
#pragma once
#include "runtime/runtime_internal.h"

gboolean dn_peer_is_apart(const DnRankContext *s, guint32 peer); /* at another endpoint */
DnWire dn_send_wire(const DnSend *send);
/* Keeps a send until a timer or a message asks for it; take gives the record back. */
guint32 dn_send_keep(DnRankContext *s, const DnSend *send);
DnSend dn_send_take(DnRankContext *s, guint32 record);

void dn_send_launch(DnRankContext *s, DnSend *send);
/* Passes the send to stage @stage of its path out, or to the wire. */
void dn_send_advance(DnRankContext *s, const DnSend *send, guint32 stage);
/* The CTS of the send in @record came; then it has been handled. */
void dn_send_clear(DnRankContext *s, guint32 record, guint32 remote);
void dn_send_granted(DnRankContext *s, guint32 record);
/* Sends the RTS of the send in @record, which has started. */
void dn_send_ask(DnRankContext *s, guint32 record);
/* The receive in @record, whose message is to be had by GET, asks for it. */
void dn_receive_get(DnRankContext *s, guint32 record);
/* Continues the send in @record, which is read in two parts in turn, when the first has left. */
void dn_send_tail(DnRankContext *s, guint32 record);
/* The receiver has read the data of the send in @record. */
void dn_send_read(DnRankContext *s, guint32 record);
/* The receiver dropped an eager message and asks for it (DN_WIRE_AGAIN). */
void dn_send_again(DnRankContext *s, guint32 peer, guint32 tag, DnWireWord word);
/* A triggered receive is ready for a message of that source and tag. */
void dn_send_ready(DnRankContext *s, guint32 source, guint32 tag);
/* What a send gives back when it has left. */
DnCompletion dn_send_completion(const DnRankContext *s, const DnSend *send);
/* Called when the last byte of a send has left: if it occupied the copy engine, the next copy
 * begins; then its request is complete. */
void dn_send_left(DnRankContext *s, DnCompletion done);

void dn_control_send(DnRankContext *s, DnWire kind, guint32 peer, guint32 tag, DnWireWord word);
