/* receive_ranges.c - see receive_ranges.h. */
#include "runtime/receive_ranges.h"

#include "workload/program.h"

#define RECEIVE_RANGE_FROM 16u
#define RANGES 8u /* of a rank at most: each is looked at for every message */

/* Receives posted one after another: the i-th is @first but for its source, first.peer + i * step,
 * and its sequence number, first.sequence + i. */
typedef struct {
    DnRecord first;
    gint32 step;
    guint32 n, left; /* posted; of these waiting */
    guint32 words;
    guint64 *waiting; /* [words] bits; NULL: the range is free */
} DnReceiveRange;

struct DnReceiveRanges {
    DnRecord last;        /* posted */
    gint32 step;          /* from the one before it */
    guint32 row;          /* so many differ from the one before them by step alone */
    guint32 left;         /* in all ranges */
    DnReceiveRange *open; /* to which the last was added; or NULL */
    DnReceiveRange items[RANGES];
};

static gboolean is_waiting(const DnReceiveRange *range, guint32 i)
{
    return range->waiting[i / 64] >> i % 64 & 1;
}

/* Returns TRUE when two receives differ at most by their sources. */
static gboolean receives_alike(const DnRecord *a, const DnRecord *b)
{
    return a->tag == b->tag && a->bytes == b->bytes && a->receive.entries == b->receive.entries &&
           a->receive.request == b->receive.request && a->receive.stream == b->receive.stream &&
           a->receive.flags == b->receive.flags;
}

static void range_append(struct DnReceiveRanges *ranges, DnReceiveRange *range)
{
    if (range->n / 64 == range->words) {
        guint32 words = MAX(2, 2 * range->words);
        range->waiting = g_renew(guint64, range->waiting, words);
        for (guint32 w = range->words; w < words; w++)
            range->waiting[w] = 0;
        range->words = words;
    }
    range->waiting[range->n / 64] |= G_GUINT64_CONSTANT(1) << range->n % 64;
    range->n++;
    range->left++;
    ranges->left++;
}

static DnReceiveRange *range_free(struct DnReceiveRanges *ranges)
{
    for (guint i = 0; i < RANGES; i++)
        if (ranges->items[i].waiting == NULL)
            return &ranges->items[i];
    return NULL;
}

/* The range that takes @receive, which it extends or begins; NULL: it becomes a record. */
static DnReceiveRange *range_for(const DnPostedReceives *posted, const DnRecord *receive)
{
    struct DnReceiveRanges *ranges = posted->ranges;
    gint64 step = (gint64)receive->peer - ranges->last.peer;
    gboolean alike = receives_alike(&ranges->last, receive) && step != 0 && step == (gint32)step &&
                     receive->peer != DN_ANY && ranges->last.peer != DN_ANY;
    if (!alike)
        ranges->row = 0;
    else
        ranges->row = step == ranges->step ? ranges->row + 1 : 1;
    ranges->step = (gint32)step;
    if (ranges->row < RECEIVE_RANGE_FROM)
        return NULL;
    if (ranges->open != NULL && ranges->open->waiting != NULL)
        return ranges->open;
    if (posted->table.count + ranges->left < RECEIVE_RANGE_FROM)
        return NULL;
    DnReceiveRange *range = range_free(ranges);
    if (range != NULL) {
        *range = (DnReceiveRange){.first = *receive, .step = ranges->step};
        range->first.sequence = posted->table.sequence;
    }
    return range;
}

void dn_receives_add(DnPostedReceives *posted, DnRecordPool *pool, const DnRecord *receive)
{
    if (posted->ranges == NULL && posted->table.count >= RECEIVE_RANGE_FROM)
        posted->ranges = g_new0(struct DnReceiveRanges, 1);
    DnReceiveRange *range = posted->ranges != NULL ? range_for(posted, receive) : NULL;
    if (posted->ranges != NULL) {
        posted->ranges->last = *receive;
        posted->ranges->open = range;
    }
    if (range == NULL) {
        dn_match_add(&posted->table, pool, dn_record_keep(pool, *receive));
        return;
    }
    range_append(posted->ranges, range);
    posted->table.sequence++;
}

