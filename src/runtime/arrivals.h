/* arrivals.h - Receives, and arriving messages until they match one. */
#pragma once
#include "runtime/runtime_internal.h"

/* Posts the receive @op, whose rule is @rule. */
void dn_receive_post(DnRankContext *s, const DnOp *op, guint32 stream, guint8 rule);
/* Sends the CTS of the receive in @record. */
void dn_receive_clear(DnRankContext *s, guint32 record);
/* The receive in @record, whose turn it is in its read queue, asks for its data. */
void dn_receive_ask(DnRankContext *s, guint32 record);
/* The message of the receive in @record is in memory: its processor completes it (progress_ns). */
void dn_receive_noticed(DnRankContext *s, guint32 record);
void dn_message_arrive(DnRankContext *s, const DnMessage *message);
/* The message in @record goes to stage @stage of its path in, or to its receive. */
void dn_arrival_advance(DnRankContext *s, guint32 record, guint32 stage);
/* A send within the endpoint has been copied: it leaves and arrives at once. */
void dn_send_copied(DnRankContext *s, guint32 record);
