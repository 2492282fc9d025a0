/* event_sort.c - see event_sort.h. */
#include "base/expensive.h"
#include "engine/packet/core.h"
#include "engine/packet/event_rank.h"

#include <string.h>

#define MAX_BINS 1024
#define FEW 8                  /* up to so many are sorted by insertion alone */
#define NARROW_MOST G_MAXUINT8 /* up to so many, a bin's count fits 8 bits */
#define NARROW_BITS 9
#define NARROW_BINS (1u << NARROW_BITS)
#define ALL_FIRST G_MAXUINT32 /* more than any event's `what` */
#define MERGE_FROM 32         /* so many in one bin: bins are sorted one by one, by merging */
#define INSERTED 12           /* up to so many of a bin then by insertion */
#define RANKED_MOST 112       /* sorted by time: beyond, bins are as fast */
#define KEY_BITS 15 /* of a key of 16 bits, whose sign says which part of the batch it is of */

static void insertion_pass(DnEvent *events, guint n)
{
    guint32 before = events[0].offset_ps;
    for (guint i = 1; i < n; i++) {
        guint32 offset = events[i].offset_ps;
        gboolean ordered = before < offset;
        before = offset;
        if (G_LIKELY(ordered))
            continue;
        guint64 key = dn_event_key(&events[i]);
        if (dn_event_key(&events[i - 1]) <= key)
            continue;
        DnEvent moved = events[i];
        guint j = i;
        for (; j > 0 && dn_event_key(&events[j - 1]) > key; j--)
            events[j] = events[j - 1];
        events[j] = moved;
        before = events[i].offset_ps;
    }
}

/* Stable merge sort: events of one bin may all have one time (a barrier's messages), and insertion
 * would be quadratic when their ports come in falling order. */
static void merge_sort(DnEvent *events, DnEvent *scratch, guint n)
{
    if (n <= INSERTED) {
        insertion_pass(events, n);
        return;
    }
    guint half = n / 2, i = 0, j = half, k = 0;
    merge_sort(events, scratch, half);
    merge_sort(events + half, scratch, n - half);
    while (i < half && j < n)
        scratch[k++] = dn_event_key(&events[j]) < dn_event_key(&events[i]) ? events[j++]
                                                                           : events[i++];
    while (i < half)
        scratch[k++] = events[i++];
    for (guint m = 0; m < k; m++)
        events[m] = scratch[m];
}

static guint bins_for(guint n, guint slot_shift, guint *shift)
{
    guint bits = MIN(MIN(g_bit_storage(n) - 1, 10), slot_shift);
    *shift = slot_shift - bits;
    return 1u << bits;
}

/* The events of a chain copied out of it: by the part of the batch, then by the bits of their time
 * from @shift on, its bin. */
typedef struct {
    guint first; /* events of the first part */
    guint shift;
    gboolean crowded; /* some bin holds MERGE_FROM or more */
} DnUnloaded;

/* Copies the @n events of @chain to @out in the order they were added, and frees the chunks. */
static void unload_plain(DnWheel *wheel, guint32 chain, guint n, DnEvent *out)
{
    for (guint32 id = chain; id != 0;) {
        const DnChunk *chunk = dn_chunk(wheel, id);
        guint full = MIN(n, DN_CHUNK_EVENTS);
        for (guint i = 0; i < full; i++)
            *out++ = chunk->events[i];
        n -= full;
        guint32 next = chunk->older;
        dn_pool_give(&wheel->chunks, &wheel->free_chunks, id);
        id = next;
    }
}

/* Inserts @event by its key among @taken others of its time, which begin at @out. FALSE: they are
 * too many, and it is appended. */
static __attribute__((noinline)) gboolean insert_tie(DnEvent *out, guint taken,
                                                     const DnEvent *event)
{
    guint64 key = dn_event_key(event);
    DnEvent *at = out + taken;
    if (taken < MERGE_FROM)
        for (; at > out && dn_event_key(at - 1) > key; at--)
            *at = at[-1];
    *at = *event;
    return taken < MERGE_FROM;
}

/* As unload_plain(), but puts each event where @rank says that the events of its time begin.
 * Returns TRUE when many have the same time. */
