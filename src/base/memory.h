/* memory.h - A limit says how much memory a run may take: asked before any is taken. */
#pragma once
#include <glib.h>

/* Bytes that this process can have: the least of the host's memory, the limits of its cgroup and of
 * those around it, and the limits of address space and data (ulimit -v, -d). */
guint64 dn_memory_host_bytes(void);

/* @chosen bytes, but not more than dn_memory_host_bytes(); when 0, 80 % of those. */
guint64 dn_memory_limit(guint64 chosen);

/* Gives the system back what malloc() keeps of freed memory. After a large structure was freed
 * between others that stay. */
void dn_memory_trim(void);

/* (transfer full): where the limit comes from, for messages; @chosen as above. */
char *dn_memory_limit_text(guint64 chosen);

/* The least limit of the cgroups that @membership (a /proc/self/cgroup) names, below the folder
 * @root (/sys/fs/cgroup); versions 1 and 2. G_MAXUINT64: none. */
guint64 dn_memory_cgroup_bytes(const char *root, const char *membership);
