/* pages.h - memory straight from the kernel. */
#pragma once
#include <glib.h>

#define DN_HUGE_PAGE ((gsize)2 << 20)

/* Maps @bytes of private memory that reads as zeros at @at (NULL: anywhere) with the further
 * @flags of mmap(), and asks for huge pages from one of those on: random accesses to them miss the
 * translation cache less often. (The kernel clears a huge page whole, which costs a smaller array
 * more than it gains.) Without huge pages the memory has small ones. NULL when it is refused. */
void *dn_pages_map(void *at, gsize bytes, int flags);
/* The same anywhere, without reserving swap space: pages that are never touched cost nothing. */
void *dn_pages_new(gsize bytes);
void dn_pages_free(void *pages, gsize bytes);