static gboolean unload_to_ranks(DnWheel *wheel, guint32 chain, guint n, DnEvent *out,
                                const DnRankKeys *rank)
{
    guint8 taken[DN_RANK_MOST];
    const gint16 *at = rank->at;
    gboolean inserted = TRUE;
    memset(taken, 0, n);
    for (guint32 id = chain; id != 0;) {
        const DnChunk *chunk = dn_chunk(wheel, id);
        const DnEvent *event = chunk->events, *end = event + MIN(n, DN_CHUNK_EVENTS);
        n -= (guint)(end - event);
        for (; event < end; event++) {
            guint to = (guint16)*at++, before = taken[to]++;
            if (G_UNLIKELY(before > 0))
                inserted &= insert_tie(out + to, before, event);
            else
                out[to] = *event;
        }
        guint32 next = chunk->older;
        dn_pool_give(&wheel->chunks, &wheel->free_chunks, id);
        id = next;
    }
    return !inserted;
}

/* As unload_plain(), @n <= DN_RANK_MOST: by the KEY_BITS high bits of the time, equal ones by their
 * keys, which is the final order unless times have more bits. Events below @second come first. */
static DnUnloaded unload_ranked(DnWheel *wheel, guint32 chain, guint n, guint32 second,
                                DnEvent *out)
{
    DnRankKeys keys, rank;
    DnRankSlots slots;
    guint shift = wheel->shift > KEY_BITS ? wheel->shift - KEY_BITS : 0, left = n;
    gint16 *key = keys.at;
    guint16 *slot = slots.at;
    keys.vectors[(n - 1) / DN_RANK_LANES] = (DnRankVector){0}; /* nothing there is undefined */
    for (guint32 id = chain; id != 0; id = dn_chunk(wheel, id)->older) {
        const DnEvent *event = dn_chunk(wheel, id)->events;
        const DnEvent *end = event + MIN(left, DN_CHUNK_EVENTS);
        left -= (guint)(end - event);
        for (; event < end; event++) {
            *key++ = (gint16)(event->offset_ps >> shift);
            *slot++ = (guint16)dn_event_slot(event);
        }
    }
    guint first = dn_rank_parts(&keys, &slots, n, (guint16)(second >> 16), &rank);
    gboolean crowded = unload_to_ranks(wheel, chain, n, out, &rank);
    return (DnUnloaded){first, shift, crowded};
}

/* As unload_plain(), ordered by vertex, then time, then key. TRUE: many have one time. */
static gboolean unload_by_vertex(DnWheel *wheel, guint32 chain, guint n, DnEvent *out)
{
    DnRankWideKeys keys;
    DnRankKeys rank;
    guint shift = wheel->shift > KEY_BITS ? wheel->shift - KEY_BITS : 0, left = n;
    gint32 *key = keys.at;
    keys.vectors[(n - 1) / DN_RANK_WIDE_LANES] = (DnRankWideVector){0};
    for (guint32 id = chain; id != 0; id = dn_chunk(wheel, id)->older) {
        const DnEvent *event = dn_chunk(wheel, id)->events;
        const DnEvent *end = event + MIN(left, DN_CHUNK_EVENTS);
        left -= (guint)(end - event);
        for (; event < end; event++) {
            guint32 vertex = event->what >> (16 - KEY_BITS) & ~((1u << KEY_BITS) - 1);
            *key++ = (gint32)(vertex | event->offset_ps >> shift);
        }
    }
    dn_rank_wide(&keys, n, &rank);
    return unload_to_ranks(wheel, chain, n, out, &rank);
}

/* Turns the counts of bins, eight in a word, into the index where each bin begins. A word times a
 * word of ones has in each byte the sum of that byte and those below. Returns TRUE when some bin
 * holds MERGE_FROM or more. */
static gboolean sum_narrow(guint64 *words, guint n)
{
    const guint64 ones = G_GUINT64_CONSTANT(0x0101010101010101);
    guint64 any = 0, before = 0;
    for (guint i = 0; i < n; i++) {
        guint64 in = GUINT64_FROM_LE(words[i]), sums = in * ones;
        any |= in;
        words[i] = GUINT64_TO_LE((sums << 8) + before);
        before += (sums >> 56) * ones;
    }
    return (any & (256 - MERGE_FROM) * ones) != 0;
}

/* Returns the bin of @event by its time, without a branch; events of the second part of a batch,
 * whose `what` is at least @second, have bins from @bins on. */
static inline gsize bin_of(const DnEvent *event, guint shift, guint32 second, gsize bins)
{
    return (event->offset_ps >> shift) + (bins & -(gsize)(event->what >= second));
}

