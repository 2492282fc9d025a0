/* hooks.c - calls the features that a run has, in their order. */
#include "engine/packet/hooks.h"
#include "engine/packet/port_mode.h"
#include "engine/packet/queue.h"

static void hooks_add(DnPacketEngine *e, gboolean wanted, const struct DnPortHooks *hooks)
{
    if (!wanted)
        return;
    e->features.hooks[e->features.n_hooks++] = hooks;
    if (hooks->arrive != NULL)
        e->features.hooked |= DN_HOOKED_ARRIVE;
    if (hooks->join != NULL)
        e->features.hooked |= DN_HOOKED_JOIN;
    if (hooks->wait != NULL)
        e->features.hooked |= DN_HOOKED_WAIT;
    if (hooks->stalled != NULL)
        e->features.hooked |= DN_HOOKED_STALLED;
    if (hooks->leave != NULL)
        e->features.hooked |= DN_HOOKED_LEAVE;
    if (hooks->credit_delay_ps != NULL)
        e->features.hooked |= DN_HOOKED_CREDIT;
    if (hooks->born != NULL || hooks->came != NULL || hooks->delivered != NULL)
        e->features.hooked |= DN_HOOKED_MESSAGES;
}

static DnPortMode port_mode(const DnPacketEngine *e)
{
    if (e->features.n_hooks > 0)
        return DN_PORT_HOOKED;
    if (e->features.control != NULL || e->features.larger != NULL)
        return e->features.shared_buffers == NULL ? DN_PORT_CONTROLLED : DN_PORT_HOOKED;
    return e->net.plain ? DN_PORT_LEAN : DN_PORT_BARE;
}

static DnHeapAfter heap_after(const DnPacketEngine *e)
{
    if (e->features.control == NULL)
        return DN_AFTER_APART;
    gboolean reads_tail = e->features.aggregation != NULL || e->features.delay_log != NULL;
    return reads_tail ? DN_AFTER_NOWHERE : DN_AFTER_IN_TAIL;
}

void dn_hooks_init(DnPacketEngine *e)
{
    hooks_add(e, e->features.delay_log != NULL, &dn_hooks_attribution);
    hooks_add(e, e->features.aggregates != NULL, &dn_hooks_aggregation);
    if (e->features.aggregates != NULL)
        e->features.aggregation = &dn_aggregation_hooks;
    hooks_add(e, e->features.fifos != NULL, &dn_hooks_fifo);
    hooks_add(e, e->features.link_levels != NULL, &dn_hooks_delayed_credits);
    e->features.port_mode = port_mode(e);
    e->features.heap_after = heap_after(e);
}

/* Every feature that has the hook. */
#define CALL(engine, hook, ...)                                                                    \
    for (guint i = 0; i < (engine)->features.n_hooks; i++)                                         \
        if ((engine)->features.hooks[i]->hook != NULL)                                             \
    (engine)->features.hooks[i]->hook(__VA_ARGS__)

gboolean dn_hooks_arrive(DnPartition *partition, DnVertexState *v, guint32 id)
{
    const DnPacketFeatures *f = &partition->engine->features;
    for (guint i = 0; i < f->n_hooks; i++)
        if (f->hooks[i]->arrive != NULL && !f->hooks[i]->arrive(partition, v, id))
            return FALSE;
    return TRUE;
}

void dn_hooks_join(DnPartition *partition, DnVertexState *v, guint32 index, DnPacket *packet)
{
    CALL(partition->engine, join, partition, v, index, packet);
}

void dn_hooks_wait(DnPartition *partition, DnVertexState *v, guint32 index)
{
    CALL(partition->engine, wait, partition, v, index);
}

void dn_hooks_leave(DnPartition *partition, DnVertexState *v, guint32 index, guint q, guint32 id,
                    gint64 start_ps)
{
    CALL(partition->engine, leave, partition, v, index, q, id, start_ps);
}

gint64 dn_hooks_credit_delay_ps(const DnPartition *partition, const DnVertexState *v, guint32 index,
                                const DnPacket *packet)
{
    const DnPacketFeatures *f = &partition->engine->features;
    gint64 delay_ps = 0;
    for (guint i = 0; i < f->n_hooks; i++)
        if (f->hooks[i]->credit_delay_ps != NULL)
            delay_ps += f->hooks[i]->credit_delay_ps(partition, v, index, packet);
    return delay_ps;
}

void dn_hooks_stalled(DnPartition *partition, guint32 port, gint64 since_ps)
{
    CALL(partition->engine, stalled, partition, port, since_ps);
}

void dn_hooks_born(DnPartition *partition, const DnMessage *message)
{
    CALL(partition->engine, born, partition, message);
}

void dn_hooks_came(DnPartition *partition, guint32 id)
{
    CALL(partition->engine, came, partition, id);
}

void dn_hooks_delivered(DnPartition *partition, const DnMessage *message, gint64 born_ps)
{
    CALL(partition->engine, delivered, partition, message, born_ps);
}
