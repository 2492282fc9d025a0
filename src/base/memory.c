/* memory.c - see memory.h. */
#include "base/memory.h"

#include <malloc.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/units.h"

#define SHARE_PERCENT 80

/* The number in file @name of @folder; G_MAXUINT64: no such file, or it says "max". */
static guint64 memory_file(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *text = NULL;
    if (!g_file_get_contents(path, &text, NULL, NULL) || !g_ascii_isdigit(text[0]))
        return G_MAXUINT64;
    return g_ascii_strtoull(text, NULL, 10);
}

/* The least limit of the group @path below @root and of those around it; @root's own counts even
 * when the path is not there, as in a container that sees its own group as the root. */
static guint64 cgroup_walk(const char *root, const char *path, const char *name)
{
    guint64 least = memory_file(root, name);
    g_autofree char *at = g_strdup(path);
    while (at[0] == '/' && at[1] != '\0') {
        g_autofree char *folder = g_build_filename(root, at, NULL);
        least = MIN(least, memory_file(folder, name));
        *(strrchr(at, '/') == at ? at + 1 : strrchr(at, '/')) = '\0';
    }
    return least;
}

guint64 dn_memory_cgroup_bytes(const char *root, const char *membership)
{
    guint64 least = G_MAXUINT64;
    g_auto(GStrv) lines = g_strsplit(membership, "\n", -1);
    for (guint i = 0; lines[i] != NULL; i++) {
        g_auto(GStrv) parts = g_strsplit(lines[i], ":", 3); /* number, controllers, path */
        if (g_strv_length(parts) != 3)
            continue;
        g_auto(GStrv) controllers = g_strsplit(parts[1], ",", -1);
        guint64 bytes = G_MAXUINT64;
        g_autofree char *own = g_build_filename(root, "memory", NULL);
        if (parts[1][0] == '\0')
            bytes = cgroup_walk(root, parts[2], "memory.max");
        else if (g_strv_contains((const char *const *)controllers, "memory"))
            bytes = cgroup_walk(own, parts[2], "memory.limit_in_bytes");
        least = MIN(least, bytes);
    }
    return least;
}

static guint64 soft_limit(int resource)
{
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return G_MAXUINT64;
    return limit.rlim_cur;
}

guint64 dn_memory_host_bytes(void)
{
    glong pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    guint64 bytes = pages > 0 && page > 0 ? (guint64)pages * (guint64)page : G_MAXUINT64;
    g_autofree char *membership = NULL;
    if (g_file_get_contents("/proc/self/cgroup", &membership, NULL, NULL))
        bytes = MIN(bytes, dn_memory_cgroup_bytes("/sys/fs/cgroup", membership));
    return MIN(bytes, MIN(soft_limit(RLIMIT_AS), soft_limit(RLIMIT_DATA)));
}

guint64 dn_memory_limit(guint64 chosen)
{
    guint64 host = dn_memory_host_bytes();
    return chosen > 0 ? MIN(chosen, host) : host / 100 * SHARE_PERCENT;
}

char *dn_memory_limit_text(guint64 chosen)
{
    char allowed[DN_UNIT_BUF], host[DN_UNIT_BUF];
    dn_format_bytes((gint64)MIN(dn_memory_limit(chosen), G_MAXINT64), allowed);
    if (chosen > dn_memory_limit(chosen))
        return g_strdup_printf("this host has %s, less than packet.max_memory allows", allowed);
    if (chosen > 0)
        return g_strdup_printf("packet.max_memory allows %s", allowed);
    return g_strdup_printf("%s may be taken, %d %% of the %s there are; packet.max_memory sets "
                           "another limit",
                           allowed, SHARE_PERCENT,
                           dn_format_bytes((gint64)MIN(dn_memory_host_bytes(), G_MAXINT64), host));
}

void dn_memory_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
