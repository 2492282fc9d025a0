/* context.c - hands the client's calls to the engine that serves it. */
#include "engine/engine.h"

/* The beginning of every engine's DnContext. */
typedef struct {
    const DnContextOps *ops;
} ContextHead;

static const DnContextOps *ops_of(const DnContext *context)
{
    return ((const ContextHead *)(const void *)context)->ops;
}

gint64 dn_context_now(const DnContext *context)
{
    return ops_of(context)->now(context);
}

void dn_context_send(DnContext *context, const DnMessage *message)
{
    ops_of(context)->send(context, message);
}

void dn_context_timer(DnContext *context, gint64 when, guint64 cookie)
{
    ops_of(context)->timer(context, when, cookie);
}

void dn_context_node_timer(DnContext *context, guint32 endpoint, gint64 when, guint64 cookie)
{
    ops_of(context)->node_timer(context, endpoint, when, cookie);
}

gboolean dn_context_nic(const DnContext *context, DnNicCounters *counters)
{
    const DnContextOps *ops = ops_of(context);
    return ops->nic != NULL && ops->nic(context, counters);
}
