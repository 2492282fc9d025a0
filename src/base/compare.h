/* compare.h - The order of texts and numbers, for sorting. */
#pragma once
#include <glib.h>
#include <string.h>

/* Of a GPtrArray of texts (g_ptr_array_sort()) or an array of them (qsort()). */
static inline gint dn_compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}
