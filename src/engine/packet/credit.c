/* credit.c - A credit returns: the buffer at the far end of a port's link has space again. */
#include "base/expensive.h"
#include "engine/packet/packet_aggregation.h"
#include "engine/packet/shared_buffer.h"

/* Does what dn_port_credit() does where queues share a part of their buffer. */
static __attribute__((noinline)) void shared_credit(DnPartition *partition, DnVertexState *v,
                                                    guint32 index, guint32 queue, guint32 bytes)
{
    DnPacketEngine *e = partition->engine;
    DnPort *port = dn_port(e, index);
    dn_shared_buffer_take(e, index, queue, -(gint32)bytes);
    if (port->mask != 0 && !port->wake_set)
        dn_port_try(partition, v, index - v->first_port);
}

void dn_port_credit(DnPartition *partition, DnVertexState *v, guint32 index, guint32 queue,
                    guint32 bytes)
{
    DnPort *port = dn_port(partition->engine, index);
    port->credit_bytes[queue] += (gint32)bytes;
    port->unacked_bytes -= bytes;
    if (G_UNLIKELY(partition->engine->features.shared_buffers != NULL)) {
        shared_credit(partition, v, index, queue, bytes);
        return;
    }
    dn_check(port->credit_bytes[queue] <=
             dn_aggregation_credit(partition->engine, queue,
                                   partition->engine->net.cold[index].full_credit_bytes));
    guint32 asleep = port->wake_set - 1u; /* one branch, seldom taken */
    if (G_UNLIKELY((port->mask & asleep) != 0))
        dn_port_try(partition, v, index - v->first_port);
}
