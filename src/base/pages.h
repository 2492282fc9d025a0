/* pages.h - Memory mapped from the kernel, in huge pages where it is large. */
#pragma once
#include <glib.h>

#define DN_HUGE_PAGE ((gsize)2 << 20)

/* Maps @bytes of private memory, filled with zeros, at @at (NULL: anywhere), with the further
 * @flags of mmap(). For DN_HUGE_PAGE or more it asks for huge pages, with which random accesses
 * miss the TLB less often; a smaller array would lose more by the clearing of a whole huge page
 * than it gains. Without huge pages the memory has ordinary ones. NULL: the kernel refuses. */
void *dn_pages_map(void *at, gsize bytes, int flags);
/* Does the same at any address without reserving swap space: a page that is never accessed costs
 * nothing. */
void *dn_pages_new(gsize bytes);
/* Unmaps @bytes from @pages on; NULL: nothing. */
void dn_pages_free(void *pages, gsize bytes);
