/* hooks.c - calls the features that a run has, in their order. */
#include "engine/packet/hooks.h"

static void add(DnPacketEngine *e, gboolean wanted, const struct DnPortHooks *hooks)
{
    if (wanted)
        e->features.hooks[e->features.n_hooks++] = hooks;
}

void dn_hooks_init(DnPacketEngine *e)
{
    add(e, e->features.waits != NULL, &dn_hooks_attribution);
    add(e, e->features.trains != NULL, &dn_hooks_aggregation);
    add(e, e->features.fifos != NULL, &dn_hooks_fifo);
    add(e, e->features.control != NULL, &dn_hooks_control);
}

/* Every feature that has the hook. */
#define CALL(engine, hook, ...)                                                                    \
    for (guint i = 0; i < (engine)->features.n_hooks; i++)                                         \
        if ((engine)->features.hooks[i]->hook != NULL)                                             \
    (engine)->features.hooks[i]->hook(__VA_ARGS__)

gboolean dn_hooks_arrive(DnPart *part, DnVertexState *v, guint32 id)
{
    const DnPacketFeatures *f = &part->engine->features;
    for (guint i = 0; i < f->n_hooks; i++)
        if (f->hooks[i]->arrive != NULL && !f->hooks[i]->arrive(part, v, id))
            return FALSE;
    return TRUE;
}

void dn_hooks_join(DnPart *part, DnVertexState *v, guint32 index, DnPacket *packet)
{
    CALL(part->engine, join, part, v, index, packet);
}

void dn_hooks_wait(DnPart *part, DnVertexState *v, guint32 index)
{
    CALL(part->engine, wait, part, v, index);
}

void dn_hooks_leave(DnPart *part, DnVertexState *v, guint32 index, guint q, guint32 id,
                    gint64 start_ps)
{
    CALL(part->engine, leave, part, v, index, q, id, start_ps);
}

void dn_hooks_stalled(DnPart *part, guint32 port, gint64 since_ps)
{
    CALL(part->engine, stalled, part, port, since_ps);
}

void dn_hooks_born(DnPart *part, const DnMessage *message)
{
    CALL(part->engine, born, part, message);
}

void dn_hooks_came(DnPart *part, guint32 id)
{
    CALL(part->engine, came, part, id);
}

void dn_hooks_delivered(DnPart *part, const DnMessage *message, gint64 born_ps)
{
    CALL(part->engine, delivered, part, message, born_ps);
}
