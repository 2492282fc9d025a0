/* sparse_array.h - Arrays filled with zeros whose pages take memory once they are written; arrays
 * of 2 MiB or more have huge pages where the system has them (pages.h).
 *
 * So a process that simulates a part of a machine can index its arrays as the whole machine does:
 * entries of other processes are never written and take no memory. Arrays of less than 256 KiB are
 * ordinary memory. */
#pragma once
#include <glib.h>

/* Returns @bytes of zeros, aligned to a cache line, to be freed by dn_sparse_free(). */
void *dn_sparse_new(gsize bytes);
#define dn_sparse_of(type, n) ((type *)dn_sparse_new(sizeof(type) * (gsize)(n)))
/* Frees @array; NULL: nothing. */
void dn_sparse_free(void *array);
