/* event_sort.c - see event_sort.h. */
#include "engine/packet/core.h"

#include <string.h>

#define MAX_BINS 1024
#define FEW 8 /* fewer are sorted by insertion alone */

static void insertion_pass(DnEvent *events, guint n)
{
    for (guint i = 1; i < n; i++) {
        if (G_LIKELY(events[i - 1].offset_ps < events[i].offset_ps))
            continue;
        guint64 key = dn_event_key(&events[i]);
        if (dn_event_key(&events[i - 1]) <= key)
            continue;
        DnEvent moved = events[i];
        guint j = i;
        for (; j > 0 && dn_event_key(&events[j - 1]) > key; j--)
            events[j] = events[j - 1];
        events[j] = moved;
    }
}

/* Events of one bin may all share an instant (a barrier's messages): insertion would be quadratic
 * when their ports come in falling order. Stable merge of halves. */
static void merge_sort(DnEvent *events, DnEvent *scratch, guint n)
{
    if (n <= 32) {
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

static guint bins_for(guint n, guint window_shift, guint *shift)
{
    guint bits = MIN(MIN(g_bit_storage(n), 10), window_shift);
    *shift = window_shift - bits;
    return 1u << bits;
}

/* Gives the chunks of @chain back; its @n events go to @out in the order they were added. */
static void unload_plain(DnWheel *wheel, guint32 chain, guint n, DnEvent *out)
{
    for (guint32 id = chain; id != 0;) {
        const DnChunk *chunk = dn_chunk(wheel, id);
        guint full = MIN(n, DN_CHUNK_EVENTS);
        memcpy(out, chunk->events, full * sizeof *out);
        out += full;
        n -= full;
        guint32 next = chunk->older;
        dn_pool_give(&wheel->chunks, &wheel->free_chunks, id);
        id = next;
    }
}

/* Likewise, each event into its bin. Returns the size of the fullest bin. */
static guint unload_binned(DnSort *sort, DnWheel *wheel, guint32 chain, guint n, DnEvent *out)
{
    guint shift, bins = bins_for(n, wheel->shift, &shift), fullest = 0, at = 0;
    guint32 *count = sort->bins;
    memset(count, 0, bins * sizeof *count);
    for (guint32 id = chain, left = n; id != 0; id = dn_chunk(wheel, id)->older) {
        const DnEvent *events = dn_chunk(wheel, id)->events;
        guint full = MIN(left, DN_CHUNK_EVENTS);
        for (guint i = 0; i < full; i++)
            count[events[i].offset_ps >> shift]++;
        left -= full;
    }
    for (guint b = 0; b < bins; b++) {
        guint in_bin = count[b];
        fullest = MAX(fullest, in_bin);
        count[b] = at;
        at += in_bin;
    }
    for (guint32 id = chain, left = n; id != 0;) {
        const DnChunk *chunk = dn_chunk(wheel, id);
        guint full = MIN(left, DN_CHUNK_EVENTS);
        for (guint i = 0; i < full; i++)
            out[count[chunk->events[i].offset_ps >> shift]++] = chunk->events[i];
        left -= full;
        guint32 next = chunk->older;
        dn_pool_give(&wheel->chunks, &wheel->free_chunks, id);
        id = next;
    }
    return fullest;
}

void dn_batch_load(DnSort *sort, DnWheel *wheel, guint32 domain, DnBatch *batch)
{
    guint n;
    guint32 chain = dn_wheel_take(wheel, domain, &n);
    batch->domain = domain;
    batch->n = n;
    if (n > batch->capacity) {
        batch->capacity = 2 * n;
        batch->events = g_renew(DnEvent, batch->events, batch->capacity);
    }
    if (n <= FEW) {
        unload_plain(wheel, chain, n, batch->events);
        insertion_pass(batch->events, n);
        return;
    }
    if (sort->bins == NULL)
        sort->bins = g_new(guint32, MAX_BINS + 1);
    if (unload_binned(sort, wheel, chain, n, batch->events) <= 32) {
        insertion_pass(batch->events, n);
        return;
    }
    if (n > sort->scratch_capacity) {
        sort->scratch_capacity = 2 * n;
        sort->scratch = g_renew(DnEvent, sort->scratch, sort->scratch_capacity);
    }
    merge_sort(batch->events, sort->scratch, n);
}

void dn_sort_clear(DnSort *sort)
{
    g_free(sort->scratch);
    g_free(sort->bins);
}