static DnRecord receive_at(const DnReceiveRange *range, guint32 i)
{
    DnRecord receive = range->first;
    receive.peer = (guint32)((gint64)range->first.peer + (gint64)i * range->step);
    receive.sequence += i;
    return receive;
}

/* The index in @range of its receive from @source that waits; G_MAXUINT32: there is none. */
static guint32 range_find(const DnReceiveRange *range, guint32 source, guint32 tag)
{
    if (range->left == 0 || !dn_tags_agree(range->first.tag, tag))
        return G_MAXUINT32;
    gint64 distance = (gint64)source - range->first.peer, i = distance / range->step;
    if (distance % range->step != 0 || i < 0 || i >= range->n || !is_waiting(range, (guint32)i))
        return G_MAXUINT32;
    return (guint32)i;
}

static void range_take(struct DnReceiveRanges *ranges, DnReceiveRange *range, guint32 i)
{
    range->waiting[i / 64] &= ~(G_GUINT64_CONSTANT(1) << i % 64);
    ranges->left--;
    if (--range->left == 0)
        g_clear_pointer(&range->waiting, g_free);
}

gboolean dn_receives_take(DnPostedReceives *posted, DnRecordPool *pool, guint32 source, guint32 tag,
                          DnRecord *receive)
{
    struct DnReceiveRanges *ranges = posted->ranges;
    DnReceiveRange *best = NULL;
    guint32 best_index = 0;
    for (guint i = 0; ranges != NULL && ranges->left > 0 && i < RANGES; i++) {
        DnReceiveRange *range = &ranges->items[i];
        guint32 found = range_find(range, source, tag);
        if (found == G_MAXUINT32)
            continue;
        gint32 later = best == NULL ? -1
                                    : (gint32)(range->first.sequence + found -
                                               (best->first.sequence + best_index));
        if (later > 0)
            continue;
        best = range;
        best_index = found;
    }
    guint32 before = best != NULL ? best->first.sequence + best_index : 0;
    guint32 record =
        dn_match_take_before(&posted->table, pool, source, tag, best != NULL ? &before : NULL);
    if (record != 0) {
        *receive = *dn_record_at(pool, record, DN_RECORD_RECEIVE);
        dn_record_give(pool, record);
        return TRUE;
    }
    if (best == NULL)
        return FALSE;
    *receive = receive_at(best, best_index);
    range_take(ranges, best, best_index);
    return TRUE;
}

gboolean dn_receives_has(const DnPostedReceives *posted, const DnRecordPool *pool, guint32 source,
                         guint32 tag)
{
    const struct DnReceiveRanges *ranges = posted->ranges;
    for (guint i = 0; ranges != NULL && ranges->left > 0 && i < RANGES; i++)
        if (range_find(&ranges->items[i], source, tag) != G_MAXUINT32)
            return TRUE;
    return dn_match_has(&posted->table, pool, source, tag);
}

gboolean dn_receives_first(const DnPostedReceives *posted, const DnRecordPool *pool,
                           guint32 request, guint32 stream, DnRecord *receive)
{
    guint32 record = dn_match_first(&posted->table, pool, request, stream);
    gboolean found = record != 0;
    if (found)
        *receive = pool->items[record];
    for (guint k = 0; posted->ranges != NULL && k < RANGES; k++) {
        const DnReceiveRange *range = &posted->ranges->items[k];
        if (range->left == 0 || (request != DN_ANY && range->first.receive.request != request) ||
            (stream != DN_ANY && range->first.receive.stream != stream))
            continue;
        guint32 i = 0;
        while (!is_waiting(range, i))
            i++;
        DnRecord first = receive_at(range, i);
        if (!found || (gint32)(first.sequence - receive->sequence) < 0)
            *receive = first;
        found = TRUE;
    }
    return found;
}

void dn_receives_clear(DnPostedReceives *posted)
{
    dn_match_clear(&posted->table);
    for (guint i = 0; posted->ranges != NULL && i < RANGES; i++)
        g_free(posted->ranges->items[i].waiting);
    g_free(posted->ranges);
    *posted = (DnPostedReceives){0};
}
