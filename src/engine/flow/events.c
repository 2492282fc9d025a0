/* events.c - The event queue of the flow engine, by time and then by order of adding: a radix heap
 * (Ahuja, Mehlhorn, Orlin, Tarjan, "Faster Algorithms for the Shortest Path Problem", JACM 37(2),
 * 1990), since no event is earlier than the one taken last.
 *
 * Bucket b holds the times whose highest bit that differs from base_ps is bit b - 1, bucket 0 those
 * equal to base_ps; so all times of a bucket are before all of the next. When the run is empty, the
 * first bucket with events is sorted and becomes the run if it has few; else its events are
 * distributed to the buckets below it by a new base. Buckets and sorting keep the order of adding.
 * An event whose time the run covers is inserted into the run. */
#include "engine/flow/flow.h"

#define MOST_SORTED 64             /* larger buckets are distributed, not sorted by insertion */
#define LONG_RUN (4 * MOST_SORTED) /* nothing is inserted into the middle of longer runs */

static void bucket_append(DnFlowBucket *bucket, const DnFlowEvent *event)
{
    if (bucket->n == bucket->capacity) {
        bucket->capacity = 2 * bucket->capacity + 16;
        bucket->at = g_renew(DnFlowEvent, bucket->at, bucket->capacity);
    }
    bucket->at[bucket->n++] = *event;
}

static void bucket_add(DnFlowEvents *events, const DnFlowEvent *event)
{
    guint64 unlike = (guint64)(event->when_ps ^ events->base_ps);
    guint b = unlike == 0 ? 0 : 64 - (guint)__builtin_clzll(unlike);
    DnFlowBucket *bucket = &events->buckets[b];
    if (bucket->n == 0 || event->when_ps < bucket->least_ps)
        bucket->least_ps = event->when_ps;
    bucket_append(bucket, event);
    events->used |= G_GUINT64_CONSTANT(1) << b;
}

/* Moves event @i of the run to its place from @first on, behind those of the same time. */
static void run_place(DnFlowBucket *run, guint32 first, guint32 i)
{
    DnFlowEvent event = run->at[i];
    for (; i > first && run->at[i - 1].when_ps > event.when_ps; i--)
        run->at[i] = run->at[i - 1];
    run->at[i] = event;
}

/* Inserts an event into the run behind those of the same time. FALSE: too many would move. */
static gboolean run_insert(DnFlowEvents *events, const DnFlowEvent *event)
{
    DnFlowBucket *run = &events->run;
    gboolean last = run->at[run->n - 1].when_ps <= event->when_ps;
    if (!last && run->n - events->head > LONG_RUN)
        return FALSE;
    bucket_append(run, event);
    run_place(run, events->head, run->n - 1);
    return TRUE;
}

/* Moves the rest of the run back to the buckets, of which those for its times are empty. */
static void run_give_back(DnFlowEvents *events)
{
    for (guint32 i = events->head; i < events->run.n; i++)
        bucket_add(events, &events->run.at[i]);
    events->run.n = events->head = 0;
}

void dn_flow_events_add(DnFlowEvents *events, gint64 when_ps, DnFlowEventKind kind,
                        guint32 endpoint, guint64 value)
{
    const DnFlowEvent event = {
        .when_ps = when_ps, .value = value, .endpoint = endpoint, .kind = kind};
    if (events->head < events->run.n && (guint64)when_ps < events->limit_ps) {
        if (run_insert(events, &event))
            return;
        run_give_back(events);
    }
    bucket_add(events, &event);
}

static void run_sort(DnFlowBucket *run)
{
    for (guint32 i = 1; i < run->n; i++)
        run_place(run, 0, i);
}

/* Makes bucket @b the run; the old run's storage becomes the bucket's. */
static void run_begin(DnFlowEvents *events, guint b)
{
    DnFlowBucket run = events->buckets[b];
    events->buckets[b] = events->run;
    events->buckets[b].n = 0;
    events->run = run;
    events->head = 0;
    if (b > 0)
        run_sort(&events->run);
    events->base_ps = run.least_ps;
    events->limit_ps = (((guint64)run.least_ps >> b) + 1) << b;
}

void dn_flow_events_fill(DnFlowEvents *events)
{
    g_assert(events->used != 0);
    for (;;) {
        guint b = (guint)__builtin_ctzll(events->used);
        DnFlowBucket *bucket = &events->buckets[b];
        events->used &= events->used - 1;
        if (b == 0 || bucket->n <= MOST_SORTED) {
            run_begin(events, b);
            return;
        }
        events->base_ps = bucket->least_ps;
        for (guint32 i = 0; i < bucket->n; i++)
            bucket_add(events, &bucket->at[i]); /* below @b */
        bucket->n = 0;
    }
}

void dn_flow_events_clear(DnFlowEvents *events)
{
    for (guint b = 0; b < DN_FLOW_BUCKETS; b++)
        g_free(events->buckets[b].at);
    g_free(events->run.at);
    *events = (DnFlowEvents){0};
}
