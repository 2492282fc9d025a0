/* repetitions_test.c - the pooled results of repetitions. */
#include "experiment/repetitions.h"

/* One job: an iteration of 100 + @number us, and one alone where @alone. */
static DnRunResult *make_repetition(guint number, gboolean alone)
{
    DnRunResult *r = g_new0(DnRunResult, 1);
    r->repetitions = 1;
    r->warnings = g_ptr_array_new_with_free_func(g_free);
    r->n_jobs = 1;
    r->jobs = g_new0(DnJobResult, 1);
    r->jobs[0].n_iterations = 1;
    r->jobs[0].iteration_ps = g_new0(gint64, 1);
    r->jobs[0].iteration_ps[0] = 100 + number;
    r->jobs[0].end_ps = g_new0(gint64, 1);
    DnIterationTimes *times = &r->jobs[0].alone;
    times->n = alone;
    times->time_ps = g_new0(gint64, times->n + 1);
    times->time_ps[0] = number;
    times->end_ps = g_new0(gint64, times->n + 1);
    return r;
}

/* Only the last of four repetitions completed an iteration alone. */
static void test_alone_in_some(void)
{
    g_autoptr(DnRunResult) all = make_repetition(0, FALSE);
    for (guint i = 1; i < 4; i++) {
        g_autoptr(DnRunResult) one = make_repetition(i, i == 3);
        dn_repetitions_pool(all, one);
    }
    const DnJobResult *job = &all->jobs[0];
    g_assert_cmpuint(all->repetitions, ==, 4);
    g_assert_cmpuint(job->n_iterations, ==, 4);
    for (guint i = 0; i < 4; i++) {
        g_assert_cmpuint(job->per_repetition[i], ==, 1);
        g_assert_cmpint(job->iteration_ps[i], ==, 100 + i);
        g_assert_cmpuint(job->alone.per_repetition[i], ==, i == 3);
    }
    g_assert_cmpuint(job->alone.n, ==, 1);
    g_assert_cmpint(job->alone.time_ps[0], ==, 3);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/repetitions/alone-in-some", test_alone_in_some);
    return g_test_run();
}
