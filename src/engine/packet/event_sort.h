/* event_sort.h - the events of a domain out of the wheel and into their order: by time, then port,
 * equal keys as they were added.
 *
 * That is the order of the events of each vertex. Vertices do not meet within a slot, so theirs may
 * be any: on a machine whose state is larger than the cache one vertex comes after the other, each
 * with its events in order, and its ports are loaded once a slot. On a smaller one a large batch
 * has the events of the switches first: what kind the next event is, is then guessed wrong less
 * often.
 * By the time's high bits nearly every event finds its place without a branch that can be guessed
 * wrong: where the CPU has vectors for it each of a slot's events counts those before it
 * (event_rank.h), very many go through bins. Where those bits are not the whole time an insertion
 * pass over all ends it. */
#pragma once
#include "engine/packet/event_wheel.h"

typedef struct {
    DnEvent *scratch;
    guint scratch_capacity;
    guint32 *bins;
    guint rank_most;    /* as many are ordered by their ranks, more by bins */
    guint32 *of_vertex; /* [vertices of the largest domain]; NULL: never vertex after vertex */
    guint32 *switches;  /* [domains] vertices that come before all others in a large batch; NULL:
                           all in the order of time */
} DnSort;

/* The events of one domain in one slot, in order. */
typedef struct {
    DnEvent *events;
    guint n, capacity;
    guint first; /* as many, of switches alone unless it is n, then those of other vertices */
    gboolean by_vertex; /* all events of one vertex, then those of the next */
} DnBatch;

/* Takes the events of @item, whose domain has @vertices, out of @wheel. */
void dn_batch_load(DnSort *sort, DnWheel *wheel, DnWorkItem item, guint32 vertices, DnBatch *batch);
void dn_batch_clear(DnBatch *batch);
void dn_sort_clear(DnSort *sort);

/* Arrivals and credits by port; the vertex's own events after them. */
static inline guint64 dn_event_key(const DnEvent *event)
{
    gboolean own = dn_event_kind(event) >= DN_EVENT_SELF;
    guint32 port = event->b | -(guint32)own; /* no branch to guess */
    return (guint64)event->offset_ps << 32 | port;
}
