/* pool.c - see pool.h. */
#include "engine/packet/pool.h"

#include <string.h>
#include <sys/mman.h>

#define REFILL 256
#define FREE_LIST_IDS 65536 /* half of it goes to the spare ids when it is full */

void *dn_pages_new(gsize bytes)
{
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    madvise(base, bytes, MADV_HUGEPAGE); /* a wish: nothing is wrong when it is not heard */
    return base;
}

void dn_pages_free(void *pages, gsize bytes)
{
    if (pages != NULL)
        munmap(pages, bytes);
}

gboolean dn_pool_init(DnPool *pool, gsize record_bytes, guint32 limit)
{
    void *base = dn_pages_new(record_bytes * limit);
    if (base == NULL)
        return FALSE;
    *pool = (DnPool){.base = base, .record_bytes = record_bytes, .limit = limit, .used = 1};
    g_mutex_init(&pool->mutex);
    return TRUE;
}

void dn_pool_clear(DnPool *pool)
{
    if (pool->base == NULL)
        return;
    dn_pages_free(pool->base, pool->record_bytes * pool->limit);
    g_mutex_clear(&pool->mutex);
    g_free(pool->spare);
    pool->base = NULL;
}

static void pool_reserve(DnFreeList *list)
{
    if (list->ids != NULL)
        return;
    list->capacity = FREE_LIST_IDS;
    list->ids = g_new(guint32, list->capacity);
}

gboolean dn_pool_refill(DnPool *pool, DnFreeList *list)
{
    pool_reserve(list);
    g_mutex_lock(&pool->mutex);
    guint32 n = MIN(pool->n_spare, FREE_LIST_IDS / 2);
    if (n > 0) {
        pool->n_spare -= n;
        memcpy(list->ids, pool->spare + pool->n_spare, n * sizeof *list->ids);
    } else {
        n = MIN(REFILL, pool->limit - pool->used);
        for (guint32 i = 0; i < n; i++)
            list->ids[i] = pool->used + n - 1 - i; /* the lowest first */
        pool->used += n;
    }
    g_mutex_unlock(&pool->mutex);
    list->n = n;
    return n > 0;
}

void dn_pool_overflow(DnPool *pool, DnFreeList *list)
{
    pool_reserve(list);
    if (list->n < list->capacity)
        return;
    guint32 n = list->capacity / 2;
    g_mutex_lock(&pool->mutex);
    if (pool->n_spare + n > pool->spare_capacity) {
        pool->spare_capacity = 2 * (pool->spare_capacity + n);
        pool->spare = g_renew(guint32, pool->spare, pool->spare_capacity);
    }
    list->n -= n;
    memcpy(pool->spare + pool->n_spare, list->ids + list->n, n * sizeof *list->ids);
    pool->n_spare += n;
    g_mutex_unlock(&pool->mutex);
}
