/* event_wheel.h - events by slot of time and domain: adding and taking cost the same at any length.
 *
 * Slots are 2^shift ps. The wheel holds the next `slots` of them; each (slot, domain) has a chain
 * of chunks of 31 events in the order they were added. Later events wait in a heap ordered by
 * (slot, order added) and enter the wheel when their slot comes within reach.
 * A window is a few slots in a row, `span` of them from `first` on: domain after domain is served
 * through all of its slots. */
#pragma once
#include "engine/packet/event.h"
#include "engine/packet/pool.h"

#define DN_CHUNK_PLACES 32 /* the first is the head's */
#define DN_CHUNK_EVENTS (DN_CHUNK_PLACES - 1)

/* 512 B: a place in events is chunk * 32 + 1 .. 31, so one number says chunk and place in it. */
typedef struct {
    guint32 older; /* chunk of the same bucket; 0: none */
    guint32 pad[3];
    DnEvent events[DN_CHUNK_EVENTS];
} DnChunk;
G_STATIC_ASSERT(sizeof(DnChunk) == DN_CHUNK_PLACES * sizeof(DnEvent));

typedef struct {
    gint64 when_ps;
    guint64 order;
    guint32 domain;
    DnEvent event;
} DnFarEvent;

typedef struct {
    guint shift;            /* slot length 2^shift ps */
    guint32 slots;          /* power of two */
    guint32 domains, words; /* words of a slot's bitmap */
    gint64 first;           /* slot (counted from t = 0) with which the present window begins */
    guint32 span;           /* slots of the present window */
    guint32 offset_mask;    /* of a time: within its slot */
    gint64 end_ps;          /* events from then on wait in the heap */
    guint32 *next;          /* [slots * domains] place of the next event; 0: bucket is empty; a
                             multiple of 32: the chunk before it is full */
    guint64 *busy;          /* [slots * words] domains that have events */
    guint32 *counts;        /* [slots] domains that have events */
    guint64 waiting;        /* buckets in use in all slots */
    DnPool chunks;
    gboolean exhausted; /* memory: events were lost, and the run must end */
    DnFreeList free_chunks;
    DnFarEvent *far; /* binary heap */
    gsize n_far, far_capacity;
    guint64 far_order;
} DnWheel;

/* The events of a domain in a slot of the present window, `ahead` of its first. */
typedef struct {
    guint32 domain; /* DN_NONE: no more in this window */
    guint32 ahead;
} DnWorkItem;

/* @budget: of its chunks, or NULL. FALSE when memory is refused. */
gboolean dn_wheel_init(DnWheel *wheel, guint32 domains, guint shift, guint32 slots,
                       DnPoolBudget *budget);
void dn_wheel_clear(DnWheel *wheel);
void dn_wheel_add_far(DnWheel *wheel, guint32 domain, gint64 when_ps, guint32 what, guint32 a,
                      guint32 b);
/* The first place of a new chunk in the bucket whose next place is @at. */
guint32 dn_wheel_grow_bucket(DnWheel *wheel, guint32 at, guint32 slot, guint32 domain);
/* The first slot from the present window on that has events; G_MAXINT64: none has. */
gint64 dn_wheel_next_slot(const DnWheel *wheel);
/* A window of @span slots from @first on; no events may wait before it. */
void dn_wheel_move_to(DnWheel *wheel, gint64 first, guint32 span);
/* Takes the events of @item, @n of them, out of the wheel: the first of a chain of chunks, oldest
 * first, linked by `older`; all but the last are full. The caller gives the chunks back to
 * free_chunks. */
guint32 dn_wheel_take(DnWheel *wheel, DnWorkItem item, guint *n);
/* Returns the first work item with events from @from on: later slots of that domain, then the next
 * domains. */
DnWorkItem dn_wheel_next_work_item(const DnWheel *wheel, DnWorkItem from);

static inline DnChunk *dn_chunk(const DnWheel *wheel, guint32 id)
{
    return (DnChunk *)wheel->chunks.base + id;
}

static inline guint32 *dn_bucket(const DnWheel *wheel, guint32 slot, guint32 domain)
{
    return &wheel->next[(gsize)slot * wheel->domains + domain];
}

static inline guint32 *dn_work_item_bucket(const DnWheel *wheel, DnWorkItem item)
{
    return dn_bucket(wheel, ((guint32)wheel->first + item.ahead) & (wheel->slots - 1), item.domain);
}

static inline void dn_wheel_add(DnWheel *wheel, guint32 domain, gint64 when_ps, DnEvent event)
{
    if (G_UNLIKELY(when_ps >= wheel->end_ps)) {
        dn_wheel_add_far(wheel, domain, when_ps, event.what, event.a, event.b);
        return;
    }
    guint32 slot = (guint32)(when_ps >> wheel->shift) & (wheel->slots - 1);
    guint32 *next = dn_bucket(wheel, slot, domain);
    guint32 at = *next;
    if (G_UNLIKELY(at % DN_CHUNK_PLACES == 0))
        at = dn_wheel_grow_bucket(wheel, at, slot, domain);
    /* Volatile: GCC would put the words together in vectors, which takes more than writing them. */
    volatile DnEvent *place = (DnEvent *)wheel->chunks.base + at;
    place->offset_ps = (guint32)when_ps & wheel->offset_mask;
    place->what = event.what;
    place->a = event.a;
    place->b = event.b;
    *next = at + 1;
}

/* Events a domain sets for itself inside the slot it is being served in: few, sorted. */
typedef struct {
    DnEvent *events; /* ascending from `at` */
    guint at, n, capacity;
} DnSelfEvents;

/* After those of the same time. */
void dn_self_events_add(DnSelfEvents *self, guint32 offset_ps, DnEvent event);
