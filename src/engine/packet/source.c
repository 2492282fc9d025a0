/* source.c - A message starts and continues at its source: its packets join their ports. */
#include "engine/packet/inject.h"

/* Lets message @id go on after one attempt to inject, whose result is @outcome. */
static void source_proceed(DnPartition *partition, DnVertexState *v, guint32 id,
                           DnInjectOutcome outcome, const DnInjected *injected)
{
    DnPacketEngine *e = partition->engine;
    switch (outcome) {
    case DN_INJECT_SENT:
        if (injected->packet != 0)
            dn_port_enqueue(partition, v, injected->port, injected->packet);
        if (injected->last)
            return;
        dn_inject_push(partition, dn_port(e, v->first_port + injected->port), id, FALSE);
        dn_port_pull(partition, v, injected->port);
        break;
    case DN_INJECT_PORT_FULL:
        dn_inject_push(partition, dn_port(e, v->first_port + injected->port), id, FALSE);
        break;
    case DN_INJECT_PARKED:
        break;
    }
}

void dn_source_continue(DnPartition *partition, DnVertexState *v, guint32 id)
{
    DnInjected injected = {0};
    DnInjectOutcome outcome = dn_inject_one(partition, v, id, &injected);
    source_proceed(partition, v, id, outcome, &injected);
}

void dn_source_start(DnPartition *partition, DnVertexState *v, guint32 id, guint32 rail)
{
    DnInjected injected = {0};
    DnInjectOutcome outcome = dn_inject_new(partition, v, id, rail, &injected);
    source_proceed(partition, v, id, outcome, &injected);
}