/* As unload_plain(), @n <= NARROW_MOST, by bin. */
static DnUnloaded unload_narrow(DnWheel *wheel, guint32 chain, guint n, guint32 second,
                                DnEvent *out)
{
    union {
        guint8 at[NARROW_BINS];
        guint64 words[(NARROW_BINS) / 8];
    } bins;
    guint bits = NARROW_BITS - (second != ALL_FIRST), left = n;
    guint shift = wheel->shift > bits ? wheel->shift - bits : 0;
    memset(&bins, 0, sizeof bins);
    for (guint32 id = chain; id != 0; id = dn_chunk(wheel, id)->older) {
        const DnEvent *events = dn_chunk(wheel, id)->events;
        guint full = MIN(left, DN_CHUNK_EVENTS);
        for (guint i = 0; i < full; i++)
            bins.at[bin_of(&events[i], shift, second, NARROW_BINS / 2)]++;
        left -= full;
    }
    gboolean crowded = sum_narrow(bins.words, G_N_ELEMENTS(bins.words));
    guint first = second == ALL_FIRST ? n : bins.at[NARROW_BINS / 2];
    left = n;
    for (guint32 id = chain; id != 0;) {
        const DnChunk *chunk = dn_chunk(wheel, id);
        guint full = MIN(left, DN_CHUNK_EVENTS);
        for (guint i = 0; i < full; i++)
            out[bins.at[bin_of(&chunk->events[i], shift, second, NARROW_BINS / 2)]++] =
                chunk->events[i];
        left -= full;
        guint32 next = chunk->older;
        dn_pool_give(&wheel->chunks, &wheel->free_chunks, id);
        id = next;
    }
    return (DnUnloaded){first, shift, crowded};
}

/* As unload_narrow() for any @n; each part has as many bins as the other. */
static DnUnloaded unload_binned(DnSort *sort, DnWheel *wheel, guint32 chain, guint n,
                                guint32 second, DnEvent *out)
{
    guint shift, bins = bins_for(n, wheel->shift, &shift), fullest = 0, at = 0;
    if (sort->bins == NULL)
        sort->bins = g_new(guint32, 2 * MAX_BINS + 1);
    guint32 *count = sort->bins;
    memset(count, 0, 2 * bins * sizeof *count);
    for (guint32 id = chain, left = n; id != 0; id = dn_chunk(wheel, id)->older) {
        const DnEvent *events = dn_chunk(wheel, id)->events;
        guint full = MIN(left, DN_CHUNK_EVENTS);
        for (guint i = 0; i < full; i++)
            count[bin_of(&events[i], shift, second, bins)]++;
        left -= full;
    }
    for (guint b = 0; b < 2 * bins; b++) {
        guint in_bin = count[b];
        fullest = MAX(fullest, in_bin);
        count[b] = at;
        at += in_bin;
    }
    guint first = count[bins];
    for (guint32 id = chain, left = n; id != 0;) {
        const DnChunk *chunk = dn_chunk(wheel, id);
        guint full = MIN(left, DN_CHUNK_EVENTS);
        for (guint i = 0; i < full; i++)
            out[count[bin_of(&chunk->events[i], shift, second, bins)]++] = chunk->events[i];
        left -= full;
        guint32 next = chunk->older;
        dn_pool_give(&wheel->chunks, &wheel->free_chunks, id);
        id = next;
    }
    return (DnUnloaded){first, shift, fullest >= MERGE_FROM};
}

/* Returns space for @n events. */
static DnEvent *sort_scratch(DnSort *sort, guint n)
{
    if (n > sort->scratch_capacity) {
        sort->scratch_capacity = 2 * n;
        sort->scratch = g_renew(DnEvent, sort->scratch, sort->scratch_capacity);
    }
    return sort->scratch;
}

/* Sorts the batch by vertex; the events of a vertex keep their order. */
static void order_by_vertex(DnSort *sort, guint32 vertices, DnBatch *batch)
{
    guint32 *at = sort->of_vertex, before = 0;
    DnEvent *out = sort_scratch(sort, batch->n), *events = batch->events;
    g_assert(at != NULL);
    memset(at, 0, vertices * sizeof *at);
    for (guint i = 0; i < batch->n; i++)
        at[dn_event_slot(&events[i])]++;
    for (guint32 v = 0; v < vertices; v++) {
        guint32 n = at[v];
        at[v] = before;
        before += n;
    }
    for (guint i = 0; i < batch->n; i++)
        out[at[dn_event_slot(&events[i])]++] = events[i];
    guint capacity = sort->scratch_capacity;
    sort->scratch = events;
    sort->scratch_capacity = batch->capacity;
    batch->events = out;
    batch->capacity = capacity;
}

