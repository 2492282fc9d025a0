/* memory_test.c - limits of memory: of cgroups, of the process, as a run sees them. */
#include "base/memory.h"

#include <glib/gstdio.h>
#include <sys/resource.h>

static void memory_test_put(const char *root, const char *folder, const char *name,
                            const char *text)
{
    g_autofree char *path = g_build_filename(root, folder, NULL);
    g_autofree char *file = g_build_filename(path, name, NULL);
    g_assert_cmpint(g_mkdir_with_parents(path, 0700), ==, 0);
    g_assert_true(g_file_set_contents(file, text, -1, NULL));
}

/* The least limit on the way up counts; version 1 and 2; unknown groups have none. */
static void test_cgroups(void)
{
    g_autofree char *root = g_dir_make_tmp("memory-test-XXXXXX", NULL);
    g_assert_cmpuint(dn_memory_cgroup_bytes(root, "0::/a/b\n"), ==, G_MAXUINT64);
    memory_test_put(root, "a/b", "memory.max", "max\n");
    g_assert_cmpuint(dn_memory_cgroup_bytes(root, "0::/a/b\n"), ==, G_MAXUINT64);
    memory_test_put(root, "a", "memory.max", "4096000\n");
    g_assert_cmpuint(dn_memory_cgroup_bytes(root, "0::/a/b\n"), ==, 4096000);
    g_assert_cmpuint(dn_memory_cgroup_bytes(root, "0::/\n"), ==, G_MAXUINT64);
    memory_test_put(root, "memory/job", "memory.limit_in_bytes", "1000\n");
    g_assert_cmpuint(dn_memory_cgroup_bytes(root, "7:cpu,memory:/job\n0::/a\n"), ==, 1000);
    g_assert_cmpuint(dn_memory_cgroup_bytes(root, "7:cpu:/job\n"), ==, G_MAXUINT64);
    memory_test_put(root, "", "memory.max", "500\n"); /* a container's own */
    g_assert_cmpuint(dn_memory_cgroup_bytes(root, "0::/not/there\n"), ==, 500);
    g_assert_cmpuint(dn_memory_cgroup_bytes(root, "nonsense\n\n"), ==, G_MAXUINT64);
    const char *const files[] = {"a/b/memory.max", "a/memory.max", "memory.max",
                                 "memory/job/memory.limit_in_bytes"};
    const char *const folders[] = {"a/b", "a", "memory/job", "memory", ""};
    for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autofree char *path = g_build_filename(root, files[i], NULL);
        g_assert_cmpint(g_unlink(path), ==, 0);
    }
    for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
        g_autofree char *path = g_build_filename(root, folders[i], NULL);
        g_assert_cmpint(g_rmdir(path), ==, 0);
    }
}

static void test_limit(void)
{
    guint64 host = dn_memory_host_bytes();
    g_assert_cmpuint(host, >, 1 << 20);
    g_assert_cmpuint(dn_memory_limit(0), ==, host / 100 * 80);
    g_assert_cmpuint(dn_memory_limit(12345), ==, 12345);
    g_assert_cmpuint(dn_memory_limit(host + 1), ==, host);
    g_autofree char *more = dn_memory_limit_text(G_GUINT64_CONSTANT(1) << 60);
    g_assert_nonnull(strstr(more, "less than packet.max_memory allows"));
    g_autofree char *chosen = dn_memory_limit_text(1 << 30);
    g_assert_cmpstr(chosen, ==, "packet.max_memory allows 1 GiB");
    g_autofree char *share = dn_memory_limit_text(0);
    g_assert_nonnull(strstr(share, "80 % of the "));
}

/* `ulimit -v` is a limit like the host's memory; last, since the process keeps it. */
G_GNUC_UNUSED static void test_address_space(void)
{
    struct rlimit limit;
    g_assert_cmpint(getrlimit(RLIMIT_DATA, &limit), ==, 0);
    limit.rlim_cur = MIN(limit.rlim_max, 3u << 29);
    g_assert_cmpint(setrlimit(RLIMIT_DATA, &limit), ==, 0);
    g_assert_cmpuint(dn_memory_host_bytes(), <=, 3u << 29);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/memory/cgroups", test_cgroups);
    g_test_add_func("/memory/limit", test_limit);
#if !defined(__SANITIZE_ADDRESS__) /* which maps memory of its own */
    g_test_add_func("/memory/address-space", test_address_space);
#endif
    return g_test_run();
}
