/* pool.h - records by 32-bit id in memory that never moves and costs nothing until touched.
 *
 * The whole range is reserved at the start; the kernel backs the pages that are written. Freed
 * records are reused first, through a free list of the thread that frees. Record 0 is never
 * handed out: it means "none". */
#pragma once
#include <glib.h>

typedef struct {
    void *base;
    gsize record_bytes;
    guint32 limit;       /* records reserved */
    guint32 used;        /* high-water mark, including record 0 */
} DnPool;

typedef struct {
    guint32 *ids;
    guint32 n, capacity;
} DnFreeList;

/* FALSE when the address space is refused. */
gboolean dn_pool_init(DnPool *pool, gsize record_bytes, guint32 limit);
void dn_pool_clear(DnPool *pool);
void dn_free_list_grow(DnFreeList *list);

/* 0 when the limit is reached. */
static inline guint32 dn_pool_take(DnPool *pool, DnFreeList *list)
{
    if (list->n > 0)
        return list->ids[--list->n];
    return pool->used < pool->limit ? pool->used++ : 0;
}

static inline void dn_pool_give(DnFreeList *list, guint32 id)
{
    if (list->n == list->capacity)
        dn_free_list_grow(list);
    list->ids[list->n++] = id;
}