/* Sorts each bin, a run of events whose times differ below @shift alone, by itself. */
static void order_bins(DnSort *sort, DnEvent *events, guint n, guint shift)
{
    DnEvent *scratch = sort_scratch(sort, n);
    for (guint i = 0, next; i < n; i = next) {
        guint32 bin = events[i].offset_ps >> shift;
        for (next = i + 1; next < n && events[next].offset_ps >> shift == bin;)
            next++;
        if (next - i > 1)
            merge_sort(events + i, scratch, next - i);
    }
}

/* Sorts the @n events of one part. */
static void order_part(DnSort *sort, DnEvent *events, guint n, const DnUnloaded *unloaded)
{
    if (unloaded->crowded)
        order_bins(sort, events, n, unloaded->shift);
    else if (n > 1)
        insertion_pass(events, n);
}

/* Sorts the events of each vertex, which are consecutive, by their keys. */
static void order_vertices(DnSort *sort, DnBatch *batch)
{
    for (guint i = 0, next; i < batch->n; i = next) {
        guint slot = dn_event_slot(&batch->events[i]);
        for (next = i + 1; next < batch->n && dn_event_slot(&batch->events[next]) == slot;)
            next++;
        merge_sort(batch->events + i, sort_scratch(sort, next - i), next - i);
    }
}

static void load_by_time(DnSort *sort, DnWheel *wheel, guint32 chain, guint32 second,
                         DnBatch *batch)
{
    guint n = batch->n;
    gboolean ranked = n <= MIN(sort->rank_most, RANKED_MOST);
    DnUnloaded unloaded;
    if (n <= FEW) {
        unload_plain(wheel, chain, n, batch->events);
        if (n > 1)
            insertion_pass(batch->events, n);
        return;
    }
    if (ranked)
        unloaded = unload_ranked(wheel, chain, n, second, batch->events);
    else if (n <= NARROW_MOST)
        unloaded = unload_narrow(wheel, chain, n, second, batch->events);
    else
        unloaded = unload_binned(sort, wheel, chain, n, second, batch->events);
    batch->first = unloaded.first;
    if (ranked && wheel->shift <= KEY_BITS && !unloaded.crowded)
        return;
    order_part(sort, batch->events, batch->first, &unloaded);
    order_part(sort, batch->events + batch->first, n - batch->first, &unloaded);
}

/* TRUE when each vertex has its events in order. */
static gboolean batch_is_ordered(const DnBatch *batch, guint32 vertices)
{
    g_autofree guint64 *before = g_new0(guint64, vertices);
    for (guint i = 0; i < batch->n; i++) {
        guint64 key = dn_event_key(&batch->events[i]);
        guint64 *last = &before[dn_event_slot(&batch->events[i])];
        if (key < *last)
            return FALSE;
        *last = key;
    }
    return TRUE;
}

static void load_batch(DnSort *sort, DnWheel *wheel, DnWorkItem item, guint32 vertices,
                       DnBatch *batch)
{
    guint n;
    guint32 chain = dn_wheel_take(wheel, item, &n);
    guint32 second = sort->switches != NULL ? sort->switches[item.domain] << 16 : ALL_FIRST;
    if (n > batch->capacity) {
        batch->capacity = 2 * n;
        batch->events = g_renew(DnEvent, batch->events, batch->capacity);
    }
    batch->n = batch->first = n;
    batch->by_vertex = sort->of_vertex != NULL && n >= vertices / FEW;
    if (batch->by_vertex && n <= sort->rank_most && n > 0 && wheel->shift <= KEY_BITS) {
        if (unload_by_vertex(wheel, chain, n, batch->events))
            order_vertices(sort, batch);
        return;
    }
    load_by_time(sort, wheel, chain, second, batch);
    if (batch->by_vertex) {
        batch->first = n;
        order_by_vertex(sort, vertices, batch);
    }
}

void dn_batch_load(DnSort *sort, DnWheel *wheel, DnWorkItem item, guint32 vertices, DnBatch *batch)
{
    load_batch(sort, wheel, item, vertices, batch);
    dn_check(batch_is_ordered(batch, vertices));
}

void dn_batch_clear(DnBatch *batch)
{
    g_free(batch->events);
}

void dn_sort_clear(DnSort *sort)
{
    g_free(sort->scratch);
    g_free(sort->bins);
    g_free(sort->of_vertex);
    g_free(sort->switches);
}
