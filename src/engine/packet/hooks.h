/* hooks.h - Hooks let optional features of the engine take part in the life of a packet.
 *
 * A feature is one table: input buffers left in order (fifo.c), packet aggregation, delay
 * attribution, congestion control. Set-up lists those that the machine and the run ask for, in the
 * order below. Without any, ports run code that is compiled without their calls (port.c). A hook
 * that a feature does not need is NULL. */
#pragma once
#include "engine/packet/core.h"

struct DnPortHooks {
    /* Packet @id came to a vertex on its path; FALSE: it waits, and the feature brings it back. */
    gboolean (*arrive)(DnPartition *partition, DnVertexState *v, guint32 id);
    /* @packet has joined a queue of port @index of @v. */
    void (*join)(DnPartition *partition, DnVertexState *v, guint32 index, DnPacket *packet);
    /* Packets may wait for port @index of @v, whose link is busy. */
    void (*wait)(DnPartition *partition, DnVertexState *v, guint32 index);
    /* Packet @id leaves queue @q of port @index of @v at @start_ps; its place and tail are still
     * those at @v. */
    void (*leave)(DnPartition *partition, DnVertexState *v, guint32 index, guint q, guint32 id,
                  gint64 start_ps);
    /* Engine port @port had no credit from @since_ps until now. */
    void (*stalled)(DnPartition *partition, guint32 port, gint64 since_ps);
    /* A message is handed over; packet @id is at its end; its message is delivered. */
    void (*born)(DnPartition *partition, const DnMessage *message);
    void (*came)(DnPartition *partition, guint32 id);
    void (*delivered)(DnPartition *partition, const DnMessage *message, gint64 born_ps);
};

extern const struct DnPortHooks dn_hooks_attribution, dn_hooks_aggregation, dn_hooks_fifo,
    dn_hooks_control;

static inline gboolean dn_has_hooks(const DnPacketEngine *e)
{
    return e->features.n_hooks > 0;
}

void dn_hooks_init(DnPacketEngine *engine);
gboolean dn_hooks_arrive(DnPartition *partition, DnVertexState *v, guint32 id);
void dn_hooks_join(DnPartition *partition, DnVertexState *v, guint32 index, DnPacket *packet);
void dn_hooks_wait(DnPartition *partition, DnVertexState *v, guint32 index);
void dn_hooks_leave(DnPartition *partition, DnVertexState *v, guint32 index, guint q, guint32 id,
                    gint64 start_ps);
void dn_hooks_stalled(DnPartition *partition, guint32 port, gint64 since_ps);
void dn_hooks_born(DnPartition *partition, const DnMessage *message);
void dn_hooks_came(DnPartition *partition, guint32 id);
void dn_hooks_delivered(DnPartition *partition, const DnMessage *message, gint64 born_ps);
