/* unasked_messages.h - Messages that no request of their sender waits for: control messages, and
 * those that the receiver's adapter has asked for. */
#pragma once
#include "runtime/runtime_internal.h"

/* Returns DnMessage.tag of a message of @kind to rank @peer of the job. */
guint64 dn_wire_tag_to(const DnRankContext *s, DnWire kind, guint32 peer, guint32 tag);
/* Sends such a message; @message has the fields that are its own, its cookie among them. */
void dn_send_unasked(const DnRankContext *s, DnWireTag wire, guint32 peer, DnWireWord word,
                     DnMessage message);
