/* pool.h - Records with 32-bit ids, in memory that grows in place and never moves.
 *
 * A pool reserves addresses for as many records as it may ever have, and maps them piece by piece.
 * Under a limit of address space (ulimit -v) it reserves none, since the limit would count them.
 * Freed records are reused first: each thread has a free list, and hands its surplus over to the
 * pool when it frees more than it takes. Record 0 is never handed out: it means "none". */
#pragma once
#include <glib.h>

#define DN_POOL_STEP ((gsize)256 << 10) /* bytes a pool maps first, and at least when it grows */

/* A limit of the bytes that several pools may map together; it outlives them. */
typedef struct {
    gsize limit;
    gsize used; /* atomic */
} DnPoolBudget;

typedef struct {
    void *base;
    char *hole;
    gsize kept; /* bytes reserved from hole on; 0: none */
    gsize record_bytes;
    gsize mapped;         /* bytes; under mutex */
    guint32 limit;        /* records at most */
    guint32 used;         /* high-water mark, including record 0; under mutex */
    DnPoolBudget *budget; /* or NULL */
    GMutex mutex;         /* of mapped, used and spare */
    guint32 *spare;       /* freed by threads that have too many */
    guint32 n_spare, spare_capacity;
} DnPool;

/* The free records of one thread. */
typedef struct {
    guint32 *ids;
    guint32 n, capacity;
} DnFreeList;

/* Sets up a pool of at most @limit records. FALSE: memory is refused. @budget: NULL for none. */
gboolean dn_pool_init(DnPool *pool, gsize record_bytes, guint32 limit, DnPoolBudget *budget);
void dn_pool_clear(DnPool *pool);
/* Puts ids into an empty @list. FALSE: the limit, the budget or the memory is exhausted. */
gboolean dn_pool_refill(DnPool *pool, DnFreeList *list);
/* Makes space in a full @list: half of it goes to the pool. */
void dn_pool_overflow(DnPool *pool, DnFreeList *list);

/* Returns the id of a record whose content is undefined; 0: none is left (dn_pool_refill()). */
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
