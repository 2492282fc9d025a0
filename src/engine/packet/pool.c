/* pool.c - see pool.h. */
#include "engine/packet/pool.h"

#include <sys/mman.h>

gboolean dn_pool_init(DnPool *pool, gsize record_bytes, guint32 limit)
{
    void *base = mmap(NULL, record_bytes * limit, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return FALSE;
    *pool = (DnPool){base, record_bytes, limit, 1};
    return TRUE;
}

void dn_pool_clear(DnPool *pool)
{
    if (pool->base != NULL)
        munmap(pool->base, pool->record_bytes * pool->limit);
    pool->base = NULL;
}

void dn_free_list_grow(DnFreeList *list)
{
    list->capacity = MAX(1024, 2 * list->capacity);
    list->ids = g_renew(guint32, list->ids, list->capacity);
}
