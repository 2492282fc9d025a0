/* pool_test.c - pools of records: they grow in place, within a budget, and reserve nothing. */
#include "engine/packet/pool.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define RECORD 64

/* Pages of address space that this process has mapped. */
static gulong mapped_pages(void)
{
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents("/proc/self/statm", &text, NULL, NULL));
    return (gulong)g_ascii_strtoull(text, NULL, 10);
}

static guint8 *pool_record(const DnPool *pool, guint32 id)
{
    return (guint8 *)pool->base + (gsize)id * pool->record_bytes;
}

/* Under a limit of address space a pool of up to 16 GiB takes none to speak of until it is used. */
static void test_nothing_reserved(void)
{
    DnPool pool;
    struct rlimit before_limit, limit;
    g_assert_cmpint(getrlimit(RLIMIT_AS, &before_limit), ==, 0);
    limit = before_limit;
    limit.rlim_cur = MIN(limit.rlim_max, (rlim_t)1 << 46);
    g_assert_cmpint(setrlimit(RLIMIT_AS, &limit), ==, 0);
    gulong before = mapped_pages();
    g_assert_true(dn_pool_init(&pool, RECORD, 1u << 28, NULL));
    g_assert_cmpuint(mapped_pages() - before, <, (1 << 20) / 4096);
    dn_pool_clear(&pool);
    g_assert_cmpint(setrlimit(RLIMIT_AS, &before_limit), ==, 0);
}

/* Without one no other mapping gets the addresses that a pool grows into: valgrind would. */
static void test_addresses_kept(void)
{
    DnPool pool;
    DnFreeList list = {0};
    g_assert_true(dn_pool_init(&pool, RECORD, 1u << 20, NULL));
    void *behind = (char *)pool.base + DN_POOL_STEP;
    void *got = mmap(behind, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g_assert_true(got != MAP_FAILED && got != behind);
    for (guint32 i = 1; i <= 2 * DN_POOL_STEP / RECORD; i++)
        g_assert_cmpuint(dn_pool_take(&pool, &list), ==, i);
    munmap(got, 4096);
    dn_pool_clear(&pool);
    g_free(list.ids);
}

/* Records keep their place and their bytes while two pools grow in turn. */
static void test_growth(void)
{
    enum { N = 300000 };
    DnPool pools[2];
    DnFreeList lists[2] = {{0}, {0}};
    void *base[2];
    for (guint k = 0; k < 2; k++) {
        g_assert_true(dn_pool_init(&pools[k], RECORD, 1u << 20, NULL));
        base[k] = pools[k].base;
    }
    for (guint32 i = 1; i <= N; i++)
        for (guint k = 0; k < 2; k++) {
            guint32 id = dn_pool_take(&pools[k], &lists[k]);
            g_assert_cmpuint(id, ==, i);
            memset(pool_record(&pools[k], id), (int)(i % 250 + k), RECORD);
        }
    for (guint k = 0; k < 2; k++) {
        g_assert_true(pools[k].base == base[k]);
        for (guint32 i = 1; i <= N; i++)
            g_assert_cmpuint(pool_record(&pools[k], i)[RECORD - 1], ==, i % 250 + k);
        dn_pool_clear(&pools[k]);
        g_free(lists[k].ids);
    }
}

static guint32 take_all(DnPool *pool, DnFreeList *list)
{
    guint32 n = 0;
    while (dn_pool_take(pool, list) != 0)
        n++;
    return n;
}

/* Pools stop at the budget that they share; what is given back can be taken again. */
static void test_budget(void)
{
    DnPoolBudget budget = {.limit = 8 * DN_POOL_STEP};
    DnPool first, second, third;
    DnFreeList list = {0}, other = {0};
    g_assert_true(dn_pool_init(&first, RECORD, 1u << 28, &budget));
    g_assert_true(dn_pool_init(&second, RECORD, 1u << 28, &budget));
    guint32 n = take_all(&first, &list);
    g_assert_cmpuint(n, ==, 7 * DN_POOL_STEP / RECORD - 256); /* in steps of 256, the first short */
    g_assert_cmpuint(budget.used, ==, budget.limit);
    g_assert_cmpuint(take_all(&second, &other), ==, DN_POOL_STEP / RECORD - 256);
    g_assert_false(dn_pool_init(&third, RECORD, 1u << 28, &budget));
    dn_pool_give(&first, &list, 7);
    g_assert_cmpuint(dn_pool_take(&first, &list), ==, 7);
    dn_pool_clear(&first);
    dn_pool_clear(&second);
    g_free(list.ids);
    g_free(other.ids);
}

/* The number of records is a limit, too. */
static void test_limit(void)
{
    DnPool pool;
    DnFreeList list = {0};
    g_assert_true(dn_pool_init(&pool, RECORD, 1000, NULL));
    g_assert_cmpuint(take_all(&pool, &list), ==, 999);
    dn_pool_clear(&pool);
    g_free(list.ids);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pool/nothing-reserved", test_nothing_reserved);
    g_test_add_func("/pool/addresses-kept", test_addresses_kept);
    g_test_add_func("/pool/growth", test_growth);
    g_test_add_func("/pool/budget", test_budget);
    g_test_add_func("/pool/limit", test_limit);
    return g_test_run();
}
