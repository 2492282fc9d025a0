/* max_min_heap.c - The binary heap of max_min.c, by end, and of max_min_share.c, by level. */
#include "engine/flow/max_min_state.h"

static gboolean heap_before(const MaxMinHeap *heap, guint32 a, guint32 b)
{
    double x = heap->keys[a], y = heap->keys[b];
    return x < y || (x == y && heap->places != NULL && a < b);
}

static void heap_put(MaxMinHeap *heap, guint32 place, guint32 id)
{
    MAX_MIN_AT(heap->ids, place) = id;
    if (heap->places != NULL)
        heap->places[id] = place;
}

void max_min_heap_sink(MaxMinHeap *heap, guint32 place, guint32 id)
{
    guint32 n = heap->ids->len;
    for (;;) {
        guint32 child = 2 * place + 1;
        if (child >= n)
            break;
        if (child + 1 < n &&
            heap_before(heap, MAX_MIN_AT(heap->ids, child + 1), MAX_MIN_AT(heap->ids, child)))
            child++;
        if (!heap_before(heap, MAX_MIN_AT(heap->ids, child), id))
            break;
        heap_put(heap, place, MAX_MIN_AT(heap->ids, child));
        place = child;
    }
    heap_put(heap, place, id);
}

void max_min_heap_move(MaxMinHeap *heap, guint32 id)
{
    guint32 place = heap->places[id];
    while (place > 0 && heap_before(heap, id, MAX_MIN_AT(heap->ids, (place - 1) / 2))) {
        heap_put(heap, place, MAX_MIN_AT(heap->ids, (place - 1) / 2));
        place = (place - 1) / 2;
    }
    max_min_heap_sink(heap, place, id);
}

void max_min_heap_drop_first(MaxMinHeap *heap)
{
    guint32 last = MAX_MIN_AT(heap->ids, heap->ids->len - 1);
    if (heap->places != NULL)
        heap->places[MAX_MIN_AT(heap->ids, 0)] = MAX_MIN_NO_PLACE;
    g_array_set_size(heap->ids, heap->ids->len - 1);
    if (heap->ids->len > 0)
        max_min_heap_sink(heap, 0, last);
}

void max_min_heap_order(MaxMinHeap *heap)
{
    for (guint32 i = heap->ids->len / 2; i-- > 0;)
        max_min_heap_sink(heap, i, MAX_MIN_AT(heap->ids, i));
}
