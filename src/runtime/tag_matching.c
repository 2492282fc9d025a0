/* tag_matching.c - see tag_matching.h. */
#include "runtime/tag_matching.h"

#include "workload/program.h"

guint32 dn_record_take(DnRecordPool *pool)
{
    guint32 record = pool->free;
    if (record != 0) {
        pool->free = pool->items[record].next;
        return record;
    }
    if (pool->used == 0)
        pool->used = 1;
    if (pool->used >= pool->capacity) {
        g_assert(pool->capacity < 1u << 31);
        pool->capacity = MAX(4, 2 * pool->capacity);
        pool->items = g_renew(DnRecord, pool->items, pool->capacity);
    }
    return pool->used++;
}

void dn_record_give(DnRecordPool *pool, guint32 record)
{
    pool->items[record].next = pool->free;
    pool->free = record;
}

void dn_record_pool_clear(DnRecordPool *pool)
{
    g_free(pool->items);
    *pool = (DnRecordPool){0};
}

static DnChain *bucket_of(DnMatch *match, guint32 peer)
{
    if (match->bits == 0)
        return &match->one;
    return &match->buckets[peer * 0x9e3779b1u >> (32 - match->bits)]; /* Knuth, TAOCP 3, 6.4 */
}

void dn_chain_append(DnChain *chain, DnRecordPool *pool, guint32 record)
{
    pool->items[record].next = 0;
    if (chain->head == 0)
        chain->head = record;
    else
        pool->items[chain->tail].next = record;
    chain->tail = record;
}

/* Grows the buckets; records of a source share a chain before and after, in the same order. */
static void matching_grow(DnMatch *match, DnRecordPool *pool)
{
    guint32 old_count = 1u << match->bits;
    DnChain *old = match->buckets;
    DnChain one = match->one;
    match->bits = MAX(3, match->bits + 1);
    match->buckets = g_new0(DnChain, (gsize)1 << match->bits);
    match->one = (DnChain){0};
    for (guint32 b = 0; b < old_count; b++) {
        guint32 record = old ? old[b].head : one.head;
        while (record != 0) {
            guint32 next = pool->items[record].next;
            dn_chain_append(bucket_of(match, pool->items[record].peer), pool, record);
            record = next;
        }
    }
    g_free(old);
}

void dn_match_add(DnMatch *match, DnRecordPool *pool, guint32 record)
{
    DnRecord *r = &pool->items[record];
    r->sequence = match->sequence++;
    if (r->peer == DN_ANY) {
        dn_chain_append(&match->any, pool, record);
        return;
    }
    if (match->count >= 2u << match->bits && match->bits < 24)
        matching_grow(match, pool);
    dn_chain_append(bucket_of(match, r->peer), pool, record);
    match->count++;
}

static gboolean matching_agree(guint32 a, guint32 b)
{
    return a == b || a == DN_ANY || b == DN_ANY;
}

gboolean dn_tags_agree(guint32 a, guint32 b)
{
    if (matching_agree(a, b))
        return TRUE;
    return (a >= DN_TAG_WILD && (a & ~DN_TAG_WILD) == b >> 20) ||
           (b >= DN_TAG_WILD && (b & ~DN_TAG_WILD) == a >> 20);
}

/* First of @chain that agrees; *@before: the one before it, or 0. */
static guint32 matching_find(const DnChain *chain, const DnRecordPool *pool, guint32 peer,
                             guint32 tag, guint32 *before)
{
    *before = 0;
    for (guint32 i = chain->head; i != 0; i = pool->items[i].next) {
        if (matching_agree(pool->items[i].peer, peer) && dn_tags_agree(pool->items[i].tag, tag))
            return i;
        *before = i;
    }
    return 0;
}

typedef struct {
    DnChain *chain;
    guint32 record, before;
} Candidate;

/* Sequence numbers may wrap: compare their distance. */
static void matching_consider(Candidate *best, DnChain *chain, const DnRecordPool *pool,
                              guint32 peer, guint32 tag)
{
    guint32 before;
    guint32 record = matching_find(chain, pool, peer, tag, &before);
    if (record == 0)
        return;
    if (best->record != 0 &&
        (gint32)(pool->items[record].sequence - pool->items[best->record].sequence) > 0)
        return;
    *best = (Candidate){.chain = chain, .record = record, .before = before};
}

guint32 dn_match_take(DnMatch *match, DnRecordPool *pool, guint32 peer, guint32 tag)
{
    return dn_match_take_before(match, pool, peer, tag, NULL);
}

/* Returns the earliest record that agrees; record 0: none. */
static Candidate matching_best(DnMatch *match, const DnRecordPool *pool, guint32 peer, guint32 tag)
{
    Candidate best = {0};
    if (match->count > 0 && peer != DN_ANY)
        matching_consider(&best, bucket_of(match, peer), pool, peer, tag);
    else if (match->count > 0 && match->bits == 0)
        matching_consider(&best, &match->one, pool, peer, tag);
    else if (match->count > 0)
        for (guint32 b = 0; b < 1u << match->bits; b++)
            matching_consider(&best, &match->buckets[b], pool, peer, tag);
    if (match->any.head != 0)
        matching_consider(&best, &match->any, pool, peer, tag);
    return best;
}

gboolean dn_match_has(const DnMatch *match, const DnRecordPool *pool, guint32 peer, guint32 tag)
{
    return matching_best((DnMatch *)match, pool, peer, tag).record != 0;
}

guint32 dn_match_take_before(DnMatch *match, DnRecordPool *pool, guint32 peer, guint32 tag,
                             const guint32 *sequence)
{
    Candidate best = matching_best(match, pool, peer, tag);
    if (best.record == 0 ||
        (sequence != NULL && (gint32)(pool->items[best.record].sequence - *sequence) > 0))
        return 0;
    guint32 next = pool->items[best.record].next;
    if (best.before == 0)
        best.chain->head = next;
    else
        pool->items[best.before].next = next;
    if (best.chain->tail == best.record)
        best.chain->tail = best.before;
    if (best.chain != &match->any)
        match->count--;
    return best.record;
}

guint32 dn_match_first(const DnMatch *match, const DnRecordPool *pool, guint32 request,
                       guint32 stream)
{
    guint32 first = 0;
    for (guint32 b = 0; b <= 1u << match->bits; b++) { /* one past the buckets: `any` */
        const DnChain *chain = b == 1u << match->bits ? &match->any
                               : match->bits == 0     ? &match->one
                                                      : &match->buckets[b];
        for (guint32 i = chain->head; i != 0; i = pool->items[i].next) {
            if ((request != DN_ANY && pool->items[i].receive.request != request) ||
                (stream != DN_ANY && pool->items[i].receive.stream != stream))
                continue;
            if (first == 0 || (gint32)(pool->items[i].sequence - pool->items[first].sequence) < 0)
                first = i;
            break; /* a chain is in order */
        }
    }
    return first;
}

void dn_match_clear(DnMatch *match)
{
    g_free(match->buckets);
    *match = (DnMatch){0};
}
