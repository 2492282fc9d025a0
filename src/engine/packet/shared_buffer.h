/* shared_buffer.h - Input buffers that the channels of a port share: `shared_buffer` of a class.
 *
 * Dynamically allocated multi-queue buffer (Tamir & Frazier, "High-Performance Multi-Queue Buffers
 * for VLSI Communication Switches", ISCA 1988): each queue (lane and virtual channel) of a port has
 * `buffer` bytes of its own, and all have `shared_buffer` more between them, first come, first
 * served. The reserve of one packet keeps routing free of deadlock: a queue whose packets can go on
 * always gets space again, whatever the others hold (Dally, "Virtual-Channel Flow Control", IEEE
 * TPDS 3(2), 1992, needs no more of a channel).
 * The sender counts: credit_bytes[q] of its port is what queue q may still send, its own bytes that
 * are free plus all shared ones that are. */
#pragma once
#include "engine/packet/core.h"

/* The sender's count of the buffer at its link's far end. */
struct DnSharedBuffer {
    gint32 free_bytes, full_bytes; /* of the shared part */
};

/* Allocates the counts, if any class of links shares buffers; before the ports are initialised. */
void dn_shared_buffers_init(DnPacketEngine *engine);
void dn_shared_buffers_clear(DnPacketEngine *engine);
/* Sets the credits of engine port @index, of which each queue has those of its own. */
void dn_shared_buffer_open(DnPacketEngine *engine, guint32 index, gint32 shared_bytes);
/* @bytes of queue @q of engine port @index have left; negative: their credit has come back. */
void dn_shared_buffer_take(DnPacketEngine *engine, guint32 index, guint q, gint32 bytes);

/* The shared bytes of the buffer at the end of engine port @index. */
static inline gint32 dn_shared_buffer_bytes(const DnPacketEngine *e, guint32 index)
{
    return e->features.shared_buffers == NULL ? 0 : e->features.shared_buffers[index].full_bytes;
}
