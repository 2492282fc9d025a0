/* sparse_array.c - see sparse_array.h. malloc() may hand out memory that was used before, which
 * calloc() then clears and so touches; a mapping of its own is untouched. */
#include "base/sparse_array.h"

#include <string.h>

#include "base/pages.h"

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
    g_assert(bytes < G_MAXSIZE - PAGE);
    guint8 *base = bytes >= LEAST ? dn_pages_new(bytes + PAGE) : NULL;
    guint8 *array = base != NULL ? base + PAGE
                                 : (guint8 *)g_aligned_alloc0(1, bytes + LINE, LINE) + LINE;
    head_of(array)->mapped = base != NULL ? bytes + PAGE : 0;
    return array;
}

void dn_sparse_free(void *array)
{
    if (array == NULL)
        return;
    gsize mapped = head_of(array)->mapped;
    if (mapped > 0)
        dn_pages_free((guint8 *)array - PAGE, mapped);
    else
        g_aligned_free(head_of(array));
}
