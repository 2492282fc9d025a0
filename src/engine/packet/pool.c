/* pool.c - see pool.h. */
#include "engine/packet/pool.h"

#include <string.h>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0 /* then the address is a wish, and looked at */
#endif

#define REFILL 256
#define FREE_LIST_IDS 65536 /* half of it goes to the spare ids when it is full */
#define LARGEST_STEP ((gsize)64 << 20)
/* The kernel clears a huge page whole: a small run would spend its time on that. */
#define HUGE_PAGE ((gsize)2 << 20)

static void *pages_map(void *at, gsize bytes, int flags)
{
    void *base =
        mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    if (bytes >= HUGE_PAGE)
        madvise(base, bytes, MADV_HUGEPAGE); /* a wish: nothing is wrong when it is not heard */
    return base;
}

void *dn_pages_new(gsize bytes)
{
    return pages_map(NULL, bytes, MAP_NORESERVE);
}

void dn_pages_free(void *pages, gsize bytes)
{
    if (pages != NULL)
        munmap(pages, bytes);
}

/* The lowest address of a hole of @bytes, or of the largest that can be had; NULL: there is none.
 * What others map later is put at the far end of the hole, or elsewhere. */
static void *find_hole(gsize bytes)
{
    void *hole = MAP_FAILED;
    for (; hole == MAP_FAILED && bytes >= DN_POOL_STEP; bytes /= 2) {
        gsize asked = bytes + HUGE_PAGE;
        hole = mmap(NULL, asked, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (hole != MAP_FAILED)
            munmap(hole, asked);
    }
    if (hole == MAP_FAILED)
        return NULL;
    return (char *)hole + (-(guintptr)hole & (HUGE_PAGE - 1));
}

/* Maps @bytes more; FALSE when the budget or the system refuses. */
static gboolean pool_map(DnPool *pool, gsize bytes)
{
    DnPoolBudget *budget = pool->budget;
    if (budget != NULL &&
        __atomic_add_fetch(&budget->used, bytes, __ATOMIC_RELAXED) > budget->limit) {
        __atomic_sub_fetch(&budget->used, bytes, __ATOMIC_RELAXED);
        return FALSE;
    }
    char *end = (char *)pool->base + pool->mapped;
    void *got = pages_map(end, bytes, MAP_FIXED_NOREPLACE);
    if (got == end) {
        pool->mapped += bytes;
        return TRUE;
    }
    dn_pages_free(got, bytes);
    if (budget != NULL)
        __atomic_sub_fetch(&budget->used, bytes, __ATOMIC_RELAXED);
    return FALSE;
}

gboolean dn_pool_init(DnPool *pool, gsize record_bytes, guint32 limit, DnPoolBudget *budget)
{
    gsize most = MAX(record_bytes * limit, DN_POOL_STEP);
    *pool = (DnPool){.record_bytes = record_bytes, .limit = limit, .used = 1, .budget = budget};
    if (budget != NULL)
        most = CLAMP(budget->limit, DN_POOL_STEP, most);
    for (guint attempt = 0; attempt < 8; attempt++) { /* another thread may take the hole */
        pool->base = find_hole(most);
        if (pool->base == NULL)
            return FALSE;
        if (!pool_map(pool, DN_POOL_STEP))
            continue;
        g_mutex_init(&pool->mutex);
        return TRUE;
    }
    pool->base = NULL;
    return FALSE;
}

void dn_pool_clear(DnPool *pool)
{
    if (pool->base == NULL)
        return;
    dn_pages_free(pool->base, pool->mapped);
    g_mutex_clear(&pool->mutex);
    g_free(pool->spare);
    pool->base = NULL;
}

/* Under the mutex: how many of REFILL fresh records there is memory for. */
static guint32 pool_fresh(DnPool *pool)
{
    guint32 n = MIN(REFILL, pool->limit - pool->used);
    gsize needed = (gsize)(pool->used + n) * pool->record_bytes;
    if (n == 0 || needed <= pool->mapped)
        return n;
    gsize step = MIN(pool->mapped, LARGEST_STEP);
    return pool_map(pool, step) || pool_map(pool, DN_POOL_STEP) ? n : 0;
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
        n = pool_fresh(pool);
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
