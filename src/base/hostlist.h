/* hostlist.h - host lists as Slurm writes them: "tux[0-3,12],login1".
 *
 * Ranges stand in brackets, several to a name, and keep their leading zeros: "a[08-10]" is a08,
 * a09, a10 (slurm.conf(5), NodeName). */
#pragma once
#include <glib.h>

#define DN_HOSTLIST_MOST 200000

/* (transfer full): char *, in the order written; NULL: @text is no host list, or has more than
 * DN_HOSTLIST_MOST names. */
GPtrArray *dn_hostlist_expand(const char *text) G_GNUC_WARN_UNUSED_RESULT;
