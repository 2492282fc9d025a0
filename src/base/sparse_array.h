/* sparse_array.h - Arrays of zeros of which only what is written takes memory, in pages of 2 MiB
 * where the array is as large and the system has them: the loop reads such arrays at random.
 *
 * A process that has a part of a machine keeps the machine's indices, and the system's page tables
 * leave out what other processes have: nothing is translated. Small arrays are ordinary memory. */
#pragma once
#include <glib.h>

/* (transfer full): @bytes of zeros, aligned to a cache line, for dn_sparse_free(). */
void *dn_sparse_new(gsize bytes);
#define dn_sparse_of(type, n) ((type *)dn_sparse_new(sizeof(type) * (gsize)(n)))
/* NULL is fine. */
void dn_sparse_free(void *array);
