/* compare.h - The order of texts and numbers, for sorting. */
#pragma once
#include <glib.h>
#include <string.h>

/* Compares two texts of a GPtrArray (g_ptr_array_sort()) or of an array (qsort()). */
static inline gint dn_compare_texts(gconstpointer a, gconstpointer b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Compares two guint32 of an array (qsort()). */
static inline gint dn_compare_numbers(gconstpointer a, gconstpointer b)
{
    guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
    return x < y ? -1 : x > y;
}
