/* worker_pool_test.c - Tests of the worker pool: answers do not depend on the number of workers,
 * nor does which failure is reported; workers that die. */
#include "experiment/worker_pool.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define N 12

typedef struct {
    guint answers[N], progress; /* how often */
    guint fails_at, dies_at;    /* N: never */
    guint deaths;               /* so often */
    const char *folder;
} Pool;

static GVariant *square_of(guint item)
{
    GVariantDict dict;
    g_variant_dict_init(&dict, NULL);
    g_variant_dict_insert(&dict, "square", "u", item * item);
    return g_variant_dict_end(&dict);
}

/* Deaths are counted in files: those who die keep nothing. */
static void pool_die(const Pool *pool)
{
    for (guint i = 0; i < pool->deaths; i++) {
        g_autofree char *name = g_strdup_printf("%s/death-%u", pool->folder, i);
        if (g_file_test(name, G_FILE_TEST_EXISTS))
            continue;
        g_assert_true(g_file_set_contents(name, "", 0, NULL));
        kill(getpid(), SIGKILL);
    }
}

static GVariant *pool_work(void *data, guint item, GError **error)
{
    const Pool *pool = data;
    g_usleep((N - item) * 1000); /* later ones are done earlier */
    if (!dn_worker_pool_report(item, item))
        return NULL;
    if (item == pool->dies_at)
        pool_die(pool);
    if (item < pool->fails_at)
        return square_of(item);
    g_set_error(error, DN_ERROR, DN_ERROR_RANGE, "no %u", item);
    return NULL;
}

static gboolean pool_done(void *data, guint item, GVariant *answer, GError **error)
{
    Pool *pool = data;
    guint32 square = 0;
    (void)error;
    g_assert_true(g_variant_lookup(answer, "square", "u", &square));
    g_assert_cmpuint(square, ==, item * item);
    pool->answers[item]++;
    return TRUE;
}

static gboolean pool_progress(void *data, guint item, gint64 now_ps, guint64 packet_hops,
                              GError **error)
{
    (void)error;
    g_assert_cmpint(now_ps, ==, item);
    g_assert_cmpuint(packet_hops, ==, item);
    ((Pool *)data)->progress++;
    return TRUE;
}

static gboolean pool_run(Pool *pool, guint jobs, GError **error)
{
    guint items[N];
    const DnWorkerTask task = {
        .work = pool_work, .done = pool_done, .progress = pool_progress, .data = pool};
    for (guint i = 0; i < N; i++)
        items[i] = i;
    return dn_worker_pool_run(items, N, jobs, &task, error);
}

static void test_answers(void)
{
    static const guint jobs[] = {1, 2, 3, N + 5};
    for (guint j = 0; j < G_N_ELEMENTS(jobs); j++) {
        Pool pool = {.fails_at = N, .dies_at = N};
        g_autoptr(GError) error = NULL;
        g_assert_true(pool_run(&pool, jobs[j], &error));
        g_assert_no_error(error);
        for (guint i = 0; i < N; i++)
            g_assert_cmpuint(pool.answers[i], ==, 1);
        g_assert_cmpuint(pool.progress, ==, N);
    }
}

/* All items from the fifth on fail: the fifth is reported, and those before it are done. */
static void test_failure(void)
{
    static const guint jobs[] = {1, 2, 4, N};
    for (guint j = 0; j < G_N_ELEMENTS(jobs); j++) {
        Pool pool = {.fails_at = 5, .dies_at = N};
        g_autoptr(GError) error = NULL;
        g_assert_false(pool_run(&pool, jobs[j], &error));
        g_assert_error(error, DN_ERROR, DN_ERROR_RANGE);
        g_assert_cmpstr(error->message, ==, "no 5");
        for (guint i = 0; i < N; i++)
            g_assert_cmpuint(pool.answers[i], ==, i < 5 ? 1 : 0);
    }
}

/* A worker that is killed: once, its item is done again; twice, it has failed and says how. */
static void test_deaths(void)
{
    for (guint deaths = 1; deaths <= 2; deaths++) {
        g_autofree char *folder = g_dir_make_tmp("darner-pool-XXXXXX", NULL);
        Pool pool = {.fails_at = N, .dies_at = 4, .deaths = deaths, .folder = folder};
        g_autoptr(GError) error = NULL;
        gboolean ok = pool_run(&pool, 3, &error);
        g_assert_cmpint(ok, ==, deaths == 1);
        for (guint i = 0; i < N; i++)
            if (i < 4 || deaths == 1)
                g_assert_cmpuint(pool.answers[i], ==, 1);
        if (deaths == 2)
            g_assert_nonnull(strstr(error->message, "signal 9"));
        for (guint i = 0; i < deaths; i++) {
            g_autofree char *name = g_strdup_printf("%s/death-%u", folder, i);
            g_assert_cmpint(g_unlink(name), ==, 0);
        }
        g_rmdir(folder);
    }
}

/* An error of the caller ends the pool and its workers. */
static gboolean done_refuse(void *data, guint item, GVariant *answer, GError **error)
{
    (void)data;
    (void)item;
    (void)answer;
    g_set_error(error, DN_ERROR, DN_ERROR_FILE, "full");
    return FALSE;
}

static void test_refused(void)
{
    static const guint items[] = {3, 1, 2};
    for (guint jobs = 1; jobs <= 2; jobs++) {
        Pool pool = {.fails_at = N, .dies_at = N};
        const DnWorkerTask task = {.work = pool_work, .done = done_refuse, .data = &pool};
        g_autoptr(GError) error = NULL;
        g_assert_false(dn_worker_pool_run(items, 3, jobs, &task, &error));
        g_assert_error(error, DN_ERROR, DN_ERROR_FILE);
    }
}

static void test_check(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_true(dn_worker_pool_check(1, NULL));
    g_assert_true(dn_worker_pool_check(DN_WORKER_POOL_MOST, NULL));
    g_assert_false(dn_worker_pool_check(DN_WORKER_POOL_MOST + 1, NULL));
    g_assert_false(dn_worker_pool_check(0, &error));
    g_assert_cmpstr(error->message, ==, "--jobs is out of range; allowed: 1 to 1024");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/experiment/worker-pool/answers", test_answers);
    g_test_add_func("/experiment/worker-pool/failure", test_failure);
    g_test_add_func("/experiment/worker-pool/deaths", test_deaths);
    g_test_add_func("/experiment/worker-pool/refused", test_refused);
    g_test_add_func("/experiment/worker-pool/check", test_check);
    return g_test_run();
}
