/* array_space.h - Space in an array that grows item by item, in line: GArray's functions cost more
 * than what a reader of traces does with an item. */
#pragma once
#include <glib.h>

/* Returns @array of @space items, moved to one of more when all @n are used. */
static inline gpointer dn_array_space(gpointer array, guint n, guint *space, gsize item)
{
    if (G_LIKELY(n < *space))
        return array;
    *space = 2 * *space + 8;
    return g_realloc_n(array, *space, item);
}

/* Makes place for item @n of @array, whose length is *@space. */
#define DN_ARRAY_SPACE(array, n, space)                                                            \
    ((array) = dn_array_space((array), (n), (space), sizeof *(array)))
