/* event_sort.c - see event_sort.h. */
#include "engine/packet/core.h"

#define MAX_BINS 1024
#define FEW 8 /* fewer are sorted by insertion alone */

static void insertion_pass(DnEvent *events, guint n)
{
    for (guint i = 1; i < n; i++) {
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
    guint bits = 0;
    while ((1u << bits) < 2 * n && (1u << bits) < MAX_BINS && bits < window_shift)
        bits++;
    *shift = window_shift - bits;
    return 1u << bits;
}

void dn_sort_events(DnSort *sort, DnEvent **events, guint *capacity, guint n, guint window_shift)
{
    if (n <= FEW) {
        insertion_pass(*events, n);
        return;
    }
    if (sort->bins == NULL)
        sort->bins = g_new0(guint16, MAX_BINS + 1);
    if (n > sort->scratch_capacity) {
        sort->scratch_capacity = 2 * n;
        sort->scratch = g_renew(DnEvent, sort->scratch, sort->scratch_capacity);
    }
    if (n > G_MAXUINT16) {
        merge_sort(*events, sort->scratch, n);
        return;
    }
    guint shift, bins = bins_for(n, window_shift, &shift), largest = 0;
    guint16 *count = sort->bins;
    for (guint b = 0; b <= bins; b++)
        count[b] = 0;
    for (guint i = 0; i < n; i++)
        count[((*events)[i].offset_ps >> shift) + 1]++;
    for (guint b = 0; b < bins; b++) {
        largest = MAX(largest, count[b + 1]);
        count[b + 1] = (guint16)(count[b + 1] + count[b]);
    }
    for (guint i = 0; i < n; i++)
        sort->scratch[count[(*events)[i].offset_ps >> shift]++] = (*events)[i];
    DnEvent *sorted = sort->scratch;
    guint sorted_capacity = sort->scratch_capacity;
    sort->scratch = *events;
    sort->scratch_capacity = *capacity;
    *events = sorted;
    *capacity = sorted_capacity;
    if (largest > 32)
        merge_sort(*events, sort->scratch, n);
    else
        insertion_pass(*events, n);
}

void dn_sort_clear(DnSort *sort)
{
    g_free(sort->scratch);
    g_free(sort->bins);
}
