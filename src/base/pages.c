/* pages.c - see pages.h. */
#include "base/pages.h"

#include <sys/mman.h>

void *dn_pages_map(void *at, gsize bytes, int flags)
{
    void *base =
        mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    if (base == MAP_FAILED)
        return NULL;
    if (bytes >= DN_HUGE_PAGE)
        madvise(base, bytes, MADV_HUGEPAGE);
    return base;
}

void *dn_pages_new(gsize bytes)
{
    return dn_pages_map(NULL, bytes, MAP_NORESERVE);
}

void dn_pages_free(void *pages, gsize bytes)
{
    if (pages != NULL)
        munmap(pages, bytes);
}
