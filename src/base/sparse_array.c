/* sparse_array.c - see sparse_array.h. malloc() may hand out memory that was used before, which
 * calloc() then clears and so touches; a mapping of its own is untouched. */
#include "base/sparse_array.h"

#include <string.h>
#include <sys/mman.h>

#define LEAST ((gsize)256 << 10) /* bytes worth a mapping */
#define LINE 64
#define PAGE 4096 /* the data begins so far behind a mapping's start */

/* Ahead of the data, in a cache line of its own. */
typedef struct {
    gsize mapped; /* bytes; 0: it is of malloc */
} Head;

static Head *head_of(void *array)
{
    return (Head *)(void *)((guint8 *)array - LINE);
}

void *dn_sparse_new(gsize bytes)
{
    void *base = MAP_FAILED;
    g_assert(bytes < G_MAXSIZE - PAGE);
    if (bytes >= LEAST)
        base = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    gboolean mapped = base != MAP_FAILED;
    guint8 *array = mapped ? (guint8 *)base + PAGE
                           : (guint8 *)g_aligned_alloc0(1, bytes + LINE, LINE) + LINE;
    head_of(array)->mapped = mapped ? bytes + PAGE : 0;
    return array;
}

void dn_sparse_free(void *array)
{
    if (array == NULL)
        return;
    gsize mapped = head_of(array)->mapped;
    if (mapped > 0)
        munmap((guint8 *)array - PAGE, mapped);
    else
        g_aligned_free(head_of(array));
}
