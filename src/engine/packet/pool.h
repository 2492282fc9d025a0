/* pool.h - records by 32-bit id in memory that never moves and grows in place.
 *
 * A pool begins where the address space has place for as many records as it may ever have, keeps
 * those addresses from others and maps them piece by piece. Under a limit of address space (ulimit
 * -v), which should count only what is in use, they are not kept. Freed records are reused first,
 * through a free list of the thread that frees. Record 0 is never handed out: it means "none". A
 * thread that frees more than it takes hands the surplus over. */
#pragma once
#include <glib.h>

#define DN_POOL_STEP ((gsize)256 << 10) /* bytes a pool maps first, and at least when it grows */

/* Bytes that some pools may map together; they outlive none of them. */
typedef struct {
    gsize limit;
    gsize used; /* atomic */
} DnPoolBudget;

typedef struct {
    void *base;
    char *hole;
    gsize kept; /* bytes from hole on that no other mapping gets; 0: not kept */
    gsize record_bytes;
    gsize mapped;         /* bytes; under mutex */
    guint32 limit;        /* records at most */
    guint32 used;         /* high-water mark, including record 0; under mutex */
    DnPoolBudget *budget; /* or NULL */
    GMutex mutex;         /* of mapped, used and spare */
    guint32 *spare;       /* freed by threads that have too many */
    guint32 n_spare, spare_capacity;
} DnPool;

/* A thread's own. */
typedef struct {
    guint32 *ids;
    guint32 n, capacity;
} DnFreeList;

/* FALSE when memory is refused. @budget: or NULL. */
gboolean dn_pool_init(DnPool *pool, gsize record_bytes, guint32 limit, DnPoolBudget *budget);
void dn_pool_clear(DnPool *pool);
/* More ids for an empty @list; FALSE when the limit, the budget or the memory is exhausted. */
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
