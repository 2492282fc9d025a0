/* sparse_array_test.c - Zeros, alignment, and memory for no more than the pages that are written,
 * which are larger ones where the system has them. */
#include "base/sparse_array.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void test_zeros(void)
{
    for (gsize bytes = 0; bytes < 1 << 21; bytes = 2 * bytes + 1) {
        guint8 *array = dn_sparse_new(bytes);
        g_assert_cmpuint((guintptr)array % 64, ==, 0);
        for (gsize i = 0; i < bytes; i++)
            g_assert_cmpuint(array[i], ==, 0);
        memset(array, 1, bytes);
        dn_sparse_free(array);
    }
    dn_sparse_free(NULL);
}

static gsize resident_pages(void *array, gsize bytes)
{
    gsize page = (gsize)sysconf(_SC_PAGESIZE), pages = bytes / page, n = 0;
    g_autofree unsigned char *in = g_new0(unsigned char, pages);
    g_assert_cmpint(mincore(array, bytes, in), ==, 0);
    for (gsize i = 0; i < pages; i++)
        n += in[i] & 1;
    return n;
}

/* Also after malloc() has had as much memory to give out again. */
static void test_untouched(void)
{
    gsize bytes = (gsize)16 << 20, huge_page = (gsize)2 << 20;
    gsize page = (gsize)sysconf(_SC_PAGESIZE);
    void *used = memset(g_malloc(bytes), 1, bytes);
    g_free(used);
    guint64 *array = dn_sparse_of(guint64, bytes / sizeof(guint64));
    guint64 sum = 0;
    array[3] = 1;
    array[bytes / 16] = 2;
    gsize resident = resident_pages(array, bytes);
    g_assert_cmpuint(resident, >=, 2);
    g_assert_cmpuint(resident, <=, 2 * (huge_page / page));
    for (gsize i = 0; i < bytes / sizeof *array; i++)
        sum += array[i];
    g_assert_cmpuint(sum, ==, 3);
    dn_sparse_free(array);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sparse_array/zeros", test_zeros);
    g_test_add_func("/sparse_array/untouched", test_untouched);
    return g_test_run();
}
