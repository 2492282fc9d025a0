/* events.c - a binary heap of events by (time, order of making). */
#include "engine/flow/flow.h"

static gboolean events_before(const DnFlowEvent *a, const DnFlowEvent *b)
{
    return a->when_ps != b->when_ps ? a->when_ps < b->when_ps : a->order < b->order;
}

void dn_flow_events_add(DnFlowEvents *events, gint64 when_ps, DnFlowEvent event)
{
    if (events->n == events->capacity) {
        events->capacity = 2 * events->capacity + 64;
        events->at = g_renew(DnFlowEvent, events->at, events->capacity);
    }
    event.when_ps = when_ps;
    event.order = events->made++;
    gsize i = events->n++;
    for (; i > 0 && events_before(&event, &events->at[(i - 1) / 2]); i = (i - 1) / 2)
        events->at[i] = events->at[(i - 1) / 2];
    events->at[i] = event;
}

DnFlowEvent dn_flow_events_take(DnFlowEvents *events)
{
    g_assert(events->n > 0);
    DnFlowEvent first = events->at[0], last = events->at[--events->n];
    gsize i = 0;
    for (;;) {
        gsize child = 2 * i + 1;
        if (child + 1 < events->n && events_before(&events->at[child + 1], &events->at[child]))
            child++;
        if (child >= events->n || !events_before(&events->at[child], &last))
            break;
        events->at[i] = events->at[child];
        i = child;
    }
    if (events->n > 0)
        events->at[i] = last;
    return first;
}
