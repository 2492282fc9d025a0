/* nic.h - The limits and counters of a NIC (nic.c), and responses (responses.c). */
#pragma once
#include "engine/packet/core.h"

/* LIMITATIONS of responses, as `darner help machine hardware` shows them. */
#define DN_RESPONSE_LIMITS                                                                         \
    "a response is made where the data ends, at the destination's memory, and ends at the "        \
    "source's: with GPUs behind the NIC it crosses their links, too; the responses to a read "     \
    "(GET), which bring its data, queue at the memory without limit but the readers' windows"

void dn_nic_sends(DnPartition *partition, DnVertexState *v, DnPort *uplink, DnPacket *packet);
gboolean dn_nic_may_send(const DnPartition *partition, const DnVertexState *v);
gint64 dn_nic_message_start(DnPartition *partition, DnVertexState *v);
/* A response comes back through the NIC of its request. */
void dn_response_passes(DnPartition *partition, DnVertexState *v, const DnPacket *packet);
/* The uplink has packets and no credit for any (@stalled), or sends. */
void dn_nic_note_stall(const DnPartition *partition, const DnVertexState *v, const DnPort *uplink,
                       gboolean stalled);
/* Returns the time in which the uplink was stalled and a response waited, until @now_ps. */
gint64 dn_nic_response_stalled_ps(const DnNic *nic, gint64 now_ps);
void dn_respond(DnPartition *partition, DnVertexState *v, const DnPacket *request);
/* TRUE when it was the last of a read, whose message is whole then. */
gboolean dn_response_arrives(DnPartition *partition, DnVertexState *v, guint32 packet);

static inline guint32 dn_nic_data_flits(const DnPacketEngine *e, guint32 payload)
{
    guint32 flit = (guint32)e->net.hardware->flit_bytes;
    return (payload + flit - 1) / flit;
}
