/* pool.c - see pool.h. */
#include "engine/packet/pool.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/pages.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0 /* the kernel may choose another address, which is then refused */
#endif

#define REFILL 256
#define FREE_LIST_IDS 65536 /* half of it goes to the spare ids when it is full */
#define LARGEST_STEP ((gsize)64 << 20)

static gboolean is_address_space_limited(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/* Reserves addresses for @bytes, or for as many as can be had; FALSE: none. A reservation costs no
 * memory but counts against a limit of address space; under such a limit it is released at once:
 * later mappings of others are then put at the far end of the hole, or elsewhere (by Linux, but not
 * by valgrind, which begins at the near end). */
static gboolean pool_place(DnPool *pool, gsize bytes)
{
    void *hole = MAP_FAILED;
    gsize asked = 0;
    for (; hole == MAP_FAILED && bytes >= DN_POOL_STEP; bytes /= 2) {
        asked = bytes + DN_HUGE_PAGE;
        hole = mmap(NULL, asked, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    if (hole == MAP_FAILED)
        return FALSE;
    pool->hole = hole;
    pool->base = (char *)hole + (-(guintptr)hole & (DN_HUGE_PAGE - 1));
    if (is_address_space_limited())
        munmap(hole, asked);
    else
        pool->kept = asked;
    return TRUE;
}

static gboolean pool_extend(DnPool *pool, gsize bytes)
{
    char *end = (char *)pool->base + pool->mapped;
    if (pool->kept > 0)
        return end + bytes <= pool->hole + pool->kept && dn_pages_map(end, bytes, MAP_FIXED) == end;
    void *got = dn_pages_map(end, bytes, MAP_FIXED_NOREPLACE);
    if (got != end)
        dn_pages_free(got, bytes);
    return got == end;
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
    if (pool_extend(pool, bytes)) {
        pool->mapped += bytes;
        return TRUE;
    }
    if (budget != NULL)
        __atomic_sub_fetch(&budget->used, bytes, __ATOMIC_RELAXED);
    return FALSE;
}

static void pool_unmap(DnPool *pool)
{
    if (pool->kept > 0)
        munmap(pool->hole, pool->kept);
    else if (pool->mapped > 0)
        munmap(pool->base, pool->mapped);
    pool->base = NULL;
    pool->kept = pool->mapped = 0;
}

gboolean dn_pool_init(DnPool *pool, gsize record_bytes, guint32 limit, DnPoolBudget *budget)
{
    gsize most = MAX(record_bytes * limit, DN_POOL_STEP);
    *pool = (DnPool){.record_bytes = record_bytes, .limit = limit, .used = 1, .budget = budget};
    if (budget != NULL)
        most = CLAMP(budget->limit, DN_POOL_STEP, most);
    for (guint attempt = 0; attempt < 8; attempt++) { /* another thread may take the hole */
        if (!pool_place(pool, most))
            return FALSE;
        if (pool_map(pool, DN_POOL_STEP)) {
            g_mutex_init(&pool->mutex);
            return TRUE;
        }
        pool_unmap(pool);
    }
    return FALSE;
}

void dn_pool_clear(DnPool *pool)
{
    if (pool->base == NULL)
        return;
    pool_unmap(pool);
    g_mutex_clear(&pool->mutex);
    g_free(pool->spare);
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
