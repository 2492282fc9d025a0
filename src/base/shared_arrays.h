/* shared_arrays.h - Large arrays that are built once and then read only, of which the processes of
 * a run that are on one computer keep one copy.
 *
 * Every process builds its own. dn_arrays_share() then finds arrays with the same contents in
 * several processes of a computer: the first of these writes them into memory without a name
 * (memfd_create(2)), and all map it in place of their own, at the same addresses. A page that is
 * written later becomes the process's own again, so nothing depends on whether an array is shared.
 * LIMITATIONS: while they are built each process has its own copy; processes that may not read each
 * other's /proc/PID/fd keep theirs. */
#pragma once
#include <glib.h>

typedef struct DnProcesses DnProcesses; /* base/processes.h */

/* Smaller arrays are not worth the pages and the system calls. */
#define DN_SHARED_ARRAY_LEAST ((gsize)2 << 20)

/* (transfer full): @bytes of zeros, for dn_array_free(). */
void *dn_array_new(gsize bytes);
#define dn_array_of(type, n) ((type *)dn_array_new(sizeof(type) * (gsize)(n)))
/* NULL is fine. */
void dn_array_free(void *array);

/* Collective: shares what was made since the last call. Returns the bytes of this process's arrays
 * that others may now map, or that are mapped of another one. */
gsize dn_arrays_share(const DnProcesses *processes);
