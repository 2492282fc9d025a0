/* event_sort.h - a batch into its order: by time, then port, equal keys as they were added.
 *
 * A counting pass on the time's high bits puts nearly every event in place without a branch that
 * can be guessed wrong; an insertion pass over the whole ends it. */
#pragma once

typedef struct {
    DnEvent *scratch;
    guint scratch_capacity;
    guint16 *bins;
} DnSort;

void dn_sort_events(DnSort *sort, DnEvent **events, guint *capacity, guint n, guint window_shift);
void dn_sort_clear(DnSort *sort);

/* Arrivals and credits by port; the vertex's own events after them. */
static inline guint64 dn_event_key(const DnEvent *event)
{
    guint32 port = event->kind >= DN_EVENT_SELF ? G_MAXUINT32 : event->b;
    return (guint64)event->offset_ps << 32 | port;
}
