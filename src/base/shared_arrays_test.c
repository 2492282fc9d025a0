/* shared_arrays_test.c - Tests of arrays of which the processes of a computer keep one copy. */
#include "base/shared_arrays.h"
#include "base/processes.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES (2 * DN_SHARED_ARRAY_LEAST)

static struct {
    DnProcesses processes;
    int peer; /* socket */
} pair;

static void pair_send(const void *bytes, gsize n)
{
    g_assert_cmpint(write(pair.peer, &n, sizeof n), ==, sizeof n);
    g_assert_cmpint(write(pair.peer, bytes, n), ==, n);
}

static guint8 *pair_receive(gsize *n)
{
    g_assert_cmpint(read(pair.peer, n, sizeof *n), ==, sizeof *n);
    guint8 *bytes = g_malloc0(*n + 1);
    if (*n > 0)
        g_assert_cmpint(recv(pair.peer, bytes, *n, MSG_WAITALL), ==, *n);
    return bytes;
}

static guint8 *pair_gather(const void *bytes, gsize n_bytes, gsize *sizes)
{
    guint own = pair.processes.rank;
    pair_send(bytes, n_bytes);
    g_autofree guint8 *theirs = pair_receive(&sizes[1 - own]);
    sizes[own] = n_bytes;
    guint8 *all = g_malloc0(sizes[0] + sizes[1] + 1);
    if (n_bytes > 0)
        memcpy(all + (own == 0 ? 0 : sizes[0]), bytes, n_bytes);
    memcpy(all + (own == 0 ? sizes[0] : 0), theirs, sizes[1 - own]);
    return all;
}

/* In both processes: an array that both have, one that only this one has, and a small one. */
static void use_arrays(guint rank)
{
    guint64 *same = dn_array_new(BYTES), *other = dn_array_new(BYTES), *small = dn_array_new(64);
    gsize n = BYTES / sizeof *same;
    for (gsize i = 0; i < n; i++) {
        g_assert_cmpuint(same[i] | other[i], ==, 0);
        same[i] = i * i;
        other[i] = i + rank;
    }
    small[0] = 7;
    g_assert_cmpuint(dn_arrays_share(&pair.processes), ==, BYTES);
    for (gsize i = 0; i < n; i++)
        g_assert_true(same[i] == i * i && other[i] == i + rank);
    same[3] = 100 + rank; /* its own again */
    g_assert_cmpuint(dn_arrays_share(&pair.processes), ==, 0);
    g_assert_cmpuint(same[3], ==, 100 + rank);
    g_assert_cmpuint(same[4], ==, 16);
    g_assert_cmpuint(small[0], ==, 7);
    dn_array_free(same);
    dn_array_free(other);
    dn_array_free(small);
    dn_array_free(NULL);
}

static void test_two_processes(void)
{
    int ends[2], status = 0;
    g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), ==, 0);
    pid_t child = fork();
    guint rank = child == 0 ? 1 : 0;
    pair.peer = ends[rank];
    pair.processes = (DnProcesses){.rank = rank, .n = 2, .gather = pair_gather};
    use_arrays(rank);
    if (child == 0)
        _exit(0);
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_cmpint(status, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/shared-arrays/two-processes", test_two_processes);
    return g_test_run();
}
