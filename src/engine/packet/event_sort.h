/* event_sort.h - the events of a domain out of the wheel and into their order: by time, then port,
 * equal keys as they were added.
 *
 * By the time's high bits nearly every event finds its place without a branch that can be guessed
 * wrong: a few events each count those before them, many go through bins. Where those bits are not
 * the whole time an insertion pass over all ends it. */
#pragma once
#include "engine/packet/event_wheel.h"

typedef struct {
    DnEvent *scratch;
    guint scratch_capacity;
    guint32 *bins;
} DnSort;

/* The events of one domain in one slot, in order. */
typedef struct {
    DnEvent *events;
    guint n, capacity;
} DnBatch;

/* Takes the events of @item out of @wheel. */
void dn_batch_load(DnSort *sort, DnWheel *wheel, DnWorkItem item, DnBatch *batch);
void dn_batch_clear(DnBatch *batch);
void dn_sort_clear(DnSort *sort);

/* Arrivals and credits by port; the vertex's own events after them. */
static inline guint64 dn_event_key(const DnEvent *event)
{
    guint32 port = dn_event_kind(event) >= DN_EVENT_SELF ? G_MAXUINT32 : event->b;
    return (guint64)event->offset_ps << 32 | port;
}
