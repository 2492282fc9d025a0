/* pool.h - records by 32-bit id in memory that never moves and costs nothing until touched.
 *
 * The whole range is reserved at the start; the kernel backs the pages that are written. Freed
 * records are reused first, through a free list of the thread that frees. Record 0 is never
 * handed out: it means "none". A thread that frees more than it takes hands the surplus over. */
#pragma once
#include <glib.h>

typedef struct {
    void *base;
    gsize record_bytes;
    guint32 limit;  /* records reserved */
    guint32 used;   /* high-water mark, including record 0; under mutex */
    GMutex mutex;   /* of used and spare */
    guint32 *spare; /* freed by threads that have too many */
    guint32 n_spare, spare_capacity;
} DnPool;

/* A thread's own. */
typedef struct {
    guint32 *ids;
    guint32 n, capacity;
} DnFreeList;

/* Zeroed, on huge pages where the kernel has them: random accesses spare it a walk through its
 * tables. NULL when memory is refused. */
void *dn_pages_new(gsize bytes);
void dn_pages_free(void *pages, gsize bytes);
/* FALSE when the address space is refused. */
gboolean dn_pool_init(DnPool *pool, gsize record_bytes, guint32 limit);
void dn_pool_clear(DnPool *pool);
/* More ids for an empty @list; FALSE when the limit is reached. */
gboolean dn_pool_refill(DnPool *pool, DnFreeList *list);
void dn_pool_overflow(DnPool *pool, DnFreeList *list);

/* 0 when the limit is reached. */
static inline guint32 dn_pool_take(DnPool *pool, DnFreeList *list)
{
    if (G_UNLIKELY(list->n == 0) && !dn_pool_refill(pool, list))
        return 0;
    return list->ids[--list->n];
}

static inline void dn_pool_give(DnPool *pool, DnFreeList *list, guint32 id)
{
    if (G_UNLIKELY(list->n == list->capacity))
        dn_pool_overflow(pool, list);
    list->ids[list->n++] = id;
}
